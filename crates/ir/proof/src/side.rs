//! One of the two functions, unfolded: blocks in order, conditions of paths, what is undefined behaviour, and
//! what others see of it.
//!
//! A function, or a piece of it, without loops is a term: each block has the condition under which it is reached, a `phi` picks
//! by the conditions of its edges, and memory is merged in the same way. What the world can see in between
//! (calls, volatile accesses) is a list of events, in the order of the blocks.

use irmachine::Construct;
use std::collections::BTreeSet;

use irtext::layout::Layout;
use irtext::{BlockId, Function, Instruction, Local, Module, Op, Type};

use crate::loops::Loops;
use crate::memory::{State, Step};
use crate::term::Term;
use crate::value::{Kind, Lane, Shared};
use crate::{Unsupported, unsupported};

/// What others see happen.
pub(crate) struct Event {
    /// What happens, in words: equal words on both sides are the same thing.
    pub(crate) name: String,
    /// Under which condition.
    pub(crate) condition: Term,
    /// What they are given.
    pub(crate) given: Vec<(Kind, Lane)>,
    /// What memory they see.
    pub(crate) state: State,
    /// It always comes to an end, and what follows happens.
    pub(crate) returns: bool,
}

/// How a piece of a function ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    /// The function returns.
    Return,
    /// It throws.
    Throw,
    /// It comes to a cut.
    Cut(usize),
}

/// An end of a piece of a function.
pub(crate) struct Exit {
    /// Under which condition.
    pub(crate) condition: Term,
    pub(crate) end: End,
    /// What it returns, throws or carries on, by name.
    pub(crate) lanes: Vec<(String, Kind, Lane)>,
    /// The memory that it leaves.
    pub(crate) state: State,
}

/// One of the two functions, being unfolded.
pub(crate) struct Side<'a> {
    pub(crate) shared: &'a mut Shared,
    pub(crate) module: &'a Module,
    pub(crate) layout: Layout,
    pub(crate) function: &'a Function,
    /// The second of the two.
    pub(crate) target: bool,
    pub(crate) registers: Vec<Option<Vec<Lane>>>,
    /// When what is being read now is reached.
    pub(crate) path: Term,
    /// Memory there.
    pub(crate) state: State,
    /// Undefined behaviour: after how many events, and when.
    pub(crate) undefined: Vec<(usize, Term)>,
    pub(crate) events: Vec<Event>,
    pub(crate) exits: Vec<Exit>,
    /// Allocas whose address others see.
    pub(crate) seen: BTreeSet<Local>,
    /// Attributes claim things of memory that are not looked at.
    pub(crate) has_claims: bool,
    /// Where it is cut.
    pub(crate) loops: &'a Loops,
    /// What may be undefined where it is carried over a cut.
    pub(crate) carried_undef: BTreeSet<String>,
}

/// The first number of the memory at a cut: no function has so many events.
const CUT: u32 = 1_000_000;

/// A way into a block.
#[derive(Clone, Copy)]
struct Edge {
    from: BlockId,
    condition: Term,
    state: State,
}

/// What unfolding a function gave.
pub(crate) struct Unfolded {
    pub(crate) undefined: Vec<(usize, Term)>,
    pub(crate) events: Vec<Event>,
    pub(crate) exits: Vec<Exit>,
    /// What may be undefined where it is carried over a cut.
    pub(crate) carried_undef: BTreeSet<String>,
}

