//! Numbers, times and lists as people read them.

use std::collections::BTreeMap;
use std::time::Duration;

/// Reads `90s`, `10m`, `1h30m`, `2d`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "give a number and a unit: 90s, 10m, 1h30m or 2d".to_string();
    let mut seconds = 0u64;
    let mut number = String::new();
    for c in text.chars() {
        let unit = match c {
            '0'..='9' => {
                number.push(c);
                continue;
            }
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86400,
            _ => return Err(wrong()),
        };
        let value = std::mem::take(&mut number).parse::<u64>().ok();
        let more = value.and_then(|n| n.checked_mul(unit));
        seconds = more.and_then(|n| seconds.checked_add(n)).ok_or_else(wrong)?;
    }
    if !number.is_empty() || seconds == 0 {
        return Err(wrong());
    }
    Ok(Duration::from_secs(seconds))
}

/// `7 s`, `12 min 3 s`, `1 h 2 min`, `3 d 4 h`: the two greatest units.
pub fn span(time: Duration) -> String {
    let s = time.as_secs();
    let (units, rest) = match s {
        0..60 => return format!("{s} s"),
        60..3600 => ((s / 60, "min"), (s % 60, "s")),
        3600..86400 => ((s / 3600, "h"), (s / 60 % 60, "min")),
        _ => ((s / 86400, "d"), (s / 3600 % 24, "h")),
    };
    match rest.0 {
        0 => format!("{} {}", units.0, units.1),
        _ => format!("{} {} {} {}", units.0, units.1, rest.0, rest.1),
    }
}

/// `540 MB`, `1.2 GB`.
pub fn megabytes(bytes: u64) -> String {
    match bytes.div_ceil(1_000_000) {
        mega @ 0..1000 => format!("{mega} MB"),
        mega => format!("{:.1} GB", mega as f64 / 1000.0),
    }
}

/// Rows with their columns one below the other; the last has any width.
pub fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..N).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}

/// How long ago, in one unit: `40 s`, `2 h`.
pub fn age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86400),
    }
}

/// `0:12:03`.
pub fn clock(time: Duration) -> String {
    let s = time.as_secs();
    format!("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
}

/// `1,234,567`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 test`, `2 tests`.
pub fn plural(n: u64, one: &str) -> String {
    format!("{} {one}{}", count(n), if n == 1 { "" } else { "s" })
}

/// `98.3 %`; a dash where there is nothing to have a share of.
pub fn percent(part: Duration, whole: Duration) -> String {
    if whole.is_zero() {
        return "–".into();
    }
    format!("{:.1} %", part.as_secs_f64() * 100.0 / whole.as_secs_f64())
}

/// How many a second, or a minute where they are few: `2.9/min`, `1.71/s`, `412/s`.
pub fn rate(n: u64, time: Duration) -> String {
    let rate = n as f64 / time.as_secs_f64().max(1e-3);
    match rate {
        ..0.5 => format!("{:.1}/min", rate * 60.0),
        0.5..10.0 => format!("{rate:.2}/s"),
        _ => format!("{rate:.0}/s"),
    }
}

/// `812 B`, `90 KB`.
pub fn size(bytes: usize) -> String {
    if bytes < 1000 { format!("{bytes} B") } else { format!("{} KB", bytes.div_ceil(1000)) }
}

/// The text if it has at most `width` characters, else its beginning and `…`.
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// Compiler and flags of a target's label.
pub fn split(label: &str) -> (&str, &str) {
    label.split_once(' ').unwrap_or((label, ""))
}

/// `gcc-12 -O2, -O3 -flto; tcc -O0`: each compiler once.
pub fn targets(labels: &[String]) -> String {
    let groups = by_compiler(labels).into_iter();
    groups
        .map(|(name, flags)| format!("{name} {}", flags.join(", ")))
        .collect::<Vec<_>>()
        .join("; ")
}

/// The flag sets of each compiler.
pub fn by_compiler(labels: &[String]) -> BTreeMap<&str, Vec<&str>> {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for label in labels {
        let (name, flags) = split(label);
        groups.entry(name).or_default().push(flags);
    }
    groups
}

/// A word as a shell takes it.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=+./,:@%^".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_told() {
        let cases = [
            ("90s", 90, "1 min 30 s", "0:01:30"),
            ("10m", 600, "10 min", "0:10:00"),
            ("1h30m", 5400, "1 h 30 min", "1:30:00"),
            ("2d", 172800, "2 d", "48:00:00"),
            ("7s", 7, "7 s", "0:00:07"),
        ];
        for (text, seconds, told, ticking) in cases {
            let time = duration(text);
            assert_eq!(time, Ok(Duration::from_secs(seconds)));
            let time = time.unwrap_or_default();
            assert_eq!((span(time).as_str(), clock(time).as_str()), (told, ticking));
        }
        for wrong in ["", "10", "m", "0s", "1h30", "-1s", "5 m", "99999999999999999999s"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert!(duration("18446744073709551615d").is_err());
    }

    #[test]
    fn numbers() {
        assert_eq!(
            (count(0), count(999), count(1_234_567)),
            ("0".into(), "999".into(), "1,234,567".into())
        );
        assert_eq!(
            (plural(1, "test"), plural(1000, "test")),
            ("1 test".into(), "1,000 tests".into())
        );
        let second = Duration::from_secs(1);
        assert_eq!(
            (percent(second, second * 3), percent(second, Duration::ZERO)),
            ("33.3 %".into(), "–".into())
        );
        assert_eq!(
            (rate(3, second * 2), rate(500, second), rate(2, second * 41)),
            ("1.50/s".into(), "500/s".into(), "2.9/min".into())
        );
        assert_eq!((size(812), size(90_001)), ("812 B".into(), "91 KB".into()));
    }

    #[test]
    fn texts() {
        assert_eq!((cut("grün", 4), cut("grüner", 4)), ("grün".into(), "grü…".into()));
        assert_eq!(
            (quote("-O2"), quote("a b"), quote("it's")),
            ("-O2".into(), "'a b'".into(), r"'it'\''s'".into())
        );
        let labels = ["gcc-12 -O2", "tcc -O0", "gcc-12 -O3 -flto"].map(String::from);
        assert_eq!(targets(&labels), "gcc-12 -O2, -O3 -flto; tcc -O0");
    }
}
