//! Where the workspace is, where cargo builds, and how programs are started.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;

/// The workspace as cargo sees it.
#[derive(Debug)]
pub struct Workspace {
    /// Its folder.
    pub root: PathBuf,
    /// The folder that cargo builds into.
    pub target: PathBuf,
}

impl Workspace {
    /// By what `cargo run` tells: the manifest of this package, and where this program lies.
    pub fn find() -> Result<Workspace> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest.parent().ok_or("xtask lies in no workspace")?.to_path_buf();
        // TARGET/debug/xtask, whatever the configuration calls TARGET.
        let program =
            env::current_exe().map_err(|e| format!("cannot tell where xtask lies: {e}"))?;
        let target = program.ancestors().nth(2).ok_or("xtask lies in no target folder")?;
        Ok(Workspace { root, target: target.to_path_buf() })
    }

    /// Cargo, in the folder of the workspace.
    pub fn cargo(&self, args: &[&str]) -> Command {
        let mut cargo = command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(&self.root).args(args);
        if env::var_os("CI").is_some() {
            // A clean clone is built once: what incremental builds write there is for nobody.
            cargo.env("CARGO_INCREMENTAL", "0");
        }
        cargo
    }

    /// A path for people: from the workspace's folder if it lies there.
    pub fn shown<'a>(&self, path: &'a Path) -> std::path::Display<'a> {
        path.strip_prefix(&self.root).unwrap_or(path).display()
    }
}

/// A program to start. Elsewhere only `sandbox` does that; but xtask does without the workspace's
/// crates, and what it starts needs no limits: cargo, apt-get, gainsay, on our terminal.
#[allow(clippy::disallowed_methods)]
pub fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}

/// Whether a program succeeds; an error if it cannot be started.
pub fn succeeds(command: &mut Command) -> Result<bool> {
    let status = command.status();
    let program = command.get_program().to_string_lossy();
    Ok(status.map_err(|e| format!("{program} cannot be started: {e}"))?.success())
}

/// A program of the `PATH`.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
}
