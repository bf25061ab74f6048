//! The store: one SQLite file in the hunt's folder.
//!
//! A test and its findings are one transaction, flushed to the disk before they are reported:
//! what was shown is still there after a power cut, and a test that was not recorded is simply done
//! again. Engine and seed are a test's identity, so recording it twice changes nothing. Of a test that was
//! interrupted only the findings are recorded: it is not done, and recording it again confirms them.
//!
//! What is learnt of findings afterwards (`study`, `known`) is written beside a running hunt too: it
//! changes nothing that a hunt writes. `bugs` puts findings together that are likely to be one bug.
//! `older` makes subjects of what stores of versions 1 to 4 kept: labels and commands. `verify` looks whether all
//! of it agrees.

mod attribution;
mod bugs;
mod known;
mod listing;
mod older;
mod rows;
mod sample;
mod study;
mod verify;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use rusqlite::{
    Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params,
};
use toolchain::Target;

use crate::record::{Checks, Cost, Finding, Standing, Tested};

pub use bugs::{Bug, BugCount};
pub use known::{NotedState, Suppression};
pub use listing::{ListedFinding, Snapshot, StudyBrief};
pub use sample::{EngineSpent, Sample};

/// The file in a hunt's folder.
const FILE: &str = "hunt.db";

/// Held by the hunt that writes.
const LOCK: &str = "lock";

/// Bumped when a table changes. A store of version 1 has no tables for what is learnt afterwards, one of
/// version 2 no counts and no programs without an answer, one of version 3 no samples and no sums by engine, one
/// of version 4 labels and commands in the place of subjects; they are made when it is next written. Any other
/// number is refused.
const VERSION: i64 = 6;

/// The version without studies.
const UNSTUDIED: i64 = 1;

/// The version without counts.
const UNCOUNTED: i64 = 2;

/// The version without samples and sums.
const UNSAMPLED: i64 = 3;

/// The version without subjects.
const UNSTRUCTURED: i64 = 4;

/// The version without masks.
const UNMASKED: i64 = 5;

/// A command that only reads waits this long for one that writes.
const BUSY: Duration = Duration::from_secs(10);

/// How a store is opened by those who only read.
const READ_ONLY: OpenFlags =
    OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// The store of one hunt.
#[derive(Debug)]
pub struct Store {
    db: Connection,
    /// Where it is, for messages.
    dir: PathBuf,
    /// Locked while we may write.
    _lock: Option<File>,
}

/// A target as it was last seen.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct StoredTarget {
    /// `gcc-12 -O2`.
    pub label: String,
    /// `gcc-12`.
    pub compiler: String,
    /// `12.2.0`.
    pub version: String,
    /// `x86_64-linux-gnu`.
    pub triple: String,
    /// The command, its words joined by blanks.
    pub command: String,
    /// The emulator, its words joined by blanks; empty for this processor.
    pub runner: String,
}

impl From<&Target> for StoredTarget {
    fn from(target: &Target) -> StoredTarget {
        let words = |words: &[std::ffi::OsString]| {
            words.iter().map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" ")
        };
        let compiler = &target.compiler;
        StoredTarget {
            label: target.label(),
            compiler: compiler.name.clone(),
            version: compiler.version.clone(),
            triple: compiler.triple.clone(),
            command: words(&compiler.c),
            runner: words(&target.run_words()),
        }
    }
}

/// What programs were like, over all tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Why they had no answer, and how often.
    pub unanswered: BTreeMap<String, u64>,
    /// What became of checks around arithmetic.
    pub checks: Checks,
    /// Variants that were tested.
    pub variants: u64,
    /// Tests of batches, beyond one each.
    pub batched: u64,
}

/// What the store says of one engine.
#[derive(Clone, Debug, Default)]
pub struct EngineRecord {
    /// Seeds that are done.
    pub done: BTreeSet<u64>,
    /// What they cost.
    pub cost: Cost,
    /// Signatures that it was the first to yield.
    pub signatures: u64,
}

impl Store {
    /// Opens the store of a folder to write, makes both if they are not there. One hunt at a time.
    pub fn create(dir: &Path) -> Result<Store> {
        Store::check(dir)?;
        fs::create_dir_all(dir)
            .with_context(|| format!("the folder {} cannot be made", dir.display()))?;
        let path = dir.join(LOCK);
        let cannot = || format!("{} cannot be written", path.display());
        let lock = File::options().create(true).append(true).open(&path).with_context(cannot)?;
        if lock.try_lock().is_err() {
            bail!("another hunt is running on {}: wait for it, or give --hunt DIR", dir.display());
        }
        let db = Connection::open(dir.join(FILE)).with_context(|| place(dir))?;
        let mut store = Store { db, dir: dir.to_path_buf(), _lock: Some(lock) };
        store.prepare().with_context(|| place(dir))?;
        Ok(store)
    }

