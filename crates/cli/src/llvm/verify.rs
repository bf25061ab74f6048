//! `gainsay llvm verify`: does one module mean what another meant? For two modules in detail; for a folder
//! of tests as a table (`suite`).

mod suite;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args as ClapArgs;
use optimise::locate::{Located, OnText, Optimiser as _, locate};
use optimise::suite::{SOURCE, Test, source_and_target};
use refine::{AliveTv, Checked, Checker, Pair, Refinement as _, Scope, Solver, Verdict};
use serde_json::json;

use super::Library;
use super::opt::read;
use crate::{human, terminal};

/// Check that one module refines another: whatever AFTER does, BEFORE might have done
///
/// Both are LLVM IR as text, with opaque pointers. Every function that both define and that differs is executed
/// on many inputs, undef and poison among them; then a solver is asked. What is called a
/// counterexample was executed, twice, and is printed with both traces.
///
/// In place of AFTER, --passes says what is to be made of BEFORE by a libLLVM; then the pass that is to
/// blame is looked for, too.
///
/// For a folder, or several tests, each .ll file is a test: its functions are compared with what --passes
/// make of them, and a table counts what came of all. X.srctgt.ll (functions @src and @tgt) and X.src.ll
/// with X.tgt.ll are compared as they are. Ctrl-C prints the table so far.
#[derive(ClapArgs, Debug)]
#[command(after_long_help = HELP, override_usage = USAGE)]
pub struct Verify {
    /// The module before and the one after (`-` is standard input); with --passes the one before; or tests:
    /// folders, or .ll files.
    #[arg(value_name = "FILE-OR-FOLDER", required = true)]
    pub paths: Vec<PathBuf>,
    /// Make AFTER with these passes of --lib, as for `opt -passes=`. For a folder, those of O2 that look at
    /// one function at a time, unless told otherwise.
    #[arg(long, value_name = "P")]
    pub passes: Option<String>,
    #[command(flatten)]
    pub library: Library,
    /// Only functions of this name.
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// The passes looked at one function at a time: functions that only the module itself can call
    /// must refine, too, whatever they are given.
    #[arg(long)]
    pub isolated: bool,
    /// Who is asked for proofs: z3, cvc5, or none; the one that is installed unless told otherwise.
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Time of the solver for each question.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = human::duration)]
    pub solver_time: Duration,
    /// Print JSON: one object for two modules, a line for each function and a summary for tests.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub tests: Tests,
}

/// Options for many tests.
#[derive(ClapArgs, Debug)]
#[command(next_help_heading = "A folder or several tests")]
pub struct Tests {
    /// Tests at the same time; as many as there are processors, if not given.
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Write what is refuted to this folder: both modules, and a report for each function.
    #[arg(short = 'o', long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Find the pass to blame for each function that is refuted.
    #[arg(long)]
    pub blame: bool,
    /// Take only each Nth test.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub every: Option<u32>,
}

impl Tests {
    /// An option that was given.
    fn given(&self) -> Option<&'static str> {
        let given = [
            (self.jobs.is_some(), "--jobs"),
            (self.output.is_some(), "--output"),
            (self.blame, "--blame"),
            (self.every.is_some(), "--every"),
        ];
        given.into_iter().find_map(|(given, option)| given.then_some(option))
    }
}

const USAGE: &str = "\
gainsay llvm verify [OPTIONS] BEFORE.ll AFTER.ll
       gainsay llvm verify [OPTIONS] BEFORE.ll --passes P
       gainsay llvm verify [OPTIONS] FOLDER...";

const HELP: &str = "\
Exit status:
  0   all functions refine: proved, or no counterexample was found; for tests, nothing is refuted
  1   one does not; the counterexample was printed
  2   a file is no module that we understand, or there is no such library, pass or function
  3   unknown, and why (two modules only)

For two modules alive-tv, where it is on the PATH, gives a second opinion, which does not change the status.

Examples:
  gainsay llvm verify before.ll after.ll
  gainsay llvm verify test.ll --lib 16 --passes 'instcombine,correlated-propagation'
  opt-16 -S -passes=gvn test.ll | gainsay llvm verify test.ll -
  gainsay llvm verify pair.srctgt.ll
  gainsay llvm verify llvm/test/Transforms --solver none
  gainsay llvm verify llvm/test/Transforms --passes instcombine --blame -o refuted";

