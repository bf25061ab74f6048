//! Refinement over many tests: each is a module that passes are run on, or a pair of modules that is
//! there already.
//!
//! | file | what is compared |
//! | --- | --- |
//! | `X.ll` | every function with what the passes make of it |
//! | `X.srctgt.ll` | `@src` with `@tgt`, as Alive2's tests have them |
//! | `X.src.ll` and `X.tgt.ll` | every function of the first with the one of that name in the second |
//!
//! Crashes of LLVM are counted as such: this looks for wrong code, and `gainsay llvm opt` shows the crash.

mod servers;
mod table;

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use llvmhost::{Limits, Running, Server, Signature};
use refine::{Checked, Checker, Pair, Proof, Refinement, Verdict as Refined};
use sandbox::Stop;

use crate::locate::{Located, OnText, locate};
use crate::verdict::Verdict;
use crate::work::{Answer, Item, Pipeline};

pub use servers::Servers;
pub use table::{Outcome, Table, Times};

/// Stack of a thread: the parser recurses with the nesting of constants. It is only reserved.
const STACK: usize = 256 << 20;

/// One test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Test {
    /// A module to run the passes on.
    Module(PathBuf),
    /// One file with `@src` and `@tgt`.
    SrcTgt(PathBuf),
    /// A module before and one after.
    Files(PathBuf, PathBuf),
}

impl Test {
    /// The file that names it.
    pub fn file(&self) -> &Path {
        match self {
            Test::Module(file) | Test::SrcTgt(file) | Test::Files(file, _) => file,
        }
    }

    /// Whether it is a file with `@src` and `@tgt`.
    pub fn is_src_tgt(file: &Path) -> bool {
        ends_with(file, ".srctgt.ll")
    }
}

fn ends_with(file: &Path, end: &str) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().ends_with(end))
}

/// The tests that files and folders hold: the `.ll` files below a folder, in order, pairs as one. `Err`
/// names the file or folder that cannot be read.
pub fn find_tests(paths: &[PathBuf]) -> Result<Vec<Test>, String> {
    let mut files = BTreeSet::new();
    for path in paths {
        if path.is_dir() {
            add_folder(path, &mut files).map_err(|(at, e)| format!("{}: {e}", at.display()))?;
        } else if path.is_file() {
            files.insert(path.clone());
        } else {
            return Err(format!("there is no file or folder {}", path.display()));
        }
    }
    let other_half = |file: &Path, end: &str, other: &str| {
        let name = file.file_name()?.to_str()?.strip_suffix(end)?;
        Some(file.with_file_name(format!("{name}{other}")))
    };
    let test = |file: &PathBuf| {
        if Test::is_src_tgt(file) {
            return Some(Test::SrcTgt(file.clone()));
        }
        if let Some(after) = other_half(file, ".src.ll", ".tgt.ll").filter(|f| files.contains(f)) {
            return Some(Test::Files(file.clone(), after));
        }
        let before = other_half(file, ".tgt.ll", ".src.ll");
        let is_second = before.is_some_and(|before| files.contains(&before));
        (!is_second).then(|| Test::Module(file.clone()))
    };
    Ok(files.iter().filter_map(test).collect())
}

fn add_folder(dir: &Path, files: &mut BTreeSet<PathBuf>) -> Result<(), (PathBuf, io::Error)> {
    let at = |e| (dir.to_path_buf(), e);
    for entry in fs::read_dir(dir).map_err(at)? {
        let path = entry.map_err(at)?.path();
        if path.is_dir() && !path.is_symlink() {
            add_folder(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "ll") && path.is_file() {
            files.insert(path);
        }
    }
    Ok(())
}

/// Why no function of a test was compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SetAside {
    /// The file cannot be read: why.
    Unreadable(String),
    /// It is not UTF-8.
    NotText,
    /// The library does not take it for a module: what it says.
    NotAModule(String),
    /// The passes refuse it: what they say.
    PassesRefused(String),
    /// LLVM crashes or hangs: how.
    Crashed(String),
    /// The process that has the library is gone, or a bug of ours ended the work: why.
    ServerLost(String),
    /// Our parser refuses the module: why.
    NotParsed(String),
    /// No function is in both modules.
    NothingToCompare,
}

