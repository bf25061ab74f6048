//! What makes a target wrong, as a term; and the questions that follow.
//!
//! The target is wrong if there are inputs, and choices of the target, such that for all choices of the source
//! the source has no undefined behaviour and the target does something else. Without choices of the source
//! that is one question without quantifiers. With choices, the source's are first tied to the target's in a few
//! ways: if the target is not wrong for one way, it is right. Then the question is put as it stands.
//!
//! Undefined inputs are left out where that is shown to be no loss. *Claim:* if each undefined part of the
//! input is chosen at most once by the target, then what holds for defined inputs holds for undefined ones.
//! *Because:* let the target choose `v`. It does what it does on the input `v`; as that is right, the source on
//! `v` does it, too, or has undefined behaviour; and the source on the undefined input may choose `v` at every
//! use. Branches on undefined values, and values that must be defined, choose twice, so they are no exception.
//! Where the target gives out the undefined value itself, which its receiver chooses anew at each use, the source
//! must do so, too, and not choose once: it does, because the input might also be poison, and what is undefined
//! with an undefined input is poison with a poison one, unless it was frozen.

use irmachine::Construct;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use irtext::{Function, Local, Module, Op};

use crate::answer::Reader;
use crate::loops::{Loops, loops};
use crate::memory::{
    OFFSET, POINTER, State, Step, block_of, byte_is_pointer, byte_poison, byte_value,
};
use crate::side::{End, Exit, Unfolded, unfold};
use crate::smt::{Asked, reached, text};
use crate::term::{Node, Origin, Role, Sort, Term, Variable};
use crate::value::{Kind, Lane, Shared};
use crate::{Approximation, Limits, Question, Unsupported, unsupported};

/// A pair, compared.
struct Compared {
    shared: Shared,
    /// Whether the target is wrong.
    wrong: Term,
    /// What the target returns.
    returned: Vec<Lane>,
    /// What of it may be undefined where it is carried over a cut.
    carried_undef: BTreeSet<String>,
}

pub(crate) fn pose(
    before: &Module,
    after: &Module,
    name: &str,
    limits: &Limits,
) -> Result<Vec<Question>, Unsupported> {
    let find = |module: &'_ Module| -> Result<usize, Unsupported> {
        let place = module.functions.iter().position(|f| f.name.as_deref() == Some(name));
        place.filter(|p| module.functions[*p].is_defined()).ok_or(Unsupported::NoSuchFunction)
    };
    let (source, target) = (&before.functions[find(before)?], &after.functions[find(after)?]);
    if crate::key::same(before, after, name) {
        return Ok(Vec::new());
    }
    let count = |function: &Function| -> usize {
        function.blocks.iter().map(|b| b.instructions.len()).sum()
    };
    if count(source).max(count(target)) > limits.instructions {
        return unsupported(Unsupported::TooLarge);
    }
    comparable(before, source, after, target)?;
    let old = loops(source)?;
    let Some(new) = loops(target)?.in_order_of(target, &old, source) else {
        return unsupported(Unsupported::LoopsDiffer);
    };
    let carried_undef = BTreeSet::new();
    let mut pair = Pair { before, source, after, target, loops: [old, new], limits, carried_undef };
    'again: loop {
        let mut questions = Vec::new();
        for start in std::iter::once(None).chain((0..pair.loops[0].headers.len()).map(Some)) {
            let all = pair.compare(start, true)?;
            // What turns out to be undefined at a cut is so from the beginning.
            let known = pair.carried_undef.len();
            pair.carried_undef.extend(all.carried_undef.iter().cloned());
            if pair.carried_undef.len() > known {
                continue 'again;
            }
            if all.shared.terms.is_false(all.wrong) {
                continue;
            }
            let once = all.chosen_once();
            let defined = pair.compare(start, false)?;
            let group = questions.last().map_or(0, |q: &Question| q.group + 1);
            questions.extend(defined.questions(group, "defined inputs"));
            if !once {
                let group = questions.last().map_or(0, |q: &Question| q.group + 1);
                questions.extend(all.questions(group, "undef inputs"));
            }
        }
        return Ok(questions);
    }
}

