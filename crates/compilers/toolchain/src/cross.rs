//! Cross compilation on Debian: the linker that Clang needs told, the libraries of another processor, and the
//! packages of what is missing.
//!
//! Debian's cross packages put headers and libraries of a processor into `/usr/TRIPLE` and GCC's run-time files into
//! `/usr/lib/gcc-cross/TRIPLE/VERSION`, under GCC's triple (`riscv64-linux-gnu`). Clang finds both by itself from any
//! spelling of the triple (`riscv64-unknown-linux-gnu`), but not the linker. A user who names a sysroot, a linker or a
//! GCC installation has said everything.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use sandbox::Root;

use crate::catalog::is_number;
use crate::find::on_path;
use crate::target::{Family, Language};

/// What a user says who knows where everything is.
const OWN_ROOT: &[&str] = &["--sysroot", "-isysroot", "--gcc-toolchain", "--gcc-install-dir", "-B"];

/// What a user says who knows the linker.
const OWN_LINKER: &[&str] = &["-fuse-ld", "--ld-path", "-B"];

/// First words of Debian's triples, and the names of these architectures in packages.
const ARCHITECTURES: &[(&str, &str)] = &[
    ("aarch64-linux-gnu", "arm64"),
    ("arm-linux-gnueabi", "armel"),
    ("arm-linux-gnueabihf", "armhf"),
    ("hppa-linux-gnu", "hppa"),
    ("i686-linux-gnu", "i386"),
    ("m68k-linux-gnu", "m68k"),
    ("mips-linux-gnu", "mips"),
    ("mipsel-linux-gnu", "mipsel"),
    ("mips64-linux-gnuabi64", "mips64"),
    ("mips64el-linux-gnuabi64", "mips64el"),
    ("powerpc-linux-gnu", "powerpc"),
    ("powerpc64-linux-gnu", "ppc64"),
    ("powerpc64le-linux-gnu", "ppc64el"),
    ("riscv64-linux-gnu", "riscv64"),
    ("s390x-linux-gnu", "s390x"),
    ("sparc64-linux-gnu", "sparc64"),
    ("x86_64-linux-gnu", "amd64"),
];

/// Where Debian has what a triple needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CrossFiles {
    /// As Debian spells the triple.
    pub(crate) triple: &'static str,
    /// As its packages are called.
    architecture: &'static str,
}

impl CrossFiles {
    /// Of any spelling of a triple; `None` where Debian has no such packages.
    pub(crate) fn of(triple: &str) -> Option<CrossFiles> {
        let mut words = triple.split('-');
        let first = words.next()?;
        let rest: Vec<&str> = words.collect();
        if !rest.contains(&"linux") {
            return None;
        }
        let abi = rest.last().copied().filter(|abi| *abi != "linux").unwrap_or("gnu");
        let processor = match first {
            "i386" | "i486" | "i586" => "i686",
            "arm64" => "aarch64",
            "ppc64le" => "powerpc64le",
            word if word.starts_with("arm") && !word.starts_with("arm64") => "arm",
            word => word,
        };
        let abi = match (processor, abi) {
            ("arm", "gnu") => "gnueabihf",
            ("mips64" | "mips64el", "gnu") => "gnuabi64",
            (_, abi) => abi,
        };
        let name = format!("{processor}-linux-{abi}");
        let (triple, architecture) = *ARCHITECTURES.iter().find(|(known, _)| *known == name)?;
        Some(CrossFiles { triple, architecture })
    }

    /// Headers and libraries.
    pub(crate) fn root(&self) -> PathBuf {
        Path::new("/usr").join(self.triple)
    }

    fn has_linker(&self, command: &[OsString]) -> bool {
        on_path(&format!("{}-ld", self.triple)).is_some() || lld(command).is_some()
    }

    /// GCC's run-time files, of the newest version that is here.
    fn runtime(&self) -> Option<u32> {
        let folders = fs::read_dir(Path::new("/usr/lib/gcc-cross").join(self.triple)).ok()?;
        let version = |entry: fs::DirEntry| {
            let is_there = entry.path().join("crtbegin.o").is_file();
            entry.file_name().to_str()?.parse::<u32>().ok().filter(|_| is_there)
        };
        folders.filter_map(|entry| version(entry.ok()?)).max()
    }

