//! Values: types as lists of lanes, constants, inputs, and what a use of a register sees.
//!
//! A value of any type is the list of its scalar parts, in order. A lane is a bit-vector (a float as its
//! bits, a pointer as block and offset) and whether it is poison. The undefined bits in it are variables,
//! replaced by new ones whenever a register is used.

use irmachine::Construct;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use irtext::layout::Layout;
use irtext::{Constant, Float, Module, Symbol, Type, Typed, Value};

use crate::memory::{BLOCK, Known, Memory, OFFSET, POINTER, block_of};
use crate::side::Side;
use crate::term::{Arithmetic, Node, Origin, Role, Sort, Term, Terms, Variable};
use crate::{Approximation, Limits, Unsupported, unsupported};

/// A scalar part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) bits: Term,
    pub(crate) poison: Term,
}

/// What a lane is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Integer(u32),
    Float(Float),
    Pointer,
}

impl Kind {
    /// Bits of the term.
    pub(crate) fn width(self) -> u32 {
        match self {
            Kind::Integer(width) => width,
            Kind::Float(float) => float.bits(),
            Kind::Pointer => POINTER,
        }
    }

    /// Bytes in memory, if these are whole bytes.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Kind::Pointer => 8,
            _ => u64::from(self.width().div_ceil(8)),
        }
    }
}

/// A part of what both sides are given.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) kind: Kind,
    pub(crate) value: Term,
    pub(crate) poison: Term,
    /// Whether it is undefined; `None`: that is not considered.
    pub(crate) undef: Option<Term>,
}

/// What both sides have in common.
pub(crate) struct Shared {
    pub(crate) terms: Terms,
    pub(crate) memory: Memory,
    pub(crate) limits: Limits,
    /// Inputs may be undefined.
    pub(crate) undef: bool,
    /// Why an assignment that a solver finds may be none.
    pub(crate) inexact: Option<Approximation>,
    /// What may be undefined among that which is carried over cuts.
    pub(crate) carried_undef: BTreeSet<String>,
    /// Inputs by their names: arguments (`argument 0.1`), results of calls.
    pub(crate) inputs: Vec<(String, Input)>,
    /// Names of globals and keys of allocas, with their blocks.
    pub(crate) blocks: BTreeMap<String, Term>,
}

impl Shared {
    pub(crate) fn new(limits: &Limits, undef: bool) -> Shared {
        Shared {
            terms: Terms::new(),
            memory: Memory::new(undef),
            limits: limits.clone(),
            undef,
            inexact: None,
            carried_undef: BTreeSet::new(),
            inputs: Vec::new(),
            blocks: BTreeMap::new(),
        }
    }

    /// Remembers that something is approximated.
    pub(crate) fn approximate(&mut self, what: Approximation) {
        self.inexact.get_or_insert(what);
    }

    /// An input as one of the sides sees it. `defined`: it is neither undefined nor poison.
    pub(crate) fn input(&mut self, name: &str, kind: Kind, defined: bool, target: bool) -> Lane {
        let place = self.inputs.iter().position(|(n, _)| n == name);
        let place = place.unwrap_or_else(|| {
            let number = self.inputs.len();
            // What an argument points to is no alloca of the function; what a call gives may be one.
            let zeros = if name.starts_with("argument") { 2 } else { 1 };
            let width = kind.width() - if kind == Kind::Pointer { zeros } else { 0 };
            let terms = &mut self.terms;
            let mut variable = |letter: char, sort| {
                terms.variable(format!("{letter}{number}"), sort, Role::Shared, false)
            };
            let mut value = variable('v', Sort::Bits(width));
            let (poison, undef) = if defined {
                (self.terms.bool(false), None)
            } else {
                let poison = variable('p', Sort::Bool);
                let may = !name.starts_with("cut ") || self.carried_undef.contains(name);
                (poison, (may && self.undef).then(|| variable('u', Sort::Bool)))
            };
            if kind == Kind::Pointer {
                let none = self.terms.number(zeros, 0);
                value = self.terms.concat(none, value);
            }
            self.inputs.push((name.to_string(), Input { kind, value, poison, undef }));
            number
        });
        let Input { value, poison, undef, .. } = self.inputs[place].1;
        let bits = match undef {
            None => value,
            Some(undef) => {
                let any = self.free(kind, Role::Undef(Origin::Input(place as u32)), target);
                self.terms.choose(undef, any, value)
            }
        };
        Lane { bits, poison }
    }

