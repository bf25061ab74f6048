//! Printed text against real compilers: they accept it, and simple programs behave the same
//! whatever the compiler and level. Compilers that are not installed are left out.

use cgen::smith::{Bounds, Options, revert_relaxations};
use choice::Choices;
use cmachine::{MachineConfig, Outcome};
use ctree::{Program, UnitId};
use sandbox::{Ended, Run, Scratch};
use std::time::Duration;

/// Far more than a compiler needs for a few kilobytes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

const COMPILERS: [&str; 2] = ["gcc", "clang-16"];

fn text(program: &Program) -> String {
    ctree::print::print_unit(program, UnitId(0))
}

fn installed() -> Vec<&'static str> {
    let answers = |cc: &&str| Run::new(*cc, PATIENCE).arg("--version").finish().success().is_some();
    let found: Vec<&str> = COMPILERS.into_iter().filter(answers).collect();
    let all = found.len() == COMPILERS.len();
    assert!(
        all || std::env::var_os("CI").is_none(),
        "set-up installs {COMPILERS:?}: CI skips none"
    );
    found
}

fn diagnostics(ended: Ended) -> String {
    match ended {
        Ended::Finished(finished) => finished.stderr.text(),
        other => format!("{other:?}"),
    }
}

#[test]
fn compilers_accept_wild_units() {
    for cc in installed() {
        // A sample of the round-trip test's seeds: starting a compiler is what takes the time.
        for seed in (0..1000).step_by(20) {
            let source = text(&ctestgen::wild(&mut Choices::new(seed)));
            let flags = ["-std=gnu11", "-w", "-fsyntax-only", "-xc", "-"];
            let run = Run::new(cc, PATIENCE).args(flags).stdin(source);
            if run.finish().success().is_none() {
                panic!("{cc} refuses wild {seed}: {}", diagnostics(run.finish()));
            }
        }
    }
}

/// What a program prints, by each compiler at two levels.
fn outputs(what: &str, source: &str) -> Vec<(&'static str, &'static str, String)> {
    let scratch = Scratch::new().expect("a temporary folder");
    let program = scratch.file("program");
    let mut outputs = Vec::new();
    for cc in installed() {
        for level in ["-O0", "-O2"] {
            let compile = Run::new(cc, PATIENCE)
                .args(["-std=gnu11", "-w", level, "-xc", "-", "-o"])
                .arg(&program)
                .stdin(source.to_string());
            if compile.finish().success().is_none() {
                panic!("{cc} refuses {what}: {}", diagnostics(compile.finish()));
            }
            let run = Run::new(&program, PATIENCE).finish();
            let Some(finished) = run.success() else { panic!("{cc} {level} {what} failed") };
            outputs.push((cc, level, finished.stdout.text()));
        }
    }
    outputs
}

#[test]
fn simple_programs_print_the_same_everywhere() {
    for seed in 0..10 {
        let source = text(&ctestgen::simple(&mut Choices::new(seed)));
        let outputs = outputs(&format!("simple {seed}"), &source);
        assert!(outputs.windows(2).all(|w| w[0].2 == w[1].2), "simple {seed}: {outputs:?}");
    }
}

/// Relaxed, harmful relaxations reverted, redundant checks removed, wrappers in all three forms: compilers print what the
/// machine says, which sees functions where they see macros.
#[test]
fn programs_of_smith_print_what_the_machine_says() {
    let config = MachineConfig { fuel: 300_000, stack: 256 << 10, ..MachineConfig::default() };
    let options = Options::default();
    for seed in 0..12 {
        let mut made =
            revert_relaxations(&Bounds::default().draw(seed), &options, &config).generated;
        let report =
            cgen::redundant_checks::remove_redundant_checks(&mut made.program, &config).report;
        if !matches!(report.outcome, Outcome::Finished(_)) {
            continue;
        }
        let expected = String::from_utf8_lossy(&report.stdout).into_owned();
        for (cc, level, output) in outputs(&format!("smith {}", made.tuple), &made.text()) {
            assert_eq!(output, expected, "{cc} {level}: smith {}", made.tuple);
        }
    }
}
