//! All of a hunt that fits on a page of numbers and a list, read at once and without any file.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use oracle::FailureKind;
use rusqlite::{Connection, OpenFlags, Row};
use triage::Ladder;

use super::bugs::group;
use super::{
    BUSY, Bug, Counts, EngineSpent, FILE, Sample, Store, StoredTarget, no_hunt, place, rows,
};
use crate::record::{Standing, TargetResult};

/// A finding as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ListedFinding {
    /// Its number.
    pub id: i64,
    /// The engine of its test.
    pub engine: String,
    /// Seconds since 1970 when it was recorded.
    pub found_at: u64,
    /// What kind of failure.
    pub kind: FailureKind,
    /// What findings of the same bug have in common.
    pub signature: String,
    /// One line that tells it.
    pub summary: String,
    /// Whether it counts.
    pub standing: Standing,
    /// Labels of the targets that fail.
    pub targets: Vec<String>,
}

/// What a list shows of a study.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct StudyBrief {
    /// Seconds since 1970 when it was made.
    pub at: u64,
    /// What findings of the same bug have in common.
    pub key: String,
    /// One line on what the reduced program does.
    pub summary: String,
    /// Tokens before and after.
    pub tokens: (usize, usize),
    /// Labels of the targets that fail on the reduced program.
    pub targets: Vec<String>,
    /// The blamed pass.
    pub pass: Option<String>,
    /// Which versions fail.
    pub ladder: Ladder,
}

/// A hunt at one moment.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Snapshot {
    /// What each engine has done.
    pub spent: Vec<EngineSpent>,
    /// What programs were like.
    pub counts: Counts,
    /// Where the hunt stood over time.
    pub samples: Vec<Sample>,
    /// What was tested.
    pub targets: Vec<StoredTarget>,
    /// How often each target did what.
    pub tallies: Vec<(String, TargetResult, u64)>,
    /// Every finding, by number.
    pub findings: Vec<ListedFinding>,
    /// The bugs in the order of [`Store::bugs`].
    pub bugs: Vec<Bug>,
    /// Studies by finding.
    pub studies: BTreeMap<i64, StudyBrief>,
}

impl Snapshot {
    /// A finding by its number.
    pub fn finding(&self, id: i64) -> Option<&ListedFinding> {
        let at = self.findings.binary_search_by_key(&id, |found| found.id).ok()?;
        self.findings.get(at)
    }

    /// What of it never changes any more: the number of the last finding, the time of the last study.
    /// A finding that is not confirmed may still be.
    pub fn seen(&self) -> (i64, u64) {
        let settled = |found: &&ListedFinding| found.standing != Standing::Unconfirmed;
        let last = self.findings.iter().take_while(settled).last().map_or(0, |last| last.id);
        (last, self.studies.values().map(|study| study.at).max().unwrap_or(0))
    }

    /// What is new to a reader who has seen this much of it.
    pub fn since(&self, (last, newest): (i64, u64)) -> Snapshot {
        let known = self.findings.partition_point(|found| found.id <= last);
        let studies = self.studies.iter().filter(|(_, study)| study.at >= newest);
        Snapshot {
            spent: self.spent.clone(),
            counts: self.counts.clone(),
            samples: self.samples.clone(),
            targets: self.targets.clone(),
            tallies: self.tallies.clone(),
            findings: self.findings[known..].to_vec(),
            bugs: self.bugs.clone(),
            studies: studies.map(|(id, study)| (*id, study.clone())).collect(),
        }
    }

    /// Takes in what [`Snapshot::since`] gave for what was seen here.
    pub fn absorb(&mut self, news: Snapshot) {
        let (last, _) = self.seen();
        let mut findings = std::mem::take(&mut self.findings);
        findings.retain(|found| found.id <= last);
        findings.extend(news.findings);
        let mut studies = std::mem::take(&mut self.studies);
        studies.extend(news.studies);
        *self = Snapshot { findings, studies, ..news };
    }

