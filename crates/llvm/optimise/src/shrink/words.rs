//! What is done to the text of a module: lines and words that may go, short names, no comments.
//!
//! LLVM's C functions cannot take a flag or a named metadata node away, in its text that is easy. A text
//! that is not a module any more is refused when it is read.

use std::ops::Range;

use llvmhost::{Module, Value};

use super::chosen;

/// Words that say more than they must.
const NEEDLESS: &[&str] = &[
    "nsw",
    "nuw",
    "exact",
    "inbounds",
    "nusw",
    "disjoint",
    "nneg",
    "samesign",
    "fast",
    "nnan",
    "ninf",
    "nsz",
    "arcp",
    "contract",
    "afn",
    "reassoc",
    "local_unnamed_addr",
    "unnamed_addr",
    "dso_local",
    "volatile",
    "tail",
    "musttail",
    "notail",
    "fastcc",
    "coldcc",
    "internal",
    "private",
    "linkonce_odr",
    "linkonce",
    "weak_odr",
    "weak",
    "hidden",
    "protected",
    "comdat",
    "strictfp",
    "inrange",
];

/// Lines outside of functions that may go, with their ends.
pub(super) fn lines(text: &str) -> Vec<Range<usize>> {
    let starts = ["target ", "module asm", "$"];
    with_places(text)
        .filter(|(_, line)| {
            let named = line
                .strip_prefix('!')
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
            let global =
                line.starts_with('@') && [" alias ", " ifunc "].iter().any(|w| line.contains(w));
            named || global || starts.iter().any(|start| line.starts_with(start))
        })
        .map(|(at, line)| at..at + line.len())
        .collect()
}

/// Lines with where they begin, ends included.
fn with_places(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let begin = at;
        at += line.len();
        (begin, line)
    })
}

/// Words that may go: [`NEEDLESS`] ones, alignments, metadata of instructions and functions.
pub(super) fn words(text: &str) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    for (begin, line) in with_places(text) {
        if line.starts_with([';', '!', '^', '$', '#']) || line.starts_with("attributes ") {
            continue;
        }
        let tokens = tokens(line);
        for (index, (word, place)) in tokens.iter().enumerate() {
            let next = tokens.get(index + 1);
            let previous = index.checked_sub(1).and_then(|index| tokens.get(index));
            let comma = previous.filter(|(word, _)| *word == ",").map(|(_, place)| place.start);
            let place = if NEEDLESS.contains(word) {
                // With the blank after it: a word of these is never the last of a line but for `comdat`.
                place.start..next.map_or(place.end, |(_, next)| next.start)
            } else {
                let pair = match (*word, next) {
                    ("align", Some((value, next))) if is_number(value) => Some(next.end),
                    (word, Some((value, next))) if is_attachment(word, value) => Some(next.end),
                    _ => None,
                };
                match pair {
                    Some(end) => comma.unwrap_or(place.start)..end,
                    None => continue,
                }
            };
            all.push(begin + place.start..begin + place.end);
        }
    }
    all
}

fn is_number(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit())
}

/// `!tbaa !5`
fn is_attachment(kind: &str, node: &str) -> bool {
    let named =
        kind.strip_prefix('!').is_some_and(|name| name.starts_with(|c: char| c.is_alphabetic()));
    named && node.strip_prefix('!').is_some_and(|number| !number.is_empty() && is_number(number))
}

/// Words and marks of a line up to a comment; strings and quoted names are one word.
fn tokens(line: &str) -> Vec<(&str, Range<usize>)> {
    let is_word = |c: char| c.is_alphanumeric() || "_.$-%@!#".contains(c);
    let mut all = Vec::new();
    let mut rest = line.char_indices().peekable();
    while let Some((start, c)) = rest.next() {
        let mut end = start + c.len_utf8();
        match c {
            ';' => break,
            '"' => {
                for (at, c) in rest.by_ref() {
                    end = at + c.len_utf8();
                    if c == '"' {
                        break;
                    }
                }
            }
            c if c.is_whitespace() => continue,
            c if is_word(c) => {
                while let Some((at, c)) = rest.next_if(|(_, c)| is_word(*c)) {
                    end = at + c.len_utf8();
                }
            }
            _ => {}
        }
        all.push((&line[start..end], start..end));
    }
    all
}

/// Takes pieces out of a module's text and reads it again.
pub(super) fn edit(
    module: &mut Module<'_>,
    places: &[u32],
    pieces: fn(&str) -> Vec<Range<usize>>,
) -> bool {
    let text = module.text();
    let all = pieces(&text);
    let numbers: Vec<usize> = (0..all.len()).collect();
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for number in chosen(&numbers, places) {
        let piece = &all[number];
        if piece.start >= at {
            left.push_str(&text[at..piece.start]);
            at = piece.end;
        }
    }
    left.push_str(&text[at..]);
    match module.context().parse(left.as_bytes(), "reduced") {
        Ok(new) if left.len() < text.len() => {
            *module = new;
            true
        }
        _ => false,
    }
}

