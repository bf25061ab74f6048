//! `reproduce.sh`: its exit status says whether a bug is present, gone, or cannot be determined.
//!
//! Plain POSIX shell; `timeout` is used where it is there, and needed for hangs alone.

use std::fmt::Write;

use campaign::{AFTER, MODULE as FILE};
use finding::{SequenceSubject, Subject};
use oracle::{Expected, FailureKind};
use toolchain::Language;

use crate::markdown::title;
use crate::test::Test;
use crate::text::{one_line, quote, shell_line, single};

/// Seconds by the clock for a compilation and for a program, as generous as a hunt's limits.
const COMPILE: u32 = 180;
const RUN: u32 = 60;

/// Kilobytes of address space for a compiler that eats all it can get, as in a hunt.
const MEMORY: u32 = 4 << 20;

/// Words of compilers that died, whatever the compiler and the reason.
const DEATHS: &[&str] = &[
    "internal compiler error",
    "PLEASE submit a bug report",
    "Stack dump:",
    "LLVM ERROR",
    "error in backend",
    "compiler error:",
    "Segmentation fault",
];

/// The script. It lies beside the test's files.
pub fn script(test: &Test) -> String {
    if let Subject::Sequence(sequence) = &test.subject {
        return sequenced(test, sequence);
    }
    let default = shell_line(&test.recipe.compiler);
    let variable = match test.language {
        _ if test.is_module() => "OPT",
        Language::C => "CC",
        Language::Cxx => "CXX",
    };
    let program = test.recipe.compiler.first().map_or(String::new(), |word| quote(word));
    let mut text = format!(
        "#!/bin/sh\n# {title}\n#\n\
         # Exits with 0 while the bug is there, 1 when it is gone, 2 when that cannot be told.\n\
         # Usage: reproduce.sh [COMPILER], or {variable}=COMPILER reproduce.sh; else with {shown}.\n\n\
         cc=${{1:-${{{variable}:-}}}}\n\n\
         {EXIT_FUNCTIONS}\n\
         case $cc in\n\
         */*) cc=$(CDPATH='' cd -- \"$(dirname -- \"$cc\")\" && pwd)/$(basename -- \"$cc\") ;;\n\
         esac\n\
         CDPATH='' cd -- \"$(dirname -- \"$0\")\" || cannot_tell \"the folder of this script is gone\"\n\
         if [ -n \"$cc\" ]; then\n\
         \x20   command -v \"$cc\" >/dev/null || cannot_tell \"there is no $cc\"\n\
         else\n\
         \x20   command -v {program} >/dev/null || cannot_tell \"there is no \"{program}\n\
         fi\n",
        title = one_line(&title(test)),
        shown = one_line(&default),
    );
    text += &helpers(test, &default);
    text += FOLDER;
    text += &compilation(test);
    text += &match test.kind() {
        kind if kind.is_wrong_code() => wrong_code(test),
        FailureKind::Miscompilation => refuted(),
        FailureKind::CompilerHang => hang(),
        FailureKind::CompilerMemory => memory(),
        _ => crash_or_rejection(test),
    };
    text
}

