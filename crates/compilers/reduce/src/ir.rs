//! LLVM IR by the same interface: `llvm-reduce` where it is installed, lines of text otherwise.

use std::path::Path;
use std::time::Duration;

use oracle::Trouble;
use sandbox::{Ended, KillReason, Run, Scratch, Status};

use crate::{NotReduced, ReduceOptions};

/// Default time limit of `llvm-reduce`.
const WALL: Duration = Duration::from_secs(3600);

/// Versions of `llvm-reduce` that are looked for, the newest first.
const VERSIONS: std::ops::RangeInclusive<u32> = 13..=25;

/// Whether a file is LLVM IR, by its name.
pub fn is_ir(file: &Path) -> bool {
    file.extension().is_some_and(|end| end == "ll" || end == "bc")
}

/// Makes an IR file small that a script calls interesting, with an installed `llvm-reduce`; `None`
/// if there is none. As in all our scripts, the file is in the current folder under its own name.
pub fn reduce_ir(
    file: &Path,
    script: &Path,
    order: &ReduceOptions,
) -> Result<Option<String>, NotReduced> {
    let versioned = VERSIONS.rev().find_map(|n| toolchain::on_path(&format!("llvm-reduce-{n}")));
    let Some(tool) = versioned.or_else(|| toolchain::on_path("llvm-reduce")) else {
        return Ok(None);
    };
    let io = |error: std::io::Error| Trouble::Io(format!("cannot prepare a folder: {error}"));
    let scratch = Scratch::new().map_err(io)?;
    let name = file.file_name().map_or_else(|| "test.ll".into(), |n| n.to_string_lossy());
    let script = std::fs::canonicalize(script).map_err(io)?;
    let input = std::fs::canonicalize(file).map_err(io)?;
    // llvm-reduce gives the candidate as an argument.
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let lines = format!(
        "#!/bin/sh\nwork=$(mktemp -d) && trap 'rm -rf \"$work\"' EXIT\ncp \"$1\" \"$work\"/{} && cd \
         \"$work\" && {}\n",
        quoted(&name),
        quoted(&script.display().to_string())
    );
    let asks = scratch.file("interesting.sh");
    std::fs::write(&asks, lines).map_err(io)?;
    let output = scratch.file("reduced.ll");
    let ended = Run::new(tool, order.time.unwrap_or(WALL))
        .arg("--test=/bin/sh")
        .arg(format!("--test-arg={}", asks.display()))
        .arg("-o")
        .arg(&output)
        .arg(input)
        .cwd(scratch.path())
        .stop(&order.stop)
        .finish();
    match ended {
        Ended::Finished(done) if done.status == Status::Exit(0) => {}
        Ended::Killed(KillReason::Stop, _) => return Err(Trouble::Stopped.into()),
        Ended::Finished(done) => {
            let said = done.stderr.text();
            let last = said.lines().last().unwrap_or("no message").to_string();
            return Err(NotReduced::Unusable(format!("llvm-reduce failed: {last}")));
        }
        other => return Err(NotReduced::Unusable(format!("llvm-reduce failed: {other:?}"))),
    }
    Ok(Some(std::fs::read_to_string(&output).map_err(io)?))
}
