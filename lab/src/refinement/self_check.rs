//! The IR machine against real execution: `cargo lab refine self-check`.
//!
//! A function of LLVM's tests is called by a `main` of ours with constants, compiled by LLVM without any pass,
//! and executed. Where the machine says that the result is defined, the code must give it, and leave in
//! memory what the machine says.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use crossover::import::files;
use irmachine::input::{Datum, Input, InputByte, Place, Scalar};
use irmachine::{Exact, Limits as Bounds};
use irtext::layout::Layout;
use irtext::{Cast, Function, Module, Op, Type};
use llvmhost::{Allowance, Executed, ExecutionEnd, Limits, Running, Server};
use optimise::locate::{OnText, Optimiser as _};
use optimise::verdict::Verdict;
use optimise::work::{Answer, Item, Pipeline};

use crate::context::Context;
use crate::pool;
use crate::refinement;

/// Arguments.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// LLVM's tests, such as llvm/test/Transforms of a checkout.
    #[arg(long, value_name = "DIR")]
    tests: PathBuf,
    /// Which libLLVM compiles and executes.
    #[arg(long, default_value = "16")]
    lib: String,
    /// Functions to look at, at least.
    #[arg(long, default_value_t = 500)]
    functions: usize,
    /// Inputs of each that have a defined result.
    #[arg(long, default_value_t = 8)]
    inputs: usize,
}

