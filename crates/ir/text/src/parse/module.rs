//! The top level: everything but instructions.

use std::sync::Arc;

use super::attributes::Of;
use super::scope::Scope;
use super::types::type_key;
use super::{Parser, Read, Refused};
use crate::lex::{Name, Place, Token};
use crate::op::{Constant, Op};
use crate::tree::{Alias, Block, Function, Global, Linkage, Metadata, Param, Type, Unnamed};
use crate::words::is_storage;

/// A function's body, found and not yet read.
pub(super) struct Body {
    /// Whose: a place in [`crate::Module::functions`].
    pub(super) function: usize,
    place: Place,
    /// With its parameters.
    scope: Scope,
}

/// What stands before `global`, `alias`, or a function's type.
struct Prefix {
    linkage: Linkage,
    words: Vec<String>,
    unnamed: Unnamed,
}

impl<'t> Parser<'t> {
    /// Reads all but the bodies of functions.
    pub(super) fn module(&mut self) -> Read<Vec<Body>> {
        let mut bodies = Vec::new();
        loop {
            match self.token {
                Token::End => break,
                Token::Word("define") => bodies.push(self.definition()?),
                Token::Word("declare") => self.declaration()?,
                Token::Word(word) => self.entry(word)?,
                Token::Local(name) => self.type_definition(name)?,
                Token::Comdat(name) => self.comdat(name)?,
                Token::Global(name) => self.global(name)?,
                Token::Metadata(name) => self.named_metadata(name)?,
                Token::Mark(b'!') => self.numbered_metadata()?,
                Token::Summary => self.summary()?,
                _ => return self.expected("a declaration or a definition"),
            }
        }
        self.check_types()?;
        Ok(bodies)
    }

    fn entry(&mut self, word: &str) -> Read<()> {
        self.step()?;
        match word {
            "source_filename" => {
                self.expect(b'=')?;
                self.module.source_filename = Some(self.text()?.to_string());
            }
            "target" => {
                let Token::Word(which) = self.token else { return self.expected("`datalayout`") };
                self.step()?;
                self.expect(b'=')?;
                let text = Some(self.text()?.to_string());
                match which {
                    "datalayout" => self.module.layout = text,
                    "triple" => self.module.triple = text,
                    _ => return self.refuse("a target has a triple and a datalayout"),
                }
            }
            "module" => {
                self.expect_word("asm")?;
                let line = self.text()?.to_string();
                self.module.assembly.push(line);
            }
            "attributes" => {
                let Token::Group(number) = self.token else {
                    return self.expected("`#` and a number");
                };
                self.step()?;
                self.expect(b'=')?;
                self.expect(b'{')?;
                let group = self.attributes(Of::Group)?;
                self.expect(b'}')?;
                self.module.groups.push((number, group));
            }
            "uselistorder" | "uselistorder_bb" => self.skip_use_list()?,
            _ => return self.refuse(format!("`{word}` opens nothing")),
        }
        Ok(())
    }

    /// The order of uses bears on nothing but LLVM's own order of work.
    fn skip_use_list(&mut self) -> Read<()> {
        while self.token != Token::Mark(b'}') {
            if self.token == Token::End {
                return self.expected("`}`");
            }
            self.step()?;
        }
        self.step()
    }

    /// Summaries are for linking only.
    fn summary(&mut self) -> Read<()> {
        self.step()?;
        self.expect(b'=')?;
        self.step()?; // its kind, a label
        match self.token {
            Token::Mark(b'(') => self.in_parentheses().map(drop),
            _ => self.number::<u64>().map(drop),
        }
    }

    fn type_definition(&mut self, name: Name<'t>) -> Read<()> {
        let key = type_key(name);
        self.step()?;
        self.expect(b'=')?;
        self.expect_word("type")?;
        let line = self.line;
        let twice = || Refused { line, what: format!("the type `%{key}` is defined twice") };
        if self.synonyms.contains_key(&key) {
            return Err(twice());
        }
        let ty = match self.token {
            Token::Word("opaque") => {
                self.step()?;
                None
            }
            _ => Some(self.ty()?),
        };
        if let Some(ty) = &ty
            && !matches!(ty, Type::Struct { .. })
        {
            if self.type_names.0.contains_key(&*key) {
                return self
                    .refuse_before(format!("the type `%{key}` is no structure and used before"));
            }
            self.synonyms.insert(key, ty.clone());
            return Ok(());
        }
        let name = self.type_names.define(&key, line).ok_or_else(twice)?;
        self.module.types.push((name, ty));
        Ok(())
    }

