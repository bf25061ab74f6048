//! `gainsay doctor`: what is installed, and what each missing tool would unlock.

use std::fmt::Write;
use std::thread;

use anyhow::Result;
use serde_json::json;
use toolchain::catalog::{self, Known};
use toolchain::{Found, Tool, csmith_headers, find_tool};

use crate::args::Doctor;
use crate::{status, terminal};

/// Runs the command; the exit status.
pub fn main(args: &Doctor) -> Result<u8> {
    let what = "asking every tool for its version".to_string();
    let found = terminal::work(what, find_each)?.unwrap_or_default();
    let missing: Vec<&Known> =
        catalog::ALL.iter().filter(|k| found.iter().all(|f| f.tool != k.tool)).collect();
    let text = if args.json { as_json(&found, &missing)? } else { as_text(&found, &missing) };
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

/// All tools in the catalogue's order, asked at the same time: they are quick, but many.
fn find_each() -> Vec<Found> {
    thread::scope(|scope| {
        let asked: Vec<_> =
            catalog::ALL.iter().map(|known| scope.spawn(|| find_tool(known.tool))).collect();
        asked.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    })
}

fn as_text(found: &[Found], missing: &[&Known]) -> String {
    let mut text = format!("gainsay {}\n", env!("CARGO_PKG_VERSION"));
    let width = found.iter().map(|f| f.name.len()).max().unwrap_or(0);
    if !found.is_empty() {
        text.push_str("\nInstalled:\n");
    }
    for tool in found {
        let Found { name, version, path, .. } = tool;
        let _ = writeln!(text, "  {name:width$}  {version:<12}  {}", path.display());
    }
    if lacks_headers(found) {
        text.push_str("  (csmith.h is missing: apt-get install libcsmith-dev)\n");
    }
    if !missing.is_empty() {
        text.push_str("\nNot installed, and what each would unlock:\n");
    }
    for known in missing {
        let _ = writeln!(text, "  {}: {}\n      {}", known.name, known.unlocks, known.install);
    }
    text
}

fn as_json(found: &[Found], missing: &[&Known]) -> Result<String> {
    let found_list: Vec<_> = found
        .iter()
        .map(|f| {
            json!({
                "tool": f.tool.known().name, "name": f.name, "version": f.version,
                "path": f.path.to_string_lossy(), "unlocks": f.tool.known().unlocks,
            })
        })
        .collect();
    let missing: Vec<_> = missing
        .iter()
        .map(|k| json!({ "tool": k.name, "unlocks": k.unlocks, "install": k.install }))
        .collect();
    let object = json!({
        "gainsay": env!("CARGO_PKG_VERSION"),
        "installed": found_list,
        "missing": missing,
        "csmith_headers": csmith_headers().map(|dir| dir.to_string_lossy().into_owned()),
    });
    Ok(format!("{}\n", serde_json::to_string_pretty(&object)?))
}

fn lacks_headers(found: &[Found]) -> bool {
    found.iter().any(|f| f.tool == Tool::Csmith) && csmith_headers().is_none()
}
