//! Programs of another system: a tree that stands in for `/usr` while one of them runs.
//!
//! A compiler of a newer system needs that system's C library, assembler, linker and headers. Such a tree lies in a
//! folder beside [`MARK`], as `root`; `bin` beside it has launchers, one for each compiler, which a person can type.
//! [`Root::of`] knows by a program's path that it belongs to a tree. What is run in one sees the tree's `/usr`;
//! everything else is ours: temporary folders, the user's files, `/usr/local`. Our own `/usr` is in the folder `host` beside
//! the tree meanwhile ([`Root::seen`]).
//!
//! | the system allows | how a program enters |
//! | --- | --- |
//! | mount namespaces, to root or in a user namespace | the tree's `usr` is bound over `/usr` in a namespace of its own |
//! | neither, or its `/lib` is no link into `/usr` | the tree's own loader starts the program with the tree's libraries |
//!
//! The second way is for the program alone: what it starts finds no tree. A compiler that starts its parts has a
//! script in `loader` for that way, which tells it where scripts for its parts are; it links with this system's
//! libraries.

use std::ffi::{CStr, CString, OsStr, OsString, c_int, c_ulong};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use nix::libc;

/// The file whose folder has a tree.
pub const MARK: &str = ".gainsay-root";

/// The tree's name in that folder, and that of its launchers.
const TREE: &str = "root";
const LAUNCHERS: &str = "bin";

/// Where our own `/usr` is seen from a tree.
const HOST: &str = "host";

/// The folder of scripts that start compilers by the loader.
const BY_LOADER: &str = "loader";

/// What stands before the program's path in a launcher.
const RUNS: &str = "# runs ";

/// Set to anything, no namespace is used: for tests of the other way.
const NO_NAMESPACES: &str = "GAINSAY_NO_NAMESPACES";

/// Where a tree's loader may be.
const LOADERS: &[&str] = &[
    "usr/lib64/ld-linux-x86-64.so.2",
    "lib64/ld-linux-x86-64.so.2",
    "usr/lib/ld-linux-aarch64.so.1",
    "lib/ld-linux-aarch64.so.1",
    "usr/lib/ld-linux-riscv64-lp64d.so.1",
    "lib/ld-linux-riscv64-lp64d.so.1",
];

/// Folders of libraries in a tree.
const LIBRARIES: &[&str] = &["usr/lib", "usr/lib64", "lib", "lib64"];

/// A tree in which programs are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    tree: PathBuf,
}

/// A program of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resident {
    pub(crate) root: Root,
    /// Its path in the tree: `/usr/bin/gcc`.
    pub(crate) inside: PathBuf,
    /// The script that starts it by the loader, if it has one.
    pub(crate) script: Option<PathBuf>,
}

/// How programs enter trees here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entrance {
    /// A mount namespace, in a user namespace where `user` says so.
    Namespace { user: bool },
    /// The tree's loader.
    Loader,
}

impl Root {
    /// The tree that a program or a library belongs to; `None` for what is of this system.
    pub fn of(path: &Path) -> Option<Root> {
        resident(path).map(|resident| resident.root)
    }

    /// The tree in a folder that has a mark.
    pub fn in_folder(folder: &Path) -> Root {
        Root { tree: folder.join(TREE) }
    }

    /// Where the tree is.
    pub fn tree(&self) -> &Path {
        &self.tree
    }

    /// Where a path of ours is seen from the tree: headers that are installed here, and not there.
    pub fn seen(&self, path: &Path) -> PathBuf {
        let hidden = path.strip_prefix("/usr").ok().filter(|below| !below.starts_with("local"));
        let is_there = |below: &&Path| self.tree.join("usr").join(below).exists();
        match (hidden.filter(|below| !is_there(below)), self.host()) {
            (Some(below), Some(host)) if *ENTRANCE != Entrance::Loader => host.join(below),
            _ => path.to_path_buf(),
        }
    }

