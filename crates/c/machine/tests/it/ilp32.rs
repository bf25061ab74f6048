//! The machine under i386's data model, against a compiler for it.
//!
//! Every program of `tests/ilp32` must finish; of those of `tests/defined`, which were written for LP64, each that
//! finishes must do what the compiler's program does. Where the cross compiler is missing, CI fails.

// Only `sandbox` starts processes in the product; a test may.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::path::Path;
use std::process::Command;

use cmachine::{Exit, MachineConfig, Outcome, run};
use ctree::{Abi, Program};

use crate::language::programs;

const GCC: &str = "i686-linux-gnu-gcc";

/// Arithmetic in registers of 80 bits is not C's with `FLT_EVAL_METHOD` 0.
const FLAGS: &[&str] = &["-std=gnu17", "-w", "-msse2", "-mfpmath=sse"];

/// `max_align_t` of i386 has a `__float128` in it, which the parser refuses; no program here needs it.
const HEADERS: &[&str] = &["-D_GCC_MAX_ALIGN_T"];

/// Enough for every program here.
const FUEL: u64 = 5_000_000;

fn has_compiler() -> bool {
    let is_there = Command::new(GCC).arg("--version").output().is_ok();
    assert!(is_there || std::env::var_os("CI").is_none(), "set-up installs {GCC}: CI skips none");
    is_there
}

/// What the machine makes of a program as i386's headers have it.
fn execute(path: &Path) -> Result<(Outcome, Vec<u8>), String> {
    let text = Command::new(GCC)
        .args(FLAGS)
        .args(HEADERS)
        .arg("-E")
        .arg(path)
        .output()
        .expect("it is there");
    let text = String::from_utf8(text.stdout).expect("text");
    let mut program = Program::new(Abi::I386.model());
    let name = path.display().to_string();
    cparse::parse_unit(&mut program, &name, &text).map_err(|error| error.message)?;
    let report = run(&program, &MachineConfig { fuel: FUEL, ..MachineConfig::default() });
    Ok((report.outcome, report.stdout))
}

/// What the compiler's program does, at a level that keeps what the program says.
fn reference(path: &Path) -> (Exit, Vec<u8>) {
    let name = path.file_stem().expect("a name").to_string_lossy();
    let exe = format!("{}/{name}-i386-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let status = Command::new(GCC).args(FLAGS).args(["-O0", "-o", &exe]).arg(path).status();
    assert!(status.is_ok_and(|status| status.success()), "{GCC} refuses {}", path.display());
    let output = Command::new("qemu-i386").args(["-L", "/usr/i686-linux-gnu", &exe]).output();
    let output = output.expect("set-up installs qemu-i386");
    fs::remove_file(&exe).expect("it was made");
    let exit = output.status.code().map_or(Exit::Abort, |code| Exit::Status(code as u8));
    (exit, output.stdout)
}

/// Programs that finish, and what is wrong with any.
fn check(paths: &[std::path::PathBuf]) -> (Vec<String>, Vec<String>) {
    let (mut finished, mut wrong) = (Vec::new(), Vec::new());
    for path in paths {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        match execute(path) {
            Ok((Outcome::Finished(exit), stdout)) => {
                let want = reference(path);
                if want != (exit, stdout.clone()) {
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                    wrong.push(format!(
                        "{name}: {exit:?}\n{}not {:?}\n{}",
                        text(&stdout),
                        want.0,
                        text(&want.1)
                    ));
                }
                finished.push(name);
            }
            Ok((Outcome::Internal(why), _)) => wrong.push(format!("{name}: our bug: {why}")),
            Ok((other, _)) => eprintln!("{name}: {other:?}"),
            Err(why) => eprintln!("{name}: {why}"),
        }
    }
    (finished, wrong)
}

#[test]
fn programs_for_i386() {
    if has_compiler() {
        let paths = programs("ilp32");
        let (finished, wrong) = check(&paths);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert_eq!(finished.len(), paths.len(), "all of them have a result: {finished:?}");
    }
}

#[test]
fn programs_that_are_defined_here_and_there() {
    if has_compiler() {
        let paths = programs("defined");
        let (finished, wrong) = check(&paths);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(finished.len() * 4 > paths.len() * 3, "{} of {}", finished.len(), paths.len());
    }
}
