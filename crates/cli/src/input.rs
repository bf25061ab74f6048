//! From the files a person names to preprocessed texts.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use oracle::SourceFile;
use sandbox::Scratch;
use toolchain::{Language, Preprocessor};

/// One translation unit, ready for the parser.
#[derive(Debug)]
pub struct Source {
    /// The name to show.
    pub name: String,
    /// Preprocessed text.
    pub text: String,
}

impl Source {
    /// The names by which line markers call the file itself: the one that was given, and, as the
    /// preprocessor may have been run elsewhere, the one that the text begins with.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let marker = self.text.lines().next().and_then(|line| line.strip_prefix("# "));
        let first = marker.and_then(|m| m.split_once('"')).and_then(|(_, m)| m.split_once('"'));
        [self.name.as_str()].into_iter().chain(first.map(|(file, _)| file))
    }
}

/// Reads every file, and preprocesses those that are not preprocessed yet.
pub fn read_all(files: &[PathBuf], include: &[PathBuf], define: &[String]) -> Result<Vec<Source>> {
    for dir in include {
        if !dir.is_dir() {
            bail!("the header folder {} given with -I does not exist", dir.display());
        }
    }
    files.iter().try_for_each(|file| check(file))?;
    if files.iter().any(|file| Language::of(file) == Language::Cxx) {
        return read_cxx(files, include, define);
    }
    let mut preprocessor = None;
    files
        .iter()
        .map(|file| {
            let text = if is_preprocessed(file) {
                read_text(file)?
            } else {
                let preprocessor = match &preprocessor {
                    Some(found) => found,
                    None => preprocessor.insert(configured(include, define)?),
                };
                preprocessor.run(file).with_context(|| file.display().to_string())?
            };
            Ok(Source { name: name(file), text })
        })
        .collect()
}

/// Files of C++ as C: with the headers that they include from beside them, in a folder of their own.
fn read_cxx(files: &[PathBuf], include: &[PathBuf], define: &[String]) -> Result<Vec<Source>> {
    let mut found: Vec<SourceFile> = Vec::new();
    let mut waiting: Vec<PathBuf> = files.iter().rev().cloned().collect();
    let mut preprocessor = configured(include, define)?;
    while let Some(path) = waiting.pop() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if found.iter().any(|known| known.name == name) {
            continue;
        }
        let text = read_text(&path)?;
        let beside = path.parent().filter(|p| *p != Path::new("")).unwrap_or(Path::new("."));
        preprocessor = preprocessor.include(beside);
        let quoted = text.lines().filter_map(|line| line.trim().strip_prefix("#include \""));
        let names = quoted.filter_map(|rest| rest.split('"').next());
        waiting.extend(names.map(|name| beside.join(name)).filter(|path| path.is_file()));
        found.push(SourceFile { name, bytes: text.into_bytes() });
    }
    let folder = Scratch::new().context("no temporary folder can be made")?;
    for SourceFile { name, bytes } in reduce::as_c(&found) {
        fs::write(folder.file(&name), bytes).context("a temporary file cannot be written")?;
    }
    let read = |file: &PathBuf| {
        let copy = folder.path().join(file.file_name().unwrap_or_default());
        let text = preprocessor.run(&copy).with_context(|| file.display().to_string())?;
        // As if it had been read where it is.
        let (from, to) = (format!("{}/", folder.path().display()), beside_name(file));
        Ok(Source { name: name(file), text: text.replace(&from, &to) })
    };
    files.iter().map(read).collect()
}

/// What stands before a file's own name in its path.
fn beside_name(file: &Path) -> String {
    let all = file.display().to_string();
    let own = file.file_name().unwrap_or_default().to_string_lossy();
    all.strip_suffix(&*own).unwrap_or_default().to_string()
}

fn configured(include: &[PathBuf], define: &[String]) -> Result<Preprocessor> {
    let found = Preprocessor::find()?;
    let found = include.iter().fold(found, |p, dir| p.include(dir));
    Ok(define.iter().fold(found, |p, definition| p.define(definition)))
}

fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == "-"
}

fn is_preprocessed(file: &Path) -> bool {
    is_stdin(file) || file.extension().is_some_and(|e| e == "i")
}

fn name(file: &Path) -> String {
    if is_stdin(file) { "<stdin>".into() } else { file.display().to_string() }
}

/// The mistakes a person can make with a file name, each told in one sentence.
fn check(file: &Path) -> Result<()> {
    if is_stdin(file) {
        return Ok(());
    }
    let meta = fs::metadata(file)
        .with_context(|| format!("the file {} cannot be read", file.display()))?;
    if meta.is_dir() {
        bail!("{} is a folder: name the C files in it", file.display());
    }
    Ok(())
}

fn read_text(file: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    if is_stdin(file) {
        io::stdin().read_to_end(&mut bytes).context("standard input cannot be read")?;
    } else {
        bytes = fs::read(file)
            .with_context(|| format!("the file {} cannot be read", file.display()))?;
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        anyhow::anyhow!("{} is not UTF-8 text (byte {at}): convert it first", name(file))
    })
}