    /// Bits that one of the sides chooses.
    pub(crate) fn free(&mut self, kind: Kind, role: Role, target: bool) -> Term {
        match kind {
            // No alloca that others do not see.
            Kind::Pointer => {
                let bits = self.terms.choice(Sort::Bits(POINTER - 1), role, target);
                let none = self.terms.number(1, 0);
                self.terms.concat(none, bits)
            }
            _ => self.terms.choice(Sort::Bits(kind.width()), role, target),
        }
    }

    /// A lane that is poison.
    pub(crate) fn poison(&mut self, kind: Kind) -> Lane {
        Lane { bits: self.terms.number(kind.width(), 0), poison: self.terms.bool(true) }
    }

    /// A lane that is not.
    pub(crate) fn lane(&mut self, bits: Term) -> Lane {
        Lane { bits, poison: self.terms.bool(false) }
    }

    /// A lane, unless a condition makes it poison.
    pub(crate) fn unless(&mut self, poison: Term, bits: Term) -> Lane {
        if self.terms.is_true(poison) {
            let bits = self.terms.number(self.terms.width(bits), 0);
            return Lane { bits, poison };
        }
        Lane { bits, poison }
    }

    /// A lane that is undefined in all its bits under a condition: the condition, and the lane otherwise.
    pub(crate) fn all_undef_if(&mut self, lane: Lane) -> Option<(Term, Lane)> {
        let (condition, rest, variable) = self.without_undef(lane.bits)?;
        let free = |term: Term| !self.terms.choices(term).contains(&variable);
        (free(condition) && free(rest) && free(lane.poison))
            .then_some((condition, Lane { bits: rest, poison: lane.poison }))
    }

    /// When a term is any bits, what it is otherwise, and the variable that makes it so.
    fn without_undef(&mut self, term: Term) -> Option<(Term, Term, Variable)> {
        match *self.terms.node(term) {
            Node::Variable(variable) => {
                let is_undef = matches!(self.terms.variable_info(variable).role, Role::Undef(_));
                let zero = self.terms.number(self.terms.width(term), 0);
                is_undef.then(|| (self.terms.bool(true), zero, variable))
            }
            Node::If(condition, a, b) => {
                for (arm, other, holds) in [(a, b, true), (b, a, false)] {
                    if let Node::Variable(variable) = *self.terms.node(arm)
                        && matches!(self.terms.variable_info(variable).role, Role::Undef(_))
                    {
                        let when = if holds { condition } else { self.terms.not(condition) };
                        return Some((when, other, variable));
                    }
                }
                None
            }
            // Any bits plus some are any bits, if the some do not know them.
            Node::Arithmetic(op @ (Arithmetic::Add | Arithmetic::Sub | Arithmetic::Xor), a, b) => {
                for (one, other, first) in [(a, b, true), (b, a, false)] {
                    if let Some((when, rest, variable)) = self.without_undef(one)
                        && !self.terms.choices(other).contains(&variable)
                    {
                        let (x, y) = if first { (rest, other) } else { (other, rest) };
                        return Some((when, self.terms.arithmetic(op, x, y), variable));
                    }
                }
                None
            }
            _ => None,
        }
    }

