//! Whatever the program, the machine returns an outcome: no panic, and never an internal error.
//!
//! The programs are the language tests with tokens and lines deleted, doubled, swapped and
//! replaced. Most mutants that still parse do something their authors never thought of, and a
//! debug build checks the machine's own arithmetic. The same mutants on every machine.

use choice::Choices;
use cmachine::{MachineConfig, Outcome, run};
use ctree::{DataModel, Program};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Tries for each file. About one in three is accepted by the parser.
const TRIES: u64 = 24;

/// What the language tests take from headers, so that no preprocessor is needed. A file that uses
/// macros of its own is refused by the parser and left out.
const PRELUDE: &str = "\
typedef unsigned long size_t; typedef long ptrdiff_t; typedef __builtin_va_list va_list;
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;
typedef unsigned long uint64_t; typedef unsigned long uintptr_t; typedef long intptr_t;
int printf(const char *, ...); int sprintf(char *, const char *, ...); int putchar(int);
int snprintf(char *, size_t, const char *, ...); int puts(const char *);
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t);
void free(void *); void abort(void); void exit(int); int abs(int); long labs(long);
void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t); int memcmp(const void *, const void *, size_t);
size_t strlen(const char *); int strcmp(const char *, const char *);
char *strcpy(char *, const char *); char *strcat(char *, const char *);
int strncmp(const char *, const char *, size_t); char *strncpy(char *, const char *, size_t);
char *strchr(const char *, int); char *strrchr(const char *, int);
";

/// Macros of those headers, replaced as words.
const MACROS: &[(&str, &str)] = &[
    ("NULL", "((void *)0)"),
    ("INT_MAX", "2147483647"),
    ("INT_MIN", "(-2147483647 - 1)"),
    ("LONG_MAX", "9223372036854775807L"),
    ("LONG_MIN", "(-9223372036854775807L - 1)"),
    ("UINT_MAX", "4294967295u"),
    ("va_start", "__builtin_va_start"),
    ("va_arg", "__builtin_va_arg"),
    ("va_copy", "__builtin_va_copy"),
    ("va_end", "__builtin_va_end"),
    ("offsetof", "__builtin_offsetof"),
    ("bool", "_Bool"),
];

/// Little of everything: a mutant that loops or allocates for ever must not take long.
fn config() -> MachineConfig {
    MachineConfig {
        fuel: 20_000,
        memory: 1 << 20,
        stack: 1 << 20,
        call_depth: 2_000,
        output: 1 << 16,
        ..MachineConfig::default()
    }
}

/// Every C file below a folder of `tests/`, in a fixed order.
fn files(section: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders =
        vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests").join(section)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of tests") {
            let path = entry.expect("its entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "c") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Words, numbers, and the single characters between them. Comments and directives are left out,
/// strings are kept whole.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let lines = text.split_inclusive('\n').filter(|line| !line.starts_with('#'));
    for line in lines {
        let mut rest = line.split_once("//").map_or(line, |(code, _)| code);
        while let Some(first) = rest.chars().next() {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let len = if first == '"' {
                rest[1..].find('"').map_or(rest.len(), |end| end + 2)
            } else if word(first) {
                rest.find(|c| !word(c)).unwrap_or(rest.len())
            } else {
                first.len_utf8()
            };
            tokens.push(&rest[..len]);
            rest = &rest[len..];
        }
        tokens.push("\n");
    }
    for token in &mut tokens {
        if let Some((_, value)) = MACROS.iter().find(|(name, _)| name == token) {
            *token = value;
        }
    }
    tokens
}

/// One to three small changes of a kind that a slip of the keyboard makes.
fn mutate(choices: &mut Choices, tokens: &[&str]) -> String {
    /// Values at the edges of types, and operators that are often undefined there.
    const SPICE: &[&str] = &[
        "0",
        "-1",
        "1",
        "2147483647",
        "4294967296",
        "<<",
        ">>",
        "/",
        "%",
        "*",
        "&",
        "++",
        "char",
        "long",
    ];
    let mut tokens = tokens.to_vec();
    for _ in 0..=choices.below(3) {
        let words: Vec<usize> =
            (0..tokens.len()).filter(|&i| !tokens[i].trim().is_empty()).collect();
        let (Some(&a), Some(&b)) = (choices.pick(&words), choices.pick(&words)) else { break };
        match choices.below(6) {
            0 => drop(tokens.remove(a)),
            1 => tokens.insert(a, tokens[b]),
            2 => tokens.swap(a, b),
            3 => tokens[a] = tokens[b],
            4 => tokens[a] = SPICE[choices.index(SPICE.len())],
            _ => mutate_line(choices, &mut tokens),
        }
    }
    tokens.concat()
}

/// Deletes a line, or moves a copy of it elsewhere.
fn mutate_line(choices: &mut Choices, tokens: &mut Vec<&str>) {
    let mut ends: Vec<usize> = (0..tokens.len()).filter(|&i| tokens[i] == "\n").collect();
    ends.insert(0, 0);
    let line = choices.index(ends.len().saturating_sub(1));
    let Some(&end) = ends.get(line + 1) else { return };
    let copy: Vec<&str> = tokens[ends[line]..end].to_vec();
    if choices.chance(50) {
        tokens.drain(ends[line]..end);
    } else {
        let to = ends[choices.index(ends.len())];
        tokens.splice(to..to, copy);
    }
}

/// Whether the parser took it; a panic or an inconsistency of the machine is an error.
fn execute(text: &str) -> Result<bool, String> {
    let ended = catch_unwind(AssertUnwindSafe(|| {
        let mut program = Program::new(DataModel::X86_64_SYSV);
        cparse::parse_unit(&mut program, "mutant.c", text).ok()?;
        Some(run(&program, &config()).outcome)
    }));
    match ended {
        Ok(None) => Ok(false),
        Ok(Some(Outcome::Internal(what))) => Err(format!("internal: {what}")),
        Ok(Some(_)) => Ok(true),
        Err(panic) => Err(panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()))
            .unwrap_or_else(|| "panicked".into())),
    }
}

#[track_caller]
fn check(section: &str) {
    let (mut accepted, mut failures) = (0, Vec::new());
    for path in files(section) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("text");
        let tokens = tokens(&text);
        let choices = Choices::new(1).fork(&name);
        for n in 0..TRIES {
            let mutant = mutate(&mut choices.fork(&n.to_string()), &tokens);
            match execute(&format!("{PRELUDE}{mutant}")) {
                Ok(taken) => accepted += u32::from(taken),
                Err(what) => failures.push(format!("{name} {n}: {what}\n{mutant}")),
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(accepted > 100, "only {accepted} mutants of {section} were accepted");
}

#[test]
fn mutants_of_undefined_programs() {
    check("ub");
}

#[test]
fn mutants_of_defined_programs() {
    check("defined");
}

#[test]
fn mutants_of_unspecified_programs() {
    check("unspecified");
}
