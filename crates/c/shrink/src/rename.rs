//! Gives everything a short name.
//!
//! A name is used for one entity only in the whole program, so scopes do not matter. Entities of several
//! units with the same name are renamed alike. `main` and what is not defined here keep their names.

use std::collections::HashSet;

use ctree::{Item, LabelId, Program, Scope, StmtKind, Sym, VarId};

use crate::{Edit, ProgramMap, Specimen};

/// All names at once; then the long ones one by one.
pub(crate) fn names(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let program = &specimen.program;
    let entities = entities(program);
    match level {
        0 => {
            let edit: Edit = Box::new(move |program| {
                let mut used = kept(program);
                // Through names that no text has, so that a new name is never still in use.
                let aside =
                    |(n, entity): (usize, &Entity)| entity.rename(program, &format!("{n} "));
                let entities: Vec<Entity> = entities.iter().enumerate().map(aside).collect();
                for entity in entities {
                    let name = next(&mut used);
                    entity.rename(program, &name);
                }
            });
            Some(vec![edit])
        }
        1 => {
            let long =
                entities.into_iter().filter(|entity| program.name(entity.name(program)).len() > 2);
            let single = |entity: Entity| -> Edit {
                Box::new(move |program| {
                    let mut used = kept(program);
                    let name =
                        (0..).map(|_| next(&mut used)).find(|n| program.names.get(n).is_none());
                    if let Some(name) = name {
                        entity.rename(program, &name);
                    }
                })
            };
            Some(long.map(single).collect())
        }
        _ => None,
    }
}

/// Something with a name. Entities at file scope, tags, fields and types are identified by name, because
/// each unit has its own entries for them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Entity {
    File(Sym),
    Local(VarId),
    Tag(Sym),
    Field(Sym),
    Typedef(Sym),
    Enumerator(Sym),
    Label(LabelId),
}

impl Entity {
    fn name(self, program: &Program) -> Sym {
        match self {
            Entity::Local(v) => program.var(v).name,
            Entity::Label(l) => program.labels[l.index()].name,
            Entity::File(name)
            | Entity::Tag(name)
            | Entity::Field(name)
            | Entity::Typedef(name)
            | Entity::Enumerator(name) => name,
        }
    }

    /// Renames it; returns the entity under its new name.
    fn rename(self, program: &mut Program, name: &str) -> Entity {
        let new = program.names.intern(name);
        let put = |slot: &mut Sym, old: Sym| {
            if *slot == old {
                *slot = new;
            }
        };
        match self {
            Entity::File(old) => {
                for var in program.vars.iter_mut().filter(|var| var.scope == Scope::File) {
                    put(&mut var.name, old);
                }
                program.funcs.iter_mut().for_each(|f| put(&mut f.name, old));
            }
            Entity::Local(v) => program.vars[v.index()].name = new,
            Entity::Label(l) => program.labels[l.index()].name = new,
            Entity::Tag(old) => {
                let records = program.types.records.iter_mut().filter_map(|r| r.tag.as_mut());
                let enums = program.types.enums.iter_mut().filter_map(|e| e.tag.as_mut());
                records.chain(enums).for_each(|tag| put(tag, old));
            }
            Entity::Field(old) => {
                let fields = program.types.records.iter_mut().flat_map(|r| &mut r.fields);
                fields.filter_map(|f| f.name.as_mut()).for_each(|name| put(name, old));
            }
            Entity::Typedef(old) => {
                program.types.typedefs.iter_mut().for_each(|t| put(&mut t.name, old));
            }
            Entity::Enumerator(old) => {
                let members = program.types.enums.iter_mut().flat_map(|e| &mut e.members);
                members.for_each(|m| put(&mut m.name, old));
            }
        }
        match self {
            Entity::File(_) => Entity::File(new),
            Entity::Tag(_) => Entity::Tag(new),
            Entity::Field(_) => Entity::Field(new),
            Entity::Typedef(_) => Entity::Typedef(new),
            Entity::Enumerator(_) => Entity::Enumerator(new),
            Entity::Local(_) | Entity::Label(_) => self,
        }
    }
}

