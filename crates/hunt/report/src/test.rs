//! What a report is about: the smallest program that shows the bug, and how to show it.

use campaign::{Bug, Finding, Recipe, StoredTarget, Study, Subject};
use oracle::{Assessment, Behaviour, Certificate, Expected, FailureKind, SourceFile};
use toolchain::Language;

use crate::text::shell_line;

/// Folders whose programs are called by name alone: so they are on other machines too.
const COMMON: &[&str] = &["/usr/bin/", "/bin/", "/usr/local/bin/"];

/// What the installed compiler says today; each part is left out of the report if unknown.
#[derive(Clone, Debug, Default)]
pub struct CompilerToday {
    /// What `-v` prints.
    pub verbose: Option<String>,
    /// The operating system by name.
    pub system: Option<String>,
    /// What the failing command gives.
    pub got: Option<Behaviour>,
    /// The test as the compiler's preprocessor leaves it.
    pub preprocessed: Option<String>,
}

/// All that a report is made of.
#[derive(Debug)]
pub struct Test<'a> {
    /// The finding.
    pub found: &'a Finding,
    /// Its study.
    pub study: Option<&'a Study>,
    /// The bug it belongs to.
    pub bug: Option<&'a Bug>,
    /// What is known of the compiler today.
    pub today: CompilerToday,
    /// The program's files by the names they have in the report.
    pub files: Vec<SourceFile>,
    /// The name that its only file had before.
    pub was: Option<String>,
    /// What it must print and exit with, if it has an answer.
    pub expected: Option<Expected>,
    /// Its language.
    pub language: Language,
    /// How it is compiled and run where it fails.
    pub recipe: Recipe,
    /// The failing compiler by name.
    pub compiler: String,
    /// Its version.
    pub version: String,
    /// The machine it compiles for.
    pub triple: String,
    /// The flags with which it fails.
    pub flags: Vec<String>,
}

