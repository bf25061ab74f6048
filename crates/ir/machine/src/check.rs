//! Refinement by execution: both sides on many inputs.

use std::cell::Cell;
use std::collections::BTreeMap;

use choice::Choices;
use irtext::{Linkage, Module};

use crate::code::{Function, Program};
use crate::compare::{Difference, Pair};
use crate::counterexample::Counterexample;
use crate::exec::{Side, execute};
use crate::input::Input;
use crate::inputs::{Draw, all};
use crate::mine::Mined;
use crate::outcome::{Execution, Limits, Outcome};
use crate::reason::Reason;

/// What executions say about a pair of functions.
#[derive(Clone, Debug)]
pub enum Answer {
    /// On no input that was tried does the target do what the source may not.
    Holds {
        /// Inputs on which this is certain and the source is not UB.
        executed: u32,
        /// Inputs on which the source is UB: whatever the target does is allowed.
        ub: u32,
        /// Inputs on which it is not certain, by reason.
        inconclusive: BTreeMap<Reason, u32>,
        /// Whether these were all inputs there are: all values of the arguments, undef and poison.
        complete: bool,
    },
    /// On this input it does.
    Refuted(Box<Counterexample>),
    /// No input could be decided on which the source is not UB: why.
    Unknown(Reason),
}

/// Both sides, ready for execution.
pub(crate) struct Sides<'a> {
    pub before: &'a Program,
    pub after: &'a Program,
    pub name: &'a str,
    pub limits: &'a Limits,
    /// Instructions executed so far.
    pub spent: Cell<u64>,
}

/// What one input says.
pub(crate) enum Verdict {
    Holds,
    Ub,
    Refuted(Refutation),
    Unknown(Reason),
}

/// How a target went wrong: the choices of both sides, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refutation {
    pub source: Vec<u32>,
    pub target: Vec<u32>,
    pub why: String,
}

/// Executions of a target with choices: any one may refute.
const TARGET_CHOICES: u32 = 8;

/// Inputs are exhaustive if there are at most so many for each that may be drawn.
const EXHAUSTIVE: usize = 3;

/// Instructions of all executions of a check, about.
const ENOUGH: u64 = 400_000;

/// A function without arguments runs so many times longer: it may be a whole program.
const PROGRAM: u32 = 50;

/// Checks a pair on inputs drawn for it, after those that are given.
pub fn check(
    before: &Module,
    after: &Module,
    name: &str,
    limits: &Limits,
    hints: &[Input],
) -> Answer {
    let limits = &limits_of(before, name, limits);
    let (source, target) = match programs(before, after, name) {
        Ok(both) => both,
        Err(why) => return Answer::Unknown(why),
    };
    let sides = Sides { before: &source, after: &target, name, limits, spent: Cell::new(0) };
    let Some(function) = sides.source_function() else {
        return Answer::Unknown(Reason::NoBody);
    };
    let mut tally = Tally::default();
    for input in hints {
        if let Some(found) = tally.add(&sides, (before, after), input) {
            return found;
        }
    }
    let mut mined = Mined::new(limits.closed);
    for program in [&source, &target] {
        mined.next_program();
        if let Some(place) = program.function(name) {
            mined.function(program, place);
        }
    }
    let exhaustive = match mined.beyond_arguments {
        true => None,
        false => all(function, limits.inputs as usize * EXHAUSTIVE),
    };
    let complete = exhaustive.is_some();
    match exhaustive {
        Some(inputs) => {
            for input in &inputs {
                if let Some(found) = tally.add(&sides, (before, after), input) {
                    return found;
                }
            }
        }
        None => {
            let draw = Draw::new(function, &mined, source.pointer_bits);
            let mut choices = Choices::new(limits.seed).fork(name);
            // Those with undef last: LLVM is careless of it in places, and a plain input says more.
            let (loose, plain): (Vec<u32>, Vec<u32>) =
                (0..limits.inputs).partition(|n| Draw::is_loose(*n));
            for (tried, number) in plain.into_iter().chain(loose).enumerate() {
                let input = draw.input(number, &mut choices);
                if let Some(found) = tally.add(&sides, (before, after), &input) {
                    return found;
                }
                if tally.is_hopeless(tried) || sides.is_tired() {
                    break;
                }
            }
        }
    }
    tally.answer(complete)
}

