//! A whole reduction without compilers.

mod common;

use cgen::yarp::{Options, generate};
use common::{reduce, specimen};
use cshrink::Specimen;

/// Whether some line of the output has a 7.
fn prints_seven(specimen: &Specimen) -> bool {
    String::from_utf8_lossy(&specimen.stdout).lines().any(|line| line.contains('7'))
}

/// The program without line breaks and indentation.
fn reduced(text: &str, is_interesting: &dyn Fn(&Specimen) -> bool) -> String {
    let end = reduce(specimen(text), is_interesting);
    let words: Vec<&str> = end.units[0].text.split_whitespace().collect();
    words.join(" ")
}

#[test]
fn a_generated_program_becomes_a_line() {
    for seed in 1..=3 {
        let made = generate(seed, &Options::default()).expect("a program");
        let start = specimen(&made.files(true).expect("printable")[0].text);
        let before = start.tokens();
        let end = reduce(start, &prints_seven);
        eprintln!("{before} tokens to {}\n{}", end.tokens(), end.units[0].text);
        assert!(end.tokens() < 40, "seed {seed}:\n{}", end.units[0].text);
    }
}

#[test]
fn other_programs_become_a_line() {
    for text in [
        include_str!("programs/jumps.c"),
        include_str!("programs/records.c"),
        include_str!("programs/calls.c"),
    ] {
        let text = reduced(text, &|s| !s.stdout.is_empty());
        assert_eq!(text, "int printf(const char *, ...); int main() { printf(\"%d\\n\", 0); }");
    }
}
