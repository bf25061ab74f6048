//! LLVM IR functions as SMT-LIB queries: does one refine the other?
//!
//! A function refines another if, for any input, the other may do whatever it does. [`pose`] makes the
//! queries that decide it out of two functions, [`settle`] puts them, and [`read`] turns a solver's model
//! into an input that can be executed. The pair is proved if every group of queries has one that is
//! answered `unsat`; it is proved at once if there are none.
//!
//! | module | concern |
//! | --- | --- |
//! | `term`, `simplify`, `smt` | terms, their simplification, their text |
//! | `value`, `memory`, `escape` | lanes and constants, memory, allocas that escape |
//! | `side`, `loops` | one function unrolled: paths, UB, events; where loops are cut |
//! | `compute`, `float`, `access`, `call`, `intrinsic` | what instructions mean |
//! | `compare` | what makes the target wrong; the queries |
//! | `answer` | a solver's answer |
//! | `key` | a text that is the same for the same pair |
//!
//! Both functions are unfolded into one graph of terms. Loops are cut at their headers and proved piece
//! by piece. For undef, ways in which the source's choices may follow the target's are tried first: a
//! query without quantifiers is answered in milliseconds.
//!
//! **What is proved:** refinement for inputs of which each scalar part is any value, poison, or undef in
//! all its bits (not in some), and for memory whose bytes are the same on both sides; without data races;
//! with the addresses of allocas that the target has. Debug information, `tbaa`, alias scopes and profiles
//! are ignored. An unknown call does the same on both sides. Functions with loops are proved if both sides
//! go through their loops in lockstep, for memory without undef bytes.
//!
//! **Architecture Invariant:** what is not understood is refused with the reason: nothing is claimed. A
//! model is an input to execute (`irmachine`); what the execution does not show is "not confirmed", and no
//! finding.

mod access;
mod answer;
mod call;
mod compare;
mod compute;
mod escape;
mod float;
mod intrinsic;
mod key;
mod loops;
mod memory;
mod reason;
mod side;
mod simplify;
mod smt;
mod term;
mod value;

use irtext::Module;

pub use answer::{Answer, Reader, read};
pub use key::{key, same};
pub use reason::{Approximation, Undecided, Unsupported};

use reason::unsupported;

/// How large things may become.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Terms of a question. A function of a hundred instructions has some thousands.
    pub terms: usize,
    /// Instructions of a function. Terms are as deep as functions are long, and what walks over them recurs.
    pub instructions: usize,
    /// Scalar parts of a value.
    pub lanes: usize,
    /// Bytes that one access, copy or fill may touch.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { terms: 150_000, instructions: 1000, lanes: 256, bytes: 256 }
    }
}

/// A question to a solver.
#[derive(Clone, Debug)]
pub struct Question {
    /// What it is about.
    pub name: &'static str,
    /// SMT-LIB 2.
    pub text: String,
    /// Questions of one group are tried in order until one is `unsat`.
    pub group: u32,
    /// What it does not say exactly: then `sat` means nothing. Without one `sat` refutes, as far as this crate
    /// knows.
    pub approximation: Option<Approximation>,
    /// What the values that are asked for are.
    pub reader: Reader,
}

/// What came of a pair.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Proved.
    Refines,
    /// A solver has an assignment; the input is worth an execution.
    Refuted(Box<irmachine::input::Input>),
    /// Neither; why.
    Unknown(Undecided),
}

/// The questions about a function of two modules.
///
/// # Errors
///
/// If something in one of the functions is not understood, or known not to be decided here.
pub fn pose(
    before: &Module,
    after: &Module,
    function: &str,
    limits: &Limits,
) -> Result<Vec<Question>, Unsupported> {
    compare::pose(before, after, function, limits)
}

/// Puts questions, by a function that gives the solver's answer, until it is clear what came of the pair.
pub fn settle(questions: &[Question], ask: &mut dyn FnMut(&Question) -> String) -> Verdict {
    let mut at = 0;
    while at < questions.len() {
        let group = questions[at].group;
        let count = questions[at..].iter().take_while(|q| q.group == group).count();
        let mut why = Verdict::Unknown(Undecided::NoAnswer);
        for question in &questions[at..at + count] {
            match read(question, &ask(question)) {
                Answer::Unsat => {
                    why = Verdict::Refines;
                    break;
                }
                Answer::Sat(input) => match &question.approximation {
                    None => return Verdict::Refuted(input),
                    Some(what) => why = Verdict::Unknown(Undecided::Approximation(what.clone())),
                },
                Answer::Unknown(reason) => why = Verdict::Unknown(reason),
            }
        }
        if !matches!(why, Verdict::Refines) {
            return why;
        }
        at += count;
    }
    Verdict::Refines
}
