//! What a watch names, as an expression in the program: the way to ask the machine itself.

use cmachine::{PathStep, VarValues, Watch};
use ctree::{BinOp, ExprId, Program, RecordKind, Span, StmtId, StmtKind, Ty};

/// The lvalue of a watch.
pub fn place(program: &mut Program, watch: &Watch) -> ExprId {
    let mut place = program.var_ref(watch.var);
    let mut steps = watch.path.iter().copied().peekable();
    while let Some(step) = steps.next() {
        place = match (step, steps.peek().copied()) {
            (PathStep::Deref, Some(PathStep::Field(field))) => {
                steps.next();
                program.arrow(place, field)
            }
            (PathStep::Deref, _) => program.deref(place),
            (PathStep::Field(field), _) => program.member(place, field),
            (PathStep::Element(i), _) => {
                let i = program.int_const(Ty::INT, i128::from(i));
                program.index(place, i)
            }
        };
    }
    place
}

/// Whether the types alone forbid to write to it, or it shares its bytes with others.
pub fn is_fixed(program: &mut Program, watch: &Watch) -> bool {
    let mut ty = program.var(watch.var).ty;
    let mut fixed = false;
    for step in &watch.path {
        let canon = program.types.canon(ty);
        fixed |= canon.is_const();
        ty = match *step {
            PathStep::Element(_) => program.types.as_array(canon).expect("an array").0,
            PathStep::Deref => {
                fixed = false;
                program.types.pointee(canon).expect("a pointer")
            }
            PathStep::Field(i) => {
                let record = program.types.as_record(canon).expect("a record");
                let record = &program.types.records[record.index()];
                fixed |= record.kind == RecordKind::Union;
                record.fields[i as usize].ty
            }
        };
    }
    fixed || program.types.canon(ty).is_const()
}

/// Puts `if (expr) ;` before a statement.
fn before(program: &mut Program, s: StmtId, expr: ExprId) {
    let empty = program.add_stmt(StmtKind::Empty, Span::NONE);
    let test = program.add_stmt(StmtKind::If(expr, empty, None), Span::NONE);
    let kind = program.stmt(s).kind.clone();
    let old = program.add_stmt(kind, program.stmt(s).span);
    program.stmts[s.index()].kind = StmtKind::Block(vec![test, old]);
}

/// Has a scalar read before a statement: a division by zero, unless it has one of its values.
pub fn insert_read(program: &mut Program, s: StmtId, watch: &Watch, values: Option<&VarValues>) {
    let mut is_known = program.int_const(Ty::INT, i128::from(values.is_none()));
    let few = values.filter(|v| v.complete && v.values.len() <= 6);
    let tests: Vec<(BinOp, i128)> = match (few, values) {
        (Some(v), _) => v.values.iter().map(|&value| (BinOp::Eq, value)).collect(),
        // Not outside of the limits.
        (None, Some(v)) => vec![(BinOp::Lt, v.min), (BinOp::Gt, v.max)],
        (None, None) => vec![(BinOp::Eq, 0)],
    };
    for (op, value) in tests {
        let read = place(program, watch);
        let ty = program.expr(read).ty.unqual();
        let value = program.int_const(ty, value);
        let test = program.binary(op, read, value);
        is_known = program.binary(BinOp::BitOr, is_known, test);
    }
    if few.is_none() && values.is_some() {
        is_known = program.unary(ctree::UnOp::LogNot, is_known);
    }
    let one = program.int_const(Ty::INT, 1);
    let expr = program.binary(BinOp::Div, one, is_known);
    before(program, s, expr);
}

/// Has a scalar written before a statement, with the value that it has.
pub fn insert_write(program: &mut Program, s: StmtId, watch: &Watch) {
    let (to, from) = (place(program, watch), place(program, watch));
    let write = program.assign(to, from);
    before(program, s, write);
}