    /// Tests recorded, those of batches one by one.
    pub fn tests(&self) -> u64 {
        self.spent.iter().map(|spent| spent.seeds).sum::<u64>() + self.counts.batched
    }
}

impl Store {
    /// Opens the store of a folder to read only; a hunt may be writing it.
    pub fn open_to_read(dir: &std::path::Path) -> Result<Store> {
        let file = dir.join(FILE);
        if !file.is_file() {
            return Err(no_hunt(dir));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(file, flags).with_context(|| place(dir))?;
        let store = Store { db, dir: dir.to_path_buf(), _lock: None };
        store.db.busy_timeout(BUSY)?;
        store.check_version().with_context(|| place(dir))?;
        Ok(store)
    }

    /// A number that changes when another connection has written to the store.
    pub fn changes(&self) -> Result<i64> {
        Ok(self.db.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    /// All of it as of one moment.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let mut shot = Snapshot::default();
        self.refresh(&mut shot)?;
        Ok(shot)
    }

    /// Brings a snapshot of this store up to date. Settled findings never change and studies are only replaced by
    /// later ones, so of these only what is new is read.
    pub fn refresh(&self, shot: &mut Snapshot) -> Result<()> {
        // One transaction sees one state, whatever the hunt writes meanwhile.
        let tx = self.db.unchecked_transaction()?;
        shot.spent = self.spent()?;
        shot.counts = self.counts()?;
        shot.samples = self.samples()?;
        shot.targets = self.stored_targets()?;
        shot.tallies = self.tallies()?;
        let (last, newest) = shot.seen();
        shot.findings.retain(|found| found.id <= last);
        shot.findings.extend(self.listed_after(last)?);
        shot.studies.extend(self.briefs(newest)?);
        shot.bugs = group(&shot.findings, &self.studied()?, &self.patterns()?, &self.states()?);
        tx.finish()?;
        Ok(())
    }

    /// Every finding as a list shows it.
    pub(super) fn listed(&self) -> Result<Vec<ListedFinding>> {
        self.listed_after(0)
    }

    /// The same of findings with greater numbers.
    fn listed_after(&self, id: i64) -> Result<Vec<ListedFinding>> {
        let sql = "SELECT id, engine, at, kind, signature, summary, standing, targets
                   FROM finding WHERE id > ?1 ORDER BY id";
        let mut statement = self.db.prepare(sql)?;
        let rows: rusqlite::Result<Vec<ListedFinding>> = statement.query_map([id], read)?.collect();
        rows.with_context(|| place(&self.dir))
    }

    /// Studies that were made at this time or later.
    fn briefs(&self, since: u64) -> Result<BTreeMap<i64, StudyBrief>> {
        if !self.has_studies()? {
            return Ok(BTreeMap::new());
        }
        let sql = "SELECT finding, key, summary, tokens_before, tokens_after, targets,
                   json_extract(blame, '$.pass'), ladder, at FROM study WHERE at >= ?1";
        let mut statement = self.db.prepare(sql)?;
        let rows = statement.query_map([since as i64], |row| {
            let number = |column| row.get::<_, i64>(column).map(|n| n.max(0) as usize);
            let brief = StudyBrief {
                key: row.get(1)?,
                summary: row.get(2)?,
                tokens: (number(3)?, number(4)?),
                targets: rows::parse(row, 5)?,
                pass: row.get(6)?,
                ladder: rows::parse(row, 7)?,
                at: row.get::<_, i64>(8)? as u64,
            };
            Ok((row.get(0)?, brief))
        })?;
        rows.collect::<rusqlite::Result<_>>().with_context(|| place(&self.dir))
    }
}

fn read(row: &Row) -> rusqlite::Result<ListedFinding> {
    Ok(ListedFinding {
        id: row.get(0)?,
        engine: row.get(1)?,
        found_at: row.get::<_, i64>(2)? as u64,
        kind: rows::kind(row, 3)?,
        signature: row.get(4)?,
        summary: row.get(5)?,
        standing: rows::standing(row, 6)?,
        targets: rows::parse(row, 7)?,
    })
}
