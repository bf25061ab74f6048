//! What two crashes of one bug have in common.

use std::collections::BTreeMap;

use crate::wire::{Crash, End, Frame};

/// Functions that name a signature.
const DEPTH: usize = 3;

/// Characters of LLVM's words in a key or a summary.
const WORDS: usize = 300;

/// What LLVM did wrong.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// It died by a signal, gave up, or left.
    Crash,
    /// A pass left a module that does not verify.
    InvalidIr,
    /// It did not come to an end in time.
    Hang,
    /// It wanted more memory than there is.
    Memory,
}

/// A fault as it is shown and compared.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Signature {
    /// What kind.
    pub fault: Fault,
    /// The same for findings of the same bug, as far as can be told.
    pub key: String,
    /// One line that describes it.
    pub summary: String,
    /// The pass at work, where it is known.
    pub pass: Option<String>,
    /// Whether an assertion failed: a library without assertions cannot show it.
    #[serde(default)]
    pub assertion: bool,
}

impl Signature {
    /// That of a bad end. `None` for a good one, and for a mistake of ours.
    pub fn of(end: &End) -> Option<Signature> {
        let (fault, what, crash) = match end {
            End::Done | End::Panic(_) => return None,
            End::Fatal(crash) => return Some(fatal(crash)),
            End::Signal(signal, crash) if crash.is_overflow => {
                (Fault::Crash, format!("stack overflow (signal {signal})"), crash)
            }
            End::Signal(signal, crash) => (Fault::Crash, signal_name(*signal), crash),
            End::Exit(status, crash) => (Fault::Crash, format!("exit({status})"), crash),
            End::Time(crash) => (Fault::Hang, "time limit".to_string(), crash),
            End::Memory(crash) => (Fault::Memory, "memory limit".to_string(), crash),
        };
        let pass = pass(&crash.frames);
        let place = match fault {
            // Where it was when the clock rang is chance: the pass is not.
            Fault::Hang | Fault::Memory => pass.clone().unwrap_or_default(),
            _ if crash.is_overflow => recursing(&crash.frames),
            _ => match assertion(&crash.printed) {
                Some(failed) => failed.key,
                None => names(&crash.frames).join(" < "),
            },
        };
        // An assertion is its condition and its place: they are the place of the crash, and all the words.
        let failed = assertion(&crash.printed).filter(|_| fault == Fault::Crash);
        if let Some(failed) = failed.filter(|_| !crash.is_overflow) {
            let summary = format!("{what}: {}", failed.summary);
            // A header's check fails in whatever includes it: a bad cast says little without the pass.
            let key = match pass.as_ref().filter(|_| failed.key.ends_with(".h")) {
                Some(pass) => format!("{what} {place}, {pass}"),
                None => format!("{what} {place}"),
            };
            return Some(Signature { fault, key, summary, pass, assertion: true });
        }
        let messages = messages_in_one_line(crash);
        let mut summary = what.clone();
        // For people the innermost function that has a name is enough: all of them are the key.
        let innermost = match fault {
            Fault::Hang | Fault::Memory => pass.clone(),
            Fault::Crash | Fault::InvalidIr => {
                names(&crash.frames).into_iter().find(|name| !name.starts_with('+'))
            }
        };
        if let Some(innermost) = innermost {
            summary += &format!(" in {innermost}");
        }
        if !messages.is_empty() {
            summary += &format!(": {messages}");
        }
        Some(Signature { fault, key: format!("{what} {place}"), summary, pass, assertion: false })
    }

    /// Whether this is the fault that is wanted. Which pass broke a module is known only to those LLVMs that
    /// say it: the complaint of the verifier is compared then.
    pub fn shows(&self, wanted: &Signature) -> bool {
        if self.fault == Fault::InvalidIr && wanted.fault == Fault::InvalidIr {
            let passes_agree = self.pass.is_none() || self.pass == wanted.pass;
            // LLVM 14 says that something is broken, and not what.
            let is_unsaid = self.complaint().is_empty();
            return passes_agree && (is_unsaid || self.complaint() == wanted.complaint());
        }
        self.key == wanted.key
    }

    /// What the verifier says of an invalid module; empty if it does not say.
    pub fn complaint(&self) -> &str {
        self.key.split_once(": ").map_or("", |(_, words)| words)
    }

