//! The language tests: every program of `tests/` through the parser and the machine.
//!
//! - `tests/ub/<kind>/*.c` and `tests/unspecified/<kind>/*.c`: the outcome must be of the kind, on the
//!   line marked `//~ <kind>`.
//! - `tests/defined/*.c`: must finish, with the status of an `// exit:` line (0 without one) and the
//!   output in `*.stdout`, which `BLESS=1` takes from gcc -O0; and where gcc is present, with exactly
//!   what it does.
//! - `tests/limits/*.c`: must end as their `// outcome:` line says.
//!
//! All failures of a test are listed together. Without gcc, programs that include headers are skipped.

// Only `sandbox` starts processes in the product; a test may.
#![allow(clippy::disallowed_methods)]

use cmachine::{Exit, MachineConfig, Outcome, Report, UbKind, UnspecKind, run};
use ctree::Program;
use ctree::target::DataModel;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Enough for every program here, and out of fuel within a second.
const FUEL: u64 = 5_000_000;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests").join(name)
}

/// The C files of a folder, sorted.
pub(crate) fn programs(name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(name)).into_iter().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "c"));
    files.sort();
    files
}

fn have_gcc() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| Command::new("gcc").arg("--version").output().is_ok())
}

/// Preprocessed text, line markers kept; `None` where that takes a compiler that is not there.
fn preprocess(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).unwrap();
    if !text.lines().any(|line| line.starts_with('#')) {
        return Some(text);
    }
    if !have_gcc() {
        assert!(std::env::var_os("CI").is_none(), "set-up installs gcc: CI skips nothing");
        eprintln!("skipped without gcc: {}", path.display());
        return None;
    }
    let output = Command::new("gcc").args(["-E", "-std=gnu17"]).arg(path).output().unwrap();
    assert!(output.status.success(), "gcc -E refuses {}", path.display());
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Parses and runs a program; a refusal or a panic is an error to be listed.
fn execute(path: &Path) -> Option<Result<(Program, Report), String>> {
    let text = preprocess(path)?;
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let ended = catch_unwind(AssertUnwindSafe(|| {
        let mut program = Program::new(DataModel::X86_64_SYSV);
        cparse::parse_unit(&mut program, &name, &text).map_err(|error| {
            let line = program.source.location(error.span).map_or(0, |place| place.line);
            format!("not parsed: line {line}: {}", error.message)
        })?;
        let config = MachineConfig { fuel: FUEL, ..MachineConfig::default() };
        let report = run(&program, &config);
        Ok((program, report))
    }));
    Some(ended.unwrap_or_else(|_| Err("panicked".into())))
}

/// An outcome in the words of the marks, its line, and its detail.
fn describe(program: &Program, outcome: &Outcome) -> (String, Option<u32>, String) {
    let (name, verdict) = match outcome {
        Outcome::Finished(exit) => return (format!("finished {exit:?}"), None, String::new()),
        Outcome::OutOfFuel => return ("out-of-fuel".into(), None, String::new()),
        Outcome::Internal(what) => return ("internal".into(), None, what.clone()),
        Outcome::Undefined(kind, verdict) => (kind.name(), verdict),
        Outcome::Unspecified(kind, verdict) => (kind.name(), verdict),
        Outcome::Unsupported(verdict) => ("unsupported", verdict),
        Outcome::OutOfMemory(verdict) => ("out-of-memory", verdict),
    };
    let line = program.source.location(verdict.span).map(|place| place.line);
    (name.to_string(), line, verdict.detail.clone())
}

/// The marked line and its kind.
fn mark(path: &Path) -> (u32, String) {
    let text = fs::read_to_string(path).unwrap();
    let mut marks =
        (1..).zip(text.lines()).filter_map(|(n, line)| Some((n, line.split_once("//~ ")?.1)));
    let (line, kind) = marks.next().unwrap_or_else(|| panic!("no mark in {}", path.display()));
    assert!(marks.next().is_none(), "two marks in {}", path.display());
    (line, kind.to_string())
}

