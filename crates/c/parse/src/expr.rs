//! Expressions (C11 6.5): an operator stack for the binary levels, recursion for nesting only.
//!
//! Binary operators and assignments never recurse, however long the chain; one bracket, prefix
//! operator or conditional in the source costs a few frames of ours and one level of depth.

use crate::error::{ParseResult, invalid, unsupported};
use crate::literal;
use crate::parser::Parser;
use crate::scope::Binding;
use crate::token::Tok;
use ctree::*;

const COMMA: u8 = 1;
const ASSIGNMENT: u8 = 2;
const CONDITIONAL: u8 = 3;

/// Binding strength of a token between operands; 0 if it is not an operator.
fn precedence(tok: Tok) -> u8 {
    use Tok::*;
    match tok {
        Comma => COMMA,
        Assign | MulAssign | DivAssign | RemAssign | AddAssign | SubAssign | ShlAssign
        | ShrAssign | AndAssign | XorAssign | OrAssign => ASSIGNMENT,
        Question => CONDITIONAL,
        PipePipe => 4,
        AmpAmp => 5,
        Pipe => 6,
        Caret => 7,
        Amp => 8,
        EqEq | Ne => 9,
        Lt | Gt | Le | Ge => 10,
        Shl | Shr => 11,
        Plus | Minus => 12,
        Star | Slash | Percent => 13,
        _ => 0,
    }
}

