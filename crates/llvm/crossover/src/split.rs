//! Seeds out of a test file: every function that it defines, alone, with what it needs.
//!
//! What the function calls is declared, the globals and metadata that it uses come along. All seeds are made
//! for one machine, so that any two can be linked: triple and data layout of x86-64, no comdats, aliases,
//! appending lists or assembly of the module, no named metadata but debug information and module flags. No
//! function is `alwaysinline`: a crossover inlines what it put in and nothing else.
//!
//! Cost: a file is halved until one function is left, which copies each function about log n times.

use std::collections::BTreeSet;
use std::fmt;

use llvmhost::{Broken, Context, Linkage, Machine, Module, Value};
use serde::{Deserialize, Serialize};

use crate::facts::Facts;
use crate::prune::prune;

/// A seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitSeed {
    /// The function's name.
    pub name: String,
    /// The module.
    pub bitcode: Vec<u8>,
    /// What is worth knowing of it.
    pub facts: Facts,
}

/// Why something became no seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SplitFailure {
    /// The file is no module for this LLVM.
    Parse(String),
    /// The file is not valid.
    Invalid(String),
    /// It is for another machine: a triple, an intrinsic or a type.
    Target(String),
    /// It is valid by itself, but not for our machine or without what we took away.
    Unfit(String),
}

impl SplitFailure {
    /// The reason without its details.
    pub fn reason(&self) -> &'static str {
        match self {
            SplitFailure::Parse(_) => "not a module for this LLVM",
            SplitFailure::Invalid(_) => "not valid",
            SplitFailure::Target(_) => "for another machine",
            SplitFailure::Unfit(_) => "not valid on our terms",
        }
    }

    /// Whether it is said of a whole file.
    pub fn is_of_file(&self) -> bool {
        matches!(self, SplitFailure::Parse(_) | SplitFailure::Invalid(_))
    }
}

impl fmt::Display for SplitFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SplitFailure::Parse(why) => write!(f, "not a module: {why}"),
            SplitFailure::Invalid(why) => write!(f, "not valid: {why}"),
            SplitFailure::Target(what) => write!(f, "for another machine: {what}"),
            SplitFailure::Unfit(why) => write!(f, "not valid on our terms: {why}"),
        }
    }
}

/// Second parts of names of intrinsics that only one target has; x86's own are welcome.
const TARGETS: &[&str] = &[
    "aarch64",
    "amdgcn",
    "r600",
    "arm",
    "bpf",
    "dx",
    "hexagon",
    "loongarch",
    "mips",
    "nvvm",
    "ppc",
    "riscv",
    "s390",
    "spv",
    "ve",
    "wasm",
    "xcore",
];

/// Named metadata that seeds keep: units of debug information.
const UNITS: &str = "llvm.dbg.cu";

/// Named metadata that seeds keep in part: module flags.
const FLAGS: &str = "llvm.module.flags";

/// Flags that passes of the middle end look at.
const KEPT_FLAGS: &[&str] = &["ProfileSummary", "Virtual Function Elim", "EnableSplitLTOUnit"];

/// The flag that debug information needs.
const DEBUG_VERSION: &str = "Debug Info Version";

/// Texts of what our machine cannot do. Its costs are not even defined on scalable vectors.
const FOREIGN: &[&str] = &["<vscale x", "@llvm.vscale", "target(\""];

/// Attributes that name a processor.
const PROCESSOR: &[&str] = &["target-cpu", "tune-cpu"];

/// Processors with 64 bits that every LLVM since 14 knows, by how they begin.
const PROCESSORS: &[&str] = &[
    "x86-64",
    "core2",
    "corei7",
    "core-avx",
    "penryn",
    "nehalem",
    "westmere",
    "sandybridge",
    "ivybridge",
    "haswell",
    "broadwell",
    "skylake",
    "skx",
    "slm",
    "silvermont",
    "knl",
    "cascadelake",
    "icelake",
    "znver",
    "btver",
    "bdver",
    "k8",
    "barcelona",
    "amdfam10",
];

/// Features of x86, by how they begin.
const FEATURES: &[&str] = &[
    "adx",
    "aes",
    "avx",
    "bmi",
    "cmov",
    "cx16",
    "cx8",
    "f16c",
    "fast-",
    "fma",
    "fsgsbase",
    "fxsr",
    "gfni",
    "lzcnt",
    "mmx",
    "movbe",
    "pclmul",
    "popcnt",
    "prefer-",
    "prfchw",
    "rdrnd",
    "rdseed",
    "sahf",
    "sha",
    "slow-",
    "sse",
    "ssse3",
    "tbm",
    "vaes",
    "vpclmulqdq",
    "x87",
    "xop",
    "xsave",
];

