//! Reduction of text that our parser does not take: declarations, statements, lines, brackets, words, constants.

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

/// How long a search goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Until {
    /// Every pass once.
    OneRound,
    /// Until nothing is found any more.
    Nothing,
}

/// Makes a text small by leaving out pieces.
pub(crate) fn reduce(
    text: &str,
    until: Until,
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
            let length = weight(&current);
            for (pass, split) in PASSES {
                let mut size = split(&current).len();
                while size > 0 {
                    let mut at = 0;
                    loop {
                        let pieces = split(&current);
                        if at >= pieces.len() {
                            break;
                        }
                        let windows: Vec<&[Change]> = pieces[at..].chunks(size).collect();
                        let make = |i: usize| {
                            let made = changed(&current, windows[i]);
                            (weight(&made) < weight(&current)).then_some(made)
                        };
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
            if until == Until::OneRound || weight(&current) == length {
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

/// What becomes smaller: the text, and constants of one length.
fn weight(text: &str) -> (usize, usize) {
    (
        text.len(),
        text.bytes().filter(u8::is_ascii_digit).map(|digit| usize::from(digit - b'0')).sum(),
    )
}

/// A kind of change, by name, with all changes of a text.
type TextPass = (&'static str, fn(&str) -> Vec<Change>);

const PASSES: &[TextPass] = &[
    ("declarations", declarations),
    ("statements", statements),
    ("lines", lines),
    ("brackets", brackets),
    ("blocks", blocks),
    ("operands", operands),
    ("words", words),
    ("constants", constants),
];

/// Parts of the text, from and to, and what stands there then.
type Change = Vec<(usize, usize, &'static str)>;

fn changed(text: &str, changes: &[Change]) -> String {
    let mut parts: Vec<_> = changes.iter().flatten().copied().collect();
    parts.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (from, to, put) in parts {
        // Brackets may be within brackets that are gone already.
        if from >= at {
            out.push_str(&text[at..from]);
            out.push_str(put);
            at = to;
        }
    }
    out.push_str(&text[at..]);
    out
}

fn gone(from: usize, to: usize) -> Change {
    vec![(from, to, "")]
}

/// Tokens with their places; comments and space between them are left out.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match first {
            _ if first.is_whitespace() => first.len_utf8(),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '#' => rest.find('\n').unwrap_or(rest.len()),
            _ => cshrink::token_length(rest),
        };
        if !first.is_whitespace() && !rest.starts_with("//") && !rest.starts_with("/*") {
            found.push((at, &rest[..length]));
        }
        at += length;
    }
    found
}

/// What ends with `;` or `}` at some depth of braces, from where the last of that depth ended.
fn ending(text: &str, depths: std::ops::RangeInclusive<usize>) -> Vec<Change> {
    // Where what is being read began, for each open brace and for the whole text.
    let (mut begins, mut parens, mut found) = (vec![None], 0, Vec::new());
    for (at, token) in tokens(text) {
        let depth = begins.len() - 1;
        let Some(begin) = begins.last_mut() else { break };
        let from = *begin.get_or_insert(at);
        match token {
            "(" | "[" => parens += 1,
            ")" | "]" => parens -= usize::from(parens > 0),
            "{" if parens == 0 => begins.push(None),
            "}" if parens == 0 && depth > 0 => {
                begins.pop();
                let outer = begins.last_mut().and_then(Option::take);
                if let Some(outer) = outer.filter(|_| depths.contains(&(depth - 1))) {
                    // A class, or the value of a variable: the semicolon is part of it.
                    let after = text[at + 1..].trim_start();
                    let end =
                        if after.starts_with(';') { text.len() - after.len() + 1 } else { at + 1 };
                    found.push(gone(outer, end));
                }
            }
            ";" if parens == 0 => {
                // One by itself ends what was found already.
                if depths.contains(&depth) && from < at {
                    found.push(gone(from, at + 1));
                }
                *begin = None;
            }
            directive if directive.starts_with('#') => {
                if depths.contains(&depth) {
                    found.push(gone(at, at + directive.len()));
                }
                *begin = None;
            }
            _ => {}
        }
    }
    found
}

fn declarations(text: &str) -> Vec<Change> {
    ending(text, 0..=0)
}

fn statements(text: &str) -> Vec<Change> {
    ending(text, 1..=usize::MAX)
}

fn lines(text: &str) -> Vec<Change> {
    let mut at = 0;
    let piece = |line: &str| {
        at += line.len();
        gone(at - line.len(), at)
    };
    text.split_inclusive('\n').map(piece).collect()
}

/// Pairs of brackets, from and to, the outer ones first.
fn pairs(text: &str) -> Vec<(usize, usize)> {
    let (mut open, mut pairs) = (Vec::new(), Vec::new());
    for (at, token) in tokens(text) {
        match token {
            "{" | "(" | "[" => open.push(at),
            "}" | ")" | "]" => pairs.extend(open.pop().map(|from| (from, at + 1))),
            _ => {}
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Brackets with all that is between them.
fn brackets(text: &str) -> Vec<Change> {
    pairs(text).into_iter().map(|(from, to)| gone(from, to)).collect()
}

/// Brackets without what is between them; blocks with what stands before them (`if (…)`) as well.
fn blocks(text: &str) -> Vec<Change> {
    let head = |from: usize| text[..from].rfind([';', '{', '}']).map_or(0, |at| at + 1);
    let mut found = Vec::new();
    for (from, to) in pairs(text) {
        if text[from..].starts_with('{') {
            found.push(vec![(head(from), from + 1, ""), (to - 1, to, "")]);
        }
        found.push(vec![(from, from + 1, ""), (to - 1, to, "")]);
    }
    found
}

/// Whole operands by 0 or 1: initialisers, arguments, conditions, what is returned or assigned.
fn operands(text: &str) -> Vec<Change> {
    // Where an operand began, at each depth of brackets.
    let (mut begins, mut found): (Vec<Option<usize>>, Vec<Change>) = (vec![None], Vec::new());
    for (at, token) in tokens(text) {
        if matches!(token, ")" | "]" | "}" | "," | ";") {
            let begin = begins.last_mut().and_then(Option::take);
            let operand = begin.map(|from| (from, text[..at].trim_end().len()));
            // Not what is such a number already.
            let longer =
                |&(from, to): &(usize, usize)| !matches!(text[from..to].trim(), "" | "0" | "1");
            if let Some((from, to)) = operand.filter(longer) {
                found.extend(["0", "1"].map(|put| vec![(from, to, put)]));
            }
        }
        match token {
            "(" | "[" => begins.push(Some(at + 1)),
            "{" => begins.push(None),
            ")" | "]" | "}" if begins.len() > 1 => {
                begins.pop();
            }
            "," | "=" | "return" => {
                begins.pop();
                begins.push(Some(at + token.len()));
            }
            _ => {}
        }
    }
    let blank = |from: usize| text[from..].len() - text[from..].trim_start().len();
    for change in &mut found {
        change[0].0 += blank(change[0].0);
    }
    found
}

fn words(text: &str) -> Vec<Change> {
    tokens(text).into_iter().map(|(at, token)| gone(at, at + token.len())).collect()
}

/// Numbers by smaller ones.
fn constants(text: &str) -> Vec<Change> {
    let is_number = |token: &str| token.starts_with(|c: char| c.is_ascii_digit());
    let numbers = tokens(text).into_iter().filter(|(_, token)| is_number(token));
    numbers
        .flat_map(|(at, token)| ["0", "1"].map(|put| vec![(at, at + token.len(), put)]))
        .collect()
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
        let found = reduce(text, Until::Nothing, &pool, Clock::new(None), &|_| {}, &ask)
            .expect("no trouble");
        let left: Vec<&str> = found.text.split_whitespace().collect();
        assert_eq!(left, ["throw", "}"]);
    }

    /// What is left of a text by each change.
    fn after(pass: fn(&str) -> Vec<Change>, text: &str) -> Vec<String> {
        let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        pass(text).iter().map(|change| flat(changed(text, std::slice::from_ref(change)))).collect()
    }

    #[test]
    fn pieces_of_a_text() {
        let text = "#include <a>\nclass a { int b; };\nint f() { if (x) { y = 7; } return 0; }";
        assert_eq!(
            after(declarations, text),
            [
                "class a { int b; }; int f() { if (x) { y = 7; } return 0; }",
                "#include <a> int f() { if (x) { y = 7; } return 0; }",
                "#include <a> class a { int b; };",
            ]
        );
        let function = "int f() { if (x) { y = 7; } return 0; }";
        assert_eq!(
            after(statements, function),
            [
                "int f() { if (x) { } return 0; }",
                "int f() { return 0; }",
                "int f() { if (x) { y = 7; } }"
            ]
        );
        assert_eq!(
            after(blocks, "{ if (x) { y; } }"),
            ["if (x) { y; }", "if (x) { y; }", "{ if x { y; } }", "{ y; }", "{ if (x) y; }"]
        );
        assert_eq!(
            after(operands, "int x = f(a + b, c);"),
            [
                "int x = f(0, c);",
                "int x = f(1, c);",
                "int x = f(a + b, 0);",
                "int x = f(a + b, 1);",
                "int x = 0;",
                "int x = 1;",
            ]
        );
        assert_eq!(after(operands, "return a[i + 1];")[2..], ["return 0;", "return 1;"]);
        assert_eq!(after(constants, "x = 70;"), ["x = 0;", "x = 1;"]);
    }
}
