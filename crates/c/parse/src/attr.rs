//! GNU attributes (`__attribute__((…))`) and what they mean for types.
//!
//! Honoured: `packed`, `aligned`, `noreturn`, `vector_size`, `mode`, `gnu_inline`. Attributes that
//! change the meaning in unsupported ways are refused, on use of the name where that is sufficient. All
//! others are hints and are skipped.

use crate::error::{ParseResult, invalid, unsupported};
use crate::parser::Parser;
use crate::token::Tok;
use ctree::*;

/// The attributes of a declaration or type that are honoured.
#[derive(Clone, Default, Debug)]
pub(crate) struct Attrs {
    pub packed: bool,
    pub align: Option<u32>,
    pub noreturn: bool,
    pub gnu_inline: bool,
    /// Bytes of a vector.
    pub vector: Option<u32>,
    pub mode: Option<Ty>,
}

impl Attrs {
    /// Adds those of `other`; the greater alignment wins.
    pub(crate) fn merge(&mut self, other: &Attrs) {
        self.packed |= other.packed;
        self.noreturn |= other.noreturn;
        self.gnu_inline |= other.gnu_inline;
        self.align = self.align.max(other.align);
        self.vector = self.vector.or(other.vector);
        self.mode = self.mode.or(other.mode);
    }
}

