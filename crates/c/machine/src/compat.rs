//! Compatible types (6.2.7).

use ctree::{ArrayLen, IntKind, Program, RecordId, Ty, TypeKind};

/// Whether two types are compatible, qualifiers on the outside left out.
pub(crate) fn compatible(p: &Program, a: Ty, b: Ty) -> bool {
    check(p, a, b, &mut Vec::new())
}

/// The type after the default argument promotions.
pub(crate) fn promoted(p: &Program, ty: Ty) -> Ty {
    match p.types.int_kind(ty) {
        Some(kind) if kind.rank() < IntKind::Int.rank() => Ty::INT,
        _ if p.types.resolved(ty).unqual() == Ty::FLOAT => Ty::DOUBLE,
        _ => p.types.resolved(ty).unqual(),
    }
}

fn check(p: &Program, a: Ty, b: Ty, open: &mut Vec<(RecordId, RecordId)>) -> bool {
    let (a, b) = (p.types.resolved(a).unqual(), p.types.resolved(b).unqual());
    if a == b {
        return true;
    }
    match (p.types.shape(a), p.types.shape(b)) {
        (TypeKind::Enum(e), TypeKind::Int(k)) | (TypeKind::Int(k), TypeKind::Enum(e)) => {
            p.types.enums[e.index()].int == *k
        }
        (TypeKind::Enum(x), TypeKind::Enum(y)) => {
            // Of different units: the same tag and members.
            let (x, y) = (&p.types.enums[x.index()], &p.types.enums[y.index()]);
            x.tag == y.tag && x.int == y.int
        }
        (&TypeKind::Pointer(x), &TypeKind::Pointer(y)) => {
            p.types.resolved(x).quals() == p.types.resolved(y).quals() && check(p, x, y, open)
        }
        (&TypeKind::Array(x, n), &TypeKind::Array(y, m)) => {
            check(p, x, y, open) && (n == m || n == ArrayLen::Unknown || m == ArrayLen::Unknown)
        }
        (&TypeKind::Vector(x, n), &TypeKind::Vector(y, m)) => n == m && check(p, x, y, open),
        (TypeKind::Function(x), TypeKind::Function(y)) => {
            if !check(p, x.ret, y.ret, open) {
                return false;
            }
            match (x.proto, y.proto) {
                (true, true) => {
                    x.variadic == y.variadic
                        && x.params.len() == y.params.len()
                        && x.params.iter().zip(&y.params).all(|(&x, &y)| check(p, x, y, open))
                }
                (false, false) => true,
                (true, false) => unprototyped(p, x, y, open),
                (false, true) => unprototyped(p, y, x, open),
            }
        }
        (&TypeKind::Record(x), &TypeKind::Record(y)) => records(p, x, y, open),
        _ => false,
    }
}

/// 6.7.6.3p15: a prototype against an old-style declaration or definition.
fn unprototyped(
    p: &Program,
    proto: &ctree::FuncType,
    old: &ctree::FuncType,
    open: &mut Vec<(RecordId, RecordId)>,
) -> bool {
    if proto.variadic {
        return false;
    }
    if old.params.is_empty() {
        return proto.params.iter().all(|&t| check(p, promoted(p, t), t, open));
    }
    proto.params.len() == old.params.len()
        && proto.params.iter().zip(&old.params).all(|(&x, &y)| check(p, x, promoted(p, y), open))
}

fn records(p: &Program, x: RecordId, y: RecordId, open: &mut Vec<(RecordId, RecordId)>) -> bool {
    if open.contains(&(x, y)) {
        return true;
    }
    let (a, b) = (&p.types.records[x.index()], &p.types.records[y.index()]);
    if a.tag != b.tag || a.kind != b.kind {
        return false;
    }
    if !a.complete || !b.complete {
        return true;
    }
    open.push((x, y));
    let same = a.size == b.size
        && a.fields.len() == b.fields.len()
        && a.fields.iter().zip(&b.fields).all(|(f, g)| {
            f.name == g.name
                && f.bits == g.bits
                && f.offset == g.offset
                && check(p, f.ty, g.ty, open)
        });
    open.pop();
    same
}
