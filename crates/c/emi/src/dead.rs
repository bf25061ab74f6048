//! The statements of a program in the order of the text, with how control passes between them; and
//! which of them never ran.

use std::collections::HashMap;

use ctree::map::{Child, for_each_child};
use ctree::{ExprId, ExprKind, Init, Item, LabelId, Program, StmtId, StmtKind};

use crate::Variant;
use crate::chain::ProfiledProgram;
use crate::site::Site;

/// One statement. A compound one is only its head: the statements in it follow as nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowNode {
    pub stmt: StmtId,
    /// A hash of its text.
    pub hash: u64,
    /// The predecessor: the previous statement of the block, or the enclosing one.
    pub pred: Option<u32>,
    /// The next statement of the block.
    pub next: Option<u32>,
    /// The index after the last statement in it.
    pub end: u32,
    /// Control passes back to it.
    pub loops: bool,
    /// The innermost enclosing `switch`.
    switch: Option<u32>,
}

/// The statements of a program.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    pub nodes: Vec<FlowNode>,
}

impl Flow {
    /// The statements of all functions.
    pub fn of(program: &Program) -> Flow {
        let mut walk = FlowBuilder::new(program);
        for item in program.units.iter().flat_map(|unit| &unit.items) {
            if let Item::Func(f) = *item
                && let Some(body) = program.func(f).body
            {
                walk.stmt(body, None);
            }
        }
        walk.flow
    }

    /// A statement and those in it.
    pub fn of_stmt(program: &Program, s: StmtId) -> Flow {
        let mut walk = FlowBuilder::new(program);
        walk.stmt(s, None);
        walk.flow
    }
}

struct FlowBuilder<'a> {
    program: &'a Program,
    flow: Flow,
    switch: Option<u32>,
}

