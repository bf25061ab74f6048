//! What of a run is the runner's doing: this processor, an emulator, a sanitizer's start.
//!
//! A program that dies because the processor, or the emulator, lacks an instruction says nothing about its
//! compiler; neither does a sanitizer that could not reserve its shadow. What cannot be told from a wrong
//! instruction is excused: with flags for another processor SIGILL is not reported. Not here: whether a target
//! works at all with its flags, which [`TargetProbes`](crate::TargetProbes) finds out.

use std::path::Path;

use toolchain::Target;

/// An instruction that is none, as a shell shows it.
pub(crate) const SIGILL: u8 = 128 + 4;

/// Environment in which sanitizers say nothing of leaks, which are no undefined behaviour.
pub(crate) const SILENT_LEAKS: &[(&str, &str)] =
    &[("ASAN_OPTIONS", "detect_leaks=0"), ("LSAN_OPTIONS", "detect_leaks=0")];

/// What emulators print of an instruction that they do not have. What Linux calls the signal is not
/// among it: a compiler's own trap raises that as well.
const NO_INSTRUCTION: &[&str] = &[
    "unknown opcode",
    "unknown instruction",
    "unsupported instruction",
    "unimplemented instruction",
    "unhandled instruction",
    "invalid opcode",
    "invalid instruction",
];

/// A sanitizer that could not begin, or is itself at its end.
const UNABLE: &[&str] = &[
    "Sanitizer failed to",
    "Sanitizer: out-of-memory",
    "Sanitizer: out of memory",
    "Sanitizer: allocation-size-too-big",
    "Sanitizer CHECK failed",
    "Sanitizer: CHECK failed",
    "can not mmap the shadow",
    "Shadow memory range interleaves",
    "ReserveShadowMemoryRange failed",
    "has encountered a fatal error",
    "unexpected memory mapping",
];

/// The line in which a sanitizer says that it cannot work.
pub(crate) fn unable(messages: &str) -> Option<&str> {
    messages.lines().find(|line| UNABLE.iter().any(|words| line.contains(words)))
}

/// Instrumented programs take up to so many times as long.
pub(crate) const SLOWER: u32 = 5;

/// What sanitizers begin a report with.
const REPORTS: &[&str] = &[
    "runtime error: ",
    "ERROR: AddressSanitizer: ",
    "WARNING: MemorySanitizer: ",
    "ERROR: MemorySanitizer: ",
    "ERROR: UndefinedBehaviorSanitizer: ",
];

/// Whether a line is a sanitizer's report.
pub(crate) fn is_report(line: &str) -> bool {
    REPORTS.iter().any(|words| line.contains(words))
}

/// The line in which a sanitizer of the target says why it stopped the program, if one did.
pub(crate) fn alarm(target: &Target, status: u8, stderr: &[u8]) -> Option<String> {
    if status == 0 || !is_instrumented(target) {
        return None;
    }
    let stderr = String::from_utf8_lossy(stderr);
    stderr.lines().find(|line| is_report(line)).map(|line| line.trim().to_string())
}

/// What an alarm is known by: the words behind the sanitizer's own, without what changes from program to program.
pub(crate) fn alarm_kind(report: &str) -> String {
    let begin = REPORTS.iter().find_map(|words| report.find(words).map(|at| at + words.len()));
    let told = &report[begin.unwrap_or(0)..];
    let fixed = |word: &&str| !word.contains(|c: char| c.is_ascii_digit() || c == '\'');
    told.split_whitespace().take_while(fixed).take(4).collect::<Vec<_>>().join(" ")
}

/// Whether a target's programs are instrumented by any sanitizer.
pub(crate) fn is_instrumented(target: &Target) -> bool {
    words(target).any(|word| word.starts_with("-fsanitize="))
}

/// Whether a target's programs are instrumented by a sanitizer that keeps a shadow of all memory.
pub(crate) fn is_sanitized(target: &Target) -> bool {
    words(target).any(|word| {
        let kinds = word.strip_prefix("-fsanitize=").unwrap_or_default();
        kinds.split(',').any(|kind| {
            let address = kind.ends_with("address");
            address || matches!(kind, "memory" | "thread" | "leak" | "dataflow")
        })
    })
}

/// Whether its flags name a processor, or parts of one, other than the one at hand.
pub(crate) fn names_a_processor(target: &Target) -> bool {
    const OTHER: &[&str] = &["-mtune", "-mcmodel", "-m64", "-m32", "-mllvm", "-mno-"];
    words(target).any(|word| {
        word.starts_with("-m")
            && !word.ends_with("=native")
            && !OTHER.iter().any(|other| word.starts_with(other))
    })
}

/// Why a refusal says nothing about a compiler whose programs are not run: it may have another data model, and no
/// C library.
pub(crate) fn cannot_take(target: &Target, messages: &str) -> Option<String> {
    const NO_HEADER: &[&str] = &["file not found", "No such file or directory"];
    if !target.compiler.runner.is_compile_only() {
        return None;
    }
    if target.compiler.abi.is_none() {
        return Some("its data model is not known, so it may refuse the program".into());
    }
    let is_header = |line: &&str| NO_HEADER.iter().any(|words| line.contains(words));
    messages.lines().find(is_header).map(|line| format!("it has no such header: {}", line.trim()))
}

