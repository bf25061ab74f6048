//! `gainsay check`: which compilers are wrong about a program.
//!
//! The machine speaks first. A program without one defined result is told of exactly as `gainsay
//! run` does, and no compiler is asked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use campaign::{CheckReport, NewFinding, Standing, TargetResult, TestProgram};
use clap::Args;
use oracle::{Behaviour, Case, Class, Expected, SourceFile};
use serde_json::json;
use toolchain::Language;

use crate::hunt::{compilers, one_line};
use crate::json::RunObject;
use crate::run::{self, Alignment, Run, RunReport};
use crate::{human, show, status, terminal};

/// Exit status when a compiler is wrong.
const WRONG: u8 = 1;

/// Show which compilers are wrong about a program
///
/// The abstract machine executes the program first. If it has one defined result, every compiler
/// at every level must give it.
#[derive(Args, Debug)]
#[command(after_long_help = HELP)]
pub struct Check {
    /// C or C++ files of one program.
    #[arg(required = true, value_name = "FILE.c")]
    pub files: Vec<PathBuf>,
    /// Search this folder for headers.
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Define a macro.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Compilers to compare, as for `gainsay hunt`.
    #[arg(long, value_name = "PATTERN")]
    pub cc: Vec<String>,
    /// Compilers, flags and limits; ./gainsay.toml, if there is one and this is not given.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

const HELP: &str = "\
Exit status:
  0        every compiler gives the one right result
  1        one of them does not
  65 - 67  the program has no result to compare with, as `gainsay run` tells
  2        a file is missing or is not C, or there is no compiler

Examples:
  gainsay check prog.c
  gainsay check main.c util.c -I include -D NDEBUG --cc 'gcc*' --cc tcc";

/// Runs the command; the exit status.
pub fn main(args: Check) -> Result<u8> {
    let names: Vec<String> = args.files.iter().map(|f| f.display().to_string()).collect();
    let names = names.join(" ");
    let run = Run {
        files: args.files.clone(),
        include: args.include.clone(),
        define: args.define.clone(),
        profile: false,
        fuel: None,
        alignment: Alignment::Offsets,
        json: args.json,
    };
    let work = move || run::execute(&run);
    let Some(told) = terminal::work(format!("still executing {names}"), work)? else {
        terminal::complain(run::REPORT_A_BUG);
        return Ok(status::INTERNAL);
    };
    let told = told?;
    if let Some(diagnostic) = &told.diagnostic {
        terminal::complain(&diagnostic.render(terminal::colour()));
        terminal::complain("gainsay: so there is no result to compare compilers with");
        if args.json {
            terminal::print(format!("{}\n", json!({ "machine": told.object })).as_bytes())?;
        }
        return Ok(told.exit);
    }
    let found = compilers(args.config.as_deref(), &args.cc, language(&args.files)?)?;
    let sum: usize = found.compilers.iter().map(|c| c.levels.len()).sum();
    let made = made(&args, &names, &told)?;
    let stop = sandbox::Stop::on_signals();
    let mut n = 0;
    let mut begin = |label: &str| {
        n += 1;
        terminal::status(&format!("[{n}/{sum}] {label}"));
    };
    let checked = campaign::check(&made, found.compilers, found.limits, &stop, &mut begin);
    terminal::status("");
    let checked = checked?;
    let text = match args.json {
        true => format!("{}\n", object(&told.object, &made.case, &checked)),
        false => text(&names, &told, &made.case, &checked),
    };
    terminal::print(text.as_bytes())?;
    let wrong = checked.tested.findings.iter().any(NewFinding::stands);
    Ok(if wrong { WRONG } else { 0 })
}

/// The program as compilers get it.
pub fn made(args: &Check, names: &str, told: &RunReport) -> Result<TestProgram> {
    let mut files = Vec::new();
    let mut include = args.include.clone();
    let mut seen = BTreeSet::new();
    for path in &args.files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name == "-" {
            bail!("standard input has no name to compile it by: give a file");
        }
        if !seen.insert(name.clone()) {
            bail!("two files are called {name}: give one of them another name");
        }
        let text = fs::read(path)
            .with_context(|| format!("the file {} cannot be read", path.display()))?;
        let bytes = [defines(&args.define, &name).into_bytes(), text].concat();
        files.push(SourceFile { name, bytes });
        // What a file includes in quotes lies beside it.
        include
            .push(path.parent().filter(|p| *p != Path::new("")).unwrap_or(Path::new(".")).into());
    }
    let absolute = |dir: &PathBuf| {
        fs::canonicalize(dir).with_context(|| format!("the folder {}", dir.display()))
    };
    let mut absolute_once: Vec<PathBuf> = Vec::new();
    for dir in &include {
        let dir = absolute(dir)?;
        if !absolute_once.contains(&dir) {
            absolute_once.push(dir);
        }
    }
    let expected = Some(Expected { stdout: told.stdout.clone(), status: told.exit });
    let case = Case {
        language: language(&args.files)?,
        files,
        harness: None,
        standard: None,
        include: absolute_once,
        expected,
        omitted: Default::default(),
    };
    let own = campaign::own_opinion(names, told.object.steps);
    let fuel = cmachine::MachineConfig::default().fuel;
    let made = TestProgram::new(case, names.into(), own, fuel).taking(told.object.steps);
    Ok(TestProgram { is_foreign: true, ..made })
}

