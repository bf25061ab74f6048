//! Source text with colours: C, C++ and LLVM IR, a token at a time. It never fails: what it does not
//! know stays plain, and whatever it is given comes out as the same text, escaped.

use crate::text::escape;

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// C and C++.
    C,
    /// LLVM's assembly language.
    Llvm,
    /// Neither.
    Plain,
}

impl Dialect {
    /// By the name of a file.
    pub fn of(name: &str) -> Dialect {
        match name.rsplit('.').next() {
            Some("c" | "h" | "i" | "cpp" | "cc" | "hpp" | "ii") => Dialect::C,
            Some("ll") => Dialect::Llvm,
            // GCC's dumps are much like C.
            _ if name.starts_with("before.") || name.starts_with("after.") => Dialect::C,
            _ => Dialect::Plain,
        }
    }
}

/// Words of C and C++ that programs here are made of.
const WORDS: &[&str] = &[
    "alignas",
    "asm",
    "auto",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "constexpr",
    "continue",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "extern",
    "false",
    "for",
    "goto",
    "if",
    "inline",
    "namespace",
    "new",
    "noexcept",
    "nullptr",
    "operator",
    "private",
    "public",
    "register",
    "restrict",
    "return",
    "sizeof",
    "static",
    "static_assert",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typename",
    "union",
    "using",
    "virtual",
    "volatile",
    "while",
];

/// Types of C and C++.
const TYPES: &[&str] = &[
    "_Bool", "bool", "char", "double", "float", "int", "int16_t", "int32_t", "int64_t", "int8_t",
    "long", "short", "signed", "size_t", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "unsigned",
    "void", "wchar_t",
];

/// Types of LLVM besides `i32` and its like.
const LLVM_TYPES: &[&str] = &[
    "bfloat", "double", "float", "fp128", "half", "label", "metadata", "ptr", "token", "void", "x",
    "x86_fp80",
];

/// The text as HTML; kinds of tokens are classes: `c` comment, `s` string, `n` number, `k` keyword,
/// `t` type, `p` preprocessor, `v` name of LLVM's.
pub fn paint(text: &str, dialect: Dialect) -> String {
    let mut html = String::with_capacity(text.len() * 2);
    let mut rest = text;
    let mut line_begins = true;
    while let Some(first) = rest.chars().next() {
        let (length, class) = match dialect {
            Dialect::C => c_token(rest, first, line_begins),
            Dialect::Llvm => llvm_token(rest, first),
            Dialect::Plain => (rest.len(), ""),
        };
        // At least one character, or this would not end.
        let (token, after) = rest.split_at(length.max(first.len_utf8()));
        match class {
            "" => html += &escape(token),
            class => {
                html += &format!("<span class=\"{class}\">{}</span>", escape(token));
            }
        }
        line_begins = first == '\n' || line_begins && first.is_whitespace();
        rest = after;
    }
    html
}

fn c_token(rest: &str, first: char, line_begins: bool) -> (usize, &'static str) {
    match first {
        '#' if line_begins => (until(rest, '\n'), "p"),
        '/' if rest.starts_with("//") => (until(rest, '\n'), "c"),
        '/' if rest.starts_with("/*") => {
            (rest[2..].find("*/").map_or(rest.len(), |at| at + 4), "c")
        }
        '"' | '\'' => (quoted(rest, first), "s"),
        c if c.is_ascii_digit() => (number(rest), "n"),
        c if c.is_alphabetic() || c == '_' => {
            let length = word(rest, |c| c.is_alphanumeric() || c == '_');
            let class = match &rest[..length] {
                word if WORDS.binary_search(&word).is_ok() => "k",
                word if TYPES.binary_search(&word).is_ok() => "t",
                _ => "",
            };
            (length, class)
        }
        _ => (plain(rest), ""),
    }
}

