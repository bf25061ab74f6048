//! Rows of the store, to and from values.

use std::time::Duration;

use oracle::{FailureKind, SourceFile};
use rusqlite::types::Type;
use rusqlite::{Connection, Row, Transaction, params};
use serde::de::DeserializeOwned;

use super::{StoredTarget, attribution};
use crate::record::{Finding, NewFinding, Standing, TargetResult, Tested};

/// The tables. Seeds are unsigned and stored bit for bit; times are microseconds. `targets` are the labels of
/// `subject`, so that a list need not read more.
pub const SCHEMA: &str = "
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE target (
    label TEXT PRIMARY KEY, compiler TEXT NOT NULL, version TEXT NOT NULL, triple TEXT NOT NULL,
    command TEXT NOT NULL, runner TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE test (
    engine TEXT NOT NULL, seed INTEGER NOT NULL, skipped TEXT,
    generate INTEGER NOT NULL, compile INTEGER NOT NULL, run INTEGER NOT NULL,
    validate INTEGER NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (engine, seed)
) WITHOUT ROWID;
CREATE TABLE tally (
    target TEXT NOT NULL, word TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (target, word)
) WITHOUT ROWID;
CREATE TABLE finding (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    engine TEXT NOT NULL, seed INTEGER NOT NULL, at INTEGER NOT NULL,
    kind TEXT NOT NULL, signature TEXT NOT NULL, summary TEXT NOT NULL, standing TEXT NOT NULL,
    origin TEXT NOT NULL,
    targets TEXT NOT NULL, certificate TEXT NOT NULL, subject TEXT NOT NULL,
    FOREIGN KEY (engine, seed) REFERENCES test
);
CREATE INDEX finding_signature ON finding (signature);
CREATE TABLE file (
    finding INTEGER NOT NULL REFERENCES finding, role TEXT NOT NULL, name TEXT NOT NULL,
    bytes BLOB NOT NULL
);
CREATE INDEX file_finding ON file (finding);
";

/// A table of version 2: what is learnt of findings after they were recorded. Reduced files are rows of
/// `file`. It has a subject since version 5.
pub const STUDY: &str = "
CREATE TABLE study (
    finding INTEGER PRIMARY KEY REFERENCES finding, at INTEGER NOT NULL,
    summary TEXT NOT NULL, targets TEXT NOT NULL, subject TEXT NOT NULL,
    certificate TEXT NOT NULL, blame TEXT NOT NULL, ladder TEXT NOT NULL,
    key TEXT NOT NULL, tokens_before INTEGER NOT NULL, tokens_after INTEGER NOT NULL,
    nanoseconds INTEGER NOT NULL
);
";

/// The other tables of version 2: what people say of findings.
pub const KNOWN: &str = "
CREATE TABLE suppression (
    pattern TEXT PRIMARY KEY, reason TEXT NOT NULL, since INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE state (
    finding INTEGER PRIMARY KEY REFERENCES finding, state TEXT NOT NULL, note TEXT NOT NULL,
    at INTEGER NOT NULL
);
";

/// The table of version 3: what programs were like, over all tests.
pub const COUNTS: &str = "
CREATE TABLE count (what TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
";

/// The tables of version 4: where hunts stood over time, and sums of `test` by engine.
pub const SAMPLES: &str = "
CREATE TABLE sample (
    at INTEGER PRIMARY KEY, last INTEGER NOT NULL, hunted INTEGER NOT NULL, tests INTEGER NOT NULL,
    findings INTEGER NOT NULL, signatures INTEGER NOT NULL, own INTEGER NOT NULL,
    others INTEGER NOT NULL, blocks INTEGER
);
CREATE TABLE spent (
    engine TEXT PRIMARY KEY, seeds INTEGER NOT NULL, generate INTEGER NOT NULL,
    compile INTEGER NOT NULL, run INTEGER NOT NULL, validate INTEGER NOT NULL,
    first INTEGER NOT NULL, last INTEGER NOT NULL
) WITHOUT ROWID;
";

/// Those sums, made of the tests.
pub const SPENT_OF_TESTS: &str = "SELECT engine, count(*) AS seeds, sum(generate) AS generate,
    sum(compile) AS compile, sum(run) AS run, sum(validate) AS validate, min(at) AS first,
    max(at) AS last FROM test GROUP BY engine";

/// What is counted: checks around arithmetic, those removed, and programs without an answer by the
/// reason, which follows.
pub const CHECKS: &str = "checks";
pub const REMOVED: &str = "checks removed";
pub const UNANSWERED: &str = "unanswered ";
/// Tests of batches, beyond one each.
pub const BATCHED: &str = "tests in batches";
/// Variants of seeds.
pub const VARIANTS: &str = "variants";

/// What a test adds to the counts.
pub fn counts(tested: &Tested) -> Vec<(String, u64)> {
    let checks = [
        (CHECKS, tested.checks.all),
        (REMOVED, tested.checks.removed),
        (VARIANTS, tested.variants),
        (BATCHED, tested.tests.saturating_sub(1)),
    ];
    let checks = checks.into_iter().filter(|(_, n)| *n > 0).map(|(what, n)| (what.to_string(), n));
    let unanswered = tested.unanswered.iter().map(|reason| (format!("{UNANSWERED}{reason}"), 1));
    checks.chain(unanswered).collect()
}

/// Why a test was skipped that was interrupted after it had shown a failure.
pub const INTERRUPTED: &str = "interrupted";

/// Roles of files.
const SOURCE: &str = "source";
const ARTIFACT: &str = "artifact";
/// Of a study's program.
pub const REDUCED: &str = "reduced";

/// Of what the failing compiler makes of it.
pub const EVIDENCE: &str = "evidence";

/// A time as stored.
pub fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

/// A stored time.
pub fn time(micros: i64) -> Duration {
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}

/// What stands before the kind of a failure that the baseline of a comparison has, too.
const BEFORE: &str = "before:";

/// The same where that cannot be told.
const CANNOT_TELL: &str = "cannot-tell:";

/// A word as stored.
pub fn target_result(word: TargetResult) -> String {
    match word {
        TargetResult::Right => "right".into(),
        TargetResult::Flaky => "flaky".into(),
        TargetResult::Unsupported => "not-for-it".into(),
        TargetResult::Failed(kind) => kind.name().into(),
        TargetResult::FailedBefore(kind) => format!("{BEFORE}{}", kind.name()),
        TargetResult::CannotTell(kind) => format!("{CANNOT_TELL}{}", kind.name()),
    }
}

/// A stored word.
pub fn read_target_result(text: &str) -> Option<TargetResult> {
    match text {
        "right" => Some(TargetResult::Right),
        "flaky" => Some(TargetResult::Flaky),
        "not-for-it" => Some(TargetResult::Unsupported),
        word if let Some(kind) = word.strip_prefix(BEFORE) => {
            read_kind(kind).map(TargetResult::FailedBefore)
        }
        word if let Some(kind) = word.strip_prefix(CANNOT_TELL) => {
            read_kind(kind).map(TargetResult::CannotTell)
        }
        kind => read_kind(kind).map(TargetResult::Failed),
    }
}

fn read_kind(text: &str) -> Option<FailureKind> {
    FailureKind::ALL.into_iter().find(|kind| kind.name() == text)
}

/// How many findings before this one have the same signature and are not to be confirmed yet.
pub fn seen_before(tx: &Transaction, id: i64, signature: &str) -> rusqlite::Result<u64> {
    let n: i64 = tx
        .prepare_cached(
            "SELECT count(*) FROM finding
             WHERE signature = ?1 AND id < ?2 AND standing <> 'unconfirmed'",
        )?
        .query_row(params![signature, id], |row| row.get(0))?;
    Ok(n as u64)
}

/// A value as stored text.
pub fn json(value: &impl serde::Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))
}

/// What a test has found before, in order: number, standing and signature.
pub fn findings_of(
    tx: &Transaction,
    tested: &Tested,
) -> rusqlite::Result<Vec<(i64, Standing, String)>> {
    tx.prepare_cached(
        "SELECT id, standing, signature FROM finding WHERE engine = ?1 AND seed = ?2 ORDER BY id",
    )?
    .query_map(params![tested.engine, tested.seed as i64], |row| {
        Ok((row.get(0)?, standing(row, 1)?, row.get(2)?))
    })?
    .collect()
}

/// Puts a new finding in the place of an earlier one, whose number it takes.
pub fn replace_finding(tx: &Transaction, before: i64, new: i64) -> rusqlite::Result<()> {
    // What was noted of it refers to its number all the while.
    tx.execute_batch("PRAGMA defer_foreign_keys = ON")?;
    tx.execute("DELETE FROM file WHERE finding = ?1", [before])?;
    tx.execute("DELETE FROM attribution WHERE finding = ?1", [before])?;
    tx.execute("DELETE FROM finding WHERE id = ?1", [before])?;
    tx.execute("UPDATE finding SET id = ?1 WHERE id = ?2", [before, new])?;
    tx.execute("UPDATE file SET finding = ?1 WHERE finding = ?2", [before, new])?;
    tx.execute("UPDATE attribution SET finding = ?1 WHERE finding = ?2", [before, new])?;
    Ok(())
}

/// Writes a finding with its files; its number.
pub fn insert_finding(
    tx: &Transaction,
    tested: &Tested,
    finding: &NewFinding,
    now: u64,
) -> rusqlite::Result<i64> {
    tx.prepare_cached(
        "INSERT INTO finding (engine, seed, at, kind, signature, summary, standing, origin,
         targets, certificate, subject)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?
    .execute(params![
        tested.engine,
        tested.seed as i64,
        now as i64,
        finding.kind.name(),
        finding.signature,
        finding.summary,
        finding.standing.name(),
        finding.origin,
        json(&finding.targets())?,
        json(&finding.certificate)?,
        json(&finding.subject)?,
    ])?;
    let id = tx.last_insert_rowid();
    if let Some(bug) = finding.attributed_to {
        attribution::put(tx, id, bug)?;
    }
    let roles = [(SOURCE, &finding.files), (ARTIFACT, &finding.artifacts)];
    for (role, files) in roles {
        for file in files {
            tx.prepare_cached("INSERT INTO file VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![id, role, file.name, file.bytes])?;
        }
    }
    Ok(id)
}

/// Findings in the order they were made: all, or one.
pub fn findings(db: &Connection, id: Option<i64>) -> rusqlite::Result<Vec<Finding>> {
    let mut statement = db.prepare(
        "SELECT id, engine, seed, at, kind, signature, summary, standing, origin, certificate,
         subject,
         (SELECT count(*) FROM finding g WHERE g.signature = f.signature AND g.id < f.id
          AND g.standing <> 'unconfirmed')
         FROM finding f WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
    )?;
    let (first, last) = id.map_or((i64::MIN, i64::MAX), |id| (id, id));
    statement.query_map([first, last], read_finding)?.collect()
}

fn read_finding(row: &Row) -> rusqlite::Result<Finding> {
    Ok(Finding {
        id: row.get(0)?,
        engine: row.get(1)?,
        seed: row.get::<_, i64>(2)? as u64,
        found_at: row.get::<_, i64>(3)? as u64,
        seen_before: row.get::<_, i64>(11)? as u64,
        finding: NewFinding {
            attributed_to: None,
            kind: kind(row, 4)?,
            signature: row.get(5)?,
            summary: row.get(6)?,
            standing: standing(row, 7)?,
            origin: row.get(8)?,
            certificate: parse(row, 9)?,
            subject: parse(row, 10)?,
            files: Vec::new(),
            artifacts: Vec::new(),
        },
    })
}

/// Every target that was ever tested, by label.
pub fn targets(db: &Connection) -> rusqlite::Result<Vec<StoredTarget>> {
    let mut statement = db.prepare(
        "SELECT label, compiler, version, triple, command, runner FROM target ORDER BY label",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(StoredTarget {
            label: row.get(0)?,
            compiler: row.get(1)?,
            version: row.get(2)?,
            triple: row.get(3)?,
            command: row.get(4)?,
            runner: row.get(5)?,
        })
    })?;
    rows.collect()
}

/// A stored kind.
pub fn kind(row: &Row, column: usize) -> rusqlite::Result<FailureKind> {
    let text: String = row.get(column)?;
    read_kind(&text).ok_or_else(|| unknown_value(column, format!("the kind {text}")))
}

/// A stored standing.
pub fn standing(row: &Row, column: usize) -> rusqlite::Result<Standing> {
    match row.get::<_, String>(column)?.as_str() {
        "confirmed" => Ok(Standing::Confirmed),
        "unconfirmed" => Ok(Standing::Unconfirmed),
        "cannot-tell" => Ok(Standing::CannotTell),
        "disputed" => Ok(Standing::Disputed),
        other => Err(unknown_value(column, format!("the standing {other}"))),
    }
}

/// A value of stored text.
pub fn parse<T: DeserializeOwned>(row: &Row, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text)
        .map_err(|e| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(e)))
}

/// Something that this version does not write.
pub fn unknown_value(column: usize, what: String) -> rusqlite::Error {
    let what = format!("{what} is unknown to this version of gainsay");
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, what.into())
}

/// Fills in the files of a finding.
pub fn load_files(db: &Connection, finding: &mut Finding) -> rusqlite::Result<()> {
    let mut statement =
        db.prepare("SELECT role, name, bytes FROM file WHERE finding = ?1 ORDER BY rowid")?;
    let rows = statement.query_map([finding.id], |row| {
        let file = SourceFile { name: row.get(1)?, bytes: row.get(2)? };
        Ok((row.get::<_, String>(0)?, file))
    })?;
    for row in rows {
        let (role, file) = row?;
        match role.as_str() {
            SOURCE => finding.finding.files.push(file),
            REDUCED | EVIDENCE => {}
            _ => finding.finding.artifacts.push(file),
        }
    }
    Ok(())
}
