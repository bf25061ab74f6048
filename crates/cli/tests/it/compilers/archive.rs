//! An archive of Debian's kind with two packages: one has the tcc of this machine with the C library, one has nothing to
//! test. Signed with a key that is made for it, and served by HTTP with one fault if that is wanted.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use sandbox::Run;

/// For a tool that makes it.
const PATIENCE: Duration = Duration::from_secs(120);

/// Packages of this machine whose files make up the compiler's.
const PARTS: &[&str] = &["tcc", "libc6", "libc6-dev", "linux-libc-dev"];

/// How much of a package is sent before a server stalls.
const STALL: usize = 1 << 20;

/// What is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// Signed with a key that is not the one that is trusted.
    Signature,
    /// A package is not what was signed.
    Sum,
    /// Packages stop coming after a megabyte, until it heals.
    Stall,
}

/// A running archive.
pub struct Archive {
    pub address: String,
    /// The file of the trusted key.
    pub keys: String,
    state: Arc<State>,
}

struct State {
    root: PathBuf,
    stalls: AtomicBool,
    sent: AtomicU64,
    resumed: AtomicBool,
}

impl Archive {
    /// Makes it in a folder, and serves it as long as the process lives.
    pub fn serve(folder: &Path, fault: Fault) -> Archive {
        let root = folder.join("archive");
        let pool = root.join("debian/pool");
        fs::create_dir_all(&pool).expect("folders");
        tcc(folder, &pool);
        let empty = folder.join("text-only");
        fs::create_dir_all(empty.join("usr/share/doc/text-only")).expect("folders");
        fs::write(empty.join("usr/share/doc/text-only/text"), "text\n").expect("written");
        package(&empty, "text-only", &pool);
        let keys = index(folder, &root.join("debian"), fault);
        if fault == Fault::Sum {
            let path = pool.join("tcc-test.deb");
            let mut bytes = fs::read(&path).expect("a package");
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(path, bytes).expect("written");
        }
        let state = Arc::new(State {
            root,
            stalls: AtomicBool::new(fault == Fault::Stall),
            sent: AtomicU64::new(0),
            resumed: AtomicBool::new(false),
        });
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}/debian", listener.local_addr().expect("an address"));
        let served = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let served = served.clone();
                thread::spawn(move || _ = answer(&served, stream));
            }
        });
        Archive { address, keys, state }
    }

    /// Lets packages come whole.
    pub fn heal(&self) {
        self.state.stalls.store(false, Ordering::SeqCst);
    }

    /// Bytes of packages that were sent.
    pub fn sent(&self) -> u64 {
        self.state.sent.load(Ordering::SeqCst)
    }

    /// Whether a package was asked for from its middle on.
    pub fn resumed(&self) -> bool {
        self.state.resumed.load(Ordering::SeqCst)
    }
}

/// The compiler's package, of this machine's files.
fn tcc(folder: &Path, pool: &Path) {
    let tree = folder.join("tcc-test");
    for part in PARTS {
        let listed = Run::new("dpkg", PATIENCE).args(["-L", part]).finish().success();
        let listed = listed.unwrap_or_else(|| panic!("{part} is not installed")).stdout.text();
        for file in listed.lines().map(Path::new) {
            let below = file.strip_prefix("/").unwrap_or(file);
            // Packages of this system name some files by the links into usr.
            let below = match below.starts_with("usr") {
                true => below.to_path_buf(),
                false => Path::new("usr").join(below),
            };
            let is_wanted = !below.starts_with("usr/share") && !below.starts_with("usr/lib/debug");
            if !is_wanted || file.is_dir() || !(file.exists()) {
                continue;
            }
            let to = tree.join(&below);
            fs::create_dir_all(to.parent().expect("a folder")).expect("folders");
            fs::copy(file, &to).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        }
    }
    let shell = tree.join("usr/bin/sh");
    fs::copy("/usr/bin/sh", shell).expect("a shell");
    package(&tree, "tcc-test", pool);
}

fn package(tree: &Path, name: &str, pool: &Path) {
    fs::create_dir_all(tree.join("DEBIAN")).expect("a folder");
    let architecture = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    let control = format!(
        "Package: {name}\nVersion: 1-1\nArchitecture: {architecture}\nMaintainer: Nobody <nobody@localhost>\n\
         Description: a package for a test\n"
    );
    fs::write(tree.join("DEBIAN/control"), control).expect("written");
    let run = Run::new("dpkg-deb", PATIENCE).args(["-Zgzip", "-z1", "--build"]).arg(tree);
    run.arg(pool.join(format!("{name}.deb"))).finish().success().expect("dpkg-deb builds it");
}

