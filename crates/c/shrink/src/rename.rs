//! Everything gets a short name.
//!
//! A name is given to one thing only in the whole program, so scopes need no thought. Things of
//! several units that have the same name keep having the same. `main` and what is not defined here
//! keep their names.

use std::collections::HashSet;

use ctree::{Item, LabelId, Program, Scope, StmtKind, Sym, VarId};

use crate::{Edit, ProgramMap, Specimen};

/// All names at once; then the long ones one by one.
pub(crate) fn names(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let p = &specimen.program;
    let things = things(p);
    match level {
        0 => {
            let edit: Edit = Box::new(move |p| {
                let mut taken = kept(p);
                // By way of names that no text has, or one would take what another still has.
                let aside = |(n, thing): (usize, &Thing)| thing.rename(p, &format!("{n} "));
                let things: Vec<Thing> = things.iter().enumerate().map(aside).collect();
                for thing in things {
                    let name = next(&mut taken);
                    thing.rename(p, &name);
                }
            });
            Some(vec![edit])
        }
        1 => {
            let long = things.into_iter().filter(|thing| p.name(thing.name(p)).len() > 2);
            let single = |thing: Thing| -> Edit {
                Box::new(move |p| {
                    let mut taken = kept(p);
                    let name = (0..).map(|_| next(&mut taken)).find(|n| p.names.get(n).is_none());
                    if let Some(name) = name {
                        thing.rename(p, &name);
                    }
                })
            };
            Some(long.map(single).collect())
        }
        _ => None,
    }
}

/// Something with a name. File scope, tags, fields and types go by their names, for each unit has
/// entries of its own for them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Thing {
    File(Sym),
    Local(VarId),
    Tag(Sym),
    Field(Sym),
    Typedef(Sym),
    Enumerator(Sym),
    Label(LabelId),
}

impl Thing {
    fn name(self, p: &Program) -> Sym {
        match self {
            Thing::Local(v) => p.var(v).name,
            Thing::Label(l) => p.labels[l.index()].name,
            Thing::File(name)
            | Thing::Tag(name)
            | Thing::Field(name)
            | Thing::Typedef(name)
            | Thing::Enumerator(name) => name,
        }
    }

    /// Gives it another name; the thing as it is to be called from now on.
    fn rename(self, p: &mut Program, name: &str) -> Thing {
        let new = p.names.intern(name);
        let put = |slot: &mut Sym, old: Sym| {
            if *slot == old {
                *slot = new;
            }
        };
        match self {
            Thing::File(old) => {
                for var in p.vars.iter_mut().filter(|var| var.scope == Scope::File) {
                    put(&mut var.name, old);
                }
                p.funcs.iter_mut().for_each(|f| put(&mut f.name, old));
            }
            Thing::Local(v) => p.vars[v.index()].name = new,
            Thing::Label(l) => p.labels[l.index()].name = new,
            Thing::Tag(old) => {
                let records = p.types.records.iter_mut().filter_map(|r| r.tag.as_mut());
                let enums = p.types.enums.iter_mut().filter_map(|e| e.tag.as_mut());
                records.chain(enums).for_each(|tag| put(tag, old));
            }
            Thing::Field(old) => {
                let fields = p.types.records.iter_mut().flat_map(|r| &mut r.fields);
                fields.filter_map(|f| f.name.as_mut()).for_each(|name| put(name, old));
            }
            Thing::Typedef(old) => {
                p.types.typedefs.iter_mut().for_each(|t| put(&mut t.name, old));
            }
            Thing::Enumerator(old) => {
                let members = p.types.enums.iter_mut().flat_map(|e| &mut e.members);
                members.for_each(|m| put(&mut m.name, old));
            }
        }
        match self {
            Thing::File(_) => Thing::File(new),
            Thing::Tag(_) => Thing::Tag(new),
            Thing::Field(_) => Thing::Field(new),
            Thing::Typedef(_) => Thing::Typedef(new),
            Thing::Enumerator(_) => Thing::Enumerator(new),
            Thing::Local(_) | Thing::Label(_) => self,
        }
    }
}

