//! C++ programs that are C but for their looks, as C: so the machine can follow their reduction.
//!
//! `ctree` prints a tree as C++ by means that are few: containers for arrays, static members for variables,
//! `bool`, `extern "C"`. [`as_c`] takes them back, token by token; what else it meets it leaves as it is, and the
//! parser refuses that. It is trusted with nothing: the C text has to print what the program must print, and the
//! tree, printed as C++ again, has to show the failure. From then on the tree is what is reduced.
//!
//! Also taken: the C library's headers and functions by their C++ names, tags without `struct`, new-style casts.
//! Not taken: classes with functions, references, templates, overloads, namespaces of the program.

use std::collections::HashMap;

use oracle::SourceFile;

/// The files as C, under their old names and line by line as far as can be.
pub fn as_c(files: &[SourceFile]) -> Vec<SourceFile> {
    let texts: Vec<String> =
        files.iter().map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).collect();
    let mut known = Known::default();
    // The length of a vector stands where it is defined: what comes before has it the second time.
    let mut made = Vec::new();
    for _ in 0..2 {
        made = files
            .iter()
            .zip(&texts)
            .map(|(file, text)| SourceFile {
                name: file.name.clone(),
                bytes: Translator::new(text, &mut known).all().into_bytes(),
            })
            .collect();
    }
    made
}

/// What was learnt of a program's names.
#[derive(Default)]
struct Known {
    /// Tags with their keyword.
    tags: HashMap<String, &'static str>,
    /// Lengths of containers, outermost first.
    lengths: HashMap<String, Vec<String>>,
}

/// Headers of C++ and what they are in C; containers need none.
const HEADERS: &[(&str, &str)] = &[
    ("array", ""),
    ("vector", ""),
    ("valarray", ""),
    ("cstdio", "stdio.h"),
    ("cstdlib", "stdlib.h"),
    ("cstring", "string.h"),
    ("cstdint", "stdint.h"),
    ("cstddef", "stddef.h"),
    ("climits", "limits.h"),
    ("cmath", "math.h"),
    ("cassert", "assert.h"),
];

/// Words of C++ and what they are in C.
const WORDS: &[(&str, &str)] = &[
    ("bool", "_Bool"),
    ("true", "((_Bool)1)"),
    ("false", "((_Bool)0)"),
    ("nullptr", "((void *)0)"),
    ("constexpr", "const"),
];

const CONTAINERS: &[&str] = &["array", "vector", "valarray"];
const CASTS: &[&str] = &["static_cast", "reinterpret_cast", "const_cast"];
const RECORDS: &[&str] = &["struct", "union", "enum", "class"];

/// A container in the text: what its elements are, and its lengths where they are known.
struct Class {
    element: String,
    lengths: Vec<Option<String>>,
    /// Whether its list stands in two pairs of braces.
    is_array: bool,
    /// Dimensions before it that are C arrays: their lists have no type.
    rows: usize,
}

impl Class {
    fn of_rows(rows: usize) -> Class {
        Class { element: String::new(), lengths: Vec::new(), is_array: false, rows }
    }
}

struct Translator<'a> {
    tokens: Vec<&'a str>,
    /// Lines before each token.
    lines: Vec<usize>,
    at: usize,
    out: String,
    /// Lines written.
    line: usize,
    known: &'a mut Known,
}

