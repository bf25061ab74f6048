//! The parser's state and the small operations everything else is written in.
//!
//! The grammar is spread over the other modules as further `impl Parser` blocks. A refusal ends
//! the parse, so no state is restored on the way out.
//!
//! # Limits
//! [`MAX_DEPTH`] bounds source nesting, which bounds our own recursion. [`MAX_HEIGHT`] bounds the
//! height of an expression tree, which long chains such as `a + a + …` build without nesting, and
//! the depth of types built by chains of typedefs: code that traverses the tree may recurse.

use crate::Dialect;
use crate::declarator::DeclaratorPart;
use crate::error::{ParseResult, invalid, unsupported};
use crate::lex::Lexed;
use crate::pragma::PackState;
use crate::scope::{Binding, Scopes};
use crate::token::{Tok, Token};
use ctree::symbol::Fnv;
use ctree::*;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// A map with the program's own fast hasher; its order is never observed.
pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Fnv>>;

/// Greatest nesting of brackets, prefix operators, statements and the like. With the frames a
/// debug build makes, this fits the 2 MiB stack of a test thread.
pub(crate) const MAX_DEPTH: u32 = 450;

/// Greatest height of an expression tree and depth of a type.
pub(crate) const MAX_HEIGHT: u16 = 1500;

/// The largest object we lay out: far above what any real program asks for, far below overflow.
pub(crate) const MAX_SIZE: u64 = 1 << 40;

/// A function or variable with linkage, whatever scopes see it (6.2.2).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Linked {
    Var(VarId),
    Func(FuncId),
}

/// A `switch` being parsed.
pub(crate) struct SwitchContext {
    /// Promoted type of the controlling expression.
    pub ty: Ty,
    pub cases: Vec<(i64, i64, Span)>,
    pub default: bool,
}

/// Facts about a record, computed once from its members.
#[derive(Clone, Copy, Default)]
pub(crate) struct RecordFacts {
    /// Nesting of records by value.
    pub depth: u16,
    /// Has a `const` member, at any depth: not assignable.
    pub has_const: bool,
    /// Ends in a flexible array member, at any depth.
    pub flexible: bool,
}

/// The sizes of the arenas.
#[derive(Clone, Copy)]
pub(crate) struct ArenaMark {
    exprs: usize,
    stmts: usize,
}

/// What a function body needs to know about its function.
#[derive(Default)]
pub(crate) struct FunctionContext {
    /// Return type, canonical; `None` outside of functions.
    pub ret: Option<Ty>,
    pub name: Option<Sym>,
    /// The string behind `__func__`, once used.
    pub name_string: Option<StrId>,
    /// Labels by name: whether defined, and where first mentioned.
    pub labels: FastMap<Sym, (LabelId, bool, Span)>,
    pub switches: Vec<SwitchContext>,
    /// Nesting of statements that `break` and `continue` can leave.
    pub breakable: u32,
    pub loops: u32,
}