    /// The folder that our own `/usr` is seen in, if there is one.
    fn host(&self) -> Option<PathBuf> {
        Some(self.tree.parent()?.join(HOST)).filter(|host| host.is_dir())
    }

    /// The loader of the tree and its arguments, where programs enter by it: to stand before a program.
    pub fn loader(&self) -> Option<Vec<OsString>> {
        if *ENTRANCE != Entrance::Loader {
            return None;
        }
        let (loader, folders) = self.libraries()?;
        let path = std::env::join_paths(folders.iter().map(|dir| self.tree.join(dir))).ok()?;
        Some(vec![self.tree.join(loader).into_os_string(), "--library-path".into(), path])
    }

    /// The loader and the folders of libraries, relative to the tree; `None` if it has no loader.
    fn libraries(&self) -> Option<(&'static str, Vec<PathBuf>)> {
        let loader = LOADERS.iter().find(|name| self.tree.join(name).is_file())?;
        let multiarch = format!("{}-linux-gnu", std::env::consts::ARCH);
        let folders = LIBRARIES.iter().map(PathBuf::from);
        let folders = folders.flat_map(|dir| [dir.join(&multiarch), dir]);
        Some((loader, folders.filter(|dir| self.tree.join(dir).is_dir()).collect()))
    }

    /// A script that starts a program of the tree by the tree's loader; for the folder `loader`, or one in it
    /// (`depth` 1). Its last lines are `then`, in which `$run` starts the program.
    pub fn loader_script(&self, program: &Path, depth: usize, then: &str) -> Option<String> {
        let (loader, folders) = self.libraries()?;
        let folders: Vec<String> =
            folders.iter().map(|dir| format!("$tree/{}", dir.display())).collect();
        let up = "/..".repeat(depth + 1);
        let program = program.display();
        Some(format!(
            "#!/bin/sh\nhere=${{0%/*}}\ntree=$here{up}/{TREE}\nlibraries={}\n\
             run() {{ exec \"$tree/{loader}\" --library-path \"$libraries\" --argv0 \"$name\" \
             \"$tree{program}\" \"$@\"; }}\nname=$tree{program}\n{then}\n",
            folders.join(":")
        ))
    }

    /// What has to happen in a process before it is in the tree; `None` where programs enter by the loader.
    pub(crate) fn entry(&self) -> io::Result<Option<Entry>> {
        let Entrance::Namespace { user } = *ENTRANCE else { return Ok(None) };
        Entry::new(&self.tree.join("usr"), self.host().as_deref(), user).map(Some)
    }
}

/// A launcher's text: what a person types to run a program of the tree beside it.
pub fn launcher(inside: &Path) -> String {
    let program = inside.display().to_string().replace('\'', r"'\''");
    format!(
        "#!/bin/sh\n{RUNS}{}\n\
         folder=$(dirname -- \"$(dirname -- \"$(readlink -f -- \"$0\")\")\")\n\
         exec unshare --map-root-user --mount sh -c 'mount --rbind /usr \"$0/{HOST}\" && \
         mount --rbind \"$0/{TREE}/usr\" /usr && exec \"$@\"' \"$folder\" '{program}' \"$@\"\n",
        inside.display()
    )
}

/// The program and its tree, if it has one.
pub(crate) fn resident(program: &Path) -> Option<Resident> {
    let marked = |folder: &Path| folder.join(MARK).is_file();
    let folder = program.parent()?;
    if folder.file_name() == Some(OsStr::new(LAUNCHERS))
        && let Some(folder) = folder.parent().filter(|folder| marked(folder))
    {
        let text = fs::read_to_string(program).ok()?;
        let inside = text.lines().find_map(|line| line.strip_prefix(RUNS))?;
        let script = folder.join(BY_LOADER).join(program.file_name()?);
        let script = Some(script).filter(|path| path.is_file());
        return Some(Resident { root: Root::in_folder(folder), inside: inside.into(), script });
    }
    let tree = program.ancestors().skip(1).find(|dir| {
        dir.file_name() == Some(OsStr::new(TREE)) && dir.parent().is_some_and(marked)
    })?;
    let inside = Path::new("/").join(program.strip_prefix(tree).ok()?);
    Some(Resident { root: Root { tree: tree.to_path_buf() }, inside, script: None })
}

