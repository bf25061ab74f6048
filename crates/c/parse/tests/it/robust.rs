//! Whatever the text, the parser returns: no panic, no hang, no stack overflow. Test threads have
//! 2 MiB of stack, and a debug build has the largest frames.

use ctree::{DataModel, Program};

fn parse(text: &str) -> Result<(), cparse::ParseError> {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    cparse::parse_unit(&mut program, "test.c", text).map(|_| ())
}

const CORPUS: &[&str] = &[
    include_str!("../corpus/declarations.c"),
    include_str!("../corpus/expressions.c"),
    include_str!("../corpus/statements.c"),
    include_str!("../corpus/initializers.c"),
    include_str!("../corpus/extensions.c"),
];

/// A small generator of pseudo-random numbers (SplitMix64): the same inputs on every machine.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

#[test]
fn the_corpus_is_valid() {
    for text in CORPUS {
        let mut program = Program::new(DataModel::X86_64_SYSV);
        if let Err(error) = cparse::parse_unit(&mut program, "corpus.c", text) {
            panic!("{error}: {:?}", program.source.location(error.span));
        }
    }
}

#[test]
fn truncated_input() {
    for text in CORPUS {
        for end in (0..text.len()).filter(|&n| text.is_char_boundary(n)) {
            let _ = parse(&text[..end]);
        }
    }
}

/// Deletes, doubles, swaps and replaces tokens.
#[test]
fn mutated_input() {
    let mut rng = Rng(1);
    for text in CORPUS {
        let words = split(text);
        for _ in 0..1500 {
            let mut words = words.clone();
            for _ in 0..=rng.below(4) {
                let (a, b) = (rng.below(words.len()), rng.below(words.len()));
                match rng.below(4) {
                    0 => drop(words.remove(a)),
                    1 => words.insert(a, words[b]),
                    2 => words.swap(a, b),
                    _ => words[a] = words[b],
                }
            }
            let _ = parse(&words.concat());
        }
    }
}

/// Tokens of all files in any order.
#[test]
fn random_tokens() {
    let mut rng = Rng(2);
    let words: Vec<&str> = CORPUS.iter().flat_map(|t| split(t)).collect();
    for _ in 0..3000 {
        let len = rng.below(60);
        let text: String = (0..len).map(|_| words[rng.below(words.len())]).collect();
        let _ = parse(&text);
        let _ = parse(&format!("int f(int x) {{ {text} }}"));
    }
}

#[test]
fn random_bytes() {
    let mut rng = Rng(3);
    for _ in 0..3000 {
        let bytes: Vec<u8> = (0..rng.below(80)).map(|_| rng.next() as u8).collect();
        let _ = parse(&String::from_utf8_lossy(&bytes));
        let ascii: Vec<u8> = bytes.iter().map(|b| b % 96 + 31).collect();
        let _ = parse(&String::from_utf8_lossy(&ascii));
    }
}

/// Words, and the single characters between them.
fn split(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut word = false;
    for (at, c) in text.char_indices() {
        let part = c.is_alphanumeric() || c == '_';
        if at > start && !(word && part) {
            words.push(&text[start..at]);
            start = at;
        }
        word = part;
    }
    words.push(&text[start..]);
    words
}

/// `open` and `close` nested `n` deep around `middle`.
fn nest(before: &str, open: &str, middle: &str, close: &str, after: &str, n: usize) -> String {
    format!("{before}{}{middle}{}{after}", open.repeat(n), close.repeat(n))
}

/// Every construct that nests: text before, opening, middle, closing, text after.
const NESTING: &[(&str, &str, &str, &str, &str)] = &[
    ("int x = ", "(", "1", ")", ";"),
    ("int f(int x) { return ", "- ", "x", "", "; }"),
    ("int f(int *x) { return ", "*&", "*x", "", "; }"),
    ("int f(int x) { return ", "x ? x : ", "x", "", "; }"),
    ("int f(int x) { return ", "x ? ", "x", " : x", "; }"),
    ("int f(int x) { return ", "f(", "x", ")", "; }"),
    ("int f(int x, ...) { return ", "f(x, (f(", "x", ")))", "; }"),
    ("int f(int *x) { return ", "x[", "0", "]", "; }"),
    ("int f(int x) { return ", "(long)", "x", "", "; }"),
    ("int f(int x) { return ", "sizeof ", "x", "", "; }"),
    ("int f(int x) { return ", "sizeof(int[", "1", "])", "; }"),
    ("int f(int x) { return ", "({", "x;", "});", "; }"),
    ("int f(int x) { return ", "({ int y = ", "x", "; y; })", "; }"),
    ("int f(int x) { return ", "1||1&&1|1^1&1==1<1<<1+1*(", "x", ")", "; }"),
    ("int f(int x) { return ", "_Generic(1, int: ", "x", ")", "; }"),
    ("int f(int x) { return ", "(struct { int a; }){", "x", "}.a", "; }"),
    ("int f(int x) ", "{", "", "}", ""),
    ("int f(int x) { ", "if (x) ", ";", "", " }"),
    ("int f(int x) { ", "if (x) { ; } else { ", "", "}", " }"),
    (
        "int f(int x) { ",
        "for (;;) while (1) do { switch (x) { case 1: if (x) {",
        "",
        "} } } while (0);",
        " }",
    ),
    ("int f(int x) { ", "for (int i = ({", "", "; 1; }); ; ) ;", " }"),
    ("int ", "(", "p", ")", ";"),
    ("int ", "(*", "p", ")(void)", ";"),
    ("int f(", "int g(", "int", ")", ");"),
    ("", "struct {", "int x;", "} a;", ""),
    ("", "struct { int y[sizeof(", "int", ")]; } a;", ""),
    ("int x = ", "{", "1", "}", ";"),
    ("int x[1] = ", "{", "1", "}", ";"),
    ("typeof(", "typeof(", "int", ")", ") x;"),
    ("int x __attribute__((", "aligned(sizeof(int[", "1", "]))", "));"),
    ("int x = ", "__extension__ ", "1", "", ";"),
    ("int x = ", "__builtin_choose_expr(1, ", "1", ", 2)", ";"),
    ("int x = ", "__builtin_offsetof(struct { int a[9]; }, a[", "1", "])", ";"),
    ("void f(void) { ", "__builtin_va_arg(*(__builtin_va_list *)", "0", ", int)", "; }"),
];