/// Names of file scope that must stay: `main`, and what is declared but not defined.
fn foreign(p: &Program) -> HashSet<Sym> {
    let vars = p.vars.iter().filter(|var| var.scope == Scope::File);
    let funcs = p.funcs.iter();
    let defined: HashSet<Sym> = vars
        .clone()
        .filter(|var| var.defined)
        .map(|var| var.name)
        .chain(funcs.clone().filter(|f| f.body.is_some()).map(|f| f.name))
        .collect();
    vars.map(|var| var.name)
        .chain(funcs.map(|f| f.name))
        .filter(|name| !defined.contains(name) || p.name(*name) == "main")
        .collect()
}

/// Everything that may be renamed, in the order of the text.
fn things(p: &Program) -> Vec<Thing> {
    let foreign = foreign(p);
    let mut list = List { p, seen: HashSet::new(), things: Vec::new() };
    for item in p.units.iter().flat_map(|unit| &unit.items) {
        list.item(item);
        let Item::Func(f) = *item else { continue };
        p.func(f).params.iter().for_each(|&v| list.add(Thing::Local(v)));
        for context in ProgramMap::of_items(p, std::slice::from_ref(item)).stmts {
            match &p.stmt(context.id).kind {
                StmtKind::Decl(items) => items.iter().for_each(|item| list.item(item)),
                StmtKind::Label(l, _) => list.add(Thing::Label(*l)),
                _ => {}
            }
        }
    }
    list.things.retain(|thing| !matches!(thing, Thing::File(name) if foreign.contains(name)));
    list.things
}

struct List<'a> {
    p: &'a Program,
    seen: HashSet<Thing>,
    things: Vec<Thing>,
}

impl List<'_> {
    fn add(&mut self, thing: Thing) {
        if self.seen.insert(thing) {
            self.things.push(thing);
        }
    }

    fn item(&mut self, item: &Item) {
        let p = self.p;
        match *item {
            Item::Record(r) => self.record(r),
            Item::RecordDecl(r) => {
                let tag = p.types.records[r.index()].tag;
                tag.into_iter().for_each(|tag| self.add(Thing::Tag(tag)));
            }
            Item::Enum(e) => {
                let def = &p.types.enums[e.index()];
                def.tag.into_iter().for_each(|tag| self.add(Thing::Tag(tag)));
                def.members.iter().for_each(|m| self.add(Thing::Enumerator(m.name)));
            }
            Item::Typedef(t) => self.add(Thing::Typedef(p.types.typedefs[t.index()].name)),
            Item::Var(v) | Item::VarDecl(v) => match p.var(v).scope {
                Scope::File => self.add(Thing::File(p.var(v).name)),
                _ => self.add(Thing::Local(v)),
            },
            Item::Func(f) | Item::FuncDecl(f) => self.add(Thing::File(p.func(f).name)),
        }
    }

    fn record(&mut self, r: ctree::RecordId) {
        let p = self.p;
        let record = &p.types.records[r.index()];
        record.tag.into_iter().for_each(|tag| self.add(Thing::Tag(tag)));
        for field in &record.fields {
            match (field.name, p.types.as_record(field.ty)) {
                (Some(name), _) => self.add(Thing::Field(name)),
                (None, Some(inner)) => self.record(inner),
                _ => {}
            }
        }
    }
}

/// Words that are no names: keywords, and short names that compilers know as functions.
const RESERVED: &[&str] = &[
    "do", "if", "or", "jn", "yn", "asm", "for", "int", "abs", "cos", "div", "erf", "exp", "fma",
    "log", "pow", "sin", "tan", "and", "new", "not", "try", "xor", "fmin", "j0", "j1", "y0", "y1",
];

/// The names that are not free, and how many were tried.
struct Taken {
    names: HashSet<String>,
    tried: usize,
}

fn kept(p: &Program) -> Taken {
    let foreign = foreign(p).into_iter().map(|name| p.name(name).to_string());
    let names = foreign.chain(RESERVED.iter().map(|word| word.to_string())).collect();
    Taken { names, tried: 0 }
}

/// The next free name: a, b, … z, aa, ab, …
fn next(taken: &mut Taken) -> String {
    loop {
        let (mut n, mut name) = (taken.tried, String::new());
        taken.tried += 1;
        loop {
            name.insert(0, char::from(b'a' + (n % 26) as u8));
            if n < 26 {
                break;
            }
            n = n / 26 - 1;
        }
        if !taken.names.contains(&name) {
            return name;
        }
    }
}
