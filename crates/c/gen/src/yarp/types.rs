//! The type table: structs, unions and enums of a program.

use super::Yarp;
use crate::policy::knobs::{Chance, FieldKind, IntType, Range};
use ctree::{Enum, EnumId, Enumerator, Field, IntKind, Item, RecordId, RecordKind, Ty, TypeKind};

impl Yarp {
    /// Creates the composite types that the tests choose from.
    pub(super) fn type_table(&mut self) {
        for _ in 0..self.draw(Range::Enums) {
            self.enumeration();
        }
        for _ in 0..self.draw(Range::Structs) {
            self.record(RecordKind::Struct);
        }
        for _ in 0..self.draw(Range::Unions) {
            self.record(RecordKind::Union);
        }
    }

    /// An integer type by the policy.
    pub(super) fn int_type(&mut self) -> Ty {
        if let Some(ty) = self.context.ty
            && self.choices.chance(75)
        {
            return ty;
        }
        match self.pick::<IntType>() {
            IntType::Bool => Ty::BOOL,
            IntType::Char => Ty::CHAR,
            IntType::SChar => Ty::SCHAR,
            IntType::UChar => Ty::UCHAR,
            IntType::Short => Ty::SHORT,
            IntType::UShort => Ty::USHORT,
            IntType::Int => Ty::INT,
            IntType::UInt => Ty::UINT,
            IntType::Long => Ty::LONG,
            IntType::ULong => Ty::ULONG,
            IntType::LLong => Ty::LLONG,
            IntType::ULLong => Ty::ULLONG,
        }
    }

    fn enumeration(&mut self) {
        let tag = self.fresh("E");
        let tag = self.program.names.intern(&tag);
        let mut members = Vec::new();
        let mut value = i64::from(self.choices.chance(30)) * -3;
        for _ in 0..2 + self.choices.below(5) {
            let name = self.fresh("e");
            let name = self.program.names.intern(&name);
            members.push(Enumerator { name, value, ty: Ty::INT });
            value += 1 + i64::from(self.choices.chance(25)) * self.choices.range(1..=40);
        }
        let signed = members.iter().any(|m| m.value < 0);
        let int = if signed { IntKind::Int } else { IntKind::UInt };
        self.program.types.enums.push(Enum { tag: Some(tag), members, int, packed: false });
        let id = EnumId(self.program.types.enums.len() as u32 - 1);
        self.enums.push(id);
        self.item(Item::Enum(id));
    }

    fn record(&mut self, kind: RecordKind) {
        let mut fields = Vec::new();
        for number in 0..self.draw(Range::Fields) {
            let name = self.program.names.intern(&format!("m{number}"));
            let mut field = self.field(kind, name);
            if number == 0 {
                field.name = Some(name);
            }
            fields.push(field);
        }
        if kind == RecordKind::Union {
            // An initialiser of the first member sets all bytes.
            let size = |f: &Field| self.program.types.size_of(f.ty).unwrap_or(0);
            fields.sort_by_key(|f| std::cmp::Reverse(size(f)));
        }
        let (prefix, list) = match kind {
            RecordKind::Struct => ("S", true),
            RecordKind::Union => ("U", false),
        };
        let tag = self.fresh(prefix);
        let packed = list && self.chance(Chance::Packed);
        let id = self.program.add_record(&tag, kind, fields, packed);
        self.item(Item::Record(id));
        if list {
            self.structs.push(id);
        } else {
            self.unions.push(id);
        }
    }

    fn field(&mut self, kind: RecordKind, name: ctree::Sym) -> Field {
        if kind == RecordKind::Struct && self.chance(Chance::BitField) {
            return self.bit_field(name);
        }
        let ty = match self.pick::<FieldKind>() {
            FieldKind::Array => {
                let elem = self.int_type();
                let length = self.choices.range(2..=8) as u64;
                self.program.types.array(elem, length)
            }
            FieldKind::Struct if kind == RecordKind::Struct && !self.structs.is_empty() => {
                let id = self.structs[self.choices.index(self.structs.len())];
                self.record_type(id)
            }
            FieldKind::Enum if !self.enums.is_empty() && !self.is_cxx() => {
                let id = self.enums[self.choices.index(self.enums.len())];
                self.program.types.intern(TypeKind::Enum(id))
            }
            _ => self.int_type(),
        };
        Field::new(Some(name), ty)
    }

    /// C: `int`, `unsigned` and `_Bool`, less wide than the type. C++: any integer type.
    fn bit_field(&mut self, name: ctree::Sym) -> Field {
        let ty = if self.is_cxx() {
            self.int_type()
        } else {
            [Ty::INT, Ty::INT, Ty::UINT, Ty::UINT, Ty::BOOL][self.choices.index(5)]
        };
        let (bits, _) = self.program.types.int_bits(ty).unwrap_or((32, true));
        let most = if ty == Ty::BOOL {
            1
        } else if self.is_cxx() {
            bits
        } else {
            bits - 1
        };
        // Two bits at least for signed ones: compilers warn about one-bit signed fields.
        let least = most.min(2);
        let width = self.choices.range(i64::from(least)..=i64::from(most)) as u32;
        let unnamed = !self.is_cxx() && self.choices.chance(5);
        Field { bits: Some(width), ..Field::new((!unnamed).then_some(name), ty) }
    }

    /// The members of a record that have a name.
    pub(super) fn named_fields(&self, id: RecordId) -> Vec<u32> {
        let fields = &self.program.types.records[id.index()].fields;
        (0..fields.len() as u32).filter(|&i| fields[i as usize].name.is_some()).collect()
    }
}
