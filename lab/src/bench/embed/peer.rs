//! The other side: Python packages in a virtual environment under the target folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use sandbox::{Run, Status};

use super::{SideReport, WALL, account};

/// What the authors used, in versions that work together. pyclustering is the last of its kind.
const PACKAGES: [&str; 4] =
    ["gensim==4.3.3", "numpy==1.26.4", "scipy==1.12.0", "pyclustering==0.10.1.2"];

const SCRIPT: &str = include_str!("peer.py");

/// Where it writes its vectors.
pub fn vectors(sequences: &Path) -> PathBuf {
    sequences.with_extension("peer")
}

/// Runs all stages on a file of sequences.
pub fn run(dir: &Path, sequences: &Path, count: usize, seed: u64) -> Result<SideReport> {
    let python = python(dir)?;
    let script = dir.join("peer.py");
    fs::write(&script, SCRIPT)?;
    // One thread each, as ours: more would only add waiting to the processor time.
    let run = Run::new(python, WALL)
        .env("OPENBLAS_NUM_THREADS", "1")
        .env("OMP_NUM_THREADS", "1")
        .arg(&script)
        .arg(sequences)
        .arg(vectors(sequences))
        .args([count.to_string(), seed.to_string()]);
    account(&run)
}

/// A Python that has the packages; they are installed the first time.
fn python(dir: &Path) -> Result<PathBuf> {
    let venv = dir.join("venv");
    let python = venv.join("bin/python");
    let check = ["-c", "import gensim, scipy, pyclustering"];
    let works = || Run::new(&python, Duration::from_secs(60)).args(check).finish().success();
    if works().is_some() {
        return Ok(python);
    }
    let make =
        sandbox::foreground("python3", ["-m", "venv", &venv.display().to_string()], &[], None);
    if make.context("python3 is needed: apt-get install python3")? != Status::Exit(0) {
        bail!("python3 cannot make a virtual environment: apt-get install python3-venv");
    }
    let args = ["-m", "pip", "install", "--quiet"].into_iter().chain(PACKAGES);
    sandbox::foreground(&python, args, &[], None)?;
    if works().is_none() {
        bail!("{} could not be installed into {}", PACKAGES.join(", "), venv.display());
    }
    Ok(python)
}