/// What is asked.
enum Asked<'a> {
    /// Whether one module refines another.
    Modules(&'a Path, &'a Path),
    /// The same, of a file with `@src` and `@tgt`.
    SrcTgt(&'a Path),
    /// Whether what passes make of a module refines it.
    Passes(&'a Path, &'a str),
    /// What comes of many tests.
    Suite,
}

impl Verify {
    fn asked(&self) -> Result<Asked<'_>> {
        if self.paths.iter().any(|path| path.is_dir()) {
            return Ok(Asked::Suite);
        }
        let asked = match (&self.paths[..], &self.passes) {
            ([file], None) if Test::is_src_tgt(file) => Asked::SrcTgt(file),
            ([file], Some(passes)) if !Test::is_src_tgt(file) => Asked::Passes(file, passes),
            ([file], None) => {
                let file = human::quote(&file.display().to_string());
                bail!(
                    "with what to compare {file}? Give the module after, or --passes: `gainsay llvm verify \
                     {file} --passes instcombine`"
                )
            }
            ([file], Some(_)) => {
                bail!("{} is compared as it is, without --passes", file.display())
            }
            ([before, after], None) if !(Test::is_src_tgt(before) || Test::is_src_tgt(after)) => {
                Asked::Modules(before, after)
            }
            _ => return Ok(Asked::Suite),
        };
        match self.tests.given() {
            Some(option) => bail!("{option} is for a folder or several tests"),
            None => Ok(asked),
        }
    }
}

/// Runs the command.
pub fn main(args: &Verify) -> Result<u8> {
    let asked = args.asked()?;
    let own = oracle(args)?;
    let (before, after, located) = match asked {
        Asked::Suite => return suite::main(args, own),
        Asked::Modules(before, after) => (text(before)?, text(after)?, None),
        Asked::SrcTgt(file) => {
            let (before, after) = source_and_target(&text(file)?);
            (before, after, None)
        }
        Asked::Passes(file, passes) => optimised(args, file, passes, &own)?,
    };
    let pair = Pair::read(&before, &after).map_err(|e| anyhow!(e))?;
    let mut names = pair.names(own.scope);
    let wanted = match asked {
        Asked::SrcTgt(_) => Some(SOURCE),
        _ => args.function.as_deref(),
    };
    if let Some(wanted) = wanted {
        names.retain(|name| name == wanted);
    }
    if names.is_empty() {
        let which = wanted.map_or(String::new(), |name| format!(" of the name {name}"));
        bail!("there is no function{which} that both modules define with the same type");
    }
    let mut all: Vec<Checked> = Vec::new();
    for (done, name) in names.iter().enumerate() {
        terminal::status(&format!("{done} of {}: @{name}", names.len()));
        let checked = own.function(&pair, name);
        terminal::status("");
        if !args.json {
            terminal::print(function_text(&checked).as_bytes())?;
        }
        all.push(checked);
    }
    let verdict = Verdict::all(all.iter().map(Checked::verdict));
    let verdict = verdict.unwrap_or(Verdict::Proved);
    let second = AliveTv::find().map(|alive| alive.check(&before, &after));
    if args.json {
        terminal::print(format!("{}\n", as_json(&all, located.as_ref(), &verdict)).as_bytes())?;
    } else {
        terminal::print(summary(&all, located.as_ref(), second.as_ref()).as_bytes())?;
    }
    Ok(match verdict {
        Verdict::Proved | Verdict::Held(_) => 0,
        Verdict::Refuted(_) => 1,
        Verdict::Unknown(_) | Verdict::Timeout | Verdict::Error(_) => 3,
    })
}

fn text(file: &Path) -> Result<String> {
    let (bytes, name) = read(file)?;
    if bytes.starts_with(b"BC\xc0\xde") {
        bail!("{name} is bitcode: make text of it with llvm-dis, or use --passes");
    }
    String::from_utf8(bytes).with_context(|| format!("{name} is not text"))
}

