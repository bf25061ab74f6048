//! What a report is about: the smallest program that shows the bug, and how to show it.

use anyhow::Result;
use campaign::{Bug, Finding, Specimen, Study, Title};
use finding::{BuildSteps, CompilerTarget, Subject};
use oracle::{Assessment, Behaviour, Case, Certificate, Expected, FailureKind, SourceFile};
use toolchain::{Family, Language};

use crate::text::{renamed, shell_line};

/// The file of a study with what the failing compiler makes of the program.
const ACTUAL: &str = "actual";

/// The file of a finding with what LLVM said.
const MESSAGES: &str = "messages";

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
    /// Wrong code of GCC: what it says with the options that its maintainers ask to try first.
    pub suspects: Option<SuspectFlags>,
}

/// What GCC does with flags that would show, or excuse, a program that is at fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuspectFlags {
    /// What it warns of, a line each.
    pub warnings: String,
    /// Whether the code is still wrong where the compiler assumes less of the program.
    pub still_wrong: bool,
}

impl SuspectFlags {
    /// Warnings that tell of code that is at fault.
    pub const WARN: [&'static str; 2] = ["-Wall", "-Wextra"];

    /// Flags with which much undefined code does what was meant.
    pub const LENIENT: [&'static str; 3] =
        ["-fno-strict-aliasing", "-fwrapv", "-fno-aggressive-loop-optimizations"];
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
    /// What fails on what, by the names that files have in the report.
    pub subject: Subject,
    /// The program's files by these names.
    pub files: Vec<SourceFile>,
    /// The name that its only file had before.
    pub was: Option<String>,
    /// What it must print and exit with, if it has an answer.
    pub expected: Option<Expected>,
    /// Its language.
    pub language: Language,
    /// How it is compiled and run where it fails.
    pub recipe: BuildSteps,
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
    /// Puts together what is stored: the program of the study, or of the finding.
    pub fn new(
        found: &'a Finding,
        study: Option<&'a Study>,
        bug: Option<&'a Bug>,
    ) -> Result<Test<'a>> {
        let specimen = Specimen::of(found, study);
        let (mut subject, mut files) = (specimen.subject.clone(), specimen.files.to_vec());
        let mut expected = None;
        if !subject.is_module() {
            expected = specimen.case()?.expected;
        }
        let language = subject.language().unwrap_or(Language::C);
        let was = match subject.is_module() {
            true => None,
            false => rename(&mut files, &mut subject, language),
        };
        let mut recipe = recipe(&subject);
        if let [program] = &mut recipe.compiler[..]
            && let Some(name) = COMMON.iter().find_map(|dir| program.strip_prefix(dir))
        {
            *program = name.into();
        }
        Ok(Test {
            found,
            study,
            bug,
            today: CompilerToday::default(),
            files,
            was,
            expected,
            language,
            recipe,
            version: subject.version(),
            triple: subject.triple(),
            compiler: subject.compiler(),
            flags: subject.flags(),
            subject,
        })
    }

    /// Its program, by the names of the report.
    pub fn case(&self) -> Option<Case> {
        let case = match &self.subject {
            Subject::Program(it) => it.case(&self.files),
            Subject::Sequence(it) => it.case(&self.files),
            Subject::Module(_) | Subject::Judged(_) => return None,
        };
        Some(Case { expected: self.expected.clone(), ..case })
    }

    /// The compiler with flags where it fails, if it is a compiler.
    pub fn failing(&self) -> Option<&CompilerTarget> {
        match &self.subject {
            Subject::Program(it) => it.failing.first(),
            Subject::Module(_) | Subject::Sequence(_) | Subject::Judged(_) => None,
        }
    }

    /// Whether it is a module of LLVM's, and no program.
    pub fn is_module(&self) -> bool {
        self.subject.is_module()
    }

    /// Whether it is a program that a sequence of LLVM's passes makes wrong code of.
    pub fn is_sequenced(&self) -> bool {
        matches!(self.subject, Subject::Sequence(_))
    }

    /// How it fails.
    pub fn kind(&self) -> FailureKind {
        self.found.finding.kind
    }

    /// The line by which people know the finding.
    pub fn title(&self) -> Title {
        Title::of(&self.found.finding, self.study)
    }

    /// What the failing target printed or said when it was last seen to fail, if that was kept.
    pub fn seen(&self) -> Option<&SourceFile> {
        match self.study {
            Some(study) => study.evidence.iter().find(|file| file.name == ACTUAL),
            None => {
                let artifacts = &self.found.finding.artifacts;
                let own = self.kept("stdout").or_else(|| self.kept("messages"));
                own.or_else(|| artifacts.iter().find(|file| file.name == MESSAGES))
            }
        }
    }

    /// Who made the failing compiler, if it is one.
    pub fn family(&self) -> Option<Family> {
        match &self.subject {
            Subject::Program(it) => it.first().map(|compiler| compiler.family),
            Subject::Module(_) | Subject::Sequence(_) | Subject::Judged(_) => None,
        }
    }

    /// One line on what is wrong, by the names of the report.
    pub fn summary(&self) -> String {
        let summary = self.study.map_or(&self.found.finding.summary, |study| &study.summary);
        self.named(summary)
    }

    /// Messages that name the program as it was called where they were printed, by the names of the report.
    pub fn named(&self, text: &str) -> String {
        match (&self.was, &self.files[..]) {
            (Some(was), [file]) => renamed(text, was, &file.name),
            _ => text.into(),
        }
    }

    /// Evidence that the program is valid.
    pub fn certificate(&self) -> &Certificate {
        self.study.map_or(&self.found.finding.certificate, |study| &study.certificate)
    }

    /// Labels of the targets that fail, and of those that are right.
    pub fn labels(&self) -> (Vec<String>, Vec<String>) {
        (self.subject.targets(), self.subject.right())
    }

    /// The commands to type beside the files, a line each.
    pub fn commands(&self) -> Vec<String> {
        match &self.subject {
            Subject::Sequence(it) => return it.steps(),
            Subject::Module(it) => return it.commands(),
            Subject::Program(_) | Subject::Judged(_) => {}
        }
        let BuildSteps { compiler, steps, runner } = &self.recipe;
        let run = shell_line(&[&runner[..], &["./program".to_string()]].concat());
        let mut lines: Vec<String> = Vec::new();
        for step in steps {
            lines.push(shell_line(&[&compiler[..], &step[..]].concat()));
            if oracle::is_training(&step.iter().map(Into::into).collect::<Vec<_>>()) {
                lines.push(run.clone());
            }
        }
        if self.kind().is_wrong_code() {
            lines.push(run);
        }
        lines
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

    /// What the failing target left when it was found.
    fn kept(&self, end: &str) -> Option<&SourceFile> {
        let targets = self.found.finding.targets().into_iter();
        let mut names = targets.map(|t| format!("{}.{end}", t.replace([' ', '/'], "_")));
        names.find_map(|name| self.found.finding.artifacts.iter().find(|file| file.name == name))
    }
}

/// A program of one file is called `test.c`, as trackers and we ourselves like it; what it was called.
fn rename(files: &mut [SourceFile], subject: &mut Subject, language: Language) -> Option<String> {
    let [file] = files else { return None };
    let name = match language {
        Language::C => "test.c",
        Language::Cxx => "test.cpp",
    };
    subject.rename(&file.name, name);
    Some(std::mem::replace(&mut file.name, name.into()))
}

/// The words that compile and run it where it fails.
fn recipe(subject: &Subject) -> BuildSteps {
    match subject {
        Subject::Program(it) => {
            it.failing.first().and_then(|target| it.steps(target)).unwrap_or_default()
        }
        Subject::Module(it) => {
            let (tool, words) = it.tool().unwrap_or_else(|| (it.library.name(), subject.flags()));
            BuildSteps { compiler: vec![tool], steps: vec![words], runner: Vec::new() }
        }
        Subject::Sequence(_) | Subject::Judged(_) => BuildSteps::default(),
    }
}
