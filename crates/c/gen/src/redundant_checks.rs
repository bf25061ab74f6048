//! Removes redundant checks around arithmetic (CsmithEdge, section 3.2).
//!
//! A *check* is a call of a wrapper: a function whose name begins with `safe_` and that returns
//! `unsafe ? a : a op b`, as Csmith's headers and ours define them; some of Csmith's only return
//! `a op b`. One execution shows which calls ever took the safe branch; all others are
//! replaced by the operation. The result is executed again and must print the same: a call sequences its
//! operands before the use of its value, an operator does not, so a check may be needed for that alone.

use cmachine::{Exit, Hooks, MachineConfig, Outcome, Report};
use ctree::map::ProgramMap;
use ctree::{ExprId, ExprKind, FuncId, Program, StmtKind, Ty, VarId};
use std::collections::{BTreeSet, HashMap};

/// The result of removing redundant checks from a program.
#[derive(Clone, Debug)]
pub struct RemovedChecks {
    /// The execution of the program as it is now.
    pub report: Report,
    /// Checks before the removal.
    pub checks: usize,
    /// Checks that were replaced by operations.
    pub removed: usize,
}

/// A function that is a wrapper.
#[derive(Clone, Copy, Debug)]
struct Wrapper {
    /// The `?:`, if it has one.
    check: Option<ExprId>,
    /// `a op b`.
    operation: ExprId,
}

/// Executes a program and, if it finishes, removes its redundant checks. A program without a defined
/// result is not changed.
pub fn remove_redundant_checks(program: &mut Program, config: &MachineConfig) -> RemovedChecks {
    let wrappers = wrappers(program);
    let all = calls(program, &wrappers);
    let hooks = Hooks { branches: true, ..Hooks::default() };
    let report = cmachine::run_with(program, config, &hooks);
    let Outcome::Finished(exit) = report.outcome else {
        return RemovedChecks { report, checks: all.len(), removed: 0 };
    };
    let needed: BTreeSet<ExprId> = report
        .profile
        .branches
        .iter()
        .filter(|((_, point), (held, _))| {
            *held > 0 && wrappers.values().any(|wrapper| wrapper.check == Some(*point))
        })
        .filter_map(|((caller, _), _)| *caller)
        .collect();
    let bare: Vec<ExprId> = all.iter().copied().filter(|call| !needed.contains(call)).collect();
    let same = |program: &Program| {
        let again = cmachine::run(program, config);
        let is_same = is_exit(&again, exit) && again.stdout == report.stdout;
        is_same.then_some(again)
    };
    let (last, removed) = remove_while_unchanged(program, &wrappers, &bare, &same);
    RemovedChecks { report: last.unwrap_or(report), checks: all.len(), removed }
}

/// The program with the number of each check as an additional argument of its call, for wrappers that
/// report when they were needed. The tree is only meant to be printed.
pub fn number_checks(program: &Program) -> Program {
    let mut numbered = program.clone();
    for (number, call) in checks(program).into_iter().enumerate() {
        let number = numbered.int_const(Ty::INT, number as i128);
        if let ExprKind::Call(_, args) = &mut numbered.exprs[call.index()].kind {
            *args = args.iter().copied().chain([number]).collect();
        }
    }
    numbered
}

/// Removes all checks but those with these numbers, without an execution. Returns how many were removed.
pub fn remove_checks_except(program: &mut Program, needed: &BTreeSet<usize>) -> usize {
    let wrappers = wrappers(program);
    let all = calls(program, &wrappers);
    let bare: Vec<ExprId> =
        (0..all.len()).filter(|number| !needed.contains(number)).map(|i| all[i]).collect();
    for &call in &bare {
        replace_by_operation(program, &wrappers, call);
    }
    bare.len()
}

/// Executes a program with all its checks.
pub fn run_with_all_checks(program: &Program, config: &MachineConfig) -> RemovedChecks {
    let checks = checks(program).len();
    RemovedChecks { report: cmachine::run(program, config), checks, removed: 0 }
}

/// The calls of wrappers, in source order.
pub fn checks(program: &Program) -> Vec<ExprId> {
    calls(program, &wrappers(program))
}

fn is_exit(report: &Report, exit: Exit) -> bool {
    matches!(report.outcome, Outcome::Finished(other) if other == exit)
}

/// Removes all of the checks, or else each half of them in turn, down to single ones, as long as the
/// output stays the same. Returns the last execution and how many were removed.
fn remove_while_unchanged(
    program: &mut Program,
    wrappers: &HashMap<FuncId, Wrapper>,
    calls: &[ExprId],
    same: &dyn Fn(&Program) -> Option<Report>,
) -> (Option<Report>, usize) {
    if calls.is_empty() {
        return (None, 0);
    }
    let before: Vec<_> = calls.iter().map(|call| program.expr(*call).clone()).collect();
    for &call in calls {
        replace_by_operation(program, wrappers, call);
    }
    if let Some(report) = same(program) {
        return (Some(report), calls.len());
    }
    for (&call, expr) in calls.iter().zip(before) {
        program.exprs[call.index()] = expr;
    }
    if calls.len() == 1 {
        return (None, 0);
    }
    let (left, right) = calls.split_at(calls.len() / 2);
    let (first, some) = remove_while_unchanged(program, wrappers, left, same);
    let (second, more) = remove_while_unchanged(program, wrappers, right, same);
    (second.or(first), some + more)
}

