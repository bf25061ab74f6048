//! Parses preprocessed files and says how long each took and why it was refused.
//!
//! `cargo run --release -p cparse --example parse -- [-q] file.i…`

use ctree::{DataModel, Program};
use std::time::Instant;

fn main() {
    let mut quiet = false;
    let (mut total, mut failed, mut bytes) = (std::time::Duration::ZERO, 0u32, 0usize);
    let mut count = 0u32;
    for path in std::env::args().skip(1) {
        if path == "-q" {
            quiet = true;
            continue;
        }
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        count += 1;
        bytes += text.len();
        let mut program = Program::new(DataModel::X86_64_SYSV);
        let start = Instant::now();
        let result = cparse::parse_unit(&mut program, &path, &text);
        let took = start.elapsed();
        total += took;
        match result {
            Ok(_) if quiet => {}
            Ok(_) => println!(
                "{path}: ok, {} bytes, {:.2} ms, {} expressions",
                text.len(),
                took.as_secs_f64() * 1e3,
                program.exprs.len()
            ),
            Err(error) => {
                failed += 1;
                let place = program.source.place(error.span);
                let at = place.map_or(String::new(), |p| format!("{}:{}:{}", p.file, p.line, p.column));
                println!("{path}: {:?}: {} [{at}]", error.kind, error.message);
            }
        }
    }
    println!(
        "{count} files, {failed} refused, {:.1} ms, {:.1} MB/s",
        total.as_secs_f64() * 1e3,
        bytes as f64 / 1e6 / total.as_secs_f64().max(1e-9)
    );
}
