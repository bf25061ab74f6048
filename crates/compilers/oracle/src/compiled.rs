//! How a compiler ended: what drivers say when they, or what they start, fail.
//!
//! A driver whose `cc1` dies exits with 1 as for any error, so its messages decide.
//! They are checked in the order of who is least to blame: the system, our limits, the compiler, the
//! program. An assembler or linker that dies is not the compiler; one that rejects what the compiler wrote
//! leaves a rejection, which is the compiler's. Where the messages do not say what died, [`died`] says so and
//! the lab repeats the compilation step by step.

use sandbox::{Ended, Finished, KillReason, Status};
use toolchain::{Step, dead_step, speaker};

use crate::lab::{Limits, Trouble};
use crate::observe::Behaviour;
use crate::signal;

/// Bytes of messages kept from either end: a stack dump comes first, an error often last.
const KEPT: usize = 32 << 10;

/// Our own disk, not the compiler.
const DISK_FULL: &[&str] = &["No space left on device", "Disk quota exceeded"];

/// An address that the small code model cannot hold: an element far outside its array, in code that is
/// never executed. Every compiler has such a limit; it is not a bug.
const FAR: &[&str] = &["relocation truncated to fit", "relocation R_X86_64_PC32 out of range"];

/// The system could not start or feed a process.
const SYSTEM: &[&str] = &["Resource temporarily unavailable", "Too many open files"];

/// A limit on memory or files, hit by any process.
const EXHAUSTED: &[&str] = &[
    "out of memory",
    "memory exhausted",
    "bad_alloc",
    "Cannot allocate memory",
    "OutOfMemory",
    "failed to map segment",
    "File too large",
    "File size limit exceeded",
    "exit code 153",
];

/// A time limit: LLVM's crash handler catches SIGXCPU and ends with 128 and its number.
const TIME: &[&str] = &["CPU time limit exceeded", "exit code 152"];

/// Killed, as drivers report it of their children.
const KILLED: &[&str] = &[
    "Killed signal terminated program",
    "Terminated signal terminated program",
    "Interrupt signal terminated program",
    "Hangup signal terminated program",
    "Killed (program",
    "unable to execute command: Killed",
    "unable to execute command: Terminated",
    "signal 9 [Killed]",
    "signal 15 [Terminated]",
    "terminated with signal 9",
    "terminated with signal 15",
];

/// The compiler itself was built with a sanitizer, which needs more address space than our limit.
const NO_SHADOW: &[&str] = &["ReserveShadowMemoryRange failed", "can not mmap the shadow"];

/// The compiler, its assembler or its linker reports a failure of its own.
const CRASHED: &[&str] = &[
    "compiler error:",
    "internal compiler error",
    "signal terminated program",
    "terminated with signal",
    "unable to execute command: ",
    "command failed due to signal",
    "frontend command failed",
    "PLEASE submit a bug report",
    "PLEASE ATTACH THE FOLLOWING FILES",
    "UNREACHABLE executed",
    "LLVM ERROR:",
    "error in backend",
    "Internal error",
    "internal error",
    "assertion fail",
    "panic: ",
];

/// What the end of a compiler means; `None` when it reports success. With [`Ended`] given
/// up, its processor time is the caller's to have read.
pub(crate) fn failure(ended: &Ended, limits: &Limits) -> Result<Option<Behaviour>, Trouble> {
    match ended {
        Ended::Finished(done) if done.status == Status::Exit(0) => Ok(None),
        Ended::Finished(done) => failed(done, limits).map(Some),
        Ended::Killed(KillReason::Stop, _) => Err(Trouble::Stopped),
        Ended::Killed(KillReason::Wall, _) => Ok(Some(Behaviour::CompilerHung)),
        Ended::Killed(KillReason::Processes, done) => {
            let told = format!("more than {} processes at once", limits.processes);
            Ok(Some(Behaviour::Exhausted(with(&told, &messages(done)))))
        }
        Ended::Killed(KillReason::Folder, done) => {
            let told = format!("files of more than {} bytes", limits.folder);
            Ok(Some(Behaviour::Exhausted(with(&told, &messages(done)))))
        }
        Ended::NotStarted(error) => {
            Err(Trouble::of(error, "a compiler could not be started".into()))
        }
    }
}

/// The process that a failed compilation died in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Died {
    /// None did, or the messages leave no doubt that it was not the linker.
    Clear,
    /// The linker, which runs the optimiser if it optimises.
    Linker,
    /// Some process: a driver failed and does not say because of what.
    Unnamed,
}

