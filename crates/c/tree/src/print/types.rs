//! Types: specifiers, declarators (6.7.6), records and enums (6.7.2).

use super::Printer;
use super::cxx::Container;
use crate::ids::{EnumId, RecordId};
use crate::symbol::Sym;
use crate::types::{
    ArrayLen, Enumerator, Field, FuncType, IntKind, Quals, RecordKind, Ty, TypeKind,
};

/// What a declarator declares: a type alone (6.7.7), or a name, for a function definition with its
/// parameters as `params` prints them.
pub(super) enum Declared<'a> {
    Nothing,
    Name(Sym),
    /// `S::m`, a static member outside of its struct.
    Member(RecordId, Sym),
    Definition(Sym, &'a FuncType, &'a dyn Fn(&mut Printer<'_>)),
}

impl Printer<'_> {
    /// `T` alone, as in a cast.
    pub(super) fn type_name(&mut self, ty: Ty) {
        self.declaration(ty, &Declared::Nothing);
    }

    /// Specifiers and one declarator.
    pub(super) fn declaration(&mut self, ty: Ty, declared: &Declared<'_>) {
        let ty = self.visible(ty);
        self.specifiers(base_of(self, ty));
        self.declarator(ty, declared);
    }

    /// The declarator of a type whose specifiers have been printed.
    pub(super) fn declarator(&mut self, ty: Ty, declared: &Declared<'_>) {
        let ty = self.visible(ty);
        self.prefix(ty);
        self.declared(declared);
        match declared {
            // The return type goes on around it.
            Declared::Definition(_, func, _) => self.suffix(func.ret),
            _ => self.suffix(ty),
        }
    }

    /// The declared name within a declarator.
    pub(super) fn declared(&mut self, declared: &Declared<'_>) {
        match declared {
            Declared::Nothing => {}
            Declared::Name(name) => self.declared_name(*name),
            Declared::Member(of, name) => {
                self.separate();
                self.qualifier(*of);
                self.push_name(*name);
            }
            Declared::Definition(name, _, params) => {
                self.declared_name(*name);
                params(self);
            }
        }
    }

    fn declared_name(&mut self, name: Sym) {
        if !self.program.name(name).is_empty() {
            self.separate();
            self.push_name(name);
        }
    }

    /// `S::`
    pub(super) fn qualifier(&mut self, of: RecordId) {
        if let Some(tag) = self.program.types.records[of.index()].tag {
            self.push_name(tag);
            self.push("::");
        }
    }

    /// Looks through a typedef name that is not declared yet.
    fn visible(&self, ty: Ty) -> Ty {
        match (*self.program.types.kind(ty) == TypeKind::Void, &self.typedefs) {
            (false, Some(seen)) if !names_seen(self, seen, ty) => self.program.types.resolved(ty),
            _ => ty,
        }
    }

    /// The declarator before the name: pointers and opening parentheses.
    fn prefix(&mut self, ty: Ty) {
        let types = &self.program.types;
        match *types.kind(ty) {
            TypeKind::Pointer(to) => {
                self.prefix(to);
                self.separate();
                if self.is_suffixed(to) {
                    self.push("(");
                }
                self.push("*");
                self.quals(ty.quals());
            }
            TypeKind::Array(elem, _) => self.prefix(elem.qualified(ty.quals())),
            TypeKind::Function(ref f) => self.prefix(f.ret),
            _ => {}
        }
    }

    /// The declarator after the name: bounds and parameters.
    fn suffix(&mut self, ty: Ty) {
        let program = self.program;
        match program.types.kind(ty) {
            TypeKind::Pointer(to) => {
                if self.is_suffixed(*to) {
                    self.push(")");
                }
                self.suffix(*to);
            }
            TypeKind::Array(elem, len) => {
                match len {
                    ArrayLen::Known(n) => self.push_fmt(format_args!("[{n}]")),
                    ArrayLen::Unknown => self.push("[]"),
                }
                self.suffix(*elem);
            }
            TypeKind::Function(f) => {
                self.param_types(f);
                self.suffix(f.ret);
            }
            _ => {}
        }
    }

    fn is_suffixed(&self, ty: Ty) -> bool {
        matches!(self.program.types.kind(ty), TypeKind::Array(..) | TypeKind::Function(_))
    }

    /// The parameter list of a function type.
    fn param_types(&mut self, f: &FuncType) {
        self.push("(");
        if f.proto {
            for (i, &param) in f.params.iter().enumerate() {
                if i > 0 {
                    self.push(", ");
                }
                self.type_name(param);
            }
            match (f.params.is_empty(), f.variadic) {
                (false, true) => self.push(", ..."),
                (true, true) => self.push("..."),
                (true, false) => self.push("void"),
                (false, false) => {}
            }
        }
        self.push(")");
    }

    fn quals(&mut self, quals: Quals) {
        let restrict = if self.cxx.is_some() { "__restrict" } else { "restrict" };
        for (qual, word) in
            [(Quals::CONST, "const"), (Quals::VOLATILE, "volatile"), (Quals::RESTRICT, restrict)]
        {
            if quals.has(qual) {
                if self.out.ends_with(|c: char| c.is_ascii_alphanumeric()) {
                    self.push(" ");
                }
                self.push(word);
            }
        }
    }

    /// Qualifiers and type specifiers of a type that no declarator derives.
    pub(super) fn specifiers(&mut self, base: Ty) {
        let program = self.program;
        self.quals(base.quals());
        if base.quals() != Quals::NONE {
            self.push(" ");
        }
        match *program.types.kind(base) {
            TypeKind::Void => self.push("void"),
            TypeKind::Int(IntKind::Bool) if self.cxx.is_some() => self.push("bool"),
            TypeKind::Int(kind) => self.push(int_name(kind)),
            TypeKind::Float(kind) => {
                self.push(["float", "double", "long double"][kind as usize]);
            }
            TypeKind::Enum(id) => self.enum_specifier(id),
            TypeKind::Record(id) => self.record_specifier(id),
            TypeKind::Typedef(id) => self.push_name(program.types.typedefs[id.index()].name),
            TypeKind::VaList => self.push("__builtin_va_list"),
            TypeKind::Vector(elem, lanes) => {
                let elem = self.visible(elem);
                self.specifiers(elem);
                let size = program.types.size_of(elem).unwrap_or(0) * u64::from(lanes);
                self.push_fmt(format_args!(" __attribute__((vector_size({size})))"));
            }
            TypeKind::Pointer(_) | TypeKind::Array(..) | TypeKind::Function(_) => {}
        }
    }

    fn enum_specifier(&mut self, id: EnumId) {
        match self.program.types.enums[id.index()].tag {
            Some(tag) => {
                self.push("enum ");
                self.push_name(tag);
            }
            None => self.enum_definition(id),
        }
    }

    fn record_specifier(&mut self, id: RecordId) {
        match self.program.types.records[id.index()].tag {
            Some(_) => self.record_tag(id),
            // The type of an anonymous member.
            None => self.record_definition(id),
        }
    }

    /// `struct S`
    pub(super) fn record_tag(&mut self, id: RecordId) {
        let def = &self.program.types.records[id.index()];
        self.push(match def.kind {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
        });
        if let Some(tag) = def.tag {
            self.push(" ");
            self.push_name(tag);
        }
    }

    /// `struct S { … }` with its attributes.
    pub(super) fn record_definition(&mut self, id: RecordId) {
        let def = &self.program.types.records[id.index()];
        self.record_tag(id);
        self.push(" {\n");
        self.indent += 1;
        if self.cxx.is_some() && def.fields.is_empty() {
            self.fail("a struct without members, which has a size in C++");
        }
        for (at, field) in def.fields.iter().enumerate() {
            let dims = self.field_dims(id, at);
            self.field(field, &dims);
        }
        self.static_members(id);
        self.indent -= 1;
        self.line();
        self.push("}");
        self.attributes(def.packed, def.min_align);
    }

    fn field(&mut self, field: &Field, dims: &[Container]) {
        self.line();
        match field.name {
            Some(name) => self.declaration_as(field.ty, dims, &Declared::Name(name)),
            // Clang++ takes no qualifiers on an unnamed bit-field.
            None if self.cxx.is_some() && field.bits.is_some() => self.type_name(field.ty.unqual()),
            None => self.type_name(field.ty),
        }
        if let Some(bits) = field.bits {
            self.push_fmt(format_args!(" : {bits}"));
        }
        self.attributes(field.packed, field.align);
        self.push(";\n");
    }

    /// `__attribute__((packed, aligned(n)))`, with a leading blank, if there is anything to say.
    pub(super) fn attributes(&mut self, packed: bool, align: Option<u32>) {
        match (packed, align) {
            (false, None) => {}
            (true, None) => self.push(" __attribute__((packed))"),
            (false, Some(n)) => self.push_fmt(format_args!(" __attribute__((aligned({n})))")),
            (true, Some(n)) => {
                self.push_fmt(format_args!(" __attribute__((packed, aligned({n})))"))
            }
        }
    }

    /// `enum E { … }` with its attribute.
    pub(super) fn enum_definition(&mut self, id: EnumId) {
        let def = &self.program.types.enums[id.index()];
        self.push("enum");
        if let Some(tag) = def.tag {
            self.push(" ");
            self.push_name(tag);
        }
        self.push(" { ");
        let mut next = 0;
        for (i, member) in def.members.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            self.push_name(member.name);
            if member.value != next || !fits_int(member.value) {
                self.push(" = ");
                self.enum_value(member);
            }
            next = member.value.wrapping_add(1);
        }
        self.push(" }");
        self.attributes(def.packed, None);
    }

    fn enum_value(&mut self, member: &Enumerator) {
        let types = &self.program.types;
        let signed = types.int_bits(member.ty).is_none_or(|(_, signed)| signed);
        // No literal has the type of the enum: use one that can represent the value.
        let suffix = if fits_int(member.value) { "" } else { "L" };
        match member.value {
            value if !signed => self.push_fmt(format_args!("{}U{suffix}", value as u64)),
            value if value == i64::from(i32::MIN) || value == i64::MIN => {
                self.push_fmt(format_args!("-{}{suffix} - 1", -(value + 1)));
            }
            value => self.push_fmt(format_args!("{value}{suffix}")),
        }
    }
}