impl SetAside {
    /// The same without what only one test has.
    pub fn group(&self) -> &'static str {
        match self {
            SetAside::Unreadable(_) => "the file cannot be read",
            SetAside::NotText => "the file is not text",
            SetAside::NotAModule(_) => "not a module for this LLVM",
            SetAside::PassesRefused(_) => "the passes refuse the module",
            SetAside::Crashed(_) => "LLVM crashes or hangs (`gainsay llvm opt` shows it)",
            SetAside::ServerLost(_) => "the server failed",
            SetAside::NotParsed(_) => "not parsed by Gainsay",
            SetAside::NothingToCompare => "no function to compare",
        }
    }
}

impl fmt::Display for SetAside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetAside::Unreadable(why)
            | SetAside::NotAModule(why)
            | SetAside::PassesRefused(why)
            | SetAside::Crashed(why)
            | SetAside::ServerLost(why)
            | SetAside::NotParsed(why) => write!(f, "{}: {why}", self.group()),
            SetAside::NotText | SetAside::NothingToCompare => f.write_str(self.group()),
        }
    }
}

/// A function of a test, compared.
#[derive(Clone, Debug)]
pub struct Compared {
    /// What is known of it.
    pub checked: Checked,
    /// The pass to blame, if it was asked for and is one.
    pub located: Option<Located>,
}

impl Compared {
    /// All of it in one word.
    pub fn outcome(&self) -> Outcome {
        match (&self.checked.proof, self.checked.verdict()) {
            (Proof::Same, _) => Outcome::Unchanged,
            (_, Refined::Proved) => Outcome::Proved,
            (_, Refined::Held(_)) => Outcome::NoCounterexample,
            (_, Refined::Refuted(_)) => Outcome::Refuted,
            (_, Refined::Unknown(_)) => Outcome::Unknown,
            (_, Refined::Timeout) => Outcome::OutOfTime,
            (_, Refined::Error(_)) => Outcome::Error,
        }
    }
}

/// What came of a test.
#[derive(Debug)]
pub struct Report {
    /// Which.
    pub test: Test,
    /// Its functions, or why there are none.
    pub functions: Result<Vec<Compared>, SetAside>,
    /// Both modules as text, where a function is refuted.
    pub modules: Option<(String, String)>,
}

/// How tests are checked.
#[derive(Debug)]
pub struct Suite<'a> {
    /// Servers of the library; pairs need none.
    pub servers: Option<&'a Servers>,
    /// What LLVM may use.
    pub limits: Limits,
    /// The passes, as for `opt -passes=`.
    pub passes: &'a str,
    /// Who compares.
    pub oracle: &'a Checker,
    /// Only functions of this name.
    pub function: Option<&'a str>,
    /// Whether to find the pass to blame.
    pub blame: bool,
    /// Ends it early.
    pub stop: &'a Stop,
}

