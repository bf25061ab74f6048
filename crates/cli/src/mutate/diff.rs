//! Two texts side by side, as a unified diff.

use std::fmt::Write as _;

use oracle::SourceFile;
use similar::{ChangeTag, TextDiff};

/// Lines shown around a change.
const CONTEXT: usize = 3;

/// What changed in which file. Files that are as they were are left out.
pub fn text(before: &[SourceFile], after: &[SourceFile], colour: bool) -> String {
    let mut text = String::new();
    for (old, new) in before.iter().zip(after) {
        let (from, to) = (String::from_utf8_lossy(&old.bytes), String::from_utf8_lossy(&new.bytes));
        let diff = TextDiff::from_lines(from.as_ref(), to.as_ref());
        let mut unified = diff.unified_diff();
        let hunks: Vec<_> = unified.context_radius(CONTEXT).iter_hunks().collect();
        if hunks.is_empty() {
            continue;
        }
        paint(
            &mut text,
            colour,
            BOLD,
            &format!("--- {} (seed)\n+++ {} (variant)", old.name, new.name),
        );
        for hunk in hunks {
            paint(&mut text, colour, CYAN, hunk.header().to_string().trim_end());
            for change in hunk.iter_changes() {
                let (sign, style) = match change.tag() {
                    ChangeTag::Delete => ('-', RED),
                    ChangeTag::Insert => ('+', GREEN),
                    ChangeTag::Equal => (' ', ""),
                };
                let line = format!("{sign}{}", change.value().trim_end_matches('\n'));
                paint(&mut text, colour, style, &line);
            }
        }
    }
    text
}

const BOLD: &str = "\x1b[1m";
const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const CYAN: &str = "\x1b[36m";

fn paint(text: &mut String, colour: bool, style: &str, line: &str) {
    // A string cannot fail to be written to.
    let _ = match colour && !style.is_empty() {
        true => writeln!(text, "{style}{line}\x1b[0m"),
        false => writeln!(text, "{line}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_shown_with_its_surroundings() {
        let file = |text: &str| vec![SourceFile { name: "a.c".into(), bytes: text.into() }];
        let (before, after) = (file("a\nb\nc\nd\ne\nf\n"), file("a\nb\nc\nd\nx\ne\nf\n"));
        let plain = text(&before, &after, false);
        let want = "--- a.c (seed)\n+++ a.c (variant)\n@@ -2,5 +2,6 @@\n b\n c\n d\n+x\n e\n f\n";
        assert_eq!(plain, want);
        let painted = text(&before, &after, true);
        assert!(painted.contains("\x1b[32m+x\x1b[0m\n e\n"), "{painted:?}");
        assert_eq!(text(&before, &before, true), "");
    }
}
