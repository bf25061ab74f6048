//! The size of a text in tokens.

/// The number of tokens of a C text, comments left out.
pub fn tokens(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut count) = (0, 0);
    while let Some(&b) = bytes.get(at) {
        let rest = &bytes[at..];
        if b.is_ascii_whitespace() {
            at += 1;
        } else if rest.starts_with(b"/*") {
            at += find(rest, b"*/").map_or(rest.len(), |end| end + 2);
        } else if rest.starts_with(b"//") {
            at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        } else {
            count += 1;
            at += token(rest);
        }
    }
    count
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

/// The length of the token that a text begins with, in bytes; the text does not begin with space or a comment.
pub fn token_length(text: &str) -> usize {
    let length = token(text.as_bytes());
    (length..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

fn token(text: &[u8]) -> usize {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80;
    let first = text[0];
    if first.is_ascii_digit() || first == b'.' && text.get(1).is_some_and(u8::is_ascii_digit) {
        // A preprocessing number: signs belong to it after an exponent's letter.
        let mut end = 1;
        while let Some(&b) = text.get(end) {
            let sign = matches!(b, b'+' | b'-') && matches!(text[end - 1] | 32, b'e' | b'p');
            let hexadecimal = text.starts_with(b"0x") && text[end - 1] | 32 == b'e';
            if !(word(b) || b == b'.' || sign && !hexadecimal) {
                break;
            }
            end += 1;
        }
        return end;
    }
    if word(first) {
        return text.iter().position(|&b| !word(b)).unwrap_or(text.len());
    }
    if matches!(first, b'"' | b'\'') {
        let mut end = 1;
        while let Some(&b) = text.get(end) {
            end += if b == b'\\' { 2 } else { 1 };
            if b == first {
                break;
            }
        }
        return end.min(text.len());
    }
    let long: &[&[u8]] = &[b"<<=", b">>=", b"..."];
    let middle: &[&[u8]] = &[
        b"->", b"++", b"--", b"<<", b">>", b"<=", b">=", b"==", b"!=", b"&&", b"||", b"+=", b"-=",
        b"*=", b"/=", b"%=", b"&=", b"^=", b"|=", b"##", b"::",
    ];
    match () {
        () if long.iter().any(|t| text.starts_with(t)) => 3,
        () if middle.iter().any(|t| text.starts_with(t)) => 2,
        () => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn counts_what_a_compiler_sees() {
        assert_eq!(tokens("int main(void) { return 0; } // end\n/* x */"), 10);
        assert_eq!(tokens("a+++b->c <<= 0x1e+1.5e+3f \"a\\\"b\" '\\''"), 12);
        assert_eq!(tokens(""), 0);
        assert_eq!(tokens("\"open"), 1);
    }
}
