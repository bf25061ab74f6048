//! What runs a compiler's programs: this processor, an emulator, or nothing at all.
//!
//! An emulator of QEMU gets the `-cpu` that the target's own flags ask for ([`CpuRule`]). Programs of a target
//! without a runner are compiled and never run: what can be wrong there is the compiler alone.

use std::ffi::OsString;

use crate::isa::CpuRule;

/// What runs the programs of a compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Runner {
    /// This processor.
    #[default]
    Native,
    /// An emulator.
    Emulator(Emulator),
    /// None: programs are compiled and never run.
    CompileOnly,
}

/// A program that runs programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emulator {
    /// The emulator with its arguments.
    pub command: Vec<OsString>,
    /// How it is told of the processor that a target's flags need, if it is not in its arguments.
    pub cpu: Option<CpuRule>,
    /// Other commands for targets whose flags have all of these words.
    pub by_flag: Vec<(String, Vec<OsString>)>,
}

impl Emulator {
    /// An emulator that is always called the same.
    pub fn fixed(command: Vec<OsString>) -> Emulator {
        Emulator { command, cpu: None, by_flag: Vec::new() }
    }

    /// The command for programs that were compiled with these words.
    fn words(&self, flags: &[String]) -> Vec<OsString> {
        let has_all =
            |wanted: &str| wanted.split_whitespace().all(|w| flags.iter().any(|f| f == w));
        if let Some((_, command)) = self.by_flag.iter().find(|(wanted, _)| has_all(wanted)) {
            return command.clone();
        }
        let mut words = self.command.clone();
        let cpu = self.cpu.as_ref().and_then(|rule| rule.cpu(flags));
        if let Some(cpu) = cpu.filter(|_| !words.is_empty()) {
            words.splice(1..1, ["-cpu".into(), cpu.into()]);
        }
        words
    }
}

impl Runner {
    /// An emulator by its words, which may be none.
    pub fn of_words(words: Vec<OsString>) -> Runner {
        match words.is_empty() {
            true => Runner::Native,
            false => Runner::Emulator(Emulator::fixed(words)),
        }
    }

    /// What stands before a program that was compiled with these words; nothing for this processor, nor where
    /// programs are not run.
    pub fn words(&self, flags: &[String]) -> Vec<OsString> {
        match self {
            Runner::Native | Runner::CompileOnly => Vec::new(),
            Runner::Emulator(emulator) => emulator.words(flags),
        }
    }

    /// The line in which the emulator itself says that it cannot run a program: it knows no such processor, or
    /// no such property of one. QEMU puts its own name before such a line; of signals it speaks as `qemu`.
    pub fn refusal<'a>(&self, messages: &'a str) -> Option<&'a str> {
        const REFUSALS: &[&str] = &[
            "can't apply global",
            "unable to find CPU model",
            "implementation only supports",
            "cannot be supported",
            "requires",
            "not found",
            "Could not open",
            "Unable to",
            "unsupported",
        ];
        let is_refusal = |line: &&str| {
            let own = line.split_once(": ").filter(|(name, _)| name.starts_with("qemu-"));
            own.is_some_and(|(_, said)| REFUSALS.iter().any(|words| said.contains(words)))
        };
        messages.lines().find(|line| self.is_emulator() && is_refusal(line))
    }

    /// Whether programs run, but not on this processor itself.
    pub fn is_emulator(&self) -> bool {
        matches!(self, Runner::Emulator(_))
    }

    /// Whether programs are compiled and never run.
    pub fn is_compile_only(&self) -> bool {
        matches!(self, Runner::CompileOnly)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::QemuArch;

    fn words(runner: &Runner, flags: &str) -> String {
        let flags: Vec<String> = flags.split_whitespace().map(String::from).collect();
        let words = runner.words(&flags);
        words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_an_emulator_refuses_is_told_from_what_a_program_does() {
        let qemu = Runner::of_words(vec!["qemu-riscv64".into()]);
        let refused = [
            "qemu-riscv64: can't apply global rv64-riscv-cpu.zfa=true: Property 'rv64-riscv-cpu.zfa' not found",
            "qemu-riscv64: Vector extension implementation only supports VLEN in the range [128, 1024]",
            "qemu-ppc64le: unable to find CPU model 'power11'",
        ];
        for line in refused {
            assert_eq!(qemu.refusal(&format!("vector version is\n{line}\n")), Some(line));
            assert_eq!(Runner::Native.refusal(line), None);
        }
        for line in
            ["qemu: uncaught target signal 11 (Segmentation fault) - core dumped", "a: not found"]
        {
            assert_eq!(qemu.refusal(line), None, "{line}");
        }
    }

    #[test]
    fn the_processor_stands_behind_the_emulator() {
        let cpu = Some(CpuRule { arch: QemuArch::Riscv, properties: Vec::new() });
        let command: Vec<OsString> = ["qemu-riscv64", "-L", "/x"].map(OsString::from).into();
        let by_flag = vec![("-march=a -mb".to_string(), vec![OsString::from("sim")])];
        let runner = Runner::Emulator(Emulator { command, cpu, by_flag });
        assert_eq!(words(&runner, "-O2"), "qemu-riscv64 -L /x");
        let vector = "qemu-riscv64 -cpu rv64,v=true,vlen=128,elen=64 -L /x";
        assert_eq!(words(&runner, "-O2 -march=rv64gcv"), vector);
        assert_eq!(words(&runner, "-mb -O2 -march=a"), "sim");
        assert_eq!(words(&runner, "-O2 -march=a"), "qemu-riscv64 -L /x");
        assert_eq!(words(&Runner::Native, "-march=rv64gcv"), "");
        assert_eq!(words(&Runner::CompileOnly, "-march=rv64gcv"), "");
        assert!(runner.is_emulator() && !Runner::Native.is_emulator());
    }
}