    /// Packages whose files a compiler for this triple needs, and that are not here.
    fn missing(&self, family: Family, command: &[OsString], language: Language) -> Vec<String> {
        let CrossFiles { triple, architecture } = self;
        let mut missing = Vec::new();
        if !self.root().join("include/stdio.h").is_file() {
            missing.push(format!("libc6-dev-{architecture}-cross"));
        }
        let runtime = self.runtime();
        let version = runtime.unwrap_or_else(native_version);
        if runtime.is_none() {
            missing.push(format!("libgcc-{version}-dev-{architecture}-cross"));
        }
        if family == Family::Clang && !self.has_linker(command) {
            missing.push(format!("binutils-{}", triple.replace('_', "-")));
        }
        let headers = self.root().join(format!("include/c++/{version}"));
        let configured = headers.join(triple).join("bits/c++config.h");
        if language == Language::Cxx && !configured.is_file() {
            missing.push(match family {
                Family::Gcc => format!("g++-{version}-{}", triple.replace('_', "-")),
                _ => format!("libstdc++-{version}-dev-{architecture}-cross"),
            });
        }
        missing
    }
}

/// Debian's package of a compiler by the name of its file: `riscv64-linux-gnu-gcc-12`, `clang-16`.
pub(crate) fn package_of(name: &str) -> Option<String> {
    let (rest, version) = match name.rsplit_once('-') {
        Some((rest, version)) if is_number(version) => (rest, format!("-{version}")),
        _ => (name, String::new()),
    };
    let (triple, stem) = match rest.rsplit_once('-') {
        Some((triple, stem)) => (Some(triple), stem),
        None => (None, rest),
    };
    if !matches!(stem, "gcc" | "g++" | "clang" | "tcc" | "pcc") {
        return None;
    }
    let target = triple.map(|triple| format!("-{}", triple.replace('_', "-")));
    Some(format!("{stem}{version}{}", target.unwrap_or_default()))
}

/// The version of GCC that the system has: that of its cross packages, too.
fn native_version() -> u32 {
    let folders = fs::read_dir("/usr/lib/gcc/x86_64-linux-gnu").ok().into_iter().flatten();
    let versions = folders.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    // Debian 12's, the oldest that we install on.
    versions.max().unwrap_or(12)
}

/// LLVM's linker beside a Clang: `ld.lld-16` for `clang-16`.
fn lld(command: &[OsString]) -> Option<PathBuf> {
    let program = Path::new(command.first()?).file_name()?.to_str()?;
    let suffix = program.find('-').map_or("", |at| &program[at..]);
    on_path(&format!("ld.lld{suffix}")).or_else(|| on_path("ld.lld"))
}

fn says(command: &[OsString], options: &[&str]) -> bool {
    command.iter().skip(1).any(|word| {
        let word = word.to_string_lossy();
        options.iter().any(|option| word.starts_with(option))
    })
}

/// What a Clang has to be told beside `--target`: the linker for it.
pub(crate) fn added_flags(family: Family, triple: &str, command: &[OsString]) -> Vec<OsString> {
    if family != Family::Clang || says(command, OWN_LINKER) || root_of(command).is_some() {
        return Vec::new();
    }
    let Some(files) = CrossFiles::of(triple) else { return Vec::new() };
    // LLVM's own linker does link-time optimisation, too.
    let linker = lld(command).or_else(|| on_path(&format!("{}-ld", files.triple)));
    linker.map(|path| OsString::from(format!("--ld-path={}", path.display()))).into_iter().collect()
}

/// Where an emulator finds the libraries of programs that this command compiles.
pub(crate) fn libraries(triple: &str, command: &[OsString]) -> Option<PathBuf> {
    let own = command
        .iter()
        .find_map(|word| Some(PathBuf::from(word.to_str()?.strip_prefix("--sysroot=")?)));
    let system = root_of(command);
    let is_there = |dir: &PathBuf| match (&system, dir.strip_prefix("/")) {
        (Some(root), Ok(below)) => root.tree().join(below).is_dir(),
        _ => dir.is_dir(),
    };
    own.or_else(|| CrossFiles::of(triple).map(|files| files.root())).filter(is_there)
}

