//! A program under sequences: what it does after each, what lies behind a crash, and which few passes are needed.
//!
//! More than half of random sequences end in a crash or in an invalid module, mostly the same few. What a
//! [`Trial`] does about that wall: the pass that failed is taken out of the sequence and the rest runs
//! again, so that nearly every sequence ends in code that is executed.
//!
//! Modules are verified at the end only, unless told otherwise: verifying after each pass takes six times as
//! long. What fails is run again with it, so that the pass is known that broke a module, and a crash further
//! on is not taken for another bug.

use std::io;
use std::time::Duration;

use llvmhost::{Allowance, Executed, ExecutionEnd, Limits, Running, Server, Signature};
use optimise::verdict::{CODE_GENERATOR, Verdict, judge};
use optimise::work::{Answer, Item, Pipeline};

use crate::inventory::Inventory;
use crate::sequence::{Grouping, Sequence};
use crate::shorten::shorten;

/// A sequence that fails is tried without the culprit so many times.
const RETRIES: usize = 6;

/// Sequences that run between two looks at whether to stop: enough to pay for a fork.
const AT_ONCE: usize = 5;

/// When a sequence is shortened, a part of it may take so many times as long as the whole, and so long.
const PATIENCE: u32 = 3;
const GRACE: Duration = Duration::from_secs(1);

/// The expected result of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedRun {
    /// Its exit status.
    pub status: u8,
    /// Its output.
    pub stdout: Vec<u8>,
}

impl ExpectedRun {
    /// Whether an execution has this result.
    pub fn matches(&self, executed: &Executed) -> bool {
        let status = match executed.how {
            ExecutionEnd::Status(status) => Some(status),
            // As shells show it: `abort` may be what a program must do.
            ExecutionEnd::Signal(signal) => u8::try_from(128 + signal).ok(),
            ExecutionEnd::Time | ExecutionEnd::NotBegun(_) => None,
        };
        status == Some(self.status) && executed.stdout == self.stdout
    }
}

/// Options for shortening a sequence.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShortenOptions {
    /// Modules are verified after each pass.
    pub verify_each: bool,
    /// The finding is that LLVM takes too long.
    pub is_slow: bool,
}

/// What a program did after a sequence.
#[derive(Clone, Debug)]
pub enum SequenceOutcome {
    /// It was executed.
    Executed(Executed),
    /// LLVM failed.
    Fault(Signature),
    /// There is no such pass, or it cannot stand there.
    Refused(String),
    /// A bug of ours.
    Trouble(String),
}

/// One attempt at a sequence, or at what was left of it.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Which of the sequences.
    pub of: usize,
    /// What was run of it.
    pub sequence: Sequence,
    /// What came of it.
    pub seen: SequenceOutcome,
}

/// Executes an object in some other way than by LLVM's JIT.
pub type ExecuteFn<'t> = &'t dyn Fn(&[u8]) -> io::Result<Executed>;

/// A program on a server.
pub struct Trial<'t> {
    /// Where passes run.
    pub server: &'t mut Server,
    /// Their names.
    pub inventory: &'t Inventory,
    /// The program, as bitcode.
    pub bitcode: &'t [u8],
    /// What LLVM may use.
    pub limits: Limits,
    /// What the program may use.
    pub allowance: Allowance,
    /// Who executes it, if not LLVM's JIT.
    pub runner: Option<ExecuteFn<'t>>,
    /// Whether modules are verified after every pass.
    pub verify_each: bool,
    /// Time that was spent so far.
    pub spent: Duration,
    /// Whether it is to end: then what runs is an error of the kind `Interrupted`.
    pub is_stopped: &'t dyn Fn() -> bool,
}

