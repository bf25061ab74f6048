//! The arguments of every command, and the help that teaches them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
  gainsay gen --seed 1 -o DIR   a random program and its exact output
  gainsay mutate prog.c --show  a variant of prog.c that must print the same
  gainsay hunt --for 10m        search the installed compilers for bugs
  gainsay findings              what hunts have found; `gainsay show 3` tells one
  gainsay report 3 -o bug       a folder to send: test, report, script; --html: the whole hunt
  gainsay serve                 the same in a browser, live while a hunt is running
  gainsay check prog.c          which installed compilers are wrong about prog.c
  gainsay doctor                what is installed, and what is missing for what

`gainsay COMMAND --help` tells more.";

#[derive(Subcommand, Debug)]
pub enum Command {
    Run(Run),
    Gen(Gen),
    Hunt(Box<Hunt>),
    Findings(Findings),
    Show(Show),
    Check(Check),
    Reduce(Reduce),
    Report(Report),
    Serve(Serve),
    Recheck(Recheck),
    Suppress(Suppress),
    Smith(crate::smith::Smith),
    Mutate(crate::mutate::Mutate),
    Llvm(crate::llvm::Llvm),
    Coverage(crate::coverage::Coverage),
    Doctor(Doctor),
    Worker(crate::worker::Worker),
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

/// Generate random programs that are free of undefined behaviour, with their exact output.
///
/// Writes a header with the types, the test functions and a driver as files of their own, and the
/// output that every correct compiler's program must print, `expected`. The same seed gives the same
/// bytes on every machine.
#[derive(ClapArgs, Debug)]
#[command(after_help = GEN_HELP)]
pub struct Gen {
    /// What makes the programs.
    #[arg(long, value_enum, default_value_t = Engine::Yarp)]
    pub engine: Engine,
    /// The first program's seed.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Make this many programs, of seeds S, S+1 …, each in a folder DIR/SEED.
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// Write to this folder; it is made if it is not there.
    #[arg(short = 'o', long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// The language: C11, or C++ from C++11 to C++20.
    #[arg(long, value_enum, default_value_t = Lang::C)]
    pub lang: Lang,
    /// One file, `test.c` or `test.cpp`, in place of header, tests and driver.
    #[arg(long)]
    pub single_file: bool,
    /// The distributions of all random choices: `default`, `plain` (no GNU extensions), `small` (a fifth of the size), `paper` (the
    /// subset of C of the YARPGen paper), `none` (no generation policies), or a TOML file.
    #[arg(long, value_name = "NAME-OR-FILE", default_value = "default")]
    pub policy: String,
    /// Print the policy with what each of its names means, and stop. The text is a TOML file that
    /// --policy takes.
    #[arg(long)]
    pub explain: bool,
    /// Count what the programs contain, executed and not executed, and print a table.
    #[arg(long)]
    pub stats: bool,
    /// The program prints each value by name before its checksum, so that a mismatch names the
    /// variable.
    #[arg(long)]
    pub trace: bool,
    /// Print the statistics as one JSON object.
    #[arg(long, requires = "stats")]
    pub json: bool,
}

/// The engines that make programs.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Engine {
    /// Independent small tests, built freely and repaired by execution
    Yarp,
}

/// Languages of generated programs.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Lang {
    /// C11
    C,
    /// C++11 and later
    #[value(name = "c++", alias = "cpp", alias = "cxx")]
    Cxx,
}

const GEN_HELP: &str = "\
Examples:
  gainsay gen --seed 7 -o t && gcc -O2 t/func.c t/driver.c -o t/a && t/a | diff - t/expected
  gainsay gen --seed 1 --count 1000 -o many --lang c++
  gainsay gen --explain > my.toml; edit my.toml; gainsay gen --policy my.toml --seed 1 -o t
  gainsay gen --stats --count 1000
  gainsay gen --seed 7 --trace -o t          the same program, which prints each result by name";

