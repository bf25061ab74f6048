//! A solver as a process: z3, or cvc5.

use std::time::Duration;

use sandbox::{Ended, KillReason, Run, Status, Stop};

use crate::Failure;

/// A solver that reads SMT-LIB 2 on standard input.
#[derive(Clone, Debug)]
pub struct Solver {
    kind: Kind,
    /// For each question.
    pub time: Duration,
    /// For each question, in MiB.
    pub memory: u64,
    /// Ends it.
    pub stop: Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Z3,
    Cvc5,
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// All that it printed.
    Answer(String),
    /// Time or memory ran out.
    TooHard,
    /// It failed: why.
    Failed(Failure),
}

impl Solver {
    /// The one on the PATH, with limits that leave a hunt going; `None` if there is none.
    pub fn find() -> Option<Solver> {
        [Kind::Z3, Kind::Cvc5].into_iter().find_map(|kind| {
            let asked = Run::new(kind.name(), Duration::from_secs(20)).arg("--version").finish();
            asked.success().map(|_| Solver::of(kind))
        })
    }

    /// By its name, `z3` or `cvc5`.
    pub fn named(name: &str) -> Option<Solver> {
        let kind = [Kind::Z3, Kind::Cvc5].into_iter().find(|kind| kind.name() == name)?;
        Some(Solver::of(kind))
    }

    fn of(kind: Kind) -> Solver {
        Solver { kind, time: Duration::from_secs(5), memory: 1024, stop: Stop::new() }
    }

    /// The same with this much time for each question.
    pub fn within(self, time: Duration) -> Solver {
        Solver { time, ..self }
    }

    /// What it is called.
    pub fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// Puts a question.
    pub fn ask(&self, question: &str) -> Said {
        // It keeps to its own limit as a rule; ours is for when it does not.
        let run = Run::new(self.name(), self.time + Duration::from_secs(2))
            .stdin(question.as_bytes().to_vec())
            .stop(&self.stop);
        let run = match self.kind {
            Kind::Z3 => run
                .arg("-in")
                .arg(format!("-t:{}", self.time.as_millis()))
                .arg(format!("-memory:{}", self.memory)),
            Kind::Cvc5 => run
                .arg("--lang=smt2")
                .arg("--produce-models")
                .arg(format!("--tlimit={}", self.time.as_millis()))
                .memory(self.memory << 20),
        };
        match run.finish() {
            Ended::NotStarted(error) => Said::Failed(Failure::NotStarted(
                format!("{} cannot be started: {error}", self.name()).into(),
            )),
            Ended::Killed(KillReason::Wall, _) => Said::TooHard,
            Ended::Killed(why, _) => {
                Said::Failed(Failure::Killed(format!("{} was ended: {why:?}", self.name()).into()))
            }
            Ended::Finished(done) => {
                let said = done.stdout.text();
                let first = said.lines().next().unwrap_or("").trim();
                match (first, done.status) {
                    ("sat" | "unsat", _) => Said::Answer(said),
                    ("unknown" | "timeout", _) => Said::TooHard,
                    (_, Status::Signal(_)) => Said::TooHard,
                    _ if said.contains("out of memory") || said.contains("timeout") => {
                        Said::TooHard
                    }
                    _ => {
                        Said::Failed(Failure::Says(format!("{} says: {first}", self.name()).into()))
                    }
                }
            }
        }
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Z3 => "z3",
            Kind::Cvc5 => "cvc5",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_solvers_answer() {
        let question = "(set-logic QF_BV)(declare-const x (_ BitVec 8))\
            (assert (= (bvmul x x) #x31))(check-sat)(get-value (x))";
        for name in ["z3", "cvc5"] {
            let solver = Solver::named(name).unwrap();
            let Said::Answer(said) = solver.ask(question) else { panic!("{name}") };
            assert!(said.starts_with("sat\n") && said.contains("#"), "{said}");
            assert!(matches!(solver.ask("(nonsense"), Said::Failed(_)), "{name}");
        }
    }

    #[test]
    fn hard_questions_end() {
        let mut solver = Solver::named("z3").unwrap();
        solver.time = Duration::from_millis(300);
        let hard = "(set-logic QF_BV)(declare-const x (_ BitVec 64))(declare-const y (_ BitVec 64))\
            (assert (= (bvmul x y) #x0fffffffffffffc5))(assert (bvugt x #x0000000000000001))\
            (assert (bvugt y #x0000000000000001))(assert (bvult x #x0000000100000000))\
            (assert (bvult y #x0000000100000000))(check-sat)";
        assert_eq!(solver.ask(hard), Said::TooHard);
    }
}