    /// The same fault, with what the verifier said elsewhere.
    pub fn with_complaint_of(self, other: &Signature) -> Signature {
        let said = |text: &str| text.split_once(": ").map(|(_, words)| words.to_string());
        let with = |own: &str, words: Option<String>| match words {
            Some(words) => format!("{}: {words}", own.trim_end_matches([':', ' '])),
            None => own.to_string(),
        };
        let key = with(&self.key, said(&other.key));
        let summary = with(&self.summary, said(&other.summary));
        Signature { key, summary, ..self }
    }

    /// A module that does not verify, found after the last pass.
    pub fn invalid(words: &str) -> Signature {
        let first = words.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
        let summary = printable(&format!("invalid IR: {first}"), WORDS);
        let key = without_names(&summary);
        Signature { fault: Fault::InvalidIr, key, summary, pass: None, assertion: false }
    }
}

/// LLVM gave up; if a pass broke the module, it says which.
fn fatal(crash: &Crash) -> Signature {
    let reason = crash.reason.trim();
    let broken = reason.starts_with("Broken ");
    if broken {
        let quoted = reason.split('"').nth(1).or_else(|| last_logged(&crash.printed));
        let complaint = complaint(&crash.printed).next().unwrap_or("");
        let Some(pass) = quoted else { return Signature::invalid(complaint) };
        // LLVM 14 does not say what is wrong.
        let colon = if complaint.is_empty() { "" } else { ": " };
        let summary = printable(&format!("invalid IR after {pass}{colon}{complaint}"), WORDS);
        let (key, pass) = (without_names(&summary), Some(pass.to_string()));
        return Signature { fault: Fault::InvalidIr, key, summary, pass, assertion: false };
    }
    let place = names(&crash.frames).join(" < ");
    let reason = printable(reason, WORDS);
    Signature {
        fault: Fault::Crash,
        key: format!("LLVM ERROR {} {place}", without_numbers(&without_names(&reason))),
        summary: format!("LLVM ERROR: {reason}"),
        pass: pass(&crash.frames),
        assertion: false,
    }
}

/// The pass that a log names last.
fn last_logged(printed: &str) -> Option<&str> {
    let lines = printed.lines().rev();
    lines.filter_map(|line| line.trim().strip_prefix("Running pass: ")?.split(' ').next()).next()
}

/// What the verifier printed, a log of passes left out.
fn complaint(printed: &str) -> impl Iterator<Item = &str> {
    let is_log = |line: &&str| {
        let starts = ["Running ", "Verifying ", "Invalidating ", "Clearing ", "Skipping "];
        !line.is_empty() && !starts.iter().any(|start| line.starts_with(start))
    };
    printed.lines().map(str::trim).filter(is_log)
}

impl Crash {
    /// What LLVM printed of its own accord: the verifier's words, an assertion.
    pub fn complaint(&self) -> Vec<&str> {
        complaint(&self.printed).collect()
    }
}

/// What LLVM printed, in one line.
fn messages_in_one_line(crash: &Crash) -> String {
    let lines = crash.reason.lines().chain(crash.printed.lines()).map(str::trim);
    let telling = lines.filter(|line| !line.is_empty() && !line.starts_with("PLEASE submit"));
    telling.take(1).map(|line| printable(line, WORDS)).collect()
}

/// A text in one line that is safe to print: what is not plain text becomes a question mark, and what
/// is longer than so many characters is cut.
pub fn printable(text: &str, width: usize) -> String {
    let plain = |c: char| match c {
        ' ' | '\t' | '\n' => ' ',
        c if c.is_ascii_graphic() || c.is_alphanumeric() => c,
        _ => '?',
    };
    let mut short: String = text.chars().take(width).map(plain).collect();
    if text.chars().nth(width).is_some() {
        short.pop();
        short.push('…');
    }
    short
}

/// A failed assertion.
struct FailedAssertion {
    /// Its text and the file it is in: lines move, and folders are the builder's.
    key: String,
    /// The same, with the line.
    summary: String,
}