/// Two functions, and where they are cut.
struct Pair<'a> {
    before: &'a Module,
    source: &'a Function,
    after: &'a Module,
    target: &'a Function,
    loops: [Loops; 2],
    limits: &'a Limits,
    /// What may be undefined where it is carried over a cut.
    carried_undef: BTreeSet<String>,
}

/// Refuses pairs of which more than the bodies differ, and functions of unusual kinds.
fn comparable(
    before: &Module,
    source: &Function,
    after: &Module,
    target: &Function,
) -> Result<(), Unsupported> {
    if before.layout != after.layout {
        return unsupported(Unsupported::LayoutsDiffer);
    }
    let types = |function: &Function| {
        let params: Vec<_> =
            function.params.iter().map(|p| function.type_of(p.local).clone()).collect();
        (params, function.result.clone(), function.varargs)
    };
    if types(source) != types(target) {
        return unsupported(Unsupported::TypesDiffer);
    }
    let attributes = |module: &Module, function: &Function| {
        let mut all = vec![module.expand(&function.attributes)];
        all.push(module.expand(&function.result_attributes));
        all.extend(function.params.iter().map(|p| module.expand(&p.attributes)));
        all
    };
    let (old, new) = (attributes(before, source), attributes(after, target));
    if old != new {
        return unsupported(Unsupported::AttributesDiffer);
    }
    for word in ["null_pointer_is_valid", "naked", "presplitcoroutine"] {
        if old[0].has(word) {
            return unsupported(Construct::FunctionAttribute(word.into()));
        }
    }
    let denormal = old[0].0.iter().any(|a| {
        matches!(a, irtext::Attribute::Text(key, Some(value))
            if key.starts_with("denormal-fp-math") && value != "ieee,ieee" && value != "ieee")
    });
    if denormal {
        return unsupported(Construct::DenormalMode);
    }
    Ok(())
}

impl Pair<'_> {
    /// Allocas whose address others see. With loops, those of both functions count as seen: what they hold is
    /// the same at a cut.
    fn seen(&self) -> [BTreeSet<Local>; 2] {
        let functions = [self.source, self.target];
        let mut seen = functions.map(crate::escape::seen);
        if !self.loops[0].headers.is_empty() {
            let names = functions.map(|function| -> BTreeMap<_, _> {
                let all = function.blocks.iter().flat_map(|b| &b.instructions);
                let allocas = all.filter(|i| matches!(i.op, Op::Alloca { .. }));
                let named = allocas.filter_map(|i| {
                    let local = i.result?;
                    Some((function.locals[local.0 as usize].name.clone()?, local))
                });
                named.collect()
            });
            for (name, local) in &names[0] {
                if let Some(other) = names[1].get(name) {
                    seen[0].insert(*local);
                    seen[1].insert(*other);
                }
            }
        }
        seen
    }

    /// Compares the pieces from the beginning or from a cut on.
    fn compare(&self, start: Option<usize>, undef: bool) -> Result<Compared, Unsupported> {
        let mut shared = Shared::new(self.limits, undef);
        if !self.loops[0].headers.is_empty() {
            shared.approximate(Approximation::Loop);
            shared.carried_undef = self.carried_undef.clone();
            shared.memory.undef = false;
        }
        let [seen, seen_too] = self.seen();
        let [old, new] = &self.loops;
        let source = (self.before, self.source);
        let target = (self.after, self.target);
        let old = unfold(&mut shared, source, false, old, seen, start)?;
        let new = unfold(&mut shared, target, true, new, seen_too, start)?;
        same_globals(&shared, self.before, self.after)?;
        let (wrong, returned) = wrong(&mut shared, &old, &new)?;
        if shared.terms.count() > self.limits.terms {
            return unsupported(Unsupported::TooLarge);
        }
        Ok(Compared { shared, wrong, returned, carried_undef: new.carried_undef })
    }
}

