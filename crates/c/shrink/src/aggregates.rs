//! Makes structs, unions and arrays smaller, and replaces them by a field or an element.

use std::collections::{BTreeSet, HashSet};

use ctree::{
    ArrayLen, ExprId, ExprKind, Init, Program, RecordId, RecordKind, Sym, Ty, TypeKind, TypeTable,
    UnOp, VarId,
};

use crate::drop::whole_place;
use crate::edit::{bare, replace_by_child, same_var};
use crate::retype::{changed, everywhere, initialisers, trim_initialisers};
use crate::value::literal;
use crate::{Edit, Parent, ProgramMap, Specimen};

/// Removes unused fields of structs, all but one field of unions, replaces records with a single field by
/// it, and at last removes any field.
pub(crate) fn records(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let program = &specimen.program;
    let map = ProgramMap::of(program);
    let mut edits: Vec<Edit> = Vec::new();
    let accesses = accesses(program, &map);
    let used: HashSet<(RecordId, u32)> = accesses.iter().map(|&(_, r, f)| (r, f)).collect();
    for (at, record) in program.types.records.iter().enumerate() {
        let r = RecordId(at as u32);
        let names = record.fields.iter().enumerate().filter_map(|(i, f)| Some((i as u32, f.name?)));
        match level {
            0 if record.fields.len() > 1 => {
                let unnamed = |f: &ctree::Field| f.name.is_none() && f.bits.is_some();
                if record.fields.iter().any(unnamed) {
                    edits.push(Box::new(move |program| {
                        remove_fields(program, r, &|name| name.is_none())
                    }));
                }
                for (_, name) in names.filter(|&(i, _)| !used.contains(&(r, i))) {
                    edits.push(Box::new(move |program| {
                        remove_fields(program, r, &|f| f == Some(name))
                    }));
                }
            }
            1 if record.fields.len() > 1 && record.kind == RecordKind::Union => {
                for (_, name) in names {
                    edits.push(Box::new(move |program| only_member(program, r, name)));
                }
            }
            2 if record.fields.len() == 1 => {
                edits.push(Box::new(move |program| replace_by_field(program, r)))
            }
            3 if record.fields.len() > 1 => {
                for (i, name) in names.filter(|&(i, _)| used.contains(&(r, i))) {
                    let uses = accesses.iter().filter(|&&(_, of, f)| (of, f) == (r, i));
                    let uses: Vec<(ExprId, i128)> = uses
                        .map(|&(e, ..)| {
                            let e = whole_place(program, &map, e);
                            let worth = specimen.profile().values.get(&e);
                            (e, worth.map_or(0, |worth| worth.first))
                        })
                        .collect();
                    edits.push(Box::new(move |program| {
                        replace_accesses(program, &uses);
                        remove_fields(program, r, &|f| f == Some(name));
                    }));
                }
            }
            0..=3 => {}
            _ => return None,
        }
    }
    (level < 4).then_some(edits)
}

/// The record and the field of an access.
fn access(program: &Program, e: ExprId) -> Option<(RecordId, u32)> {
    match program.expr(e).kind {
        ExprKind::Member(of, f) => Some((program.types.as_record(program.expr(of).ty)?, f)),
        ExprKind::Arrow(of, f) => {
            Some((program.types.as_record(program.types.pointee(program.expr(of).ty)?)?, f))
        }
        _ => None,
    }
}

fn accesses(program: &Program, map: &ProgramMap) -> Vec<(ExprId, RecordId, u32)> {
    let with_record = |&(e, _): &(ExprId, _)| access(program, e).map(|(r, f)| (e, r, f));
    map.exprs.iter().filter_map(with_record).collect()
}

/// Replaces reads of an lvalue by values, and assignments to it by their right sides.
fn replace_accesses(program: &mut Program, uses: &[(ExprId, i128)]) {
    use UnOp::{PostDec, PostInc, PreDec, PreInc};
    let map = ProgramMap::of(program);
    for &(e, value) in uses {
        match map.visible_parent(program, e) {
            Some(Parent::Expr(up)) => match program.expr(up).kind {
                ExprKind::Assign(lhs, rhs) | ExprKind::AssignOp { lhs, rhs, .. }
                    if bare(program, lhs) == e =>
                {
                    replace_by_child(program, up, rhs);
                }
                ExprKind::Unary(PreInc | PreDec | PostInc | PostDec, _) => {
                    literal(program, up, value)
                }
                _ => literal(program, e, value),
            },
            _ => literal(program, e, value),
        }
    }
}

