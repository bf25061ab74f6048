//! Where a hunt is read from.

use std::path::{Path, PathBuf};

use anyhow::Result;
use campaign::{Snapshot, Store};
use report::Detail;

/// A hunt that can be read while it runs.
pub trait Source: Send {
    /// What it is called.
    fn name(&self) -> String;

    /// A number that changes with the hunt; cheap to ask for.
    fn changes(&self) -> Result<i64>;

    /// Brings what lists and numbers are made of up to date; an empty snapshot is filled.
    fn refresh(&self, shot: &mut Snapshot) -> Result<()>;

    /// All about one finding; `None` if there is none of this number.
    fn detail(&self, id: i64) -> Result<Option<Detail>>;
}

/// The store of a folder.
#[derive(Debug)]
pub struct Folder {
    store: Store,
    dir: PathBuf,
}

impl Folder {
    /// Opens it, to read only.
    pub fn open(dir: &Path) -> Result<Folder> {
        Ok(Folder { store: Store::open_to_read(dir)?, dir: dir.to_path_buf() })
    }
}

impl Source for Folder {
    fn name(&self) -> String {
        self.dir.display().to_string()
    }

    fn changes(&self) -> Result<i64> {
        self.store.changes()
    }

    fn refresh(&self, shot: &mut Snapshot) -> Result<()> {
        self.store.refresh(shot)
    }

    fn detail(&self, id: i64) -> Result<Option<Detail>> {
        let Some(found) = self.store.finding(id)? else { return Ok(None) };
        let study = self.store.study(id)?;
        let targets = self.store.stored_targets()?;
        // The hub knows the bugs already: finding them here would read the whole list.
        Ok(Some(Detail { found, study, bug: None, targets, folder: Some(self.dir.clone()) }))
    }
}
