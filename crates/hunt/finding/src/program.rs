//! A C or C++ program on compilers with flags.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use oracle::{AddedOption, Case, Expected, FailureKind, SourceFile};
use sandbox::Root;
use serde::{Deserialize, Serialize};
use toolchain::{Compiler, CpuRule, Emulator, Family, Language, Runner, Target};

/// A program on which compilers fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramSubject {
    /// How they fail.
    pub kind: FailureKind,
    /// Its language.
    pub language: Language,
    /// The standard it is written for, if not the usual one of its language.
    pub standard: Option<String>,
    /// The unit that only sets up and prints, if one is compiled apart.
    pub harness: Option<String>,
    /// Folders of headers.
    pub include: Vec<String>,
    /// Names of the files that a compiler is given.
    pub units: Vec<String>,
    /// What it must print, with its exit status; `None` for a program without an answer.
    #[serde(with = "crate::output::optional")]
    pub expected: Option<Expected>,
    /// Whether that exit status was seen. Stores of version 4 did not keep it of users' programs.
    pub is_status_known: bool,
    /// Options of ours that its commands go without.
    #[serde(default)]
    pub omitted: BTreeSet<AddedOption>,
    /// The compilers of both lists, by name.
    pub compilers: Vec<CompilerIdentity>,
    /// What fails, the quickest to show it first.
    pub failing: Vec<CompilerTarget>,
    /// What is right.
    pub right: Vec<CompilerTarget>,
    /// Of a comparison: the compiler of those that is right wherever the first that fails does, by name.
    #[serde(default)]
    pub baseline: Option<String>,
}

/// A compiler as it was when something was found in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompilerIdentity {
    /// A name that is unique in a hunt: `gcc-12`.
    pub name: String,
    /// Who made it.
    pub family: Family,
    /// Its version in its own words; empty if it is not known.
    pub version: String,
    /// The machine it compiles for.
    pub triple: String,
    /// The command for C: program and fixed arguments.
    pub c: Vec<String>,
    /// The command for C++, where there is one.
    pub cxx: Option<Vec<String>>,
    /// What is put before a compiled program to run it.
    pub runner: Vec<String>,
    /// How that is meant.
    #[serde(default)]
    pub running: Running,
    /// Its lowest level, at which a harness is compiled.
    pub lowest: Option<String>,
    /// What tells two builds of one version apart, if that is known: a build id, how it was configured.
    pub build: Option<String>,
}

/// How the programs of a compiler are run with its runner's words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Running {
    /// With these words, or without any on this processor.
    #[default]
    AsTyped,
    /// With the processor of the emulator that the flags ask for.
    WithProcessor(CpuRule),
    /// With other words where flags have these.
    ByFlags(Vec<(String, Vec<String>)>),
    /// Not at all.
    Never,
}

/// A compiler with flags.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompilerTarget {
    /// The compiler by name.
    pub compiler: String,
    /// Its flags, level first.
    pub flags: Vec<String>,
}

/// How a program is compiled and run, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildSteps {
    /// The compiler: program and fixed arguments.
    pub compiler: Vec<String>,
    /// The arguments of each compilation. Where there are two, the first makes an object of the unit
    /// that only prints; the last makes `program`.
    pub steps: Vec<Vec<String>>,
    /// What stands before `./program` (an emulator).
    pub runner: Vec<String>,
}

impl From<&Target> for CompilerTarget {
    fn from(target: &Target) -> CompilerTarget {
        CompilerTarget { compiler: target.compiler.name.clone(), flags: target.flags.clone() }
    }
}

impl CompilerTarget {
    /// `gcc-12 -O2`, as of the target it was.
    pub fn label(&self) -> String {
        format!("{} {}", self.compiler, self.flags.join(" "))
    }
}

impl From<&Compiler> for CompilerIdentity {
    fn from(compiler: &Compiler) -> CompilerIdentity {
        CompilerIdentity {
            name: compiler.name.clone(),
            family: compiler.family,
            version: compiler.version.clone(),
            triple: compiler.triple.clone(),
            c: text(&compiler.c),
            cxx: compiler.cxx.as_deref().map(text),
            runner: match &compiler.runner {
                Runner::Native | Runner::CompileOnly => Vec::new(),
                Runner::Emulator(emulator) => text(&emulator.command),
            },
            running: Running::of(&compiler.runner),
            lowest: compiler.levels.first().cloned(),
            build: compiler.checks.clone(),
        }
    }
}

