//! `cargo lab bench reduce`: our reducer against C-Vise, on the planted bugs.
//!
//! For each compiler of `tests/compilers/planted` the first seed whose program shows its bug is
//! reduced by both tools with one and the same script: the sanitizers are silent, clang and gcc agree,
//! the planted compiler does not. We also reduce it without a script, as people who have Gainsay do.
//! C-Vise is stopped after some multiple of our time: what it has then counts, and its time is a lower
//! bound. The machine judges all results, since a program may be undefined without a sanitizer's
//! notice.

mod table;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use sandbox::{Ended, Run, Scratch, Status};
use toolchain::on_path;

use crate::compiler::{Built, Compiler, Cost};
use crate::context::Context;
use crate::machine::{Machine, RunOutcome};
use table::{Row, Side};

/// The planted compilers.
const PLANTS: &[&str] =
    &["fold", "shift", "store", "loop", "sign", "bitfield", "copy", "arguments", "alias", "switch"];

/// Seeds that are tried for each.
const SEEDS: std::ops::Range<u64> = 1..201;

/// Longer than any of our reductions may take.
const OURS_AT_MOST: Duration = Duration::from_secs(3600);

/// One call of the script compiles and runs five programs.
const SCRIPT_WALL: Duration = Duration::from_secs(120);

/// Arguments of `cargo lab bench reduce`.
#[derive(clap::Args, Debug)]
pub struct ReduceArgs {
    /// Number of cases, one for each planted compiler, from the first on.
    #[arg(long, default_value_t = PLANTS.len())]
    cases: usize,
    /// Only this planted compiler; may be given several times.
    #[arg(long, value_name = "NAME")]
    plant: Vec<String>,
    /// The policy of the programs, as for `gainsay gen`.
    #[arg(long, value_name = "NAME-OR-FILE", default_value = "default")]
    policy: String,
    /// Stop C-Vise after so many times our own time; 0 leaves it out.
    #[arg(long, value_name = "FACTOR", default_value_t = 8.0)]
    peer_limit: f64,
    /// But not before so many seconds, however quick we are.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    peer_at_least: u64,
}

/// What all cases need.
struct Bench {
    gainsay: PathBuf,
    machine: Machine,
    cvise: Option<PathBuf>,
    /// Programs of all seeds, `SEED/test.c` and `SEED/expected`.
    programs: PathBuf,
    planted: PathBuf,
    /// Where cases and results are kept, for a look afterwards.
    keep: PathBuf,
}

/// A program that shows a planted bug.
struct Case {
    plant: String,
    seed: u64,
    /// Folder of this case.
    dir: PathBuf,
    script: PathBuf,
    text: Vec<u8>,
}

/// Reduces all cases with all tools and prints the table.
pub fn main(context: &Context, args: &ReduceArgs) -> Result<()> {
    if let Some(strange) = args.plant.iter().find(|name| !PLANTS.contains(&name.as_str())) {
        bail!("there is no planted compiler {strange}: {}", PLANTS.join(", "));
    }
    let gainsay = context.gainsay()?;
    let scratch = Scratch::new()?;
    let bench = Bench {
        machine: Machine::new(gainsay.clone()),
        cvise: on_path("cvise").filter(|_| args.peer_limit > 0.0),
        programs: scratch.file("programs"),
        planted: context.root.join("tests/compilers/planted"),
        keep: context.work_folder("bench-reduce")?,
        gainsay,
    };
    if bench.cvise.is_none() && args.peer_limit > 0.0 {
        println!("C-Vise: skipped, cvise is not installed");
    }
    bench.generate(&args.policy)?;
    let wanted = |name: &&&str| args.plant.is_empty() || args.plant.iter().any(|p| p == **name);
    let mut rows = Vec::new();
    for plant in PLANTS.iter().filter(wanted).take(args.cases) {
        match bench.case(plant)? {
            Some(case) => rows.push(bench.measure(&case, args)?),
            None => println!("{plant}: no program of seeds {SEEDS:?} shows it"),
        }
    }
    table::print(&rows);
    println!("cases and results are in {}", bench.keep.display());
    Ok(())
}

