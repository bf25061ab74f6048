//! Which intrinsics there are, by name.
//!
//! Not here: what they do (`exec`). One that is not in the table is refused by name.

use irtext::Binary;

use crate::float::{Extreme, Unary};
use crate::integer::IntegerIntrinsic;

/// An intrinsic that is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // As LLVM's manual names them.
pub enum Intrinsic {
    Integer(IntegerIntrinsic),
    WithOverflow {
        op: Binary,
        signed: bool,
    },
    ThreeWay {
        signed: bool,
    },
    FixedMul {
        signed: bool,
        saturating: bool,
    },
    Round(Unary),
    FAbs,
    CopySign,
    Extreme(Extreme),
    Fma,
    FMulAdd,
    ToIntegerSat {
        signed: bool,
    },
    IsFpClass,
    Assume,
    /// The first argument again.
    First,
    Nothing,
    LifetimeStart,
    LifetimeEnd,
    /// Of `llvm.stacksave`: a pointer that only `llvm.stackrestore` takes.
    Token,
    InvariantStart,
    Copy {
        overlapping: bool,
    },
    Fill,
    Reduce(Reduction),
    MaskedLoad,
    MaskedStore,
    MaskedGather,
    MaskedScatter,
    ExpandLoad,
    CompressStore,
    VectorInsert,
    VectorExtract,
    VectorReverse,
    VectorInterleave2,
    VectorDeinterleave2,
    Splice,
    StepVector,
    ActiveLaneMask,
    PtrMask,
    ObjectSize,
    Trap,
    CttzElts,
}

/// How lanes become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Arithmetic on integers.
    Integer(Binary),
    /// Least and greatest of integers.
    Function(IntegerIntrinsic),
    /// Sums and products of floats, from a first one, in order.
    Float(Binary),
    /// Least and greatest of floats.
    Extreme(Extreme),
}

use Intrinsic as I;