/// Refuses globals that both speak of and that are not the same.
fn same_globals(shared: &Shared, before: &Module, after: &Module) -> Result<(), Unsupported> {
    for name in shared.blocks.keys().filter_map(|key| key.strip_prefix('@')) {
        let global = |module: &Module| {
            module.globals.iter().find(|g| g.name.as_deref() == Some(name)).cloned()
        };
        let same = match (global(before), global(after)) {
            (Some(a), Some(b)) => {
                (a.constant, &a.ty, &a.value, a.linkage, a.align)
                    == (b.constant, &b.ty, &b.value, b.linkage, b.align)
            }
            (None, None) => true,
            _ => false,
        };
        if !same {
            return unsupported(Unsupported::GlobalsDiffer);
        }
    }
    Ok(())
}

/// Whether the target is wrong, and what it returns.
fn wrong(
    shared: &mut Shared,
    old: &Unfolded,
    new: &Unfolded,
) -> Result<(Term, Vec<Lane>), Unsupported> {
    let names =
        |side: &Unfolded| -> Vec<String> { side.events.iter().map(|e| e.name.clone()).collect() };
    if names(old) != names(new) {
        return unsupported(Unsupported::CallsDiffer);
    }
    let mut ways = Vec::new();
    let mut conditions: BTreeMap<usize, Vec<Term>> = BTreeMap::new();
    for (after, condition) in &new.undefined {
        conditions.entry(*after).or_default().push(*condition);
    }
    for (after, conditions) in conditions {
        let bad = shared.terms.any(&conditions);
        ways.push(unless_source(shared, old, after, bad));
    }
    let place = somewhere(shared, "event", 1);
    for (number, (a, b)) in old.events.iter().zip(&new.events).enumerate() {
        let mut bad = Vec::new();
        for ((kind, x), (_, y)) in a.given.iter().zip(&b.given) {
            bad.push(lane_differs(shared, *kind, *x, *y));
        }
        if a.given.len() != b.given.len() {
            bad.push(shared.terms.bool(true));
        }
        bad.push(memory_differs(shared, a.state, b.state, place));
        let bad = shared.terms.any(&bad);
        let bad = shared.terms.and(b.condition, bad);
        let reached = shared.terms.differ(a.condition, b.condition);
        let bad = shared.terms.or(reached, bad);
        ways.push(unless_source(shared, old, number, bad));
    }
    let outside = somewhere(shared, "end", 2);
    let mut returned = Vec::new();
    let ends: BTreeSet<End> = new.exits.iter().map(|exit| exit.end).collect();
    for end in ends {
        // What an alloca holds matters at a cut, not at an end.
        let place = if let End::Cut(_) = end { place } else { outside };
        let (reached_old, lanes_old, state_old) = merged(shared, &old.exits, end);
        let (reached_new, lanes_new, state_new) = merged(shared, &new.exits, end);
        let mut bad = vec![shared.terms.not(reached_old)];
        if let (Some(state_old), Some(state_new)) = (state_old, state_new) {
            for (name, kind, x) in &lanes_old {
                if let Some((_, _, y)) = lanes_new.iter().find(|(n, k, _)| n == name && k == kind) {
                    bad.push(lane_differs(shared, *kind, *x, *y));
                }
            }
            bad.push(memory_differs(shared, state_old, state_new, place));
            if let End::Cut(_) = end {
                let Shared { terms, memory, .. } = shared;
                let state_too = memory.seen_by_others(terms, state_new);
                let byte = memory.read(terms, state_too, place, true);
                if terms.undefs(byte).next().is_some() {
                    return unsupported(Unsupported::UndefInLoop);
                }
                let block = block_of(terms, place);
                let alive = memory.alive(terms, state_old, block);
                let alive_too = memory.alive(terms, state_new, block);
                let dead = terms.not(alive_too);
                bad.push(terms.and(alive, dead));
            }
        }
        let bad = shared.terms.any(&bad);
        let bad = shared.terms.and(reached_new, bad);
        ways.push(unless_source(shared, old, usize::MAX, bad));
        if end == End::Return {
            returned = lanes_new.into_iter().map(|(_, _, lane)| lane).collect();
        }
    }
    Ok((shared.terms.any(&ways), returned))
}