/// The script for a sequence of LLVM's passes: clang, `opt`, `llc` and a linker, one after the other.
fn sequenced(test: &Test, sequence: &SequenceSubject) -> String {
    let version = sequence.library.major;
    let mut front: Vec<String> = sequence.level.clang_arguments().map(String::from).into();
    front.push("-w".into());
    front.extend(sequence.include.iter().flat_map(|dir| ["-I".to_string(), dir.clone()]));
    let units = &sequence.units;
    let mut steps = String::new();
    let mut modules = Vec::new();
    for (number, unit) in units.iter().enumerate() {
        let module = format!("\"$dir/{number}.bc\"");
        let _ = writeln!(
            steps,
            "\x20   limited {COMPILE} \"$clang\" {} {} -o {module} &&",
            shell_line(&front),
            quote(unit)
        );
        modules.push(module);
    }
    let _ = write!(
        steps,
        "\x20   limited {COMPILE} \"$link\" {} -o \"$dir/whole.bc\" &&\n\
         \x20   limited {COMPILE} \"$opt\" {} \"$dir/whole.bc\" -o \"$dir/optimised.bc\" &&\n\
         \x20   limited {COMPILE} \"$llc\" -O2 -relocation-model=pic -filetype=obj \"$dir/optimised.bc\" \
         -o \"$dir/optimised.o\" &&\n\
         \x20   limited {COMPILE} \"$clang\" \"$dir/optimised.o\" -o \"$dir/program\" -lm\n",
        modules.join(" "),
        single(&format!("-passes={}", sequence.passes)),
    );
    let clock = match test.kind() {
        FailureKind::RuntimeHang => {
            "command -v timeout >/dev/null || cannot_tell \"there is no timeout\"\n"
        }
        _ => "",
    };
    let head = format!(
        "#!/bin/sh\n# {}\n#\n\
         # Exits with 0 while the bug is there, 1 when it is gone, 2 when that cannot be told.\n\
         # Usage: reproduce.sh [VERSION]; else with LLVM {version}. CLANG, LINK, OPT and LLC name other tools.\n\n\
         version=${{1:-{version}}}\n\
         clang=${{CLANG:-clang-$version}}\n\
         link=${{LINK:-llvm-link-$version}}\n\
         opt=${{OPT:-opt-$version}}\n\
         llc=${{LLC:-llc-$version}}\n\n\
         {EXIT_FUNCTIONS}\n\
         CDPATH='' cd -- \"$(dirname -- \"$0\")\" || cannot_tell \"the folder of this script is gone\"\n\
         missing=\n\
         for tool in \"$clang\" \"$link\" \"$opt\" \"$llc\"; do\n\
         \x20   command -v \"$tool\" >/dev/null || missing=$tool\n\
         done\n\
         # Gainsay can do without them: it needs the library alone, and some clang.\n\
         if [ -n \"$missing\" ]; then\n\
         \x20   command -v gainsay >/dev/null || cannot_tell \"there is no $missing, and no gainsay\"\n\
         fi\n{clock}",
        one_line(&title(test)),
    );
    let own = format!(
        "\x20   if [ -n \"$missing\" ]; then\n\
         \x20       limited {COMPILE} gainsay llvm cc --lib \"$version\" {} -w {} -o \"$dir/program\" -lm\n\
         \x20       return\n\
         \x20   fi\n",
        shell_line(&test.flags),
        units.iter().map(|unit| quote(unit)).collect::<Vec<_>>().join(" "),
    );
    format!(
        "{head}{LIMITED}\ncompile() {{\n{own}{steps}}}\n{FOLDER}\
         messages=$(compile 2>&1)\nstatus=$?\n{}",
        wrong_code(test)
    )
}

