//! Why an oracle does not decide a pair, and how it fails.
//!
//! They are data, so that they can be counted; [`std::fmt::Display`] says them.

use irmachine::reasons;

reasons! {
    /// Why it is not known whether one refines the other.
    Reason {
        Execution(reason: irmachine::Reason) => "{reason}",
        FunctionNotParsed(what: Box<str>) => "not parsed: {what}",
        BeforeNotParsed(what: Box<str>) => "the module before: {what}",
        AfterNotParsed(what: Box<str>) => "the module after: {what}",
        LargeModule(mebibytes: usize) => "a module of {mebibytes} MiB of text: at most 16 are read",
        NotExecuted => "it was not executed",
        NoCommonFunction => "no function is in both modules",
        AliveTv(words: Box<str>) => "{words}",
    }
}

reasons! {
    /// Why a solver's counterexample is not one.
    Unconfirmed {
        Undecided(why: irproof::Undecided) => "{why}",
        NoDifference => "the execution shows no difference",
        Execution(reason: irmachine::Reason) => "{reason}",
    }
}

reasons! {
    /// What failed: an oracle's program, or we.
    Failure {
        Scratch(error: Box<str>) => "cannot prepare a folder: {error}",
        NotStarted(error: Box<str>) => "{error}",
        Killed(what: Box<str>) => "{what}",
        Signal(number: i32) => "it died of signal {number}",
        Says(words: Box<str>) => "{words}",
        NoSummary => "there is no summary",
        NoInput => "a counterexample without an input",
        Bug(words: Box<str>) => "a bug of ours: {words}",
    }
}

impl From<irmachine::Reason> for Reason {
    fn from(reason: irmachine::Reason) -> Reason {
        Reason::Execution(reason)
    }
}
