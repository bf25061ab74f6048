//! Wild units in the abstract machine. They are not meant to make sense when they are executed,
//! which is the point: whatever the program, the machine answers, without a panic and without
//! contradicting itself.

use choice::Choices;
use cmachine::{MachineConfig, Outcome};
use ctree::{DataModel, FuncId, Item, Program, Ty, TypeKind, UnitId};
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Loops in wild units seldom end: little fuel, and most runs end at their first undefined
/// operation anyway.
fn config() -> MachineConfig {
    MachineConfig {
        fuel: 20_000,
        stack: 1 << 20,
        call_depth: 2_000,
        output: 1 << 16,
        ..MachineConfig::default()
    }
}

/// The functions that a unit defines.
fn defined(program: &Program) -> Vec<FuncId> {
    let items = program.units.iter().flat_map(|unit| &unit.items);
    items.filter_map(|item| if let Item::Func(f) = item { Some(*f) } else { None }).collect()
}

/// An argument that lets a function live for a while: a pointer points at something.
fn argument(choices: &mut Choices, program: &Program, ty: Ty, before: &mut String) -> String {
    let name = ctree::print::print_type(program, ty);
    match *program.types.shape(ty) {
        TypeKind::Int(_) | TypeKind::Float(_) => format!("({name}){}", choices.range(-3..=200)),
        TypeKind::Pointer(to) if program.types.size_of(to).is_some() => {
            let object = format!("o{}", before.lines().count());
            let _ = writeln!(before, "static __typeof__(*({name})0) {object}[4];");
            format!("({name}){object}")
        }
        _ => {
            let object = format!("o{}", before.lines().count());
            let _ = writeln!(before, "static __typeof__({name}) {object};");
            object
        }
    }
}

/// A `main` that calls one function.
fn main_for(choices: &mut Choices, program: &Program, func: FuncId) -> String {
    let func = program.func(func);
    let mut before = String::new();
    let types = func.params.iter().map(|&p| program.var(p).ty);
    let arguments: Vec<String> =
        types.map(|ty| argument(choices, program, ty, &mut before)).collect();
    let call = format!("{}({})", program.name(func.name), arguments.join(", "));
    format!("{before}int main(void) {{ {call}; return 0; }}\n")
}

/// What went wrong, if anything.
fn execute(text: &str) -> Result<Outcome, String> {
    let ended = catch_unwind(AssertUnwindSafe(|| {
        let mut program = Program::new(DataModel::X86_64_SYSV);
        cparse::parse_unit(&mut program, "wild.c", text).map_err(|error| {
            format!("not read: {error} at {:?}", program.source.location(error.span))
        })?;
        Ok(cmachine::run(&program, &config()).outcome)
    }));
    match ended {
        Ok(Ok(Outcome::Internal(what))) => Err(format!("internal: {what}")),
        Ok(other) => other,
        Err(panic) => Err(panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()))
            .unwrap_or_else(|| "panicked".into())),
    }
}

#[test]
fn the_machine_answers_whatever_the_program() {
    let mut failures = Vec::new();
    for seed in 0..1000 {
        let program = ctestgen::wild(&mut Choices::new(seed));
        let text = ctree::print::print_unit(&program, UnitId(0));
        for func in defined(&program) {
            let mut choices = Choices::new(seed).fork("arguments");
            let main = main_for(&mut choices, &program, func);
            if let Err(what) = execute(&format!("{text}{main}")) {
                let name = program.name(program.func(func).name);
                failures.push(format!("wild {seed} {name}: {what}"));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}