/// Checks a pair on one input.
pub fn confirm(
    before: &Module,
    after: &Module,
    name: &str,
    input: &Input,
    limits: &Limits,
) -> Answer {
    let limits = &limits_of(before, name, limits);
    let (source, target) = match programs(before, after, name) {
        Ok(both) => both,
        Err(why) => return Answer::Unknown(why),
    };
    let sides = Sides { before: &source, after: &target, name, limits, spent: Cell::new(0) };
    let mut tally = Tally::default();
    match tally.add(&sides, (before, after), input) {
        Some(found) => found,
        None => tally.answer(false),
    }
}

fn limits_of(module: &Module, name: &str, limits: &Limits) -> Limits {
    let alone = module.function(name).is_some_and(|function| function.params.is_empty());
    Limits { fuel: limits.fuel * if alone { PROGRAM } else { 1 }, ..limits.clone() }
}

/// Programs of both modules, if the function is one on both sides.
fn programs(before: &Module, after: &Module, name: &str) -> Result<(Program, Program), Reason> {
    let (Some(old), Some(new)) = (before.function(name), after.function(name)) else {
        return Err(Reason::NotOnBothSides(name.into()));
    };
    if !old.has_type_of(new) {
        return Err(Reason::TypeChanged);
    }
    if before.layout != after.layout {
        return Err(Reason::LayoutChanged);
    }
    let local = matches!(old.linkage, Linkage::Internal | Linkage::Private);
    let attributes = |module: &Module, f: &irtext::Function| {
        let params: Vec<_> = f.params.iter().map(|p| module.expand(&p.attributes)).collect();
        (params, module.expand(&f.result_attributes))
    };
    if local && attributes(before, old) != attributes(after, new) {
        // Whoever sees all callers may know more than the function tells.
        return Err(Reason::LocalAttributesChanged);
    }
    Ok((Program::new(before, name)?, Program::new(after, name)?))
}

