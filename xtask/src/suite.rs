//! `cargo xtask test`: every test is an ordinary cargo test, so this is short.

use anyhow::Result;
use clap::Args;

use crate::Found;
use crate::context::Context;

/// Arguments of `cargo xtask test`.
#[derive(Args, Debug)]
pub struct Test {
    /// Passed on to `cargo test`, such as a test's name.
    #[arg(last = true)]
    args: Vec<String>,
}

/// Runs all tests of the workspace.
pub fn main(context: &Context, test: &Test) -> Result<Found> {
    let mut args = vec!["test", "--workspace", "--locked"];
    if std::env::var_os("CI").is_some() {
        // One failure must not hide the others from whoever reads the log.
        args.push("--no-fail-fast");
    }
    args.extend(test.args.iter().map(String::as_str));
    match context.cargo(&args) {
        Ok(()) => Ok(Found::Nothing),
        Err(error) => {
            eprintln!("xtask: {error:#}");
            Ok(Found::Something)
        }
    }
}
