//! The arguments of every command, and the help that teaches them.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

/// Makes compilers contradict themselves and each other, and proves that the program was not to
/// blame.
#[derive(Parser, Debug)]
#[command(name = "gainsay", version, after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  gainsay run prog.c            execute prog.c in the abstract machine
  gainsay run --json prog.c     the same, as one JSON object
  gainsay doctor                what is installed, and what is missing for what

`gainsay COMMAND --help` tells more.";

#[derive(Subcommand, Debug)]
pub enum Command {
    Run(Run),
    Doctor(Doctor),
}

/// Execute a C program in a strict abstract machine.
///
/// Prints what the program prints and exits with its status, or says where and why the program has
/// no defined result. `.c` files go through the system's preprocessor first; `.i` files, and `-`
/// for standard input, are taken as preprocessed. Several files are one program.
#[derive(ClapArgs, Debug)]
#[command(after_help = RUN_HELP)]
pub struct Run {
    /// C files of one program; `-` is standard input.
    #[arg(required = true, value_name = "FILE.c")]
    pub files: Vec<PathBuf>,
    /// Search this folder for headers.
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Define a macro.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Tell on standard error what ran: how often each statement, with which values of variables,
    /// and what never did. With --json: everything that was recorded, under "profile".
    #[arg(long)]
    pub profile: bool,
    /// Stop after this many machine steps (loop iterations and calls).
    #[arg(long, value_name = "N")]
    pub fuel: Option<u64>,
    /// How to judge the alignment of an access through a pointer.
    #[arg(long, value_enum, value_name = "BY", default_value_t = Alignment::Offsets)]
    pub alignment: Alignment,
    /// Print one JSON object on standard output in place of the program's output.
    #[arg(long)]
    pub json: bool,
}

/// The machine's policies on alignment, as words.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Alignment {
    /// Objects are only as aligned as their types say
    Types,
    /// Objects begin well aligned, as GCC places them; the offset decides
    Offsets,
    /// Any address will do: not C, but what x86-64 mostly lets pass
    Any,
}

impl From<Alignment> for cmachine::Alignment {
    fn from(alignment: Alignment) -> Self {
        match alignment {
            Alignment::Types => cmachine::Alignment::Types,
            Alignment::Offsets => cmachine::Alignment::Offsets,
            Alignment::Any => cmachine::Alignment::Any,
        }
    }
}

const RUN_HELP: &str = "\
Exit status:
  the program's own   it finished (134 if it called abort)
  65                  executed code is undefined, or its result depends on what C leaves open
  66                  executed code uses something Gainsay does not model
  67                  the program ran out of fuel or memory
  2                   the file is missing or is not C
  70                  Gainsay has a bug; please report it
A program may exit with these numbers too: standard error, and --json, tell which it was.

Examples:
  gainsay run prog.c
  gainsay run --profile prog.c
  gainsay run main.c util.c -I include -D NDEBUG
  csmith > r.c; gainsay run -I /usr/include/csmith r.c
  gcc -E prog.c | gainsay run --json - | jq .outcome";

/// Show what is installed, and what each missing tool would unlock.
#[derive(ClapArgs, Debug)]
pub struct Doctor {
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }
}
