//! A profile for a person: one line for each statement that ran, then what never ran.

use std::fmt::Write;

use super::{ProfileObject, StatementObject, VariableObject};

/// Variables shown for a statement: more do not fit a line. `--json` has all of them.
const VARIABLES: usize = 3;
/// Values listed one by one; more are shown as a range.
const VALUES: usize = 4;
/// Characters of a statement shown.
const CODE: usize = 40;

/// The profile as lines, without a newline at the end.
pub fn text(profile: &ProfileObject) -> String {
    let mut text = headline(profile);
    let ran: Vec<&StatementObject> = profile.statements.iter().filter(|s| s.ran).collect();
    let place = |s: &StatementObject| format!("{}:{}", s.place.file, s.place.line);
    let place_width = ran.iter().map(|s| place(s).len()).max().unwrap_or(0);
    let times = |s: &StatementObject| s.visits.to_string();
    let times_width = ran.iter().map(|s| times(s).len()).max().unwrap_or(0);
    let code_width = ran.iter().map(|s| code(s).chars().count()).max().unwrap_or(0);
    for statement in ran {
        let (place, times, code) = (place(statement), times(statement), code(statement));
        let line = format!(
            "  {place:place_width$}  {times:>times_width$}x  {code:code_width$}  {}",
            variables(statement)
        );
        let _ = write!(text, "\n{}", line.trim_end());
    }
    let never = never(&profile.statements);
    if !never.is_empty() {
        let _ = write!(text, "\nnever ran:");
    }
    for line in never {
        let _ = write!(text, "\n  {line}");
    }
    text
}

fn headline(profile: &ProfileObject) -> String {
    let ran = profile.statements.iter().filter(|s| s.ran).count();
    let writes = profile.volatile.iter().filter(|v| v.access == "write").count();
    let reads = profile.volatile.len() - writes;
    let counted = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    format!(
        "profile: {ran} of {} ran; {}, {}",
        counted(profile.statements.len(), "statement"),
        counted(reads, "volatile read"),
        counted(writes, "volatile write"),
    )
}

fn code(statement: &StatementObject) -> String {
    shorten(&statement.place.code)
}

fn shorten(code: &str) -> String {
    if code.chars().count() <= CODE {
        return code.to_string();
    }
    let kept: String = code.chars().take(CODE - 1).collect();
    format!("{}…", kept.trim_end())
}

/// The variables that say most: those that the statement names, then other locals as declared.
/// Elements and members only where the statement names their object.
fn variables(statement: &StatementObject) -> String {
    let named = |v: &&VariableObject| mentions(&statement.place.code, root(&v.name));
    let plain = |v: &&VariableObject| root(&v.name).len() == v.name.len();
    let all = &statement.variables;
    let first = all.iter().filter(|v| named(v) && plain(v));
    let parts = all.iter().filter(|v| named(v) && !plain(v));
    let rest = all.iter().filter(|v| !named(v) && plain(v) && v.local);
    let shown: Vec<String> = first.chain(parts).chain(rest).take(VARIABLES).map(values).collect();
    shown.join("; ")
}

/// The name of the variable that a member or an element belongs to.
fn root(name: &str) -> &str {
    name.split(['.', '[']).next().unwrap_or(name)
}

/// Whether `word` stands in `code` as a word of its own.
fn mentions(code: &str, word: &str) -> bool {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == word)
}

fn values(variable: &VariableObject) -> String {
    let VariableObject { name, values, complete, min, max, .. } = variable;
    if *complete && values.len() <= VALUES {
        let list: Vec<String> = values.iter().map(|v| v.to_string()).collect();
        return format!("{name}: {}", list.join(", "));
    }
    let more = if *complete { "" } else { "more than " };
    format!("{name}: {min}..{max} ({more}{} values)", values.len())
}

/// What never ran; neighbours of one function share a line.
fn never(statements: &[StatementObject]) -> Vec<String> {
    let mut lines = Vec::new();
    for group in statements
        .chunk_by(|a, b| a.ran == b.ran && a.function == b.function && a.place.file == b.place.file)
    {
        let Some(first) = group.first().filter(|s| !s.ran) else { continue };
        let place = &first.place;
        let last = group.iter().map(|s| s.last_line.max(s.place.line)).max().unwrap_or(place.line);
        let range = if last > place.line { format!("-{last}") } else { String::new() };
        let count = match group.len() {
            1 => String::new(),
            n => format!(" ({n} statements of {})", first.function),
        };
        lines.push(format!("{}:{}{range}  {}{count}", place.file, place.line, code(first)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, values: &[i128], complete: bool) -> VariableObject {
        VariableObject {
            name: name.into(),
            ty: "int".into(),
            values: values.to_vec(),
            complete,
            min: values[0],
            max: values[values.len() - 1],
            local: true,
        }
    }

    #[test]
    fn few_values_are_listed_and_many_are_a_range() {
        assert_eq!(values(&variable("x", &[-1, 3, 7], true)), "x: -1, 3, 7");
        let many: Vec<i128> = (0..10).collect();
        assert_eq!(values(&variable("i", &many, true)), "i: 0..9 (10 values)");
        assert_eq!(values(&variable("i", &many, false)), "i: 0..9 (more than 10 values)");
    }

    #[test]
    fn words_are_not_parts_of_words() {
        assert!(mentions("s += a[i];", "i"));
        assert!(!mentions("if (sin)", "i"));
        assert_eq!((root("a[2].b"), root("x")), ("a", "x"));
    }

    #[test]
    fn long_code_is_cut() {
        assert_eq!(shorten("x = 1;"), "x = 1;");
        assert_eq!(shorten(&"é".repeat(50)), format!("{}…", "é".repeat(39)));
    }
}
