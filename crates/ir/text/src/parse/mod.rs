//! The parser: tokens to the tree.
//!
//! Functions are read last, when all types are known. What LLVM's own parser refuses is refused here
//! where it would make a tree that says nothing (a name that is defined nowhere, a value of another type);
//! for the rest, such as dominance, LLVM's verifier is asked.

mod attributes;
mod calls;
mod check;
mod constants;
mod floats;
mod instructions;
mod memory;
mod metadata;
mod module;
mod numbers;
mod scope;
mod types;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

use crate::lex::{Lexer, Name, Token};
use crate::op::Symbol;
use crate::tree::{Module, Type};
use scope::Scope;

/// How deep types, constants and metadata may be nested: what the stack of a thread holds by far, and
/// more than any program has.
const DEEPEST: u32 = 200;

/// Text that is not understood: where, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Refused {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong with it.
    pub what: String,
}

/// What was read, or why not.
pub(crate) type Read<T> = Result<T, Refused>;

/// Reads a module.
pub fn parse(text: &str) -> Result<Module, Refused> {
    let mut parser = Parser::new(text)?;
    let bodies = parser.module()?;
    for body in bodies {
        parser.body(body)?;
    }
    parser.finish()
}

/// Reads a module of which some functions may not be understood: these are left as declarations, and
/// listed with the reason.
pub fn parse_lenient(text: &str) -> Result<(Module, Vec<(String, Refused)>), Refused> {
    let mut parser = Parser::new(text)?;
    let bodies = parser.module()?;
    let mut refused = Vec::new();
    for body in bodies {
        let function = body.function;
        if let Err(why) = parser.body(body) {
            let name = parser.module.functions[function].name.clone();
            refused.push((name.map_or_else(String::new, |name| name.to_string()), why));
        }
    }
    Ok((parser.finish()?, refused))
}

/// The state of reading.
pub(crate) struct Parser<'t> {
    lexer: Lexer<'t>,
    /// The token at hand; the lexer stands behind it.
    token: Token<'t>,
    /// The line of the token.
    line: u32,
    /// The line of the token before it.
    before: u32,
    /// How deep the construct at hand is nested.
    depth: u32,
    module: Module,
    /// Names of types that are no structures.
    synonyms: HashMap<String, Type>,
    type_names: Names,
    symbols: Names,
    /// Numbers of what is global: as written, and as they are in the order of the tree.
    numbers: HashMap<u32, u32>,
    scope: Scope,
    /// Whether some function leaves numbers out.
    gaps: bool,
    /// Where a number of a value or a block stands in text that is kept as written.
    kept_number: Option<u32>,
}

/// Names that are used and defined, each kept once.
#[derive(Default)]
struct Names(HashMap<Arc<str>, Known>);

struct Known {
    name: Arc<str>,
    defined: bool,
    /// Where it was first used.
    line: u32,
}

impl Names {
    fn entry(&mut self, name: &str, line: u32) -> &mut Known {
        if !self.0.contains_key(name) {
            let name: Arc<str> = name.into();
            self.0.insert(name.clone(), Known { name, defined: false, line });
        }
        self.0.get_mut(name).expect("it was just put there")
    }

    fn used(&mut self, name: &str, line: u32) -> Arc<str> {
        self.entry(name, line).name.clone()
    }

    /// Defines a name; `None`: it was before.
    fn define(&mut self, name: &str, line: u32) -> Option<Arc<str>> {
        let known = self.entry(name, line);
        (!std::mem::replace(&mut known.defined, true)).then(|| known.name.clone())
    }

