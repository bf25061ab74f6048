//! Compatible types (6.2.7).

use ctree::{ArrayLen, IntKind, Program, RecordId, Ty, TypeKind};

/// Whether two types are compatible, qualifiers on the outside left out.
pub(crate) fn compatible(program: &Program, a: Ty, b: Ty) -> bool {
    check(program, a, b, &mut Vec::new())
}

/// The type after the default argument promotions.
pub(crate) fn promoted(program: &Program, ty: Ty) -> Ty {
    match program.types.int_kind(ty) {
        Some(kind) if kind.rank() < IntKind::Int.rank() => Ty::INT,
        _ if program.types.resolved(ty).unqual() == Ty::FLOAT => Ty::DOUBLE,
        _ => program.types.resolved(ty).unqual(),
    }
}

fn check(program: &Program, a: Ty, b: Ty, open: &mut Vec<(RecordId, RecordId)>) -> bool {
    let (a, b) = (program.types.resolved(a).unqual(), program.types.resolved(b).unqual());
    if a == b {
        return true;
    }
    match (program.types.shape(a), program.types.shape(b)) {
        (TypeKind::Enum(e), TypeKind::Int(k)) | (TypeKind::Int(k), TypeKind::Enum(e)) => {
            program.types.enums[e.index()].int == *k
        }
        (TypeKind::Enum(x), TypeKind::Enum(y)) => {
            // Of different units: the same tag and members.
            let (x, y) = (&program.types.enums[x.index()], &program.types.enums[y.index()]);
            x.tag == y.tag && x.int == y.int
        }
        (&TypeKind::Pointer(x), &TypeKind::Pointer(y)) => {
            program.types.resolved(x).quals() == program.types.resolved(y).quals()
                && check(program, x, y, open)
        }
        (&TypeKind::Array(x, n), &TypeKind::Array(y, m)) => {
            check(program, x, y, open)
                && (n == m || n == ArrayLen::Unknown || m == ArrayLen::Unknown)
        }
        (&TypeKind::Vector(x, n), &TypeKind::Vector(y, m)) => n == m && check(program, x, y, open),
        (TypeKind::Function(x), TypeKind::Function(y)) => {
            if !check(program, x.ret, y.ret, open) {
                return false;
            }
            match (x.proto, y.proto) {
                (true, true) => {
                    x.variadic == y.variadic
                        && x.params.len() == y.params.len()
                        && x.params.iter().zip(&y.params).all(|(&x, &y)| check(program, x, y, open))
                }
                (false, false) => true,
                (true, false) => unprototyped(program, x, y, open),
                (false, true) => unprototyped(program, y, x, open),
            }
        }
        (&TypeKind::Record(x), &TypeKind::Record(y)) => records(program, x, y, open),
        _ => false,
    }
}

/// 6.7.6.3p15: a prototype against an old-style declaration or definition.
fn unprototyped(
    program: &Program,
    proto: &ctree::FuncType,
    old: &ctree::FuncType,
    open: &mut Vec<(RecordId, RecordId)>,
) -> bool {
    if proto.variadic {
        return false;
    }
    if old.params.is_empty() {
        return proto.params.iter().all(|&t| check(program, promoted(program, t), t, open));
    }
    proto.params.len() == old.params.len()
        && proto
            .params
            .iter()
            .zip(&old.params)
            .all(|(&x, &y)| check(program, x, promoted(program, y), open))
}

fn records(
    program: &Program,
    x: RecordId,
    y: RecordId,
    open: &mut Vec<(RecordId, RecordId)>,
) -> bool {
    if open.contains(&(x, y)) {
        return true;
    }
    let (a, b) = (&program.types.records[x.index()], &program.types.records[y.index()]);
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
                && check(program, f.ty, g.ty, open)
        });
    open.pop();
    same
}
