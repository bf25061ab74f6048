//! Tokens of the text, as slices of it: nothing is copied until the tree wants it.
//!
//! Not here: what tokens mean together (`parse`), and text that is kept as written, which
//! [`Lexer::balanced`] takes without looking for tokens in it.

use std::borrow::Cow;

/// A name behind `%`, `@` or `$`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name<'t> {
    /// Of letters and digits, or quoted and without an escape.
    Plain(&'t str),
    /// Quoted, with escapes or letters beyond ASCII.
    Escaped(&'t str),
    /// A number.
    Number(u32),
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// A keyword, a type, an opcode.
    Word(&'t str),
    /// `name:`, `"name":`, `7:`.
    Label(Name<'t>),
    /// `%name`.
    Local(Name<'t>),
    /// `@name`.
    Global(Name<'t>),
    /// `$name`.
    Comdat(Name<'t>),
    /// `!name`, as written.
    Metadata(&'t str),
    /// `#0`.
    Group(u32),
    /// `#dbg_value`.
    Record(&'t str),
    /// `^0`.
    Summary,
    /// `-7`, `1.5e3`, `0xH3C00`.
    Number(&'t str),
    /// What is between quotes, as written.
    Text(&'t str),
    /// What is between the quotes of `c"…"`, as written.
    Bytes(&'t str),
    /// A mark: `(`, `,`, `=`, `!`, …
    Mark(u8),
    /// `...`.
    Dots,
    /// Nothing is left.
    End,
    /// No token of the language: why.
    Wrong(&'static str),
}

/// Where in the text, and on which line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) at: usize,
    pub(crate) line: u32,
}

/// Reads tokens.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'t> {
    text: &'t str,
    /// What comes next.
    pub(crate) place: Place,
}

/// Bytes of names and labels.
fn names(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'$' | b'.' | b'_')
}

impl<'t> Name<'t> {
    /// What a quoted name says.
    fn quoted(text: &'t str) -> Name<'t> {
        if text.is_ascii() && !text.contains('\\') {
            Name::Plain(text)
        } else {
            Name::Escaped(text)
        }
    }

    /// A name of letters and digits, or a number if it has digits only.
    fn bare(text: &'t str) -> Option<Name<'t>> {
        if text.bytes().all(|b| b.is_ascii_digit()) {
            text.parse().ok().map(Name::Number)
        } else {
            Some(Name::Plain(text))
        }
    }

    /// The name without escapes, each byte a letter; `None`: it is a number.
    pub(crate) fn text(self) -> Option<Cow<'t, str>> {
        match self {
            Name::Plain(text) => Some(Cow::Borrowed(text)),
            Name::Escaped(text) => {
                Some(Cow::Owned(unescaped(text).into_iter().map(char::from).collect()))
            }
            Name::Number(_) => None,
        }
    }
}

/// The bytes that a text with escapes (`\00`, `\\`) stands for.
pub(crate) fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    while let Some((&first, after)) = rest.split_first() {
        let (byte, left) = match (first, after) {
            (b'\\', [b'\\', left @ ..]) => (b'\\', left),
            (b'\\', [high, low, left @ ..]) => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => (high * 16 + low, left),
                _ => (first, after),
            },
            _ => (first, after),
        };
        bytes.push(byte);
        rest = left;
    }
    bytes
}

impl<'t> Lexer<'t> {
    /// From the beginning.
    pub(crate) fn new(text: &'t str) -> Lexer<'t> {
        Lexer { text, place: Place { at: 0, line: 1 } }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.place.at + ahead).copied().unwrap_or(0)
    }

    /// Skips white space and comments.
    pub(crate) fn skip_blank(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.place.at) {
            match byte {
                b'\n' => self.place.line += 1,
                b' ' | b'\t' | b'\r' | 0 => {}
                b';' => {
                    let end = bytes[self.place.at..].iter().position(|b| *b == b'\n');
                    self.place.at = end.map_or(bytes.len(), |n| self.place.at + n);
                    continue;
                }
                _ => break,
            }
            self.place.at += 1;
        }
    }

    /// Whether an attachment (`!name`) comes next.
    pub(crate) fn before_attachment(&self) -> bool {
        let mut ahead = self.clone();
        ahead.skip_blank();
        ahead.byte(0) == b'!'
    }

    /// The next token.
    pub(crate) fn next(&mut self) -> Token<'t> {
        self.skip_blank();
        let start = self.place.at;
        match self.byte(0) {
            0 if start >= self.text.len() => Token::End,
            b'%' => self.named(Token::Local),
            b'@' => self.named(Token::Global),
            b'"' => self.quoted(),
            b'c' if self.byte(1) == b'"' => {
                self.place.at += 1;
                self.string().map_or(UNCLOSED, Token::Bytes)
            }
            b'.' if self.byte(1) == b'.' && self.byte(2) == b'.' => {
                self.place.at += 3;
                Token::Dots
            }
            b'!' => self.metadata(),
            b'#' => self.hash(),
            b'^' => {
                self.place.at += 1;
                self.take(|b| b.is_ascii_digit());
                Token::Summary
            }
            b'+' => self.number(),
            byte if names(byte) => self.word(),
            byte if byte.is_ascii_punctuation() => {
                self.place.at += 1;
                Token::Mark(byte)
            }
            _ => Token::Wrong("a character that means nothing here"),
        }
    }

    /// Takes bytes while they are such.
    fn take(&mut self, such: impl Fn(u8) -> bool) -> &'t str {
        let start = self.place.at;
        let rest = &self.text.as_bytes()[start..];
        self.place.at += rest.iter().position(|b| !such(*b)).unwrap_or(rest.len());
        // All such bytes are ASCII, so this ends between characters.
        self.text.get(start..self.place.at).unwrap_or("")
    }

    /// From a quote to the next.
    fn string(&mut self) -> Option<&'t str> {
        let start = self.place.at + 1;
        let rest = self.text.as_bytes().get(start..)?;
        let length = rest.iter().position(|b| *b == b'"')?;
        self.place.line += rest[..length].iter().filter(|b| **b == b'\n').count() as u32;
        self.place.at = start + length + 1;
        self.text.get(start..start + length)
    }

    fn quoted(&mut self) -> Token<'t> {
        let Some(text) = self.string() else { return UNCLOSED };
        if self.byte(0) == b':' {
            self.place.at += 1;
            return Token::Label(Name::quoted(text));
        }
        Token::Text(text)
    }

    fn named(&mut self, of: impl Fn(Name<'t>) -> Token<'t>) -> Token<'t> {
        self.place.at += 1;
        if self.byte(0) == b'"' {
            return self.string().map_or(UNCLOSED, |text| of(Name::quoted(text)));
        }
        let text = match self.byte(0) {
            b'0'..=b'9' => self.take(|b| b.is_ascii_digit()),
            _ => self.take(names),
        };
        if text.is_empty() {
            return Token::Wrong("a sign without a name");
        }
        Name::bare(text).map_or(Token::Wrong("a number that is too large"), of)
    }

    fn metadata(&mut self) -> Token<'t> {
        self.place.at += 1;
        match self.byte(0) {
            b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'$' | b'.' | b'_' | b'\\' => {
                Token::Metadata(self.take(|b| names(b) || b == b'\\'))
            }
            _ => Token::Mark(b'!'),
        }
    }

    fn hash(&mut self) -> Token<'t> {
        self.place.at += 1;
        if self.byte(0).is_ascii_digit() {
            let number = self.take(|b| b.is_ascii_digit()).parse();
            return number.map_or(Token::Wrong("a number that is too large"), Token::Group);
        }
        Token::Record(self.take(names))
    }

    /// A word, a number, a label, or a comdat.
    fn word(&mut self) -> Token<'t> {
        let start = self.place;
        let first = self.byte(0);
        if first == b'$' && self.byte(1) == b'"' {
            return self.named(Token::Comdat);
        }
        let text = self.take(names);
        if self.byte(0) == b':' {
            self.place.at += 1;
            return Name::bare(text)
                .map_or(Token::Wrong("a number that is too large"), Token::Label);
        }
        match first {
            b'$' => Name::bare(&text[1..])
                .map_or(Token::Wrong("a number that is too large"), Token::Comdat),
            b'0'..=b'9' | b'-' => {
                self.place = start;
                self.number()
            }
            _ => Token::Word(text),
        }
    }

    fn number(&mut self) -> Token<'t> {
        let start = self.place.at;
        if matches!(self.byte(0), b'+' | b'-') {
            self.place.at += 1;
        }
        if self.byte(0) == b'0' && self.byte(1) == b'x' {
            self.place.at += 2;
            if matches!(self.byte(0), b'H' | b'K' | b'L' | b'M' | b'R') {
                self.place.at += 1;
            }
            self.take(|b| b.is_ascii_hexdigit());
            return Token::Number(&self.text[start..self.place.at]);
        }
        if self.take(|b| b.is_ascii_digit()).is_empty() {
            return Token::Wrong("a sign without a number");
        }
        if self.byte(0) == b'.' {
            self.place.at += 1;
            self.take(|b| b.is_ascii_digit());
            let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
            if matches!(self.byte(0), b'e' | b'E') && self.byte(1 + sign).is_ascii_digit() {
                self.place.at += 1 + sign;
                self.take(|b| b.is_ascii_digit());
            }
        }
        Token::Number(&self.text[start..self.place.at])
    }

    /// What stands before the `close` that belongs to an `open` just taken, as written; the `close` is
    /// taken, too. `None`: there is none.
    pub(crate) fn balanced(&mut self, open: u8, close: u8) -> Option<&'t str> {
        let start = self.place.at;
        let mut depth = 0u32;
        loop {
            let byte = *self.text.as_bytes().get(self.place.at)?;
            match byte {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b';' | b'\n' => {
                    self.skip_blank();
                    continue;
                }
                _ if byte == open => depth += 1,
                _ if byte == close && depth == 0 => break,
                _ if byte == close => depth -= 1,
                _ => {}
            }
            self.place.at += 1;
        }
        self.place.at += 1;
        self.text.get(start..self.place.at - 1)
    }
}

const UNCLOSED: Token<'static> = Token::Wrong("a quote that is not closed");
