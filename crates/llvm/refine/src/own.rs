//! Our own oracle: functions that changed are executed on many inputs, then put to a solver.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use irmachine::{Comparison, Counterexample};
use irtext::{Function, Linkage, Module};

use crate::{Failure, Reason, Refinement, Solver, SolverReply, Unconfirmed, Verdict};
use crate::{Refutation, unmodelled};

/// What passes between the two modules may have looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// One function at a time: every function must refine, whoever calls it.
    Function,
    /// The whole module: functions and variables that nobody else can name are what the module makes of
    /// them.
    #[default]
    Module,
}

/// Proofs that are remembered: a long hunt must not fill the memory.
const REMEMBERED: usize = 10_000;

/// A longer text is not read: LLVM writes shared constants out each time, and a few lines can become gigabytes.
const LONGEST: usize = 16 << 20;

/// The oracle. What was asked once is known from then on, to all clones.
#[derive(Clone, Debug)]
pub struct Checker {
    /// Who is asked where execution shows nothing; `None`: nobody.
    pub solver: Option<Solver>,
    /// How executions are bounded.
    pub execution: irmachine::Limits,
    /// How proofs are bounded.
    pub proof: irproof::Limits,
    /// What passes may have looked at.
    pub scope: Scope,
    /// Proofs that it remembers, by content of both functions.
    known: Arc<Mutex<HashMap<String, Proof>>>,
}

/// What execution showed of a pair.
#[derive(Clone, Debug, PartialEq)]
pub enum Executed {
    /// No difference on this many inputs; whether these were all there are.
    Held(u32, bool),
    /// A difference.
    Refuted,
    /// Nothing: why.
    Unknown(Reason),
    /// We failed.
    Failed(Failure),
}

impl Executed {
    /// A word for tables.
    pub fn name(&self) -> &'static str {
        match self {
            Executed::Held(_, true) => "all inputs",
            Executed::Held(_, false) => "no counterexample",
            Executed::Refuted => "refuted",
            Executed::Unknown(_) => "unknown",
            Executed::Failed(_) => "error",
        }
    }
}

/// What a solver showed of a pair.
#[derive(Clone, Debug, PartialEq)]
pub enum Proof {
    /// Nobody was asked.
    None,
    /// Both are the same.
    Same,
    /// The one refines the other.
    Proved,
    /// It does not, and the execution agrees.
    Refuted,
    /// The solver says it does not, the execution does not show it: why not.
    Unconfirmed(Unconfirmed),
    /// It cannot be put as a question: why.
    Unsupported(irproof::Unsupported),
    /// Time or memory ran out.
    TooHard,
    /// The solver failed: why.
    Failed(Failure),
}

impl Proof {
    /// Why there is none; `None` where there is one, or nobody was asked.
    pub fn why(&self) -> Option<String> {
        Some(match self {
            Proof::None | Proof::Same | Proof::Proved | Proof::Refuted => return None,
            Proof::Unconfirmed(why) => format!("a solver's counterexample is not confirmed: {why}"),
            Proof::Unsupported(why) => format!("no proof: {why}"),
            Proof::TooHard => "the solver ran out of time".into(),
            Proof::Failed(why) => why.to_string(),
        })
    }
}

/// What is known of a pair of functions.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Its name.
    pub function: String,
    /// What execution showed.
    pub executed: Executed,
    /// What a solver showed.
    pub proof: Proof,
    /// An input on which the second does what the first may not.
    pub counterexample: Option<Box<Counterexample>>,
    /// Time of executing.
    pub execution_time: Duration,
    /// Time of posing and solving.
    pub proof_time: Duration,
}

impl Checked {
    fn new(function: &str) -> Checked {
        Checked {
            function: function.to_string(),
            executed: Executed::Unknown(Reason::NotExecuted),
            proof: Proof::None,
            counterexample: None,
            execution_time: Duration::ZERO,
            proof_time: Duration::ZERO,
        }
    }

    /// All of it in one word.
    pub fn verdict(&self) -> Verdict {
        if let Some(counterexample) = &self.counterexample {
            return Verdict::Refuted(Box::new(Refutation {
                report: format!("@{}\n{counterexample}", self.function),
                needs_undef: counterexample.needs_undef,
                unmodelled: Vec::new(),
            }));
        }
        match (&self.proof, &self.executed) {
            (Proof::Same | Proof::Proved, _) | (_, Executed::Held(_, true)) => Verdict::Proved,
            (_, Executed::Held(executed, false)) => Verdict::Held(*executed),
            (Proof::Failed(why), _) | (_, Executed::Failed(why)) => Verdict::Error(why.clone()),
            (Proof::TooHard, _) => Verdict::Timeout,
            (_, Executed::Unknown(why)) => Verdict::Unknown(why.clone()),
            (_, Executed::Refuted) => Verdict::Error(Failure::NoInput),
        }
    }
}

impl Checker {
    /// With the solver on the PATH, if there is one.
    pub fn find() -> Checker {
        Checker::new(Solver::find())
    }