/// The value of a `// key: value` line.
fn header(path: &Path, key: &str) -> Option<String> {
    let text = fs::read_to_string(path).unwrap();
    let prefix = format!("// {key}: ");
    text.lines().find_map(|line| line.strip_prefix(&prefix)).map(str::to_string)
}

fn report_all(total: usize, failures: Vec<String>) {
    let list = failures.join("\n");
    assert!(failures.is_empty(), "{} of {total} fail:\n{list}", failures.len());
}

/// All programs of `tests/<section>/<kind>`.
fn check_kind(section: &str, kind: &str) {
    let files = programs(&format!("{section}/{kind}"));
    let failures = files.iter().filter_map(|path| {
        let (line, marked) = mark(path);
        assert_eq!(marked, kind, "the mark in {} is of another kind", path.display());
        let name = path.file_stem().unwrap().to_string_lossy();
        let problem = match execute(path)? {
            Err(problem) => problem,
            Ok((program, report)) => {
                let (found, at, detail) = describe(&program, &report.outcome);
                if found == kind && at == Some(line) {
                    return None;
                }
                let at = at.map_or("no line".to_string(), |at| format!("line {at}"));
                format!("{found} at {at} ({detail}), not {kind} at line {line}")
            }
        };
        Some(format!("{section}/{kind}/{name}.c: {problem}"))
    });
    report_all(files.len(), failures.collect());
}

/// What gcc -O0 makes of a program: output and exit.
fn reference(path: &Path) -> (Vec<u8>, Exit) {
    let name = path.file_stem().unwrap().to_string_lossy();
    let exe = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let gcc = ["-O0", "-std=gnu17", "-w", "-o"];
    let status = Command::new("gcc").args(gcc).arg(&exe).arg(path).status().unwrap();
    assert!(status.success(), "gcc refuses {}", path.display());
    let output = Command::new(&exe).output().unwrap();
    fs::remove_file(&exe).unwrap();
    let exit = output.status.code().map_or(Exit::Abort, |code| Exit::Status(code as u8));
    (output.stdout, exit)
}

/// What is wrong with a program of `tests/defined`.
fn check_defined(path: &Path) -> Option<String> {
    let snapshot = path.with_extension("stdout");
    let reference = have_gcc().then(|| reference(path));
    if let (Some((output, _)), true) = (&reference, std::env::var_os("BLESS").is_some()) {
        fs::write(&snapshot, output).unwrap();
    }
    let expected = fs::read(&snapshot).unwrap_or_default();
    let exit = match header(path, "exit").as_deref() {
        None => Exit::Status(0),
        Some("abort") => Exit::Abort,
        Some(status) => Exit::Status(status.parse().unwrap()),
    };
    if reference.is_some_and(|reference| reference != (expected.clone(), exit)) {
        return Some("gcc -O0 differs from the snapshot or the exit line (BLESS=1 updates)".into());
    }
    match execute(path)? {
        Err(problem) => Some(problem),
        Ok((_, report)) if report.outcome == Outcome::Finished(exit) => {
            difference(&report.stdout, &expected)
        }
        Ok((program, report)) => {
            let (found, at, detail) = describe(&program, &report.outcome);
            Some(format!("{found} at line {} ({detail})", at.unwrap_or(0)))
        }
    }
}

/// The first line on which two outputs differ.
fn difference(found: &[u8], expected: &[u8]) -> Option<String> {
    if found == expected {
        return None;
    }
    let (found, expected) = (String::from_utf8_lossy(found), String::from_utf8_lossy(expected));
    let mut lines = (found.lines().map(Some).chain(std::iter::repeat(None)))
        .zip(expected.lines().map(Some).chain(std::iter::repeat(None)))
        .zip(1..);
    let ((found, expected), n) = lines.find(|((f, e), _)| f != e || f.is_none())?;
    Some(format!("line {n} of the output is {found:?}, not {expected:?}"))
}