    /// A sentence if there is a store in a folder that this version cannot use. Nothing is written.
    pub fn check(dir: &Path) -> Result<()> {
        match Store::is_in(dir)? {
            true => Store::open(dir).map(|_| ()),
            false => Ok(()),
        }
    }

    /// Whether a folder has a store. A hunt that was killed while it made its own leaves a file without tables,
    /// which is none.
    pub fn is_in(dir: &Path) -> Result<bool> {
        let file = dir.join(FILE);
        if !file.is_file() {
            return Ok(false);
        }
        let db = Connection::open_with_flags(file, READ_ONLY).with_context(|| place(dir))?;
        db.busy_timeout(BUSY)?;
        let number = |sql: &str| -> Result<i64> {
            db.query_row(sql, [], |row| row.get(0)).with_context(|| place(dir))
        };
        // Of a version that we do not know it is one all the same.
        let tables = number("SELECT count(*) FROM sqlite_schema")?;
        Ok(tables > 0 || number("PRAGMA user_version")? != 0)
    }

    /// Opens the store of a folder to read, or to note what was learnt of its findings; a hunt may be
    /// writing it.
    pub fn open(dir: &Path) -> Result<Store> {
        if !Store::is_in(dir)? {
            return Err(no_hunt(dir));
        }
        let db = Connection::open(dir.join(FILE)).with_context(|| place(dir))?;
        let store = Store { db, dir: dir.to_path_buf(), _lock: None };
        store.db.busy_timeout(BUSY)?;
        store.check_version().with_context(|| place(dir))?;
        Ok(store)
    }

    fn prepare(&mut self) -> Result<()> {
        self.db.busy_timeout(BUSY)?;
        // With the log, readers do not wait for the hunt; FULL flushes each transaction.
        self.db.pragma_update(None, "journal_mode", "WAL")?;
        self.db.pragma_update(None, "synchronous", "FULL")?;
        let fresh: i64 =
            self.db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if fresh == 0 {
            let tx = self.db.transaction()?;
            let later = [rows::COUNTS, rows::SAMPLES, attribution::TABLES];
            for tables in [rows::SCHEMA, rows::STUDY, rows::KNOWN].into_iter().chain(later) {
                tx.execute_batch(tables)?;
            }
            tx.pragma_update(None, "user_version", VERSION)?;
            tx.commit()?;
        }
        self.check_version()?;
        self.migrate()
    }

    fn version(&self) -> rusqlite::Result<i64> {
        self.db.query_row("PRAGMA user_version", [], |row| row.get(0))
    }

    fn check_version(&self) -> Result<()> {
        if !(UNSTUDIED..=VERSION).contains(&self.version()?) {
            bail!("it was made by another version of gainsay: give another folder with --hunt");
        }
        Ok(())
    }

    /// Gives a store of an earlier version the tables that it lacks.
    fn migrate(&mut self) -> Result<()> {
        if self.version()? == VERSION {
            return Ok(());
        }
        // Two may have come to this; the second waits here and finds it done.
        let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version: i64 = tx.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version == VERSION {
            return Ok(());
        }
        if version <= UNSTRUCTURED {
            older::give_subjects(&tx)?;
        }
        if version <= UNSTUDIED {
            tx.execute_batch(&[rows::STUDY, rows::KNOWN].concat())?;
        } else if version <= UNSTRUCTURED {
            older::give_studies_subjects(&tx)?;
        }
        if version <= UNCOUNTED {
            tx.execute_batch(rows::COUNTS)?;
        }
        if version <= UNSAMPLED {
            tx.execute_batch(rows::SAMPLES)?;
            tx.execute_batch(&format!("INSERT INTO spent {}", rows::SPENT_OF_TESTS))?;
        }
        tx.execute_batch(attribution::TABLES)?;
        tx.pragma_update(None, "user_version", VERSION)?;
        tx.commit()?;
        Ok(())
    }

    /// Whether there are tables for what is learnt afterwards.
    fn has_studies(&self) -> Result<bool> {
        Ok(self.version()? > UNSTUDIED)
    }

    /// Whether findings have subjects. A store that is only read stays of the version it is.
    fn has_subjects(&self) -> Result<bool> {
        Ok(self.version()? > UNSTRUCTURED)
    }

    /// Findings without the contents of their files: all, or one.
    fn read_findings(&self, id: Option<i64>) -> Result<Vec<Finding>> {
        let found = match self.has_subjects()? {
            true => rows::findings(&self.db, id),
            false => older::findings(&self.db, id),
        };
        let mut found = found.with_context(|| place(&self.dir))?;
        let explained = match id {
            Some(id) => self.attributed_to(id)?.map(|bug| (id, bug)).into_iter().collect(),
            None => self.attributions()?,
        };
        for found in &mut found {
            found.finding.attributed_to = explained.get(&found.id).copied();
        }
        Ok(found)
    }