impl<'a> Translator<'a> {
    fn new(text: &'a str, known: &'a mut Known) -> Translator<'a> {
        let tokens = tokens(text);
        let before = |token: &&str| token.as_ptr() as usize - text.as_ptr() as usize;
        let mut counted = (0, 0);
        let count = |token: &&str| {
            let end = before(token);
            counted = (end, counted.1 + text[counted.0..end].matches('\n').count());
            counted.1
        };
        let lines = tokens.iter().map(count).collect();
        Translator { tokens, lines, at: 0, out: String::new(), line: 0, known }
    }

    fn all(mut self) -> String {
        while self.at < self.tokens.len() {
            self.next();
        }
        self.out
    }

    fn token(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.at + ahead).copied().unwrap_or_default()
    }

    fn put(&mut self, text: &str) {
        if !text.starts_with('#') {
            self.out += &format!("{text} ");
            return;
        }
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
            self.line += 1;
        }
        self.out += &format!("{text}\n");
        self.line += 1;
    }

    fn next(&mut self) {
        let (token, second) = (self.token(0), self.token(1));
        while self.line < self.lines[self.at] {
            self.out.push('\n');
            self.line += 1;
        }
        if token.starts_with('#') {
            self.directive(token);
        } else if token == "extern" && second == "\"C\"" {
            self.linkage();
        } else if token == "std" && second == "::" {
            match CONTAINERS.contains(&self.token(2)) {
                true => self.container(),
                false => self.at += 2,
            }
        } else if token == "." && second == "at" && self.token(2) == "(" {
            self.at += 2;
            self.group("[", "]");
        } else if CASTS.contains(&token) && second == "<" {
            self.at += 1;
            let ty = self.angles();
            self.put(&format!("( {ty} )"));
        } else if RECORDS.contains(&token) && is_name(second) {
            self.tag(token, second);
        } else if is_name(token) && second == "::" && is_name(self.token(2)) {
            let name = format!("{token}__{}", self.token(2));
            self.put(&name);
            self.at += 3;
        } else if let Some(keyword) = self.bare_tag(token) {
            match second {
                "{" => self.put(&format!("( {keyword} {token} )")),
                _ => self.put(&format!("{keyword} {token}")),
            }
            self.at += 1;
        } else if token == ">" && self.is_shift() {
            self.out.push('>');
            self.at += 1;
        } else {
            let word = WORDS.iter().find(|(cxx, _)| *cxx == token);
            self.put(word.map_or(token, |(_, c)| c));
            self.at += 1;
        }
    }

    /// Whether two signs that stand by themselves are one: `>>` and `>>=`.
    fn is_shift(&self) -> bool {
        let (first, second) = (self.token(0), self.token(1));
        second.starts_with('>') && first.as_ptr().wrapping_add(1) == second.as_ptr()
    }

    fn directive(&mut self, line: &str) {
        let named = line.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
        let header = named.and_then(|(name, _)| HEADERS.iter().find(|(cxx, _)| *cxx == name));
        match header {
            Some((_, "")) => {}
            Some((_, c)) => self.put(&format!("#include <{c}>")),
            None => self.put(line.trim_end()),
        }
        self.at += 1;
    }

    /// `extern "C"`, of one declaration or of many.
    fn linkage(&mut self) {
        self.at += 2;
        match self.token(0) {
            "{" => self.group("", ""),
            _ => self.put("extern"),
        }
    }

    /// What stands between two brackets, within others.
    fn group(&mut self, open: &str, close: &str) {
        self.put(open);
        self.at += 1;
        while !matches!(self.token(0), "" | ")" | "}" | "]") {
            match self.token(0) {
                "(" => self.group("(", ")"),
                "{" => self.group("{", "}"),
                "[" => self.group("[", "]"),
                _ => self.next(),
            }
        }
        self.put(close);
        self.at += 1;
    }

    /// `< T >` as C.
    fn angles(&mut self) -> String {
        let begin = self.out.len();
        self.at += 1;
        while !matches!(self.token(0), "" | ">" | ";") {
            self.next();
        }
        self.at += 1;
        self.out.split_off(begin)
    }

    /// `struct S`, and its static members as variables behind it.
    fn tag(&mut self, keyword: &str, name: &str) {
        let keyword = match keyword {
            "union" => "union",
            "enum" => "enum",
            _ => "struct",
        };
        self.put(&format!("{keyword} {name}"));
        self.at += 2;
        if self.token(0) != "{" {
            return;
        }
        self.known.tags.insert(name.to_string(), keyword);
        let mut members = String::new();
        self.put("{");
        self.at += 1;
        while !matches!(self.token(0), "" | "}") {
            match self.token(0) {
                "static" => {
                    let begin = self.out.len();
                    self.put("extern");
                    self.at += 1;
                    while !matches!(self.token(0), "" | ";") {
                        match is_name(self.token(0)) && matches!(self.token(1), ";" | "[") {
                            true => {
                                let member = format!("{name}__{}", self.token(0));
                                self.put(&member);
                                self.at += 1;
                            }
                            false => self.member_token(name),
                        }
                    }
                    self.put(";");
                    self.at += 1;
                    members += &self.out.split_off(begin);
                }
                "{" => self.group("{", "}"),
                _ => self.next(),
            }
        }
        self.put("}");
        self.at += 1;
        if !members.is_empty() {
            // Attributes, and variables of the type.
            while !matches!(self.token(0), "" | ";") {
                self.next();
            }
            self.at += 1;
            self.put(&format!("; {members}"));
        }
    }

    /// The next of a static member's declaration: its container has the name of the variable that it becomes.
    fn member_token(&mut self, record: &str) {
        match self.token(0) == "std" && CONTAINERS.contains(&self.token(2)) {
            true => {
                let class = self.class();
                let name = format!("{record}__{}", self.token(0));
                self.at += 1;
                self.declared(&class, &name);
            }
            false => self.next(),
        }
    }

    /// The keyword that a tag needs here, if this is one without it.
    fn bare_tag(&self, token: &str) -> Option<&'static str> {
        let before = self.at.checked_sub(1).map_or("", |at| self.tokens[at]);
        let is_bare = !RECORDS.contains(&before) && !matches!(before, "." | "->" | "::");
        self.known.tags.get(token).copied().filter(|_| is_bare)
    }

    /// A container: the type of what is declared, or of an element of a list.
    fn container(&mut self) {
        let class = self.class();
        match self.token(0) {
            "{" | "(" => {
                self.list(&class);
            }
            name if is_name(name) => {
                let mut name = name.to_string();
                self.at += 1;
                while self.token(0) == "::" {
                    name += &format!("__{}", self.token(1));
                    self.at += 2;
                }
                self.declared(&class, &name);
            }
            // Something that has no text in C: the parser refuses it.
            _ => self.put("std"),
        }
    }

    /// `std::array<std::vector<T>, n>`.
    fn class(&mut self) -> Class {
        let is_array = self.token(2) == "array";
        self.at += 4;
        let mut inner = None;
        let begin = self.out.len();
        while !matches!(self.token(0), "" | ">" | "," | ";") {
            match self.token(0) == "std" && CONTAINERS.contains(&self.token(2)) {
                true => inner = Some(self.class()),
                false => self.next(),
            }
        }
        let mut length = None;
        if self.token(0) == "," {
            self.at += 1;
            let begin = self.out.len();
            while !matches!(self.token(0), "" | ">" | ";") {
                self.next();
            }
            length = Some(self.out.split_off(begin).trim().to_string());
        }
        self.at += 1;
        let element = self.out.split_off(begin);
        let (element, within) = match inner {
            Some(inner) => (inner.element, inner.lengths),
            None => (element, Vec::new()),
        };
        let lengths = [length].into_iter().chain(within).collect();
        Class { element, lengths, is_array, rows: 0 }
    }

    /// What follows the name of a variable that is a container.
    fn declared(&mut self, class: &Class, name: &str) {
        let (mut bounds, mut rows) = (String::new(), 0);
        while self.token(0) == "[" {
            let begin = self.out.len();
            self.group("[", "]");
            bounds += &self.out.split_off(begin);
            rows += 1;
        }
        let begin = self.out.len();
        let mut lengths = class.lengths.clone();
        match (self.token(0), self.token(1)) {
            ("=", "{") if rows > 0 => {
                self.put("=");
                self.at += 1;
                let all = std::iter::repeat_n(None, rows).chain(lengths).collect();
                let outer = Class { lengths: all, ..Class::of_rows(rows) };
                lengths = self.list(&outer).split_off(rows);
            }
            ("=", "{") => {
                self.put("=");
                self.at += 1;
                lengths = self.list(class);
            }
            ("(", _) => {
                self.put("=");
                lengths = self.list(class);
            }
            _ => {}
        }
        let value = self.out.split_off(begin);
        let before = self.known.lengths.get(name);
        let length = |(at, length): (usize, &Option<String>)| {
            let learnt = || before.and_then(|known| known.get(at)).cloned();
            length.clone().or_else(learnt).unwrap_or_default()
        };
        let lengths: Vec<String> = lengths.iter().enumerate().map(length).collect();
        let dimensions: String = lengths.iter().map(|length| format!("[{length}]")).collect();
        self.put(&format!("{} {name} {bounds}{dimensions} {value}", class.element));
        self.known.lengths.insert(name.to_string(), lengths);
    }

    /// The list of a container, `{…}`, `{{…}}`, `(n)` or `(n, element)`; its lengths.
    fn list(&mut self, class: &Class) -> Vec<Option<String>> {
        let mut lengths = class.lengths.clone();
        if self.token(0) == "(" {
            self.at += 1;
            while !matches!(self.token(0), "" | ")") {
                match self.token(0) {
                    "," => self.at += 1,
                    "std" if CONTAINERS.contains(&self.token(2)) => {
                        let begin = self.out.len();
                        let inner = self.class();
                        let within = self.list(&inner);
                        self.out.truncate(begin);
                        learn(&mut lengths[1..], within);
                    }
                    length => {
                        lengths[0] = Some(length.to_string());
                        self.at += 1;
                    }
                }
            }
            self.at += 1;
            self.put("{0}");
            return lengths;
        }
        let is_deep = class.is_array && self.token(1) == "{";
        self.at += usize::from(is_deep);
        self.put("{");
        self.at += 1;
        let mut count = 0;
        while !matches!(self.token(0), "" | "}") {
            match self.token(0) {
                "," => {
                    self.put(",");
                    self.at += 1;
                    continue;
                }
                "std" if CONTAINERS.contains(&self.token(2)) => {
                    let inner = self.class();
                    let within = self.list(&inner);
                    learn(&mut lengths[1..], within);
                }
                "{" if class.rows > 1 => {
                    let inner =
                        Class { lengths: lengths[1..].to_vec(), ..Class::of_rows(class.rows - 1) };
                    let within = self.list(&inner);
                    learn(&mut lengths[1..], within);
                }
                _ => self.element(),
            }
            count += 1;
        }
        self.put("}");
        self.at += 1 + usize::from(is_deep);
        lengths[0].get_or_insert_with(|| count.to_string());
        lengths
    }

    /// An element of a list that is none itself.
    fn element(&mut self) {
        while !matches!(self.token(0), "" | "," | "}") {
            match self.token(0) {
                "(" => self.group("(", ")"),
                "{" => self.group("{", "}"),
                "[" => self.group("[", "]"),
                _ => self.next(),
            }
        }
    }
}

