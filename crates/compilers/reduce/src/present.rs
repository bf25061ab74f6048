//! The form in which a reduced program is shown: what it must print stands in a comment behind it.
//!
//! The comment comes last, so that the lines which compilers and tools name are those of the file as it is sent.

use oracle::Expected;

/// Lines of output that a comment shows.
const SHOWN: usize = 6;

/// The text with a comment behind it that says what it must print, and what it prints instead.
pub fn present(text: &str, expected: Option<&Expected>, instead: &str) -> String {
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let Some(expected) = expected else {
        return format!("{text}{end}/* Expected: it compiles\n   Instead:  {} */\n", safe(instead));
    };
    let printed = match expected.stdout.iter().all(u8::is_ascii_whitespace) {
        true => "blank output".to_string(),
        false => lines(&expected.stdout),
    };
    let must = match (expected.stdout.is_empty(), expected.status) {
        (true, 0) => "nothing, exit status 0".to_string(),
        (true, status) => format!("nothing, exit status {status}"),
        (false, 0) => printed,
        (false, status) => format!("{printed}, exit status {status}"),
    };
    format!("{text}{end}/* Expected: {}\n   Instead:  {} */\n", safe(&must), safe(instead))
}

/// Output in one line, if it is short.
fn lines(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let all: Vec<&str> = text.lines().collect();
    let mut shown = all[..all.len().min(SHOWN)].join(" | ");
    if all.len() > SHOWN {
        shown.push_str(&format!(" | … ({} lines)", all.len()));
    }
    shown
}

/// Nothing may end the comment.
fn safe(text: &str) -> String {
    text.replace("*/", "* /").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_must_be_printed() {
        let expected = Expected { stdout: b"5\n".to_vec(), status: 0 };
        let text = present("int x;\n", Some(&expected), "prints 3 */ for 5");
        assert_eq!(text, "int x;\n/* Expected: 5\n   Instead:  prints 3 * / for 5 */\n");
        let many = Expected { stdout: b"1\n2\n3\n4\n5\n6\n7\n".to_vec(), status: 3 };
        assert!(present("", Some(&many), "").contains("5 | 6 | … (7 lines), exit status 3"));
        let blank = Expected { stdout: b"\n".to_vec(), status: 0 };
        assert!(present("", Some(&blank), "").starts_with("/* Expected: blank output\n"));
        let text = present("int x;", None, "a.c:1:1: crashes");
        assert_eq!(text, "int x;\n/* Expected: it compiles\n   Instead:  a.c:1:1: crashes */\n");
    }
}