impl Running {
    fn of(runner: &Runner) -> Running {
        match runner {
            Runner::Native => Running::AsTyped,
            Runner::CompileOnly => Running::Never,
            Runner::Emulator(Emulator { by_flag, .. }) if !by_flag.is_empty() => {
                let words = by_flag.iter().map(|(flags, words)| (flags.clone(), text(words)));
                Running::ByFlags(words.collect())
            }
            Runner::Emulator(Emulator { cpu: Some(cpu), .. }) => {
                Running::WithProcessor(cpu.clone())
            }
            Runner::Emulator(_) => Running::AsTyped,
        }
    }

    /// The runner whose words these are.
    fn runner(&self, command: Vec<OsString>) -> Runner {
        match self {
            Running::AsTyped => Runner::of_words(command),
            Running::Never => Runner::CompileOnly,
            Running::WithProcessor(cpu) => {
                let emulator = Emulator::fixed(command);
                Runner::Emulator(Emulator { cpu: Some(cpu.clone()), ..emulator })
            }
            Running::ByFlags(all) => {
                let words = |words: &[String]| words.iter().map(OsString::from).collect();
                let by_flag = all.iter().map(|(flags, w)| (flags.clone(), words(w))).collect();
                Runner::Emulator(Emulator { by_flag, ..Emulator::fixed(command) })
            }
        }
    }
}

impl CompilerIdentity {
    /// A compiler of which nothing is known but how it is called.
    pub fn named(name: &str) -> CompilerIdentity {
        CompilerIdentity {
            name: name.into(),
            family: Family::Other,
            version: String::new(),
            triple: String::new(),
            c: vec![name.into()],
            cxx: None,
            runner: Vec::new(),
            running: Running::AsTyped,
            lowest: None,
            build: None,
        }
    }

    /// It as a compiler, for what is typed.
    fn compiler(&self) -> Compiler {
        let words = |words: &[String]| words.iter().map(OsString::from).collect::<Vec<_>>();
        Compiler {
            family: self.family,
            name: self.name.clone(),
            version: self.version.clone(),
            triple: self.triple.clone(),
            c: words(&self.c),
            cxx: self.cxx.as_deref().map(words),
            runner: self.running.runner(words(&self.runner)),
            // For what is typed, nothing depends on it.
            abi: None,
            levels: self.lowest.iter().cloned().collect(),
            extras: Vec::new(),
            drawn: Default::default(),
            lacks: Vec::new(),
            checks: self.build.clone(),
            root: self.c.first().and_then(|program| Root::of(Path::new(program))),
        }
    }
}

impl ProgramSubject {
    /// A program that fails on some targets and is right on others.
    pub fn new(
        case: &Case,
        kind: FailureKind,
        failing: &[Target],
        right: &[Target],
    ) -> ProgramSubject {
        let mut compilers: Vec<CompilerIdentity> = Vec::new();
        for Target { compiler, .. } in failing.iter().chain(right) {
            if compilers.iter().all(|known| known.name != compiler.name) {
                compilers.push(CompilerIdentity::from(&**compiler));
            }
        }
        ProgramSubject {
            kind,
            language: case.language,
            standard: case.standard.clone(),
            harness: case.harness.clone(),
            include: case.include.iter().map(|dir| dir.to_string_lossy().into_owned()).collect(),
            units: case.units().map(String::from).collect(),
            expected: case.expected.clone(),
            is_status_known: true,
            omitted: case.omitted.clone(),
            compilers,
            failing: failing.iter().map(CompilerTarget::from).collect(),
            right: right.iter().map(CompilerTarget::from).collect(),
            baseline: None,
        }
    }

    /// The same of a comparison with a compiler, if there is one.
    pub fn against(self, baseline: Option<&Compiler>) -> ProgramSubject {
        ProgramSubject { baseline: baseline.map(|compiler| compiler.name.clone()), ..self }
    }

