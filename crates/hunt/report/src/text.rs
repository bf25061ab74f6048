//! Words, dates and what must be escaped where.

use std::path::Path;

/// `2027-01-15` of seconds since 1970, in UTC.
pub fn date(seconds: u64) -> String {
    // Days since 0000-03-01: leap days then end a year, and months have a regular pattern.
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year + next)
}

/// The folder of a hunt by default.
pub const DEFAULT_HUNT: &str = "gainsay-hunt";

/// A complete command on the hunt of a folder: `gainsay show 3 --hunt my-hunt`.
pub fn command_on(dir: &Path, words: &str) -> String {
    match dir == Path::new(DEFAULT_HUNT) {
        true => format!("gainsay {words}"),
        false => format!("gainsay {words} --hunt {}", quote(&dir.to_string_lossy())),
    }
}

/// A word as a shell takes it.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into();
    }
    single(word)
}

/// A word in single quotes, whatever it is.
pub fn single(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Words as a shell takes them.
pub fn shell_line<S: AsRef<str>>(words: &[S]) -> String {
    words.iter().map(|word| quote(word.as_ref())).collect::<Vec<_>>().join(" ")
}

/// Without control characters that a terminal or a tracker would interpret.
pub fn printable(text: &str) -> String {
    // Signs that turn the direction of writing show a program as something else than it is.
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let safe = |c: char| (!c.is_control() || c == '\t' || c == '\n') && !turns(c);
    text.chars().map(|c| if safe(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
}

/// The same on one line.
pub fn one_line(text: &str) -> String {
    printable(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text for HTML, in elements and in quoted attributes.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// A block of code in Markdown, fenced by more backquotes than it has.
pub fn fenced(language: &str, text: &str) -> String {
    let text = printable(text);
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(3.max(longest + 1));
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

/// Code inside a line of Markdown, of a table too.
pub fn code(text: &str) -> String {
    let text = one_line(text).replace('|', "\\|");
    match text.contains('`') {
        true => format!("`` {text} ``"),
        false => format!("`{text}`"),
    }
}

/// Messages in which a file is called by another name; the lines in it stay the same.
pub fn renamed(text: &str, was: &str, name: &str) -> String {
    let mut parts = text.split(was);
    let mut new = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let begins = !new.ends_with(|c: char| c.is_alphanumeric() || "_-.".contains(c));
        let ends = part.starts_with([':', ',', '\'', '"', ' ', '\n']) || part.is_empty();
        new += if begins && ends { name } else { was };
        new += part;
    }
    new
}

/// Prose in lines of at most so many columns, for those who read plain text. A word that is longer has a line.
pub fn wrap(text: &str, columns: usize) -> String {
    let mut wrapped = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > columns {
            wrapped.push('\n');
            used = 0;
        }
        if used > 0 {
            wrapped.push(' ');
            used += 1;
        }
        wrapped += word;
        used += length;
    }
    wrapped
}

/// The same with a mark before the first line, and the others below the text.
pub fn wrap_below(mark: &str, text: &str, columns: usize) -> String {
    let indent = mark.chars().count();
    let lines = wrap(text, columns.saturating_sub(indent));
    format!("{mark}{}\n", lines.replace('\n', &format!("\n{}", " ".repeat(indent))))
}

/// `1 test`, `2 tests`.
pub fn plural(n: usize, one: &str) -> String {
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}

/// The first lines of a text, and how many there are more.
pub fn head(text: &str, lines: usize) -> String {
    let all = text.lines().count();
    if all <= lines {
        return text.into();
    }
    let mut short: String = text.lines().take(lines).map(|line| format!("{line}\n")).collect();
    short += &format!("… and {} more\n", plural(all - lines, "line"));
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        let cases = [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_709_164_799, "2024-02-28"),
            (1_735_689_599, "2024-12-31"),
            (4_107_542_400, "2100-03-01"),
        ];
        for (seconds, want) in cases {
            assert_eq!(date(seconds), want);
        }
    }

    #[test]
    fn nothing_gets_out_of_its_quotes() {
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(shell_line(&["a b", "-O2", ""]), "'a b' -O2 ''");
        assert_eq!(escape("<script>\"&'\x1b[1m"), "&lt;script&gt;&quot;&amp;&#39;\u{fffd}[1m");
        assert_eq!(fenced("c", "a\n```\nb"), "````c\na\n```\nb\n````\n");
        assert_eq!((code("a|b\nc"), code("`x'")), ("`a\\|b c`".into(), "`` `x' ``".into()));
        assert_eq!(wrap("a bb ccc dddd eeeee", 6), "a bb\nccc\ndddd\neeeee");
        assert_eq!(wrap_below("- ", "a bb ccc", 6), "- a bb\n  ccc\n");
        let told = "x/a.c:3:1: error, aa.c:3, a.cc:4 In file 'a.c'";
        let want = "x/test.c:3:1: error, aa.c:3, a.cc:4 In file 'test.c'";
        assert_eq!(renamed(told, "a.c", "test.c"), want);
        assert_eq!(head("a\nb\nc\n", 2), "a\nb\n… and 1 line more\n");
    }
}
