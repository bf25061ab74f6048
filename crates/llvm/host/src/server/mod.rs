//! The server: one libLLVM, opened once, and a fork for every batch of work.
//!
//! A child does item after item and says on the [`board`] how far it is. When it dies, the item in work is
//! done again alone, and the rest goes to a new child; so the culprit is known and no other item is affected. The
//! server itself calls nothing of LLVM's after it has opened it: whatever happens, happens in a child.
//!
//! Before the first child it confines itself, and all children with it: what they can write to is open by then.

mod board;
mod fatal;
mod lookout;

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use coverage::{Counters, Image, Probe, Set, Traps};

use crate::wire::{self, Batch, CoverageMethod, End, Frame, Limits, Ran, Ready, Setup};
use crate::{Llvm, Machine};
use board::{Board, ITEMS, fate};
use lookout::Lookout;

/// Bytes of what a child prints that are kept.
const PRINTED: u64 = 64 << 10;

/// Bytes that a child may print; a log of passes on a large module has some megabytes.
const PRINTABLE: u64 = 64 << 20;

/// Wall-clock limit as a multiple of the processor-time limit: the machine may be busy.
const PATIENCE: u32 = 10;

/// Work that is done in children.
pub trait Work {
    /// Does one item and returns its result. LLVM may end the process on the way.
    fn perform(
        &self,
        llvm: &Llvm,
        machine: &Machine<'_>,
        item: &[u8],
        recorder: &Recorder<'_>,
    ) -> Vec<u8>;
}

/// Records what must outlive the child.
#[derive(Debug)]
pub struct Recorder<'b> {
    board: &'b Board,
    item: usize,
}

impl Recorder<'_> {
    /// Records the stage that the item has reached.
    pub fn stage(&self, stage: u32) {
        self.board.slots[self.item].stage.store(stage, SeqCst);
    }

    /// Unmaps the board, in a fork that is to execute untrusted code.
    pub(crate) fn close_board(&self) {
        self.board.close();
    }

    /// Saves an artifact; the last one counts. One that is too large is dropped.
    pub fn save_artifact(&self, bytes: &[u8]) {
        self.board.set_artifact(self.item, bytes);
    }
}

/// Is a server, on standard input and output, until the other side closes. `Err` is a sentence.
pub fn serve<W: Work>(make: impl FnOnce(&[u8]) -> Result<W, String>) -> Result<(), String> {
    let broken = |e: io::Error| format!("the connection to the server broke: {e}");
    // LLVM prints where it likes. The line is kept out of its reach.
    let mut from = File::from(move_away(0).map_err(broken)?);
    let mut to = File::from(move_away(1).map_err(broken)?);
    let Some(setup) = wire::receive::<Setup>(&mut from).map_err(broken)? else { return Ok(()) };
    let lookout = Lookout::on(from.as_raw_fd());
    let opened = Server::open(&setup).and_then(|server| Ok((make(&setup.work)?, server)));
    // From here on children run LLVM, and code that it made.
    let opened = opened.and_then(|opened| match sandbox::confine_server() {
        Ok(()) => Ok(opened),
        Err(e) => Err(format!("the server cannot be confined: {e}")),
    });
    drop(lookout);
    let ready = opened.as_ref().map(|(_, server)| server.ready()).map_err(String::clone);
    wire::send(&mut to, &ready).map_err(broken)?;
    let Ok((work, mut server)) = opened else { return Ok(()) };
    if server.probe.is_some() {
        // What every child reaches before its first item is not attributed to an item.
        server.child(&work, &[], Limits::default(), from.as_raw_fd()).map_err(broken)?;
    }
    let mut told = Duration::ZERO;
    while let Some(batch) = wire::receive::<Batch>(&mut from).map_err(broken)? {
        let Some(ran) = server.batch(&work, &batch, from.as_raw_fd()).map_err(broken)? else {
            return Ok(());
        };
        let used = used_time();
        wire::send(&mut to, &(ran, used.saturating_sub(told))).map_err(broken)?;
        told = used;
    }
    Ok(())
}

