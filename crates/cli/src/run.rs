//! `gainsay run`: preprocess, parse, execute, tell.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use cmachine::{Exit, Hooks, MachineConfig, Outcome, Report, Verdict};
use cparse::{Dialect, ErrorKind, ParseError};
use ctree::{DataModel, Program, SourceMap};
use toolchain::Language;

use crate::diagnostic::Diagnostic;
use crate::input::{Source, read_all};
use crate::json::RunObject;
use crate::profile::{self, Observed};
use crate::{status, terminal};

/// What a run comes to for the person who asked: all three ways of saying it.
pub struct RunReport {
    /// The exit status.
    pub exit: u8,
    /// For scripts.
    pub object: RunObject,
    /// For a person, unless the program finished.
    pub diagnostic: Option<Diagnostic>,
    /// What the program printed.
    pub stdout: Vec<u8>,
}

/// Execute a C program in a strict abstract machine.
///
/// Prints what the program prints and exits with its status, or says where and why the program has
/// no defined result. `.c` files go through the system's preprocessor first; `.i` files, and `-`
/// for standard input, are taken as preprocessed. Several files are one program. C++ is executed where it is
/// C but for its looks: arrays as containers, static members, the C library's headers by their C++ names.
#[derive(Args, Debug)]
#[command(after_long_help = HELP)]
pub struct Run {
    /// C files of one program; `-` is standard input.
    #[arg(required = true, value_name = "FILE.c")]
    pub files: Vec<PathBuf>,
    /// Search this folder for headers.
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Define a macro.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Show what ran, how often and with which values
    ///
    /// On standard error: how often each statement ran, with which values of variables, and what never did. With --json:
    /// everything that was recorded, under "profile".
    #[arg(long)]
    pub profile: bool,
    /// Stop after this many machine steps (loop iterations and calls).
    #[arg(long, value_name = "N")]
    pub fuel: Option<u64>,
    /// How to judge the alignment of an access through a pointer.
    #[arg(long, value_enum, value_name = "BY", default_value_t = Alignment::Offsets)]
    pub alignment: Alignment,
    /// Print one JSON object on standard output in place of the program's output.
    #[arg(long)]
    pub json: bool,
}

/// The machine's policies on alignment, as words.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Alignment {
    /// Objects are only as aligned as their types say
    Types,
    /// Objects begin well aligned, as GCC places them; the offset decides
    Offsets,
    /// Any address will do: not C, but what x86-64 mostly lets pass
    Any,
}

impl From<Alignment> for cmachine::Alignment {
    fn from(alignment: Alignment) -> Self {
        match alignment {
            Alignment::Types => cmachine::Alignment::Types,
            Alignment::Offsets => cmachine::Alignment::Offsets,
            Alignment::Any => cmachine::Alignment::Any,
        }
    }
}

const HELP: &str = "\
Exit status:
  the program's own   it finished (134 if it called abort)
  65                  executed code is undefined, or its result depends on what C leaves open
  66                  executed code uses something Gainsay does not model
  67                  the program ran out of fuel or memory
  2                   the file is missing or is not C
  70                  Gainsay has a bug; please report it
A program may exit with these numbers too: standard error, and --json, tell which it was.

Examples:
  gainsay run prog.c
  gainsay run --profile prog.c
  gainsay run main.c util.c -I include -D NDEBUG
  csmith --seed 1 > random.c && gainsay run -I /usr/include/csmith random.c
  gcc -E prog.c | gainsay run --json - | jq .outcome";

/// Runs the command; the exit status.
pub fn main(args: Run) -> Result<u8> {
    let json = args.json;
    let names: Vec<String> = args.files.iter().map(|f| f.display().to_string()).collect();
    let what = format!("still executing {}", names.join(", "));
    let Some(told) = terminal::work(what, move || execute(&args))? else {
        terminal::complain(REPORT_A_BUG);
        return Ok(status::INTERNAL);
    };
    let told = told?;
    if json {
        let mut line = serde_json::to_vec(&told.object)?;
        line.push(b'\n');
        terminal::print(&line)?;
    } else {
        terminal::print(&told.stdout)?;
        if let Some(profile) = &told.object.profile {
            terminal::complain(&profile::text(profile));
        }
        if let Some(diagnostic) = told.diagnostic {
            terminal::complain(&diagnostic.render(terminal::colour()));
        } else if told.exit == status::ABORTED && told.object.status == Some(status::ABORTED) {
            terminal::complain("gainsay: the program called abort");
        }
    }
    Ok(told.exit)
}

