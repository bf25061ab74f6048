//! Our standard streams: writes that survive a reader who left, colour, and a note when a command
//! takes long.

use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use clap::ColorChoice;

/// A person starts to wonder after about this long.
const PATIENCE: Duration = Duration::from_secs(2);

/// Stack of the thread that works. The parser recurses with the nesting of the program; this much
/// is only reserved, and used as far as it is needed.
const STACK: usize = 256 << 20;

/// How much is said, and in which colours: as the command line asks, set once.
#[derive(Clone, Copy, Debug)]
pub struct Manners {
    /// Results and errors only.
    pub quiet: bool,
    /// Every step.
    pub verbose: bool,
    /// Colours.
    pub color: ColorChoice,
}

static MANNERS: OnceLock<Manners> = OnceLock::new();

/// Sets them; only the first time counts.
pub fn set_manners(manners: Manners) {
    let _ = MANNERS.set(manners);
}

fn manners() -> Manners {
    let default = Manners { quiet: false, verbose: false, color: ColorChoice::Auto };
    MANNERS.get().copied().unwrap_or(default)
}

/// Whether notes, hints and progress are not wanted.
pub fn is_quiet() -> bool {
    manners().quiet
}

/// Whether every step is wanted.
pub fn is_verbose() -> bool {
    manners().verbose
}

/// Writes to standard output. A reader that closed the pipe (`| head`) has seen enough: no error.
pub fn print(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes a line to standard error; where that is closed there is nobody left to tell.
pub fn complain(message: &str) {
    let _ = writeln!(io::stderr().lock(), "{message}");
}

/// Writes a line to standard error that one can do without.
pub fn note(message: &str) {
    if !is_quiet() {
        complain(message);
    }
}

/// Shows how far it is: on a terminal's standard error in place of the line before; as a line of its own where every step
/// is wanted.
pub fn status(message: &str) {
    if is_verbose() {
        if !message.is_empty() {
            complain(message);
        }
    } else if is_live() {
        let _ = write!(io::stderr().lock(), "\r\x1b[K{message}");
    }
}

/// Whether standard error is a terminal on which a line can be drawn again.
pub fn is_live() -> bool {
    io::stderr().is_terminal() && !is_dumb() && !is_quiet()
}

/// Whether the terminal cannot move its cursor, or nobody says that it can: as good as a file.
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term == "dumb")
}

/// Whether diagnostics are coloured: as `--color` says; on a terminal, unless `NO_COLOR` is set to anything.
pub fn colour() -> bool {
    wants_colour(io::stderr().is_terminal())
}

/// The same for standard output.
pub fn colour_out() -> bool {
    wants_colour(io::stdout().is_terminal())
}

fn wants_colour(is_terminal: bool) -> bool {
    match manners().color {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}

/// Columns and rows of the terminal; the usual ones where it does not tell.
pub fn size() -> (u16, u16) {
    match ratatui::crossterm::terminal::window_size() {
        Ok(size) if size.columns > 0 && size.rows > 0 => (size.columns, size.rows),
        _ => (80, 24),
    }
}

/// Columns of the terminal that standard output is; `None` where it is none.
pub fn width() -> Option<usize> {
    io::stdout().is_terminal().then(|| size().0.into())
}

/// Does `work` on a thread with a deep stack. A panic in it is one here.
pub fn deep<T: Send>(work: impl FnOnce() -> anyhow::Result<T> + Send) -> anyhow::Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Does `work` on a thread with a deep stack, and says on a terminal what is going on when it takes
/// long. `None` when the work panicked.
pub fn work<T: Send + 'static>(
    what: String,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<Option<T>> {
    let (send, receive) = mpsc::channel();
    let worker = thread::Builder::new().name("work".into()).stack_size(STACK).spawn(move || {
        // The receiver outlives this thread: it is dropped after the join.
        let _ = send.send(work());
    })?;
    let result = match receive.recv_timeout(PATIENCE) {
        Ok(value) => Some(value),
        Err(RecvTimeoutError::Disconnected) => None,
        Err(RecvTimeoutError::Timeout) => {
            if io::stderr().is_terminal() && !is_quiet() {
                complain(&format!("gainsay: {what} (Ctrl-C stops it)"));
            }
            receive.recv().ok()
        }
    };
    // A panic has already been told by the panic hook; that there was one shows in the result.
    let _ = worker.join();
    Ok(result)
}
