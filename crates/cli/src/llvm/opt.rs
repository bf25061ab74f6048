//! `gainsay llvm opt`: one file through a pipeline, as `opt` would, and what became of it.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args as ClapArgs;
use llvmhost::{Fault, Running};
use optimise::verdict::{Verdict, judge};
use optimise::work::{Answer, Item, Pipeline, stage};
use serde_json::json;

use super::{Library, tame};

/// Run passes of any libLLVM on a module
///
/// FILE is LLVM IR, text or bitcode. The module is verified before, after each pass and at the end. The
/// machine is that of the module's triple, or x86-64.
#[derive(ClapArgs, Debug)]
#[command(after_long_help = HELP)]
pub struct Opt {
    /// The module; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub library: Library,
    /// What to run, as for `opt -passes=`.
    #[arg(long, value_name = "P", default_value = "default<O3>")]
    pub passes: String,
    /// Give a module without a triple no machine, as `opt` does; else it is one for x86-64.
    #[arg(long)]
    pub no_target: bool,
    /// Verify at the end only: faster, and nobody is blamed.
    #[arg(long)]
    pub no_verify_each: bool,
    /// Write the result here in place of standard output.
    #[arg(short = 'o', long, value_name = "OUT.ll")]
    pub output: Option<PathBuf>,
    /// For reducers: exit with 0 if this signature shows, with 1 if not
    #[arg(long, value_name = "SIGNATURE")]
    pub expect: Option<String>,
    /// Print one JSON object in place of the module.
    #[arg(long)]
    pub json: bool,
}

const HELP: &str = "\
Exit status:
  0   the result is valid and was printed
  1   LLVM crashed, hung or made invalid IR; standard error says how, and which pass if it is known
  2   the file is no valid module, there is no such pass, or no such library

Examples:
  gainsay llvm opt test.ll --lib 16
  gainsay llvm opt test.ll --passes 'function(instcombine,gvn)' -o out.ll
  gainsay llvm opt test.ll --lib /usr/lib/x86_64-linux-gnu/libLLVM-16.so.1 --json";

/// Bytes of a module. No real one comes near, and memory is not without end.
const LARGEST: u64 = 256 << 20;

/// Runs the command.
pub fn main(args: &Opt) -> Result<u8> {
    if args.passes.trim().is_empty() {
        bail!("--passes names no pass");
    }
    let (bytes, name) = read(&args.file)?;
    let mut server = args.library.serve()?;
    let running = Running { verify_each: !args.no_verify_each, log: false };
    let pipeline = Pipeline::of(&args.passes, running);
    let module = bytes;
    let item = Item::Optimise { module, name, pipeline, x86: !args.no_target, print: true };
    let (verdict, ran) = judge(&mut server, &item, args.library.limits())?;
    let signature = match verdict {
        Verdict::Trouble(words) => bail!("a bug of ours, please report it: {words}"),
        Verdict::Refused(words) => bail!("{}: {}", args.file.display(), tame(&words)),
        Verdict::Fine(Answer::Fine(text)) => return fine(args, &server.release, &text),
        Verdict::Fine(answer) => bail!("a bug of ours, please report it: {answer:?}"),
        Verdict::Fault(signature) => signature,
    };
    if let Some(expected) = &args.expect {
        return Ok(u8::from(*expected != signature.key));
    }
    if args.json {
        print_json(&json!({
            "outcome": signature.fault,
            "llvm": server.release,
            "passes": args.passes,
            "signature": signature.key,
            "summary": signature.summary,
            "pass": signature.pass,
            "while": if ran.stage < stage::PASSES { "reading" } else { "optimising" },
            "frames": ran.end.crash().map(|crash| crash.frames.iter().map(llvmhost::Frame::name).collect::<Vec<_>>()),
            "printed": ran.end.crash().map(|crash| crash.printed.clone()),
        }))?;
        return Ok(1);
    }
    let mut err = io::stderr().lock();
    writeln!(err, "gainsay: LLVM {}: {}", server.release, signature.summary)?;
    if ran.stage < stage::PASSES {
        writeln!(err, "  it happened while the file was read")?;
    }
    if signature.fault == Fault::InvalidIr {
        for line in ran.end.crash().map_or(Vec::new(), llvmhost::Crash::complaint).iter().take(20) {
            writeln!(err, "  {}", llvmhost::printable(line, 200))?;
        }
    } else if let Some(crash) = ran.end.crash() {
        for frame in crash.frames.iter().take(20) {
            writeln!(err, "  at {}", frame.name())?;
        }
    }
    if let Some(pass) = &signature.pass {
        writeln!(err, "  pass: {pass}")?;
    }
    writeln!(err, "  signature: {}", signature.key)?;
    Ok(1)
}

fn fine(args: &Opt, release: &str, text: &str) -> Result<u8> {
    if args.expect.is_some() {
        return Ok(1);
    }
    if args.json {
        let module = args.output.is_none().then_some(text);
        print_json(&json!({
            "outcome": "fine", "llvm": release, "passes": args.passes, "module": module,
        }))?;
    }
    match &args.output {
        Some(path) => fs::write(path, text).with_context(|| path.display().to_string())?,
        None if !args.json => io::stdout().write_all(text.as_bytes())?,
        None => {}
    }
    Ok(0)
}

fn print_json(value: &serde_json::Value) -> Result<()> {
    writeln!(io::stdout(), "{value}")?;
    Ok(())
}

/// The module's bytes and its name.
pub fn read(file: &Path) -> Result<(Vec<u8>, String)> {
    let (from, name): (Box<dyn io::Read>, String) = match file.as_os_str() == "-" {
        true => (Box::new(io::stdin()), "<stdin>".to_string()),
        false => {
            let opened =
                File::open(file).with_context(|| format!("{} cannot be read", file.display()))?;
            (Box::new(opened), file.display().to_string())
        }
    };
    let mut bytes = Vec::new();
    // One more, to know that there is more. Not every file has an end.
    let read = from.take(LARGEST + 1).read_to_end(&mut bytes);
    read.with_context(|| format!("{name} cannot be read"))?;
    if bytes.len() as u64 > LARGEST {
        bail!("{name} is too large: at most {} MiB are taken", LARGEST >> 20);
    }
    Ok((bytes, name))
}
