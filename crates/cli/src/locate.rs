//! Back from the preprocessed text to the line a person wrote.
//!
//! The preprocessor's line markers name file and line, but its output line is not the person's:
//! macros are expanded and blanks between tokens squeezed. If the text of a span is found on the
//! original line, blanks aside, the original is shown and its column told; otherwise the
//! preprocessed line is.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;

use ctree::source::Location;

/// A place together with the text to show it in.
#[derive(Debug, PartialEq)]
pub struct Located {
    /// File as the line marker names it.
    pub file: String,
    /// Line in that file, from 1.
    pub line: usize,
    /// Column in the line shown, from 1, in characters.
    pub column: usize,
    /// The text shown: the whole original file, or one preprocessed line.
    pub source: String,
    /// Line number of the first line of `source`.
    pub first_line: usize,
    /// The bytes of `source` to point at.
    pub range: Range<usize>,
    /// True when `source` is the preprocessed line and not the person's.
    pub preprocessed: bool,
}

/// Finds the text to show for a place.
pub fn locate(place: &Location) -> Located {
    let original = fs::read_to_string(&place.file).ok();
    locate_in(place, original)
}

/// Original files, each read once: for those who ask about many places.
#[derive(Default)]
pub struct Files(BTreeMap<String, Option<String>>);

impl Files {
    /// The column of a place in the line that a person wrote, from 1, in characters; `None` where
    /// its words do not stand on that line.
    pub fn column(&mut self, place: &Location) -> Option<usize> {
        let read = |file: &String| fs::read_to_string(file).ok();
        let file = self.0.entry(place.file.clone()).or_insert_with_key(read);
        let text = file.as_deref()?;
        let begin = (place.column as usize - 1).min(place.text.len());
        let end = (begin + place.width as usize).min(place.text.len());
        let range = on_original(text, place.line as usize, place, begin..end)?;
        let line_begin = text[..range.start].rfind('\n').map_or(0, |i| i + 1);
        Some(text[line_begin..range.start].chars().count() + 1)
    }
}

fn locate_in(place: &Location, original: Option<String>) -> Located {
    let line = place.line as usize;
    let begin = (place.column as usize - 1).min(place.text.len());
    let end = (begin + place.width as usize).min(place.text.len());
    let found = original.as_deref().and_then(|text| on_original(text, line, place, begin..end));
    let (source, first_line, range, preprocessed) = match (original, found) {
        (Some(text), Some(range)) => (text, 1, range, false),
        _ => (place.text.clone(), line, begin..end, true),
    };
    let line_begin = source[..range.start].rfind('\n').map_or(0, |i| i + 1);
    let column = source[line_begin..range.start].chars().count() + 1;
    Located { file: place.file.clone(), line, column, source, first_line, range, preprocessed }
}

/// The bytes of `text` that the span came from, if its words stand on that line.
fn on_original(
    text: &str,
    line: usize,
    place: &Location,
    span: Range<usize>,
) -> Option<Range<usize>> {
    let wanted = place.text.get(span.clone())?;
    let offset = text.split_inclusive('\n').take(line - 1).map(str::len).sum::<usize>();
    let original = text[offset..].lines().next()?;
    let here = occurrences(original, wanted);
    let there = occurrences(&place.text, wanted);
    // As many on both lines: no macro added or took one, and the order is the same.
    let nth = there.iter().position(|r| r.start == span.start).unwrap_or(0);
    let range = if here.len() == there.len() { here.get(nth)? } else { here.first()? };
    Some(offset + range.start..offset + range.end)
}

/// Where `wanted` stands on `line`, blanks aside, and not as a part of a longer word.
fn occurrences(line: &str, wanted: &str) -> Vec<Range<usize>> {
    let starts = line.char_indices().map(|(i, _)| i);
    starts.filter_map(|i| matches_at(line, i, wanted).map(|end| i..end)).collect()
}

fn matches_at(line: &str, start: usize, wanted: &str) -> Option<usize> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let first = wanted.chars().find(|c| !c.is_whitespace())?;
    if !line[start..].starts_with(first)
        || (word(first) && line[..start].chars().next_back().is_some_and(word))
    {
        return None;
    }
    let mut rest = line[start..].char_indices().filter(|(_, c)| !c.is_whitespace());
    let mut end = start;
    let mut last = first;
    for c in wanted.chars().filter(|c| !c.is_whitespace()) {
        let (i, found) = rest.next()?;
        if found != c {
            return None;
        }
        end = start + i + c.len_utf8();
        last = c;
    }
    let cut = word(last) && line[end..].starts_with(word);
    (!cut).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, wanted: &str, nth: usize) -> Location {
        let column = text.match_indices(wanted).nth(nth).expect("it is there").0 as u32 + 1;
        let width = wanted.len() as u32;
        Location { file: "a.c".into(), line: 2, column, width, text: text.into() }
    }

    #[track_caller]
    fn check(original: &str, place: &Location, column: usize, shown: &str, preprocessed: bool) {
        let got = locate_in(place, Some(original.into()));
        assert_eq!(got.column, column);
        assert_eq!(&got.source[got.range.clone()], shown);
        assert_eq!(got.preprocessed, preprocessed);
    }

    #[test]
    fn the_original_line_with_its_own_blanks() {
        let p = place("  y = x + 1;", "x + 1", 0);
        check("int x;\n\ty  =  x+1; /* c */\n", &p, 8, "x+1", false);
    }

    #[test]
    fn an_expanded_macro_shows_the_preprocessed_line() {
        let p = place("y = ((x) + 1);", "(x) + 1", 0);
        check("int x;\ny = INC(x);\n", &p, 6, "(x) + 1", true);
    }

    #[test]
    fn the_same_words_twice_on_a_line() {
        let p = place("a = i++ + i++;", "i++", 1);
        check("\na = i++  +  i++;\n", &p, 13, "i++", false);
    }

    #[test]
    fn not_a_part_of_a_longer_word() {
        let p = place("xx = x;", "x", 2);
        check("\nxx = x;\n", &p, 6, "x", false);
    }

    #[test]
    fn no_original_file() {
        let got = locate_in(&place("f();", "f()", 0), None);
        assert_eq!((got.line, got.first_line, got.preprocessed), (2, 2, true));
    }

    #[test]
    fn a_file_that_is_shorter_than_its_markers_say() {
        let got = locate_in(&place("f();", "f()", 0), Some("one line".into()));
        assert!(got.preprocessed);
    }
}
