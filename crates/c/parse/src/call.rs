//! Function calls (C11 6.5.2.2), identifiers without a declaration, and the builtins whose
//! argument types need special treatment.
//!
//! A type-generic builtin is a [`Func`] without a prototype whose arguments are passed in the types
//! they have after decay: no default promotion is made for it.

use crate::builtins::{self, GenericBuiltin};
use crate::error::{ParseResult, invalid, unsupported};
use crate::parser::{Linked, Parser};
use crate::scope::Binding;
use crate::token::{Tok, Token};
use ctree::*;

impl Parser<'_> {
    pub(crate) fn make_call(
        &mut self,
        callee: ExprId,
        mut args: Vec<ExprId>,
        lo: u32,
    ) -> ParseResult<ExprId> {
        let span = self.span_from(lo);
        let callee = self.decay(callee);
        let types = &self.program.types;
        let function = types.pointee(self.ty(callee)).filter(|&t| types.as_function(t).is_some());
        let Some(fty) = function else {
            let shown = self.show(self.ty(callee));
            return invalid(span, format!("called object of type `{shown}` is not a function"));
        };
        let Some(f) = types.as_function(fty) else { return self.unexpected("function") };
        let (ret, fixed, variadic, proto) = (f.ret, f.params.len(), f.variadic, f.proto);
        if proto && (args.len() < fixed || args.len() > fixed && !variadic) {
            let word = if args.len() < fixed { "few" } else { "many" };
            let what = self.callee_name(callee);
            let message = format!("too {word} arguments to {what}");
            if let Some(name) = self.callee_symbol(callee)
                && self.loose.contains_key(&name)
            {
                // Declared as `f()`: GCC takes the call, which is undefined if it is reached.
                return unsupported(span, message);
            }
            return invalid(span, message);
        }
        for (i, arg) in args.iter_mut().enumerate() {
            let param = match self.program.types.as_function(fty) {
                Some(f) if proto => f.params.get(i).copied(),
                _ => None,
            };
            *arg = match param {
                Some(ty) => self.assign_convert(*arg, ty, "passing an argument of")?,
                None => self.promoted_argument(*arg)?,
            };
        }
        let ret = self.canon(ret).unqual();
        if !self.program.types.is_void(ret) && self.program.types.size_of(ret).is_none() {
            let shown = self.show(ret);
            return invalid(
                span,
                format!("call of a function that returns incomplete type `{shown}`"),
            );
        }
        Ok(self.add_expr(ExprKind::Call(callee, args.into_boxed_slice()), ret, span))
    }

    fn promoted_argument(&mut self, arg: ExprId) -> ParseResult<ExprId> {
        let e = self.default_promote(arg);
        if self.program.types.size_of(self.ty(e)).is_none() {
            return invalid(self.span(e), "void or incomplete value passed as an argument");
        }
        Ok(e)
    }

    fn callee_symbol(&self, callee: ExprId) -> Option<Sym> {
        let ExprKind::Implicit(e) = *self.kind(callee) else { return None };
        let ExprKind::Func(id) = *self.kind(e) else { return None };
        Some(self.program.func(id).name)
    }

    fn callee_name(&self, callee: ExprId) -> String {
        match self.callee_symbol(callee) {
            Some(name) => format!("function `{}`", self.name(name)),
            None => "function".to_string(),
        }
    }

    /// An identifier that no scope declares: a builtin, an implicitly declared function, or wrong.
    pub(crate) fn undeclared(&mut self, token: Token) -> ParseResult<ExprId> {
        let span = token.span();
        let name = self.name(token.sym).to_string();
        if let Some(short) = name.strip_prefix("__builtin_") {
            if let Some(generic) = builtins::generic(short) {
                return self.generic_builtin(generic, token);
            }
            let Some(id) = self.builtin_function(token.sym, short) else {
                return unsupported(span, format!("builtin function `{name}`"));
            };
            let ty = self.program.func(id).ty;
            return Ok(self.add_expr(ExprKind::Func(id), ty, span));
        }
        if name.starts_with("__sync_") || name.starts_with("__atomic_") || name == "alloca" {
            return unsupported(span, format!("builtin function `{name}`"));
        }
        if self.tok() != Tok::LParen {
            return invalid(span, format!("`{name}` undeclared"));
        }
        let id = self.implicit_function(token.sym, span);
        let ty = self.program.func(id).ty;
        let ty = self.canon(ty);
        Ok(self.add_expr(ExprKind::Func(id), ty, span))
    }

    /// The entry of a builtin, made on first use.
    fn builtin_function(&mut self, name: Sym, short: &str) -> Option<FuncId> {
        if let Some(&id) = self.builtins.get(&name) {
            return Some(id);
        }
        let signature = builtins::signature(short)?;
        let ty = self.signature_type(&signature);
        Some(self.add_builtin(name, ty, builtins::is_noreturn(short)))
    }

    fn add_builtin(&mut self, name: Sym, ty: Ty, noreturn: bool) -> FuncId {
        let id = self.new_func(name, ty, Span::NONE);
        self.program.funcs[id.index()].noreturn = noreturn;
        self.builtins.insert(name, id);
        id
    }

    /// A function entry without a body.
    pub(crate) fn new_func(&mut self, name: Sym, ty: Ty, span: Span) -> FuncId {
        self.program.funcs.push(Func {
            name,
            ty,
            storage: FuncStorage::Extern,
            inline: false,
            noreturn: false,
            old_style: false,
            params: Vec::new(),
            body: None,
            span,
        });
        FuncId(self.program.funcs.len() as u32 - 1)
    }

    /// The type that a signature of the table describes.
    pub(crate) fn signature_type(&mut self, signature: &str) -> Ty {
        let mut codes = signature.bytes();
        let ret = self.signature_part(&mut codes).unwrap_or(Ty::VOID);
        let mut params = Vec::new();
        let mut variadic = false;
        while let Some(ty) = self.signature_part(&mut codes) {
            params.push(ty);
        }
        if signature.ends_with('.') {
            variadic = true;
        }
        let params = params.into_boxed_slice();
        self.intern(TypeKind::Function(FuncType { ret, params, variadic, proto: true }))
    }

    fn signature_part(&mut self, codes: &mut std::str::Bytes<'_>) -> Option<Ty> {
        let constant = |ty: Ty| ty.qualified(Quals::CONST);
        Some(match codes.next()? {
            b'v' => Ty::VOID,
            b'b' => Ty::BOOL,
            b'i' => Ty::INT,
            b'h' => Ty::USHORT,
            b'u' => Ty::UINT,
            b'l' => Ty::LONG,
            b'z' => self.program.types.model.size_type().ty(),
            b'q' => Ty::LLONG,
            b'Q' => Ty::ULLONG,
            b'X' => Ty::UINT128,
            b'f' => Ty::FLOAT,
            b'd' => Ty::DOUBLE,
            b'D' => Ty::LDOUBLE,
            b'V' => Ty::VA_LIST,
            b'p' => self.pointer_to(Ty::VOID),
            b'P' => self.pointer_to(constant(Ty::VOID)),
            b's' => self.pointer_to(Ty::CHAR),
            b'S' => self.pointer_to(constant(Ty::CHAR)),
            b'*' => {
                let to = self.signature_part(codes)?;
                self.pointer_to(to)
            }
            _ => return None,
        })
    }

    /// `int f()`, or the prototype of a library function GCC knows (6.5.2.2 in C89).
    fn implicit_function(&mut self, name: Sym, span: Span) -> FuncId {
        let id = match self.linked.get(&name) {
            Some(&Linked::Func(id)) => id,
            _ => {
                let ty = match builtins::library_signature(self.name(name)) {
                    Some(signature) => self.signature_type(&signature),
                    None => self.intern(TypeKind::Function(FuncType {
                        ret: Ty::INT,
                        params: Box::default(),
                        variadic: false,
                        proto: false,
                    })),
                };
                let id = self.new_func(name, ty, span);
                self.program.funcs[id.index()].noreturn =
                    builtins::is_noreturn(self.program.name(name));
                self.linked.insert(name, Linked::Func(id));
                self.implicit.push(Item::FuncDecl(id));
                self.loose.insert(name, ());
                id
            }
        };
        self.scopes.bind(name, Binding::Func(id));
        id
    }

    /// A call to a builtin that takes arguments of any fitting type.
    fn generic_builtin(&mut self, generic: GenericBuiltin, token: Token) -> ParseResult<ExprId> {
        let mark = self.arena_mark();
        let args = self.arguments()?;
        let span = self.span_from(token.lo);
        let wanted = generic.arity();
        if args.len() != wanted {
            let word = if args.len() < wanted { "few" } else { "many" };
            let name = self.name(token.sym);
            return invalid(span, format!("too {word} arguments to function `{name}`"));
        }
        match generic {
            GenericBuiltin::ConstantP => {
                let constant = self.is_constant(args[0]);
                self.drop_nodes_since(mark);
                return Ok(self.int_node(constant.into(), Ty::INT, span));
            }
            GenericBuiltin::ClassifyType => {
                let class = self.type_class(args[0]);
                self.drop_nodes_since(mark);
                return Ok(self.int_node(class, Ty::INT, span));
            }
            _ => {}
        }
        self.check_generic_arguments(generic, &args, token)?;
        let ret = if let GenericBuiltin::Overflow | GenericBuiltin::OverflowP = generic {
            Ty::BOOL
        } else {
            Ty::INT
        };
        let id = match self.builtins.get(&token.sym) {
            Some(&id) => id,
            None => {
                let params = Box::default();
                let function = FuncType { ret, params, variadic: false, proto: false };
                let ty = self.intern(TypeKind::Function(function));
                self.add_builtin(token.sym, ty, false)
            }
        };
        let fty = self.program.func(id).ty;
        let callee = self.add_expr(ExprKind::Func(id), fty, token.span());
        let callee = self.decay(callee);
        let args: Vec<ExprId> = args.into_iter().map(|a| self.decay(a)).collect();
        Ok(self.add_expr(ExprKind::Call(callee, args.into_boxed_slice()), ret, span))
    }

    fn check_generic_arguments(
        &mut self,
        generic: GenericBuiltin,
        args: &[ExprId],
        token: Token,
    ) -> ParseResult<()> {
        let types = &self.program.types;
        let name = self.name(token.sym);
        let plain_integer =
            |ty: Ty| matches!(types.shape(ty), TypeKind::Int(kind) if *kind != IntKind::Bool);
        for (i, &arg) in args.iter().enumerate() {
            let ty = self.ty(arg);
            let good = match generic {
                GenericBuiltin::Overflow if i == 2 => {
                    types.pointee(ty).is_some_and(|t| plain_integer(t) && !t.is_const())
                        || types.as_array(ty).is_some_and(|(t, _)| plain_integer(t))
                }
                GenericBuiltin::Overflow => types.is_integer(ty),
                GenericBuiltin::OverflowP => types.is_integer(ty),
                GenericBuiltin::FloatClassify if i < 5 => types.is_integer(ty),
                GenericBuiltin::FloatClassify | GenericBuiltin::FloatTest => {
                    types.float_kind(ty).is_some()
                }
                GenericBuiltin::FloatCompare => types.is_arithmetic(ty),
                GenericBuiltin::ConstantP | GenericBuiltin::ClassifyType => true,
            };
            if !good {
                let shown = self.show(ty);
                let message = format!("argument {} of `{name}` has wrong type `{shown}`", i + 1);
                return invalid(self.span(arg), message);
            }
        }
        Ok(())
    }

    /// The result of `__builtin_constant_p` without an optimiser.
    fn is_constant(&self, e: ExprId) -> bool {
        match *self.kind(e) {
            ExprKind::Str(_) => true,
            ExprKind::Implicit(a) => self.is_constant(a),
            _ => self.fold_num(e).is_some(),
        }
    }

    /// GCC's `enum type_class` for `__builtin_classify_type`, of the decayed type.
    fn type_class(&self, e: ExprId) -> u64 {
        let types = &self.program.types;
        match *self.shape(self.ty(e)) {
            TypeKind::Void => 0,
            TypeKind::Int(_) | TypeKind::Enum(_) => 1,
            TypeKind::Pointer(_) | TypeKind::Array(..) | TypeKind::Function(_) => 5,
            TypeKind::Float(_) => 8,
            TypeKind::Record(id) => match types.records[id.index()].kind {
                RecordKind::Struct => 12,
                RecordKind::Union => 13,
            },
            TypeKind::VaList => 5,
            TypeKind::Vector(..) | TypeKind::Typedef(_) => u64::from(u32::MAX),
        }
    }
}
