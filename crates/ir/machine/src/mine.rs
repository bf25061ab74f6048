//! What a function's code tells about inputs that matter to it: constants, sizes, globals.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use irtext::Bits;

use crate::code::{Callee, Code, Function, Operand, Program, SymbolKind};
use crate::shape::Shape;
use crate::value::{Atom, Pointer, Value};

/// What was found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mined {
    /// Integers and floats, by their width.
    pub numbers: BTreeMap<u32, Vec<Bits>>,
    /// The farthest constant offset from a pointer, in bytes.
    pub reach: u64,
    /// Global variables whose contents are not fixed, with their sizes.
    pub globals: BTreeSet<(Arc<str>, u64)>,
    /// Variables that only the module can name begin with their initialisers.
    pub closed: bool,
    /// It reads pointers from memory.
    pub reads_pointers: bool,
    /// It reads truth values from memory.
    pub reads_truth: bool,
    /// It reads floats from memory, of this width.
    pub reads_floats: Option<irtext::Float>,
    /// It touches memory or calls something: more than arguments bears on it.
    pub beyond_arguments: bool,
    /// Functions looked into already.
    functions: BTreeSet<u32>,
}

/// Numbers kept of each width.
const MOST: usize = 24;

impl Mined {
    /// Nothing yet.
    pub(crate) fn new(closed: bool) -> Mined {
        Mined { closed, ..Mined::default() }
    }

    /// Adds what a function and those it calls tell.
    pub(crate) fn function(&mut self, program: &Program, place: u32) {
        if !self.functions.insert(place) || self.functions.len() > 8 {
            return;
        }
        let function: &Function = &program.functions[place as usize];
        for block in &function.blocks {
            for (_, operand) in block.phis.iter().flat_map(|phi| &phi.incoming) {
                self.operand(program, operand);
            }
            for instruction in &block.code {
                self.code(program, &instruction.code);
            }
        }
    }

    /// Forgets which functions were seen: another program comes.
    pub(crate) fn next_program(&mut self) {
        self.functions.clear();
    }

    fn number(&mut self, bits: &Bits) {
        let list = self.numbers.entry(bits.width()).or_default();
        if list.len() < MOST && !list.contains(bits) {
            list.push(bits.clone());
        }
    }

    fn value(&mut self, program: &Program, value: &Value) {
        match value {
            Value::Many(parts) => parts.iter().take(16).for_each(|part| self.value(program, part)),
            Value::One(Atom::Exact(bits)) => self.number(bits),
            Value::One(Atom::Pointer(Pointer::Block { block, .. })) => {
                if let Some(symbol) = program.symbols.get(*block as usize)
                    && let SymbolKind::Variable(variable) = &symbol.kind
                {
                    self.beyond_arguments = true;
                    if !(variable.fixed || self.closed && variable.local) {
                        self.globals.insert((symbol.name.clone(), variable.size));
                    }
                }
            }
            Value::One(_) => {}
        }
    }

    fn operand(&mut self, program: &Program, operand: &Operand) {
        match operand {
            Operand::Register(_) => {}
            Operand::Constant(value) => self.value(program, value),
            Operand::Expression(code) => self.code(program, code),
        }
    }

    fn read(&mut self, shape: &Shape) {
        match shape {
            Shape::Pointer { .. } => self.reads_pointers = true,
            Shape::Integer(1) => self.reads_truth = true,
            Shape::Float(format) => self.reads_floats = Some(*format),
            other => other.parts().iter().take(4).for_each(|(_, part)| self.read(part)),
        }
    }

    fn code(&mut self, program: &Program, code: &Code) {
        code.operands(&mut |operand| self.operand(program, operand));
        match code {
            Code::Switch(_, cases, _) => cases.iter().for_each(|(bits, _)| self.number(bits)),
            Code::Load { access, .. } => {
                self.beyond_arguments = true;
                self.read(&access.shape);
            }
            Code::Store { .. }
            | Code::AtomicRmw { .. }
            | Code::CmpXchg { .. }
            | Code::Alloca { .. } => {
                self.beyond_arguments = true;
            }
            Code::Gep { steps, .. } => {
                let constant = |operand: &Operand| match operand {
                    Operand::Constant(Value::One(Atom::Exact(bits))) if !bits.is_negative() => {
                        bits.small()
                    }
                    _ => None,
                };
                let reach: u128 = steps
                    .iter()
                    .filter_map(|step| {
                        Some(constant(&step.index)?.saturating_mul(step.stride.into()))
                    })
                    .fold(0, u128::saturating_add);
                self.reach = self.reach.max(u64::try_from(reach).unwrap_or(u64::MAX));
            }
            Code::Call(call) => {
                if !matches!(call.callee, Callee::Intrinsic(_)) {
                    self.beyond_arguments = true;
                }
                if let Callee::Known(symbol) = call.callee
                    && let SymbolKind::Function(Some(place)) = program.symbols[symbol as usize].kind
                {
                    self.function(program, place);
                }
            }
            _ => {}
        }
    }
}

impl Code {
    /// All operands.
    fn operands(&self, see: &mut dyn FnMut(&Operand)) {
        match self {
            Code::Unsupported(_)
            | Code::Ret(None)
            | Code::Br(_)
            | Code::Unreachable
            | Code::Nothing => {}
            Code::Ret(Some(a))
            | Code::CondBr(a, ..)
            | Code::Switch(a, ..)
            | Code::FNeg { of: a, .. }
            | Code::Cast { of: a, .. }
            | Code::Freeze { of: a, .. }
            | Code::ExtractValue { of: a, .. }
            | Code::Load { from: a, .. } => see(a),
            Code::Integer { a, b, .. }
            | Code::Float { a, b, .. }
            | Code::ICmp { a, b, .. }
            | Code::FCmp { a, b, .. }
            | Code::Extract { vector: a, index: b }
            | Code::Shuffle { left: a, right: b, .. }
            | Code::InsertValue { of: a, element: b, .. }
            | Code::Store { value: a, to: b, .. }
            | Code::AtomicRmw { address: a, value: b, .. } => [a, b].into_iter().for_each(see),
            Code::Select { condition, a, b, .. } => [condition, a, b].into_iter().for_each(see),
            Code::Insert { vector, element, index } => {
                [vector, element, index].into_iter().for_each(see);
            }
            Code::CmpXchg { address, expected, new, .. } => {
                [address, expected, new].into_iter().for_each(see);
            }
            Code::Build(parts) => parts.iter().for_each(see),
            Code::Alloca { count, .. } => count.iter().for_each(see),
            Code::Gep { base, steps, .. } => {
                see(base);
                steps.iter().for_each(|step| see(&step.index));
            }
            Code::Call(call) => {
                call.arguments.iter().for_each(|(operand, _, _)| see(operand));
                if let Callee::Indirect(operand) = &call.callee {
                    see(operand);
                }
            }
        }
    }
}
