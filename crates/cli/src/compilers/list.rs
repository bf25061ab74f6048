//! The list of what is here: compilers and libraries, each with its version, checks and uses.

use anyhow::Result;
use clap::Args;
use llvmhost::Installed;
use serde::Serialize;
use toolchain::added::{self, Added};
use toolchain::{Compiler, Config, Language, LeftOut, Survey, is_emulated, survey};

use crate::{human, terminal};

/// Arguments of the list.
#[derive(Args, Debug)]
pub struct List {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A line of it.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    version: String,
    /// The machine that a compiler is for; the targets of a library.
    triple: String,
    /// Internal checks, as far as they are known.
    checks: Option<String>,
    uses: &'static str,
    /// The folder it was added in; `None` for what is the system's.
    folder: Option<String>,
    path: String,
}

/// All of it.
#[derive(Debug, Serialize)]
struct Everything {
    compilers: Vec<Row>,
    libraries: Vec<Row>,
    left_out: Vec<LeftOut>,
    added: Vec<AddedFolder>,
}

#[derive(Debug, Serialize)]
struct AddedFolder {
    folder: String,
    source: String,
    packages: Vec<String>,
    bytes: u64,
}

/// Runs the command; the exit status.
pub fn main(args: &List) -> Result<u8> {
    let what = "trying every compiler".to_string();
    let everything = terminal::work(what, look)?;
    let Some(everything) = everything else { anyhow::bail!("the list could not be made") };
    let text = match args.json {
        true => format!("{}\n", serde_json::to_string_pretty(&everything)?),
        false => as_text(&everything),
    };
    terminal::print(text.as_bytes())?;
    Ok(0)
}

fn look() -> Everything {
    let all = added::all();
    // Cross compilers too. That nothing fits is no mistake of anybody's here.
    let every = ["*".to_string()];
    let Survey { compilers, left_out } =
        survey(&Config::default().without_flags(), &every, Language::C, &mut |_| {})
            .unwrap_or_default();
    Everything {
        compilers: compilers.iter().map(|compiler| of_compiler(compiler, &all)).collect(),
        libraries: Installed::all().iter().map(|library| of_library(library, &all)).collect(),
        left_out,
        added: all.iter().map(AddedFolder::of).collect(),
    }
}

impl AddedFolder {
    fn of(added: &Added) -> AddedFolder {
        let package = |p: &added::AddedPackage| format!("{} {}", p.name, p.version).trim().into();
        AddedFolder {
            folder: added.id.clone(),
            source: added.source.clone(),
            packages: added.packages.iter().map(package).collect(),
            bytes: added.bytes,
        }
    }
}

/// The folder that a file was added in.
fn folder_of(path: &str, all: &[Added]) -> Option<String> {
    let is_below = |added: &&Added| std::path::Path::new(path).starts_with(added.folder());
    all.iter().find(is_below).map(|added| added.id.clone())
}

fn of_compiler(compiler: &Compiler, all: &[Added]) -> Row {
    let path = compiler.c.first().map(|word| word.to_string_lossy().into_owned());
    let path = path.unwrap_or_default();
    Row {
        name: compiler.name.clone(),
        version: compiler.version.clone(),
        triple: compiler.triple.clone(),
        checks: compiler.checks.clone(),
        uses: if is_emulated(compiler) { "hunts with --cc" } else { "hunts, versions" },
        folder: folder_of(&path, all),
        path,
    }
}

fn of_library(library: &Installed, all: &[Added]) -> Row {
    let path = library.path.display().to_string();
    let usual = ["X86", "AArch64"];
    let known = usual.iter().filter(|name| library.targets.iter().any(|own| own == *name));
    let known: Vec<&str> = known.copied().collect();
    let more = library.targets.len() - known.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let name =
        if library.is_default { library.major.to_string() } else { library.version_and_build() };
    Row {
        name: format!("libLLVM {name}"),
        version: library.release(),
        triple: known.join(", ") + &more,
        checks: library.assertions.then(|| "+assertions".into()),
        uses: "crossover, passes, verify, versions",
        folder: folder_of(&path, all),
        path,
    }
}

fn as_text(everything: &Everything) -> String {
    let Everything { compilers, libraries, left_out, added } = everything;
    let mut text = String::new();
    let head = ["", "version", "for", "checks", "used in", "from"].map(String::from);
    for (title, rows) in [("compiler", compilers), ("library", libraries)] {
        if rows.is_empty() {
            continue;
        }
        let mut head = head.clone();
        head[0] = title.into();
        let cells = rows.iter().map(|row| {
            let from = row.folder.clone().unwrap_or_else(|| row.path.clone());
            let checks = row.checks.clone().unwrap_or_default();
            [&row.name, &row.version, &row.triple, &checks, &row.uses.to_string(), &from]
                .map(String::clone)
        });
        let rows: Vec<[String; 6]> = std::iter::once(head).chain(cells).collect();
        text += &human::aligned(&rows);
        text.push('\n');
    }
    for LeftOut { name, why, .. } in left_out {
        text += &format!("left out: {name}: {why}\n");
    }
    for AddedFolder { folder, source, packages, bytes } in added {
        let (packages, size) = (packages.join(", "), human::megabytes(*bytes));
        text += &format!("{folder}: {packages}, from {source}, {size}\n");
    }
    text + "\nMore of them: gainsay compilers add --help\n"
}
