//! What two crashes of one bug have in common.

use std::collections::BTreeMap;

use crate::wire::{Crash, End, Frame};

/// Functions that name a signature.
const DEPTH: usize = 3;

/// Characters of LLVM's words in a key or a summary.
const WORDS: usize = 300;

/// What LLVM did wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
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

/// A fault as it is told and compared.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Signature {
    /// What kind.
    pub fault: Fault,
    /// The same for findings of the same bug, as far as can be told.
    pub key: String,
    /// One line that tells it.
    pub summary: String,
    /// The pass at work, where it is known.
    pub pass: Option<String>,
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
            _ if crash.is_overflow => most_frequent(&crash.frames),
            _ => assertion(&crash.printed).unwrap_or_else(|| names(&crash.frames).join(" < ")),
        };
        let said = said(crash);
        let mut summary = what.clone();
        if !place.is_empty() {
            summary += &format!(" in {place}");
        }
        if !said.is_empty() {
            summary += &format!(": {said}");
        }
        Some(Signature { fault, key: format!("{what} {place}"), summary, pass })
    }

    /// A module that does not verify, found after the last pass.
    pub fn invalid(words: &str) -> Signature {
        let first = words.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
        let key = printable(&format!("invalid IR: {first}"), WORDS);
        Signature { fault: Fault::InvalidIr, summary: key.clone(), key, pass: None }
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
        let key = printable(&format!("invalid IR after {pass}: {complaint}"), WORDS);
        let pass = Some(pass.to_string());
        return Signature { fault: Fault::InvalidIr, summary: key.clone(), key, pass };
    }
    let place = names(&crash.frames).join(" < ");
    let reason = printable(reason, WORDS);
    Signature {
        fault: Fault::Crash,
        key: format!("LLVM ERROR {} {place}", without_numbers(&reason)),
        summary: format!("LLVM ERROR: {reason}"),
        pass: pass(&crash.frames),
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

/// What LLVM had to say, in one line.
fn said(crash: &Crash) -> String {
    let lines = crash.reason.lines().chain(crash.printed.lines()).map(str::trim);
    let telling = lines.filter(|line| !line.is_empty() && !line.starts_with("PLEASE submit"));
    telling.take(1).map(|line| printable(line, WORDS)).collect()
}

/// A text in one line that harms no terminal: what is not plainly readable is a question mark, and what
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

/// The text of a failed assertion, without the file's folder and line.
fn assertion(printed: &str) -> Option<String> {
    let line = printed.lines().find(|line| line.contains("Assertion `") || line.contains("UNREACHABLE"))?;
    let from = line.find("Assertion `").or_else(|| line.find("UNREACHABLE"))?;
    Some(without_numbers(&printable(&line[from..], WORDS)))
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
    pub fn told(&self) -> String {
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
    ["llvm::report_fatal_error", "llvm::llvm_unreachable_internal", "llvm::report_bad_alloc_error"]
        .iter()
        .any(|noise| name.starts_with(noise))
        || name.starts_with("llvm::sys::")
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

/// What recurses.
fn most_frequent(frames: &[Frame]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for frame in frames {
        *counts.entry(name(frame)).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(name, count)| (*count, std::cmp::Reverse(name.clone())));
    most.map(|(name, _)| name).unwrap_or_default()
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
