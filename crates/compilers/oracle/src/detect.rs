//! External tools that check whether a program is valid: sanitizers and Frama-C.
//!
//! A sanitizer observes the one execution, as the machine does, and whether the output is
//! the same. Frama-C's Eva over-approximates: its alarm proves nothing. Whatever prevents a tool from
//! working is no answer, never an objection to the program.

mod eva;
mod sanitize;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use toolchain::{Family, InstalledTool, Language, Tool, find_tool};

use crate::case::Case;
use crate::certify::{Assessment, Certificate, Opinion};
use crate::lab::{Lab, Trouble};
use sanitize::Sanitizer;

/// One way to find undefined behaviour. The order is that of CsmithEdge: the quick
/// ones that are never wrong first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Detector {
    /// ASan: accesses outside of objects and of their lifetimes.
    Address,
    /// MSan: decisions on values that were never set. Clang alone has it.
    Memory,
    /// UBSan: arithmetic, null pointers, indices of arrays.
    Undefined,
    /// Frama-C's Eva, of no family.
    Eva,
}

impl Detector {
    /// The usual name: `ASan`.
    pub fn name(self) -> &'static str {
        match self {
            Detector::Address => "ASan",
            Detector::Memory => "MSan",
            Detector::Undefined => "UBSan",
            Detector::Eva => "Frama-C",
        }
    }
}

/// Which sanitizers were looked for, and the newest of each that works.
type Tried = BTreeMap<(sanitize::SanitizerKind, Language), Option<Arc<Sanitizer>>>;

/// Sanitizers and Frama-C, as far as they are installed and work.
#[derive(Debug)]
pub struct Detectors {
    gcc: Vec<InstalledTool>,
    clang: Vec<InstalledTool>,
    frama_c: Option<InstalledTool>,
    /// Which ones work is tried when first needed: it takes a second.
    tried: Mutex<Tried>,
}

impl Detectors {
    /// Looks for the tools.
    pub fn find() -> Detectors {
        let all = [Tool::Gcc, Tool::Clang, Tool::FramaC].into_iter().flat_map(find_tool);
        Detectors::among(all.collect())
    }

    /// These tools and no others.
    pub fn among(tools: Vec<InstalledTool>) -> Detectors {
        let of = |tool| tools.iter().filter(|found| found.tool == tool).cloned().collect();
        Detectors {
            gcc: newest_first(of(Tool::Gcc)),
            clang: newest_first(of(Tool::Clang)),
            frama_c: newest_first(of(Tool::FramaC)).into_iter().next(),
            tried: Mutex::default(),
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
        for kind in [sanitize::GCC, sanitize::CLANG, sanitize::MEMORY] {
            let Some(sanitizer) = self.sanitizer(kind, case.language) else { continue };
            let (opinion, cpu) = sanitizer.ask(lab, case, dir)?;
            opinions.push(opinion);
            cost += cpu;
        }
        if let Some((opinion, cpu)) = self.ask_eva(lab, case, dir)? {
            opinions.push(opinion);
            cost += cpu;
        }
        Ok((Certificate { opinions }, cost))
    }

    /// Asks the sanitizers of both families, one after the other, until one objects or sees the program do something
    /// other than it must.
    pub fn sanitizers(&self, lab: &Lab, case: &Case, dir: &Path) -> Result<Vec<Opinion>, Trouble> {
        let mut opinions = Vec::new();
        for kind in [sanitize::GCC, sanitize::CLANG, sanitize::MEMORY] {
            let Some(sanitizer) = self.sanitizer(kind, case.language) else { continue };
            let (opinion, _) = sanitizer.ask(lab, case, dir)?;
            let differs = matches!(opinion.says, Assessment::Differs(_));
            let is_over = opinion.says.objects() || differs;
            opinions.push(opinion);
            if is_over {
                break;
            }
        }
        Ok(opinions)
    }

    /// Asks one detector about a case whose files are in `dir`: a family's newest sanitizer, or
    /// Frama-C whatever the family. `None` where there is none.
    pub fn ask(
        &self,
        lab: &Lab,
        case: &Case,
        dir: &Path,
        detector: Detector,
        family: Family,
    ) -> Result<Option<(Opinion, Duration)>, Trouble> {
        if detector == Detector::Eva {
            return self.ask_eva(lab, case, dir);
        }
        let kind = sanitize::SanitizerKind::of(family, detector);
        let sanitizer = kind.and_then(|kind| self.sanitizer(kind, case.language));
        sanitizer.map(|sanitizer| sanitizer.ask(lab, case, dir)).transpose()
    }

    /// Asks some detectors, in their order and each once, until one objects. Clang's are preferred, for
    /// it has them all. Who was asked, and the processor time it took.
    pub fn ask_some(
        &self,
        lab: &Lab,
        case: &Case,
        dir: &Path,
        some: &BTreeSet<Detector>,
    ) -> Result<(Vec<(Detector, Opinion)>, Duration), Trouble> {
        let (mut asked, mut cost) = (Vec::new(), Duration::ZERO);
        for &detector in some {
            let said = match self.ask(lab, case, dir, detector, Family::Clang)? {
                None => self.ask(lab, case, dir, detector, Family::Gcc)?,
                said => said,
            };
            let Some((opinion, cpu)) = said else { continue };
            cost += cpu;
            let objects = opinion.says.objects();
            asked.push((detector, opinion));
            if objects {
                break;
            }
        }
        Ok((asked, cost))
    }

    fn ask_eva(
        &self,
        lab: &Lab,
        case: &Case,
        dir: &Path,
    ) -> Result<Option<(Opinion, Duration)>, Trouble> {
        let frama_c = self.frama_c.as_ref().filter(|_| case.language == Language::C);
        frama_c.map(|frama_c| eva::ask(frama_c, lab, case, dir)).transpose()
    }

    /// The newest of a family that has its runtime.
    fn sanitizer(
        &self,
        kind: sanitize::SanitizerKind,
        language: Language,
    ) -> Option<Arc<Sanitizer>> {
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        let found = tried.entry((kind, language)).or_insert_with(|| {
            let tools = match kind.family() {
                Family::Gcc => &self.gcc,
                _ => &self.clang,
            };
            let drivers = tools.iter().filter_map(|found| driver(found, language));
            let mut all = drivers.map(|(found, path)| Sanitizer::new(kind, found, path));
            all.find(Sanitizer::works).map(Arc::new)
        });
        found.clone()
    }
}

fn newest_first(mut found: Vec<InstalledTool>) -> Vec<InstalledTool> {
    let number = |found: &InstalledTool| -> Vec<u32> {
        found.version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
    };
    found.sort_by_key(|found| std::cmp::Reverse(number(found)));
    found
}

/// The driver for a language beside the one for C: `g++-12` beside `gcc-12`.
fn driver(found: &InstalledTool, language: Language) -> Option<(&InstalledTool, PathBuf)> {
    if language == Language::C {
        return Some((found, found.path.clone()));
    }
    let name = found.name.replacen("gcc", "g++", 1).replacen("clang", "clang++", 1);
    let path = found.path.with_file_name(name);
    path.is_file().then_some((found, path))
}
