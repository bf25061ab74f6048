//! Prints the wild unit of a seed.
fn main() {
    let seed = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    let program = if std::env::args().nth(2).is_some() {
        cgen::simple(&mut choice::Choices::new(seed))
    } else {
        cgen::wild::wild(&mut choice::Choices::new(seed))
    };
    print!("{}", ctree::print::print_unit(&program, ctree::UnitId(0)));
}