/// Which process died, as far as the lab has to look for itself.
pub(crate) fn died(ended: &Ended, failed: &Behaviour) -> Died {
    let Ended::Finished(done) = ended else { return Died::Clear };
    match (dead_step(&messages(done)), failed) {
        (Some(Step::Link), _) => Died::Linker,
        (None, Behaviour::Crashed(_)) if matches!(done.status, Status::Exit(_)) => Died::Unnamed,
        _ => Died::Clear,
    }
}

/// What a failure means in which an assembler or a linker died.
pub(crate) fn not_the_compiler(step: Step, messages: &str) -> Behaviour {
    let who = if step == Step::Assemble { "assembler" } else { "linker" };
    Behaviour::Unsupported(with(&format!("the {who} died, not the compiler"), messages))
}

fn failed(done: &Finished, limits: &Limits) -> Result<Behaviour, Trouble> {
    let seen = classify(done, limits)?;
    let died =
        matches!(seen, Behaviour::Crashed(_) | Behaviour::Exhausted(_) | Behaviour::CompilerHung);
    let text = messages(done);
    Ok(match innocent(&text).filter(|_| died) {
        Some(step) => not_the_compiler(step, &text),
        None => seen,
    })
}

/// The assembler or linker that failed of itself, or hit a limit of ours.
fn innocent(text: &str) -> Option<Step> {
    let full = |line: &str| {
        let exhausted = EXHAUSTED.iter().any(|words| line.contains(words));
        exhausted.then(|| speaker(line)).flatten()
    };
    let step = dead_step(text).or_else(|| text.lines().find_map(full))?;
    (step != Step::Compile).then_some(step)
}

fn classify(done: &Finished, limits: &Limits) -> Result<Behaviour, Trouble> {
    let text = messages(done);
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let signal = match done.status {
        Status::Signal(number) => Some(number),
        // A shell script that runs a compiler tells its death so.
        Status::Exit(status) => signal::of_status(status),
    };
    if has(DISK_FULL) {
        return Err(Trouble::DiskFull(line_with(&text, DISK_FULL)));
    }
    if has(NO_SHADOW) {
        let why = "the compiler's own sanitizer cannot start under our memory limit";
        return Ok(Behaviour::Unsupported(with(why, &text)));
    }
    let killed = has(KILLED) || signal.is_some_and(signal::from_outside);
    // The kernel kills what goes on after SIGXCPU.
    if has(TIME) || signal == Some(24) || killed && done.cpu >= limits.compile_cpu {
        return Ok(Behaviour::CompilerHung);
    }
    let large = done.peak_rss >= limits.memory / 2;
    let crashed = has(CRASHED) || signal.is_some() || assertion(&text);
    if has(EXHAUSTED)
        || signal == Some(25)
        || large && (killed || crashed && !has_source_location(&text))
    {
        return Ok(Behaviour::Exhausted(text));
    }
    if killed || has(SYSTEM) {
        // Sent by a user, or by the kernel when it ran out of memory: not by the compiler.
        return Ok(Behaviour::Unsupported(with(
            "the compiler was killed by another process",
            &text,
        )));
    }
    if !crashed && has(FAR) {
        return Ok(Behaviour::Unsupported(with(
            "a constant address exceeds the code model",
            &text,
        )));
    }
    if !crashed {
        return Ok(Behaviour::Rejected(text));
    }
    Ok(Behaviour::Crashed(match signal {
        Some(number) => with(&text, &format!("killed by {}", signal::name(number))),
        None => text,
    }))
}

/// ``Assertion `x' failed``, as the C library writes it.
fn assertion(text: &str) -> bool {
    text.lines().any(|line| line.contains("Assertion `") && line.contains("failed"))
}

/// Whether a crash names a place in the compiler's source: a failed check, not exhausted memory.
fn has_source_location(text: &str) -> bool {
    assertion(text) || text.lines().any(|l| l.contains("internal compiler error: in "))
}

fn line_with(text: &str, words: &[&str]) -> String {
    let line = text.lines().find(|line| words.iter().any(|word| line.contains(word)));
    line.unwrap_or_default().trim().to_string()
}

fn with(head: &str, rest: &str) -> String {
    format!("{}\n{}", head.trim_end(), rest).trim_end().to_string()
}

/// What it printed: on standard error, or else on standard output.
pub(crate) fn messages(done: &Finished) -> String {
    let quiet = done.stderr.bytes.iter().all(u8::is_ascii_whitespace);
    let bytes = if quiet { &done.stdout.bytes } else { &done.stderr.bytes };
    if bytes.len() <= 2 * KEPT {
        return String::from_utf8_lossy(bytes).trim_end().to_string();
    }
    let (head, tail) = (&bytes[..KEPT], &bytes[bytes.len() - KEPT..]);
    let left_out = bytes.len() - 2 * KEPT;
    let text = |bytes| String::from_utf8_lossy(bytes);
    format!("{}\n[{left_out} bytes left out]\n{}", text(head), text(tail).trim_end())
}

