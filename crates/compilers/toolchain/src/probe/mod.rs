//! Checks that a compiler works: probe programs, compiled and run, print the expected output.
//!
//! `model.c` prints what C leaves to the implementation; `model.expected` is what the machine's
//! data model says (tests hold the two together). [`extension`] asks for GNU extensions one by one,
//! and [`CompilerProbe::accepted`] which flags a compiler takes. All at the level `-O0` and of programs that
//! no test would use: what a probe rejects is a compiler that is broken or is for another world,
//! not one with a bug.

mod extension;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::{Ended, Root, Run, Scratch, Status};

use crate::breakdown::broke_down;
use crate::target::{Compiler, Language};

use extension::Extension;

/// A probe takes 50 ms; this is for a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(60);

/// A flag is refused at once; what takes longer than this has taken it.
const QUICK: Duration = Duration::from_secs(5);

const MODEL: &str = include_str!("model.c");
const EXPECTED: &str = include_str!("model.expected");

/// The line of the model that `-fsigned-char` can change.
const SIGNED_CHAR: &str = "plain char is signed";

/// What any answer of the model begins with.
const FIRST_WORDS: &str = "size and alignment of ";

/// What a compiled probe begins with.
const PROLOGUE: &str =
    "#include <float.h>\n#include <stddef.h>\n#include <stdio.h>\nvolatile int one = 1;\n";

/// A command under test, with a folder to work in.
#[derive(Debug)]
pub(crate) struct CompilerProbe<'a> {
    /// Program and fixed arguments.
    pub(crate) command: &'a [OsString],
    /// What runs a compiled program.
    pub(crate) runner: &'a [OsString],
    /// The tree of another system in which its programs run.
    pub(crate) root: Option<&'a Root>,
    /// The language it compiles.
    pub(crate) language: Language,
    /// Where files go.
    pub(crate) scratch: &'a Scratch,
}

/// What the model's probe found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ModelCheck {
    /// All as expected.
    Same,
    /// Plain `char` is unsigned; there may be more.
    UnsignedChar,
    /// It does not work here; how, as the end of a sentence.
    Bad(String),
    /// It breaks down, or its program does.
    Broken(String),
}

/// Why a probe has no output.
#[derive(Debug)]
struct ProbeFailure {
    /// As the end of a sentence.
    why: String,
    /// What the compiler wrote.
    messages: String,
    /// It is the compiler's own fault.
    is_breakdown: bool,
}

impl From<String> for ProbeFailure {
    fn from(why: String) -> ProbeFailure {
        ProbeFailure { why, messages: String::new(), is_breakdown: false }
    }
}

