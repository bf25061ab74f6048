//! A module in words that older versions of LLVM read, too.
//!
//! A newer library writes attributes and flags that an older one does not know, often only those that every
//! declaration of an intrinsic has. All that is dropped here makes a module claim less, never more: attributes and
//! flags without which it is as valid. Constants that are written in a newer way are written out. That a failure still
//! shows on what is left is for the caller to see.

/// Attributes with parentheses that came after LLVM 14.
const ATTRIBUTES: [&str; 7] =
    ["memory", "nofpclass", "range", "initializes", "captures", "allockind", "dead_on_return"];

/// Attributes without, and flags of instructions.
const WORDS: [&str; 9] = [
    "nneg",
    "disjoint",
    "samesign",
    "dead_on_unwind",
    "writable",
    "nocreateundeforpoison",
    "optdebug",
    "fn_ret_thunk_extern",
    "skipprofile",
];

/// The same words as flags of instructions that had none.
const FLAGS: [(&str, &[&str]); 2] =
    [("trunc", &["nuw", "nsw"]), ("getelementptr", &["nuw", "nusw"])];

/// The module without newer words.
pub(super) fn in_common_words(module: &str) -> String {
    module.lines().map(|line| in_line(line) + "\n").collect()
}

fn in_line(line: &str) -> String {
    // Strings and metadata mean what they say.
    if line.starts_with('!') || line.contains("c\"") {
        return line.to_string();
    }
    let mut line = line.to_string();
    for name in ATTRIBUTES {
        while let Some((from, to)) = called(&line, name) {
            line.replace_range(from..to, "");
        }
    }
    for word in WORDS {
        drop_word(&mut line, word);
    }
    for (instruction, flags) in FLAGS {
        if line.contains(&format!(" {instruction} ")) {
            flags.iter().for_each(|flag| drop_word(&mut line, flag));
        }
    }
    while let Some(written) = written_out(&line) {
        line = written;
    }
    line
}

/// Where ` name(…)` stands, outside of quotes.
fn called(line: &str, name: &str) -> Option<(usize, usize)> {
    let word = format!(" {name}(");
    let from = line.match_indices(&word).map(|(at, _)| at).find(|at| is_outside(line, *at))?;
    let (mut depth, open) = (0, from + word.len() - 1);
    let close = line[open..].char_indices().find_map(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth == 0).then_some(at)
    })?;
    Some((from, open + close + 1))
}

fn is_outside(line: &str, at: usize) -> bool {
    line[..at].matches('"').count().is_multiple_of(2)
}

fn drop_word(line: &mut String, word: &str) {
    let padded = format!(" {word} ");
    while let Some(at) = line.find(&padded).filter(|at| is_outside(line, *at)) {
        line.replace_range(at..at + padded.len() - 1, "");
    }
}

/// The first `<4 x i32> splat (i32 7)` written out; `None` where there is none.
fn written_out(line: &str) -> Option<String> {
    let at = line.find("> splat (").filter(|at| is_outside(line, *at))?;
    let from = line[..at].rfind('<')?;
    let (count, element) = line[from + 1..at].split_once(" x ")?;
    let count: usize = count.parse().ok().filter(|count| *count <= 1024)?;
    let open = at + "> splat ".len();
    let close = open + line[open..].find(')')?;
    let value = line.get(open + 1..close)?;
    value.starts_with(element).then(|| {
        let all = vec![value; count].join(", ");
        format!("{}> <{all}>{}", &line[..at], &line[close + 1..])
    })
}

#[cfg(test)]
mod tests {
    use super::in_common_words;

    #[test]
    fn newer_words_are_dropped_and_nothing_else() {
        for (line, want) in [
            (
                "attributes #0 = { nounwind memory(inaccessiblemem: readwrite) \"a\"=\" memory(none) \" }",
                "attributes #0 = { nounwind \"a\"=\" memory(none) \" }",
            ),
            (
                "define i32 @f(ptr captures(ret: address, provenance) %p, i8 range(i8 0, 4) %x) {",
                "define i32 @f(ptr %p, i8 %x) {",
            ),
            ("  %y = zext nneg i8 %x to i32", "  %y = zext i8 %x to i32"),
            ("  %y = or disjoint i8 %x, 1", "  %y = or i8 %x, 1"),
            ("  %y = trunc nuw nsw i32 %x to i8", "  %y = trunc i32 %x to i8"),
            ("  %y = add nuw nsw i32 %x, 1", "  %y = add nuw nsw i32 %x, 1"),
            (
                "  %q = getelementptr inbounds nuw i8, ptr %p, i64 4",
                "  %q = getelementptr inbounds i8, ptr %p, i64 4",
            ),
            ("  %y = add <2 x i8> %x, splat (i8 7)", "  %y = add <2 x i8> %x, splat (i8 7)"),
            ("  ret <2 x i8> splat (i8 7)", "  ret <2 x i8> <i8 7, i8 7>"),
            ("@s = constant [9 x i8] c\" memory() \"", "@s = constant [9 x i8] c\" memory() \""),
            ("!0 = !{!\"a\", !range()}", "!0 = !{!\"a\", !range()}"),
        ] {
            assert_eq!(in_common_words(line), format!("{want}\n"));
        }
    }
}
