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

use ctree::Abi;
use sandbox::{Ended, Root, Run, Scratch, Status};

use crate::breakdown::broke_down;
use crate::runner::Runner;
use crate::target::{Compiler, Language};

use extension::Extension;

/// A probe takes 50 ms; this is for a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(60);

/// A flag is refused at once; what takes longer than this has taken it.
const QUICK: Duration = Duration::from_secs(5);

const MODEL: &str = include_str!("model.c");
/// What the machine's data models say it prints.
const EXPECTED: [(Abi, &str); 3] = [
    (Abi::Lp64, include_str!("model.expected")),
    (Abi::I386, include_str!("model-i386.expected")),
    (Abi::Ilp32, include_str!("model-ilp32.expected")),
];

/// Of ILP32 there are several; programs with a `long double` are known by that.
const LONG_DOUBLE: &str = "size and alignment of LongDouble";

/// Uses what flags let a compiler use, and prints `works`: loops that become vectors, bit operations.
pub const TARGET_PROBE: &str = include_str!("target.c");

/// What an illegal instruction is to a shell.
const SIGILL: i32 = 4;

/// The line of the model that `-fsigned-char` can change.
const SIGNED_CHAR: &str = "plain char is signed";

/// What any answer of the model begins with.
const FIRST_WORDS: &str = "size and alignment of ";

/// What a compiled probe begins with: headers that are there without a C library, too.
const FREESTANDING: &str = "#include <float.h>\n#include <stddef.h>\nvolatile int one = 1;\n";

/// What those print with that are run.
const PRINTING: &str = "#include <stdio.h>\n";

/// A command under test, with a folder to work in.
#[derive(Debug)]
pub(crate) struct CompilerProbe<'a> {
    /// Program and fixed arguments.
    pub(crate) command: &'a [OsString],
    /// What runs a compiled program.
    pub(crate) runner: &'a Runner,
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
    /// All as this data model has it; for a compiler whose programs are not run, `None` if it is another.
    Same(Option<Abi>),
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
    /// The processor or the emulator lacks what the program needs.
    is_runner: bool,
}

impl From<String> for ProbeFailure {
    fn from(why: String) -> ProbeFailure {
        ProbeFailure { why, messages: String::new(), is_breakdown: false, is_runner: false }
    }
}

impl ProbeFailure {
    fn broken(why: String) -> ProbeFailure {
        ProbeFailure { is_breakdown: true, ..ProbeFailure::from(why) }
    }
}

/// The first line on which a model's output differs.
struct Difference<'a> {
    line: usize,
    want: &'a str,
    /// `None` where there is no such line.
    got: Option<&'a str>,
}

/// Where the output of `model.c` is not that of a model.
fn difference<'a>(abi: Abi, expected: &'a str, out: &'a str) -> Option<Difference<'a>> {
    let is_open = |line: &str| abi == Abi::Ilp32 && line.starts_with(LONG_DOUBLE);
    let mut got = out.lines();
    for (line, want) in expected.lines().enumerate() {
        match got.next() {
            Some(got) if got == want || is_open(want) && is_open(got) => {}
            got => return Some(Difference { line, want, got }),
        }
    }
    let extra = got.next()?;
    Some(Difference { line: expected.lines().count(), want: "nothing", got: Some(extra) })
}

/// Declarations that only a compiler with this data model takes.
fn sizes(abi: Abi) -> String {
    let model = abi.model();
    let checks = [
        ("sizeof(int)", 4),
        ("sizeof(short)", 2),
        ("sizeof(long)", model.long_size),
        ("sizeof(void *)", model.pointer_size),
        ("sizeof(size_t)", model.pointer_size),
        ("sizeof(double)", 8),
        ("sizeof(float)", 4),
        ("sizeof(wchar_t)", 4),
        ("offsetof(struct Wide, wide)", model.wide_align),
    ];
    let check = |(i, (what, size)): (usize, &(&str, u32))| {
        format!("typedef char check{i}[{what} == {size} ? 1 : -1];\n")
    };
    let checks: String = checks.iter().enumerate().map(check).collect();
    format!("struct Wide {{ char c; double wide; }};\n{checks}")
}