    /// With this solver, or none.
    pub fn new(solver: Option<Solver>) -> Checker {
        Checker {
            solver,
            execution: irmachine::Limits::default(),
            proof: irproof::Limits::default(),
            scope: Scope::default(),
            known: Arc::default(),
        }
    }

    /// The same for passes that may have looked at this much.
    pub fn within(&self, scope: Scope) -> Checker {
        Checker { scope, ..self.clone() }
    }

    /// Checks every function that both modules define. `Err`: one of them is not understood.
    pub fn functions(&self, before: &str, after: &str) -> Result<Vec<Checked>, Reason> {
        let pair = Pair::read(before, after)?;
        Ok(pair.names(self.scope).iter().map(|name| self.function(&pair, name)).collect())
    }

    /// Checks one function that both define.
    pub fn function(&self, pair: &Pair, name: &str) -> Checked {
        let mut checked = Checked::new(name);
        if let Some(why) = pair.unreadable(name) {
            checked.executed = Executed::Unknown(why);
        } else if irproof::same(&pair.before, &pair.after, name) {
            checked.proof = Proof::Same;
        } else {
            self.execute(pair, name, &mut checked);
            if let Some(solver) = self.solver.as_ref().filter(|_| checked.counterexample.is_none())
            {
                self.prove(pair, name, solver, &mut checked);
            }
        }
        checked
    }

    /// What execution alone shows of a function.
    pub fn executed(&self, pair: &Pair, name: &str) -> Executed {
        let mut checked = Checked::new(name);
        self.execute(pair, name, &mut checked);
        checked.executed
    }

    /// What a solver alone shows of a function.
    pub fn proved(&self, pair: &Pair, name: &str) -> Proof {
        let mut checked = Checked::new(name);
        if let Some(solver) = &self.solver {
            self.prove(pair, name, solver, &mut checked);
        }
        checked.proof
    }

    /// Executes one function.
    pub fn execute(&self, pair: &Pair, name: &str, checked: &mut Checked) {
        let begin = Instant::now();
        let limits = self.limits();
        let answer = guarded(|| irmachine::check(&pair.before, &pair.after, name, &limits, &[]));
        checked.execution_time = begin.elapsed();
        checked.executed = match answer {
            Ok(Comparison::Holds { executed, complete, .. }) => Executed::Held(executed, complete),
            Ok(Comparison::Refuted(counterexample)) => {
                checked.counterexample = Some(counterexample);
                Executed::Refuted
            }
            Ok(Comparison::Unknown(why)) => Executed::Unknown(why.into()),
            Err(failure) => Executed::Failed(failure),
        };
    }

    /// Whether a function refines another as far as execution tells: on an input that once showed that it does not,
    /// and on those that are drawn for it. What cannot be decided on that input is no.
    pub fn holds(&self, pair: &Pair, name: &str, input: &irmachine::Input) -> bool {
        if pair.unreadable(name).is_some() {
            return false;
        }
        if irproof::same(&pair.before, &pair.after, name) {
            return true;
        }
        let limits = self.limits();
        let Pair { before, after, .. } = pair;
        let again = guarded(|| irmachine::confirm(before, after, name, input, &limits));
        matches!(again, Ok(Comparison::Holds { executed, ub, .. }) if executed + ub > 0)
            && matches!(self.executed(pair, name), Executed::Held(..))
    }

    /// Bounds of an execution, and what begins with its initialiser.
    fn limits(&self) -> irmachine::Limits {
        irmachine::Limits { closed: self.scope == Scope::Module, ..self.execution.clone() }
    }

    /// Puts a function to a solver, unless that was done before.
    fn prove(&self, pair: &Pair, name: &str, solver: &Solver, checked: &mut Checked) {
        let begin = Instant::now();
        let asked = format!("{}\n{}", solver.name(), irproof::key(&pair.before, &pair.after, name));
        let known = self.lock().get(&asked).cloned();
        checked.proof = known.unwrap_or_else(|| {
            let proof = guarded(|| self.solve(pair, name, solver, checked));
            let proof = proof.unwrap_or_else(Proof::Failed);
            let mut known = self.lock();
            if known.len() >= REMEMBERED {
                known.clear();
            }
            // A counterexample is worth finding again: it is wanted with its traces.
            if proof != Proof::Refuted {
                known.insert(asked, proof.clone());
            }
            proof
        });
        checked.proof_time = begin.elapsed();
    }

    fn solve(&self, pair: &Pair, name: &str, solver: &Solver, checked: &mut Checked) -> Proof {
        let questions = match irproof::pose(&pair.before, &pair.after, name, &self.proof) {
            Ok(questions) => questions,
            Err(why) => return Proof::Unsupported(why),
        };
        let (mut too_hard, mut failed) = (false, None);
        let verdict =
            irproof::decide(&questions, &mut |question| match solver.ask(&question.text) {
                SolverReply::Answer(said) => said,
                SolverReply::TooHard => {
                    too_hard = true;
                    String::new()
                }
                SolverReply::Failed(why) => {
                    failed = Some(why);
                    String::new()
                }
            });
        match (verdict, failed) {
            (irproof::ProofVerdict::Refines, _) => Proof::Proved,
            (irproof::ProofVerdict::Refuted(input), _) => self.confirm(pair, name, &input, checked),
            (_, Some(why)) => Proof::Failed(why),
            (irproof::ProofVerdict::Unknown(_), None) if too_hard => Proof::TooHard,
            (irproof::ProofVerdict::Unknown(why), None) => {
                Proof::Unconfirmed(Unconfirmed::Undecided(why))
            }
        }
    }

