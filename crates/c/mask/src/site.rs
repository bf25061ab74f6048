//! Where a program has constructs.

use std::collections::BTreeSet;

use ctree::map::{Parent, ProgramMap, StmtContext};
use ctree::{
    BinOp, ExprId, ExprKind, Init, Item, Program, Scope, StmtId, StmtKind, Storage, Ty, TypeKind,
    UnOp, VarId,
};

use crate::construct::{Construct, Sign};

/// An expression that can be masked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Site {
    /// The expression.
    pub expr: ExprId,
    /// What it is.
    pub construct: Construct,
    /// What of it is checked against the tape.
    pub form: Form,
}

/// How an expression is masked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// An operator on two integers.
    Two(BinOp, ExprId, ExprId),
    /// An operator or conversion on one integer.
    One(ExprId),
    /// `lhs op= rhs`, with an `lhs` that may be evaluated twice.
    Assign(ExprId),
    /// `++` and `--` whose value is not used, on an lvalue that may be evaluated twice.
    Step(ExprId, Step),
    /// The value alone.
    Value,
    /// The value of an object, read as if it were volatile.
    Read,
    /// An assignment of any kind to an integer, done as if the object were volatile.
    Store,
    /// An assignment of a structure or union whose value is not used: target and source.
    Copy(ExprId, ExprId),
    /// The initialisation of a local structure from another one: the block, its declaration, the variable.
    Init(StmtId, StmtId, VarId),
}

/// `++` or `--`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    Up,
    Down,
}

/// The widest integers that the machine records.
const WIDEST: u32 = 64;