/// What a process does to enter a tree: made before a fork, done after it.
#[derive(Debug)]
pub(crate) struct Entry {
    usr: CString,
    /// Where ours is seen.
    host: Option<CString>,
    /// The user and group of a user namespace.
    maps: Option<[CString; 2]>,
}

impl Entry {
    fn new(usr: &Path, host: Option<&Path>, user: bool) -> io::Result<Entry> {
        let name = |path: &Path| CString::new(path.as_os_str().as_bytes());
        // SAFETY: they take nothing and cannot fail.
        let (uid, gid) = unsafe { (libc::geteuid(), libc::getegid()) };
        let map = |id: u32| CString::new(format!("{id} {id} 1"));
        let maps = user.then(|| Ok::<_, io::Error>([map(uid)?, map(gid)?])).transpose()?;
        Ok(Entry { usr: name(usr)?, host: host.map(name).transpose()?, maps })
    }

    /// Enters, for good; the error number if that fails.
    ///
    /// # Safety
    ///
    /// To be called in a process of one thread. It only makes system calls.
    pub(crate) unsafe fn enter(&self) -> Result<(), c_int> {
        const BIND: c_ulong = libc::MS_BIND | libc::MS_REC;
        let user = if self.maps.is_some() { libc::CLONE_NEWUSER } else { 0 };
        // SAFETY: strings that end with a zero; null where that is allowed.
        unsafe {
            check(libc::unshare(libc::CLONE_NEWNS | user))?;
            if let Some([uid, gid]) = &self.maps {
                write(c"/proc/self/setgroups", c"deny")?;
                write(c"/proc/self/uid_map", uid)?;
                write(c"/proc/self/gid_map", gid)?;
            }
            let null = std::ptr::null();
            let private = libc::MS_REC | libc::MS_PRIVATE;
            check(libc::mount(null, c"/".as_ptr(), null, private, null.cast()))?;
            if let Some(host) = &self.host {
                check(libc::mount(c"/usr".as_ptr(), host.as_ptr(), null, BIND, null.cast()))?;
            }
            let local = c"/usr/local".as_ptr();
            let ours = libc::open(local, libc::O_PATH | libc::O_CLOEXEC);
            let usr = self.usr.as_ptr();
            check(libc::mount(usr, c"/usr".as_ptr(), null, BIND, null.cast()))?;
            if ours >= 0 {
                let mut name = [0u8; 32];
                let from = descriptor_path(ours, &mut name);
                // A tree without such a folder has none of ours either.
                libc::mount(from.as_ptr(), local, null, BIND, null.cast());
                libc::close(ours);
            }
        }
        Ok(())
    }
}

/// `/proc/self/fd/7`, without allocating.
fn descriptor_path(fd: c_int, buffer: &mut [u8; 32]) -> &CStr {
    const PREFIX: &[u8] = b"/proc/self/fd/";
    buffer[..PREFIX.len()].copy_from_slice(PREFIX);
    let mut digits = [0u8; 10];
    let (mut rest, mut count) = (fd.unsigned_abs(), 0);
    loop {
        digits[count] = b'0' + (rest % 10) as u8;
        (rest, count) = (rest / 10, count + 1);
        if rest == 0 {
            break;
        }
    }
    for (place, digit) in buffer[PREFIX.len()..].iter_mut().zip(digits[..count].iter().rev()) {
        *place = *digit;
    }
    buffer[PREFIX.len() + count] = 0;
    CStr::from_bytes_until_nul(buffer).unwrap_or_default()
}

fn check(result: c_int) -> Result<(), c_int> {
    // SAFETY: the place of this thread's error number.
    if result < 0 { Err(unsafe { *libc::__errno_location() }) } else { Ok(()) }
}

