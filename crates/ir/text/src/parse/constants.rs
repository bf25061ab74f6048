//! Constants, and constant expressions.

use std::sync::Arc;

use super::floats;
use super::{Parser, Read};
use crate::bits::Bits;
use crate::lex::{Name, Token, unescaped};
use crate::op::{Assembly, Binary, Cast, Constant, FastMath, Op, Typed, Value};
use crate::tree::Type;

/// The longest decimal number that is read: time grows with the square of it.
const DIGITS: usize = 10_000;

impl<'t> Parser<'t> {
    /// A type, and a constant of it.
    pub(super) fn typed_constant(&mut self) -> Read<(Type, Constant)> {
        let ty = self.ty()?;
        let constant = self.constant(&ty)?;
        Ok((ty, constant))
    }

    /// A constant of a type.
    pub(super) fn constant(&mut self, ty: &Type) -> Read<Constant> {
        self.deeper()?;
        let constant = match self.token {
            Token::Number(text) => {
                let constant = self.numeric(text, ty)?;
                self.step()?;
                constant
            }
            Token::Word(word) => self.constant_word(word, ty)?,
            Token::Global(name) => {
                self.want(ty, "a pointer", |ty| matches!(ty, Type::Pointer(_)))?;
                let symbol = self.symbol(name)?;
                self.step()?;
                Constant::Global(symbol)
            }
            Token::Bytes(text) => {
                let bytes = unescaped(text);
                let fits = matches!(ty, Type::Array(count, element)
                    if *count == bytes.len() as u64 && **element == Type::Integer(8));
                if !fits {
                    return self.refuse(format!("a text of {} bytes is no {ty}", bytes.len()));
                }
                self.step()?;
                Constant::Bytes(bytes.into())
            }
            Token::Mark(b'[') => {
                self.step()?;
                let parts = self.parts(b']')?;
                self.check_elements(&parts, ty)?;
                Constant::Array(parts)
            }
            Token::Mark(b'{') => {
                self.step()?;
                let parts = self.parts(b'}')?;
                self.check_fields(&parts, ty, false)?;
                Constant::Struct(parts)
            }
            Token::Mark(b'<') => {
                self.step()?;
                if self.accept(b'{')? {
                    let parts = self.parts(b'}')?;
                    self.expect(b'>')?;
                    self.check_fields(&parts, ty, true)?;
                    Constant::Struct(parts)
                } else {
                    let parts = self.parts(b'>')?;
                    self.check_elements(&parts, ty)?;
                    Constant::Vector(parts)
                }
            }
            _ => return self.expected("a constant"),
        };
        self.depth -= 1;
        Ok(constant)
    }

    fn want(&self, ty: &Type, what: &str, is: impl Fn(&Type) -> bool) -> Read<()> {
        if is(ty) { Ok(()) } else { self.refuse(format!("{what} where a {ty} should be")) }
    }

    fn parts(&mut self, close: u8) -> Read<Vec<(Type, Constant)>> {
        let mut parts = Vec::new();
        while !self.accept(close)? {
            if !parts.is_empty() {
                self.expect(b',')?;
            }
            parts.push(self.typed_constant()?);
        }
        Ok(parts)
    }

    fn check_elements(&self, parts: &[(Type, Constant)], ty: &Type) -> Read<()> {
        let (count, element) = match ty {
            Type::Array(count, element) => (*count, element),
            Type::Vector { count, element, scalable: false } => (u64::from(*count), element),
            _ => return self.refuse_before(format!("elements where a {ty} should be")),
        };
        if count != parts.len() as u64 || parts.iter().any(|(part, _)| *part != **element) {
            return self.refuse_before(format!("other elements than a {ty} has"));
        }
        Ok(())
    }

    fn check_fields(&self, parts: &[(Type, Constant)], ty: &Type, tight: bool) -> Read<()> {
        match self.module.resolve(ty) {
            Some(Type::Struct { packed, fields })
                if *packed == tight
                    && fields.len() == parts.len()
                    && fields.iter().zip(parts).all(|(field, (part, _))| field == part) =>
            {
                Ok(())
            }
            // Not known yet: types may stand behind their use, in texts written by hand.
            None if matches!(ty, Type::Named(_)) => Ok(()),
            _ => self.refuse_before(format!("other fields than a {ty} has")),
        }
    }