/// Something bad after so many events, unless the source has undefined behaviour by then, or later without
/// anything in between that might not return.
fn unless_source(shared: &mut Shared, old: &Unfolded, after: usize, bad: Term) -> Term {
    if shared.terms.is_false(bad) {
        return bad;
    }
    let mut excuses = Vec::new();
    for (at, condition) in &old.undefined {
        let mut parts = vec![*condition];
        if *at > after {
            for event in old.events[after..*at].iter().filter(|e| !e.returns) {
                parts.push(shared.terms.not(event.condition));
            }
        }
        excuses.push(shared.terms.all(&parts));
    }
    let excused = shared.terms.any(&excuses);
    let none = shared.terms.not(excused);
    shared.terms.and(bad, none)
}

/// Any address that is no private alloca; with so many zeros at its top.
fn somewhere(shared: &mut Shared, name: &str, zeros: u32) -> Term {
    let terms = &mut shared.terms;
    let sort = Sort::Bits(POINTER - zeros);
    let place = terms.variable(format!("place_{name}"), sort, Role::Shared, false);
    let none = terms.number(zeros, 0);
    terms.concat(none, place)
}

fn lane_differs(shared: &mut Shared, kind: Kind, old: Lane, new: Lane) -> Term {
    let terms = &mut shared.terms;
    let mut differs = terms.differ(old.bits, new.bits);
    if let Kind::Float(float) = kind
        && !terms.is_false(differs)
        && let (Some(a), Some(b)) = (
            crate::float::is_nan(terms, float, old.bits),
            crate::float::is_nan(terms, float, new.bits),
        )
    {
        let both = terms.and(a, b);
        let not = terms.not(both);
        differs = terms.and(differs, not);
    }
    let bad = terms.or(new.poison, differs);
    let defined = terms.not(old.poison);
    terms.and(defined, bad)
}

fn memory_differs(shared: &mut Shared, old: State, new: State, place: Term) -> Term {
    let Shared { terms, memory, .. } = shared;
    let (old, new) = (memory.seen_by_others(terms, old), memory.seen_by_others(terms, new));
    // The same writes of the same bytes; undefined bytes among them are those of one side.
    if old == new {
        return terms.bool(false);
    }
    let old = memory.read(terms, old, place, false);
    let new = memory.read(terms, new, place, true);
    let (old_poison, new_poison) = (byte_poison(terms, old), byte_poison(terms, new));
    // A byte of a pointer will do for the number that it is.
    let (old_value, new_value) = (byte_value(terms, old), byte_value(terms, new));
    let other_value = terms.differ(old_value, new_value);
    let differs = terms.differ(old, new);
    let pointer = byte_is_pointer(terms, old);
    let other_pointer = terms.and(pointer, differs);
    let bad = terms.any(&[new_poison, other_value, other_pointer]);
    let defined = terms.not(old_poison);
    terms.and(defined, bad)
}

/// All exits of one kind as one: when, with what, and with which memory.
fn merged(
    shared: &mut Shared,
    exits: &[Exit],
    end: End,
) -> (Term, Vec<(String, Kind, Lane)>, Option<State>) {
    let mut reached = shared.terms.bool(false);
    let mut lanes: Vec<(String, Kind, Lane)> = Vec::new();
    let mut state = None;
    for exit in exits.iter().filter(|exit| exit.end == end) {
        let terms = &mut shared.terms;
        reached = terms.or(reached, exit.condition);
        match state {
            None => {
                lanes = exit.lanes.clone();
                state = Some(exit.state);
            }
            Some(other) => {
                for ((_, _, new), (_, _, old)) in exit.lanes.iter().zip(&mut lanes) {
                    old.bits = terms.choose(exit.condition, new.bits, old.bits);
                    old.poison = terms.choose(exit.condition, new.poison, old.poison);
                }
                state = Some(shared.memory.step(Step::If(exit.condition, exit.state, other)));
            }
        }
    }
    (reached, lanes, state)
}

