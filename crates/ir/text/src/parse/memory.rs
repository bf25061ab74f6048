//! Instructions on memory.

use super::{Parser, Read};
use crate::lex::Token;
use crate::op::{Op, Ordering};

impl<'t> Parser<'t> {
    pub(super) fn alloca(&mut self) -> Read<Op> {
        let mut words = Vec::new();
        while let Token::Word(word @ ("inalloca" | "swifterror")) = self.token {
            words.push(word.to_string());
            self.step()?;
        }
        let ty = self.ty()?;
        let (mut count, mut align, mut space) = (None, None, 0);
        while self.comma()? {
            match self.token {
                Token::Word("align") => align = self.align()?,
                Token::Word("addrspace") => space = self.address_space()?.unwrap_or(0),
                _ => count = Some(self.typed()?),
            }
        }
        Ok(Op::Alloca { words, ty, count, align, space })
    }

    /// `align 4`, if it stands here.
    pub(super) fn align(&mut self) -> Read<Option<u64>> {
        if self.accept_word("align")? { Ok(Some(self.number()?)) } else { Ok(None) }
    }

    /// `, align 4`, if it stands here.
    fn next_align(&mut self) -> Read<Option<u64>> {
        if !self.comma()? {
            return Ok(None);
        }
        match self.align()? {
            None => self.expected("`align`"),
            align => Ok(align),
        }
    }

    /// `syncscope("agent") seq_cst`.
    pub(super) fn ordering(&mut self) -> Read<Ordering> {
        let mut scope = None;
        if self.accept_word("syncscope")? {
            self.expect(b'(')?;
            scope = Some(self.text()?.to_string());
            self.expect(b')')?;
        }
        Ok(Ordering { scope, word: self.ordering_word()? })
    }

    fn ordering_word(&mut self) -> Read<String> {
        match self.token {
            Token::Word(
                word @ ("unordered" | "monotonic" | "acquire" | "release" | "acq_rel" | "seq_cst"),
            ) => {
                self.step()?;
                Ok(word.to_string())
            }
            _ => self.expected("an ordering"),
        }
    }

    pub(super) fn load(&mut self) -> Read<Op> {
        let atomic = self.accept_word("atomic")?;
        let volatile = self.accept_word("volatile")?;
        let ty = self.ty()?;
        let from = self.next_typed()?;
        let atomic = if atomic { Some(self.ordering()?) } else { None };
        Ok(Op::Load { volatile, atomic, ty, from, align: self.next_align()? })
    }

    pub(super) fn store(&mut self) -> Read<Op> {
        let atomic = self.accept_word("atomic")?;
        let volatile = self.accept_word("volatile")?;
        let value = self.typed()?;
        let to = self.next_typed()?;
        let atomic = if atomic { Some(self.ordering()?) } else { None };
        Ok(Op::Store { volatile, atomic, value, to, align: self.next_align()? })
    }

    pub(super) fn compare_exchange(&mut self) -> Read<Op> {
        let weak = self.accept_word("weak")?;
        let volatile = self.accept_word("volatile")?;
        Ok(Op::CmpXchg {
            weak,
            volatile,
            address: self.typed()?,
            expected: self.next_typed()?,
            new: self.next_typed()?,
            success: self.ordering()?,
            failure: self.ordering_word()?,
            align: self.next_align()?,
        })
    }

    pub(super) fn read_modify_write(&mut self) -> Read<Op> {
        let volatile = self.accept_word("volatile")?;
        let Token::Word(op) = self.token else { return self.expected("an operation") };
        self.step()?;
        Ok(Op::AtomicRmw {
            volatile,
            op: op.to_string(),
            address: self.typed()?,
            value: self.next_typed()?,
            ordering: self.ordering()?,
            align: self.next_align()?,
        })
    }

    pub(super) fn gep(&mut self) -> Read<Op> {
        let flags = self.gep_flags()?;
        let ty = self.ty()?;
        let base = self.next_typed()?;
        let mut indices = Vec::new();
        while self.comma()? {
            indices.push(self.typed()?);
        }
        Ok(Op::GetElementPtr { flags, ty, base, indices })
    }
}
