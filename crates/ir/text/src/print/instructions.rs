//! Instructions as text.

use std::fmt::Write as _;

use super::constants::{gep_flags, int_flags};
use super::{Printer, attributes, put};
use crate::op::{Call, FastMath, Funclet, Instruction, Op, Ordering, Typed, Value};
use crate::tree::{BlockId, Function, Type};

impl Printer<'_> {
    pub(super) fn instruction(&mut self, function: &Function, instruction: &Instruction) {
        if let Some(local) = instruction.result {
            put!(self.out, "{} = ", self.names.local(function, local));
        }
        self.op(function, &instruction.op);
        for attachment in &instruction.attachments {
            self.out.push(',');
            self.attachment(attachment);
        }
    }

    fn typed(&mut self, function: &Function, before: &str, typed: &Typed) {
        put!(self.out, "{before}{} ", typed.ty);
        self.value(Some(function), &typed.ty, &typed.value);
    }

    /// A word, and operands behind it.
    fn simple(&mut self, function: &Function, word: &str, operands: &[&Typed]) {
        self.out.push_str(word);
        for (index, typed) in operands.iter().enumerate() {
            self.typed(function, if index > 0 { ", " } else { " " }, typed);
        }
    }

    fn pair(&mut self, function: &Function, left: &Typed, right: &Value) {
        self.typed(function, " ", left);
        self.out.push_str(", ");
        self.value(Some(function), &left.ty, right);
    }

    fn target(&mut self, function: &Function, before: &str, target: BlockId) {
        put!(self.out, "{before}label {}", self.names.block(function, target));
    }

    fn targets(&mut self, function: &Function, targets: &[BlockId]) {
        self.out.push('[');
        for (index, target) in targets.iter().enumerate() {
            self.target(function, if index > 0 { ", " } else { "" }, *target);
        }
        self.out.push(']');
    }

    fn align(&mut self, align: Option<u64>) {
        if let Some(align) = align {
            put!(self.out, ", align {align}");
        }
    }

    fn op(&mut self, function: &Function, op: &Op) {
        match op {
            Op::Ret(None) => self.out.push_str("ret void"),
            Op::Ret(Some(value)) => self.simple(function, "ret", &[value]),
            Op::Unreachable => self.out.push_str("unreachable"),
            Op::Resume(value) => self.simple(function, "resume", &[value]),
            Op::Freeze(value) => self.simple(function, "freeze", &[value]),
            Op::FNeg { flags, of } => {
                self.simple(function, &format!("fneg{}", fast_math(*flags)), &[of])
            }
            Op::Select { flags, condition, then, otherwise } => {
                let word = format!("select{}", fast_math(*flags));
                self.simple(function, &word, &[condition, then, otherwise]);
            }
            Op::ExtractElement { vector, index } => {
                self.simple(function, "extractelement", &[vector, index])
            }
            Op::InsertElement { vector, element, index } => {
                self.simple(function, "insertelement", &[vector, element, index]);
            }
            Op::ShuffleVector { left, right, mask } => {
                self.simple(function, "shufflevector", &[left, right, mask]);
            }
            Op::Br(_) | Op::CondBr { .. } | Op::Switch { .. } | Op::IndirectBr { .. } => {
                self.branch(function, op);
            }
            Op::Invoke { .. } | Op::CallBr { .. } | Op::Call(_) => self.any_call(function, op),
            Op::LandingPad { ty, cleanup, clauses } => {
                put!(self.out, "landingpad {ty}{}", if *cleanup { " cleanup" } else { "" });
                for (catch, clause) in clauses {
                    self.typed(function, if *catch { " catch " } else { " filter " }, clause);
                }
            }
            Op::Funclet(funclet) => self.funclet(function, funclet),
            Op::Binary { op, flags, fast, left, right } => {
                put!(self.out, "{}{}{}", op.word(), int_flags(*flags), fast_math(*fast));
                self.pair(function, left, right);
            }
            Op::ICmp { predicate, samesign, left, right } => {
                put!(
                    self.out,
                    "icmp{} {}",
                    if *samesign { " samesign" } else { "" },
                    predicate.word()
                );
                self.pair(function, left, right);
            }
            Op::FCmp { predicate, flags, left, right } => {
                put!(self.out, "fcmp{} {}", fast_math(*flags), predicate.word());
                self.pair(function, left, right);
            }
            Op::Cast { op, flags, fast, from, to } => {
                put!(self.out, "{}{}{}", op.word(), int_flags(*flags), fast_math(*fast));
                self.typed(function, " ", from);
                put!(self.out, " to {to}");
            }
            Op::Phi { flags, ty, incoming } => self.phi(function, *flags, ty, incoming),
            Op::ExtractValue { aggregate, indices } => {
                self.simple(function, "extractvalue", &[aggregate]);
                self.indices(indices);
            }
            Op::InsertValue { aggregate, element, indices } => {
                self.simple(function, "insertvalue", &[aggregate, element]);
                self.indices(indices);
            }
            Op::GetElementPtr { flags, ty, base, indices } => {
                put!(self.out, "getelementptr{} {ty}", gep_flags(flags));
                self.typed(function, ", ", base);
                for index in indices {
                    self.typed(function, ", ", index);
                }
            }
            Op::VaArg { list, ty } => {
                self.simple(function, "va_arg", &[list]);
                put!(self.out, ", {ty}");
            }
            Op::Alloca { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Fence(_)
            | Op::CmpXchg { .. }
            | Op::AtomicRmw { .. } => self.memory(function, op),
        }
    }

    fn branch(&mut self, function: &Function, op: &Op) {
        match op {
            Op::Br(target) => self.target(function, "br ", *target),
            Op::CondBr { condition, then, otherwise } => {
                self.out.push_str("br i1 ");
                self.value(Some(function), &Type::Integer(1), condition);
                self.target(function, ", ", *then);
                self.target(function, ", ", *otherwise);
            }
            Op::Switch { on, default, cases } => {
                self.typed(function, "switch ", on);
                self.target(function, ", ", *default);
                self.out.push_str(" [\n");
                for (case, target) in cases {
                    put!(self.out, "    {} ", on.ty);
                    self.constant(&on.ty, case);
                    self.target(function, ", ", *target);
                    self.out.push('\n');
                }
                self.out.push_str("  ]");
            }
            Op::IndirectBr { address, targets } => {
                self.simple(function, "indirectbr", &[address]);
                self.out.push_str(", ");
                self.targets(function, targets);
            }
            _ => {}
        }
    }

    fn phi(
        &mut self,
        function: &Function,
        flags: FastMath,
        ty: &Type,
        incoming: &[(Value, BlockId)],
    ) {
        put!(self.out, "phi{} {ty} ", fast_math(flags));
        for (index, (value, from)) in incoming.iter().enumerate() {
            self.out.push_str(if index > 0 { ", [ " } else { "[ " });
            self.value(Some(function), ty, value);
            put!(self.out, ", {} ]", self.names.block(function, *from));
        }
    }

    fn indices(&mut self, indices: &[u32]) {
        for index in indices {
            put!(self.out, ", {index}");
        }
    }

    fn memory(&mut self, function: &Function, op: &Op) {
        match op {
            Op::Alloca { words, ty, count, align, space } => {
                self.out.push_str("alloca ");
                for word in words {
                    put!(self.out, "{word} ");
                }
                put!(self.out, "{ty}");
                if let Some(count) = count {
                    self.typed(function, ", ", count);
                }
                self.align(*align);
                if *space != 0 {
                    put!(self.out, ", addrspace({space})");
                }
            }
            Op::Load { volatile, atomic, ty, from, align } => {
                put!(self.out, "load {}{ty}", access(*volatile, atomic));
                self.typed(function, ", ", from);
                self.ordering(atomic);
                self.align(*align);
            }
            Op::Store { volatile, atomic, value, to, align } => {
                self.typed(function, &format!("store {}", access(*volatile, atomic)), value);
                self.typed(function, ", ", to);
                self.ordering(atomic);
                self.align(*align);
            }
            Op::Fence(ordering) => put!(self.out, "fence{}", ordered(ordering)),
            Op::CmpXchg { weak, volatile, address, expected, new, success, failure, align } => {
                let weak = if *weak { " weak" } else { "" };
                let word = format!("cmpxchg{weak}{}", if *volatile { " volatile" } else { "" });
                self.simple(function, &word, &[address, expected, new]);
                put!(self.out, "{} {failure}", ordered(success));
                self.align(*align);
            }
            Op::AtomicRmw { volatile, op, address, value, ordering, align } => {
                let word = format!("atomicrmw{} {op}", if *volatile { " volatile" } else { "" });
                self.simple(function, &word, &[address, value]);
                self.out.push_str(&ordered(ordering));
                self.align(*align);
            }
            _ => {}
        }
    }

    fn ordering(&mut self, ordering: &Option<Ordering>) {
        self.out.extend(ordering.iter().map(ordered));
    }

    fn any_call(&mut self, function: &Function, op: &Op) {
        match op {
            Op::Invoke { call, normal, unwind } => {
                self.call(function, "invoke", call);
                self.target(function, " to ", *normal);
                self.target(function, " unwind ", *unwind);
            }
            Op::CallBr { call, fallthrough, indirect } => {
                self.call(function, "callbr", call);
                self.target(function, " to ", *fallthrough);
                self.out.push(' ');
                self.targets(function, indirect);
            }
            Op::Call(call) => self.call(function, "call", call),
            _ => {}
        }
    }

    fn call(&mut self, function: &Function, word: &str, call: &Call) {
        if !call.tail.is_empty() {
            put!(self.out, "{} ", call.tail);
        }
        put!(self.out, "{word}{}", fast_math(call.fast));
        if !call.convention.is_empty() {
            put!(self.out, " {}", call.convention);
        }
        self.out.push_str(&attributes(&call.result_attributes));
        if let Some(space) = call.space {
            put!(self.out, " addrspace({space})");
        }
        if call.ty.varargs {
            put!(self.out, " {} ", call.ty);
        } else {
            put!(self.out, " {} ", call.ty.result);
        }
        self.value(Some(function), &Type::Pointer(call.space.unwrap_or(0)), &call.callee);
        self.out.push('(');
        for (index, argument) in call.arguments.iter().enumerate() {
            let Typed { ty, value } = &argument.value;
            let comma = if index > 0 { ", " } else { "" };
            put!(self.out, "{comma}{ty}{} ", attributes(&argument.attributes));
            self.value(Some(function), ty, value);
        }
        if call.tail == "musttail" && call.ty.varargs && function.varargs {
            self.out.push_str(if call.arguments.is_empty() { "..." } else { ", ..." });
        }
        self.out.push(')');
        self.out.push_str(&attributes(&call.attributes));
        self.bundles(function, &call.bundles);
    }

    fn bundles(&mut self, function: &Function, bundles: &[(String, Vec<Typed>)]) {
        for (index, (tag, values)) in bundles.iter().enumerate() {
            put!(self.out, "{}\"{tag}\"(", if index > 0 { ", " } else { " [ " });
            for (index, typed) in values.iter().enumerate() {
                self.typed(function, if index > 0 { ", " } else { "" }, typed);
            }
            self.out.push(')');
        }
        if !bundles.is_empty() {
            self.out.push_str(" ]");
        }
    }

    fn funclet(&mut self, function: &Function, funclet: &Funclet) {
        let (word, pad) = match funclet {
            Funclet::CatchSwitch { parent, .. } => ("catchswitch within", parent),
            Funclet::CatchPad(parent, _) => ("catchpad within", parent),
            Funclet::CleanupPad(parent, _) => ("cleanuppad within", parent),
            Funclet::CatchRet(pad, _) => ("catchret from", pad),
            Funclet::CleanupRet(pad, _) => ("cleanupret from", pad),
        };
        put!(self.out, "{word} ");
        self.value(Some(function), &Type::Token, pad);
        match funclet {
            Funclet::CatchSwitch { handlers, unwind, .. } => {
                self.out.push(' ');
                self.targets(function, handlers);
                self.unwind(function, *unwind);
            }
            Funclet::CatchPad(_, arguments) | Funclet::CleanupPad(_, arguments) => {
                self.out.push_str(" [");
                for (index, typed) in arguments.iter().enumerate() {
                    self.typed(function, if index > 0 { ", " } else { "" }, typed);
                }
                self.out.push(']');
            }
            Funclet::CatchRet(_, target) => self.target(function, " to ", *target),
            Funclet::CleanupRet(_, unwind) => self.unwind(function, *unwind),
        }
    }

    fn unwind(&mut self, function: &Function, unwind: Option<BlockId>) {
        match unwind {
            Some(target) => self.target(function, " unwind ", target),
            None => self.out.push_str(" unwind to caller"),
        }
    }
}

/// Flags, one space before each.
fn fast_math(flags: FastMath) -> String {
    if flags == FastMath::FAST {
        return " fast".to_string();
    }
    let all = [
        (flags.reassoc, " reassoc"),
        (flags.nnan, " nnan"),
        (flags.ninf, " ninf"),
        (flags.nsz, " nsz"),
        (flags.arcp, " arcp"),
        (flags.contract, " contract"),
        (flags.afn, " afn"),
    ];
    all.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect()
}

/// `atomic volatile `.
fn access(volatile: bool, atomic: &Option<Ordering>) -> String {
    let atomic = if atomic.is_some() { "atomic " } else { "" };
    format!("{atomic}{}", if volatile { "volatile " } else { "" })
}

fn ordered(ordering: &Ordering) -> String {
    match &ordering.scope {
        Some(scope) => format!(" syncscope(\"{scope}\") {}", ordering.word),
        None => format!(" {}", ordering.word),
    }
}
