//! `cargo xtask hunt`: from a fresh clone to a hunt of half a minute with one command.
//!
//! What a hunt needs is installed while `gainsay` is compiled: neither waits for the other.

use std::env;
use std::path::PathBuf;

use crate::setup::{self, Group};
use crate::workspace::{Workspace, command, succeeds};
use crate::{Found, Result, say};

/// Hunts on this terminal; `args` replace our own.
pub fn main(workspace: &Workspace, setup: bool, args: &[String]) -> Result<Found> {
    say(
        "to hunt: compilers to test, then gainsay in release (minutes, the first time), then the hunt",
    );
    let installing = setup.then(|| setup::start(workspace, Group::Hunt)).transpose()?;
    let built = gainsay(workspace);
    installing.map_or(Ok(()), setup::Installing::finish)?;
    let gainsay = built?;
    let mut words = vec!["hunt".to_string()];
    if args.is_empty() {
        let dir = workspace.target.join("hunt").display().to_string();
        words.extend(["--for", "30s", "--hunt", &dir].map(String::from));
    }
    words.extend_from_slice(args);
    say(&format!("{} {}", workspace.shown(&gainsay), words.join(" ")));
    let status = command(&gainsay).args(&words).status();
    match status.map_err(|e| format!("{} cannot be started: {e}", gainsay.display()))?.code() {
        Some(0) => Ok(Found::Nothing),
        Some(1) => Ok(Found::Something),
        // It has said why.
        Some(code) => Err(format!("gainsay hunt ended with status {code}")),
        None => Err("gainsay hunt was killed by a signal".into()),
    }
}

/// The binary: what `GAINSAY` names, or a release build.
fn gainsay(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(given) = env::var_os("GAINSAY") {
        return Ok(given.into());
    }
    let args = ["build", "--release", "--locked", "--package", "cli", "--bin", "gainsay"];
    say(&format!("cargo {}", args.join(" ")));
    match succeeds(&mut workspace.cargo(&args))? {
        true => Ok(workspace.target.join("release/gainsay")),
        false => Err("gainsay does not build: see above".into()),
    }
}
