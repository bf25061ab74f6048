//! Simplifies types: qualifiers, storage classes, attributes, typedef names, arithmetic types.

use std::collections::BTreeSet;

use ctree::{
    EnumId, ExprKind, FloatKind, Func, FuncStorage, IntKind, Program, Quals, Scope, Storage, Ty,
    TypeKind, TypeTable, TypedefId, VarId,
};

use crate::edit::same_var;
use crate::params::name_types;
use crate::retype::{changed, everywhere, without};
use crate::texts::fit_formats;
use crate::{Edit, ProgramMap, Specimen};

/// Removes qualifiers, storage classes and attributes: everywhere at once, then one by one.
pub(crate) fn qualifiers(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let program = &specimen.program;
    let has = |word: &str| specimen.units.iter().any(|unit| unit.text.contains(word));
    let mut edits: Vec<Edit> = Vec::new();
    match level {
        0 => {
            for (word, quals) in [
                ("const", Quals::CONST),
                ("volatile", Quals::VOLATILE),
                ("restrict", Quals::RESTRICT),
            ] {
                if has(word) {
                    edits.push(Box::new(move |program| {
                        everywhere(program, &|_, ty| without(ty, quals))
                    }));
                }
            }
            if has("static") || has("register") || has("extern") {
                edits.push(Box::new(|program| program.vars.iter_mut().for_each(plain_storage)));
                edits.push(Box::new(|program| program.funcs.iter_mut().for_each(plain_function)));
            }
            if has("__attribute__") {
                edits.push(Box::new(without_attributes));
            }
        }
        1 => {
            let map = ProgramMap::of(program);
            for &v in &map.vars {
                let var = program.var(v);
                if qualified(&program.types, var.ty) && var.scope != Scope::Param {
                    edits.push(Box::new(move |program| {
                        let all = Quals(7);
                        let ty = program.var(v).ty;
                        program.vars[v.index()].ty =
                            changed(&mut program.types, ty, &|_, ty| without(ty, all));
                    }));
                }
                if var.storage != Storage::None || var.align.is_some() {
                    edits
                        .push(Box::new(move |program| plain_storage(&mut program.vars[v.index()])));
                }
            }
            for &f in &map.funcs {
                edits.push(Box::new(move |program| plain_function(&mut program.funcs[f.index()])));
            }
        }
        _ => return None,
    }
    Some(edits)
}

fn qualified(types: &TypeTable, ty: Ty) -> bool {
    ty.quals() != Quals::NONE
        || match *types.kind(ty) {
            TypeKind::Pointer(to) | TypeKind::Array(to, _) => qualified(types, to),
            _ => false,
        }
}

/// Keeps `extern` only for what is not defined here.
fn plain_storage(var: &mut ctree::Var) {
    if var.defined {
        var.storage = Storage::None;
        var.align = None;
    }
}

fn plain_function(func: &mut Func) {
    func.storage = FuncStorage::None;
    func.inline = false;
    func.noreturn = false;
    func.old_style = false;
}

fn without_attributes(program: &mut Program) {
    program.vars.iter_mut().for_each(|var| var.align = None);
    program.types.typedefs.iter_mut().for_each(|typedef| typedef.align = None);
    program.types.enums.iter_mut().for_each(|e| e.packed = false);
    for record in &mut program.types.records {
        record.packed = false;
        record.min_align = None;
        record.fields.iter_mut().for_each(|f| (f.packed, f.align) = (false, None));
    }
}

/// Resolves typedef names, and replaces arithmetic types by `int` or `double`. A level is a kind of
/// change; the last levels are for one variable, field or function each.
pub(crate) fn numbers(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let program = &specimen.program;
    let edits: Vec<Edit> = match level {
        0 => (0..program.types.typedefs.len() as u32).map(|t| resolve(TypedefId(t))).collect(),
        1 => (0..program.types.enums.len() as u32).map(|e| without_enum(EnumId(e))).collect(),
        2 => {
            let used = used_types(program);
            let kinds = used.iter().filter(|&&ty| is_other_number(&program.types, ty));
            kinds.map(|&ty| one_type(ty)).collect()
        }
        3 => ProgramMap::of(program)
            .vars
            .into_iter()
            .filter(|&v| is_other_number(&program.types, base(&program.types, program.var(v).ty)))
            .map(|v| -> Edit { Box::new(move |program| plain_variable(program, v)) })
            .collect(),
        4 => fields(program, |types, ty, bits| bits || is_other_number(types, base(types, ty)))
            .map(|(r, f)| -> Edit { Box::new(move |program| plain_field(program, r, f)) })
            .collect(),
        5 => ProgramMap::of(program)
            .funcs
            .into_iter()
            .filter(|&f| {
                let ty = program.types.as_function(program.func(f).ty);
                ty.is_some_and(|ty| is_other_number(&program.types, base(&program.types, ty.ret)))
            })
            .map(|f| -> Edit { Box::new(move |program| plain_result(program, f)) })
            .collect(),
        6 => {
            let is_cast = |kind: &ExprKind| matches!(kind, ExprKind::Cast(ty, _) if is_other_number(&program.types, *ty));
            let casts = ProgramMap::of(program).exprs.into_iter().map(|(e, _)| e);
            casts
                .filter(|&e| is_cast(&program.expr(e).kind))
                .map(|e| -> Edit {
                    Box::new(move |program| {
                        if let ExprKind::Cast(ty, _) = &mut program.exprs[e.index()].kind {
                            *ty = Ty::INT;
                        }
                    })
                })
                .collect()
        }
        _ => return None,
    };
    Some(edits)
}

