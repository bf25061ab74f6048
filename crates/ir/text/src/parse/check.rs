//! Whether operands have types that the operation takes, and flags that it can have.
//!
//! LLVM refuses such texts, too; whoever works on a tree need not expect them. Not here: what takes a whole
//! function (dominance, predecessors of a `phi`), which LLVM's verifier sees.

use super::{Parser, Read};
use crate::op::{Binary, Cast, FastMath, IntFlags, Op, Typed};
use crate::tree::Type;

impl<'t> Parser<'t> {
    /// Refuses an operation on what it cannot take.
    pub(super) fn check(&self, op: &Op) -> Read<()> {
        match self.complaint(op) {
            None => Ok(()),
            Some(what) => self.refuse_before(what),
        }
    }

    fn complaint(&self, op: &Op) -> Option<String> {
        let not = |fits: bool, what: &str| (!fits).then(|| what.to_string());
        match op {
            Op::Binary { op, flags, fast, left, .. } => binary(*op, *flags, *fast, &left.ty),
            Op::Cast { op, flags, fast, from, to } => cast(*op, *flags, *fast, &from.ty, to),
            Op::FNeg { of, .. } => not(is_float(&of.ty), "`fneg` of what is no float"),
            Op::ICmp { left, .. } => not(
                is_integer(&left.ty) || is_pointer(&left.ty),
                "`icmp` of neither integers nor pointers",
            ),
            Op::FCmp { left, .. } => not(is_float(&left.ty), "`fcmp` of what is no float"),
            Op::Select { condition, then, otherwise, .. } => {
                let chosen = match &condition.ty {
                    Type::Integer(1) => true,
                    ty => *scalar(ty) == Type::Integer(1) && shape(ty) == shape(&then.ty),
                };
                not(
                    chosen && then.ty == otherwise.ty,
                    "a `select` of types that do not go together",
                )
            }
            Op::ExtractElement { index, .. } => {
                not(is_scalar_integer(index), "an index that is no integer")
            }
            Op::InsertElement { vector, element, index } => {
                let fits = shape(&vector.ty).is_some() && *scalar(&vector.ty) == element.ty;
                not(fits && is_scalar_integer(index), "an element that the vector does not hold")
            }
            Op::ShuffleVector { left, right, mask } => {
                let fits =
                    left.ty == right.ty && shape(&left.ty).is_some() && shape(&mask.ty).is_some();
                not(
                    fits && *scalar(&mask.ty) == Type::Integer(32),
                    "vectors that do not go together",
                )
            }
            Op::InsertValue { aggregate, element, indices } => {
                let member = self.member(&aggregate.ty, indices).ok();
                not(
                    member.as_ref() == Some(&element.ty),
                    "a member that the aggregate does not have",
                )
            }
            Op::Load { from, .. } => not(is_address(from), "a load from what is no pointer"),
            Op::Store { to, .. } => not(is_address(to), "a store to what is no pointer"),
            Op::CmpXchg { address, expected, new, .. } => not(
                is_address(address) && expected.ty == new.ty,
                "a `cmpxchg` of types that do not go together",
            ),
            Op::AtomicRmw { address, .. } => {
                not(is_address(address), "an `atomicrmw` of what is no pointer")
            }
            Op::GetElementPtr { base, indices, .. } => {
                let fits =
                    is_pointer(&base.ty) && indices.iter().all(|index| is_integer(&index.ty));
                not(fits, "a `getelementptr` of what is no pointer, or by what is no integer")
            }
            Op::Switch { on, .. } => not(is_scalar_integer(on), "a `switch` on what is no integer"),
            Op::Alloca { count: Some(count), .. } => {
                not(is_scalar_integer(count), "a count that is no integer")
            }
            _ => None,
        }
    }
}

fn binary(op: Binary, flags: IntFlags, fast: FastMath, ty: &Type) -> Option<String> {
    let float =
        matches!(op, Binary::FAdd | Binary::FSub | Binary::FMul | Binary::FDiv | Binary::FRem);
    let word = op.word();
    if !(if float { is_float(ty) } else { is_integer(ty) }) {
        return Some(format!("`{word}` of a {ty}"));
    }
    let wraps = matches!(op, Binary::Add | Binary::Sub | Binary::Mul | Binary::Shl);
    let loses = matches!(op, Binary::UDiv | Binary::SDiv | Binary::LShr | Binary::AShr);
    let wrong = (flags.nuw || flags.nsw) && !wraps
        || flags.exact && !loses
        || flags.disjoint && op != Binary::Or
        || flags.nneg
        || fast != FastMath::default() && !float;
    wrong.then(|| format!("a flag that `{word}` cannot have"))
}