fn llvm_token(rest: &str, first: char) -> (usize, &'static str) {
    let named = |c: char| c.is_alphanumeric() || "_.$-".contains(c);
    match first {
        ';' => (until(rest, '\n'), "c"),
        '"' => (quoted(rest, '"'), "s"),
        '%' | '@' | '!' | '#' => (1 + word(&rest[1..], named), "v"),
        c if c.is_ascii_digit() => (number(rest), "n"),
        c if c.is_alphabetic() || c == '_' => {
            let length = word(rest, named);
            let text = &rest[..length];
            let is_integer = text.strip_prefix('i').is_some_and(|n| n.parse::<u32>().is_ok());
            let is_label = rest[length..].starts_with(':');
            match is_integer || LLVM_TYPES.contains(&text) {
                _ if is_label => (length, "v"),
                true => (length, "t"),
                false => (length, "k"),
            }
        }
        _ => (plain(rest), ""),
    }
}

fn until(rest: &str, end: char) -> usize {
    rest.find(end).unwrap_or(rest.len())
}

fn word(rest: &str, belongs: impl Fn(char) -> bool) -> usize {
    rest.find(|c| !belongs(c)).unwrap_or(rest.len())
}

fn number(rest: &str) -> usize {
    word(rest, |c| c.is_ascii_alphanumeric() || c == '.')
}

/// A literal with its quotes; one that does not end on its line ends there.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Signs and blanks up to what might be a token again, or the end of the line.
fn plain(rest: &str) -> usize {
    let stops = |c: char| c.is_alphanumeric() || "\n_\"'/#;%@!".contains(c);
    rest.char_indices().skip(1).find(|(_, c)| stops(*c)).map_or(rest.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_c() {
        let cases = [
            (
                "int x = 0x1fUL;",
                "<span class=\"t\">int</span> x = <span class=\"n\">0x1fUL</span>;",
            ),
            (
                "return \"a\\\"b\";",
                "<span class=\"k\">return</span> <span class=\"s\">&quot;a\\&quot;b&quot;</span>;",
            ),
            ("/* a\n*/b", "<span class=\"c\">/* a\n*/</span>b"),
            ("a//b\nc", "a<span class=\"c\">//b</span>\nc"),
            (" #if 1\nx # y", " <span class=\"p\">#if 1</span>\nx # y"),
            ("'\\''", "<span class=\"s\">&#39;\\&#39;&#39;</span>"),
            ("integer", "integer"),
        ];
        for (text, want) in cases {
            assert_eq!(paint(text, Dialect::C), want, "{text}");
        }
    }

    #[test]
    fn tokens_of_llvm() {
        assert_eq!(
            paint("%a = add i32 %b, 1 ; x", Dialect::Llvm),
            "<span class=\"v\">%a</span> = <span class=\"k\">add</span> <span class=\"t\">i32</span> \
             <span class=\"v\">%b</span>, <span class=\"n\">1</span> <span class=\"c\">; x</span>"
        );
    }

    #[test]
    fn the_lists_are_sorted() {
        assert!(WORDS.is_sorted() && TYPES.is_sorted());
    }

    #[test]
    fn whatever_comes_in_comes_out_as_text() {
        let hostile = [
            "<script>alert(1)</script></textarea>\"'&",
            "\"unterminated <b>\nnext",
            "/* open <i>",
            "'",
            "\\",
            "é ∀ \u{202e}x",
            "%",
            "#",
            "i99999999999 'x",
        ];
        for text in hostile {
            for dialect in [Dialect::C, Dialect::Llvm, Dialect::Plain] {
                let html = paint(text, dialect);
                let bare = html.replace("</span>", "");
                let bare = ["c", "s", "n", "k", "t", "p", "v"].iter().fold(bare, |bare, class| {
                    bare.replace(&format!("<span class=\"{class}\">"), "")
                });
                assert_eq!(bare, escape(text), "{text}");
                assert!(!bare.contains('<'), "{html}");
            }
        }
    }
}
