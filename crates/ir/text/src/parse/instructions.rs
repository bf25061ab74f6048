//! Instructions but calls and those on memory, and the types of results.

use std::sync::Arc;

use super::{Parser, Read};
use crate::lex::{Name, Token};
use crate::op::{
    Binary, Cast, FastMath, FloatPredicate, Funclet, GepFlags, Instruction, IntFlags, IntPredicate,
    Op, Typed, Value,
};
use crate::tree::{BlockId, Type};

impl<'t> Parser<'t> {
    /// A type, and a value of it.
    pub(super) fn typed(&mut self) -> Read<Typed> {
        let ty = self.ty()?;
        let value = self.value(&ty)?;
        Ok(Typed { ty, value })
    }

    /// A value of a type.
    pub(super) fn value(&mut self, ty: &Type) -> Read<Value> {
        match self.token {
            _ if *ty == Type::Metadata => Ok(Value::Metadata(self.metadata()?)),
            Token::Local(name) => {
                let local = self.scope.used(name, ty, self.line)?;
                self.step()?;
                Ok(Value::Local(local))
            }
            _ => Ok(Value::Constant(self.constant(ty)?)),
        }
    }

    /// A value behind a comma.
    pub(super) fn next_typed(&mut self) -> Read<Typed> {
        self.expect(b',')?;
        self.typed()
    }

    /// `%name`, as a block.
    pub(super) fn block_name(&mut self) -> Read<BlockId> {
        let Token::Local(name) = self.token else { return self.expected("a block") };
        let id = self.scope.target(name, self.line);
        self.step()?;
        Ok(id)
    }

    /// `label %name`.
    pub(super) fn target(&mut self) -> Read<BlockId> {
        self.expect_word("label")?;
        self.block_name()
    }

    /// One instruction, with what stands before and behind it.
    pub(super) fn instruction(&mut self) -> Read<Instruction> {
        let mut records = Vec::new();
        while let Token::Record(kind) = self.token {
            self.step()?;
            let text = format!("#{kind}({})", self.in_parentheses()?);
            records.push(self.keep(text));
        }
        let line = self.line;
        let name = self.result_name()?;
        let Token::Word(word) = self.token else { return self.expected("an instruction") };
        self.step()?;
        let op = self.op(word)?;
        self.check(&op)?;
        let ty = self.type_of(&op)?;
        let result = match ty {
            Type::Void if name.is_some() => {
                return self.refuse_before("a name for what has no result");
            }
            Type::Void => None,
            ty => Some(self.scope.define(name, ty, line)?),
        };
        let attachments = self.attachments()?;
        Ok(Instruction { records, result, op, attachments, line })
    }