struct Server {
    llvm: Llvm,
    board: &'static Board,
    probe: Option<Probe>,
    blocks: u32,
    /// What children print.
    printed: File,
}

impl Server {
    fn open(setup: &Setup) -> Result<Server, String> {
        let llvm = Llvm::open(&setup.library, setup.major)?;
        let board = Board::map().map_err(|e| format!("no shared memory: {e}"))?;
        keep_memory();
        fatal::prepare(board).map_err(|e| format!("no stack for signal handlers: {e}"))?;
        let (probe, blocks) = match setup.coverage {
            false => (None, 0),
            true => watch(setup, llvm.base).map(|(probe, blocks)| (Some(probe), blocks))?,
        };
        let printed = memory_file().map_err(|e| format!("no file in memory: {e}"))?;
        Ok(Server { llvm, board, probe, blocks, printed })
    }

    fn ready(&self) -> Ready {
        let watch = match self.probe {
            None => CoverageMethod::Off,
            Some(Probe::Traps { .. }) => CoverageMethod::Breakpoints,
            Some(Probe::Counters { .. }) => CoverageMethod::Counters,
        };
        Ready { release: self.llvm.release(), blocks: self.blocks, watch }
    }

    /// Does a batch; `None` when the client went away meanwhile.
    fn batch(
        &mut self,
        work: &impl Work,
        batch: &Batch,
        line: RawFd,
    ) -> io::Result<Option<Vec<Ran>>> {
        if let Some(probe) = &mut self.probe {
            probe.mark_known(&batch.known);
        }
        let mut all: Vec<Ran> = Vec::with_capacity(batch.items.len());
        while all.len() < batch.items.len() {
            let rest = &batch.items[all.len()..];
            let rest = &rest[..rest.len().min(ITEMS)];
            let Some(mut ran) = self.child(work, rest, batch.limits, line)? else {
                return Ok(None);
            };
            let culprit = ran.last().filter(|last| last.end != End::Done).is_some();
            if culprit && ran.len() > 1 {
                // Its predecessors in the process may have had a part in it: once more, alone.
                let item = std::slice::from_ref(&rest[ran.len() - 1]);
                let Some(again) = self.child(work, item, batch.limits, line)? else {
                    return Ok(None);
                };
                let first = ran.pop();
                for (mut again, first) in again.into_iter().zip(first) {
                    again.only_in_company = again.end == End::Done;
                    again.blocks.splice(0..0, first.blocks);
                    ran.push(again);
                }
            }
            all.append(&mut ran);
        }
        if batch.confirm && !self.confirm(work, batch, &mut all, line)? {
            return Ok(None);
        }
        Ok(Some(all))
    }

    /// Does items with new blocks again, and keeps the blocks that they reach again.
    fn confirm(
        &mut self,
        work: &impl Work,
        batch: &Batch,
        all: &mut [Ran],
        line: RawFd,
    ) -> io::Result<bool> {
        let fresh: Vec<usize> =
            (0..all.len()).filter(|item| !all[*item].blocks.is_empty()).collect();
        let blocks: Vec<u32> = fresh.iter().flat_map(|item| &all[*item].blocks).copied().collect();
        if let Some(probe) = &mut self.probe {
            probe.forget(&blocks);
        }
        let mut rest = fresh.as_slice();
        while !rest.is_empty() {
            let some = &rest[..rest.len().min(ITEMS)];
            let items: Vec<Vec<u8>> = some.iter().map(|item| batch.items[*item].clone()).collect();
            let Some(again) = self.child(work, &items, batch.limits, line)? else {
                return Ok(false);
            };
            // In the same order as before: what one reaches first it reached first then. The second time
            // may reach some that the first did not: those are chance as well.
            for (item, again) in some.iter().zip(&again) {
                let again: Set = again.blocks.iter().copied().collect();
                all[*item].blocks.retain(|block| again.contains(*block));
            }
            rest = &rest[again.len().max(1)..];
        }
        if let Some(probe) = &mut self.probe {
            probe.mark_known(&blocks);
        }
        Ok(true)
    }

