//! What `gainsay run --json` prints. Fields are added, never renamed.

use serde::Serialize;

use crate::locate::Located;
use crate::profile::ProfileObject;

/// One execution as one JSON object; what does not apply is null.
#[derive(Serialize, Debug, Default)]
pub struct RunObject {
    /// `finished`, `undefined`, `unspecified`, `unsupported`, `out-of-fuel`, `out-of-memory`,
    /// `invalid` (the parser refused it) or `internal`.
    pub outcome: &'static str,
    /// `parse` when the parser refused the program, else `run`.
    pub stage: &'static str,
    /// The kind of undefined or unspecified behaviour.
    pub kind: Option<&'static str>,
    /// The clause of C11.
    pub clause: Option<&'static str>,
    /// The rule that was broken.
    pub rule: Option<&'static str>,
    /// Where: file.
    pub file: Option<String>,
    /// Where: line, from 1.
    pub line: Option<usize>,
    /// Where: column, from 1, in characters.
    pub column: Option<usize>,
    /// The values involved, or what is not supported.
    pub detail: Option<String>,
    /// The second place that matters.
    pub other: Option<OtherObject>,
    /// What the program printed before it ended; what is not UTF-8 is replaced.
    pub stdout: String,
    /// The same in hexadecimal, only where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdout_hex: Option<String>,
    /// The program's exit status; 134 for abort.
    pub status: Option<u8>,
    /// Machine steps taken.
    pub steps: u64,
    /// What ran, with --profile only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileObject>,
}

/// A second place.
#[derive(Serialize, Debug)]
pub struct OtherObject {
    /// What it is.
    pub what: String,
    /// File.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

impl RunObject {
    /// Sets what the program printed.
    pub fn stdout(mut self, bytes: &[u8]) -> RunObject {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.stdout = text.into(),
            Err(_) => {
                self.stdout = String::from_utf8_lossy(bytes).into_owned();
                self.stdout_hex = Some(bytes.iter().map(|b| format!("{b:02x}")).collect());
            }
        }
        self
    }

    /// Sets the places.
    pub fn places(mut self, at: Option<&Located>, other: Option<&(Located, String)>) -> RunObject {
        if let Some(at) = at {
            self.file = Some(at.file.clone());
            self.line = Some(at.line);
            self.column = Some(at.column);
        }
        self.other = other.map(|(at, what)| OtherObject {
            what: what.clone(),
            file: at.file.clone(),
            line: at.line,
            column: at.column,
        });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_not_lost() {
        let object = RunObject::default().stdout(&[b'a', 0xff]);
        assert_eq!(object.stdout_hex.as_deref(), Some("61ff"));
        assert!(RunObject::default().stdout(b"ok").stdout_hex.is_none());
    }
}