    /// A remembered setting.
    pub fn setting(&self, key: &str) -> Result<Option<String>> {
        let value = self
            .db
            .query_row("SELECT value FROM setting WHERE key = ?1", [key], |row| row.get(0))
            .optional()?;
        Ok(value)
    }

    /// Remembers a setting.
    pub fn set(&self, key: &str, value: &str) -> Result<()> {
        self.db.execute("INSERT OR REPLACE INTO setting VALUES (?1, ?2)", [key, value])?;
        Ok(())
    }

    /// Remembers targets with the versions they have now.
    pub fn targets(&mut self, targets: &[StoredTarget]) -> Result<()> {
        let tx = self.db.transaction()?;
        for target in targets {
            tx.prepare_cached("INSERT OR REPLACE INTO target VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
                .execute([
                    &target.label,
                    &target.compiler,
                    &target.version,
                    &target.triple,
                    &target.command,
                    &target.runner,
                ])?;
        }
        tx.commit()?;
        Ok(())
    }

    /// Name and version of the compiler of each target label, as last seen.
    pub fn versions(&self) -> Result<Vec<(String, String)>> {
        let mut statement =
            self.db.prepare("SELECT DISTINCT compiler, version FROM target ORDER BY compiler")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Every target that was ever tested, by label.
    pub fn stored_targets(&self) -> Result<Vec<StoredTarget>> {
        Ok(rows::targets(&self.db)?)
    }

    /// What is known of an engine.
    pub fn engine(&self, engine: &str) -> Result<EngineRecord> {
        let mut record = EngineRecord::default();
        let mut statement = self.db.prepare(
            "SELECT seed, generate, compile, run, validate FROM test WHERE engine = ?1
                 AND skipped IS NOT ?2",
        )?;
        let mut rows = statement.query([engine, rows::INTERRUPTED])?;
        while let Some(row) = rows.next()? {
            record.done.insert(row.get::<_, i64>(0)? as u64);
            record.cost += Cost {
                generate: rows::time(row.get(1)?),
                compile: rows::time(row.get(2)?),
                run: rows::time(row.get(3)?),
                validate: rows::time(row.get(4)?),
            };
        }
        record.signatures = self.db.query_row(
            "SELECT count(*) FROM finding f WHERE engine = ?1 AND standing = 'confirmed' AND id =
             (SELECT min(id) FROM finding g WHERE g.signature = f.signature
              AND g.standing = 'confirmed')",
            [engine],
            |row| row.get::<_, i64>(0),
        )? as u64;
        Ok(record)
    }

    /// Records a test with its findings; what was recorded before stays as it is, but for a test that
    /// was interrupted. The findings that are new or confirmed now, with their numbers.
    pub fn record(&mut self, tested: &Tested) -> Result<Vec<Finding>> {
        let dir = self.dir.clone();
        self.try_record(tested).with_context(|| full_or(&dir))
    }

    fn try_record(&mut self, tested: &Tested) -> rusqlite::Result<Vec<Finding>> {
        let now = now();
        let tx = self.db.transaction()?;
        // What an interrupted test does not count is counted when it was done again.
        let (cost, skipped) = match tested.interrupted {
            true => (Cost::default(), Some(rows::INTERRUPTED)),
            false => (tested.cost, tested.skipped.as_deref()),
        };
        let new = tx
            .prepare_cached(
                "INSERT INTO test VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                 ON CONFLICT DO UPDATE SET skipped = excluded.skipped,
                 generate = excluded.generate, compile = excluded.compile, run = excluded.run,
                 validate = excluded.validate, at = excluded.at WHERE skipped = ?9",
            )?
            .execute(params![
                tested.engine,
                tested.seed as i64,
                skipped,
                rows::micros(cost.generate),
                rows::micros(cost.compile),
                rows::micros(cost.run),
                rows::micros(cost.validate),
                now as i64,
                rows::INTERRUPTED,
            ])?;
        if new == 0 {
            return Ok(Vec::new());
        }
        if !tested.interrupted {
            try_count(&tx, tested, now)?;
        }
        let mut earlier = rows::findings_of(&tx, tested)?;
        let mut found = Vec::new();
        for finding in &tested.findings {
            let same =
                |(_, _, signature): &(i64, Standing, String)| *signature == finding.signature;
            let known = earlier.iter().position(same).map(|at| earlier.remove(at));
            if known.as_ref().is_some_and(|(_, was, _)| {
                *was != Standing::Unconfirmed || finding.standing == Standing::Unconfirmed
            }) {
                continue;
            }
            let mut id = rows::insert_finding(&tx, tested, finding, now)?;
            if let Some((before, ..)) = known {
                rows::replace_finding(&tx, before, id)?;
                id = before;
            }
            found.push(Finding {
                id,
                engine: tested.engine.clone(),
                seed: tested.seed,
                found_at: now,
                seen_before: rows::seen_before(&tx, id, &finding.signature)?,
                finding: finding.clone(),
            });
        }
        tx.commit()?;
        Ok(found)
    }

    /// Every finding, without the contents of its files.
    pub fn findings(&self) -> Result<Vec<Finding>> {
        self.read_findings(None)
    }

    /// One finding with everything.
    pub fn finding(&self, id: i64) -> Result<Option<Finding>> {
        let mut found = self.read_findings(Some(id))?;
        if let Some(finding) = found.first_mut() {
            rows::load_files(&self.db, finding)?;
        }
        Ok(found.pop())
    }

    /// How often each target did what, as recorded.
    pub fn tallies(&self) -> Result<Vec<(String, crate::TargetResult, u64)>> {
        let mut statement = self.db.prepare("SELECT target, word, n FROM tally")?;
        let rows = statement.query_map([], |row| {
            Ok((
                row.get(0)?,
                rows::read_target_result(&row.get::<_, String>(1)?),
                row.get::<_, i64>(2)?,
            ))
        })?;
        let mut all = Vec::new();
        for row in rows {
            let (target, word, n) = row?;
            all.extend(word.map(|word| (target, word, n as u64)));
        }
        Ok(all)
    }

    /// Why tests were skipped, and how often.
    pub fn skipped(&self) -> Result<Vec<(String, u64)>> {
        let mut statement = self.db.prepare(
            "SELECT skipped, count(*) FROM test WHERE skipped IS NOT NULL AND skipped <> ?1
             GROUP BY skipped",
        )?;
        let rows = statement.query_map([rows::INTERRUPTED], |row| {
            Ok((row.get(0)?, row.get::<_, i64>(1)? as u64))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What programs were like.
    pub fn counts(&self) -> Result<Counts> {
        let mut counts = Counts::default();
        if self.version()? <= UNCOUNTED {
            return Ok(counts);
        }
        let mut statement = self.db.prepare("SELECT what, n FROM count")?;
        let rows =
            statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?;
        for row in rows {
            let (what, n): (String, u64) = row?;
            match what.strip_prefix(rows::UNANSWERED) {
                Some(reason) => _ = counts.unanswered.insert(reason.to_string(), n),
                None if what == rows::CHECKS => counts.checks.all = n,
                None if what == rows::REMOVED => counts.checks.removed = n,
                None if what == rows::VARIANTS => counts.variants = n,
                None if what == rows::BATCHED => counts.batched = n,
                None => {}
            }
        }
        Ok(counts)
    }

    /// Makes the log part of the file, for a folder that is going to be copied.
    pub fn checkpoint(&self) {
        // Only tidiness: a store with a log beside it is whole.
        let _ = self.db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
    }

    /// Lets the store take no more than so many pages, to try a full disk.
    #[cfg(test)]
    fn cap_pages(&self, pages: i64) -> Result<()> {
        self.db.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))?;
        Ok(())
    }
}

/// Adds a test to the sums.
fn try_count(tx: &Transaction<'_>, tested: &Tested, now: u64) -> rusqlite::Result<()> {
    sample::add(tx, tested, now)?;
    for (what, n) in rows::counts(tested) {
        tx.prepare_cached(
            "INSERT INTO count VALUES (?1, ?2) ON CONFLICT DO UPDATE SET n = n + excluded.n",
        )?
        .execute(params![what, n as i64])?;
    }
    for (label, word) in &tested.targets {
        tx.prepare_cached(
            "INSERT INTO tally VALUES (?1, ?2, 1) ON CONFLICT DO UPDATE SET n = n + 1",
        )?
        .execute([label.as_str(), &rows::target_result(*word)])?;
    }
    Ok(())
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs())
}

fn no_hunt(dir: &Path) -> anyhow::Error {
    let dir = dir.display();
    anyhow::anyhow!(
        "there is no hunt in {dir} (no file {FILE}): `gainsay hunt --hunt DIR` makes one"
    )
}

fn place(dir: &Path) -> String {
    format!("the store {}", dir.join(FILE).display())
}

/// The first half of the sentence when something could not be written.
fn full_or(dir: &Path) -> String {
    format!(
        "new results could not be written to {} (everything recorded before is safe)",
        dir.display()
    )
}

/// Whether an error of the store means that there is no room left.
pub fn is_full(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        matches!(cause.downcast_ref::<rusqlite::Error>(),
            Some(rusqlite::Error::SqliteFailure(e, _)) if e.code == rusqlite::ErrorCode::DiskFull)
    })
}

impl Standing {
    /// As in the store.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Confirmed => "confirmed",
            Standing::Unconfirmed => "unconfirmed",
            Standing::CannotTell => "cannot-tell",
            Standing::Disputed => "disputed",
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