impl Compared {
    /// Choices in the question: those of the source, and those of the target by their origin.
    fn choices(&self) -> (Vec<Variable>, BTreeMap<Origin, Vec<Variable>>) {
        let mut source = Vec::new();
        let mut target: BTreeMap<Origin, Vec<Variable>> = BTreeMap::new();
        for variable in self.shared.terms.choices(self.wrong) {
            let info = self.shared.terms.variable_info(*variable);
            match &info.role {
                Role::Undef(origin) | Role::Choice(origin) if info.target => {
                    target.entry(*origin).or_default().push(*variable);
                }
                _ => source.push(*variable),
            }
        }
        (source, target)
    }

    /// Whether the target chooses each undefined part of the input at most once.
    fn chosen_once(&self) -> bool {
        let (_, target) = self.choices();
        let inputs = |origin: &&Origin| matches!(origin, Origin::Input(_) | Origin::Byte(_));
        if target.iter().any(|(o, chosen)| inputs(&o) && chosen.len() > 1) {
            return false;
        }
        // Bytes at addresses that might be one count as one.
        let bytes = target.keys().filter(|o| matches!(o, Origin::Byte(_))).count();
        bytes <= 1 || self.bytes_apart(&target)
    }

    fn bytes_apart(&self, target: &BTreeMap<Origin, Vec<Variable>>) -> bool {
        let terms = &self.shared.terms;
        // One block, and offsets that differ by constants: sums with one base and different constants.
        let parts: Option<Vec<(Term, Option<Term>, u128)>> = target
            .keys()
            .filter_map(|origin| match origin {
                Origin::Byte(address) => Some(*address),
                _ => None,
            })
            .map(|address| {
                let mut offset = address;
                let mut block = address;
                while let Node::Concat(high, low) = terms.node(offset) {
                    if terms.width(*low) < OFFSET {
                        return None;
                    }
                    block = *high;
                    offset = *low;
                }
                if terms.width(offset) != OFFSET {
                    return None;
                }
                match terms.node(offset) {
                    Node::Arithmetic(crate::term::Arithmetic::Add, base, constant) => {
                        terms.as_number(*constant).map(|c| (block, Some(*base), c))
                    }
                    Node::Bits(_) => terms.as_number(offset).map(|c| (block, None, c)),
                    _ => Some((block, Some(offset), 0)),
                }
            })
            .collect();
        let Some(mut parts) = parts else { return false };
        let first = parts[0];
        if parts.iter().any(|p| (p.0, p.1) != (first.0, first.1)) {
            return false;
        }
        parts.sort_unstable();
        parts.windows(2).all(|pair| pair[0].2 != pair[1].2)
    }

    fn questions(mut self, group: u32, name: &'static str) -> Vec<Question> {
        if self.shared.terms.is_false(self.wrong) {
            return Vec::new();
        }
        let forgot = self.shared.memory.forgot.then_some(Approximation::ConstantMemory);
        let inexact = self.shared.inexact.clone().or(forgot);
        let (source, target) = self.choices();
        let mut questions = Vec::new();
        if source.is_empty() {
            self.ask(self.wrong, &[], group, name, inexact.clone(), &mut questions);
            return questions;
        }
        let tied = self.tied(&source, &target);
        if self.shared.terms.is_false(tied) {
            return Vec::new();
        }
        let tie = Some(Approximation::TiedChoices);
        self.ask(tied, &[], group, name, tie, &mut questions);
        // The source's single choices come before the target's choices at each use; one quantifier does not
        // say so.
        let role = |v: &Variable| &self.shared.terms.variable_info(*v).role;
        let once = source.iter().any(|v| matches!(role(v), Role::Choice(_)));
        let anew = target.values().flatten().any(|v| matches!(role(v), Role::Undef(_)));
        if !(once && anew) {
            self.ask(self.wrong, &source, group, name, inexact.clone(), &mut questions);
        }
        questions
    }

