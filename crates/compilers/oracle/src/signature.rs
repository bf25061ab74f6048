//! What failures of the same bug have in common: the part of a compiler's messages that does not
//! change from program to program.
//!
//! A place in the compiler's source (an internal error's, a failed assertion's) says it all. Without
//! one, the message is taken together with the pass and the functions on top of the stack, so that
//! segmentation faults do not all look alike.

mod frames;
#[cfg(test)]
mod tests;

use crate::signal;
use frames::frames;

/// Longest text of a message in a signature, in characters: signatures stand in tables.
const LONGEST: usize = 160;

/// Files of compilers' sources, as they end.
const SOURCES: &[&str] = &[".cc", ".cpp", ".c", ".h", ".hpp", ".inc", ".def", ".zig", ".md"];

/// What a crash is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Crash {
    /// `in extract_insn, at recog.cc:2791`.
    pub known_by: String,
    /// Whether that says next to nothing: a signal without a location.
    pub plain: bool,
    /// The compiler's own line.
    pub line: String,
}

/// Reads the messages of a compiler that crashed.
pub(crate) fn crash(messages: &str) -> Crash {
    let (line, head, placed) = head(messages);
    if placed {
        return Crash { known_by: head, plain: false, line };
    }
    let details: Vec<String> = pass(messages).into_iter().chain(stack(messages)).collect();
    // "Segmentation fault" alone, or nothing that we know how to read.
    let plain = details.is_empty() && (head.starts_with("SIG") || head == UNKNOWN);
    let parts: Vec<String> = std::iter::once(head).chain(details).collect();
    Crash { known_by: parts.join(", "), plain, line }
}

/// The head of a crash without a message.
const UNKNOWN: &str = "no message";

/// The compiler's line that tells most, what is known of it, and whether that is a place.
fn head(messages: &str) -> (String, String, bool) {
    let lines = || messages.lines().map(str::trim);
    let found = |line: &str, head: String, placed| (line.to_string(), head, placed);
    // Our own line comes first, but for what the compiler says before.
    if let Some(line) = lines().find(|line| line.starts_with("exit status 0, but ")) {
        return found(line, line.to_string(), true);
    }
    if let Some((line, told)) =
        lines().find_map(|l| Some((l, after(l, "internal compiler error: ")?)))
        && let Some(place) = internal_error(told)
    {
        return found(line, place, true);
    }
    if let Some(failed) = lines().find_map(assertion) {
        return found(&failed.told(), failed.known_by(), true);
    }
    for (i, line) in lines().enumerate() {
        if let Some(place) = after(line, "UNREACHABLE executed at ") {
            // LLVM says what it thinks cannot happen on the line before.
            let why = if i > 0 { lines().nth(i - 1).unwrap_or_default() } else { "" };
            let head =
                format!("unreachable at {}: {}", base(place.trim_end_matches('!')), clean(why));
            return found(line, shorten(&head), true);
        }
        if let Some(place) = line.find("assertion fail ").map(|at| &line[at + 15..]) {
            return found(line, format!("linker's assertion at {}", base(place)), true);
        }
    }
    for words in [
        "error in backend: ",
        "LLVM ERROR: ",
        "panic: ",
        "internal compiler error: ",
        "compiler error: ",
    ] {
        let told = lines().find_map(|l| Some((l, after(l, words)?)));
        if let Some((line, told)) = told {
            let head = match signal::in_words(told) {
                Some(number) => died(number, told),
                None => format!("{}{}", first_error(messages), clean(told)),
            };
            return found(line, shorten(&head), false);
        }
    }
    if let Some((line, number)) = lines().find_map(|line| Some((line, death(line)?))) {
        return found(line, died(number, line), false);
    }
    let line = lines().find(|line| !line.is_empty()).unwrap_or(UNKNOWN);
    found(line, shorten(&clean(line)), false)
}

/// `in f, at x.cc:12`, `tree check: …, in f, at x.cc:12`: what GCC says, if it says where.
fn internal_error(told: &str) -> Option<String> {
    let (what, place) = told.rsplit_once(", at ")?;
    let place = base(place.split_whitespace().next()?);
    place.contains(':').then(|| shorten(&format!("{what}, at {place}")))
}

/// A failed assertion, of `clang: /build/lib/X.cpp:12: void f(): Assertion `x' failed.`
struct FailedAssertion<'a> {
    /// ``Assertion `x' failed``.
    text: &'a str,
    /// `X.cpp:12`.
    place: Option<&'a str>,
}

fn assertion(line: &str) -> Option<FailedAssertion<'_>> {
    let at = line.find("Assertion `")?;
    let text = line[at..].trim_end_matches('.');
    let place = line[..at].split(": ").map(base).find(|word| is_place(word));
    text.contains("failed").then_some(FailedAssertion { text, place })
}

impl FailedAssertion<'_> {
    /// What it is known by, which stands in stores.
    fn known_by(&self) -> String {
        let place = self.place.map_or_else(String::new, |place| format!("{place}: "));
        shorten(&format!("{place}{}", self.text))
    }

    /// For people: the condition and the place, once. The function's name with all its types is in the messages.
    fn told(&self) -> String {
        let place = self.place.map_or_else(String::new, |place| format!(", at {place}"));
        format!("{}{place}", self.text)
    }
}