/// The lists of packages, signed; the file of the trusted key.
fn index(folder: &Path, root: &Path, fault: Fault) -> String {
    let mut list = String::new();
    for name in ["tcc-test", "text-only"] {
        let path = root.join("pool").join(format!("{name}.deb"));
        let control = Run::new("dpkg-deb", PATIENCE).arg("-f").arg(&path).finish().success();
        list += &control.expect("its control file").stdout.text();
        let size = fs::metadata(&path).expect("a package").len();
        list += &format!("Filename: pool/{name}.deb\nSize: {size}\nSHA256: {}\n\n", sum(&path));
    }
    let dist = root.join("dists/sid");
    let architecture = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    let packages = format!("main/binary-{architecture}/Packages");
    fs::create_dir_all(dist.join(&packages).parent().expect("a folder")).expect("folders");
    fs::write(dist.join(&packages), &list).expect("written");
    let release = format!(
        "Origin: Debian\nLabel: Debian\nSuite: unstable\nCodename: sid\nDate: Thu, 19 Nov 2026 00:00:00 UTC\n\
         Architectures: {architecture}\nComponents: main\nSHA256:\n {} {} {packages}\n",
        sum(&dist.join(&packages)),
        list.len()
    );
    fs::write(dist.join("Release"), release).expect("written");
    let trusted = Key::make(&folder.join("trusted"));
    let other = (fault == Fault::Signature).then(|| Key::make(&folder.join("other")));
    other.as_ref().unwrap_or(&trusted).sign(&dist.join("Release"), &dist.join("InRelease"));
    trusted.export()
}

fn sum(path: &Path) -> String {
    let done = Run::new("sha256sum", PATIENCE).arg(path).finish().success().expect("a sum");
    done.stdout.text().split(' ').next().unwrap_or_default().to_string()
}

/// A key of its own.
struct Key {
    home: PathBuf,
}

impl Key {
    fn make(home: &Path) -> Key {
        fs::create_dir_all(home).expect("a folder");
        let key = Key { home: home.to_path_buf() };
        let run = key.gpg().args([
            "--passphrase",
            "",
            "--quick-generate-key",
            "test@localhost",
            "rsa2048",
        ]);
        run.finish().success().expect("gpg makes a key");
        key
    }

    fn gpg(&self) -> Run {
        let run = Run::new("gpg", PATIENCE).arg("--homedir").arg(&self.home);
        run.args(["--batch", "--yes", "--pinentry-mode", "loopback"])
    }

    fn sign(&self, file: &Path, to: &Path) {
        let run = self.gpg().arg("--output").arg(to).arg("--clearsign").arg(file);
        run.finish().success().expect("gpg signs");
    }

    /// Writes the public key; its file.
    fn export(&self) -> String {
        let to = self.home.join("keys.gpg");
        let run = self.gpg().arg("--output").arg(&to).arg("--export");
        run.finish().success().expect("gpg exports");
        to.display().to_string()
    }
}

/// One request after the other of one connection.
fn answer(state: &State, stream: TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let mut out = stream;
    loop {
        let Some(first) = lines.next() else { return Ok(()) };
        let first = first?;
        let mut from = 0;
        for line in lines.by_ref() {
            let line = line?;
            if line.is_empty() {
                break;
            }
            if let Some(range) = line.to_lowercase().strip_prefix("range: bytes=") {
                from = range.split('-').next().and_then(|n| n.parse().ok()).unwrap_or(0);
            }
        }
        let path = first.split(' ').nth(1).unwrap_or("/").trim_start_matches('/');
        let Ok(bytes) = fs::read(state.root.join(path)) else {
            out.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")?;
            continue;
        };
        let (from, size) = (from.min(bytes.len()), bytes.len());
        let head = match from {
            0 => format!("HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n"),
            _ => format!(
                "HTTP/1.1 206 Partial Content\r\nContent-Length: {}\r\nContent-Range: bytes {from}-{}/{size}\r\n",
                size - from,
                size - 1
            ),
        };
        out.write_all(head.as_bytes())?;
        // A date makes a client trust that the file is still the same.
        out.write_all(
            b"Last-Modified: Thu, 19 Nov 2026 00:00:00 GMT\r\nAccept-Ranges: bytes\r\n\r\n",
        )?;
        let is_package = path.ends_with(".deb");
        if is_package && from > 0 {
            state.resumed.store(true, Ordering::SeqCst);
        }
        let body = &bytes[from..];
        if is_package && state.stalls.load(Ordering::SeqCst) {
            out.write_all(&body[..STALL.min(body.len())])?;
            state.sent.fetch_add(STALL as u64, Ordering::SeqCst);
            while state.stalls.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(20));
            }
            return Ok(());
        }
        out.write_all(body)?;
    }
}