    /// The first that is used and not defined.
    fn undefined(&self, excused: impl Fn(&str) -> bool) -> Option<(&str, u32)> {
        let missing = self.0.values().filter(|known| !known.defined && !excused(&known.name));
        missing.map(|known| (&*known.name, known.line)).min_by_key(|(name, line)| (*line, *name))
    }
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Read<Parser<'t>> {
        let mut parser = Parser {
            lexer: Lexer::new(text),
            token: Token::End,
            line: 1,
            before: 1,
            depth: 0,
            module: Module::default(),
            synonyms: HashMap::new(),
            type_names: Names::default(),
            symbols: Names::default(),
            numbers: numbers::numbers(text),
            scope: Scope::default(),
            gaps: false,
            kept_number: None,
        };
        parser.step()?;
        Ok(parser)
    }

    fn refuse<T>(&self, what: impl Into<String>) -> Read<T> {
        Err(Refused { line: self.line, what: what.into() })
    }

    /// Refuses what was just read; the token at hand is behind it.
    fn refuse_before<T>(&self, what: impl Into<String>) -> Read<T> {
        Err(Refused { line: self.before, what: what.into() })
    }

    fn expected<T>(&self, what: &str) -> Read<T> {
        let found = match self.token {
            Token::Word(word) | Token::Number(word) => format!("`{word}`"),
            Token::Mark(byte) => format!("`{}`", char::from(byte)),
            Token::Label(_) => "a label".into(),
            Token::Local(_) => "a local name".into(),
            Token::Global(_) => "a global name".into(),
            Token::End => "the end".into(),
            _ => "something else".to_string(),
        };
        self.refuse(format!("expected {what}, found {found}"))
    }

    /// To the next token.
    fn step(&mut self) -> Read<()> {
        self.lexer.skip_blank();
        self.before = self.line;
        self.line = self.lexer.place.line;
        self.token = self.lexer.next();
        match self.token {
            Token::Wrong(why) => self.refuse(why),
            _ => Ok(()),
        }
    }

    /// One level down; whoever comes back up counts back.
    fn deeper(&mut self) -> Read<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.refuse(format!("nested more than {DEEPEST} deep"))
        } else {
            Ok(())
        }
    }

    fn accept(&mut self, mark: u8) -> Read<bool> {
        let here = self.token == Token::Mark(mark);
        if here {
            self.step()?;
        }
        Ok(here)
    }

    fn expect(&mut self, mark: u8) -> Read<()> {
        if self.accept(mark)? { Ok(()) } else { self.expected(&format!("`{}`", char::from(mark))) }
    }

    fn accept_word(&mut self, word: &str) -> Read<bool> {
        let here = self.token == Token::Word(word);
        if here {
            self.step()?;
        }
        Ok(here)
    }

    fn expect_word(&mut self, word: &str) -> Read<()> {
        if self.accept_word(word)? { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// A comma, if more of the instruction follows it than attachments.
    fn comma(&mut self) -> Read<bool> {
        if self.token != Token::Mark(b',') || self.lexer.before_attachment() {
            return Ok(false);
        }
        self.step()?;
        Ok(true)
    }

    /// A number without sign.
    fn number<T: FromStr>(&mut self) -> Read<T> {
        let Token::Number(text) = self.token else { return self.expected("a number") };
        match text.parse() {
            Ok(number) => {
                self.step()?;
                Ok(number)
            }
            Err(_) => self.refuse(format!("`{text}` is no number that can stand here")),
        }
    }

    /// What is between quotes, as written.
    fn text(&mut self) -> Read<&'t str> {
        let Token::Text(text) = self.token else { return self.expected("a text in quotes") };
        self.step()?;
        Ok(text)
    }

    /// What is between parentheses, as written; the token at hand is `(`.
    fn in_parentheses(&mut self) -> Read<&'t str> {
        if self.token != Token::Mark(b'(') {
            return self.expected("`(`");
        }
        match self.lexer.balanced(b'(', b')') {
            Some(text) => {
                self.step()?;
                Ok(text)
            }
            None => self.refuse("a parenthesis that is not closed"),
        }
    }

    /// A name of the module, used.
    fn symbol(&mut self, name: Name<'t>) -> Read<Symbol> {
        match name {
            Name::Number(number) => match self.numbers.get(&number) {
                Some(place) => Ok(Symbol::Number(*place)),
                None => self.refuse(format!("`@{number}` is defined nowhere")),
            },
            _ => {
                let line = self.line;
                Ok(Symbol::Name(self.symbols.used(&name.text().unwrap_or_default(), line)))
            }
        }
    }

    /// `@name`, used.
    fn expect_symbol(&mut self) -> Read<Symbol> {
        let Token::Global(name) = self.token else { return self.expected("a global name") };
        let symbol = self.symbol(name)?;
        self.step()?;
        Ok(symbol)
    }

    /// The module, if all that it names is there.
    fn finish(self) -> Read<Module> {
        let refuse = |line, what| Err(Refused { line, what });
        if let Some((name, line)) = self.type_names.undefined(|_| false) {
            return refuse(line, format!("the type `%{name}` is defined nowhere"));
        }
        // New libraries declare their own functions themselves.
        if let Some((name, line)) = self.symbols.undefined(|name| name.starts_with("llvm.")) {
            return refuse(line, format!("`@{name}` is defined nowhere"));
        }
        match self.kept_number {
            // The printer counts without gaps, and would not change what is kept as written.
            Some(line) if self.gaps => {
                refuse(line, "a number that is kept, while others have gaps".to_string())
            }
            _ => Ok(self.module),
        }
    }

    /// Text that is kept as written, looked through for numbers of values and blocks.
    fn keep(&mut self, text: String) -> String {
        let mut signs = text.as_bytes().windows(2);
        if signs.any(|pair| pair[0] == b'%' && pair[1].is_ascii_digit()) {
            self.kept_number.get_or_insert(self.before);
        }
        text
    }
}