    fn ask(
        &mut self,
        goal: Term,
        for_all: &[Variable],
        group: u32,
        name: &'static str,
        approximation: Option<Approximation>,
        questions: &mut Vec<Question>,
    ) {
        let facts = facts(&mut self.shared, goal);
        let (reader, values) = Reader::new(&mut self.shared, goal);
        let mut asked = Asked { facts: &facts, goal, for_all, values: &values, floats: false };
        let terms = &self.shared.terms;
        let question = |text, approximation| Question {
            name,
            text,
            group,
            approximation,
            reader: reader.clone(),
        };
        questions.push(question(text(terms, &asked), approximation));
        let has_floats = reached(terms, &[goal]).iter().any(|term| match terms.node(*term) {
            Node::Apply(symbol, _) => !terms.symbol_info(*symbol).meaning.is_empty(),
            _ => false,
        });
        if has_floats && for_all.is_empty() {
            asked.floats = true;
            questions.push(question(text(terms, &asked), Some(Approximation::FloatArithmetic)));
        }
    }

    /// The question with the source's choices tied to the target's, in a few ways at once.
    fn tied(&mut self, source: &[Variable], target: &BTreeMap<Origin, Vec<Variable>>) -> Term {
        let mut all: Vec<Term> = Vec::new();
        for way in WAYS {
            let map = self.tie(*way, source, target);
            let term = self.shared.terms.replace(self.wrong, &map, &mut HashMap::new());
            if self.shared.terms.is_false(term) {
                return term;
            }
            all.push(term);
        }
        self.shared.terms.all(&all)
    }

    fn tie(
        &mut self,
        way: Way,
        source: &[Variable],
        target: &BTreeMap<Origin, Vec<Variable>>,
    ) -> BTreeMap<Variable, Term> {
        let mut map = BTreeMap::new();
        let mut used: BTreeMap<Origin, usize> = BTreeMap::new();
        // By age: an address is of choices that were made before it was read.
        for variable in source {
            let info = self.shared.terms.variable_info(*variable).clone();
            let (Role::Undef(origin) | Role::Choice(origin)) = info.role else { continue };
            let Sort::Bits(width) = info.sort else { continue };
            let origin = match origin {
                Origin::Byte(address) => {
                    Origin::Byte(self.shared.terms.replace(address, &map, &mut HashMap::new()))
                }
                other => other,
            };
            let next = used.entry(origin).or_default();
            let number = *next;
            *next += 1;
            // What is chosen once cannot follow what is chosen at each use of what the target gives.
            let once = matches!(info.role, Role::Choice(_));
            let terms = &self.shared.terms;
            let fixed = |v: &&Variable| matches!(terms.variable_info(**v).role, Role::Choice(_));
            let pool: Vec<Variable> = target
                .get(&origin)
                .into_iter()
                .flatten()
                .filter(|v| !once || fixed(v))
                .copied()
                .collect();
            let count = pool.len().max(1);
            let chosen = match way {
                Way::InOrder => pool.get(number % count),
                Way::OneByOne => pool.get(number),
                Way::Backwards => pool.iter().rev().nth(number % count),
                Way::First => pool.first(),
                Way::Last => pool.last(),
                Way::Zero | Way::Returned | Way::Alternating => None,
            };
            let terms = &mut self.shared.terms;
            let term = match (chosen, way) {
                (Some(chosen), _) => {
                    let sort = terms.variable_info(*chosen).sort;
                    Some(terms.intern(Node::Variable(*chosen), sort))
                }
                (None, Way::Returned) => {
                    let count = self.returned.len().max(1);
                    let lane = self.returned.get(number % count).map(|lane| lane.bits);
                    lane.filter(|bits| !once || terms.undefs(*bits).next().is_none())
                }
                (None, Way::Alternating) if number % 2 == 1 => Some(terms.ones(width)),
                _ => None,
            };
            let term = match term {
                None => terms.number(width, 0),
                Some(term) if terms.width(term) > width => terms.truncate(width, term),
                Some(term) => terms.zero_extend(width, term),
            };
            map.insert(*variable, term);
        }
        map
    }
}

/// How the source's choices follow the target's of the same origin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The first the first, the second the second.
    InOrder,
    /// The same, and those left over have all bits clear.
    OneByOne,
    /// The first the last.
    Backwards,
    /// All the first.
    First,
    /// All the last.
    Last,
    /// What the target returns.
    Returned,
    /// All bits clear.
    Zero,
    /// All bits clear, then all set.
    Alternating,
}