impl Parser<'_> {
    /// Any number of attribute lists.
    #[inline]
    pub(crate) fn attributes(&mut self, attrs: &mut Attrs) -> ParseResult<()> {
        while self.tok() == Tok::KwAttribute {
            self.attribute_list(attrs)?;
        }
        Ok(())
    }

    fn attribute_list(&mut self, attrs: &mut Attrs) -> ParseResult<()> {
        self.enter()?;
        self.bump();
        self.expect(Tok::LParen, "`(`")?;
        self.expect(Tok::LParen, "`(`")?;
        loop {
            if self.tok() == Tok::Comma {
                self.bump();
            } else if self.tok() == Tok::RParen {
                break;
            } else {
                self.attribute(attrs)?;
            }
        }
        self.expect(Tok::RParen, "`)`")?;
        self.expect(Tok::RParen, "`)`")?;
        self.leave();
        Ok(())
    }

    fn attribute(&mut self, attrs: &mut Attrs) -> ParseResult<()> {
        let token = self.cur;
        let text = self.token_text(token);
        if !text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return self.unexpected("attribute name");
        }
        self.bump();
        let name = text.strip_prefix("__").and_then(|t| t.strip_suffix("__")).unwrap_or(text);
        let has_args = self.tok() == Tok::LParen;
        match name {
            "packed" => attrs.packed = true,
            "noreturn" => attrs.noreturn = true,
            "gnu_inline" => attrs.gnu_inline = true,
            "aligned" => {
                let align = if has_args {
                    self.bump();
                    let n = self.const_u32("alignment")?;
                    self.expect(Tok::RParen, "`)`")?;
                    n
                } else {
                    self.program.types.model.max_align
                };
                attrs.align = attrs.align.max(self.checked_alignment(align, token.span())?);
                return Ok(());
            }
            "vector_size" if has_args => {
                self.bump();
                attrs.vector = Some(self.const_u32("vector size")?);
                self.expect(Tok::RParen, "`)`")?;
                return Ok(());
            }
            "mode" if has_args => {
                let mode = self.peek(1);
                attrs.mode = self.mode(self.token_text(mode), mode.span())?;
            }
            "transparent_union"
            | "scalar_storage_order"
            | "ms_struct"
            | "address_space"
            | "ext_vector_type"
            | "may_alias"
            | "alias"
            | "weakref"
            | "ifunc"
            | "warn_if_not_aligned"
            | "overloadable" => self.defer_unsupported(token.span(), format!("attribute `{name}`")),
            "constructor" | "destructor" | "cleanup" => {
                return unsupported(token.span(), format!("attribute `{name}`"));
            }
            _ => {}
        }
        if has_args {
            self.skip_brackets()?;
        }
        Ok(())
    }

    /// Skips a bracketed token sequence.
    pub(crate) fn skip_brackets(&mut self) -> ParseResult<()> {
        let mut open = 0u32;
        loop {
            match self.tok() {
                Tok::LParen => open += 1,
                Tok::RParen => open -= 1,
                Tok::Eof => return self.unexpected("`)`"),
                _ => {}
            }
            self.bump();
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// Zero means no request; otherwise a power of two that objects may sensibly have.
    pub(crate) fn checked_alignment(&self, align: u32, span: Span) -> ParseResult<Option<u32>> {
        if align == 0 {
            return Ok(None);
        }
        if !align.is_power_of_two() {
            return invalid(span, format!("requested alignment {align} is not a power of 2"));
        }
        if align > 1 << 28 {
            return invalid(span, format!("requested alignment {align} is too large"));
        }
        Ok(Some(align))
    }

    /// The type that a machine mode names, signed unless specified otherwise.
    fn mode(&mut self, text: &str, span: Span) -> ParseResult<Option<Ty>> {
        let name = text.strip_prefix("__").and_then(|t| t.strip_suffix("__")).unwrap_or(text);
        Ok(Some(match name {
            "QI" | "byte" => Ty::SCHAR,
            "HI" => Ty::SHORT,
            "SI" => Ty::INT,
            "DI" => self.program.types.model.intmax_type().ty(),
            "word" | "pointer" | "unwind_word" => Ty::LONG,
            "TI" if self.program.types.model.has_int128 => Ty::INT128,
            "SF" => Ty::FLOAT,
            "DF" => Ty::DOUBLE,
            "XF" => Ty::LDOUBLE,
            _ => {
                self.defer_unsupported(span, format!("machine mode `{name}`"));
                return Ok(None);
            }
        }))
    }

    /// Applies `mode` and `vector_size` to a declared type; both apply to the innermost type
    /// of pointers, arrays and functions.
    pub(crate) fn apply_type_attrs(
        &mut self,
        ty: Ty,
        attrs: &Attrs,
        span: Span,
    ) -> ParseResult<Ty> {
        let mut ty = ty;
        if let Some(mode) = attrs.mode {
            ty = self.apply_mode(ty, mode, span)?;
        }
        if let Some(bytes) = attrs.vector {
            ty = self.apply_vector(ty, bytes, span)?;
        }
        Ok(ty)
    }

    fn apply_mode(&mut self, ty: Ty, mode: Ty, span: Span) -> ParseResult<Ty> {
        let quals = ty.quals();
        let types = &self.program.types;
        if let (Some((_, signed)), Some(kind)) = (types.int_bits(ty), types.int_kind(mode)) {
            let kind = if signed { kind } else { kind.to_unsigned() };
            return Ok(kind.ty().qualified(quals));
        }
        if types.float_kind(ty).is_some() && types.float_kind(mode).is_some() {
            return Ok(mode.qualified(quals));
        }
        if types.is_pointer(ty) {
            return Ok(ty);
        }
        invalid(span, format!("mode does not fit type `{}`", self.show(ty)))
    }

    fn apply_vector(&mut self, ty: Ty, bytes: u32, span: Span) -> ParseResult<Ty> {
        let quals = ty.quals();
        let made = match self.shape(ty).clone() {
            TypeKind::Int(_) | TypeKind::Float(_) => {
                let elem = self.canon(ty).unqual();
                let size = self.program.types.size_of(elem).unwrap_or(1);
                let lanes = u64::from(bytes) / size;
                if !u64::from(bytes).is_multiple_of(size)
                    || !lanes.is_power_of_two()
                    || bytes > 1 << 16
                {
                    return invalid(span, format!("invalid vector size {bytes}"));
                }
                TypeKind::Vector(elem, lanes as u32)
            }
            TypeKind::Pointer(to) => TypeKind::Pointer(self.apply_vector(to, bytes, span)?),
            TypeKind::Array(elem, n) => TypeKind::Array(self.apply_vector(elem, bytes, span)?, n),
            TypeKind::Function(f) => {
                let ret = self.apply_vector(f.ret, bytes, span)?;
                TypeKind::Function(FuncType { ret, ..f })
            }
            _ => return invalid(span, format!("invalid vector type for `{}`", self.show(ty))),
        };
        Ok(self.intern(made).qualified(quals))
    }
}
