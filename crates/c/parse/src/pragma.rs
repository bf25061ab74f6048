//! Lines that begin with `#` in preprocessed text: line markers and pragmas.
//!
//! `#pragma pack` is kept as a list of (token index, value in force from there); GCC applies the
//! value in force where a record's definition ends. Other pragmas are ignored.

use crate::error::{ParseResult, invalid, unsupported};
use ctree::{SourceMap, Span};

/// The history of `#pragma pack`.
#[derive(Default)]
pub(crate) struct PackState {
    /// (index of the first token governed, greatest alignment; 0 for none), ascending.
    changes: Vec<(usize, u32)>,
    stack: Vec<u32>,
    current: u32,
    /// The file the last line marker named, for markers that name none.
    file: String,
}

impl PackState {
    pub(crate) fn new(file: &str) -> PackState {
        PackState { file: file.to_string(), ..PackState::default() }
    }

    /// The greatest member alignment in force at a token; 0 for no limit.
    pub(crate) fn at(&self, token: usize) -> u32 {
        let after = self.changes.partition_point(|c| c.0 <= token);
        after.checked_sub(1).map_or(0, |i| self.changes[i].1)
    }

    fn set(&mut self, token: usize, value: u32) {
        self.current = value;
        self.changes.push((token, value));
    }
}

/// Interprets one `#` line. `next` is the offset of the following line, `token` the index the next
/// token will have.
pub(crate) fn handle_directive(
    source: &mut SourceMap,
    packs: &mut PackState,
    line: &str,
    lo: u32,
    next: u32,
    token: usize,
) -> ParseResult<()> {
    let span = Span { lo, hi: lo + line.len() as u32 };
    let rest = line[1..].trim_start();
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        return marker(source, packs, rest, next, span);
    }
    let word_len = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let after = rest[word_len..].trim();
    match &rest[..word_len] {
        "line" => marker(source, packs, after, next, span),
        "pragma" => pragma(packs, after, span, token),
        "ident" | "sccs" | "" => Ok(()),
        word => invalid(span, format!("directive #{word} in preprocessed text")),
    }
}

/// `12 "file.c" 1 3`
fn marker(
    source: &mut SourceMap,
    state: &mut PackState,
    rest: &str,
    next: u32,
    span: Span,
) -> ParseResult<()> {
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let Ok(line) = rest[..digits].parse::<u32>() else {
        return invalid(span, "line marker without a line number");
    };
    let rest = rest[digits..].trim_start();
    if let Some(file) = rest.strip_prefix('"').and_then(|r| r.rfind('"').map(|end| &r[..end])) {
        if file.contains('\\') {
            state.file = file.replace("\\\\", "\\").replace("\\\"", "\"");
        } else if state.file != file {
            state.file.clear();
            state.file.push_str(file);
        }
    }
    source.add_marker(next, &state.file, line);
    Ok(())
}

fn pragma(packs: &mut PackState, text: &str, span: Span, token: usize) -> ParseResult<()> {
    let Some(args) = text.strip_prefix("pack") else {
        if text.starts_with("scalar_storage_order") {
            return unsupported(span, "`#pragma scalar_storage_order`");
        }
        return Ok(());
    };
    let args = args.trim();
    let Some(inner) = args.strip_prefix('(').and_then(|a| a.split_once(')')).map(|(a, _)| a) else {
        return Ok(()); // Another pragma that begins with these letters, or one GCC ignores.
    };
    let mut pushed = false;
    let mut value = None;
    for arg in inner.split(',').map(str::trim) {
        match arg {
            "" => {}
            "push" => pushed = true,
            "pop" => {
                let restored = packs.stack.pop().unwrap_or(0);
                packs.set(token, restored);
                return Ok(());
            }
            _ => match arg.parse::<u32>() {
                Ok(n @ (0 | 1 | 2 | 4 | 8 | 16)) => value = Some(n),
                _ => return unsupported(span, format!("`#pragma pack({inner})`")),
            },
        }
    }
    if pushed {
        packs.stack.push(packs.current);
    }
    // `pack()` restores the default; `pack(push)` changes nothing.
    let now = value.unwrap_or(if pushed { packs.current } else { 0 });
    packs.set(token, now);
    Ok(())
}