/// Reads a file and splits it.
pub fn split_text(context: &Context<'_>, bytes: &[u8]) -> Vec<Result<SplitSeed, SplitFailure>> {
    match context.parse(bytes, "seed") {
        Ok(module) => split(module),
        Err(broken) => vec![Err(SplitFailure::Parse(broken.0))],
    }
}

/// Every function that a module defines as a seed of its own, in order.
pub fn split(module: Module<'_>) -> Vec<Result<SplitSeed, SplitFailure>> {
    let context = module.context();
    let module = match normal(context, module) {
        Ok(module) => module,
        Err(aside) => return vec![Err(aside)],
    };
    let names: Vec<String> = module.definitions().into_iter().map(Value::name).collect();
    let mut pieces = Vec::new();
    halve(module, &names, &mut pieces);
    pieces
}

/// Makes a module one for our machine, without what cannot be linked.
fn normal<'c>(context: &'c Context<'c>, module: Module<'c>) -> Result<Module<'c>, SplitFailure> {
    let triple = module.triple();
    let arch = triple.split('-').next().unwrap_or("");
    if !matches!(arch, "" | "x86_64" | "i386" | "i486" | "i586" | "i686") {
        return Err(SplitFailure::Target(triple));
    }
    module.verify().map_err(|e| SplitFailure::Invalid(e.0))?;
    module.drop_lists();
    module.replace_alias_uses();
    module.drop_assembly();
    for value in module.globals().into_iter().chain(module.functions()) {
        value.leave_comdat();
        if value.name().is_empty() {
            value.set_name("unnamed");
        }
    }
    module.functions().into_iter().for_each(plain);
    let machine = Machine::x86_64(context.llvm()).map_err(|e| SplitFailure::Unfit(e.0))?;
    module.set_machine(&machine);
    module.rename("seed");
    let module = without_named_metadata(context, module)?;
    module.verify().map_err(|e| SplitFailure::Unfit(e.0))?;
    Ok(module)
}

/// Takes off a function what would inline it, or name another machine.
fn plain(function: Value<'_>) {
    function.remove_attribute("alwaysinline");
    for name in PROCESSOR {
        let known = |cpu: String| PROCESSORS.iter().any(|start| cpu.starts_with(start));
        if function.text_attribute(name).is_some_and(|cpu| !known(cpu)) {
            function.remove_text_attribute(name);
        }
    }
    let known = |feature: &str| FEATURES.iter().any(|start| feature[1..].starts_with(start));
    let features = function.text_attribute("target-features").unwrap_or_default();
    let mut features = features.split(',').filter(|feature| !feature.is_empty());
    if features.any(|feature| !feature.is_char_boundary(1) || !known(feature)) {
        function.remove_text_attribute("target-features");
    }
    if !function.is_declaration() {
        function.set_linkage(Linkage::External);
    }
    for instruction in function.blocks().into_iter().flat_map(|block| block.instructions()) {
        if instruction.is_call() {
            instruction.remove_call_attribute("alwaysinline");
        }
    }
}

/// The C API cannot remove named metadata, so its lines are taken out of the text.
fn without_named_metadata<'c>(
    context: &'c Context<'c>,
    module: Module<'c>,
) -> Result<Module<'c>, SplitFailure> {
    if module.named_metadata().iter().all(|name| name == UNITS) {
        return Ok(module);
    }
    context.parse(filtered(&module.text()).as_bytes(), "seed").map_err(|e| SplitFailure::Unfit(e.0))
}