fn resolve(t: TypedefId) -> Edit {
    Box::new(move |program| {
        everywhere(program, &|types, ty| match *types.kind(ty) {
            TypeKind::Typedef(of) if of == t => {
                Some(types.typedefs[t.index()].ty.qualified(ty.quals()))
            }
            _ => None,
        });
    })
}

fn without_enum(id: EnumId) -> Edit {
    Box::new(move |program| {
        let int = program.types.enums[id.index()].int;
        everywhere(program, &|types, ty| match *types.kind(ty) {
            TypeKind::Enum(of) if of == id => Some(int.ty().qualified(ty.quals())),
            _ => None,
        });
        for e in 0..program.exprs.len() {
            if let ExprKind::EnumConst(of, member) = program.exprs[e].kind
                && of == id
            {
                let value = program.types.enums[id.index()].members[member as usize].value;
                crate::value::literal(program, ctree::ExprId(e as u32), i128::from(value));
            }
        }
    })
}

/// The types that the program uses, without derived ones.
fn used_types(program: &Program) -> BTreeSet<Ty> {
    let map = ProgramMap::of(program);
    let mut used: BTreeSet<Ty> =
        map.vars.iter().map(|&v| base(&program.types, program.var(v).ty)).collect();
    let records = program.types.records.iter().flat_map(|record| &record.fields);
    used.extend(records.map(|field| base(&program.types, field.ty)));
    for &f in &map.funcs {
        used.extend(
            program.types.as_function(program.func(f).ty).map(|ty| base(&program.types, ty.ret)),
        );
    }
    for (e, _) in map.exprs {
        if let ExprKind::Cast(ty, _) = program.expr(e).kind {
            used.insert(base(&program.types, ty));
        }
    }
    used
}

/// The innermost pointee or element type.
fn base(types: &TypeTable, ty: Ty) -> Ty {
    match *types.kind(ty) {
        TypeKind::Pointer(to) | TypeKind::Array(to, _) => base(types, to),
        _ => ty.unqual(),
    }
}

fn is_other_number(types: &TypeTable, ty: Ty) -> bool {
    simpler_number(types, ty).is_some()
}

/// `int` or `double` for other arithmetic types.
fn simpler_number(types: &TypeTable, ty: Ty) -> Option<Ty> {
    let new = match *types.kind(ty) {
        TypeKind::Int(kind) if kind != IntKind::Int => Ty::INT,
        TypeKind::Float(kind) if kind != FloatKind::Double => Ty::DOUBLE,
        TypeKind::Vector(elem, _) => elem,
        _ => return None,
    };
    Some(new.qualified(ty.quals()))
}

/// Replaces one arithmetic type by `int` or `double` everywhere.
fn one_type(old: Ty) -> Edit {
    Box::new(move |program| {
        everywhere(program, &|types, ty| {
            (ty.unqual() == old).then(|| simpler_number(types, ty)).flatten()
        });
        fit_formats(program);
    })
}

fn plain(program: &mut Program, ty: Ty) -> Ty {
    changed(&mut program.types, ty, &|types, ty| simpler_number(types, ty))
}

/// Changes a variable's type; a parameter's also in the type of its function.
fn plain_variable(program: &mut Program, v: VarId) {
    let new = plain(program, program.var(v).ty);
    for w in 0..program.vars.len() {
        if same_var(program, v, VarId(w as u32)) {
            program.vars[w].ty = new;
        }
    }
    fit_formats(program);
    let Some(f) = program.funcs.iter().position(|f| f.params.contains(&v)) else { return };
    let (name, params) = (program.funcs[f].name, program.funcs[f].params.clone());
    let tys: Vec<Ty> = params.iter().map(|&v| program.var(v).ty.unqual()).collect();
    for g in 0..program.funcs.len() {
        let Some(mut ty) = program.types.as_function(program.funcs[g].ty).cloned() else {
            continue;
        };
        if program.funcs[g].name == name && ty.params.len() == tys.len() {
            ty.params = tys.clone().into();
            program.funcs[g].ty = program.types.intern(TypeKind::Function(ty));
        }
    }
    name_types(program);
}

/// The fields of all records that have a name and something else.
fn fields(
    program: &Program,
    wanted: fn(&TypeTable, Ty, bool) -> bool,
) -> impl Iterator<Item = (usize, ctree::Sym)> {
    program.types.records.iter().enumerate().flat_map(move |(r, record)| {
        let fields = record.fields.iter();
        fields
            .filter(move |f| wanted(&program.types, f.ty, f.bits.is_some()))
            .filter_map(move |f| Some((r, f.name?)))
    })
}

fn plain_field(program: &mut Program, r: usize, name: ctree::Sym) {
    let Some(f) = program.types.records[r].fields.iter().position(|f| f.name == Some(name)) else {
        return;
    };
    let ty = program.types.records[r].fields[f].ty;
    // The width is removed first, the type in the next round.
    if program.types.records[r].fields[f].bits.take().is_none() {
        program.types.records[r].fields[f].ty = plain(program, ty);
        fit_formats(program);
    }
}

fn plain_result(program: &mut Program, f: ctree::FuncId) {
    let name = program.func(f).name;
    for g in 0..program.funcs.len() {
        let Some(mut ty) = program.types.as_function(program.funcs[g].ty).cloned() else {
            continue;
        };
        if program.funcs[g].name == name {
            ty.ret = plain(program, ty.ret);
            program.funcs[g].ty = program.types.intern(TypeKind::Function(ty));
        }
    }
    name_types(program);
}
