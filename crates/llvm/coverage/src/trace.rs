//! Which blocks a command reaches, from outside: any stock compiler, by `ptrace`.
//!
//! Everything that the command starts is followed. When a process executes a file, breakpoints are
//! put at all its leaders by one write to its memory; with [`Options::libs`] its libraries get theirs
//! when the dynamic linker is done, at the program's entry point. A breakpoint goes when it is hit.
//! Address spaces are not randomised, so that two runs are alike, and all runs on one processor.
//!
//! Not seen: libraries that are loaded later, and what the dynamic linker does before the entry
//! point. Job control does not work: what is stopped goes on.

mod pin;
mod ptrace;
mod tracee;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use nix::libc;
use sandbox::Status;

use crate::counters::features;
use crate::{Image, Set};
use pin::Pin;
use ptrace::{Event, WaitStatus};
use tracee::{MappedImage, Tracee};

/// What to trace, and for how long.
#[derive(Clone, Debug)]
pub struct Options {
    /// Shared libraries, too.
    pub libs: bool,
    /// Only files with one of these names, without folders; all if empty.
    pub only: Vec<String>,
    /// Kill everything after this time.
    pub wall: Duration,
}

/// What a command reached.
#[derive(Debug)]
pub struct TraceReport {
    /// How the command itself ended.
    pub status: Status,
    /// Whether it was killed because it took too long.
    pub late: bool,
    /// The files it executed, by path.
    pub images: Vec<Reached>,
    /// The files it used that were not traced: not of our kind, or not asked for.
    pub others: Vec<PathBuf>,
}

/// What was reached of one file, by all processes together.
#[derive(Debug)]
pub struct Reached {
    /// The file.
    pub image: Image,
    /// Its blocks that ran.
    pub blocks: Set,
    /// What its counters said, if it was built to count itself (see [`Counters`](crate::Counters)).
    pub features: Set,
}

