//! What instructions refer to: the values and the blocks among their operands, to look at or to replace.

use crate::op::{Call, Funclet, Op, Typed, Value};
use crate::tree::{BlockId, Metadata};

macro_rules! walks {
    ($values:ident, $call:ident, $value:ident, $metadata:ident, $targets:ident, $(($mutable:tt))?) => {
        fn $call(call: &$($mutable)? Call, see: &mut dyn FnMut(&$($mutable)? Value)) {
            $value(&$($mutable)? call.callee, see);
            for argument in &$($mutable)? call.arguments {
                $value(&$($mutable)? argument.value.value, see);
            }
            for (_, values) in &$($mutable)? call.bundles {
                for typed in values {
                    $value(&$($mutable)? typed.value, see);
                }
            }
        }

        fn $value(value: &$($mutable)? Value, see: &mut dyn FnMut(&$($mutable)? Value)) {
            match value {
                Value::Metadata(metadata) => $metadata(metadata, see),
                other => see(other),
            }
        }

        fn $metadata(metadata: &$($mutable)? Metadata, see: &mut dyn FnMut(&$($mutable)? Value)) {
            match metadata {
                Metadata::Value(typed) => see(&$($mutable)? typed.value),
                Metadata::Tuple(parts) => {
                    for part in parts {
                        $metadata(part, see);
                    }
                }
                _ => {}
            }
        }

        /// Operands that are values, constants among them, in the order of the text; those within metadata
        /// and bundles, too. Constants are not looked into.
        pub fn $values(op: &$($mutable)? Op, see: &mut dyn FnMut(&$($mutable)? Value)) {
            let mut each = |all: &mut dyn Iterator<Item = &$($mutable)? Typed>| {
                for typed in all {
                    $value(&$($mutable)? typed.value, see);
                }
            };
            match op {
                Op::Br(_) | Op::Unreachable | Op::Fence(_) | Op::Ret(None) => {}
                Op::Ret(Some(one)) | Op::Resume(one) | Op::Freeze(one) | Op::FNeg { of: one, .. }
                | Op::Cast { from: one, .. } | Op::Switch { on: one, .. }
                | Op::IndirectBr { address: one, .. } | Op::Load { from: one, .. }
                | Op::VaArg { list: one, .. } | Op::ExtractValue { aggregate: one, .. } => {
                    $value(&$($mutable)? one.value, see);
                }
                Op::CondBr { condition, .. } => $value(condition, see),
                Op::Invoke { call, .. } | Op::CallBr { call, .. } | Op::Call(call) => $call(call, see),
                Op::LandingPad { clauses, .. } => {
                    for (_, typed) in clauses {
                        $value(&$($mutable)? typed.value, see);
                    }
                }
                Op::Funclet(funclet) => match &$($mutable)? **funclet {
                    Funclet::CatchSwitch { parent, .. } => $value(parent, see),
                    Funclet::CatchRet(pad, _) | Funclet::CleanupRet(pad, _) => $value(pad, see),
                    Funclet::CatchPad(parent, arguments) | Funclet::CleanupPad(parent, arguments) => {
                        $value(parent, see);
                        for typed in arguments {
                            $value(&$($mutable)? typed.value, see);
                        }
                    }
                },
                Op::Binary { left, right, .. } | Op::ICmp { left, right, .. } | Op::FCmp { left, right, .. } => {
                    $value(&$($mutable)? left.value, see);
                    $value(right, see);
                }
                Op::Select { condition, then, otherwise, .. } => {
                    each(&mut [condition, then, otherwise].into_iter());
                }
                Op::Phi { incoming, .. } => {
                    for (value, _) in incoming {
                        $value(value, see);
                    }
                }
                Op::ExtractElement { vector, index } => each(&mut [vector, index].into_iter()),
                Op::InsertElement { vector, element, index } => {
                    each(&mut [vector, element, index].into_iter());
                }
                Op::ShuffleVector { left, right, mask } => each(&mut [left, right, mask].into_iter()),
                Op::InsertValue { aggregate, element, .. } => {
                    each(&mut [aggregate, element].into_iter());
                }
                Op::Alloca { count, .. } => {
                    if let Some(count) = count {
                        $value(&$($mutable)? count.value, see);
                    }
                }
                Op::Store { value, to, .. } => each(&mut [value, to].into_iter()),
                Op::CmpXchg { address, expected, new, .. } => {
                    each(&mut [address, expected, new].into_iter());
                }
                Op::AtomicRmw { address, value, .. } => each(&mut [address, value].into_iter()),
                Op::GetElementPtr { base, indices, .. } => {
                    $value(&$($mutable)? base.value, see);
                    for index in indices {
                        $value(&$($mutable)? index.value, see);
                    }
                }
            }
        }

        /// Blocks that it names: where it may go on, and for a `phi` where it comes from.
        pub fn $targets(op: &$($mutable)? Op, see: &mut dyn FnMut(&$($mutable)? BlockId)) {
            match op {
                Op::Br(target) => see(target),
                Op::CondBr { then: one, otherwise: other, .. }
                | Op::Invoke { normal: one, unwind: other, .. } => {
                    see(one);
                    see(other);
                }
                Op::Switch { default, cases, .. } => {
                    see(default);
                    for (_, target) in cases {
                        see(target);
                    }
                }
                Op::IndirectBr { targets, .. } => targets.into_iter().for_each(see),
                Op::CallBr { fallthrough, indirect, .. } => {
                    see(fallthrough);
                    indirect.into_iter().for_each(see);
                }
                Op::Phi { incoming, .. } => {
                    for (_, from) in incoming {
                        see(from);
                    }
                }
                Op::Funclet(funclet) => match &$($mutable)? **funclet {
                    Funclet::CatchSwitch { handlers, unwind, .. } => {
                        handlers.into_iter().for_each(&mut *see);
                        unwind.into_iter().for_each(see);
                    }
                    Funclet::CatchRet(_, target) => see(target),
                    Funclet::CleanupRet(_, unwind) => unwind.into_iter().for_each(see),
                    Funclet::CatchPad(..) | Funclet::CleanupPad(..) => {}
                },
                _ => {}
            }
        }
    };
}

walks!(values, call, value, metadata, targets,);
walks!(values_mut, call_mut, value_mut, metadata_mut, targets_mut, (mut));
