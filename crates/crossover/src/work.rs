//! What a server of ours does in its children: the items, and the answers.
//!
//! Modules travel as bytes, or as a place in the corpus file, which every child can read.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use choice::Choices;
use llvm::{Broken, Context, Desk, Llvm, Machine, Module, Running, Work};
use serde::{Deserialize, Serialize};

use crate::shrink::{self, Edit, Kind as EditKind};
use crate::{Aside, Facts, Failed, Kind, Piece, Policy, cross, split_text};

/// How far an item came: what [`llvm::Ran::stage`] says.
pub mod stage {
    /// Modules are read, or made; a crash here is not the passes'.
    pub const MAKING: u32 = 1;
    /// The passes run on a valid module, which was laid down as bitcode.
    pub const PASSES: u32 = 2;
    /// The passes are through.
    pub const AFTER: u32 = 3;
}

/// A module as it is handed over.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Source {
    /// Text or bitcode.
    Bytes(Vec<u8>),
    /// Bitcode in the corpus file.
    Corpus(Span),
}

/// A part of the corpus file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Where it begins.
    pub at: u64,
    /// Its length in bytes.
    pub length: u32,
}

/// What passes are run, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pipeline {
    /// As for `opt -passes=`.
    pub passes: String,
    /// How.
    pub running: Running,
}

/// One thing to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Item {
    /// Run passes on a module, for the machine that it names.
    Optimise {
        /// The module.
        module: Source,
        /// For messages.
        name: String,
        /// What to run.
        pipeline: Pipeline,
        /// Whether a module that names no machine is one for x86-64; else it has none, as in `opt`.
        x86: bool,
        /// Whether the result's text is wanted.
        print: bool,
    },
    /// Make seeds out of a file.
    Split {
        /// Its text or bitcode.
        bytes: Vec<u8>,
    },
    /// Cross two seeds and run passes on what comes of it.
    Cross {
        /// The two.
        seeds: [Span; 2],
        /// How they are crossed.
        kind: Kind,
        /// What is decided at random.
        policy: Policy,
        /// Of the random decisions.
        random: u64,
        /// What to run; `None` only makes the crossover.
        pipeline: Option<Pipeline>,
    },
    /// Tell the facts of a module.
    Facts {
        /// Its bitcode.
        bitcode: Vec<u8>,
    },
    /// Print a module.
    Print {
        /// Its bitcode.
        bitcode: Vec<u8>,
    },
    /// Change a module and run passes on it.
    Edit {
        /// The module.
        base: Vec<u8>,
        /// The change.
        edit: Edit,
        /// What to run.
        pipeline: Pipeline,
    },
    /// Count the places of a change.
    Count {
        /// The module.
        base: Vec<u8>,
        /// The change.
        kind: EditKind,
    },
}

/// What came of an item that LLVM survived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// It is not an item that this server knows, or a file cannot be read: our trouble.
    Trouble(String),
    /// It is no valid module, or there is no such pass.
    Refused(String),
    /// The passes left a module that does not verify.
    Invalid(String),
    /// All is well; the result's text where it was wanted.
    Fine(String),
    /// The seeds of a file, and why others are none.
    Pieces(Vec<Result<Piece, Aside>>),
    /// These two cannot be crossed.
    NotCrossed(Failed),
    /// Facts of a module.
    Facts(Facts),
    /// A number of places.
    Places(u64),
}

impl Answer {
    /// Reads what a child returned.
    pub fn read(bytes: &[u8]) -> Answer {
        postcard::from_bytes(bytes).unwrap_or_else(|e| Answer::Trouble(e.to_string()))
    }
}

impl Item {
    /// As bytes for a server.
    pub fn bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).unwrap_or_default()
    }
}

/// The work itself.
#[derive(Debug)]
pub struct Children {
    corpus: Option<File>,
}

impl Children {
    /// For a server: `told` is the path of the corpus file, or empty.
    pub fn new(told: &[u8]) -> Result<Children, String> {
        if told.is_empty() {
            return Ok(Children { corpus: None });
        }
        let path = PathBuf::from(String::from_utf8_lossy(told).into_owned());
        let file =
            File::open(&path).map_err(|e| format!("{} cannot be read: {e}", path.display()))?;
        Ok(Children { corpus: Some(file) })
    }

    fn read(&self, source: Source) -> Result<Vec<u8>, Answer> {
        match source {
            Source::Bytes(bytes) => Ok(bytes),
            Source::Corpus(span) => {
                let mut bytes = vec![0; span.length as usize];
                let file = self.corpus.as_ref().ok_or_else(|| trouble("no corpus file"))?;
                file.read_exact_at(&mut bytes, span.at).map_err(trouble)?;
                Ok(bytes)
            }
        }
    }

