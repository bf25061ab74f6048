//! What `--cc` takes: globs on names, paths, names on the `PATH`, each with flags behind it.

use super::SurveyError;
use super::scan::Candidate;
use crate::find::{executable, on_path};

/// The candidates that these patterns mean, in the patterns' order, each once. Without patterns:
/// those for this processor.
pub(super) fn select(
    there: Vec<Candidate>,
    patterns: &[String],
) -> Result<Vec<Candidate>, SurveyError> {
    if patterns.is_empty() {
        return Ok(there.into_iter().filter(|c| !c.is_cross).collect());
    }
    let mut chosen: Vec<Candidate> = Vec::new();
    for pattern in patterns {
        for candidate in meant(&there, pattern)? {
            if chosen.iter().all(|c| c.name != candidate.name) {
                chosen.push(Candidate { is_named: true, ..candidate });
            }
        }
    }
    Ok(chosen)
}

fn meant(there: &[Candidate], pattern: &str) -> Result<Vec<Candidate>, SurveyError> {
    let nothing = || {
        let there: Vec<&str> = there.iter().map(|c| c.name.as_str()).collect();
        let there = if there.is_empty() { "none".into() } else { there.join(", ") };
        SurveyError::NothingMatches { pattern: pattern.to_string(), there }
    };
    let words = shlex::split(pattern)
        .ok_or_else(|| SurveyError::OpenQuote { pattern: pattern.to_string() })?;
    let [first, flags @ ..] = &words[..] else { return Err(nothing()) };
    if first.contains('/') {
        let path = std::path::absolute(first).unwrap_or_else(|_| first.into());
        if !executable(&path) {
            return Err(SurveyError::NoExecutable { path: first.clone() });
        }
        return Ok(vec![Candidate::of_file(pattern, path).with_flags(flags)]);
    }
    let with_flags = |candidate: &Candidate| {
        let mut candidate = candidate.clone().with_flags(flags);
        if !flags.is_empty() {
            candidate.name = format!("{} {}", candidate.name, flags.join(" "));
        }
        candidate
    };
    let by_glob: Vec<_> = there.iter().filter(|c| glob(first, &c.name)).map(with_flags).collect();
    if !by_glob.is_empty() {
        return Ok(by_glob);
    }
    // `gcc` where only `gcc-12` is listed, or a compiler of a name that we do not know.
    if let Some(known) = there.iter().find(|c| c.aliases.contains(first)) {
        return Ok(vec![with_flags(known)]);
    }
    let path = on_path(first).ok_or_else(nothing)?;
    let known = there.iter().find(|c| c.is_file(&path));
    Ok(vec![with_flags(known.unwrap_or(&Candidate::of_file(first, path)))])
}

/// Whether a name fits a pattern of `*`, `?` and `[…]`. An open bracket that is not closed stands
/// for itself.
fn glob(pattern: &str, name: &str) -> bool {
    let mut chars = pattern.chars();
    let Some(first) = chars.next() else { return name.is_empty() };
    let rest = chars.as_str();
    let mut left = name.chars();
    if first == '*' {
        return glob(rest, name) || left.next().is_some() && glob(pattern, left.as_str());
    }
    let Some(next) = left.next() else { return false };
    match (first, rest.split_once(']')) {
        ('?', _) => glob(rest, left.as_str()),
        ('[', Some((set, rest))) => in_set(set, next) && glob(rest, left.as_str()),
        _ => first == next && glob(rest, left.as_str()),
    }
}

/// Whether a character is one of `a-fxyz`, or none of them after `!` or `^`.
fn in_set(set: &str, c: char) -> bool {
    if let Some(others) = set.strip_prefix(['!', '^']) {
        return !in_set(others, c);
    }
    let chars: Vec<char> = set.chars().collect();
    let is_range = chars.windows(3).any(|w| w[1] == '-' && (w[0]..=w[2]).contains(&c));
    is_range || chars.contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (pattern, name) in [
            ("gcc*", "gcc"),
            ("gcc*", "gcc-12"),
            ("*", ""),
            ("*-gcc-*", "aarch64-linux-gnu-gcc-12"),
            ("clang-1[46]", "clang-14"),
            ("clang-1[4-6]", "clang-15"),
            ("clang-1[!4]", "clang-16"),
            ("gcc-??", "gcc-12"),
            ("g[", "g["),
        ] {
            assert!(glob(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("gcc", "gcc-12"),
            ("gcc-?", "gcc-12"),
            ("clang-1[46]", "clang-15"),
            ("clang-1[!4]", "clang-14"),
            ("*-gcc", "gcc"),
            ("", "gcc"),
        ] {
            assert!(!glob(pattern, name), "{pattern} {name}");
        }
    }

    fn names(patterns: &[&str]) -> Result<Vec<String>, String> {
        let there = ["gcc-11", "gcc-12", "clang-16", "aarch64-linux-gnu-gcc-12"].map(|name| {
            let mut candidate = Candidate::of_file(name, format!("/nowhere/{name}").into());
            candidate.is_cross = name.starts_with("aarch64");
            candidate
        });
        let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
        let chosen = select(there.to_vec(), &patterns).map_err(|error| error.to_string())?;
        Ok(chosen.into_iter().map(|c| c.name).collect())
    }

    #[test]
    fn patterns_choose_and_cross_compilers_join_only_when_named() {
        assert_eq!(names(&[]), Ok(vec!["gcc-11".into(), "gcc-12".into(), "clang-16".into()]));
        assert_eq!(names(&["cl*", "*-1[26]"]).map(|n| n.len()), Ok(3));
        assert_eq!(names(&["aarch64*"]), Ok(vec!["aarch64-linux-gnu-gcc-12".into()]));
        assert_eq!(
            names(&["gcc-1? -fwrapv '-DX=a b'"]),
            Ok(vec!["gcc-11 -fwrapv -DX=a b".into(), "gcc-12 -fwrapv -DX=a b".into()])
        );
        assert_eq!(names(&["/bin/sh -x"]), Ok(vec!["/bin/sh -x".into()]));
        assert_eq!(names(&["sh"]), Ok(vec!["sh".into()]));
    }

    #[test]
    fn a_pattern_that_means_nothing_is_told() {
        assert_eq!(
            names(&["icc*"]),
            Err("--cc `icc*` matches no compiler; found: gcc-11, gcc-12, clang-16, \
                 aarch64-linux-gnu-gcc-12"
                .into())
        );
        assert_eq!(names(&["./no/cc -O"]), Err("--cc: ./no/cc is not an executable".into()));
        assert_eq!(names(&["gcc 'x"]), Err("--cc `gcc 'x` has an unclosed quote".into()));
        assert!(names(&[" "]).is_err());
    }
}