/// Search compilers for bugs with programs whose exact output is known.
///
/// Makes programs, compiles each with every compiler at every level, runs them, and keeps what a
/// compiler got wrong, with a certificate that the program is valid. Goes on until Ctrl-C unless
/// told otherwise. The same folder again goes on where the last hunt ended.
#[derive(ClapArgs, Debug)]
#[command(after_help = HUNT_HELP)]
pub struct Hunt {
    /// What makes the programs; several share the time, and more goes to those that find more.
    #[arg(long, value_enum, value_name = "ENGINE", value_delimiter = ',', default_value = "yarp")]
    pub engine: Vec<HuntEngine>,
    /// Stop after this time: 90s, 10m, 1h30m, 2d.
    #[arg(long = "for", value_name = "TIME", value_parser = crate::words::duration)]
    pub time: Option<Duration>,
    /// Stop when the folder has so many tests.
    #[arg(long, value_name = "N")]
    pub tests: Option<u64>,
    /// Compilers to test: a pattern of names (`gcc*`, `clang-1[46]`), or a path with or without
    /// flags. All that work on this processor, if not given.
    #[arg(long, value_name = "PATTERN")]
    pub cc: Vec<String>,
    /// Tests at the same time; as many as there are processors, if not given.
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Where findings are kept.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_OUT)]
    pub out: PathBuf,
    /// The first seed. The folder's own where a hunt goes on, else a fresh one; it is printed.
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// The language: C11, or C++ from C++11 to C++20.
    #[arg(long, value_enum, default_value_t = Lang::C)]
    pub lang: Lang,
    /// The distributions of yarp's choices, as for `gainsay gen`.
    #[arg(long, value_name = "NAME-OR-FILE", default_value = "default")]
    pub policy: String,
    /// How likely each restriction of smith is lifted: default, crash, miscompilation, none, or a file
    /// with a line for each: its name, then the least and the greatest probability.
    #[arg(long, value_name = "NAME-OR-FILE", default_value = "default")]
    pub relax: String,
    /// Ask the sanitizers and Frama-C about a program of smith before any compiler, as far as what was
    /// relaxed calls for them, and the sanitizers about one of Csmith; otherwise they are asked when
    /// compilers disagree.
    #[arg(long)]
    pub eager: bool,
    /// Who says what a program of smith must do: the machine, or, for comparison, an unoptimised build
    /// that runs for ten seconds at most.
    #[arg(long, value_enum, default_value_t = Validate::Machine)]
    pub validate: Validate,
    /// Leave the checks around arithmetic in smith's programs that they do without.
    #[arg(long)]
    pub keep_checks: bool,
    /// Test all of smith's programs as they were drawn. Otherwise three of four lose those relaxations
    /// that would leave them without an answer.
    #[arg(long)]
    pub as_drawn: bool,
    /// Remove the calls of `safe_*` from Csmith's programs that they do without.
    #[arg(long)]
    pub relax_arith: bool,
    /// Whose programs emi derives variants from, each from one of these: yarp, smith and csmith, as far as
    /// they are here, if not given; files alone, if --from is given.
    #[arg(long, value_enum, value_name = "ENGINE", value_delimiter = ',')]
    pub mutate: Vec<HuntEngine>,
    /// The mutations of emi: fcb, tg, tcb (together: hermes), orion, athena, or all.
    #[arg(long, value_name = "NAMES", default_value = "all")]
    pub strategy: emi::Strategies,
    /// Variants that emi derives from a program, each from the last.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub variants: u32,
    /// The folder of C files for `--engine files` and emi.
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,
    /// Search this folder for headers, for the files of --from.
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// The folder of LLVM's tests for crossover, such as llvm/test/Transforms of a checkout; its seeds are kept
    /// in the hunt's folder. Or a corpus that `gainsay llvm import` made.
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// The libraries that crossover and passes test: versions (16,19) or files.
    #[arg(long, value_name = "LIBS", value_delimiter = ',', default_value = "16")]
    pub lib: Vec<String>,
    /// What crossover runs on each module, as for `opt -passes=`.
    #[arg(long, value_name = "P", default_value = "default<O3>")]
    pub passes: String,
    /// The crossovers that are made.
    #[arg(long, value_enum, value_name = "KIND", default_value_t = Mutations::Both)]
    pub mutations: Mutations,
    /// When crossover and passes verify modules: after each pass, or at the end only, which is faster. Not
    /// given: crossover after each, passes at the end, and after each once more when something fails.
    #[arg(long, value_enum, value_name = "WHEN")]
    pub verify: Option<Verify>,
    #[command(flatten)]
    pub sequences: crate::hunt::passes::Sequences,
    /// Keep findings as they are; do not reduce the first of each kind, look for the pass that is to
    /// blame and for the versions that fail. `gainsay reduce ID` does it later.
    #[arg(long)]
    pub no_reduce: bool,
    /// Compilers, flags and limits; ./gainsay.toml, if there is one and this is not given.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print one JSON object a line in place of text.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub cluster: crate::cluster::Cluster,
    /// Where the files that options name are, for a hunt that was typed on another machine.
    #[arg(skip)]
    pub elsewhere: BTreeMap<String, PathBuf>,
}

