//! `cargo lab counted`: whether a bug is counted once. A hunt on a compiler with ten planted bugs
//! (`tests/compilers/planted/ten.sh`), and what its list says of each.
//!
//! Its programs are those of `gainsay gen`, or, with `--small`, small ones that show one bug each, of which one bug is
//! as much more frequent than the others as one likes.
//!
//! The truth is known: each program that was found, and each reduced one, is given to compilers with one of the bugs
//! each. A bug of the list is that of the planted one which its reduced program shows. A finding is counted wrongly
//! if its program does not show the bug that it was counted to.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use campaign::{Bug, Specimen, Store};
use choice::Choices;
use oracle::Case;
use sandbox::{Scratch, Status};

use crate::LabOutcome;
use crate::compiler::{Built, Compiler};
use crate::context::Context;

/// The planted bugs, each with a script of its own; the first is the frequent one.
const PLANTS: &[&str] =
    &["sign", "fold", "shift", "store", "loop", "bitfield", "copy", "arguments", "alias", "switch"];

/// Arguments of `cargo lab counted`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Programs of the hunt.
    #[arg(long, default_value_t = 200)]
    tests: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Tests at a time.
    #[arg(long, short, default_value_t = 1)]
    jobs: usize,
    /// Test functions of a program at most: the fewer, the less there is to reduce.
    #[arg(long, default_value_t = 1)]
    functions: u32,
    /// End the hunt after so many minutes.
    #[arg(long, default_value_t = 60)]
    minutes: u64,
    /// Small programs: so many that show the first bug, in place of generated ones.
    #[arg(long, value_name = "COUNT")]
    small: Option<u32>,
    /// With small programs: how many show each of the other bugs.
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    rare: u32,
    /// Look at what an earlier run left, and hunt no more.
    #[arg(long)]
    again: bool,
}

/// What the list says of one planted bug.
#[derive(Default)]
struct Row {
    /// Programs that show it.
    shown: usize,
    /// Keys of the list's bugs that are it.
    listed: BTreeSet<String>,
    /// Findings that were counted to those: rightly, wrongly.
    counted: (usize, usize),
    /// Seconds from the beginning to its first study.
    studied_after: Option<u64>,
}

/// Runs the command.
pub fn main(context: &Context, args: &Args) -> Result<LabOutcome> {
    let dir = context.work_folder("counted")?;
    let begin = match args.again {
        true => fs::read_to_string(dir.join("begin"))?.trim().parse()?,
        false => hunted(context, args, &dir)?,
    };
    let store = Store::open_to_read(&dir.join("out"))?;
    let listed = store.bugs()?;
    let findings = store.findings()?.len();
    let mut rows: BTreeMap<&str, Row> = PLANTS.iter().map(|name| (*name, Row::default())).collect();
    let mut without = Vec::new();
    for bug in listed.iter().filter(|bug| bug.attributed) {
        add(context, &store, bug, begin, &mut rows, &mut without)?;
    }
    let unattributed: Vec<&Bug> = listed.iter().filter(|bug| !bug.attributed).collect();
    for bug in &unattributed {
        for id in &bug.ids {
            for name in shown(context, &program(&store, *id)?)? {
                rows.entry(name).or_default().shown += 1;
            }
        }
    }
    let bugs = listed.iter().filter(|bug| bug.attributed).count();
    let open: usize = unattributed.iter().map(|bug| bug.count).sum();
    println!("{findings} findings, {bugs} bugs in the list, {open} findings not yet attributed\n");
    println!(
        "| planted | programs that show it | bugs listed | findings counted to it | wrongly | first study after |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for (name, row) in &rows {
        let after = row.studied_after.map_or_else(|| "-".into(), |seconds| format!("{seconds} s"));
        let Row { shown, listed, counted, .. } = row;
        println!(
            "| `{name}` | {shown} | {} | {} | {} | {after} |",
            listed.len(),
            counted.0 + counted.1,
            counted.1
        );
    }
    for line in &without {
        println!("\n{line}");
    }
    let is_wrong = rows.values().any(|row| row.listed.len() > 1 || row.counted.1 > 0);
    Ok(if is_wrong || !without.is_empty() { LabOutcome::Something } else { LabOutcome::Nothing })
}

/// Hunts; seconds since 1970 when that began.
fn hunted(context: &Context, args: &Args, dir: &Path) -> Result<u64> {
    let gainsay = context.gainsay()?;
    fs::remove_dir_all(dir)?;
    fs::create_dir_all(dir)?;
    let configuration = format!(
        "extras_per_test = 0\n\
         [[compiler]]\nname = \"ten\"\npath = {:?}\nfamily = \"clang\"\nlevels = [\"-O0\", \"-O2\"]\n\
         [[compiler]]\nname = \"gcc\"\npath = \"gcc\"\nfamily = \"gcc\"\nlevels = [\"-O1\"]\n",
        script(context, "ten").display().to_string()
    );
    fs::write(dir.join("gainsay.toml"), configuration)?;
    let policy = format!("program.tests = [1, {}]\n", args.functions);
    fs::write(dir.join("small.toml"), policy)?;
    let begin = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    fs::write(dir.join("begin"), begin.to_string())?;
    let (tests, seed) = (args.tests.to_string(), args.seed.to_string());
    let (jobs, time) = (args.jobs.to_string(), format!("{}m", args.minutes));
    let words =
        ["hunt", "--jobs", &jobs, "--for", &time, "--hunt", "out", "--cc", "ten", "--cc", "gcc"];
    let more = match args.small {
        Some(frequent) => {
            small_programs(context, args, frequent, &dir.join("programs"))?;
            vec!["--engine", "files", "--from", "programs"]
        }
        None => vec!["--tests", &tests, "--seed", &seed, "--policy", "small.toml"],
    };
    let words: Vec<&str> = words.into_iter().chain(more).collect();
    let status = sandbox::foreground(gainsay, &words, &[], Some(dir))?;
    anyhow::ensure!(matches!(status, Status::Exit(0 | 1)), "the hunt ended with {status:?}");
    Ok(begin)
}