impl Trial<'_> {
    fn item(&self, sequence: &Sequence, verify_each: bool) -> Item {
        let running = Running { verify_each, log: false };
        let passes = sequence.text(self.inventory, Grouping::Alone);
        Item::Execute {
            module: self.bitcode.to_vec(),
            pipeline: Pipeline::of(passes, running),
            allowance: self.runner.is_none().then_some(self.allowance),
        }
    }

    /// What the program does after each of some sequences.
    pub fn run(&mut self, sequences: &[Sequence]) -> io::Result<Vec<SequenceOutcome>> {
        self.run_verified(sequences, self.verify_each)
    }

    fn run_verified(
        &mut self,
        sequences: &[Sequence],
        verify_each: bool,
    ) -> io::Result<Vec<SequenceOutcome>> {
        let mut all = Vec::with_capacity(sequences.len());
        for some in sequences.chunks(AT_ONCE) {
            if (self.is_stopped)() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let items = some.iter().map(|one| self.item(one, verify_each).bytes()).collect();
            let ran = self.server.run(items, self.limits, false)?;
            self.spent += ran.iter().map(|ran| ran.time).sum::<Duration>();
            for ran in &ran {
                all.push(self.seen(Verdict::of(ran))?);
            }
        }
        Ok(all)
    }

    /// The same once more, alone, with the module verified after each pass; and what LLVM said.
    pub fn rerun_verified(&mut self, sequence: &Sequence) -> io::Result<(SequenceOutcome, String)> {
        let item = self.item(sequence, true);
        let (verdict, ran) = judge(self.server, &item, self.limits)?;
        Ok((self.seen(verdict)?, ran.end.describe()))
    }

    fn seen(&self, verdict: Verdict) -> io::Result<SequenceOutcome> {
        let executed = match (verdict, self.runner) {
            (Verdict::Fine(Answer::Executed(executed)), _) => executed,
            (Verdict::Fine(Answer::Object(object)), Some(runner)) => runner(&object)?,
            (Verdict::Fine(other), _) => return Ok(SequenceOutcome::Trouble(format!("{other:?}"))),
            (Verdict::Fault(signature), _) => return Ok(SequenceOutcome::Fault(signature)),
            (Verdict::Refused(words), _) => return Ok(SequenceOutcome::Refused(words)),
            (Verdict::Trouble(words), _) => return Ok(SequenceOutcome::Trouble(words)),
        };
        Ok(match executed.how {
            ExecutionEnd::NotBegun(why) => SequenceOutcome::Trouble(why),
            _ => SequenceOutcome::Executed(executed),
        })
    }

    /// Runs sequences, and those that fail again without the pass that failed, until they pass or it is no
    /// use. Every attempt is told at once and put down, so that what was seen before an error is there; the last
    /// of each sequence is what it came to.
    pub fn run_past_crashes(
        &mut self,
        sequences: &[Sequence],
        attempts: &mut Vec<Attempt>,
        tell: &mut dyn FnMut(&Attempt),
    ) -> io::Result<()> {
        let mut open: Vec<(usize, Sequence)> = sequences.iter().cloned().enumerate().collect();
        for _ in 0..=RETRIES {
            let mut next = Vec::new();
            for some in open.chunks(AT_ONCE) {
                let texts: Vec<Sequence> = some.iter().map(|(_, one)| one.clone()).collect();
                let seen = self.run(&texts)?;
                for ((of, sequence), mut seen) in some.iter().cloned().zip(seen) {
                    if matches!(&seen, SequenceOutcome::Fault(signature) if signature.pass.is_none())
                    {
                        seen = self.rerun_verified(&sequence)?.0;
                    }
                    let rest = match &seen {
                        SequenceOutcome::Fault(signature) => {
                            without_culprit(&sequence, signature, self.inventory)
                        }
                        _ => None,
                    };
                    next.extend(rest.map(|rest| (of, rest)));
                    let attempt = Attempt { of, sequence, seen };
                    tell(&attempt);
                    attempts.push(attempt);
                }
            }
            if next.is_empty() {
                break;
            }
            open = next;
        }
        Ok(())
    }

    /// The fewest passes after which the program still does something that `shows` accepts: one less, and
    /// it does not.
    pub fn shorten(
        &mut self,
        sequence: &Sequence,
        ShortenOptions { verify_each, is_slow }: ShortenOptions,
        shows: &dyn Fn(&SequenceOutcome) -> bool,
    ) -> io::Result<Sequence> {
        // A part of it that takes much longer is no better.
        let whole = self.limits;
        let before = self.spent;
        self.run_verified(std::slice::from_ref(sequence), verify_each)?;
        let took = self.spent.saturating_sub(before);
        if !is_slow {
            self.limits.time = (took * PATIENCE + GRACE).min(whole.time);
        }
        let kept = shorten(&sequence.0, |candidates: &[Vec<u16>]| {
            let candidates: Vec<Sequence> = candidates.iter().cloned().map(Sequence).collect();
            Ok(self.run_verified(&candidates, verify_each)?.iter().map(shows).collect())
        });
        self.limits = whole;
        kept.map(Sequence)
    }
}

impl SequenceOutcome {
    /// Whether the program ran and did something else than it must.
    pub fn is_wrong(&self, must: &ExpectedRun) -> bool {
        matches!(self, SequenceOutcome::Executed(executed) if !must.matches(executed))
    }
}

/// A sequence without the pass that failed, wherever it stands. `None` if that is not known, or would leave
/// it as it is: then another pass failed.
fn without_culprit(
    sequence: &Sequence,
    signature: &Signature,
    inventory: &Inventory,
) -> Option<Sequence> {
    let class = signature.pass.as_deref().filter(|pass| *pass != CODE_GENERATOR)?;
    let class = class.trim_start_matches("llvm::");
    let is_other = |number: &u16| inventory.pass(*number).is_none_or(|pass| pass.class != class);
    let rest: Vec<u16> = sequence.0.iter().copied().filter(is_other).collect();
    (rest.len() < sequence.0.len()).then_some(Sequence(rest))
}
