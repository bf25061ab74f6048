//! Statements become simpler ones: branches, loops, switches, jumps and blocks.

use std::collections::{BTreeMap, HashSet};

use ctree::{BinOp, ExprId, ExprKind, Item, LabelId, Program, StmtId, StmtKind};

use crate::graft::{
    Graft, bare, become_all, constant, has_effects, insert_before, make_unique, raise,
};
use crate::value::literal;
use crate::{Edit, Parent, ProgramMap, Specimen, only};
use ctree::map::StmtContext;

/// How often statements ran.
type Counts = BTreeMap<StmtId, u64>;

/// Leaves out what never ran.
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
                edits.push(Box::new(move |p| {
                    let nothing = if body { StmtKind::Block(Vec::new()) } else { StmtKind::Empty };
                    p.stmts[s.index()].kind = nothing;
                }));
            }
        }
        edits
    })
}

/// The blocks of statement expressions, and the statements that are their values.
fn values(p: &Program, map: &ProgramMap) -> HashSet<StmtId> {
    let mut values = HashSet::new();
    for &(e, _) in &map.exprs {
        if let ExprKind::StmtExpr(block) = p.expr(e).kind {
            values.insert(block);
            if let StmtKind::Block(list) = &p.stmt(block).kind {
                values.extend(list.last());
            }
        }
    }
    values
}

/// Statements that ran, and those that hold one that did.
fn alive(map: &ProgramMap, counts: &Counts) -> HashSet<StmtId> {
    let mut alive: HashSet<StmtId> = counts.keys().copied().collect();
    for context in map.stmts.iter().rev() {
        if alive.contains(&context.id) {
            alive.extend(context.parent);
        }
    }
    alive
}

/// Makes the edits of each statement.
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

/// Branches become what was taken, loops that turned once their body. The meaning stays as it is.
pub(crate) fn taken(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    only(level, || each(specimen, take))
}

fn take(
    p: &Program,
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
    match p.stmt(s).kind {
        StmtKind::If(c, then, _) if count(then) == all => edits.push(keep(s, c, Some(then))),
        StmtKind::If(c, then, other) if count(then) == 0 => edits.push(keep(s, c, other)),
        StmtKind::For { body, .. } | StmtKind::While(_, body) | StmtKind::DoWhile(body, _)
            if count(body) == all =>
        {
            edits.push(once(p, counts, s));
        }
        StmtKind::For { init, cond: Some(c), body, .. } if count(body) == 0 => {
            edits.push(Box::new(move |p| {
                let mut list: Vec<StmtId> = init.into_iter().collect();
                list.extend(effects(p, c));
                become_all(p, s, list);
            }));
        }
        StmtKind::Switch(c, body) => {
            let ways = ways(p, counts, body);
            if let [only] = ways.as_slice() {
                edits.push(enter(s, c, only.clone()));
            }
        }
        _ => {}
    }
}

/// A branch becomes one of its arms; what its condition does is kept.
fn keep(s: StmtId, c: ExprId, arm: Option<StmtId>) -> Edit {
    Box::new(move |p| {
        let mut list = effects(p, c);
        list.extend(arm);
        become_all(p, s, list);
    })
}

/// An expression as a statement, if it does anything.
fn effects(p: &mut Program, e: ExprId) -> Vec<StmtId> {
    if has_effects(p, e) { vec![p.expr_stmt(e)] } else { Vec::new() }
}

/// A loop becomes its beginning, its body and, unless it was left by a `break`, its step.
fn once(p: &Program, counts: &Counts, s: StmtId) -> Edit {
    let left = ProgramMap::of_stmt(p, s).stmts.iter().any(|context| {
        matches!(p.stmt(context.id).kind, StmtKind::Break) && counts.contains_key(&context.id)
    });
    Box::new(move |p| {
        let (init, cond, step, body) = match p.stmt(s).kind {
            StmtKind::For { init, cond, step, body } => (init, cond, step, body),
            StmtKind::While(c, body) => (None, Some(c), None, body),
            StmtKind::DoWhile(body, _) => (None, None, None, body),
            _ => return,
        };
        let mut list: Vec<StmtId> = init.into_iter().collect();
        if let Some(c) = cond {
            list.extend(effects(p, c));
        }
        list.push(run_once(p, body));
        if let Some(step) = step.filter(|_| !left) {
            list.extend(effects(p, step));
        }
        become_all(p, s, list);
    })
}

