//! For which tracker a report is.

use crate::bugzilla::bugzilla;
use crate::github::github;
use crate::markdown::markdown;
use crate::test::Test;

/// A form of a report's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Markdown for any tracker.
    #[default]
    Markdown,
    /// GCC's Bugzilla: plain text, with what goes into the fields of its form.
    Bugzilla,
    /// LLVM's issues on GitHub, with title and labels.
    Github,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 3] = [Format::Markdown, Format::Bugzilla, Format::Github];

    /// As it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Format::Markdown => "markdown",
            Format::Bugzilla => "bugzilla",
            Format::Github => "github",
        }
    }

    /// The file of a report's text.
    pub fn file(self) -> &'static str {
        match self {
            Format::Markdown | Format::Github => "report.md",
            Format::Bugzilla => "report.txt",
        }
    }

    /// The text.
    pub fn text(self, test: &Test) -> String {
        match self {
            Format::Markdown => markdown(test),
            Format::Bugzilla => bugzilla(test),
            Format::Github => github(test),
        }
    }
}
