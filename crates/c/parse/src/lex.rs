//! The lexer: preprocessed text to a vector of tokens (C11 6.4, 5.1.1.2 phases 3 to 7).
//!
//! One pass over the bytes. Line markers go to the program's source map, `#pragma pack` to a list
//! the parser asks when it completes a record; no token stands for either. Comments and digraphs
//! are accepted although a preprocessor leaves none. Trigraphs and universal character names in
//! identifiers are not supported.

use crate::error::{ParseResult, invalid, unsupported};
use crate::pragma::{PackState, handle_directive};
use crate::token::{KeywordTable, Tok, Token};
use ctree::{Program, Span, Sym};

/// The output of the lexer.
pub(crate) struct Lexed {
    pub tokens: Vec<Token>,
    pub packs: PackState,
}

/// Character classes.
const IDENT: u8 = 1;
const DIGIT: u8 = 2;
const SPACE: u8 = 4;

static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        // Bytes above ASCII: parts of UTF-8 identifiers, which GCC takes.
        if b.is_ascii_alphabetic() || b == b'_' || b == b'$' || b >= 0x80 {
            table[i] = IDENT;
        } else if b.is_ascii_digit() {
            table[i] = DIGIT;
        } else if matches!(b, b' ' | b'\t' | b'\r' | 0x0b | 0x0c) {
            table[i] = SPACE;
        }
        i += 1;
    }
    table
}

/// Slots of the identifier cache; a power of two, about the number of distinct names in a Csmith
/// program with its headers.
const CACHE: usize = 4096;

struct Lexer<'a> {
    program: &'a mut Program,
    text: &'a str,
    bytes: &'a [u8],
    base: u32,
    pos: usize,
    keywords: KeywordTable,
    /// Direct-mapped: symbol plus one, zero for none. Saves the interner's hashing for most names.
    cache: Vec<u32>,
    out: Lexed,
}

/// Lexes `text`, which begins at offset `base` of the program's text.
pub(crate) fn lex(program: &mut Program, name: &str, text: &str, base: u32) -> ParseResult<Lexed> {
    let keywords = KeywordTable::new(&mut program.names);
    let mut lexer = Lexer {
        program,
        text,
        bytes: text.as_bytes(),
        base,
        pos: 0,
        keywords,
        cache: vec![0; CACHE],
        // Real programs have a token for every four to five bytes.
        out: Lexed { tokens: Vec::with_capacity(text.len() / 4 + 8), packs: PackState::new(name) },
    };
    lexer.run()?;
    Ok(lexer.out)
}

impl Lexer<'_> {
    fn run(&mut self) -> ParseResult<()> {
        let mut line_start = true;
        while let Some(&b) = self.bytes.get(self.pos) {
            let class = CLASS[b as usize];
            if class & SPACE != 0 {
                self.pos += 1;
            } else if b == b'\n' {
                self.pos += 1;
                line_start = true;
            } else if class & IDENT != 0 {
                self.identifier()?;
                line_start = false;
            } else if class & DIGIT != 0 {
                self.number();
                line_start = false;
            } else if b == b'#' && line_start {
                self.directive()?;
            } else {
                self.other(b)?;
                line_start = false;
            }
        }
        let end = self.base + self.bytes.len() as u32;
        self.out.tokens.push(Token { tok: Tok::Eof, lo: end, hi: end, sym: Sym(0) });
        Ok(())
    }

    fn at(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, tok: Tok, len: usize) {
        let lo = self.base + self.pos as u32;
        self.pos += len;
        self.out.tokens.push(Token { tok, lo, hi: self.base + self.pos as u32, sym: Sym(0) });
    }

    fn error<T>(&self, at: usize, message: impl Into<String>) -> ParseResult<T> {
        let lo = self.base + at as u32;
        invalid(Span { lo, hi: lo + 1 }, message)
    }

    fn identifier(&mut self) -> ParseResult<()> {
        let start = self.pos;
        let mut hash: u32 = 0x811c_9dc5;
        let mut end = start;
        while let Some(&b) = self.bytes.get(end) {
            if CLASS[b as usize] & (IDENT | DIGIT) == 0 {
                break;
            }
            hash = (hash ^ u32::from(b)).wrapping_mul(0x0100_0193);
            end += 1;
        }
        let next = self.bytes.get(end).copied().unwrap_or(0);
        if matches!(next, b'"' | b'\'')
            && let "L" | "u" | "U" | "u8" = &self.text[start..end]
        {
            return self.quoted(end - start);
        }
        let name = &self.text[start..end];
        let slot = (hash ^ (hash >> 15)) as usize & (CACHE - 1);
        let cached = self.cache[slot];
        let sym = if cached != 0 && self.program.names.name(Sym(cached - 1)) == name {
            Sym(cached - 1)
        } else {
            let sym = self.program.names.intern(name);
            self.cache[slot] = sym.0 + 1;
            sym
        };
        let (lo, hi) = (self.base + start as u32, self.base + end as u32);
        self.out.tokens.push(Token { tok: self.keywords.get(sym), lo, hi, sym });
        self.pos = end;
        Ok(())
    }

    /// A preprocessing number (6.4.8); it is decoded by the parser.
    fn number(&mut self) {
        let start = self.pos;
        let hex = self.at(0) == b'0' && matches!(self.at(1), b'x' | b'X');
        let mut end = start;
        let mut float = false;
        while let Some(&b) = self.bytes.get(end) {
            match b {
                b'.' => float = true,
                b'+' | b'-' => {
                    let before = self.bytes[end - 1] | 0x20;
                    if !(before == b'p' || before == b'e' && !hex) {
                        break;
                    }
                }
                b'e' | b'E' if !hex => float = true,
                b'p' | b'P' if hex => float = true,
                _ if CLASS[b as usize] & (IDENT | DIGIT) == 0 => break,
                _ => {}
            }
            end += 1;
        }
        self.push(if float { Tok::Float } else { Tok::Int }, end - start);
    }

    /// A string or character constant with a prefix of `prefix` bytes.
    fn quoted(&mut self, prefix: usize) -> ParseResult<()> {
        let start = self.pos;
        let quote = self.bytes[start + prefix];
        let mut end = start + prefix + 1;
        loop {
            match self.bytes.get(end) {
                Some(&b) if b == quote => break,
                Some(b'\\') if !matches!(self.bytes.get(end + 1), None | Some(b'\n')) => end += 2,
                None | Some(b'\n') => {
                    let what = if quote == b'"' { '"' } else { '\'' };
                    return self.error(start, format!("missing terminating {what} character"));
                }
                _ => end += 1,
            }
        }
        let tok = if quote == b'"' { Tok::Str } else { Tok::Char };
        self.push(tok, end + 1 - start);
        Ok(())
    }

    fn directive(&mut self) -> ParseResult<()> {
        let rest = &self.bytes[self.pos..];
        let len = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        let line = &self.text[self.pos..self.pos + len];
        let lo = self.base + self.pos as u32;
        let next = lo + len as u32 + 1;
        let index = self.out.tokens.len();
        handle_directive(&mut self.program.source, &mut self.out.packs, line, lo, next, index)?;
        self.pos += len;
        Ok(())
    }

    fn comment(&mut self) -> ParseResult<()> {
        let rest = &self.text[self.pos + 2..];
        let len = if self.at(1) == b'/' {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            match rest.find("*/") {
                Some(n) => n + 2,
                None => return self.error(self.pos, "unterminated comment"),
            }
        };
        self.pos += 2 + len;
        Ok(())
    }

    /// Everything that is neither a name nor a number.
    fn other(&mut self, b: u8) -> ParseResult<()> {
        match b {
            b'"' | b'\'' => return self.quoted(0),
            b'.' if self.at(1).is_ascii_digit() => {
                self.number();
                return Ok(());
            }
            b'/' if matches!(self.at(1), b'/' | b'*') => return self.comment(),
            b'\\' if self.at(1) == b'\n' || self.at(1) == b'\r' => {
                self.pos += 2;
                return Ok(());
            }
            _ => {}
        }
        match punctuator(b, self.at(1), self.at(2)) {
            Some((tok, len)) => {
                self.push(tok, len);
                Ok(())
            }
            None if b == b'\\' && matches!(self.at(1), b'u' | b'U') => {
                let lo = self.base + self.pos as u32;
                unsupported(Span { lo, hi: lo + 2 }, "universal character name in an identifier")
            }
            None => {
                self.error(self.pos, format!("stray '{}' in program", (b as char).escape_default()))
            }
        }
    }
}

