//! The program on every version and level of its compiler's family.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use oracle::{Behaviour, Case, Fault, Lab, Observation, Trouble};
use toolchain::{Compiler, Target};

use crate::found::{Cell, Ladder, Rung};
use crate::key::place;
use crate::probe::{folders, side_by_side};

/// The usual levels, in the order of their columns.
const LEVELS: &[&str] = &["-O0", "-O1", "-O2", "-O3", "-Os"];

/// What compilers say to a flag that they do not have, or that is for another machine.
const UNKNOWN_FLAG: &[&str] = &[
    "unrecognized command-line option",
    "unrecognized command line option",
    "unknown argument",
    "unsupported option",
    "unknown target CPU",
    "bad value ",
];

/// Asks every compiler of a family, at each level that it has and with the failing flags.
///
/// A crash is the same in another version if it is in the same function: lines move.
pub fn ladder(
    lab: &Lab,
    case: &Case,
    fault: &Fault,
    relatives: &[Arc<Compiler>],
    flags: &[String],
    jobs: usize,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<Ladder, Trouble> {
    let levels = columns(relatives, flags);
    let mut rows: Vec<&Arc<Compiler>> = relatives.iter().collect();
    rows.sort_by_key(|compiler| (numbers(&compiler.version), compiler.name.clone()));
    let failing = flags.join(" ");
    let cells: Vec<(usize, usize)> =
        (0..rows.len()).flat_map(|row| (0..levels.len()).map(move |level| (row, level))).collect();
    let done = AtomicUsize::new(0);
    let ask = |i: usize, folder: &Path| -> Result<Cell, Trouble> {
        let (row, level) = cells[i];
        let (compiler, level) = (rows[row], &levels[level]);
        let number = done.fetch_add(1, Ordering::Relaxed) + 1;
        tell(&format!("{} {level}: {number} of {}", compiler.name, cells.len()));
        if !compiler.levels.contains(level) && *level != failing {
            return Ok(Cell::Unsupported);
        }
        let flags = level.split_whitespace().map(String::from).collect();
        let target = Target { compiler: compiler.clone(), flags };
        Ok(cell(case, fault, &lab.observe(case, folder, &target)?))
    };
    let asked = side_by_side(cells.len(), &folders(lab, case, jobs)?, &ask)?;
    let rungs = rows.iter().zip(asked.chunks(levels.len().max(1))).map(|(compiler, cells)| Rung {
        compiler: compiler.name.clone(),
        version: compiler.version.clone(),
        cells: as_far_as_shown(fault, cells),
    });
    Ok(Ladder { rungs: rungs.collect(), levels })
}

/// All levels that any of the compilers has, the usual ones first, and the failing flags.
fn columns(relatives: &[Arc<Compiler>], flags: &[String]) -> Vec<String> {
    let all: Vec<&String> = relatives.iter().flat_map(|compiler| &compiler.levels).collect();
    let usual = LEVELS.iter().filter(|level| all.iter().any(|l| l == *level));
    let mut columns: Vec<String> = usual.map(ToString::to_string).collect();
    let failing = flags.join(" ");
    for level in all.into_iter().chain([&failing]) {
        if !columns.contains(level) && !level.is_empty() {
            columns.push(level.clone());
        }
    }
    columns
}

fn cell(case: &Case, fault: &Fault, observation: &Observation) -> Cell {
    let seen = &observation.seen;
    if let Behaviour::Rejected(messages) = seen
        && UNKNOWN_FLAG.iter().any(|words| messages.contains(words))
    {
        return Cell::Unsupported;
    }
    match seen.fault(case) {
        None if seen.is_right(case) => Cell::Works,
        None => Cell::Unsupported,
        Some(other) if is_same(&other, fault) => Cell::Fails,
        Some(other) => Cell::Otherwise(other.kind),
    }
}

/// Whether a crash is that of a check which a release does not make, by the words it is known by.
pub fn is_internal_check(known_by: &str) -> bool {
    const CHECKS: &[&str] =
        &["Assertion `", "tree check", "RTL check", "rtl check", "verify_", "verification failed"];
    CHECKS.iter().any(|words| known_by.contains(words))
}

/// What is known of one compiler. A release is built without assertions and internal checks: where a check
/// failed that it never makes, that nothing is seen does not say that it works.
fn as_far_as_shown(fault: &Fault, cells: &[Cell]) -> Vec<Cell> {
    let is_check = is_internal_check(&fault.known_by);
    let checks = cells.contains(&Cell::Fails);
    let shown = |cell: &Cell| match cell {
        Cell::Works if is_check && !checks => Cell::CannotTell,
        cell => *cell,
    };
    cells.iter().map(shown).collect()
}

/// Whether two versions have the same fault.
fn is_same(a: &Fault, b: &Fault) -> bool {
    a.kind == b.kind && place(&a.known_by) == place(&b.known_by)
}

/// `12.2.0` as numbers, so that 9 is before 12.
fn numbers(version: &str) -> Vec<u64> {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

/// A compiler's name without its version: `gcc` of `gcc-12`, `aarch64-linux-gnu-gcc` of `aarch64-linux-gnu-gcc-12`.
/// Versions of one compiler have it in common.
pub fn product(name: &str) -> &str {
    let digit = |at: usize| name[at + 1..].starts_with(|c: char| c.is_ascii_digit());
    let version = name.match_indices('-').map(|(at, _)| at).find(|at| digit(*at));
    version.filter(|at| *at > 0).map_or(name, |at| &name[..at])
}

impl Ladder {
    /// The oldest compiler that fails anywhere, by name.
    pub fn first_bad(&self) -> Option<&str> {
        self.rungs.iter().find(|rung| rung.fails()).map(|rung| rung.compiler.as_str())
    }

    /// The newest compiler that fails anywhere, by name.
    pub fn last_bad(&self) -> Option<&str> {
        self.rungs.iter().rev().find(|rung| rung.fails()).map(|rung| rung.compiler.as_str())
    }

    /// The compilers that are right at some level and wrong at none, by name, oldest first.
    pub fn works(&self) -> Vec<&str> {
        let works = |rung: &&Rung| {
            let bad = |cell: &Cell| matches!(cell, Cell::Fails | Cell::Otherwise(_));
            rung.cells.contains(&Cell::Works) && !rung.cells.iter().any(bad)
        };
        self.rungs.iter().filter(works).map(|rung| rung.compiler.as_str()).collect()
    }

    /// What the ladders of one bug have in common: from which level on, and since which version where
    /// an older one is right (`from -O2, since 12`).
    ///
    /// At which other levels a bug shows depends on the program, and which newer versions have it on
    /// what is installed: neither counts.
    pub fn pattern(&self) -> String {
        let Some(at) = self.rungs.iter().position(Rung::fails) else { return String::new() };
        let first = &self.rungs[at];
        // The first failing column: -Os comes last, because what inlines less shows less.
        let lowest = first.cells.iter().position(|cell| *cell == Cell::Fails).unwrap_or(0);
        let level = self.levels.get(lowest).map(String::as_str).unwrap_or_default();
        // A native compiler is no older version of a cross compiler.
        let right = |rung: &Rung| {
            product(&rung.compiler) == product(&first.compiler)
                && rung.cells.get(lowest) == Some(&Cell::Works)
        };
        match numbers(&first.version).first() {
            Some(major) if self.rungs[..at].iter().any(right) => {
                format!("from {level}, since {major}")
            }
            _ => format!("from {level}"),
        }
    }
}

impl Rung {
    /// Whether the fault is seen at some level.
    pub fn fails(&self) -> bool {
        self.cells.contains(&Cell::Fails)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Cell::{Fails, Unsupported, Works};

    fn ladder(rows: &[(&str, [Cell; 3])]) -> Ladder {
        let rung = |(version, cells): &(&str, [Cell; 3])| Rung {
            compiler: format!("gcc-{version}"),
            version: version.to_string(),
            cells: cells.to_vec(),
        };
        let levels = ["-O0", "-O2", "-Os"].map(String::from).to_vec();
        Ladder { levels, rungs: rows.iter().map(rung).collect() }
    }

    #[test]
    fn patterns_do_not_depend_on_what_else_is_installed() {
        let ten = ("10.1.0", [Works, Works, Works]);
        let nine = ("9.3.0", [Unsupported, Works, Unsupported]);
        let eleven = ("11.2.0", [Works, Fails, Works]);
        let twelve = ("12.2.0", [Works, Fails, Fails]);
        let few = ladder(&[ten, eleven]);
        assert_eq!(few.pattern(), "from -O2, since 11");
        assert_eq!(ladder(&[nine, ten, eleven, twelve]).pattern(), few.pattern());
        assert_eq!(ladder(&[ten, twelve]).pattern(), "from -O2, since 12");
        assert_eq!(ladder(&[twelve]).pattern(), "from -O2");
        // Nothing says that the older one is right where it was not asked.
        let silent = ("9.3.0", [Works, Unsupported, Works]);
        assert_eq!(ladder(&[silent, twelve]).pattern(), "from -O2");
        assert_eq!(ladder(&[ten]).pattern(), "");
        let mut cross = ladder(&[ten, twelve]);
        cross.rungs[1].compiler = "aarch64-linux-gnu-gcc-12".into();
        assert_eq!(cross.pattern(), "from -O2", "the native one is another compiler");
        let all = ladder(&[nine, ten, eleven, twelve]);
        assert_eq!((all.first_bad(), all.last_bad()), (Some("gcc-11.2.0"), Some("gcc-12.2.0")));
        assert_eq!(all.works(), ["gcc-9.3.0", "gcc-10.1.0"]);
    }

    #[test]
    fn a_release_cannot_show_a_failed_check() {
        let fault = |known_by: &str| Fault {
            kind: oracle::FailureKind::CompilerCrash,
            known_by: known_by.into(),
        };
        let failed = fault("X.cpp:12: Assertion `x' failed");
        assert_eq!(
            as_far_as_shown(&failed, &[Works, Works, Unsupported]),
            [Cell::CannotTell, Cell::CannotTell, Unsupported]
        );
        // It fails at one level, so it checks at the others.
        assert_eq!(as_far_as_shown(&failed, &[Works, Fails]), [Works, Fails]);
        let other = fault("in f, at x.cc:12");
        assert_eq!(as_far_as_shown(&other, &[Works, Works]), [Works, Works]);
        let release = ("16.0.6", [Cell::CannotTell, Cell::CannotTell, Unsupported]);
        let told = ladder(&[release, ("17.0.0", [Works, Fails, Fails])]);
        assert_eq!((told.pattern().as_str(), told.works().len()), ("from -O2", 0));
    }

    #[test]
    fn versions_of_one_compiler_have_one_name() {
        for (name, want) in [
            ("gcc-12", "gcc"),
            ("aarch64-linux-gnu-gcc-12", "aarch64-linux-gnu-gcc"),
            ("x86_64-linux-gnu-gcc", "x86_64-linux-gnu-gcc"),
            ("libLLVM-22.1.8+assertions@/opt/llvm-22/lib/libLLVM.so", "libLLVM"),
            ("tcc", "tcc"),
            ("./gcc-my/bin/gcc-13", "./gcc-my/bin/gcc"),
            ("-12", "-12"),
        ] {
            assert_eq!(product(name), want);
        }
    }

    #[test]
    fn versions_are_numbers() {
        assert!(numbers("9.5.0") < numbers("12.2.0"));
        assert!(numbers("0.13.0") < numbers("0.13.1-dev"));
    }
}
