//! Whether two outputs are the same, floating results within a tolerance.

/// What a line of floating results begins with; compilers may contract and reorder these within
/// what the experimental policy takes for granted.
const FLOAT_LINE: &str = "float ";

/// Relative tolerance of such results.
const TOLERANCE: f64 = 1e-4;

/// The first line that differs; `None` is the end of an output.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Counted from 1.
    pub line: usize,
    /// What should stand there.
    pub wanted: Option<String>,
    /// What stands there.
    pub got: Option<String>,
}

/// The first difference as a phrase, if there is one: "line 2 is `3`, expected `2`".
pub fn difference(expected: &[u8], got: &[u8]) -> Option<String> {
    let first = first_difference(expected, got)?;
    let show =
        |line: Option<String>| line.map_or("the end of the output".into(), |l| format!("`{l}`"));
    Some(format!("line {} is {}, expected {}", first.line, show(first.got), show(first.wanted)))
}

/// The first difference, if there is one.
pub(crate) fn first_difference(expected: &[u8], got: &[u8]) -> Option<Difference> {
    let (mut wanted, mut given) = (expected.split(|b| *b == b'\n'), got.split(|b| *b == b'\n'));
    let text = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    for line in 1.. {
        match (wanted.next(), given.next()) {
            (None, None) => break,
            (Some(w), Some(g)) if lines_match(w, g) => {}
            (w, g) => return Some(Difference { line, wanted: w.map(text), got: g.map(text) }),
        }
    }
    None
}

fn lines_match(wanted: &[u8], given: &[u8]) -> bool {
    if wanted == given {
        return true;
    }
    let (Ok(wanted), Ok(given)) = (str::from_utf8(wanted), str::from_utf8(given)) else {
        return false;
    };
    if !wanted.starts_with(FLOAT_LINE) || !given.starts_with(FLOAT_LINE) {
        return false;
    }
    let (mut w, mut g) = (wanted.split(' '), given.split(' '));
    loop {
        match (w.next(), g.next()) {
            (None, None) => return true,
            (Some(w), Some(g)) if w == g || floats_match(w, g) => {}
            _ => return false,
        }
    }
}

fn floats_match(wanted: &str, given: &str) -> bool {
    let (Ok(w), Ok(g)) = (wanted.parse::<f64>(), given.parse::<f64>()) else { return false };
    let near = (w - g).abs() <= TOLERANCE * w.abs().max(g.abs());
    w == g || (w.is_nan() && g.is_nan()) || (w.is_finite() && g.is_finite() && near)
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn floats_may_differ_a_little_and_nothing_else_at_all() {
        let same = |a: &str, b: &str| difference(a.as_bytes(), b.as_bytes()).is_none();
        assert!(same("1\nfloat x 1.00001\n", "1\nfloat x 1.00002\n"));
        assert!(same("float nan -inf", "float -nan -inf"));
        assert!(!same("float x 1.001", "float x 1.002") && !same("float x 1", "float y 1"));
        assert!(!same("float 1 2", "float 1") && !same("float inf", "float -inf"));
        assert!(!same("float 3e38", "float inf") && !same("x 1.00001", "x 1.00002"));
        assert!(!same("1\n", "1") && !same("1\n", "1\n\n") && !same("", "1\n"));
        assert_eq!(
            difference(b"1\n2\n", b"1\n3\n").as_deref(),
            Some("line 2 is `3`, expected `2`")
        );
        // Bytes that are not text are compared as bytes.
        assert!(difference(b"\xff\n", b"\xfe\n").is_some());
        assert_eq!(
            difference(b"1\n", b"1").as_deref(),
            Some("line 2 is the end of the output, expected ``")
        );
    }
}