/// Removes fields from a record, from its initialisers and from the numbers of the other fields.
fn remove_fields(program: &mut Program, r: RecordId, gone: &dyn Fn(Option<Sym>) -> bool) {
    let fields = program.types.records[r.index()].fields.clone();
    let kept: Vec<u32> =
        (0..fields.len() as u32).filter(|&i| !gone(fields[i as usize].name)).collect();
    if kept.is_empty() || kept.len() == fields.len() {
        return;
    }
    initialisers(program, &mut |program, ty, init| {
        if let (true, Init::List(items)) = (program.types.as_record(ty) == Some(r), init) {
            items.retain(|item| kept.contains(&(item.first as u32)));
        }
    });
    let position = |i: u32| kept.iter().position(|&k| k == i);
    renumber_inits(program, r, &kept);
    for e in 0..program.exprs.len() {
        let Some((of, _)) = access(program, ExprId(e as u32)) else { continue };
        if of == r
            && let ExprKind::Member(_, f) | ExprKind::Arrow(_, f) = &mut program.exprs[e].kind
        {
            *f = position(*f).unwrap_or(0) as u32;
        }
    }
    program.types.records[r.index()].fields =
        kept.iter().map(|&i| fields[i as usize].clone()).collect();
}

/// Renumbers positions in initialisers of a record for the fields that are kept. Inner initialisers need
/// the old positions to find their types, so they are renumbered first.
fn renumber_inits(program: &mut Program, r: RecordId, kept: &[u32]) {
    fn walk(types: &TypeTable, ty: Ty, init: &mut Init, r: RecordId, kept: &[u32]) {
        let Init::List(items) = init else { return };
        let record = types.as_record(ty);
        for item in items {
            let part = match (record, types.shape(ty)) {
                (Some(of), _) => {
                    types.records[of.index()].fields.get(item.first as usize).map(|f| f.ty)
                }
                (_, TypeKind::Array(elem, _) | TypeKind::Vector(elem, _)) => Some(*elem),
                _ => None,
            };
            if let Some(part) = part {
                walk(types, part, &mut item.init, r, kept);
            }
            if record == Some(r) {
                let new = kept.iter().position(|&k| u64::from(k) == item.first).unwrap_or(0);
                (item.first, item.last) = (new as u64, new as u64);
            }
        }
    }
    let Program { types, vars, exprs, .. } = program;
    for var in vars {
        if let Some(init) = &mut var.init {
            walk(types, var.ty, init, r, kept);
        }
    }
    for expr in exprs {
        if let ExprKind::CompoundLit(ty, init) = &mut expr.kind {
            walk(types, *ty, init, r, kept);
        }
    }
}

/// Redirects all accesses of a union to one of its members.
fn only_member(program: &mut Program, r: RecordId, name: Sym) {
    let fields = &program.types.records[r.index()].fields;
    let Some(at) = fields.iter().position(|f| f.name == Some(name)) else { return };
    for e in 0..program.exprs.len() {
        let Some((of, _)) = access(program, ExprId(e as u32)) else { continue };
        if of == r
            && let ExprKind::Member(_, f) | ExprKind::Arrow(_, f) = &mut program.exprs[e].kind
        {
            *f = at as u32;
        }
    }
    remove_fields(program, r, &|f| f != Some(name));
}

/// Replaces a record with one field by the field.
fn replace_by_field(program: &mut Program, r: RecordId) {
    let [field] = program.types.records[r.index()].fields.as_slice() else { return };
    let ty = field.ty;
    let zero = program.int_const(Ty::INT, 0);
    initialisers(program, &mut |program, ty, init| {
        if let (true, Init::List(items)) = (program.types.as_record(ty) == Some(r), &mut *init) {
            *init = items.pop().map_or(Init::Expr(zero), |item| item.init);
        }
    });
    for e in 0..program.exprs.len() {
        let e = ExprId(e as u32);
        if access(program, e).is_none_or(|(of, _)| of != r) {
            continue;
        }
        match program.expr(e).kind {
            ExprKind::Member(of, _) => replace_by_child(program, e, of),
            ExprKind::Arrow(of, _) => {
                program.exprs[e.index()].kind = ExprKind::Unary(UnOp::Deref, of)
            }
            _ => {}
        }
    }
    everywhere(program, &|types, old| match *types.kind(old) {
        TypeKind::Record(of) if of == r => Some(ty.qualified(old.quals())),
        _ => None,
    });
}

/// Shortens arrays, all of one length at a time, replaces them by their elements, then one by one.
pub(crate) fn arrays(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let program = &specimen.program;
    let shorter: [fn(u64) -> u64; 4] = [|_| 1, |_| 2, |n| n / 2, |n| n - 1];
    match level {
        0..=3 => Some(
            lengths(program)
                .into_iter()
                .map(|n| (n, shorter[level](n)))
                .filter(|&(n, m)| m > 0 && m < n)
                .map(|(n, m)| -> Edit {
                    Box::new(move |program| {
                        everywhere(program, &|types, ty| resized(types, ty, n, m));
                        trim_initialisers(program);
                    })
                })
                .collect(),
        ),
        4 => Some(
            array_vars(program)
                .map(|(v, _)| -> Edit { Box::new(move |program| to_element(program, v)) })
                .collect(),
        ),
        5 => Some(
            program
                .types
                .records
                .iter()
                .enumerate()
                .flat_map(|(r, record)| record.fields.iter().map(move |f| (r, f)))
                .filter(|(_, f)| program.types.as_array(f.ty).is_some())
                .filter_map(|(r, f)| Some((RecordId(r as u32), f.name?)))
                .map(|(r, name)| -> Edit {
                    Box::new(move |program| field_to_element(program, r, name))
                })
                .collect(),
        ),
        6 | 7 => Some(
            array_vars(program)
                .map(|(v, n)| (v, n, shorter[(level - 6) * 2](n)))
                .filter(|&(_, n, m)| m > 0 && m < n)
                .map(|(v, n, m)| -> Edit {
                    Box::new(move |program| {
                        let ty = program.var(v).ty;
                        let change = |types: &mut TypeTable, ty| resized(types, ty, n, m);
                        let new = changed(&mut program.types, ty, &change);
                        set_type(program, v, new);
                        trim_initialisers(program);
                    })
                })
                .collect(),
        ),
        _ => None,
    }
}