    /// Names of the compilers that a study needs: those that fail, and the one that must be right.
    pub fn needed_compilers(&self) -> Vec<String> {
        let mut names = self.failing_compilers();
        names.extend(self.baseline.clone());
        names
    }

    /// A C program on compilers of which nothing is known but their names; each target is a name with flags.
    pub fn named(
        kind: FailureKind,
        units: &[&str],
        failing: &[(&str, &str)],
        right: &[(&str, &str)],
    ) -> ProgramSubject {
        let target = |(name, flags): &(&str, &str)| {
            let compiler = Arc::new(CompilerIdentity::named(name).compiler());
            Target { compiler, flags: flags.split_whitespace().map(String::from).collect() }
        };
        let file = |name: &&str| SourceFile { name: name.to_string(), bytes: Vec::new() };
        let case = Case {
            language: Language::C,
            files: units.iter().map(file).collect(),
            standard: None,
            harness: None,
            include: Vec::new(),
            expected: None,
            omitted: Default::default(),
        };
        let failing: Vec<Target> = failing.iter().map(target).collect();
        let right: Vec<Target> = right.iter().map(target).collect();
        ProgramSubject::new(&case, kind, &failing, &right)
    }

    /// The program; `files` are all its files.
    pub fn case(&self, files: &[SourceFile]) -> Case {
        Case {
            language: self.language,
            files: files.to_vec(),
            standard: self.standard.clone(),
            harness: self.harness.clone(),
            include: self.include.iter().map(Into::into).collect(),
            expected: self.expected.clone(),
            omitted: self.omitted.clone(),
        }
    }

    /// A compiler of it.
    pub fn compiler(&self, name: &str) -> Option<&CompilerIdentity> {
        self.compilers.iter().find(|compiler| compiler.name == name)
    }

    /// The compiler of the first failing target.
    pub fn first(&self) -> Option<&CompilerIdentity> {
        self.compiler(&self.failing.first()?.compiler)
    }

    /// Names of the compilers that fail, each once.
    pub fn failing_compilers(&self) -> Vec<String> {
        let mut names: Vec<String> = self.failing.iter().map(|t| t.compiler.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Those of some targets whose compilers are there, by name.
    pub fn installed(targets: &[CompilerTarget], compilers: &[Arc<Compiler>]) -> Vec<Target> {
        let target = |target: &CompilerTarget| {
            let compiler = compilers.iter().find(|c| c.name == target.compiler)?;
            Some(Target { compiler: compiler.clone(), flags: target.flags.clone() })
        };
        targets.iter().filter_map(target).collect()
    }

    /// A target as it was, for what is typed.
    fn as_it_was(&self, target: &CompilerTarget) -> Option<Target> {
        let compiler = Arc::new(self.compiler(&target.compiler)?.compiler());
        Some(Target { compiler, flags: target.flags.clone() })
    }

    /// The program without what is in its files.
    fn outline(&self) -> Case {
        let file = |name: &String| SourceFile { name: name.clone(), bytes: Vec::new() };
        self.case(&self.units.iter().map(file).collect::<Vec<_>>())
    }

    /// What is typed beside the files for a target; `None` if it has no compiler for the language.
    pub fn command(&self, target: &CompilerTarget) -> Option<String> {
        let line = oracle::command_line(&self.outline(), &self.as_it_was(target)?)?;
        Some(match self.kind.is_wrong_code() {
            true => format!("{line} | diff expected -"),
            false => line,
        })
    }

    /// The same as words.
    pub fn steps(&self, target: &CompilerTarget) -> Option<BuildSteps> {
        let target = self.as_it_was(target)?;
        let compiler = text(target.command(self.language)?);
        let words = oracle::compilations(&self.outline(), &target)?;
        let steps = words.iter().map(|words| text(&words[compiler.len()..])).collect();
        Some(BuildSteps { compiler, steps, runner: text(&target.run_words()) })
    }
}

/// Words as text.
fn text(words: &[OsString]) -> Vec<String> {
    words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}
