//! The system's preprocessor: `gcc -E`, else `clang -E`, else `cc -E`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::{Ended, Run, Status};

use crate::catalog::Tool;
use crate::find::{find_tool, on_path};

/// Preprocessing takes tens of milliseconds; one that takes this long reads from a pipe that nobody
/// feeds, or includes itself.
const WALL: Duration = Duration::from_secs(60);

/// The dialect we read. Said outright because the default changes with the compiler's version
/// (GCC 15: C23), and with it what the headers declare.
const DIALECT: &str = "-std=gnu17";

/// Why a file could not be preprocessed.
#[derive(Debug, thiserror::Error)]
pub enum PreprocessError {
    /// No compiler to ask.
    #[error(
        "no C compiler was found to preprocess with: install one (on Debian: apt-get install gcc \
         libc6-dev), or give a preprocessed .i file"
    )]
    NoCompiler,
    /// The preprocessor could not be started.
    #[error("the preprocessor {program} could not be started: {error}", program = .program.display())]
    NotStarted {
        /// The program.
        program: PathBuf,
        /// The system's reason.
        error: std::io::Error,
    },
    /// It ran into the time limit.
    #[error("the preprocessor took longer than {} s and was stopped", WALL.as_secs())]
    TimedOut,
    /// It refused the file; these are its own messages.
    #[error("the preprocessor refused the file:\n{messages}")]
    Refused {
        /// What it wrote on standard error.
        messages: String,
    },
    /// Its output is not UTF-8.
    #[error("the file is not UTF-8 text (byte {at} of its preprocessed form): convert it first")]
    NotUtf8 {
        /// Offset of the first byte that is not.
        at: usize,
    },
}

/// A compiler used as a preprocessor.
#[derive(Clone, Debug)]
pub struct Preprocessor {
    program: PathBuf,
    options: Vec<OsString>,
}

impl Preprocessor {
    /// The system's preprocessor. Quick: looks names up, starts nothing, unless only a versioned
    /// compiler (`gcc-12`) is installed.
    pub fn find() -> Result<Preprocessor, PreprocessError> {
        let plain = ["gcc", "clang", "cc"].into_iter().find_map(on_path);
        let versioned = || {
            let found = [Tool::Gcc, Tool::Clang].into_iter().flat_map(find_tool).next();
            found.map(|found| found.path)
        };
        let program = plain.or_else(versioned).ok_or(PreprocessError::NoCompiler)?;
        Ok(Preprocessor { program, options: Vec::new() })
    }

    /// A preprocessor that is this compiler.
    pub fn with_compiler(program: impl Into<PathBuf>) -> Preprocessor {
        Preprocessor { program: program.into(), options: Vec::new() }
    }

    /// A preprocessor that is this command: a compiler with arguments.
    pub fn with_command(command: &[OsString]) -> Preprocessor {
        let (program, options) =
            command.split_first().map_or((PathBuf::new(), &[][..]), |(p, o)| (PathBuf::from(p), o));
        Preprocessor { program, options: options.to_vec() }
    }

    /// For the headers of a target with this data model: what of them the parser refuses, and programs hardly
    /// use, is left out. A program that uses it is then refused.
    pub fn for_abi(self, abi: ctree::Abi) -> Preprocessor {
        match abi {
            ctree::Abi::Lp64 => self,
            // `max_align_t` of i386 has a `__float128` in it.
            ctree::Abi::I386 | ctree::Abi::Ilp32 => {
                self.define("_GCC_MAX_ALIGN_T").define("__CLANG_MAX_ALIGN_T_DEFINED")
            }
        }
    }

    /// Adds a folder to search for headers.
    pub fn include(mut self, dir: impl AsRef<Path>) -> Preprocessor {
        self.options.push("-I".into());
        self.options.push(dir.as_ref().into());
        self
    }

    /// Defines a macro, as `NAME` or `NAME=VALUE`.
    pub fn define(mut self, definition: impl AsRef<str>) -> Preprocessor {
        self.options.push(format!("-D{}", definition.as_ref()).into());
        self
    }

    /// Adds any other option; a later `-std=` overrides ours.
    pub fn option(mut self, option: impl Into<OsString>) -> Preprocessor {
        self.options.push(option.into());
        self
    }

    /// The preprocessed text of a file, line markers included.
    pub fn run(&self, file: &Path) -> Result<String, PreprocessError> {
        let mut spent = Duration::ZERO;
        self.run_counted(file, &mut spent)
    }

    /// The same; the processor time it takes is added to `spent`.
    pub fn run_counted(
        &self,
        file: &Path,
        spent: &mut Duration,
    ) -> Result<String, PreprocessError> {
        let run = Run::new(&self.program, WALL)
            .args(["-E", "-w", DIALECT])
            .args(&self.options)
            .args(["-x", "c"])
            .arg(file)
            .env("LC_ALL", "C");
        let ended = run.finish();
        if let Ended::Finished(done) | Ended::Killed(_, done) = &ended {
            *spent += done.cpu;
        }
        match ended {
            Ended::Finished(done) if done.status == Status::Exit(0) => {
                String::from_utf8(done.stdout.bytes).map_err(|error| PreprocessError::NotUtf8 {
                    at: error.utf8_error().valid_up_to(),
                })
            }
            Ended::Finished(done) => Err(PreprocessError::Refused {
                messages: done.stderr.text().trim_end().to_string(),
            }),
            Ended::Killed(_, _) => Err(PreprocessError::TimedOut),
            Ended::NotStarted(error) => {
                Err(PreprocessError::NotStarted { program: self.program.clone(), error })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preprocess(
        source: &str,
        with: impl Fn(Preprocessor) -> Preprocessor,
    ) -> Result<String, String> {
        let scratch = sandbox::Scratch::new().map_err(|e| e.to_string())?;
        let file = scratch.file("a.c");
        std::fs::write(&file, source).map_err(|e| e.to_string())?;
        std::fs::write(scratch.file("here.h"), "int included;\n").map_err(|e| e.to_string())?;
        let found = Preprocessor::find().map_err(|e| e.to_string())?;
        with(found.include(scratch.path())).run(&file).map_err(|e| e.to_string())
    }

    #[test]
    fn defines_and_includes() {
        let text = preprocess("#include <here.h>\nint n = N;\n", |p| p.define("N=42"));
        let text = text.expect("it preprocesses");
        assert!(text.contains("int n = 42;") && text.contains("int included;"), "{text}");
    }

    #[test]
    fn a_missing_header_is_told_in_the_compilers_words() {
        let error = preprocess("#include <no-such-header.h>\n", |p| p).expect_err("no header");
        assert!(error.contains("no-such-header.h"), "{error}");
    }

    #[test]
    fn a_missing_compiler_is_told() {
        let run = Preprocessor::with_compiler("/nowhere/gcc").run(Path::new("a.c"));
        assert!(matches!(run, Err(PreprocessError::NotStarted { .. })));
    }
}
