//! Simplifies statements: branches, loops, switches, jumps and blocks.

use std::collections::{BTreeMap, HashSet};

use ctree::{BinOp, ExprId, ExprKind, Item, LabelId, Program, StmtId, StmtKind};

use crate::edit::{
    TreeCopier, bare, become_all, constant, has_effects, insert_before, make_unique,
    replace_by_child,
};
use crate::value::literal;
use crate::{Edit, Parent, ProgramMap, Specimen, only};
use ctree::map::StmtContext;

/// How often statements ran.
type Counts = BTreeMap<StmtId, u64>;

/// Removes code that never ran.
pub(crate) fn dead(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    only(level, || {
        let program = &specimen.program;
        let counts = &specimen.profile().counts;
        if counts.is_empty() {
            return Vec::new();
        }
        let map = ProgramMap::of(program);
        let alive = alive(&map, counts);
        let is_dead = |s: &StmtId| !alive.contains(s);
        let values = values(program, &map);
        let mut edits: Vec<Edit> = Vec::new();
        for context in &map.stmts {
            let within = context.parent.as_ref().is_some_and(is_dead);
            let plain =
                !matches!(program.stmt(context.id).kind, StmtKind::Empty | StmtKind::Decl(_));
            if is_dead(&context.id) && !within && plain && !values.contains(&context.id) {
                let s = context.id;
                let body = context.depth == 0;
                edits.push(Box::new(move |program| {
                    let nothing = if body { StmtKind::Block(Vec::new()) } else { StmtKind::Empty };
                    program.stmts[s.index()].kind = nothing;
                }));
            }
        }
        edits
    })
}

/// The blocks of statement expressions, and the statements that are their values.
fn values(program: &Program, map: &ProgramMap) -> HashSet<StmtId> {
    let mut values = HashSet::new();
    for &(e, _) in &map.exprs {
        if let ExprKind::StmtExpr(block) = program.expr(e).kind {
            values.insert(block);
            if let StmtKind::Block(list) = &program.stmt(block).kind {
                values.extend(list.last());
            }
        }
    }
    values
}

/// Statements that ran, and those that enclose one that did.
fn alive(map: &ProgramMap, counts: &Counts) -> HashSet<StmtId> {
    let mut alive: HashSet<StmtId> = counts.keys().copied().collect();
    for context in map.stmts.iter().rev() {
        if alive.contains(&context.id) {
            alive.extend(context.parent);
        }
    }
    alive
}

/// Collects the edits of each statement.
fn each(
    specimen: &Specimen,
    make: fn(&Program, &Counts, &ProgramMap, &StmtContext, &mut Vec<Edit>),
) -> Vec<Edit> {
    let map = ProgramMap::of(&specimen.program);
    let mut edits = Vec::new();
    for context in &map.stmts {
        make(&specimen.program, &specimen.profile().counts, &map, context, &mut edits);
    }
    edits
}

/// Replaces branches by the arm that was taken, and loops with one iteration by their body. The
/// execution does not change.
pub(crate) fn taken(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    only(level, || each(specimen, take_branch))
}

fn take_branch(
    program: &Program,
    counts: &Counts,
    _: &ProgramMap,
    context: &StmtContext,
    edits: &mut Vec<Edit>,
) {
    let s = context.id;
    let count = |s: StmtId| counts.get(&s).copied().unwrap_or(0);
    let all = count(s);
    if all == 0 {
        return;
    }
    match program.stmt(s).kind {
        StmtKind::If(c, then, _) if count(then) == all => edits.push(keep_arm(s, c, Some(then))),
        StmtKind::If(c, then, other) if count(then) == 0 => edits.push(keep_arm(s, c, other)),
        StmtKind::For { body, .. } | StmtKind::While(_, body) | StmtKind::DoWhile(body, _)
            if count(body) == all =>
        {
            edits.push(run_loop_once(program, counts, s));
        }
        StmtKind::For { init, cond: Some(c), body, .. } if count(body) == 0 => {
            edits.push(Box::new(move |program| {
                let mut list: Vec<StmtId> = init.into_iter().collect();
                list.extend(effects(program, c));
                become_all(program, s, list);
            }));
        }
        StmtKind::Switch(c, body) => {
            let case_paths = case_paths(program, counts, body);
            if let [only] = case_paths.as_slice() {
                edits.push(take_case_path(s, c, only.clone()));
            }
        }
        _ => {}
    }
}

