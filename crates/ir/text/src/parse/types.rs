//! Types. Names of types that are no structures are replaced by what they stand for, as LLVM does.

use std::collections::HashMap;
use std::sync::Arc;

use super::{DEEPEST, Parser, Read, Refused};
use crate::lex::{Name, Token};
use crate::tree::{Float, FunctionType, Type};

/// The widest integer that LLVM has.
const WIDEST: u32 = 1 << 23;

/// Whether a word begins a type.
pub(super) fn opens_type(word: &str) -> bool {
    matches!(
        word,
        "void" | "ptr" | "label" | "token" | "metadata" | "target" | "x86_mmx" | "x86_amx"
    ) || Float::of_word(word).is_some()
        || integer(word).is_some()
}

/// The width of `i32`.
fn integer(word: &str) -> Option<&str> {
    word.strip_prefix('i').filter(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_digit()))
}

impl<'t> Parser<'t> {
    /// A type; `void` and types of functions are some.
    pub(super) fn ty(&mut self) -> Read<Type> {
        self.deeper()?;
        let mut ty = self.simple_type()?;
        while self.token == Token::Mark(b'(') {
            ty = self.function_type(ty)?;
        }
        if self.token == Token::Mark(b'*')
            || (self.token == Token::Word("addrspace")
                && !matches!(ty, Type::Pointer(_) | Type::Function(_))
                && self.typed_pointer_ahead())
        {
            return self.refuse("typed pointers: opaque pointers only");
        }
        self.depth -= 1;
        Ok(ty)
    }

    /// Whether `addrspace(1)*` stands here, not the address space of a callee.
    fn typed_pointer_ahead(&self) -> bool {
        let mut ahead = self.lexer.clone();
        (0..4).map(|_| ahead.next()).last() == Some(Token::Mark(b'*'))
    }

    fn simple_type(&mut self) -> Read<Type> {
        match self.token {
            Token::Word(word) => self.type_of_word(word),
            Token::Local(name) => {
                self.step()?;
                self.named_type(name)
            }
            Token::Mark(b'[') => {
                self.step()?;
                let count = self.number()?;
                self.expect_word("x")?;
                let element = self.ty()?;
                self.expect(b']')?;
                Ok(Type::Array(count, Arc::new(element)))
            }
            Token::Mark(b'{') => {
                self.step()?;
                self.fields(false)
            }
            Token::Mark(b'<') => {
                self.step()?;
                if self.accept(b'{')? {
                    let ty = self.fields(true)?;
                    self.expect(b'>')?;
                    return Ok(ty);
                }
                self.vector()
            }
            _ => self.expected("a type"),
        }
    }

    fn type_of_word(&mut self, word: &'t str) -> Read<Type> {
        let ty = match word {
            "void" => Type::Void,
            "label" => Type::Label,
            "token" => Type::Token,
            "metadata" => Type::Metadata,
            "x86_mmx" | "x86_amx" => Type::Other(word.into()),
            "ptr" => {
                self.step()?;
                return Ok(Type::Pointer(self.address_space()?.unwrap_or(0)));
            }
            "target" => {
                self.step()?;
                return Ok(Type::Other(format!("target({})", self.in_parentheses()?).into()));
            }
            _ => match (Float::of_word(word), integer(word)) {
                (Some(float), _) => Type::Float(float),
                (_, Some(width)) => match width.parse::<u32>() {
                    Ok(width) if (1..=WIDEST).contains(&width) => Type::Integer(width),
                    _ => return self.refuse("an integer type that is too wide, or of no bits"),
                },
                _ => return self.expected("a type"),
            },
        };
        self.step()?;
        Ok(ty)
    }

    /// `addrspace(3)`, `addrspace("A")`, if it stands here.
    pub(super) fn address_space(&mut self) -> Read<Option<u32>> {
        if self.token != Token::Word("addrspace") {
            return Ok(None);
        }
        self.step()?;
        self.expect(b'(')?;
        let space = match self.token {
            Token::Text(letter) => {
                let space = match letter {
                    "A" | "G" | "P" => self.space_of_layout(letter),
                    _ => return self.refuse("an address space of an unknown letter"),
                };
                self.step()?;
                space
            }
            _ => self.number()?,
        };
        self.expect(b')')?;
        Ok(Some(space))
    }

