//! Numbers of what is global and has no name.
//!
//! They are found before anything is read, because they may be used before they are defined, and because
//! the tree counts in its own order: variables, aliases, functions.

use std::collections::HashMap;

use crate::lex::{Lexer, Name, Token};

/// Numbers as written, with those of the tree.
pub(super) fn numbers(text: &str) -> HashMap<u32, u32> {
    let mut kinds = [Vec::new(), Vec::new(), Vec::new()];
    let mut next = 0;
    for line in text.lines() {
        if let Some((kind, number)) = defined(line) {
            let number = number.unwrap_or(next);
            next = number.saturating_add(1);
            kinds[kind].push(number);
        }
    }
    kinds.concat().into_iter().zip(0..).collect()
}

/// What a line defines, if that has a number; `""` is the next one.
fn defined(line: &str) -> Option<(usize, Option<u32>)> {
    let function = line.starts_with("define") || line.starts_with("declare");
    let at = if function { line.find('@')? } else { 0 };
    let name = line.get(at..)?.strip_prefix('@')?;
    if !name.starts_with(|c: char| c.is_ascii_digit()) && !name.starts_with("\"\"") {
        return None;
    }
    let mut lexer = Lexer::new(&line[at..]);
    let number = match lexer.next() {
        Token::Global(Name::Number(number)) => Some(number),
        _ => None,
    };
    if function {
        return Some((2, number));
    }
    loop {
        match lexer.next() {
            Token::Word("global" | "constant") => return Some((0, number)),
            Token::Word("alias" | "ifunc") => return Some((1, number)),
            Token::End | Token::Wrong(_) => return None,
            _ => {}
        }
    }
}
