//! `gainsay mutate`: variants of a program that print what it prints.

mod diff;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use campaign::{Seed, donors, texts};
use clap::Args;
use cmachine::{MachineConfig, Report};
use ctree::{DataModel, Program};
use emi::{Chain, Database, Edit, Strategies, Strategy, UnusableSeed};
use oracle::SourceFile;

use crate::input::read_all;
use crate::run::{self, RunReport};
use crate::{status, terminal};

/// Derive a variant of a program that must print the same
///
/// The abstract machine executes the program and notes what ran and with which values. Code is then put
/// in that never runs, or runs and leaves no trace; statements are guarded by what is known to be true;
/// what never ran is removed or replaced. Every variant is executed before it is written. A compiler for
/// which the two differ is wrong about one of them. The same arguments give the same bytes on every
/// machine.
#[derive(Args, Debug)]
#[command(after_long_help = HELP)]
pub struct Mutate {
    /// C files of one program; `-` is standard input, preprocessed.
    #[arg(required = true, value_name = "FILE.c")]
    files: Vec<PathBuf>,
    /// Search this folder for headers.
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Define a macro.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,
    /// Mutations: hermes (fcb, tg, tcb), orion, athena, or all
    ///
    /// fcb is code behind a condition that never holds, tg a guard that always holds, tcb code that runs and puts back
    /// what it changed; orion removes what never ran, athena replaces it.
    #[arg(long, value_name = "NAMES", default_value = "all")]
    strategy: Strategies,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write the N-th variant; each is derived from the one before it
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "variants")]
    variant: u32,
    /// Write the first N variants, each in a folder of -o named by its number
    #[arg(long, value_name = "N", requires = "output")]
    variants: Option<u32>,
    /// Derive nothing from these variants, by their numbers: the next is derived from the one before
    ///
    /// A finding of a hunt says which: those on which a compiler failed.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    without: Vec<u32>,
    /// Keep only these mutations, by their numbers from 0, or none
    ///
    /// A finding of a hunt says which.
    #[arg(long, value_name = "NUMBERS", conflicts_with = "variants")]
    keep: Option<Keep>,
    /// Write to this file; several files or variants, to this folder
    #[arg(short = 'o', long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Show what was changed, as a diff.
    #[arg(long)]
    show: bool,
}

const HELP: &str = "\
Exit status:
  0        written
  65 - 67  the program has no result to keep, as `gainsay run` tells
  2        a file is missing or is not C
  70       Gainsay has a bug; please report it

Examples:
  gainsay mutate prog.c --show                           # what changes
  gainsay mutate prog.c --seed 7 -o variant.c && gcc -O3 variant.c -o variant
  gainsay mutate prog.c --strategy tcb,orion --variant 5 -o fifth.c
  gainsay mutate prog.c --variants 10 -o many            # many/1/prog.c, many/2/prog.c …

`gainsay hunt --engine emi --from DIR` does the same on every program of a folder.";

/// The numbers of mutations.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Keep(Vec<usize>);

impl std::str::FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Keep, String> {
        if text == "none" {
            return Ok(Keep(Vec::new()));
        }
        let number = |word: &str| {
            word.trim().parse().map_err(|_| format!("`{word}` is no number: give 0,4,17 or none"))
        };
        text.split(',').map(number).collect::<Result<_, _>>().map(Keep)
    }
}

/// What the work comes to.
enum Ended {
    /// There is no program to mutate.
    Refused(Box<RunReport>),
    /// A variant is not its seed.
    Wrong(String),
    /// The seed as text, and its variants by number.
    Variants(Vec<SourceFile>, Vec<Variant>),
}

/// A variant to be written.
struct Variant {
    number: u32,
    files: Vec<SourceFile>,
    /// `7 mutations: 3 fcb, 4 tg`.
    told: String,
}

/// Runs the command; the exit status.
pub fn main(args: Mutate) -> Result<u8> {
    if args.variant == 0 || args.variants == Some(0) {
        bail!("variants are counted from 1");
    }
    let Mutate { output, show, variants, .. } = &args;
    let (output, show, many) = (output.clone(), *show, variants.is_some());
    let names: Vec<String> = args.files.iter().map(|f| f.display().to_string()).collect();
    let what = format!("still mutating {}", names.join(", "));
    let Some(ended) = terminal::work(what, move || derive(&args))? else {
        terminal::complain(run::REPORT_A_BUG);
        return Ok(status::INTERNAL);
    };
    let (seed, variants) = match ended? {
        Ended::Refused(told) => {
            if let Some(diagnostic) = told.diagnostic {
                terminal::complain(&diagnostic.render(terminal::colour()));
            }
            terminal::complain(
                "gainsay: without a result there is nothing that variants could keep",
            );
            return Ok(told.exit);
        }
        Ended::Wrong(by) => {
            terminal::complain(&format!("gainsay: a variant by {by} is not what its seed is"));
            terminal::complain(run::REPORT_A_BUG);
            return Ok(status::INTERNAL);
        }
        Ended::Variants(seed, variants) => (seed, variants),
    };
    for variant in &variants {
        match &output {
            Some(to) if many => {
                write(&to.join(variant.number.to_string()), &variant.files, true)?;
            }
            Some(to) => write(to, &variant.files, variant.files.len() > 1)?,
            None if show => {}
            None => variant.files.iter().try_for_each(|file| terminal::print(&file.bytes))?,
        }
        if show {
            let text = diff::text(&seed, &variant.files, terminal::colour_out());
            terminal::print(text.as_bytes())?;
        }
        terminal::complain(&format!("variant {}: {}", variant.number, variant.told));
    }
    Ok(0)
}

