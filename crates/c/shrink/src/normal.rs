//! The normal form of a reduced program: two findings of one bug should look the same.
//!
//! Reduction ends where no edit makes the program smaller, and which of several programs of one size it ends with is
//! chance. Here a program is changed towards one of them without becoming larger: [`Form`] is an order of programs,
//! and a change is kept if the fault stays and the form becomes less. So this ends.
//!
//! | pass | what becomes what |
//! | --- | --- |
//! | signs of constants | `-0`, `~0`, `+3`, `!0`, `- -3`: the constant that it is |
//! | plain constants | 0, 1, 2, powers of two, halves; `-3` becomes `3` |
//! | operand order | the constant, or the smaller one, behind a commutative operator; `<` for `>` |
//! | steps | `i++` for `++i` and `i += 1` |
//! | formats | `%d` or, of an unsigned value, `%u` for `%x` |
//! | order of declarations | types, functions, variables in the order of their use, definitions of functions |
//! | names | `a`, `b`, `c` in the order of declaration |
//!
//! Redundant parentheses, casts, empty statements and blocks, and what is not used are gone before: the printer
//! writes none of the first, the passes of reduction remove the others.

use std::collections::{BTreeMap, HashMap};

use ctree::{BinOp, ExprId, ExprKind, Item, Program, StmtKind, Sym, UnOp, VarId};

use crate::edit::bare;
use crate::{BatchSize, Edit, Pass, ProgramMap, Specimen, UnitText, only, rename, texts};

/// What becomes less on the way to the normal form; the first that differs decides.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Form {
    tokens: usize,
    /// Constants that are written as something else.
    signs: usize,
    /// The sum of the constants.
    constants: u128,
    /// What stands in another order, or form, than it would.
    disorder: usize,
    /// Nothing is chance: of all else that is equal, the first in the alphabet.
    texts: Vec<(usize, String)>,
}

/// The passes towards the normal form, in their order.
pub fn normal_forms() -> Vec<Pass> {
    let pass = |name, edits| Pass { name, edits, first_batch: BatchSize::One, grows: false };
    vec![
        pass("signs of constants", signs),
        pass("plain constants", constants),
        pass("operand order", operand_order),
        pass("steps", steps),
        pass("formats", texts::plain_conversions),
        pass("order of declarations", declarations),
        pass("names", rename::names),
    ]
}

impl Specimen {
    /// How far it is from its normal form.
    pub fn form(&self) -> Form {
        let program = &self.program;
        let map = ProgramMap::of(program);
        let mut form = Form {
            tokens: self.tokens(),
            signs: 0,
            constants: 0,
            disorder: texts::odd_conversions(program) + inversions(program),
            texts: self
                .units
                .iter()
                .map(|UnitText { text, .. }| (text.len(), text.clone()))
                .collect(),
        };
        for &(e, _) in &map.exprs {
            form.signs += usize::from(folded(program, e).is_some());
            form.disorder +=
                usize::from(swapped(program, e).is_some() || step(program, e).is_some());
            if let ExprKind::Int(n) = program.expr(e).kind {
                form.constants += u128::from(n);
            }
        }
        form
    }
}

/// The edit of each expression of a kind.
fn each(specimen: &Specimen, find: fn(&Program, ExprId) -> Option<ExprKind>) -> Vec<Edit> {
    let exprs = ProgramMap::of(&specimen.program).exprs.into_iter().map(|(e, _)| e);
    let found = exprs.filter(|&e| find(&specimen.program, e).is_some());
    let edit = |e: ExprId| -> Edit {
        Box::new(move |program| {
            if let Some(kind) = find(program, e) {
                program.exprs[e.index()].kind = kind;
            }
        })
    };
    found.map(edit).collect()
}

/// A constant behind a sign, as the constant that it is; a sign of a sign.
fn folded(program: &Program, e: ExprId) -> Option<ExprKind> {
    let ExprKind::Unary(op, a) = program.expr(e).kind else { return None };
    let a = bare(program, a);
    match (op, &program.expr(a).kind) {
        (UnOp::Plus, kind @ ExprKind::Int(_)) | (UnOp::Neg, kind @ ExprKind::Int(0)) => {
            Some(kind.clone())
        }
        (UnOp::LogNot, ExprKind::Int(n)) => Some(ExprKind::Int(u64::from(*n == 0))),
        (UnOp::Neg, ExprKind::Unary(UnOp::Neg, inner)) => {
            let inner = bare(program, *inner);
            match program.expr(inner).kind {
                ExprKind::Int(n) => Some(ExprKind::Int(n)),
                _ => None,
            }
        }
        // `~n` is `-(n + 1)`: the operand becomes another when the edit is made.
        (UnOp::BitNot, ExprKind::Int(_)) => Some(ExprKind::Unary(UnOp::Neg, a)),
        _ => None,
    }
}