impl Suite<'_> {
    /// Whether the library knows the passes. `Err` is a sentence.
    pub fn know_passes(&self) -> Result<(), String> {
        let module = "define void @f() {\n  ret void\n}\n";
        match self.servers()?.with(|server| self.run(server, module, self.passes))? {
            Err(SetAside::PassesRefused(why) | SetAside::NotAModule(why)) => {
                Err(format!("no such passes: {why}"))
            }
            _ => Ok(()),
        }
    }

    fn servers(&self) -> Result<&Servers, String> {
        self.servers.ok_or_else(|| "tests to run passes on need a library".into())
    }

    /// Checks all tests on so many threads, and hands over each report as it is made, with the number of
    /// its test. After a stop, tests that were not finished have none. `Err`: no server can be started.
    pub fn check_all(
        &self,
        tests: &[Test],
        jobs: usize,
        tell: &(dyn Fn(usize, Report) + Sync),
    ) -> Result<(), String> {
        let next = AtomicUsize::new(0);
        let work = || -> Result<(), String> {
            let mut server = None;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(test) = tests.get(number).filter(|_| !self.stop.is_set()) else { break };
                if server.is_none() && matches!(test, Test::Module(_)) {
                    server = Some(self.servers()?.take()?);
                }
                let mut report = self.check(test, server.as_mut());
                if matches!(report.functions, Err(SetAside::ServerLost(_))) && !self.stop.is_set() {
                    server = Some(self.servers()?.take()?);
                    report = self.check(test, server.as_mut());
                }
                if self.stop.is_set() {
                    break;
                }
                tell(number, report);
            }
            if let (Some(server), Some(servers)) = (server, self.servers) {
                servers.give_back(server);
            }
            Ok(())
        };
        thread::scope(|scope| {
            let start = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            let threads = (0..jobs.clamp(1, tests.len().max(1))).map(start);
            let threads = threads.collect::<io::Result<Vec<_>>>();
            let threads = threads.map_err(|e| format!("a thread cannot be started: {e}"))?;
            let ended = threads.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            ended.collect()
        })
    }

    /// Checks one test; a module needs a server.
    pub fn check(&self, test: &Test, mut server: Option<&mut Server>) -> Report {
        let report = |functions, modules| Report { test: test.clone(), functions, modules };
        let (before, after) = match self.modules(test, server.as_deref_mut()) {
            Ok(modules) => modules,
            Err(aside) => return report(Err(aside), None),
        };
        let pair = match Pair::read(&before, &after) {
            Ok(pair) => pair,
            Err(why) => return report(Err(SetAside::NotParsed(why.to_string())), None),
        };
        let mut names = pair.names(self.oracle.scope);
        if matches!(test, Test::SrcTgt(_)) {
            names.retain(|name| name == SOURCE);
        } else if let Some(wanted) = self.function {
            names.retain(|name| name == wanted);
        }
        if names.is_empty() {
            return report(Err(SetAside::NothingToCompare), None);
        }
        let mut functions: Vec<Compared> = Vec::new();
        for name in names {
            if self.stop.is_set() {
                break;
            }
            let checked = self.oracle.function(&pair, &name);
            let located = match (&checked.counterexample, test, server.as_deref_mut()) {
                (Some(_), Test::Module(_), Some(server)) if self.blame => {
                    self.locate(server, &before, &name)
                }
                _ => None,
            };
            functions.push(Compared { checked, located });
        }
        let refuted = functions.iter().any(|one| one.checked.counterexample.is_some());
        report(Ok(functions), refuted.then_some((before, after)))
    }

    fn modules(
        &self,
        test: &Test,
        server: Option<&mut Server>,
    ) -> Result<(String, String), SetAside> {
        match test {
            Test::Module(file) => {
                let server = server.ok_or_else(|| SetAside::ServerLost("there is none".into()))?;
                let before =
                    self.run(server, &read_text(file)?, "verify").map_err(|e| match e {
                        SetAside::PassesRefused(why) => SetAside::NotAModule(why),
                        other => other,
                    })?;
                let after = self.run(server, &before, self.passes)?;
                Ok((before, after))
            }
            Test::SrcTgt(file) => Ok(source_and_target(&read_text(file)?)),
            Test::Files(before, after) => Ok((read_text(before)?, read_text(after)?)),
        }
    }

    fn run(&self, server: &mut Server, module: &str, passes: &str) -> Result<String, SetAside> {
        let pipeline = Pipeline::of(passes, Running { verify_each: false, log: false });
        let module = module.as_bytes().to_vec();
        let item =
            Item::Optimise { module, name: "module".into(), pipeline, x86: true, print: true };
        let ran = server.run(vec![item.bytes()], self.limits, false);
        let ran = ran.map_err(|e| SetAside::ServerLost(e.to_string()))?;
        match ran.first().map(Verdict::of) {
            Some(Verdict::Fine(Answer::Fine(text))) => Ok(text),
            Some(Verdict::Refused(why)) => Err(SetAside::PassesRefused(first_line(&why))),
            Some(Verdict::Fault(Signature { summary, .. })) => Err(SetAside::Crashed(summary)),
            Some(Verdict::Trouble(why)) => Err(SetAside::ServerLost(why)),
            Some(Verdict::Fine(_)) | None => Err(SetAside::ServerLost("no answer".into())),
        }
    }

    fn locate(&self, server: &mut Server, before: &str, function: &str) -> Option<Located> {
        let mut library = OnText { server, limits: self.limits, x86: true };
        let oracle = OfFunction { oracle: self.oracle, function };
        locate(&mut library, before, self.passes, &oracle).into_iter().next()
    }
}

