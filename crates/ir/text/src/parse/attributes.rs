//! Attributes of functions, parameters, results and calls.

use super::types::opens_type;
use super::{Parser, Read};
use crate::bits::Bits;
use crate::lex::Token;
use crate::tree::{Attribute, Attributes, Type};
use crate::words::{opens_constant, opens_instruction};

/// Whose attributes are read: it decides where they end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// Of a value: a type or a constant ends them.
    Value,
    /// Of a function or a call: what may stand behind them ends them.
    Function,
    /// Of a group.
    Group,
}

impl<'t> Parser<'t> {
    /// Attributes, as many as there are.
    pub(super) fn attributes(&mut self, of: Of) -> Read<Attributes> {
        let mut all = Vec::new();
        loop {
            match self.token {
                Token::Group(number) => {
                    self.step()?;
                    all.push(Attribute::Group(number));
                }
                Token::Text(key) => {
                    self.step()?;
                    let value =
                        if self.accept(b'=')? { Some(self.text()?.to_string()) } else { None };
                    all.push(Attribute::Text(key.to_string(), value));
                }
                Token::Word(word) if !ends(word, of) => all.push(self.attribute(word)?),
                _ => return Ok(Attributes(all)),
            }
        }
    }

    /// Attributes behind a call or a global variable, where `align 8` is one of them.
    pub(super) fn tail_attributes(&mut self) -> Read<Attributes> {
        let mut all = self.attributes(Of::Function)?;
        while let Some(align) = self.align()? {
            all.0.push(Attribute::Number("align".into(), align));
            all.0.extend(self.attributes(Of::Function)?.0);
        }
        Ok(all)
    }

    fn attribute(&mut self, word: &'t str) -> Read<Attribute> {
        self.step()?;
        let name = word.into();
        match (word, self.token) {
            ("align", Token::Number(_)) => Ok(Attribute::Number(name, self.number()?)),
            (_, Token::Mark(b'=')) => {
                self.step()?;
                Ok(Attribute::Number(name, self.number()?))
            }
            (
                "align" | "alignstack" | "dereferenceable" | "dereferenceable_or_null",
                Token::Mark(b'('),
            ) => {
                self.step()?;
                let number = self.number()?;
                self.expect(b')')?;
                Ok(Attribute::Number(name, number))
            }
            (
                "byval" | "byref" | "sret" | "inalloca" | "preallocated" | "elementtype",
                Token::Mark(b'('),
            ) => {
                self.step()?;
                let ty = self.ty()?;
                self.expect(b')')?;
                Ok(Attribute::Typed(name, ty))
            }
            ("range", Token::Mark(b'(')) => self.range(),
            (_, Token::Mark(b'(')) => {
                Ok(Attribute::Words(name, self.in_parentheses()?.to_string()))
            }
            _ => Ok(Attribute::Flag(name)),
        }
    }

    fn range(&mut self) -> Read<Attribute> {
        self.step()?;
        let ty = self.ty()?;
        let Type::Integer(width) = ty else { return self.refuse("a range of what is no integer") };
        let low = self.bound(width)?;
        self.expect(b',')?;
        let high = self.bound(width)?;
        self.expect(b')')?;
        Ok(Attribute::Range(ty, low, high))
    }

    fn bound(&mut self, width: u32) -> Read<Bits> {
        let Token::Number(text) = self.token else { return self.expected("a number") };
        let Some(bits) = self.integer(text, width) else { return self.expected("a whole number") };
        self.step()?;
        Ok(bits)
    }
}

/// Whether a word is no attribute any more.
fn ends(word: &str, of: Of) -> bool {
    match of {
        Of::Group => false,
        Of::Value => opens_type(word) || opens_constant(word) || word == "addrspace",
        Of::Function => {
            opens_instruction(word)
                || matches!(
                    word,
                    "section"
                        | "partition"
                        | "comdat"
                        | "align"
                        | "gc"
                        | "prefix"
                        | "prologue"
                        | "personality"
                        | "unnamed_addr"
                        | "local_unnamed_addr"
                        | "addrspace"
                        | "to"
                        | "prefalign"
                        | "define"
                        | "declare"
                        | "attributes"
                        | "source_filename"
                        | "target"
                        | "module"
                        | "uselistorder_bb"
                )
        }
    }
}
