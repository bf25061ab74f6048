//! Extensions that test programs may use, each with a body of C that tells whether a compiler has it.
//!
//! An extension is known by the word that it leaves in a program's text. Two things that a program
//! may say without an extension are here too, because they mean something else on other processors:
//! `long double` and unnamed bit-fields.

use super::Language;

/// One extension.
#[derive(Debug)]
pub(super) struct Extension {
    /// What marks it in a program.
    pub(super) word: &'static str,
    /// In which language it is asked for; `None` for both.
    only: Option<Language>,
    /// A function's body: it returns 1 if the extension does what it should. `one` is 1, but
    /// compilers cannot know.
    pub(super) body: &'static str,
}

impl Extension {
    /// Whether programs of this language may have it.
    pub(super) fn concerns(&self, language: Language) -> bool {
        self.only.is_none_or(|only| only == language)
    }
}

const fn both(word: &'static str, body: &'static str) -> Extension {
    Extension { word, only: None, body }
}

const fn c(word: &'static str, body: &'static str) -> Extension {
    Extension { word, only: Some(Language::C), body }
}

/// The marks that are no words; [`lacking`] knows how to see them.
const LONG_DOUBLE: &str = "long double";
const UNNAMED: &str = "unnamed bit-field";
const STATEMENTS: &str = "({";
const PRAGMA_PACK: &str = "#pragma pack";

/// What the generators (and Csmith with all its options) print. Each body is also C++, unless said.
pub(super) const ALL: &[Extension] = &[
    both("__builtin_expect", "return (int)__builtin_expect(one, 1);"),
    both("__builtin_popcount", "return __builtin_popcount(one + 6u) == 3;"),
    both("__builtin_popcountl", "return __builtin_popcountl(one + 6ul) == 3;"),
    both("__builtin_popcountll", "return __builtin_popcountll(one + 6ull) == 3;"),
    both("__builtin_parity", "return __builtin_parity(one + 6u) == 1;"),
    both("__builtin_parityl", "return __builtin_parityl(one + 6ul) == 1;"),
    both("__builtin_parityll", "return __builtin_parityll(one + 6ull) == 1;"),
    both("__builtin_ffs", "return __builtin_ffs(one * 8) == 4;"),
    both("__builtin_ffsl", "return __builtin_ffsl(one * 8l) == 4;"),
    both("__builtin_ffsll", "return __builtin_ffsll(one * 8ll) == 4;"),
    both("__builtin_clz", "return __builtin_clz(one + 0u) == 31;"),
    both("__builtin_clzl", "return __builtin_clzl(one + 0ul) == 63;"),
    both("__builtin_clzll", "return __builtin_clzll(one + 0ull) == 63;"),
    both("__builtin_ctz", "return __builtin_ctz(one * 8u) == 3;"),
    both("__builtin_ctzl", "return __builtin_ctzl(one * 8ul) == 3;"),
    both("__builtin_ctzll", "return __builtin_ctzll(one * 8ull) == 3;"),
    both("__builtin_bswap16", "return __builtin_bswap16((unsigned short)one) == 256;"),
    both("__builtin_bswap32", "return __builtin_bswap32(one + 0u) == 1u << 24;"),
    both("__builtin_bswap64", "return __builtin_bswap64(one + 0ull) == 1ull << 56;"),
    both(
        "__builtin_memcpy",
        "int a = 0, b = one + 4; __builtin_memcpy(&a, &b, sizeof a); return a == 5;",
    ),
    both(
        "__builtin_memmove",
        "int a = 0, b = one + 4; __builtin_memmove(&a, &b, sizeof a); return a == 5;",
    ),
    both("__builtin_memset", "int a = one; __builtin_memset(&a, 0, sizeof a); return a == 0;"),
    both("__builtin_add_overflow", "int a; return __builtin_add_overflow(0x7fffffff, one, &a) != 0;"),
    both("__builtin_sub_overflow", "unsigned a; return __builtin_sub_overflow(0, one, &a) != 0;"),
    both("__builtin_mul_overflow", "int a; return __builtin_mul_overflow(one, 9, &a) == 0 && a == 9;"),
    both("__builtin_abs", "return __builtin_abs(-one) == 1;"),
    both("__builtin_unreachable", "if (!one) __builtin_unreachable(); return 1;"),
    both("__builtin_trap", "if (!one) __builtin_trap(); return 1;"),
    both("__builtin_abort", "if (!one) __builtin_abort(); return 1;"),
    both("__builtin_constant_p", "return __builtin_constant_p(3) != 0;"),
    both("__builtin_prefetch", "int a = one; __builtin_prefetch(&a); return a;"),
    both(
        "packed",
        "struct S { char a; int b; short c; } __attribute__((packed)); struct S s[2]; s[1].b = one;
         return sizeof(struct S) == 7 && (char *)&s[1].b - (char *)s == 8 && s[1].b == 1;",
    ),
    both(
        "aligned",
        "struct S { char a; int b; } __attribute__((aligned(32))); static struct S s[2];
         return sizeof(struct S) == 32 && ((size_t)&s[1] & 31) == 0;",
    ),
    both(
        "vector_size",
        "typedef int V __attribute__((vector_size(16))); V a = {1, 2, 3, 4}, b = {one, one, one, one};
         V c = a * b + (a > b); struct S { char s; V v; };
         return sizeof(V) == 16 && sizeof(struct S) == 32 && c[0] == 1 && c[3] == 3;",
    ),
    both("noinline", "extern int outline(int) __attribute__((noinline)); return sizeof(outline(1)) == 4;"),
    both("always_inline", "extern int in(int) __attribute__((always_inline)); return sizeof(in(1)) == 4;"),
    both("noreturn", "extern int never(int) __attribute__((noreturn)); return sizeof(never(1)) == 4;"),
    both("__int128", "__int128 a = one; a <<= 100; return sizeof a == 16 && (int)(a >> 99) == 2;"),
    both("__typeof__", "__typeof__(one + 1ll) a = one; return sizeof a == 8;"),
    both("__extension__", "return __extension__ one == 1;"),
    both(STATEMENTS, "return ({ int a = one; a + 1; }) == 2;"),
    both(
        PRAGMA_PACK,
        "\n#pragma pack(push)\n#pragma pack(1)\nstruct S { char a; int b; unsigned c : 5; unsigned d : 7; };\n\
         #pragma pack(pop)\nstruct T { char a; int b; }; return sizeof(struct S) == 7 && sizeof(struct T) == 8;",
    ),
    both(LONG_DOUBLE, "long double a = one / 3.0L; return LDBL_MANT_DIG == 64 && a != (double)a;"),
    both("wchar_t", "return (wchar_t)-1 < 0;"),
    both(
        UNNAMED,
        "struct S { char a; int : 0; char b; }; struct T { char a; int : 5; char b; };
         return sizeof(struct S) == 5 && sizeof(struct T) == 3;",
    ),
    c("_Alignas", "_Alignas(32) static char a[3]; return ((size_t)a & 31) == 0;"),
    c("_Alignof", "return _Alignof(double) == 8;"),
    c("_Generic", "return _Generic(one + 0l, int: 0, long: 1, default: 2);"),
    c("_Noreturn", "extern _Noreturn int gone(int); return sizeof(gone(1)) == 4;"),
    c("_Static_assert", "_Static_assert(sizeof(int) == 4, \"four\"); return 1;"),
    c("restrict", "int a = one, *restrict p = &a; return *p;"),
];