/// Unfolds a function from its beginning or from a cut, up to cuts and ends.
pub(crate) fn unfold(
    shared: &mut Shared,
    (module, function): (&Module, &Function),
    target: bool,
    loops: &Loops,
    seen: BTreeSet<Local>,
    start: Option<usize>,
) -> Result<Unfolded, Unsupported> {
    let layout = Layout::of(module).map_err(|why| Construct::DataLayout(why.into()))?;
    let path = shared.terms.bool(true);
    let state = shared.memory.step(Step::Initial);
    let registers = vec![None; function.locals.len()];
    let mut side = Side {
        shared,
        module,
        layout,
        function,
        target,
        registers,
        path,
        state,
        undefined: Vec::new(),
        events: Vec::new(),
        exits: Vec::new(),
        seen,
        has_claims: has_claims(module, function),
        loops,
        carried_undef: BTreeSet::new(),
    };
    side.arguments()?;
    if let Some(cut) = start {
        side.begin_at(cut, state)?;
    }
    side.blocks(start.map_or(BlockId(0), |cut| loops.headers[cut]))?;
    let Side { undefined, events, exits, carried_undef, .. } = side;
    Ok(Unfolded { undefined, events, exits, carried_undef })
}

impl Side<'_> {
    /// Something is undefined behaviour, here, under a condition.
    pub(crate) fn undefined_if(&mut self, condition: Term) {
        let condition = self.shared.terms.and(self.path, condition);
        if !self.shared.terms.is_false(condition) {
            self.undefined.push((self.events.len(), condition));
        }
    }

    /// Undefined behaviour unless lanes are neither poison nor undefined; the lanes, where they are not.
    pub(crate) fn must_be_defined(&mut self, lanes: &[Lane]) -> Vec<Lane> {
        let mut defined = Vec::new();
        for lane in lanes {
            let mut lane = *lane;
            while let Some((undef, rest)) = self.shared.all_undef_if(lane) {
                self.undefined_if(undef);
                lane = rest;
            }
            self.undefined_if(lane.poison);
            defined.push(lane);
        }
        let again = self.shared.refreshed(&defined, self.target, false);
        for (lane, other) in defined.iter().zip(again) {
            let differs = self.shared.terms.differ(lane.bits, other.bits);
            self.undefined_if(differs);
        }
        self.shared.refreshed(&defined, self.target, true)
    }

    fn arguments(&mut self) -> Result<(), Unsupported> {
        let function = self.function;
        for (index, param) in function.params.iter().enumerate() {
            let ty = function.type_of(param.local);
            let attributes = self.module.expand(&param.attributes);
            if attributes.has("swifterror") {
                return unsupported(Construct::ParameterAttribute("swifterror".into()));
            }
            if attributes.typed("inalloca").is_some() {
                return unsupported(Construct::ParameterAttribute("inalloca".into()));
            }
            let kinds = self.kinds(ty)?;
            let defined = attributes.has("noundef");
            let mut lanes: Vec<Lane> = Vec::new();
            for (part, kind) in kinds.iter().enumerate() {
                let name = format!("argument {index}.{part}");
                lanes.push(self.shared.input(&name, *kind, defined, self.target));
            }
            let lanes = self.with_attributes(lanes, &kinds, &attributes)?;
            if let Some(bytes) = attributes.number("dereferenceable") {
                self.must_be_dereferenceable(&lanes, bytes);
            }
            self.registers[param.local.0 as usize] = Some(lanes);
        }
        Ok(())
    }

    /// What holds at a cut: allocas are where they were, memory and what is carried is as the world wants.
    fn begin_at(&mut self, cut: usize, initial: State) -> Result<(), Unsupported> {
        let function = self.function;
        for instruction in &function.block(BlockId(0)).instructions {
            if let (Op::Alloca { count: None, .. }, Some(local)) =
                (&instruction.op, instruction.result)
            {
                let lanes = self.alloca(instruction)?;
                self.registers[local.0 as usize] = Some(lanes);
            }
        }
        let number = CUT + cut as u32;
        self.state = self.shared.memory.step(Step::Event { before: initial, number, frees: true });
        let loops = self.loops;
        for (local, name) in &loops.carried[cut] {
            let mut lanes = Vec::new();
            for (part, kind) in self.kinds(function.type_of(*local))?.into_iter().enumerate() {
                let name = format!("cut {name} {part}");
                lanes.push(self.shared.input(&name, kind, false, self.target));
            }
            self.registers[local.0 as usize] = Some(lanes);
        }
        Ok(())
    }

    /// A way to a cut: what is carried there.
    fn come_to(&mut self, cut: usize, from: BlockId, condition: Term) -> Result<(), Unsupported> {
        let function = self.function;
        let loops = self.loops;
        let phis = &function.block(loops.headers[cut]).instructions;
        let mut lanes = Vec::new();
        for (local, name) in &loops.carried[cut] {
            let ty = function.type_of(*local);
            let phi = phis.iter().find(|i| i.result == Some(*local)).map(|i| &i.op);
            let value = match phi {
                Some(Op::Phi { incoming, flags, .. }) => {
                    if *flags != irtext::FastMath::default() {
                        return unsupported(Unsupported::PhiFlagsInLoop);
                    }
                    match incoming.iter().find(|(_, block)| *block == from) {
                        Some((value, _)) => value.clone(),
                        None => return unsupported(Unsupported::PhiWithoutEdge),
                    }
                }
                _ => irtext::Value::Local(*local),
            };
            let values = self.operand(&value, ty)?;
            for (part, (kind, lane)) in self.kinds(ty)?.into_iter().zip(values).enumerate() {
                let name = format!("cut {name} {part}");
                if self.is_undef(lane)? {
                    self.carried_undef.insert(name.clone());
                }
                lanes.push((name, kind, lane));
            }
        }
        let state = self.state;
        self.exits.push(Exit { condition, end: End::Cut(cut), lanes, state });
        Ok(())
    }

    /// Whether a lane of the target may be undefined; refused if it may be so in part, since at a cut a value is
    /// undefined in all its bits, or in none.
    pub(crate) fn is_undef(&mut self, lane: Lane) -> Result<bool, Unsupported> {
        let mut lane = lane;
        let mut found = false;
        if !self.target || self.loops.headers.is_empty() {
            return Ok(false);
        }
        while let Some((_, rest)) = self.shared.all_undef_if(lane) {
            lane = rest;
            found = true;
        }
        let terms = &self.shared.terms;
        if terms.undefs(lane.bits).chain(terms.undefs(lane.poison)).next().is_some() {
            return unsupported(Unsupported::UndefInLoop);
        }
        Ok(found)
    }

    /// Blocks from one on, up to cuts, in an order in which each comes after those that lead to it.
    fn order(&self, start: BlockId) -> Vec<BlockId> {
        let mut seen = BTreeSet::from([start]);
        let mut order = Vec::new();
        let mut stack = vec![(start, 0usize)];
        while let Some((block, next)) = stack.pop() {
            match successors(self.function, block).get(next) {
                None => order.push(block),
                Some(to) => {
                    stack.push((block, next + 1));
                    if self.loops.cut(*to).is_none() && seen.insert(*to) {
                        stack.push((*to, 0));
                    }
                }
            }
        }
        order.reverse();
        order
    }

    fn blocks(&mut self, start: BlockId) -> Result<(), Unsupported> {
        let function = self.function;
        let mut incoming: Vec<Vec<Edge>> = vec![Vec::new(); function.blocks.len()];
        for block in self.order(start) {
            let edges = std::mem::take(&mut incoming[block.0 as usize]);
            if block != start {
                let Some(first) = edges.first() else { continue };
                let mut path = self.shared.terms.bool(false);
                let mut state = first.state;
                for edge in &edges {
                    path = self.shared.terms.or(path, edge.condition);
                    state = self.shared.memory.step(Step::If(edge.condition, edge.state, state));
                }
                self.path = path;
                self.state = state;
            }
            if block != start {
                self.phis(block, &edges)?;
            }
            for instruction in &function.block(block).instructions {
                if matches!(instruction.op, Op::Phi { .. }) {
                    continue;
                }
                let out = self.instruction(instruction)?;
                for (to, condition) in out {
                    let condition = self.shared.terms.and(self.path, condition);
                    if self.shared.terms.is_false(condition) {
                        continue;
                    }
                    if let Some(cut) = self.loops.cut(to) {
                        self.come_to(cut, block, condition)?;
                        continue;
                    }
                    let list = &mut incoming[to.0 as usize];
                    match list.iter_mut().find(|e| e.from == block) {
                        Some(edge) => {
                            edge.condition = self.shared.terms.or(edge.condition, condition);
                        }
                        None => list.push(Edge { from: block, condition, state: self.state }),
                    }
                }
                if self.shared.terms.count() > self.shared.limits.terms {
                    return unsupported(Unsupported::TooLarge);
                }
            }
        }
        Ok(())
    }

    fn phis(&mut self, block: BlockId, edges: &[Edge]) -> Result<(), Unsupported> {
        let function = self.function;
        let mut results = Vec::new();
        for instruction in &function.block(block).instructions {
            let Op::Phi { ty, incoming, flags } = &instruction.op else { break };
            let kinds = self.kinds(ty)?;
            let mut lanes: Option<Vec<Lane>> = None;
            for edge in edges {
                let Some((value, _)) = incoming.iter().find(|(_, from)| *from == edge.from) else {
                    return unsupported(Unsupported::PhiWithoutEdge);
                };
                let new = self.operand(value, ty)?;
                lanes = Some(match lanes {
                    None => new,
                    Some(old) => self.choose_lanes(edge.condition, &new, &old),
                });
            }
            let lanes = lanes.unwrap_or_default();
            let lanes = self.fast_result(lanes, &kinds, flags)?;
            results.push((instruction.result, lanes));
        }
        for (result, lanes) in results {
            if let Some(local) = result {
                self.registers[local.0 as usize] = Some(lanes);
            }
        }
        Ok(())
    }

    /// Lanes of the one or of the other.
    pub(crate) fn choose_lanes(&mut self, condition: Term, a: &[Lane], b: &[Lane]) -> Vec<Lane> {
        let terms = &mut self.shared.terms;
        a.iter()
            .zip(b)
            .map(|(a, b)| Lane {
                bits: terms.choose(condition, a.bits, b.bits),
                poison: terms.choose(condition, a.poison, b.poison),
            })
            .collect()
    }

    /// Does an instruction; where it ends a block, the ways on.
    fn instruction(
        &mut self,
        instruction: &Instruction,
    ) -> Result<Vec<(BlockId, Term)>, Unsupported> {
        let always = self.shared.terms.bool(true);
        match &instruction.op {
            Op::Br(to) => return Ok(vec![(*to, always)]),
            Op::CondBr { condition, then, otherwise } => {
                let lanes = self.operand(condition, &Type::Integer(1))?;
                let bit = self.branch_on(&lanes);
                let yes = self.shared.terms.is_set(bit);
                let no = self.shared.terms.not(yes);
                return Ok(vec![(*then, yes), (*otherwise, no)]);
            }
            Op::Switch { on, default, cases } => {
                let lanes = self.typed(on)?;
                let bits = self.branch_on(&lanes);
                let mut ways = Vec::new();
                let mut none = always;
                for (case, to) in cases {
                    let case = self.constant(case, &on.ty)?;
                    let same = self.shared.terms.equal(bits, case[0].bits);
                    ways.push((*to, same));
                    let other = self.shared.terms.not(same);
                    none = self.shared.terms.and(none, other);
                }
                ways.push((*default, none));
                return Ok(ways);
            }
            Op::Unreachable => self.undefined_if(always),
            Op::Ret(value) => self.ret(value.as_ref())?,
            Op::Resume(value) => {
                let kinds = self.kinds(&value.ty)?;
                let lanes = self.typed(value)?;
                self.leave(End::Throw, kinds, lanes);
            }
            Op::Invoke { call, normal, unwind } => {
                let (lanes, unwinds) = self.invoke(call, instruction)?;
                self.set(instruction, lanes);
                let returns = self.shared.terms.not(unwinds);
                return Ok(vec![(*normal, returns), (*unwind, unwinds)]);
            }
            Op::IndirectBr { .. } => return unsupported(Construct::IndirectBr),
            Op::CallBr { .. } => return unsupported(Construct::CallBr),
            Op::Funclet(_) => return unsupported(Construct::Funclet),
            Op::VaArg { .. } => return unsupported(Construct::VaArg),
            Op::Alloca { .. } => {
                let lanes = self.alloca(instruction)?;
                self.set(instruction, lanes);
            }
            Op::Load { .. } => {
                let lanes = self.load(instruction)?;
                self.set(instruction, lanes);
            }
            Op::Store { .. } => self.store(instruction)?,
            Op::Call(call) => {
                let lanes = self.call(call, instruction)?;
                self.set(instruction, lanes);
            }
            Op::Fence(_) | Op::CmpXchg { .. } | Op::AtomicRmw { .. } | Op::LandingPad { .. } => {
                let lanes = self.unusual(instruction)?;
                self.set(instruction, lanes);
            }
            pure => {
                let lanes = self.compute(pure)?;
                self.set(instruction, lanes);
            }
        }
        Ok(Vec::new())
    }

    fn set(&mut self, instruction: &Instruction, lanes: Vec<Lane>) {
        if let Some(local) = instruction.result {
            self.registers[local.0 as usize] = Some(lanes);
        }
    }

    /// What a branch goes by: poison, or bits that can be this or that, are undefined behaviour.
    fn branch_on(&mut self, lanes: &[Lane]) -> Term {
        self.must_be_defined(lanes)[0].bits
    }

    fn ret(&mut self, value: Option<&irtext::Typed>) -> Result<(), Unsupported> {
        let attributes = self.module.expand(&self.function.result_attributes);
        let (mut lanes, mut kinds) = (Vec::new(), Vec::new());
        if let Some(value) = value {
            kinds = self.kinds(&value.ty)?;
            lanes = self.typed(value)?;
            lanes = self.with_attributes(lanes, &kinds, &attributes)?;
        }
        self.leave(End::Return, kinds, lanes);
        Ok(())
    }

    fn leave(&mut self, end: End, kinds: Vec<Kind>, lanes: Vec<Lane>) {
        let (condition, state) = (self.path, self.state);
        let lanes = kinds.into_iter().zip(lanes).enumerate();
        let lanes = lanes.map(|(part, (kind, lane))| (part.to_string(), kind, lane)).collect();
        self.exits.push(Exit { condition, end, lanes, state });
    }
}