/// The body of a loop or switch on its own: what follows a jump out of it goes, and where a jump is
/// left it needs a loop still.
fn run_once(p: &mut Program, body: StmtId) -> StmtId {
    let mut list = match &p.stmt(body).kind {
        StmtKind::Block(list) => list.clone(),
        _ => vec![body],
    };
    let jumps = |s: &StmtId| matches!(p.stmt(*s).kind, StmtKind::Break | StmtKind::Continue);
    if let Some(end) = list.iter().position(jumps) {
        list.truncate(end);
    }
    let block = p.block(list);
    if !leaves(p, block, true, true) {
        return block;
    }
    let zero = p.int_const(ctree::Ty::INT, 0);
    p.make_stmt(StmtKind::DoWhile(block, zero))
}

/// Whether a `break` or `continue` in a statement leaves what the statement is the body of.
fn leaves(p: &Program, s: StmtId, breaks: bool, continues: bool) -> bool {
    match &p.stmt(s).kind {
        StmtKind::Break => breaks,
        StmtKind::Continue => continues,
        StmtKind::Block(list) => list.iter().any(|&s| leaves(p, s, breaks, continues)),
        StmtKind::If(_, then, other) => {
            leaves(p, *then, breaks, continues)
                || other.is_some_and(|s| leaves(p, s, breaks, continues))
        }
        StmtKind::Case(_, _, s) | StmtKind::Default(s) | StmtKind::Label(_, s) => {
            leaves(p, *s, breaks, continues)
        }
        StmtKind::Switch(_, body) => continues && leaves(p, *body, false, true),
        _ => false,
    }
}

/// The statements from each case of a switch that ran to where it is left. A case that only
/// another one falls into is no way of its own.
fn ways(p: &Program, counts: &Counts, body: StmtId) -> Vec<Vec<StmtId>> {
    let StmtKind::Block(list) = &p.stmt(body).kind else { return Vec::new() };
    let mut ways = Vec::new();
    let mut at = 0;
    while at < list.len() {
        let (inner, labelled) = unlabelled(p, list[at]);
        if !labelled || !counts.contains_key(&inner) {
            at += 1;
            continue;
        }
        let mut way = Vec::new();
        while at < list.len() {
            let (inner, _) = unlabelled(p, list[at]);
            at += 1;
            match p.stmt(inner).kind {
                StmtKind::Break => break,
                StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Continue => {
                    way.push(inner);
                    break;
                }
                _ => way.push(inner),
            }
        }
        ways.push(way);
    }
    ways
}

fn unlabelled(p: &Program, mut s: StmtId) -> (StmtId, bool) {
    let mut labelled = false;
    while let StmtKind::Case(_, _, inner) | StmtKind::Default(inner) = p.stmt(s).kind {
        (s, labelled) = (inner, true);
    }
    (s, labelled)
}

/// A switch becomes one of its ways.
fn enter(s: StmtId, c: ExprId, way: Vec<StmtId>) -> Edit {
    Box::new(move |p| {
        let mut list = effects(p, c);
        let block = p.block(way.clone());
        list.push(if leaves(p, block, true, false) { run_once(p, block) } else { block });
        become_all(p, s, list);
    })
}

/// Loops turn less often, then once; `for` loses its clauses.
pub(crate) fn loops(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    match level {
        0 => Some(each(specimen, |p, counts, _, context, edits| {
            let s = context.id;
            let is_loop = matches!(
                p.stmt(s).kind,
                StmtKind::For { .. } | StmtKind::While(..) | StmtKind::DoWhile(..)
            );
            // Without an execution nothing is known.
            if is_loop && (counts.is_empty() || counts.contains_key(&s)) {
                edits.push(once(p, counts, s));
            }
        })),
        1 => Some(each(specimen, |p, _, _, context, edits| bound(p, context.id, |_| 1, edits))),
        2 => Some(each(specimen, |p, _, _, context, edits| bound(p, context.id, |_| 2, edits))),
        3 => Some(each(specimen, |p, _, _, context, edits| bound(p, context.id, |n| n / 2, edits))),
        4 => Some(each(specimen, |p, _, _, context, edits| bound(p, context.id, |n| n - 1, edits))),
        _ => None,
    }
}

