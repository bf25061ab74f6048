//! `asm` statements with an empty template: the optimisation barriers of test programs.
//!
//! An empty template has no instructions, so what it does follows from its operands alone: a `+`
//! or memory output keeps its value, an output tied to an input takes that input's value. An
//! output in a register that nothing sets, and any template with text, is refused.

use crate::error::{PResult, unsupported};
use crate::parser::Parser;
use crate::token::Tok;
use ctree::*;

/// An operand: its constraint without quotes, its expression, and where it stands.
struct Operand<'a> {
    constraint: &'a str,
    value: ExprId,
}

impl<'a> Parser<'a> {
    pub(crate) fn asm_stmt(&mut self) -> PResult<StmtId> {
        let keyword = self.bump();
        let refuse = |p: &Self| unsupported(p.span_from(keyword.lo), "asm statement");
        while let Tok::KwVolatile | Tok::KwInline = self.tok() {
            self.bump();
        }
        if self.tok() == Tok::KwGoto {
            return refuse(self);
        }
        self.expect(Tok::LParen, "`(`")?;
        while self.tok() == Tok::Str {
            let token = self.bump();
            if self.token_text(token) != "\"\"" {
                return refuse(self);
            }
        }
        let mark = self.mark();
        let outputs = if self.eat(Tok::Colon) { self.asm_operands()? } else { Vec::new() };
        if self.effects_since(mark) {
            return refuse(self);
        }
        let inputs = if self.eat(Tok::Colon) { self.asm_operands()? } else { Vec::new() };
        if self.eat(Tok::Colon) {
            while matches!(self.tok(), Tok::Str | Tok::Comma) {
                self.bump(); // Clobbers change nothing that the program can see.
            }
        }
        if self.tok() != Tok::RParen {
            return refuse(self); // Labels of `asm goto`, or something we do not know.
        }
        self.bump();
        self.expect(Tok::Semi, "`;`")?;
        let span = self.span_from(keyword.lo);
        self.empty_asm(&outputs, &inputs, span)
    }

    /// `"constraint"(e), …`
    fn asm_operands(&mut self) -> PResult<Vec<Operand<'a>>> {
        let mut operands = Vec::new();
        while self.tok() == Tok::Str || self.tok() == Tok::LBracket {
            if self.eat(Tok::LBracket) {
                // A symbolic name: only templates and tied inputs could mention it.
                self.expect(Tok::Ident, "operand name")?;
                self.expect(Tok::RBracket, "`]`")?;
            }
            let token = self.expect(Tok::Str, "constraint")?;
            let constraint = self.token_text(token).trim_matches('"');
            self.enter()?;
            self.expect(Tok::LParen, "`(`")?;
            let value = self.expr()?;
            self.expect(Tok::RParen, "`)`")?;
            self.leave();
            operands.push(Operand { constraint, value });
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        Ok(operands)
    }

    fn empty_asm(
        &mut self,
        outputs: &[Operand],
        inputs: &[Operand],
        span: Span,
    ) -> PResult<StmtId> {
        let mut stmts = Vec::new();
        let mut tied = vec![false; inputs.len()];
        for (n, output) in outputs.iter().enumerate() {
            let number = n.to_string();
            if output.constraint.starts_with('+') {
                continue;
            }
            if let Some(i) = inputs.iter().position(|i| i.constraint == number) {
                tied[i] = true;
                let e = self.apply(Tok::Assign, output.value, inputs[i].value)?;
                stmts.push(self.prog.add_stmt(StmtKind::Expr(e), span));
            } else if !output.constraint.trim_start_matches(['=', '&']).eq("m") {
                return unsupported(span, "asm statement that leaves an output unset");
            }
        }
        for (input, tied) in inputs.iter().zip(tied) {
            // Reading an object, or taking its address, has no effect worth keeping.
            let pure = self.prog.is_lvalue(input.value)
                || matches!(
                    self.kind(input.value),
                    ExprKind::Unary(UnOp::AddrOf, _) | ExprKind::Int(_)
                );
            if !tied && !pure {
                let e = self.mk(ExprKind::Cast(Ty::VOID, input.value), Ty::VOID, span);
                stmts.push(self.prog.add_stmt(StmtKind::Expr(e), span));
            }
        }
        Ok(match stmts[..] {
            [] => self.prog.add_stmt(StmtKind::Empty, span),
            [only] => only,
            _ => self.prog.add_stmt(StmtKind::Block(stmts), span),
        })
    }
}
