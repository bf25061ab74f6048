//! Values out of a TOML table, and what is wrong with them, as one sentence with file and line.

use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What is wrong with a configuration file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}{}: {message}", .file.display(), .line.map(|n| format!(":{n}")).unwrap_or_default())]
pub struct ConfigError {
    /// The file.
    pub file: PathBuf,
    /// The line, where one is to blame.
    pub line: Option<usize>,
    /// The sentence.
    pub message: String,
}

/// Reads TOML.
pub(super) fn parse<'a>(text: &'a str, file: &Path) -> Result<Spanned<DeTable<'a>>, ConfigError> {
    DeTable::parse(text).map_err(|error| ConfigError {
        file: file.to_path_buf(),
        line: error.span().map(|span| line_of(text, &span)),
        message: format!("this is not TOML: {}", error.message()),
    })
}

fn line_of(text: &str, span: &Range<usize>) -> usize {
    let before = text.get(..span.start).unwrap_or(text);
    before.matches('\n').count() + 1
}

/// A table whose keys are known.
#[derive(Debug)]
pub(super) struct Section<'a> {
    file: &'a Path,
    text: &'a str,
    table: &'a DeTable<'a>,
    span: Range<usize>,
}

impl<'a> Section<'a> {
    /// A table that may have these keys and no others.
    pub(super) fn new(
        file: &'a Path,
        text: &'a str,
        table: &'a DeTable<'a>,
        span: Range<usize>,
        keys: &[&str],
    ) -> Result<Section<'a>, ConfigError> {
        let section = Section { file, text, table, span };
        let unknown = |key: &&Spanned<_>| !keys.contains(&AsRef::<str>::as_ref(key.get_ref()));
        // Keys come sorted; a person reads the file from its first line.
        let Some(key) = table.keys().filter(unknown).min_by_key(|key| key.span().start) else {
            return Ok(section);
        };
        let name: &str = key.get_ref().as_ref();
        let nearest = keys.iter().min_by_key(|k| strsim::damerau_levenshtein(k, name));
        // Further apart than this, a suggestion is a riddle.
        let near = nearest.filter(|k| strsim::damerau_levenshtein(k, name) <= 3);
        let advice = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known keys: {}", keys.join(", ")),
        };
        section.at(&key.span(), format!("`{name}` is not a known key; {advice}"))
    }

    /// The file that it is from.
    pub(super) fn file(&self) -> &Path {
        self.file
    }

    fn at<T>(&self, span: &Range<usize>, message: String) -> Result<T, ConfigError> {
        let line = Some(line_of(self.text, span));
        Err(ConfigError { file: self.file.to_path_buf(), line, message })
    }

    /// The complaint that a key's value is wrong: "`key` …".
    pub(super) fn wrong<T>(
        &self,
        key: &str,
        wanted: impl std::fmt::Display,
    ) -> Result<T, ConfigError> {
        let span = self.table.get(key).map_or(self.span.clone(), Spanned::span);
        self.at(&span, format!("`{key}` {wanted}"))
    }

    /// A string that must be there.
    pub(super) fn required(&self, key: &str) -> Result<String, ConfigError> {
        match self.string(key)? {
            Some(value) => Ok(value),
            None => self.wrong(key, "is missing here"),
        }
    }

    /// A string.
    pub(super) fn string(&self, key: &str) -> Result<Option<String>, ConfigError> {
        match self.table.get(key).map(Spanned::get_ref) {
            None => Ok(None),
            Some(DeValue::String(value)) => Ok(Some(value.to_string())),
            Some(_) => self.wrong(key, "must be a string, such as \"word\""),
        }
    }

    /// A string of words, as a shell splits them.
    pub(super) fn words(&self, key: &str) -> Result<Option<Vec<String>>, ConfigError> {
        match self.string(key)?.map(|value| shlex::split(&value)) {
            None => Ok(None),
            Some(None) => self.wrong(key, "has an unclosed quote"),
            Some(words) => Ok(words),
        }
    }

    /// Yes or no.
    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, ConfigError> {
        match self.table.get(key).map(Spanned::get_ref) {
            None => Ok(None),
            Some(DeValue::Boolean(value)) => Ok(Some(*value)),
            Some(_) => self.wrong(key, "must be true or false"),
        }
    }

    /// A table of strings of words, as a shell splits them, by their names.
    pub(super) fn words_by_name(
        &self,
        key: &str,
    ) -> Result<Vec<(String, Vec<String>)>, ConfigError> {
        let Some(value) = self.table.get(key) else { return Ok(Vec::new()) };
        let wanted = "must be a table of commands, such as { \"-mfast\" = \"simulator -v\" }";
        let DeValue::Table(table) = value.get_ref() else { return self.wrong(key, wanted) };
        let mut all = Vec::new();
        for (name, value) in table.iter() {
            let words = match value.get_ref() {
                DeValue::String(text) => shlex::split(text).filter(|words| !words.is_empty()),
                _ => None,
            };
            match words {
                Some(words) => all.push((name.get_ref().to_string(), words)),
                None => return self.at(&value.span(), format!("`{key}` {wanted}")),
            }
        }
        Ok(all)
    }

    /// A list of strings, none of them blank.
    pub(super) fn strings(&self, key: &str) -> Result<Option<Vec<String>>, ConfigError> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let wanted = "must be a list of flags, such as [\"-O0\", \"-O2 -fwrapv\"]";
        let DeValue::Array(values) = value.get_ref() else { return self.wrong(key, wanted) };
        let mut strings = Vec::new();
        for value in values {
            match value.get_ref() {
                DeValue::String(text) if !text.trim().is_empty() => {
                    // One blank between words, so that equal sets are equal strings.
                    strings.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
                }
                _ => return self.at(&value.span(), format!("`{key}` {wanted}")),
            }
        }
        Ok(Some(strings))
    }

    /// A whole number within limits.
    pub(super) fn number(
        &self,
        key: &str,
        least: u64,
        most: u64,
    ) -> Result<Option<u64>, ConfigError> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let number = match value.get_ref() {
            DeValue::Integer(value) => u64::from_str_radix(value.as_str(), value.radix()).ok(),
            _ => None,
        };
        match number.filter(|n| (least..=most).contains(n)) {
            Some(number) => Ok(Some(number)),
            None => self.wrong(key, format!("must be a whole number from {least} to {most}")),
        }
    }

    /// A table within this one.
    pub(super) fn section(
        &self,
        key: &str,
        keys: &[&str],
    ) -> Result<Option<Section<'a>>, ConfigError> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        match value.get_ref() {
            DeValue::Table(table) => {
                Section::new(self.file, self.text, table, value.span(), keys).map(Some)
            }
            _ => self.wrong(key, format!("must be a table: write [{key}]")),
        }
    }

    /// A list of tables within this one.
    pub(super) fn sections(
        &self,
        key: &str,
        keys: &[&str],
    ) -> Result<Vec<Section<'a>>, ConfigError> {
        let Some(value) = self.table.get(key) else { return Ok(Vec::new()) };
        let wanted = format!("must be a list of tables: write [[{key}]]");
        let DeValue::Array(values) = value.get_ref() else { return self.wrong(key, wanted) };
        let section = |value: &'a Spanned<DeValue<'a>>| match value.get_ref() {
            DeValue::Table(table) => Section::new(self.file, self.text, table, value.span(), keys),
            _ => self.at(&value.span(), format!("`{key}` {wanted}")),
        };
        values.iter().map(section).collect()
    }
}