/// The first of these marks that a program's text has.
pub(super) fn lacking(lacks: &[&'static str], text: &str) -> Option<&'static str> {
    if lacks.is_empty() {
        return None;
    }
    let tokens: Vec<&str> = tokens(text).collect();
    // `__packed__` is `packed`.
    let has_word = |word: &str| {
        let bare = word.trim_matches('_');
        tokens.iter().any(|token| token.trim_matches('_') == bare)
    };
    let has_run = |run: &[&str]| tokens.windows(run.len()).any(|w| w == run);
    lacks.iter().copied().find(|&mark| match mark {
        LONG_DOUBLE => has_run(&["long", "double"]),
        STATEMENTS => has_run(&["(", "{"]),
        PRAGMA_PACK => has_run(&["#", "pragma", "pack"]),
        UNNAMED => tokens.windows(3).any(|w| {
            let is_type = matches!(
                w[0],
                "int" | "unsigned" | "signed" | "char" | "short" | "long" | "_Bool" | "bool"
            );
            is_type && w[1] == ":" && w[2].starts_with(|c: char| c.is_ascii_digit())
        }),
        word => has_word(word),
    })
}

/// Words, numbers and single other characters. Comments and strings are read like the rest: at
/// worst a program is spared that need not be.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_seen_in_programs() {
        let every: Vec<&'static str> = ALL.iter().map(|e| e.word).collect();
        let cases = [
            ("int f(int a) { return a ? a : 3; } /* case 1: 2; */", None),
            ("struct S { int a : 3; };", None),
            ("struct S { const signed : 0; };", Some(UNNAMED)),
            ("struct S { int a; } __attribute__ ((__packed__));", Some("packed")),
            ("int unpacked;", None),
            ("x = ( { 1; });", Some(STATEMENTS)),
            ("int a = (int){1};", None),
            ("#pragma  pack(push)", Some(PRAGMA_PACK)),
            ("#pragma GCC unroll 3", None),
            ("long  double x;", Some(LONG_DOUBLE)),
            ("long x; double y;", None),
            ("__builtin_popcountl(1)", Some("__builtin_popcountl")),
            ("restricted", None),
        ];
        for (text, want) in cases {
            assert_eq!(lacking(&every, text), want, "{text}");
            assert_eq!(lacking(&[], text), None);
        }
    }

    #[test]
    fn every_body_shows_its_own_mark_and_words_are_unique() {
        for (i, extension) in ALL.iter().enumerate() {
            let word = extension.word;
            assert_eq!(lacking(&[word], extension.body), Some(word));
            assert!(ALL[i + 1..].iter().all(|e| e.word != word), "{word}");
        }
    }
}