    /// A pointer whose block is undefined under a condition: the condition, and the pointer with the defined
    /// bits in place of the undefined ones.
    pub(crate) fn block_undef_if(&mut self, lane: Lane) -> Option<(Term, bool, Lane)> {
        let block = block_of(&mut self.terms, lane.bits);
        let Node::If(condition, a, b) = *self.terms.node(block) else { return None };
        for (arm, holds) in [(a, true), (b, false)] {
            let Node::Concat(_, low) = *self.terms.node(arm) else { continue };
            let Node::Extract { of, high, .. } = *self.terms.node(low) else { continue };
            let Node::Variable(variable) = *self.terms.node(of) else { continue };
            let whole = high == POINTER - 2 && self.terms.width(low) == BLOCK - 1;
            let Role::Undef(origin) = self.terms.variable_info(variable).role else { continue };
            let Some(twin) = self.twin(origin).filter(|_| whole) else { continue };
            let map = BTreeMap::from([(variable, twin)]);
            let mut known = HashMap::new();
            let bits = self.terms.replace(lane.bits, &map, &mut known);
            let poison = self.terms.replace(lane.poison, &map, &mut known);
            return Some((condition, holds, Lane { bits, poison }));
        }
        None
    }

    /// What an undefined pointer would be were it defined.
    fn twin(&mut self, origin: Origin) -> Option<Term> {
        let pointer = match origin {
            Origin::Input(number) => self.inputs.get(number as usize)?.1.value,
            Origin::Byte(_) => *self.memory.twins.get(&origin)?,
            Origin::Own => return None,
        };
        (self.terms.width(pointer) == POINTER).then(|| self.terms.extract(POINTER - 2, 0, pointer))
    }

    /// Lanes in which every undefined bit is chosen anew; `fixed`: for good.
    pub(crate) fn refreshed(&mut self, lanes: &[Lane], target: bool, fixed: bool) -> Vec<Lane> {
        let mut all: Vec<Variable> = Vec::new();
        for lane in lanes {
            all.extend(self.terms.undefs(lane.bits));
            all.extend(self.terms.undefs(lane.poison));
        }
        if all.is_empty() {
            return lanes.to_vec();
        }
        all.sort_unstable();
        all.dedup();
        let mut map = BTreeMap::new();
        for variable in all {
            let info = self.terms.variable_info(variable);
            let (sort, role) = (info.sort, info.role.clone());
            let role = match role {
                Role::Undef(origin) if fixed => Role::Choice(origin),
                other => other,
            };
            map.insert(variable, self.terms.choice(sort, role, target));
        }
        let mut known = HashMap::new();
        lanes
            .iter()
            .map(|lane| Lane {
                bits: self.terms.replace(lane.bits, &map, &mut known),
                poison: self.terms.replace(lane.poison, &map, &mut known),
            })
            .collect()
    }
}

/// Wider integers are nothing for a solver.
const WIDEST: u32 = 1024;

/// The lanes of a type, and where each is in memory.
pub(crate) struct Shape {
    pub(crate) lanes: Vec<(Kind, u64)>,
    /// Whether it can be in memory: all lanes are at whole bytes.
    pub(crate) whole: bool,
}

/// The shape of a type.
pub(crate) fn shape(
    module: &Module,
    layout: &Layout,
    ty: &Type,
    most: usize,
) -> Result<Shape, Unsupported> {
    let mut shape = Shape { lanes: Vec::new(), whole: true };
    add_shape(module, layout, ty, 0, most, &mut shape)?;
    Ok(shape)
}