fn signs(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    only(level, || {
        let program = &specimen.program;
        let exprs = ProgramMap::of(program).exprs.into_iter().map(|(e, _)| e);
        let edit = |e: ExprId| -> Edit {
            Box::new(move |program| {
                let Some(kind) = folded(program, e) else { return };
                let was_complement =
                    matches!(program.expr(e).kind, ExprKind::Unary(UnOp::BitNot, _));
                if let (true, &ExprKind::Unary(_, a)) = (was_complement, &kind)
                    && let ExprKind::Int(n) = program.expr(a).kind
                {
                    program.exprs[a.index()].kind = ExprKind::Int(n.saturating_add(1));
                }
                program.exprs[e.index()].kind = kind;
            })
        };
        exprs.filter(|&e| folded(program, e).is_some()).map(edit).collect()
    })
}

/// The values that are tried for a constant, the plainest first.
fn plainer(n: u64) -> Vec<u64> {
    /// What is not much larger is reached step by step.
    const STEPS: u64 = 64;
    let powers = (1..64).map(|bit| 1u64 << bit);
    let halves = [n / 2, n / 2 + 1];
    let before = (n <= STEPS).then(|| n.saturating_sub(1));
    let mut all = Vec::new();
    for m in [0, 1].into_iter().chain(powers).chain(halves).chain(before) {
        if m < n && !all.contains(&m) {
            all.push(m);
        }
    }
    all
}

fn constants(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    only(level, || {
        let program = &specimen.program;
        let exprs = ProgramMap::of(program).exprs;
        let mut edits: Vec<Edit> = equal_constants(program, &exprs);
        for (e, _) in exprs {
            match program.expr(e).kind {
                ExprKind::Int(n) => edits.extend(plainer(n).into_iter().map(|m| -> Edit {
                    Box::new(move |program| {
                        if matches!(program.expr(e).kind, ExprKind::Int(_)) {
                            program.exprs[e.index()].kind = ExprKind::Int(m);
                        }
                    })
                })),
                ExprKind::Unary(UnOp::Neg, a) if is_constant(program, a) => {
                    edits.push(Box::new(move |program| {
                        let a = bare(program, a);
                        if let ExprKind::Int(n) = program.expr(a).kind {
                            program.exprs[e.index()].kind = ExprKind::Int(n);
                        }
                    }));
                }
                _ => {}
            }
        }
        edits
    })
}

/// Equal constants are changed together: one may be there because the other is.
fn equal_constants(program: &Program, exprs: &[(ExprId, Option<ctree::StmtId>)]) -> Vec<Edit> {
    let mut by_value: BTreeMap<u64, Vec<ExprId>> = BTreeMap::new();
    for &(e, _) in exprs {
        if let ExprKind::Int(n) = program.expr(e).kind {
            by_value.entry(n).or_default().push(e);
        }
    }
    let several = by_value.into_iter().filter(|(_, all)| all.len() > 1);
    let edits = several.flat_map(|(n, all)| {
        plainer(n).into_iter().map(move |m| -> Edit {
            let all = all.clone();
            Box::new(move |program| {
                for e in &all {
                    if matches!(program.expr(*e).kind, ExprKind::Int(_)) {
                        program.exprs[e.index()].kind = ExprKind::Int(m);
                    }
                }
            })
        })
    });
    edits.collect()
}

fn is_constant(program: &Program, e: ExprId) -> bool {
    match program.expr(bare(program, e)).kind {
        ExprKind::Int(_) => true,
        ExprKind::Unary(UnOp::Neg, a) => {
            matches!(program.expr(bare(program, a)).kind, ExprKind::Int(_))
        }
        _ => false,
    }
}

/// A constant without a sign.
fn number(program: &Program, e: ExprId) -> Option<u64> {
    match program.expr(bare(program, e)).kind {
        ExprKind::Int(n) => Some(n),
        _ => None,
    }
}

/// An operation with its operands in the usual order, if they are not.
fn swapped(program: &Program, e: ExprId) -> Option<ExprKind> {
    use BinOp::{Add, BitAnd, BitOr, BitXor, Eq, Ge, Gt, Le, Lt, Mul, Ne};
    let ExprKind::Binary(op, a, b) = program.expr(e).kind else { return None };
    match op {
        Gt => Some(ExprKind::Binary(Lt, b, a)),
        Ge => Some(ExprKind::Binary(Le, b, a)),
        Add | Mul | BitAnd | BitOr | BitXor | Eq | Ne
            if is_constant(program, a)
                && (!is_constant(program, b) || number(program, a) < number(program, b)) =>
        {
            Some(ExprKind::Binary(op, b, a))
        }
        _ => None,
    }
}

