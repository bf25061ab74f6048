//! Makes a program print its variables, so that the code that computes and prints checksums can be
//! removed.

use ctree::{
    ArrayLen, ExprId, ExprKind, IntKind, Item, Program, Scope, StmtId, StmtKind, Ty, TypeKind,
    VarId,
};

use crate::{Edit, ProgramMap, Specimen, only};

/// Elements of one array that are printed.
const ELEMENTS: u64 = 40;
/// Most lines that are printed.
const LINES: usize = 600;

/// Library functions that write to standard output.
const PRINTERS: &[&str] = &["printf", "puts", "putchar", "__builtin_printf", "__builtin_puts"];

/// The edit that replaces all output by lines, at the end of `main`, with one variable each.
pub(crate) fn output(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    only(level, || {
        let program = &specimen.program;
        let map = ProgramMap::of(program);
        if is_plain(program, &map) {
            return Vec::new();
        }
        let edit: Edit = Box::new(print_variables);
        vec![edit]
    })
}

/// Whether all output is made by `main` itself, outside of loops, a variable at a time.
fn is_plain(program: &Program, map: &ProgramMap) -> bool {
    let context = |s: StmtId| map.stmts.iter().find(|context| context.id == s);
    map.exprs.iter().all(|&(e, stmt)| {
        let ExprKind::Call(callee, args) = &program.expr(e).kind else { return true };
        if !is_printer(program, *callee) {
            return true;
        }
        let in_main = stmt.and_then(context).is_some_and(|context| {
            let named = |f| program.name(program.func(f).name) == "main";
            context.depth == 1 && context.func.is_some_and(named)
        });
        in_main && args.len() <= 2
    })
}

fn is_printer(program: &Program, mut callee: ExprId) -> bool {
    while let ExprKind::Implicit(inner) = program.expr(callee).kind {
        callee = inner;
    }
    match program.expr(callee).kind {
        ExprKind::Func(f) => PRINTERS.contains(&program.name(program.func(f).name)),
        _ => false,
    }
}

fn print_variables(program: &mut Program) {
    let map = ProgramMap::of(program);
    let calls: Vec<StmtId> = map
        .stmts
        .iter()
        .map(|context| context.id)
        .filter(|&s| match program.stmt(s).kind {
            StmtKind::Expr(e) => match program.expr(e).kind {
                ExprKind::Call(callee, _) => is_printer(program, callee),
                _ => false,
            },
            _ => false,
        })
        .collect();
    let is_main = |item: &Item| match *item {
        Item::Func(f) => program.name(program.func(f).name) == "main",
        _ => false,
    };
    let Some(unit) = program.units.iter().position(|unit| unit.items.iter().any(is_main)) else {
        return;
    };
    let items = program.units[unit].items.clone();
    let Some(main) = items.iter().position(is_main) else { return };
    let Item::Func(f) = items[main] else { return };
    let Some(body) = program.func(f).body else { return };
    let printf = items.iter().find_map(|item| match *item {
        Item::FuncDecl(f) if program.name(program.func(f).name) == "printf" => Some(f),
        _ => None,
    });
    let Some(printf) = printf else { return };
    let vars = items[..main].iter().filter_map(|item| match *item {
        Item::Var(v) | Item::VarDecl(v) => Some(v),
        _ => None,
    });
    let vars: Vec<VarId> = vars.filter(|&v| program.var(v).scope == Scope::File).collect();
    let mut scalars = Vec::new();
    for v in vars {
        if !program.var(v).ty.is_const() {
            let whole = program.var_ref(v);
            leaves(program, whole, &mut scalars);
        }
    }
    let lines: Vec<StmtId> = scalars.into_iter().map(|e| print(program, printf, e)).collect();
    for s in calls {
        program.stmts[s.index()].kind = StmtKind::Empty;
    }
    let mut list = match &program.stmt(body).kind {
        StmtKind::Block(list) => list.clone(),
        _ => return,
    };
    let end = match list.last() {
        Some(&last) if matches!(program.stmt(last).kind, StmtKind::Return(_)) => list.len() - 1,
        _ => list.len(),
    };
    list.splice(end..end, lines);
    program.stmts[body.index()].kind = StmtKind::Block(list);
}

/// The integers that an object is made of.
fn leaves(program: &mut Program, e: ExprId, out: &mut Vec<ExprId>) {
    if out.len() >= LINES {
        return;
    }
    match program.types.shape(program.expr(e).ty).clone() {
        TypeKind::Int(kind) if kind < IntKind::Int128 => out.push(e),
        TypeKind::Enum(_) => out.push(e),
        TypeKind::Array(_, ArrayLen::Known(n)) => {
            for i in 0..n.min(ELEMENTS) {
                let base = program.copy_expr(e);
                let index = program.int_const(Ty::INT, i128::from(i));
                let element = program.index(base, index);
                leaves(program, element, out);
            }
        }
        TypeKind::Record(id) => {
            for i in 0..program.types.records[id.index()].fields.len() {
                let field = &program.types.records[id.index()].fields[i];
                if field.name.is_some() {
                    let base = program.copy_expr(e);
                    let member = program.member(base, i as u32);
                    leaves(program, member, out);
                }
            }
        }
        _ => {}
    }
}

/// `printf("%d\n", e);`
fn print(program: &mut Program, printf: ctree::FuncId, e: ExprId) -> StmtId {
    let value = program.promote_argument(e);
    let format: &[u8] = match program.types.shape(program.expr(value).ty) {
        TypeKind::Int(IntKind::UInt) => b"%u\n",
        TypeKind::Int(IntKind::Long) => b"%ld\n",
        TypeKind::Int(IntKind::ULong) => b"%lu\n",
        TypeKind::Int(IntKind::LongLong) => b"%lld\n",
        TypeKind::Int(IntKind::ULongLong) => b"%llu\n",
        _ => b"%d\n",
    };
    let format = program.str_const(format);
    let call = program.call_func(printf, &[format, value]);
    program.expr_stmt(call)
}