impl Hunt {
    /// Where a file that an option names is.
    pub fn here(&self, given: &Path) -> PathBuf {
        let moved = given.to_str().and_then(|name| self.elsewhere.get(name));
        moved.cloned().unwrap_or_else(|| given.to_path_buf())
    }

    /// The same of an option that takes a name or a file.
    pub fn named(&self, given: &str) -> String {
        self.here(Path::new(given)).to_string_lossy().into_owned()
    }
}

/// Where hunts keep what they find, unless told otherwise.
pub const DEFAULT_OUT: &str = "gainsay-hunt";

/// The engines of a hunt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum HuntEngine {
    /// Independent small tests, built freely and repaired by execution
    Yarp,
    /// Programs of Csmith's kind with its restrictions lifted here and there, as CsmithEdge does
    Smith,
    /// Programs of the installed Csmith
    Csmith,
    /// Your own programs: the C files of --from, one program each
    Files,
    /// Variants of programs of the others that must print the same (Hermes, Orion, Athena)
    Emi,
    /// Crossovers of LLVM's unit tests (--corpus) on the passes of libLLVM (--lib), as FLUX does
    Crossover,
    /// Sequences of passes of libLLVM (--lib) on programs of another engine (--programs), as CTOS does
    Passes,
}

/// The crossovers of two modules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Mutations {
    /// One function's body inside another's
    Inline,
    /// Both called by a new function
    Sequence,
    /// The one or the other
    Both,
}

/// When modules are verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Verify {
    /// After each pass
    Each,
    /// After the last
    End,
}

/// Who says what a program must do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Validate {
    /// The abstract machine
    Machine,
    /// An unoptimised build of one compiler
    External,
}

const HUNT_HELP: &str = "\
Exit status:
  0   this run found nothing (disputed and flaky findings do not count)
  1   it found something
  2   a mistake in the arguments, or something is missing here

Examples:
  gainsay hunt                                 all compilers, until Ctrl-C
  gainsay hunt --for 10m --cc 'gcc*'           ten minutes of every gcc
  gainsay hunt --cc 'aarch64*' --tests 100     a cross compiler, its programs in an emulator
  gainsay hunt --cc '/opt/gcc/bin/gcc -B/opt'  one that you built
  gainsay hunt --engine yarp,csmith --lang c   two engines share the time
  gainsay hunt --engine smith --relax crash    programs that may be undefined, most only compiled
  gainsay hunt --engine csmith --relax-arith   Csmith's programs without needless checks
  gainsay hunt --engine files --from tests -I include
  gainsay hunt --engine emi                    ten variants of each program of yarp, smith, csmith
  gainsay hunt --engine emi --from tests --strategy hermes --variants 20
  gainsay hunt --engine crossover --corpus llvm/test/Transforms --lib 16,19 --for 1h
  gainsay hunt --engine crossover --corpus corpus-16 --passes instcombine --mutations inline
  gainsay hunt --engine passes --lib 16,22     sequences of passes on whole programs, executed
  gainsay hunt --engine passes --programs csmith --list all --sequences-by chance
  gainsay hunt --cluster nats://head:4222      workers of other machines test: gainsay worker --join
  gainsay hunt --for 8h --json > hunt.jsonl    for scripts

