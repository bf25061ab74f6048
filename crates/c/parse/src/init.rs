//! Initialisers (C11 6.7.9), normalised: every aggregate gets braces of its own, positions ascend,
//! and overridden initialisers are removed.
//!
//! A braced list keeps a stack of [`InitLevel`]s, from the object in braces down to the subaggregate
//! the next value without braces goes to. A designator starts again at the outermost level.
//! Excess elements are dropped, as GCC drops them.

use crate::error::{ParseResult, invalid, unsupported};
use crate::parser::Parser;
use crate::token::{Tok, Token};
use ctree::*;

/// An aggregate being initialised.
struct InitLevel {
    shape: AggregateKind,
    /// Positions the next value goes to; more than one after a range designator.
    next: (u64, u64),
    items: Vec<InitItem>,
    /// Positions of this aggregate in the level below.
    at: (u64, u64),
    /// One past the greatest position initialised.
    extent: u64,
}

#[derive(Clone, Copy)]
enum AggregateKind {
    /// Arrays and vectors.
    Array(Ty, Option<u64>),
    Struct(RecordId),
    /// A union, and whether its one member has been given.
    Union(RecordId, bool),
}

impl Parser<'_> {
    /// The initialiser of an object of type `ty`; also the type, completed.
    pub(crate) fn initializer(&mut self, ty: Ty, span: Span) -> ParseResult<(Init, Ty)> {
        let canon = self.canon(ty);
        if self.program.types.size_of(canon).is_none()
            && self.program.types.as_array(canon).is_none()
        {
            return invalid(span, "initialized object has incomplete type");
        }
        if self.tok() == Tok::LBrace {
            let (init, extent) = self.braced(canon)?;
            let ty = self.completed(ty, extent, span)?;
            return Ok((init, ty));
        }
        let e = self.assign_expr()?;
        let (init, extent) = self.init_from_expr(canon, e)?;
        let ty = self.completed(ty, extent, span)?;
        Ok((init, ty))
    }

    /// Gives an array of unknown length its length.
    fn completed(&mut self, ty: Ty, extent: u64, span: Span) -> ParseResult<Ty> {
        let Some((elem, ArrayLen::Unknown)) = self.program.types.as_array(ty) else {
            return Ok(ty);
        };
        // Keep the element as written where the array itself is not a typedef.
        let elem = match *self.program.types.kind(ty) {
            TypeKind::Array(elem, _) => elem,
            _ => elem,
        };
        Ok(self.array_of(elem, extent, span)?.qualified(ty.quals()))
    }

    /// An initialiser without braces; also the length it gives an array.
    fn init_from_expr(&mut self, ty: Ty, e: ExprId) -> ParseResult<(Init, u64)> {
        if let Some((elem, _)) = self.program.types.as_array(ty) {
            if self.string_fits(elem, e) {
                let len = self.program.types.as_array(self.ty(e)).map_or(0, |(_, n)| known(n));
                return Ok((Init::Expr(e), len));
            }
            // GNU C: an array from a compound literal of its type.
            if let ExprKind::CompoundLit(_, init) = self.kind(e)
                && self.compatible_unqual(ty, self.ty(e))
            {
                let init = (**init).clone();
                let len = self.program.types.as_array(self.ty(e)).map_or(0, |(_, n)| known(n));
                return Ok((init, len));
            }
            return invalid(self.span(e), "invalid initializer for an array");
        }
        let e = self.assign_convert(e, ty, "initializing")?;
        Ok((Init::Expr(e), 0))
    }

    /// Whether `e` is a string literal for an array of `elem`.
    fn string_fits(&self, elem: Ty, e: ExprId) -> bool {
        let ExprKind::Str(id) = *self.kind(e) else { return false };
        let Some(kind) = self.program.types.int_kind(elem) else { return false };
        match self.program.strings[id.index()].width {
            StrWidth::Char => matches!(kind, IntKind::Char | IntKind::SChar | IntKind::UChar),
            StrWidth::Wide => matches!(kind, IntKind::Int | IntKind::UInt),
        }
    }

    /// `(T){ … }` after the type.
    pub(crate) fn compound_literal(&mut self, ty: Ty, lo: u32) -> ParseResult<ExprId> {
        let outer = std::mem::take(&mut self.max_height);
        let span = self.span_from(lo);
        let (init, ty) = self.initializer(ty, span)?;
        let canon = self.canon(ty);
        let span = self.span_from(lo);
        let e = self.add_expr(ExprKind::CompoundLit(ty, Box::new(init)), canon, span);
        self.max_height = self.max_height.max(outer);
        Ok(e)
    }

    /// `{ … }` for an object of canonical type `ty`; also the length that it gives an array.
    fn braced(&mut self, ty: Ty) -> ParseResult<(Init, u64)> {
        self.enter()?;
        let open = self.bump();
        let result = match self.aggregate_kind(ty) {
            Some(shape) => self.braced_aggregate(ty, shape)?,
            None => self.braced_scalar(ty, open)?,
        };
        self.expect(Tok::RBrace, "`}`")?;
        self.leave();
        Ok(result)
    }

    fn aggregate_kind(&self, ty: Ty) -> Option<AggregateKind> {
        Some(match *self.shape(ty) {
            TypeKind::Array(elem, ArrayLen::Known(n)) => AggregateKind::Array(elem, Some(n)),
            TypeKind::Array(elem, ArrayLen::Unknown) => AggregateKind::Array(elem, None),
            TypeKind::Vector(elem, n) => AggregateKind::Array(elem, Some(n.into())),
            TypeKind::Record(id) => match self.program.types.records[id.index()].kind {
                RecordKind::Struct => AggregateKind::Struct(id),
                RecordKind::Union => AggregateKind::Union(id, false),
            },
            _ => return None,
        })
    }

    fn braced_scalar(&mut self, ty: Ty, open: Token) -> ParseResult<(Init, u64)> {
        if self.tok() == Tok::RBrace {
            return invalid(open.span(), "empty scalar initializer");
        }
        let init = if self.tok() == Tok::LBrace {
            self.braced(ty)?.0
        } else {
            let e = self.assign_expr()?;
            self.init_from_expr(ty, e)?.0
        };
        while self.eat(Tok::Comma) && self.tok() != Tok::RBrace {
            self.skip_excess()?;
        }
        Ok((init, 0))
    }

    /// Parses an initialiser that initialises nothing.
    fn skip_excess(&mut self) -> ParseResult<()> {
        if self.tok() == Tok::LBrace {
            let anything = AggregateKind::Array(Ty::INT, None);
            self.enter()?;
            self.bump();
            self.braced_aggregate(Ty::INT, anything)?;
            self.expect(Tok::RBrace, "`}`")?;
            self.leave();
        } else {
            self.assign_expr()?;
        }
        Ok(())
    }

    fn braced_aggregate(&mut self, ty: Ty, shape: AggregateKind) -> ParseResult<(Init, u64)> {
        // `{ "…" }` for an array of characters.
        if let AggregateKind::Array(elem, _) = shape
            && self.tok() == Tok::Str
            && self.program.types.as_array(ty).is_some()
        {
            let mut after = 1;
            while self.peek(after).tok == Tok::Str {
                after += 1;
            }
            let closes = match self.peek(after).tok {
                Tok::RBrace => true,
                Tok::Comma => self.peek(after + 1).tok == Tok::RBrace,
                _ => false,
            };
            let character = self.program.types.int_kind(elem).is_some();
            if closes && character {
                let e = self.string_literal()?;
                self.eat(Tok::Comma);
                return self.init_from_expr(ty, e);
            }
        }
        let mut root = InitLevel::new(shape, (0, 0));
        if let AggregateKind::Array(elem, len) = shape
            && self.plain_elements(elem, len, &mut root)?
        {
            return Ok((Init::List(root.items), root.extent));
        }
        let mut levels = vec![root];
        while self.tok() != Tok::RBrace {
            if self.designator_ahead() {
                self.designators(&mut levels)?;
            }
            self.element(&mut levels)?;
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.close_to(&mut levels, 1)?;
        let root = &mut levels[0];
        let extent = root.extent;
        Ok((Init::List(std::mem::take(&mut root.items)), extent))
    }

    /// The elements of an array as long as they are braced or scalar, which is nearly always to
    /// the end: then the result is true.
    fn plain_elements(
        &mut self,
        elem: Ty,
        len: Option<u64>,
        root: &mut InitLevel,
    ) -> ParseResult<bool> {
        let scalar = self.aggregate_kind(elem).is_none();
        // Most lists are complete; the limit is for large arrays with few initialisers.
        root.items.reserve(len.unwrap_or(4).min(16) as usize);
        while self.tok() != Tok::RBrace {
            let at = root.next.0;
            if self.designator_ahead() || len.is_some_and(|n| at >= n) {
                return Ok(false);
            }
            let init = if self.tok() == Tok::LBrace {
                self.braced(elem)?.0
            } else if scalar {
                let e = self.assign_expr()?;
                Init::Expr(self.assign_convert(e, elem, "initializing")?)
            } else {
                return Ok(false);
            };
            root.items.push(InitItem { first: at, last: at, init });
            root.next = (at + 1, at + 1);
            root.extent = at + 1;
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        Ok(true)
    }

    fn designator_ahead(&self) -> bool {
        match self.tok() {
            Tok::Dot | Tok::LBracket => true,
            Tok::Ident => self.peek(1).tok == Tok::Colon,
            _ => false,
        }
    }

    /// `.a[1].b =`, or GNU's old `a:`. Leaves the levels at the designated object.
    fn designators(&mut self, levels: &mut Vec<InitLevel>) -> ParseResult<()> {
        self.close_to(levels, 1)?;
        if self.tok() == Tok::Ident {
            let name = self.bump();
            self.bump();
            return self.designate_member(levels, name);
        }
        let mut first = true;
        while let Tok::Dot | Tok::LBracket = self.tok() {
            if !first {
                self.open_sublevel(levels, self.cur.span())?;
            }
            first = false;
            if self.eat(Tok::Dot) {
                let name = self.expect(Tok::Ident, "member name")?;
                self.designate_member(levels, name)?;
            } else {
                self.designate_index(levels)?;
            }
        }
        // The `=` may be missing in GNU C's old `[1] 2`.
        self.eat(Tok::Assign);
        Ok(())
    }

    fn designate_member(&mut self, levels: &mut Vec<InitLevel>, name: Token) -> ParseResult<()> {
        let mut path = Vec::new();
        let record = match levels.last().map(|l| l.shape) {
            Some(AggregateKind::Struct(id) | AggregateKind::Union(id, _)) => Some(id),
            _ => None,
        };
        if !record.is_some_and(|id| self.find_member(id, name.sym, &mut path)) {
            let shown = self.name(name.sym);
            return invalid(name.span(), format!("unknown field `{shown}` in initializer"));
        }
        for (n, &index) in path.iter().enumerate() {
            if n > 0 {
                self.open_sublevel(levels, name.span())?;
            }
            if let Some(level) = levels.last_mut() {
                level.next = (index.into(), index.into());
                if let AggregateKind::Union(_, used) = &mut level.shape {
                    *used = false;
                }
            }
        }
        Ok(())
    }

    fn designate_index(&mut self, levels: &mut [InitLevel]) -> ParseResult<()> {
        let open = self.bump();
        let low = self.const_int("array index in initializer")?.0;
        let high = if self.eat(Tok::Ellipsis) {
            self.const_int("array index in initializer")?.0
        } else {
            low
        };
        self.expect(Tok::RBracket, "`]`")?;
        let span = self.span_from(open.lo);
        let Some(level) = levels.last_mut() else { return Ok(()) };
        let AggregateKind::Array(_, len) = level.shape else {
            return invalid(span, "array index in non-array initializer");
        };
        let limit = len.unwrap_or(1 << 40);
        let in_range = |n: i128| u64::try_from(n).ok().filter(|&n| n < limit);
        match (in_range(low), in_range(high)) {
            (Some(low), Some(high)) if low <= high => level.next = (low, high),
            _ => return invalid(span, "array index in initializer exceeds array bounds"),
        }
        Ok(())
    }

    /// One value, braced or not, at the current position.
    fn element(&mut self, levels: &mut Vec<InitLevel>) -> ParseResult<()> {
        let mut value = None;
        loop {
            let Some(ty) = self.position(levels) else {
                if levels.len() > 1 {
                    self.close_to(levels, levels.len() - 1)?;
                    continue;
                }
                if value.is_none() {
                    self.skip_excess()?;
                }
                return Ok(());
            };
            if self.tok() == Tok::LBrace && value.is_none() {
                let (init, _) = self.braced(ty)?;
                return self.put_here(levels, init);
            }
            let e = match value {
                Some(e) => e,
                None => self.assign_expr()?,
            };
            value = Some(e);
            if self.aggregate_kind(ty).is_none() || self.initialises_whole(ty, e) {
                let (init, _) = self.init_from_expr(ty, e)?;
                return self.put_here(levels, init);
            }
            if self.program.types.size_of(ty) != Some(0) {
                self.open_sublevel(levels, self.span(e))?;
            } else if !skip_empty(levels) {
                return Ok(());
            }
        }
    }

    /// Whether one value without braces initialises a whole aggregate.
    fn initialises_whole(&self, ty: Ty, e: ExprId) -> bool {
        match *self.shape(ty) {
            TypeKind::Array(elem, _) => self.string_fits(elem, e),
            _ => self.ty(e).unqual() == ty.unqual(),
        }
    }

    /// The type at the innermost level's next position; `None` if it is full.
    fn position(&mut self, levels: &mut [InitLevel]) -> Option<Ty> {
        let level = levels.last_mut()?;
        let field = match level.shape {
            AggregateKind::Array(elem, len) => {
                return len.is_none_or(|n| level.next.0 < n).then_some(elem);
            }
            AggregateKind::Union(_, true) => return None,
            AggregateKind::Struct(id) | AggregateKind::Union(id, _) => {
                let fields = &self.program.types.records[id.index()].fields;
                let mut index = level.next.0;
                // Unnamed bit-fields take no value.
                while fields
                    .get(index as usize)
                    .is_some_and(|f| f.name.is_none() && f.bits.is_some())
                {
                    index += 1;
                }
                level.next = (index, index);
                fields.get(index as usize)?.ty
            }
        };
        Some(self.canon(field))
    }

    /// Puts an initialiser at the current position and moves on.
    fn put_here(&mut self, levels: &mut [InitLevel], init: Init) -> ParseResult<()> {
        let Some(level) = levels.last_mut() else { return Ok(()) };
        let (first, last) = level.next;
        level.advance();
        self.put(level, InitItem { first, last, init })
    }

    /// Opens the aggregate at the current position, to continue its earlier initialiser.
    fn open_sublevel(&mut self, levels: &mut Vec<InitLevel>, span: Span) -> ParseResult<()> {
        let ty = self.position(levels);
        let Some(shape) = ty.and_then(|ty| self.aggregate_kind(ty)) else {
            return invalid(span, "designator or value for something that is no aggregate");
        };
        let Some(level) = levels.last_mut() else { return Ok(()) };
        let at = level.next;
        level.advance();
        let from = level.items.partition_point(|i| i.last < at.0);
        let earlier = level.items.get(from).filter(|i| i.first <= at.0 && i.last >= at.1);
        let mut sub = InitLevel::new(shape, at);
        match earlier.map(|i| i.init.clone()) {
            None => {}
            Some(Init::Expr(_)) => {
                return unsupported(span, "initializer that overrides part of an earlier one");
            }
            Some(Init::List(items)) => {
                for item in &items {
                    sub.extent = sub.extent.max(item.last.saturating_add(1));
                }
                sub.items = items;
            }
        }
        levels.push(sub);
        Ok(())
    }

    /// Closes levels until `depth` are left.
    fn close_to(&mut self, levels: &mut Vec<InitLevel>, depth: usize) -> ParseResult<()> {
        while levels.len() > depth {
            let Some(done) = levels.pop() else { break };
            let Some(parent) = levels.last_mut() else { break };
            let init = Init::List(done.items);
            self.put(parent, InitItem { first: done.at.0, last: done.at.1, init })?;
        }
        Ok(())
    }

    /// Inserts an item in order; it replaces what was there.
    fn put(&mut self, level: &mut InitLevel, item: InitItem) -> ParseResult<()> {
        level.extent = level.extent.max(item.last.saturating_add(1));
        let items = &mut level.items;
        if let AggregateKind::Union(_, used) = &mut level.shape {
            *used = true;
            items.clear();
        }
        if items.last().is_none_or(|i| i.last < item.first) {
            items.push(item);
            return Ok(());
        }
        let from = items.partition_point(|i| i.last < item.first);
        let to = items.partition_point(|i| i.first <= item.last);
        let mut replaced: Vec<InitItem> = items.drain(from..to).collect();
        let mut insert = Vec::with_capacity(3);
        let right = replaced.last().filter(|i| i.last > item.last).cloned();
        let left = (!replaced.is_empty() && replaced[0].first < item.first)
            .then(|| replaced.swap_remove(0));
        let (first, last) = (item.first, item.last);
        let same = matches!((&left, &right), (Some(l), Some(r)) if l.first == r.first);
        if let Some(left) = left {
            insert.push(InitItem { last: first - 1, ..left });
        }
        insert.push(item);
        if let Some(right) = right {
            // Both ends of one range remain: the tree wants two copies of its value.
            let init = if same { self.copy_init(&right.init)? } else { right.init };
            insert.push(InitItem { first: last + 1, last: right.last, init });
        }
        level.items.splice(from..from, insert);
        Ok(())
    }

    fn copy_init(&mut self, init: &Init) -> ParseResult<Init> {
        Ok(match init {
            Init::Expr(e) => Init::Expr(self.copy_expr(*e)?),
            Init::List(items) => {
                let mut copies = Vec::with_capacity(items.len());
                for item in items {
                    copies.push(InitItem { init: self.copy_init(&item.init)?, ..*item });
                }
                Init::List(copies)
            }
        })
    }

    /// A copy of a simple expression.
    fn copy_expr(&mut self, e: ExprId) -> ParseResult<ExprId> {
        use ExprKind::*;
        let Expr { kind, ty, span } = self.program.expr(e).clone();
        let kind = match kind {
            Int(_) | Float(_) | LongFloat { .. } | Str(_) | Var(_) | Func(_) | EnumConst(..) => {
                kind
            }
            SizeofType(_) | AlignofType(_) => kind,
            Unary(op, a) => Unary(op, self.copy_expr(a)?),
            Binary(op, a, b) => Binary(op, self.copy_expr(a)?, self.copy_expr(b)?),
            Cast(ty, a) => Cast(ty, self.copy_expr(a)?),
            Implicit(a) => Implicit(self.copy_expr(a)?),
            _ => return unsupported(span, "initializer of a range that is partly overridden"),
        };
        Ok(self.add_expr(kind, ty, span))
    }
}

impl InitLevel {
    fn new(shape: AggregateKind, at: (u64, u64)) -> InitLevel {
        InitLevel { shape, next: (0, 0), items: Vec::new(), at, extent: 0 }
    }

    /// Moves past the current position.
    fn advance(&mut self) {
        let after = self.next.1.saturating_add(1);
        self.next = (after, after);
        if let AggregateKind::Union(_, used) = &mut self.shape {
            *used = true;
        }
    }
}

/// Moves past an aggregate without room for a value: an empty member, or, since all elements of
/// an array are alike, a whole array. False if that array has no end: the value is in excess.
fn skip_empty(levels: &mut [InitLevel]) -> bool {
    let Some(level) = levels.last_mut() else { return false };
    match level.shape {
        AggregateKind::Array(_, None) => return false,
        AggregateKind::Array(_, Some(len)) => level.next = (len, len),
        AggregateKind::Struct(_) | AggregateKind::Union(..) => level.advance(),
    }
    true
}

fn known(len: ArrayLen) -> u64 {
    match len {
        ArrayLen::Known(n) => n,
        ArrayLen::Unknown => 0,
    }
}
