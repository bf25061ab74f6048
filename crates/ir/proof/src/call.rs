//! Calls of functions that are not known, and other things that the world sees.
//!
//! A function that reads and writes no memory and always returns is an uninterpreted function of its
//! arguments. Any other call is an event: both sides must have the same events, in the same order, with the
//! same arguments and memory, and then the world answers both alike.

use irmachine::Construct;
use irtext::{Attributes, Call, Constant, Instruction, Metadata, Op, Symbol, Type, Value};

use crate::memory::{State, Step};
use crate::side::{Event, Side};
use crate::term::{Sort, Term};
use crate::value::{Kind, Lane};
use crate::{Approximation, Unsupported, unsupported};

/// What a call may do.
struct Effects {
    reads: bool,
    writes: bool,
    /// It comes back, and does not throw.
    returns: bool,
    frees: bool,
}

/// The name of what is called, if it is called by its name.
pub(crate) fn callee_name(call: &Call) -> Option<&str> {
    match &call.callee {
        Value::Constant(Constant::Global(Symbol::Name(name))) => Some(name),
        _ => None,
    }
}

impl Side<'_> {
    pub(crate) fn call(
        &mut self,
        call: &Call,
        instruction: &Instruction,
    ) -> Result<Vec<Lane>, Unsupported> {
        if let Some(name) = callee_name(call)
            && name.starts_with("llvm.")
        {
            let name = name.to_string();
            if let Some(lanes) = self.intrinsic(&name, call)? {
                let kinds = self.kinds(&call.ty.result)?;
                let attributes = self.module.expand(&call.result_attributes);
                let lanes = self.with_attributes(lanes, &kinds, &attributes)?;
                return self.with_metadata(lanes, &kinds, instruction);
            }
        }
        let (lanes, _) = self.unknown_call(call, instruction)?;
        Ok(lanes)
    }

    /// A call that may throw: its result, and whether it throws.
    pub(crate) fn invoke(
        &mut self,
        call: &Call,
        instruction: &Instruction,
    ) -> Result<(Vec<Lane>, Term), Unsupported> {
        let (lanes, event) = self.unknown_call(call, instruction)?;
        let throws = match event {
            None => self.shared.terms.bool(false),
            Some(number) => {
                let name = format!("throws {number}");
                let bit = self.shared.input(&name, Kind::Integer(1), true, self.target);
                self.shared.terms.is_set(bit.bits)
            }
        };
        Ok((lanes, throws))
    }

    fn attributes(&self, call: &Call) -> Attributes {
        let mut all = self.module.expand(&call.attributes);
        if let Some(name) = callee_name(call)
            && let Some(function) = self.module.function(name)
        {
            all.0.extend(self.module.expand(&function.attributes).0);
        }
        all
    }

    /// A call of what is not known; the number of the event if it is one.
    fn unknown_call(
        &mut self,
        call: &Call,
        instruction: &Instruction,
    ) -> Result<(Vec<Lane>, Option<usize>), Unsupported> {
        let attributes = self.attributes(call);
        if attributes.has("returns_twice") {
            return unsupported(Unsupported::ReturnsTwice);
        }
        self.shared.approximate(Approximation::Call);
        let effects = effects(&attributes, call);
        let mut name = match (&call.callee, callee_name(call)) {
            (_, Some(name)) => format!("call @{name}"),
            (Value::Local(_), _) => "call".into(),
            (Value::Constant(Constant::Assembly(assembly)), _) => format!("call {assembly:?}"),
            _ => return unsupported(Unsupported::CallKind),
        };
        name.push_str(&format!(" {} {:?}", call.convention, call.fast));
        if call.ty.varargs {
            name.push_str(" varargs");
        }
        let mut given = Vec::new();
        if let Value::Local(_) = call.callee {
            let lanes = self.operand(&call.callee, &Type::Pointer(0))?;
            self.undefined_if(lanes[0].poison);
            given.push((Kind::Pointer, lanes[0]));
        }
        let names = self.parameter_attributes(call);
        for (index, argument) in call.arguments.iter().enumerate() {
            if let Value::Metadata(metadata) = &argument.value.value {
                name.push_str(&format!(" {}", self.metadata_text(metadata)?));
                continue;
            }
            let kinds = self.kinds(&argument.value.ty)?;
            let lanes = self.typed(&argument.value)?;
            let mut attributes = self.module.expand(&argument.attributes);
            if let Some(declared) = names.get(index) {
                attributes.0.extend(declared.0.iter().cloned());
            }
            for word in ["byval", "sret", "inalloca", "preallocated", "elementtype"] {
                if attributes.typed(word).is_some() {
                    name.push_str(&format!(" {word} {index}"));
                }
            }
            let lanes = self.with_attributes(lanes, &kinds, &attributes)?;
            if let Some(bytes) = attributes.number("dereferenceable") {
                self.must_be_dereferenceable(&lanes, bytes);
            }
            given.extend(kinds.into_iter().zip(lanes));
        }
        for (tag, values) in &call.bundles {
            name.push_str(&format!(" [{tag}"));
            for value in values {
                let kinds = self.kinds(&value.ty)?;
                let lanes = self.typed(value)?;
                name.push_str(&format!(" {}", kinds.len()));
                given.extend(kinds.into_iter().zip(lanes));
            }
            name.push(']');
        }
        let kinds = self.kinds(&call.ty.result)?;
        let pure = !effects.writes && effects.returns && !attributes.has("convergent");
        let defined = self.result_attributes(call).has("noundef");
        let (lanes, event) = if pure && call.bundles.is_empty() {
            let state = effects.reads.then_some(self.state);
            if !attributes.has("speculatable") {
                // It may have undefined behaviour of its own.
                let bad = format!("{name} undefined");
                let bad = self.pure_call(&bad, &given, &[Kind::Integer(1)], state, true)[0].bits;
                let bad = self.shared.terms.is_set(bad);
                self.undefined_if(bad);
            }
            (self.pure_call(&name, &given, &kinds, state, defined), None)
        } else {
            let number = self.events.len();
            let frees = effects.writes && effects.frees;
            let lanes = self.event(name, given, &kinds, effects.returns, frees, defined);
            (lanes, Some(number))
        };
        let attributes = self.result_attributes(call);
        let lanes = self.with_attributes(lanes, &kinds, &attributes)?;
        let lanes = self.with_metadata(lanes, &kinds, instruction)?;
        Ok((lanes, event))
    }

    fn result_attributes(&self, call: &Call) -> Attributes {
        let mut all = self.module.expand(&call.result_attributes);
        if let Some(function) = callee_name(call).and_then(|name| self.module.function(name)) {
            all.0.extend(self.module.expand(&function.result_attributes).0);
        }
        all
    }

    fn parameter_attributes(&self, call: &Call) -> Vec<Attributes> {
        match callee_name(call).and_then(|name| self.module.function(name)) {
            Some(function) => {
                function.params.iter().map(|p| self.module.expand(&p.attributes)).collect()
            }
            None => Vec::new(),
        }
    }

    /// The result of a function of its arguments, and of memory if it reads that.
    pub(crate) fn pure_call(
        &mut self,
        name: &str,
        given: &[(Kind, Lane)],
        kinds: &[Kind],
        reads: Option<State>,
        defined: bool,
    ) -> Vec<Lane> {
        let mut arguments = Vec::new();
        for (_, lane) in given {
            arguments.push(lane.bits);
            arguments.push(lane.poison);
        }
        let mut name = name.replace(['|', '\\'], "/");
        if let Some(state) = reads {
            let shared = &mut *self.shared;
            let state = shared.memory.seen_by_others(&mut shared.terms, state);
            name.push_str(&format!(" in {state:?}"));
        }
        // Functions of one name may be called with different types.
        for argument in &arguments {
            name.push_str(&format!(" {}", self.shared.terms.width(*argument)));
        }
        let mut lanes = Vec::new();
        for (index, kind) in kinds.iter().enumerate() {
            let terms = &mut self.shared.terms;
            let width = kind.width();
            let symbol = format!("{name}: {index} {width}");
            let mut bits = if *kind == Kind::Pointer {
                let bits = terms.apply(&symbol, &arguments, Sort::Bits(width - 1));
                let zero = terms.number(1, 0);
                terms.concat(zero, bits)
            } else {
                terms.apply(&symbol, &arguments, Sort::Bits(width))
            };
            let poison = if defined {
                terms.bool(false)
            } else {
                terms.apply(&format!("{symbol} poison"), &arguments, Sort::Bool)
            };
            if self.shared.undef && !defined {
                let terms = &mut self.shared.terms;
                let is_undef = terms.apply(&format!("{symbol} undef"), &arguments, Sort::Bool);
                let role = crate::term::Role::Undef(crate::term::Origin::Byte(bits));
                let any = self.shared.free(*kind, role, self.target);
                bits = self.shared.terms.choose(is_undef, any, bits);
            }
            lanes.push(self.shared.unless(poison, bits));
        }
        lanes
    }

    /// Something that the world sees, and its answer.
    pub(crate) fn event(
        &mut self,
        name: String,
        given: Vec<(Kind, Lane)>,
        kinds: &[Kind],
        returns: bool,
        frees: bool,
        defined: bool,
    ) -> Vec<Lane> {
        let number = self.events.len();
        let (condition, state) = (self.path, self.state);
        self.events.push(Event { name, condition, given, state, returns });
        let mut lanes = Vec::new();
        for (part, kind) in kinds.iter().enumerate() {
            let name = format!("result {number}.{part} {kind:?} {defined}");
            lanes.push(self.shared.input(&name, *kind, defined, self.target));
        }
        let number = number as u32 + 1;
        self.state = self.shared.memory.step(Step::Event { before: state, number, frees });
        lanes
    }

    /// Volatile and atomic accesses, fences, landing pads: events, named by all that is said of them.
    pub(crate) fn unusual(&mut self, instruction: &Instruction) -> Result<Vec<Lane>, Unsupported> {
        self.shared.approximate(Approximation::VolatileOrAtomic);
        let mut given = Vec::new();
        let (name, operands, result) = match &instruction.op {
            Op::Load { volatile, atomic, ty, from, align } => {
                (format!("load {volatile} {atomic:?} {ty:?} {align:?}"), vec![from], ty.clone())
            }
            Op::Store { volatile, atomic, value, to, align } => {
                let name = format!("store {volatile} {atomic:?} {:?} {align:?}", value.ty);
                (name, vec![value, to], Type::Void)
            }
            Op::Fence(ordering) => (format!("fence {ordering:?}"), Vec::new(), Type::Void),
            Op::CmpXchg { weak, volatile, address, expected, new, success, failure, align } => {
                let name = format!("cmpxchg {weak} {volatile} {success:?} {failure} {align:?}");
                let fields = [expected.ty.clone(), Type::Integer(1)].into();
                (name, vec![address, expected, new], Type::Struct { packed: false, fields })
            }
            Op::AtomicRmw { volatile, op, address, value, ordering, align } => {
                let name = format!("atomicrmw {volatile} {op} {ordering:?} {align:?}");
                (name, vec![address, value], value.ty.clone())
            }
            Op::LandingPad { ty, cleanup, clauses } => {
                (format!("landingpad {cleanup} {clauses:?}"), Vec::new(), ty.clone())
            }
            _ => return unsupported(Unsupported::Instruction),
        };
        for operand in operands {
            let kinds = self.kinds(&operand.ty)?;
            let lanes = self.typed(operand)?;
            if operand.ty == Type::Pointer(0) && !matches!(instruction.op, Op::Store { .. }) {
                self.undefined_if(lanes[0].poison);
            }
            given.extend(kinds.into_iter().zip(lanes));
        }
        let kinds = self.kinds(&result)?;
        let lanes = self.event(name, given, &kinds, true, false, false);
        self.with_metadata(lanes, &kinds, instruction)
    }

    /// Metadata as words that mean the same in both modules.
    pub(crate) fn metadata_text(&self, metadata: &Metadata) -> Result<String, Unsupported> {
        Ok(match metadata {
            Metadata::Text(text) | Metadata::Special(text) => text.clone(),
            Metadata::Null => "null".into(),
            Metadata::Number(number) => match self.module.metadata(*number) {
                Some(Metadata::Number(_)) | None => return unsupported(Construct::MetadataOperand),
                Some(Metadata::Tuple(parts)) => {
                    let mut text = String::new();
                    for part in parts {
                        if let Metadata::Number(_) = part {
                            return unsupported(Construct::MetadataOperand);
                        }
                        text.push_str(&self.metadata_text(part)?);
                        text.push(' ');
                    }
                    text
                }
                Some(other) => self.metadata_text(other)?,
            },
            Metadata::Tuple(_) | Metadata::Value(_) => {
                return unsupported(Construct::MetadataOperand);
            }
        })
    }
}

fn effects(attributes: &Attributes, call: &Call) -> Effects {
    let asm = matches!(call.callee, Value::Constant(Constant::Assembly(_)));
    let (mut reads, mut writes) = (true, true);
    if attributes.has("readnone") {
        (reads, writes) = (false, false);
    }
    if attributes.has("readonly") {
        writes = false;
    }
    // The first that is found is that of the call: it says at least as much.
    if let Some(words) = attributes.words("memory") {
        let parts: Vec<&str> =
            words.split(',').map(|part| part.rsplit(':').next().unwrap_or(part).trim()).collect();
        if parts.iter().all(|part| *part == "none") {
            (reads, writes) = (false, false);
        } else if parts.iter().all(|part| matches!(*part, "none" | "read")) {
            writes = false;
        }
    }
    let returns = attributes.has("willreturn") && attributes.has("nounwind") && !asm;
    Effects { reads, writes, returns, frees: !attributes.has("nofree") }
}
