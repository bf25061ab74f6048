//! The words by which the same bug is known again.

use oracle::{FailureKind, Fault};
use toolchain::Family;

use crate::found::{Blame, Ladder};

/// One line that two findings share if they are most likely one bug.
///
/// A crash or a rejection is known by the compiler's own words and the pass. For wrong code there are
/// no such words: the blamed pass has to do, with what the ladder says.
pub fn key(fault: &Fault, family: Family, blame: &Blame, ladder: &Ladder) -> String {
    let mut parts = vec![format!("{} {}", fault.kind.name(), family_name(family))];
    let told = matches!(fault.kind, FailureKind::CompilerCrash | FailureKind::Rejection);
    if told && !fault.known_by.is_empty() {
        parts.push(place(&fault.known_by));
    } else {
        parts.push(ladder.pattern());
    }
    // Where no pass is to blame, an option or a counter says at least something.
    parts.extend(blame.part().map(|name| stem(&name).to_string()));
    parts.retain(|part| !part.is_empty());
    parts.join(" | ").replace(['\n', '\r'], " ")
}

/// A family in keys.
pub(crate) fn family_name(family: Family) -> &'static str {
    match family {
        Family::Gcc => "gcc",
        Family::Clang => "clang",
        Family::Tcc => "tcc",
        Family::Pcc => "pcc",
        Family::Other => "other",
    }
}

/// What a crash is known by in every version: the lines of a compiler's source move, and GCC renamed
/// its files from `.c` to `.cc`. (Two failing checks of one function are then told apart by their pass
/// alone.)
pub(crate) fn place(known_by: &str) -> String {
    let mut parts = known_by.split(':');
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        // A number behind a colon is a line.
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() == part.len() {
            text.push(':');
        } else if let Some(stem) = text.strip_suffix(".cc") {
            text = format!("{stem}.c");
        }
        text.push_str(rest);
    }
    text
}

/// A pass's name without the number of its place in the pipeline: `tailr1` and `tailr2` are one.
pub fn stem(name: &str) -> &str {
    match name.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "" => name,
        stem => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crashes_of_two_versions_have_one_place() {
        let old = place("in gimplify_expr, at gimplify.c:14924");
        assert_eq!(old, "in gimplify_expr, at gimplify.c");
        assert_eq!(old, place("in gimplify_expr, at gimplify.cc:15905"));
        let check = "tree check: expected class 'type', in f2, at tree.h:12";
        assert_eq!(place(check), "tree check: expected class 'type', in f2, at tree.h");
        assert_eq!(place("X.cpp:12: Assertion `a::b' failed"), "X.cpp: Assertion `a::b' failed");
    }

    #[test]
    fn keys_tell_faults_and_passes_apart() {
        let fault = |kind, known_by: &str| Fault { kind, known_by: known_by.to_string() };
        let blame = |pass: &str| Blame { pass: Some(pass.to_string()), ..Blame::default() };
        let key = |fault: &Fault, pass| key(fault, Family::Gcc, &blame(pass), &Ladder::default());
        let wrong = fault(FailureKind::WrongOutput, "");
        assert_eq!(key(&wrong, "tailr1"), "wrong-output gcc | tailr");
        assert_eq!(key(&wrong, "tailr1"), key(&wrong, "tailr2"));
        assert_ne!(key(&wrong, "tailr1"), key(&wrong, "vrp1"));
        let crash = fault(FailureKind::CompilerCrash, "in f, at g.cc:12");
        assert_eq!(key(&crash, "vrp1"), "compiler-crash gcc | in f, at g.c | vrp");
    }
}