/// Replaces a branch by one of its arms; side effects of the condition are kept.
fn keep_arm(s: StmtId, c: ExprId, arm: Option<StmtId>) -> Edit {
    Box::new(move |program| {
        let mut list = effects(program, c);
        list.extend(arm);
        become_all(program, s, list);
    })
}

/// An expression as a statement, if it has side effects.
fn effects(program: &mut Program, e: ExprId) -> Vec<StmtId> {
    if has_effects(program, e) { vec![program.expr_stmt(e)] } else { Vec::new() }
}

/// Replaces a loop by its initialisation, its body and, unless it was left by a `break`, its step.
fn run_loop_once(program: &Program, counts: &Counts, s: StmtId) -> Edit {
    let left = ProgramMap::of_stmt(program, s).stmts.iter().any(|context| {
        matches!(program.stmt(context.id).kind, StmtKind::Break) && counts.contains_key(&context.id)
    });
    Box::new(move |program| {
        let (init, cond, step, body) = match program.stmt(s).kind {
            StmtKind::For { init, cond, step, body } => (init, cond, step, body),
            StmtKind::While(c, body) => (None, Some(c), None, body),
            StmtKind::DoWhile(body, _) => (None, None, None, body),
            _ => return,
        };
        let mut list: Vec<StmtId> = init.into_iter().collect();
        if let Some(c) = cond {
            list.extend(effects(program, c));
        }
        list.push(run_once(program, body));
        if let Some(step) = step.filter(|_| !left) {
            list.extend(effects(program, step));
        }
        become_all(program, s, list);
    })
}

/// The body of a loop or switch without it: what follows a jump out of it is removed; if another such
/// jump is left, the body still needs a loop.
fn run_once(program: &mut Program, body: StmtId) -> StmtId {
    let mut list = match &program.stmt(body).kind {
        StmtKind::Block(list) => list.clone(),
        _ => vec![body],
    };
    let jumps = |s: &StmtId| matches!(program.stmt(*s).kind, StmtKind::Break | StmtKind::Continue);
    if let Some(end) = list.iter().position(jumps) {
        list.truncate(end);
    }
    let block = program.block(list);
    if !has_jump_out(program, block, true, true) {
        return block;
    }
    let zero = program.int_const(ctree::Ty::INT, 0);
    program.make_stmt(StmtKind::DoWhile(block, zero))
}

/// Whether a `break` or `continue` in a statement leaves what the statement is the body of.
fn has_jump_out(program: &Program, s: StmtId, breaks: bool, continues: bool) -> bool {
    match &program.stmt(s).kind {
        StmtKind::Break => breaks,
        StmtKind::Continue => continues,
        StmtKind::Block(list) => list.iter().any(|&s| has_jump_out(program, s, breaks, continues)),
        StmtKind::If(_, then, other) => {
            has_jump_out(program, *then, breaks, continues)
                || other.is_some_and(|s| has_jump_out(program, s, breaks, continues))
        }
        StmtKind::Case(_, _, s) | StmtKind::Default(s) | StmtKind::Label(_, s) => {
            has_jump_out(program, *s, breaks, continues)
        }
        StmtKind::Switch(_, body) => continues && has_jump_out(program, *body, false, true),
        _ => false,
    }
}

/// The statements from each case of a switch that ran to where it is left. A case that is only
/// reached by fallthrough does not count.
fn case_paths(program: &Program, counts: &Counts, body: StmtId) -> Vec<Vec<StmtId>> {
    let StmtKind::Block(list) = &program.stmt(body).kind else { return Vec::new() };
    let mut case_paths = Vec::new();
    let mut at = 0;
    while at < list.len() {
        let (inner, labelled) = unlabelled(program, list[at]);
        if !labelled || !counts.contains_key(&inner) {
            at += 1;
            continue;
        }
        let mut path = Vec::new();
        while at < list.len() {
            let (inner, _) = unlabelled(program, list[at]);
            at += 1;
            match program.stmt(inner).kind {
                StmtKind::Break => break,
                StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Continue => {
                    path.push(inner);
                    break;
                }
                _ => path.push(inner),
            }
        }
        case_paths.push(path);
    }
    case_paths
}

fn unlabelled(program: &Program, mut s: StmtId) -> (StmtId, bool) {
    let mut labelled = false;
    while let StmtKind::Case(_, _, inner) | StmtKind::Default(inner) = program.stmt(s).kind {
        (s, labelled) = (inner, true);
    }
    (s, labelled)
}

