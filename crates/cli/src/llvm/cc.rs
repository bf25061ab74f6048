//! `gainsay llvm cc`: a C compiler made of clang's front end, passes of any libLLVM, and its code generator.
//!
//! Findings of pass sequences that are C programs are reduced and shown with it: everything that works with a
//! compiler works with a sequence of passes.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use clap::Args as ClapArgs;
use llvmhost::{Limits, Running, Server};
use optimise::verdict::Verdict;
use optimise::work::{Answer, Item, Pipeline};
use sandbox::{Ended, Run, Scratch, Status};

use super::{Library, tame};

/// Compile C with passes of your choice of any libLLVM
///
/// clang makes LLVM IR of the files without optimising it, the files become one module, the passes run, and
/// the library's own code generator makes the object. WORDS are those of a C compiler: files, -o, -c, -I,
/// -D, -std, -l …, and -passes=P, which may come several times. With -O1 and above clang writes the IR as
/// for that level (with lifetimes and types of accesses), but does not optimise it either.
#[derive(ClapArgs, Debug)]
#[command(after_long_help = HELP)]
pub struct Cc {
    #[command(flatten)]
    pub library: Library,
    /// The clang that reads C; it must not be newer than the library.
    #[arg(long, value_name = "CLANG")]
    pub clang: Option<PathBuf>,
    /// As for a C compiler.
    #[arg(
        value_name = "WORDS",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        required = true
    )]
    pub words: Vec<OsString>,
}

const HELP: &str = "\
Exit status:
  0   compiled
  1   clang refuses the program, or LLVM fails on it; standard error says how
  2   there is no such library, pass or clang

Examples:
  gainsay llvm cc --lib 16 -O0 '-passes=function(sroa),function(gvn)' prog.c -o program
  gainsay llvm cc --lib 16 -O2 '-passes=default<O3>' main.c util.c -I include -lm -o program";

/// Words sorted.
#[derive(Debug, Default)]
struct Words {
    passes: Vec<String>,
    files: Vec<PathBuf>,
    output: Option<PathBuf>,
    compile_only: bool,
    optimising: bool,
    front: Vec<OsString>,
    linker: Vec<OsString>,
}

fn sort(words: &[OsString]) -> Result<Words> {
    let mut sorted = Words::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        if let Some(passes) = text.strip_prefix("-passes=") {
            sorted.passes.extend((!passes.is_empty()).then(|| passes.to_string()));
        } else if text == "-o" {
            let name = rest.next().ok_or_else(|| anyhow!("-o without a name"))?;
            sorted.output = Some(name.into());
        } else if let Some(name) = text.strip_prefix("-o") {
            sorted.output = Some(name.into());
        } else if text == "-c" {
            sorted.compile_only = true;
        } else if text.starts_with("-l") || text.starts_with("-L") || text.starts_with("-Wl,") {
            sorted.linker.push(word.clone());
        } else if matches!(&*text, "-I" | "-D" | "-U" | "-include" | "-isystem" | "-x") {
            sorted.front.push(word.clone());
            sorted.front.extend(rest.next().cloned());
        } else if text.starts_with("-O") {
            sorted.optimising = text != "-O0";
        } else if text.starts_with('-') {
            sorted.front.push(word.clone());
        } else {
            sorted.files.push(word.into());
        }
    }
    if sorted.files.is_empty() {
        bail!("no files to compile");
    }
    Ok(sorted)
}

/// Runs the command.
pub fn main(args: &Cc) -> Result<u8> {
    let words = sort(&args.words)?;
    let limits = args.library.limits();
    let (found, mut server) = args.library.serve_found()?;
    let clang = match &args.clang {
        Some(clang) => clang.clone(),
        None => campaign::front::clang_for(found.major).map_err(|e| anyhow!(e))?,
    };
    let scratch = Scratch::new()?;
    let is_source = |file: &&PathBuf| {
        matches!(file.extension().and_then(OsStr::to_str), Some("c" | "i" | "bc" | "ll"))
    };
    let (sources, others): (Vec<&PathBuf>, Vec<&PathBuf>) = words.files.iter().partition(is_source);
    if words.compile_only && sources.is_empty() {
        bail!("no files to compile");
    }
    let mut modules = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let bitcode = scratch.path().join(format!("{number}.bc"));
        let run = Run::new(&clang, args.library.timeout.max(Duration::from_secs(60)))
            .args(campaign::front::clang_arguments(words.optimising))
            .args(&words.front)
            .arg(source)
            .arg("-o")
            .arg(&bitcode);
        if !passed(run, &clang)? {
            return Ok(1);
        }
        modules.push(fs::read(&bitcode)?);
    }
    let object = scratch.path().join("whole.o");
    let mut linked: Vec<&Path> = others.iter().map(|file| file.as_path()).collect();
    if !modules.is_empty() {
        let Some(code) = compile(&mut server, modules, &words.passes, limits)? else {
            return Ok(1);
        };
        fs::write(&object, code)?;
        linked.insert(0, &object);
    }
    // As compilers name them.
    let usual = || match sources.first().and_then(|source| source.file_stem()) {
        Some(stem) if words.compile_only => Path::new(stem).with_extension("o"),
        _ => "a.out".into(),
    };
    let output = words.output.clone().unwrap_or_else(usual);
    if words.compile_only {
        fs::copy(&object, &output)?;
        return Ok(0);
    }
    let run = Run::new(&clang, Duration::from_secs(60));
    let run = run.args(linked).arg("-o").arg(&output).args(&words.linker);
    Ok(u8::from(!passed(run, &clang)?))
}

/// The object of modules after the passes; `None` after a word on how LLVM failed.
fn compile(
    server: &mut Server,
    mut modules: Vec<Vec<u8>>,
    passes: &[String],
    limits: Limits,
) -> Result<Option<Vec<u8>>> {
    let mut ask = |item: Item| -> Result<Verdict> {
        let ran = server.run(vec![item.bytes()], limits, false)?;
        let ran = ran.first().ok_or_else(|| anyhow!("the server did nothing"))?;
        Ok(Verdict::of(ran))
    };
    let module = match modules.len() {
        1 => modules.remove(0),
        _ => match ask(Item::Link { modules })? {
            Verdict::Fine(Answer::Object(whole)) => whole,
            Verdict::Refused(words) => {
                eprintln!("gainsay: {}", tame(&words));
                return Ok(None);
            }
            other => bail!("the files do not make one program: {other:?}"),
        },
    };
    let running = Running { verify_each: true, log: false };
    let pipeline = Pipeline::of(passes.join(","), running);
    match ask(Item::Execute { module, pipeline, allowance: None })? {
        Verdict::Fine(Answer::Object(object)) => Ok(Some(object)),
        Verdict::Fault(signature) => {
            // The words by which compilers' crashes are known.
            eprintln!("fatal error: error in backend: {}", signature.summary);
            eprintln!("PLEASE submit a bug report\nStack dump:\n{}", signature.key);
            Ok(None)
        }
        Verdict::Refused(words) => bail!("{}", tame(&words)),
        other => bail!("a bug of ours, please report it: {other:?}"),
    }
}

/// Whether a command of clang's ended well; what it complained of is told.
fn passed(run: Run, clang: &Path) -> Result<bool> {
    match run.finish() {
        Ended::NotStarted(error) => bail!("{} cannot be started: {error}", clang.display()),
        Ended::Killed(why, _) => bail!("{} was stopped: {why:?}", clang.display()),
        Ended::Finished(finished) => {
            eprint!("{}", finished.stderr.text());
            Ok(finished.status == Status::Exit(0))
        }
    }
}