/// Why a program's end says nothing about its compiler, if it does not.
pub(crate) fn excuse(target: &Target, status: u8, stderr: &[u8]) -> Option<String> {
    if status == 0 {
        return None;
    }
    let stderr = String::from_utf8_lossy(stderr);
    if let Some(line) = unable(&stderr) {
        return Some(format!("the sanitizer cannot work here: {}", line.trim()));
    }
    // Its frames are larger than others.
    if let Some(line) = stderr.lines().find(|line| line.contains("Sanitizer: stack-overflow")) {
        return Some(format!("frames of instrumented programs are larger: {}", line.trim()));
    }
    let words = target.run_words();
    let runner = words.first().map(Path::new);
    if let Some(runner) = runner {
        if let Some(line) = target.compiler.runner.refusal(&stderr) {
            return Some(format!("{} cannot run its programs: {}", runner.display(), line.trim()));
        }
        let lower = stderr.to_lowercase();
        if NO_INSTRUCTION.iter().any(|words| lower.contains(words)) {
            return Some(format!("{} lacks an instruction", runner.display()));
        }
    }
    if status == SIGILL && names_a_processor(target) {
        let who = runner.map_or("this processor".into(), |runner| runner.display().to_string());
        return Some(format!(
            "SIGILL with flags for another processor: {who} may lack an instruction"
        ));
    }
    None
}

fn words(target: &Target) -> impl Iterator<Item = String> {
    let fixed = target.compiler.c.iter().map(|word| word.to_string_lossy().into_owned());
    let flags = target.flags.iter().flat_map(|flag| flag.split_whitespace());
    fixed.chain(flags.map(str::to_string)).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use toolchain::Family;

    use super::*;
    use crate::judge::tests::target;

    #[test]
    fn what_is_the_runners() {
        let plain = target(Family::Gcc, "gcc", "-O2");
        let told = |flags: &str, status, stderr: &str| {
            excuse(&target(Family::Gcc, "gcc", flags), status, stderr.as_bytes()).is_some()
        };
        assert!(!told("-O2", SIGILL, ""), "a compiler's own trap");
        assert!(!told("-O2 -march=native", SIGILL, ""));
        assert!(!told("-O2 -mtune=skylake -mno-avx", SIGILL, ""));
        assert!(told("-O2 -march=x86-64-v4", SIGILL, ""));
        assert!(told("-O2 -mavx512f", SIGILL, ""));
        assert!(!told("-O2 -mavx512f", 139, ""));
        let shadow = "==1==ReserveShadowMemoryRange failed while trying to map 0xdff bytes.";
        assert!(told("-O2", 1, shadow) && !told("-O2", 0, shadow));
        assert!(!told("-O2", 1, "==1==ERROR: AddressSanitizer: heap-buffer-overflow"));
        assert!(!told("-O2", 1, "sim: unknown opcode 0x12"), "there is no emulator");
        let mut emulated = plain.clone();
        let mut compiler = (*emulated.compiler).clone();
        compiler.runner = toolchain::Runner::of_words(vec!["sim".into()]);
        emulated.compiler = compiler.into();
        assert!(excuse(&emulated, 1, b"sim: Unknown opcode 0x12").is_some());
        let lacks = "qemu-riscv64: can't apply global rv64-riscv-cpu.zfa=true: Property not found";
        assert!(excuse(&emulated, 1, lacks.as_bytes()).is_some());
        let trap = "qemu: uncaught target signal 4 (Illegal instruction) - core dumped";
        assert_eq!(excuse(&emulated, SIGILL, trap.as_bytes()), None);
    }

    #[test]
    fn alarms() {
        let told = |flags: &str, status, stderr: &str| {
            alarm(&target(Family::Clang, "clang", flags), status, stderr.as_bytes())
        };
        let overflow = "a.c:3:5: runtime error: signed integer overflow: 2147483647 + 1 cannot be";
        assert_eq!(told("-O2 -fsanitize=undefined", 1, overflow).as_deref(), Some(overflow));
        assert_eq!(told("-O2", 1, overflow), None, "the program's own words");
        assert_eq!(told("-O2 -fsanitize=undefined", 0, overflow), None, "it was let go on");
        assert_eq!(alarm_kind(overflow), "signed integer overflow:");
        let heap = "==17==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x12";
        assert_eq!(alarm_kind(heap), "heap-buffer-overflow on address");
        let deep = "==1==ERROR: AddressSanitizer: stack-overflow on address 0x7f";
        let target = target(Family::Gcc, "gcc", "-O2 -fsanitize=address");
        assert!(excuse(&target, 1, deep.as_bytes()).is_some());
    }

    #[test]
    fn who_is_instrumented() {
        let is = |flags: &str| is_sanitized(&target(Family::Clang, "clang", flags));
        assert!(is("-O1 -fsanitize=undefined,address") && is("-fsanitize=kernel-hwaddress"));
        assert!(is("-O1 -fsanitize=memory") && !is("-fsanitize=undefined") && !is("-O2"));
    }
}
