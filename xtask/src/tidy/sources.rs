//! One source file: its module doc, its length, what must not be left in it, and purity.

/// Longest file, in lines; STYLE asks for 150 to 400.
const LONGEST: usize = 800;

/// Modules of `std` that a pure crate keeps away from.
const OUTSIDE: &[&str] = &["env", "fs", "net", "process", "thread", "time"];

/// Macros that print, likewise.
const PRINTING: &[&str] = &["println!", "print!", "eprintln!", "eprint!"];

/// Complaints on one file; `pure` says whether the outside world is forbidden in it.
pub fn check(name: &str, text: &str, pure: bool) -> Vec<String> {
    let mut complaints = Vec::new();
    if !text.trim_start().starts_with("//!") {
        complaints.push(format!("{name}:1: say first what the module is for (//!)"));
    }
    let lines = text.lines().count();
    if lines > LONGEST {
        complaints.push(format!("{name}: {lines} lines; split it (at most {LONGEST})"));
    }
    // Tests stand at the end of a file, and may do what they like.
    let code_lines = text.lines().position(|l| l.trim() == "#[cfg(test)]").unwrap_or(lines);
    for (i, line) in text.lines().enumerate() {
        let complain = |what: String| format!("{name}:{}: {what}", i + 1);
        complaints.extend(leftovers(line).map(|w| complain(format!("{w} must not stay"))));
        let code = line.split("//").next().unwrap_or("");
        if pure && i < code_lines {
            let outside = outside(code).map(|w| complain(format!("a pure crate must not use {w}")));
            complaints.extend(outside);
        }
    }
    complaints
}

/// Whether a text has an example in its documentation that rustdoc would compile.
pub fn doc_tests(text: &str) -> bool {
    let mut inside = false;
    text.lines().any(|line| {
        let line = line.trim_start();
        let doc = line.strip_prefix("///").or(line.strip_prefix("//!"));
        let Some(kind) = doc.and_then(|doc| doc.trim_start().strip_prefix("```")) else {
            return false;
        };
        inside = !inside;
        inside && !matches!(kind, "text" | "console" | "c" | "llvm" | "toml" | "ignore")
    })
}

/// A marker of unfinished work. Spelled in halves, or this file would complain of itself.
fn leftovers(line: &str) -> Option<&'static str> {
    let markers = [
        concat!("to", "do!("),
        concat!("unimple", "mented!("),
        concat!("FIX", "ME"),
        concat!("X", "XX"),
    ];
    markers.into_iter().find(|marker| line.contains(marker))
}

/// What of the outside world a line of code names: `std::fs`, `use std::{fs, …}`, `println!`.
fn outside(code: &str) -> Option<String> {
    for (i, prefix) in code.match_indices("std::") {
        let rest = &code[i + prefix.len()..];
        let group = rest.strip_prefix('{').and_then(|g| g.split('}').next()).unwrap_or(rest);
        let single = !rest.starts_with('{');
        let mut names = group.split(',').take(if single { 1 } else { usize::MAX });
        let found = names.find_map(|name| {
            let name = name.trim().split(|c: char| !c.is_alphanumeric()).next()?;
            OUTSIDE.iter().find(|&&module| module == name)
        });
        if let Some(module) = found {
            return Some(format!("std::{module}"));
        }
    }
    let prints = |m: &&&str| {
        code.match_indices(**m).any(|(i, _)| !code[..i].ends_with(|c: char| c.is_alphanumeric()))
    };
    PRINTING.iter().find(prints).map(|m| m.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn complains(text: &str, pure: bool, want: &[&str]) {
        let got = check("a.rs", text, pure);
        assert_eq!(got.len(), want.len(), "{got:?}");
        for (got, want) in got.iter().zip(want) {
            assert!(got.contains(want), "{got}");
        }
    }

    #[test]
    fn module_docs_and_length() {
        complains("//! Doc.\nfn f() {}\n", true, &[]);
        complains("fn f() {}\n", true, &["//!"]);
        complains(&format!("//! Doc.\n{}", "\n".repeat(900)), true, &["901 lines"]);
    }

    #[test]
    fn unfinished_work() {
        let text = concat!("//! D.\nfn f() { to", "do!() }\n// FIX", "ME later\n");
        complains(text, false, &["must not stay", "must not stay"]);
    }

    #[test]
    fn examples_in_documentation() {
        assert!(doc_tests("/// ```\n/// f();\n/// ```\n"));
        assert!(doc_tests("    //! ```text\n    //! a\n    //! ```\n//! ```no_run\n//! ```\n"));
        assert!(!doc_tests("//! ```text\n//! a\n//! ```\nlet s = \"```\";\n"));
    }

    #[test]
    fn the_outside_world() {
        complains("//! D.\nuse std::fs;\n", true, &["std::fs"]);
        complains("//! D.\nuse std::{fmt, time::Instant};\n", true, &["std::time"]);
        complains("//! D.\nfn f() { println!(); }\n", true, &["println!"]);
        complains("//! D.\nuse std::fmt; // not std::fs\n", true, &[]);
        complains("//! D.\nuse std::fs;\n", false, &[]);
        complains("//! D.\n#[cfg(test)]\nmod tests { use std::fs; }\n", true, &[]);
    }
}
