//! What the reference compiler makes of a program, remembered between runs.
//!
//! Compiling thousands of programs with gcc takes minutes and always gives the same; the machine
//! is what changes. Entries lie under the target folder, in a folder named after the compiler's
//! version: `cargo clean`, or removing that folder, forgets them.

use std::fs;
use std::path::Path;

use anyhow::Result;
use sandbox::Status;

use crate::compiler::{Built, Compiler};

/// The result of the reference on a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// It ran to its end.
    Ran {
        /// Exit status as a shell shows it.
        status: u8,
        /// Standard output.
        stdout: Vec<u8>,
    },
    /// There is nothing to compare with, and why.
    Skip(String),
}

impl Reference {
    /// Asks the compiler.
    pub fn of(compiler: &Compiler, source: &Path, binary: &Path) -> Reference {
        match compiler.build_and_run(source, binary).0 {
            Built::Ran(done) if done.stdout.truncated => Reference::Skip("prints too much".into()),
            Built::Ran(done) => {
                Reference::Ran { status: done.status.shell(), stdout: done.stdout.bytes }
            }
            Built::TooLong => Reference::Skip(format!(
                "not done in {} s with gcc -O0",
                compiler.run_wall.as_secs()
            )),
            Built::NotCompiled(_) | Built::Crashed(_) => {
                Reference::Skip("gcc -O0 does not compile it".into())
            }
        }
    }

    /// The entry of a file, or a new one made and written there.
    pub fn remembered(file: &Path, make: impl FnOnce() -> Reference) -> Result<Reference> {
        if let Some(known) = fs::read(file).ok().and_then(|bytes| Reference::decode(&bytes)) {
            return Ok(known);
        }
        let made = make();
        // Renamed into place, so that a run that is stopped leaves no half an entry.
        let partial = file.with_extension("partial");
        fs::write(&partial, made.encode())?;
        fs::rename(&partial, file)?;
        Ok(made)
    }

    fn encode(&self) -> Vec<u8> {
        match self {
            Reference::Ran { status, stdout } => {
                [format!("ran {status}\n").as_bytes(), stdout].concat()
            }
            Reference::Skip(why) => format!("skip {why}\n").into_bytes(),
        }
    }

    fn decode(bytes: &[u8]) -> Option<Reference> {
        let end = bytes.iter().position(|&b| b == b'\n')?;
        let (head, rest) = (std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]);
        match head.split_once(' ')? {
            ("ran", status) => {
                Some(Reference::Ran { status: status.parse().ok()?, stdout: rest.to_vec() })
            }
            ("skip", why) => Some(Reference::Skip(why.into())),
            _ => None,
        }
    }
}

/// The version a compiler says it has, for the name of a folder.
pub fn version(compiler: &Compiler) -> String {
    let run = sandbox::Run::new(&compiler.program, std::time::Duration::from_secs(10))
        .args(["-dumpfullversion", "-dumpversion"]);
    let done = run.finish().finished().filter(|done| done.status == Status::Exit(0));
    done.map_or("unknown".into(), |done| done.stdout.text().trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_read_back() {
        let all = [
            Reference::Ran { status: 134, stdout: b"a\nb\xff".to_vec() },
            Reference::Ran { status: 0, stdout: Vec::new() },
            Reference::Skip("gcc -O0 does not compile it".into()),
        ];
        for one in all {
            assert_eq!(Reference::decode(&one.encode()), Some(one));
        }
        assert_eq!(Reference::decode(b"ran 3"), None);
    }
}