/// What is said when the fault is ours.
pub const REPORT_A_BUG: &str = "gainsay: this is a bug in gainsay, not a statement on your program; \
    please report it with the program that shows it";

/// Preprocesses, parses and executes; an error is a mistake in the arguments.
pub fn execute(args: &Run) -> Result<RunReport> {
    let sources = read_all(&args.files, &args.include, &args.define)?;
    let mut program = Program::new(DataModel::X86_64_SYSV);
    if let Err(error) = parse(&mut program, &sources) {
        return Ok(refused(&program, &error));
    }
    let observed = args.profile.then(|| Observed::new(&program, &sources));
    drop(sources);
    let mut config = MachineConfig::default();
    config.fuel = args.fuel.unwrap_or(config.fuel);
    config.alignment = args.alignment.into();
    if config.fuel == 0 {
        return Err(anyhow!("--fuel must be at least 1"));
    }
    let hooks = observed.as_ref().map_or_else(Hooks::default, Observed::hooks);
    let report = cmachine::run_with(&program, &config, &hooks);
    let profile = observed.map(|observed| observed.object(&program, &report.profile));
    let mut told = tell(&program.source, report);
    told.object.profile = profile;
    // The process ends next: giving back a million small pieces one by one would only take time.
    std::mem::forget(program);
    Ok(told)
}

/// Parses all units of a program.
pub fn parse(program: &mut Program, sources: &[Source]) -> Result<(), ParseError> {
    for source in sources {
        let dialect = match Language::of(Path::new(&source.name)) {
            Language::C => Dialect::C,
            Language::Cxx => Dialect::Cxx,
        };
        cparse::parse_unit_as(program, &source.name, &source.text, dialect)?;
    }
    Ok(())
}

/// What a program comes to that is not C, or not ours.
pub fn refused(program: &Program, error: &ParseError) -> RunReport {
    let (exit, outcome, title) = match error.kind {
        ErrorKind::Invalid => (status::USAGE, "invalid", error.message.clone()),
        ErrorKind::Unsupported => {
            (status::UNSUPPORTED, "unsupported", format!("not supported: {}", error.message))
        }
    };
    let mut diagnostic = Diagnostic::new(outcome, title).at(&program.source, error.span, "");
    if error.kind == ErrorKind::Unsupported {
        diagnostic = diagnostic.note(LIMIT);
    }
    let detail = Some(error.message.clone());
    let object = RunObject { outcome, stage: "parse", detail, ..Default::default() }
        .places(diagnostic.at.as_ref(), None);
    RunReport { exit, object, diagnostic: Some(diagnostic), stdout: Vec::new() }
}

const LIMIT: &str = "the program may be fine: this is a limit of gainsay";

/// What an execution comes to.
pub fn tell(map: &SourceMap, report: Report) -> RunReport {
    let Report { outcome, stdout, steps, .. } = report;
    let object = RunObject { stage: "run", steps, ..Default::default() }.stdout(&stdout);
    let (exit, object, diagnostic) = match outcome {
        Outcome::Finished(exit) => {
            let code = match exit {
                Exit::Status(code) => code,
                Exit::Abort => status::ABORTED,
            };
            (code, RunObject { outcome: "finished", status: Some(code), ..object }, None)
        }
        Outcome::Undefined(kind, verdict) => {
            let told = Broken::new("undefined", kind.name(), kind.clause(), kind.rule());
            broken(map, object, told, &verdict)
        }
        Outcome::Unspecified(kind, verdict) => {
            let told = Broken::new("unspecified", kind.name(), kind.clause(), kind.rule());
            broken(map, object, told, &verdict)
        }
        Outcome::Unsupported(verdict) => {
            let title = format!("not supported: {}", verdict.detail);
            let diagnostic = Diagnostic::new("unsupported", title).note(LIMIT);
            located(map, object, status::UNSUPPORTED, "unsupported", diagnostic, &verdict)
        }
        Outcome::OutOfMemory(verdict) => {
            let diagnostic = Diagnostic::new("out-of-memory", verdict.detail.clone());
            located(map, object, status::EXHAUSTED, "out-of-memory", diagnostic, &verdict)
        }
        Outcome::OutOfFuel => {
            let title = format!("stopped after {steps} steps");
            let diagnostic =
                Diagnostic::new("out-of-fuel", title).note("--fuel N allows the program more");
            let object = RunObject { outcome: "out-of-fuel", ..object };
            (status::EXHAUSTED, object, Some(diagnostic))
        }
        Outcome::Internal(what) => {
            let diagnostic = Diagnostic::new("internal", what.clone()).note(REPORT_A_BUG);
            let object = RunObject { outcome: "internal", detail: Some(what), ..object };
            (status::INTERNAL, object, Some(diagnostic))
        }
    };
    RunReport { exit, object, diagnostic, stdout }
}