    /// Does items in one child, up to the first that ends badly; that one is the last of the answer.
    fn child(
        &mut self,
        work: &impl Work,
        items: &[Vec<u8>],
        limits: Limits,
        line: RawFd,
    ) -> io::Result<Option<Vec<Ran>>> {
        self.board.clear(items.len());
        // SAFETY: takes nothing.
        let server = unsafe { libc::getpid() };
        // SAFETY: this process has one thread.
        let pid = match unsafe { libc::fork() } {
            -1 => return Err(io::Error::last_os_error()),
            0 => {
                let probe = self.probe.take();
                self.run_child(work, items, limits, probe, server)
            }
            pid => pid,
        };
        let Some((status, in_time)) = self.wait(pid, items.len(), limits, line)? else {
            return Ok(None);
        };
        let count = items.len();
        let done =
            (0..count).take_while(|item| self.board.slots[*item].done.load(SeqCst) != 0).count();
        let mut ran: Vec<Ran> = (0..done).map(|item| self.ran(item, End::Done)).collect();
        let told: Vec<u32> = ran.iter().flat_map(|ran| &ran.blocks).copied().collect();
        if done < count {
            let end = self.board.end(status, in_time, self.take_printed()?, |at| self.frame(at));
            let mut last = self.ran(done, end);
            // What it could not tell itself: all that is new and was not told by those before it.
            let told: Set = told.iter().copied().collect();
            last.blocks = self.probe.as_mut().map(Probe::fresh).unwrap_or_default();
            last.blocks.retain(|block| !told.contains(*block));
            ran.push(last);
        }
        if let Some(probe) = &mut self.probe {
            probe.mark_known(&told);
        }
        Ok(Some(ran))
    }

    fn ran(&self, item: usize, end: End) -> Ran {
        let slot = &self.board.slots[item];
        let is_done = end == End::Done;
        Ran {
            end,
            stage: slot.stage.load(SeqCst),
            output: if is_done { self.board.output(item) } else { Vec::new() },
            artifact: self.board.artifact(item),
            blocks: if is_done { self.board.features(item) } else { Vec::new() },
            time: Duration::from_micros(slot.micros.load(SeqCst)),
            only_in_company: false,
        }
    }

