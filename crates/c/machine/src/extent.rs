//! What an offset in an object's type belongs to: the array that pointer arithmetic must stay in
//! (6.5.6p8, inner dimensions included), and whether a record of a type is there.

use ctree::{ArrayLen, Program, Ty, TypeKind};

/// A range of byte offsets within an object, and the element size.
type Extent = (u64, u64);

/// Whether pointer arithmetic on elements of type `elem` may go from `from` to `to` in an object of
/// type `ty`. An offset at the boundary of two arrays counts as either's.
pub(crate) fn may_move(program: &Program, ty: Ty, elem: Ty, from: u64, to: u64) -> bool {
    let mut found = Vec::new();
    extents(program, ty, elem, from, 0, &mut found);
    // No element of that type there (a cast pointer): only the bounds of the object apply.
    found.is_empty() || found.iter().any(|&(lo, hi)| lo <= to && to <= hi)
}

/// Collects the arrays of `elem` (a lone one counts as an array of one) that offset `at` lies in or
/// at the end of.
fn extents(program: &Program, ty: Ty, elem: Ty, at: u64, base: u64, out: &mut Vec<Extent>) {
    let ty = program.types.resolved(ty).unqual();
    let size = program.types.size_of(ty).unwrap_or(u64::MAX - base);
    if at < base || at > base + size {
        return;
    }
    if ty == elem {
        out.push((base, base + size));
    }
    match *program.types.shape(ty) {
        TypeKind::Vector(inner, _) if program.types.resolved(inner).unqual() == elem => {
            out.push((base, base + size));
        }
        TypeKind::Array(inner, len) => {
            let inner_size = program.types.size_of(inner).unwrap_or(0);
            // Vectors in a row are one row of elements.
            let lane = program.types.lanes(inner).map_or(inner, |(lane, _)| lane);
            if [inner, lane].iter().any(|&ty| program.types.resolved(ty).unqual() == elem) {
                let end =
                    if let ArrayLen::Known(n) = len { base + n * inner_size } else { u64::MAX };
                out.push((base, end));
                return;
            }
            if inner_size == 0 {
                return;
            }
            let i = (at - base) / inner_size;
            extents(program, inner, elem, at, base + i * inner_size, out);
            if i > 0 && (at - base).is_multiple_of(inner_size) {
                extents(program, inner, elem, at, base + (i - 1) * inner_size, out);
            }
        }
        TypeKind::Record(id) => {
            for field in &program.types.records[id.index()].fields {
                if field.bits.is_none() {
                    extents(program, field.ty, elem, at, base + field.offset, out);
                }
            }
        }
        _ => {}
    }
}

/// Whether an object of type `ty` has a `want` (a record type) at offset `at`.
pub(crate) fn holds(program: &Program, ty: Ty, want: Ty, at: u64) -> bool {
    let ty = program.types.resolved(ty).unqual();
    if at == 0 && (ty == want || crate::compat::compatible(program, ty, want)) {
        return true;
    }
    match *program.types.shape(ty) {
        TypeKind::Array(inner, _) => {
            let size = program.types.size_of(inner).unwrap_or(0);
            size > 0 && holds(program, inner, want, at % size)
        }
        TypeKind::Record(id) => program.types.records[id.index()].fields.iter().any(|f| {
            let size = program.types.size_of(f.ty).unwrap_or(u64::MAX / 2);
            f.bits.is_none()
                && f.offset <= at
                && at < f.offset + size
                && holds(program, f.ty, want, at - f.offset)
        }),
        _ => false,
    }
}
