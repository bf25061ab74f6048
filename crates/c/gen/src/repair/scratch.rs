//! New file-scope objects that replace invalid ones: the target of a null pointer, an uninitialised
//! variable.

use super::children::contains;
use cmachine::Node;
use ctree::{ExprId, ExprKind, Item, Program, Scope, Storage, Ty, TypeKind, UnOp, UnitId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The objects by unit and type, qualifiers included.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    objects: BTreeMap<(UnitId, Ty), VarId>,
}

impl Scratch {
    /// Starts with the caller's objects, which belong to the first unit.
    pub fn new(program: &mut Program, fallbacks: &[(Ty, VarId)]) -> Scratch {
        let key = |&(ty, var): &(Ty, VarId)| ((UnitId(0), program.types.canon(ty)), var);
        Scratch { objects: fallbacks.iter().map(key).collect() }
    }

    /// An object of a type that is visible at a node; `None` if there can be none.
    pub fn object(&mut self, program: &mut Program, at: ExprId, ty: Ty) -> Option<VarId> {
        let ty = program.types.canon(ty);
        program.types.size_of(ty)?;
        let unit = unit_of(program, at)?;
        if let Some(&var) = self.objects.get(&(unit, ty)) {
            return Some(var);
        }
        let position = position(program, unit, ty)?;
        let mut number = self.objects.len();
        let mut name = format!("scratch{number}");
        while program.names.get(&name).is_some() {
            number += 1;
            name = format!("scratch{number}");
        }
        let var = program.add_var(&name, ty, Scope::File);
        program.vars[var.index()].storage = Storage::Static;
        program.units[unit.index()].items.insert(position, Item::Var(var));
        self.objects.insert((unit, ty), var);
        Some(var)
    }

    /// Whether an expression is already a constant or one of these objects.
    pub fn is_inert(&self, program: &Program, node: ExprId) -> bool {
        match program.expr(node).kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::LongFloat { .. } => true,
            ExprKind::Var(var) => self.objects.values().any(|&v| v == var),
            ExprKind::Cast(_, of)
            | ExprKind::Implicit(of)
            | ExprKind::Member(of, _)
            | ExprKind::Unary(UnOp::Neg | UnOp::AddrOf, of) => self.is_inert(program, of),
            _ => false,
        }
    }

    /// Replaces a node by an object of its type, or the object's value.
    pub fn make_object(&mut self, program: &mut Program, node: ExprId) -> Option<()> {
        let ty = program.expr(node).ty;
        let var = self.object(program, node, ty)?;
        program.exprs[node.index()].kind = ExprKind::Var(var);
        Some(())
    }

    /// A pointer value of a type: to an object, or null where there can be none.
    pub fn pointer(&mut self, program: &mut Program, at: ExprId, ty: Ty) -> Option<ExprId> {
        let ty = ty.unqual();
        let span = program.expr(at).span;
        let to = program.types.pointee(ty)?;
        if program.types.as_function(to).is_none()
            && let Some(var) = self.object(program, at, to)
        {
            let object = program.var_ref(var);
            return Some(program.add_expr(ExprKind::Unary(UnOp::AddrOf, object), ty, span));
        }
        let zero = program.int_const(Ty::INT, 0);
        Some(program.add_expr(ExprKind::Cast(ty, zero), ty, span))
    }
}

/// The unit that a node of a function belongs to.
fn unit_of(program: &Program, node: ExprId) -> Option<UnitId> {
    if program.units.len() == 1 {
        return Some(UnitId(0));
    }
    let holds_it = |item: &Item| match item {
        Item::Func(f) => program
            .func(*f)
            .body
            .is_some_and(|b| contains(program, Node::Stmt(b), Node::Expr(node))),
        _ => false,
    };
    let unit = program.units.iter().position(|unit| unit.items.iter().any(holds_it))?;
    Some(UnitId(unit as u32))
}

/// Where in a unit an object of a type can be defined: before the first function, or where the type
/// is complete; `None` if the type belongs to a block.
fn position(program: &Program, unit: UnitId, ty: Ty) -> Option<usize> {
    let items = &program.units[unit.index()].items;
    let first = items.iter().position(|item| matches!(item, Item::Func(_)))?;
    let mut needed = BTreeSet::new();
    tags(program, ty, &mut needed);
    let mut position = first;
    for tag in needed {
        let defines = |item: &Item| match *item {
            Item::Record(id) => tag == Tag::Record(id.0),
            Item::Enum(id) => tag == Tag::Enum(id.0),
            _ => false,
        };
        position = position.max(items.iter().position(defines)? + 1);
    }
    Some(position)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tag {
    Record(u32),
    Enum(u32),
}

/// The tags that a type is written with.
fn tags(program: &Program, ty: Ty, found: &mut BTreeSet<Tag>) {
    match program.types.shape(ty) {
        TypeKind::Record(id) => {
            found.insert(Tag::Record(id.0));
        }
        TypeKind::Enum(id) => {
            found.insert(Tag::Enum(id.0));
        }
        TypeKind::Pointer(of) | TypeKind::Array(of, _) | TypeKind::Vector(of, _) => {
            tags(program, *of, found);
        }
        TypeKind::Function(f) => {
            tags(program, f.ret, found);
            f.params.iter().for_each(|ty| tags(program, *ty, found));
        }
        _ => {}
    }
}