    fn answer(
        &self,
        llvm: &Llvm,
        machine: &Machine<'_>,
        item: &[u8],
        desk: &Desk<'_>,
    ) -> Result<Answer, Answer> {
        desk.stage(stage::MAKING);
        match postcard::from_bytes(item).map_err(trouble)? {
            Item::Optimise { module, name, pipeline, x86, print } => {
                let bytes = self.read(module)?;
                let context = Context::new(llvm);
                let module = context.parse(&bytes, &name).map_err(refused)?;
                module.verify().map_err(refused)?;
                let own = own_machine(llvm, &module);
                let machine = match own.as_ref() {
                    None if x86 || !module.triple().is_empty() => {
                        module.set_machine(machine);
                        Some(machine)
                    }
                    own => own,
                };
                optimise(module, machine, &pipeline, print, desk)
            }
            Item::Split { bytes } => {
                let context = Context::new(llvm);
                Ok(Answer::Pieces(split_text(&context, &bytes)))
            }
            Item::Cross { seeds, kind, policy, random, pipeline } => {
                let [first, second] =
                    [self.read(Source::Corpus(seeds[0]))?, self.read(Source::Corpus(seeds[1]))?];
                let context = Context::new(llvm);
                let mut choices = Choices::new(random);
                let crossed = cross(&context, &first, &second, kind, &policy, &mut choices);
                let module = crossed.map_err(Answer::NotCrossed)?;
                module.set_machine(machine);
                match pipeline {
                    Some(pipeline) => optimise(module, Some(machine), &pipeline, false, desk),
                    None => {
                        desk.lay_down(&module.bitcode());
                        Ok(Answer::Fine(module.text()))
                    }
                }
            }
            Item::Facts { bitcode } => {
                let context = Context::new(llvm);
                Ok(Answer::Facts(Facts::of(&context.parse(&bitcode, "seed").map_err(refused)?)))
            }
            Item::Print { bitcode } => {
                let context = Context::new(llvm);
                Ok(Answer::Fine(context.parse(&bitcode, "crossover").map_err(refused)?.text()))
            }
            Item::Edit { base, edit, pipeline } => {
                let context = Context::new(llvm);
                let module = shrink::make(&context, &base, &edit, Some(machine));
                let module = module.ok_or_else(|| Answer::Refused("no valid module".into()))?;
                desk.lay_down(module.text().as_bytes());
                let machine = if module.triple().is_empty() { None } else { Some(machine) };
                run(module, machine, &pipeline, false, desk)
            }
            Item::Count { base, kind } => {
                let context = Context::new(llvm);
                let module = context.parse(&base, "reduced").map_err(refused)?;
                Ok(Answer::Places(shrink::count(&module, kind) as u64))
            }
        }
    }
}

impl Work for Children {
    fn perform(&self, llvm: &Llvm, machine: &Machine<'_>, item: &[u8], desk: &Desk<'_>) -> Vec<u8> {
        let (Ok(answer) | Err(answer)) = self.answer(llvm, machine, item, desk);
        postcard::to_stdvec(&answer).unwrap_or_default()
    }
}

/// Lays a valid module down and runs the passes on it.
fn optimise(
    module: Module<'_>,
    machine: Option<&Machine<'_>>,
    pipeline: &Pipeline,
    print: bool,
    desk: &Desk<'_>,
) -> Result<Answer, Answer> {
    desk.lay_down(&module.bitcode());
    run(module, machine, pipeline, print, desk)
}

fn run(
    mut module: Module<'_>,
    machine: Option<&Machine<'_>>,
    pipeline: &Pipeline,
    print: bool,
    desk: &Desk<'_>,
) -> Result<Answer, Answer> {
    desk.stage(stage::PASSES);
    module.run(&pipeline.passes, machine, pipeline.running).map_err(refused)?;
    desk.stage(stage::AFTER);
    // Verified after each is verified after the last.
    if !pipeline.running.verify_each
        && let Err(broken) = module.verify()
    {
        return Ok(Answer::Invalid(broken.0));
    }
    Ok(Answer::Fine(if print { module.text() } else { String::new() }))
}

/// The machine of a module for another processor, if this LLVM has it.
fn own_machine<'l>(llvm: &'l Llvm, module: &Module<'_>) -> Option<Machine<'l>> {
    let triple = module.triple();
    if triple.is_empty() || triple == llvm::X86_64 {
        return None;
    }
    llvm.initialize_target(&triple);
    Machine::new(llvm, &triple).ok()
}

fn trouble(e: impl ToString) -> Answer {
    Answer::Trouble(e.to_string())
}

fn refused(broken: Broken) -> Answer {
    Answer::Refused(broken.0)
}