impl FlowBuilder<'_> {
    fn new(program: &Program) -> FlowBuilder<'_> {
        FlowBuilder { program, flow: Flow::default(), switch: None }
    }

    fn stmt(&mut self, id: StmtId, pred: Option<u32>) -> u32 {
        let program = self.program;
        let at = self.flow.nodes.len() as u32;
        let switch = self.switch;
        let node = FlowNode { stmt: id, hash: 0, pred, next: None, end: 0, loops: false, switch };
        self.flow.nodes.push(node);
        let kind = &program.stmt(id).kind;
        let mut hash = mix(0, discriminant(kind));
        match kind {
            StmtKind::Empty | StmtKind::Break | StmtKind::Continue => {}
            StmtKind::Goto(label) => hash = mix(hash, u64::from(label.0)),
            StmtKind::Expr(e) => hash = self.expr(*e, at, hash),
            StmtKind::Block(list) => self.list(list, at),
            StmtKind::If(c, then, other) => {
                hash = self.expr(*c, at, hash);
                self.stmt(*then, Some(at));
                other.iter().for_each(|&s| _ = self.stmt(s, Some(at)));
            }
            StmtKind::While(c, body) | StmtKind::DoWhile(body, c) => {
                hash = self.expr(*c, at, hash);
                self.looped(*body, at);
            }
            StmtKind::For { init, cond, step, body } => {
                init.iter().for_each(|&s| _ = self.stmt(s, Some(at)));
                for &e in cond.iter().chain(step) {
                    hash = self.expr(e, at, hash);
                }
                self.looped(*body, at);
            }
            StmtKind::Switch(c, body) => {
                hash = self.expr(*c, at, hash);
                let outside = self.switch.replace(at);
                self.stmt(*body, Some(at));
                self.switch = outside;
            }
            StmtKind::Case(low, high, s) => {
                hash = mix(mix(hash, *low as u64), *high as u64);
                self.stmt(*s, Some(at));
            }
            StmtKind::Default(s) => _ = self.stmt(*s, Some(at)),
            StmtKind::Label(label, s) => {
                hash = mix(hash, u64::from(label.0));
                self.stmt(*s, Some(at));
            }
            StmtKind::Return(e) => {
                if let Some(e) = *e {
                    hash = self.expr(e, at, hash);
                }
            }
            StmtKind::Decl(items) => {
                for item in items {
                    if let Item::Var(v) = *item {
                        hash = mix(hash, u64::from(v.0));
                        if let Some(init) = &program.var(v).init {
                            hash = self.init(init, at, hash);
                        }
                    }
                }
            }
        }
        let end = self.flow.nodes.len() as u32;
        let node = &mut self.flow.nodes[at as usize];
        (node.hash, node.end) = (hash, end);
        at
    }

    fn list(&mut self, list: &[StmtId], parent: u32) {
        let mut last: Option<u32> = None;
        for &s in list {
            let at = self.stmt(s, Some(last.unwrap_or(parent)));
            if let Some(last) = last {
                self.flow.nodes[last as usize].next = Some(at);
            }
            last = Some(at);
        }
    }

    fn looped(&mut self, body: StmtId, at: u32) {
        let body = self.stmt(body, Some(at));
        self.flow.nodes[body as usize].loops = true;
    }

    fn init(&mut self, init: &Init, at: u32, hash: u64) -> u64 {
        match init {
            Init::Expr(e) => self.expr(*e, at, hash),
            Init::List(items) => items
                .iter()
                .fold(mix(hash, 1), |hash, item| self.init(&item.init, at, mix(hash, item.first))),
        }
    }

    fn expr(&mut self, e: ExprId, at: u32, hash: u64) -> u64 {
        use ExprKind::{EnumConst, Float, Func, Int, LongFloat, Str, Unary, Var};
        let program = self.program;
        let kind = &program.expr(e).kind;
        let own = match kind {
            ExprKind::Implicit(inner) => return self.expr(*inner, at, hash),
            Int(bits) | Float(bits) | LongFloat { mantissa: bits, .. } => *bits,
            Var(v) => u64::from(v.0),
            Func(f) => u64::from(f.0),
            Str(s) => u64::from(s.0),
            EnumConst(id, member) => u64::from(id.0) << 32 | u64::from(*member),
            Unary(op, _) => *op as u64,
            ExprKind::Binary(op, ..) | ExprKind::AssignOp { op, .. } => *op as u64,
            ExprKind::Member(_, field) | ExprKind::Arrow(_, field) => u64::from(*field),
            _ => 0,
        };
        let mut hash = mix(mix(hash, expr_discriminant(kind)), own);
        hash = mix(hash, program.expr(e).ty.index() as u64);
        for_each_child(kind, &mut |child| match child {
            Child::Expr(e) => hash = self.expr(e, at, hash),
            Child::Init(init) => hash = self.init(init, at, hash),
            Child::Stmt(s) => _ = self.stmt(s, Some(at)),
        });
        hash
    }
}

/// The same on every machine, which the hashers of the standard library do not guarantee.
pub(crate) fn mix(hash: u64, with: u64) -> u64 {
    let mixed =
        (hash ^ with).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 29)
}

fn discriminant(kind: &StmtKind) -> u64 {
    match kind {
        StmtKind::Empty => EMPTY,
        StmtKind::Expr(_) => 2,
        StmtKind::Block(_) => 3,
        StmtKind::If(..) => 4,
        StmtKind::While(..) => 5,
        StmtKind::DoWhile(..) => 6,
        StmtKind::For { .. } => 7,
        StmtKind::Switch(..) => 8,
        StmtKind::Case(..) => 9,
        StmtKind::Default(_) => 10,
        StmtKind::Break => 11,
        StmtKind::Continue => 12,
        StmtKind::Goto(_) => 13,
        StmtKind::Label(..) => 14,
        StmtKind::Return(_) => 15,
        StmtKind::Decl(_) => 16,
    }
}

const EMPTY: u64 = 1;

/// The hash of a removed statement.
pub(crate) fn removed_hash() -> u64 {
    mix(0, EMPTY)
}

