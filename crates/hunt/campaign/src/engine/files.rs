//! The engine `files`: a folder of existing C programs. The seed is an index into their sorted
//! list.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use oracle::{Case, SourceFile, Trouble};
use toolchain::{Language, Preprocessor};

use super::{Source, TestProgram};
use crate::bench::TestBench;
use crate::predict::{self, Unusable, predict};
use crate::record::Cost;

/// Steps for one program: a second or two. What takes longer in the machine costs a hunt more than
/// it is likely to yield.
const FUEL: u64 = 20_000_000;

/// A folder of programs of one file each.
pub struct Files {
    name: String,
    files: Vec<PathBuf>,
    include: Vec<PathBuf>,
    preprocessor: Preprocessor,
    /// Whether programs that the machine cannot execute are made, too: without an answer.
    unanswered: bool,
}

impl Files {
    /// All files `*.c` in a folder and the folders in it.
    pub fn find(from: &Path, include: &[PathBuf]) -> Result<Files> {
        let from = fs::canonicalize(from)
            .with_context(|| format!("the folder {} given with --from", from.display()))?;
        let mut files = Vec::new();
        collect(&from, &mut files)
            .with_context(|| format!("the folder {} cannot be read", from.display()))?;
        files.sort();
        if files.is_empty() {
            bail!("no *.c file in {}", from.display());
        }
        let absolute = |dir: &PathBuf| {
            fs::canonicalize(dir)
                .with_context(|| format!("the header folder {} given with -I", dir.display()))
        };
        let include = include.iter().map(absolute).collect::<Result<Vec<_>>>()?;
        let found = Preprocessor::find()?;
        let preprocessor = include.iter().fold(found, |p, dir| p.include(dir));
        let name = format!("files {}", from.display());
        Ok(Files { name, files, include, preprocessor, unanswered: false })
    }

    /// Makes programs without an answer, too; those that are known to have none stay out.
    pub fn with_unanswered(self) -> Files {
        Files { unanswered: true, ..self }
    }
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "c") && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

impl Source for Files {
    fn name(&self) -> &str {
        &self.name
    }

    /// Each file once, wherever the hunt begins.
    fn seeds(&self, _: u64) -> Range<u64> {
        0..self.files.len() as u64
    }

    fn make(
        &self,
        seed: u64,
        _: &Path,
        _: &TestBench,
        cost: &mut Cost,
    ) -> Result<Result<TestProgram, Unusable>, Trouble> {
        let Some(file) = self.files.get(seed as usize) else {
            return Err(Trouble::Io(format!("there is no file number {seed}")));
        };
        let files = std::slice::from_ref(file);
        let unit = file.display().to_string();
        let predicted = predict(files, &self.preprocessor, FUEL, &mut cost.generate);
        let steps = predicted.as_ref().ok().map(|done| done.steps);
        let (expected, own, unanswered) = match predicted {
            Ok(done) => (Some(done.expected), predict::own_opinion(&unit, done.steps), None),
            Err(unusable) if self.unanswered && !unusable.is_undefined() => {
                (None, predict::own_silence(&unit, &unusable), Some(unusable.reason))
            }
            Err(unusable) => return Ok(Err(unusable)),
        };
        // Gone since the list was made: no test, and no trouble.
        let Ok(bytes) = fs::read(file) else {
            let (reason, detail) = ("cannot be read".into(), file.display().to_string());
            return Ok(Err(Unusable { reason, detail }));
        };
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut include = self.include.clone();
        // What it includes in quotes lies beside it.
        include.extend(file.parent().map(Path::to_path_buf));
        let case = Case {
            language: Language::C,
            files: vec![SourceFile { name, bytes }],
            harness: None,
            standard: None,
            include,
            expected,
            omitted: Default::default(),
        };
        let made = TestProgram::new(case, unit, own, FUEL);
        Ok(Ok(TestProgram { is_foreign: true, unanswered, steps, ..made }))
    }
}