/// Writes a file of `/proc`.
unsafe fn write(file: &CStr, text: &CStr) -> Result<(), c_int> {
    // SAFETY: strings that end with a zero, and as many bytes as are said.
    unsafe {
        let fd = libc::open(file.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        check(fd)?;
        let length = text.count_bytes();
        let wrote = libc::write(fd, text.as_ptr().cast(), length);
        let error = check(if wrote < 0 { -1 } else { 0 });
        libc::close(fd);
        error
    }
}

/// How programs enter trees here: tried once.
static ENTRANCE: LazyLock<Entrance> = LazyLock::new(|| {
    let into_usr = |dir: &&str| fs::canonicalize(dir).is_ok_and(|real| !real.starts_with("/usr"));
    let unmerged = ["/bin", "/lib", "/lib64"].iter().any(into_usr);
    if std::env::var_os(NO_NAMESPACES).is_some() || unmerged {
        return Entrance::Loader;
    }
    let works =
        |user: bool| Entry::new(Path::new("/usr"), None, user).is_ok_and(|entry| tried(&entry));
    match (works(false), || works(true)) {
        (true, _) => Entrance::Namespace { user: false },
        (false, user) if user() => Entrance::Namespace { user: true },
        _ => Entrance::Loader,
    }
});

/// Whether a process of ours can enter.
fn tried(entry: &Entry) -> bool {
    // SAFETY: the child makes system calls only, and ends.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::_exit(if entry.enter().is_ok() { 0 } else { 1 });
        }
        let mut status = 1;
        child > 0 && libc::waitpid(child, &mut status, 0) == child && status == 0
    }
}