/// Names of file scope that must stay: `main`, and what is declared but not defined.
fn foreign(program: &Program) -> HashSet<Sym> {
    let vars = program.vars.iter().filter(|var| var.scope == Scope::File);
    let funcs = program.funcs.iter();
    let defined: HashSet<Sym> = vars
        .clone()
        .filter(|var| var.defined)
        .map(|var| var.name)
        .chain(funcs.clone().filter(|f| f.body.is_some()).map(|f| f.name))
        .collect();
    vars.map(|var| var.name)
        .chain(funcs.map(|f| f.name))
        .filter(|name| !defined.contains(name) || program.name(*name) == "main")
        .collect()
}

/// Everything that may be renamed, in source order.
fn entities(program: &Program) -> Vec<Entity> {
    let foreign = foreign(program);
    let mut list = EntityList { program, seen: HashSet::new(), entities: Vec::new() };
    for item in program.units.iter().flat_map(|unit| &unit.items) {
        list.item(item);
        let Item::Func(f) = *item else { continue };
        program.func(f).params.iter().for_each(|&v| list.add(Entity::Local(v)));
        for context in ProgramMap::of_items(program, std::slice::from_ref(item)).stmts {
            match &program.stmt(context.id).kind {
                StmtKind::Decl(items) => items.iter().for_each(|item| list.item(item)),
                StmtKind::Label(l, _) => list.add(Entity::Label(*l)),
                _ => {}
            }
        }
    }
    list.entities.retain(|entity| !matches!(entity, Entity::File(name) if foreign.contains(name)));
    list.entities
}

struct EntityList<'a> {
    program: &'a Program,
    seen: HashSet<Entity>,
    entities: Vec<Entity>,
}

impl EntityList<'_> {
    fn add(&mut self, entity: Entity) {
        if self.seen.insert(entity) {
            self.entities.push(entity);
        }
    }

    fn item(&mut self, item: &Item) {
        let program = self.program;
        match *item {
            Item::Record(r) => self.record(r),
            Item::RecordDecl(r) => {
                let tag = program.types.records[r.index()].tag;
                tag.into_iter().for_each(|tag| self.add(Entity::Tag(tag)));
            }
            Item::Enum(e) => {
                let def = &program.types.enums[e.index()];
                def.tag.into_iter().for_each(|tag| self.add(Entity::Tag(tag)));
                def.members.iter().for_each(|m| self.add(Entity::Enumerator(m.name)));
            }
            Item::Typedef(t) => self.add(Entity::Typedef(program.types.typedefs[t.index()].name)),
            Item::Var(v) | Item::VarDecl(v) => match program.var(v).scope {
                Scope::File => self.add(Entity::File(program.var(v).name)),
                _ => self.add(Entity::Local(v)),
            },
            Item::Func(f) | Item::FuncDecl(f) => self.add(Entity::File(program.func(f).name)),
        }
    }

    fn record(&mut self, r: ctree::RecordId) {
        let program = self.program;
        let record = &program.types.records[r.index()];
        record.tag.into_iter().for_each(|tag| self.add(Entity::Tag(tag)));
        for field in &record.fields {
            match (field.name, program.types.as_record(field.ty)) {
                (Some(name), _) => self.add(Entity::Field(name)),
                (None, Some(inner)) => self.record(inner),
                _ => {}
            }
        }
    }
}

/// Names that must not be used: keywords, and short names of builtin functions.
const RESERVED: &[&str] = &[
    "do", "if", "or", "jn", "yn", "asm", "for", "int", "abs", "cos", "div", "erf", "exp", "fma",
    "log", "pow", "sin", "tan", "and", "new", "not", "try", "xor", "fmin", "j0", "j1", "y0", "y1",
];

/// The names that are in use, and how many were tried.
struct UsedNames {
    names: HashSet<String>,
    tried: usize,
}

fn kept(program: &Program) -> UsedNames {
    let foreign = foreign(program).into_iter().map(|name| program.name(name).to_string());
    let names = foreign.chain(RESERVED.iter().map(|word| word.to_string())).collect();
    UsedNames { names, tried: 0 }
}

/// The next free name: a, b, … z, aa, ab, …
fn next(used: &mut UsedNames) -> String {
    loop {
        let (mut n, mut name) = (used.tried, String::new());
        used.tried += 1;
        loop {
            name.insert(0, char::from(b'a' + (n % 26) as u8));
            if n < 26 {
                break;
            }
            n = n / 26 - 1;
        }
        if !used.names.contains(&name) {
            return name;
        }
    }
}
