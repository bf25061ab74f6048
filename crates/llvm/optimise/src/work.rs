//! What a server's child does for everybody: items, and the answers.
//!
//! An engine has items of its own beside these. The first byte of an item says whose it is ([`packed`]),
//! and the [`llvmhost::Work`] of a server hands those with [`ENGINE_TAG`] to [`answer`].

use llvmhost::{Allowance, Broken, Context, Executed, Llvm, Machine, Module, Recorder, Running};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::shrink::{self, Edit, EditKind};

/// How far an item came: what [`llvmhost::Ran::stage`] says.
pub mod stage {
    /// Modules are read, or made; a crash here is not the passes'.
    pub const MAKING: u32 = 1;
    /// The passes run on a valid module, which was laid down as bitcode.
    pub const PASSES: u32 = 2;
    /// The passes are through.
    pub const AFTER: u32 = 3;
    /// Machine code is made of what they left.
    pub const CODE: u32 = 4;
    /// The code is executed.
    pub const EXECUTION: u32 = 5;
}

/// The first byte of items that are done here.
pub const ENGINE_TAG: u8 = b'o';

/// What passes are run, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pipeline {
    /// As for `opt -passes=`; empty for none.
    pub passes: String,
    /// How.
    pub running: Running,
    /// Whether machine code is made of what they leave; that may fail, too.
    pub code: bool,
}

impl Pipeline {
    /// Passes, and no code.
    pub fn of(passes: impl Into<String>, running: Running) -> Pipeline {
        Pipeline { passes: passes.into(), running, code: false }
    }
}

/// One thing to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Item {
    /// Run passes on a module, for the machine that it names.
    Optimise {
        /// The module's text or bitcode.
        module: Vec<u8>,
        /// For messages.
        name: String,
        /// What to run.
        pipeline: Pipeline,
        /// Whether a module that names no machine is one for x86-64; else it has none, as in `opt`.
        x86: bool,
        /// Whether the result's text is wanted.
        print: bool,
    },
    /// Run passes on a module for x86-64, make machine code of it, and execute that:
    /// [`Answer::Executed`].
    Execute {
        /// The module's text or bitcode.
        module: Vec<u8>,
        /// What to run.
        pipeline: Pipeline,
        /// What the program may use; `None` makes the code and does not execute it: [`Answer::Object`].
        allowance: Option<Allowance>,
    },
    /// Make one module of several: [`Answer::Object`], as bitcode.
    Link {
        /// Text or bitcode of each.
        modules: Vec<Vec<u8>>,
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
        /// Whether the result's text is wanted.
        print: bool,
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
    /// A number of places.
    Places(u64),
    /// The passes left a valid module, and this is what its code did.
    Executed(Executed),
    /// A file: an object, or bitcode.
    Object(Vec<u8>),
    /// All is well, in an engine's own words.
    Own(Vec<u8>),
}

impl Answer {
    /// Reads what a child returned.
    pub fn read(bytes: &[u8]) -> Answer {
        postcard::from_bytes(bytes).unwrap_or_else(trouble)
    }

    /// As bytes, for a client.
    pub fn bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).unwrap_or_default()
    }

    /// An engine's own answer.
    pub fn own(answer: &impl Serialize) -> Answer {
        postcard::to_stdvec(answer).map_or_else(trouble, Answer::Own)
    }

    /// Reads an engine's own answer; whatever else was said is `Err`.
    pub fn into_own<T: DeserializeOwned>(self) -> Result<T, Answer> {
        match self {
            Answer::Own(bytes) => postcard::from_bytes(&bytes).map_err(trouble),
            other => Err(other),
        }
    }
}

impl Item {
    /// As bytes for a server.
    pub fn bytes(&self) -> Vec<u8> {
        packed(ENGINE_TAG, self)
    }
}

/// An item as bytes for a server, for the work that this byte stands for.
pub fn packed(engine_tag: u8, item: &impl Serialize) -> Vec<u8> {
    postcard::to_extend(item, vec![engine_tag]).unwrap_or_default()
}

/// Reads an item that was [`packed`], without its first byte.
pub fn unpacked<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Answer> {
    postcard::from_bytes(bytes).map_err(trouble)
}

/// Does an item, given without its first byte.
pub fn answer(llvm: &Llvm, machine: &Machine<'_>, item: &[u8], recorder: &Recorder<'_>) -> Answer {
    let (Ok(answer) | Err(answer)) = perform(llvm, machine, item, recorder);
    answer
}