/// Every construct of a program. Operations on constants alone, such as `~0`, are the printer's way to write one.
pub fn constructs(program: &Program) -> BTreeSet<Construct> {
    let map = ProgramMap::of(program);
    let of_constants = |site: &Site| match site.form {
        Form::Two(_, a, b) => is_constant(program, a) && is_constant(program, b),
        Form::One(a) => is_constant(program, a),
        Form::Assign(_)
        | Form::Step(..)
        | Form::Value
        | Form::Read
        | Form::Store
        | Form::Copy(..)
        | Form::Init(..) => false,
    };
    let sites = sites(program, &map).into_iter().filter(|site| !of_constants(site));
    let mut found: BTreeSet<Construct> = sites.map(|site| site.construct).collect();
    for place in &map.stmts {
        match &program.stmt(place.id).kind {
            StmtKind::Goto(_) => found.insert(Construct::Goto),
            StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::For { .. } => {
                found.insert(Construct::Loop)
            }
            StmtKind::If(..) => found.insert(Construct::If),
            StmtKind::Switch(..) => found.insert(Construct::Switch),
            StmtKind::Empty
            | StmtKind::Expr(_)
            | StmtKind::Block(_)
            | StmtKind::Case(..)
            | StmtKind::Default(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Label(..)
            | StmtKind::Return(_)
            | StmtKind::Decl(_) => false,
        };
    }
    for &(e, _) in &map.exprs {
        found.extend(beyond_masks(program, e));
        if matches!(program.types.shape(program.expr(e).ty), TypeKind::Record(_))
            && program.is_lvalue(e)
            && is_read(program, &map, e)
        {
            found.insert(Construct::StructureAssignment);
        }
    }
    found
}

/// Constructs that cannot be masked.
fn beyond_masks(program: &Program, e: ExprId) -> Option<Construct> {
    let expr = program.expr(e);
    match (program.types.shape(expr.ty), &expr.kind) {
        (_, ExprKind::VaArg(..)) => Some(Construct::VariableArguments),
        (TypeKind::Vector(..), _) => Some(Construct::Vector),
        (TypeKind::Float(_), ExprKind::Binary(..) | ExprKind::AssignOp { .. }) => {
            Some(Construct::Float)
        }
        (_, ExprKind::Call(callee, _)) => {
            let mut callee = *callee;
            while let ExprKind::Implicit(inner) = program.expr(callee).kind {
                callee = inner;
            }
            match program.expr(callee).kind {
                ExprKind::Func(f) => {
                    let name = program.func(f).name;
                    let is_own = |g: &ctree::Func| g.name == name && g.body.is_some();
                    program.funcs.iter().any(is_own).then_some(Construct::Call)
                }
                _ => Some(Construct::Call),
            }
        }
        (_, ExprKind::Member(..) | ExprKind::Arrow(..)) if program.bit_field_width(e).is_some() => {
            Some(Construct::BitField)
        }
        _ => None,
    }
}

/// Every construct of a program that can be masked.
pub fn maskable(program: &Program) -> BTreeSet<Construct> {
    let units = program.units.iter();
    let maps = units.map(|unit| ProgramMap::of_items(program, &unit.items));
    let of = |map: ProgramMap| {
        let switches = switches(program, &map).into_iter().map(|_| Construct::Switch);
        let sites = sites(program, &map).into_iter().map(|site| site.construct);
        switches.chain(sites).collect::<Vec<_>>()
    };
    maps.flat_map(of).collect()
}

/// The `switch` statements of a unit, enclosing ones first.
pub(crate) fn switches(program: &Program, map: &ProgramMap) -> Vec<StmtId> {
    let is_switch = |s: &StmtId| matches!(program.stmt(*s).kind, StmtKind::Switch(..));
    map.stmts.iter().map(|place| place.id).filter(is_switch).collect()
}

/// The expressions of a unit that can be masked: integers that are computed, read or assigned in functions, and
/// structures that are assigned.
pub(crate) fn sites(program: &Program, map: &ProgramMap) -> Vec<Site> {
    let inside =
        map.exprs.iter().filter(|(e, stmt)| stmt.is_some() && is_executed(program, map, *e));
    let both = |e| [site(program, map, e), assignment(program, map, e)].into_iter().flatten();
    let mut all: Vec<Site> = inside.flat_map(|(e, _)| both(*e)).collect();
    all.extend(map.stmts.iter().filter_map(|place| initialisation(program, place)));
    all
}

/// A declaration of a local structure that is initialised by another one.
fn initialisation(program: &Program, place: &StmtContext) -> Option<Site> {
    let block = place.parent.filter(|s| matches!(program.stmt(*s).kind, StmtKind::Block(_)))?;
    let StmtKind::Decl(items) = &program.stmt(place.id).kind else { return None };
    let [Item::Var(v)] = items.as_slice() else { return None };
    let var = program.var(*v);
    let Some(Init::Expr(from)) = var.init else { return None };
    let is_record = matches!(program.types.shape(var.ty), TypeKind::Record(_));
    let is_plain = var.storage == Storage::None && !var.ty.is_const() && !var.ty.is_volatile();
    (is_record && is_plain && has_address(program, from)).then_some(Site {
        expr: from,
        construct: Construct::StructureAssignment,
        form: Form::Init(block, place.id, *v),
    })
}

/// Whether it is no part of a constant initialiser or of an operand that is not evaluated.
fn is_executed(program: &Program, map: &ProgramMap, mut e: ExprId) -> bool {
    loop {
        match map.parents.get(&e) {
            Some(Parent::Expr(up)) => match program.expr(*up).kind {
                ExprKind::SizeofExpr(_) => return false,
                _ => e = *up,
            },
            Some(Parent::Stmt(_)) => return true,
            Some(Parent::Var(v)) => {
                let var = program.var(*v);
                return var.scope == Scope::Block && var.storage != Storage::Static;
            }
            None => return false,
        }
    }
}

fn site(program: &Program, map: &ProgramMap, e: ExprId) -> Option<Site> {
    let bits = width(program, program.expr(e).ty)?;
    let (construct, form) = match program.expr(e).kind {
        _ if program.is_lvalue(e) => {
            let construct = read(program, e);
            let form = match construct {
                // What a call passes is wrong before it is read; and bit-fields have no address.
                Construct::Parameter | Construct::BitField => Form::Value,
                _ if has_address(program, e) => Form::Read,
                _ => return None,
            };
            (construct, is_read(program, map, e).then_some(form)?)
        }
        ExprKind::Binary(op, a, b) => binary(program, op, a, b)?,
        ExprKind::AssignOp { op, lhs, rhs, comp } => {
            (width(program, program.expr(rhs).ty).filter(|_| is_repeatable(program, lhs)))?;
            let comp_width = width(program, comp)?;
            (operator(op, comp_width, signed(program, comp)?)?, Form::Assign(lhs))
        }
        ExprKind::Unary(op, a) => unary(program, map, e, op, a, bits)?,
        ExprKind::Cond(..) => (Construct::Conditional, Form::Value),
        ExprKind::Cast(_, a) | ExprKind::Implicit(a) => conversion(program, a, bits)?,
        ExprKind::Member(..) => (Construct::Member, Form::Value),
        // What a call returns, what is assigned and constants are computed elsewhere.
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::LongFloat { .. }
        | ExprKind::Str(_)
        | ExprKind::Var(_)
        | ExprKind::Func(_)
        | ExprKind::EnumConst(..)
        | ExprKind::Assign(..)
        | ExprKind::Call(..)
        | ExprKind::Index(..)
        | ExprKind::Arrow(..)
        | ExprKind::SizeofExpr(_)
        | ExprKind::SizeofType(_)
        | ExprKind::AlignofType(_)
        | ExprKind::CompoundLit(..)
        | ExprKind::StmtExpr(_)
        | ExprKind::VaArg(..) => return None,
    };
    Some(Site { expr: e, construct, form })
}

/// The store of an assignment.
fn assignment(program: &Program, map: &ProgramMap, e: ExprId) -> Option<Site> {
    let (lhs, copied) = match program.expr(e).kind {
        ExprKind::Assign(lhs, rhs) => (lhs, Some(rhs)),
        ExprKind::AssignOp { lhs, .. } => (is_repeatable(program, lhs).then_some(lhs)?, None),
        ExprKind::Unary(op, a) => (unused_step(program, map, e, op, a).map(|_| a)?, None),
        _ => return None,
    };
    let (construct, form) = match width(program, program.expr(e).ty) {
        Some(_) => (Construct::Assignment, Form::Store),
        None => {
            let is_record = matches!(program.types.shape(program.expr(e).ty), TypeKind::Record(_));
            let rhs = copied.filter(|rhs| is_record && has_address(program, *rhs))?;
            is_unused(program, map, e).then_some(())?;
            (Construct::StructureAssignment, Form::Copy(lhs, rhs))
        }
    };
    has_address(program, lhs).then_some(Site { expr: e, construct, form })
}

/// Whether an object can be reached through a pointer to its type, and is not volatile as it is.
fn has_address(program: &Program, e: ExprId) -> bool {
    program.is_lvalue(e)
        && program.bit_field_width(e).is_none()
        && !program.expr(e).ty.is_volatile()
        && !is_packed_or_register(program, e)
}

/// Whether an object is part of a packed record, where it may be misaligned, or of a register variable.
fn is_packed_or_register(program: &Program, mut e: ExprId) -> bool {
    let is_packed = |ty: Ty, field: u32| match program.types.as_record(ty) {
        Some(record) => {
            let record = &program.types.records[record.index()];
            record.packed || record.fields[field as usize].packed
        }
        None => false,
    };
    loop {
        let expr = program.expr(e);
        match expr.kind {
            ExprKind::Member(of, field) => {
                if is_packed(program.expr(of).ty, field) {
                    return true;
                }
                e = of;
            }
            ExprKind::Arrow(pointer, field) => {
                let record = program.types.pointee(program.expr(pointer).ty);
                return record.is_some_and(|record| is_packed(record, field));
            }
            ExprKind::Index(of, _) | ExprKind::Implicit(of) => e = of,
            ExprKind::Var(v) => return program.var(v).storage == Storage::Register,
            _ => return false,
        }
    }
}

fn binary(program: &Program, op: BinOp, a: ExprId, b: ExprId) -> Option<(Construct, Form)> {
    let left = program.expr(a).ty;
    match op {
        BinOp::Comma => None,
        BinOp::LogAnd | BinOp::LogOr => Some((Construct::Equality(32), Form::Value)),
        _ if program.types.is_pointer(left) => Some((Construct::Pointers, Form::Value)),
        _ if program.types.float_kind(left).is_some() => Some((Construct::Float, Form::Value)),
        _ => {
            (width(program, program.expr(b).ty))?;
            let construct = operator(op, width(program, left)?, signed(program, left)?)?;
            Some((construct, Form::Two(op, a, b)))
        }
    }
}

/// An operator on integers of a width.
fn operator(op: BinOp, bits: u32, signed: bool) -> Option<Construct> {
    let sign = Sign::of(signed);
    Some(match op {
        BinOp::Mul => Construct::Multiplication(bits),
        BinOp::Div | BinOp::Rem => Construct::Division(bits, sign),
        BinOp::Add | BinOp::Sub => Construct::Addition(bits),
        BinOp::Shl => Construct::LeftShift(bits),
        BinOp::Shr => Construct::RightShift(bits, sign),
        BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge => Construct::Order(bits, sign),
        BinOp::Eq | BinOp::Ne => Construct::Equality(bits),
        BinOp::BitAnd | BinOp::BitXor | BinOp::BitOr => Construct::Bitwise(bits),
        BinOp::LogAnd | BinOp::LogOr | BinOp::Comma => return None,
    })
}

fn unary(
    program: &Program,
    map: &ProgramMap,
    e: ExprId,
    op: UnOp,
    a: ExprId,
    bits: u32,
) -> Option<(Construct, Form)> {
    let on = || width(program, program.expr(a).ty);
    match op {
        UnOp::PreInc | UnOp::PostInc | UnOp::PreDec | UnOp::PostDec => {
            let step = unused_step(program, map, e, op, a)?;
            Some((Construct::Addition(bits), Form::Step(a, step)))
        }
        UnOp::Neg => Some((Construct::Addition(bits), Form::One(a))),
        UnOp::BitNot => Some((Construct::Bitwise(bits), Form::One(a))),
        UnOp::LogNot => Some(match on() {
            Some(bits) => (Construct::Equality(bits), Form::One(a)),
            None => (Construct::Equality(64), Form::Value),
        }),
        UnOp::Plus | UnOp::Deref | UnOp::AddrOf => None,
    }
}

/// Which step it is, if its value is not used and its operand may be evaluated twice.
fn unused_step(
    program: &Program,
    map: &ProgramMap,
    e: ExprId,
    op: UnOp,
    a: ExprId,
) -> Option<Step> {
    let step = match op {
        UnOp::PreInc | UnOp::PostInc => Step::Up,
        UnOp::PreDec | UnOp::PostDec => Step::Down,
        UnOp::Neg | UnOp::BitNot | UnOp::LogNot | UnOp::Plus | UnOp::Deref | UnOp::AddrOf => {
            return None;
        }
    };
    (is_unused(program, map, e) && is_repeatable(program, a)).then_some(step)
}

/// Whether nobody uses the value of an expression.
fn is_unused(program: &Program, map: &ProgramMap, e: ExprId) -> bool {
    matches!(map.parents.get(&e), Some(Parent::Stmt(s))
        if matches!(program.stmt(*s).kind, StmtKind::Expr(_) | StmtKind::For { .. }))
}

fn conversion(program: &Program, a: ExprId, to: u32) -> Option<(Construct, Form)> {
    let from = program.expr(a).ty;
    if program.types.float_kind(from).is_some() {
        return Some((Construct::FromFloat, Form::Value));
    }
    if is_constant(program, a) {
        return None;
    }
    let (bits, signed) = (width(program, from)?, signed(program, from)?);
    Some((Construct::Conversion(bits, Sign::of(signed), to), Form::One(a)))
}

/// A value that is read.
fn read(program: &Program, e: ExprId) -> Construct {
    match program.expr(e).kind {
        _ if program.bit_field_width(e).is_some() => Construct::BitField,
        ExprKind::Member(..) | ExprKind::Arrow(..) => Construct::Member,
        ExprKind::Index(..) => Construct::Element,
        ExprKind::Unary(..) => Construct::Dereference,
        ExprKind::Var(v) if program.var(v).scope == Scope::Param => Construct::Parameter,
        _ => Construct::Variable,
    }
}

/// Whether the value of an lvalue is used, not its place.
fn is_read(program: &Program, map: &ProgramMap, e: ExprId) -> bool {
    match map.parents.get(&e) {
        Some(Parent::Expr(up)) => match program.expr(*up).kind {
            ExprKind::Assign(lhs, _) | ExprKind::AssignOp { lhs, .. } => lhs != e,
            ExprKind::Unary(op, _) => match op {
                UnOp::AddrOf | UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec => false,
                UnOp::Plus | UnOp::Neg | UnOp::BitNot | UnOp::LogNot | UnOp::Deref => true,
            },
            ExprKind::Member(..) | ExprKind::SizeofExpr(_) => false,
            _ => true,
        },
        Some(Parent::Stmt(s)) => !matches!(program.stmt(*s).kind, StmtKind::Expr(_)),
        Some(Parent::Var(_)) => true,
        None => false,
    }
}

/// Whether an expression has no side effect and reads nothing volatile: it may be evaluated twice.
pub(crate) fn is_repeatable(program: &Program, e: ExprId) -> bool {
    let expr = program.expr(e);
    if expr.ty.is_volatile() {
        return false;
    }
    match expr.kind {
        ExprKind::Int(_) | ExprKind::Var(_) | ExprKind::Str(_) | ExprKind::EnumConst(..) => true,
        ExprKind::Unary(op, a) => match op {
            UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec => false,
            UnOp::Plus | UnOp::Neg | UnOp::BitNot | UnOp::LogNot | UnOp::Deref | UnOp::AddrOf => {
                is_repeatable(program, a)
            }
        },
        ExprKind::Implicit(a)
        | ExprKind::Cast(_, a)
        | ExprKind::Member(a, _)
        | ExprKind::Arrow(a, _) => is_repeatable(program, a),
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => {
            is_repeatable(program, a) && is_repeatable(program, b)
        }
        _ => false,
    }
}

/// Whether an operand is a constant: no tape is needed for it.
pub(crate) fn is_constant(program: &Program, e: ExprId) -> bool {
    match program.expr(e).kind {
        ExprKind::Int(_) | ExprKind::EnumConst(..) => true,
        ExprKind::Unary(UnOp::Neg | UnOp::BitNot, a)
        | ExprKind::Implicit(a)
        | ExprKind::Cast(_, a) => is_constant(program, a),
        _ => false,
    }
}

/// The width of an integer type that the machine records.
fn width(program: &Program, ty: Ty) -> Option<u32> {
    let (bits, _) = program.types.int_bits(ty)?;
    (bits <= WIDEST).then_some(bits)
}

fn signed(program: &Program, ty: Ty) -> Option<bool> {
    Some(program.types.int_bits(ty)?.1)
}