    fn comdat(&mut self, name: Name<'t>) -> Read<()> {
        self.step()?;
        self.expect(b'=')?;
        self.expect_word("comdat")?;
        let Token::Word(kind) = self.token else { return self.expected("a kind of comdat") };
        self.step()?;
        let name = name.text().unwrap_or_default();
        self.module.comdats.push(((&*name).into(), kind.to_string()));
        Ok(())
    }

    /// The name of a definition; `None`: a number.
    fn define_symbol(&mut self, name: Name<'t>) -> Read<Option<Arc<str>>> {
        let Some(text) = name.text().filter(|text| !text.is_empty()) else { return Ok(None) };
        match self.symbols.define(&text, self.line) {
            Some(name) => Ok(Some(name)),
            None => self.refuse(format!("`@{text}` is defined twice")),
        }
    }

    fn prefix(&mut self) -> Read<Prefix> {
        let mut prefix =
            Prefix { linkage: Linkage::External, words: Vec::new(), unnamed: Unnamed::No };
        while let Token::Word(word) = self.token {
            if let Some(linkage) = Linkage::of_word(word) {
                prefix.linkage = linkage;
            } else if word == "unnamed_addr" {
                prefix.unnamed = Unnamed::Yes;
            } else if word == "local_unnamed_addr" {
                prefix.unnamed = Unnamed::Local;
            } else if is_storage(word) {
                self.step()?;
                let model = if word == "thread_local" && self.token == Token::Mark(b'(') {
                    format!("({})", self.in_parentheses()?)
                } else {
                    String::new()
                };
                prefix.words.push(format!("{word}{model}"));
                continue;
            } else {
                break;
            }
            self.step()?;
        }
        Ok(prefix)
    }

    fn global(&mut self, name: Name<'t>) -> Read<()> {
        let name = self.define_symbol(name)?;
        self.step()?;
        self.expect(b'=')?;
        let declared_word =
            self.token == Token::Word("external") || self.token == Token::Word("extern_weak");
        let prefix = self.prefix()?;
        match self.token {
            Token::Word(word @ ("alias" | "ifunc")) => self.alias(name, prefix, word == "ifunc"),
            _ => self.variable(name, prefix, declared_word),
        }
    }

    fn variable(&mut self, name: Option<Arc<str>>, prefix: Prefix, declared: bool) -> Read<()> {
        let space = self.address_space()?.unwrap_or(0);
        let externally_initialized = self.accept_word("externally_initialized")?;
        let constant = match self.token {
            Token::Word("global") => false,
            Token::Word("constant") => true,
            _ => return self.expected("`global` or `constant`"),
        };
        self.step()?;
        let ty = self.ty()?;
        let value = if declared { None } else { Some(self.constant(&ty)?) };
        let mut global = Global {
            name,
            linkage: prefix.linkage,
            words: prefix.words,
            unnamed: prefix.unnamed,
            space,
            externally_initialized,
            constant,
            ty,
            value,
            align: None,
            rest: Vec::new(),
            attachments: Vec::new(),
            attributes: Default::default(),
        };
        while self.accept(b',')? {
            match self.token {
                Token::Word("align") => global.align = self.align()?,
                Token::Metadata(name) => global.attachments.push(self.attachment(name)?),
                _ => global.rest.push(self.tail_part()?),
            }
        }
        global.attributes = self.tail_attributes()?;
        self.module.globals.push(global);
        Ok(())
    }

    /// `section "…"`, `comdat($x)`, `no_sanitize_address`, …: as written.
    fn tail_part(&mut self) -> Read<String> {
        let Token::Word(word) = self.token else { return self.expected("a property") };
        self.step()?;
        Ok(match self.token {
            Token::Text(text) => {
                self.step()?;
                format!("{word} \"{text}\"")
            }
            Token::Mark(b'(') => format!("{word}({})", self.in_parentheses()?),
            _ => word.to_string(),
        })
    }

