//! What the tests share: compilers and cases made by hand.

use std::sync::Arc;
use std::time::Duration;

use oracle::{Case, Expected, Failure, Lab, SourceFile};
use sandbox::{Run, Scratch};
use toolchain::{Compiler, Family, Language, Target};

/// Whether a compiler is installed. CI has what set-up installs, and skips nothing.
pub fn is_installed(program: &str) -> bool {
    let there = Run::new(program, Duration::from_secs(60)).arg("--version").finish().success();
    assert!(there.is_some() || std::env::var_os("CI").is_none(), "set-up installs {program}");
    there.is_some()
}

pub fn compiler(family: Family, name: &str, version: &str, command: &[&str]) -> Arc<Compiler> {
    Arc::new(Compiler {
        family,
        name: name.into(),
        version: version.into(),
        triple: "x86_64-linux-gnu".into(),
        c: command.iter().map(Into::into).collect(),
        cxx: None,
        runner: Default::default(),
        abi: Some(toolchain::Abi::Lp64),
        levels: ["-O0", "-O1", "-O2", "-Os", "-O3"].map(String::from).to_vec(),
        extras: Vec::new(),
        drawn: Default::default(),
        lacks: Vec::new(),
        checks: None,
        root: None,
    })
}

pub fn target(compiler: &Arc<Compiler>, flags: &str) -> Target {
    let flags = flags.split_whitespace().map(String::from).collect();
    Target { compiler: compiler.clone(), flags }
}

pub fn case(source: &str, stdout: &str) -> Case {
    Case {
        language: Language::C,
        files: vec![SourceFile { name: "test.c".into(), bytes: source.into() }],
        standard: None,
        harness: None,
        include: Vec::new(),
        expected: Some(Expected { stdout: stdout.into(), status: 0 }),
        omitted: Default::default(),
    }
}

/// The failure of `bad`, as it is seen there.
pub fn failure(lab: &Lab, case: &Case, bad: Target, right: Vec<Target>) -> Failure {
    let scratch = Scratch::new().expect("a folder");
    lab.write(case, scratch.path()).expect("it is written");
    let seen = lab.observe(case, scratch.path(), &bad).expect("an observation").seen;
    let fault = seen.fault(case).unwrap_or_else(|| panic!("no fault: {seen:?}"));
    Failure { fault, bad: vec![bad], right, baseline: None }
}