impl CompilerProbe<'_> {
    /// Compiles and runs `model.c`.
    pub(crate) fn model(&self) -> ModelCheck {
        if self.runner.is_compile_only() {
            return self.compiled_model();
        }
        let program = self.compile(MODEL, &["-w"]);
        let out = match program.and_then(|program| self.execute(&program, &[])) {
            Ok(out) => out,
            Err(failure) if failure.is_breakdown => return ModelCheck::Broken(failure.why),
            Err(failure) => return ModelCheck::Bad(failure.why),
        };
        if !out.starts_with(FIRST_WORDS) {
            return ModelCheck::Broken("its probe program prints unexpected output".into());
        }
        let differences = EXPECTED.map(|(abi, expected)| (abi, difference(abi, expected, &out)));
        if let Some((abi, _)) = differences.iter().find(|(_, different)| different.is_none()) {
            return ModelCheck::Same(Some(*abi));
        }
        // The model that it comes closest to says what is wrong.
        let nearest = differences.into_iter().filter_map(|(_, different)| different);
        let Some(nearest) = nearest.max_by_key(|different| different.line) else {
            return ModelCheck::Broken("its probe program ends early".into());
        };
        match nearest {
            Difference { got: None, .. } => {
                ModelCheck::Broken("its probe program ends early".into())
            }
            Difference { want, .. } if want.starts_with(SIGNED_CHAR) => ModelCheck::UnsignedChar,
            Difference { want, got: Some(got), .. } => ModelCheck::Bad(format!(
                "its programs have a different data model: `{got}` where it should be `{want}`"
            )),
        }
    }

    /// What can be told of the model without running anything: of a compiler that has none of ours, only crashes
    /// and hangs say something.
    fn compiled_model(&self) -> ModelCheck {
        let plain = match self.compile(FREESTANDING, &["-w"]) {
            Ok(_) => FREESTANDING,
            // Not even these headers.
            Err(failure) if failure.is_breakdown => return ModelCheck::Broken(failure.why),
            Err(failure) => return ModelCheck::Bad(failure.why),
        };
        let has = |abi: &Abi| self.compile(&format!("{plain}{}", sizes(*abi)), &["-w"]).is_ok();
        ModelCheck::Same(Abi::ALL.into_iter().find(has))
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
        let runs = !self.runner.is_compile_only();
        let mut source = format!("{}{FREESTANDING}", if runs { PRINTING } else { "" });
        for (i, extension) in asked.iter().enumerate() {
            source.push_str(&format!("static int f{i}(void) {{ {} }}\n", extension.body));
        }
        source.push_str("int main(void) {\n");
        for i in 0..asked.len() {
            // Without a run, that it compiles has to do.
            let told = if runs { format!("printf(\"{i}\\n\")") } else { "return 1".into() };
            source.push_str(&format!("if (f{i}() != 1) {told};\n"));
        }
        source.push_str("return 0; }\n");
        let program = self.compile(&source, &["-w"]);
        let out = program.and_then(|program| match runs {
            true => self.execute(&program, &[]),
            false => Ok(String::new()),
        });
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

    /// Which of these flag sets it takes without a word, and its runner too; with the reason for those that
    /// the runner does not. With them all at once first, as most compilers take all that is known of their
    /// family; but instruction sets one by one, for the last would hide the others.
    pub(crate) fn accepted(&self, sets: &[String]) -> (Vec<String>, Vec<(String, String)>) {
        let is_instructions = |set: &&String| set.split(' ').any(names_instructions);
        let plain: Vec<String> = sets.iter().filter(|s| !is_instructions(s)).cloned().collect();
        let plain = self.accepted_together(&plain);
        let mut refused = Vec::new();
        let mut takes = |set: &String| {
            if !is_instructions(&set) {
                return plain.contains(set);
            }
            if self.accepted_together(std::slice::from_ref(set)).is_empty() {
                let why = self.runner_refuses(set);
                refused.extend(why.map(|why| (set.clone(), why)));
                return false;
            }
            match self.runner_refuses(set) {
                Some(why) => {
                    refused.push((set.clone(), why));
                    false
                }
                None => true,
            }
        };
        let accepted = sets.iter().filter(|set| takes(set)).cloned().collect();
        (accepted, refused)
    }

    fn accepted_together(&self, sets: &[String]) -> Vec<String> {
        let flags: Vec<&str> =
            std::iter::once("-Werror").chain(sets.iter().flat_map(|s| s.split(' '))).collect();
        let runs = !self.runner.is_compile_only();
        let main = if runs { "printf(\"%d\\n\", one);" } else { "" };
        let printing = if runs { PRINTING } else { "" };
        let source = format!("{printing}{FREESTANDING}int main(void) {{ {main} return 0; }}\n");
        let program = self.compile(&source, &flags);
        let out = program.and_then(|program| match runs {
            true => self.execute(&program, &flags),
            false => Ok("1\n".into()),
        });
        match (out.as_deref().ok(), sets) {
            (Some("1\n"), _) => sets.to_vec(),
            (_, [] | [_]) => Vec::new(),
            (_, many) => {
                let (left, right) = many.split_at(many.len() / 2);
                [self.accepted_together(left), self.accepted_together(right)].concat()
            }
        }
    }

    /// Why the runner cannot run a program that uses what these flags allow, if it is the runner that cannot.
    /// Whatever else goes wrong may be a bug, and is for a hunt to find.
    fn runner_refuses(&self, set: &str) -> Option<String> {
        if self.runner.is_compile_only() {
            return None;
        }
        let flags: Vec<&str> = set.split(' ').chain(["-w", "-O3"]).collect();
        let program = self.compile(TARGET_PROBE, &flags).ok()?;
        let failure = self.execute(&program, &flags).err()?;
        failure.is_runner.then_some(failure.why)
    }

    /// Whether it says that it does not know these flags; any other failure may be a bug.
    pub(crate) fn refuses(&self, flags: &str) -> bool {
        let source = format!("{FREESTANDING}int main(void) {{ return 0; }}\n");
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
        let only_compile = self.runner.is_compile_only().then_some("-c");
        let run = run
            .args(only_compile)
            .args([name, "-o", "probe"])
            .cwd(self.scratch.path())
            .env("LC_ALL", "C");
        let ended = run.finish();
        let is_breakdown = broke_down(&ended);
        match ended {
            Ended::Finished(done) if done.status == Status::Exit(0) => match program.is_file() {
                true => Ok(program),
                false => {
                    let why = "it reports success but leaves no executable".into();
                    Err(ProbeFailure::broken(why))
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
                Err(ProbeFailure { why, messages, is_breakdown, is_runner: false })
            }
            Ended::Killed(..) => {
                let why = "it does not finish compiling our probe".to_string();
                Err(ProbeFailure { is_breakdown, ..ProbeFailure::from(why) })
            }
            Ended::NotStarted(error) => Err(format!("it cannot be started: {error}").into()),
        }
    }

    /// Runs a program that was compiled with these flags; its output, or why there is none.
    fn execute(&self, program: &Path, flags: &[&str]) -> Result<String, ProbeFailure> {
        let fixed = self.command.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
        let flags: Vec<String> = fixed.chain(flags.iter().map(ToString::to_string)).collect();
        let words = self.runner.words(&flags);
        let run = match &words[..] {
            [] => Run::new(program, PATIENCE),
            [runner, args @ ..] => Run::new(runner, PATIENCE).args(args).arg(program),
        };
        let mut is_breakdown = true;
        let mut is_runner = false;
        // It is a compiler's under test: it writes nowhere but into a folder of its own.
        let home = self.scratch.file("home");
        if let Err(error) = fs::create_dir_all(&home) {
            return Err(format!("our temporary folder is not writable: {error}").into());
        }
        let how = match run.cwd(&home).confined_to(&home).root(self.root).finish() {
            Ended::Finished(done) => {
                let said = done.stderr.text();
                let refusal = self.runner.refusal(&said);
                let words = refusal.map_or_else(|| complaint(&said), String::from);
                let words = if words.is_empty() { words } else { format!(": {words}") };
                is_runner = done.status != Status::Exit(0) && refusal.is_some();
                match done.status {
                    Status::Exit(0) => return Ok(done.stdout.text()),
                    Status::Exit(status) => format!("exit status {status}{words}"),
                    Status::Signal(SIGILL) => {
                        is_runner = true;
                        format!("an instruction is missing{words}")
                    }
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
        is_breakdown &= words.is_empty();
        let why = format!("its programs do not run here: {how}");
        Err(ProbeFailure { is_breakdown, is_runner, ..ProbeFailure::from(why) })
    }
}

/// Whether a flag may make a compiler use instructions that not every processor of the target has.
fn names_instructions(flag: &str) -> bool {
    const OTHER: &[&str] = &[
        "-mllvm",
        "-mtune",
        "-mno-",
        "-mcmodel",
        "-mprefer-",
        "-mstringop-",
        "-mbranch-",
        "-mstack",
        "-mstore-max",
        "-mmove-max",
        "-minline-",
        "-mindirect-",
        "-mrelax-",
    ];
    flag.starts_with("-m") && !OTHER.iter().any(|other| flag.starts_with(other))
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
