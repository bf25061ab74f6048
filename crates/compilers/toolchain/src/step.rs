//! Which step of a compilation died, from what drivers say of the processes that they start.
//!
//! A driver compiles, assembles and links, each in a process of its own, and reports the death of any
//! of them as an error of its own: GCC says `internal compiler error` of an assembler that was killed by a
//! signal. Only the step that dies is to blame. An assembler or linker that *rejects* what it is given
//! did not die: that is a bug of the compiler, or of the program.
//!
//! The messages are those of GCC's driver and `collect2`, of Clang's driver, of pcc's, of LLVM's crash
//! handler, and of GNU binutils.

/// What a driver starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    /// The compiler proper; also where it runs at link time.
    Compile,
    /// The assembler.
    Assemble,
    /// The linker.
    Link,
}

/// Ends of names of compilers proper and of drivers.
const COMPILERS: &[&str] = &[
    "cc1",
    "cc1plus",
    "lto1",
    "lto-wrapper",
    "ccom",
    "cxxcom",
    "cpp",
    "gcc",
    "g++",
    "cc",
    "clang",
    "tcc",
    "pcc",
];

/// Ends of names of linkers; names like `ld.gold` begin with the first.
const LINKERS: &[&str] = &["ld", "lld", "gold", "mold", "collect2", "ld64"];

/// What a compiler says of its own failure, wherever it runs.
const OWN_WORDS: &[&str] = &[
    "internal compiler error: ",
    "compiler error: ",
    "UNREACHABLE executed",
    "LLVM ERROR:",
    "error in backend",
    "panic: ",
];

/// The step that died according to a driver's messages; `None` where they do not say. Where a compiler
/// died, what died after it does not count.
pub fn dead_step(messages: &str) -> Option<Step> {
    let lines = || messages.lines().map(str::trim);
    // A linker that runs LLVM's passes optimises at link time.
    let is_optimising = lines().any(|line| line.contains("Running pass"));
    let died = |line: &str| match death(line)? {
        Step::Link if is_optimising => Some(Step::Compile),
        step => Some(step),
    };
    let dead: Vec<Step> = lines().filter_map(died).collect();
    dead.into_iter().min()
}

/// The step whose program a line of messages comes from: `/usr/bin/ld: final link failed`.
pub fn speaker(line: &str) -> Option<Step> {
    let (name, _) = line.trim().split_once(": ")?;
    // The assembler names its input, and the line.
    let is_input = name.starts_with("{standard input}") || name.ends_with(".s");
    if is_input || name.contains(".s:") {
        return Some(Step::Assemble);
    }
    step_of(name)
}

/// The step that a line says died.
fn death(line: &str) -> Option<Step> {
    if let Some(program) = dead_program(line) {
        return step_of(program);
    }
    if let Some((before, after)) = line.split_once(" command failed ") {
        // An exit code that is not of a signal is a rejection.
        let code = after.strip_prefix("with exit code ").map(leading_number);
        let step = match before.split_whitespace().next_back()? {
            "linker" => Step::Link,
            "assembler" => Step::Assemble,
            "frontend" => Step::Compile,
            _ => return None,
        };
        let died = step == Step::Compile || code.is_none_or(|code| code > 128);
        return died.then_some(step);
    }
    if let Some((_, arguments)) = line.split_once("Program arguments: ") {
        return step_of(arguments.split_whitespace().next()?);
    }
    let is_assertion = line.contains("Assertion `") && line.contains("failed");
    let is_internal = line.contains("internal error") || line.contains("Internal error");
    if line.contains("BFD") && (line.contains("assertion fail") || is_internal) {
        return Some(speaker(line).filter(|step| *step != Step::Compile).unwrap_or(Step::Link));
    }
    if is_internal {
        let source = [("/gas/", Step::Assemble), ("/bfd/", Step::Link), ("/gold/", Step::Link)];
        let of_source = || source.iter().find(|(folder, _)| line.contains(folder)).map(|(_, s)| *s);
        return speaker(line).filter(|step| *step != Step::Compile).or_else(of_source);
    }
    if is_assertion {
        // LLVM's libraries may be part of a linker.
        let is_llvm = line.contains("/llvm/lib/") || line.contains("/llvm/include/");
        return Some(speaker(line).filter(|_| !is_llvm).unwrap_or(Step::Compile));
    }
    OWN_WORDS.iter().any(|words| line.contains(words)).then_some(Step::Compile)
}

/// The program that a line says was killed: `signal terminated program as`, `Killed (program cc1)`, `ld
/// terminated with signal 11`.
fn dead_program(line: &str) -> Option<&str> {
    for words in ["signal terminated program ", " (program "] {
        if let Some((_, name)) = line.split_once(words) {
            return name.split([' ', ')']).next();
        }
    }
    line.split_once(" terminated with signal ")?.0.split_whitespace().next_back()
}

/// The step that a program is for, by its name: `/usr/bin/aarch64-linux-gnu-ld.bfd`, `clang-16`.
fn step_of(program: &str) -> Option<Step> {
    let base = program.rsplit('/').next().unwrap_or(program).trim_matches(['\'', '"', ':']);
    let is_version = |c: char| c.is_ascii_digit() || c == '.';
    let bare = match base.rsplit_once('-') {
        Some((stem, version)) if version.chars().all(is_version) => stem,
        _ => base,
    };
    // A triple may stand before it.
    let is = |name: &str| {
        bare.strip_suffix(name).is_some_and(|triple| triple.is_empty() || triple.ends_with('-'))
    };
    if is("as") {
        return Some(Step::Assemble);
    }
    let last = bare.rsplit('-').next().unwrap_or(bare);
    if last.starts_with("ld.") || LINKERS.iter().any(|name| is(name)) {
        return Some(Step::Link);
    }
    COMPILERS.iter().any(|name| is(name)).then_some(Step::Compile)
}

