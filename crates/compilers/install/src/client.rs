//! The clients of package archives: how they are run, and what their failures mean.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use nix::sys::statvfs::statvfs;
use sandbox::{Ended, Finished, KillReason, Run, Status};

use crate::{InstallError, Installer};

/// A download may take hours on a slow line; apt and pip give up on a dead one by themselves.
const WALL: Duration = Duration::from_secs(24 * 3600);

/// How often progress is told.
const BEAT: Duration = Duration::from_millis(300);

/// Words of clients that say that a server cannot be reached.
const UNREACHABLE: &[&str] = &[
    "Could not resolve",
    "Temporary failure resolving",
    "Could not connect",
    "Connection failed",
    "Connection timed out",
    "Network is unreachable",
    "Failed to establish a new connection",
    "No route to host",
    "Connection refused",
    "connection broken",
    "Read timed out",
    "Failed to fetch",
];

/// Words that say that something is not what it was signed for.
const UNSIGNED: &[&str] = &[
    "NO_PUBKEY",
    "BADSIG",
    "EXPKEYSIG",
    "is not signed",
    "signatures were invalid",
    "signatures couldn't be verified",
    "NODATA",
    "Hash Sum mismatch",
    "does not match",
    "DO NOT MATCH THE HASHES",
    "unauthenticated",
    "Sub-process /usr/bin/gpgv",
    "Sub-process /usr/bin/sqv",
];

const FULL: &[&str] = &["No space left on device", "enough free space", "Disk quota exceeded"];

/// A client's run, as the system's own messages say it.
pub(crate) fn run(installer: &Installer<'_>, run: Run) -> Ended {
    Run { wall: WALL, ..run }.env("LC_ALL", "C.UTF-8").stop(&installer.stop).finish()
}

/// Runs a client, and tells how far it is meanwhile.
pub(crate) fn watched(installer: &Installer<'_>, client: Run, tell: &(dyn Fn() + Sync)) -> Ended {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                tell();
                thread::park_timeout(BEAT);
            }
        });
        let ended = run(installer, client);
        done.store(true, Ordering::Relaxed);
        ended
    })
}

/// What a client that succeeded printed; what it means that it did not. `source` is what it was asked about, `place`
/// where it writes.
pub(crate) fn success(
    ended: Ended,
    program: &'static str,
    remedy: &'static str,
    source: &str,
    place: &Path,
) -> Result<Finished, InstallError> {
    match ended {
        Ended::Finished(done) if done.status == Status::Exit(0) => Ok(done),
        Ended::Finished(done) => {
            let said = done.stderr.text() + &done.stdout.text();
            Err(meaning(&said, program, source, place))
        }
        Ended::Killed(KillReason::Stop, _) => Err(InstallError::Stopped),
        Ended::Killed(why, _) => Err(InstallError::System(format!("{program} was ended: {why:?}"))),
        Ended::NotStarted(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(InstallError::NoClient { program, remedy })
        }
        Ended::NotStarted(error) => Err(InstallError::System(format!("{program}: {error}"))),
    }
}

/// What a client's messages mean. A wrong signature comes first: where one is, files cannot be fetched, either.
pub(crate) fn meaning(said: &str, program: &str, source: &str, place: &Path) -> InstallError {
    let words = |marks: &[&str]| {
        let line = said.lines().find(|line| marks.iter().any(|mark| line.contains(mark)));
        line.map(|line| line.trim().trim_start_matches(['E', 'W', ':', ' ']).to_string())
    };
    let from = source.to_string();
    if let Some(words) = words(UNSIGNED) {
        return InstallError::Signature { from, words };
    }
    if words(FULL).is_some() {
        return disk_full(place);
    }
    if let Some(words) = words(UNREACHABLE) {
        return InstallError::Network { from, words };
    }
    let mut errors =
        said.lines().filter(|line| line.starts_with("E: ") || line.contains("ERROR: "));
    let line = errors.next().or(said.lines().last()).unwrap_or("it says nothing");
    InstallError::System(format!("{program}: {}", line.trim_start_matches("E: ").trim()))
}

/// Whether a client says that a server cannot be reached.
pub(crate) fn is_unreachable(said: &str) -> bool {
    UNREACHABLE.iter().any(|mark| said.contains(mark))
}

/// That there is no room, with how much there is.
pub(crate) fn disk_full(place: &Path) -> InstallError {
    let free = free(place).map_or("an unknown number of bytes".into(), megabytes);
    InstallError::DiskFull { place: place.to_path_buf(), free }
}

/// Bytes that a user may write at a place.
pub(crate) fn free(place: &Path) -> Option<u64> {
    statvfs(place).ok().map(|stat| stat.blocks_available() * stat.fragment_size())
}

/// An error of the file system, with the place; a full disk by its own sentence.
pub(crate) fn system(error: &std::io::Error, place: &Path) -> InstallError {
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => disk_full(place),
        _ => InstallError::System(format!("{}: {error}", place.display())),
    }
}

/// `540 MB`
pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clients_say_becomes_a_sentence() {
        let told = |said: &str| meaning(said, "apt-get", "debian:sid", Path::new("/")).to_string();
        let invalid = "W: GPG error: x sid InRelease: The following signatures were invalid: BADSIG 1 Debian\n\
                       E: The repository 'x sid InRelease' is not signed.\nE: Failed to fetch x";
        assert!(told(invalid).contains("not signed as it should be"), "{}", told(invalid));
        let sum = "E: Failed to fetch x/gcc.deb  Hash Sum mismatch";
        assert!(told(sum).contains("not signed as it should be"));
        let away = "E: Failed to fetch x  Could not resolve 'mirror'";
        assert!(told(away).starts_with("debian:sid cannot be reached"), "{}", told(away));
        assert!(told("dpkg-deb: error: No space left on device").starts_with("the disk is full"));
        assert_eq!(told("Reading lists\nE: Something else"), "apt-get: Something else");
    }
}
