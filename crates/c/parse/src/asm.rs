//! `asm` statements with an empty template: the optimisation barriers of test programs.
//!
//! An empty template has no instructions, so its effect follows from its operands alone: a `+`
//! or memory output keeps its value, an output tied to an input takes that input's value. A register
//! output that no input sets, and a template with instructions, are refused.

use crate::error::{ParseResult, unsupported};
use crate::parser::Parser;
use crate::token::Tok;
use ctree::*;

/// An operand: its constraint without quotes, its expression, and where it stands.
struct AsmOperand<'a> {
    constraint: &'a str,
    value: ExprId,
}

impl<'a> Parser<'a> {
    pub(crate) fn asm_stmt(&mut self) -> ParseResult<StmtId> {
        let keyword = self.bump();
        let refuse = |s: &Self, what: &str| unsupported(s.span_from(keyword.lo), what);
        while let Tok::KwVolatile | Tok::KwInline = self.tok() {
            self.bump();
        }
        if self.tok() == Tok::KwGoto {
            return refuse(self, "`asm goto`");
        }
        self.expect(Tok::LParen, "`(`")?;
        while self.tok() == Tok::Str {
            let token = self.bump();
            if self.token_text(token) != "\"\"" {
                return refuse(self, "`asm` statement with instructions");
            }
        }
        let mark = self.arena_mark();
        let outputs = if self.eat(Tok::Colon) { self.asm_operands()? } else { Vec::new() };
        if self.effects_since(mark) {
            return refuse(self, "`asm` output operand with a side effect");
        }
        let inputs = if self.eat(Tok::Colon) { self.asm_operands()? } else { Vec::new() };
        if self.eat(Tok::Colon) {
            while matches!(self.tok(), Tok::Str | Tok::Comma) {
                self.bump(); // Clobbers change nothing that the program can see.
            }
        }
        if self.tok() != Tok::RParen {
            return refuse(self, "`asm` operand of an unknown form");
        }
        self.bump();
        self.expect(Tok::Semi, "`;`")?;
        let span = self.span_from(keyword.lo);
        self.empty_asm(&outputs, &inputs, span)
    }

    /// `"constraint"(e), …`
    fn asm_operands(&mut self) -> ParseResult<Vec<AsmOperand<'a>>> {
        let mut operands = Vec::new();
        while self.tok() == Tok::Str || self.tok() == Tok::LBracket {
            if self.eat(Tok::LBracket) {
                // A symbolic name: only templates and tied inputs can refer to it.
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
            operands.push(AsmOperand { constraint, value });
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        Ok(operands)
    }

    fn empty_asm(
        &mut self,
        outputs: &[AsmOperand],
        inputs: &[AsmOperand],
        span: Span,
    ) -> ParseResult<StmtId> {
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
                stmts.push(self.program.add_stmt(StmtKind::Expr(e), span));
            } else if !output.constraint.trim_start_matches(['=', '&']).eq("m") {
                return unsupported(span, "`asm` output that no input sets");
            }
        }
        for (input, tied) in inputs.iter().zip(tied) {
            // Reading an object, or taking its address, has no effect worth keeping.
            let pure = self.program.is_lvalue(input.value)
                || matches!(
                    self.kind(input.value),
                    ExprKind::Unary(UnOp::AddrOf, _) | ExprKind::Int(_)
                );
            if !tied && !pure {
                let e = self.add_expr(ExprKind::Cast(Ty::VOID, input.value), Ty::VOID, span);
                stmts.push(self.program.add_stmt(StmtKind::Expr(e), span));
            }
        }
        Ok(match stmts[..] {
            [] => self.program.add_stmt(StmtKind::Empty, span),
            [only] => only,
            _ => self.program.add_stmt(StmtKind::Block(stmts), span),
        })
    }
}