    fn numeric(&self, text: &str, ty: &Type) -> Read<Constant> {
        let whole = !text.contains('.') && !text.starts_with("0x");
        match ty {
            Type::Integer(width) if whole => match self.integer(text, *width) {
                Some(bits) => Ok(Constant::Integer(bits)),
                None => self.refuse(format!("a number of more than {DIGITS} digits")),
            },
            Type::Float(format) if !whole => match floats::float(text, *format) {
                Ok(bits) => Ok(Constant::Float(bits)),
                Err(why) => self.refuse(format!("`{text}`: {why}")),
            },
            _ => self.refuse(format!("the number `{text}` where a {ty} should be")),
        }
    }

    /// A decimal number, or one like `u0xFF`, in so many bits.
    pub(super) fn integer(&self, text: &str, width: u32) -> Option<Bits> {
        if text.len() > DIGITS {
            return None;
        }
        match text.parse::<i128>() {
            Ok(number) if width <= u128::BITS => Some(Bits::new(width, number as u128)),
            _ => Bits::decimal(width, text),
        }
    }

    fn hexadecimal(&self, word: &str, ty: &Type) -> Read<Constant> {
        let Type::Integer(width) = ty else {
            return self.refuse(format!("the number `{word}` where a {ty} should be"));
        };
        let digits = &word[3..];
        let number = num_bigint::BigInt::parse_bytes(digits.as_bytes(), 16);
        let Some(number) = number.filter(|_| digits.len() <= DIGITS) else {
            return self.refuse(format!("`{word}` is no number"));
        };
        // `s0x` has a sign: the highest bit of the digits that are written.
        let bits = num_bigint::BigInt::from(1) << (4 * digits.len());
        let negative = word.starts_with('s') && number >= (&bits >> 1);
        let number = if negative { number - bits } else { number };
        Ok(Constant::Integer(Bits::of_signed(*width, &number)))
    }

    fn constant_word(&mut self, word: &'t str, ty: &Type) -> Read<Constant> {
        let constant = match word {
            "true" | "false" => {
                self.want(ty, "a truth value", |ty| *ty == Type::Integer(1))?;
                Constant::Integer(Bits::new(1, u128::from(word == "true")))
            }
            "null" => {
                self.want(ty, "`null`", |ty| matches!(ty, Type::Pointer(_)))?;
                Constant::Null
            }
            "zeroinitializer" => match ty {
                Type::Integer(width) => Constant::Integer(Bits::new(*width, 0)),
                Type::Float(format) => Constant::Float(Bits::new(format.bits(), 0)),
                Type::Pointer(_) => Constant::Null,
                _ => Constant::Zero,
            },
            "undef" => Constant::Undef,
            "poison" => Constant::Poison,
            "none" => {
                self.want(ty, "`none`", |ty| *ty == Type::Token)?;
                Constant::None
            }
            "splat" => return self.splat(ty),
            "blockaddress" => return self.block_address(),
            "dso_local_equivalent" | "no_cfi" => {
                self.step()?;
                return Ok(Constant::Wrapped(word.into(), self.expect_symbol()?));
            }
            "ptrauth" => {
                self.step()?;
                self.expect(b'(')?;
                return Ok(Constant::Signed(self.parts(b')')?));
            }
            "asm" => return Ok(Constant::Assembly(Arc::new(self.assembly()?))),
            _ if word.starts_with("u0x") || word.starts_with("s0x") => {
                self.hexadecimal(word, ty)?
            }
            _ => {
                let op = self.expression(word)?;
                self.check(&op)?;
                let own = self.type_of(&op)?;
                if own != *ty {
                    return self.refuse_before(format!(
                        "an expression of type {own} where a {ty} should be"
                    ));
                }
                return Ok(Constant::Expression(Box::new(op)));
            }
        };
        self.step()?;
        Ok(constant)
    }

    fn splat(&mut self, ty: &Type) -> Read<Constant> {
        self.step()?;
        self.expect(b'(')?;
        let part = self.typed_constant()?;
        self.expect(b')')?;
        if !matches!(ty, Type::Vector { element, .. } if **element == part.0) {
            return self.refuse_before(format!("a splat where a {ty} should be"));
        }
        Ok(Constant::Splat(Box::new(part)))
    }

    fn block_address(&mut self) -> Read<Constant> {
        self.step()?;
        self.expect(b'(')?;
        let function = self.expect_symbol()?;
        self.expect(b',')?;
        let block = match self.token {
            Token::Local(Name::Number(number)) => {
                self.kept_number.get_or_insert(self.line);
                number.to_string()
            }
            Token::Local(name) => crate::print::name(&name.text().unwrap_or_default()),
            _ => return self.expected("a block"),
        };
        self.step()?;
        self.expect(b')')?;
        Ok(Constant::BlockAddress(function, block.into()))
    }