/// Lengths that are not known yet.
fn learn(lengths: &mut [Option<String>], learnt: Vec<Option<String>>) {
    for (length, learnt) in lengths.iter_mut().zip(learnt) {
        *length = length.take().or(learnt);
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Directives, words, numbers, literals, and signs; `>` and `::` by themselves.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '>' => 1 + usize::from(rest.starts_with(">=")),
            _ if rest.starts_with("::") => 2,
            _ => cshrink::token_length(rest),
        };
        let (token, after) = rest.split_at(length);
        if !token.starts_with("/*") && !token.starts_with("//") {
            found.push(token);
        }
        rest = after.trim_start();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(cxx: &[&str], c: &[&str]) {
        let file = |text: &&str| SourceFile { name: "a.cpp".into(), bytes: text.as_bytes().into() };
        let files: Vec<SourceFile> = cxx.iter().map(file).collect();
        for (made, wanted) in as_c(&files).iter().zip(c) {
            let text = String::from_utf8_lossy(&made.bytes);
            assert_eq!(tokens(&text).join(" "), tokens(wanted).join(" "));
        }
    }

    #[test]
    fn containers_become_arrays() {
        check(
            &[
                "#include <vector>\nextern std::vector<std::vector<short>> v;\n\
                 extern const std::valarray<int> w; extern std::array<bool, 2> a;",
                "std::vector<std::vector<short>> v = {std::vector<short>{(short)1, 2}, \
                 std::vector<short>{3, f(4, 5)}}; const std::valarray<int> w(7);\n\
                 std::array<bool, 2> a = {{false, x >> 2 > 1}}; \
                 std::vector<std::array<int, 2>> u = {std::array<int, 2>{{1, 2}}};\n\
                 std::vector<std::vector<int>> z(3, std::vector<int>(4));\n\
                 std::vector<int> rows[2] = {std::vector<int>{1, 2, 3}, std::vector<int>{0, 0, 4}};\n\
                 std::vector<int> grid[2][1] = {{std::vector<int>{1, 2}}, {std::vector<int>{3, 4}}};\n\
                 int main() { v.at(1).at(v[0][i]) >>= 3; }",
            ],
            &[
                "extern short v[2][2]; extern const int w[7]; extern _Bool a[2];",
                "short v[2][2] = {{(short)1, 2}, {3, f(4, 5)}}; const int w[7] = {0};\n\
                 _Bool a[2] = {((_Bool)0), x >> 2 > 1}; int u[1][2] = {{1, 2}};\n\
                 int z[3][4] = {0}; int rows[2][3] = {{1, 2, 3}, {0, 0, 4}};\n\
                 int grid[2][1][2] = {{{1, 2}}, {{3, 4}}};\n\
                 int main() { v[1][v[0][i]] >>= 3; }",
            ],
        );
    }

    #[test]
    fn lines_stay_where_they_are() {
        let text = "#include <vector>\n#include \"a.h\"\nbool a;\n\nstd::vector<int> b = {\n1, 2};\nint\nc;\n";
        let file = SourceFile { name: "a.cpp".into(), bytes: text.into() };
        let made = as_c(&[file]);
        let text = String::from_utf8_lossy(&made[0].bytes).into_owned();
        let line = |name: &str| text.lines().position(|line| line.contains(name));
        assert_eq!(
            (line("a.h"), line("_Bool a"), line("c ;")),
            (Some(1), Some(2), Some(7)),
            "{text}"
        );
    }

    #[test]
    fn static_members_become_variables() {
        check(
            &[
                "struct S { int m; static long k; static std::array<int, 2> l; std::array<char, 3> n; } __attribute__((packed));\n\
               long S::k = 4; std::array<int, 2> S::l = {{1, 2}};\n\
               S s = S{1, {{2}}}; int f(struct S *p) { return p->m + S::k + S::l[1]; }",
            ],
            &[
                "struct S { int m; char n[3]; } __attribute__((packed)); extern long S__k; extern int S__l[2];\n\
               long S__k = 4; int S__l[2] = {1, 2}; struct S s = (struct S){1, {{2}}};\n\
               int f(struct S *p) { return p->m + S__k + S__l[1]; }",
            ],
        );
    }

    #[test]
    fn words_and_headers_become_those_of_c() {
        check(
            &["#include <cstdio>\n#include \"init.h\"\nextern \"C\" int puts(const char *);\n\
               extern \"C\" { int f(void); }\n\
               int main() { std::printf(\"std::vector\"); return static_cast<int>(true); }"],
            &[
                "#include <stdio.h>\n#include \"init.h\"\nextern int puts(const char *); int f(void);\n\
               int main() { printf(\"std::vector\"); return ( int ) (((_Bool)1)); }",
            ],
        );
    }
}
