//! `cargo xtask test`: every test is an ordinary cargo test, so this is short.
//!
//! With cargo-nextest where it is installed: it runs the tests of all crates side by side, where
//! `cargo test` takes one crate after the other. Packages are installed while the tests are compiled.

use std::env;
use std::process::Command;

use crate::setup::{self, Group};
use crate::tidy::{doc_tests, rust_files};
use crate::workspace::{Workspace, succeeds};
use crate::{Found, Result, say};

/// Sets up and runs all tests of the workspace.
pub fn main(workspace: &Workspace, setup: bool, args: &[String]) -> Result<Found> {
    let runner = Runner::find(workspace);
    say(&format!("all tests, with {}", runner.words().join(" ")));
    if setup {
        let installing = setup::start(workspace, Group::Test)?;
        let built =
            !installing.pending() || succeeds(&mut runner.command(workspace, &["--no-run"]))?;
        installing.finish()?;
        if !built {
            return Ok(Found::Something);
        }
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let passed = match env::var_os("CI") {
        Some(_) => in_ci(workspace, &args)?,
        None => succeeds(&mut runner.command(workspace, &args))? && documented(workspace)?,
    };
    Ok(if passed { Found::Nothing } else { Found::Something })
}

/// Runs all tests as CI does: whether they pass.
pub fn in_ci(workspace: &Workspace, args: &[&str]) -> Result<bool> {
    // One failure must not hide the others from whoever reads the log.
    let args = [&["--no-fail-fast"], args].concat();
    let mut tests = Runner::find(workspace).command(workspace, &args);
    // No test is skipped because what it needs is not installed.
    Ok(succeeds(tests.env("CI", "true"))? && documented(workspace)?)
}

/// Runs tests that stand in the documentation, if there are any: rustdoc would otherwise read every
/// crate for nothing.
fn documented(workspace: &Workspace) -> Result<bool> {
    for file in rust_files(&workspace.root.join("crates"))? {
        let text =
            std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        if doc_tests(&text) {
            return succeeds(&mut workspace.cargo(&["test", "--doc", "--workspace", "--locked"]));
        }
    }
    Ok(true)
}

/// Who runs the tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Runner {
    Nextest,
    Cargo,
}

impl Runner {
    fn find(workspace: &Workspace) -> Runner {
        let asked = workspace.cargo(&["nextest", "--version"]).output();
        let there = asked.is_ok_and(|output| output.status.success());
        if there { Runner::Nextest } else { Runner::Cargo }
    }

    fn words(self) -> &'static [&'static str] {
        match self {
            Runner::Nextest => &["nextest", "run", "--workspace", "--locked"],
            Runner::Cargo => &["test", "--workspace", "--locked", "--lib", "--bins", "--tests"],
        }
    }

    fn command(self, workspace: &Workspace, more: &[&str]) -> Command {
        workspace.cargo(&[self.words(), more].concat())
    }
}