/// The assertion that failed: the C library prints `program: file:line: function: Assertion `…' failed.`,
/// LLVM prints a message and `UNREACHABLE executed at file:line!`.
fn assertion(printed: &str) -> Option<FailedAssertion> {
    let lines: Vec<&str> = printed.lines().collect();
    let at = lines
        .iter()
        .position(|line| line.contains("Assertion `") || line.contains("UNREACHABLE executed"))?;
    let line = lines[at];
    let (text, place) = match line.split_once("Assertion `") {
        Some((before, text)) => {
            let place = before.split(": ").find_map(file_and_line);
            (format!("Assertion `{text}"), place)
        }
        None => {
            let place = line
                .rsplit("executed at ")
                .next()
                .and_then(|place| file_and_line(place.trim_end_matches('!')));
            let message = at.checked_sub(1).map(|before| lines[before].trim()).unwrap_or_default();
            let message = if message.contains(": ") { "" } else { message };
            let colon = if message.is_empty() { "" } else { ": " };
            (format!("unreachable code{colon}{message}"), place)
        }
    };
    let text = printable(text.trim().trim_end_matches('.'), WORDS);
    let (file, line) = place.unwrap_or_default();
    let of =
        |place: String| if file.is_empty() { text.clone() } else { format!("{text}, {place}") };
    Some(FailedAssertion {
        key: without_numbers(&of(file.to_string())),
        summary: of(format!("{file}:{line}")),
    })
}

/// `x.cpp` and `12` of `/build/lib/x.cpp:12`.
fn file_and_line(place: &str) -> Option<(&str, &str)> {
    let (file, line) = place.trim().rsplit_once(':')?;
    let is_number = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| (file.rsplit('/').next().unwrap_or(file), line))
}

/// Without the names of the module: they are another module's business. LLVM writes them in quotes, as in
/// its text (`@f`, `%x`), or bare behind a word that says what they are.
fn without_names(text: &str) -> String {
    let text = without_quoted(text);
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        plain.push(c);
        let is_begin =
            !plain[..plain.len() - c.len_utf8()].ends_with(|c: char| c.is_alphanumeric());
        if !matches!(c, '@' | '%') || !is_begin {
            continue;
        }
        if chars.next_if_eq(&'"').is_some() {
            while chars.next().is_some_and(|c| c != '"') {}
        }
        while chars.next_if(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$' | '-')).is_some()
        {
        }
    }
    without_named(&plain)
}

/// Without what stands in single quotes.
fn without_quoted(text: &str) -> String {
    let parts: Vec<&str> = text.split('\'').collect();
    // An apostrophe alone quotes nothing.
    if parts.len().is_multiple_of(2) {
        return text.to_string();
    }
    let part = |(at, part): (usize, &&str)| {
        if at.is_multiple_of(2) { (*part).to_string() } else { "''".into() }
    };
    parts.iter().enumerate().map(part).collect()
}

/// Without the word behind `function`, where LLVM's message ends with it or goes on with a comma: `Cannot
/// select: … In function: f`.
fn without_named(text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    for at in 1..words.len() {
        let introduces = ["function:", "Function:", "module:"].contains(&words[at - 1])
            || words[at - 1].eq_ignore_ascii_case("function")
                && at >= 2
                && ["in", "In", "of", "for"].contains(&words[at - 2]);
        if introduces {
            let name = words[at];
            let end = name.trim_end_matches([',', '.', ';', ':', '!']).len();
            words[at] = &name[end..];
        }
    }
    words.join(" ")
}

fn without_numbers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_ascii_digit() {
            true if plain.ends_with('#') => {}
            true => plain.push('#'),
            false => plain.push(c),
        }
    }
    plain
}

/// The innermost functions that say something.
fn names(frames: &[Frame]) -> Vec<String> {
    let telling = frames.iter().map(name).filter(|name| !is_noise(name));
    telling.take(DEPTH).collect()
}

impl End {
    /// What is known of a bad end.
    pub fn crash(&self) -> Option<&Crash> {
        match self {
            End::Fatal(crash) | End::Signal(_, crash) | End::Exit(_, crash) => Some(crash),
            End::Time(crash) | End::Memory(crash) => Some(crash),
            End::Done | End::Panic(_) => None,
        }
    }

    /// What LLVM said, and the functions it was in, a line each.
    pub fn describe(&self) -> String {
        let Some(crash) = self.crash() else { return String::new() };
        let mut lines: Vec<String> = Vec::new();
        lines.extend(crash.reason.lines().map(str::to_string));
        lines.extend(crash.complaint().iter().take(20).map(|line| (*line).to_string()));
        lines.extend(crash.frames.iter().take(30).map(|frame| format!("  at {}", frame.name())));
        lines.join("\n")
    }
}