/// What came of a function.
enum FunctionOutcome {
    /// It was executed on so many inputs, and every result was ours.
    Agrees(usize),
    /// A result was not.
    Differs(String),
    /// There was nothing to compare: why.
    Aside(&'static str),
}

/// Runs the command; an error if any result differs.
pub fn main(context: &Context, args: &Args) -> Result<()> {
    let mut tests = files(&args.tests).with_context(|| args.tests.display().to_string())?;
    tests.sort();
    // Spread over the suite: some functions of each of many files.
    let step = (tests.len() / (2 * args.functions).max(1)).max(1);
    let tests: Vec<PathBuf> = tests.into_iter().step_by(step).collect();
    let (library, servers) = refinement::servers(context, &args.lib)?;
    let seen =
        pool::map("test files", &tests, |file| servers.with(|server| one_file(file, server, args)));
    let (mut functions, mut inputs, mut wrong) = (0, 0, Vec::new());
    let mut aside: BTreeMap<&str, usize> = BTreeMap::new();
    for (file, seen) in tests.iter().zip(seen) {
        for (name, seen) in seen.map_err(|e| anyhow!(e))? {
            match seen {
                FunctionOutcome::Agrees(executed) => {
                    functions += 1;
                    inputs += executed;
                }
                FunctionOutcome::Differs(how) => {
                    wrong.push(format!("{} @{name}: {how}", file.display()))
                }
                FunctionOutcome::Aside(why) => *aside.entry(why).or_default() += 1,
            }
        }
    }
    println!("LLVM {}: {functions} functions on {inputs} inputs agree", library.major);
    for (why, count) in &aside {
        println!("  {count} aside: {why}");
    }
    for line in &wrong {
        println!("DIFFERS {line}");
    }
    match (wrong.len(), functions >= args.functions) {
        (0, true) => Ok(()),
        (0, false) => bail!("fewer than {} functions could be compared", args.functions),
        (wrong, _) => bail!("{wrong} results differ"),
    }
}

fn one_file(file: &Path, server: &mut Server, args: &Args) -> Vec<(String, FunctionOutcome)> {
    let Ok(text) = fs::read_to_string(file) else { return Vec::new() };
    let limits = Limits { time: Duration::from_secs(10), ..Limits::default() };
    let Some(text) = OnText { server, limits, x86: true }.run(&text, "verify") else {
        return Vec::new();
    };
    let Ok((module, _)) = irtext::parse_lenient(&text) else { return Vec::new() };
    let named = module.functions.iter().filter(|f| f.is_defined() && f.name.is_some());
    named
        .map(|function| {
            let name = function.name.as_deref().unwrap_or_default();
            (name.to_string(), one_function(&module, &text, function, server, args))
        })
        .collect()
}

fn one_function(
    module: &Module,
    text: &str,
    function: &Function,
    server: &mut Server,
    args: &Args,
) -> FunctionOutcome {
    let name = function.name.as_deref().unwrap_or_default();
    let own = |f: &Function| {
        let library = |name: &str| name == "main" || irmachine::is_library(name);
        f.is_defined() && f.name.as_deref().is_some_and(library)
    };
    if module.functions.iter().any(own) || module.function("write").is_some() {
        return FunctionOutcome::Aside("a function of the library is the module's own");
    }
    let bounds = Bounds::default();
    let mut drivers = Vec::new();
    for input in irmachine::inputs(module, name, &bounds) {
        let Some(exact) = irmachine::evaluate(module, name, &input, &bounds) else { continue };
        let Some(driver) = driver(module, function, &input) else { continue };
        drivers.push((input, exact, driver));
        if drivers.len() == args.inputs {
            break;
        }
    }
    if drivers.is_empty() {
        return FunctionOutcome::Aside("no input with a defined result");
    }
    let items = drivers.iter().map(|(_, _, driver)| {
        let pipeline = Pipeline::of("", Running { verify_each: false, log: false });
        let allowance = Some(Allowance { time: Duration::from_secs(2), output: 1 << 16 });
        let module = format!("{text}\n{}", driver.text).into_bytes();
        Item::Execute { module, pipeline, allowance }.bytes()
    });
    let limits = Limits { time: Duration::from_secs(10), ..Limits::default() };
    let Ok(ran) = server.run(items.collect(), limits, false) else {
        return FunctionOutcome::Aside("the server is gone");
    };
    let mut agrees = 0;
    for ((input, exact, driver), ran) in drivers.iter().zip(&ran) {
        match Verdict::of(ran) {
            Verdict::Fine(Answer::Executed(Executed { how: ExecutionEnd::Status(0), stdout })) => {
                match driver.differs(exact, &stdout) {
                    None => agrees += 1,
                    Some(how) => return FunctionOutcome::Differs(format!("{input}: {how}")),
                }
            }
            Verdict::Fine(Answer::Executed(Executed {
                how: ExecutionEnd::NotBegun(_), ..
            })) => {
                return FunctionOutcome::Aside("it calls what is not there");
            }
            Verdict::Fine(Answer::Executed(Executed { how, .. })) => {
                return FunctionOutcome::Differs(format!("{input}: the code ends with {how:?}"));
            }
            _ => return FunctionOutcome::Aside("LLVM makes no code of it"),
        }
    }
    FunctionOutcome::Agrees(agrees)
}

/// A `main` that calls the function and writes what came of it.
struct Driver {
    text: String,
    /// Bytes of the result, and whether all of its bits count.
    result: usize,
    blocks: Vec<usize>,
}

impl Driver {
    fn differs(&self, exact: &Exact, stdout: &[u8]) -> Option<String> {
        let want = self.result + self.blocks.iter().sum::<usize>();
        if stdout.len() != want {
            return Some(format!("{} bytes in place of {want}", stdout.len()));
        }
        let (result, mut rest) = stdout.split_at(self.result);
        if result != exact.result {
            return Some(format!(
                "the code gives {result:02x?}, the machine {:02x?}",
                exact.result
            ));
        }
        for (number, (size, want)) in self.blocks.iter().zip(&exact.blocks).enumerate() {
            let (block, after) = rest.split_at(*size);
            rest = after;
            let same = |(got, want): (&u8, &Option<u8>)| want.is_none_or(|want| want == *got);
            if !block.iter().zip(want).all(same) {
                return Some(format!(
                    "block {number} holds {block:02x?}, for the machine {want:02x?}"
                ));
            }
        }
        None
    }
}

/// `None` for what cannot be written as constants, or would not be what the machine takes it for.
fn driver(module: &Module, function: &Function, input: &Input) -> Option<Driver> {
    let layout = Layout::of(module).ok()?;
    if sees_addresses(module, function) {
        return None;
    }
    let name = function.name.as_deref()?;
    let quoted = irtext::print_symbol(name);
    let mut text = String::from("declare i64 @write(i32, ptr, i64)\n");
    let mut blocks = Vec::new();
    for (number, block) in input.blocks.iter().enumerate() {
        let mut bytes = String::new();
        for byte in &block.bytes {
            match byte {
                InputByte::Bits(bits) => write!(bytes, "\\{bits:02X}").ok()?,
                // Whatever is there will do: the machine says that it does not matter.
                InputByte::Undef | InputByte::Poison => bytes.push_str("\\5A"),
                InputByte::Pointer(..) => return None,
            }
        }
        let (size, align) = (block.bytes.len(), block.align.max(1));
        writeln!(text, "@gainsay.{number} = global [{size} x i8] c\"{bytes}\", align {align}")
            .ok()?;
        blocks.push(size);
    }
    if !input.globals.is_empty() || function.varargs || !function.convention.is_empty() {
        return None;
    }
    let mut arguments = Vec::new();
    for (param, datum) in function.params.iter().zip(&input.arguments) {
        if ["byval", "sret", "inalloca", "preallocated", "byref"]
            .iter()
            .any(|word| param.attributes.typed(word).is_some())
        {
            return None;
        }
        let ty = function.type_of(param.local);
        arguments.push(format!("{} {}", irtext::print_type(ty), constant(module, ty, datum)?));
    }
    let arguments = arguments.join(", ");
    let ty = irtext::print_type(&function.result);
    let result = match &function.result {
        Type::Void => 0,
        ty => usize::try_from(layout.store_size(module, ty)?).ok()?,
    };
    text += "define i32 @main() {\n";
    if result == 0 {
        writeln!(text, "  call void {quoted}({arguments})").ok()?;
    } else {
        writeln!(text, "  %place = alloca [{result} x i8], align 64").ok()?;
        writeln!(text, "  %result = call {ty} {quoted}({arguments})").ok()?;
        writeln!(text, "  store {ty} %result, ptr %place, align 1").ok()?;
        writeln!(text, "  %w = call i64 @write(i32 1, ptr %place, i64 {result})").ok()?;
    }
    for (number, size) in blocks.iter().enumerate() {
        writeln!(text, "  %w{number} = call i64 @write(i32 1, ptr @gainsay.{number}, i64 {size})")
            .ok()?;
    }
    text += "  ret i32 0\n}\n";
    Some(Driver { text, result, blocks })
}

/// A value as a constant; `None` where there is none that means just it.
fn constant(module: &Module, ty: &Type, datum: &Datum) -> Option<String> {
    let resolved = module.resolve(ty)?;
    let many = |open: &str, parts: Vec<(Type, &Datum)>, close: &str| {
        let parts = parts.into_iter().map(|(ty, part)| {
            Some(format!("{} {}", irtext::print_type(&ty), constant(module, &ty, part)?))
        });
        let parts: Option<Vec<String>> = parts.collect();
        Some(format!("{open}{}{close}", parts?.join(", ")))
    };
    Some(match (resolved, datum) {
        (Type::Integer(_), Datum::Scalar(Scalar::Bits(bits))) => bits.to_string(),
        (Type::Float(float), Datum::Scalar(Scalar::Bits(bits))) => {
            format!("bitcast (i{} {bits} to {})", float.bits(), irtext::print_type(resolved))
        }
        (Type::Pointer(0), Datum::Scalar(Scalar::Pointer(place))) => match place {
            Place::Null => "null".into(),
            Place::Block { block, offset } => {
                format!("getelementptr (i8, ptr @gainsay.{block}, i64 {offset})")
            }
            _ => return None,
        },
        (_, Datum::Scalar(Scalar::Poison)) => "poison".into(),
        (_, Datum::Scalar(Scalar::Undef)) => "undef".into(),
        (Type::Vector { scalable: false, element, .. }, Datum::Many(parts)) => {
            return many("<", parts.iter().map(|part| ((**element).clone(), part)).collect(), ">");
        }
        (Type::Array(_, element), Datum::Many(parts)) => {
            return many("[", parts.iter().map(|part| ((**element).clone(), part)).collect(), "]");
        }
        (Type::Struct { packed, fields }, Datum::Many(parts)) => {
            let parts = fields.iter().cloned().zip(parts).collect();
            return if *packed { many("<{", parts, "}>") } else { many("{", parts, "}") };
        }
        _ => return None,
    })
}

/// Whether it looks at the address of something, which is another in real code.
fn sees_addresses(module: &Module, function: &Function) -> bool {
    let is_pointer = |ty: &Type| match ty {
        Type::Pointer(_) => true,
        Type::Vector { element, .. } => matches!(**element, Type::Pointer(_)),
        _ => false,
    };
    let sees = |op: &Op| match op {
        Op::Cast { op, .. } => matches!(op, Cast::PtrToInt | Cast::PtrToAddr | Cast::IntToPtr),
        Op::ICmp { left, .. } => is_pointer(&left.ty),
        Op::Freeze(value) => is_pointer(&value.ty),
        _ => false,
    };
    let result = is_pointer(&function.result);
    let mut text = String::new();
    for instruction in function.blocks.iter().flat_map(|b| &b.instructions) {
        text += &irtext::print::instruction(module, function, instruction);
    }
    // In constants, too.
    let constants = ["ptrtoint (", "ptrtoaddr (", "inttoptr ("].iter().any(|op| text.contains(op))
        || text.split("icmp ").any(|rest| {
            rest.split_once(' ').is_some_and(|(_, operands)| operands.starts_with('('))
        });
    result || constants || function.blocks.iter().flat_map(|b| &b.instructions).any(|i| sees(&i.op))
}