fn add_shape(
    module: &Module,
    layout: &Layout,
    ty: &Type,
    at: u64,
    most: usize,
    shape: &mut Shape,
) -> Result<(), Unsupported> {
    if shape.lanes.len() > most {
        return unsupported(Unsupported::ManyParts);
    }
    let ty = module.resolve(ty).ok_or(Construct::OpaqueType)?;
    match ty {
        Type::Void => {}
        Type::Integer(width) if *width > WIDEST => return unsupported(Unsupported::WideInteger),
        Type::Integer(width) => shape.lanes.push((Kind::Integer(*width), at)),
        Type::Float(Float::Ppc) => return unsupported(Construct::PpcFloat),
        Type::Float(float) => shape.lanes.push((Kind::Float(*float), at)),
        Type::Pointer(space) => {
            if layout.pointer_bits(*space) != OFFSET {
                return unsupported(Unsupported::PointerWidth);
            }
            shape.lanes.push((Kind::Pointer, at));
        }
        Type::Vector { scalable: true, .. } => return unsupported(Construct::ScalableVector),
        Type::Vector { count, element, .. } => {
            let bits = layout.bits(module, element).unwrap_or(1);
            shape.whole &= bits.is_multiple_of(8);
            for index in 0..u64::from(*count) {
                add_shape(module, layout, element, at + index * bits / 8, most, shape)?;
            }
        }
        Type::Array(count, element) => {
            let size = layout.size(module, element).unwrap_or(0);
            shape.whole &= size > 0 || *count == 0;
            for index in 0..*count {
                add_shape(module, layout, element, at + index.saturating_mul(size), most, shape)?;
            }
        }
        Type::Struct { packed, fields } => {
            let offsets = layout.fields(module, *packed, fields);
            shape.whole &= offsets.is_some();
            let offsets = offsets.map_or(vec![0; fields.len()], |(offsets, _)| offsets);
            for (field, offset) in fields.iter().zip(offsets) {
                add_shape(module, layout, field, at + offset, most, shape)?;
            }
        }
        Type::Other(name) => return unsupported(Construct::Type((&**name).into())),
        Type::Token => return unsupported(Construct::Token),
        _ => return unsupported(Construct::TypeWithoutValues),
    }
    Ok(())
}

