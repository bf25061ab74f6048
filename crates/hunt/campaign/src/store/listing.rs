//! All of a hunt that fits on a page of numbers and a list, read at once and without any file.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use finding::Subject;
use oracle::FailureKind;
use rusqlite::{Connection, Row};
use triage::Ladder;

use super::bugs::group;
use super::{
    BUSY, Bug, Counts, EngineSpent, FILE, READ_ONLY, Sample, Store, StoredTarget, no_hunt, older,
    place, rows,
};
use crate::record::{Finding, NewFinding, Standing, Study, TargetResult};
use crate::title::{Title, TitleSource, pass_name};

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
    /// The line by which people know it, as long as it is not studied.
    pub title: String,
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
    /// The line by which people know the bug.
    pub title: String,
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
    /// For each finding that a study explains, the one that was studied.
    #[serde(default)]
    pub attributions: BTreeMap<i64, i64>,
}

impl Snapshot {
    /// The line by which people know a bug: that of its study, else that of the finding to look at.
    pub fn title(&self, bug: &Bug) -> &str {
        let study = self.studies.get(&bug.representative).map(|study| study.title.as_str());
        let found = || self.finding(bug.representative).map(|found| found.title.as_str());
        study.or_else(found).unwrap_or_default()
    }

    /// Labels of the targets that fail on what is shown of a bug.
    pub fn targets_of(&self, bug: &Bug) -> &[String] {
        let study = self.studies.get(&bug.representative).map(|study| &study.targets[..]);
        let found = || self.finding(bug.representative).map(|found| &found.targets[..]);
        study.or_else(found).unwrap_or_default()
    }

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
            attributions: self.attributions.clone(),
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
        if !Store::is_in(dir)? {
            return Err(no_hunt(dir));
        }
        let file = dir.join(FILE);
        let db = Connection::open_with_flags(file, READ_ONLY).with_context(|| place(dir))?;
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
        shot.attributions = self.attributions()?;
        let (studied, explained) = (self.studied()?, &shot.attributions);
        shot.bugs = group(&shot.findings, &studied, explained, &self.patterns()?, &self.states()?);
        tx.finish()?;
        Ok(())
    }

    /// Every finding as a list shows it.
    pub(super) fn listed(&self) -> Result<Vec<ListedFinding>> {
        self.listed_after(0)
    }

    /// The same of findings with greater numbers.
    fn listed_after(&self, id: i64) -> Result<Vec<ListedFinding>> {
        if !self.has_subjects()? {
            let all = older::findings(&self.db, None).with_context(|| place(&self.dir))?;
            return Ok(all.into_iter().filter(|found| found.id > id).map(of_older).collect());
        }
        let sql = "SELECT id, engine, at, kind, signature, summary, standing, targets, subject
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
        let kind = "SELECT s.finding, s.at, f.kind FROM study s JOIN finding f ON f.id = s.finding
                    WHERE s.at >= ?1";
        let mut statement = self.db.prepare(kind)?;
        let rows = statement.query_map([since as i64], |row| {
            Ok((row.get(0)?, (row.get::<_, i64>(1)? as u64, rows::kind(row, 2)?)))
        })?;
        let new: BTreeMap<i64, (u64, FailureKind)> =
            rows.collect::<rusqlite::Result<_>>().with_context(|| place(&self.dir))?;
        let brief = |(id, (at, kind)): (i64, (u64, FailureKind))| {
            let study = self.outline(id)?.context("a study was there a moment ago")?;
            Ok((id, StudyBrief::of(study, at, kind)))
        };
        new.into_iter().map(brief).collect()
    }
}

impl StudyBrief {
    fn of(study: Study, at: u64, kind: FailureKind) -> StudyBrief {
        let title = Title::from(TitleSource {
            kind,
            subject: &study.subject,
            summary: &study.summary,
            blame: Some(&study.blame),
            about: study.about,
        });
        StudyBrief {
            at,
            title: title.to_string(),
            targets: study.targets(),
            key: study.key,
            summary: study.summary,
            tokens: study.tokens,
            pass: study.blame.pass.as_deref().map(pass_name),
            ladder: study.ladder,
        }
    }
}

fn read(row: &Row) -> rusqlite::Result<ListedFinding> {
    let (kind, summary): (_, String) = (rows::kind(row, 3)?, row.get(5)?);
    let subject = rows::parse(row, 8)?;
    Ok(ListedFinding {
        id: row.get(0)?,
        engine: row.get(1)?,
        found_at: row.get::<_, i64>(2)? as u64,
        kind,
        signature: row.get(4)?,
        title: untold(kind, &subject, &summary),
        summary,
        standing: rows::standing(row, 6)?,
        targets: rows::parse(row, 7)?,
    })
}

fn of_older(found: Finding) -> ListedFinding {
    let targets = found.finding.targets();
    let NewFinding { kind, signature, summary, standing, subject, .. } = found.finding;
    ListedFinding {
        id: found.id,
        engine: found.engine,
        found_at: found.found_at,
        kind,
        signature,
        title: untold(kind, &subject, &summary),
        summary,
        standing,
        targets,
    }
}

/// The title of what nobody has studied.
fn untold(kind: FailureKind, subject: &Subject, summary: &str) -> String {
    Title::from(TitleSource { kind, subject, summary, blame: None, about: None }).to_string()
}