/// A broken rule, undefined or unspecified.
struct Broken {
    outcome: &'static str,
    name: &'static str,
    clause: &'static str,
    rule: &'static str,
}

impl Broken {
    fn new(
        outcome: &'static str,
        name: &'static str,
        clause: &'static str,
        rule: &'static str,
    ) -> Broken {
        Broken { outcome, name, clause, rule }
    }
}

fn broken(
    map: &SourceMap,
    object: RunObject,
    rule: Broken,
    verdict: &Verdict,
) -> (u8, RunObject, Option<Diagnostic>) {
    let title = format!("{} behaviour: {}", rule.outcome, rule.name.replace('-', " "));
    let diagnostic = Diagnostic::new(rule.name, title)
        .at(map, verdict.span, &verdict.detail)
        .other(map, verdict.other)
        .note(format!("{} (C11 {})", rule.rule, rule.clause));
    let object = RunObject {
        outcome: rule.outcome,
        kind: Some(rule.name),
        clause: Some(rule.clause),
        rule: Some(rule.rule),
        detail: Some(verdict.detail.clone()),
        ..object
    }
    .places(diagnostic.at.as_ref(), diagnostic.other.as_ref());
    (status::UNDEFINED, object, Some(diagnostic))
}

fn located(
    map: &SourceMap,
    object: RunObject,
    exit: u8,
    outcome: &'static str,
    diagnostic: Diagnostic,
    verdict: &Verdict,
) -> (u8, RunObject, Option<Diagnostic>) {
    let diagnostic = diagnostic.at(map, verdict.span, "").other(map, verdict.other);
    let object = RunObject { outcome, detail: Some(verdict.detail.clone()), ..object }
        .places(diagnostic.at.as_ref(), diagnostic.other.as_ref());
    (exit, object, Some(diagnostic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cmachine::UbKind;
    use ctree::Span;

    const TEXT: &str = "int x;\nint f(void) { return x + 1; }\n";

    fn map() -> SourceMap {
        let mut map = SourceMap::default();
        map.add("no-such-file.c", TEXT);
        map
    }

    fn span(words: &str) -> Span {
        let lo = TEXT.find(words).expect("it is there") as u32;
        Span { lo, hi: lo + words.len() as u32 }
    }

    fn told(outcome: Outcome) -> RunReport {
        tell(
            &map(),
            Report { outcome, stdout: b"so far".to_vec(), steps: 9, profile: Default::default() },
        )
    }

    #[test]
    fn undefined_with_two_places() {
        let verdict = Verdict {
            span: span("x + 1"),
            node: None,
            detail: "2147483647 + 1".into(),
            other: Some((span("x;"), "declared here")),
        };
        let told = told(Outcome::Undefined(UbKind::SignedOverflow, verdict));
        assert_eq!((told.exit, told.object.outcome), (65, "undefined"));
        assert_eq!((told.object.line, told.object.column), (Some(2), Some(22)));
        assert_eq!(told.object.other.as_ref().map(|o| (o.line, o.column)), Some((1, 5)));
        let text = told.diagnostic.map(|d| d.render(false)).unwrap_or_default();
        assert!(text.contains("^^^^^ 2147483647 + 1"), "{text}");
        assert!(text.contains("-- declared here"), "{text}");
    }

    #[test]
    fn every_other_way_to_end() {
        let verdict =
            || Verdict { span: Span::NONE, node: None, detail: "what".into(), other: None };
        let cases = [
            (Outcome::Finished(Exit::Status(3)), 3, "finished"),
            (Outcome::Finished(Exit::Abort), 134, "finished"),
            (Outcome::Unsupported(verdict()), 66, "unsupported"),
            (Outcome::OutOfFuel, 67, "out-of-fuel"),
            (Outcome::OutOfMemory(verdict()), 67, "out-of-memory"),
            (Outcome::Internal("what".into()), 70, "internal"),
        ];
        for (outcome, exit, name) in cases {
            let told = told(outcome);
            assert_eq!((told.exit, told.object.outcome), (exit, name));
            assert_eq!(told.object.stdout, "so far");
            assert_eq!(told.diagnostic.is_none(), name == "finished");
        }
    }
}
