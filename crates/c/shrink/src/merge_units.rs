//! Merges the units of a program into one; where they have to stay apart, moves definitions to the one with `main`.

use std::collections::HashMap;

use crate::{Edit, ProgramMap, Specimen, only};
use ctree::print::print_type;
use ctree::{
    EnumId, ExprId, ExprKind, FuncStorage, Item, Program, RecordId, Storage, Sym, TypedefId, Unit,
};

/// Merges all units into one, that with `main` last, so that what it uses is defined before. Entities
/// that two units declare are declared once; different ones with the same name are renamed.
pub(crate) fn merge_units(program: &mut Program) {
    let has_main = |program: &Program, unit: &Unit| {
        unit.items.iter().any(|item| match *item {
            Item::Func(f) => program.name(program.func(f).name) == "main",
            _ => false,
        })
    };
    let mut units = std::mem::take(&mut program.units);
    let name = units.first().map_or_else(String::new, |unit| unit.name.clone());
    units.sort_by_key(|unit| has_main(program, unit));
    let mut known = DeclaredNames::default();
    let mut items = Vec::new();
    for unit in units {
        known.begin_unit();
        for item in unit.items {
            if known.is_new(program, &item) {
                items.push(item);
            }
        }
    }
    program.units = vec![Unit { name, items }];
}

/// Moves definitions to the unit with `main`; the others keep declarations of what they use.
pub(crate) fn moves(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    only(level, || {
        let program = &specimen.program;
        let Some(main) = unit_of_main(program) else { return Vec::new() };
        let others = (0..program.units.len()).filter(|unit| *unit != main);
        let moved = |unit: usize, item: Item| -> Edit {
            Box::new(move |program| move_definition(program, &item, unit, main))
        };
        let definitions = others.flat_map(|unit| {
            let own = |item: &&Item| match **item {
                Item::Var(v) => program.var(v).storage != Storage::Static,
                Item::Func(f) => program.func(f).storage != FuncStorage::Static,
                _ => false,
            };
            program.units[unit].items.iter().filter(own).map(move |item| (unit, item.clone()))
        });
        definitions.map(|(unit, item)| moved(unit, item)).collect()
    })
}

fn unit_of_main(program: &Program) -> Option<usize> {
    let is_main = |item: &Item| match *item {
        Item::Func(f) => program.name(program.func(f).name) == "main",
        _ => false,
    };
    program.units.iter().position(|unit| unit.items.iter().any(is_main))
}

/// The text names what it means: that each unit has entries of its own does not matter.
fn move_definition(program: &mut Program, item: &Item, from: usize, to: usize) {
    let Some(at) = program.units[from].items.iter().position(|other| other == item) else { return };
    let (declared, name) = match *item {
        Item::Var(v) => (Item::VarDecl(v), program.var(v).name),
        Item::Func(f) => (Item::FuncDecl(f), program.func(f).name),
        _ => return,
    };
    let rest = [&program.units[from].items[..at], &program.units[from].items[at + 1..]].concat();
    let is_use = |(e, _): &(ExprId, _)| match (&program.expr(*e).kind, item) {
        (ExprKind::Var(v), Item::Var(moved)) => program.var(*v).name == program.var(*moved).name,
        (ExprKind::Func(f), Item::Func(moved)) => {
            program.func(*f).name == program.func(*moved).name
        }
        _ => false,
    };
    match ProgramMap::of_items(program, &rest).exprs.iter().any(is_use) {
        true => program.units[from].items[at] = declared,
        false => program.units[from].items = rest,
    }
    let mut items = std::mem::take(&mut program.units[to].items);
    items.retain(|other| match *other {
        Item::VarDecl(v) => program.var(v).name != name,
        Item::FuncDecl(f) => program.func(f).name != name,
        _ => true,
    });
    let function = items.iter().position(|other| matches!(other, Item::Func(_)));
    items.insert(function.unwrap_or(items.len()), item.clone());
    program.units[to].items = items;
}