/// How many kinds of names there are: those in functions, those of functions and variables.
pub(super) fn names(module: &Module<'_>) -> usize {
    if module.functions().is_empty() && module.globals().is_empty() { 0 } else { 2 }
}

/// Gives short names.
pub(super) fn rename(module: &mut Module<'_>, places: &[u32]) -> bool {
    if places.contains(&0) {
        for function in module.definitions() {
            rename_inside(function);
        }
    }
    if places.contains(&1) {
        let own = module.functions().into_iter().filter(|function| !function.is_intrinsic());
        let own: Vec<Value<'_>> = own.collect();
        let kinds = [("f", own), ("g", module.globals())];
        for (letter, values) in kinds {
            for value in &values {
                // Out of the way first: LLVM numbers a name that is taken.
                value.set_name("gainsay.renamed");
            }
            for (index, value) in values.iter().enumerate() {
                let number = if index == 0 { String::new() } else { index.to_string() };
                value.set_name(&format!("{letter}{number}"));
            }
        }
    }
    places.iter().any(|place| *place < 2)
}

fn rename_inside(function: Value<'_>) {
    let blocks = function.blocks();
    let instructions = blocks.iter().flat_map(|block| block.instructions());
    let named = instructions.filter(|instruction| instruction.ty().has_values());
    let values: Vec<Value<'_>> = function.parameters().into_iter().chain(named).collect();
    for value in &values {
        value.set_name("");
    }
    for block in &blocks {
        block.set_name("");
    }
    for (index, value) in values.iter().enumerate() {
        value.set_name(&letters(index));
    }
    for (index, block) in blocks.iter().enumerate().skip(1) {
        block.set_name(&format!("block{index}"));
    }
}

/// a, b, …, z, aa, ab, …
fn letters(number: usize) -> String {
    let last = char::from(b'a' + (number % 26) as u8);
    match number / 26 {
        0 => last.to_string(),
        more => letters(more - 1) + &last.to_string(),
    }
}

/// A module's text without what LLVM adds for readers: its own name, comments, empty lines but those between
/// functions.
pub(super) fn tidy(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines() {
        let uncommented = match tokens(line).last() {
            Some((_, place)) => &line[..place.end],
            None => "",
        };
        let empty = uncommented.is_empty();
        let after_empty = lines.last().is_none_or(|last| last.is_empty());
        if !(line.starts_with("source_filename") || empty && (after_empty || line.starts_with(';')))
        {
            lines.push(uncommented);
        }
    }
    while lines.last() == Some(&"") {
        lines.pop();
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, places: Vec<Range<usize>>) -> Vec<&str> {
        places.into_iter().map(|place| &text[place]).collect()
    }

    #[test]
    fn words_that_may_go() {
        let text = "@s = private unnamed_addr constant [5 x i8] c\"nsw;\\00\", align 1 ; nuw\n\
                    define internal void @f() !dbg !3 {\n  %a = add nuw nsw i32 1, 2\n  \
                    %nsw = load i32, ptr @s, align 4, !tbaa !5\n}\n!named = !{!0}\n";
        assert_eq!(
            pieces(text, words(text)),
            [
                "private ",
                "unnamed_addr ",
                ", align 1",
                "internal ",
                "!dbg !3",
                "nuw ",
                "nsw ",
                ", align 4",
                ", !tbaa !5"
            ]
        );
        assert_eq!(pieces(text, lines(text)), ["!named = !{!0}\n"]);
    }

    #[test]
    fn lines_that_may_go() {
        let text = "target triple = \"x\"\n$c = comdat any\n@a = alias i32, ptr @b\n@b = global i32 0\n!0 = !{}\n";
        assert_eq!(
            pieces(text, lines(text)),
            ["target triple = \"x\"\n", "$c = comdat any\n", "@a = alias i32, ptr @b\n"]
        );
    }

    #[test]
    fn names_are_letters() {
        let some: Vec<String> = [0, 1, 25, 26, 27, 52].map(letters).into();
        assert_eq!(some, ["a", "b", "z", "aa", "ab", "ba"]);
    }

    #[test]
    fn comments_go() {
        let text = "; ModuleID = 'x'\nsource_filename = \"x\"\n\n\n; Function Attrs: nounwind\n\
                    define void @f() {\n  ret void ; here\n\nb:                ; preds = %0\n}\n\n\n";
        assert_eq!(tidy(text), "define void @f() {\n  ret void\n\nb:\n}\n");
    }
}
