//! Whether one module refines another: does what passes made of it still mean what it meant?
//!
//! [`Checker`] is our oracle: functions that changed are executed by `irmachine` on many inputs; where that shows
//! nothing, `irproof` puts queries to a [`Solver`], under limits of time and memory. Queries are remembered
//! by content. [`AliveTv`] is a second opinion, where Alive2 is installed.
//!
//! A scope says whether passes may have looked beyond a function: then functions that only the module calls
//! are not asked about, and its own variables begin with their initialisers.
//!
//! **Architecture Invariant:** only an input that was executed is a counterexample; a solver's word alone is
//! none. Not being able to decide is no verdict: it is reported separately, with the reason.

mod alive;
mod own;
mod reason;
mod solver;
mod unmodelled;

use std::fmt;

pub use alive::AliveTv;
pub use own::{Checked, Checker, Executed, Pair, Proof, Scope};
pub use reason::{Failure, Reason, Unconfirmed};
pub use solver::{Solver, SolverReply};
pub use unmodelled::without_unmodelled;

/// What `-O2` does to a function by itself, in words that every LLVM from 14 on knows.
pub const PIPELINE: &str = "function(sroa,early-cse<memssa>,speculative-execution,jump-threading,\
correlated-propagation,simplifycfg,instcombine,aggressive-instcombine,libcalls-shrinkwrap,tailcallelim,\
simplifycfg,reassociate,loop-mssa(loop-instsimplify,loop-simplifycfg,licm,loop-rotate,licm,\
simple-loop-unswitch),simplifycfg,instcombine,loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),sroa,\
mldst-motion,gvn,sccp,bdce,instcombine,jump-threading,correlated-propagation,adce,memcpyopt,dse,\
loop-mssa(licm),simplifycfg,instcombine)";

/// What is known about a pair of functions, or of modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The one refines the other, whatever the input.
    Proved,
    /// No input was found on which it does not: how many were tried.
    Held(u32),
    /// It does not.
    Refuted(Box<Refutation>),
    /// There is something that the oracle does not know, or knows only roughly: what.
    Unknown(Reason),
    /// Too hard: time or memory ran out.
    Timeout,
    /// The oracle failed: why.
    Error(Failure),
}

/// A counterexample, for people, and what it rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refutation {
    /// The report.
    pub report: String,
    /// Whether the input has `undef` in it. Inputs without come first: with plain values nothing was seen.
    pub needs_undef: bool,
    /// Attributes and metadata in the module that are not modelled: the passes may have used them.
    pub unmodelled: Vec<String>,
}

impl Refutation {
    /// One of which no more is known.
    pub fn told(report: impl Into<String>) -> Refutation {
        Refutation { report: report.into(), ..Refutation::default() }
    }
}

impl Verdict {
    /// That of a whole: a refutation outweighs whatever else there is, then a failure, then what is not
    /// known, then what was too hard.
    pub fn all(verdicts: impl IntoIterator<Item = Verdict>) -> Option<Verdict> {
        let rank = |verdict: &Verdict| match verdict {
            Verdict::Proved => 0,
            Verdict::Held(_) => 1,
            Verdict::Timeout => 2,
            Verdict::Unknown(_) => 3,
            Verdict::Error(_) => 4,
            Verdict::Refuted(_) => 5,
        };
        // The first of the worst, and of executions the fewest.
        verdicts.into_iter().reduce(|worst, next| match (&worst, &next) {
            (Verdict::Held(a), Verdict::Held(b)) => Verdict::Held(*a.min(b)),
            _ if rank(&next) > rank(&worst) => next,
            _ => worst,
        })
    }

    /// A word for tables.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Held(_) => "no counterexample",
            Verdict::Refuted(_) => "refuted",
            Verdict::Unknown(_) => "unknown",
            Verdict::Timeout => "timeout",
            Verdict::Error(_) => "error",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Proved => f.write_str("refines (proved)"),
            Verdict::Held(executed) => {
                write!(f, "no counterexample in {executed} executions; not proved")
            }
            Verdict::Refuted(_) => f.write_str("does not refine"),
            Verdict::Unknown(why) => write!(f, "unknown: {why}"),
            Verdict::Timeout => f.write_str("unknown: the solver ran out of time"),
            Verdict::Error(why) => write!(f, "the check failed: {why}"),
        }
    }
}

/// Tells whether one module refines another.
pub trait Refinement {
    /// Judges what passes made of a module, both as text.
    fn check(&self, before: &str, after: &str) -> Verdict;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_counts() {
        let held = |n| Verdict::Held(n);
        assert_eq!(Verdict::all([]), None);
        assert_eq!(Verdict::all([Verdict::Proved, held(7), held(3)]), Some(held(3)));
        let bad = Verdict::Refuted(Box::new(Refutation::told("x")));
        assert_eq!(Verdict::all([Verdict::Timeout, bad.clone(), held(1)]), Some(bad));
    }
}