/// A module's text with debug information and few module flags, and no other named metadata.
fn filtered(text: &str) -> String {
    let named = |line: &str| -> Option<String> {
        let (name, _) = line.strip_prefix('!')?.split_once(" = ")?;
        (!name.starts_with(|c: char| c.is_ascii_digit())).then(|| name.to_string())
    };
    let numbers = text.lines().filter_map(|line| line.strip_prefix('!')?.split_once(" = "));
    let free = numbers.filter_map(|(number, _)| number.parse::<u64>().ok()).max().unwrap_or(0) + 1;
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        match named(line).as_deref() {
            Some(FLAGS) => out.push_str(&flags(text, line, free)),
            Some(name) if name != UNITS => {}
            _ => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}

/// The line of module flags without those that only contradict each other when modules meet. The flag
/// without which debug information is dropped is written anew: files differ in what a clash of it means.
fn flags(text: &str, line: &str, free: u64) -> String {
    let list = line.split_once('{').map_or("", |(_, rest)| rest.trim_end_matches('}'));
    let definition = |id: &str| {
        let start = format!("{id} = !{{");
        text.lines().find(|line| line.starts_with(&start)).unwrap_or("")
    };
    let ids: Vec<&str> = list.split(", ").filter(|id| !id.is_empty()).collect();
    let has = |id: &&&str, name: &str| definition(id).contains(&format!("!\"{name}\""));
    let kept = ids.iter().filter(|id| KEPT_FLAGS.iter().any(|name| has(id, name)));
    let mut kept: Vec<String> = kept.map(|id| id.to_string()).collect();
    let mut version = String::new();
    if ids.iter().any(|id| has(&id, DEBUG_VERSION)) {
        kept.push(format!("!{free}"));
        version = format!("!{free} = !{{i32 2, !\"{DEBUG_VERSION}\", i32 3}}\n");
    }
    match kept.is_empty() {
        true => String::new(),
        false => format!("!{FLAGS} = !{{{}}}\n{version}", kept.join(", ")),
    }
}

/// Cuts a module that defines these functions into its functions.
fn halve(module: Module<'_>, names: &[String], pieces: &mut Vec<Result<SplitSeed, SplitFailure>>) {
    let (left, right) = match names {
        [] => return,
        [name] => return pieces.push(piece(module, name)),
        _ => names.split_at(names.len() / 2),
    };
    let mut part = module.duplicate();
    match keep(&mut part, left) {
        Ok(()) => halve(part, left, pieces),
        Err(e) => pieces.push(Err(SplitFailure::Unfit(e.0))),
    }
    let mut module = module;
    match keep(&mut module, right) {
        Ok(()) => halve(module, right, pieces),
        Err(e) => pieces.push(Err(SplitFailure::Unfit(e.0))),
    }
}

/// Makes all but these functions declarations, and removes what is not needed any more.
fn keep(module: &mut Module<'_>, names: &[String]) -> Result<(), Broken> {
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    for function in module.definitions() {
        if !names.contains(function.name().as_str()) {
            function.set_linkage(Linkage::AvailableExternally);
        }
    }
    prune(module, "elim-avail-extern,globaldce,strip-dead-prototypes")
}

/// The seed of a function that a module defines alone.
fn piece(mut module: Module<'_>, name: &str) -> Result<SplitSeed, SplitFailure> {
    let context = module.context();
    keep(&mut module, std::slice::from_ref(&name.to_string()))
        .map_err(|e| SplitFailure::Unfit(e.0))?;
    for name in module.functions().into_iter().map(Value::name) {
        let part = name.strip_prefix("llvm.").and_then(|rest| rest.split('.').next());
        if part.is_some_and(|part| TARGETS.contains(&part)) {
            return Err(SplitFailure::Target(name));
        }
        // Such a coroutine calls functions that are inlined when it is split, so they must be there.
        if part == Some("coro") && name.ends_with(".async") {
            return Err(SplitFailure::Unfit(format!("{name} without other functions")));
        }
    }
    // What describes other functions is of no use.
    if !module.definitions().into_iter().any(Value::has_subprogram) {
        module.strip_debug();
    }
    module.verify().map_err(|e| SplitFailure::Unfit(e.0))?;
    let text = module.text();
    if let Some(what) = FOREIGN.iter().find(|what| text.contains(**what)) {
        return Err(SplitFailure::Target(what.to_string()));
    }
    let facts = Facts::of(&module);
    let bitcode = module.bitcode();
    // An address of a block that went with its function can be written, but not read.
    context.parse(&bitcode, "seed").map_err(|e| SplitFailure::Unfit(e.0))?;
    Ok(SplitSeed { name: name.to_string(), bitcode, facts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_flags_and_no_other_lists_stay() {
        let text = "define void @f() {\n  ret void\n}\n\n!llvm.dbg.cu = !{!0}\n!llvm.ident = !{!1}\n\
                    !llvm.module.flags = !{!2, !3, !4}\n\n!0 = distinct !DICompileUnit()\n!1 = !{!\"x\"}\n\
                    !2 = !{i32 1, !\"wchar_size\", i32 4}\n!3 = !{i32 1, !\"Debug Info Version\", i32 3}\n\
                    !4 = !{i32 1, !\"ProfileSummary\", !1}\n";
        let out = filtered(text);
        assert!(!out.contains("llvm.ident"), "{out}");
        assert!(out.contains("!llvm.dbg.cu = !{!0}\n"), "{out}");
        assert!(out.contains("!llvm.module.flags = !{!4, !5}\n"), "{out}");
        assert!(out.contains("!5 = !{i32 2, !\"Debug Info Version\", i32 3}\n"), "{out}");
        let none = filtered("!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"wchar_size\", i32 4}\n");
        assert_eq!(none, "!0 = !{i32 1, !\"wchar_size\", i32 4}\n");
    }
}