    fn assembly(&mut self) -> Read<Assembly> {
        self.step()?;
        let mut words = Vec::new();
        while let Token::Word(word @ ("sideeffect" | "alignstack" | "inteldialect" | "unwind")) =
            self.token
        {
            words.push(word.to_string());
            self.step()?;
        }
        let text = self.text()?.to_string();
        self.expect(b',')?;
        let constraints = self.text()?.to_string();
        Ok(Assembly { words, text, constraints })
    }

    /// A constant expression, as an instruction on constants.
    pub(super) fn expression(&mut self, word: &'t str) -> Read<Op> {
        let binary = Binary::of_word(word);
        let cast = Cast::of_word(word);
        let known = matches!(
            word,
            "fneg"
                | "icmp"
                | "fcmp"
                | "select"
                | "getelementptr"
                | "extractelement"
                | "insertelement"
                | "shufflevector"
        );
        if binary.is_none() && cast.is_none() && !known {
            return self.expected("a constant");
        }
        self.step()?;
        if let Some(op) = binary {
            let flags = self.int_flags()?;
            let [left, right] = self.alike()?;
            return Ok(Op::Binary {
                op,
                flags,
                fast: FastMath::default(),
                left,
                right: right.value,
            });
        }
        if let Some(op) = cast {
            let flags = self.int_flags()?;
            self.expect(b'(')?;
            let from = self.operand()?;
            self.expect_word("to")?;
            let to = self.ty()?;
            self.expect(b')')?;
            return Ok(Op::Cast { op, flags, fast: FastMath::default(), from, to });
        }
        match word {
            "fneg" => {
                let [of] = self.operands()?;
                Ok(Op::FNeg { flags: FastMath::default(), of })
            }
            "icmp" => {
                let predicate = self.int_predicate()?;
                let [left, right] = self.alike()?;
                Ok(Op::ICmp { predicate, samesign: false, left, right: right.value })
            }
            "fcmp" => {
                let predicate = self.float_predicate()?;
                let [left, right] = self.alike()?;
                Ok(Op::FCmp { predicate, flags: FastMath::default(), left, right: right.value })
            }
            "select" => {
                let [condition, then, otherwise] = self.operands()?;
                Ok(Op::Select { flags: FastMath::default(), condition, then, otherwise })
            }
            "extractelement" => {
                let [vector, index] = self.operands()?;
                Ok(Op::ExtractElement { vector, index })
            }
            "insertelement" => {
                let [vector, element, index] = self.operands()?;
                Ok(Op::InsertElement { vector, element, index })
            }
            "shufflevector" => {
                let [left, right, mask] = self.operands()?;
                Ok(Op::ShuffleVector { left, right, mask })
            }
            _ => self.constant_gep(),
        }
    }

    fn operand(&mut self) -> Read<Typed> {
        let (ty, constant) = self.typed_constant()?;
        Ok(Typed { ty, value: Value::Constant(constant) })
    }

    /// So many operands, in parentheses.
    fn operands<const N: usize>(&mut self) -> Read<[Typed; N]> {
        self.expect(b'(')?;
        let mut all = Vec::with_capacity(N);
        for index in 0..N {
            if index > 0 {
                self.expect(b',')?;
            }
            all.push(self.operand()?);
        }
        self.expect(b')')?;
        all.try_into().or_else(|_| self.refuse("operands are missing"))
    }

    /// Two operands of one type.
    fn alike(&mut self) -> Read<[Typed; 2]> {
        let both: [Typed; 2] = self.operands()?;
        if both[0].ty != both[1].ty {
            return self
                .refuse_before(format!("operands of the types {} and {}", both[0].ty, both[1].ty));
        }
        Ok(both)
    }

    fn constant_gep(&mut self) -> Read<Op> {
        let mut flags = self.gep_flags()?;
        self.expect(b'(')?;
        let ty = self.ty()?;
        self.expect(b',')?;
        let base = self.operand()?;
        let mut indices = Vec::new();
        while !self.accept(b')')? {
            self.expect(b',')?;
            if self.accept_word("inrange")? {
                flags.inrange_index = Some(indices.len() as u32);
            }
            indices.push(self.operand()?);
        }
        Ok(Op::GetElementPtr { flags, ty, base, indices })
    }
}