/// Names without `llvm.` and without the types behind. The longest that fits is meant.
const TABLE: &[(&str, Intrinsic)] = &[
    ("abs", I::Integer(IntegerIntrinsic::Abs)),
    ("smin", I::Integer(IntegerIntrinsic::SMin)),
    ("smax", I::Integer(IntegerIntrinsic::SMax)),
    ("umin", I::Integer(IntegerIntrinsic::UMin)),
    ("umax", I::Integer(IntegerIntrinsic::UMax)),
    ("sadd.sat", I::Integer(IntegerIntrinsic::SAddSat)),
    ("uadd.sat", I::Integer(IntegerIntrinsic::UAddSat)),
    ("ssub.sat", I::Integer(IntegerIntrinsic::SSubSat)),
    ("usub.sat", I::Integer(IntegerIntrinsic::USubSat)),
    ("sshl.sat", I::Integer(IntegerIntrinsic::SShlSat)),
    ("ushl.sat", I::Integer(IntegerIntrinsic::UShlSat)),
    ("fshl", I::Integer(IntegerIntrinsic::Fshl)),
    ("fshr", I::Integer(IntegerIntrinsic::Fshr)),
    ("ctpop", I::Integer(IntegerIntrinsic::Ctpop)),
    ("ctlz", I::Integer(IntegerIntrinsic::Ctlz)),
    ("cttz", I::Integer(IntegerIntrinsic::Cttz)),
    ("bswap", I::Integer(IntegerIntrinsic::Bswap)),
    ("bitreverse", I::Integer(IntegerIntrinsic::BitReverse)),
    ("sadd.with.overflow", I::WithOverflow { op: Binary::Add, signed: true }),
    ("uadd.with.overflow", I::WithOverflow { op: Binary::Add, signed: false }),
    ("ssub.with.overflow", I::WithOverflow { op: Binary::Sub, signed: true }),
    ("usub.with.overflow", I::WithOverflow { op: Binary::Sub, signed: false }),
    ("smul.with.overflow", I::WithOverflow { op: Binary::Mul, signed: true }),
    ("umul.with.overflow", I::WithOverflow { op: Binary::Mul, signed: false }),
    ("scmp", I::ThreeWay { signed: true }),
    ("ucmp", I::ThreeWay { signed: false }),
    ("umul.fix", I::FixedMul { signed: false, saturating: false }),
    ("umul.fix.sat", I::FixedMul { signed: false, saturating: true }),
    ("fabs", I::FAbs),
    ("copysign", I::CopySign),
    ("sqrt", I::Round(Unary::Sqrt)),
    ("floor", I::Round(Unary::Floor)),
    ("ceil", I::Round(Unary::Ceil)),
    ("trunc", I::Round(Unary::Trunc)),
    ("rint", I::Round(Unary::RoundEven)),
    ("nearbyint", I::Round(Unary::RoundEven)),
    ("round", I::Round(Unary::Round)),
    ("roundeven", I::Round(Unary::RoundEven)),
    ("minnum", I::Extreme(Extreme::MinNum)),
    ("maxnum", I::Extreme(Extreme::MaxNum)),
    ("minimum", I::Extreme(Extreme::Minimum)),
    ("maximum", I::Extreme(Extreme::Maximum)),
    ("fma", I::Fma),
    ("fmuladd", I::FMulAdd),
    ("fptosi.sat", I::ToIntegerSat { signed: true }),
    ("fptoui.sat", I::ToIntegerSat { signed: false }),
    ("is.fpclass", I::IsFpClass),
    ("assume", I::Assume),
    ("expect", I::First),
    ("expect.with.probability", I::First),
    ("annotation", I::First),
    ("ptr.annotation", I::First),
    ("launder.invariant.group", I::First),
    ("strip.invariant.group", I::First),
    ("ssa.copy", I::First),
    ("threadlocal.address", I::First),
    ("arithmetic.fence", I::First),
    ("donothing", I::Nothing),
    ("sideeffect", I::Nothing),
    ("var.annotation", I::Nothing),
    ("dbg", I::Nothing),
    ("pseudoprobe", I::Nothing),
    ("experimental.noalias.scope.decl", I::Nothing),
    ("invariant.end", I::Nothing),
    ("stackrestore", I::Nothing),
    ("prefetch", I::Nothing),
    ("lifetime.start", I::LifetimeStart),
    ("lifetime.end", I::LifetimeEnd),
    ("invariant.start", I::InvariantStart),
    ("stacksave", I::Token),
    ("memcpy", I::Copy { overlapping: false }),
    ("memcpy.inline", I::Copy { overlapping: false }),
    ("memmove", I::Copy { overlapping: true }),
    ("memset", I::Fill),
    ("memset.inline", I::Fill),
    ("vector.reduce.add", I::Reduce(Reduction::Integer(Binary::Add))),
    ("vector.reduce.mul", I::Reduce(Reduction::Integer(Binary::Mul))),
    ("vector.reduce.and", I::Reduce(Reduction::Integer(Binary::And))),
    ("vector.reduce.or", I::Reduce(Reduction::Integer(Binary::Or))),
    ("vector.reduce.xor", I::Reduce(Reduction::Integer(Binary::Xor))),
    ("vector.reduce.smin", I::Reduce(Reduction::Function(IntegerIntrinsic::SMin))),
    ("vector.reduce.smax", I::Reduce(Reduction::Function(IntegerIntrinsic::SMax))),
    ("vector.reduce.umin", I::Reduce(Reduction::Function(IntegerIntrinsic::UMin))),
    ("vector.reduce.umax", I::Reduce(Reduction::Function(IntegerIntrinsic::UMax))),
    ("vector.reduce.fadd", I::Reduce(Reduction::Float(Binary::FAdd))),
    ("vector.reduce.fmul", I::Reduce(Reduction::Float(Binary::FMul))),
    ("vector.reduce.fmin", I::Reduce(Reduction::Extreme(Extreme::MinNum))),
    ("vector.reduce.fmax", I::Reduce(Reduction::Extreme(Extreme::MaxNum))),
    ("vector.reduce.fminimum", I::Reduce(Reduction::Extreme(Extreme::Minimum))),
    ("vector.reduce.fmaximum", I::Reduce(Reduction::Extreme(Extreme::Maximum))),
    ("masked.load", I::MaskedLoad),
    ("masked.store", I::MaskedStore),
    ("masked.gather", I::MaskedGather),
    ("masked.scatter", I::MaskedScatter),
    ("masked.expandload", I::ExpandLoad),
    ("masked.compressstore", I::CompressStore),
    ("vector.insert", I::VectorInsert),
    ("experimental.vector.insert", I::VectorInsert),
    ("vector.extract", I::VectorExtract),
    ("experimental.vector.extract", I::VectorExtract),
    ("vector.reverse", I::VectorReverse),
    ("experimental.vector.reverse", I::VectorReverse),
    ("vector.interleave2", I::VectorInterleave2),
    ("experimental.vector.interleave2", I::VectorInterleave2),
    ("vector.deinterleave2", I::VectorDeinterleave2),
    ("experimental.vector.deinterleave2", I::VectorDeinterleave2),
    ("vector.splice", I::Splice),
    ("experimental.vector.splice", I::Splice),
    ("stepvector", I::StepVector),
    ("experimental.stepvector", I::StepVector),
    ("get.active.lane.mask", I::ActiveLaneMask),
    ("ptrmask", I::PtrMask),
    ("objectsize", I::ObjectSize),
    ("trap", I::Trap),
    ("ubsantrap", I::Trap),
    ("experimental.cttz.elts", I::CttzElts),
];

impl Intrinsic {
    /// By the name of the function; `None`: it is not known.
    pub fn of(name: &str) -> Option<Intrinsic> {
        let rest = name.strip_prefix("llvm.")?;
        let fits = |known: &str| {
            rest.strip_prefix(known).is_some_and(|types| types.is_empty() || types.starts_with('.'))
        };
        let found = TABLE.iter().filter(|(known, _)| fits(known));
        // `llvm.memcpy.element.unordered.atomic` is another function.
        let found = found.max_by_key(|(known, _)| known.len())?;
        let types = &rest[found.0.len()..];
        (!types.contains(".element.") && !types.contains(".ieee")).then_some(found.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_is_meant() {
        assert_eq!(Intrinsic::of("llvm.abs.i32"), Some(I::Integer(IntegerIntrinsic::Abs)));
        assert_eq!(
            Intrinsic::of("llvm.umul.fix.sat.i8"),
            Some(I::FixedMul { signed: false, saturating: true })
        );
        assert_eq!(Intrinsic::of("llvm.roundeven.f32"), Some(I::Round(Unary::RoundEven)));
        assert_eq!(Intrinsic::of("llvm.memcpy.element.unordered.atomic.p0.p0.i32"), None);
        assert_eq!(Intrinsic::of("llvm.x86.sse2.psrl.d"), None);
        assert_eq!(Intrinsic::of("llvm.dbg.value"), Some(I::Nothing));
    }
}
