//! The probes against gcc and the machine.

use super::*;
use cmachine::{Exit, MachineConfig, Outcome};
use ctree::Program;

use crate::Preprocessor;

/// The expectation is what gcc prints, and what the machine prints.
#[test]
fn the_machine_and_gcc_agree_on_the_model() {
    let scratch = Scratch::new().expect("a temporary folder");
    for (language, command) in [(Language::C, "gcc"), (Language::Cxx, "g++")] {
        if crate::on_path(command).is_none() {
            assert!(std::env::var_os("CI").is_none(), "set-up installs {command}: CI skips none");
            continue;
        }
        let command = [OsString::from(command)];
        let bench = CompilerProbe {
            command: &command,
            runner: &Runner::Native,
            root: None,
            language,
            scratch: &scratch,
        };
        assert_eq!(bench.model(), ModelCheck::Same(Some(Abi::Lp64)), "{command:?}");
        assert_eq!(bench.lacks(), [""; 0], "{command:?}");
    }
    for (abi, expected) in EXPECTED {
        let compiler = if abi == Abi::Lp64 { "gcc" } else { NARROW };
        let file = scratch.file("model.c");
        fs::write(&file, MODEL).expect("a file");
        let preprocessor = Preprocessor::with_compiler(compiler).for_abi(abi);
        // Registers of 80 bits would make it another model.
        let preprocessor = preprocessor.option("-mfpmath=sse").option("-msse2");
        let Ok(text) = preprocessor.run(&file) else {
            assert!(std::env::var_os("CI").is_none(), "set-up installs {compiler}: CI skips none");
            continue;
        };
        let mut program = Program::new(abi.model());
        cparse::parse_unit(&mut program, "model.c", &text).expect("the parser knows all of it");
        let report = cmachine::run(&program, &MachineConfig::default());
        assert_eq!(report.outcome, Outcome::Finished(Exit::Status(0)), "{abi:?}");
        let printed = String::from_utf8_lossy(&report.stdout);
        if std::env::var_os("BLESS").is_some() && abi != Abi::Lp64 {
            let name = format!("src/probe/model-{}.expected", abi.name());
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
            fs::write(path, printed.as_bytes()).expect("it is written");
        } else {
            assert_eq!(printed, expected, "{abi:?}");
        }
    }
}

/// A cross compiler of Debian's for i386, whose headers those of other ILP32 targets are like.
const NARROW: &str = "i686-linux-gnu-gcc";

#[test]
fn a_compiler_for_i386_has_its_model() {
    if crate::on_path(NARROW).is_none() {
        assert!(std::env::var_os("CI").is_none(), "set-up installs {NARROW}: CI skips none");
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let command = [NARROW, "-msse2", "-mfpmath=sse"].map(OsString::from);
    let runner = crate::processor::runner("i686-linux-gnu", &command, &[]).expect("qemu-i386");
    for (runner, is_run) in [(&runner, true), (&Runner::CompileOnly, false)] {
        let (language, scratch) = (Language::C, &scratch);
        let bench = CompilerProbe { command: &command, runner, root: None, language, scratch };
        assert_eq!(bench.model(), ModelCheck::Same(Some(Abi::I386)), "run: {is_run}");
        let lacks = bench.lacks();
        assert!(lacks.contains(&"__int128"), "{lacks:?}");
        assert_eq!(lacks.contains(&"__builtin_clzl"), is_run, "its result is another: {lacks:?}");
    }
    // Registers of 80 bits.
    let command = [OsString::from(NARROW), "-mno-sse".into()];
    let bench = CompilerProbe {
        command: &command,
        runner: &runner,
        root: None,
        language: Language::C,
        scratch: &scratch,
    };
    let ModelCheck::Bad(why) = bench.model() else { panic!("it rounds twice") };
    assert!(why.contains("floating point is evaluated as its type: 0"), "{why}");
}

#[test]
fn complaints_are_one_line() {
    let gcc = "a.c: In function 'main':\na.c:1:2: error: no\n    1 | x\n";
    assert_eq!(complaint(gcc), "a.c:1:2: error: no");
    assert_eq!(complaint("\n  sorry\n"), "sorry");
    assert_eq!(complaint(""), "");
}

#[test]
fn what_is_said_about_flags() {
    for refused in [
        "gcc: error: unrecognized command-line option '-fnope'",
        "cc1: error: bad value ('nope') for '-march=' switch",
        "clang: error: unknown argument: '-fnope'",
        "error: unknown target CPU 'nope'",
        "mycc: -O2 is not known",
    ] {
        assert_eq!(is_about_flags(refused).as_deref(), Some(refused));
    }
    for other in ["a.c:1:2: error: too few arguments", "x\u{1}-O\u{fffd}", "", "a.c:1: error: no"] {
        assert_eq!(is_about_flags(other), None, "{other}");
    }
}