fn fits_int(value: i64) -> bool {
    i32::try_from(value).is_ok()
}

/// The type that the specifiers name: what is left when the declarator's derivations are taken
/// off. Qualifiers of an array are those of its elements.
pub(super) fn base_of(printer: &Printer<'_>, ty: Ty) -> Ty {
    match *printer.program.types.kind(ty) {
        TypeKind::Pointer(to) => base_of(printer, to),
        TypeKind::Array(elem, _) => base_of(printer, elem.qualified(ty.quals())),
        TypeKind::Function(ref f) => base_of(printer, f.ret),
        _ => ty,
    }
}

fn names_seen(printer: &Printer<'_>, seen: &[bool], ty: Ty) -> bool {
    match *printer.program.types.kind(ty) {
        TypeKind::Typedef(id) => seen[id.index()],
        TypeKind::Pointer(to) => names_seen(printer, seen, to),
        TypeKind::Array(elem, _) => names_seen(printer, seen, elem),
        TypeKind::Function(ref f) => {
            names_seen(printer, seen, f.ret)
                && f.params.iter().all(|&p| names_seen(printer, seen, p))
        }
        _ => true,
    }
}

fn int_name(kind: IntKind) -> &'static str {
    use IntKind::*;
    match kind {
        Bool => "_Bool",
        Char => "char",
        SChar => "signed char",
        UChar => "unsigned char",
        Short => "short",
        UShort => "unsigned short",
        Int => "int",
        UInt => "unsigned int",
        Long => "long",
        ULong => "unsigned long",
        LongLong => "long long",
        ULongLong => "unsigned long long",
        Int128 => "__int128",
        UInt128 => "unsigned __int128",
    }
}
