//! The probes against gcc and the machine.

use super::*;
use cmachine::{Exit, MachineConfig, Outcome};
use ctree::Program;
use ctree::target::DataModel;

use crate::Preprocessor;

/// The expectation is what gcc prints, and what the machine prints.
#[test]
fn the_machine_and_gcc_agree_on_the_model() {
    let scratch = Scratch::new().expect("a temporary folder");
    let gcc = [OsString::from("gcc")];
    for (language, command) in [(Language::C, "gcc"), (Language::Cxx, "g++")] {
        if crate::on_path(command).is_none() {
            assert!(std::env::var_os("CI").is_none(), "set-up installs {command}: CI skips none");
            continue;
        }
        let command = [OsString::from(command)];
        let bench = CompilerProbe {
            command: &command,
            runner: &[],
            root: None,
            language,
            scratch: &scratch,
        };
        assert_eq!(bench.model(), ModelCheck::Same, "{command:?}");
        assert_eq!(bench.lacks(), [""; 0], "{command:?}");
    }
    let file = scratch.file("model.c");
    fs::write(&file, MODEL).expect("a file");
    let Ok(text) = Preprocessor::with_compiler(&gcc[0]).run(&file) else {
        assert!(std::env::var_os("CI").is_none(), "set-up installs gcc: CI skips none");
        return;
    };
    let mut program = Program::new(DataModel::X86_64_SYSV);
    cparse::parse_unit(&mut program, "model.c", &text).expect("the parser knows all of it");
    let report = cmachine::run(&program, &MachineConfig::default());
    assert_eq!(report.outcome, Outcome::Finished(Exit::Status(0)));
    assert_eq!(String::from_utf8_lossy(&report.stdout), EXPECTED);
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
