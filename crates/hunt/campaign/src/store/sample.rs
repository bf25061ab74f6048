//! Accounts that a page on a hunt reads in no time: samples of where it stood, and sums by engine.

use std::time::Duration;

use anyhow::Result;
use rusqlite::{OptionalExtension, Row, Transaction, params};

use super::{Store, UNSAMPLED, rows};
use crate::record::{Cost, Tested};

/// More samples than this are thinned out.
const MOST: i64 = 2000;

/// How many of the newest are left alone by that: what was lately is looked at closely.
const RECENT: i64 = 500;

/// Where a hunt stood. Sums are over all runs on the folder, as far as they were sampled.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Sample {
    /// Seconds since 1970.
    pub at: u64,
    /// It is the last of its run.
    pub last: bool,
    /// Time spent hunting.
    pub hunted: Duration,
    /// Tests recorded.
    pub tests: u64,
    /// Findings that stand.
    pub findings: u64,
    /// Different signatures among them.
    pub signatures: u64,
    /// Processor time of our own process: generation, the machine, the harness.
    pub own: Duration,
    /// Processor time of compilers, compiled programs and detectors, in tests and in studies.
    pub others: Duration,
    /// Basic blocks of compilers that tests have reached, where an engine measures it.
    pub blocks: Option<u64>,
}

/// What an engine has done.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct EngineSpent {
    /// Its name.
    pub engine: String,
    /// How many of its seeds are done.
    pub seeds: u64,
    /// What they cost.
    pub cost: Cost,
    /// When its first and last test were recorded, in seconds since 1970.
    pub span: (u64, u64),
}

const SPENT: &str = "engine, seeds, generate, compile, run, validate, first, last";

/// Adds a test to the sums of its engine.
pub fn add(tx: &Transaction, tested: &Tested, now: u64) -> rusqlite::Result<()> {
    let cost = tested.cost;
    tx.prepare_cached(
        "INSERT INTO spent VALUES (?1, 1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT DO UPDATE SET
         seeds = seeds + 1, generate = generate + excluded.generate,
         compile = compile + excluded.compile, run = run + excluded.run,
         validate = validate + excluded.validate, last = excluded.last",
    )?
    .execute(params![
        tested.engine,
        rows::micros(cost.generate),
        rows::micros(cost.compile),
        rows::micros(cost.run),
        rows::micros(cost.validate),
        now as i64,
    ])?;
    Ok(())
}

impl Store {
    /// Remembers where the hunt stands.
    pub fn put_sample(&mut self, sample: &Sample) -> Result<()> {
        let tx = self.db.transaction()?;
        tx.execute(
            "INSERT OR REPLACE INTO sample VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                sample.at as i64,
                sample.last,
                rows::micros(sample.hunted),
                sample.tests as i64,
                sample.findings as i64,
                sample.signatures as i64,
                rows::micros(sample.own),
                rows::micros(sample.others),
                sample.blocks.map(|n| n as i64),
            ],
        )?;
        let count: i64 = tx.query_row("SELECT count(*) FROM sample", [], |row| row.get(0))?;
        if count > MOST {
            // Every other one of the old: sums lose nothing by it, curves only detail.
            tx.execute(
                "DELETE FROM sample WHERE last = 0 AND at IN (SELECT at FROM
                 (SELECT at, row_number() OVER (ORDER BY at) AS n FROM sample)
                 WHERE n % 2 = 0 AND n <= ?1)",
                [count - RECENT],
            )?;
        }
        tx.commit()?;
        Ok(())
    }

    /// Samples, the oldest first.
    pub fn samples(&self) -> Result<Vec<Sample>> {
        if self.version()? <= UNSAMPLED {
            return Ok(Vec::new());
        }
        let mut statement = self.db.prepare("SELECT * FROM sample ORDER BY at")?;
        let rows = statement.query_map([], read_sample)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The newest sample.
    pub fn last_sample(&self) -> Result<Option<Sample>> {
        if self.version()? <= UNSAMPLED {
            return Ok(None);
        }
        let sql = "SELECT * FROM sample ORDER BY at DESC LIMIT 1";
        Ok(self.db.query_row(sql, [], read_sample).optional()?)
    }

    /// What each engine has done, by name.
    pub fn spent(&self) -> Result<Vec<EngineSpent>> {
        let sql = match self.version()? <= UNSAMPLED {
            true => format!("SELECT {SPENT} FROM ({}) ORDER BY engine", rows::SPENT_OF_TESTS),
            false => format!("SELECT {SPENT} FROM spent ORDER BY engine"),
        };
        let mut statement = self.db.prepare(&sql)?;
        let rows = statement.query_map([], |row| {
            Ok(EngineSpent {
                engine: row.get(0)?,
                seeds: row.get::<_, i64>(1)? as u64,
                cost: Cost {
                    generate: rows::time(row.get(2)?),
                    compile: rows::time(row.get(3)?),
                    run: rows::time(row.get(4)?),
                    validate: rows::time(row.get(5)?),
                },
                span: (row.get::<_, i64>(6)? as u64, row.get::<_, i64>(7)? as u64),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn read_sample(row: &Row) -> rusqlite::Result<Sample> {
    let number = |column| row.get::<_, i64>(column).map(|n| n as u64);
    Ok(Sample {
        at: number(0)?,
        last: row.get(1)?,
        hunted: rows::time(row.get(2)?),
        tests: number(3)?,
        findings: number(4)?,
        signatures: number(5)?,
        own: rows::time(row.get(6)?),
        others: rows::time(row.get(7)?),
        blocks: row.get::<_, Option<i64>>(8)?.map(|n| n as u64),
    })
}