/// GCC's checkers print what is wrong as errors, and then fail.
fn first_error(messages: &str) -> String {
    let failed = messages.contains("verify_") || messages.contains("verification failed");
    let error = messages.lines().find_map(|line| after(line, " error: ")).filter(|_| failed);
    error.map_or_else(String::new, |error| format!("{}, ", clean(error)))
}

/// The signal that a line says a process died of.
fn death(line: &str) -> Option<i32> {
    let words = [
        "signal terminated program",
        "terminated with signal",
        "unable to execute command: ",
        "killed by SIG",
        "killed by signal",
    ];
    if let Some(code) = after(line, "failed with exit code ") {
        let digits: String = code.chars().take_while(char::is_ascii_digit).collect();
        return signal::of_status(digits.parse().ok()?);
    }
    if !words.iter().any(|words| line.contains(words)) {
        return None;
    }
    let named = || (1..32).find(|n| line.ends_with(&format!("killed by {}", signal::name(*n))));
    signal::in_words(line).or_else(named)
}

/// `SIGSEGV of cc1`.
fn died(number: i32, line: &str) -> String {
    let after_program = after(line, "terminated program ").map(str::trim);
    let before =
        || line.split(" terminated with signal").next().and_then(|l| l.split(' ').next_back());
    let program =
        after_program.or_else(|| line.contains(" terminated with").then(before).flatten());
    let of = program.map_or_else(String::new, |program| format!(" of {}", base(program)));
    format!("{}{of}", signal::name(number))
}

/// The pass at work: `during RTL pass: combine`, `Running pass 'X' on function '@f'`.
fn pass(messages: &str) -> Option<String> {
    let gcc = messages.lines().find(|line| line.starts_with("during ") && line.contains(" pass: "));
    let llvm = messages.lines().rev().find_map(|line| {
        let told = after(line, "Running pass ")?;
        let quote = told.chars().next()?;
        told[1..].split(quote).next()
    });
    // A pipeline lists all its passes: its name is what stands before their list.
    let llvm = llvm.map(|name| format!("pass {}", name.split(['<', '(']).next().unwrap_or(name)));
    gcc.map(|line| line.trim().to_string()).or(llvm)
}

fn stack(messages: &str) -> Option<String> {
    let top = frames(messages);
    (!top.is_empty()).then(|| format!("in {}", top.join(" < ")))
}

/// What a rejected program is known by, and the line: the first error, without place and numbers.
pub(crate) fn rejection(messages: &str) -> (String, String) {
    let lines = || messages.lines().map(str::trim).filter(|line| !line.is_empty());
    let linker =
        ["undefined reference to", "multiple definition of", "undefined symbol", "cannot find -l"];
    let told = |words: &str| lines().find_map(|l| Some((l, l.find(words)?)));
    let error = || {
        ["error: ", "Error: "].iter().find_map(|words| {
            // A driver's report on what it started says less than that itself.
            let own =
                |l: &&str| !l.contains(" terminated with status ") && !l.contains("ld returned");
            let (line, at) = lines().filter(own).find_map(|l| Some((l, l.find(words)?)))?;
            Some((line, &line[at + words.len()..]))
        })
    };
    let linked =
        || linker.iter().find_map(|words| told(words)).map(|(line, at)| (line, &line[at..]));
    // Not every compiler writes `error`: "a.c, line 1: y undefined".
    let any = || {
        let silent = |l: &&str| !l.contains("arning: ") && !l.contains("NOTE: ");
        lines().find(silent).map(|line| (line, after(line, ": ").unwrap_or(line)))
    };
    let (line, text) = linked().or_else(error).or_else(any).unwrap_or((UNKNOWN, UNKNOWN));
    // Garbage is another one each time.
    let garbage = |c: char| c == char::REPLACEMENT_CHARACTER || c.is_control() && c != '\t';
    match line.contains(garbage) {
        true => ("unreadable messages".into(), line.replace(garbage, "?")),
        false => (shorten(&clean(text)), line.to_string()),
    }
}

/// Text without what changes from program to program: numbers, addresses, paths, tabs.
fn clean(text: &str) -> String {
    text.split_whitespace().map(clean_word).collect::<Vec<_>>().join(" ")
}

fn clean_word(word: &str) -> String {
    // The first slash of a path; what stands before it is a quote or a bracket.
    let path = word.find('/').filter(|at| !word[..*at].contains(char::is_alphanumeric));
    let word = match path {
        Some(at) if word.len() > at + 1 => format!("{}{}", &word[..at], base(&word[at..])),
        _ => word.to_string(),
    };
    let mut out = String::new();
    let mut rest = word.as_str();
    while let Some(first) = rest.chars().next() {
        let hex = rest
            .strip_prefix("0x")
            .map(|h| h.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(h.len()));
        let run = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (taken, text) = match hex {
            Some(digits) if digits > 0 => (2 + digits, "#".to_string()),
            _ if run > 0 => (run, "#".to_string()),
            _ => (first.len_utf8(), first.to_string()),
        };
        out.push_str(&text);
        rest = &rest[taken..];
    }
    out
}

/// A path's last part.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `recog.cc:2791`.
fn is_place(word: &str) -> bool {
    word.split_once(':').is_some_and(|(file, line)| {
        SOURCES.iter().any(|end| file.ends_with(end))
            && line.starts_with(|c: char| c.is_ascii_digit())
    })
}

fn after<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    line.find(words).map(|at| &line[at + words.len()..])
}

/// No longer than a signature may be.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_string(),
    }
}
