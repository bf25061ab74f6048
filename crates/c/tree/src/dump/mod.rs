//! A whole unit as an S-expression: every type, conversion and layout spelt out, no ids and no
//! spans. Two units are the same tree exactly if their dumps are the same text.
//!
//! Entities that may share a spelling (shadowed variables, tags of nested scopes) carry an ordinal
//! by first mention, `x#3`, so that the dump tells them apart without naming arena positions.

mod expr;
mod item;

use crate::ids::UnitId;
use crate::program::Program;
use crate::symbol::Sym;
use crate::types::{ArrayLen, Quals, RecordKind, Ty, TypeKind};

/// The dump of a translation unit.
pub fn dump_unit(program: &Program, unit: UnitId) -> String {
    let mut dumper = Dumper::new(program);
    for item in &program.units[unit.index()].items {
        dumper.line();
        dumper.item(item);
    }
    dumper.out.push('\n');
    dumper.out
}

/// Ordinals by first mention, for one arena.
#[derive(Default)]
struct Ordinals {
    of: Vec<u32>,
    used: u32,
}

impl Ordinals {
    /// The ordinal of an index, and whether it is new. 0 stands for one not mentioned yet.
    fn get(&mut self, index: usize) -> (u32, bool) {
        if self.of.len() <= index {
            self.of.resize(index + 1, 0);
        }
        if self.of[index] == 0 {
            self.used += 1;
            self.of[index] = self.used;
            return (self.used, true);
        }
        (self.of[index], false)
    }
}

struct Dumper<'p> {
    program: &'p Program,
    out: String,
    indent: usize,
    vars: Ordinals,
    funcs: Ordinals,
    labels: Ordinals,
    records: Ordinals,
    enums: Ordinals,
    typedefs: Ordinals,
}

impl<'p> Dumper<'p> {
    fn new(program: &'p Program) -> Self {
        Dumper {
            program,
            out: String::new(),
            indent: 0,
            vars: Ordinals::default(),
            funcs: Ordinals::default(),
            labels: Ordinals::default(),
            records: Ordinals::default(),
            enums: Ordinals::default(),
            typedefs: Ordinals::default(),
        }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn push_fmt(&mut self, args: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = std::fmt::Write::write_fmt(&mut self.out, args);
    }

    /// Starts a new line at the present depth.
    fn line(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    fn push_name(&mut self, name: Option<Sym>, ordinal: u32) {
        let name = name.map_or("", |name| self.program.name(name));
        self.push_fmt(format_args!("{name}#{ordinal}"));
    }

    fn quals(&mut self, quals: Quals) {
        for (qual, word) in [
            (Quals::CONST, "const "),
            (Quals::VOLATILE, "volatile "),
            (Quals::RESTRICT, "restrict "),
        ] {
            if quals.has(qual) {
                self.push(word);
            }
        }
    }

    /// A type as written, typedef names kept.
    fn ty(&mut self, ty: Ty) {
        let program = self.program;
        self.quals(ty.quals());
        match program.types.kind(ty) {
            TypeKind::Void => self.push("void"),
            TypeKind::Int(kind) => self.push_fmt(format_args!("{kind:?}")),
            TypeKind::Float(kind) => self.push_fmt(format_args!("{kind:?}")),
            TypeKind::VaList => self.push("va_list"),
            TypeKind::Enum(id) => {
                let (ordinal, _) = self.enums.get(id.index());
                self.push("enum ");
                self.push_name(program.types.enums[id.index()].tag, ordinal);
            }
            TypeKind::Record(id) => {
                let (ordinal, _) = self.records.get(id.index());
                let def = &program.types.records[id.index()];
                self.push(record_word(def.kind));
                self.push_name(def.tag, ordinal);
            }
            TypeKind::Typedef(id) => {
                let (ordinal, _) = self.typedefs.get(id.index());
                self.push("typedef ");
                self.push_name(Some(program.types.typedefs[id.index()].name), ordinal);
            }
            TypeKind::Pointer(to) => {
                self.push("(ptr ");
                self.ty(*to);
                self.push(")");
            }
            TypeKind::Array(elem, len) => {
                match len {
                    ArrayLen::Known(n) => self.push_fmt(format_args!("(array {n} ")),
                    ArrayLen::Unknown => self.push("(array ? "),
                }
                self.ty(*elem);
                self.push(")");
            }
            TypeKind::Vector(elem, lanes) => {
                self.push_fmt(format_args!("(vector {lanes} "));
                self.ty(*elem);
                self.push(")");
            }
            TypeKind::Function(f) => {
                self.push(if f.proto { "(fn " } else { "(fn-without-prototype " });
                self.ty(f.ret);
                for &param in &f.params {
                    self.push(", ");
                    self.ty(param);
                }
                self.push(if f.variadic { ", ...)" } else { ")" });
            }
        }
    }
}

fn record_word(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Struct => "struct ",
        RecordKind::Union => "union ",
    }
}
