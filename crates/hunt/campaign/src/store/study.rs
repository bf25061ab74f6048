//! Studies: what became of a finding when it was reduced, blamed and compared over versions.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use oracle::SourceFile;
use rusqlite::{Connection, Row, params};

use super::{Store, attribution, full_or, now, older, place, rows};
use crate::record::Study;

const COLUMNS: &str = "finding, summary, subject, certificate, blame, ladder, key, tokens_before,
    tokens_after, nanoseconds";

impl Store {
    /// Keeps the study of a finding, in place of an earlier one.
    pub fn put_study(&mut self, id: i64, study: &Study) -> Result<()> {
        self.known(id)?;
        self.migrate()?;
        let dir = self.dir.clone();
        self.try_put(id, study).with_context(|| full_or(&dir))
    }

    fn try_put(&mut self, id: i64, study: &Study) -> rusqlite::Result<()> {
        let tx = self.db.transaction()?;
        tx.execute(
            "DELETE FROM file WHERE finding = ?1 AND role IN (?2, ?3)",
            params![id, rows::REDUCED, rows::EVIDENCE],
        )?;
        tx.execute(
            "INSERT OR REPLACE INTO study (at, finding, summary, targets, subject, certificate, blame,
             ladder, key, tokens_before, tokens_after, nanoseconds)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            params![
                now() as i64,
                id,
                study.summary,
                rows::json(&study.targets())?,
                rows::json(&study.subject)?,
                rows::json(&study.certificate)?,
                rows::json(&study.blame)?,
                rows::json(&study.ladder)?,
                study.key,
                study.tokens.0 as i64,
                study.tokens.1 as i64,
                i64::try_from(study.took.as_nanos()).unwrap_or(i64::MAX),
            ],
        )?;
        attribution::put_mask(&tx, id, study)?;
        let roles = [(rows::REDUCED, &study.files), (rows::EVIDENCE, &study.evidence)];
        for (role, file) in
            roles.iter().flat_map(|(role, files)| files.iter().map(move |f| (role, f)))
        {
            tx.execute(
                "INSERT INTO file VALUES (?1, ?2, ?3, ?4)",
                params![id, role, file.name, file.bytes],
            )?;
        }
        tx.commit()
    }

    /// The study of a finding, if it was studied.
    pub fn study(&self, id: i64) -> Result<Option<Study>> {
        if !self.has_studies()? {
            return Ok(None);
        }
        let Some((id, mut study)) = self.read_studies(Some(id))?.pop() else { return Ok(None) };
        study.files = files(&self.db, id, rows::REDUCED)?;
        study.evidence = files(&self.db, id, rows::EVIDENCE)?;
        Ok(Some(study))
    }

    /// Every study with the number of its finding, in their order.
    pub fn studies(&self) -> Result<Vec<(i64, Study)>> {
        if !self.has_studies()? {
            return Ok(Vec::new());
        }
        let mut all = self.read_studies(None)?;
        for (id, study) in &mut all {
            study.files = files(&self.db, *id, rows::REDUCED)?;
            study.evidence = files(&self.db, *id, rows::EVIDENCE)?;
        }
        Ok(all)
    }

    /// The study of a finding without its files.
    pub(super) fn outline(&self, id: i64) -> Result<Option<Study>> {
        Ok(self.read_studies(Some(id))?.pop().map(|(_, study)| study))
    }

    /// Studies without the contents of their files: all, or one.
    pub(super) fn read_studies(&self, id: Option<i64>) -> Result<Vec<(i64, Study)>> {
        let studies = match self.has_subjects()? {
            true => studies(&self.db, id),
            false => older::studies(&self.db, id),
        };
        let mut studies = studies.with_context(|| place(&self.dir))?;
        self.read_masks(&mut studies)?;
        Ok(studies)
    }

    /// Complains about a number that no finding has, and says which there are.
    pub fn known(&self, id: i64) -> Result<()> {
        let count = "SELECT count(*) FROM finding WHERE id = ?1";
        if self.db.query_row(count, [id], |row| row.get::<_, i64>(0))? > 0 {
            return Ok(());
        }
        let range: Option<(i64, i64)> =
            self.db.query_row("SELECT min(id), max(id) FROM finding", [], |row| {
                Ok(row.get::<_, Option<i64>>(0)?.zip(row.get(1)?))
            })?;
        let dir = self.dir.display();
        match range {
            None => bail!("there is no finding {id} in {dir}: it has no findings"),
            Some((first, last)) if first == last => {
                bail!("there is no finding {id} in {dir}: the only one is {first}")
            }
            Some((first, last)) => {
                bail!("there is no finding {id} in {dir}: they are numbered {first} to {last}")
            }
        }
    }
}

fn studies(db: &Connection, id: Option<i64>) -> rusqlite::Result<Vec<(i64, Study)>> {
    let (first, last) = id.map_or((i64::MIN, i64::MAX), |id| (id, id));
    let sql =
        format!("SELECT {COLUMNS} FROM study WHERE finding BETWEEN ?1 AND ?2 ORDER BY finding");
    db.prepare(&sql)?.query_map([first, last], read)?.collect()
}

fn read(row: &Row) -> rusqlite::Result<(i64, Study)> {
    let number = |column| row.get::<_, i64>(column).map(|n| usize::try_from(n).unwrap_or(0));
    let study = Study {
        about: None,
        mask: triage::Mask::default(),
        files: Vec::new(),
        evidence: Vec::new(),
        summary: row.get(1)?,
        subject: rows::parse(row, 2)?,
        certificate: rows::parse(row, 3)?,
        blame: rows::parse(row, 4)?,
        ladder: rows::parse(row, 5)?,
        key: row.get(6)?,
        tokens: (number(7)?, number(8)?),
        took: Duration::from_nanos(u64::try_from(row.get::<_, i64>(9)?).unwrap_or(0)),
    };
    Ok((row.get(0)?, study))
}

pub(super) fn files(db: &Connection, id: i64, role: &str) -> rusqlite::Result<Vec<SourceFile>> {
    let mut statement =
        db.prepare("SELECT name, bytes FROM file WHERE finding = ?1 AND role = ?2 ORDER BY rowid")?;
    let file = |row: &Row| Ok(SourceFile { name: row.get(0)?, bytes: row.get(1)? });
    statement.query_map(params![id, role], file)?.collect()
}