/// What says that a compiler claimed success and left nothing that runs.
pub(crate) fn no_program(why: &str, ended: &Ended) -> Behaviour {
    let words = match ended {
        Ended::Finished(done) => messages(done),
        _ => String::new(),
    };
    Behaviour::Crashed(with(&format!("exit status 0, but {why}"), &words))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use sandbox::Capture;

    use super::*;

    fn done(status: Status, stderr: &str) -> Finished {
        Finished {
            status,
            stdout: Capture::default(),
            stderr: Capture { bytes: stderr.into(), truncated: false },
            wall: Duration::from_secs(1),
            cpu: Duration::from_secs(1),
            peak_rss: 1 << 20,
        }
    }

    fn word(done: Finished) -> &'static str {
        match failure(&Ended::Finished(done), &Limits::default()) {
            Ok(None) => "fine",
            Ok(Some(Behaviour::Crashed(_))) => "crashed",
            Ok(Some(Behaviour::CompilerHung)) => "hung",
            Ok(Some(Behaviour::Exhausted(_))) => "exhausted",
            Ok(Some(Behaviour::Rejected(_))) => "rejected",
            Ok(Some(Behaviour::Unsupported(_))) => "nobody's fault",
            Ok(Some(_)) => "ran",
            Err(Trouble::DiskFull(_)) => "disk full",
            Err(_) => "trouble",
        }
    }

    /// What compilers and GNU ld print: seen on gcc 12, clang 16, tcc and pcc, or written down from memory.
    #[test]
    fn real_messages() {
        let told = [
            ("a.c:1:9: error: ‘y’ undeclared here (not in a function)", "rejected"),
            (
                "h.c:(.text+0x5): undefined reference to `nope'\ncollect2: error: ld returned 1 exit status",
                "rejected",
            ),
            (
                "func.c:(.text+0x3d06): relocation truncated to fit: R_X86_64_PC32 against `.data'\nclang: error: linker command failed with exit code 1",
                "nobody's fault",
            ),
            ("/usr/bin/ld: cannot find -lm: No such file or directory", "rejected"),
            (
                "i.c, line 1: y undefined\nerror: /usr/bin/x86_64-linux-gnu-ccom terminated with status 1",
                "rejected",
            ),
            ("/tmp/ccX.s:12: Error: operand type mismatch for `mov'", "rejected"),
            (
                "gcc: internal compiler error: Segmentation fault signal terminated program cc1",
                "crashed",
            ),
            ("a.c:3:1: internal compiler error: in extract_insn, at recog.cc:2791", "crashed"),
            (
                "clang: error: unable to execute command: Segmentation fault\nclang: error: clang frontend command failed due to signal (use -v to see invocation)",
                "crashed",
            ),
            (
                "clang: error: clang frontend command failed with exit code 132 (use -v to see invocation)",
                "crashed",
            ),
            ("fatal error: error in backend: Cannot select: t31: i32 = X86ISD::FOO", "crashed"),
            ("clang: X.cpp:12: void f(): Assertion `x' failed.", "crashed"),
            (
                "collect2: fatal error: ld terminated with signal 11 [Segmentation fault], core dumped",
                "nobody's fault",
            ),
            (
                "gcc: internal compiler error: Segmentation fault signal terminated program as",
                "nobody's fault",
            ),
            (
                "clang: error: unable to execute command: Segmentation fault\nclang: error: linker command failed due to signal (use -v to see invocation)",
                "nobody's fault",
            ),
            (
                "/usr/bin/ld: BFD (GNU Binutils) 2.40 assertion fail ../../bfd/elflink.c:2812",
                "nobody's fault",
            ),
            ("/usr/bin/ld: final link failed: memory exhausted", "nobody's fault"),
            (
                "gcc: internal compiler error: CPU time limit exceeded signal terminated program as",
                "nobody's fault",
            ),
            (
                "==7==ERROR: AddressSanitizer failed to allocate 0xdfff0001000 bytes\n==7==ReserveShadowMemoryRange failed while trying to map 0xdfff0001000 bytes. Perhaps you're using ulimit -v",
                "nobody's fault",
            ),
            // The compiler's, although the linker started it.
            (
                "lto1: internal compiler error: in f, at x.cc:1\nlto-wrapper: fatal error: gcc returned 1 exit status\ncollect2: error: ld returned 1 exit status",
                "crashed",
            ),
            ("thread 12 panic: reached unreachable code", "crashed"),
            ("a.c, line 4: compiler error: Cannot generate code, node 0x55 op ASSIGN", "crashed"),
            (
                "gcc: internal compiler error: CPU time limit exceeded signal terminated program cc1",
                "hung",
            ),
            (
                "PLEASE submit a bug report to x\nclang: error: clang frontend command failed with exit code 152",
                "hung",
            ),
            ("virtual memory exhausted: Cannot allocate memory", "exhausted"),
            ("cc1: out of memory allocating 65536 bytes after a total of 1234 bytes", "exhausted"),
            (
                "LLVM ERROR: out of memory\nAllocation failed\nPLEASE submit a bug report to x",
                "exhausted",
            ),
            ("terminate called after throwing an instance of 'std::bad_alloc'", "exhausted"),
            (
                "gcc: internal compiler error: File size limit exceeded signal terminated program as",
                "nobody's fault",
            ),
            (
                "gcc: internal compiler error: File size limit exceeded signal terminated program cc1",
                "exhausted",
            ),
            (
                "clang-16: error while loading shared libraries: libLLVM-16.so.1: failed to map segment from shared object",
                "exhausted",
            ),
            (
                "gcc: fatal error: Killed signal terminated program cc1\ncompilation terminated.",
                "nobody's fault",
            ),
            ("clang: error: unable to execute command: Killed", "nobody's fault"),
            (
                "gcc: fatal error: cannot execute 'cc1': vfork: Resource temporarily unavailable",
                "nobody's fault",
            ),
            (
                "/tmp/ccX.s: Assembler messages:\nFatal error: can't write 20 bytes to section .text of b.o: 'No space left on device'",
                "disk full",
            ),
            ("LLVM ERROR: IO failure on output stream: No space left on device", "disk full"),
        ];
        for (text, want) in told {
            assert_eq!(word(done(Status::Exit(1), text)), want, "{text}");
        }
    }

    #[test]
    fn statuses_and_sizes() {
        assert_eq!(word(done(Status::Exit(0), "No space left on device")), "fine");
        assert_eq!(word(done(Status::Signal(11), "")), "crashed");
        assert_eq!(word(done(Status::Exit(139), "")), "crashed");
        assert_eq!(word(done(Status::Exit(137), "")), "nobody's fault");
        assert_eq!(word(done(Status::Exit(101), "error: no")), "rejected");
        assert_eq!(word(done(Status::Signal(24), "PLEASE submit a bug report")), "hung");
        assert_eq!(word(done(Status::Signal(25), "")), "exhausted");
        assert_eq!(word(done(Status::Signal(9), "")), "nobody's fault");
        assert_eq!(word(done(Status::Signal(15), "PLEASE submit a bug report")), "nobody's fault");
        let slow = Finished { cpu: Duration::from_secs(61), ..done(Status::Signal(9), "") };
        assert_eq!(word(slow), "hung");
        let large = |status, text| Finished { peak_rss: 3 << 30, ..done(status, text) };
        assert_eq!(word(large(Status::Signal(11), "")), "exhausted");
        assert_eq!(word(large(Status::Signal(9), "")), "exhausted");
        assert_eq!(word(large(Status::Exit(1), "x.c:1: error: no")), "rejected");
        let ice = "a.c:3:1: internal compiler error: in extract_insn, at recog.cc:2791";
        assert_eq!(word(large(Status::Exit(1), ice)), "crashed");
    }

    #[test]
    fn what_the_lab_must_look_at() {
        let look = |status, text: &str| {
            let ended = Ended::Finished(done(status, text));
            let failed = failure(&ended, &Limits::default()).ok().flatten();
            died(&ended, &failed.expect("a failure"))
        };
        let unnamed = "error: unable to execute command: Segmentation fault";
        assert_eq!(look(Status::Exit(1), unnamed), Died::Unnamed);
        assert_eq!(look(Status::Exit(139), ""), Died::Unnamed);
        // What we started ourselves is the compiler.
        assert_eq!(look(Status::Signal(11), ""), Died::Clear);
        assert_eq!(look(Status::Exit(1), "a.c:1:1: error: no"), Died::Clear);
        let linker = "collect2: fatal error: ld terminated with signal 11 [Segmentation fault]";
        assert_eq!(look(Status::Exit(1), linker), Died::Linker);
    }

    #[test]
    fn long_messages_keep_both_ends() {
        let text = format!("first\n{}\nlast", "x".repeat(1 << 20));
        let kept = messages(&done(Status::Exit(1), &text));
        assert!(kept.len() < 3 * KEPT && kept.starts_with("first") && kept.ends_with("last"));
    }
}