#[test]
fn deep_nesting_is_refused_without_overflow() {
    for &(before, open, middle, close, after) in NESTING {
        for n in [50, 290, 1000, 50_000] {
            let _ = parse(&nest(before, open, middle, close, after, n));
        }
    }
}

#[test]
fn nesting_of_256_is_taken() {
    for &(before, open, middle, close, after) in &NESTING[..9] {
        let text = nest(before, open, middle, close, after, 120);
        assert_eq!(parse(&text), Ok(()), "{open}");
    }
    assert_eq!(parse(&nest("int x = ", "(", "1", ")", ";", 256)), Ok(()));
    assert_eq!(parse(&nest("int f(int x) { return ", "f(", "x", ")", "; }", 256)), Ok(()));
    assert_eq!(parse(&nest("int f(int x) ", "{", "", "}", "", 256)), Ok(()));
}

/// Chains that do not nest in the source but build high trees, deep types or much work.
#[test]
fn long_chains() {
    const N: usize = 20_000;
    let chain =
        |before: &str, link: &str, after: &str| format!("{before}{}{after}", link.repeat(N));
    let numbered = |first: &str, link: fn(usize) -> String| {
        let mut text = first.to_string();
        text.extend((0..N).map(link));
        text
    };
    let texts = [
        chain("int x = 1", " + 1", ";"),
        chain("int x[1", " + 1", "];"),
        chain("int f(int x) { x", " = x", "; }"),
        chain("int f(int x) { x", ", x", "; }"),
        chain("int f(int x) { ", "if (x); else ", "; }"),
        chain("int ", "*", "p;"),
        chain("int p", "[1]", ";"),
        chain("struct S { struct S *p; }; int f(struct S *s) { return s", "->p", " == 0; }"),
        chain("int (*f(void))(void); int x = f", "()", ";"),
        chain("char *s = ", "\"a\" ", ";"),
        numbered("typedef int T0;", |i| format!("typedef T{i} *T{};", i + 1)),
        numbered("typedef int T0;", |i| format!("typedef T{i} T{};", i + 1)),
        numbered("struct T0 { int x; };", |i| format!("struct T{} {{ struct T{i} x; }};", i + 1)),
        format!("int f(int x) {{ {} ; }}", numbered("", |i| format!("l{i}:"))),
        format!("int f(int x) {{ switch (x) {{ {} ; }} }}", numbered("", |i| format!("case {i}:"))),
        format!(
            "int a[1000] = {{ {} }};",
            numbered("", |i| format!("[{}...{}]=1,", i % 500, 999 - i % 500))
        ),
    ];
    for text in &texts {
        let _ = parse(text);
    }
    assert_eq!(parse("int a[][0] = { 1, 2 }; int b[1 << 30][1 << 9][0] = { 1, 2 };"), Ok(()));
    let many = format!("struct s {{ int x; }} a[] = {{ {} }};", "1, ".repeat(50_000));
    assert_eq!(parse(&many), Ok(()));
    assert_eq!(parse(&format!("int x[1{}];", " + 1".repeat(1000))), Ok(()));
    let elses = format!("int f(int x) {{ {}; }}", "if (x); else ".repeat(900));
    assert_eq!(parse(&elses), Ok(()));
}

/// Records that double in size: nothing may walk their members one by one.
#[test]
fn doubling_records() {
    let mut text = "struct T0 { int x, y; };".to_string();
    for i in 0..34 {
        text += &format!("struct T{} {{ struct T{i} a, b; }};", i + 1);
    }
    text += "struct T34 x = { 1 }; void f(void) { x = x; }";
    assert_eq!(parse(&text), Ok(()));
}