    fn alias(&mut self, name: Option<Arc<str>>, prefix: Prefix, ifunc: bool) -> Read<()> {
        self.step()?;
        let ty = self.ty()?;
        self.expect(b',')?;
        let target = match self.token {
            Token::Word(word @ ("getelementptr" | "bitcast" | "addrspacecast" | "inttoptr")) => {
                let op = self.expression(word)?;
                self.check(&op)?;
                (self.type_of(&op)?, Constant::Expression(Box::new(op)))
            }
            _ => self.typed_constant()?,
        };
        let mut rest = Vec::new();
        while self.accept(b',')? {
            rest.push(match self.token {
                Token::Metadata(_) => return self.refuse("metadata of an alias"),
                _ => self.tail_part()?,
            });
        }
        let Prefix { linkage, words, unnamed } = prefix;
        self.module.aliases.push(Alias { name, linkage, words, unnamed, ifunc, ty, target, rest });
        Ok(())
    }

    fn named_metadata(&mut self, name: &'t str) -> Read<()> {
        self.step()?;
        self.expect(b'=')?;
        self.expect(b'!')?;
        let parts = self.metadata_parts()?;
        self.module.named_metadata.push((name.into(), parts));
        Ok(())
    }

    fn numbered_metadata(&mut self) -> Read<()> {
        self.step()?;
        let number = self.number()?;
        self.expect(b'=')?;
        let distinct = self.accept_word("distinct")?;
        let what = self.metadata()?;
        if matches!(what, Metadata::Value(_) | Metadata::Null) {
            return self.refuse_before("a node that is none");
        }
        self.module.metadata.push((number, distinct, what));
        Ok(())
    }

    fn declaration(&mut self) -> Read<()> {
        self.step()?;
        let mut attachments = Vec::new();
        while let Token::Metadata(name) = self.token {
            attachments.push(self.attachment(name)?);
        }
        let (mut function, _) = self.header(false)?;
        function.attachments.splice(0..0, attachments);
        self.module.functions.push(function);
        Ok(())
    }

    fn definition(&mut self) -> Read<Body> {
        self.step()?;
        let (function, scope) = self.header(true)?;
        if self.token != Token::Mark(b'{') {
            return self.expected("a body");
        }
        let place = self.lexer.place;
        if self.lexer.balanced(b'{', b'}').is_none() {
            return self.refuse("a body that is not closed");
        }
        self.step()?;
        self.module.functions.push(function);
        Ok(Body { function: self.module.functions.len() - 1, place, scope })
    }

    fn header(&mut self, defined: bool) -> Read<(Function, Scope)> {
        let prefix = self.prefix()?;
        let convention = self.convention()?;
        let result_attributes = self.attributes(Of::Value)?;
        let result = self.ty()?;
        let Token::Global(name) = self.token else { return self.expected("a function's name") };
        let name = self.define_symbol(name)?;
        self.step()?;
        let mut function = Function {
            name,
            linkage: prefix.linkage,
            words: prefix.words,
            convention,
            result_attributes,
            result,
            params: Vec::new(),
            varargs: false,
            unnamed: prefix.unnamed,
            space: self.space_of_layout("P"),
            attributes: Default::default(),
            rest: Vec::new(),
            personality: None,
            attachments: Vec::new(),
            locals: Vec::new(),
            blocks: Vec::new(),
        };
        let scope = self.params(&mut function)?;
        function.locals = scope.locals.clone();
        self.function_tail(&mut function, defined)?;
        Ok((function, scope))
    }

    fn params(&mut self, function: &mut Function) -> Read<Scope> {
        let mut scope = Scope::default();
        self.expect(b'(')?;
        while !self.accept(b')')? {
            if !function.params.is_empty() {
                self.expect(b',')?;
            }
            if self.token == Token::Dots {
                self.step()?;
                self.expect(b')')?;
                function.varargs = true;
                break;
            }
            let ty = self.ty()?;
            let attributes = self.attributes(Of::Value)?;
            let name = match self.token {
                Token::Local(name) => {
                    self.step()?;
                    Some(name)
                }
                _ => None,
            };
            let local = scope.define(name, ty, self.line)?;
            function.params.push(Param { local, attributes });
        }
        Ok(scope)
    }

