//! What to run and how it ended: the data either side of an execution.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::root::Root;
use crate::stop::Stop;

/// Bytes of each output stream kept unless told otherwise: a Csmith program prints one line, a
/// preprocessed file is a few hundred kilobytes; longer output is of no use.
const DEFAULT_OUTPUT_CAP: usize = 64 << 20;

/// One execution of a program: what, on which input, under which limits.
#[derive(Clone, Debug)]
pub struct Run {
    /// The program: a path, or a name that is looked up on the `PATH`.
    pub program: PathBuf,
    /// Its arguments, the program's own name not included.
    pub args: Vec<OsString>,
    /// What it reads on standard input; empty is the null device.
    pub stdin: Vec<u8>,
    /// Folder it runs in; `None` is the current one.
    pub cwd: Option<PathBuf>,
    /// Variables added to the environment it inherits. Without a `TMPDIR` among them it gets one that is
    /// removed afterwards: a compiler that is killed does not remove its temporary files.
    pub env: Vec<(OsString, OsString)>,
    /// Time after which it is killed with all it started.
    pub wall: Duration,
    /// Processor time after which the kernel stops a process (whole seconds, rounded up). Each
    /// process has its own account: a driver's children begin anew.
    pub cpu: Option<Duration>,
    /// Address space of each process, in bytes.
    pub memory: Option<u64>,
    /// Bytes of stack, as far as the system allows; `None` is what we have ourselves.
    pub stack: Option<u64>,
    /// Bytes kept of each output stream; what comes after is read and dropped, so that the program
    /// ends as it would have.
    pub output_cap: usize,
    /// Bytes of each file that it may write.
    pub file_size: Option<u64>,
    /// Processes that it may have at once, itself included; counted every 50 ms. Threads are not
    /// processes: what holds them is the address space.
    pub processes: Option<u32>,
    /// The folder to which all its writing is confined, without network.
    pub confined_to: Option<PathBuf>,
    /// A folder and the bytes that all files in it may take together; looked at every half second
    /// or more often.
    pub folder_cap: Option<(PathBuf, u64)>,
    /// The tree of another system to run it in, if not the program's own.
    pub root: Option<Root>,
    /// What can end it from outside.
    pub stop: Option<Stop>,
}

impl Run {
    /// A run of `program` without arguments or input, to be killed after `wall`.
    pub fn new(program: impl AsRef<OsStr>, wall: Duration) -> Run {
        Run {
            program: PathBuf::from(program.as_ref()),
            args: Vec::new(),
            stdin: Vec::new(),
            cwd: None,
            env: Vec::new(),
            wall,
            cpu: None,
            memory: None,
            stack: None,
            output_cap: DEFAULT_OUTPUT_CAP,
            file_size: None,
            processes: None,
            confined_to: None,
            folder_cap: None,
            root: None,
            stop: None,
        }
    }

    /// Adds one argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Run {
        self.args.push(arg.as_ref().to_os_string());
        self
    }

    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Run {
        self.args.extend(args.into_iter().map(|a| a.as_ref().to_os_string()));
        self
    }

    /// Sets what the program reads on standard input.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Run {
        self.stdin = bytes.into();
        self
    }

    /// Sets the folder the program runs in.
    pub fn cwd(mut self, dir: impl AsRef<Path>) -> Run {
        self.cwd = Some(dir.as_ref().to_path_buf());
        self
    }

    /// Sets a variable of the program's environment.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Run {
        self.env.push((name.as_ref().to_os_string(), value.as_ref().to_os_string()));
        self
    }

    /// Limits processor time.
    pub fn cpu(mut self, limit: Duration) -> Run {
        self.cpu = Some(limit);
        self
    }

    /// Limits each process's address space, in bytes.
    pub fn memory(mut self, limit: u64) -> Run {
        self.memory = Some(limit);
        self
    }

    /// Sets how much stack it has, in bytes.
    pub fn stack(mut self, bytes: u64) -> Run {
        self.stack = Some(bytes);
        self
    }

    /// Sets how many bytes of each output stream are kept.
    pub fn output_cap(mut self, bytes: usize) -> Run {
        self.output_cap = bytes;
        self
    }

    /// Limits the size of each file that it writes.
    pub fn file_size(mut self, bytes: u64) -> Run {
        self.file_size = Some(bytes);
        self
    }

    /// Limits how many processes it may have at once.
    pub fn processes(mut self, limit: u32) -> Run {
        self.processes = Some(limit);
        self
    }

    /// Confines it: it can write only into this folder, and cannot reach the network. `TMPDIR` is
    /// this folder too, unless [`Run::env`] says otherwise. What the system cannot enforce,
    /// [`weaknesses`](crate::weaknesses) tells.
    pub fn confined_to(mut self, dir: impl AsRef<Path>) -> Run {
        self.confined_to = Some(dir.as_ref().to_path_buf());
        self
    }

    /// Limits what all files in a folder may take together.
    pub fn folder_cap(mut self, dir: impl AsRef<Path>, bytes: u64) -> Run {
        self.folder_cap = Some((dir.as_ref().to_path_buf(), bytes));
        self
    }

    /// Runs it in the tree of another system. A program that belongs to one needs not be told.
    pub fn root(mut self, root: Option<&Root>) -> Run {
        self.root = root.cloned();
        self
    }

    /// Lets `stop` end it.
    pub fn stop(mut self, stop: &Stop) -> Run {
        self.stop = Some(stop.clone());
        self
    }

    /// Runs to the end. When this returns the program is gone, and so is every process that it
    /// started, directly or not. (If one cannot be killed because the kernel does not let go of it,
    /// this returns after some seconds all the same.)
    pub fn finish(&self) -> Ended {
        let ended = match crate::child::execute(self) {
            Ok(ended) => ended,
            Err(error) => Ended::NotStarted(error),
        };
        if let Ended::Finished(done) | Ended::Killed(_, done) = &ended {
            SPENT.fetch_add(done.cpu.as_micros() as u64, Ordering::Relaxed);
            crate::account::note(done.cpu);
        }
        ended
    }
}