fn resized(types: &mut TypeTable, ty: Ty, n: u64, m: u64) -> Option<Ty> {
    match *types.kind(ty) {
        TypeKind::Array(elem, ArrayLen::Known(old)) if old == n => {
            Some(types.array(elem, m).qualified(ty.quals()))
        }
        _ => None,
    }
}

/// The lengths of arrays, longest first.
fn lengths(program: &Program) -> Vec<u64> {
    fn of(types: &TypeTable, ty: Ty, found: &mut BTreeSet<u64>) {
        match *types.kind(ty) {
            TypeKind::Array(elem, len) => {
                if let ArrayLen::Known(n) = len {
                    found.insert(n);
                }
                of(types, elem, found);
            }
            TypeKind::Pointer(to) => of(types, to, found),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    for v in ProgramMap::of(program).vars {
        of(&program.types, program.var(v).ty, &mut found);
    }
    for field in program.types.records.iter().flat_map(|record| &record.fields) {
        of(&program.types, field.ty, &mut found);
    }
    for typedef in &program.types.typedefs {
        of(&program.types, typedef.ty, &mut found);
    }
    found.into_iter().rev().collect()
}

fn array_vars(program: &Program) -> impl Iterator<Item = (VarId, u64)> {
    ProgramMap::of(program).vars.into_iter().filter_map(|v| {
        match program.types.as_array(program.var(v).ty)? {
            (_, ArrayLen::Known(n)) => Some((v, n)),
            _ => None,
        }
    })
}

fn set_type(program: &mut Program, v: VarId, ty: Ty) {
    for w in 0..program.vars.len() {
        if same_var(program, v, VarId(w as u32)) {
            program.vars[w].ty = ty;
        }
    }
}

/// Replaces an array by its element.
fn to_element(program: &mut Program, v: VarId) {
    let Some((elem, _)) = program.types.as_array(program.var(v).ty) else { return };
    let map = ProgramMap::of(program);
    let same: Vec<VarId> =
        map.var_uses.keys().copied().filter(|&w| same_var(program, v, w)).collect();
    for e in same.iter().flat_map(|w| &map.var_uses[w]) {
        unindex(program, &map, *e);
    }
    if let Some(init) = program.vars[v.index()].init.take() {
        program.vars[v.index()].init = first(init);
    }
    set_type(program, v, elem);
}

/// What initialises the first element.
fn first(init: Init) -> Option<Init> {
    match init {
        Init::List(items) => items.into_iter().find(|item| item.first == 0).map(|item| item.init),
        Init::Expr(_) => None,
    }
}

/// `a[i]` becomes `a`, another `a` becomes `&a`.
fn unindex(program: &mut Program, map: &ProgramMap, e: ExprId) {
    if let Some(Parent::Expr(up)) = map.visible_parent(program, e) {
        match program.expr(up).kind {
            ExprKind::Index(base, _) if bare(program, base) == e => {
                return replace_by_child(program, up, e);
            }
            ExprKind::Unary(UnOp::Deref, _) => return replace_by_child(program, up, e),
            ExprKind::Unary(UnOp::AddrOf, _) | ExprKind::SizeofExpr(_) => return,
            _ => {}
        }
    }
    let inner = program.expr(e).clone();
    let inner = program.add_expr(inner.kind, inner.ty, inner.span);
    program.exprs[e.index()].kind = ExprKind::Unary(UnOp::AddrOf, inner);
}

fn field_to_element(program: &mut Program, r: RecordId, name: Sym) {
    let fields = &program.types.records[r.index()].fields;
    let Some(at) = fields.iter().position(|f| f.name == Some(name)) else { return };
    let Some((elem, _)) = program.types.as_array(fields[at].ty) else { return };
    let map = ProgramMap::of(program);
    for (e, ..) in
        accesses(program, &map).into_iter().filter(|&(_, of, f)| (of, f as usize) == (r, at))
    {
        unindex(program, &map, e);
    }
    initialisers(program, &mut |program, ty, init| {
        if let (true, Init::List(items)) = (program.types.as_record(ty) == Some(r), init) {
            items.retain_mut(|item| {
                if item.first as usize != at {
                    return true;
                }
                match first(item.init.clone()) {
                    Some(init) => item.init = init,
                    None => return false,
                }
                true
            });
        }
    });
    program.types.records[r.index()].fields[at].ty = elem;
}