    /// What stands between the parameters and the body.
    fn function_tail(&mut self, function: &mut Function, defined: bool) -> Read<()> {
        loop {
            match self.token {
                Token::Word("unnamed_addr") => {
                    self.step()?;
                    function.unnamed = Unnamed::Yes;
                }
                Token::Word("local_unnamed_addr") => {
                    self.step()?;
                    function.unnamed = Unnamed::Local;
                }
                Token::Word("addrspace") => function.space = self.address_space()?.unwrap_or(0),
                Token::Word("personality") => {
                    self.step()?;
                    function.personality = Some(self.typed_constant()?);
                }
                Token::Word(word @ ("prefix" | "prologue")) => {
                    self.step()?;
                    let (ty, constant) = self.typed_constant()?;
                    let text = crate::print::constant(&self.module, &ty, &constant);
                    function.rest.push(format!("{word} {ty} {text}"));
                }
                Token::Word("align") => {
                    let align = self.align()?.unwrap_or(1);
                    function.rest.push(format!("align {align}"));
                }
                Token::Word("section" | "partition" | "gc" | "comdat" | "prefalign") => {
                    let part = self.tail_part()?;
                    function.rest.push(part);
                }
                Token::Metadata(name) if defined => {
                    let attachment = self.attachment(name)?;
                    function.attachments.push(attachment);
                }
                Token::Word(
                    "define" | "declare" | "attributes" | "source_filename" | "target" | "module",
                )
                | Token::Word("uselistorder" | "uselistorder_bb") => return Ok(()),
                Token::Word(_) | Token::Group(_) | Token::Text(_) => {
                    let more = self.attributes(Of::Function)?;
                    if more.0.is_empty() {
                        return self.expected("an attribute");
                    }
                    function.attributes.0.extend(more.0);
                }
                _ => return Ok(()),
            }
        }
    }

    /// Reads a body that was found before.
    pub(super) fn body(&mut self, body: Body) -> Read<()> {
        self.lexer.place = body.place;
        self.depth = 0;
        self.scope = body.scope;
        self.step()?;
        let mut blocks: Vec<Block> = Vec::new();
        while self.token != Token::Mark(b'}') {
            if let Token::Word("uselistorder" | "uselistorder_bb") = self.token {
                self.skip_use_list()?;
                continue;
            }
            let label = match self.token {
                Token::Label(name) => {
                    self.step()?;
                    Some(name)
                }
                _ => None,
            };
            let name = self.scope.begin(label, blocks.len() as u32, self.line)?;
            let mut instructions = Vec::new();
            loop {
                let instruction = self.instruction()?;
                if let Op::Ret(value) = &instruction.op {
                    let returned = value.as_ref().map_or(&Type::Void, |value| &value.ty);
                    let result = &self.module.functions[body.function].result;
                    if returned != result {
                        return self.refuse_before(format!(
                            "a {returned} is returned where a {result} should be"
                        ));
                    }
                }
                let ends = instruction.op.ends_block();
                instructions.push(instruction);
                if ends {
                    break;
                }
            }
            blocks.push(Block { name, instructions });
        }
        if blocks.is_empty() {
            return self.refuse("a body without a block");
        }
        self.scope.finish(&mut blocks)?;
        self.gaps |= self.scope.gaps;
        let function = &mut self.module.functions[body.function];
        function.locals = std::mem::take(&mut self.scope.locals);
        function.blocks = blocks;
        Ok(())
    }

    /// The address space that the layout gives to functions (`P`), globals (`G`) or the stack (`A`).
    pub(super) fn space_of_layout(&self, letter: &str) -> u32 {
        let layout = self.module.layout.as_deref().unwrap_or("");
        let space = layout.split('-').find_map(|part| part.strip_prefix(letter)?.parse().ok());
        space.unwrap_or(0)
    }
}

impl Op {
    /// Whether it is the last of its block.
    pub fn ends_block(&self) -> bool {
        match self {
            Op::Ret(_)
            | Op::Br(_)
            | Op::CondBr { .. }
            | Op::Switch { .. }
            | Op::IndirectBr { .. }
            | Op::Unreachable
            | Op::Resume(_)
            | Op::Invoke { .. }
            | Op::CallBr { .. } => true,
            Op::Funclet(funclet) => !matches!(
                **funclet,
                crate::op::Funclet::CatchPad(..) | crate::op::Funclet::CleanupPad(..)
            ),
            _ => false,
        }
    }
}