pub(crate) struct Parser<'a> {
    pub program: &'a mut Program,
    pub dialect: Dialect,
    text: &'a str,
    base: u32,
    toks: Vec<Token>,
    pub pos: usize,
    pub cur: Token,
    /// End of the last token taken.
    pub prev_hi: u32,
    pub packs: PackState,
    pub scopes: Scopes,
    /// Functions and variables with linkage in this unit.
    pub linked: FastMap<Sym, Linked>,
    /// Items of the unit so far.
    pub items: Vec<Item>,
    /// Record and enum definitions to put before the statement or item being parsed.
    pub pending: Vec<Item>,
    /// Level of the scope whose statement list takes `pending`.
    pub pending_level: u32,
    /// Implicit function declarations, to go before the function being parsed.
    pub implicit: Vec<Item>,
    pub func: FunctionContext,
    depth: u32,
    heights: Vec<u16>,
    /// Greatest height since it was last reset.
    pub max_height: u16,
    type_depths: Vec<u16>,
    /// Pointer types by what they point to.
    pointers: Vec<Option<Ty>>,
    /// Facts about the complete records of this unit.
    pub records: FastMap<RecordId, RecordFacts>,
    pub too_deep: bool,
    /// An unsupported type was named in the declaration being parsed.
    pub deferred: Option<(Span, String)>,
    /// Reasons behind [`Binding::Unsupported`]: message, and whether the name is a typedef.
    pub unsupported_names: Vec<(String, bool)>,
    /// Records with a member of an unsupported type, and the reason.
    pub unsupported_records: Vec<(RecordId, String)>,
    /// Position in `items` of each file-scope tentative definition.
    pub tentative: FastMap<VarId, usize>,
    pub next_anon: u32,
    /// Operators waiting for their right operand: left operand, token, precedence.
    pub ops: Vec<(ExprId, Tok, u8)>,
    /// Parts of the declarators being parsed.
    pub parts: Vec<DeclaratorPart>,
    /// Functions without a written prototype: declared implicitly, or known from the library.
    pub loose: FastMap<Sym, ()>,
    /// Builtins used so far.
    pub builtins: FastMap<Sym, FuncId>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(
        program: &'a mut Program,
        text: &'a str,
        base: u32,
        lexed: Lexed,
    ) -> Parser<'a> {
        let cur = lexed.tokens[0];
        let symbols = program.names.len();
        let known = program.exprs.len();
        // Nodes per token: about one in three in a Csmith program with its headers.
        program.exprs.reserve(lexed.tokens.len() / 2);
        let mut parser = Parser {
            program,
            dialect: Dialect::C,
            text,
            base,
            toks: lexed.tokens,
            pos: 0,
            cur,
            prev_hi: base,
            packs: lexed.packs,
            scopes: Scopes::new(symbols),
            linked: FastMap::default(),
            items: Vec::new(),
            pending: Vec::new(),
            pending_level: 0,
            implicit: Vec::new(),
            func: FunctionContext::default(),
            depth: 0,
            heights: vec![0; known],
            max_height: 0,
            type_depths: Vec::new(),
            pointers: Vec::new(),
            records: FastMap::default(),
            ops: Vec::new(),
            parts: Vec::new(),
            too_deep: false,
            deferred: None,
            unsupported_names: Vec::new(),
            unsupported_records: Vec::new(),
            tentative: FastMap::default(),
            next_anon: 0,
            loose: FastMap::default(),
            builtins: FastMap::default(),
        };
        parser.bind_unsupported_types();
        parser
    }

    /// Type names of GCC that are not supported. They are names and not keywords because C libraries
    /// declare some of them as typedefs for compilers without them.
    fn bind_unsupported_types(&mut self) {
        const NAMES: &[&str] = &[
            "_Float16",
            "_Float32",
            "_Float64",
            "_Float128",
            "_Float32x",
            "_Float64x",
            "_Float128x",
            "__float128",
            "__float80",
            "__ibm128",
            "__bf16",
            "__fp16",
            "_Decimal32",
            "_Decimal64",
            "_Decimal128",
            "_BitInt",
            "_Accum",
            "_Fract",
            "_Sat",
        ];
        for name in NAMES {
            let sym = self.program.names.intern(name);
            self.unsupported_names.push((format!("type `{name}`"), true));
            self.scopes.bind(sym, Binding::Unsupported(self.unsupported_names.len() as u32 - 1));
        }
    }

    // Tokens.

    #[inline]
    pub(crate) fn tok(&self) -> Tok {
        self.cur.tok
    }

    /// The token `n` places ahead; 0 is the current one.
    #[inline]
    pub(crate) fn peek(&self, n: usize) -> Token {
        self.toks.get(self.pos + n).copied().unwrap_or(self.toks[self.toks.len() - 1])
    }

    #[inline]
    pub(crate) fn bump(&mut self) -> Token {
        let token = self.cur;
        if token.tok != Tok::Eof {
            self.pos += 1;
            self.cur = self.toks[self.pos];
        }
        self.prev_hi = token.hi;
        token
    }

    #[inline]
    pub(crate) fn eat(&mut self, tok: Tok) -> bool {
        let found = self.cur.tok == tok;
        if found {
            self.bump();
        }
        found
    }

    #[inline]
    pub(crate) fn expect(&mut self, tok: Tok, what: &str) -> ParseResult<Token> {
        if self.cur.tok == tok { Ok(self.bump()) } else { self.unexpected(what) }
    }

    /// `expected … before …`
    #[cold]
    pub(crate) fn unexpected<T>(&self, what: &str) -> ParseResult<T> {
        if self.cur.tok == Tok::LBracket && self.peek(1).tok == Tok::LBracket {
            return unsupported(self.cur.span(), "`[[…]]` attribute");
        }
        let found = match self.cur.tok {
            Tok::Eof => "end of input".to_string(),
            _ => format!("`{}`", self.token_text(self.cur)),
        };
        invalid(self.cur.span(), format!("expected {what} before {found}"))
    }

    pub(crate) fn token_text(&self, token: Token) -> &'a str {
        let text: &'a str = self.text;
        text.get((token.lo - self.base) as usize..(token.hi - self.base) as usize).unwrap_or("")
    }

    pub(crate) fn name(&self, sym: Sym) -> &str {
        self.program.names.name(sym)
    }

    /// From `lo` to the end of the last token taken.
    #[inline]
    pub(crate) fn span_from(&self, lo: u32) -> Span {
        Span { lo, hi: self.prev_hi }
    }

    // Limits.

    /// Enters one level of source nesting.
    #[inline]
    pub(crate) fn enter(&mut self) -> ParseResult<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH || self.too_deep {
            return self.nested_too_deeply();
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    #[cold]
    fn nested_too_deeply(&self) -> ParseResult<()> {
        unsupported(self.cur.span(), format!("nesting of more than {MAX_DEPTH} levels"))
    }

    /// Refuses a tree that grew too high.
    pub(crate) fn check_height(&self) -> ParseResult<()> {
        if self.too_deep {
            let limit = format!("expression or type of more than {MAX_HEIGHT} levels");
            return unsupported(self.cur.span(), limit);
        }
        Ok(())
    }

    // Nodes.

    /// Adds an expression node; `ty` must be canonical.
    pub(crate) fn add_expr(&mut self, kind: ExprKind, ty: Ty, span: Span) -> ExprId {
        use ExprKind::*;
        let h = |e: ExprId| self.heights[e.index()];
        let below = match kind {
            Int(_) | Float(_) | LongFloat { .. } | Str(_) | Var(_) | Func(_) | EnumConst(..) => 0,
            SizeofType(_) | AlignofType(_) => 0,
            Unary(_, a) | Cast(_, a) | Implicit(a) | Member(a, _) | Arrow(a, _) => h(a),
            SizeofExpr(a) | VaArg(a, _) => h(a),
            Binary(_, a, b) | Assign(a, b) | Index(a, b) => h(a).max(h(b)),
            AssignOp { lhs, rhs, .. } => h(lhs).max(h(rhs)),
            Cond(c, a, b) => h(c).max(a.map_or(0, h)).max(h(b)),
            Call(f, ref args) => args.iter().map(|&a| h(a)).fold(h(f), u16::max),
            // The caller has reset `max_height` before parsing the operands.
            CompoundLit(..) | StmtExpr(_) => self.max_height,
        };
        let height = below.saturating_add(1);
        if height > MAX_HEIGHT {
            self.too_deep = true;
        }
        self.max_height = self.max_height.max(height);
        self.heights.push(height);
        self.program.add_expr(kind, ty, span)
    }

    /// The state of the arenas, for [`drop_nodes_since`](Self::drop_nodes_since).
    pub(crate) fn arena_mark(&self) -> ArenaMark {
        ArenaMark { exprs: self.program.exprs.len(), stmts: self.program.stmts.len() }
    }

    /// Drops the expressions added since `mark`, which nothing refers to. With statements among
    /// them they stay: those would refer to them.
    pub(crate) fn drop_nodes_since(&mut self, mark: ArenaMark) {
        if self.program.stmts.len() == mark.stmts {
            self.program.exprs.truncate(mark.exprs);
            self.heights.truncate(mark.exprs);
        }
    }

    /// Whether an expression added since `mark` changes something or calls.
    pub(crate) fn effects_since(&self, mark: ArenaMark) -> bool {
        use ExprKind::*;
        self.program.exprs[mark.exprs..].iter().any(|e| match e.kind {
            Assign(..) | AssignOp { .. } | Call(..) | StmtExpr(_) | VaArg(..) => true,
            Unary(op, _) => {
                matches!(op, UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec)
            }
            _ => false,
        })
    }

    #[inline]
    pub(crate) fn ty(&self, e: ExprId) -> Ty {
        self.program.exprs[e.index()].ty
    }

    #[inline]
    pub(crate) fn span(&self, e: ExprId) -> Span {
        self.program.exprs[e.index()].span
    }

    #[inline]
    pub(crate) fn kind(&self, e: ExprId) -> &ExprKind {
        &self.program.exprs[e.index()].kind
    }

    pub(crate) fn height(&self, e: ExprId) -> u16 {
        self.heights[e.index()]
    }

    pub(crate) fn int_node(&mut self, value: u64, ty: Ty, span: Span) -> ExprId {
        self.add_expr(ExprKind::Int(value), ty, span)
    }

    // Types.

    #[inline]
    pub(crate) fn shape(&self, ty: Ty) -> &TypeKind {
        self.program.types.shape(ty)
    }

    #[inline]
    pub(crate) fn canon(&mut self, ty: Ty) -> Ty {
        self.program.types.canon(ty)
    }

    /// Interns a derived type and keeps its depth.
    pub(crate) fn intern(&mut self, kind: TypeKind) -> Ty {
        let ty = self.program.types.intern(kind);
        if self.type_depths.len() < self.program.types.len() {
            self.sync_type_depths();
        }
        ty
    }

    fn sync_type_depths(&mut self) {
        // A type's parts always have smaller indices, so one pass forward is enough.
        for index in self.type_depths.len()..self.program.types.len() {
            let d = |ty: Ty| self.type_depths.get(ty.index()).copied().unwrap_or(0);
            let below = match *self.program.types.kind_at(index) {
                TypeKind::Pointer(t) | TypeKind::Array(t, _) | TypeKind::Vector(t, _) => d(t),
                TypeKind::Function(ref f) => {
                    f.params.iter().map(|&p| d(p)).fold(d(f.ret), u16::max)
                }
                TypeKind::Typedef(id) => d(self.program.types.typedefs[id.index()].ty),
                _ => 0,
            };
            let depth = below.saturating_add(1);
            if depth > MAX_HEIGHT / 4 {
                self.too_deep = true;
            }
            self.type_depths.push(depth);
        }
    }

    /// `T *`; every decay needs one, so they are cached.
    pub(crate) fn pointer_to(&mut self, ty: Ty) -> Ty {
        let slot = ty.index() * 8 + usize::from(ty.quals().0);
        if let Some(&Some(made)) = self.pointers.get(slot) {
            return made;
        }
        let made = self.intern(TypeKind::Pointer(ty));
        if slot >= self.pointers.len() {
            self.pointers.resize(slot + 64, None);
        }
        self.pointers[slot] = Some(made);
        made
    }

    /// `T [n]`, refused where the object would be absurdly large.
    pub(crate) fn array_of(&mut self, elem: Ty, len: u64, span: Span) -> ParseResult<Ty> {
        let size = self.program.types.size_of(elem).unwrap_or(0);
        match size.checked_mul(len) {
            Some(total) if total <= MAX_SIZE && len <= MAX_SIZE => {}
            Some(total) if i64::try_from(total).is_ok() => {
                return unsupported(span, "array of more than 2^40 bytes or elements");
            }
            _ => return invalid(span, "size of array is too large"),
        }
        Ok(self.intern(TypeKind::Array(elem, ArrayLen::Known(len))))
    }

    /// A tag that does not occur in the program.
    pub(crate) fn fresh_tag(&mut self) -> Sym {
        loop {
            let name = format!("__anon_{}", self.next_anon);
            self.next_anon += 1;
            if self.program.names.get(&name).is_none() {
                return self.program.names.intern(&name);
            }
        }
    }

    // Unsupported types are refused on use: the declaration may never be used.

    /// Notes that the declaration being parsed uses something unsupported.
    pub(crate) fn defer_unsupported(&mut self, span: Span, what: impl Into<String>) {
        if self.deferred.is_none() {
            self.deferred = Some((span, what.into()));
        }
    }

    /// Refuses if something unsupported was used since the last declaration.
    pub(crate) fn check_deferred(&mut self) -> ParseResult<()> {
        match self.deferred.take() {
            Some((span, message)) => unsupported(span, message),
            None => Ok(()),
        }
    }

    /// Binds a name to its reason for being unusable.
    pub(crate) fn bind_unsupported(&mut self, name: Sym, what: String, is_type: bool) {
        self.unsupported_names.push((what, is_type));
        self.scopes.bind(name, Binding::Unsupported(self.unsupported_names.len() as u32 - 1));
    }
}