macro_rules! kinds {
    ($section:literal, $list:ident: $($test:ident $name:literal;)*) => {
        $(#[test] fn $test() { check_kind($section, $name); })*
        const $list: &[&str] = &[$($name),*];
    };
}

mod ub {
    use super::check_kind;
    kinds! { "ub", TESTED:
        signed_overflow "signed-overflow";
        div_by_zero "div-by-zero";
        div_overflow "div-overflow";
        shift_count "shift-count";
        shift_overflow "shift-overflow";
        float_to_int "float-to-int";
        null_deref "null-deref";
        invalid_pointer "invalid-pointer";
        out_of_bounds "out-of-bounds";
        one_past "one-past";
        misaligned "misaligned";
        pointer_arith "pointer-arith";
        pointer_compare "pointer-compare";
        pointer_sub "pointer-sub";
        dangling "dangling";
        indeterminate "indeterminate";
        unsequenced "unsequenced";
        const_write "const-write";
        string_write "string-write";
        call_type "call-type";
        call_args "call-args";
        missing_return "missing-return";
        aliasing "aliasing";
        overlap "overlap";
        volatile_access "volatile-access";
        bad_free "bad-free";
        library "library";
        format "format";
        va_arg "va-arg";
        trap_value "trap-value";
        unreachable "unreachable";
        noreturn "noreturn";
    }

    #[test]
    fn every_kind_is_tested() {
        // A second definition takes a second translation unit, and these programs have one.
        let exceptions = ["multiple-definition"];
        super::check_listed("ub", TESTED, super::UbKind::ALL.iter().map(|k| k.name()), &exceptions);
    }
}

mod unspecified {
    use super::check_kind;
    kinds! { "unspecified", TESTED:
        eval_order "eval-order";
        call_order "call-order";
        padding "padding";
        address "address";
        string_identity "string-identity";
        pointer_equality "pointer-equality";
        implementation_value "implementation-value";
        exit_status "exit-status";
    }

    #[test]
    fn every_kind_is_tested() {
        let all = super::UnspecKind::ALL.iter().map(|k| k.name());
        super::check_listed("unspecified", TESTED, all, &[]);
    }
}

/// Every kind has a test and at least one program, and every folder belongs to a test.
fn check_listed<'a>(
    section: &str,
    tested: &[&str],
    all: impl Iterator<Item = &'a str>,
    exceptions: &[&str],
) {
    let mut missing = Vec::new();
    for kind in all.filter(|kind| !exceptions.contains(kind)) {
        if !tested.contains(&kind) || programs(&format!("{section}/{kind}")).is_empty() {
            missing.push(format!("no test or no program: {section}/{kind}"));
        }
    }
    for entry in fs::read_dir(folder(section)).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if !tested.contains(&name.as_str()) {
            missing.push(format!("a folder without a test: {section}/{name}"));
        }
    }
    report_all(tested.len(), missing);
}

#[test]
fn defined() {
    let files = programs("defined");
    assert!(!files.is_empty());
    // Compiling dominates: two at a time.
    let (left, right) = files.split_at(files.len() / 2);
    let check = |files: &[PathBuf]| -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        let one = |path| Some(format!("defined/{}: {}", name(path), check_defined(path)?));
        files.iter().filter_map(one).collect()
    };
    let failures = std::thread::scope(|scope| {
        let other = scope.spawn(|| check(right));
        [check(left), other.join().unwrap()].concat()
    });
    report_all(files.len(), failures);
}

#[test]
fn limits() {
    let files = programs("limits");
    let failures = files.iter().filter_map(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        let wanted = header(path, "outcome").expect("an // outcome: line");
        let found = match execute(path)? {
            Err(problem) => problem,
            Ok((program, report)) => describe(&program, &report.outcome).0,
        };
        let fits = wanted.split(" or ").any(|w| found.starts_with(w));
        (!fits).then(|| format!("limits/{name}: {found}, not {wanted}"))
    });
    report_all(files.len(), failures.collect());
}
