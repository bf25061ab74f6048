//! What a server's children do for crossovers, besides what [`optimise::work`] does for everybody.
//!
//! Seeds travel as places in the corpus file, which every child can read.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use choice::Choices;
use llvmhost::{Context, Desk, Llvm, Machine, Work};
use optimise::work::{Answer, Pipeline, optimise, packed, refused, stage, trouble, unpacked};
use serde::{Deserialize, Serialize};

use crate::{Aside, Facts, Failed, Kind, Piece, Policy, cross, split_text};

/// The first byte of these items.
pub const TRADE: u8 = b'x';

/// A part of the corpus file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Where it begins.
    pub at: u64,
    /// Its length in bytes.
    pub length: u32,
}

/// One thing to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Item {
    /// Make seeds out of a file: [`Own::Pieces`].
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
    /// Tell the facts of a module: [`Own::Facts`].
    Facts {
        /// Its bitcode.
        bitcode: Vec<u8>,
    },
}

/// What [`Answer::Own`] holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Own {
    /// The seeds of a file, and why others are none.
    Pieces(Vec<Result<Piece, Aside>>),
    /// These two cannot be crossed.
    NotCrossed(Failed),
    /// Facts of a module.
    Facts(Facts),
}

impl Item {
    /// As bytes for a server.
    pub fn bytes(&self) -> Vec<u8> {
        packed(TRADE, self)
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

    fn read(&self, span: Span) -> Result<Vec<u8>, Answer> {
        let mut bytes = vec![0; span.length as usize];
        let file = self.corpus.as_ref().ok_or_else(|| trouble("no corpus file"))?;
        file.read_exact_at(&mut bytes, span.at).map_err(trouble)?;
        Ok(bytes)
    }

    /// Does an item, given without its first byte.
    pub fn answer(
        &self,
        llvm: &Llvm,
        machine: &Machine<'_>,
        item: &[u8],
        desk: &Desk<'_>,
    ) -> Answer {
        let (Ok(answer) | Err(answer)) = self.perform_own(llvm, machine, item, desk);
        answer
    }

    fn perform_own(
        &self,
        llvm: &Llvm,
        machine: &Machine<'_>,
        item: &[u8],
        desk: &Desk<'_>,
    ) -> Result<Answer, Answer> {
        desk.stage(stage::MAKING);
        let context = Context::new(llvm);
        match unpacked(item)? {
            Item::Split { bytes } => Ok(Answer::own(&Own::Pieces(split_text(&context, &bytes)))),
            Item::Cross { seeds: [first, second], kind, policy, random, pipeline } => {
                let (first, second) = (self.read(first)?, self.read(second)?);
                let mut choices = Choices::new(random);
                let module = match cross(&context, &first, &second, kind, &policy, &mut choices) {
                    Ok(module) => module,
                    Err(failed) => return Ok(Answer::own(&Own::NotCrossed(failed))),
                };
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
                let module = context.parse(&bitcode, "seed").map_err(refused)?;
                Ok(Answer::own(&Own::Facts(Facts::of(&module))))
            }
        }
    }
}

impl Work for Children {
    fn perform(&self, llvm: &Llvm, machine: &Machine<'_>, item: &[u8], desk: &Desk<'_>) -> Vec<u8> {
        let answer = match item.split_first() {
            Some((&TRADE, item)) => self.answer(llvm, machine, item, desk),
            Some((&optimise::work::ENGINE_TAG, item)) => {
                optimise::work::answer(llvm, machine, item, desk)
            }
            _ => trouble("an item of nobody"),
        };
        answer.bytes()
    }
}