fn perform(
    llvm: &Llvm,
    machine: &Machine<'_>,
    item: &[u8],
    recorder: &Recorder<'_>,
) -> Result<Answer, Answer> {
    recorder.stage(stage::MAKING);
    let context = Context::new(llvm);
    match unpacked(item)? {
        Item::Optimise { module, name, pipeline, x86, print } => {
            let module = context.parse(&module, &name).map_err(refused)?;
            module.verify().map_err(refused)?;
            let own = own_machine(llvm, &module);
            let machine = match own.as_ref() {
                None if x86 || !module.triple().is_empty() => {
                    module.set_machine(machine);
                    Some(machine)
                }
                own => own,
            };
            optimise(module, machine, &pipeline, print, recorder)
        }
        Item::Execute { module, pipeline, allowance } => {
            let mut module = context.parse(&module, "program").map_err(refused)?;
            module.verify().map_err(refused)?;
            module.set_machine(machine);
            if let Some(invalid) = passes(&mut module, Some(machine), &pipeline, recorder)? {
                return Ok(invalid);
            }
            let object = code(module, recorder)?;
            let Some(allowance) = allowance else { return Ok(Answer::Object(object)) };
            recorder.stage(stage::EXECUTION);
            let executed =
                llvmhost::execute(llvm, &object, allowance, recorder).map_err(trouble)?;
            Ok(Answer::Executed(executed))
        }
        Item::Link { modules } => {
            let mut parsed = modules.iter().map(|bytes| context.parse(bytes, "program"));
            let first = parsed.next().ok_or_else(|| trouble("no modules"))?;
            let mut whole = first.map_err(refused)?;
            for module in parsed {
                whole.link(module.map_err(refused)?).map_err(refused)?;
            }
            whole.verify().map_err(refused)?;
            Ok(Answer::Object(whole.bitcode()))
        }
        Item::Print { bitcode } => {
            Ok(Answer::Fine(context.parse(&bitcode, "crossover").map_err(refused)?.text()))
        }
        Item::Edit { base, edit, pipeline, print } => {
            let module = shrink::make(&context, &base, &edit, Some(machine));
            let module = module.ok_or_else(|| Answer::Refused("no valid module".into()))?;
            recorder.save_artifact(module.text().as_bytes());
            let machine = if module.triple().is_empty() { None } else { Some(machine) };
            run(module, machine, &pipeline, print, recorder)
        }
        Item::Count { base, kind } => {
            let module = context.parse(&base, "reduced").map_err(refused)?;
            Ok(Answer::Places(shrink::count(&module, kind) as u64))
        }
    }
}

/// Lays a valid module down and runs the passes on it.
pub fn optimise(
    module: Module<'_>,
    machine: Option<&Machine<'_>>,
    pipeline: &Pipeline,
    print: bool,
    recorder: &Recorder<'_>,
) -> Result<Answer, Answer> {
    recorder.save_artifact(&module.bitcode());
    run(module, machine, pipeline, print, recorder)
}

fn run(
    mut module: Module<'_>,
    machine: Option<&Machine<'_>>,
    pipeline: &Pipeline,
    print: bool,
    recorder: &Recorder<'_>,
) -> Result<Answer, Answer> {
    if let Some(invalid) = passes(&mut module, machine, pipeline, recorder)? {
        return Ok(invalid);
    }
    let text = if print { module.text() } else { String::new() };
    if pipeline.code {
        code(module, recorder)?;
    }
    Ok(Answer::Fine(text))
}

/// Runs passes; an answer if they leave what is not valid.
fn passes(
    module: &mut Module<'_>,
    machine: Option<&Machine<'_>>,
    pipeline: &Pipeline,
    recorder: &Recorder<'_>,
) -> Result<Option<Answer>, Answer> {
    recorder.stage(stage::PASSES);
    // No passes at all are none that LLVM would take.
    if !pipeline.passes.is_empty() {
        module.run(&pipeline.passes, machine, pipeline.running).map_err(refused)?;
    }
    recorder.stage(stage::AFTER);
    // Verified after each is verified after the last.
    let broken = if pipeline.running.verify_each { None } else { module.verify().err() };
    Ok(broken.map(|broken| Answer::Invalid(broken.0)))
}

fn code(module: Module<'_>, recorder: &Recorder<'_>) -> Result<Vec<u8>, Answer> {
    recorder.stage(stage::CODE);
    let machine = Machine::for_code(module.context().llvm()).map_err(refused)?;
    module.object(&machine).map_err(refused)
}

/// The machine of a module for another processor, if this LLVM has it.
fn own_machine<'l>(llvm: &'l Llvm, module: &Module<'_>) -> Option<Machine<'l>> {
    let triple = module.triple();
    if triple.is_empty() || triple == llvmhost::X86_64 {
        return None;
    }
    llvm.initialize_target(&triple);
    Machine::new(llvm, &triple).ok()
}

/// Our own trouble.
pub fn trouble(e: impl ToString) -> Answer {
    Answer::Trouble(e.to_string())
}

/// LLVM takes it for no module.
pub fn refused(broken: Broken) -> Answer {
    Answer::Refused(broken.0)
}