With --json each line has an \"event\":
  begin     seed, language, engines, jobs, out, compilers (name, version, triple), tests so far
  finding   id, kind, standing, summary, signature, targets, right, engine, seed, seen_before
  study     id, and either tokens, lines, compiler, flags, pass, key; or failed, and why
  word      text: a worker came or went, a test was set aside (--cluster)
  progress  every ten seconds: elapsed_s, tests, tests_now, findings by kind, distinct, disputed,
            flaky, skipped by reason, unanswered by reason (compiled, not run), checks (all, removed),
            variants (besides the tests),
            cpu_s (generate, compile, run, validate, own, others),
            targets (right, failed, flaky, not_for_it), engines (tests, distinct, used, due)
  end       the same, with ended: time, tests, interrupted or failed, and why";

/// List what hunts have found.
///
/// One line for each bug: findings that were reduced and have the same cause, or that have the same
/// signature. The rarest are first among bugs of a kind, suppressed ones are counted at the end.
#[derive(ClapArgs, Debug)]
#[command(after_help = FINDINGS_HELP)]
pub struct Findings {
    /// The folder of the hunt.
    #[arg(value_name = "DIR", default_value = DEFAULT_OUT)]
    pub dir: PathBuf,
    /// Only this kind: wrong-output, runtime-crash, runtime-hang, compiler-crash, compiler-hang,
    /// compiler-memory, rejection, sanitizer-miss or disagreement.
    #[arg(long, value_name = "KIND", value_parser = crate::findings::kind)]
    pub kind: Option<oracle::FailureKind>,
    /// Every finding on a line of its own.
    #[arg(long)]
    pub all: bool,
    /// Print one JSON object for each finding.
    #[arg(long)]
    pub json: bool,
}

const FINDINGS_HELP: &str = "\
Examples:
  gainsay findings
  gainsay findings --kind wrong-output --all
  gainsay findings --json | jq -s 'group_by(.key) | map({key: .[0].key, n: length})'
  gainsay findings my-hunt --json | jq -r .signature | sort | uniq -c";

