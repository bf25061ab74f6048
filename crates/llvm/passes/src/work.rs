//! What a server of ours does in its children: the items, and the answers.
//!
//! What LLVM prints in a child goes to a file in memory behind standard error, which the child reads back.
//! An item that kills the child has no answer; its end is in [`llvmhost::Ran`], with the end of what was printed.

use std::fs;

use llvmhost::{Broken, Context, Desk, Llvm, Machine, Running, Work};
use optimise::work::packed;
use serde::{Deserialize, Serialize};

use crate::shape::Shape;

/// The first byte of these items.
pub const TRADE: u8 = b'p';

/// How far an item came: what [`llvmhost::Ran::stage`] says.
pub mod stage {
    /// The module is read; a crash here is not the passes'.
    pub const READING: u32 = 1;
    /// The passes run.
    pub const PASSES: u32 = 2;
    /// The passes are through.
    pub const AFTER: u32 = 3;
}

/// One thing to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Item {
    /// List the passes of the library.
    Names,
    /// Run passes on a module, and tell which of them ran on what.
    Log {
        /// Text or bitcode.
        module: Vec<u8>,
        /// As for `opt -passes=`.
        passes: String,
        /// Whether the module is verified after each pass; an invalid one ends the child.
        verify_each: bool,
    },
    /// Tell the shape of a program.
    Shape {
        /// Text or bitcode.
        module: Vec<u8>,
    },
}

/// What came of an item that LLVM survived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// It is not an item that this server knows: our trouble.
    Trouble(String),
    /// It is no valid module, or there is no such pass, or the library does not list its passes.
    Refused(String),
    /// The passes by name, as LLVM prints them.
    Names(String),
    /// The passes ran.
    Log(Logged),
    /// The program's shape.
    Shape(Shape),
}

/// A run of passes that came to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logged {
    /// All that was printed, the passes among it.
    pub log: String,
    /// Why the module does not verify any more.
    pub invalid: Option<String>,
    /// The functions that the module has afterwards.
    pub defined: Vec<String>,
    /// The functions that it expects elsewhere; intrinsics are not among them.
    pub declared: Vec<String>,
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
        packed(TRADE, self)
    }
}

/// The work itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Children;

impl Work for Children {
    fn perform(&self, llvm: &Llvm, machine: &Machine<'_>, item: &[u8], desk: &Desk<'_>) -> Vec<u8> {
        match item.split_first() {
            Some((&optimise::work::ENGINE_TAG, item)) => {
                optimise::work::answer(llvm, machine, item, desk).bytes()
            }
            Some((_, item)) => Children::answer(llvm, machine, item, desk),
            None => Vec::new(),
        }
    }
}

impl Children {
    /// Does an item, given without its first byte.
    pub fn answer(llvm: &Llvm, machine: &Machine<'_>, item: &[u8], desk: &Desk<'_>) -> Vec<u8> {
        desk.stage(stage::READING);
        let answer = match postcard::from_bytes(item) {
            Err(e) => Err(Answer::Trouble(e.to_string())),
            Ok(Item::Names) => names(llvm),
            Ok(Item::Log { module, passes, verify_each }) => {
                let running = Running { verify_each, log: true };
                log(llvm, machine, &module, &passes, running, desk)
            }
            Ok(Item::Shape { module }) => {
                let context = Context::new(llvm);
                let module = context.parse(&module, "program").map_err(refused);
                module.map(|module| Answer::Shape(Shape::of(&module)))
            }
        };
        let (Ok(answer) | Err(answer)) = answer;
        postcard::to_stdvec(&answer).unwrap_or_default()
    }
}

fn names(llvm: &Llvm) -> Result<Answer, Answer> {
    match llvm.print_pass_names() {
        true => Ok(Answer::Names(printed()?)),
        false => Err(Answer::Refused("the library does not list its passes".into())),
    }
}

fn log(
    llvm: &Llvm,
    machine: &Machine<'_>,
    module: &[u8],
    passes: &str,
    running: Running,
    desk: &Desk<'_>,
) -> Result<Answer, Answer> {
    let context = Context::new(llvm);
    let mut module = context.parse(module, "program").map_err(refused)?;
    module.verify().map_err(refused)?;
    module.set_machine(machine);
    desk.stage(stage::PASSES);
    module.run(passes, Some(machine), running).map_err(refused)?;
    desk.stage(stage::AFTER);
    let invalid = module.verify().err().map(|broken| broken.0);
    let (declared, defined): (Vec<_>, Vec<_>) =
        module.functions().into_iter().partition(|function| function.is_declaration());
    let declared = declared.into_iter().map(|function| function.name());
    let declared = declared.filter(|name| !name.starts_with("llvm.")).collect();
    let defined = defined.into_iter().map(|function| function.name()).collect();
    Ok(Answer::Log(Logged { log: printed()?, invalid, defined, declared }))
}

/// What this process has printed for its item: standard error is a file in memory.
fn printed() -> Result<String, Answer> {
    let bytes = fs::read("/proc/self/fd/2").map_err(|e| Answer::Trouble(e.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn refused(broken: Broken) -> Answer {
    Answer::Refused(broken.0)
}
