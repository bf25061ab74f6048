//! Declarators and abstract declarators (C11 6.7.6, 6.7.7).
//!
//! A declarator is parsed from the outside in but applies from the inside out. Its parts are collected
//! as [`DeclaratorPart`]s in the order in which they apply to the name, and the type is then built from
//! the last to the first. Variable-length arrays are refused except as parameters, where the outermost
//! array is a pointer anyway.

use crate::attr::Attrs;
use crate::error::{ParseResult, invalid, unsupported};
use crate::parser::Parser;
use crate::scope::{Binding, Tag};
use crate::specs::StorageSpec;
use crate::token::{Tok, Token};
use ctree::*;

/// One part of a declarator.
pub(crate) enum DeclaratorPart {
    Pointer(Quals),
    Array(ArrayBound, Quals, Span),
    Function(Box<Params>, Span),
}

/// An array bound as written.
#[derive(Clone, Copy)]
pub(crate) enum ArrayBound {
    Known(u64),
    Open,
    Variable,
}

/// A parameter of a prototype.
pub(crate) struct Param {
    pub name: Option<Token>,
    pub ty: Ty,
    pub register: bool,
    pub span: Span,
}

/// A parameter list.
#[derive(Default)]
pub(crate) struct Params {
    pub list: Vec<Param>,
    pub variadic: bool,
    pub proto: bool,
    /// Names of an old-style definition.
    pub names: Vec<Token>,
    /// Tags the list declared, visible again in a function's body.
    pub tags: Vec<(Sym, Tag)>,
}

/// A parsed declarator.
pub(crate) struct Declarator {
    pub name: Token,
    pub ty: Ty,
    pub attrs: Attrs,
    /// The parameter list, if the name itself is declared as a function.
    pub params: Option<Box<Params>>,
}

/// Whether a declarator must, may or must not have a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Required,
    Optional,
    Forbidden,
}

