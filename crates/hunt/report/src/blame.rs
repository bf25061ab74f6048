//! A blame and a version ladder as text.

use triage::{Blame, Cell, Culprit, Ladder, Method, Rung};

use crate::text::{code, one_line, plural, shell_line};

/// The compilers that fail, in one cell of a table: `gcc-11, gcc-12`, `gcc-9 … gcc-14`.
pub fn versions(ladder: &Ladder) -> String {
    let bad: Vec<&str> = bad(ladder).map(|rung| rung.compiler.as_str()).collect();
    match &bad[..] {
        [] => String::new(),
        [one] => one.to_string(),
        [first, second] => format!("{first}, {second}"),
        [first, .., last] => format!("{first} … {last}"),
    }
}

fn fails(rung: &Rung) -> bool {
    rung.cells.contains(&Cell::Fails)
}

fn bad(ladder: &Ladder) -> impl Iterator<Item = &Rung> {
    ladder.rungs.iter().filter(|rung| fails(rung))
}

/// Since when it fails, and whether it still does, as sentences.
pub fn history(ladder: &Ladder) -> String {
    let name = |rung: &Rung| format!("{} ({})", rung.compiler, rung.version);
    // One that cannot take the test where others fail, or fails in another way, has not said that it works.
    let failing = |at: &usize| bad(ladder).any(|rung| rung.cells.get(*at) == Some(&Cell::Fails));
    let failing: Vec<usize> = (0..ladder.levels.len()).filter(failing).collect();
    let works = |rung: &Rung| failing.iter().all(|at| rung.cells.get(*at) == Some(&Cell::Works));
    let takes = |rung: &&Rung| fails(rung) || works(rung);
    let told: Vec<&Rung> = ladder.rungs.iter().filter(takes).collect();
    let at = |rung: &Rung| told.iter().position(|r| *r == rung);
    let (Some(first), Some(last)) = (bad(ladder).next(), bad(ladder).last()) else {
        return "None of these fails.".into();
    };
    let before = at(first).and_then(|i| told[..i].last());
    let after = at(last).and_then(|i| told.get(i + 1));
    let since = match before {
        Some(good) => format!("the first that fails is {}, {} works", name(first), name(good)),
        None => format!("the oldest that was tried, {}, fails", name(first)),
    };
    let until = match after {
        Some(good) => format!("the last that fails is {}, {} works", name(last), name(good)),
        None => format!("the newest that was tried, {}, fails", name(last)),
    };
    match told.len() {
        1 => format!("Only {} was tried.", name(first)),
        n => format!("Of {}, {since}; {until}.", plural(n, "version")),
    }
}

/// Versions by levels as a table in Markdown.
pub fn table(ladder: &Ladder) -> String {
    let mut text =
        format!("| compiler | version |{}\n", cells(ladder.levels.iter().map(|l| code(l))));
    text += &format!("| --- | --- |{}\n", cells(ladder.levels.iter().map(|_| "---".into())));
    for rung in &ladder.rungs {
        let words = rung.cells.iter().map(|cell| cell_text(*cell));
        text += &format!("| {} | {} |{}\n", rung.compiler, rung.version, cells(words));
    }
    text
}

fn cells(words: impl Iterator<Item = String>) -> String {
    words.map(|word| format!(" {word} |")).collect()
}

/// What one compiler does at one level.
pub fn cell_text(cell: Cell) -> String {
    match cell {
        Cell::Works => "works".into(),
        Cell::Fails => "**fails**".into(),
        Cell::Otherwise(kind) => kind.name().into(),
        Cell::Unsupported => "–".into(),
        Cell::CannotTell => "cannot tell".into(),
    }
}

/// The blamed pass, if one is.
pub fn passes(blame: &Blame) -> Option<&str> {
    blame.pass.as_deref()
}

/// The flags that hide the bug, of the most telling culprit that has any.
pub fn flags_that_hide(blame: &Blame) -> Option<String> {
    blame.culprits.iter().find(|c| !c.hides.is_empty()).map(|c| shell_line(&c.hides))
}

/// All that was learnt, as a list in Markdown.
pub fn findings(blame: &Blame) -> String {
    let mut text = String::new();
    if let Some(pass) = &blame.pass {
        text += &format!("Most likely at fault: {}.\n\n", code(pass));
    }
    for culprit in &blame.culprits {
        text += &format!("- {}\n", sentence(culprit));
    }
    for limit in &blame.limits {
        text += &format!("- {limit}\n");
    }
    text
}