fn oracle(args: &Verify) -> Result<Checker> {
    let solver = match args.solver.as_deref() {
        Some("none") => None,
        Some(name) => {
            let known = Solver::named(name);
            Some(known.ok_or_else(|| anyhow!("{name} is no solver we know: z3, cvc5 or none"))?)
        }
        None => Solver::find(),
    };
    let solver = solver.map(|solver| solver.within(args.solver_time));
    let scope = if args.isolated { Scope::Function } else { Scope::Module };
    Ok(Checker::new(solver).within(scope))
}

/// The module as the library prints it, what its passes make of it, and the pass that is to blame if any is.
fn optimised(
    args: &Verify,
    file: &Path,
    passes: &str,
    own: &Checker,
) -> Result<(String, String, Option<Located>)> {
    let (bytes, name) = read(file)?;
    let text = String::from_utf8(bytes).with_context(|| format!("{name} is not text"))?;
    let mut server = args.library.serve()?;
    let mut library = OnText { server: &mut server, limits: args.library.limits(), x86: true };
    let before = library.run(&text, "verify");
    let before = before.ok_or_else(|| anyhow!("{name} is no valid module for this LLVM"))?;
    let after = library.run(&before, passes);
    let after = after.ok_or_else(|| {
        anyhow!("the passes fail on {name}, or there are none such: `gainsay llvm opt` tells more")
    })?;
    let refuted = matches!(own.check(&before, &after), Verdict::Refuted(_));
    let mut located = Vec::new();
    if refuted {
        located = locate(&mut library, &before, passes, own);
    }
    // What later passes do to what is wrong already is not asked for here.
    Ok((before, after, located.into_iter().next()))
}

fn function_text(checked: &Checked) -> String {
    let time = checked.execution_time + checked.proof_time;
    let verdict = checked.verdict();
    let mut line = format!("@{}: {verdict}", checked.function);
    if let (Verdict::Held(_), Some(why)) = (&verdict, checked.proof.why()) {
        line += &format!(" ({why})");
    }
    line += &format!("  [{:.1} ms]\n", time.as_secs_f64() * 1e3);
    if let Some(counterexample) = &checked.counterexample {
        line += &format!("{counterexample}\n");
    }
    line
}

fn summary(all: &[Checked], located: Option<&Located>, second: Option<&Verdict>) -> String {
    let mut text = String::new();
    if let Some(located) = located {
        text += &format!("\nto blame: {} (-passes='{}')\n", located.pass(), located.passes);
        if !located.alone {
            text += "  it does so after the passes before it only\n";
        }
    }
    let verdicts: Vec<Verdict> = all.iter().map(Checked::verdict).collect();
    let names = ["proved", "no counterexample", "refuted", "unknown", "timeout", "error"];
    let counts = names.into_iter().filter_map(|name| {
        let n = verdicts.iter().filter(|verdict| verdict.name() == name).count();
        (n > 0).then(|| format!("{n} {name}"))
    });
    let counts: Vec<String> = counts.collect();
    if all.len() > 1 {
        text +=
            &format!("{}: {}\n", human::plural(all.len() as u64, "function"), counts.join(", "));
    }
    if let Some(second) = second {
        text += &format!("alive-tv: {second}\n");
    }
    text
}

fn as_json(all: &[Checked], located: Option<&Located>, verdict: &Verdict) -> serde_json::Value {
    let one = |checked: &Checked| {
        let verdict = checked.verdict();
        json!({
            "function": checked.function,
            "verdict": verdict.name(),
            "says": verdict.to_string(),
            "proof": checked.proof.why(),
            "counterexample": checked.counterexample.as_ref().map(ToString::to_string),
            "execution_ms": checked.execution_time.as_secs_f64() * 1e3,
            "proof_ms": checked.proof_time.as_secs_f64() * 1e3,
        })
    };
    json!({
        "verdict": verdict.name(),
        "functions": all.iter().map(one).collect::<Vec<_>>(),
        "pass": located.map(Located::pass),
        "passes": located.map(|located| &located.passes),
        "before": located.map(|located| &located.before),
        "after": located.map(|located| &located.after),
    })
}
