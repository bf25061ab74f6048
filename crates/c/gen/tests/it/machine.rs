//! Simple programs in the abstract machine: they finish, and print what a compiler's program
//! prints. Each of the two checks the other, and both check the generator.

use choice::Choices;
use cmachine::{Exit, MachineConfig, Outcome};
use ctree::{Program, UnitId};
use sandbox::{Run, Scratch};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

/// What the machine makes of the tree as it was built, not as text.
fn machine(seed: u64, program: &Program) -> String {
    let report = cmachine::run(program, &MachineConfig::default());
    assert_eq!(report.outcome, Outcome::Finished(Exit::Status(0)), "simple {seed}");
    String::from_utf8_lossy(&report.stdout).into_owned()
}

#[test]
fn the_machine_finishes_simple_programs() {
    for seed in 0..300 {
        let output = machine(seed, &ctestgen::simple(&mut Choices::new(seed)));
        assert!(output.starts_with("checksum = "), "simple {seed}: {output}");
    }
}

#[test]
fn the_machine_agrees_with_gcc() {
    if Run::new("gcc", PATIENCE).arg("--version").finish().success().is_none() {
        assert!(std::env::var_os("CI").is_none(), "set-up installs gcc: CI skips nothing");
        eprintln!("skipped: gcc is not installed");
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let binary = scratch.file("program");
    for seed in 300..320 {
        let program = ctestgen::simple(&mut Choices::new(seed));
        let compile = Run::new("gcc", PATIENCE)
            .args(["-std=gnu11", "-w", "-O0", "-xc", "-", "-o"])
            .arg(&binary)
            .stdin(ctree::print::print_unit(&program, UnitId(0)));
        assert!(compile.finish().success().is_some(), "gcc refuses simple {seed}");
        let Some(native) = Run::new(&binary, PATIENCE).finish().success() else {
            panic!("simple {seed} fails natively");
        };
        assert_eq!(machine(seed, &program), native.stdout.text(), "simple {seed}");
    }
}