/// Replaces a switch by one of its paths.
fn take_case_path(s: StmtId, c: ExprId, path: Vec<StmtId>) -> Edit {
    Box::new(move |program| {
        let mut list = effects(program, c);
        let block = program.block(path.clone());
        list.push(if has_jump_out(program, block, true, false) {
            run_once(program, block)
        } else {
            block
        });
        become_all(program, s, list);
    })
}

/// Reduces the iterations of loops, down to one; removes the clauses of `for`.
pub(crate) fn loops(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    match level {
        0 => Some(each(specimen, |program, counts, _, context, edits| {
            let s = context.id;
            let is_loop = matches!(
                program.stmt(s).kind,
                StmtKind::For { .. } | StmtKind::While(..) | StmtKind::DoWhile(..)
            );
            // Nothing is known without an execution.
            if is_loop && (counts.is_empty() || counts.contains_key(&s)) {
                edits.push(run_loop_once(program, counts, s));
            }
        })),
        1 => Some(each(specimen, |program, _, _, context, edits| {
            bound(program, context.id, |_| 1, edits)
        })),
        2 => Some(each(specimen, |program, _, _, context, edits| {
            bound(program, context.id, |_| 2, edits)
        })),
        3 => Some(each(specimen, |program, _, _, context, edits| {
            bound(program, context.id, |n| n / 2, edits)
        })),
        4 => Some(each(specimen, |program, _, _, context, edits| {
            bound(program, context.id, |n| n - 1, edits)
        })),
        _ => None,
    }
}

/// Moves the constant bound of a loop nearer to its start.
fn bound(program: &Program, s: StmtId, shorter: fn(i128) -> i128, edits: &mut Vec<Edit>) {
    let (start, cond) = match program.stmt(s).kind {
        StmtKind::For { init, cond: Some(cond), .. } => {
            (init.and_then(|s| start(program, s)), cond)
        }
        StmtKind::While(cond, _) | StmtKind::DoWhile(_, cond) => (None, cond),
        _ => return,
    };
    let start = start.unwrap_or(0);
    let ExprKind::Binary(op, _, end) = program.expr(bare(program, cond)).kind else { return };
    let Some(old) = constant(program, end) else { return };
    let inclusive = match op {
        BinOp::Lt | BinOp::Gt | BinOp::Ne => 0,
        BinOp::Le | BinOp::Ge => 1,
        _ => return,
    };
    let turns = (old - start).abs() + inclusive;
    let new = shorter(turns);
    if new > 0 && new < turns {
        let value = start + (new - inclusive) * (old - start).signum();
        edits.push(Box::new(move |program| literal(program, end, value)));
    }
}