impl CompilerProbe<'_> {
    /// Compiles and runs `model.c`.
    pub(crate) fn model(&self) -> ModelCheck {
        let out = match self.compile(MODEL, &["-w"]).and_then(|program| self.execute(&program)) {
            Ok(out) => out,
            Err(failure) if failure.is_breakdown => return ModelCheck::Broken(failure.why),
            Err(failure) => return ModelCheck::Bad(failure.why),
        };
        if !out.starts_with(FIRST_WORDS) {
            return ModelCheck::Broken("its probe program prints unexpected output".into());
        }
        let different = EXPECTED.lines().zip(out.lines()).find(|(want, got)| want != got);
        match different {
            None if out.lines().count() == EXPECTED.lines().count() => ModelCheck::Same,
            None => ModelCheck::Broken("its probe program ends early".into()),
            Some((want, _)) if want.starts_with(SIGNED_CHAR) => ModelCheck::UnsignedChar,
            Some((want, got)) => ModelCheck::Bad(format!(
                "its programs have a different data model: `{got}` where x86-64 has `{want}`"
            )),
        }
    }

    /// The marks of the extensions that it does not have.
    pub(crate) fn lacks(&self) -> Vec<&'static str> {
        let asked: Vec<&Extension> =
            extension::ALL.iter().filter(|e| e.concerns(self.language)).collect();
        self.lacks_of(&asked)
    }

    /// One program for all of them is one start of the compiler. Where it is refused, those that
    /// the messages name are taken out (a linker names all it misses), or else it is halved.
    fn lacks_of(&self, asked: &[&Extension]) -> Vec<&'static str> {
        let mut source = PROLOGUE.to_string();
        for (i, extension) in asked.iter().enumerate() {
            source.push_str(&format!("static int f{i}(void) {{ {} }}\n", extension.body));
        }
        source.push_str("int main(void) {\n");
        for i in 0..asked.len() {
            source.push_str(&format!("if (f{i}() != 1) printf(\"{i}\\n\");\n"));
        }
        source.push_str("return 0; }\n");
        let out = self.compile(&source, &["-w"]).and_then(|program| self.execute(&program));
        let messages = match (out, asked) {
            (Ok(out), _) => {
                let failed = out.lines().filter_map(|line| asked.get(line.parse::<usize>().ok()?));
                return failed.map(|extension| extension.word).collect();
            }
            (Err(_), []) => return Vec::new(),
            (Err(_), [one]) => return vec![one.word],
            (Err(failure), _) => failure.messages,
        };
        let is_named = |e: &&&Extension| extension::lacking(&[e.word], &messages).is_some();
        let (named, rest): (Vec<_>, Vec<_>) = asked.iter().partition(is_named);
        if named.is_empty() {
            let (left, right) = asked.split_at(asked.len() / 2);
            return [self.lacks_of(left), self.lacks_of(right)].concat();
        }
        let lacks = self.lacks_of(&rest);
        let of = |e: &&Extension| lacks.contains(&e.word) || named.iter().any(|n| n.word == e.word);
        asked.iter().copied().filter(of).map(|e| e.word).collect()
    }

    /// Which of these flag sets it takes without a word. With them all at once first, as most
    /// compilers take all that is known of their family.
    pub(crate) fn accepted(&self, sets: &[String]) -> Vec<String> {
        let flags: Vec<&str> =
            std::iter::once("-Werror").chain(sets.iter().flat_map(|s| s.split(' '))).collect();
        let source = format!("{PROLOGUE}int main(void) {{ printf(\"%d\\n\", one); return 0; }}\n");
        let out = self.compile(&source, &flags).and_then(|program| self.execute(&program));
        match (out.as_deref().ok(), sets) {
            (Some("1\n"), _) => sets.to_vec(),
            (_, [] | [_]) => Vec::new(),
            (_, many) => {
                let (left, right) = many.split_at(many.len() / 2);
                [self.accepted(left), self.accepted(right)].concat()
            }
        }
    }

    /// Whether it says that it does not know these flags; any other failure may be a bug.
    pub(crate) fn refuses(&self, flags: &str) -> bool {
        let source = format!("{PROLOGUE}int main(void) {{ return 0; }}\n");
        let flags: Vec<&str> = flags.split_whitespace().collect();
        match self.compile_within(QUICK, &source, &flags) {
            Ok(_) => false,
            Err(failure) => !failure.is_breakdown && is_about_flags(&failure.messages).is_some(),
        }
    }

    /// Compiles and links; the program, or why there is none.
    fn compile(&self, source: &str, flags: &[&str]) -> Result<PathBuf, ProbeFailure> {
        self.compile_within(PATIENCE, source, flags)
    }

    fn compile_within(
        &self,
        patience: Duration,
        source: &str,
        flags: &[&str],
    ) -> Result<PathBuf, ProbeFailure> {
        let name = match self.language {
            Language::C => "probe.c",
            Language::Cxx => "probe.cpp",
        };
        let fail = |why: &str| Err(ProbeFailure::from(why.to_string()));
        let [compiler, fixed @ ..] = self.command else { return fail("it has no command") };
        let program = self.scratch.file("probe");
        // What an earlier probe left must not be taken for this one's.
        let _ = fs::remove_file(&program);
        fs::write(self.scratch.file(name), source)
            .map_err(|error| format!("our temporary folder is not writable: {error}"))?;
        let run = Run::new(compiler, patience).args(fixed).arg("-O0").args(flags);
        let run = run.args([name, "-o", "probe"]).cwd(self.scratch.path()).env("LC_ALL", "C");
        let ended = run.finish();
        let is_breakdown = broke_down(&ended);
        match ended {
            Ended::Finished(done) if done.status == Status::Exit(0) => match program.is_file() {
                true => Ok(program),
                false => {
                    let why = "it reports success but leaves no executable".into();
                    Err(ProbeFailure { why, messages: String::new(), is_breakdown: true })
                }
            },
            Ended::Finished(done) => {
                let messages = done.stderr.text();
                let is_linking = ["ld: ", "linker", "crt1.o", "cannot find -l"];
                let verb = match is_linking.iter().any(|mark| messages.contains(mark)) {
                    true => "link",
                    false => "compile",
                };
                let why = format!("it cannot {verb} our probe: {}", complaint(&messages));
                Err(ProbeFailure { why, messages, is_breakdown })
            }
            Ended::Killed(..) => {
                let why = "it does not finish compiling our probe".into();
                Err(ProbeFailure { why, messages: String::new(), is_breakdown })
            }
            Ended::NotStarted(error) => Err(format!("it cannot be started: {error}").into()),
        }
    }

    /// Runs a program; its output, or why there is none.
    fn execute(&self, program: &Path) -> Result<String, ProbeFailure> {
        let run = match self.runner {
            [] => Run::new(program, PATIENCE),
            [runner, args @ ..] => Run::new(runner, PATIENCE).args(args).arg(program),
        };
        let mut is_breakdown = true;
        // It is a compiler's under test: it writes nowhere but into a folder of its own.
        let home = self.scratch.file("home");
        if let Err(error) = fs::create_dir_all(&home) {
            return Err(format!("our temporary folder is not writable: {error}").into());
        }
        let how = match run.cwd(&home).confined_to(&home).root(self.root).finish() {
            Ended::Finished(done) => {
                let words = complaint(&done.stderr.text());
                let words = if words.is_empty() { words } else { format!(": {words}") };
                match done.status {
                    Status::Exit(0) => return Ok(done.stdout.text()),
                    Status::Exit(status) => format!("exit status {status}{words}"),
                    Status::Signal(signal) => format!("signal {signal}{words}"),
                }
            }
            Ended::Killed(..) => "they do not end".into(),
            Ended::NotStarted(error) => {
                is_breakdown = false;
                error.to_string()
            }
        };
        // Under an emulator it is more likely the wrong one.
        is_breakdown &= self.runner.is_empty();
        let why = format!("its programs do not run here: {how}");
        Err(ProbeFailure { why, messages: String::new(), is_breakdown })
    }
}

impl Compiler {
    /// The first of the extensions it lacks that this program's text uses.
    pub fn lacking(&self, text: &str) -> Option<&'static str> {
        extension::lacking(&self.lacks, text)
    }
}

/// The line in which a compiler says that it does not take its flags, if that is what it says.
pub fn is_about_flags(messages: &str) -> Option<String> {
    let about = [
        "option",
        "argument",
        "-O",
        "flag",
        "-march",
        "-mcpu",
        "-mtune",
        "-std",
        "-fsanitize",
        "target CPU",
        "not supported for this target",
    ];
    let said = complaint(messages);
    // What is no text may hold any word.
    let is_text = !said.contains(|c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER);
    let is_own = is_text && !said.contains(".c:") && !said.contains(".cpp:");
    (is_own && about.iter().any(|word| said.contains(word))).then_some(said)
}

/// The line of a compiler's messages that says what is wrong.
fn complaint(messages: &str) -> String {
    let line = messages.lines().find(|line| line.contains("error"));
    let line = line.or_else(|| messages.lines().find(|line| !line.trim().is_empty()));
    line.unwrap_or("").trim().to_string()
}

#[cfg(test)]
mod tests;
