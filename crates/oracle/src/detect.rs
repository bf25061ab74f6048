//! Other people's tools that say whether a program is valid: sanitizers and Frama-C.
//!
//! A sanitizer sees the one execution there is, as the machine does, and also whether the output is
//! the same. Frama-C's Eva over-approximates: its alarm proves nothing. Whatever keeps a tool from
//! its work is silence, never a word against the program.

mod eva;
mod sanitize;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use toolchain::{Found, Language, Tool, find_tool};

use crate::case::Case;
use crate::certify::{Certificate, Opinion};
use crate::lab::{Lab, Trouble};
use sanitize::Sanitizer;

/// Sanitizers and Frama-C, as far as they are installed and work.
#[derive(Debug)]
pub struct Detectors {
    gcc: Vec<Found>,
    clang: Vec<Found>,
    frama_c: Option<Found>,
    /// Found out by trying when first needed: it takes a second.
    c: OnceLock<Vec<Sanitizer>>,
    cxx: OnceLock<Vec<Sanitizer>>,
}

impl Detectors {
    /// Looks for the tools.
    pub fn find() -> Detectors {
        Detectors {
            gcc: newest_first(Tool::Gcc),
            clang: newest_first(Tool::Clang),
            frama_c: find_tool(Tool::FramaC).into_iter().next(),
            c: OnceLock::new(),
            cxx: OnceLock::new(),
        }
    }

    /// Asks every tool about a case whose files are in `dir`; `own` is the machine's opinion, which
    /// goes first. The certificate, and the processor time it took.
    pub fn certify(
        &self,
        lab: &Lab,
        case: &Case,
        dir: &Path,
        own: Opinion,
    ) -> Result<(Certificate, Duration), Trouble> {
        lab.write(case, dir)?;
        let mut opinions = vec![own];
        let mut cost = Duration::ZERO;
        for sanitizer in self.sanitizers(case.language) {
            let (opinion, cpu) = sanitizer.ask(lab, case, dir)?;
            opinions.push(opinion);
            cost += cpu;
        }
        if let (Language::C, Some(frama_c)) = (case.language, &self.frama_c) {
            let (opinion, cpu) = eva::ask(frama_c, lab, case, dir)?;
            opinions.push(opinion);
            cost += cpu;
        }
        Ok((Certificate { opinions }, cost))
    }

    /// The newest of each family that has its runtime.
    fn sanitizers(&self, language: Language) -> &[Sanitizer] {
        let cell = match language {
            Language::C => &self.c,
            Language::Cxx => &self.cxx,
        };
        cell.get_or_init(|| {
            let kinds = [
                (&self.gcc, sanitize::GCC),
                (&self.clang, sanitize::CLANG),
                (&self.clang, sanitize::MEMORY),
            ];
            let working = kinds.into_iter().filter_map(|(tools, kind)| {
                let drivers = tools.iter().filter_map(|found| driver(found, language));
                drivers
                    .map(|(found, path)| Sanitizer::new(kind, found, path))
                    .find(Sanitizer::works)
            });
            working.collect()
        })
    }
}

fn newest_first(tool: Tool) -> Vec<Found> {
    let mut found = find_tool(tool);
    let number = |found: &Found| -> Vec<u32> {
        found.version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
    };
    found.sort_by_key(|found| std::cmp::Reverse(number(found)));
    found
}

/// The driver for a language beside the one for C: `g++-12` beside `gcc-12`.
fn driver(found: &Found, language: Language) -> Option<(&Found, PathBuf)> {
    if language == Language::C {
        return Some((found, found.path.clone()));
    }
    let name = found.name.replacen("gcc", "g++", 1).replacen("clang", "clang++", 1);
    let path = found.path.with_file_name(name);
    path.is_file().then_some((found, path))
}
