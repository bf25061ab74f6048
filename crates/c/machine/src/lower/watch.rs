//! What a probe records: the path from a variable to a scalar, compiled to the same accesses as the
//! expression that would name it ([`super::lvalue`]), so that one set of rules decides what can be read.

use super::Lower;
use super::lvalue::{LValue, ValueLocation};
use crate::code::*;
use crate::kind::ScalarKind;
use crate::memory::OFFSET_BITS;
use crate::{PathStep, Watch};
use ctree::{ArrayLen, StmtId, StmtKind, Ty, TypeKind, TypeTable};

impl Lower<'_> {
    /// A probe before a statement, if one was asked for.
    pub(super) fn probe(&mut self, s: StmtId) {
        let Some(watches) = self.hooks.probes.get(&s) else { return };
        if matches!(self.program.stmt(s).kind, StmtKind::Decl(_)) {
            return;
        }
        let scalars = watches.iter().map(|watch| self.watched(watch)).collect();
        // A statement that is compiled twice has one tally.
        let tallies = &mut self.code.tallies;
        let tally = *self.tally_of.entry(s).or_insert_with(|| {
            tallies.push(s);
            tallies.len() as u32 - 1
        });
        let point = self.code.probes.len() as u32;
        self.code.probes.push(Probe { tally, scalars });
        self.emit(Op::Probe { point });
    }

    /// Where a probe finds a scalar; `None` for what is not an integer, or not usable.
    fn watched(&mut self, watch: &Watch) -> Option<WatchedScalar> {
        let var = self.program.var(watch.var);
        let mut lv = self.variable(watch.var, self.program.types.resolved(var.ty)).ok()?;
        let escapes = self.facts.escapes[watch.var.index()];
        let mut way = Vec::new();
        let mut record = None;
        for (i, &step) in watch.path.iter().enumerate() {
            let ty = path_step_type(&self.program.types, lv.ty, step)?;
            lv = match step {
                PathStep::Field(field) => self.member(lv, field, ty).ok()?,
                PathStep::Element(n) => {
                    let (size, natural) =
                        (self.program.types.size_of(ty)?, self.program.types.align_of(ty));
                    let behind_field = i > 0 && matches!(watch.path[i - 1], PathStep::Field(_));
                    // The old spelling of a flexible array member is reached through a pointer of
                    // its own, which knows of no union and no packed record.
                    if behind_field
                        && is_flexible(&self.program.types, lv.ty)
                        && (lv.union || lv.align < natural)
                    {
                        return None;
                    }
                    let by = u32::try_from(size * u64::from(n)).ok()?;
                    lv.shifted(by, ty, lv.align.min(natural))
                }
                PathStep::Deref => {
                    let kind = ScalarKind::of(&self.program.types, lv.ty)?;
                    way.push(self.spot(&lv, record, kind, escapes)?);
                    // `p->f` wants a record there, `(*p)[i]` only what it reads.
                    let is_arrow = matches!(watch.path.get(i + 1), Some(PathStep::Field(_)));
                    record = is_arrow.then(|| self.elem(ty));
                    LValue::new(
                        ValueLocation::Pointer { p: 0, at: 0 },
                        ty,
                        self.program.types.align_of(ty),
                    )
                }
            };
        }
        let kind = ScalarKind::of(&self.program.types, lv.ty).filter(|kind| kind.is_int())?;
        let end = self.spot(&lv, record, kind, escapes)?;
        Some(WatchedScalar { ty: lv.ty, kind, way: way.into(), end })
    }

    /// How the machine reaches an lvalue; through a pointer, it is the one read just before.
    fn spot(
        &mut self,
        lv: &LValue,
        record: Option<u32>,
        kind: ScalarKind,
        escapes: bool,
    ) -> Option<ScalarLocation> {
        if let Some((_, width)) = lv.bits {
            let (_, access) = self.bit_access(lv, kind);
            return (width <= 64).then_some(ScalarLocation::Bits { record, access });
        }
        Some(match lv.location {
            ValueLocation::Register { reg, flag } => ScalarLocation::Register { reg, flag },
            ValueLocation::Pointer { at, .. } => {
                let (_, access) = self.pointer_access(lv, kind).ok()?;
                return (at < 1 << OFFSET_BITS)
                    .then_some(ScalarLocation::Behind { record, access });
            }
            ValueLocation::Static { .. } | ValueLocation::Frame { .. } => {
                let (base, _, at) = self.direct(lv.location)?;
                ScalarLocation::Direct { base, at, private: base == AddressBase::Frame && !escapes }
            }
        })
    }
}

/// The type that a step leads to, with the qualifiers of what it is part of.
pub(super) fn path_step_type(types: &TypeTable, ty: Ty, step: PathStep) -> Option<Ty> {
    let part = match (step, types.shape(ty)) {
        (PathStep::Element(i), &TypeKind::Array(elem, ArrayLen::Known(n))) if u64::from(i) < n => {
            elem
        }
        (PathStep::Field(i), &TypeKind::Record(id)) => {
            let record = &types.records[id.index()];
            let field = record.fields.get(i as usize)?;
            if !record.complete || field.bits.is_some() && field.name.is_none() {
                return None;
            }
            field.ty
        }
        (PathStep::Deref, &TypeKind::Pointer(to)) => return Some(types.resolved(to)),
        _ => return None,
    };
    Some(types.resolved(part.qualified(ty.quals())))
}

fn is_flexible(types: &TypeTable, ty: Ty) -> bool {
    matches!(types.as_array(ty), Some((_, ArrayLen::Known(..=1))))
}