    fn result_name(&mut self) -> Read<Option<Name<'t>>> {
        let Token::Local(name) = self.token else { return Ok(None) };
        self.step()?;
        self.expect(b'=')?;
        Ok(Some(name))
    }

    fn op(&mut self, word: &'t str) -> Read<Op> {
        if let Some(op) = Binary::of_word(word) {
            let (flags, fast) = (self.int_flags()?, self.fast_math()?);
            let left = self.typed()?;
            self.expect(b',')?;
            let right = self.value(&left.ty)?;
            return Ok(Op::Binary { op, flags, fast, left, right });
        }
        if let Some(op) = Cast::of_word(word) {
            let (flags, fast) = (self.int_flags()?, self.fast_math()?);
            let from = self.typed()?;
            self.expect_word("to")?;
            return Ok(Op::Cast { op, flags, fast, from, to: self.ty()? });
        }
        match word {
            "ret" => Ok(Op::Ret(match self.token {
                Token::Word("void") => {
                    self.step()?;
                    None
                }
                _ => Some(self.typed()?),
            })),
            "br" => self.branch(),
            "switch" => self.switch(),
            "indirectbr" => self.indirect_branch(),
            "unreachable" => Ok(Op::Unreachable),
            "resume" => Ok(Op::Resume(self.typed()?)),
            "landingpad" => self.landing_pad(),
            "catchswitch" | "catchpad" | "cleanuppad" | "catchret" | "cleanupret" => {
                Ok(Op::Funclet(Box::new(self.funclet(word)?)))
            }
            "fneg" => Ok(Op::FNeg { flags: self.fast_math()?, of: self.typed()? }),
            "icmp" | "fcmp" => self.comparison(word == "icmp"),
            "select" => Ok(Op::Select {
                flags: self.fast_math()?,
                condition: self.typed()?,
                then: self.next_typed()?,
                otherwise: self.next_typed()?,
            }),
            "freeze" => Ok(Op::Freeze(self.typed()?)),
            "phi" => self.phi(),
            "extractelement" => {
                Ok(Op::ExtractElement { vector: self.typed()?, index: self.next_typed()? })
            }
            "insertelement" => Ok(Op::InsertElement {
                vector: self.typed()?,
                element: self.next_typed()?,
                index: self.next_typed()?,
            }),
            "shufflevector" => Ok(Op::ShuffleVector {
                left: self.typed()?,
                right: self.next_typed()?,
                mask: self.next_typed()?,
            }),
            "extractvalue" => {
                Ok(Op::ExtractValue { aggregate: self.typed()?, indices: self.indices()? })
            }
            "insertvalue" => Ok(Op::InsertValue {
                aggregate: self.typed()?,
                element: self.next_typed()?,
                indices: self.indices()?,
            }),
            "alloca" => self.alloca(),
            "load" => self.load(),
            "store" => self.store(),
            "fence" => Ok(Op::Fence(self.ordering()?)),
            "cmpxchg" => self.compare_exchange(),
            "atomicrmw" => self.read_modify_write(),
            "getelementptr" => self.gep(),
            "call" | "tail" | "musttail" | "notail" => self.call_op(word),
            "invoke" => self.invoke(),
            "callbr" => self.call_branch(),
            "va_arg" => {
                let list = self.typed()?;
                self.expect(b',')?;
                Ok(Op::VaArg { list, ty: self.ty()? })
            }
            _ => self.refuse_before(format!("`{word}` is no instruction")),
        }
    }

    /// Flags of integers; those that the operation cannot have are refused by LLVM.
    pub(super) fn int_flags(&mut self) -> Read<IntFlags> {
        let mut flags = IntFlags::default();
        loop {
            match self.token {
                Token::Word("nuw") => flags.nuw = true,
                Token::Word("nsw") => flags.nsw = true,
                Token::Word("exact") => flags.exact = true,
                Token::Word("disjoint") => flags.disjoint = true,
                Token::Word("nneg") => flags.nneg = true,
                _ => return Ok(flags),
            }
            self.step()?;
        }
    }

    pub(super) fn fast_math(&mut self) -> Read<FastMath> {
        let mut flags = FastMath::default();
        while let Token::Word(word) = self.token {
            if !flags.set(word) {
                break;
            }
            self.step()?;
        }
        Ok(flags)
    }

    pub(super) fn gep_flags(&mut self) -> Read<GepFlags> {
        let mut flags = GepFlags::default();
        loop {
            match self.token {
                Token::Word("inbounds") => flags.inbounds = true,
                Token::Word("nusw") => flags.nusw = true,
                Token::Word("nuw") => flags.nuw = true,
                Token::Word("inrange") => {
                    self.step()?;
                    self.expect(b'(')?;
                    let low = self.number()?;
                    self.expect(b',')?;
                    flags.inrange = Some((low, self.number()?));
                    if self.token != Token::Mark(b')') {
                        return self.expected("`)`");
                    }
                }
                _ => return Ok(flags),
            }
            self.step()?;
        }
    }

    pub(super) fn int_predicate(&mut self) -> Read<IntPredicate> {
        match self.token {
            Token::Word(word) => match IntPredicate::of_word(word) {
                Some(predicate) => {
                    self.step()?;
                    Ok(predicate)
                }
                None => self.expected("a comparison"),
            },
            _ => self.expected("a comparison"),
        }
    }

    pub(super) fn float_predicate(&mut self) -> Read<FloatPredicate> {
        match self.token {
            Token::Word(word) => match FloatPredicate::of_word(word) {
                Some(predicate) => {
                    self.step()?;
                    Ok(predicate)
                }
                None => self.expected("a comparison"),
            },
            _ => self.expected("a comparison"),
        }
    }

    fn comparison(&mut self, integers: bool) -> Read<Op> {
        let flags = self.fast_math()?;
        let samesign = integers && self.accept_word("samesign")?;
        if integers {
            let predicate = self.int_predicate()?;
            let (left, right) = self.pair()?;
            return Ok(Op::ICmp { predicate, samesign, left, right });
        }
        let predicate = self.float_predicate()?;
        let (left, right) = self.pair()?;
        Ok(Op::FCmp { predicate, flags, left, right })
    }

    fn pair(&mut self) -> Read<(Typed, Value)> {
        let left = self.typed()?;
        self.expect(b',')?;
        let right = self.value(&left.ty)?;
        Ok((left, right))
    }

    fn branch(&mut self) -> Read<Op> {
        if self.token == Token::Word("label") {
            return Ok(Op::Br(self.target()?));
        }
        let condition = self.typed()?;
        if condition.ty != Type::Integer(1) {
            return self.refuse_before(format!("a branch on a {}", condition.ty));
        }
        self.expect(b',')?;
        let then = self.target()?;
        self.expect(b',')?;
        Ok(Op::CondBr { condition: condition.value, then, otherwise: self.target()? })
    }

    fn switch(&mut self) -> Read<Op> {
        let on = self.typed()?;
        self.expect(b',')?;
        let default = self.target()?;
        self.expect(b'[')?;
        let mut cases = Vec::new();
        while !self.accept(b']')? {
            let (ty, case) = self.typed_constant()?;
            if ty != on.ty {
                return self
                    .refuse_before(format!("a case of type {ty} in a switch on a {}", on.ty));
            }
            self.expect(b',')?;
            cases.push((case, self.target()?));
        }
        Ok(Op::Switch { on, default, cases })
    }

    fn indirect_branch(&mut self) -> Read<Op> {
        let address = self.typed()?;
        self.expect(b',')?;
        Ok(Op::IndirectBr { address, targets: self.targets()? })
    }

    /// `[label %a, label %b]`.
    pub(super) fn targets(&mut self) -> Read<Vec<BlockId>> {
        self.expect(b'[')?;
        let mut targets = Vec::new();
        while !self.accept(b']')? {
            if !targets.is_empty() {
                self.expect(b',')?;
            }
            targets.push(self.target()?);
        }
        Ok(targets)
    }

    fn landing_pad(&mut self) -> Read<Op> {
        let ty = self.ty()?;
        let cleanup = self.accept_word("cleanup")?;
        let mut clauses = Vec::new();
        while let Token::Word(word @ ("catch" | "filter")) = self.token {
            self.step()?;
            clauses.push((word == "catch", self.typed()?));
        }
        Ok(Op::LandingPad { ty, cleanup, clauses })
    }

    fn funclet(&mut self, word: &str) -> Read<Funclet> {
        let token = Type::Token;
        self.expect_word(if word.ends_with("ret") { "from" } else { "within" })?;
        let pad = self.value(&token)?;
        match word {
            "catchswitch" => {
                let handlers = self.targets()?;
                Ok(Funclet::CatchSwitch { parent: pad, handlers, unwind: self.unwind()? })
            }
            "catchpad" => Ok(Funclet::CatchPad(pad, self.pad_arguments()?)),
            "cleanuppad" => Ok(Funclet::CleanupPad(pad, self.pad_arguments()?)),
            "catchret" => {
                self.expect_word("to")?;
                Ok(Funclet::CatchRet(pad, self.target()?))
            }
            _ => Ok(Funclet::CleanupRet(pad, self.unwind()?)),
        }
    }

    fn unwind(&mut self) -> Read<Option<BlockId>> {
        self.expect_word("unwind")?;
        if self.accept_word("to")? {
            self.expect_word("caller")?;
            return Ok(None);
        }
        Ok(Some(self.target()?))
    }

    fn pad_arguments(&mut self) -> Read<Vec<Typed>> {
        self.expect(b'[')?;
        let mut arguments = Vec::new();
        while !self.accept(b']')? {
            if !arguments.is_empty() {
                self.expect(b',')?;
            }
            arguments.push(self.typed()?);
        }
        Ok(arguments)
    }

    fn phi(&mut self) -> Read<Op> {
        let flags = self.fast_math()?;
        let ty = self.ty()?;
        let mut incoming = Vec::new();
        while incoming.is_empty() && self.token == Token::Mark(b'[') || self.comma()? {
            self.expect(b'[')?;
            let value = self.value(&ty)?;
            self.expect(b',')?;
            incoming.push((value, self.block_name()?));
            self.expect(b']')?;
        }
        Ok(Op::Phi { flags, ty, incoming })
    }

    fn indices(&mut self) -> Read<Vec<u32>> {
        let mut indices = Vec::new();
        while self.comma()? {
            indices.push(self.number()?);
        }
        Ok(indices)
    }

    /// The type of an operation's result; `void` if it has none.
    pub(super) fn type_of(&self, op: &Op) -> Read<Type> {
        Ok(match op {
            Op::FNeg { of: one, .. } | Op::Freeze(one) | Op::Binary { left: one, .. } => {
                one.ty.clone()
            }
            Op::Select { then, .. } => then.ty.clone(),
            Op::ICmp { left, .. } | Op::FCmp { left, .. } => shaped(&left.ty, Type::Integer(1)),
            Op::Cast { to: ty, .. }
            | Op::Phi { ty, .. }
            | Op::Load { ty, .. }
            | Op::VaArg { ty, .. }
            | Op::LandingPad { ty, .. } => ty.clone(),
            Op::ExtractElement { vector, .. } => self.element(&vector.ty)?,
            Op::InsertElement { vector, .. } => vector.ty.clone(),
            Op::ShuffleVector { left, mask, .. } => shaped(&mask.ty, self.element(&left.ty)?),
            Op::ExtractValue { aggregate, indices } => self.member(&aggregate.ty, indices)?,
            Op::InsertValue { aggregate, .. } => aggregate.ty.clone(),
            Op::Alloca { space, .. } => Type::Pointer(*space),
            Op::CmpXchg { expected, .. } => Type::Struct {
                packed: false,
                fields: [expected.ty.clone(), Type::Integer(1)].into(),
            },
            Op::AtomicRmw { value, .. } => value.ty.clone(),
            Op::GetElementPtr { base, indices, .. } => {
                let vector = |typed: &&Typed| matches!(typed.ty, Type::Vector { .. });
                match indices.iter().find(vector) {
                    Some(index) if !vector(&base) => shaped(&index.ty, base.ty.clone()),
                    _ => base.ty.clone(),
                }
            }
            Op::Call(call) | Op::Invoke { call, .. } | Op::CallBr { call, .. } => {
                call.ty.result.clone()
            }
            Op::Funclet(funclet) => match **funclet {
                Funclet::CatchRet(..) | Funclet::CleanupRet(..) => Type::Void,
                _ => Type::Token,
            },
            Op::Ret(_)
            | Op::Br(_)
            | Op::CondBr { .. }
            | Op::Switch { .. }
            | Op::IndirectBr { .. }
            | Op::Unreachable
            | Op::Resume(_)
            | Op::Store { .. }
            | Op::Fence(_) => Type::Void,
        })
    }

    fn element(&self, ty: &Type) -> Read<Type> {
        match ty {
            Type::Vector { element, .. } => Ok((**element).clone()),
            _ => self.refuse_before(format!("an element of a {ty}")),
        }
    }

    /// The type of what a way leads to.
    pub(super) fn member(&self, aggregate: &Type, way: &[u32]) -> Read<Type> {
        let mut ty = aggregate;
        for index in way {
            ty = match self.module.resolve(ty) {
                Some(Type::Struct { fields, .. }) if (*index as usize) < fields.len() => {
                    &fields[*index as usize]
                }
                Some(Type::Array(count, element)) if u64::from(*index) < *count => element,
                _ => return self.refuse_before(format!("no member {index} of a {ty}")),
            };
        }
        Ok(ty.clone())
    }
}

/// A type, or vectors of it where another is a vector.
fn shaped(like: &Type, element: Type) -> Type {
    match like {
        Type::Vector { count, scalable, .. } => {
            Type::Vector { count: *count, scalable: *scalable, element: Arc::new(element) }
        }
        _ => element,
    }
}
