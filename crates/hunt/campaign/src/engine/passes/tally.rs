//! What became of the sequences that ran on a library: kept in the hunt's folder, read by people.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use llvmhost::Installed;
use serde::{Deserialize, Serialize};

const FILE: &str = "tally.json";

/// Counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassesTally {
    /// Programs under sequences.
    pub sequences: u64,
    /// Those that came through whole.
    pub crash_free: u64,
    /// Those whose program was executed in the end, with the passes that failed taken out.
    pub executed: u64,
    /// Those of them that did as they must.
    pub right: u64,
    /// Attempts in all.
    pub attempts: u64,
    /// Those that could not be run for other reasons.
    pub lost: BTreeMap<String, u64>,
    /// Faults by signature, as often as they were met.
    pub faults: BTreeMap<String, u64>,
}

impl PassesTally {
    /// That of a library in the folder of a hunt, if it was tested there.
    pub fn of(out: &Path, library: &Installed) -> Option<PassesTally> {
        let dir = super::state(out, library);
        dir.join(FILE).is_file().then(|| PassesTally::read(&dir))
    }

    /// That of a folder, or a new one.
    pub fn read(dir: &Path) -> PassesTally {
        let read = fs::read(dir.join(FILE)).ok();
        read.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Writes it.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        sandbox::replace_file(&dir.join(FILE), text + "\n")
    }
}
