//! Source locations: spans over the preprocessed text, and the mapping back to file and line.

/// A range of bytes in the preprocessed text of a program; offsets continue across its units.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte; `u32::MAX` for a node without source text.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

impl Span {
    /// The span of a node that was not parsed.
    pub const NONE: Span = Span { lo: u32::MAX, hi: u32::MAX };

    /// From the start of `self` to the end of `other`.
    #[inline]
    pub fn to(self, other: Span) -> Span {
        Span { lo: self.lo, hi: other.hi }
    }

    /// True for [`Span::NONE`].
    pub fn is_none(self) -> bool {
        self.lo == u32::MAX
    }
}

/// File, line and column, as the preprocessor's line markers name them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// File as the line marker names it.
    pub file: String,
    /// Line in that file, from 1.
    pub line: u32,
    /// Column in the preprocessed line, from 1, in bytes.
    pub column: u32,
    /// Length of the span on this line, in bytes, at least 1.
    pub width: u32,
    /// The preprocessed line itself.
    pub text: String,
}

/// The texts of a program's units, end to end, and their line markers.
#[derive(Clone, Default, Debug)]
pub struct SourceMap {
    text: String,
    /// (offset of the first byte governed, file, line of that byte), ascending by offset.
    markers: Vec<(u32, u32, u32)>,
    files: Vec<String>,
}

impl SourceMap {
    /// Appends a unit's text under the file name given; returns the offset of its first byte.
    pub fn add(&mut self, file: &str, text: &str) -> u32 {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        let base = self.text.len() as u32;
        self.text.push_str(text);
        self.add_marker(base, file, 1);
        base
    }

    /// Records that the byte at `offset` begins line `line` of `file`.
    pub fn add_marker(&mut self, offset: u32, file: &str, line: u32) {
        // Line markers come in runs for the same few headers: look from the newest.
        let id = match self.files.iter().rposition(|f| f == file) {
            Some(i) => i,
            None => {
                self.files.push(file.to_string());
                self.files.len() - 1
            }
        };
        self.markers.push((offset, id as u32, line));
    }

    /// All text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty for [`Span::NONE`].
    pub fn snippet(&self, span: Span) -> &str {
        self.text.get(span.lo as usize..span.hi as usize).unwrap_or("")
    }

    /// File, line and column of a span's start; `None` for [`Span::NONE`].
    pub fn location(&self, span: Span) -> Option<Location> {
        let lo = span.lo as usize;
        if span.is_none() || lo > self.text.len() {
            return None;
        }
        let at = self.markers.partition_point(|m| m.0 <= span.lo);
        let &(start, file, first_line) = self.markers.get(at.checked_sub(1)?)?;
        let bytes = self.text.as_bytes();
        let newlines = bytes[start as usize..lo].iter().filter(|&&b| b == b'\n').count();
        let begin = bytes[..lo].iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        let end = bytes[lo..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |i| lo + i);
        let width = (span.hi as usize).clamp(lo + 1, end.max(lo + 1)) - lo;
        Some(Location {
            file: self.files[file as usize].clone(),
            line: first_line + newlines as u32,
            column: (lo - begin) as u32 + 1,
            width: width as u32,
            text: self.text[begin..end].to_string(),
        })
    }
}