/// The language of files that are one program.
pub fn language(files: &[PathBuf]) -> Result<Language> {
    let of = |file: &PathBuf| Language::of(file);
    let first = files.first().map_or(Language::C, of);
    match files.iter().find(|file| of(file) != first) {
        None => Ok(first),
        Some(other) => bail!(
            "{} is of another language than {}: a program has one",
            other.display(),
            files[0].display()
        ),
    }
}

/// Macros of -D as lines before the file, so that all compilers and all reports have them.
fn defines(define: &[String], name: &str) -> String {
    if define.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    for one in define {
        let (macro_name, value) = one.split_once('=').unwrap_or((one, "1"));
        let _ = writeln!(text, "#define {macro_name} {value}");
    }
    let _ = writeln!(text, "#line 1 \"{name}\"");
    text
}

fn text(names: &str, told: &RunReport, case: &Case, checked: &CheckReport) -> String {
    let lines = told.stdout.split_inclusive(|b| *b == b'\n').count() as u64;
    let mut text = format!(
        "{names}: one defined result, {} and exit status {}\n\n",
        human::plural(lines, "line"),
        told.exit
    );
    for class in oracle::classes(case, &checked.observations) {
        let (name, what) = describe(&class, case);
        row(&mut text, name, &class.targets, &what);
    }
    let tested = &checked.tested;
    let flaky = tested.targets.iter().filter(|(_, word)| *word == TargetResult::Flaky);
    let flaky: Vec<String> = flaky.map(|(label, _)| label.clone()).collect();
    row(&mut text, "flaky", &flaky, "wrong at first, and not when tried again");
    for finding in &tested.findings {
        let doubt = match finding.standing {
            Standing::Confirmed => "",
            Standing::Unconfirmed => ", not confirmed",
            Standing::CannotTell => ", cannot tell",
            Standing::Disputed => ", disputed",
        };
        let (kind, targets) = (finding.kind.name(), human::targets(&finding.targets()));
        let _ = write!(text, "\n{kind}{doubt}: {targets}\n\n{}", show::proof(finding));
    }
    if tested.findings.is_empty() {
        text.push_str("\nNo compiler is wrong.\n");
    }
    text
}

/// A class in a word, and what its targets did.
fn describe(class: &Class, case: &Case) -> (&'static str, String) {
    match &class.seen {
        _ if class.right => ("right", String::new()),
        Behaviour::Ran { status, stdout } => {
            let what = oracle::difference(case.stdout(), stdout);
            ("wrong", what.unwrap_or_else(|| format!("exits with {status}")))
        }
        Behaviour::Compiled => ("compiles", String::new()),
        Behaviour::Alarmed(report) => ("stopped by its sanitizer", report.clone()),
        Behaviour::ProgramHung => ("does not end", String::new()),
        Behaviour::Crashed(messages) => ("compiler crashes", first_line(messages)),
        Behaviour::CompilerHung => ("compiler hangs", String::new()),
        Behaviour::Exhausted(messages) => ("compiler memory", first_line(messages)),
        Behaviour::Rejected(messages) => ("rejected", first_line(messages)),
        Behaviour::Unsupported(why) => ("unsupported", first_line(why)),
    }
}

fn first_line(text: &str) -> String {
    human::cut(&one_line(text.trim().lines().next().unwrap_or("")), 150)
}

/// A class: its name, who is in it, a compiler a line, and what it did.
fn row(text: &mut String, name: &str, labels: &[String], what: &str) {
    let mut name = name;
    for (compiler, flags) in human::by_compiler(labels) {
        let _ = writeln!(text, "{name:<16}  {compiler} {}", flags.join(", "));
        name = "";
    }
    if !labels.is_empty() && !what.is_empty() {
        let _ = writeln!(text, "{:<16}    {what}", "");
    }
}

fn object(machine: &RunObject, case: &Case, checked: &CheckReport) -> serde_json::Value {
    let class = |class: Class| {
        let (name, what) = describe(&class, case);
        json!({ "class": name, "what": what, "right": class.right, "targets": class.targets })
    };
    let classes = oracle::classes(case, &checked.observations);

    let tested = &checked.tested;
    let targets: BTreeMap<&String, &TargetResult> =
        tested.targets.iter().map(|(l, w)| (l, w)).collect();
    let finding = |f: &NewFinding| {
        json!({
            "kind": f.kind, "standing": f.standing, "summary": f.summary,
            "signature": f.signature, "targets": f.targets(), "right": f.right(),
            "commands": f.commands(), "certificate": f.certificate,
        })
    };
    json!({
        "machine": machine,
        "targets": targets,
        "classes": classes.into_iter().map(class).collect::<Vec<_>>(),
        "findings": tested.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}
