//! Size, alignment and member offsets by the System V ABI, as GCC lays records out.

use crate::ids::RecordId;
use crate::types::{ArrayLen, RecordKind, Ty, TypeKind, TypeTable};

impl TypeTable {
    /// Bytes of a type; `None` for incomplete and function types.
    pub fn size_of(&self, ty: Ty) -> Option<u64> {
        Some(match *self.shape(ty) {
            TypeKind::Void | TypeKind::Function(_) | TypeKind::Typedef(_) => return None,
            TypeKind::Int(kind) => u64::from(self.model.int_size(kind)),
            TypeKind::Float(kind) => u64::from(self.model.float_layout(kind).0),
            TypeKind::Enum(id) => u64::from(self.model.int_size(self.enums[id.index()].int)),
            TypeKind::Pointer(_) => u64::from(self.model.pointer_size),
            TypeKind::Array(elem, ArrayLen::Known(n)) => self.size_of(elem)?.checked_mul(n)?,
            TypeKind::Array(_, ArrayLen::Unknown) => return None,
            TypeKind::Vector(elem, lanes) => self.size_of(elem)? * u64::from(lanes),
            TypeKind::Record(id) => {
                let record = &self.records[id.index()];
                if !record.complete {
                    return None;
                }
                record.size
            }
            TypeKind::VaList => u64::from(self.model.va_list.0),
        })
    }

    /// Alignment of a type in bytes; 1 for types without one. The alignment attribute of a typedef
    /// on the way to the type counts.
    pub fn align_of(&self, ty: Ty) -> u32 {
        match *self.kind(ty) {
            TypeKind::Typedef(id) => {
                let def = &self.typedefs[id.index()];
                def.align.unwrap_or_else(|| self.align_of(def.ty))
            }
            TypeKind::Void | TypeKind::Function(_) => 1,
            TypeKind::Int(kind) => self.model.int_align(kind),
            TypeKind::Float(kind) => self.model.float_layout(kind).1,
            TypeKind::Enum(id) => self.model.int_align(self.enums[id.index()].int),
            TypeKind::Pointer(_) => self.model.pointer_size,
            TypeKind::Array(elem, _) => self.align_of(elem),
            TypeKind::Vector(..) => self.size_of(ty).unwrap_or(1) as u32,
            TypeKind::Record(id) => self.records[id.index()].align.max(1),
            TypeKind::VaList => self.model.va_list.1,
        }
    }

    /// Whether a bit-field of this type would take more of its type's aligned units than the type has.
    fn crosses(&self, ty: Ty, bit: u64, width: u64, unit: u64) -> bool {
        let align = match *self.shape(ty) {
            TypeKind::Int(kind) => u64::from(self.model.int_align(kind)) * 8,
            TypeKind::Enum(id) => u64::from(self.model.int_align(self.enums[id.index()].int)) * 8,
            _ => unit,
        };
        (bit % align + width).div_ceil(align) > unit / align
    }

    /// Lays a record out and marks it complete. Members must be complete, but for a last flexible
    /// array. Returns `None`, leaving the record incomplete, if a member is incomplete or the size
    /// overflows.
    ///
    /// Bit-fields follow the System V rule: a bit-field may not cross a boundary of its declared
    /// type unless packed; a zero-width one aligns what follows to its type. In a packed record
    /// they follow each other bit by bit. Where a type is aligned to less than its size (`long long`
    /// on i386), it may begin at any of its aligned units, and take no more of them than it has.
    pub fn complete_record(&mut self, id: RecordId) -> Option<()> {
        let record = &self.records[id.index()];
        let (kind, packed, min_align) = (record.kind, record.packed, record.min_align);
        let mut fields = record.fields.clone();
        let mut bit: u64 = 0; // next free bit of a struct
        let mut size_bits: u64 = 0; // greatest extent
        let mut align: u32 = 1;
        for field in &mut fields {
            let is_flexible = matches!(self.shape(field.ty), TypeKind::Array(_, ArrayLen::Unknown));
            let size = if is_flexible { 0 } else { self.size_of(field.ty)? };
            let natural = self.align_of(field.ty);
            let squeezed = packed || field.packed;
            let mut field_align = if squeezed { 1 } else { natural };
            if let Some(n) = field.align {
                field_align = field_align.max(n);
            }
            if kind == RecordKind::Union {
                bit = 0;
            }
            match field.bits {
                Some(0) => {
                    bit = round_up(bit, u64::from(natural) * 8)?;
                    (field.offset, field.bit) = (bit / 8, 0);
                    size_bits = size_bits.max(bit);
                    continue;
                }
                Some(width) => {
                    let (unit, width) = (size.checked_mul(8)?, u64::from(width));
                    if let Some(n) = field.align {
                        bit = round_up(bit, u64::from(n) * 8)?;
                    } else if !squeezed && self.crosses(field.ty, bit, width, unit) {
                        bit = round_up(bit, u64::from(natural) * 8)?;
                    }
                    (field.offset, field.bit) = (bit / 8, (bit % 8) as u32);
                    bit = bit.checked_add(width)?;
                    // An unnamed bit-field does not raise the record's alignment.
                    if field.name.is_some() {
                        align = align.max(field_align);
                    }
                }
                None => {
                    bit = round_up(bit, u64::from(field_align) * 8)?;
                    (field.offset, field.bit) = (bit / 8, 0);
                    bit = bit.checked_add(size.checked_mul(8)?)?;
                    align = align.max(field_align);
                }
            }
            size_bits = size_bits.max(bit);
        }
        align = align.max(min_align.unwrap_or(1));
        let size = round_up(size_bits, u64::from(align) * 8)? / 8;
        let record = &mut self.records[id.index()];
        record.fields = fields;
        record.size = size;
        record.align = align;
        record.complete = true;
        Some(())
    }
}