    /// The main function of a child.
    fn run_child(
        &self,
        work: &impl Work,
        items: &[Vec<u8>],
        limits: Limits,
        mut probe: Option<Probe>,
        server: libc::pid_t,
    ) -> ! {
        // SAFETY: changes of this process alone.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            // A server that died before that call sends no signal any more.
            if libc::getppid() != server {
                libc::_exit(fatal::REPORTED);
            }
            libc::dup2(self.printed.as_raw_fd(), 1);
            libc::dup2(self.printed.as_raw_fd(), 2);
            limit(libc::RLIMIT_AS, own_space().saturating_add(limits.memory));
            limit(libc::RLIMIT_CORE, 0);
            // What is printed is memory, too. Beyond this it is simply not written.
            limit(libc::RLIMIT_FSIZE, PRINTABLE);
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            (self.llvm.api.LLVMInstallFatalErrorHandler)(fatal::on_fatal);
        }
        fatal::install();
        let done = catch_unwind(AssertUnwindSafe(|| {
            let machine = Machine::x86_64(&self.llvm).map_err(|broken| broken.0)?;
            for (index, item) in items.iter().enumerate() {
                self.perform(work, &machine, index, item, limits, &mut probe)?;
            }
            Ok::<(), String>(())
        }));
        let trouble = match done {
            // SAFETY: ends the process; nothing is left to be done.
            Ok(Ok(())) => unsafe { libc::_exit(0) },
            Ok(Err(trouble)) => trouble,
            Err(panic) => panic_message(&*panic),
        };
        fatal::end(fate::PANIC, trouble.as_bytes())
    }

    fn perform(
        &self,
        work: &impl Work,
        machine: &Machine<'_>,
        index: usize,
        item: &[u8],
        limits: Limits,
        probe: &mut Option<Probe>,
    ) -> Result<(), String> {
        let slot = &self.board.slots[index];
        self.board.current.store(index as u32, SeqCst);
        // What others printed is not of this one.
        let _ = self.printed.set_len(0);
        if let Some(probe) = probe {
            probe.begin();
        }
        let begin = processor_time();
        fatal::set_clock(limits.time);
        let output =
            work.perform(&self.llvm, machine, item, &Recorder { board: self.board, item: index });
        fatal::set_clock(Duration::ZERO);
        slot.micros.store(processor_time().saturating_sub(begin).as_micros() as u64, SeqCst);
        let fresh = probe.as_mut().map(Probe::fresh).unwrap_or_default();
        if !self.board.set_features(index, &fresh) || !self.board.set_output(index, &output) {
            return Err(format!("{} bytes are more than there is room for", output.len()));
        }
        slot.done.store(1, SeqCst);
        Ok(())
    }

    /// Waits for a child: its status, and whether it ended of itself. `None` when the client went away.
    fn wait(
        &self,
        pid: i32,
        items: usize,
        limits: Limits,
        line: RawFd,
    ) -> io::Result<Option<(i32, bool)>> {
        // SAFETY: a number of a child that we have not waited for; the descriptor is new and ours.
        let handle = unsafe {
            let fd = libc::syscall(libc::SYS_pidfd_open, pid, 0);
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            OwnedFd::from_raw_fd(fd as RawFd)
        };
        let mut current = (u32::MAX, Instant::now());
        let mut in_time = true;
        loop {
            let mut fds = [
                libc::pollfd { fd: handle.as_raw_fd(), events: libc::POLLIN, revents: 0 },
                libc::pollfd { fd: line, events: libc::POLLRDHUP, revents: 0 },
            ];
            // SAFETY: two descriptors that are open.
            unsafe { libc::poll(fds.as_mut_ptr(), 2, 500) };
            if fds[0].revents != 0 {
                break;
            }
            let is_gone = fds[1].revents & (libc::POLLHUP | libc::POLLERR | libc::POLLRDHUP) != 0;
            let item = self.board.current.load(SeqCst).min(items as u32);
            if item != current.0 {
                current = (item, Instant::now());
            }
            if is_gone || current.1.elapsed() > limits.time.saturating_mul(PATIENCE) {
                in_time = false;
                // SAFETY: a child of ours.
                unsafe { libc::kill(pid, libc::SIGKILL) };
                if is_gone {
                    return Ok(None);
                }
            }
        }
        let mut status = 0;
        // SAFETY: a child of ours that has ended.
        unsafe { libc::waitpid(pid, &mut status, 0) };
        Ok(Some((status, in_time)))
    }

    fn take_printed(&self) -> io::Result<String> {
        let mut file = &self.printed;
        let length = file.metadata()?.len();
        let mut bytes = Vec::new();
        // The end is what matters: a log of passes may come before it.
        file.seek(io::SeekFrom::Start(length.saturating_sub(PRINTED)))?;
        file.take(PRINTED).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The library's function around an instruction.
    fn frame(&self, address: u64) -> Option<Frame> {
        let inside = address as *mut libc::c_void;
        // SAFETY: asks the unwinder's tables and the linker's; a wrong address is simply not found.
        let (start, info) = unsafe {
            let mut info: libc::Dl_info = std::mem::zeroed();
            libc::dladdr(inside, &mut info);
            // It takes a return address, and looks before it.
            (_Unwind_FindEnclosingFunction(inside.wrapping_byte_add(1)), info)
        };
        if info.dli_fbase as usize != self.llvm.base {
            return None;
        }
        let start = [start, info.dli_saddr, inside].into_iter().find(|at| !at.is_null())?;
        let is_named = !info.dli_sname.is_null() && info.dli_saddr == start;
        let symbol = is_named.then(|| {
            // SAFETY: a string of the library's.
            unsafe { std::ffi::CStr::from_ptr(info.dli_sname) }.to_string_lossy().into_owned()
        });
        let start = (start as usize).saturating_sub(self.llvm.base) as u64;
        Some(Frame { start, symbol: symbol.unwrap_or_default() })
    }
}

