//! Random types and the declarations they need.

use super::Wild;
use ctree::{
    ArrayLen, Enum, EnumId, Enumerator, Field, FuncType, IntKind, Item, Quals, Record, RecordId,
    RecordKind, Sym, Ty, TypeKind, Typedef, TypedefId,
};

const INTS: [Ty; 14] = [
    Ty::BOOL,
    Ty::CHAR,
    Ty::SCHAR,
    Ty::UCHAR,
    Ty::SHORT,
    Ty::USHORT,
    Ty::INT,
    Ty::UINT,
    Ty::LONG,
    Ty::ULONG,
    Ty::LLONG,
    Ty::ULLONG,
    Ty::INT128,
    Ty::UINT128,
];

impl Wild<'_> {
    pub(super) fn int_type(&mut self) -> Ty {
        // The 128-bit types are an extension: seldom.
        let n = if self.chance(5) { 14 } else { 12 };
        INTS[self.below(n) as usize]
    }

    pub(super) fn arith_type(&mut self) -> Ty {
        match self.below(10) {
            0 => Ty::FLOAT,
            1 => Ty::DOUBLE,
            2 => Ty::LDOUBLE,
            3 => match self.choices.pick(&self.enums) {
                Some(&id) => self.program.types.intern(TypeKind::Enum(id)),
                None => Ty::INT,
            },
            _ => self.int_type(),
        }
    }

    fn quals(&mut self) -> Quals {
        match self.below(12) {
            0 => Quals::CONST,
            1 => Quals::VOLATILE,
            2 => Quals::CONST.with(Quals::VOLATILE),
            _ => Quals::NONE,
        }
    }

    /// The type with random qualifiers. An array written as such has none of its own; one behind a
    /// typedef name can be given them.
    pub(super) fn qualify(&mut self, ty: Ty) -> Ty {
        let quals = self.quals();
        match self.program.types.kind(ty) {
            TypeKind::Array(..) | TypeKind::Function(_) => ty,
            _ => ty.qualified(quals),
        }
    }

    /// A complete object type; with typedef names and with qualifiers at inner levels.
    pub(super) fn object_type(&mut self, depth: u32) -> Ty {
        if depth == 0 {
            return self.arith_type();
        }
        match self.below(16) {
            0..=4 => self.arith_type(),
            5..=7 => self.pointer_type(depth),
            8..=9 => {
                let elem = self.object_type(depth - 1);
                let elem = self.qualify(elem);
                let len = 1 + self.below(4);
                self.program.types.array(elem, len)
            }
            10..=11 => self.record_type(),
            12..=13 => match self.choices.pick(&self.typedefs) {
                Some(&id) => self.program.types.intern(TypeKind::Typedef(id)),
                None => Ty::INT,
            },
            14 => self.vector_type(),
            _ => self.arith_type(),
        }
    }

    /// An object type that a function can take or return: no array.
    pub(super) fn value_type(&mut self, depth: u32) -> Ty {
        let ty = self.object_type(depth);
        match self.program.types.as_array(ty) {
            Some((elem, _)) => self.program.types.pointer(elem),
            None => ty,
        }
    }

    pub(super) fn vector_type(&mut self) -> Ty {
        let elem = [Ty::INT, Ty::UCHAR, Ty::USHORT, Ty::LONG, Ty::FLOAT, Ty::DOUBLE]
            [self.below(6) as usize];
        let lanes = 16 / self.program.types.size_of(elem).unwrap_or(1);
        self.program.types.intern(TypeKind::Vector(elem, lanes as u32))
    }

    pub(super) fn record_type(&mut self) -> Ty {
        match self.choices.pick(&self.records) {
            Some(&id) => self.program.types.intern(TypeKind::Record(id)),
            None => Ty::INT,
        }
    }

    fn pointer_type(&mut self, depth: u32) -> Ty {
        let to = match self.below(10) {
            0 => match self.choices.pick(&self.flexible).copied() {
                Some(id) => self.program.types.intern(TypeKind::Record(id)),
                None => Ty::VOID,
            },
            1 => Ty::VOID,
            2..=3 => self.function_type(depth - 1),
            _ => {
                let to = self.object_type(depth - 1);
                self.qualify(to)
            }
        };
        let pointer = self.program.types.pointer(to);
        let restrict = self.program.types.as_function(to).is_none() && self.chance(5);
        if restrict { pointer.qualified(Quals::RESTRICT) } else { pointer }
    }

    pub(super) fn function_type(&mut self, depth: u32) -> Ty {
        let ret = if self.chance(20) { Ty::VOID } else { self.value_type(depth).unqual() };
        // Qualifiers behind a typedef name: compilers disagree whether they are dropped.
        let canon = self.program.types.canon(ret);
        let ret = if canon.quals() == Quals::NONE { ret } else { canon.unqual() };
        let proto = !self.chance(8);
        let count = if proto { self.below(4) } else { 0 };
        let params: Box<[Ty]> = (0..count).map(|_| self.value_type(depth).unqual()).collect();
        let variadic = !params.is_empty() && self.chance(10);
        self.program.types.intern(TypeKind::Function(FuncType { ret, params, variadic, proto }))
    }

    /// A new enumerated type.
    pub(super) fn enumeration(&mut self) -> EnumId {
        let tag = Some(self.fresh_sym("E"));
        let packed = self.chance(10);
        let signed = self.chance(40);
        let mut value = if signed { -5 } else { 0 };
        let mut members = Vec::new();
        for _ in 0..1 + self.below(4) {
            members.push(Enumerator { name: self.fresh_sym("K"), value, ty: Ty::INT });
            value += if self.chance(60) { 1 } else { 1 + self.below(20) as i64 };
        }
        if !packed && self.chance(15) {
            return self.wide_enumeration(tag, members, signed);
        }
        let int = match (packed, signed) {
            (true, true) => IntKind::SChar,
            (true, false) => IntKind::UChar,
            (false, true) => IntKind::Int,
            (false, false) => IntKind::UInt,
        };
        self.add_enum(Enum { tag, members, int, packed })
    }

    /// With a last member that `int` cannot hold (an extension): the enum's own type is wider then.
    fn wide_enumeration(
        &mut self,
        tag: Option<Sym>,
        mut members: Vec<Enumerator>,
        signed: bool,
    ) -> EnumId {
        let (value, int) = match (signed, self.below(2)) {
            (true, 0) => (i64::MIN, IntKind::Long),
            (true, _) => (1 << 40, IntKind::Long),
            (false, 0) => (0xffff_ffff, IntKind::UInt),
            (false, _) => (-1, IntKind::ULong),
        };
        members.push(Enumerator { name: self.fresh_sym("K"), value, ty: int.ty() });
        self.add_enum(Enum { tag, members, int, packed: false })
    }

    fn add_enum(&mut self, def: Enum) -> EnumId {
        self.program.types.enums.push(def);
        let id = EnumId(self.program.types.enums.len() as u32 - 1);
        self.enums.push(id);
        id
    }

    /// A new struct or union; `forward` is its declaration, if there was one.
    pub(super) fn record(&mut self, forward: Option<RecordId>, depth: u32) -> RecordId {
        let id = forward.unwrap_or_else(|| self.incomplete_record(true));
        let record = &self.program.types.records[id.index()];
        let (kind, anonymous) = (record.kind, record.tag.is_none());
        let mut fields = Vec::new();
        for _ in 0..1 + self.below(5) {
            let field = self.field(id, kind, depth);
            fields.push(field);
        }
        if fields.iter().all(|f| f.name.is_none()) {
            let name = self.fresh_sym("m");
            fields.push(Field::new(Some(name), Ty::INT));
        }
        let packed = self.chance(12);
        let min_align = if self.chance(8) && !anonymous { Some(16) } else { None };
        let record = &mut self.program.types.records[id.index()];
        (record.fields, record.packed, record.min_align) = (fields, packed, min_align);
        self.program.types.complete_record(id);
        if !anonymous {
            self.records.push(id);
        }
        id
    }

    pub(super) fn incomplete_record(&mut self, tagged: bool) -> RecordId {
        let kind = if self.chance(70) { RecordKind::Struct } else { RecordKind::Union };
        let tag = tagged.then(|| self.fresh_sym("S"));
        self.program.types.records.push(Record {
            tag,
            kind,
            fields: Vec::new(),
            complete: false,
            packed: false,
            min_align: None,
            size: 0,
            align: 0,
        });
        RecordId(self.program.types.records.len() as u32 - 1)
    }

    /// A struct that ends in a flexible array member: only pointed to, so not offered as a type.
    fn flexible_record(&mut self) -> RecordId {
        let id = self.incomplete_record(true);
        let elem = self.object_type(1);
        let open = self.program.types.intern(TypeKind::Array(elem, ArrayLen::Unknown));
        let names = (self.fresh_sym("m"), self.fresh_sym("m"));
        let fields = vec![Field::new(Some(names.0), Ty::INT), Field::new(Some(names.1), open)];
        let record = &mut self.program.types.records[id.index()];
        (record.kind, record.fields) = (RecordKind::Struct, fields);
        self.program.types.complete_record(id);
        self.flexible.push(id);
        id
    }

    fn field(&mut self, owner: RecordId, kind: RecordKind, depth: u32) -> Field {
        let name = Some(self.fresh_sym("m"));
        match self.below(14) {
            0..=2 => self.bit_field(kind),
            3 if depth > 0 => {
                let inner = self.incomplete_record(false);
                self.record(Some(inner), depth - 1);
                Field::new(None, self.program.types.intern(TypeKind::Record(inner)))
            }
            4 if self.program.types.records[owner.index()].tag.is_some() => {
                let own = self.program.types.intern(TypeKind::Record(owner));
                Field::new(name, self.program.types.pointer(own))
            }
            5 => {
                let ty = self.object_type(2);
                Field { align: Some(16), ..Field::new(name, ty) }
            }
            6 => {
                let ty = self.object_type(2);
                Field { packed: true, ..Field::new(name, ty) }
            }
            7 => {
                let ty = self.object_type(1);
                let ty = self.qualify(ty);
                Field::new(name, ty)
            }
            _ => {
                let ty = self.object_type(2);
                Field::new(name, ty)
            }
        }
    }

    fn bit_field(&mut self, kind: RecordKind) -> Field {
        let ty = [Ty::INT, Ty::UINT, Ty::SCHAR, Ty::USHORT, Ty::LONG, Ty::ULLONG, Ty::BOOL]
            [self.below(7) as usize];
        let width = self.program.types.int_bits(ty).map_or(1, |(bits, _)| bits);
        let name = self.fresh_sym("b");
        match self.below(8) {
            0 if kind == RecordKind::Struct && ty != Ty::BOOL => {
                Field { bits: Some(0), ..Field::new(None, ty) }
            }
            1 => Field { bits: Some(width.min(3)), ..Field::new(None, ty) },
            _ => {
                // Compilers disagree on the type of those between `int` and the declared type.
                let bits = 1 + self.below(u64::from(width.min(32))) as u32;
                Field { bits: Some(bits), ..Field::new(Some(name), ty) }
            }
        }
    }

    /// A new typedef name; one with an alignment is not offered for further types.
    pub(super) fn typedef(&mut self) -> TypedefId {
        let ty = if self.chance(15) { self.function_type(1) } else { self.object_type(3) };
        let is_object = self.program.types.as_function(ty).is_none();
        let ty = self.qualify(ty);
        let align = if is_object && self.chance(10) { Some(16) } else { None };
        let name = self.fresh_sym("T");
        self.program.types.typedefs.push(Typedef { name, ty, align });
        let id = TypedefId(self.program.types.typedefs.len() as u32 - 1);
        if align.is_none() && is_object {
            self.typedefs.push(id);
        }
        id
    }

    /// A new type declaration: the items that declare it.
    pub(super) fn type_items(&mut self) -> Vec<Item> {
        match self.below(9) {
            8 => vec![Item::Record(self.flexible_record())],
            0..=1 => vec![Item::Enum(self.enumeration())],
            2..=3 => vec![Item::Record(self.record(None, 2))],
            4 => {
                let id = self.incomplete_record(true);
                self.record(Some(id), 2);
                vec![Item::RecordDecl(id), Item::Record(id)]
            }
            _ => vec![Item::Typedef(self.typedef())],
        }
    }
}
