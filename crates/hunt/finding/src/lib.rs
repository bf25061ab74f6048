//! What a finding is about, as data.
//!
//! A [`Subject`] says what failed on what: a program on compilers, a module or a program under passes of a
//! libLLVM, a tool that judges programs. Labels and the commands that people type are made of it and are never
//! read back. The files themselves are kept beside it; a subject knows their names where a command needs them.
//!
//! | module | concern |
//! | --- | --- |
//! | `program` | a C or C++ program on compilers with flags |
//! | `library`, `module`, `sequence` | a libLLVM; a module, a C program under its passes |
//! | `output` | expected results in JSON: text where it is text |
//!
//! Not here: whether what is named is installed, and how a finding is studied; both are for `campaign`.
//!
//! **Architecture Invariant:** the same data travels as JSON (the store) and as postcard (a cluster): variants are
//! tagged from outside, and no field is left out.

mod library;
mod module;
mod output;
mod program;
mod sequence;

use oracle::Expected;
use serde::{Deserialize, Serialize};
use toolchain::Language;

pub use library::LibraryIdentity;
pub use module::{MODULE_AFTER, MODULE_FILE, ModuleFault, ModuleSubject};
pub use program::{BuildSteps, CompilerIdentity, CompilerTarget, ProgramSubject};
pub use sequence::{FrontLevel, SequenceSubject};

/// What failed, and on what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// A program on compilers.
    Program(ProgramSubject),
    /// An LLVM module under passes.
    Module(ModuleSubject),
    /// A C program that is wrong after passes.
    Sequence(SequenceSubject),
    /// A tool that judges programs: what it says, or fails to say, is the failure.
    Judged(JudgedSubject),
}

/// Tools that judge programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedSubject {
    /// Those whose word is the failure.
    pub tools: Vec<JudgingTool>,
    /// Names of those that know better.
    pub right: Vec<String>,
}

/// A sanitizer of a compiler, or another tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgingTool {
    /// `clang-16 -fsanitize=address`.
    pub name: String,
    /// How it was asked.
    pub command: String,
}

impl JudgedSubject {
    /// One tool, asked by a command.
    pub fn of(name: &str, command: &str) -> JudgedSubject {
        let tools = vec![JudgingTool { name: name.into(), command: command.into() }];
        JudgedSubject { tools, right: Vec::new() }
    }
}

impl Subject {
    /// Labels of what fails: `gcc-12 -O2`, `libLLVM-16 -passes=default<O3>`.
    pub fn targets(&self) -> Vec<String> {
        match self {
            Subject::Program(it) => it.failing.iter().map(CompilerTarget::label).collect(),
            Subject::Module(it) => vec![it.label()],
            Subject::Sequence(it) => vec![it.label()],
            Subject::Judged(it) => it.tools.iter().map(|tool| tool.name.clone()).collect(),
        }
    }

    /// Labels of what is right.
    pub fn right(&self) -> Vec<String> {
        match self {
            Subject::Program(it) => it.right.iter().map(CompilerTarget::label).collect(),
            Subject::Module(it) => {
                it.baseline.iter().map(|library| it.label_with(library)).collect()
            }
            Subject::Sequence(it) => {
                let compared = it.baseline.iter().map(|library| it.label_with(library));
                compared.chain([it.label_of("")]).collect()
            }
            Subject::Judged(it) => it.right.clone(),
        }
    }

    /// Of a comparison: what is right where the first that fails is wrong, by name.
    pub fn baseline(&self) -> Option<String> {
        match self {
            Subject::Program(it) => it.baseline.clone(),
            Subject::Module(it) => it.baseline.as_ref().map(LibraryIdentity::name),
            Subject::Sequence(it) => it.baseline.as_ref().map(LibraryIdentity::name),
            Subject::Judged(_) => None,
        }
    }

    /// Of a comparison: `works with gcc-11 (11.3.0), fails with gcc-12 (12.2.0)`.
    pub fn comparison(&self) -> Option<String> {
        let name = self.baseline()?;
        let version = match self {
            Subject::Program(it) => it.compiler(&name).map(|compiler| compiler.version.clone()),
            Subject::Module(it) => it.baseline.as_ref().map(|library| library.version.clone()),
            Subject::Sequence(it) => it.baseline.as_ref().map(|library| library.version.clone()),
            Subject::Judged(_) => None,
        };
        let told = |name: &str, version: &str| match version {
            "" => name.to_string(),
            version if name.contains(version) => name.to_string(),
            version => format!("{name} ({version})"),
        };
        let old = told(&name, &version.unwrap_or_default());
        Some(format!("works with {old}, fails with {}", told(&self.compiler(), &self.version())))
    }

    /// The same of a comparison with a library, if there is one: of what is about passes.
    pub fn against(mut self, library: Option<LibraryIdentity>) -> Subject {
        match &mut self {
            Subject::Module(it) => it.baseline = library,
            Subject::Sequence(it) => it.baseline = library,
            Subject::Program(_) | Subject::Judged(_) => {}
        }
        self
    }