impl Frame {
    /// Its name without templates and parameters, or where it starts.
    pub fn name(&self) -> String {
        name(self)
    }
}

fn name(frame: &Frame) -> String {
    if frame.symbol.is_empty() {
        return format!("+{:#x}", frame.start);
    }
    // A name of C's is not mangled, but may read like a mangled type.
    if !frame.symbol.starts_with("_Z") {
        return frame.symbol.clone();
    }
    let symbol = cpp_demangle::Symbol::new(frame.symbol.as_bytes());
    let options = cpp_demangle::DemangleOptions::new().no_params().no_return_type();
    let full = symbol.ok().and_then(|symbol| symbol.demangle_with_options(&options).ok());
    full.map_or_else(|| frame.symbol.clone(), |full| without_templates(&full))
}

fn without_templates(name: &str) -> String {
    let mut depth = 0;
    let mut plain = String::new();
    for c in name.chars() {
        match c {
            '<' if !plain.ends_with("operator") => depth += 1,
            '>' if depth > 0 => depth -= 1,
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}

/// Functions through which every crash of their kind goes.
fn is_noise(name: &str) -> bool {
    let noise = [
        "llvm::report_fatal_error",
        "llvm::reportFatal",
        "llvm::report_bad_alloc_error",
        "llvm::reportInvalidSizeRequest",
        "llvm::TypeSize::operator",
        "llvm::llvm_unreachable_internal",
        "llvm::sys::",
    ];
    noise.iter().any(|noise| name.starts_with(noise))
}

/// `InstCombinePass` out of `llvm::InstCombinePass::run`, the innermost.
fn pass(frames: &[Frame]) -> Option<String> {
    let of = |frame: &Frame| {
        let name = name(frame);
        let class = name.strip_suffix("::run").or_else(|| name.strip_suffix("::runImpl"))?;
        let class = class.rsplit("::").next()?;
        class.ends_with("Pass").then(|| class.to_string())
    };
    frames.iter().find_map(of)
}

/// What recurses. Where the stack ended is chance, so that the functions of a circle are there about
/// equally often: the first of them by name.
fn recursing(frames: &[Frame]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for frame in frames {
        *counts.entry(name(frame)).or_default() += 1;
    }
    let most = counts.values().max().copied().unwrap_or(0);
    let circle = counts.into_iter().filter(|(_, count)| count * 2 >= most).map(|(name, _)| name);
    circle.min_by_key(|name| (name.starts_with('+'), name.clone())).unwrap_or_default()
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGILL => "SIGILL",
        libc::SIGFPE => "SIGFPE",
        libc::SIGTRAP => "SIGTRAP",
        other => return format!("signal {other}"),
    };
    name.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(symbols: &[&str]) -> Vec<Frame> {
        let frame = |(index, symbol): (usize, &&str)| Frame {
            start: 16 * index as u64,
            symbol: symbol.to_string(),
        };
        symbols.iter().enumerate().map(frame).collect()
    }

    fn crash(reason: &str, printed: &str, symbols: &[&str]) -> Crash {
        let (reason, printed) = (reason.to_string(), printed.to_string());
        Crash { reason, printed, frames: frames(symbols), is_overflow: false }
    }

    fn of(end: End) -> Signature {
        Signature::of(&end).expect("a bad end")
    }

    const RUN: &str = "_ZN4llvm15InstCombinePass3runERNS_8FunctionERNS_15AnalysisManagerIS1_JEEE";
    const FATAL: &str = "_ZN4llvm18report_fatal_errorERKNS_5TwineEb";

    #[test]
    fn good_ends_and_our_own_have_none() {
        assert_eq!(Signature::of(&End::Done), None);
        assert_eq!(Signature::of(&End::Panic("ours".into())), None);
    }

    #[test]
    fn a_signal_is_named_by_the_innermost_functions() {
        let symbols =
            ["", "_ZN4llvm5Value6doRAUWEPS0_NS0_19ReplaceMetadataUsesE", FATAL, "f", "g", RUN];
        let got = of(End::Signal(11, crash("", "", &symbols)));
        assert_eq!(got.key, "SIGSEGV +0x0 < llvm::Value::doRAUW < f");
        assert_eq!((got.fault, got.pass.as_deref()), (Fault::Crash, Some("InstCombinePass")));
        assert_eq!(got.summary, "SIGSEGV in llvm::Value::doRAUW", "that is for people");
        assert_eq!(of(End::Signal(9, Crash::default())).key, "signal 9 ");
        assert_eq!(of(End::Exit(1, crash("", "opt: no\nmore", &[]))).summary, "exit(1): opt: no");
    }

    #[test]
    fn an_error_is_told_without_its_numbers() {
        let one = of(End::Fatal(crash("no room for 12 of 345", "", &[FATAL, "f", RUN])));
        let other = of(End::Fatal(crash("no room for 7 of 8", "", &["f", RUN])));
        assert_eq!(one.key, "LLVM ERROR no room for # of # f < llvm::InstCombinePass::run");
        assert_eq!(one.key, other.key);
        assert_eq!(one.summary, "LLVM ERROR: no room for 12 of 345");
    }

    #[test]
    fn an_assertion_is_its_text() {
        let printed = "opt: /build/x.cpp:12: void f(): Assertion `a == 17 && \"no\"' failed.\nPLEASE submit a bug";
        let got = of(End::Signal(6, crash("", printed, &["f"])));
        assert_eq!(got.key, "SIGABRT Assertion `a == # && \"no\"' failed, x.cpp");
        assert_eq!(got.summary, "SIGABRT: Assertion `a == 17 && \"no\"' failed, x.cpp:12");
    }

    #[test]
    fn an_assertion_is_told_once_whoever_ran_it() {
        let of_program = |program: &str, line: u32| {
            let printed = format!(
                "{program}: /project/llvm/include/llvm/IR/InstrTypes.h:{line}: std::optional<llvm::OperandBundleUse> \
                 llvm::CallBase::getOperandBundle(llvm::StringRef) const: Assertion \
                 `countOperandBundlesOfType(Name) < 2 && \"Precondition violated!\"' failed.\n"
            );
            of(End::Signal(6, crash("", &printed, &["f", RUN])))
        };
        let (one, other) = (of_program("gainsay", 2082), of_program("/usr/bin/opt", 2091));
        assert_eq!(one.key, other.key);
        assert!(one.assertion && !of(End::Signal(6, crash("", "", &["f"]))).assertion);
        assert_eq!(
            one.summary,
            "SIGABRT: Assertion `countOperandBundlesOfType(Name) < 2 && \"Precondition violated!\"' failed, \
             InstrTypes.h:2082"
        );
        assert_eq!(one.summary.matches("Precondition").count(), 1);
        let unreachable =
            "Unknown opcode\nUNREACHABLE executed at /build/lib/IR/Instruction.cpp:7!";
        let got = of(End::Signal(6, crash("", unreachable, &["f"])));
        assert_eq!(got.key, "SIGABRT unreachable code: Unknown opcode, Instruction.cpp");
        assert_eq!(got.summary, "SIGABRT: unreachable code: Unknown opcode, Instruction.cpp:7");
    }

    #[test]
    fn a_failed_check_of_a_header_is_told_with_the_pass() {
        let of_pass = |file: &str, run: &str| {
            let printed = format!("opt: /p/{file}:572: f(): Assertion `isa<To>(Val)' failed.");
            of(End::Signal(6, crash("", &printed, &["f", run]))).key
        };
        const GVN: &str = "_ZN4llvm7GVNPass3runERNS_8FunctionERNS_15AnalysisManagerIS1_JEEE";
        let cast = of_pass("Casting.h", RUN);
        assert_eq!(cast, "SIGABRT Assertion `isa<To>(Val)' failed, Casting.h, InstCombinePass");
        assert_ne!(cast, of_pass("Casting.h", GVN));
        assert_eq!(of_pass("Value.cpp", RUN), of_pass("Value.cpp", GVN));
        assert_eq!(of_pass("Casting.h", "g"), "SIGABRT Assertion `isa<To>(Val)' failed, Casting.h");
    }

    #[test]
    fn a_broken_module_without_words_shows_again() {
        let broken = "Broken function found, compilation aborted!";
        let of = |printed: &str| of(End::Fatal(crash(broken, printed, &[])));
        let wanted = of("Running pass: SROAPass on f (3 instructions)");
        assert_eq!(wanted.key, "invalid IR after SROAPass");
        // Candidates are run without a log.
        assert!(of("").shows(&wanted));
        assert!(!of("Bad use!").shows(&wanted));
        let said = wanted.clone().with_complaint_of(&Signature::invalid("Bad use!\n  %x"));
        assert_eq!(said.key, "invalid IR after SROAPass: Bad use!");
        assert!(of("").shows(&said) && of("Bad use!").shows(&said));
        assert!(!of("Bad type!").shows(&said));
        assert!(!of("Running pass: GVNPass on f (3 instructions)").shows(&wanted));
    }

    #[test]
    fn names_of_the_module_are_no_part_of_an_error() {
        let key = |reason: &str| of(End::Fatal(crash(reason, "", &["f"]))).key;
        for (one, other, rest) in [
            (
                "Cannot select: intrinsic %llvm.x, @f",
                "Cannot select: intrinsic %a, @\"b c\"",
                "intrinsic %, @",
            ),
            ("no room. In function: f", "no room. In function: sum", "In function: "),
            ("bad 'a' of 'b'", "bad 'c' of 'd'", "bad '' of ''"),
            (
                "a section of function g, of two",
                "a section of function h, of two",
                "of function , of two",
            ),
        ] {
            assert_eq!(key(one), key(other));
            assert!(key(one).contains(rest), "{}", key(one));
        }
        assert_ne!(key("undefined symbol"), key("unknown symbol"));
        assert_eq!(key("100% of it"), "LLVM ERROR #% of it f");
    }

    #[test]
    fn names_of_functions_are_no_part_of_a_key() {
        let of = |name: &str| {
            Signature::invalid(&format!("Basic Block in function '{name}' does not end!"))
        };
        assert_eq!(of("f").key, of("g").key);
        assert_eq!(of("f").summary, "invalid IR: Basic Block in function 'f' does not end!");
        assert_eq!(Signature::invalid("it doesn't").key, "invalid IR: it doesn't");
    }

    #[test]
    fn invalid_ir_names_the_pass() {
        // From 17 on the reason does; before, a log.
        let named = crash(
            "Broken function found after pass \"GVNPass\", compilation aborted!",
            "Bad use!\n  %x",
            &[],
        );
        let named = of(End::Fatal(named));
        assert_eq!((named.fault, named.pass.as_deref()), (Fault::InvalidIr, Some("GVNPass")));
        assert_eq!(named.key, "invalid IR after GVNPass: Bad use!");
        let log = "Running pass: SROAPass on f (3 instructions)\nRunning pass: GVNPass on f\nBad use!\n  %x";
        let logged = of(End::Fatal(crash("Broken function found, compilation aborted!", log, &[])));
        assert_eq!(logged, named);
        let silent = of(End::Fatal(crash("Broken function found, compilation aborted!", "", &[])));
        assert_eq!((silent.key.as_str(), silent.pass), ("invalid IR: ", None));
        assert_eq!(Signature::invalid("\nBad use!\n  %x").key, "invalid IR: Bad use!");
    }

    #[test]
    fn a_hang_is_its_pass_alone() {
        for symbols in [["f", RUN], ["g", RUN]] {
            let got = of(End::Time(crash("", "", &symbols)));
            assert_eq!((got.fault, got.key.as_str()), (Fault::Hang, "time limit InstCombinePass"));
            let got = of(End::Memory(crash("out of memory", "", &symbols)));
            assert_eq!(
                (got.fault, got.key.as_str()),
                (Fault::Memory, "memory limit InstCombinePass")
            );
        }
    }

    #[test]
    fn an_overflow_is_its_circle() {
        let key = |symbols: &[&str]| {
            of(End::Signal(11, Crash { is_overflow: true, ..crash("", "", symbols) })).key
        };
        // Wherever the circle is left, and whatever it calls on its way.
        let one = key(&["lex", "b", "a", "", "b", "a", "", "b", "a"]);
        assert_eq!(one, key(&["a", "", "b", "a", "", "b", "a", "skip"]));
        assert_eq!(one, "stack overflow (signal 11) a");
    }

    #[test]
    fn what_llvm_quotes_harms_no_terminal() {
        assert_eq!(printable("\u{1b}[31mred\0\u{fffd}\tend é", 80), "?[31mred?? end é");
        assert_eq!(printable("abcdef", 4), "abc…");
        let got = of(End::Fatal(crash(&"\u{7}x\n".repeat(1000), "", &[])));
        assert!(got.key.len() < 400 && !got.key.contains(char::is_control), "{}", got.key);
    }
}