    /// A solver's word is nothing before it was executed.
    fn confirm(
        &self,
        pair: &Pair,
        name: &str,
        input: &irmachine::Input,
        checked: &mut Checked,
    ) -> Proof {
        let Pair { before, after, .. } = pair;
        match irmachine::confirm(before, after, name, input, &self.execution) {
            Comparison::Refuted(counterexample) => {
                checked.counterexample = Some(counterexample);
                Proof::Refuted
            }
            Comparison::Holds { .. } => Proof::Unconfirmed(Unconfirmed::NoDifference),
            Comparison::Unknown(why) => Proof::Unconfirmed(Unconfirmed::Execution(why)),
        }
    }

    /// Plain data: a panic elsewhere has not broken it.
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Proof>> {
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Refinement for Checker {
    fn check(&self, before: &str, after: &str) -> Verdict {
        match self.functions(before, after) {
            Err(why) => Verdict::Unknown(why),
            Ok(all) => {
                let verdict = Verdict::all(all.iter().map(Checked::verdict));
                match verdict.unwrap_or(Verdict::Unknown(Reason::NoCommonFunction)) {
                    Verdict::Refuted(mut refuted) => {
                        let claims = irtext::parse_lenient(before).map(|(module, _)| module);
                        let claims = claims.map(|mut module| unmodelled::remove(&mut module));
                        refuted.unmodelled = claims.unwrap_or_default().into_iter().collect();
                        Verdict::Refuted(refuted)
                    }
                    verdict => verdict,
                }
            }
        }
    }
}

/// A bug of ours is no verdict, and no reason for a hunt to end.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
        Failure::Bug(words.unwrap_or("a panic").into())
    })
}

/// A module before and after, read.
#[derive(Debug)]
pub struct Pair {
    /// Before.
    pub before: Module,
    /// After.
    pub after: Module,
    /// Functions of either that are not understood, and why.
    refused: Vec<(String, Box<str>)>,
}

impl Pair {
    /// Two modules that are read already. One without a layout has the other's, as passes gave or took it; an
    /// old one is what LLVM makes of it when it reads it.
    pub fn of(mut before: Module, mut after: Module) -> Pair {
        let of_old = |layout: &Option<String>| {
            let parts = layout.as_deref().unwrap_or_default().split('-');
            parts.filter(|part| !part.starts_with("i128:")).collect::<Vec<_>>().join("-")
        };
        if before.layout.is_none() || of_old(&before.layout) == of_old(&after.layout) {
            before.layout = after.layout.clone();
        }
        after.layout = after.layout.or_else(|| before.layout.clone());
        Pair { before, after, refused: Vec::new() }
    }

    /// Reads two texts. `Err`: one of them is not understood.
    pub fn read(before: &str, after: &str) -> Result<Pair, Reason> {
        let read = |text: &str, which: fn(Box<str>) -> Reason| {
            if text.len() > LONGEST {
                return Err(Reason::LargeModule(text.len() >> 20));
            }
            irtext::parse_lenient(text).map_err(|refused| which(refused.to_string().into()))
        };
        let (before, not_before) = read(before, Reason::BeforeNotParsed)?;
        let (after, not_after) = read(after, Reason::AfterNotParsed)?;
        let refused = not_before.into_iter().chain(not_after);
        // Without the line: so that reasons can be counted.
        let refused = refused.map(|(name, why)| (name, why.what.into())).collect();
        Ok(Pair { refused, ..Pair::of(before, after) })
    }

    /// Functions that both define and that can be asked about, in order. Where passes may have looked at the
    /// whole module, those that only the module itself can call are none.
    pub fn names(&self, scope: Scope) -> Vec<String> {
        let named = self.before.functions.iter().filter_map(|f| Some((f.name.clone()?, f)));
        let asked = named.filter(|(name, before)| {
            let after = self.after.function(name);
            let readable = before.is_defined() && after.is_some_and(Function::is_defined);
            let refused = self.refused.iter().any(|(refused, _)| **refused == **name);
            let comparable = after.is_some_and(|after| before.has_type_of(after));
            let inner = matches!(before.linkage, Linkage::Internal | Linkage::Private);
            let open = scope == Scope::Function || !inner;
            (readable && comparable || refused) && open && !is_copy(before)
        });
        asked.map(|(name, _)| name.to_string()).collect()
    }

    fn unreadable(&self, name: &str) -> Option<Reason> {
        let refused = self.refused.iter().find(|(refused, _)| refused == name);
        refused.map(|(_, what)| Reason::FunctionNotParsed(what.clone()))
    }
}

/// A body that may not be the one that is executed: passes may drop it, or not look at it.
fn is_copy(function: &Function) -> bool {
    matches!(function.linkage, Linkage::AvailableExternally)
}