fn write(to: &Path, files: &[SourceFile], folder: bool) -> Result<()> {
    let cannot = |path: &Path| format!("{} cannot be written", path.display());
    if folder {
        fs::create_dir_all(to).with_context(|| cannot(to))?;
    }
    for file in files {
        let path = if folder { to.join(&file.name) } else { to.to_path_buf() };
        fs::write(&path, &file.bytes).with_context(|| cannot(&path))?;
    }
    Ok(())
}

fn derive(args: &Mutate) -> Result<Ended> {
    let sources = read_all(&args.files, &args.include, &args.define)?;
    let mut program = Program::new(DataModel::X86_64_SYSV);
    if let Err(error) = run::parse(&mut program, &sources) {
        return Ok(Ended::Refused(Box::new(run::refused(&program, &error))));
    }
    drop(sources);
    let map = program.source.clone();
    let seed = Seed::new(program);
    let text = texts(&seed.program);
    let mut chain = match seed.chain(&args.strategy, &MachineConfig::default(), args.seed) {
        Ok(chain) => chain,
        Err(UnusableSeed(outcome)) => {
            let report =
                Report { outcome, stdout: Vec::new(), steps: 0, profile: Default::default() };
            return Ok(Ended::Refused(Box::new(run::tell(&map, report))));
        }
    };
    let none = Database::default();
    let database = if args.strategy.has(Strategy::Athena) { donors() } else { &none };
    let mut variants = Vec::new();
    let last = args.variants.unwrap_or(args.variant);
    for number in 1..=last {
        if let Err(wrong) = chain.next(database) {
            let edits = wrong.variant.edits();
            return Ok(Ended::Wrong(by(edits.get(wrong.new.clone()).unwrap_or_default())));
        }
        if args.variants.is_some() {
            let files = texts(chain.program());
            let told = summary(chain.variant().edits());
            variants.push(Variant { number, files, told });
        }
        if number < last && args.without.contains(&number) {
            chain.undo();
        }
    }
    if args.variants.is_none() {
        variants.push(kept(args, &chain)?);
    }
    Ok(Ended::Variants(text, variants))
}

/// The last variant, as far as its mutations are to be kept.
fn kept(args: &Mutate, chain: &Chain) -> Result<Variant> {
    let all = chain.variant().edits();
    let (program, told) = match &args.keep {
        None => (chain.program().clone(), summary(all)),
        Some(Keep(numbers)) => {
            let edits = numbers.iter().map(|&n| all.get(n).copied()).collect::<Option<Vec<_>>>();
            let edits = edits.ok_or_else(|| {
                anyhow!("--keep names a mutation that is not there: there are {}", all.len())
            })?;
            let program = chain.variant().with(|n| numbers.contains(&n));
            (program, format!("{} (of {})", summary(&edits), all.len()))
        }
    };
    Ok(Variant { number: args.variant, files: texts(&program), told })
}

/// `7 mutations: 3 fcb, 4 tg`.
fn summary(edits: &[Edit]) -> String {
    match edits.len() {
        0 => "no mutations".into(),
        1 => format!("1 mutation: {}", by(edits)),
        n => format!("{n} mutations: {}", by(edits)),
    }
}

fn by(edits: &[Edit]) -> String {
    let mut counts: BTreeMap<Strategy, usize> = BTreeMap::new();
    edits.iter().for_each(|edit| *counts.entry(edit.strategy).or_default() += 1);
    counts.iter().map(|(s, n)| format!("{n} {s}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{Keep, by, summary};
    use emi::{Change, Edit, Strategy};

    #[test]
    fn mutations_are_counted_by_strategy() {
        let edit = |strategy| Edit { strategy, change: Change::Remove { stmt: ctree::StmtId(0) } };
        let edits = [Strategy::Tcb, Strategy::Fcb, Strategy::Tcb].map(edit);
        assert_eq!(summary(&edits), "3 mutations: 1 fcb, 2 tcb");
        assert_eq!(summary(&edits[..1]), "1 mutation: 1 tcb");
        assert_eq!((summary(&[]), by(&[])), ("no mutations".into(), String::new()));
    }

    #[test]
    fn numbers_to_keep() {
        assert_eq!("4,17".parse(), Ok(Keep(vec![4, 17])));
        assert_eq!("none".parse(), Ok(Keep(Vec::new())));
        assert!("4,x".parse::<Keep>().unwrap_err().contains("`x`"));
    }
}
