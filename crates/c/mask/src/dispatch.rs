//! Masks of `switch`: comparisons and jumps in its place.

use ctree::{BinOp, ExprId, Label, LabelId, Quals, StmtId, StmtKind, Ty, VarId};

use crate::apply::Rewriter;

/// The labels of a `switch` that is taken apart.
struct Targets {
    /// First and last value, and where to go.
    cases: Vec<(i64, i64, LabelId)>,
    default: Option<LabelId>,
    end: LabelId,
}

impl Rewriter<'_> {
    /// `{ volatile T value = e; if (value == 1) goto case_1; … goto default; body; end: ; }`
    pub fn mask_switch(&mut self, s: StmtId) {
        let StmtKind::Switch(control, body) = self.program.stmt(s).kind else { return };
        let control = self.program.promote(control);
        let ty = self.program.expr(control).ty.unqual();
        let number = self.count;
        self.count += 1;
        let end = self.label(&format!("masked_{number}_end"));
        let mut targets = Targets { cases: Vec::new(), default: None, end };
        self.take_apart(body, true, number, &mut targets);
        let init = self.program.init_expr(ty, control);
        let name = format!("masked_{number}");
        let (value, decl) = self.program.local(&name, ty.qualified(Quals::VOLATILE), Some(init));
        let mut list = vec![decl];
        for &(first, last, label) in &targets.cases {
            let is_it = self.is_within(value, ty, first, last);
            let jump = self.program.make_stmt(StmtKind::Goto(label));
            list.push(self.program.make_stmt(StmtKind::If(is_it, jump, None)));
        }
        list.push(self.program.make_stmt(StmtKind::Goto(targets.default.unwrap_or(end))));
        list.push(body);
        let nothing = self.program.make_stmt(StmtKind::Empty);
        list.push(self.program.make_stmt(StmtKind::Label(end, nothing)));
        self.program.stmts[s.index()].kind = StmtKind::Block(list);
    }

    fn label(&mut self, name: &str) -> LabelId {
        let name = self.program.names.intern(name);
        self.program.labels.push(Label { name });
        LabelId(self.program.labels.len() as u32 - 1)
    }

    /// Makes labels of the cases in a statement and jumps of the `break`s, but for those of inner statements.
    fn take_apart(&mut self, s: StmtId, breaks: bool, number: usize, targets: &mut Targets) {
        match self.program.stmt(s).kind.clone() {
            StmtKind::Case(first, last, inner) => {
                let place = targets.cases.len();
                let label = self.label(&format!("masked_{number}_case_{place}"));
                targets.cases.push((first, last, label));
                self.program.stmts[s.index()].kind = StmtKind::Label(label, inner);
                self.take_apart(inner, breaks, number, targets);
            }
            StmtKind::Default(inner) => {
                let label = self.label(&format!("masked_{number}_default"));
                targets.default = Some(label);
                self.program.stmts[s.index()].kind = StmtKind::Label(label, inner);
                self.take_apart(inner, breaks, number, targets);
            }
            StmtKind::Break if breaks => {
                self.program.stmts[s.index()].kind = StmtKind::Goto(targets.end);
            }
            StmtKind::Block(list) => {
                for inner in list {
                    self.take_apart(inner, breaks, number, targets);
                }
            }
            StmtKind::If(_, then, other) => {
                self.take_apart(then, breaks, number, targets);
                if let Some(other) = other {
                    self.take_apart(other, breaks, number, targets);
                }
            }
            StmtKind::Label(_, inner) => self.take_apart(inner, breaks, number, targets),
            StmtKind::While(_, inner)
            | StmtKind::DoWhile(inner, _)
            | StmtKind::For { body: inner, .. } => self.take_apart(inner, false, number, targets),
            // Its cases and breaks are its own.
            StmtKind::Switch(..) => {}
            StmtKind::Empty
            | StmtKind::Expr(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Return(_)
            | StmtKind::Decl(_) => {}
        }
    }

    /// `value == first`, or `value >= first && value <= last`
    fn is_within(&mut self, value: VarId, ty: Ty, first: i64, last: i64) -> ExprId {
        let (bits, signed) = self.program.types.int_bits(ty).unwrap_or((64, true));
        let constant = |value: i64| {
            let value = i128::from(value);
            if signed { value } else { value.rem_euclid(1 << bits) }
        };
        let mut compared = |op, with: i64| {
            let (value, with) =
                (self.program.var_ref(value), self.program.int_const(ty, constant(with)));
            self.program.binary(op, value, with)
        };
        if first == last {
            return compared(BinOp::Eq, first);
        }
        let (from, to) = (compared(BinOp::Ge, first), compared(BinOp::Le, last));
        self.program.binary(BinOp::LogAnd, from, to)
    }
}