fn operand_order(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    only(level, || each(specimen, swapped))
}

/// A step by one that is written otherwise than `i++`.
fn step(program: &Program, e: ExprId) -> Option<ExprKind> {
    match program.expr(e).kind {
        ExprKind::Unary(UnOp::PreInc, a) => Some(ExprKind::Unary(UnOp::PostInc, a)),
        ExprKind::Unary(UnOp::PreDec, a) => Some(ExprKind::Unary(UnOp::PostDec, a)),
        ExprKind::AssignOp { op: op @ (BinOp::Add | BinOp::Sub), lhs, rhs, .. } => {
            let by = program.expr(bare(program, rhs)).kind.clone();
            let step = [UnOp::PostInc, UnOp::PostDec][usize::from(op == BinOp::Sub)];
            matches!(by, ExprKind::Int(1)).then_some(ExprKind::Unary(step, lhs))
        }
        _ => None,
    }
}

fn steps(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    only(level, || each(specimen, step))
}

/// When functions first use each variable: file-scope variables by name, since each unit has its own entries.
struct FirstUse {
    named: HashMap<Sym, usize>,
    local: HashMap<VarId, usize>,
}

impl FirstUse {
    fn of(program: &Program) -> FirstUse {
        let mut first = FirstUse { named: HashMap::new(), local: HashMap::new() };
        let is_function = |item: &&Item| matches!(item, Item::Func(_));
        let items = program.units.iter().flat_map(|unit| &unit.items).filter(is_function);
        let mut count = 0;
        for item in items {
            for (e, _) in ProgramMap::of_items(program, std::slice::from_ref(item)).exprs {
                if let ExprKind::Var(v) = program.expr(e).kind {
                    first.named.entry(program.var(v).name).or_insert(count);
                    first.local.entry(v).or_insert(count);
                    count += 1;
                }
            }
        }
        first
    }

    /// Where a declaration stands among its neighbours.
    fn place(&self, program: &Program, item: &Item) -> (usize, usize) {
        match *item {
            Item::RecordDecl(_) | Item::Record(_) | Item::Enum(_) | Item::Typedef(_) => (0, 0),
            Item::FuncDecl(_) => (1, 0),
            Item::Var(v) | Item::VarDecl(v) => {
                let name = program.var(v).name;
                (2, self.named.get(&name).copied().unwrap_or(usize::MAX))
            }
            Item::Func(_) => (3, 0),
        }
    }

    fn local_place(&self, item: &Item) -> usize {
        match *item {
            Item::Var(v) | Item::VarDecl(v) => self.local.get(&v).copied().unwrap_or(usize::MAX),
            _ => 0,
        }
    }
}

/// Pairs of declarations that stand the wrong way round.
fn inversions(program: &Program) -> usize {
    let first = FirstUse::of(program);
    let count = |places: &[(usize, usize)]| {
        let after = |i: usize| places[i + 1..].iter().filter(move |place| **place < places[i]);
        (0..places.len()).map(|i| after(i).count()).sum::<usize>()
    };
    let global = |items: &Vec<Item>| {
        count(&items.iter().map(|item| first.place(program, item)).collect::<Vec<_>>())
    };
    let local = |s: ctree::StmtId| match &program.stmt(s).kind {
        StmtKind::Decl(items) => {
            count(&items.iter().map(|item| (0, first.local_place(item))).collect::<Vec<_>>())
        }
        _ => 0,
    };
    let stmts = ProgramMap::of(program).stmts;
    program.units.iter().map(|unit| global(&unit.items)).sum::<usize>()
        + stmts.iter().map(|context| local(context.id)).sum::<usize>()
}

/// Declarations of each unit, then of each statement, in order.
fn declarations(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    match level {
        0 => {
            let units = 0..specimen.program.units.len();
            let edit = |unit: usize| -> Edit {
                Box::new(move |program| {
                    let first = FirstUse::of(program);
                    let mut items = std::mem::take(&mut program.units[unit].items);
                    items.sort_by_key(|item| first.place(program, item));
                    program.units[unit].items = items;
                })
            };
            Some(units.map(edit).collect())
        }
        1 => {
            let stmts = ProgramMap::of(&specimen.program).stmts;
            let edit = |s: ctree::StmtId| -> Edit {
                Box::new(move |program| {
                    let first = FirstUse::of(program);
                    if let StmtKind::Decl(items) = &mut program.stmts[s.index()].kind {
                        items.sort_by_key(|item| first.local_place(item));
                    }
                })
            };
            Some(stmts.into_iter().map(|context| edit(context.id)).collect())
        }
        _ => None,
    }
}
