//! What users and rechecks say of findings: which are suppressed, which are fixed.

use anyhow::{Result, bail};
use rusqlite::{OptionalExtension, Row, params};

use super::{Store, now, rows};
use crate::record::BugState;

/// A pattern of bugs that are not to be shown.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Suppression {
    /// What keys or signatures must be; `*` stands for anything.
    pub pattern: String,
    /// Why: a bug's number in a tracker, usually.
    pub reason: String,
    /// Seconds since 1970.
    pub since: u64,
    /// How many findings it fits now.
    pub hits: u64,
}

impl Suppression {
    /// Whether a key or a signature fits.
    pub fn fits(&self, name: &str) -> bool {
        fits(&self.pattern, name)
    }
}

/// What was last seen of a bug.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct NotedState {
    /// Whether it is still there.
    pub state: BugState,
    /// How that is known.
    pub note: String,
    /// Seconds since 1970.
    pub at: u64,
}

impl Store {
    /// Suppresses what fits a pattern, with a reason; a pattern that is there gets the new reason.
    pub fn suppress(&mut self, pattern: &str, reason: &str) -> Result<()> {
        if pattern.trim().is_empty() {
            bail!("an empty pattern matches nothing: give a key or a signature, `*` for any part");
        }
        self.migrate()?;
        self.db.execute(
            "INSERT INTO suppression VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET reason = excluded.reason",
            params![pattern, reason, now() as i64],
        )?;
        Ok(())
    }

    /// Takes a suppression back; whether it was there.
    pub fn unsuppress(&mut self, pattern: &str) -> Result<bool> {
        self.migrate()?;
        Ok(self.db.execute("DELETE FROM suppression WHERE pattern = ?1", [pattern])? > 0)
    }

    /// Every suppression, with how many findings it fits.
    pub fn suppressions(&self) -> Result<Vec<Suppression>> {
        let mut all = self.patterns()?;
        if !all.is_empty() {
            let findings = self.listed()?;
            let keys = self.keys(&findings)?;
            for suppression in &mut all {
                let hit = findings.iter().zip(&keys).filter(|(found, key)| {
                    suppression.fits(&found.signature) || suppression.fits(key)
                });
                suppression.hits = hit.count() as u64;
            }
        }
        Ok(all)
    }

    /// The same without the counts.
    pub(super) fn patterns(&self) -> Result<Vec<Suppression>> {
        if !self.has_studies()? {
            return Ok(Vec::new());
        }
        let mut statement =
            self.db.prepare("SELECT pattern, reason, since FROM suppression ORDER BY pattern")?;
        let read = |row: &Row| {
            Ok(Suppression {
                pattern: row.get(0)?,
                reason: row.get(1)?,
                since: row.get::<_, i64>(2)? as u64,
                hits: 0,
            })
        };
        let rows = statement.query_map([], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Why a finding of this signature is not to be studied, if it is suppressed.
    pub fn suppressed(&self, signature: &str) -> Result<Option<String>> {
        let fitting = self.patterns()?.into_iter().find(|s| s.fits(signature));
        Ok(fitting.map(|s| s.reason))
    }

    /// Notes today what became of a finding's bug.
    pub fn set_state(&mut self, id: i64, state: BugState, note: &str) -> Result<()> {
        self.known(id)?;
        self.migrate()?;
        self.db.execute(
            "INSERT OR REPLACE INTO state VALUES (?1, ?2, ?3, ?4)",
            params![id, name(state), note, now() as i64],
        )?;
        Ok(())
    }

    /// What was last noted of a finding, if anything was.
    pub fn state(&self, id: i64) -> Result<Option<NotedState>> {
        if !self.has_studies()? {
            return Ok(None);
        }
        let sql = "SELECT state, note, at, finding FROM state WHERE finding = ?1";
        Ok(self.db.query_row(sql, [id], noted).optional()?.map(|(_, noted)| noted))
    }

    /// All that was noted, by finding.
    pub(super) fn states(&self) -> Result<Vec<(i64, NotedState)>> {
        if !self.has_studies()? {
            return Ok(Vec::new());
        }
        let mut statement = self.db.prepare("SELECT state, note, at, finding FROM state")?;
        let rows = statement.query_map([], noted)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn noted(row: &Row) -> rusqlite::Result<(i64, NotedState)> {
    let state: String = row.get(0)?;
    let state = match state.as_str() {
        "open" => BugState::Open,
        "fixed" => BugState::Fixed,
        other => return Err(rows::unknown_value(0, format!("the state {other}"))),
    };
    let noted = NotedState { state, note: row.get(1)?, at: row.get::<_, i64>(2)? as u64 };
    Ok((row.get(3)?, noted))
}

fn name(state: BugState) -> &'static str {
    match state {
        BugState::Open => "open",
        BugState::Fixed => "fixed",
    }
}

/// Whether a text fits a pattern in which only `*` is special: signatures are full of brackets and
/// question marks, and a pasted one must fit itself.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    let Some((middle, tail)) = rest.rsplit_once('*') else { return text.ends_with(rest) };
    // The leftmost place is as good as any: what follows only needs room.
    for part in middle.split('*') {
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    text.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns() {
        let signature = "compiler-crash gcc in f[3], at x.cc:12";
        for pattern in [signature, "*", "compiler-crash *", "*x.cc*", "*gcc*at*", "c*c*f*12", "**"]
        {
            assert!(fits(pattern, signature), "{pattern}");
        }
        for pattern in ["", "gcc", "*gcc", "*f[3]*f[3]*", "compiler-crash", "*x.cc:12*2", "?*"] {
            assert!(!fits(pattern, signature), "{pattern}");
        }
    }
}
