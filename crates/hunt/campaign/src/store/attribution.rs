//! Which findings a studied bug explains, and what hides it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::Result;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use triage::{Construct, Mask};

use super::study::files;
use super::{Store, UNMASKED, rows};
use crate::record::{BugState, Standing, Study};

/// The tables of version 6.
pub const TABLES: &str = "
CREATE TABLE mask (
    finding INTEGER PRIMARY KEY REFERENCES finding, about TEXT NOT NULL, mask TEXT NOT NULL
);
CREATE TABLE attribution (
    finding INTEGER PRIMARY KEY REFERENCES finding, bug INTEGER NOT NULL REFERENCES finding
);
";

impl Store {
    /// Whether there are tables for masks. A store that is only read stays of the version it is.
    pub(super) fn has_masks(&self) -> Result<bool> {
        Ok(self.version()? > UNMASKED)
    }

    /// Notes that a studied bug explains a finding.
    pub fn attribute(&mut self, id: i64, bug: i64) -> Result<()> {
        self.known(id)?;
        self.migrate()?;
        let tx = self.db.transaction()?;
        put(&tx, id, bug)?;
        tx.commit()?;
        Ok(())
    }

    /// The bugs that were studied and are not fixed, the most frequent first, each by its smallest program,
    /// without evidence.
    pub fn known_bugs(&self) -> Result<Vec<(i64, Study)>> {
        if !self.has_studies()? {
            return Ok(Vec::new());
        }
        let mut bugs = self.bugs()?;
        bugs.retain(|bug| {
            bug.attributed && bug.standing == Standing::Confirmed && bug.state == BugState::Open
        });
        bugs.sort_by_key(|bug| (Reverse(bug.count), bug.representative));
        let studies: BTreeMap<i64, Study> = self.read_studies(None)?.into_iter().collect();
        let mut known = Vec::new();
        for bug in bugs {
            if let Some(study) = studies.get(&bug.representative) {
                let files = files(&self.db, bug.representative, rows::REDUCED)?;
                known.push((bug.representative, Study { files, ..study.clone() }));
            }
        }
        Ok(known)
    }

    /// For each finding that a studied bug explains, the finding that was studied.
    pub fn attributions(&self) -> Result<BTreeMap<i64, i64>> {
        if !self.has_masks()? {
            return Ok(BTreeMap::new());
        }
        let mut statement = self.db.prepare("SELECT finding, bug FROM attribution")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The finding that was studied and explains this one.
    pub(super) fn attributed_to(&self, id: i64) -> Result<Option<i64>> {
        if !self.has_masks()? {
            return Ok(None);
        }
        let sql = "SELECT bug FROM attribution WHERE finding = ?1";
        Ok(self.db.query_row(sql, [id], |row| row.get(0)).optional()?)
    }

    /// Adds to studies what they are about and what hides it.
    pub(super) fn read_masks(&self, studies: &mut [(i64, Study)]) -> Result<()> {
        if !self.has_masks()? {
            return Ok(());
        }
        for (id, study) in studies {
            if let Some((about, mask)) = mask_of(&self.db, *id)? {
                (study.about, study.mask) = (about, mask);
            }
        }
        Ok(())
    }
}

fn mask_of(db: &Connection, id: i64) -> rusqlite::Result<Option<(Option<Construct>, Mask)>> {
    let mut statement = db.prepare_cached("SELECT about, mask FROM mask WHERE finding = ?1")?;
    statement.query_row([id], |row| Ok((rows::parse(row, 0)?, rows::parse(row, 1)?))).optional()
}

/// Keeps what a study is about and what hides it.
pub fn put_mask(tx: &Transaction, id: i64, study: &Study) -> rusqlite::Result<()> {
    tx.execute(
        "INSERT OR REPLACE INTO mask VALUES (?1, ?2, ?3)",
        params![id, rows::json(&study.about)?, rows::json(&study.mask)?],
    )?;
    // It speaks for itself now.
    tx.execute("DELETE FROM attribution WHERE finding = ?1", [id])?;
    Ok(())
}

/// Keeps what explains a finding.
pub fn put(tx: &Transaction, id: i64, bug: i64) -> rusqlite::Result<()> {
    tx.execute("INSERT OR REPLACE INTO attribution VALUES (?1, ?2)", params![id, bug])?;
    Ok(())
}