impl Bench {
    fn generate(&self, policy: &str) -> Result<()> {
        let count = SEEDS.end - SEEDS.start;
        let run = Run::new(&self.gainsay, OURS_AT_MOST)
            .args(["gen", "--single-file", "--policy", policy])
            .args(["--seed", &SEEDS.start.to_string()])
            .args(["--count", &count.to_string(), "-o"])
            .arg(&self.programs);
        run.finish().success().context("gainsay gen failed").map(|_| ())
    }

    /// The first program that shows a bug, by the machine's word and by the script.
    fn case(&self, plant: &str) -> Result<Option<Case>> {
        let compiler = self.planted.join(format!("{plant}.sh"));
        let dir = self.keep.join(plant);
        fs::create_dir_all(&dir)?;
        let script = dir.join("interesting.sh");
        fs::write(&script, SCRIPT.replace("PLANTED", &compiler.display().to_string()))?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
        let compiler = Compiler::new(&compiler, &["-O2", "-w"]);
        for seed in SEEDS {
            let file = self.programs.join(format!("{seed}/test.c"));
            let expected = fs::read(file.with_file_name("expected"))?;
            let (built, _) = compiler.build_and_run(&file, &dir.join("program"));
            let Built::Ran(done) = built else { continue };
            if done.stdout.bytes != expected && interesting(&script, &file)? {
                let text = fs::read(&file)?;
                fs::write(dir.join("case.c"), &text)?;
                return Ok(Some(Case { plant: plant.into(), seed, dir, script, text }));
            }
        }
        Ok(None)
    }

    fn measure(&self, case: &Case, args: &ReduceArgs) -> Result<Row> {
        eprintln!("bench: {} by its script", case.plant);
        let script = self.ours(case, "ours.c", &["--test".into(), case.script.clone().into()])?;
        eprintln!("bench: {} without a script", case.plant);
        let config = case.dir.join("gainsay.toml");
        fs::write(&config, self.configuration(&case.plant))?;
        let words = ["--config".into(), config.into(), "--cc".into(), case.plant.clone().into()];
        let more = ["--cc", "clang-16", "--cc", "gcc"].map(Into::into);
        let native = self.ours(case, "native.c", &[&words[..], &more[..]].concat())?;
        let least = Duration::from_secs(args.peer_at_least);
        let most = script.cost.wall.mul_f64(args.peer_limit).max(least);
        eprintln!("bench: {} by C-Vise, {} s at most", case.plant, most.as_secs());
        let cvise = self.cvise.as_ref().map(|cvise| self.peer(case, cvise, most)).transpose()?;
        let tokens = cshrink::tokens(&String::from_utf8_lossy(&case.text));
        let row = Row { plant: case.plant.clone(), seed: case.seed, tokens, script, native, cvise };
        row.print();
        Ok(row)
    }

    /// One of our modes on a fresh copy.
    fn ours(&self, case: &Case, name: &str, words: &[std::ffi::OsString]) -> Result<Side> {
        let scratch = Scratch::new()?;
        let file = scratch.file("test.c");
        fs::write(&file, &case.text)?;
        let result = case.dir.join(name);
        let _ = fs::remove_file(&result);
        let run = Run::new(&self.gainsay, OURS_AT_MOST)
            .arg("reduce")
            .arg(&file)
            .args(words)
            .args(["--jobs", "2", "-o"])
            .arg(&result)
            .cwd(scratch.path());
        let (done, stopped) = match run.finish() {
            Ended::Finished(done) => (done, false),
            Ended::Killed(_, done) => (done, true),
            Ended::NotStarted(error) => bail!("gainsay reduce: {error}"),
        };
        if done.status != Status::Exit(0) && !stopped {
            bail!("gainsay reduce on {}: {}", case.plant, done.stderr.text());
        }
        self.side(case, &result, Cost::of(&done), stopped)
    }