/// Whether attributes of a function or its parameters claim things of memory that are not looked at: where
/// they are broken, the behaviour is undefined, and that is not seen here.
fn has_claims(module: &Module, function: &Function) -> bool {
    let claims = |attributes: &irtext::Attributes| {
        let attributes = module.expand(attributes);
        attributes.0.iter().any(|a| match a {
            irtext::Attribute::Flag(name) => {
                let words =
                    ["readnone", "readonly", "writeonly", "argmemonly", "noalias", "nofree"];
                words.contains(&&**name) || name.starts_with("inaccessiblemem")
            }
            irtext::Attribute::Words(name, _) => &**name == "memory" || &**name == "captures",
            irtext::Attribute::Typed(..) => true,
            irtext::Attribute::Number(name, _) => &**name == "dereferenceable_or_null",
            _ => false,
        })
    };
    claims(&function.attributes) || function.params.iter().any(|p| claims(&p.attributes))
}

/// Where a block leads.
pub(crate) fn successors(function: &Function, block: BlockId) -> Vec<BlockId> {
    match function.block(block).instructions.last().map(|i| &i.op) {
        Some(Op::Br(to)) => vec![*to],
        Some(Op::CondBr { then, otherwise, .. }) => vec![*then, *otherwise],
        Some(Op::Switch { default, cases, .. }) => {
            cases.iter().map(|(_, to)| *to).chain([*default]).collect()
        }
        Some(Op::Invoke { normal, unwind, .. }) => vec![*normal, *unwind],
        Some(Op::IndirectBr { targets, .. }) => targets.clone(),
        Some(Op::CallBr { fallthrough, indirect, .. }) => {
            indirect.iter().copied().chain([*fallthrough]).collect()
        }
        _ => Vec::new(),
    }
}