const WAYS: &[Way] = &[
    Way::InOrder,
    Way::OneByOne,
    Way::First,
    Way::Last,
    Way::Backwards,
    Way::Returned,
    Way::Zero,
    Way::Alternating,
];

/// What holds of blocks and addresses that a term speaks of.
fn facts(shared: &mut Shared, goal: Term) -> Vec<Term> {
    let mut facts = Vec::new();
    let (mut any, mut writable) = (false, false);
    let mut bases = Vec::new();
    for term in reached(&shared.terms, &[goal]) {
        let Node::Apply(symbol, arguments) = shared.terms.node(term) else { continue };
        let name = shared.terms.symbol_info(*symbol).name.clone();
        let Some(&argument) = arguments.first() else { continue };
        if !shared.terms.choices(argument).is_empty() {
            continue;
        }
        let terms = &mut shared.terms;
        match name.as_str() {
            "size" | "address" => {
                any |= terms.as_number(argument).is_none();
                if !bases.contains(&argument) {
                    bases.push(argument);
                }
            }
            "writable" => writable = true,
            "pointer of number" => {
                let zero = terms.number(1, 0);
                let pointer = terms.concat(zero, term);
                let address = shared.memory.address(terms, pointer);
                facts.push(terms.equal(address, argument));
                let block = block_of(terms, pointer);
                if !bases.contains(&block) {
                    bases.push(block);
                }
            }
            _ => {}
        }
    }
    let known = shared.memory.blocks.clone();
    let terms = &mut shared.terms;
    if any {
        let null = terms.number(crate::memory::BLOCK, 0);
        let zero = terms.number(OFFSET, 0);
        for name in ["size", "address"] {
            let of_null = terms.apply(name, &[null], Sort::Bits(OFFSET));
            facts.push(terms.equal(of_null, zero));
        }
        bases.extend(
            known.iter().map(|k| k.block).filter(|b| !bases.contains(b)).collect::<Vec<_>>(),
        );
    }
    for block in bases {
        let size = terms.apply("size", &[block], Sort::Bits(OFFSET));
        let address = terms.apply("address", &[block], Sort::Bits(OFFSET));
        let end = terms.add(address, size);
        facts.push(terms.at_most(false, address, end));
        let most = terms.number(OFFSET, i64::MAX as u128);
        facts.push(terms.at_most(false, size, most));
        let Some(known) = known.iter().find(|k| k.block == block) else { continue };
        let exact = terms.number(OFFSET, known.size.into());
        facts.push(if known.larger {
            terms.at_most(false, exact, size)
        } else {
            terms.equal(size, exact)
        });
        if !known.maybe_null {
            let zero = terms.number(OFFSET, 0);
            facts.push(terms.differ(address, zero));
        }
        if known.align > 1 && known.align.is_power_of_two() {
            let bits = known.align.trailing_zeros();
            let low = terms.truncate(bits, address);
            let zero = terms.number(bits, 0);
            facts.push(terms.equal(low, zero));
        }
        if writable {
            let may = terms.apply("writable", &[block], Sort::Bool);
            let expected = terms.bool(!known.constant);
            facts.push(terms.equal(may, expected));
        }
    }
    let objects: Vec<_> = known.iter().filter(|k| !k.constant && k.size > 0).collect();
    for (index, a) in objects.iter().enumerate().take(8) {
        for b in &objects[index + 1..objects.len().min(8)] {
            let mut apart = Vec::new();
            for (low, high) in [(a, b), (b, a)] {
                let start = terms.apply("address", &[low.block], Sort::Bits(OFFSET));
                let size = terms.number(OFFSET, low.size.into());
                let end = terms.add(start, size);
                let next = terms.apply("address", &[high.block], Sort::Bits(OFFSET));
                apart.push(terms.at_most(false, end, next));
            }
            if any || objects.len() > 1 {
                facts.push(terms.any(&apart));
            }
        }
    }
    facts.retain(|fact| !terms.is_true(*fact));
    facts
}