impl Parser<'_> {
    /// A full expression, comma included.
    pub(crate) fn expr(&mut self) -> ParseResult<ExprId> {
        self.expr_from(COMMA)
    }

    pub(crate) fn assign_expr(&mut self) -> ParseResult<ExprId> {
        self.expr_from(ASSIGNMENT)
    }

    pub(crate) fn cond_expr(&mut self) -> ParseResult<ExprId> {
        self.expr_from(CONDITIONAL)
    }

    /// An expression of operators that bind at least as strongly as `min`.
    fn expr_from(&mut self, min: u8) -> ParseResult<ExprId> {
        let base = self.ops.len();
        let mut current = self.unary()?;
        loop {
            let tok = self.tok();
            let strength = precedence(tok);
            let stop = strength < min || strength == 0;
            while self.ops.len() > base {
                let (left, op, held) = self.ops[self.ops.len() - 1];
                let right_assoc = held == strength && held == ASSIGNMENT;
                if !stop && (held < strength || right_assoc) {
                    break;
                }
                self.ops.pop();
                current = self.apply(op, left, current)?;
            }
            if stop {
                return Ok(current);
            }
            if strength == CONDITIONAL {
                current = self.conditional(current)?;
                continue;
            }
            self.bump();
            self.ops.push((current, tok, strength));
            current = self.unary()?;
        }
    }

    /// `? a : b` after its condition.
    fn conditional(&mut self, cond: ExprId) -> ParseResult<ExprId> {
        self.enter()?;
        self.bump();
        let middle = if self.tok() == Tok::Colon { None } else { Some(self.expr()?) };
        self.expect(Tok::Colon, "`:`")?;
        let last = self.cond_expr()?;
        self.leave();
        self.make_conditional(cond, middle, last)
    }

    /// A unary or cast expression.
    pub(crate) fn unary(&mut self) -> ParseResult<ExprId> {
        let op = match self.tok() {
            Tok::LParen if self.type_ahead(1) => return self.cast_or_literal(),
            Tok::PlusPlus => UnOp::PreInc,
            Tok::MinusMinus => UnOp::PreDec,
            Tok::Amp => UnOp::AddrOf,
            Tok::Star => UnOp::Deref,
            Tok::Plus => UnOp::Plus,
            Tok::Minus => UnOp::Neg,
            Tok::Tilde => UnOp::BitNot,
            Tok::Bang => UnOp::LogNot,
            Tok::KwSizeof | Tok::KwAlignof => return self.size_or_align(),
            Tok::KwExtension => return self.extension(),
            Tok::AmpAmp => return unsupported(self.cur.span(), "address of a label"),
            Tok::KwReal | Tok::KwImag => {
                return unsupported(self.cur.span(), "`__real__` or `__imag__`");
            }
            _ => return self.postfix(),
        };
        self.enter()?;
        let lo = self.bump().lo;
        let operand = self.unary()?;
        self.leave();
        self.make_unary(op, operand, lo)
    }

    fn extension(&mut self) -> ParseResult<ExprId> {
        self.enter()?;
        self.bump();
        let e = self.unary()?;
        self.leave();
        Ok(e)
    }

    /// Whether the token `n` places ahead begins a type name.
    pub(crate) fn type_ahead(&self, n: usize) -> bool {
        let mut n = n;
        while self.peek(n).tok == Tok::KwExtension {
            n += 1;
        }
        let token = self.peek(n);
        match token.tok {
            Tok::Ident => self.is_type_name(token.sym),
            tok => tok.starts_type(),
        }
    }

    /// Whether an identifier names a type here.
    pub(crate) fn is_type_name(&self, sym: Sym) -> bool {
        match self.scopes.name(sym).0 {
            Binding::Typedef(_) => true,
            Binding::Unsupported(i) => self.unsupported_names[i as usize].1,
            _ => false,
        }
    }

    /// `(T) e` or `(T){…}`.
    fn cast_or_literal(&mut self) -> ParseResult<ExprId> {
        self.enter()?;
        let lo = self.bump().lo;
        let ty = self.type_name()?;
        self.expect(Tok::RParen, "`)`")?;
        let e = if self.tok() == Tok::LBrace {
            let literal = self.compound_literal(ty, lo)?;
            self.suffixes(literal, lo)?
        } else {
            let operand = self.unary()?;
            self.make_cast(ty, operand, lo)?
        };
        self.leave();
        Ok(e)
    }

    fn postfix(&mut self) -> ParseResult<ExprId> {
        let lo = self.cur.lo;
        let e = self.primary()?;
        self.suffixes(e, lo)
    }

    /// Calls, subscripts, members and postfix increments after `e`.
    pub(crate) fn suffixes(&mut self, mut e: ExprId, lo: u32) -> ParseResult<ExprId> {
        loop {
            e = match self.tok() {
                Tok::LParen => self.call(e, lo)?,
                Tok::LBracket => self.subscript(e, lo)?,
                Tok::Dot | Tok::Arrow => self.member(e, lo)?,
                Tok::PlusPlus | Tok::MinusMinus => {
                    let up = self.bump().tok == Tok::PlusPlus;
                    let op = if up { UnOp::PostInc } else { UnOp::PostDec };
                    self.make_unary(op, e, lo)?
                }
                _ => return Ok(e),
            };
            if self.too_deep {
                self.check_height()?;
            }
        }
    }

    fn call(&mut self, callee: ExprId, lo: u32) -> ParseResult<ExprId> {
        let args = self.arguments()?;
        self.make_call(callee, args, lo)
    }

    /// `( a, b, … )`
    pub(crate) fn arguments(&mut self) -> ParseResult<Vec<ExprId>> {
        self.enter()?;
        self.expect(Tok::LParen, "`(`")?;
        let mut args = Vec::new();
        if self.tok() != Tok::RParen {
            loop {
                args.push(self.assign_expr()?);
                if !self.eat(Tok::Comma) {
                    break;
                }
            }
        }
        self.expect(Tok::RParen, "`)`")?;
        self.leave();
        Ok(args)
    }

    fn subscript(&mut self, e: ExprId, lo: u32) -> ParseResult<ExprId> {
        self.enter()?;
        self.bump();
        let index = self.expr()?;
        self.expect(Tok::RBracket, "`]`")?;
        self.leave();
        self.make_index(e, index, lo)
    }

    fn member(&mut self, e: ExprId, lo: u32) -> ParseResult<ExprId> {
        let arrow = self.bump().tok == Tok::Arrow;
        let name = self.expect(Tok::Ident, "member name")?;
        self.make_member(e, arrow, name, lo)
    }

    fn primary(&mut self) -> ParseResult<ExprId> {
        match self.tok() {
            Tok::Ident => self.identifier(),
            Tok::Int => self.integer_constant(),
            Tok::LParen => self.parenthesized(),
            Tok::Str => self.string_literal(),
            Tok::Float => self.float_constant(),
            Tok::Char => self.char_constant(),
            Tok::KwFuncName => self.function_name(),
            Tok::KwGeneric => self.generic_selection(),
            Tok::KwOffsetof => self.offsetof(),
            Tok::KwChooseExpr => self.choose_expr(),
            Tok::KwTypesCompatible => self.types_compatible(),
            Tok::KwVaArg => self.va_arg(),
            _ => self.unexpected("expression"),
        }
    }

    /// `( e )` or `({ … })`.
    fn parenthesized(&mut self) -> ParseResult<ExprId> {
        self.enter()?;
        let lo = self.bump().lo;
        let e = if self.tok() == Tok::LBrace { self.statement_expr(lo)? } else { self.expr()? };
        self.expect(Tok::RParen, "`)`")?;
        self.leave();
        // The span of a bracketed expression includes its brackets.
        self.program.exprs[e.index()].span = self.span_from(lo);
        Ok(e)
    }

    /// `{ … }` of a statement expression; the bracket around it is the caller's.
    fn statement_expr(&mut self, lo: u32) -> ParseResult<ExprId> {
        if self.func.ret.is_none() {
            return invalid(self.cur.span(), "statement expression outside of a function");
        }
        let outer = std::mem::take(&mut self.max_height);
        let block = self.block()?;
        let ty = self.statement_expr_type(block);
        let span = self.span_from(lo);
        let e = self.add_expr(ExprKind::StmtExpr(block), ty, span);
        self.max_height = self.max_height.max(outer);
        Ok(e)
    }

    /// The type of the last statement if it is an expression, decayed; else `void`.
    fn statement_expr_type(&mut self, block: StmtId) -> Ty {
        let StmtKind::Block(ref stmts) = self.program.stmt(block).kind else { return Ty::VOID };
        let Some(&last) = stmts.last() else { return Ty::VOID };
        let mut stmt = last;
        while let StmtKind::Label(_, inner) = self.program.stmt(stmt).kind {
            stmt = inner;
        }
        let StmtKind::Expr(e) = self.program.stmt(stmt).kind else { return Ty::VOID };
        let value = self.decay(e);
        if value != e {
            self.program.stmts[stmt.index()].kind = StmtKind::Expr(value);
        }
        self.ty(value).unqual()
    }

    fn identifier(&mut self) -> ParseResult<ExprId> {
        let token = self.bump();
        let span = token.span();
        match self.scopes.name(token.sym).0 {
            Binding::Var(id) => {
                let ty = self.program.vars[id.index()].ty;
                let ty = self.canon(ty);
                Ok(self.add_expr(ExprKind::Var(id), ty, span))
            }
            Binding::Func(id) => {
                let ty = self.program.funcs[id.index()].ty;
                let ty = self.canon(ty);
                Ok(self.add_expr(ExprKind::Func(id), ty, span))
            }
            Binding::Enumerator(id, index) => {
                let ty = self.program.types.enums[id.index()].members[index as usize].ty;
                Ok(self.add_expr(ExprKind::EnumConst(id, index), ty, span))
            }
            Binding::Typedef(_) => {
                let name = self.name(token.sym);
                invalid(span, format!("expected expression before type name `{name}`"))
            }
            Binding::Unsupported(index) => {
                unsupported(span, self.unsupported_names[index as usize].0.clone())
            }
            Binding::None => self.undeclared(token),
        }
    }

    fn integer_constant(&mut self) -> ParseResult<ExprId> {
        let token = self.bump();
        let text = self.token_text(token);
        let span = token.span();
        if let [digit @ b'0'..=b'9'] = text.as_bytes() {
            return Ok(self.int_node(u64::from(digit - b'0'), Ty::INT, span));
        }
        let (value, kind) = literal::integer(text, &self.program.types.model, span)?;
        if kind == IntKind::Int128 && !self.program.types.model.has_int128 {
            return unsupported(span, "an integer constant that no type of this data model holds");
        }
        Ok(self.int_node(value, kind.ty(), span))
    }

    fn float_constant(&mut self) -> ParseResult<ExprId> {
        let token = self.bump();
        let (node, kind) = crate::float::floating(self.token_text(token), token.span())?;
        Ok(self.add_expr(node, kind.ty(), token.span()))
    }

    /// Constants in the tree are not negative: `'\xff'` becomes `-1`.
    fn char_constant(&mut self) -> ParseResult<ExprId> {
        let token = self.bump();
        let span = token.span();
        let (value, _) =
            literal::character(self.token_text(token), &self.program.types.model, span)?;
        let magnitude = self.int_node(value.unsigned_abs(), Ty::INT, span);
        if value >= 0 {
            return Ok(magnitude);
        }
        Ok(self.add_expr(ExprKind::Unary(UnOp::Neg, magnitude), Ty::INT, span))
    }

    /// Adjacent string literals, joined (6.4.5p5).
    pub(crate) fn string_literal(&mut self) -> ParseResult<ExprId> {
        let first = self.cur;
        let mut width = StrWidth::Char;
        let mut ahead = 0;
        while self.peek(ahead).tok == Tok::Str {
            let token = self.peek(ahead);
            if literal::string_width(self.token_text(token), token.span())? == StrWidth::Wide {
                width = StrWidth::Wide;
            }
            ahead += 1;
        }
        let mut bytes = Vec::new();
        for _ in 0..ahead {
            let token = self.bump();
            literal::string(self.token_text(token), width, token.span(), &mut bytes)?;
        }
        let span = self.span_from(first.lo);
        let unit = if width == StrWidth::Wide { 4 } else { 1 };
        bytes.resize(bytes.len() + unit, 0);
        let len = (bytes.len() / unit) as u64;
        let elem = if width == StrWidth::Wide { Ty::INT } else { Ty::CHAR };
        self.program.strings.push(StrLit { bytes, width });
        let id = StrId(self.program.strings.len() as u32 - 1);
        let ty = self.array_of(elem, len, span)?;
        Ok(self.add_expr(ExprKind::Str(id), ty, span))
    }

    /// `__func__`: one string per function, of `const char` (6.4.2.2).
    fn function_name(&mut self) -> ParseResult<ExprId> {
        let token = self.bump();
        let name = self.func.name.map_or(String::new(), |n| self.name(n).to_string());
        let len = name.len() as u64 + 1;
        let id = match self.func.name_string {
            Some(id) => id,
            None => {
                let mut bytes = name.into_bytes();
                bytes.push(0);
                self.program.strings.push(StrLit { bytes, width: StrWidth::Char });
                let id = StrId(self.program.strings.len() as u32 - 1);
                self.func.name_string = Some(id);
                id
            }
        };
        let ty = self.array_of(Ty::CHAR.qualified(Quals::CONST), len, token.span())?;
        Ok(self.add_expr(ExprKind::Str(id), ty, token.span()))
    }
}
