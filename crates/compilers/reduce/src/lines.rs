//! Reduction of text that our parser does not take: lines, then brackets, then tokens.

use std::sync::atomic::{AtomicU64, Ordering};

use oracle::Trouble;

use crate::ask::TrialSlot;
use crate::pool::Pool;
use crate::{Clock, ProgressFn, ReduceProgress};

/// What came of it.
#[derive(Debug)]
pub(crate) struct TextResult {
    pub text: String,
    pub candidates: u64,
    pub asked: u64,
}

/// Makes a text small by leaving out pieces.
pub(crate) fn reduce(
    text: &str,
    pool: &Pool,
    clock: Clock,
    tell: ProgressFn<'_>,
    ask: &(dyn Fn(&str, &TrialSlot<'_>) -> Result<bool, Trouble> + Sync),
) -> Result<TextResult, Trouble> {
    let mut current = text.to_string();
    let asked = AtomicU64::new(0);
    let before = cshrink::tokens(text);
    let mut rounds = || -> Result<(), Trouble> {
        loop {
            let length = current.len();
            for (pass, split) in [
                ("lines", lines as fn(&str) -> Vec<Piece>),
                ("brackets", brackets),
                ("words", words),
            ] {
                let mut size = split(&current).len();
                while size > 0 {
                    let mut at = 0;
                    loop {
                        let pieces = split(&current);
                        if at >= pieces.len() {
                            break;
                        }
                        let windows: Vec<&[Piece]> = pieces[at..].chunks(size).collect();
                        let make = |i: usize| Some(without(&current, windows[i]));
                        let ask = |text: &String, slot: &TrialSlot<'_>| {
                            asked.fetch_add(1, Ordering::Relaxed);
                            ask(text, slot)
                        };
                        let Some((i, made)) = pool.first(windows.len(), &make, &ask)? else {
                            break;
                        };
                        at += i * size;
                        current = made;
                        let asked = asked.load(Ordering::Relaxed);
                        tell(&ReduceProgress {
                            pass,
                            before,
                            tokens: cshrink::tokens(&current),
                            candidates: asked,
                            asked,
                            elapsed: clock.begin.elapsed(),
                        });
                    }
                    size /= 2;
                }
            }
            if current.len() == length {
                return Ok(());
            }
        }
    };
    match rounds() {
        Ok(()) | Err(Trouble::Stopped) => {}
        Err(trouble) => return Err(trouble),
    }
    let asked = asked.into_inner();
    Ok(TextResult { text: current, candidates: asked, asked })
}

/// A part of the text, from and to.
type Piece = (usize, usize);

fn without(text: &str, pieces: &[Piece]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for &(from, to) in pieces {
        // Brackets may be within brackets that are gone already.
        if from >= at {
            out.push_str(&text[at..from]);
            at = to;
        }
    }
    out.push_str(&text[at..]);
    out
}

fn lines(text: &str) -> Vec<Piece> {
    let mut at = 0;
    let piece = |line: &str| {
        at += line.len();
        (at - line.len(), at)
    };
    text.split_inclusive('\n').map(piece).collect()
}

/// Pairs of brackets with all that is between, the outer ones first.
fn brackets(text: &str) -> Vec<Piece> {
    let (mut open, mut pieces) = (Vec::new(), Vec::new());
    for (at, b) in text.bytes().enumerate() {
        match b {
            b'{' | b'(' | b'[' => open.push(at),
            b'}' | b')' | b']' => pieces.extend(open.pop().map(|from| (from, at + 1))),
            _ => {}
        }
    }
    pieces.sort_unstable();
    pieces
}

/// Words and signs.
fn words(text: &str) -> Vec<Piece> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut pieces: Vec<Piece> = Vec::new();
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match pieces.last_mut() {
            _ if c.is_whitespace() => {}
            Some(last) if is_word(c) && is_word(previous) => last.1 = end,
            _ => pieces.push((at, end)),
        }
        previous = c;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandbox::Stop;

    #[test]
    fn any_text_becomes_small() {
        let pool = Pool::new(2, Stop::new(), Clock::new(None)).expect("a temporary folder");
        let text =
            "class a { int b; };\nvoid f() { if (x) { throw 7; } }\nint main() { return 0; }\n";
        let ask = |text: &str, _: &TrialSlot<'_>| Ok(text.contains("throw") && text.contains('}'));
        let found = reduce(text, &pool, Clock::new(None), &|_| {}, &ask).expect("no trouble");
        let left: Vec<&str> = found.text.split_whitespace().collect();
        assert_eq!(left, ["throw", "}"]);
    }
}