impl Parser<'_> {
    /// A declarator with a name.
    pub(crate) fn declarator(&mut self, base: Ty) -> ParseResult<Declarator> {
        // The plain name is by far the most frequent declarator.
        if self.tok() == Tok::Ident && !matches!(self.peek(1).tok, Tok::LBracket | Tok::LParen) {
            let name = self.bump();
            return Ok(Declarator { name, ty: base, attrs: Attrs::default(), params: None });
        }
        let start = self.parts.len();
        let mut name = None;
        let mut attrs = Attrs::default();
        self.collect(Naming::Required, &mut name, &mut attrs)?;
        let Some(name) = name else { return self.unexpected("identifier") };
        let (ty, params) = self.build(base, start, false)?;
        Ok(Declarator { name, ty, attrs, params })
    }

    /// A declarator without a name, as in a type name.
    pub(crate) fn abstract_declarator(&mut self, base: Ty) -> ParseResult<Ty> {
        if self.tok() == Tok::RParen {
            return Ok(base);
        }
        let start = self.parts.len();
        let mut attrs = Attrs::default();
        self.collect(Naming::Forbidden, &mut None, &mut attrs)?;
        Ok(self.build(base, start, false)?.0)
    }

    /// Pushes the chunks of a declarator, nearest to the name first.
    fn collect(
        &mut self,
        naming: Naming,
        name: &mut Option<Token>,
        attrs: &mut Attrs,
    ) -> ParseResult<()> {
        let mut pointers = Vec::new();
        self.attributes(attrs)?;
        while self.eat(Tok::Star) {
            pointers.push(self.pointer_quals(attrs)?);
        }
        match self.tok() {
            Tok::Ident if naming != Naming::Forbidden => *name = Some(self.bump()),
            Tok::LParen if naming == Naming::Required || !self.parameters_ahead() => {
                self.enter()?;
                self.bump();
                self.collect(naming, name, attrs)?;
                self.expect(Tok::RParen, "`)`")?;
                self.leave();
            }
            _ if naming == Naming::Required => return self.unexpected("identifier or `(`"),
            _ => {}
        }
        loop {
            match self.tok() {
                Tok::LBracket => self.array_suffix()?,
                Tok::LParen => self.function_suffix()?,
                _ => break,
            }
        }
        for quals in pointers.into_iter().rev() {
            self.parts.push(DeclaratorPart::Pointer(quals));
        }
        Ok(())
    }

    /// Whether a parameter list, not a nested declarator, follows a `(` before the name.
    fn parameters_ahead(&self) -> bool {
        match self.peek(1).tok {
            Tok::RParen | Tok::Ellipsis => true,
            Tok::KwAttribute => false,
            Tok::Ident => self.is_type_name(self.peek(1).sym),
            tok => tok.starts_declaration(),
        }
    }

    fn pointer_quals(&mut self, attrs: &mut Attrs) -> ParseResult<Quals> {
        let mut quals = Quals::NONE;
        loop {
            quals = quals.with(match self.tok() {
                Tok::KwConst => Quals::CONST,
                Tok::KwVolatile => Quals::VOLATILE,
                Tok::KwRestrict => Quals::RESTRICT,
                Tok::KwAtomic => return unsupported(self.cur.span(), "`_Atomic`"),
                Tok::KwAttribute => {
                    self.attributes(attrs)?;
                    continue;
                }
                // clang's nullability qualifiers and the like are identifiers here: not supported.
                _ => return Ok(quals),
            });
            self.bump();
        }
    }

    fn array_suffix(&mut self) -> ParseResult<()> {
        self.enter()?;
        let open = self.bump();
        let mut quals = Quals::NONE;
        loop {
            quals = quals.with(match self.tok() {
                Tok::KwConst => Quals::CONST,
                Tok::KwVolatile => Quals::VOLATILE,
                Tok::KwRestrict => Quals::RESTRICT,
                Tok::KwStatic => Quals::NONE,
                _ => break,
            });
            self.bump();
        }
        let bound = match self.tok() {
            Tok::RBracket => ArrayBound::Open,
            Tok::Star if self.peek(1).tok == Tok::RBracket => {
                self.bump();
                ArrayBound::Variable
            }
            _ => self.array_bound()?,
        };
        self.expect(Tok::RBracket, "`]`")?;
        self.leave();
        let span = self.span_from(open.lo);
        self.parts.push(DeclaratorPart::Array(bound, quals, span));
        Ok(())
    }

    fn array_bound(&mut self) -> ParseResult<ArrayBound> {
        let mark = self.arena_mark();
        let e = self.assign_expr()?;
        let span = self.span(e);
        if !self.program.types.is_integer(self.ty(e)) {
            return invalid(span, "size of array has non-integer type");
        }
        let Some(value) = self.fold_int(e) else {
            if self.effects_since(mark) {
                return unsupported(span, "variable-length array whose length has side effects");
            }
            return Ok(ArrayBound::Variable);
        };
        self.drop_nodes_since(mark);
        match u64::try_from(value) {
            Ok(n) => Ok(ArrayBound::Known(n)),
            Err(_) if value < 0 => invalid(span, "size of array is negative"),
            Err(_) => invalid(span, "size of array is too large"),
        }
    }

    fn function_suffix(&mut self) -> ParseResult<()> {
        self.enter()?;
        let open = self.bump();
        let mut params = Params::default();
        if self.tok() == Tok::RParen {
            // `()`: nothing is known about the parameters.
        } else if self.tok() == Tok::Ident && !self.is_type_name(self.cur.sym) {
            loop {
                params.names.push(self.expect(Tok::Ident, "parameter name")?);
                if !self.eat(Tok::Comma) {
                    break;
                }
            }
        } else {
            params.proto = true;
            self.parameter_list(&mut params)?;
        }
        self.expect(Tok::RParen, "`)`")?;
        self.leave();
        let span = self.span_from(open.lo);
        self.parts.push(DeclaratorPart::Function(Box::new(params), span));
        Ok(())
    }

    /// The parameters of a prototype, in a scope of their own so that later ones may refer to
    /// earlier ones in array bounds. The variables created for that are dropped again.
    fn parameter_list(&mut self, params: &mut Params) -> ParseResult<()> {
        if self.tok() == Tok::KwVoid && self.peek(1).tok == Tok::RParen {
            self.bump();
            return Ok(());
        }
        self.scopes.push();
        let vars = self.program.vars.len();
        let exprs = self.arena_mark();
        loop {
            if self.eat(Tok::Ellipsis) {
                params.variadic = true;
                break;
            }
            let param = self.parameter()?;
            if let Some(name) = param.name {
                if self.scopes.name_here(name.sym) != Binding::None {
                    let shown = self.name(name.sym);
                    return invalid(name.span(), format!("redefinition of parameter `{shown}`"));
                }
                let var = self.new_var(name, param.ty, Scope::Param);
                self.scopes.bind(name.sym, Binding::Var(var));
            }
            params.list.push(param);
            if self.tok() == Tok::Semi {
                return unsupported(self.cur.span(), "forward declaration of a parameter");
            }
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        params.tags = self.scopes.tags_here();
        self.scopes.pop();
        self.drop_nodes_since(exprs);
        self.program.vars.truncate(vars);
        // A lone unnamed parameter of type `void` behind a typedef is an empty list, too.
        if let [only] = &params.list[..]
            && only.name.is_none()
            && self.program.types.is_void(only.ty)
        {
            params.list.clear();
        }
        Ok(())
    }

    fn parameter(&mut self) -> ParseResult<Param> {
        let lo = self.cur.lo;
        let specs = self.specs(false)?;
        if specs.ty.is_none() && self.deferred.is_none() && specs.storage == StorageSpec::None {
            return self.unexpected("parameter declaration");
        }
        let start = self.parts.len();
        let mut name = None;
        let mut attrs = Attrs::default();
        if !matches!(self.tok(), Tok::Comma | Tok::RParen) {
            self.collect(Naming::Optional, &mut name, &mut attrs)?;
            self.attributes(&mut attrs)?;
        }
        let (ty, _) = self.build(specs.base(), start, true)?;
        let span = self.span_from(lo);
        let ty = self.apply_type_attrs(ty, &attrs, span)?;
        let ty = self.adjust_parameter(ty);
        let register = specs.storage == StorageSpec::Register;
        Ok(Param { name, ty, register, span: name.map_or(span, Token::span) })
    }

    /// Arrays and functions become pointers (6.7.6.3p7, p8).
    pub(crate) fn adjust_parameter(&mut self, ty: Ty) -> Ty {
        match *self.shape(ty) {
            TypeKind::Array(..) => {
                // The element as written, where the array itself is not a typedef.
                let elem = match *self.program.types.kind(ty) {
                    TypeKind::Array(elem, _) => elem.qualified(ty.quals()),
                    _ => {
                        let whole = self.canon(ty);
                        self.program.types.as_array(whole).map_or(Ty::INT, |(elem, _)| elem)
                    }
                };
                self.pointer_to(elem)
            }
            TypeKind::Function(_) => self.pointer_to(ty.unqual()),
            _ => ty,
        }
    }

    /// Builds the type from the chunks pushed since `start`, and hands out the parameter list if
    /// the declarator is a function's.
    fn build(
        &mut self,
        base: Ty,
        start: usize,
        parameter: bool,
    ) -> ParseResult<(Ty, Option<Box<Params>>)> {
        let mut ty = base;
        let mut outermost = None;
        while self.parts.len() > start {
            self.check_height()?;
            let last = self.parts.len() == start + 1;
            ty = match self.parts.pop() {
                Some(DeclaratorPart::Pointer(quals)) => self.pointer_to(ty).qualified(quals),
                Some(DeclaratorPart::Array(bound, quals, span)) => {
                    self.build_array(ty, bound, quals, parameter && last, span)?
                }
                Some(DeclaratorPart::Function(params, span)) => {
                    let made = self.build_function(ty, &params, span)?;
                    if last {
                        outermost = Some(params);
                    }
                    made
                }
                None => ty,
            };
        }
        Ok((ty, outermost))
    }

    fn build_array(
        &mut self,
        elem: Ty,
        bound: ArrayBound,
        quals: Quals,
        decays: bool,
        span: Span,
    ) -> ParseResult<Ty> {
        if self.program.types.as_function(elem).is_some() {
            return invalid(span, "declaration of an array of functions");
        }
        if self.program.types.size_of(elem).is_none() && self.deferred.is_none() {
            let shown = self.show(elem);
            return invalid(span, format!("array has incomplete element type `{shown}`"));
        }
        if decays {
            return Ok(self.pointer_to(elem).qualified(quals));
        }
        match bound {
            ArrayBound::Known(n) => self.array_of(elem, n, span),
            ArrayBound::Open => Ok(self.intern(TypeKind::Array(elem, ArrayLen::Unknown))),
            ArrayBound::Variable => unsupported(span, "variable-length array"),
        }
    }

    fn build_function(&mut self, ret: Ty, params: &Params, span: Span) -> ParseResult<Ty> {
        match self.shape(ret) {
            TypeKind::Array(..) => return invalid(span, "function returning an array"),
            TypeKind::Function(_) => return invalid(span, "function returning a function"),
            _ => {}
        }
        if params.list.iter().any(|p| self.program.types.is_void(p.ty)) {
            return invalid(span, "parameter has type void");
        }
        let types = params.list.iter().map(|p| p.ty.unqual()).collect();
        Ok(self.intern(TypeKind::Function(FuncType {
            ret: ret.unqual(),
            params: types,
            variadic: params.variadic,
            proto: params.proto,
        })))
    }
}
