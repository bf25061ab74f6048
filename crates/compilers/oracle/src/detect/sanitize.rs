//! The sanitizers of GCC and Clang, without optimisation.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::{Ended, Finished, KillReason, Run, Scratch, Status};
use toolchain::{Family, InstalledTool, Language, on_path};

use crate::case::{Case, Expected};
use crate::certify::{Assessment, Opinion};
use crate::command::{file_arguments, shell_line};
use crate::compiled::failure;
use crate::lab::{Lab, Trouble, WorkFolder, cpu};
use crate::observe::Behaviour;
use crate::output::difference;
use crate::{runner, signal};

use super::Detector;

/// A trivial program compiles and runs in a fraction of a second, also on a busy machine.
const PROBE: Duration = Duration::from_secs(30);

/// Leaks are no undefined behaviour. The rest is off by default.
const ADDRESS: &str =
    "detect_leaks=0:detect_invalid_pointer_pairs=2:detect_stack_use_after_return=1";

/// A kind of sanitizer. Unsigned overflow and implicit conversions are no undefined behaviour, and
/// division of floats by zero is IEEE 754's: they are not asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct SanitizerKind {
    family: Family,
    options: &'static [&'static str],
}

/// GCC's ASan and UBSan.
pub(super) const GCC: SanitizerKind = SanitizerKind {
    family: Family::Gcc,
    options: &[
        "-fsanitize=undefined,address",
        "-fsanitize=float-cast-overflow",
        "-fsanitize=pointer-compare,pointer-subtract,bounds-strict",
    ],
};

/// Clang's ASan and UBSan.
pub(super) const CLANG: SanitizerKind = SanitizerKind {
    family: Family::Clang,
    options: &["-fsanitize=undefined,address", "-fsanitize=float-cast-overflow"],
};

/// Clang's MSan.
pub(super) const MEMORY: SanitizerKind = SanitizerKind {
    family: Family::Clang,
    options: &["-fsanitize=memory", "-fsanitize-memory-track-origins"],
};

/// GCC's ASan alone.
const GCC_ADDRESS: SanitizerKind = SanitizerKind {
    family: Family::Gcc,
    options: &["-fsanitize=address", "-fsanitize=pointer-compare,pointer-subtract"],
};

/// GCC's UBSan alone.
const GCC_UNDEFINED: SanitizerKind = SanitizerKind {
    family: Family::Gcc,
    options: &["-fsanitize=undefined", "-fsanitize=float-cast-overflow,bounds-strict"],
};

/// Clang's ASan alone.
const CLANG_ADDRESS: SanitizerKind =
    SanitizerKind { family: Family::Clang, options: &["-fsanitize=address"] };

/// Clang's UBSan alone.
const CLANG_UNDEFINED: SanitizerKind = SanitizerKind {
    family: Family::Clang,
    options: &["-fsanitize=undefined", "-fsanitize=float-cast-overflow"],
};

impl SanitizerKind {
    /// The sanitizer of a family that is a detector, if it has one.
    pub(super) fn of(family: Family, detector: Detector) -> Option<SanitizerKind> {
        match (family, detector) {
            (Family::Gcc, Detector::Address) => Some(GCC_ADDRESS),
            (Family::Gcc, Detector::Undefined) => Some(GCC_UNDEFINED),
            (Family::Clang, Detector::Address) => Some(CLANG_ADDRESS),
            (Family::Clang, Detector::Undefined) => Some(CLANG_UNDEFINED),
            (Family::Clang, Detector::Memory) => Some(MEMORY),
            _ => None,
        }
    }

    /// Whose compilers have it.
    pub(super) fn family(self) -> Family {
        self.family
    }
}

/// A compiler with a sanitizer.
#[derive(Debug)]
pub(super) struct Sanitizer {
    kind: SanitizerKind,
    /// `gcc 12.2.0 -fsanitize=undefined,address`.
    tool: String,
    path: PathBuf,
}

impl Sanitizer {
    /// One that may or may not work.
    pub(super) fn new(kind: SanitizerKind, found: &InstalledTool, path: PathBuf) -> Sanitizer {
        let name = found.tool.known().name;
        let tool = format!("{name} {} {}", found.version, kind.options[0]);
        Sanitizer { kind, tool, path }
    }

