//! `gainsay run`: preprocess, parse, execute, tell.

use anyhow::{Result, anyhow};
use cmachine::{Exit, Hooks, MachineConfig, Outcome, Report, Verdict};
use cparse::{ErrorKind, ParseError};
use ctree::{DataModel, Program, SourceMap};

use crate::args::Run;
use crate::diagnostic::Diagnostic;
use crate::input::{Source, read_all};
use crate::json::RunObject;
use crate::profile::{self, Observed};
use crate::{status, terminal};

/// What a run comes to for the person who asked: all three ways of saying it.
pub struct Told {
    /// The exit status.
    pub exit: u8,
    /// For scripts.
    pub object: RunObject,
    /// For a person, unless the program finished.
    pub diagnostic: Option<Diagnostic>,
    /// What the program printed.
    pub stdout: Vec<u8>,
}

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
pub fn execute(args: &Run) -> Result<Told> {
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
        cparse::parse_unit(program, &source.name, &source.text)?;
    }
    Ok(())
}

/// What a program comes to that is not C, or not ours.
pub fn refused(program: &Program, error: &ParseError) -> Told {
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
    Told { exit, object, diagnostic: Some(diagnostic), stdout: Vec::new() }
}

const LIMIT: &str = "the program may be fine: this is a limit of gainsay";

/// What an execution comes to.
pub fn tell(map: &SourceMap, report: Report) -> Told {
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
    Told { exit, object, diagnostic, stdout }
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

    fn told(outcome: Outcome) -> Told {
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