    /// What is typed beside the files to see it, one a line.
    pub fn commands(&self) -> Vec<String> {
        match self {
            Subject::Program(it) => it.failing.iter().filter_map(|t| it.command(t)).collect(),
            Subject::Module(it) => it.commands(),
            Subject::Sequence(it) => vec![it.command()],
            Subject::Judged(it) => it.tools.iter().map(|tool| tool.command.clone()).collect(),
        }
    }

    /// The shortest that shows it: the commands of one target, in one line.
    pub fn first_command(&self) -> Option<String> {
        match self {
            Subject::Module(it) => Some(it.commands().join(" && ")),
            _ => self.commands().into_iter().next(),
        }
    }

    /// The first that fails, by name: `gcc-12`, `libLLVM-16`.
    pub fn compiler(&self) -> String {
        match self {
            Subject::Program(it) => {
                it.failing.first().map(|target| target.compiler.clone()).unwrap_or_default()
            }
            Subject::Module(it) => it.library.name(),
            Subject::Sequence(it) => it.library.name(),
            Subject::Judged(it) => {
                it.tools.first().map(|tool| tool.name.clone()).unwrap_or_default()
            }
        }
    }

    /// The flags with which the first fails.
    pub fn flags(&self) -> Vec<String> {
        match self {
            Subject::Program(it) => {
                it.failing.first().map(|target| target.flags.clone()).unwrap_or_default()
            }
            Subject::Module(it) => vec![format!("-passes={}", it.passes)],
            Subject::Sequence(it) => it.flags(),
            Subject::Judged(_) => Vec::new(),
        }
    }

    /// The version of the first that fails, as it was when it failed; empty if unknown.
    pub fn version(&self) -> String {
        match self {
            Subject::Program(it) => it.first().map(|c| c.version.clone()).unwrap_or_default(),
            Subject::Module(it) => it.library.version.clone(),
            Subject::Sequence(it) => it.library.version.clone(),
            Subject::Judged(_) => String::new(),
        }
    }

    /// The machine that the first of them compiles for; empty if unknown.
    pub fn triple(&self) -> String {
        match self {
            Subject::Program(it) => it.first().map(|c| c.triple.clone()).unwrap_or_default(),
            Subject::Module(it) => it.library.triple.clone(),
            Subject::Sequence(it) => it.library.triple.clone(),
            Subject::Judged(_) => String::new(),
        }
    }

    /// What must be printed, with the exit status; `None` for what has no answer.
    pub fn expected(&self) -> Option<&Expected> {
        match self {
            Subject::Program(it) => it.expected.as_ref(),
            Subject::Sequence(it) => Some(&it.expected),
            Subject::Module(_) | Subject::Judged(_) => None,
        }
    }

    /// The language of its files; modules have none of these.
    pub fn language(&self) -> Option<Language> {
        match self {
            Subject::Program(it) => Some(it.language),
            Subject::Sequence(_) => Some(Language::C),
            Subject::Module(_) | Subject::Judged(_) => None,
        }
    }

    /// Whether it is an LLVM module.
    pub fn is_module(&self) -> bool {
        matches!(self, Subject::Module(_))
    }

    /// The library whose passes fail, if it is about passes.
    pub fn library(&self) -> Option<&LibraryIdentity> {
        match self {
            Subject::Module(it) => Some(&it.library),
            Subject::Sequence(it) => Some(&it.library),
            Subject::Program(_) | Subject::Judged(_) => None,
        }
    }

    /// The passes that fail, if it is about passes.
    pub fn passes(&self) -> Option<&str> {
        match self {
            Subject::Module(it) => Some(&it.passes),
            Subject::Sequence(it) => Some(&it.passes),
            Subject::Program(_) | Subject::Judged(_) => None,
        }
    }

    /// Calls its file by another name.
    pub fn rename(&mut self, from: &str, to: &str) {
        let (units, harness) = match self {
            Subject::Program(it) => (&mut it.units, it.harness.as_mut()),
            Subject::Sequence(it) => (&mut it.units, None),
            Subject::Module(_) | Subject::Judged(_) => return,
        };
        for unit in units.iter_mut().chain(harness).filter(|unit| *unit == from) {
            *unit = to.into();
        }
    }

    /// Changes what names files of one machine (folders of headers, compilers, libraries) to what they are called
    /// on another.
    pub fn relocate(&mut self, moved: &dyn Fn(&str) -> String) {
        let all = |words: &mut Vec<String>| words.iter_mut().for_each(|word| *word = moved(word));
        match self {
            Subject::Program(it) => {
                all(&mut it.include);
                for compiler in &mut it.compilers {
                    all(&mut compiler.c);
                    compiler.cxx.iter_mut().for_each(all);
                    all(&mut compiler.runner);
                }
            }
            Subject::Module(it) => {
                it.library.relocate(moved);
                it.baseline.iter_mut().for_each(|library| library.relocate(moved));
            }
            Subject::Sequence(it) => {
                all(&mut it.include);
                it.clang = moved(&it.clang);
                it.library.relocate(moved);
                it.baseline.iter_mut().for_each(|library| library.relocate(moved));
            }
            Subject::Judged(it) => {
                it.tools.iter_mut().for_each(|tool| tool.command = moved(&tool.command));
            }
        }
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests;