/// Microseconds of processor time of all runs.
static SPENT: AtomicU64 = AtomicU64::new(0);

/// Microseconds that services say they used.
static SERVED: AtomicU64 = AtomicU64::new(0);

/// Processor time of everything that was run so far, ours not counted.
pub fn spent() -> Duration {
    Duration::from_micros(SPENT.load(Ordering::Relaxed)) + served()
}

/// The part of it that services used, which the kernel accounts to us only when they end.
pub fn served() -> Duration {
    Duration::from_micros(SERVED.load(Ordering::Relaxed))
}

/// Notes what a service says it used.
pub(crate) fn note_served(time: Duration) {
    SERVED.fetch_add(time.as_micros() as u64, Ordering::Relaxed);
    crate::account::note(time);
}

/// Notes that a service has ended: what it said is settled by what the kernel says, and accounts to us now.
pub(crate) fn settle_served(said: Duration, used: Duration) {
    SERVED.fetch_sub(said.as_micros() as u64, Ordering::Relaxed);
    SPENT.fetch_add(used.as_micros() as u64, Ordering::Relaxed);
}

/// How a [`Run`] ended.
#[derive(Debug)]
pub enum Ended {
    /// By itself, or by a signal that it caused.
    Finished(Finished),
    /// Killed by us, for this reason; what it had written by then is kept.
    Killed(KillReason, Finished),
    /// It could not be started (no such program, no permission) or watched.
    NotStarted(io::Error),
}

impl Ended {
    /// The account of a program that ended by itself.
    pub fn finished(self) -> Option<Finished> {
        match self {
            Ended::Finished(finished) => Some(finished),
            _ => None,
        }
    }

    /// The account of a program that ended by itself with status 0.
    pub fn success(self) -> Option<Finished> {
        self.finished().filter(|f| f.status == Status::Exit(0))
    }
}

/// Why we killed a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KillReason {
    /// It took too long, by the clock.
    Wall,
    /// Too many processes at once.
    Processes,
    /// Too much in the watched folder.
    Folder,
    /// Its [`Stop`] was set.
    Stop,
}

/// What a program left behind.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Exit status or signal.
    pub status: Status,
    /// Standard output.
    pub stdout: Capture,
    /// Standard error.
    pub stderr: Capture,
    /// From start to end.
    pub wall: Duration,
    /// User and system time of all its processes, but for those whose parents ignored their end.
    pub cpu: Duration,
    /// Greatest resident size of any one of these processes, in bytes. The kernel counts the
    /// moment before `exec` too, so it is never less than the starting process's own size.
    pub peak_rss: u64,
}

impl Finished {
    /// The account of a program that was stopped before it began.
    pub(crate) fn nothing() -> Finished {
        Finished {
            status: Status::Signal(nix::libc::SIGKILL),
            stdout: Capture::default(),
            stderr: Capture::default(),
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
            peak_rss: 0,
        }
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// With this exit status.
    Exit(u8),
    /// Killed by this signal.
    Signal(i32),
}

impl Status {
    /// The number a shell shows: a signal is 128 and its number.
    pub fn shell(self) -> u8 {
        match self {
            Status::Exit(code) => code,
            Status::Signal(signal) => 128u8.wrapping_add(signal as u8),
        }
    }
}

/// One captured stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    /// The bytes kept.
    pub bytes: Vec<u8>,
    /// True when there were more than the cap.
    pub truncated: bool,
}

impl Capture {
    /// The bytes as text for a person; what is not UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}
