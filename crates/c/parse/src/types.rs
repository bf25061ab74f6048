//! Relations between types: compatibility and composites (C11 6.2.7, 6.7.6), and how a type is
//! written in a message.

use crate::parser::Parser;
use ctree::*;

impl Parser<'_> {
    /// Whether two canonical types are compatible, outermost qualifiers included.
    pub(crate) fn compatible(&self, a: Ty, b: Ty) -> bool {
        a == b || a.quals() == b.quals() && self.compatible_unqual(a, b)
    }

    /// Whether two canonical types are compatible, outermost qualifiers aside.
    pub(crate) fn compatible_unqual(&self, a: Ty, b: Ty) -> bool {
        if a.index() == b.index() {
            return true;
        }
        match (self.shape(a), self.shape(b)) {
            (&TypeKind::Int(int), &TypeKind::Enum(id))
            | (&TypeKind::Enum(id), &TypeKind::Int(int)) => {
                self.program.types.enums[id.index()].int == int
            }
            (&TypeKind::Pointer(x), &TypeKind::Pointer(y)) => self.compatible(x, y),
            (&TypeKind::Array(x, n), &TypeKind::Array(y, m)) => {
                (n == m || n == ArrayLen::Unknown || m == ArrayLen::Unknown)
                    && self.compatible(x, y)
            }
            (TypeKind::Function(f), TypeKind::Function(g)) => self.compatible_functions(f, g),
            _ => false,
        }
    }

    fn compatible_functions(&self, f: &FuncType, g: &FuncType) -> bool {
        if !self.compatible_unqual(f.ret, g.ret) {
            return false;
        }
        match (f.proto, g.proto) {
            (true, true) => {
                f.variadic == g.variadic
                    && f.params.len() == g.params.len()
                    && f.params.iter().zip(&g.params).all(|(&a, &b)| self.compatible_unqual(a, b))
            }
            (true, false) => self.matches_no_prototype(f),
            (false, true) => self.matches_no_prototype(g),
            (false, false) => true,
        }
    }

    /// Whether a prototype agrees with `f()`: no ellipsis, no parameter that would be promoted.
    fn matches_no_prototype(&self, f: &FuncType) -> bool {
        !f.variadic && f.params.iter().all(|&p| self.default_promoted(p) == p.unqual())
    }

    /// The type an argument of type `ty` is passed as where no prototype says (6.5.2.2p6). Enums
    /// stay as they are: they are compatible with what they promote to.
    pub(crate) fn default_promoted(&self, ty: Ty) -> Ty {
        match *self.shape(ty) {
            TypeKind::Float(FloatKind::Float) => Ty::DOUBLE,
            TypeKind::Int(kind) => self.promoted_kind(kind).ty(),
            _ => ty.unqual(),
        }
    }

    /// Integer promotion of a type (6.3.1.1p2).
    pub(crate) fn promoted_kind(&self, kind: IntKind) -> IntKind {
        if kind.rank() >= IntKind::Int.rank() {
            return kind;
        }
        let model = &self.program.types.model;
        let narrower = model.int_size(kind) < model.int_size(IntKind::Int);
        if narrower || model.int_signed(kind) { IntKind::Int } else { IntKind::UInt }
    }

    /// The composite of two compatible canonical types.
    pub(crate) fn composite(&mut self, a: Ty, b: Ty) -> Ty {
        if a.index() == b.index() {
            return a;
        }
        let quals = a.quals();
        let made = match (self.shape(a).clone(), self.shape(b).clone()) {
            (TypeKind::Pointer(x), TypeKind::Pointer(y)) => TypeKind::Pointer(self.composite(x, y)),
            (TypeKind::Array(x, n), TypeKind::Array(y, m)) => {
                let len = if n == ArrayLen::Unknown { m } else { n };
                TypeKind::Array(self.composite(x, y), len)
            }
            (TypeKind::Function(f), TypeKind::Function(g)) => {
                TypeKind::Function(self.composite_function(f, g))
            }
            _ => return a,
        };
        self.intern(made).qualified(quals)
    }

    fn composite_function(&mut self, f: FuncType, g: FuncType) -> FuncType {
        let ret = self.composite(f.ret, g.ret);
        if !f.proto || !g.proto || f.params.len() != g.params.len() {
            let with = if f.proto { f } else { g };
            return FuncType { ret, ..with };
        }
        let params = f.params.iter().zip(&g.params).map(|(&a, &b)| self.composite(a, b)).collect();
        FuncType { ret, params, variadic: f.variadic, proto: true }
    }

    /// A type as a person would write it, for messages; declarators are simplified.
    pub(crate) fn show(&self, ty: Ty) -> String {
        let mut text = String::new();
        for (qual, word) in
            [(Quals::CONST, "const "), (Quals::VOLATILE, "volatile "), (Quals::RESTRICT, "")]
        {
            if ty.quals().has(qual) {
                text.push_str(word);
            }
        }
        let types = &self.program.types;
        let tag = |t: Option<Sym>| t.map_or("<anonymous>", |s| self.name(s)).to_string();
        match self.shape(ty) {
            TypeKind::Void => text.push_str("void"),
            TypeKind::Int(kind) => text.push_str(int_name(*kind)),
            TypeKind::Float(FloatKind::Float) => text.push_str("float"),
            TypeKind::Float(FloatKind::Double) => text.push_str("double"),
            TypeKind::Float(FloatKind::LongDouble) => text.push_str("long double"),
            TypeKind::Enum(id) => text += &format!("enum {}", tag(types.enums[id.index()].tag)),
            TypeKind::Record(id) => {
                let record = &types.records[id.index()];
                let word = if record.kind == RecordKind::Struct { "struct" } else { "union" };
                text += &format!("{word} {}", tag(record.tag));
            }
            TypeKind::Pointer(to) => return format!("{}*{text}", self.show(*to)),
            TypeKind::Array(elem, ArrayLen::Known(n)) => {
                text += &format!("{}[{n}]", self.show(*elem))
            }
            TypeKind::Array(elem, ArrayLen::Unknown) => text += &format!("{}[]", self.show(*elem)),
            TypeKind::Vector(elem, n) => text += &format!("vector of {n} {}", self.show(*elem)),
            TypeKind::Function(f) => text += &format!("{}()", self.show(f.ret)),
            TypeKind::Typedef(_) => {}
            TypeKind::VaList => text.push_str("__builtin_va_list"),
        }
        text
    }
}

/// The usual spelling of an integer type.
fn int_name(kind: IntKind) -> &'static str {
    match kind {
        IntKind::Bool => "_Bool",
        IntKind::Char => "char",
        IntKind::SChar => "signed char",
        IntKind::UChar => "unsigned char",
        IntKind::Short => "short",
        IntKind::UShort => "unsigned short",
        IntKind::Int => "int",
        IntKind::UInt => "unsigned int",
        IntKind::Long => "long",
        IntKind::ULong => "unsigned long",
        IntKind::LongLong => "long long",
        IntKind::ULongLong => "unsigned long long",
        IntKind::Int128 => "__int128",
        IntKind::UInt128 => "unsigned __int128",
    }
}