/// The longest punctuator that begins with these three bytes, and its length.
fn punctuator(a: u8, b: u8, c: u8) -> Option<(Tok, usize)> {
    use Tok::*;
    Some(match (a, b, c) {
        (b'.', b'.', b'.') => (Ellipsis, 3),
        (b'<', b'<', b'=') => (ShlAssign, 3),
        (b'>', b'>', b'=') => (ShrAssign, 3),
        (b'-', b'>', _) => (Arrow, 2),
        (b'+', b'+', _) => (PlusPlus, 2),
        (b'-', b'-', _) => (MinusMinus, 2),
        (b'<', b'<', _) => (Shl, 2),
        (b'>', b'>', _) => (Shr, 2),
        (b'<', b'=', _) => (Le, 2),
        (b'>', b'=', _) => (Ge, 2),
        (b'=', b'=', _) => (EqEq, 2),
        (b'!', b'=', _) => (Ne, 2),
        (b'&', b'&', _) => (AmpAmp, 2),
        (b'|', b'|', _) => (PipePipe, 2),
        (b'*', b'=', _) => (MulAssign, 2),
        (b'/', b'=', _) => (DivAssign, 2),
        (b'%', b'=', _) => (RemAssign, 2),
        (b'+', b'=', _) => (AddAssign, 2),
        (b'-', b'=', _) => (SubAssign, 2),
        (b'&', b'=', _) => (AndAssign, 2),
        (b'^', b'=', _) => (XorAssign, 2),
        (b'|', b'=', _) => (OrAssign, 2),
        (b'<', b':', _) => (LBracket, 2),
        (b':', b'>', _) => (RBracket, 2),
        (b'<', b'%', _) => (LBrace, 2),
        (b'%', b'>', _) => (RBrace, 2),
        (b'(', ..) => (LParen, 1),
        (b')', ..) => (RParen, 1),
        (b'{', ..) => (LBrace, 1),
        (b'}', ..) => (RBrace, 1),
        (b'[', ..) => (LBracket, 1),
        (b']', ..) => (RBracket, 1),
        (b';', ..) => (Semi, 1),
        (b',', ..) => (Comma, 1),
        (b':', ..) => (Colon, 1),
        (b'?', ..) => (Question, 1),
        (b'.', ..) => (Dot, 1),
        (b'&', ..) => (Amp, 1),
        (b'*', ..) => (Star, 1),
        (b'+', ..) => (Plus, 1),
        (b'-', ..) => (Minus, 1),
        (b'~', ..) => (Tilde, 1),
        (b'!', ..) => (Bang, 1),
        (b'/', ..) => (Slash, 1),
        (b'%', ..) => (Percent, 1),
        (b'<', ..) => (Lt, 1),
        (b'>', ..) => (Gt, 1),
        (b'^', ..) => (Caret, 1),
        (b'|', ..) => (Pipe, 1),
        (b'=', ..) => (Assign, 1),
        _ => return None,
    })
}