/// Moves the constant that ends a loop nearer to its beginning.
fn bound(p: &Program, s: StmtId, shorter: fn(i128) -> i128, edits: &mut Vec<Edit>) {
    let (start, cond) = match p.stmt(s).kind {
        StmtKind::For { init, cond: Some(cond), .. } => (init.and_then(|s| start(p, s)), cond),
        StmtKind::While(cond, _) | StmtKind::DoWhile(_, cond) => (None, cond),
        _ => return,
    };
    let start = start.unwrap_or(0);
    let ExprKind::Binary(op, _, end) = p.expr(bare(p, cond)).kind else { return };
    let Some(old) = constant(p, end) else { return };
    let inclusive = match op {
        BinOp::Lt | BinOp::Gt | BinOp::Ne => 0,
        BinOp::Le | BinOp::Ge => 1,
        _ => return,
    };
    let turns = (old - start).abs() + inclusive;
    let new = shorter(turns);
    if new > 0 && new < turns {
        let value = start + (new - inclusive) * (old - start).signum();
        edits.push(Box::new(move |p| literal(p, end, value)));
    }
}

/// What a loop's first clause sets its variable to.
fn start(p: &Program, init: StmtId) -> Option<i128> {
    match &p.stmt(init).kind {
        StmtKind::Expr(e) => match p.expr(*e).kind {
            ExprKind::Assign(_, value) => constant(p, value),
            _ => None,
        },
        StmtKind::Decl(items) => match items.as_slice() {
            [Item::Var(v)] => match p.var(*v).init {
                Some(ctree::Init::Expr(e)) => constant(p, e),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Statements lose a part: a condition, an arm, a clause. A level is a kind of part.
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
        7 => return Some(each(specimen, ways_of_switch)),
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
            edits.push(Box::new(move |p| lose(&mut p.stmts[s.index()].kind)));
        }
    }
    Some(edits)
}

fn ways_of_switch(
    p: &Program,
    counts: &Counts,
    _: &ProgramMap,
    context: &StmtContext,
    edits: &mut Vec<Edit>,
) {
    if let StmtKind::Switch(c, body) = p.stmt(context.id).kind {
        edits.extend(ways(p, counts, body).into_iter().map(|way| enter(context.id, c, way)));
    }
}

/// Jumps, labels, blocks and returns that are needless. The meaning stays as it is.
pub(crate) fn needless(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    match level {
        0 => Some(each(specimen, jumps)),
        1 => Some(each(specimen, unwrap)),
        2 => Some(each(specimen, trailing)),
        3 => Some(hoists(specimen)),
        4 => Some(compounds(specimen)),
        _ => None,
    }
}

fn jumps(p: &Program, _: &Counts, map: &ProgramMap, context: &StmtContext, edits: &mut Vec<Edit>) {
    let s = context.id;
    let goes = |l: LabelId| {
        map.stmts.iter().any(|q| matches!(p.stmt(q.id).kind, StmtKind::Goto(m) if m == l))
    };
    match &p.stmt(s).kind {
        StmtKind::Label(l, inner) if !goes(*l) => {
            let inner = *inner;
            edits.push(Box::new(move |p| become_all(p, s, vec![inner])));
        }
        StmtKind::Block(list) => {
            // A jump forward within the block leaves out what is between.
            for (at, &from) in list.iter().enumerate() {
                let StmtKind::Goto(l) = p.stmt(from).kind else { continue };
                let is_target =
                    |&s: &StmtId| matches!(p.stmt(s).kind, StmtKind::Label(m, _) if m == l);
                let Some(skipped) = list[at..].iter().position(is_target) else { continue };
                let gone: Vec<StmtId> = list[at..at + skipped]
                    .iter()
                    .copied()
                    .filter(|&s| !matches!(p.stmt(s).kind, StmtKind::Decl(_)))
                    .collect();
                edits.push(Box::new(move |p| {
                    gone.iter().for_each(|s| p.stmts[s.index()].kind = StmtKind::Empty);
                }));
            }
        }
        _ => {}
    }
}

/// The braces of a block within a block go, also around declarations: these get names of their own.
fn unwrap(p: &Program, _: &Counts, _: &ProgramMap, context: &StmtContext, edits: &mut Vec<Edit>) {
    let (s, Some(parent)) = (context.id, context.parent) else { return };
    let StmtKind::Block(list) = &p.stmt(s).kind else { return };
    let declares = list.iter().any(|&s| matches!(p.stmt(s).kind, StmtKind::Decl(_)));
    if !declares || !matches!(p.stmt(parent).kind, StmtKind::Block(_)) {
        return;
    }
    edits.push(Box::new(move |p| {
        let StmtKind::Block(inner) = p.stmt(s).kind.clone() else { return };
        for &s in &inner {
            let StmtKind::Decl(items) = p.stmt(s).kind.clone() else { continue };
            for item in items {
                if let Item::Var(v) = item {
                    make_unique(p, v);
                }
            }
        }
        if let StmtKind::Block(list) = &mut p.stmts[parent.index()].kind
            && let Some(at) = list.iter().position(|&other| other == s)
        {
            list.splice(at..=at, inner);
        }
    }));
}

/// `return` at the end of a function without a value, and of `main`; `continue` at a loop's end.
fn trailing(p: &Program, _: &Counts, _: &ProgramMap, context: &StmtContext, edits: &mut Vec<Edit>) {
    let last = |s: StmtId| match &p.stmt(s).kind {
        StmtKind::Block(list) => list.last().copied(),
        _ => Some(s),
    };
    match p.stmt(context.id).kind {
        StmtKind::Block(_) if context.depth == 0 => {
            let is_main = context.func.is_some_and(|f| p.name(p.func(f).name) == "main");
            if let Some(s) = last(context.id)
                && let StmtKind::Return(value) = p.stmt(s).kind
                && (value.is_none() || is_main)
            {
                edits.push(Box::new(move |p| {
                    let list = value.map_or(Vec::new(), |e| effects(p, e));
                    become_all(p, s, list);
                }));
            }
        }
        StmtKind::For { body, .. } | StmtKind::While(_, body) | StmtKind::DoWhile(body, _) => {
            if let Some(s) = last(body)
                && matches!(p.stmt(s).kind, StmtKind::Continue)
            {
                edits.push(Box::new(move |p| p.stmts[s.index()].kind = StmtKind::Empty));
            }
        }
        _ => {}
    }
}

/// `x = x + y` becomes `x += y`.
fn compounds(specimen: &Specimen) -> Vec<Edit> {
    let p = &specimen.program;
    let text = |e: ExprId| ctree::print::print_expr(p, e);
    let mut edits: Vec<Edit> = Vec::new();
    for (e, _) in ProgramMap::of(p).exprs {
        let ExprKind::Assign(lhs, rhs) = p.expr(e).kind else { continue };
        let ExprKind::Binary(op, a, rhs) = p.expr(bare(p, rhs)).kind else { continue };
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
        if arithmetic && !has_effects(p, lhs) && text(lhs) == text(a) {
            edits.push(Box::new(move |p| {
                let comp = p.expr(a).ty;
                p.exprs[e.index()].kind = ExprKind::AssignOp { op, lhs, rhs, comp };
            }));
        }
    }
    edits
}

/// Statement expressions: their statements go before the one that they are in.
fn hoists(specimen: &Specimen) -> Vec<Edit> {
    let p = &specimen.program;
    let map = ProgramMap::of(p);
    let mut edits: Vec<Edit> = Vec::new();
    for &(e, stmt) in &map.exprs {
        let ExprKind::StmtExpr(block) = p.expr(e).kind else { continue };
        let context = stmt.and_then(|s| map.stmts.iter().find(|context| context.id == s));
        let Some(&StmtContext { id: at, parent, .. }) = context else { continue };
        // The clauses of a loop are evaluated more than once.
        if !matches!(
            p.stmt(at).kind,
            StmtKind::Expr(_) | StmtKind::Return(_) | StmtKind::Decl(_) | StmtKind::If(..)
        ) {
            continue;
        }
        let in_loop = parent.is_some_and(
            |up| matches!(p.stmt(up).kind, StmtKind::For { init: Some(init), .. } if init == at),
        );
        if in_loop || map.visible_parent(p, e) == Some(Parent::Stmt(at)) && is_void(p, e) {
            continue;
        }
        edits.push(Box::new(move |p| hoist(p, e, block, parent, at)));
    }
    edits
}

fn is_void(p: &Program, e: ExprId) -> bool {
    p.types.is_void(p.expr(e).ty)
}

fn hoist(p: &mut Program, e: ExprId, block: StmtId, parent: Option<StmtId>, at: StmtId) {
    // A copy, for the names that it declares are to be its own.
    let copy = Graft::default().stmt(p, block);
    let StmtKind::Block(mut list) = p.stmt(copy).kind.clone() else { return };
    let value = list.last().and_then(|&last| match p.stmt(last).kind {
        StmtKind::Expr(value) => Some(value),
        _ => None,
    });
    match value {
        Some(value) => {
            list.pop();
            raise(p, e, value);
        }
        None => literal(p, e, 0),
    }
    insert_before(p, parent, at, list);
}