impl<'a> Test<'a> {
    /// Puts together what is stored; `subject` is the program of the study, or of the finding.
    pub fn new(
        found: &'a Finding,
        study: Option<&'a Study>,
        bug: Option<&'a Bug>,
        subject: &Subject,
        targets: &[StoredTarget],
    ) -> Test<'a> {
        let case = &subject.case;
        let (compiler, flags) = subject.failed.first().cloned().unwrap_or_default();
        let commands = study.map_or(&found.finding.commands, |study| &study.commands);
        let words: Vec<&str> = flags.iter().map(String::as_str).collect();
        let read = commands.iter().find_map(|command| {
            Recipe::read(command, &words).or_else(|| Recipe::of_passes(command))
        });
        let mut recipe = read.unwrap_or_else(|| plain_recipe(&compiler, &flags, case));
        if let [program] = &mut recipe.compiler[..]
            && let Some(name) = COMMON.iter().find_map(|dir| program.strip_prefix(dir))
        {
            *program = name.into();
        }
        let target = targets.iter().find(|target| target.compiler == compiler);
        let mut files = case.files.clone();
        let was = match is_module(&files) {
            true => None,
            false => rename(&mut files, &mut recipe, case.language),
        };
        Test {
            found,
            study,
            bug,
            today: CompilerToday::default(),
            files,
            was,
            expected: case.expected.clone(),
            language: case.language,
            recipe,
            version: target.map(|t| t.version.clone()).unwrap_or_default(),
            triple: target.map(|t| t.triple.clone()).unwrap_or_default(),
            compiler,
            flags,
        }
    }

    /// Whether it is a module of LLVM's, and no program.
    pub fn is_module(&self) -> bool {
        is_module(&self.files)
    }

    /// Whether it is a program that a sequence of LLVM's passes makes wrong code of.
    pub fn is_sequenced(&self) -> bool {
        self.compiler.starts_with("libLLVM") && !self.is_module()
    }

    /// How it fails.
    pub fn kind(&self) -> FailureKind {
        self.found.finding.kind
    }

    /// One line on what is wrong.
    pub fn summary(&self) -> &str {
        self.study.map_or(&self.found.finding.summary, |study| &study.summary)
    }

    /// Evidence that the program is valid.
    pub fn certificate(&self) -> &Certificate {
        self.study.map_or(&self.found.finding.certificate, |study| &study.certificate)
    }

    /// Labels of the targets that fail, and of those that are right.
    pub fn labels(&self) -> (&[String], &[String]) {
        match self.study {
            Some(study) => (&study.targets, &study.right),
            None => (&self.found.finding.targets, &self.found.finding.right),
        }
    }

    /// The commands to type beside the files, a line each.
    pub fn commands(&self) -> Vec<String> {
        if self.is_sequenced() {
            let commands = self.study.map_or(&self.found.finding.commands, |s| &s.commands);
            let lines = commands.iter().flat_map(|command| command.split(" && "));
            return lines.map(|line| self.renamed(line)).collect();
        }
        let Recipe { compiler, steps, runner } = &self.recipe;
        let mut lines: Vec<String> =
            steps.iter().map(|step| shell_line(&[&compiler[..], &step[..]].concat())).collect();
        if self.kind().is_wrong_code() {
            lines.push(shell_line(&[&runner[..], &["./program".to_string()]].concat()));
        }
        if self.kind() == FailureKind::Miscompilation {
            let stored = self.study.map_or(&self.found.finding.commands, |s| &s.commands);
            lines.extend(stored.iter().find(|command| is_question(command)).cloned());
        }
        lines
    }

    /// All words of the stored commands.
    pub fn commands_words(&self) -> Vec<&str> {
        let commands = self.study.map_or(&self.found.finding.commands, |study| &study.commands);
        commands.iter().flat_map(|command| command.split_whitespace()).collect()
    }

    /// A command of the store with the names of the report.
    pub fn renamed(&self, command: &str) -> String {
        let (Some(was), [file]) = (&self.was, &self.files[..]) else { return command.into() };
        let word = |word| if word == was { file.name.as_str() } else { word };
        command.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }

    /// Whether a tool executed the program and had no objection.
    pub fn is_vouched_for(&self) -> bool {
        let certificate = self.certificate();
        !certificate.disputed() && certificate.opinions.iter().any(|o| o.says == Assessment::Valid)
    }

    /// What the failing target printed when it was found; the study does not keep it.
    pub fn kept(&self, end: &str) -> Option<&SourceFile> {
        if self.study.is_some() {
            return None;
        }
        let targets = self.found.finding.targets.iter();
        let mut names = targets.map(|t| format!("{}.{end}", t.replace([' ', '/'], "_")));
        names.find_map(|name| self.found.finding.artifacts.iter().find(|file| file.name == name))
    }
}

fn is_module(files: &[SourceFile]) -> bool {
    files.iter().any(|file| file.name.ends_with(".ll"))
}

/// A program of one file is called `test.c`, as trackers and we ourselves like it; what it was called.
fn rename(files: &mut [SourceFile], recipe: &mut Recipe, language: Language) -> Option<String> {
    let [file] = files else { return None };
    let name = match language {
        Language::C => "test.c",
        Language::Cxx => "test.cpp",
    };
    for word in recipe.steps.iter_mut().flatten().filter(|word| **word == file.name) {
        *word = name.into();
    }
    Some(std::mem::replace(&mut file.name, name.into()))
}

/// For a command that cannot be read.
fn plain_recipe(compiler: &str, flags: &[String], case: &oracle::Case) -> Recipe {
    let mut step = flags.to_vec();
    step.push("-w".into());
    step.extend(case.standard.iter().map(|standard| format!("-std={standard}")));
    for dir in &case.include {
        step.extend(["-I".into(), dir.display().to_string()]);
    }
    step.extend(case.units().map(String::from));
    step.extend(["-o", "program", "-lm"].map(String::from));
    Recipe { compiler: vec![compiler.into()], steps: vec![step], runner: Vec::new() }
}

/// Whether a command runs Gainsay on the output of the one before it.
fn is_question(command: &str) -> bool {
    command.starts_with("gainsay llvm verify ")
}

/// The first of the commands of a finding, and what must be asked after it.
pub fn first_command(commands: &[String]) -> Option<String> {
    let (first, rest) = commands.split_first()?;
    let asked = rest.first().filter(|next| is_question(next));
    Some(asked.map_or_else(|| first.clone(), |asked| format!("{first} && {asked}")))
}