fn sentence(culprit: &Culprit) -> String {
    culprit_text(culprit, code)
}

/// What was learnt of a culprit, without marks of Markdown.
pub fn sentence_plain(culprit: &Culprit) -> String {
    culprit_text(culprit, one_line)
}

fn culprit_text(culprit: &Culprit, code: impl Fn(&str) -> String) -> String {
    let how = match culprit.method {
        Method::Message => "the crash names",
        Method::LastPass => "the last of the fewest passes is",
        Method::OptBisect => "bisected with -opt-bisect-limit:",
        Method::DebugCounter => "bisected with the debug counter",
        Method::DisabledPass => "it needs the pass",
        Method::Option => "it needs the option",
    };
    let mut text = format!("{how} {}", code(&culprit.name));
    if !culprit.hides.is_empty() {
        text += &format!("; {} hides it", code(&shell_line(&culprit.hides)));
    }
    if !culprit.detail.is_empty() {
        text += &format!(" ({})", culprit.detail);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use Cell::{Fails, Unsupported, Works};

    fn ladder(rungs: &[(&str, Cell)]) -> Ladder {
        let rung = |(name, cell): &(&str, Cell)| Rung {
            compiler: name.to_string(),
            version: format!("{}.0", name.trim_start_matches("gcc-")),
            cells: vec![Works, *cell],
        };
        Ladder { levels: vec!["-O0".into(), "-O2".into()], rungs: rungs.iter().map(rung).collect() }
    }

    #[test]
    fn history_is_told() {
        let all = [("gcc-10", Works), ("gcc-11", Fails), ("gcc-12", Fails), ("gcc-13", Works)];
        assert_eq!(
            history(&ladder(&all)),
            "Of 4 versions, the first that fails is gcc-11 (11.0), gcc-10 (10.0) works; the last that \
             fails is gcc-12 (12.0), gcc-13 (13.0) works."
        );
        assert_eq!(
            history(&ladder(&all[1..3])),
            "Of 2 versions, the oldest that was tried, gcc-11 (11.0), fails; the newest that was \
             tried, gcc-12 (12.0), fails."
        );
        assert_eq!(history(&ladder(&all[1..2])), "Only gcc-11 (11.0) was tried.");
        assert_eq!(history(&ladder(&all[..1])), "None of these fails.");
        let untold = [
            ("gcc-10", Unsupported),
            ("gcc-11", Fails),
            ("gcc-12", Fails),
            ("gcc-13", Unsupported),
        ];
        assert_eq!(
            history(&ladder(&untold)),
            "Of 2 versions, the oldest that was tried, gcc-11 (11.0), fails; the newest that was \
             tried, gcc-12 (12.0), fails."
        );
        assert_eq!(versions(&ladder(&all)), "gcc-11, gcc-12");
        assert_eq!(versions(&ladder(&[("a", Fails), ("b", Fails), ("c", Fails)])), "a … c");
        assert_eq!(
            table(&ladder(&[("gcc-12", Fails), ("gcc-13", Unsupported)])),
            "| compiler | version | `-O0` | `-O2` |\n| --- | --- | --- | --- |\n\
             | gcc-12 | 12.0 | works | **fails** |\n| gcc-13 | 13.0 | works | – |\n"
        );
    }

    #[test]
    fn blame_is_told() {
        let blame = Blame {
            pass: Some("tailr1".into()),
            culprits: vec![Culprit {
                method: Method::DisabledPass,
                name: "tailr1".into(),
                hides: vec!["-fdisable-tree-tailr1".into()],
                detail: "on function f".into(),
            }],
            limits: vec!["No debug counter hides it.".into()],
        };
        assert_eq!(
            findings(&blame),
            "Most likely at fault: `tailr1`.\n\n- it needs the pass `tailr1`; \
             `-fdisable-tree-tailr1` hides it (on function f)\n- No debug counter hides it.\n"
        );
        assert_eq!(flags_that_hide(&blame).as_deref(), Some("-fdisable-tree-tailr1"));
        assert_eq!(passes(&blame), Some("tailr1"));
    }
}