/// Watches a library, by its own counters if it has any; how many places there are to be seen.
fn watch(setup: &Setup, base: usize) -> Result<(Probe, u32), String> {
    let image = Image::read(&setup.library).map_err(|e| e.to_string())?;
    let known = match &setup.known {
        Some(path) if path.exists() => Set::load(path, &image).map_err(|e| e.to_string())?,
        _ => Set::default(),
    };
    let cannot = |e: io::Error| format!("blocks cannot be watched: {e}");
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    // SAFETY: here and below: this process has one thread, and nothing is ever unloaded.
    if let Some(mut counters) = unsafe { Counters::loaded() } {
        unsafe { counters.share() }.map_err(cannot)?;
        counters.reset();
        fatal::publish(counters.clone());
        let count = number(counters.len());
        return Ok((Probe::Counters { counters, told: known }, count));
    }
    let traps = unsafe { Traps::arm(&image, base, &known) }.map_err(cannot)?;
    Ok((Probe::from(traps), number(image.leaders().len())))
}

/// Sets a limit of this process.
fn limit(resource: libc::__rlimit_resource_t, value: u64) {
    let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: a valid limit. Where it is refused, a lower one holds already.
    unsafe { libc::setrlimit(resource, &limit) };
}

unsafe extern "C" {
    /// Of the compiler's run-time library: the start of the function around an address, by its
    /// unwinding table; null if there is none.
    fn _Unwind_FindEnclosingFunction(pc: *mut libc::c_void) -> *mut libc::c_void;
}

/// What a panic said.
fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic")
        .to_string()
}

/// Lets the allocator keep what is freed: every item frees all that it used, and the next needs as much.
/// Given back to the kernel and asked for again, page by page, it costs a tenth of all time.
fn keep_memory() {
    const MUCH: libc::c_int = 256 << 20;
    // SAFETY: changes what the allocator does, and nothing else.
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, MUCH);
        libc::mallopt(libc::M_TOP_PAD, 16 << 20);
        libc::mallopt(libc::M_MMAP_THRESHOLD, MUCH);
    }
}

/// A descriptor's file under another number; the old number leads nowhere.
fn move_away(fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: descriptors of our own; each result is checked.
    unsafe {
        let new = libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 10);
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        if new < 0 || null < 0 || libc::dup2(null, fd) < 0 {
            return Err(io::Error::last_os_error());
        }
        libc::close(null);
        Ok(OwnedFd::from_raw_fd(new))
    }
}

/// Processor time of this process and of the children that it waited for.
fn used_time() -> Duration {
    let of = |time: libc::timeval| {
        let micros = Duration::from_micros(time.tv_usec.unsigned_abs());
        Duration::from_secs(time.tv_sec.unsigned_abs()) + micros
    };
    let used = |who| {
        // SAFETY: a place for the answer, which zeros are, too.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(who, &mut usage);
            usage
        };
        of(usage.ru_utime) + of(usage.ru_stime)
    };
    used(libc::RUSAGE_SELF) + used(libc::RUSAGE_CHILDREN)
}

/// Processor time of this process so far.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for the answer. The clock is there on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec.cast_unsigned() as u32)
}

/// A file in memory, opened for appending.
pub(crate) fn memory_file() -> io::Result<File> {
    // SAFETY: a new descriptor, checked.
    unsafe {
        let fd = libc::memfd_create(c"printed".as_ptr(), 0);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let file = File::from_raw_fd(fd);
        libc::fcntl(fd, libc::F_SETFL, libc::O_APPEND);
        Ok(file)
    }
}

/// Bytes of address space of this process.
fn own_space() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(1 << 20);
    pages * 4096
}
