//! Prints the dump of a preprocessed file's tree.

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut program = ctree::Program::new(ctree::DataModel::X86_64_SYSV);
        match cparse::parse_unit(&mut program, &path, &text) {
            Ok(unit) => print!("{}", ctree::dump::dump_unit(&program, unit)),
            Err(error) => println!("{path}: {:?}: {error}", error.kind),
        }
    }
}