/// The shell functions that end a script.
const EXIT_FUNCTIONS: &str = "there() { echo \"the bug is there: $1\"; exit 0; }
gone() { echo \"the bug is gone: $1\"; exit 1; }
cannot_tell() { echo \"cannot tell: $1\"; exit 2; }
";

const LIMITED: &str = "
limited() {
    seconds=$1
    shift
    if command -v timeout >/dev/null; then timeout \"$seconds\" \"$@\"; else \"$@\"; fi
}
";

const FOLDER: &str = "
dir=$(mktemp -d) || cannot_tell \"no temporary folder\"
trap 'rm -rf \"$dir\"' EXIT
";

/// Running things within limits.
fn helpers(test: &Test, default: &str) -> String {
    let needs_clock = matches!(test.kind(), FailureKind::CompilerHang | FailureKind::RuntimeHang);
    let mut text = String::new();
    if needs_clock {
        text += "command -v timeout >/dev/null || cannot_tell \"there is no timeout\"\n";
    }
    if let Some(program) = test.recipe.runner.first() {
        let program = quote(program);
        let _ = writeln!(
            text,
            "command -v {program} >/dev/null || cannot_tell \"there is no \"{program}"
        );
    }
    text += LIMITED;
    let _ = write!(
        text,
        "\ncompile() {{\n\x20   if [ -n \"$cc\" ]; then limited {COMPILE} \"$cc\" \"$@\"; \
         else limited {COMPILE} {default} \"$@\"; fi\n}}\n"
    );
    text
}

/// The steps; `$messages` and `$status` are those of the last.
fn compilation(test: &Test) -> String {
    let mut text = String::new();
    let Some((last, before)) = test.recipe.steps.split_last() else { return text };
    for step in before {
        let unit = step.iter().skip_while(|word| *word != "-c").nth(1);
        let unit = unit.map_or("it", String::as_str);
        let _ = writeln!(
            text,
            "messages=$(compile {} 2>&1) || cannot_tell {}\"$messages\"",
            arguments(step),
            single(&format!("{unit} does not compile: "))
        );
        if is_training(step) {
            let runner = runner(test);
            let _ = writeln!(
                text,
                "limited {RUN} {runner}\"$dir/program\" >/dev/null 2>&1 </dev/null || :"
            );
        }
    }
    let limit = match test.kind() {
        FailureKind::CompilerMemory => {
            format!("\n# shellcheck disable=SC3045\nmessages=$(ulimit -v {MEMORY}; ")
        }
        _ => "messages=$(".to_string(),
    };
    let _ = write!(text, "{limit}compile {} 2>&1)\nstatus=$?\n", arguments(last));
    text
}

/// Arguments, with what is written going to the temporary folder.
fn arguments(step: &[String]) -> String {
    let one = |word: &String| match word.as_str() {
        "program" => "\"$dir/program\"".to_string(),
        object if (object.ends_with(".o") || object == AFTER) && !object.contains('/') => {
            format!("\"$dir\"/{}", quote(object))
        }
        word => quote(word),
    };
    step.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Whether a step makes a program that is run for its profile, which lies beside it then.
fn is_training(step: &[String]) -> bool {
    oracle::is_training(&step.iter().map(Into::into).collect::<Vec<_>>())
}

/// What stands before a compiled program.
fn runner(test: &Test) -> String {
    test.recipe.runner.iter().map(|word| format!("{} ", quote(word))).collect()
}

fn wrong_code(test: &Test) -> String {
    let mut text =
        "[ \"$status\" -eq 0 ] || cannot_tell \"it does not compile: $messages\"\n".to_string();
    let Expected { stdout, status } = test.expected.clone().unwrap_or_default();
    text += &expected(&stdout);
    let runner = runner(test);
    let _ = write!(
        text,
        "limited {RUN} {runner}\"$dir/program\" >\"$dir/got\" 2>/dev/null </dev/null\n\
         status=$?\n\
         if [ \"$status\" -eq {status} ] && cmp -s \"$dir/expected\" \"$dir/got\"; then\n\
         \x20   gone \"it prints the expected output\"\n\
         fi\n"
    );
    if stdout.split(|b| *b == b'\n').any(|line| line.starts_with(b"float ")) {
        let _ = write!(
            text,
            "for file in expected got; do grep -v '^float ' \"$dir/$file\" >\"$dir/$file.exact\"; done\n\
             if [ \"$status\" -eq {status} ] && cmp -s \"$dir/expected.exact\" \"$dir/got.exact\"; then\n\
             \x20   cannot_tell \"only floating-point results differ, perhaps within the tolerance\"\n\
             fi\n"
        );
    }
    text += "there \"exit status $status, and it differs from what it must print (<):\n\
             $(diff \"$dir/expected\" \"$dir/got\" | head -n 10)\"\n";
    text
}

/// Writes `$dir/expected`.
fn expected(stdout: &[u8]) -> String {
    const END: &str = "END_OF_EXPECTED";
    let plain = |b: &u8| matches!(b, b'\n' | b'\t' | b' '..=b'~');
    let text = String::from_utf8_lossy(stdout);
    if stdout.is_empty() {
        return ": >\"$dir/expected\"\n".into();
    }
    if stdout.ends_with(b"\n") && stdout.iter().all(plain) && text.lines().all(|line| line != END) {
        return format!("cat >\"$dir/expected\" <<'{END}'\n{text}{END}\n");
    }
    // Bytes that a here-document cannot hold, by number; a line for each sixteen.
    let mut script = "{\n".to_string();
    for some in stdout.chunks(16) {
        let bytes: String = some.iter().map(|byte| format!("\\{byte:03o}")).collect();
        let _ = writeln!(script, "    printf '{bytes}'");
    }
    script + "} >\"$dir/expected\"\n"
}

/// Whether what the passes left means what the module meant is for Gainsay to say.
fn refuted() -> String {
    format!(
        "[ \"$status\" -eq 0 ] || cannot_tell \"the passes fail: $messages\"\n\
         gainsay=${{GAINSAY:-gainsay}}\n\
         command -v \"$gainsay\" >/dev/null || cannot_tell \"there is no $gainsay to ask\"\n\
         report=$(limited {COMPILE} \"$gainsay\" llvm verify {FILE} \"$dir/{AFTER}\" 2>&1)\n\
         case $? in\n\
         0) gone \"the result refines the module\" ;;\n\
         1) there \"$report\" ;;\n\
         esac\n\
         cannot_tell \"$report\"\n"
    )
}

fn hang() -> String {
    format!(
        "case $status in\n\
         124) there \"the compiler does not end in {COMPILE} seconds\" ;;\n\
         0) gone \"it compiles\" ;;\n\
         esac\n\
         cannot_tell \"it does not compile: $messages\"\n"
    )
}

fn memory() -> String {
    format!(
        "[ \"$status\" -ne 0 ] || gone \"it compiles\"\n\
         case $messages in\n\
         *[Oo]'ut of memory'* | *'memory exhausted'* | *'annot allocate'* | *bad_alloc*)\n\
         \x20   there \"it needs more than {MEMORY} KB: $messages\" ;;\n\
         esac\n\
         [ \"$status\" -lt 124 ] || there \"the compiler is killed with {MEMORY} KB\"\n\
         cannot_tell \"it does not compile: $messages\"\n"
    )
}

/// A crash or a rejection is recognised by its message.
fn crash_or_rejection(test: &Test) -> String {
    let mut text = String::new();
    let known = match test.is_module() {
        true => module_words(&test.summary()),
        false => known_by(&test.found.finding.signature, test.kind()),
    };
    if let Some(pattern) = &known {
        let _ = write!(text, "case $messages in\n{pattern}) there \"$messages\" ;;\nesac\n");
    }
    if test.found.finding.signature.contains("exit status 0, but ") {
        text += "[ \"$status\" -eq 0 ] && ! [ -x \"$dir/program\" ] && there \"no executable and no message\"\n";
    }
    text += "[ \"$status\" -ne 0 ] || gone \"it compiles\"\n";
    if matches!(test.kind(), FailureKind::CompilerCrash | FailureKind::InvalidIr) {
        let deaths: Vec<String> =
            DEATHS.iter().map(|words| format!("*{}*", single(words))).collect();
        let then = match known {
            Some(_) => "cannot_tell \"the compiler dies with other words: $messages\"",
            None => "there \"$messages\"",
        };
        let _ =
            write!(text, "case $messages in\n{})\n\x20   {then} ;;\nesac\n", deaths.join(" | "));
        let _ = writeln!(text, "[ \"$status\" -lt 128 ] || {then}");
    }
    text + "cannot_tell \"it does not compile: $messages\"\n"
}

/// What LLVM prints, as a pattern of `case`: its reason, or the verifier's complaint.
fn module_words(summary: &str) -> Option<String> {
    let told = match summary.strip_prefix("invalid IR") {
        Some(rest) => rest.rsplit_once(": ")?.1,
        None => summary.strip_prefix("LLVM ERROR: ")?.lines().next()?,
    };
    // Names in quotes are those of the module it was found with.
    let parts: Vec<String> = told.trim().split('\'').step_by(2).map(single).collect();
    (!told.trim().is_empty()).then(|| format!("*{}*", parts.join("*")))
}

/// The part of a signature that stands in messages of all versions, as a pattern of `case`.
fn known_by(signature: &str, kind: FailureKind) -> Option<String> {
    let told = signature.strip_prefix(kind.name())?.trim_start();
    // Behind the kind stands who made the compiler.
    let told = told.split_once(' ')?.1;
    let told = told.split('…').next()?;
    let part = match () {
        () if kind == FailureKind::Rejection => told.to_string(),
        () if told.starts_with("exit status 0, but ") => return None,
        () if told.contains("Assertion `") => told[told.find("Assertion `")?..].to_string(),
        () if told.starts_with("unreachable at ") => "UNREACHABLE executed at".into(),
        () if told.starts_with("linker's assertion") => "assertion fail".into(),
        () => match told.rsplit_once(", at ") {
            // `in f, at x.cc:12`: the line is another one in the next version, the suffix was.
            Some((what, place)) if place.contains(':') => {
                let function = &what[what.rfind("in ")?..];
                format!("{function}, at {}", place.split('.').next()?)
            }
            _ => {
                let ends = [", during ", ", pass ", ", in "];
                let end = ends.iter().filter_map(|words| told.find(words)).min();
                told[..end.unwrap_or(told.len())].to_string()
            }
        },
    };
    // A signal's name is ours, and says nothing; so do flags where there was no message.
    if part.contains("SIG")
        || part == "no message"
        || part.starts_with('-')
        || part.trim().is_empty()
    {
        return None;
    }
    let parts: Vec<String> = part
        .split('#')
        .map(|text| if text.is_empty() { String::new() } else { single(text) })
        .collect();
    Some(format!("*{}*", parts.join("*")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_crashes_are_known_by() {
        let known = |signature| known_by(signature, FailureKind::CompilerCrash);
        let cases = [
            (
                "compiler-crash gcc in gimplify_expr, at gimplify.cc:15905",
                "*'in gimplify_expr, at gimplify'*",
            ),
            (
                "compiler-crash gcc tree check: expected x, have y in f, at tree.h:3",
                "*'in f, at tree'*",
            ),
            (
                "compiler-crash clang X.cpp:12: Assertion `a && b' failed",
                r"*'Assertion `a && b'\'' failed'*",
            ),
            (
                "compiler-crash pcc Cannot generate code, node # op %",
                "*'Cannot generate code, node '*' op %'*",
            ),
            (
                "compiler-crash gcc verify_ssa failed, during GIMPLE pass: x, in f < g",
                "*'verify_ssa failed'*",
            ),
        ];
        for (signature, want) in cases {
            assert_eq!(known(signature).as_deref(), Some(want), "{signature}");
        }
        for nothing in [
            "compiler-crash gcc-12 -O2 SIGSEGV",
            "compiler-crash gcc SIGSEGV of cc1, during RTL pass: combine",
            "compiler-crash gcc exit status 0, but there is no executable",
        ] {
            assert_eq!(known(nothing), None, "{nothing}");
        }
        assert_eq!(
            known_by("rejection clang use of 'x#'", FailureKind::Rejection).as_deref(),
            Some(r"*'use of '\''x'*''\'''*")
        );
    }

    #[test]
    fn any_output_can_be_expected() {
        assert!(expected(b"1\n2\n").ends_with("<<'END_OF_EXPECTED'\n1\n2\nEND_OF_EXPECTED\n"));
        assert_eq!(expected(b""), ": >\"$dir/expected\"\n");
        assert!(expected(b"no newline").contains("printf '\\156\\157"));
        assert!(expected(b"END_OF_EXPECTED\n").contains("printf '\\105"));
        assert!(expected(b"\x00\xff\n").contains("printf '\\000\\377\\012'"));
    }
}