fn cast(op: Cast, flags: IntFlags, fast: FastMath, from: &Type, to: &Type) -> Option<String> {
    let word = op.word();
    let nneg = matches!(op, Cast::ZExt | Cast::UiToFp);
    let floats = matches!(op, Cast::FpTrunc | Cast::FpExt | Cast::UiToFp | Cast::SiToFp);
    let wrong = (flags.nuw || flags.nsw) && op != Cast::Trunc
        || flags.nneg && !nneg
        || flags.exact
        || flags.disjoint
        || fast != FastMath::default() && !floats;
    if wrong {
        return Some(format!("a flag that `{word}` cannot have"));
    }
    let (source, target) = (scalar(from), scalar(to));
    let widths = (width(source), width(target));
    let fits = match op {
        Cast::BitCast => {
            return (!bitcast_fits(from, to)).then(|| format!("a `bitcast` of a {from} to a {to}"));
        }
        Cast::Trunc => is_integer(source) && is_integer(target) && widths.0 > widths.1,
        Cast::ZExt | Cast::SExt => is_integer(source) && is_integer(target) && widths.0 < widths.1,
        Cast::FpTrunc => is_float(source) && is_float(target) && widths.0 > widths.1,
        Cast::FpExt => is_float(source) && is_float(target) && widths.0 < widths.1,
        Cast::FpToUi | Cast::FpToSi => is_float(source) && is_integer(target),
        Cast::UiToFp | Cast::SiToFp => is_integer(source) && is_float(target),
        Cast::PtrToInt | Cast::PtrToAddr => is_pointer(source) && is_integer(target),
        Cast::IntToPtr => is_integer(source) && is_pointer(target),
        Cast::AddrSpaceCast => is_pointer(source) && is_pointer(target) && source != target,
    };
    (!fits || shape(from) != shape(to)).then(|| format!("a `{word}` of a {from} to a {to}"))
}

/// Pointers to pointers of the same address space, and other things of as many bits.
fn bitcast_fits(from: &Type, to: &Type) -> bool {
    let bits = |ty: &Type| {
        let (count, scalable) = shape(ty).unwrap_or((1, false));
        width(scalar(ty)).map(|width| (u64::from(width) * u64::from(count), scalable))
    };
    match (scalar(from), scalar(to)) {
        (Type::Pointer(one), Type::Pointer(other)) => {
            let count = |ty| shape(ty).unwrap_or((1, false));
            one == other && count(from) == count(to)
        }
        (Type::Pointer(_), _) | (_, Type::Pointer(_)) => false,
        (Type::Other(_), _) | (_, Type::Other(_)) => true,
        _ => bits(from).is_some() && bits(from) == bits(to),
    }
}

/// The type of an element, or the type itself.
fn scalar(ty: &Type) -> &Type {
    match ty {
        Type::Vector { element, .. } => element,
        ty => ty,
    }
}

/// How many elements a vector has, and whether that is multiplied.
fn shape(ty: &Type) -> Option<(u32, bool)> {
    match ty {
        Type::Vector { count, scalable, .. } => Some((*count, *scalable)),
        _ => None,
    }
}

fn width(ty: &Type) -> Option<u32> {
    match ty {
        Type::Integer(width) => Some(*width),
        Type::Float(format) => Some(format.bits()),
        _ => None,
    }
}

fn is_integer(ty: &Type) -> bool {
    matches!(scalar(ty), Type::Integer(_))
}

fn is_scalar_integer(typed: &Typed) -> bool {
    matches!(typed.ty, Type::Integer(_))
}

fn is_float(ty: &Type) -> bool {
    matches!(scalar(ty), Type::Float(_))
}

fn is_pointer(ty: &Type) -> bool {
    matches!(scalar(ty), Type::Pointer(_))
}

fn is_address(typed: &Typed) -> bool {
    matches!(typed.ty, Type::Pointer(_))
}