/// Programs that show one bug each, in any order.
fn small_programs(context: &Context, args: &Args, frequent: u32, dir: &Path) -> Result<()> {
    fs::create_dir_all(dir)?;
    let mut choices = Choices::new(args.seed);
    let counts = PLANTS.iter().zip(std::iter::once(frequent).chain(std::iter::repeat(args.rare)));
    let mut all: Vec<&str> =
        counts.flat_map(|(name, count)| std::iter::repeat_n(*name, count as usize)).collect();
    choices.shuffle(&mut all);
    let planted = context.root.join("tests/compilers/planted/programs");
    for (n, name) in all.iter().enumerate() {
        let text = fs::read_to_string(planted.join(format!("{name}.c")))?;
        let number = choices.range(3..=9999).to_string();
        let text = text.replace("NUMBER", &number).replace("NOISE", &noise(&mut choices));
        fs::write(dir.join(format!("{n:04}.c")), text)?;
    }
    Ok(())
}

/// A function of arithmetic on `unsigned` that shows none of the bugs.
fn noise(choices: &mut Choices) -> String {
    let mut text =
        "static unsigned noise(unsigned a) {\n    unsigned b = a + 1, c = 7;\n".to_string();
    for _ in 0..choices.range(3..=8) {
        let mut name = || ["a", "b", "c"][choices.index(3)];
        let (to, from, other) = (name(), name(), name());
        let number = choices.range(2..=99);
        text += &match choices.below(4) {
            0 => format!("    {to} = {from} * {number} + {other};\n"),
            1 => format!("    if ({from} > {other})\n        {to} -= {number};\n"),
            2 => format!(
                "    for (unsigned i = 0; i < {number}; i++)\n        {to} += {from} ^ i;\n"
            ),
            _ => format!("    {to} ^= {from} / {number} + {other} % {number};\n"),
        };
    }
    text + "    return a + b + c;\n}"
}

fn script(context: &Context, name: &str) -> PathBuf {
    context.root.join("tests/compilers/planted").join(format!("{name}.sh"))
}

fn program(store: &Store, id: i64) -> Result<Case> {
    let found = store.finding(id)?.with_context(|| format!("#{id} is gone"))?;
    Specimen::of(&found, None).case()
}

/// Adds one bug of the list.
fn add(
    context: &Context,
    store: &Store,
    bug: &Bug,
    begin: u64,
    rows: &mut BTreeMap<&'static str, Row>,
    without: &mut Vec<String>,
) -> Result<()> {
    let id = bug.representative;
    let study = store.study(id)?.with_context(|| format!("#{id} was not studied"))?;
    let case = Case { files: study.files.clone(), ..program(store, id)? };
    let case = Case { expected: study.expected().cloned(), harness: None, ..case };
    let reduced: Vec<&str> = shown(context, &case)?.into_iter().collect();
    let [name] = reduced.as_slice() else {
        without.push(format!(
            "#{id} ({}) shows {} planted bugs: {reduced:?}",
            bug.key,
            reduced.len()
        ));
        return Ok(());
    };
    let at = store.snapshot()?.studies.get(&id).map(|study| study.at.saturating_sub(begin));
    let mut counted = (0, 0);
    for id in &bug.ids {
        let all = shown(context, &program(store, *id)?)?;
        match all.contains(name) {
            true => counted.0 += 1,
            false => counted.1 += 1,
        }
        for shown in all {
            rows.entry(shown).or_default().shown += 1;
        }
    }
    let row = rows.entry(name).or_default();
    row.listed.insert(bug.key.clone());
    row.counted = (row.counted.0 + counted.0, row.counted.1 + counted.1);
    row.studied_after = [row.studied_after, at].into_iter().flatten().min();
    Ok(())
}

/// The planted bugs that a program shows.
fn shown(context: &Context, case: &Case) -> Result<BTreeSet<&'static str>> {
    let scratch = Scratch::new()?;
    campaign::write_files(&case.files, scratch.path())?;
    let units: Vec<PathBuf> = case.units().map(|unit| scratch.file(unit)).collect();
    let units: Vec<&Path> = units.iter().map(PathBuf::as_path).collect();
    let mut all = BTreeSet::new();
    for name in PLANTS {
        let compiler = Compiler::new(script(context, name), &["-O2", "-w", "-std=gnu11"]);
        let (built, _) = compiler.build_and_run_all(&units, &scratch.file("program"));
        let is_right = match (&built, &case.expected) {
            (Built::Ran(done), Some(expected)) => {
                done.stdout.bytes == expected.stdout && done.status == Status::Exit(expected.status)
            }
            _ => false,
        };
        if !is_right {
            all.insert(*name);
        }
    }
    Ok(all)
}