/// The declarations of the units so far.
#[derive(Default)]
struct DeclaredNames {
    records: HashMap<Sym, RecordId>,
    enums: HashMap<Sym, EnumId>,
    typedefs: HashMap<Sym, TypedefId>,
    /// Objects and functions by name, with their unit if they have internal linkage.
    names: HashMap<Sym, Option<usize>>,
    /// The new names of what has internal linkage in the current unit.
    renamed: HashMap<Sym, Sym>,
    unit: usize,
}

impl DeclaredNames {
    fn begin_unit(&mut self) {
        self.unit += 1;
        self.renamed.clear();
    }

    /// Whether a declaration has to be kept; it may be renamed.
    fn is_new(&mut self, program: &mut Program, item: &Item) -> bool {
        match *item {
            Item::Record(r) => {
                let Some(tag) = program.types.records[r.index()].tag else { return true };
                match self.records.get(&tag) {
                    Some(&old) if same_record(program, old, r) => return false,
                    Some(_) => {
                        let other = fresh(program, tag);
                        program.types.records[r.index()].tag = Some(other);
                        self.records.insert(other, r);
                    }
                    None => {
                        self.records.insert(tag, r);
                    }
                }
            }
            Item::Enum(e) => {
                let Some(tag) = program.types.enums[e.index()].tag else { return true };
                match self.enums.get(&tag) {
                    Some(&old) => {
                        let all = &program.types.enums;
                        if all[old.index()].members == all[e.index()].members {
                            return false;
                        }
                        let other = fresh(program, tag);
                        program.types.enums[e.index()].tag = Some(other);
                    }
                    None => {
                        self.enums.insert(tag, e);
                    }
                }
            }
            Item::Typedef(t) => {
                let name = program.types.typedefs[t.index()].name;
                match self.typedefs.get(&name) {
                    Some(&old) => {
                        let ty = |t: TypedefId| program.types.typedefs[t.index()].ty;
                        if print_type(program, ty(old)) == print_type(program, ty(t)) {
                            return false;
                        }
                        program.types.typedefs[t.index()].name = fresh(program, name);
                    }
                    None => {
                        self.typedefs.insert(name, t);
                    }
                }
            }
            Item::Var(v) | Item::VarDecl(v) => {
                let var = program.var(v);
                let private = var.storage == Storage::Static;
                let name = self.name(program, var.name, private);
                program.vars[v.index()].name = name;
            }
            Item::Func(f) | Item::FuncDecl(f) => {
                let func = program.func(f);
                let private = func.storage == FuncStorage::Static;
                let name = self.name(program, func.name, private);
                program.funcs[f.index()].name = name;
            }
            Item::RecordDecl(_) => {}
        }
        true
    }

    /// The new name of an object or a function of the current unit.
    fn name(&mut self, program: &mut Program, name: Sym, private: bool) -> Sym {
        // An entry may occur twice, and already has its new name the second time.
        if self.renamed.values().any(|new| *new == name) {
            return name;
        }
        if let Some(new) = self.renamed.get(&name) {
            return *new;
        }
        let owner = private.then_some(self.unit);
        match self.names.get(&name) {
            Some(&other) if other != owner => {
                let new = fresh(program, name);
                self.renamed.insert(name, new);
                self.names.insert(new, owner);
                new
            }
            Some(_) => name,
            None => {
                self.names.insert(name, owner);
                name
            }
        }
    }
}

/// An unused name.
fn fresh(program: &mut Program, name: Sym) -> Sym {
    let base = program.name(name).to_string();
    let mut n = 1;
    while program.names.get(&format!("{base}_{n}")).is_some() {
        n += 1;
    }
    program.names.intern(&format!("{base}_{n}"))
}

fn same_record(program: &Program, a: RecordId, b: RecordId) -> bool {
    let text = |r: RecordId| {
        let record = &program.types.records[r.index()];
        let field = |f: &ctree::Field| {
            let name = f.name.map(|name| program.name(name).to_string());
            (name, print_type(program, f.ty), f.bits, f.packed, f.align)
        };
        let fields: Vec<_> = record.fields.iter().map(field).collect();
        (record.kind, record.packed, record.min_align, fields)
    };
    text(a) == text(b)
}
