//! The client's side of a server.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::{Root, Service};

use crate::wire::{self, Batch, CoverageMethod, Limits, Ran, Ready, Setup};

/// How a server is started: a program that calls [`crate::serve`], and its arguments.
#[derive(Clone, Debug)]
pub struct Program {
    /// The file.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

/// A server, started. Dropping it ends it and its children.
#[derive(Debug)]
pub struct Server {
    service: Service,
    /// The library's version: `16.0.6`.
    pub release: String,
    /// How many blocks of it are watched, or how many counters it has.
    pub blocks: u32,
    /// How they are watched.
    pub watch: CoverageMethod,
    /// Blocks to be sent with the next batch.
    known: Vec<u32>,
}

impl Server {
    /// Starts one. `Err` is a sentence.
    pub fn start(program: &Program, setup: &Setup) -> Result<Server, String> {
        let cannot = |e: io::Error| format!("{} cannot be started: {e}", program.path.display());
        let root = Root::of(&setup.library);
        let service = Service::start(&program.path, &program.args, root.as_ref());
        let mut service = service.map_err(cannot)?;
        let ready: Result<Ready, String> = say(&mut service, setup).map_err(|e| {
            format!("{} ended its server at once ({e})", Path::display(&setup.library))
        })?;
        let Ready { release, blocks, watch } = ready?;
        Ok(Server { service, release, blocks, watch, known: Vec::new() })
    }

    /// Runs items, one after another. `Err`: the server itself is gone, and with it what was under way.
    pub fn run(
        &mut self,
        items: Vec<Vec<u8>>,
        limits: Limits,
        confirm: bool,
    ) -> io::Result<Vec<Ran>> {
        let known = std::mem::take(&mut self.known);
        let batch = Batch { items, limits, confirm, known };
        let (ran, used): (Vec<Ran>, Duration) = say(&mut self.service, &batch)?;
        self.service.note_used(used);
        Ok(ran)
    }

    /// Marks blocks that were reached elsewhere: the server need not watch them.
    pub fn mark_known(&mut self, blocks: &[u32]) {
        self.known.extend_from_slice(blocks);
    }

    /// Its process number.
    pub fn id(&self) -> u32 {
        self.service.id()
    }
}

fn say<Q: serde::Serialize, A: serde::de::DeserializeOwned>(
    service: &mut Service,
    question: &Q,
) -> io::Result<A> {
    let closed =
        || io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection");
    let input = service.input.as_mut().ok_or_else(closed)?;
    wire::send(input, question)?;
    wire::receive(&mut service.output)?.ok_or_else(closed)
}
