//! What a probe looks at: the way from a variable to a scalar, made of the same accesses as the
//! expression that would name it ([`super::place`]), so that one set of rules says what can be read.

use super::Lower;
use super::place::{Lv, Place};
use crate::code::*;
use crate::kind::Kind;
use crate::memory::OFFSET_BITS;
use crate::{Step, Watch};
use ctree::{ArrayLen, StmtId, StmtKind, Ty, TypeKind, TypeTable};

impl Lower<'_> {
    /// A probe before a statement, if one was asked for.
    pub(super) fn probe(&mut self, s: StmtId) {
        let Some(watches) = self.hooks.probes.get(&s) else { return };
        if matches!(self.p.stmt(s).kind, StmtKind::Decl(_)) {
            return;
        }
        let scalars = watches.iter().map(|watch| self.watched(watch)).collect();
        // A statement whose code is there twice has one tally.
        let tallies = &mut self.code.tallies;
        let tally = *self.tally_of.entry(s).or_insert_with(|| {
            tallies.push(s);
            tallies.len() as u32 - 1
        });
        let point = self.code.probes.len() as u32;
        self.code.probes.push(Probe { tally, scalars });
        self.emit(Op::Probe { point });
    }

    /// Where a probe finds a scalar; `None` for what is no integer, or of no use.
    fn watched(&mut self, watch: &Watch) -> Option<Watched> {
        let var = self.p.var(watch.var);
        let mut lv = self.variable(watch.var, self.p.types.resolved(var.ty)).ok()?;
        let escapes = self.facts.escapes[watch.var.index()];
        let mut way = Vec::new();
        let mut record = None;
        for (i, &step) in watch.path.iter().enumerate() {
            let ty = step_type(&self.p.types, lv.ty, step)?;
            lv = match step {
                Step::Field(field) => self.member(lv, field, ty).ok()?,
                Step::Element(n) => {
                    let (size, natural) = (self.p.types.size_of(ty)?, self.p.types.align_of(ty));
                    let behind_field = i > 0 && matches!(watch.path[i - 1], Step::Field(_));
                    // The old spelling of a flexible array member is reached through a pointer of
                    // its own, which knows of no union and no packed record.
                    if behind_field
                        && is_flexible(&self.p.types, lv.ty)
                        && (lv.union || lv.align < natural)
                    {
                        return None;
                    }
                    let by = u32::try_from(size * u64::from(n)).ok()?;
                    lv.shifted(by, ty, lv.align.min(natural))
                }
                Step::Deref => {
                    way.push(self.spot(&lv, record, Kind::Ptr, escapes)?);
                    // `p->f` wants a record there, `(*p)[i]` only what it reads.
                    let is_arrow = matches!(watch.path.get(i + 1), Some(Step::Field(_)));
                    record = is_arrow.then(|| self.elem(ty));
                    Lv::new(Place::Pointer { p: 0, at: 0 }, ty, self.p.types.align_of(ty))
                }
            };
        }
        let kind = Kind::of(&self.p.types, lv.ty).filter(|kind| kind.is_int())?;
        let end = self.spot(&lv, record, kind, escapes)?;
        Some(Watched { ty: lv.ty, kind, way: way.into(), end })
    }

    /// How the machine reaches a place; through a pointer, it is the one read just before.
    fn spot(&mut self, lv: &Lv, record: Option<u32>, kind: Kind, escapes: bool) -> Option<Spot> {
        if let Some((_, width)) = lv.bits {
            let (_, access) = self.bit_access(lv, kind);
            return (width <= 64).then_some(Spot::Bits { record, access });
        }
        Some(match lv.place {
            Place::Register { reg, flag } => Spot::Register { reg, flag },
            Place::Pointer { at, .. } => {
                let (_, access) = self.pointer_access(lv, kind).ok()?;
                return (at < 1 << OFFSET_BITS).then_some(Spot::Behind { record, access });
            }
            Place::Static { .. } | Place::Frame { .. } => {
                let (base, _, at) = self.direct(lv.place)?;
                Spot::Direct { base, at, private: base == Base::Frame && !escapes }
            }
        })
    }
}

/// The type that a step leads to, with the qualifiers of what it is part of.
pub(super) fn step_type(types: &TypeTable, ty: Ty, step: Step) -> Option<Ty> {
    let part = match (step, types.shape(ty)) {
        (Step::Element(i), &TypeKind::Array(elem, ArrayLen::Known(n))) if u64::from(i) < n => elem,
        (Step::Field(i), &TypeKind::Record(id)) => {
            let record = &types.records[id.index()];
            let field = record.fields.get(i as usize)?;
            if !record.complete || field.bits.is_some() && field.name.is_none() {
                return None;
            }
            field.ty
        }
        (Step::Deref, &TypeKind::Pointer(to)) => return Some(types.resolved(to)),
        _ => return None,
    };
    Some(types.resolved(part.qualified(ty.quals())))
}

fn is_flexible(types: &TypeTable, ty: Ty) -> bool {
    matches!(types.as_array(ty), Some((_, ArrayLen::Known(..=1))))
}