/// The tree of another system that a compiler belongs to. What it needs is there, and nothing of ours is.
fn root_of(command: &[OsString]) -> Option<Root> {
    command.first().and_then(|program| Root::of(Path::new(program)))
}

/// Which packages are missing, as the end of a sentence, for a compiler that cannot compile or link our probe;
/// `None` where nothing of Debian's is.
pub(crate) fn advice(
    family: Family,
    triple: &str,
    command: &[OsString],
    language: Language,
) -> Option<String> {
    if says(command, OWN_ROOT) || root_of(command).is_some() {
        return None;
    }
    let is_narrow = command.iter().any(|word| word == "-m32");
    if is_narrow && family == Family::Gcc && triple.starts_with("x86_64") {
        let has_headers = Path::new("/usr/lib32/crt1.o").is_file();
        let version = native_version();
        let package = if language == Language::C { "gcc" } else { "g++" };
        return (!has_headers || language == Language::Cxx)
            .then(|| format!("apt-get install {package}-{version}-multilib"));
    }
    let missing = CrossFiles::of(triple)?.missing(family, command, language);
    (!missing.is_empty()).then(|| format!("apt-get install {}", missing.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triples_as_debian_spells_them() {
        let cases = [
            ("riscv64-unknown-linux-gnu", Some("riscv64-linux-gnu")),
            ("riscv64-linux-gnu", Some("riscv64-linux-gnu")),
            ("aarch64-unknown-linux-gnu", Some("aarch64-linux-gnu")),
            ("i386-pc-linux-gnu", Some("i686-linux-gnu")),
            ("armv7l-unknown-linux-gnueabihf", Some("arm-linux-gnueabihf")),
            ("arm-linux-gnueabi", Some("arm-linux-gnueabi")),
            ("mips64el-unknown-linux-gnu", Some("mips64el-linux-gnuabi64")),
            ("powerpc64le-unknown-linux-gnu", Some("powerpc64le-linux-gnu")),
            ("s390x-ibm-linux", Some("s390x-linux-gnu")),
            ("riscv64-unknown-elf", None),
            ("riscv32-unknown-linux-gnu", None),
            ("aarch64-linux-musl", None),
        ];
        for (triple, want) in cases {
            assert_eq!(CrossFiles::of(triple).map(|files| files.triple), want, "{triple}");
        }
    }

    #[test]
    fn packages_that_are_missing_are_named() {
        // Debian 12 has no cross packages of this one, so that it is never complete.
        let command = [OsString::from("clang-nowhere"), "--target=sparc64-linux-gnu".into()];
        let missing = advice(Family::Clang, "sparc64-unknown-linux-gnu", &command, Language::Cxx);
        let version = native_version();
        let want = format!("libstdc++-{version}-dev-sparc64-cross");
        assert!(missing.is_some_and(|sentence| sentence.contains(&want)), "{want}");
        let own = [OsString::from("clang"), "--sysroot=/opt/root".into()];
        assert_eq!(advice(Family::Clang, "sparc64-linux-gnu", &own, Language::C), None);
        assert_eq!(advice(Family::Clang, "riscv64-unknown-elf", &command, Language::C), None);
    }

    #[test]
    fn packages_of_compilers() {
        let of = |name| package_of(name).unwrap_or_default();
        assert_eq!(of("riscv64-linux-gnu-gcc-12"), "gcc-12-riscv64-linux-gnu");
        assert_eq!(of("aarch64-linux-gnu-g++"), "g++-aarch64-linux-gnu");
        assert_eq!(of("x86_64-linux-gnu-gcc-12"), "gcc-12-x86-64-linux-gnu");
        assert_eq!(of("clang-16"), "clang-16");
        assert_eq!(package_of("icc"), None);
    }

    #[test]
    fn a_linker_that_is_named_is_kept() {
        let own = [OsString::from("clang"), "-fuse-ld=mold".into()];
        assert!(added_flags(Family::Clang, "aarch64-unknown-linux-gnu", &own).is_empty());
        let gcc = [OsString::from("gcc")];
        assert!(added_flags(Family::Gcc, "aarch64-linux-gnu", &gcc).is_empty());
    }
}