/// Replaces a call by the wrapper's operation on the arguments, converted to the parameters' types.
fn replace_by_operation(program: &mut Program, wrappers: &HashMap<FuncId, Wrapper>, call: ExprId) {
    let ExprKind::Call(callee, args) = program.expr(call).kind.clone() else { return };
    let Some(func) = called(program, callee) else { return };
    let Some(wrapper) = wrappers.get(&func) else { return };
    let params = program.func(func).params.clone();
    let ret = program.types.as_function(program.func(func).ty).map_or(Ty::INT, |f| f.ret);
    let args: Vec<ExprId> =
        params.iter().zip(&args).map(|(param, arg)| argument(program, *param, *arg)).collect();
    let operation = instance(program, wrapper.operation, &params, &args);
    let ty = program.types.canon(ret).unqual();
    let made = match program.expr(operation).ty.unqual() == ty {
        true => operation,
        false => program.cast(ret, operation),
    };
    program.exprs[call.index()] = program.expr(made).clone();
}

/// An argument with the type of its parameter: cast, where a call would convert it.
fn argument(program: &mut Program, param: VarId, arg: ExprId) -> ExprId {
    match program.expr(arg).kind {
        ExprKind::Implicit(inner) => {
            let ty = program.var(param).ty;
            program.cast(ty, inner)
        }
        // The value of a bit-field has its declared type only after a conversion.
        _ if program.bit_field_width(arg).is_some() => {
            let ty = program.var(param).ty;
            program.cast(ty, arg)
        }
        _ => arg,
    }
}

/// A copy of an operation with arguments for parameters.
fn instance(program: &mut Program, at: ExprId, params: &[VarId], args: &[ExprId]) -> ExprId {
    let ctree::Expr { kind, ty, span } = program.expr(at).clone();
    let kind = match kind {
        ExprKind::Var(var) => match params.iter().position(|p| *p == var) {
            Some(i) => return args[i],
            None => ExprKind::Var(var),
        },
        ExprKind::Binary(op, a, b) => {
            let a = instance(program, a, params, args);
            ExprKind::Binary(op, a, instance(program, b, params, args))
        }
        ExprKind::Unary(op, a) => ExprKind::Unary(op, instance(program, a, params, args)),
        ExprKind::Cast(to, a) => ExprKind::Cast(to, instance(program, a, params, args)),
        ExprKind::Implicit(a) => ExprKind::Implicit(instance(program, a, params, args)),
        other => other,
    };
    program.add_expr(kind, ty, span)
}

fn called(program: &Program, callee: ExprId) -> Option<FuncId> {
    match program.expr(callee).kind {
        ExprKind::Func(func) => Some(func),
        ExprKind::Implicit(inner) => called(program, inner),
        _ => None,
    }
}

/// The functions of a program that are wrappers.
fn wrappers(program: &Program) -> HashMap<FuncId, Wrapper> {
    let all = (0..program.funcs.len() as u32).map(FuncId);
    all.filter_map(|func| Some((func, wrapper(program, func)?))).collect()
}

fn wrapper(program: &Program, id: FuncId) -> Option<Wrapper> {
    let func = program.func(id);
    if !program.name(func.name).starts_with("safe_") {
        return None;
    }
    let StmtKind::Block(body) = &program.stmt(func.body?).kind else { return None };
    let [only] = body[..] else { return None };
    let StmtKind::Return(Some(value)) = program.stmt(only).kind else { return None };
    let inner = peel(program, value);
    let (check, operation) = match program.expr(inner).kind {
        ExprKind::Cond(_, Some(_), operation) => (Some(inner), operation),
        _ => (None, inner),
    };
    // The arms of `?:` were converted to a common type; the operation is below the conversion.
    let operation = peel(program, operation);
    let mut seen = Vec::new();
    uses(program, operation, &mut seen)?;
    let mut params = func.params.clone();
    seen.sort();
    params.sort();
    (seen == params).then_some(Wrapper { check, operation })
}

fn peel(program: &Program, mut at: ExprId) -> ExprId {
    while let ExprKind::Implicit(inner) = program.expr(at).kind {
        at = inner;
    }
    at
}

/// The variables of an expression that has only operators, each as often as it occurs.
fn uses(program: &Program, at: ExprId, seen: &mut Vec<VarId>) -> Option<()> {
    use ctree::UnOp::{BitNot, Neg, Plus};
    match program.expr(at).kind {
        ExprKind::Var(var) => seen.push(var),
        ExprKind::Int(_) => {}
        ExprKind::Binary(_, a, b) => {
            uses(program, a, seen)?;
            uses(program, b, seen)?;
        }
        ExprKind::Unary(Neg | BitNot | Plus, a) | ExprKind::Cast(_, a) | ExprKind::Implicit(a) => {
            uses(program, a, seen)?;
        }
        _ => return None,
    }
    Some(())
}

/// The calls of wrappers, in source order.
fn calls(program: &Program, wrappers: &HashMap<FuncId, Wrapper>) -> Vec<ExprId> {
    let is_check = |expr: &ExprId| match program.expr(*expr).kind {
        ExprKind::Call(callee, _) => {
            called(program, callee).is_some_and(|func| wrappers.contains_key(&func))
        }
        _ => false,
    };
    ProgramMap::of(program).exprs.iter().map(|(expr, _)| *expr).filter(is_check).collect()
}