/// Tell one finding, ready to be pasted into a bug tracker.
#[derive(ClapArgs, Debug)]
#[command(after_help = SHOW_HELP)]
pub struct Show {
    /// Its number, as `gainsay findings` lists it.
    #[arg(value_name = "ID")]
    pub id: i64,
    /// The folder of the hunt.
    #[arg(value_name = "DIR", default_value = DEFAULT_OUT)]
    pub dir: PathBuf,
    /// Write the program, its expected output and everything else that was kept to this folder; a
    /// reduced program goes to `reduced` in it.
    #[arg(short = 'o', long, value_name = "OUTDIR")]
    pub output: Option<PathBuf>,
    /// Print the program too.
    #[arg(long)]
    pub source: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

const SHOW_HELP: &str = "\
Examples:
  gainsay show 3
  gainsay show 3 -o bug && cd bug      then type the commands it tells
  gainsay show 3 my-hunt --json | jq .commands";

/// Say which compilers are wrong about a program.
///
/// The abstract machine executes the program first. If it has one defined result, every compiler
/// at every level must give it.
#[derive(ClapArgs, Debug)]
#[command(after_help = CHECK_HELP)]
pub struct Check {
    /// C files of one program.
    #[arg(required = true, value_name = "FILE.c")]
    pub files: Vec<PathBuf>,
    /// Search this folder for headers.
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Define a macro.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Compilers to compare, as for `gainsay hunt`.
    #[arg(long, value_name = "PATTERN")]
    pub cc: Vec<String>,
    /// Compilers, flags and limits; ./gainsay.toml, if there is one and this is not given.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

const CHECK_HELP: &str = "\
Exit status:
  0        every compiler gives the one right result
  1        one of them does not
  65 - 67  the program has no result to compare with, as `gainsay run` tells
  2        a file is missing or is not C, or there is no compiler

Examples:
  gainsay check prog.c
  gainsay check main.c util.c -I include -D NDEBUG --cc 'gcc*' --cc tcc";

/// Make a failing program small, and keep it failing and valid.
///
/// Every candidate is executed by the abstract machine before a compiler sees it: what has no
/// defined result is never tried. A crash stays the same crash; wrong code stays wrong where it was
/// wrong and right where it was right. Ctrl-C keeps the best so far.
#[derive(ClapArgs, Debug)]
#[command(after_help = REDUCE_HELP)]
pub struct Reduce {
    /// The number of a finding, a folder as `gainsay show -o` writes it, or C files of one program.
    #[arg(required = true, value_name = "ID | DIR | FILE.c")]
    pub what: Vec<PathBuf>,
    /// A script that exits with 0 for what must stay, as for C-Reduce. It runs in a folder with a
    /// copy of the file.
    #[arg(long, value_name = "SCRIPT")]
    pub test: Option<PathBuf>,
    /// Write the result to this file; for a finding, to this folder. Without it a file goes to
    /// standard output, and a finding stays in the hunt's folder.
    #[arg(short = 'o', long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Compilers, as for `gainsay hunt`.
    #[arg(long, value_name = "PATTERN")]
    pub cc: Vec<String>,
    /// Candidates at the same time; as many as there are processors, if not given.
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Stop after this time with the best so far: 90s, 10m.
    #[arg(long = "for", value_name = "TIME", value_parser = crate::words::duration)]
    pub time: Option<Duration>,
    /// Let another reducer go on with the result of --test.
    #[arg(long, value_enum, value_name = "TOOL", requires = "test")]
    pub finish: Option<Finisher>,
    /// Search this folder for headers.
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// The folder of the hunt, for the number of a finding.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_OUT)]
    pub out: PathBuf,
    /// Compilers, flags and limits; ./gainsay.toml, if there is one and this is not given.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print one JSON object in place of text.
    #[arg(long)]
    pub json: bool,
}

/// Reducers that can go on where ours ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Finisher {
    /// C-Vise, with our check that the program is valid before its script
    Cvise,
}

const REDUCE_HELP: &str = "\
Exit status:
  0   reduced
  1   the failure does not show, or the program cannot be used
  2   a mistake in the arguments, or something is missing here

Examples:
  gainsay reduce 3                             a finding, with blame and versions; see `show 3`
  gainsay reduce crash.c --cc gcc-12 -o small.c
  gainsay reduce big.c --test ./interesting.sh -o small.c
  gainsay reduce big.c --test ./interesting.sh --finish cvise
  gainsay reduce bad.ll --test ./interesting.sh    LLVM IR, by llvm-reduce where it is installed";

/// Write a finding as a bug report, or a whole hunt as a page.
///
/// A report is a folder: the test, `report.md` for a bug tracker, `reproduce.sh`, which says whether
/// the bug is there, and the original program. A page is one file that any browser shows.
#[derive(ClapArgs, Debug)]
#[command(after_help = REPORT_HELP)]
pub struct Report {
    /// The number of a finding, as `gainsay findings` lists it.
    #[arg(value_name = "ID", required_unless_present = "html", conflicts_with = "html")]
    pub id: Option<i64>,
    /// One HTML page on the whole hunt.
    #[arg(long)]
    pub html: bool,
    /// The folder of the report, or the file of the page.
    #[arg(short = 'o', long, value_name = "PATH", required = true)]
    pub output: PathBuf,
    /// The folder of the hunt.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_OUT)]
    pub out: PathBuf,
    /// Compilers, flags and limits; ./gainsay.toml, if there is one and this is not given.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

const REPORT_HELP: &str = "\
Examples:
  gainsay reduce 3 && gainsay report 3 -o bug && bug/reproduce.sh
  bug/reproduce.sh gcc-13                      is it there too?
  gainsay report --html --out my-hunt -o hunt.html";

/// Show a hunt in a web browser, live while it runs.
///
/// Overview, list and findings, read-only; Ctrl-C ends it. On another address than this machine's own
/// (127.0.0.1) a browser must know a token: yours, or one that is made and printed with the address. What is sent is not
/// encrypted: over a network that is not yours, use `ssh -L 4270:127.0.0.1:4270 HOST` in place of --listen.
#[derive(ClapArgs, Debug)]
#[command(after_help = SERVE_HELP)]
pub struct Serve {
    /// The folder of the hunt.
    #[arg(value_name = "DIR", default_value = DEFAULT_OUT, conflicts_with = "cluster")]
    pub dir: PathBuf,
    /// In place of a folder: the hunt that somebody coordinates over these NATS servers, for as long as it runs.
    #[arg(long, value_name = "nats://HOST:PORT", value_delimiter = ',', help_heading = "NATS")]
    pub cluster: Vec<String>,
    #[command(flatten)]
    pub nats: crate::cluster::Nats,
    /// Where to listen; port 0 is any that is free.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4270")]
    pub listen: std::net::SocketAddr,
    /// What a browser must know: at least 16 letters and digits.
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
    /// Open it in the browser.
    #[arg(long)]
    pub open: bool,
}

const SERVE_HELP: &str = "\
Examples:
  gainsay hunt & gainsay serve --open          watch a hunt
  gainsay serve my-hunt --listen 127.0.0.1:0   on any free port
  gainsay serve --cluster nats://host:4222     a hunt on many machines, from any of them
  gainsay serve --listen 0.0.0.0:4270          for others too, who know the token that is printed
  curl -H 'Authorization: Bearer TOKEN' http://host:4270/finding/3/report.zip -o bug.zip";

/// Try findings again with the compilers of today.
///
/// Takes one finding for each bug, its reduced program where there is one, and compiles it with what
/// failed and with other versions of that. What came of it is kept and listed by `gainsay findings`.
#[derive(ClapArgs, Debug)]
#[command(after_help = RECHECK_HELP)]
pub struct Recheck {
    /// Numbers of findings; one for each bug, if none is given.
    #[arg(value_name = "ID", conflicts_with = "all")]
    pub ids: Vec<i64>,
    /// Every finding, disputed ones too.
    #[arg(long)]
    pub all: bool,
    /// The folder of the hunt.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_OUT)]
    pub out: PathBuf,
    /// Compilers to ask, as for `gainsay hunt`; those that failed and their other versions, if not
    /// given.
    #[arg(long, value_name = "PATTERN")]
    pub cc: Vec<String>,
    /// Compilers, flags and limits; ./gainsay.toml, if there is one and this is not given.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print one JSON object for each finding that is tried.
    #[arg(long)]
    pub json: bool,
}

const RECHECK_HELP: &str = "\
Exit status:
  0   none of them fails any more, as far as can be told
  1   some still fail
  2   a mistake in the arguments, or something is missing here

Examples:
  gainsay recheck
  gainsay recheck 3 7 --out my-hunt
  gainsay recheck --cc ./build/bin/clang --json | jq 'select(.verdict == \"fixed\")'";

/// Do not show bugs that are known already.
///
/// A pattern is a key or a signature, in which `*` stands for anything. Findings that fit are still
/// recorded and counted, but they are not reduced, and `gainsay findings` only counts them.
#[derive(ClapArgs, Debug)]
#[command(after_help = SUPPRESS_HELP)]
pub struct Suppress {
    /// What keys or signatures must be.
    #[arg(value_name = "PATTERN", required_unless_present_any = ["list", "remove"], requires = "reason",
          conflicts_with_all = ["list", "remove"])]
    pub pattern: Option<String>,
    /// Why: the number of the bug in a tracker, for example.
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// List what is suppressed, and how many findings that is.
    #[arg(long, conflicts_with = "remove")]
    pub list: bool,
    /// Take a suppression back.
    #[arg(long, value_name = "PATTERN")]
    pub remove: Option<String>,
    /// The folder of the hunt.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_OUT)]
    pub out: PathBuf,
}

const SUPPRESS_HELP: &str = "\
Examples:
  gainsay suppress 'compiler-crash gcc in gimplify_expr*' --reason 'GCC PR 12345'
  gainsay suppress --list
  gainsay suppress --remove 'compiler-crash gcc in gimplify_expr*'";

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