fn read_text(file: &Path) -> Result<String, SetAside> {
    let bytes = fs::read(file).map_err(|e| SetAside::Unreadable(e.to_string()))?;
    String::from_utf8(bytes).map_err(|_| SetAside::NotText)
}

fn first_line(words: &str) -> String {
    llvmhost::printable(words.lines().next().unwrap_or_default(), 200)
}

/// Only one function of a module is looked at.
struct OfFunction<'a> {
    oracle: &'a Checker,
    function: &'a str,
}

impl Refinement for OfFunction<'_> {
    fn check(&self, before: &str, after: &str) -> Refined {
        match Pair::read(before, after) {
            Ok(pair) => self.oracle.function(&pair, self.function).verdict(),
            Err(why) => Refined::Unknown(why),
        }
    }
}

/// The function before, in a file that has both.
pub const SOURCE: &str = "src";

/// The function after.
pub const TARGET: &str = "tgt";

/// The module before and the one after of a text with `@src` and `@tgt`: after, `@tgt` bears the name of
/// `@src`.
pub fn source_and_target(text: &str) -> (String, String) {
    (text.to_string(), exchange(text, SOURCE, TARGET))
}

/// Two global names in each other's place. Comments and strings stay.
fn exchange(text: &str, one: &str, other: &str) -> String {
    let in_name = |c: char| c.is_ascii_alphanumeric() || "-$._".contains(c);
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(['@', '"', ';']) {
        let (plain, special) = rest.split_at(at);
        out += plain;
        let end = match special.as_bytes()[0] {
            b'@' => special[1..].find(|c| !in_name(c)).map(|end| end + 1),
            b'"' => special[1..].find('"').map(|end| end + 2),
            _ => special.find('\n'),
        };
        let (token, after) = special.split_at(end.unwrap_or(special.len()));
        match token.strip_prefix('@') {
            Some(name) if name == one => out.extend(["@", other]),
            Some(name) if name == other => out.extend(["@", one]),
            _ => out += token,
        }
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_and_target_change_places() {
        let text = "; @src\ndefine i8 @src() {\n  call void @tgt.x(ptr @\"src\", [4 x i8] c\"@src\")\n}\n\
                    define i8 @tgt() { ret i8 0 }\n";
        let after = "; @src\ndefine i8 @tgt() {\n  call void @tgt.x(ptr @\"src\", [4 x i8] c\"@src\")\n}\n\
                     define i8 @src() { ret i8 0 }\n";
        assert_eq!(source_and_target(text), (text.into(), after.into()));
        assert_eq!(exchange(&exchange(text, SOURCE, TARGET), SOURCE, TARGET), text);
    }

    #[test]
    fn tests_are_found_in_order() {
        let dir = sandbox::Scratch::new().unwrap();
        fs::create_dir(dir.file("sub")).unwrap();
        for name in
            ["b.ll", "a.src.ll", "a.tgt.ll", "c.tgt.ll", "sub/d.srctgt.ll", "e.txt", "sub/f.ll"]
        {
            fs::write(dir.file(name), "").unwrap();
        }
        let found = find_tests(&[dir.path().to_path_buf()]).unwrap();
        let file = |name: &str| dir.file(name);
        assert_eq!(
            found,
            [
                Test::Files(file("a.src.ll"), file("a.tgt.ll")),
                Test::Module(file("b.ll")),
                Test::Module(file("c.tgt.ll")),
                Test::SrcTgt(file("sub/d.srctgt.ll")),
                Test::Module(file("sub/f.ll")),
            ]
        );
        assert!(find_tests(&[file("none.ll")]).unwrap_err().contains("none.ll"));
    }
}
