//! Prints the program of a seed: `cargo run -p ctestgen --example print -- wild|simple SEED`.

use choice::Choices;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let make = match args.first().map(String::as_str) {
        Some("wild") => ctestgen::wild,
        Some("simple") => ctestgen::simple,
        _ => return usage(),
    };
    let Some(seed) = args.get(1).and_then(|seed| seed.parse().ok()) else {
        return usage();
    };
    let program = make(&mut Choices::new(seed));
    print!("{}", ctree::print::print_unit(&program, ctree::UnitId(0)));
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: print wild|simple SEED");
    ExitCode::from(2)
}
