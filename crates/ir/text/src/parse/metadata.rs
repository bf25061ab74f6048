//! Metadata: nodes, and what is attached to instructions and globals.

use std::sync::Arc;

use super::{Parser, Read};
use crate::lex::Token;
use crate::tree::Metadata;

impl<'t> Parser<'t> {
    /// A node, or a value as one.
    pub(super) fn metadata(&mut self) -> Read<Metadata> {
        self.deeper()?;
        let metadata = match self.token {
            Token::Metadata(kind) => {
                self.step()?;
                let text = format!("{kind}({})", self.in_parentheses()?);
                Metadata::Special(self.keep(text))
            }
            Token::Mark(b'!') => {
                self.step()?;
                match self.token {
                    Token::Text(text) => {
                        self.step()?;
                        Metadata::Text(text.to_string())
                    }
                    Token::Mark(b'{') => Metadata::Tuple(self.metadata_parts()?),
                    _ => Metadata::Number(self.number()?),
                }
            }
            Token::Word("null") => {
                self.step()?;
                Metadata::Null
            }
            _ => Metadata::Value(Box::new(self.typed()?)),
        };
        self.depth -= 1;
        Ok(metadata)
    }

    /// What is between braces.
    pub(super) fn metadata_parts(&mut self) -> Read<Vec<Metadata>> {
        self.expect(b'{')?;
        let mut parts = Vec::new();
        while !self.accept(b'}')? {
            if !parts.is_empty() {
                self.expect(b',')?;
            }
            parts.push(self.metadata()?);
        }
        Ok(parts)
    }

    /// `!dbg !7`; the token at hand is the name.
    pub(super) fn attachment(&mut self, name: &'t str) -> Read<(Arc<str>, Metadata)> {
        self.step()?;
        Ok((name.into(), self.metadata()?))
    }

    /// `, !dbg !7, !tbaa !8`, as many as there are.
    pub(super) fn attachments(&mut self) -> Read<Vec<(Arc<str>, Metadata)>> {
        let mut all = Vec::new();
        while self.accept(b',')? {
            let Token::Metadata(name) = self.token else { return self.expected("metadata") };
            all.push(self.attachment(name)?);
        }
        Ok(all)
    }
}
