//! The protocol of client and server: numbers and bytes, each message preceded by its length.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Larger messages are nonsense.
const LONGEST: u32 = 1 << 30;

/// What a server is to be.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Setup {
    /// The libLLVM.
    pub library: PathBuf,
    /// Its major version, for those that do not know it themselves.
    pub major: u32,
    /// Whether blocks of the library are to be watched.
    pub coverage: bool,
    /// A file with blocks that need no watching, because they were reached before.
    pub known: Option<PathBuf>,
    /// The argument of the work.
    pub work: Vec<u8>,
}

/// What a server says when it is ready.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ready {
    /// The library's version.
    pub release: String,
    /// Blocks that are watched, or counters.
    pub blocks: u32,
    /// How.
    pub watch: CoverageMethod,
}

/// How a server sees which blocks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CoverageMethod {
    /// Not at all.
    Off,
    /// By breakpoints: [`Ran::blocks`] are blocks of the file.
    Breakpoints,
    /// The library counts itself: [`Ran::blocks`] are features, a counter and roughly what it counted.
    Counters,
}

/// What one item may use.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Processor time.
    pub time: Duration,
    /// Bytes of memory beyond what the server has.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time: Duration::from_secs(10), memory: 2 << 30 }
    }
}

/// What a client asks for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Batch {
    /// What is to be done, one after another.
    pub items: Vec<Vec<u8>>,
    /// What each may use.
    pub limits: Limits,
    /// Whether an item that reached new blocks is done again, to see whether it always does.
    pub confirm: bool,
    /// Blocks that were reached elsewhere since the last batch, and need no watching.
    pub known: Vec<u32>,
}

/// One item, done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// How far it came, in the work's own numbers.
    pub stage: u32,
    /// What the work returned; empty unless the end is `Done`.
    pub output: Vec<u8>,
    /// The artifact that the work saved, whatever happened after that.
    pub artifact: Vec<u8>,
    /// Blocks that nothing reached before it, or features: see [`CoverageMethod`].
    pub blocks: Vec<u32>,
    /// Processor time that it took; nothing for one that ended badly.
    pub time: Duration,
    /// It failed among others and succeeded alone: most likely not its fault.
    pub only_in_company: bool,
}

/// How an item ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// The work returned.
    Done,
    /// LLVM gave up with a message (`LLVM ERROR`).
    Fatal(Crash),
    /// A signal.
    Signal(i32, Crash),
    /// LLVM called `exit`.
    Exit(i32, Crash),
    /// It used more time than it may.
    Time(Crash),
    /// It used more memory than it may.
    Memory(Crash),
    /// A bug of our own: never LLVM's.
    Panic(String),
}

/// What is known of a bad end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crash {
    /// LLVM's reason, where it gave one.
    pub reason: String,
    /// What it printed.
    pub printed: String,
    /// Functions of the library on the stack, the innermost first.
    pub frames: Vec<Frame>,
    /// The stack had no more room.
    pub is_overflow: bool,
}

/// A function on the stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Where it starts, in the file's addresses.
    pub start: u64,
    /// Its name, as the linker knows it; empty if it does not.
    pub symbol: String,
}

pub(crate) fn send<T: Serialize>(to: &mut impl Write, message: &T) -> io::Result<()> {
    let bytes = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).ok().filter(|length| *length <= LONGEST);
    let length = length.ok_or_else(|| io::Error::other("more than a gigabyte in one message"))?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&bytes)?;
    to.flush()
}

/// `None` when the other side has closed.
pub(crate) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(io::Error::other("a message without end"));
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes).map(Some).map_err(io::Error::other)
}