/// The initial value of a loop's variable.
fn start(program: &Program, init: StmtId) -> Option<i128> {
    match &program.stmt(init).kind {
        StmtKind::Expr(e) => match program.expr(*e).kind {
            ExprKind::Assign(_, value) => constant(program, value),
            _ => None,
        },
        StmtKind::Decl(items) => match items.as_slice() {
            [Item::Var(v)] => match program.var(*v).init {
                Some(ctree::Init::Expr(e)) => constant(program, e),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Removes a part of a statement: a condition, an arm, a clause. A level is a kind of part.
pub(crate) fn branches(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let lose: fn(&mut StmtKind) = match level {
        0 => |kind| {
            if let StmtKind::If(_, then, _) = kind {
                *kind = StmtKind::Block(vec![*then]);
            }
        },
        1 => |kind| {
            if let StmtKind::If(_, _, other) = kind {
                match *other {
                    Some(other) => *kind = StmtKind::Block(vec![other]),
                    None => *other = None,
                }
            }
        },
        2 => |kind| {
            if let StmtKind::If(_, _, other) = kind {
                *other = None;
            }
        },
        3 => |kind| {
            if let StmtKind::For { step, .. } = kind {
                *step = None;
            }
        },
        4 => |kind| {
            if let StmtKind::For { init, .. } = kind {
                *init = None;
            }
        },
        5 => |kind| {
            if let StmtKind::For { cond, .. } = kind {
                *cond = None;
            }
        },
        6 => |kind| {
            if let StmtKind::For { init: None, cond: Some(c), step: None, body } = *kind {
                *kind = StmtKind::While(c, body);
            }
        },
        7 => return Some(each(specimen, switch_paths)),
        8 => |kind| {
            if let StmtKind::Switch(c, _) = kind {
                *kind = StmtKind::Expr(*c);
            }
        },
        9 => |kind| {
            if let StmtKind::Case(_, _, s) | StmtKind::Default(s) = *kind {
                *kind = StmtKind::Block(vec![s]);
            }
        },
        _ => return None,
    };
    let map = ProgramMap::of(&specimen.program);
    let mut edits: Vec<Edit> = Vec::new();
    for context in &map.stmts {
        let (s, mut kind) = (context.id, specimen.program.stmt(context.id).kind.clone());
        lose(&mut kind);
        if kind != specimen.program.stmt(s).kind {
            edits.push(Box::new(move |program| lose(&mut program.stmts[s.index()].kind)));
        }
    }
    Some(edits)
}

fn switch_paths(
    program: &Program,
    counts: &Counts,
    _: &ProgramMap,
    context: &StmtContext,
    edits: &mut Vec<Edit>,
) {
    if let StmtKind::Switch(c, body) = program.stmt(context.id).kind {
        edits.extend(
            case_paths(program, counts, body)
                .into_iter()
                .map(|path| take_case_path(context.id, c, path)),
        );
    }
}

/// Removes redundant jumps, labels, blocks and returns. The execution does not change.
pub(crate) fn needless(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    match level {
        0 => Some(each(specimen, jumps)),
        1 => Some(each(specimen, unwrap_block)),
        2 => Some(each(specimen, remove_trailing_jumps)),
        3 => Some(hoists(specimen)),
        4 => Some(compounds(specimen)),
        _ => None,
    }
}

fn jumps(
    program: &Program,
    _: &Counts,
    map: &ProgramMap,
    context: &StmtContext,
    edits: &mut Vec<Edit>,
) {
    let s = context.id;
    let goes = |l: LabelId| {
        map.stmts.iter().any(|q| matches!(program.stmt(q.id).kind, StmtKind::Goto(m) if m == l))
    };
    match &program.stmt(s).kind {
        StmtKind::Label(l, inner) if !goes(*l) => {
            let inner = *inner;
            edits.push(Box::new(move |program| become_all(program, s, vec![inner])));
        }
        StmtKind::Block(list) => {
            // A forward jump within the block skips what is between.
            for (at, &from) in list.iter().enumerate() {
                let StmtKind::Goto(l) = program.stmt(from).kind else { continue };
                let is_target =
                    |&s: &StmtId| matches!(program.stmt(s).kind, StmtKind::Label(m, _) if m == l);
                let Some(skipped) = list[at..].iter().position(is_target) else { continue };
                let gone: Vec<StmtId> = list[at..at + skipped]
                    .iter()
                    .copied()
                    .filter(|&s| !matches!(program.stmt(s).kind, StmtKind::Decl(_)))
                    .collect();
                edits.push(Box::new(move |program| {
                    gone.iter().for_each(|s| program.stmts[s.index()].kind = StmtKind::Empty);
                }));
            }
        }
        _ => {}
    }
}

/// Removes the braces of a block within a block, also around declarations, which are renamed.
fn unwrap_block(
    program: &Program,
    _: &Counts,
    _: &ProgramMap,
    context: &StmtContext,
    edits: &mut Vec<Edit>,
) {
    let (s, Some(parent)) = (context.id, context.parent) else { return };
    let StmtKind::Block(list) = &program.stmt(s).kind else { return };
    let declares = list.iter().any(|&s| matches!(program.stmt(s).kind, StmtKind::Decl(_)));
    if !declares || !matches!(program.stmt(parent).kind, StmtKind::Block(_)) {
        return;
    }
    edits.push(Box::new(move |program| {
        let StmtKind::Block(inner) = program.stmt(s).kind.clone() else { return };
        for &s in &inner {
            let StmtKind::Decl(items) = program.stmt(s).kind.clone() else { continue };
            for item in items {
                if let Item::Var(v) = item {
                    make_unique(program, v);
                }
            }
        }
        if let StmtKind::Block(list) = &mut program.stmts[parent.index()].kind
            && let Some(at) = list.iter().position(|&other| other == s)
        {
            list.splice(at..=at, inner);
        }
    }));
}

/// `return` at the end of a function without a value, and of `main`; `continue` at a loop's end.
fn remove_trailing_jumps(
    program: &Program,
    _: &Counts,
    _: &ProgramMap,
    context: &StmtContext,
    edits: &mut Vec<Edit>,
) {
    let last = |s: StmtId| match &program.stmt(s).kind {
        StmtKind::Block(list) => list.last().copied(),
        _ => Some(s),
    };
    match program.stmt(context.id).kind {
        StmtKind::Block(_) if context.depth == 0 => {
            let is_main =
                context.func.is_some_and(|f| program.name(program.func(f).name) == "main");
            if let Some(s) = last(context.id)
                && let StmtKind::Return(value) = program.stmt(s).kind
                && (value.is_none() || is_main)
            {
                edits.push(Box::new(move |program| {
                    let list = value.map_or(Vec::new(), |e| effects(program, e));
                    become_all(program, s, list);
                }));
            }
        }
        StmtKind::For { body, .. } | StmtKind::While(_, body) | StmtKind::DoWhile(body, _) => {
            if let Some(s) = last(body)
                && matches!(program.stmt(s).kind, StmtKind::Continue)
            {
                edits
                    .push(Box::new(move |program| program.stmts[s.index()].kind = StmtKind::Empty));
            }
        }
        _ => {}
    }
}

/// `x = x + y` becomes `x += y`.
fn compounds(specimen: &Specimen) -> Vec<Edit> {
    let program = &specimen.program;
    let text = |e: ExprId| ctree::print::print_expr(program, e);
    let mut edits: Vec<Edit> = Vec::new();
    for (e, _) in ProgramMap::of(program).exprs {
        let ExprKind::Assign(lhs, rhs) = program.expr(e).kind else { continue };
        let ExprKind::Binary(op, a, rhs) = program.expr(bare(program, rhs)).kind else { continue };
        let arithmetic = matches!(
            op,
            BinOp::Mul
                | BinOp::Div
                | BinOp::Rem
                | BinOp::Add
                | BinOp::Sub
                | BinOp::Shl
                | BinOp::Shr
                | BinOp::BitAnd
                | BinOp::BitXor
                | BinOp::BitOr
        );
        if arithmetic && !has_effects(program, lhs) && text(lhs) == text(a) {
            edits.push(Box::new(move |program| {
                let comp = program.expr(a).ty;
                program.exprs[e.index()].kind = ExprKind::AssignOp { op, lhs, rhs, comp };
            }));
        }
    }
    edits
}

/// Moves the statements of a statement expression before the statement that it is in.
fn hoists(specimen: &Specimen) -> Vec<Edit> {
    let program = &specimen.program;
    let map = ProgramMap::of(program);
    let mut edits: Vec<Edit> = Vec::new();
    for &(e, stmt) in &map.exprs {
        let ExprKind::StmtExpr(block) = program.expr(e).kind else { continue };
        let context = stmt.and_then(|s| map.stmts.iter().find(|context| context.id == s));
        let Some(&StmtContext { id: at, parent, .. }) = context else { continue };
        // The clauses of a loop are evaluated more than once.
        if !matches!(
            program.stmt(at).kind,
            StmtKind::Expr(_) | StmtKind::Return(_) | StmtKind::Decl(_) | StmtKind::If(..)
        ) {
            continue;
        }
        let in_loop = parent.is_some_and(
            |up| matches!(program.stmt(up).kind, StmtKind::For { init: Some(init), .. } if init == at),
        );
        if in_loop
            || map.visible_parent(program, e) == Some(Parent::Stmt(at)) && is_void(program, e)
        {
            continue;
        }
        edits.push(Box::new(move |program| hoist(program, e, block, parent, at)));
    }
    edits
}

fn is_void(program: &Program, e: ExprId) -> bool {
    program.types.is_void(program.expr(e).ty)
}

fn hoist(program: &mut Program, e: ExprId, block: StmtId, parent: Option<StmtId>, at: StmtId) {
    // A copy, because the names that it declares must be unique.
    let copy = TreeCopier::default().stmt(program, block);
    let StmtKind::Block(mut list) = program.stmt(copy).kind.clone() else { return };
    let value = list.last().and_then(|&last| match program.stmt(last).kind {
        StmtKind::Expr(value) => Some(value),
        _ => None,
    });
    match value {
        Some(value) => {
            list.pop();
            replace_by_child(program, e, value);
        }
        None => literal(program, e, 0),
    }
    insert_before(program, parent, at, list);
}
