//! LLVM IR functions as SMT-LIB questions: does one refine the other?
//!
//! A function refines another if whatever it does, for any input, the other may do. [`pose`] makes of two
//! functions the questions whose answers decide it, [`settle`] puts them, and [`read`] makes of a solver's
//! assignment an input that can be executed. The pair is proved if every group of questions has one that is
//! answered `unsat`; it is proved at once if there are none.
//!
//! What is proved: refinement for inputs of which each scalar part is any value, poison, or undefined in all
//! its bits (not in some), and for memory of which each byte is the same; without data races; the addresses
//! of allocas are those that the target has. Debug information, `tbaa`, alias scopes and profiles are not looked
//! at. A call does what the world wants, the same for both sides.
//!
//! Functions with loops are proved if both sides go through their loops in step, for memory without undefined
//! bytes. What is not understood is
//! refused, with the reason: nothing is claimed.
//!
//! | module | concern |
//! | --- | --- |
//! | `term`, `simplify`, `smt` | terms, their simplification, their text |
//! | `value`, `memory`, `escape` | lanes and constants, memory, allocas that others see |
//! | `side`, `loops` | a function unfolded: paths, undefined behaviour, events; where it is cut |
//! | `compute`, `float`, `access`, `call`, `intrinsic` | what instructions mean |
//! | `compare` | what makes the target wrong; the questions |
//! | `answer` | what a solver said |
//! | `key` | a text that is the same for the same pair |

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
mod side;
mod simplify;
mod smt;
mod term;
mod value;

use irtext::Module;

pub use answer::{Answer, Reader, read};
pub use key::{key, same};

/// Why there is no question, in words that can be counted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

fn refused<T>(why: &str) -> Result<T, Refused> {
    Err(Refused(why.to_string()))
}

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
    /// Whether `sat` refutes, as far as this crate knows; otherwise it means nothing.
    pub exact: bool,
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
    Unknown(String),
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
) -> Result<Vec<Question>, Refused> {
    compare::pose(before, after, function, limits)
}

/// Puts questions, by a function that gives the solver's answer, until it is clear what came of the pair.
pub fn settle(questions: &[Question], ask: &mut dyn FnMut(&Question) -> String) -> Verdict {
    let mut at = 0;
    while at < questions.len() {
        let group = questions[at].group;
        let count = questions[at..].iter().take_while(|q| q.group == group).count();
        let mut why = Verdict::Unknown("no answer".into());
        for question in &questions[at..at + count] {
            match read(question, &ask(question)) {
                Answer::Unsat => {
                    why = Verdict::Refines;
                    break;
                }
                Answer::Sat(input) if question.exact => {
                    return Verdict::Refuted(input);
                }
                Answer::Sat(_) => {
                    why = Verdict::Unknown("the question was an approximation".into())
                }
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