    fn fields(&mut self, packed: bool) -> Read<Type> {
        let mut fields = Vec::new();
        while !self.accept(b'}')? {
            if !fields.is_empty() {
                self.expect(b',')?;
            }
            fields.push(self.ty()?);
        }
        Ok(Type::Struct { packed, fields: fields.into() })
    }

    fn vector(&mut self) -> Read<Type> {
        let scalable = self.accept_word("vscale")?;
        if scalable {
            self.expect_word("x")?;
        }
        let count = self.number()?;
        if count == 0 {
            return self.refuse("a vector of no elements");
        }
        self.expect_word("x")?;
        let element = Arc::new(self.ty()?);
        self.expect(b'>')?;
        Ok(Type::Vector { count, scalable, element })
    }

    fn function_type(&mut self, result: Type) -> Read<Type> {
        self.expect(b'(')?;
        let mut params = Vec::new();
        let mut varargs = false;
        while !self.accept(b')')? {
            if !params.is_empty() {
                self.expect(b',')?;
            }
            if self.token == Token::Dots {
                self.step()?;
                self.expect(b')')?;
                varargs = true;
                break;
            }
            params.push(self.ty()?);
        }
        Ok(Type::Function(Arc::new(FunctionType { result, params, varargs })))
    }

    /// A name of a type, or what it stands for.
    pub(super) fn named_type(&mut self, name: Name<'t>) -> Read<Type> {
        let key = type_key(name);
        if let Some(ty) = self.synonyms.get(&*key) {
            return Ok(ty.clone());
        }
        let line = self.line;
        Ok(Type::Named(self.type_names.used(&key, line)))
    }

    /// Refuses structures that hold themselves, or structures in structures without end.
    pub(super) fn check_types(&self) -> Read<()> {
        let types = &self.module.types;
        let places: HashMap<&str, usize> =
            types.iter().zip(0..).map(|((name, _), at)| (&**name, at)).collect();
        let parts: Vec<Vec<usize>> = types
            .iter()
            .map(|(_, ty)| {
                let mut names = Vec::new();
                ty.iter().for_each(|ty| held(ty, &mut names));
                names.iter().filter_map(|name| places.get(&**name).copied()).collect()
            })
            .collect();
        let mut holders = vec![Vec::new(); types.len()];
        let mut missing: Vec<usize> = parts.iter().map(Vec::len).collect();
        for (holder, parts) in parts.iter().enumerate() {
            parts.iter().for_each(|part| holders[*part].push(holder));
        }
        let mut heights = vec![1; types.len()];
        let mut ready: Vec<usize> = (0..types.len()).filter(|at| missing[*at] == 0).collect();
        while let Some(at) = ready.pop() {
            for holder in &holders[at] {
                heights[*holder] = heights[*holder].max(heights[at] + 1);
                missing[*holder] -= 1;
                if missing[*holder] == 0 {
                    ready.push(*holder);
                }
            }
        }
        if let Some(at) = missing.iter().position(|missing| *missing > 0) {
            let name = &types[at].0;
            let line = self.type_names.0.get(name).map_or(0, |known| known.line);
            return Err(Refused { line, what: format!("the type `%{name}` holds itself") });
        }
        if heights.iter().any(|height| *height > DEEPEST) {
            return self.refuse(format!("types nested more than {DEEPEST} deep"));
        }
        Ok(())
    }
}

/// Names of structures that a value of the type holds.
fn held(ty: &Type, names: &mut Vec<Arc<str>>) {
    match ty {
        Type::Named(name) => names.push(name.clone()),
        Type::Array(_, element) | Type::Vector { element, .. } => held(element, names),
        Type::Struct { fields, .. } => fields.iter().for_each(|field| held(field, names)),
        _ => {}
    }
}

/// How a type is called in the tree: numbers without a quote, names of digits only with quotes.
pub(super) fn type_key(name: Name<'_>) -> String {
    match (name, name.text()) {
        (Name::Number(number), _) => number.to_string(),
        (_, Some(text)) if text.bytes().all(|b| b.is_ascii_digit()) => format!("\"{text}\""),
        (_, text) => text.unwrap_or_default().into_owned(),
    }
}