fn round_up(n: u64, to: u64) -> Option<u64> {
    n.checked_next_multiple_of(to.max(1))
}

#[cfg(test)]
mod tests {
    use crate::{Abi, Field, Record, RecordId, RecordKind, Ty, TypeTable};

    fn record(fields: &[(Ty, Option<u32>)], packed: bool) -> (u64, u32, Vec<(u64, u32)>) {
        record_of(Abi::Lp64, fields, packed)
    }

    fn record_of(
        abi: Abi,
        fields: &[(Ty, Option<u32>)],
        packed: bool,
    ) -> (u64, u32, Vec<(u64, u32)>) {
        let mut types = TypeTable::new(abi.model());
        let name = Some(crate::Sym(0));
        types.records.push(Record {
            tag: None,
            kind: RecordKind::Struct,
            fields: fields
                .iter()
                .map(|&(ty, bits)| Field { bits, ..Field::new(name, ty) })
                .collect(),
            complete: false,
            packed,
            min_align: None,
            size: 0,
            align: 0,
        });
        types.complete_record(RecordId(0)).unwrap();
        let r = &types.records[0];
        (r.size, r.align, r.fields.iter().map(|f| (f.offset, f.bit)).collect())
    }

    #[test]
    fn bit_fields_do_not_cross_their_type() {
        let fields = [(Ty::INT, Some(30)), (Ty::INT, Some(5)), (Ty::CHAR, None)];
        assert_eq!(record(&fields, false), (8, 4, vec![(0, 0), (4, 0), (5, 0)]));
        assert_eq!(record(&fields, true), (6, 1, vec![(0, 0), (3, 6), (5, 0)]));
    }

    /// As GCC and Clang lay them out for i386 (checked by the model of the compilers' probe, too).
    #[test]
    fn i386_aligns_wide_members_to_four() {
        let wide = [(Ty::CHAR, None), (Ty::LLONG, None), (Ty::CHAR, None), (Ty::DOUBLE, None)];
        let offsets = |record: (u64, u32, Vec<(u64, u32)>)| {
            (record.0, record.1, record.2.iter().map(|f| f.0).collect::<Vec<_>>())
        };
        assert_eq!(offsets(record_of(Abi::I386, &wide, false)), (24, 4, vec![0, 4, 12, 16]));
        assert_eq!(offsets(record_of(Abi::Ilp32, &wide, false)), (32, 8, vec![0, 8, 16, 24]));
        assert_eq!(offsets(record_of(Abi::Lp64, &wide, false)), (32, 8, vec![0, 8, 16, 24]));
        let long = [(Ty::CHAR, None), (Ty::LDOUBLE, None), (Ty::LONG, None)];
        assert_eq!(offsets(record_of(Abi::I386, &long, false)), (20, 4, vec![0, 4, 16]));
        // 40 bits after 40: within two units of 32 bits that begin at the second.
        let bits = [(Ty::LLONG, Some(40)), (Ty::LLONG, Some(40)), (Ty::CHAR, None)];
        assert_eq!(record_of(Abi::I386, &bits, false), (12, 4, vec![(0, 0), (5, 0), (10, 0)]));
        assert_eq!(record_of(Abi::Ilp32, &bits, false), (16, 8, vec![(0, 0), (8, 0), (13, 0)]));
    }

    #[test]
    fn zero_width_aligns_the_next() {
        let fields = [(Ty::INT, Some(3)), (Ty::INT, Some(0)), (Ty::INT, Some(3))];
        assert_eq!(record(&fields, false), (8, 4, vec![(0, 0), (4, 0), (4, 0)]));
    }
}