    /// Whether a trivial program compiles, links and runs: many compilers are installed without
    /// the sanitizers' libraries.
    pub(super) fn works(&self) -> bool {
        let Ok(scratch) = Scratch::new() else { return false };
        let file =
            scratch.file(if self.path.to_string_lossy().contains("++") { "a.cpp" } else { "a.c" });
        if std::fs::write(&file, "int main(void) { return 0; }\n").is_err() {
            return false;
        }
        let program = scratch.file("program");
        let compile = Run::new(&self.path, PROBE).args(self.kind.options).arg(file).arg("-o");
        let home = scratch.file("home");
        std::fs::create_dir(&home).is_ok()
            && compile.arg(&program).finish().success().is_some()
            && Run::new(program, PROBE).cwd(&home).confined_to(&home).finish().success().is_some()
    }

    /// Its opinion, and the processor time it took.
    pub(super) fn ask(
        &self,
        lab: &Lab,
        case: &Case,
        dir: &Path,
    ) -> Result<(Opinion, Duration), Trouble> {
        let work = WorkFolder::new(dir)?;
        let name = self.path.file_name().unwrap_or_default().to_os_string();
        let compile = shell_line(&self.arguments(case, name, Path::new("program")));
        let options = match self.kind.options[0].contains("address") {
            true => format!("ASAN_OPTIONS={ADDRESS} "),
            false => String::new(),
        };
        let command = format!("{compile} && {options}./program");
        let arguments = self.arguments(case, self.path.clone().into(), &work.program());
        let (says, cost) = match self.unsupported_reason(case) {
            Some(why) => (Assessment::Silent(why.into()), Duration::ZERO),
            None => self.try_out(lab, case, &arguments, &work)?,
        };
        Ok((Opinion { tool: self.tool.clone(), command, says }, cost))
    }

    fn arguments(&self, case: &Case, program: OsString, output: &Path) -> Vec<OsString> {
        let mut arguments = vec![program];
        arguments.extend(["-O0", "-g1", "-fno-sanitize-recover=all"].map(OsString::from));
        arguments.extend(self.kind.options.iter().map(OsString::from));
        arguments.extend(file_arguments(case, self.kind.family, output));
        arguments
    }

    /// Why there is no use in asking. MSan does not see what the compiled part of the C++ library
    /// writes, and takes what comes out of streams for uninitialised.
    fn unsupported_reason(&self, case: &Case) -> Option<&'static str> {
        let streams =
            |text: &str| ["<iostream>", "<sstream>", "<fstream>"].iter().any(|h| text.contains(h));
        let memory = self.kind.options[0] == MEMORY.options[0] && case.language == Language::Cxx;
        let used = || case.files.iter().any(|f| streams(&String::from_utf8_lossy(&f.bytes)));
        (memory && used()).then_some("unsupported: the C++ library's streams")
    }

    fn try_out(
        &self,
        lab: &Lab,
        case: &Case,
        arguments: &[OsString],
        work: &WorkFolder,
    ) -> Result<(Assessment, Duration), Trouble> {
        let compiled = lab.compile(arguments, work);
        let cost = cpu(&compiled);
        if let Some(failed) = failure(&compiled, &lab.limits)? {
            let why = match failed {
                Behaviour::CompilerHung => "it takes too long to compile".to_string(),
                Behaviour::Crashed(m)
                | Behaviour::Exhausted(m)
                | Behaviour::Rejected(m)
                | Behaviour::Unsupported(m) => {
                    let line = m.lines().find(|line| line.contains("error")).or(m.lines().next());
                    format!("it does not compile: {}", line.unwrap_or_default().trim())
                }
                Behaviour::Ran { .. }
                | Behaviour::Alarmed(_)
                | Behaviour::ProgramHung
                | Behaviour::Compiled => "it does not compile".to_string(),
            };
            return Ok((Assessment::Silent(why), cost));
        }
        // No limit on address space: the shadow takes terabytes of it.
        let mut run = lab.program(case, work, &[]).env("ASAN_OPTIONS", ADDRESS);
        // Not every clang comes with its own; any will do.
        if let Some(symbolizer) = on_path("llvm-symbolizer") {
            for name in ["ASAN_SYMBOLIZER_PATH", "MSAN_SYMBOLIZER_PATH"] {
                run = run.env(name, &symbolizer);
            }
        }
        run.wall *= runner::SLOWER;
        run.cpu = run.cpu.map(|cpu| cpu * runner::SLOWER);
        let ran = run.finish();
        let cost = cost + cpu(&ran);
        let says = match &ran {
            Ended::Killed(KillReason::Stop, _) => return Err(Trouble::Stopped),
            Ended::Killed(..) => {
                Assessment::Silent("the instrumented program exceeds its time limit".into())
            }
            Ended::NotStarted(error) => {
                Assessment::Silent(format!("its program does not start: {error}"))
            }
            Ended::Finished(done) => opinion(case, done),
        };
        Ok((says, cost))
    }
}

