//! C-Vise as a last pass over what we have reduced.

use std::path::{Path, PathBuf};
use std::time::Duration;

use oracle::Trouble;
use sandbox::{Ended, KillReason, Run, Scratch, Status};

use crate::{NotReduced, ReduceOptions};

/// Default time limit of C-Vise.
const WALL: Duration = Duration::from_secs(3600);

/// Lets C-Vise go on with a text. The script is asked only about texts that `gainsay` (the path of
/// our own program) executes to a defined end, so that C-Vise cannot leave the valid ones.
pub fn finish_with_cvise(
    text: &str,
    name: &str,
    script: &Path,
    gainsay: &Path,
    order: &ReduceOptions,
) -> Result<String, NotReduced> {
    let cvise: PathBuf = toolchain::on_path("cvise").ok_or_else(|| {
        NotReduced::Unusable("C-Vise is not installed: `apt install cvise` brings it".into())
    })?;
    let io =
        |error: std::io::Error| Trouble::Io(format!("cannot prepare C-Vise's folder: {error}"));
    let scratch = Scratch::new().map_err(io)?;
    let file = scratch.file(name);
    std::fs::write(&file, text).map_err(io)?;
    let guard = scratch.file("guard.sh");
    let quoted = |path: &Path| format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
    // Its statuses for what is not C, undefined, unknown, too long, and our own bugs.
    let lines = format!(
        "#!/bin/sh\n# Only programs with a defined result.\n{} run {} > /dev/null 2>&1\n\
         case $? in 2 | 65 | 66 | 67 | 70) exit 1 ;; esac\nexec {}\n",
        quoted(gainsay),
        quoted(Path::new(name)),
        quoted(script)
    );
    std::fs::write(&guard, lines).map_err(io)?;
    make_executable(&guard).map_err(io)?;
    let ended = Run::new(cvise, order.time.unwrap_or(WALL))
        .args(["--n", &order.jobs.max(1).to_string(), "--no-timing"])
        .arg(&guard)
        .arg(name)
        .cwd(scratch.path())
        .env("TMPDIR", scratch.path())
        .stop(&order.stop)
        .finish();
    match ended {
        Ended::Finished(done) if done.status == Status::Exit(0) => {}
        // It leaves the best so far in the file.
        Ended::Killed(KillReason::Wall | KillReason::Stop, _) => {}
        Ended::Finished(done) => {
            let said = done.stderr.text();
            let last = said.lines().last().unwrap_or("no message").to_string();
            return Err(NotReduced::Unusable(format!("C-Vise failed: {last}")));
        }
        other => return Err(NotReduced::Unusable(format!("C-Vise failed: {other:?}"))),
    }
    std::fs::read_to_string(&file).map_err(|error| io(error).into())
}

fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}
