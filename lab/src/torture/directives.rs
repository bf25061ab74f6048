//! What a torture test says about itself: the `{ dg-… }` directives in its comments.

/// Options that give meaning to what C leaves undefined, or take the file as another dialect: a
/// verdict on such a file is no statement on plain C11.
const SEMANTIC: &[&str] = &[
    "-fwrapv",
    "-fwrapv-pointer",
    "-ftrapv",
    "-fno-strict-overflow",
    "-fno-strict-aliasing",
    "-fnon-call-exceptions",
    "-ffast-math",
    "-funsafe-math-optimizations",
    "-fno-delete-null-pointer-checks",
    "-finstrument-functions",
    "-fgnu89-inline",
    "-std=gnu89",
    "-std=c89",
    "-ansi",
];

/// The directives we honour.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// Options for this target.
    pub options: Vec<String>,
    /// Whether any of them defines what is otherwise undefined.
    pub changes_semantics: bool,
}

impl Directives {
    /// Reads the directives of a file.
    pub fn read(source: &[u8]) -> Directives {
        let text = String::from_utf8_lossy(source);
        let mut options = Vec::new();
        for (at, word) in text.match_indices("dg-") {
            let rest = &text[at + word.len()..];
            let Some(rest) = ["options", "additional-options"]
                .iter()
                .find_map(|name| rest.strip_prefix(name))
                .filter(|_| text[..at].trim_end().ends_with('{'))
            else {
                continue;
            };
            let (quoted, selector) = split(rest);
            if applies(selector) {
                options.extend(quoted.split_whitespace().map(str::to_string));
            }
        }
        let changes_semantics = options.iter().any(|o| SEMANTIC.contains(&o.as_str()));
        Directives { options, changes_semantics }
    }
}

/// The quoted options, and what stands after them up to the directive's closing brace.
fn split(rest: &str) -> (&str, &str) {
    let mut parts = rest.splitn(3, '"');
    let (Some(_), Some(quoted), Some(after)) = (parts.next(), parts.next(), parts.next()) else {
        return ("", "");
    };
    let mut depth = 0;
    for (i, c) in after.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return (quoted, &after[..i]),
            '}' => depth -= 1,
            _ => {}
        }
    }
    (quoted, after)
}

/// Whether a `{ target … }` selector takes us in. Read loosely: by whether it names x86-64.
fn applies(selector: &str) -> bool {
    selector.trim().is_empty() || (selector.contains("x86_64") && !selector.contains("ia32"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, options: &[&str], changes_semantics: bool) {
        let got = Directives::read(source.as_bytes());
        assert_eq!(got.options, options);
        assert_eq!(got.changes_semantics, changes_semantics);
    }

    #[test]
    fn plain_options() {
        check("/* { dg-options \"-Wno-psabi -fwrapv\" } */", &["-Wno-psabi", "-fwrapv"], true);
        check("/* { dg-additional-options \"-fno-inline\" } */", &["-fno-inline"], false);
    }

    #[test]
    fn options_of_other_targets() {
        check("/* { dg-options \"-w\" { target powerpc-*-eabi* } } */", &[], false);
        check("/* { dg-options \"-m\" { target i?86-*-* x86_64-*-* } } */", &["-m"], false);
        let ia32 = "/* { dg-options \"-m\" { target { { i?86-*-* x86_64-*-* } && ia32 } } } */";
        check(ia32, &[], false);
    }

    #[test]
    fn not_a_directive() {
        check("int dg_options; /* dg-options \"-x\" */", &[], false);
    }
}
