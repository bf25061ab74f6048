//! Loops: where a function is cut, and what is carried over a cut.
//!
//! A function with loops is cut at their headers into pieces without loops. Two functions are compared piece
//! by piece: from a cut at which memory and the values of equal name are equal, both must come to the same
//! cut, or the same end, with the same memory and values, whatever all other values are. That the values of equal
//! name are equal is a guess, and the comparison proves it.

use std::collections::{BTreeMap, BTreeSet};

use irtext::{BlockId, Function, Local, Op, Value};

use crate::side::successors;
use crate::{Unsupported, unsupported};

/// Where a function is cut.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loops {
    /// Headers of loops, in the order in which they are found.
    pub(crate) headers: Vec<BlockId>,
    /// What is carried into each, and under which name.
    pub(crate) carried: Vec<Vec<(Local, String)>>,
}

/// The loops of a function.
pub(crate) fn loops(function: &Function) -> Result<Loops, Unsupported> {
    let back = back_edges(function);
    let headers: BTreeSet<BlockId> = back.iter().map(|(_, to)| *to).collect();
    if headers.is_empty() {
        return Ok(Loops::default());
    }
    for (from, header) in &back {
        if reaches(function, *header, *from) {
            return unsupported(Unsupported::IrreducibleLoop);
        }
    }
    let allocas = function.blocks.iter().enumerate().flat_map(|(number, block)| {
        block.instructions.iter().map(move |instruction| (number, instruction))
    });
    let mut fixed: BTreeSet<Local> = function.params.iter().map(|p| p.local).collect();
    for (number, instruction) in allocas {
        match &instruction.op {
            Op::Alloca { .. } if number > 0 => return unsupported(Unsupported::AllocaWithLoop),
            Op::Alloca { .. } => fixed.extend(instruction.result),
            Op::Call(call) => {
                let name = crate::call::callee_name(call).unwrap_or("");
                if name.starts_with("llvm.lifetime.") {
                    return unsupported(Unsupported::LifetimeWithLoop);
                }
            }
            _ => {}
        }
    }
    let live = live(function);
    let mut loops = Loops { headers: headers.iter().copied().collect(), carried: Vec::new() };
    for header in &headers {
        let mut carried = Vec::new();
        let name = |local: Local, otherwise: String| {
            let info = &function.locals[local.0 as usize];
            let name = info.name.as_ref().map_or(otherwise, |name| format!("%{name}"));
            (local, format!("{name} {:?}", info.ty))
        };
        for (number, instruction) in function.block(*header).instructions.iter().enumerate() {
            if let (Op::Phi { .. }, Some(local)) = (&instruction.op, instruction.result) {
                carried.push(name(local, format!("phi {number}")));
            }
        }
        for (number, local) in live[header.0 as usize].difference(&fixed).enumerate() {
            carried.push(name(*local, format!("value {number}")));
        }
        loops.carried.push(carried);
    }
    Ok(loops)
}

impl Loops {
    /// The same loops in the order of those of another function: by name where all have one, else as they are.
    pub(crate) fn in_order_of(
        &self,
        own: &Function,
        other: &Loops,
        function: &Function,
    ) -> Option<Loops> {
        if self.headers.len() != other.headers.len() {
            return None;
        }
        let name = |function: &Function, header: &BlockId| function.block(*header).name.clone();
        let place = |header: &BlockId| {
            let wanted = name(function, header)?;
            self.headers.iter().position(|h| name(own, h).as_ref() == Some(&wanted))
        };
        let places: Option<Vec<usize>> = other.headers.iter().map(place).collect();
        let Some(places) = places else { return Some(self.clone()) };
        Some(Loops {
            headers: places.iter().map(|p| self.headers[*p]).collect(),
            carried: places.iter().map(|p| self.carried[*p].clone()).collect(),
        })
    }

    /// Which cut a block is.
    pub(crate) fn cut(&self, block: BlockId) -> Option<usize> {
        self.headers.iter().position(|header| *header == block)
    }
}

/// Edges back to a block that is being visited.
fn back_edges(function: &Function) -> Vec<(BlockId, BlockId)> {
    // 0: not seen, 1: being visited, 2: done.
    let mut mark = vec![0u8; function.blocks.len()];
    let mut back = Vec::new();
    let mut stack = vec![(BlockId(0), 0usize)];
    mark[0] = 1;
    while let Some((block, next)) = stack.pop() {
        let Some(to) = successors(function, block).get(next).copied() else {
            mark[block.0 as usize] = 2;
            continue;
        };
        stack.push((block, next + 1));
        match mark[to.0 as usize] {
            0 => {
                mark[to.0 as usize] = 1;
                stack.push((to, 0));
            }
            1 => back.push((block, to)),
            _ => {}
        }
    }
    back
}

/// Whether a block is reached from the entry without passing another.
fn reaches(function: &Function, without: BlockId, block: BlockId) -> bool {
    let mut seen = BTreeSet::from([without]);
    let mut stack = vec![BlockId(0)];
    while let Some(at) = stack.pop() {
        if !seen.insert(at) {
            continue;
        }
        if at == block {
            return true;
        }
        stack.extend(successors(function, at));
    }
    false
}

/// The values that are needed at the beginning of each block, those of its own `phi`s not among them.
fn live(function: &Function) -> Vec<BTreeSet<Local>> {
    let count = function.blocks.len();
    let mut used: Vec<BTreeSet<Local>> = vec![BTreeSet::new(); count];
    let mut defined: Vec<BTreeSet<Local>> = vec![BTreeSet::new(); count];
    let mut by_edge: BTreeMap<(BlockId, BlockId), BTreeSet<Local>> = BTreeMap::new();
    for (number, block) in function.blocks.iter().enumerate() {
        for instruction in &block.instructions {
            if let Op::Phi { incoming, .. } = &instruction.op {
                for (value, from) in incoming {
                    if let Value::Local(local) = value {
                        let edge = (*from, BlockId(number as u32));
                        by_edge.entry(edge).or_default().insert(*local);
                    }
                }
            } else {
                irtext::walk::values(&instruction.op, &mut |value| {
                    if let Value::Local(local) = value
                        && !defined[number].contains(local)
                    {
                        used[number].insert(*local);
                    }
                });
            }
            defined[number].extend(instruction.result);
        }
    }
    let mut live = used;
    loop {
        let mut changed = false;
        for number in (0..count).rev() {
            let block = BlockId(number as u32);
            let mut all: BTreeSet<Local> = BTreeSet::new();
            for next in successors(function, block) {
                all.extend(&live[next.0 as usize]);
                all.extend(by_edge.get(&(block, next)).into_iter().flatten());
            }
            let before = live[number].len();
            live[number].extend(all.difference(&defined[number]));
            changed |= live[number].len() > before;
        }
        if !changed {
            return live;
        }
    }
}