/// Why programs of other systems run less well here than they could, as a sentence; `None` where they run well.
pub fn entrance_weakness() -> Option<&'static str> {
    (*ENTRANCE == Entrance::Loader).then_some(
        "Mount namespaces are not to be had here: compilers of other systems run by those systems' loaders.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ended, Run, Scratch, Status};
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::Duration;

    /// A folder with a tree whose `/usr/bin` has our own programs, and one more.
    fn folder() -> Scratch {
        let scratch = Scratch::new().expect("a folder");
        let bin = scratch.file("root/usr/bin");
        fs::create_dir_all(&bin).expect("folders");
        fs::create_dir_all(scratch.file("bin")).expect("a folder");
        fs::create_dir_all(scratch.file(HOST)).expect("a folder");
        fs::write(scratch.file(MARK), "").expect("a mark");
        scratch
    }

    #[test]
    fn a_tree_is_known_by_its_mark() {
        let scratch = folder();
        let program = scratch.file("root/usr/bin/cc");
        let found = resident(&program).expect("a program of the tree");
        assert_eq!(found.inside, Path::new("/usr/bin/cc"));
        assert_eq!(found.root, Root::in_folder(scratch.path()));
        let path = scratch.file("bin/cc");
        fs::write(&path, launcher(Path::new("/usr/bin/cc"))).expect("a launcher");
        assert_eq!(resident(&path), Some(found.clone()));
        let script = scratch.file("loader/cc");
        fs::create_dir(scratch.file("loader")).expect("a folder");
        fs::write(&script, "#!/bin/sh\n").expect("a script");
        assert_eq!(resident(&path), Some(Resident { script: Some(script), ..found }));
        fs::remove_file(scratch.file(MARK)).expect("removed");
        assert_eq!(resident(&program), None);
        assert_eq!(resident(Path::new("/usr/bin/env")), None);
        assert_eq!(resident(Path::new("cc")), None);
    }

    #[test]
    fn names_of_descriptors() {
        for (fd, want) in
            [(0, c"/proc/self/fd/0"), (7, c"/proc/self/fd/7"), (1203, c"/proc/self/fd/1203")]
        {
            assert_eq!(descriptor_path(fd, &mut [0; 32]), want);
        }
    }

    /// Whether this machine has namespaces; CI skips none.
    fn has_namespaces() -> bool {
        let has = *ENTRANCE != Entrance::Loader;
        assert!(has || std::env::var_os("CI").is_none(), "there are no mount namespaces");
        has
    }

    /// A tree with a shell of its own: ours, with all that it needs.
    fn with_shell() -> Scratch {
        let scratch = folder();
        let tree = scratch.file("root/usr");
        for (from, to) in [("/bin/busybox", "bin/busybox"), ("/bin/sh", "bin/sh")] {
            if fs::copy(from, tree.join(to)).is_ok() {
                let all = fs::Permissions::from_mode(0o755);
                fs::set_permissions(tree.join(to), all).expect("permissions");
            }
        }
        let multiarch = format!("lib/{}-linux-gnu", std::env::consts::ARCH);
        for dir in [&*multiarch, "lib64", "local"] {
            fs::create_dir_all(tree.join(dir)).expect("a folder");
        }
        let from = Path::new("/usr").join(&multiarch);
        fs::copy(from.join("libc.so.6"), tree.join(&multiarch).join("libc.so.6")).expect("libc");
        for loader in LOADERS.iter().filter_map(|name| name.strip_prefix("usr/")) {
            if let Ok(real) = fs::canonicalize(Path::new("/usr").join(loader)) {
                fs::copy(real, tree.join(loader)).expect("the loader");
            }
        }
        fs::write(tree.join("only-here"), "tree\n").expect("a file");
        scratch
    }

    const LOOK: &str = "read word < /usr/only-here && echo $word in $PWD";

    #[test]
    fn programs_of_a_tree_see_it_and_our_folders() {
        if !has_namespaces() {
            return;
        }
        let scratch = with_shell();
        let work = Scratch::new().expect("a folder");
        let home = work.path().display().to_string();
        let run = Run::new(scratch.file("root/usr/bin/sh"), Duration::from_secs(20));
        let run = run.args(["-c", LOOK]).cwd(work.path());
        for run in [run.clone(), run.confined_to(work.path())] {
            match run.finish() {
                Ended::Finished(done) => {
                    assert_eq!(
                        done.stdout.text(),
                        format!("tree in {home}\n"),
                        "{:?}",
                        done.stderr
                    );
                    assert_eq!(done.status, Status::Exit(0));
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(!Path::new("/usr/only-here").exists(), "our own system is as it was");
    }

    #[test]
    fn a_program_is_run_in_a_tree_that_is_not_its_own() {
        if !has_namespaces() {
            return;
        }
        let scratch = with_shell();
        let run = Run::new("/bin/sh", Duration::from_secs(20)).args(["-c", LOOK]);
        let run = run.root(Some(&Root::in_folder(scratch.path())));
        let done = run.finish().success().expect("it runs");
        assert!(done.stdout.text().starts_with("tree in "));
    }

    #[test]
    fn what_a_tree_hides_is_seen_elsewhere() {
        if !has_namespaces() {
            return;
        }
        let scratch = with_shell();
        let root = Root::in_folder(scratch.path());
        let (ours, theirs) = (Path::new("/usr/share"), Path::new("/usr/only-here"));
        assert_eq!(root.seen(ours), scratch.path().join(HOST).join("share"));
        assert_eq!(root.seen(theirs), theirs);
        assert_eq!(root.seen(Path::new("/usr/local/include")), Path::new("/usr/local/include"));
        let look = format!("test -d {} && test ! -d /usr/share", root.seen(ours).display());
        let run = Run::new(scratch.file("root/usr/bin/sh"), Duration::from_secs(20));
        assert!(run.args(["-c", &look]).finish().success().is_some(), "{look}");
    }

    #[test]
    fn a_launcher_can_be_typed() {
        if !has_namespaces() {
            return;
        }
        let scratch = with_shell();
        let path = scratch.file("bin/sh");
        fs::write(&path, launcher(Path::new("/usr/bin/sh"))).expect("a launcher");
        let run = Run::new("sh", Duration::from_secs(20)).arg(&path).args(["-c", LOOK]);
        let done = run.finish().success().expect("it runs");
        assert!(done.stdout.text().starts_with("tree in "));
    }
}
