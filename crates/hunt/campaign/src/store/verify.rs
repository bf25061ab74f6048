//! Whether a store is whole: what its file, its keys and its sums say of each other.

use anyhow::{Context, Result};

use super::{Store, UNSAMPLED, place, rows};

/// Each row is one sentence about something that does not hold. `?1` is why interrupted tests were skipped:
/// they are done again, and are not counted before.
const SUMS: &str = "
WITH done AS (
    SELECT engine, count(*) AS seeds, sum(generate) AS generate, sum(compile) AS compile,
    sum(run) AS run, sum(validate) AS validate FROM test WHERE skipped IS NOT ?1 GROUP BY engine
)
SELECT 'engine ' || engine || ': ' || coalesce(s.seeds, 0) || ' tests are counted, ' ||
    coalesce(d.seeds, 0) || ' are there, or their times differ'
FROM done d FULL JOIN spent s USING (engine)
WHERE d.seeds IS NOT s.seeds OR d.generate IS NOT s.generate OR d.compile IS NOT s.compile
    OR d.run IS NOT s.run OR d.validate IS NOT s.validate
";

/// The same of findings and their files.
const PARTS: &str = "
SELECT 'finding #' || id || ' has no program' FROM finding
WHERE NOT EXISTS (SELECT 1 FROM file WHERE finding = id)
";

impl Store {
    /// What does not hold, a sentence each; nothing if the store is whole.
    pub fn verify(&self) -> Result<Vec<String>> {
        self.try_verify().with_context(|| place(&self.dir))
    }

    fn try_verify(&self) -> Result<Vec<String>> {
        let mut wrong = self.sentences("PRAGMA integrity_check", &[])?;
        wrong.retain(|word| word != "ok");
        let sql = "SELECT 'a row of ' || \"table\" || ' names no ' || parent FROM pragma_foreign_key_check";
        wrong.extend(self.sentences(sql, &[])?);
        if self.version()? > UNSAMPLED {
            wrong.extend(self.sentences(SUMS, &[rows::INTERRUPTED])?);
            wrong.extend(self.sentences(PARTS, &[])?);
        }
        Ok(wrong)
    }

    fn sentences(&self, sql: &str, parameters: &[&str]) -> rusqlite::Result<Vec<String>> {
        let mut statement = self.db.prepare(sql)?;
        let parameters = rusqlite::params_from_iter(parameters);
        statement.query_map(parameters, |row| row.get(0))?.collect()
    }
}