/// Runs a command on our own streams and sees which blocks it reaches. An error means that it could
/// not be started or followed. What it started and left running is killed when it ends.
pub fn trace(program: &OsStr, args: &[OsString], options: &Options) -> io::Result<TraceReport> {
    let (late, root) = (AtomicBool::new(false), OnceLock::new());
    thread::scope(|scope| {
        let (done, wait) = channel::<()>();
        let (late, root) = (&late, &root);
        // A thread of its own: its children are the tracees and nobody else's.
        let tracer = scope.spawn(move || {
            let _done = done;
            Tracer::start(program, args, options, root)?.follow(late)
        });
        if wait.recv_timeout(options.wall) == Err(RecvTimeoutError::Timeout) {
            late.store(true, Ordering::SeqCst);
            root.get().map(ptrace::kill);
        }
        tracer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

struct Tracer<'a> {
    options: &'a Options,
    pin: Option<Pin>,
    root: libc::pid_t,
    tracees: BTreeMap<libc::pid_t, Tracee>,
    /// Processes that stopped before their parents told of them.
    early: BTreeSet<libc::pid_t>,
    images: Vec<Reached>,
    /// Where in `images` a file is, or that it is not traced.
    cache: BTreeMap<PathBuf, Option<usize>>,
}

impl<'a> Tracer<'a> {
    fn start(
        program: &OsStr,
        args: &[OsString],
        options: &'a Options,
        kill: &OnceLock<OwnedFd>,
    ) -> io::Result<Tracer<'a>> {
        let pin = Pin::new();
        let root = sandbox::traced(program, args)?;
        let followed = ptrace::wait(root).and_then(|_| ptrace::follow(root));
        let handle = followed.and_then(|()| ptrace::handle(root)).inspect_err(|_| {
            ptrace::kill_number(root);
            let _ = ptrace::wait(root);
        })?;
        kill.get_or_init(|| handle);
        let mut tracer = Tracer {
            options,
            pin,
            root,
            tracees: BTreeMap::from([(root, Tracee::default())]),
            early: BTreeSet::new(),
            images: Vec::new(),
            cache: BTreeMap::new(),
        };
        tracer.on_exec(root);
        ptrace::resume(root, 0);
        Ok(tracer)
    }

    fn follow(mut self, late: &AtomicBool) -> io::Result<TraceReport> {
        let mut ended = None;
        if late.load(Ordering::SeqCst) {
            self.kill_all();
        }
        while let Some((pid, seen)) = ptrace::next()? {
            if late.load(Ordering::SeqCst) {
                self.kill_all();
            }
            match seen {
                WaitStatus::Ended(status) => {
                    self.tracees.remove(&pid);
                    self.early.remove(&pid);
                    if pid == self.root {
                        ended = Some(status);
                        self.kill_all();
                    }
                }
                WaitStatus::Stopped(signal, event) if self.tracees.contains_key(&pid) => {
                    let pass = self.on_stop(pid, signal, event);
                    ptrace::resume(pid, pass);
                }
                WaitStatus::Stopped(..) => drop(self.early.insert(pid)),
            }
        }
        self.images.sort_by(|a, b| a.image.path().cmp(b.image.path()));
        let others = self.cache.into_iter().filter(|(_, image)| image.is_none());
        Ok(TraceReport {
            status: ended.ok_or_else(|| io::Error::other("the command was lost"))?,
            late: late.load(Ordering::SeqCst),
            images: self.images,
            others: others.map(|(path, _)| path).collect(),
        })
    }

    fn kill_all(&self) {
        for &pid in self.tracees.keys().chain(&self.early) {
            ptrace::kill_number(pid);
        }
    }

    /// What a stop means; the signal to pass on.
    fn on_stop(&mut self, pid: libc::pid_t, signal: i32, event: Event) -> i32 {
        match event {
            Event::Born => self.on_new_process(pid),
            Event::Executed => self.on_exec(pid),
            Event::Exiting => self.on_exit(pid),
            Event::Group => {}
            Event::Signal { by_kernel } => {
                let Some(tracee) = self.tracees.get_mut(&pid) else { return signal };
                if signal == libc::SIGSTOP && std::mem::take(&mut tracee.new) {
                    return 0;
                }
                if signal != libc::SIGTRAP || !by_kernel || !self.is_own_breakpoint(pid) {
                    return signal;
                }
            }
        }
        0
    }

    /// A process or a thread has another.
    fn on_new_process(&mut self, pid: libc::pid_t) {
        let Some(child) = ptrace::message(pid) else { return };
        let early = self.early.remove(&child);
        let Some(parent) = self.tracees.get(&pid) else { return };
        self.tracees.insert(child, parent.fork(child, !early));
        if early {
            ptrace::resume(child, 0);
        }
    }

    /// A process has executed a file: all is new. What cannot be traced just runs.
    fn on_exec(&mut self, pid: libc::pid_t) {
        let mut tracee = Tracee::new(pid);
        if let Some(path) = tracee.executable() {
            self.arm(&mut tracee, |file| *file == path);
            if self.options.libs {
                tracee.stop_at_entry(&path);
            }
        }
        self.tracees.insert(pid, tracee);
    }

    /// Puts breakpoints into the files of a process that are wanted and have none.
    fn arm(&mut self, tracee: &mut Tracee, wanted: impl Fn(&Path) -> bool) {
        for (path, start) in tracee.mapped() {
            if !wanted(&path) {
                continue;
            }
            let Some(index) = self.image(&path) else { continue };
            let image = &self.images[index].image;
            let module = MappedImage { bias: start.wrapping_sub(image.origin()), image: index };
            tracee.arm(module, image);
        }
    }

    fn image(&mut self, path: &Path) -> Option<usize> {
        if let Some(known) = self.cache.get(path) {
            return *known;
        }
        let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
        let only = &self.options.only;
        let wanted = only.is_empty() || only.iter().any(|n| *n == name);
        let read = || Image::read(path).ok().filter(|image| !image.leaders().is_empty());
        let image = if wanted { Pin::without(self.pin.as_ref(), read) } else { None };
        let index = image.map(|image| {
            self.images.push(Reached { image, blocks: Set::new(), features: Set::new() });
            self.images.len() - 1
        });
        self.cache.insert(path.to_path_buf(), index);
        index
    }

    /// Whether a breakpoint was ours; then it is gone, and the process stands where it was.
    fn is_own_breakpoint(&mut self, pid: libc::pid_t) -> bool {
        let Some(mut tracee) = self.tracees.remove(&pid) else { return false };
        let address = ptrace::instruction(pid).wrapping_sub(1);
        let mut ours = false;
        if tracee.at_entry(address) {
            let main = tracee.executable();
            self.arm(&mut tracee, |file| Some(file) != main.as_deref());
            ours = true;
        }
        if let Some(module) = tracee.module_at(address, &self.images) {
            let reached = &mut self.images[module.image];
            if let Some(block) = reached.image.block_at(address.wrapping_sub(module.bias)) {
                reached.blocks.insert(block);
                tracee.write(address, &[reached.image.originals()[block as usize]]);
                ours = true;
            }
        }
        self.tracees.insert(pid, tracee);
        if ours {
            ptrace::set_instruction(pid, address);
        }
        ours
    }

    /// Reads what files that count themselves have counted.
    fn on_exit(&mut self, pid: libc::pid_t) {
        let Some(tracee) = self.tracees.get_mut(&pid) else { return };
        for module in tracee.modules().to_vec() {
            let reached = &mut self.images[module.image];
            let Some(section) = reached.image.counters() else { continue };
            let at = module.bias.wrapping_add(section.address);
            if let Some(counters) = tracee.read(at, section.size as usize) {
                reached.features.extend(features(counters.into_iter()));
            }
        }
    }
}
