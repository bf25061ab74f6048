//! Function definitions (C11 6.9.1), old-style ones included.

use crate::declarator::{Declarator, Param, Params};
use crate::error::{ParseResult, invalid};
use crate::parser::{FunctionContext, Parser};
use crate::scope::Binding;
use crate::specs::{Specs, StorageSpec};
use crate::token::{Tok, Token};
use ctree::*;

impl Parser<'_> {
    /// Everything after the declarator of a function definition.
    pub(crate) fn function_definition(
        &mut self,
        specs: &Specs,
        mut d: Declarator,
    ) -> ParseResult<()> {
        if specs.storage == StorageSpec::Typedef {
            return invalid(d.name.span(), "function definition declared `typedef`");
        }
        let Some(mut params) = d.params.take() else {
            return invalid(d.name.span(), "function definition without a parameter list");
        };
        let old_style = !params.names.is_empty();
        d.params = Some(params);
        let id = self.declare_function(specs, &d)?;
        if self.program.func(id).body.is_some() {
            return self.redeclared(d.name, "redefinition of");
        }
        let gnu_inline = specs.attrs.gnu_inline || d.attrs.gnu_inline;
        if gnu_inline && specs.storage == StorageSpec::Extern {
            return self.skip_inline_body(id);
        }
        params = d.params.take().unwrap_or_default();
        self.scopes.push();
        if old_style {
            self.old_style_declarations(&mut params)?;
        } else if self.tok() != Tok::LBrace {
            return self.unexpected("`{`");
        }
        for &(sym, tag) in &params.tags {
            self.scopes.bind_tag(sym, tag);
        }
        let vars = self.bind_parameters(&params)?;
        let func = &mut self.program.funcs[id.index()];
        func.params = vars;
        func.old_style = old_style;
        func.span = d.name.span();
        if specs.storage == StorageSpec::None && func.storage == FuncStorage::Extern {
            func.storage = FuncStorage::None;
        }
        let ty = func.ty;
        let ty = self.canon(ty);
        let ret = self.program.types.as_function(ty).map_or(Ty::INT, |f| f.ret);
        if self.program.types.size_of(ret).is_none() && !self.program.types.is_void(ret) {
            return invalid(d.name.span(), "return type is an incomplete type");
        }
        let body = self.function_body(d.name.sym, ret)?;
        self.scopes.pop();
        self.program.funcs[id.index()].body = Some(body);
        self.flush_pending_to_file();
        self.items.append(&mut self.implicit);
        self.items.push(Item::Func(id));
        Ok(())
    }

    /// An `extern` function with GNU's old inline semantics is defined elsewhere; the body here
    /// only serves inlining, and such bodies in C libraries use other builtins.
    fn skip_inline_body(&mut self, id: FuncId) -> ParseResult<()> {
        let mut open = 0u32;
        loop {
            match self.bump().tok {
                Tok::LBrace => open += 1,
                Tok::RBrace if open <= 1 => break,
                Tok::RBrace => open -= 1,
                Tok::Eof => return self.unexpected("`}`"),
                _ => {}
            }
        }
        self.flush_pending_to_file();
        self.items.push(Item::FuncDecl(id));
        Ok(())
    }

    fn function_body(&mut self, name: Sym, ret: Ty) -> ParseResult<StmtId> {
        self.func =
            FunctionContext { ret: Some(ret), name: Some(name), ..FunctionContext::default() };
        let body = self.block_in_scope()?;
        let mut missing: Option<(Sym, Span)> = None;
        for (&label, &(_, defined, span)) in &self.func.labels {
            if !defined && missing.is_none_or(|(_, first)| span < first) {
                missing = Some((label, span));
            }
        }
        self.func = FunctionContext::default();
        match missing {
            Some((label, span)) => {
                invalid(span, format!("label `{}` used but not defined", self.name(label)))
            }
            None => Ok(body),
        }
    }

    /// Makes the parameters of a definition visible in its body.
    fn bind_parameters(&mut self, params: &Params) -> ParseResult<Vec<VarId>> {
        let mut vars = Vec::with_capacity(params.list.len());
        for param in &params.list {
            let name = match param.name {
                Some(name) => name,
                // GCC takes unnamed parameters in definitions.
                None => {
                    let sym = self.fresh_tag();
                    Token { tok: Tok::Ident, lo: param.span.lo, hi: param.span.hi, sym }
                }
            };
            if self.program.types.size_of(param.ty).is_none() {
                let shown = self.name(name.sym);
                return invalid(name.span(), format!("parameter `{shown}` has incomplete type"));
            }
            let id = self.new_var(name, param.ty, Scope::Param);
            if param.register {
                self.program.vars[id.index()].storage = Storage::Register;
            }
            self.scopes.bind(name.sym, Binding::Var(id));
            vars.push(id);
        }
        Ok(vars)
    }

    /// The declarations between an old-style parameter list and the body. Parameters that none
    /// mentions are `int`.
    fn old_style_declarations(&mut self, params: &mut Params) -> ParseResult<()> {
        let mut types: Vec<Option<(Ty, bool)>> = vec![None; params.names.len()];
        while self.tok() != Tok::LBrace {
            let specs = self.specs(false)?;
            if specs.ty.is_none() && specs.storage != StorageSpec::Register {
                return self.unexpected("declaration of a parameter");
            }
            loop {
                if self.tok() == Tok::Semi {
                    break;
                }
                let mut d = self.declarator(specs.base())?;
                self.attributes(&mut d.attrs)?;
                self.check_deferred()?;
                let Some(at) = params.names.iter().position(|n| n.sym == d.name.sym) else {
                    return self
                        .redeclared(d.name, "declaration for a parameter that is not listed:");
                };
                if types[at].is_some() {
                    return self.redeclared(d.name, "redefinition of parameter");
                }
                let ty = self.adjust_parameter(d.ty);
                types[at] = Some((ty, specs.storage == StorageSpec::Register));
                if !self.eat(Tok::Comma) {
                    break;
                }
            }
            self.expect(Tok::Semi, "`;`")?;
        }
        let declared = params.names.iter().zip(types);
        params.list = declared
            .map(|(&name, ty)| {
                let (ty, register) = ty.unwrap_or((Ty::INT, false));
                Param { name: Some(name), ty, register, span: name.span() }
            })
            .collect();
        Ok(())
    }
}