fn expr_discriminant(kind: &ExprKind) -> u64 {
    use ExprKind::*;
    match kind {
        Int(_) => 20,
        Float(_) => 21,
        LongFloat { .. } => 22,
        Str(_) => 23,
        Var(_) => 24,
        Func(_) => 25,
        EnumConst(..) => 26,
        Unary(..) => 27,
        Binary(..) => 28,
        Assign(..) => 29,
        AssignOp { .. } => 30,
        Cond(..) => 31,
        Cast(..) => 32,
        Implicit(_) => 33,
        Call(..) => 34,
        Index(..) => 35,
        Member(..) => 36,
        Arrow(..) => 37,
        SizeofExpr(_) => 38,
        SizeofType(_) => 39,
        AlignofType(_) => 40,
        CompoundLit(..) => 41,
        StmtExpr(_) => 42,
        VaArg(..) => 43,
    }
}

/// A site whose statement never ran, and none in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeadSite {
    pub site: Site,
    /// Its node.
    pub node: u32,
    /// It can be removed, and the rest compiles.
    pub removable: bool,
}

/// All such sites, in source order.
pub(crate) fn dead_sites(view: &ProfiledProgram, flow: &Flow, next: &Variant) -> Vec<DeadSite> {
    let executed = |node: &FlowNode| u32::from(view.profile.executed.contains(&node.stmt));
    let mut ran = vec![0];
    for node in &flow.nodes {
        ran.push(ran[ran.len() - 1] + executed(node));
    }
    let mut index = vec![u32::MAX; view.program.stmts.len()];
    for (n, node) in flow.nodes.iter().enumerate() {
        index[node.stmt.index()] = n as u32;
    }
    let jumps = Jumps::of(view, flow, next);
    let mut dead = Vec::new();
    for &site in &view.sites.list {
        let node = index[site.stmt.index()];
        let Some(at) = flow.nodes.get(node as usize) else { continue };
        if ran[node as usize] == ran[at.end as usize] {
            let removable = site.free && !jumps.enter(view.program, flow, node);
            dead.push(DeadSite { site, node, removable });
        }
    }
    dead
}

/// Jumps into statements.
struct Jumps {
    /// The number of jumps to each label, in all code ever inserted, since any edit may be reverted.
    gotos: HashMap<LabelId, u32>,
    /// Nodes that are labels, before each node.
    labels: Vec<u32>,
}

impl Jumps {
    fn of(view: &ProfiledProgram, flow: &Flow, next: &Variant) -> Jumps {
        let mut gotos = HashMap::new();
        for stmt in &next.base.stmts {
            if let StmtKind::Goto(label) = stmt.kind {
                *gotos.entry(label).or_default() += 1;
            }
        }
        let mut labels = vec![0];
        for node in &flow.nodes {
            let kind = &view.program.stmt(node.stmt).kind;
            let is_label =
                matches!(kind, StmtKind::Label(..) | StmtKind::Case(..) | StmtKind::Default(_));
            labels.push(labels[labels.len() - 1] + u32::from(is_label));
        }
        Jumps { gotos, labels }
    }

    /// Whether a statement has a target in it of a jump from outside.
    fn enter(&self, program: &Program, flow: &Flow, at: u32) -> bool {
        let end = flow.nodes[at as usize].end;
        if self.labels[at as usize] == self.labels[end as usize] {
            return false;
        }
        let inside = &flow.nodes[at as usize..end as usize];
        let mut missing: HashMap<LabelId, u32> = HashMap::new();
        for node in inside {
            match program.stmt(node.stmt).kind {
                StmtKind::Case(..) | StmtKind::Default(_) if node.switch.is_none_or(|s| s < at) => {
                    return true;
                }
                StmtKind::Label(label, _) => {
                    missing.insert(label, self.gotos.get(&label).copied().unwrap_or(0));
                }
                _ => {}
            }
        }
        for node in inside {
            if let StmtKind::Goto(label) = program.stmt(node.stmt).kind
                && let Some(count) = missing.get_mut(&label)
            {
                *count = count.saturating_sub(1);
            }
        }
        missing.values().any(|&count| count > 0)
    }
}