    /// C-Vise on a fresh copy, which it rewrites whenever it has a better one.
    fn peer(&self, case: &Case, cvise: &Path, most: Duration) -> Result<Side> {
        let scratch = Scratch::new()?;
        let temporaries = scratch.file("tmp");
        fs::create_dir(&temporaries)?;
        let file = scratch.file("test.c");
        fs::write(&file, &case.text)?;
        let run = Run::new(cvise, most)
            .args(["--n", "2"])
            .arg(&case.script)
            .arg("test.c")
            .env("TMPDIR", &temporaries)
            .cwd(scratch.path());
        let (done, mut stopped) = match run.finish() {
            Ended::Finished(done) => (done, false),
            Ended::Killed(_, done) => (done, true),
            Ended::NotStarted(error) => bail!("cvise: {error}"),
        };
        if done.status != Status::Exit(0) && !stopped {
            // It does so now and then; what it has by then counts all the same.
            let words = format!("{}{}", done.stdout.text(), done.stderr.text());
            eprintln!("bench: cvise on {} ended with {:?}: {words}", case.plant, done.status);
            stopped = true;
        }
        let result = case.dir.join("cvise.c");
        fs::copy(&file, &result)?;
        self.side(case, &result, Cost::of(&done), stopped)
    }

    /// The account of a result. One that is not interesting is no success.
    fn side(&self, case: &Case, result: &Path, cost: Cost, stopped: bool) -> Result<Side> {
        let Ok(text) = fs::read_to_string(result) else {
            bail!("{}: there is no {}", case.plant, result.display());
        };
        // Before the program we say in a comment what to expect; tokens and lines are the program's.
        let program =
            text.split_once("/* Expected: ").map_or(text.as_str(), |(program, _)| program);
        let machine = match self.machine.run(result).answer {
            RunOutcome::Finished { .. } => "defined".into(),
            RunOutcome::Broken { kind, .. } => kind,
            RunOutcome::Unsupported { reason, .. } => format!("not executed: {reason}"),
            RunOutcome::Invalid(why) => format!("no C: {why}"),
            RunOutcome::Exhausted => "endless".into(),
            RunOutcome::Bug(what) => format!("machine: {what}"),
        };
        Ok(Side {
            cost,
            stopped,
            tokens: cshrink::tokens(&text),
            lines: program.lines().filter(|line| !line.trim().is_empty()).count(),
            machine,
            shows: interesting(&case.script, result)?,
        })
    }

    fn configuration(&self, plant: &str) -> String {
        let path = self.planted.join(format!("{plant}.sh")).display().to_string();
        format!(
            "extras_per_test = 0\n[[compiler]]\nname = \"{plant}\"\npath = {path:?}\n\
             family = \"clang\"\nlevels = [\"-O0\", \"-O2\"]\n"
        )
    }
}

/// Whether the script says so of a copy of the file.
fn interesting(script: &Path, file: &Path) -> Result<bool> {
    let scratch = Scratch::new()?;
    fs::copy(file, scratch.file("test.c"))?;
    let ended = Run::new(script, SCRIPT_WALL).cwd(scratch.path()).finish();
    Ok(ended.success().is_some())
}

/// The cheapest tests that reject most come first; both tools get the same.
const SCRIPT: &str = r#"#!/bin/sh
# Interesting: no sanitizer says a word, gcc and clang agree, and the planted compiler does not.
try() {
    name=$1
    shift
    timeout 20 "$@" -w test.c -o "./$name" -lm > "$name.log" 2>&1 || exit 1
    timeout 5 "./$name" > "$name.out" 2> "$name.err"
    status=$?
    if [ $status = 124 ]; then exit 1; fi
    echo "status $status" >> "$name.out"
}
try gcc gcc -O0
try planted PLANTED -O2
if cmp -s gcc.out planted.out; then exit 1; fi
try clang clang-16 -O1
cmp -s gcc.out clang.out || exit 1
export ASAN_OPTIONS=detect_leaks=0
try address clang-16 -O0 -fsanitize=address,undefined -fno-sanitize-recover=all
cmp -s gcc.out address.out || exit 1
try memory clang-16 -O0 -fsanitize=memory
cmp -s gcc.out memory.out || exit 1
test ! -s address.err && test ! -s memory.err
"#;
