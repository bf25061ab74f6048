//! Where the workspace is, where cargo builds, and the `gainsay` binary.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use sandbox::{Ended, Run, Status};

/// The workspace as cargo sees it.
#[derive(Debug)]
pub struct Context {
    /// Folder of the workspace.
    pub root: PathBuf,
    /// Folder that cargo builds into.
    pub target: PathBuf,
}

impl Context {
    /// Asks cargo.
    pub fn new() -> Result<Context> {
        // Cargo sets the variable for `cargo run`; a copied binary remembers where it was built.
        let lab = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = lab.parent().context("lab has no parent folder")?.to_path_buf();
        let run = Run::new(cargo(), Duration::from_secs(60))
            .args(["metadata", "--format-version", "1", "--no-deps"])
            .cwd(&root);
        let text = match run.finish() {
            Ended::Finished(done) if done.status == Status::Exit(0) => done.stdout.bytes,
            Ended::Finished(done) => bail!("cargo metadata failed: {}", done.stderr.text().trim()),
            other => bail!("cargo metadata failed: {other:?}"),
        };
        let metadata: serde_json::Value = serde_json::from_slice(&text)?;
        let target = metadata["target_directory"].as_str().context("no target_directory")?.into();
        Ok(Context { root, target })
    }

    /// A folder under the target folder, made if it is not there.
    pub fn work_folder(&self, name: &str) -> Result<PathBuf> {
        let dir = self.target.join(name);
        fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
        Ok(dir)
    }

    /// Builds `gainsay` in release; its path. `GAINSAY` names another to use.
    pub fn gainsay(&self) -> Result<PathBuf> {
        if let Some(given) = env::var_os("GAINSAY") {
            // Checks run it in folders of their own.
            let given = Path::new(&given);
            return fs::canonicalize(given).with_context(|| format!("GAINSAY={}", given.display()));
        }
        self.cargo(&["build", "--release", "--locked", "--package", "cli", "--bin", "gainsay"])?;
        Ok(self.target.join("release/gainsay"))
    }

    /// Runs cargo on our terminal; an error unless it succeeds.
    pub fn cargo(&self, args: &[&str]) -> Result<()> {
        match sandbox::foreground(cargo(), args, &[], Some(&self.root))? {
            Status::Exit(0) => Ok(()),
            _ => bail!("cargo {} failed", args.join(" ")),
        }
    }
}

fn cargo() -> PathBuf {
    env::var_os("CARGO").map_or_else(|| Path::new("cargo").into(), PathBuf::from)
}
