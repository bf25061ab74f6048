//! What the child needs, prepared before the fork: nothing may be allocated after it.

use std::ffi::{CString, OsStr, OsString, c_char};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::ptr;

use nix::sys::resource::{Resource, getrlimit};

use crate::confine;
use crate::root::{self, Entry};
use crate::run::Run;
use crate::scratch::Scratch;

/// Where a program is searched without a `PATH`, as the C library does.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// Everything about a child that is not a pipe.
pub(crate) struct LaunchPlan {
    /// Paths to try one after the other.
    pub(crate) programs: Vec<CString>,
    pub(crate) argv: CStrings,
    pub(crate) envp: CStrings,
    pub(crate) cwd: Option<CString>,
    /// Soft and hard limits.
    pub(crate) limits: Vec<(Resource, u64, u64)>,
    pub(crate) processes: Option<u32>,
    /// Set when the child is to be confined.
    pub(crate) confined: bool,
    /// The Landlock rules, where the kernel has Landlock.
    pub(crate) rules: Option<OwnedFd>,
    /// How to enter the tree of another system.
    pub(crate) entry: Option<Entry>,
}

impl LaunchPlan {
    /// Fails when a word holds a zero byte or the folder of a confinement cannot be opened.
    pub(crate) fn new(run: &Run, temporaries: Option<&Scratch>) -> io::Result<LaunchPlan> {
        let environment = environment(run, temporaries);
        let path = environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value);
        let Command { words, entry } = Command::new(run)?;
        let program = words.first().cloned().unwrap_or_default();
        let argv = words.into_iter().chain(run.args.iter().cloned());
        let rules = match &run.confined_to {
            Some(dir) => confine::rules(dir)?,
            None => None,
        };
        Ok(LaunchPlan {
            programs: candidates(&program, path.map(|p| &**p))?,
            argv: CStrings::new(argv)?,
            envp: CStrings::new(environment.into_iter().map(|(mut name, value)| {
                name.push("=");
                name.push(value);
                name
            }))?,
            cwd: run
                .cwd
                .as_deref()
                .map(|dir| c_string(dir.as_os_str().to_os_string()))
                .transpose()?,
            limits: limits(run),
            processes: run.processes,
            confined: run.confined_to.is_some(),
            rules,
            entry,
        })
    }
}

/// The words before a run's arguments, and the tree that they are for.
struct Command {
    words: Vec<OsString>,
    entry: Option<Entry>,
}

impl Command {
    fn new(run: &Run) -> io::Result<Command> {
        let resident = root::resident(&run.program);
        let root = run.root.as_ref().or(resident.as_ref().map(|resident| &resident.root));
        let Some(root) = root else {
            return Ok(Command { words: vec![run.program.clone().into()], entry: None });
        };
        let entry = root.entry()?;
        let inside = resident.as_ref().map(|resident| &resident.inside);
        let script = resident.as_ref().and_then(|resident| resident.script.clone());
        if let (None, Some(script)) = (&entry, script) {
            return Ok(Command { words: vec![script.into()], entry });
        }
        let words = match (root.loader(), inside) {
            (None, inside) => vec![inside.unwrap_or(&run.program).clone().into()],
            (Some(mut words), inside) => {
                let relative = inside.and_then(|inside| inside.strip_prefix("/").ok());
                words.push(relative.map_or(run.program.clone(), |p| root.tree().join(p)).into());
                words
            }
        };
        Ok(Command { words, entry })
    }
}

/// Strings as `execve` takes them: pointers, and a null at the end.
pub(crate) struct CStrings {
    _strings: Vec<CString>,
    pointers: Vec<*const c_char>,
}

impl CStrings {
    fn new(words: impl Iterator<Item = OsString>) -> io::Result<CStrings> {
        let strings = words.map(c_string).collect::<io::Result<Vec<_>>>()?;
        let pointers = strings.iter().map(|s| s.as_ptr()).chain([ptr::null()]).collect();
        Ok(CStrings { _strings: strings, pointers })
    }

    pub(crate) fn as_ptr(&self) -> *const *const c_char {
        self.pointers.as_ptr()
    }
}

fn c_string(word: OsString) -> io::Result<CString> {
    Ok(CString::new(word.into_vec())?)
}

/// Where programs put their temporary files.
const TMPDIR: &str = "TMPDIR";

/// A folder for the temporary files of a run that was given none: what it leaves there when it is killed goes
/// with the folder.
pub(crate) fn temporaries(run: &Run) -> io::Result<Option<Scratch>> {
    let has_own = run.confined_to.is_some() || run.env.iter().any(|(name, _)| name == TMPDIR);
    if has_own { Ok(None) } else { Scratch::new().map(Some) }
}

/// Ours, and what the run adds. A confined program gets a `TMPDIR` that it can write to.
fn environment(run: &Run, temporaries: Option<&Scratch>) -> Vec<(OsString, OsString)> {
    let mut all: Vec<_> = std::env::vars_os().collect();
    let mut set = |name: &OsStr, value: &OsStr| {
        all.retain(|(old, _)| old != name);
        all.push((name.to_os_string(), value.to_os_string()));
    };
    if let Some(dir) = run.confined_to.as_deref().or(temporaries.map(Scratch::path)) {
        set(OsStr::new(TMPDIR), dir.as_os_str());
    }
    for (name, value) in &run.env {
        set(name, value);
    }
    all
}

fn candidates(program: &OsStr, path: Option<&OsStr>) -> io::Result<Vec<CString>> {
    if program.as_bytes().contains(&b'/') {
        return Ok(vec![c_string(program.to_os_string())?]);
    }
    let path = path.unwrap_or(OsStr::new(DEFAULT_PATH));
    std::env::split_paths(path)
        .map(|dir| if dir.as_os_str().is_empty() { Path::new(".").to_path_buf() } else { dir })
        .map(|dir| c_string(dir.join(program).into_os_string()))
        .collect()
}

/// As much stack as was asked for and may be had.
fn stack(bytes: u64) -> (Resource, u64, u64) {
    let hard = getrlimit(Resource::RLIMIT_STACK).map_or(bytes, |(_, hard)| hard);
    (Resource::RLIMIT_STACK, bytes.min(hard), hard)
}

fn limits(run: &Run) -> Vec<(Resource, u64, u64)> {
    // Crashing compilers are expected; their core files are not wanted.
    let mut limits = vec![(Resource::RLIMIT_CORE, 0, 0)];
    if let Some(cpu) = run.cpu {
        let seconds = cpu.as_secs().saturating_add(u64::from(cpu.subsec_nanos() > 0));
        // One second more before SIGKILL, for a program that ignores SIGXCPU.
        limits.push((Resource::RLIMIT_CPU, seconds, seconds.saturating_add(1)));
    }
    limits.extend(run.memory.map(|bytes| (Resource::RLIMIT_AS, bytes, bytes)));
    limits.extend(run.stack.map(stack));
    limits.extend(run.file_size.map(|bytes| (Resource::RLIMIT_FSIZE, bytes, bytes)));
    limits
}