fn leading_number(text: &str) -> u32 {
    text.split(|c: char| !c.is_ascii_digit()).next().and_then(|n| n.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_died() {
        let told = [
            (
                "collect2: fatal error: ld terminated with signal 11 [Segmentation fault], core dumped\ncompilation terminated.",
                Some(Step::Link),
            ),
            (
                "gcc: internal compiler error: Segmentation fault signal terminated program as\nPlease submit a full bug report",
                Some(Step::Assemble),
            ),
            (
                "gcc: internal compiler error: Aborted signal terminated program collect2",
                Some(Step::Link),
            ),
            (
                "gcc: internal compiler error: Segmentation fault signal terminated program cc1",
                Some(Step::Compile),
            ),
            ("gcc: internal compiler error: Killed (program cc1plus)", Some(Step::Compile)),
            (
                "gcc: fatal error: Killed signal terminated program lto1\ncollect2: fatal error: ld terminated with signal 11",
                Some(Step::Compile),
            ),
            (
                "clang: error: unable to execute command: Segmentation fault (core dumped)\nclang: error: linker command failed due to signal (use -v to see invocation)",
                Some(Step::Link),
            ),
            (
                "clang-16: error: unable to execute command: Aborted\nclang-16: error: assembler command failed due to signal",
                Some(Step::Assemble),
            ),
            (
                "clang: error: clang frontend command failed due to signal (use -v)",
                Some(Step::Compile),
            ),
            (
                "clang: error: clang frontend command failed with exit code 139 (use -v)",
                Some(Step::Compile),
            ),
            (
                "clang: error: linker command failed with exit code 1 (use -v to see invocation)",
                None,
            ),
            ("clang: error: linker command failed with exit code 139 (use -v)", Some(Step::Link)),
            (
                "PLEASE submit a bug report to x\nStack dump:\n0.\tProgram arguments: /usr/bin/ld.lld-16 -o a a.o\n",
                Some(Step::Link),
            ),
            (
                "PLEASE submit a bug report to x\nStack dump:\n0.\tProgram arguments: ld.lld a.o\n1.\tRunning pass 'X' on function '@f'",
                Some(Step::Compile),
            ),
            ("0.\tProgram arguments: /usr/lib/llvm-16/bin/clang -cc1 a.c\n", Some(Step::Compile)),
            ("clang: X.cpp:12: void f(): Assertion `x' failed.", Some(Step::Compile)),
            ("ld.lld: /b/lld/ELF/X.cpp:12: void f(): Assertion `x' failed.", Some(Step::Link)),
            (
                "ld.lld: /b/llvm/lib/CodeGen/X.cpp:12: void f(): Assertion `x' failed.",
                Some(Step::Compile),
            ),
            ("ld.lld: error: undefined symbol: f", None),
            (
                "/usr/bin/ld: BFD (GNU Binutils) 2.40 assertion fail ../../bfd/elflink.c:2812",
                Some(Step::Link),
            ),
            (
                "/usr/bin/x86_64-linux-gnu-ld: internal error ../../ld/ldlang.c 6635",
                Some(Step::Link),
            ),
            (
                "BFD (GNU Binutils) 2.40 internal error, aborting at ../../bfd/elf.c:12 in f",
                Some(Step::Link),
            ),
            (
                "/tmp/ccX.s:12: Internal error in frag_new at ../../gas/frags.c:123.",
                Some(Step::Assemble),
            ),
            ("/tmp/ccX.s:12: Error: operand type mismatch for `mov'", None),
            (
                "error: /usr/bin/x86_64-linux-gnu-ccom terminated with signal 11",
                Some(Step::Compile),
            ),
            (
                "error: /usr/bin/aarch64-linux-gnu-as terminated with signal 11",
                Some(Step::Assemble),
            ),
            (
                "a.c, line 4: compiler error: Cannot generate code, node 0x55 op ASSIGN",
                Some(Step::Compile),
            ),
            (
                "a.c:3:1: internal compiler error: in extract_insn, at recog.cc:2791",
                Some(Step::Compile),
            ),
            ("error: unable to execute command: Segmentation fault", None),
            ("Segmentation fault", None),
        ];
        for (text, want) in told {
            assert_eq!(dead_step(text), want, "{text}");
        }
    }

    #[test]
    fn who_speaks() {
        let told = [
            ("/usr/bin/ld: final link failed: memory exhausted", Some(Step::Link)),
            ("ld.gold: out of memory", Some(Step::Link)),
            ("/tmp/ccX.s:3: Error: no such instruction", Some(Step::Assemble)),
            ("{standard input}: Assembler messages:", Some(Step::Assemble)),
            ("as: out of memory", Some(Step::Assemble)),
            ("cc1: out of memory allocating 65536 bytes", Some(Step::Compile)),
            ("aarch64-linux-gnu-gcc-12: fatal error: no", Some(Step::Compile)),
            ("a.c:1:2: error: no", None),
        ];
        for (line, want) in told {
            assert_eq!(speaker(line), want, "{line}");
        }
    }
}
