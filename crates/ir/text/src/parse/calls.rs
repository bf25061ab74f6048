//! Calls: `call`, `invoke`, `callbr`.

use std::sync::Arc;

use super::attributes::Of;
use super::{Parser, Read};
use crate::lex::Token;
use crate::op::{Argument, Call, FastMath, Op, Typed, Value};
use crate::tree::{FunctionType, Type};
use crate::words::is_convention;

impl<'t> Parser<'t> {
    /// `call`, the first word of it taken.
    pub(super) fn call_op(&mut self, word: &str) -> Read<Op> {
        if word != "call" {
            self.expect_word("call")?;
        }
        let fast = self.fast_math()?;
        let mut call = self.call(fast)?;
        if word != "call" {
            call.tail = word.to_string();
        }
        Ok(Op::Call(Box::new(call)))
    }

    pub(super) fn invoke(&mut self) -> Read<Op> {
        let call = Box::new(self.call(FastMath::default())?);
        self.expect_word("to")?;
        let normal = self.target()?;
        self.expect_word("unwind")?;
        Ok(Op::Invoke { call, normal, unwind: self.target()? })
    }

    pub(super) fn call_branch(&mut self) -> Read<Op> {
        let call = Box::new(self.call(FastMath::default())?);
        self.expect_word("to")?;
        let fallthrough = self.target()?;
        Ok(Op::CallBr { call, fallthrough, indirect: self.targets()? })
    }

    /// A calling convention, if one stands here.
    pub(super) fn convention(&mut self) -> Read<String> {
        let Token::Word(word) = self.token else { return Ok(String::new()) };
        if !is_convention(word) {
            return Ok(String::new());
        }
        self.step()?;
        Ok(match (word, self.token) {
            // What is so anyhow.
            ("ccc", _) => String::new(),
            ("cc", _) => format!("cc {}", self.number::<u32>()?),
            (_, Token::Mark(b'(')) => format!("{word}({})", self.in_parentheses()?),
            _ => word.to_string(),
        })
    }

    fn call(&mut self, fast: FastMath) -> Read<Call> {
        let convention = self.convention()?;
        let result_attributes = self.attributes(Of::Value)?;
        let space = self.address_space()?;
        let ty = self.ty()?;
        let pointer = Type::Pointer(space.unwrap_or_else(|| self.space_of_layout("P")));
        let callee = self.value(&pointer)?;
        let arguments = self.arguments()?;
        let ty = match ty {
            Type::Function(ty) => ty,
            result => {
                let params = arguments.iter().map(|argument| argument.value.ty.clone()).collect();
                Arc::new(FunctionType { result, params, varargs: false })
            }
        };
        self.check_arguments(&ty, &arguments)?;
        Ok(Call {
            tail: String::new(),
            fast,
            convention,
            result_attributes,
            space,
            ty,
            callee,
            arguments,
            attributes: self.tail_attributes()?,
            bundles: self.bundles()?,
        })
    }

    fn check_arguments(&self, ty: &FunctionType, arguments: &[Argument]) -> Read<()> {
        let enough =
            arguments.len() == ty.params.len() || ty.varargs && arguments.len() > ty.params.len();
        if !enough
            || ty.params.iter().zip(arguments).any(|(param, argument)| *param != argument.value.ty)
        {
            return self.refuse_before("other arguments than the type of the callee says");
        }
        Ok(())
    }

    fn arguments(&mut self) -> Read<Vec<Argument>> {
        self.expect(b'(')?;
        let mut arguments = Vec::new();
        while !self.accept(b')')? {
            if !arguments.is_empty() {
                self.expect(b',')?;
            }
            if self.token == Token::Dots {
                // `musttail` with the rest of the caller's: it stands for no operand.
                self.step()?;
                self.expect(b')')?;
                break;
            }
            let ty = self.ty()?;
            let attributes =
                if ty == Type::Metadata { Default::default() } else { self.attributes(Of::Value)? };
            let value: Value = self.value(&ty)?;
            arguments.push(Argument { value: Typed { ty, value }, attributes });
        }
        Ok(arguments)
    }

    fn bundles(&mut self) -> Read<Vec<(String, Vec<Typed>)>> {
        let mut bundles = Vec::new();
        if !self.accept(b'[')? {
            return Ok(bundles);
        }
        while !self.accept(b']')? {
            if !bundles.is_empty() {
                self.expect(b',')?;
            }
            let tag = self.text()?.to_string();
            self.expect(b'(')?;
            let mut values = Vec::new();
            while !self.accept(b')')? {
                if !values.is_empty() {
                    self.expect(b',')?;
                }
                values.push(self.typed()?);
            }
            bundles.push((tag, values));
        }
        Ok(bundles)
    }
}
