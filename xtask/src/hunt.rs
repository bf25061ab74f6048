//! `cargo xtask hunt`: sets up, builds in release, and hunts for half a minute; everything after
//! `--` goes to `gainsay hunt`.

use anyhow::Result;
use sandbox::Status;

use crate::Found;
use crate::context::Context;

/// Arguments of `cargo xtask hunt`.
#[derive(clap::Args, Debug)]
pub struct Hunt {
    /// Passed on to `gainsay hunt`; half a minute with the engine yarp if not given.
    #[arg(last = true)]
    args: Vec<String>,
}

/// Hunts on this terminal.
pub fn main(context: &Context, hunt: &Hunt) -> Result<Found> {
    let gainsay = context.gainsay()?;
    let mut args = vec!["hunt".to_string()];
    if hunt.args.is_empty() {
        let out = context.work_folder("hunt")?.display().to_string();
        args.extend(["--for".into(), "30s".into(), "--out".into(), out]);
    }
    args.extend(hunt.args.iter().cloned());
    match sandbox::foreground(&gainsay, &args, &[], None)? {
        Status::Exit(0) => Ok(Found::Nothing),
        Status::Exit(1) => Ok(Found::Something),
        other => anyhow::bail!("gainsay hunt ended with {other:?}"),
    }
}