/// What an instrumented program's end says.
fn opinion(case: &Case, done: &Finished) -> Assessment {
    let stderr = done.stderr.text();
    // An instrumented program's frames are larger: its stack overflow says nothing.
    let overflow = || stderr.lines().find(|line| line.contains("Sanitizer: stack-overflow"));
    if let Some(line) = runner::unable(&stderr).or_else(overflow) {
        return Assessment::Silent(complaint(line));
    }
    if let Some(line) = stderr.lines().find(|line| runner::is_report(line)) {
        let place = place(case, &stderr).filter(|_| !line.contains("runtime error: "));
        let place = place.map_or_else(String::new, |place| format!(", at {place}"));
        return Assessment::Undefined(complaint(line) + &place);
    }
    match done.status {
        Status::Signal(24) => {
            return Assessment::Silent("the instrumented program exceeds its time limit".into());
        }
        Status::Signal(number) if signal::from_outside(number) => {
            return Assessment::Silent(format!(
                "killed by another process with {}",
                signal::name(number)
            ));
        }
        _ => {}
    }
    let status = done.status.shell();
    let Some(Expected { stdout, status: wanted }) = &case.expected else {
        return match signal::of_status(status) {
            // It came to grief, if not in words.
            Some(number) => Assessment::Silent(format!(
                "the instrumented program is killed by {}",
                signal::name(number)
            )),
            None => Assessment::NoAlarm,
        };
    };
    match difference(stdout, &done.stdout.bytes) {
        Some(difference) => Assessment::Differs(difference),
        None if status != *wanted => {
            Assessment::Differs(format!("exit status {status}, expected {wanted}"))
        }
        None => Assessment::Valid,
    }
}

/// Where a report's stack begins in the program: `test.c:12:5` of `    #1 0x55 in f /tmp/x/test.c:12:5`.
/// The frames above it may be the sanitizer's own.
fn place<'r>(case: &Case, report: &'r str) -> Option<&'r str> {
    let frames = report.lines().map(str::trim).filter(|line| line.starts_with('#'));
    let mut places = frames.filter_map(|line| line.rsplit([' ', '/']).next());
    places.find(|place| case.units().any(|unit| place.split(':').next() == Some(unit)))
}

/// The line without the process number before it: `==17==ERROR: …`.
fn complaint(line: &str) -> String {
    let line = line.trim();
    let bare = line.strip_prefix("==").and_then(|rest| rest.split_once("==")).map(|(_, told)| told);
    bare.unwrap_or(line).to_string()
}

#[cfg(test)]
mod tests {
    use sandbox::Capture;

    use super::*;
    use crate::judge::tests::case;

    #[test]
    fn words_of_sanitizers() {
        let says = |status, stderr: &str| {
            let done = Finished {
                status,
                stdout: Capture { bytes: b"1\n".to_vec(), truncated: false },
                stderr: Capture { bytes: stderr.into(), truncated: false },
                wall: Duration::ZERO,
                cpu: Duration::ZERO,
                peak_rss: 0,
            };
            opinion(&case("1\n"), &done)
        };
        assert_eq!(says(Status::Exit(0), ""), Assessment::Valid);
        let overflow = "a.c:3:5: runtime error: signed integer overflow: 2147483647 + 1";
        assert_eq!(says(Status::Exit(1), overflow), Assessment::Undefined(overflow.into()));
        let heap = "=====\n==17==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x12";
        assert!(
            matches!(says(Status::Exit(1), heap), Assessment::Undefined(w) if w.starts_with("ERROR: A"))
        );
        let unset = "==17==WARNING: MemorySanitizer: use-of-uninitialized-value";
        assert!(matches!(says(Status::Exit(1), unset), Assessment::Undefined(_)));
        for own in [
            "==17==ERROR: AddressSanitizer: stack-overflow on address 0x7ffe",
            "==17==ERROR: AddressSanitizer failed to allocate 0x1000 bytes",
            "FATAL: MemorySanitizer can not mmap the shadow memory.",
            "==17==Shadow memory range interleaves with an existing memory mapping.",
        ] {
            assert!(matches!(says(Status::Exit(1), own), Assessment::Silent(_)), "{own}");
        }
        assert_eq!(
            says(Status::Exit(3), ""),
            Assessment::Differs("exit status 3, expected 0".into())
        );
        assert!(matches!(says(Status::Signal(9), ""), Assessment::Silent(_)));
        assert!(matches!(says(Status::Signal(11), ""), Assessment::Differs(_)));
    }
}
