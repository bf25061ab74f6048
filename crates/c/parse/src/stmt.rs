//! Statements (C11 6.8) and the GNU extensions among them: case ranges, declarations after labels.

use crate::attr::Attrs;
use crate::error::{ParseResult, invalid, unsupported};
use crate::parser::{Parser, SwitchContext};
use crate::token::Tok;
use ctree::*;

/// Longest run of labels before one statement, and of `else if`: each is a level of the tree.
const MAX_CHAIN: usize = 1000;

/// A label in front of a statement.
enum LabelPrefix {
    Case(i64, i64),
    Default,
    Label(LabelId),
}

impl Parser<'_> {
    /// `{ … }` in a scope of its own.
    pub(crate) fn block(&mut self) -> ParseResult<StmtId> {
        self.scopes.push();
        let block = self.block_in_scope()?;
        self.scopes.pop();
        Ok(block)
    }

    /// `{ … }` in the innermost scope, as the body of a function.
    pub(crate) fn block_in_scope(&mut self) -> ParseResult<StmtId> {
        self.enter()?;
        let lo = self.expect(Tok::LBrace, "`{`")?.lo;
        let outer = std::mem::take(&mut self.pending);
        let outer_level = std::mem::replace(&mut self.pending_level, self.scopes.level());
        let mut stmts = Vec::new();
        while self.tok() != Tok::RBrace {
            self.block_item(&mut stmts)?;
        }
        self.bump();
        self.pending = outer;
        self.pending_level = outer_level;
        self.leave();
        let span = self.span_from(lo);
        Ok(self.program.add_stmt(StmtKind::Block(stmts), span))
    }

    fn block_item(&mut self, out: &mut Vec<StmtId>) -> ParseResult<()> {
        let lo = self.cur.lo;
        if self.tok() == Tok::KwAttribute && self.attribute_statement()? {
            return Ok(());
        }
        if self.declaration_ahead() {
            let items = self.block_declaration()?;
            self.flush_pending(out, lo);
            if !items.is_empty() {
                let span = self.span_from(lo);
                out.push(self.program.add_stmt(StmtKind::Decl(items), span));
            }
        } else {
            let stmt = self.stmt()?;
            self.flush_pending(out, lo);
            out.push(stmt);
        }
        self.check_height()
    }

    /// `__attribute__((fallthrough));`: ignored.
    fn attribute_statement(&mut self) -> ParseResult<bool> {
        let (pos, cur, hi) = (self.pos, self.cur, self.prev_hi);
        self.attributes(&mut Attrs::default())?;
        if self.eat(Tok::Semi) {
            return Ok(true);
        }
        (self.pos, self.cur, self.prev_hi) = (pos, cur, hi);
        Ok(false)
    }

    /// Puts hoisted definitions before the statement that contained them.
    fn flush_pending(&mut self, out: &mut Vec<StmtId>, lo: u32) {
        if self.pending.is_empty() {
            return;
        }
        let span = self.span_from(lo);
        for item in std::mem::take(&mut self.pending) {
            out.push(self.program.add_stmt(StmtKind::Decl(vec![item]), span));
        }
    }

    pub(crate) fn stmt(&mut self) -> ParseResult<StmtId> {
        let lo = self.cur.lo;
        let kind = match self.tok() {
            Tok::LBrace => return self.block(),
            Tok::Ident if self.peek(1).tok == Tok::Colon => return self.labelled(),
            Tok::KwCase | Tok::KwDefault => return self.labelled(),
            Tok::Semi => {
                self.bump();
                StmtKind::Empty
            }
            Tok::KwIf => return self.scoped(Self::if_stmt),
            Tok::KwFor => return self.scoped(Self::for_stmt),
            Tok::KwWhile => return self.scoped(Self::while_stmt),
            Tok::KwDo => return self.scoped(Self::do_stmt),
            Tok::KwSwitch => return self.scoped(Self::switch_stmt),
            Tok::KwReturn => return self.return_stmt(),
            Tok::KwGoto => self.goto_stmt()?,
            Tok::KwBreak | Tok::KwContinue => self.jump_stmt()?,
            Tok::KwAsm => return self.asm_stmt(),
            Tok::KwLabel => return unsupported(self.cur.span(), "`__label__` declaration"),
            Tok::KwAttribute => {
                self.attributes(&mut Attrs::default())?;
                self.expect(Tok::Semi, "`;`")?;
                StmtKind::Empty
            }
            _ => {
                let e = self.expr()?;
                self.expect(Tok::Semi, "`;`")?;
                StmtKind::Expr(e)
            }
        };
        let span = self.span_from(lo);
        Ok(self.program.add_stmt(kind, span))
    }

    /// A statement inside another: a block of its own (6.8.4p3, 6.8.5p5).
    fn sub_stmt(&mut self) -> ParseResult<StmtId> {
        self.enter()?;
        self.scopes.push();
        let stmt = self.stmt()?;
        self.scopes.pop();
        self.leave();
        Ok(stmt)
    }

    /// A selection or iteration statement, which is a block as a whole, too.
    fn scoped(&mut self, parse: fn(&mut Self) -> ParseResult<StmtId>) -> ParseResult<StmtId> {
        self.scopes.push();
        let stmt = parse(self)?;
        self.scopes.pop();
        Ok(stmt)
    }

    /// `( e )` of a controlling expression that must be scalar.
    fn condition(&mut self) -> ParseResult<ExprId> {
        self.expect(Tok::LParen, "`(`")?;
        let e = self.expr()?;
        let e = self.scalar(e)?;
        self.expect(Tok::RParen, "`)`")?;
        Ok(e)
    }

    /// An `if`; a chain of `else if` is parsed in a loop, because it does not count as nesting.
    fn if_stmt(&mut self) -> ParseResult<StmtId> {
        let mut chain = Vec::new();
        let mut other = None;
        loop {
            let lo = self.bump().lo;
            let cond = self.condition()?;
            let then = self.sub_stmt()?;
            chain.push((lo, cond, then));
            if chain.len() > MAX_CHAIN {
                return unsupported(
                    self.cur.span(),
                    format!("more than {MAX_CHAIN} `else if` in a row"),
                );
            }
            if !self.eat(Tok::KwElse) {
                break;
            }
            if self.tok() != Tok::KwIf {
                other = Some(self.sub_stmt()?);
                break;
            }
        }
        while let Some((lo, cond, then)) = chain.pop() {
            let span = self.span_from(lo);
            other = Some(self.program.add_stmt(StmtKind::If(cond, then, other), span));
        }
        match other {
            Some(stmt) => Ok(stmt),
            None => self.unexpected("statement"),
        }
    }

    fn loop_body(&mut self) -> ParseResult<StmtId> {
        self.func.loops += 1;
        self.func.breakable += 1;
        let body = self.sub_stmt()?;
        self.func.loops -= 1;
        self.func.breakable -= 1;
        Ok(body)
    }

    fn while_stmt(&mut self) -> ParseResult<StmtId> {
        let lo = self.bump().lo;
        let cond = self.condition()?;
        let body = self.loop_body()?;
        let span = self.span_from(lo);
        Ok(self.program.add_stmt(StmtKind::While(cond, body), span))
    }

    fn do_stmt(&mut self) -> ParseResult<StmtId> {
        let lo = self.bump().lo;
        let body = self.loop_body()?;
        self.expect(Tok::KwWhile, "`while`")?;
        let cond = self.condition()?;
        self.expect(Tok::Semi, "`;`")?;
        let span = self.span_from(lo);
        Ok(self.program.add_stmt(StmtKind::DoWhile(body, cond), span))
    }

    fn for_stmt(&mut self) -> ParseResult<StmtId> {
        let lo = self.bump().lo;
        self.expect(Tok::LParen, "`(`")?;
        let init = self.for_init()?;
        let cond = if self.tok() == Tok::Semi {
            None
        } else {
            let e = self.expr()?;
            Some(self.scalar(e)?)
        };
        self.expect(Tok::Semi, "`;`")?;
        let step = if self.tok() == Tok::RParen { None } else { Some(self.expr()?) };
        self.expect(Tok::RParen, "`)`")?;
        let body = self.loop_body()?;
        let span = self.span_from(lo);
        Ok(self.program.add_stmt(StmtKind::For { init, cond, step, body }, span))
    }

    /// The first clause of a `for` and its semicolon.
    fn for_init(&mut self) -> ParseResult<Option<StmtId>> {
        let lo = self.cur.lo;
        if self.eat(Tok::Semi) {
            return Ok(None);
        }
        let kind = if self.declaration_ahead() {
            let items = self.block_declaration()?;
            if items.is_empty() {
                return Ok(None);
            }
            StmtKind::Decl(items)
        } else {
            let e = self.expr()?;
            self.expect(Tok::Semi, "`;`")?;
            StmtKind::Expr(e)
        };
        let span = self.span_from(lo);
        Ok(Some(self.program.add_stmt(kind, span)))
    }

    fn switch_stmt(&mut self) -> ParseResult<StmtId> {
        let lo = self.bump().lo;
        self.expect(Tok::LParen, "`(`")?;
        let e = self.expr()?;
        self.expect(Tok::RParen, "`)`")?;
        if !self.program.types.is_integer(self.ty(e)) {
            return invalid(self.span(e), "switch quantity is not an integer");
        }
        let e = self.promote(e);
        let ty = self.ty(e).unqual();
        self.func.switches.push(SwitchContext { ty, cases: Vec::new(), default: false });
        self.func.breakable += 1;
        let body = self.sub_stmt()?;
        self.func.breakable -= 1;
        if let Some(done) = self.func.switches.pop() {
            self.check_cases(done)?;
        }
        let span = self.span_from(lo);
        Ok(self.program.add_stmt(StmtKind::Switch(e, body), span))
    }

    fn check_cases(&self, mut switch: SwitchContext) -> ParseResult<()> {
        let signed = self.program.types.int_bits(switch.ty).is_some_and(|(_, signed)| signed);
        let order = |n: i64| if signed { i128::from(n) } else { i128::from(n as u64) };
        // An empty range matches nothing.
        switch.cases.retain(|c| order(c.0) <= order(c.1));
        switch.cases.sort_by_key(|c| (order(c.0), c.2.lo));
        for pair in switch.cases.windows(2) {
            if order(pair[1].0) <= order(pair[0].1) {
                return invalid(pair[1].2, "duplicate case value");
            }
        }
        Ok(())
    }

    /// One or more labels and the statement they stand before. A label at the end of a block or
    /// before a declaration labels an empty statement.
    fn labelled(&mut self) -> ParseResult<StmtId> {
        let mut prefixes = Vec::new();
        loop {
            let lo = self.cur.lo;
            let prefix = match self.tok() {
                Tok::KwCase => self.case_label()?,
                Tok::KwDefault => self.default_label()?,
                Tok::Ident if self.peek(1).tok == Tok::Colon => self.plain_label()?,
                _ => break,
            };
            prefixes.push((prefix, lo));
            if prefixes.len() > MAX_CHAIN {
                return unsupported(
                    self.cur.span(),
                    format!("more than {MAX_CHAIN} labels before one statement"),
                );
            }
        }
        let mut stmt = if self.tok() == Tok::RBrace || self.declaration_ahead() {
            let span = Span { lo: self.prev_hi, hi: self.prev_hi };
            self.program.add_stmt(StmtKind::Empty, span)
        } else {
            self.sub_stmt()?
        };
        for (prefix, lo) in prefixes.into_iter().rev() {
            let kind = match prefix {
                LabelPrefix::Case(low, high) => StmtKind::Case(low, high, stmt),
                LabelPrefix::Default => StmtKind::Default(stmt),
                LabelPrefix::Label(id) => StmtKind::Label(id, stmt),
            };
            let span = self.span_from(lo);
            stmt = self.program.add_stmt(kind, span);
        }
        Ok(stmt)
    }

    fn case_label(&mut self) -> ParseResult<LabelPrefix> {
        let token = self.bump();
        let low = self.const_int("case label")?.0;
        let high = if self.eat(Tok::Ellipsis) { self.const_int("case label")?.0 } else { low };
        self.expect(Tok::Colon, "`:`")?;
        let Some(ty) = self.func.switches.last().map(|s| s.ty) else {
            return invalid(token.span(), "case label not within a switch statement");
        };
        let span = self.span_from(token.lo);
        let (low, high) = (self.case_value(low, ty, span)?, self.case_value(high, ty, span)?);
        if let Some(switch) = self.func.switches.last_mut() {
            switch.cases.push((low, high, span));
        }
        Ok(LabelPrefix::Case(low, high))
    }

    /// A case label's value in the type of the `switch`, as 64 bits.
    fn case_value(&self, value: i128, ty: Ty, span: Span) -> ParseResult<i64> {
        let value = self.wrap(value, ty).unwrap_or(value);
        if i64::try_from(value).is_err() && u64::try_from(value).is_err() {
            return unsupported(span, "case label of more than 64 bits");
        }
        Ok(value as i64)
    }

    fn default_label(&mut self) -> ParseResult<LabelPrefix> {
        let token = self.bump();
        self.expect(Tok::Colon, "`:`")?;
        match self.func.switches.last_mut() {
            None => invalid(token.span(), "`default` label not within a switch statement"),
            Some(switch) if switch.default => {
                invalid(token.span(), "multiple default labels in one switch")
            }
            Some(switch) => {
                switch.default = true;
                Ok(LabelPrefix::Default)
            }
        }
    }

    fn plain_label(&mut self) -> ParseResult<LabelPrefix> {
        let token = self.bump();
        self.bump();
        let id = self.label(token.sym, token.span());
        if let Some(entry) = self.func.labels.get_mut(&token.sym) {
            if entry.1 {
                let name = self.name(token.sym);
                return invalid(token.span(), format!("duplicate label `{name}`"));
            }
            entry.1 = true;
        }
        if self.tok() == Tok::KwAttribute {
            self.attributes(&mut Attrs::default())?;
        }
        Ok(LabelPrefix::Label(id))
    }

    /// The label of this name in the function, new if not mentioned before.
    fn label(&mut self, name: Sym, span: Span) -> LabelId {
        if let Some(&(id, ..)) = self.func.labels.get(&name) {
            return id;
        }
        self.program.labels.push(Label { name });
        let id = LabelId(self.program.labels.len() as u32 - 1);
        self.func.labels.insert(name, (id, false, span));
        id
    }

    fn goto_stmt(&mut self) -> ParseResult<StmtKind> {
        self.bump();
        if self.tok() == Tok::Star {
            return unsupported(self.cur.span(), "computed `goto`");
        }
        let name = self.expect(Tok::Ident, "label")?;
        self.expect(Tok::Semi, "`;`")?;
        Ok(StmtKind::Goto(self.label(name.sym, name.span())))
    }

    fn jump_stmt(&mut self) -> ParseResult<StmtKind> {
        let token = self.bump();
        self.expect(Tok::Semi, "`;`")?;
        if token.tok == Tok::KwBreak {
            if self.func.breakable == 0 {
                return invalid(token.span(), "break statement not within loop or switch");
            }
            return Ok(StmtKind::Break);
        }
        if self.func.loops == 0 {
            return invalid(token.span(), "continue statement not within a loop");
        }
        Ok(StmtKind::Continue)
    }

    fn return_stmt(&mut self) -> ParseResult<StmtId> {
        let lo = self.bump().lo;
        let ret = self.func.ret.unwrap_or(Ty::VOID);
        let value = if self.tok() == Tok::Semi {
            None
        } else {
            let e = self.expr()?;
            Some(if !self.program.types.is_void(ret) {
                self.assign_convert(e, ret, "returning")?
            } else if self.program.types.is_void(self.ty(e)) {
                e
            } else {
                // GCC warns: the value is computed and dropped.
                let span = self.span(e);
                self.add_expr(ExprKind::Cast(Ty::VOID, e), Ty::VOID, span)
            })
        };
        self.expect(Tok::Semi, "`;`")?;
        let span = self.span_from(lo);
        Ok(self.program.add_stmt(StmtKind::Return(value), span))
    }
}
