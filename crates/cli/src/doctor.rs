//! `gainsay doctor`: which compilers a hunt would use, what else is installed, and what each
//! missing tool would unlock.

use std::fmt::Write;
use std::path::Path;
use std::thread;

use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use toolchain::catalog::{self, ToolInfo};
use toolchain::{
    Abi, Compiler, Config, InstalledTool, Language, Runner, Survey, Tool, csmith_headers,
    find_tool, is_emulated, survey,
};

use crate::{status, terminal};

/// The configuration that a hunt reads when it is told nothing else.
const CONFIG: &str = "gainsay.toml";

/// Compilers are shown by their survey, not among the tools.
const COMPILERS: [Tool; 5] = [Tool::Gcc, Tool::Clang, Tool::Tcc, Tool::Pcc, Tool::Zig];

/// Show what is installed, and what each missing tool would unlock.
#[derive(Args, Debug)]
pub struct Doctor {
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Runs the command; the exit status.
pub fn main(args: &Doctor) -> Result<u8> {
    let file = Path::new(CONFIG);
    let config = if file.is_file() { Config::read(file)? } else { Config::default() };
    // Only JSON lists the flags that each takes.
    let config = if args.json { config } else { config.without_flags() };
    let what = "trying every compiler, asking every tool for its version".to_string();
    let (found, survey) = terminal::work(what, move || look(&config))?.unwrap_or_default();
    let missing: Vec<&ToolInfo> =
        catalog::ALL.iter().filter(|k| found.iter().all(|f| f.tool != k.tool)).collect();
    let text = match args.json {
        true => as_json(&found, &missing, &survey)?,
        false => as_text(&found, &missing, &survey),
    };
    terminal::print(text.as_bytes())?;
    if found.iter().any(|f| matches!(f.tool, Tool::Gcc | Tool::Clang)) {
        return Ok(0);
    }
    terminal::complain(
        "gainsay: no C compiler is installed, and nothing much works without one; on Debian: \
         apt-get install gcc libc6-dev",
    );
    Ok(status::USAGE)
}

/// All tools in the catalogue's order, and all compilers, asked at the same time: they are quick,
/// but many.
fn look(config: &Config) -> (Vec<InstalledTool>, Survey) {
    thread::scope(|scope| {
        let asked: Vec<_> =
            catalog::ALL.iter().map(|known| scope.spawn(|| find_tool(known.tool))).collect();
        // Cross compilers too. That nothing fits is no mistake of anybody's here.
        let every = ["*".to_string()];
        let survey = survey(config, &every, Language::C, &mut |_| {}).unwrap_or_default();
        let found = asked.into_iter().flat_map(|thread| thread.join().unwrap_or_default());
        (found.collect(), survey)
    })
}

fn as_text(found: &[InstalledTool], missing: &[&ToolInfo], survey: &Survey) -> String {
    let mut text = format!("gainsay {}\n", env!("CARGO_PKG_VERSION"));
    compilers(&mut text, survey);
    let emulators: Vec<&InstalledTool> = found.iter().filter(|f| f.tool == Tool::Qemu).collect();
    let is_shown = |f: &&InstalledTool| f.tool != Tool::Qemu && !COMPILERS.contains(&f.tool);
    let tools: Vec<&InstalledTool> = found.iter().filter(is_shown).collect();
    let width = tools.iter().map(|f| f.name.len()).max().unwrap_or(0);
    if !tools.is_empty() {
        text.push_str("\nOther tools:\n");
    }
    for InstalledTool { name, version, path, .. } in tools {
        let _ = writeln!(text, "  {name:width$}  {version:<12}  {}", path.display());
    }
    if let Some(first) = emulators.first() {
        let names = emulators.iter().map(|f| f.name.trim_start_matches("qemu-"));
        let names: Vec<&str> = names.collect();
        let _ = writeln!(text, "  qemu-user {} for {}", first.version, names.join(", "));
    }
    if lacks_headers(found) {
        text.push_str("  (csmith.h is missing: apt-get install libcsmith-dev)\n");
    }
    if let Some(weakness) = sandbox::entrance_weakness() {
        let _ = writeln!(text, "\n{weakness}");
    }
    if !missing.is_empty() {
        text.push_str("\nNot installed, and what each would unlock:\n");
    }
    for known in missing {
        let _ = writeln!(text, "  {}: {}\n      {}", known.name, known.unlocks, known.install);
    }
    text
}

fn compilers(text: &mut String, survey: &Survey) {
    let width = survey.compilers.iter().map(|c| c.name.len()).max().unwrap_or(0);
    let mut list = |title: &str, emulated: bool| {
        let mut title = Some(title);
        for compiler in survey.compilers.iter().filter(|c| is_emulated(c) == emulated) {
            text.push_str(title.take().unwrap_or(""));
            let Compiler { name, version, triple, .. } = &**compiler;
            let family = family(compiler);
            let _ = write!(text, "  {name:width$}  {version:<12}  {family:<6} {triple}");
            match &compiler.runner {
                Runner::Native => {}
                Runner::Emulator(emulator) => {
                    let runner = emulator.command.first().map(Path::new);
                    let runner = runner.unwrap_or(Path::new("another emulator for some flags"));
                    let _ = write!(text, ", run by {}", runner.display());
                }
                Runner::CompileOnly => text.push_str(", only compiled with"),
            }
            text.push('\n');
        }
    };
    list("\nCompilers that a hunt uses:\n", false);
    list("\nCompilers that a hunt uses when --cc names them (emulated programs are slow):\n", true);
    if !survey.left_out.is_empty() {
        text.push_str("\nLeft out:\n");
    }
    for left in &survey.left_out {
        let _ = writeln!(text, "  {}: {}", left.name, left.why);
    }
}

fn family(compiler: &Compiler) -> String {
    let word = serde_json::to_value(compiler.family).ok();
    word.as_ref().and_then(Value::as_str).unwrap_or("other").to_string()
}

fn as_json(found: &[InstalledTool], missing: &[&ToolInfo], survey: &Survey) -> Result<String> {
    let installed = found.iter().map(|f| {
        json!({
            "tool": f.tool.known().name, "name": f.name, "version": f.version,
            "path": f.path.to_string_lossy(), "unlocks": f.tool.known().unlocks,
        })
    });
    let missing = missing
        .iter()
        .map(|k| json!({ "tool": k.name, "unlocks": k.unlocks, "install": k.install }));
    let words = |words: &[std::ffi::OsString]| -> Vec<String> {
        words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    };
    let compilers = survey.compilers.iter().map(|c| {
        json!({
            "name": c.name, "family": c.family, "version": c.version, "triple": c.triple,
            "c": words(&c.c), "cxx": c.cxx.as_deref().map(words), "runner": words(&c.runner.words(&[])),
            "abi": c.abi.map(Abi::name), "compile_only": c.runner.is_compile_only(),
            "levels": c.levels, "extras": c.extras, "lacks": c.lacks,
            "only_when_named": is_emulated(c),
        })
    });
    let object = json!({
        "gainsay": env!("CARGO_PKG_VERSION"),
        "compilers": compilers.collect::<Vec<_>>(),
        "left_out": survey.left_out,
        "installed": installed.collect::<Vec<_>>(),
        "missing": missing.collect::<Vec<_>>(),
        "csmith_headers": csmith_headers().map(|dir| dir.to_string_lossy().into_owned()),
    });
    Ok(format!("{}\n", serde_json::to_string_pretty(&object)?))
}

fn lacks_headers(found: &[InstalledTool]) -> bool {
    found.iter().any(|f| f.tool == Tool::Csmith) && csmith_headers().is_none()
}
