//! Changes of types everywhere in a program.

use std::collections::HashSet;

use ctree::{ArrayLen, ExprKind, FuncType, Init, Program, Quals, Sym, Ty, TypeKind, TypeTable};

use crate::params::name_types;

/// The replacement of a type whose components have been changed already; `None` if unchanged.
pub(crate) type TypeChange<'a> = &'a dyn Fn(&mut TypeTable, Ty) -> Option<Ty>;

/// A type with a change applied at every depth.
pub(crate) fn changed(types: &mut TypeTable, ty: Ty, change: TypeChange<'_>) -> Ty {
    let inner = match types.kind(ty).clone() {
        TypeKind::Pointer(to) => {
            let to = changed(types, to, change);
            types.pointer(to)
        }
        TypeKind::Array(elem, len) => {
            let elem = changed(types, elem, change);
            types.intern(TypeKind::Array(elem, len))
        }
        TypeKind::Vector(elem, lanes) => {
            let elem = changed(types, elem, change);
            types.intern(TypeKind::Vector(elem, lanes))
        }
        TypeKind::Function(f) => {
            let ret = changed(types, f.ret, change);
            let params = f.params.iter().map(|&program| changed(types, program, change)).collect();
            types.intern(TypeKind::Function(FuncType { ret, params, ..f }))
        }
        _ => ty.unqual(),
    };
    let ty = inner.qualified(ty.quals());
    change(types, ty).unwrap_or(ty)
}

/// A type without some qualifiers, for a [`TypeChange`].
pub(crate) fn without(ty: Ty, quals: Quals) -> Option<Ty> {
    let left = Quals(ty.quals().0 & !quals.0);
    (left != ty.quals()).then(|| ty.unqual().qualified(left))
}

/// Names of functions that are defined here. The types of others must not change.
pub(crate) fn defined(program: &Program) -> HashSet<Sym> {
    program.funcs.iter().filter(|f| f.body.is_some()).map(|f| f.name).collect()
}

/// Applies a change to a whole program, except the declarations of library functions.
pub(crate) fn everywhere(program: &mut Program, change: TypeChange<'_>) {
    let types = &mut program.types;
    for var in &mut program.vars {
        var.ty = changed(types, var.ty, change);
    }
    for expr in &mut program.exprs {
        match &mut expr.kind {
            ExprKind::Cast(ty, _)
            | ExprKind::SizeofType(ty)
            | ExprKind::AlignofType(ty)
            | ExprKind::CompoundLit(ty, _)
            | ExprKind::VaArg(_, ty) => *ty = changed(types, *ty, change),
            _ => {}
        }
    }
    for r in 0..types.records.len() {
        for f in 0..types.records[r].fields.len() {
            let ty = types.records[r].fields[f].ty;
            types.records[r].fields[f].ty = changed(types, ty, change);
        }
    }
    for t in 0..types.typedefs.len() {
        let ty = types.typedefs[t].ty;
        types.typedefs[t].ty = changed(types, ty, change);
    }
    let defined = defined(program);
    for f in program.funcs.iter_mut().filter(|f| defined.contains(&f.name)) {
        f.ty = changed(&mut program.types, f.ty, change);
    }
    name_types(program);
}

/// Calls `f` for every initialiser with the type that it has, outer ones first.
pub(crate) fn initialisers(program: &mut Program, f: &mut dyn FnMut(&mut Program, Ty, &mut Init)) {
    for v in 0..program.vars.len() {
        let ty = program.vars[v].ty;
        if let Some(mut init) = program.vars[v].init.take() {
            within(program, ty, &mut init, f);
            program.vars[v].init = Some(init);
        }
    }
    for e in 0..program.exprs.len() {
        let ExprKind::CompoundLit(ty, init) = &program.exprs[e].kind else { continue };
        let (ty, mut init) = (*ty, init.clone());
        within(program, ty, &mut init, f);
        program.exprs[e].kind = ExprKind::CompoundLit(ty, init);
    }
}

fn within(
    program: &mut Program,
    ty: Ty,
    init: &mut Init,
    f: &mut dyn FnMut(&mut Program, Ty, &mut Init),
) {
    f(program, ty, init);
    let Init::List(items) = init else { return };
    for item in items {
        let part = match *program.types.shape(ty) {
            TypeKind::Array(elem, _) | TypeKind::Vector(elem, _) => elem,
            TypeKind::Record(r) => {
                match program.types.records[r.index()].fields.get(item.first as usize) {
                    Some(field) => field.ty,
                    None => continue,
                }
            }
            _ => continue,
        };
        within(program, part, &mut item.init, f);
    }
}

/// Removes initialisers beyond the ends of arrays.
pub(crate) fn trim_initialisers(program: &mut Program) {
    initialisers(program, &mut |program, ty, init| {
        if let (Init::List(items), Some((_, ArrayLen::Known(n)))) =
            (init, program.types.as_array(ty))
        {
            items.retain(|item| item.first < n);
            items.iter_mut().for_each(|item| item.last = item.last.min(n - 1));
        }
    });
}