impl Side<'_> {
    /// The lanes of a type.
    pub(crate) fn kinds(&self, ty: &Type) -> Result<Vec<Kind>, Unsupported> {
        let shape = shape(self.module, &self.layout, ty, self.shared.limits.lanes)?;
        Ok(shape.lanes.into_iter().map(|(kind, _)| kind).collect())
    }

    /// An operand, as this use of it sees it.
    pub(crate) fn typed(&mut self, typed: &Typed) -> Result<Vec<Lane>, Unsupported> {
        self.operand(&typed.value, &typed.ty)
    }

    /// An operand of a type, as this use of it sees it.
    pub(crate) fn operand(&mut self, value: &Value, ty: &Type) -> Result<Vec<Lane>, Unsupported> {
        match value {
            Value::Local(local) => {
                let lanes = match &self.registers[local.0 as usize] {
                    Some(lanes) => lanes.clone(),
                    None => return unsupported(Unsupported::UseBeforeDefinition),
                };
                Ok(self.shared.refreshed(&lanes, self.target, false))
            }
            Value::Constant(constant) => self.constant(constant, ty),
            Value::Metadata(_) => unsupported(Construct::MetadataOperand),
        }
    }

    /// A single lane of an operand.
    pub(crate) fn scalar(&mut self, typed: &Typed) -> Result<Lane, Unsupported> {
        match self.typed(typed)?.as_slice() {
            [lane] => Ok(*lane),
            _ => unsupported(Unsupported::ScalarExpected),
        }
    }

    /// A constant.
    pub(crate) fn constant(
        &mut self,
        constant: &Constant,
        ty: &Type,
    ) -> Result<Vec<Lane>, Unsupported> {
        let one = |lane| Ok(vec![lane]);
        match constant {
            Constant::Integer(bits) | Constant::Float(bits) => {
                let bits = self.shared.terms.bits(bits.clone());
                one(self.shared.lane(bits))
            }
            Constant::Null | Constant::Zero => {
                let kinds = self.kinds(ty)?;
                Ok(kinds.iter().map(|kind| self.zero(*kind)).collect())
            }
            Constant::Undef => {
                let kinds = self.kinds(ty)?;
                Ok(kinds.iter().map(|kind| self.undef(*kind)).collect())
            }
            Constant::Poison => {
                let kinds = self.kinds(ty)?;
                Ok(kinds.iter().map(|kind| self.shared.poison(*kind)).collect())
            }
            Constant::Struct(parts) | Constant::Array(parts) | Constant::Vector(parts) => {
                let mut lanes = Vec::new();
                for (ty, part) in parts {
                    lanes.extend(self.constant(part, ty)?);
                }
                Ok(lanes)
            }
            Constant::Splat(part) => {
                let lane = self.constant(&part.1, &part.0)?;
                let count = self.kinds(ty)?.len();
                Ok(lane.into_iter().cycle().take(count).collect())
            }
            Constant::Bytes(bytes) => Ok(bytes
                .iter()
                .map(|byte| {
                    let bits = self.shared.terms.number(8, (*byte).into());
                    self.shared.lane(bits)
                })
                .collect()),
            Constant::Global(symbol) => {
                let block = self.global(symbol)?;
                let zero = self.shared.terms.number(OFFSET, 0);
                let bits = self.shared.terms.concat(block, zero);
                one(self.shared.lane(bits))
            }
            Constant::Expression(op) => self.compute(op),
            Constant::None => unsupported(Construct::Token),
            Constant::BlockAddress(..) => unsupported(Construct::BlockAddress),
            Constant::Wrapped(word, _) => unsupported(Construct::WrappedConstant((&**word).into())),
            Constant::Signed(_) => unsupported(Construct::PtrAuth),
            Constant::Assembly(_) => unsupported(Construct::InlineAssembly),
        }
    }

    pub(crate) fn zero(&mut self, kind: Kind) -> Lane {
        let bits = self.shared.terms.number(kind.width(), 0);
        self.shared.lane(bits)
    }

    pub(crate) fn undef(&mut self, kind: Kind) -> Lane {
        let bits = self.shared.free(kind, Role::Undef(Origin::Own), self.target);
        self.shared.lane(bits)
    }

    /// The block of a global variable or function.
    fn global(&mut self, symbol: &Symbol) -> Result<Term, Unsupported> {
        let Symbol::Name(name) = symbol else { return unsupported(Unsupported::UnnamedGlobal) };
        let key = format!("@{name}");
        if let Some(block) = self.shared.blocks.get(&key) {
            return Ok(*block);
        }
        let number = 1 + self.shared.blocks.keys().filter(|k| k.starts_with('@')).count();
        let block = self.shared.terms.number(crate::memory::BLOCK, number as u128);
        self.shared.blocks.insert(key, block);
        let module = self.module;
        let mut known = Known {
            block,
            size: 0,
            larger: false,
            align: 1,
            constant: true,
            maybe_null: false,
            bytes: None,
        };
        if let Some(global) = module.globals.iter().find(|g| g.name.as_deref() == Some(name)) {
            let size = self.layout.size(module, &global.ty);
            let Some(size) = size else { return unsupported(Unsupported::GlobalOfUnknownSize) };
            if global.space != 0 {
                return unsupported(Unsupported::AddressSpace);
            }
            known.size = size;
            let natural = self.layout.align(module, &global.ty).unwrap_or(1);
            known.align = global.align.unwrap_or(natural);
            if global.align.is_none() {
                // LLVM gives large ones more than they need.
                self.shared.approximate(Approximation::GlobalAlignment);
            }
            known.constant = global.constant;
            known.maybe_null = global.linkage == irtext::Linkage::ExternWeak;
            let exact = matches!(
                global.linkage,
                irtext::Linkage::External
                    | irtext::Linkage::Private
                    | irtext::Linkage::Internal
                    | irtext::Linkage::LinkOnceOdr
                    | irtext::Linkage::WeakOdr
                    | irtext::Linkage::AvailableExternally
            );
            known.larger = !exact || global.value.is_none();
            self.shared.memory.blocks.push(known);
            let fixed = global.constant && exact && !global.externally_initialized;
            if let (true, Some(value)) = (fixed && size <= 4096, &global.value) {
                let bytes = self.initial_bytes(value, &global.ty, size);
                if let Some(last) = self.shared.memory.blocks.iter_mut().find(|k| k.block == block)
                {
                    last.bytes = bytes;
                }
            }
            return Ok(block);
        }
        if let Some(function) = module.functions.iter().find(|f| f.name.as_deref() == Some(name)) {
            known.maybe_null = function.linkage == irtext::Linkage::ExternWeak;
            self.shared.memory.blocks.push(known);
            return Ok(block);
        }
        unsupported(Construct::Alias)
    }
}