impl<'a> Sides<'a> {
    fn source_function(&self) -> Option<&'a Function> {
        self.before.functions.get(self.before.function(self.name)? as usize)
    }

    fn run(&self, side: Side, input: &Input, script: &[u32], traced: bool) -> Execution {
        let program = if side == Side::Source { self.before } else { self.after };
        let done = execute(program, self.name, input, script, side, self.limits, traced);
        self.spent.set(self.spent.get() + u64::from(done.spent));
        done
    }

    /// Whether long executions have used up what there is for a check.
    fn is_tired(&self) -> bool {
        self.spent.get() > ENOUGH
    }

    /// What a side may do on an input, and whether that is all.
    fn behaviours(&self, side: Side, input: &Input) -> (Vec<Execution>, bool) {
        let most = if side == Side::Source { self.limits.choices } else { TARGET_CHOICES };
        let mut all: Vec<Execution> = Vec::new();
        let mut script: Vec<u32> = Vec::new();
        let mut complete = true;
        loop {
            let execution = self.run(side, input, &script, false);
            complete &= !execution.incomplete;
            let open = execution.taken.iter().rposition(|(choice, of)| choice + 1 < *of);
            script = execution.taken.iter().map(|(choice, _)| *choice).collect();
            let is_ub = matches!(execution.outcome, Outcome::Ub(_));
            all.push(execution);
            let Some(open) = open else { return (all, complete) };
            if all.len() as u32 >= most || is_ub || self.is_tired() {
                return (all, false);
            }
            script.truncate(open + 1);
            script[open] += 1;
        }
    }

    /// What one input says.
    pub(crate) fn judge(&self, input: &Input) -> Verdict {
        let Some(function) = self.source_function() else {
            return Verdict::Unknown(Reason::NoBody);
        };
        let (source, complete) = self.behaviours(Side::Source, input);
        if source.iter().any(|e| matches!(e.outcome, Outcome::Ub(_))) {
            return Verdict::Ub;
        }
        let mut doubt = source.iter().find_map(|e| match &e.outcome {
            Outcome::Unknown(why) => Some(why.clone()),
            _ => None,
        });
        if !complete {
            doubt = doubt.or(Some(Reason::TooManyChoices));
        }
        let known: Vec<&Execution> =
            source.iter().filter(|e| !matches!(e.outcome, Outcome::Unknown(_))).collect();
        if known.is_empty() {
            return Verdict::Unknown(doubt.unwrap_or(Reason::NoResult));
        }
        let (target, _) = self.behaviours(Side::Target, input);
        let mut unsure = None;
        for execution in &target {
            match self.allowed(input, function, &known, execution) {
                Ok(()) => {}
                Err(Difference::Unknown(why)) => unsure = Some(why),
                Err(Difference::Wrong(why)) => match &doubt {
                    Some(doubt) => unsure = Some(doubt.clone()),
                    None => {
                        let script = |e: &Execution| e.taken.iter().map(|(c, _)| *c).collect();
                        let (source, target) = (script(known[0]), script(execution));
                        return Verdict::Refuted(Refutation { source, target, why });
                    }
                },
            }
        }
        unsure.map_or(Verdict::Holds, Verdict::Unknown)
    }

    /// Whether one of the source's behaviours allows the target's.
    fn allowed(
        &self,
        input: &Input,
        function: &Function,
        source: &[&Execution],
        target: &Execution,
    ) -> Result<(), Difference> {
        match &target.outcome {
            Outcome::Unknown(why) => {
                return Err(Difference::Unknown(Reason::InTarget(Box::new(why.clone()))));
            }
            Outcome::Ub(what) => {
                return Err(Difference::Wrong(format!(
                    "the target is UB and the source is not: {what}"
                )));
            }
            _ => {}
        }
        let mut first = None;
        let mut unknown = None;
        for execution in source {
            let pair =
                Pair { before: self.before, after: self.after, input, source: execution, target };
            match pair.judge(&function.result) {
                Ok(()) => return Ok(()),
                Err(Difference::Unknown(why)) => unknown = Some(Difference::Unknown(why)),
                Err(wrong) => first = first.or(Some(wrong)),
            }
        }
        Err(unknown.or(first).unwrap_or(Difference::Unknown(Reason::NoResult)))
    }
}

/// Counts of what inputs said.
#[derive(Default)]
struct Tally {
    executed: u32,
    ub: u32,
    inconclusive: BTreeMap<Reason, u32>,
}

impl Tally {
    /// Adds an input; an answer if it refutes.
    fn add(
        &mut self,
        sides: &Sides<'_>,
        (before, after): (&Module, &Module),
        input: &Input,
    ) -> Option<Answer> {
        match sides.judge(input) {
            Verdict::Holds => self.executed += 1,
            Verdict::Ub => self.ub += 1,
            Verdict::Unknown(why) => *self.inconclusive.entry(why).or_default() += 1,
            Verdict::Refuted(refutation) => match sides.judge(input) {
                // Twice, or it is not believed.
                Verdict::Refuted(again) if again == refutation => {
                    let found = Counterexample::new((before, after), sides, input, &refutation);
                    return Some(Answer::Refuted(Box::new(found)));
                }
                _ => *self.inconclusive.entry(Reason::NotReproduced).or_default() += 1,
            },
        }
        None
    }

    /// Whether more inputs are not likely to tell anything: many were tried, none could be decided.
    fn is_hopeless(&self, tried: usize) -> bool {
        tried >= 40 && self.executed == 0 && self.ub == 0
    }

    fn answer(self, complete: bool) -> Answer {
        if self.executed == 0 && !(complete && self.inconclusive.is_empty()) {
            let most = self.inconclusive.iter().max_by_key(|(_, count)| **count);
            return Answer::Unknown(match most {
                Some((why, _)) => why.clone(),
                None => Reason::SourceAlwaysUb,
            });
        }
        let complete = complete && self.inconclusive.is_empty();
        Answer::Holds {
            executed: self.executed,
            ub: self.ub,
            inconclusive: self.inconclusive,
            complete,
        }
    }
}

impl Sides<'_> {
    /// An execution with all its steps.
    pub(crate) fn trace(&self, side: Side, input: &Input, script: &[u32]) -> Execution {
        self.run(side, input, script, true)
    }
}
