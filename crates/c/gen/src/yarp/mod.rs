//! The `yarp` engine: programs in the manner of YARPGen, without its limits.
//!
//! A program is a set of independent test functions, each with variables and a checksum of its
//! own. The engine builds them freely: loops, calls, pointers, indices and arithmetic of any value.
//! [`repair`](crate::repair) then executes the tree and rewrites what has no defined result, so that
//! the exact output is known. There are no wrappers around operators.
//!
//! | module | concern |
//! | --- | --- |
//! | `types` | the type table: structs, bit-fields, unions, enums |
//! | `data` | the symbol table: inputs, outputs, mixed variables, their initialisers |
//! | `scope` | what a statement can see |
//! | `lvalue` | lvalues of integer type within variables: elements, members, dereferences |
//! | `constant`, `expr`, `idiom` | expressions, with contexts, constants and common subexpressions |
//! | `stmt`, `loops`, `calls`, `builtin` | statements, loops, helper functions, functions compilers know |
//! | `special` | floating point and vectors |
//! | `driver` | `main`, checksums, traces |
//! | `files` | the tree as C or C++ files |

mod builtin;
mod calls;
mod constant;
mod data;
mod driver;
mod expr;
mod files;
mod idiom;
mod loops;
mod lvalue;
mod scope;
mod special;
mod stmt;
mod types;

pub use files::SourceFile;

use crate::policy::Policy;
use crate::policy::knobs::{self, Chance, IntType, Range};
use crate::repair::{RepairError, RepairOptions, Repaired, repair};
use choice::Choices;
use cmachine::Hooks;
use ctree::print::CxxPlan;
use ctree::{
    DataModel, EnumId, ExprId, FuncId, Item, Program, RecordId, Storage, Sym, Ty, TypeKind, UnitId,
    VarId,
};
use scope::VisibleVars;
use std::collections::{BTreeMap, BTreeSet};

/// The language a program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Language {
    /// C11.
    #[default]
    C,
    /// C++11 to C++20.
    Cxx,
}

/// Options of the generator.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// All distributions.
    pub policy: Policy,
    /// C or C++.
    pub language: Language,
    /// The driver prints each value by name.
    pub trace: bool,
    /// What the last execution should record.
    pub hooks: Hooks,
}

/// A program, and what it prints.
#[derive(Debug)]
pub struct Generated {
    /// The tree, one unit.
    pub program: Program,
    /// How it was repaired; the report of the last execution has the exact output.
    pub repaired: Repaired,
    /// Attempts made, the last one included.
    pub attempts: u32,
    /// The test functions and those they call.
    pub functions: Vec<FuncId>,
    language: Language,
    plan: CxxPlan,
    checksum: Option<VarId>,
}

impl Generated {
    /// What the program prints.
    pub fn expected(&self) -> &[u8] {
        &self.repaired.report.stdout
    }
}

/// The program of a seed. An attempt that cannot be repaired, or runs too long, is followed by
/// another one.
pub fn generate(seed: u64, options: &Options) -> Result<Generated, RepairError> {
    let mut attempts = 1;
    loop {
        match attempt(seed, attempts, options) {
            Err(_) if attempts < ATTEMPTS => attempts += 1,
            result => return result,
        }
    }
}

/// More than one is needed for a few in a thousand seeds.
const ATTEMPTS: u32 = 8;

/// Bytes of stack in the machine.
const STACK: u32 = 256 << 10;

fn attempt(seed: u64, attempts: u32, options: &Options) -> Result<Generated, RepairError> {
    let root = Choices::new(seed).fork(&format!("attempt {attempts}"));
    let policy = options.policy.shuffled(&mut root.fork("policy"));
    let mut yarp = Yarp::new(root.fork("program"), policy, options);
    yarp.program();
    let mut program = yarp.program;
    let mut repair_options = RepairOptions {
        hooks: options.hooks.clone(),
        gnu: options.language == Language::C && options.policy.has(Chance::RepairGnu),
        int128: options.policy.has(Chance::RepairGnu),
        ..RepairOptions::default()
    };
    // Programs of this engine need far less than the default, which takes time to clear.
    repair_options.machine.stack = STACK;
    let vars = program.vars.len();
    let repaired = repair(&mut program, &mut root.fork("repair"), &repair_options)?;
    // Objects made for a repair are seen by tests and driver alike.
    for var in &mut program.vars[vars..] {
        if var.scope == ctree::Scope::File {
            var.storage = Storage::None;
        }
    }
    Ok(Generated {
        program,
        repaired,
        attempts,
        functions: yarp.functions,
        language: options.language,
        plan: yarp.plan,
        checksum: yarp.checksum,
    })
}

/// A counter of an enclosing loop and the values it has in the body.
#[derive(Clone, Copy, Debug)]
struct Induction {
    var: VarId,
    low: i64,
    high: i64,
}

/// A function that a test can call.
#[derive(Clone, Debug)]
struct Callee {
    func: FuncId,
    params: Vec<Ty>,
    ret: Ty,
    /// It writes globals.
    impure: bool,
    /// The first parameter bounds the recursion.
    recursive: bool,
    cost: u64,
    called: bool,
}

/// A variable whose value its checksum needs.
#[derive(Clone, Debug, Default)]
struct TestFunction {
    /// The function.
    func: Option<FuncId>,
    /// What it is called with.
    args: Vec<ExprId>,
    /// What its checksum is made of.
    results: Vec<VarId>,
    /// Floating results, printed and not hashed.
    floats: Vec<VarId>,
}

/// The generator with the program that it builds.
struct Yarp {
    program: Program,
    unit: UnitId,
    choices: Choices,
    /// Whether programs may have a `long`.
    has_long: bool,
    policy: Policy,
    language: Language,
    trace: bool,
    plan: CxxPlan,
    structs: Vec<RecordId>,
    unions: Vec<RecordId>,
    enums: Vec<EnumId>,
    functions: Vec<FuncId>,
    tests: Vec<TestFunction>,
    /// The test being built.
    test: TestFunction,
    scope: VisibleVars,
    inductions: Vec<Induction>,
    callees: Vec<Callee>,
    /// Small inputs, for the bounds of loops, with their values.
    limits: Vec<(VarId, i64)>,
    /// The length that most arrays of the test have.
    length: i64,
    /// Estimated steps so far, and what the test may cost.
    cost: u64,
    budget: u64,
    /// How often the current block runs.
    repeats: u64,
    /// Statements of the function that are still to come, so that nesting does not explode.
    size: i64,
    context: expr::ContextState,
    constants: Vec<u64>,
    subexpressions: Vec<ExprId>,
    /// Array types of the test.
    array_types: Vec<Ty>,
    /// How many elements are behind each pointer, at least.
    pointees: BTreeMap<VarId, i64>,
    /// Locals whose address may be taken.
    addressed: BTreeSet<VarId>,
    /// Variables in the expression so far, the one it changes, whether it has a kept part.
    used: Vec<VarId>,
    locked: Option<VarId>,
    reused: bool,
    /// The expression being built will be copied.
    no_effects: bool,
    /// Indices within indices.
    index_depth: u32,
    /// Blocks around the statement being built, without the function's body.
    nesting: u32,
    /// Calls made so far.
    calls: u32,
    /// Functions that compilers know, by name.
    builtins: BTreeMap<Sym, FuncId>,
    /// Vector variables of the test.
    vectors: Vec<VarId>,
    /// The driver's variable.
    checksum: Option<VarId>,
    /// The function being built has no effects on globals.
    pure_helper: bool,
    /// It is not the test itself.
    in_helper: bool,
    names: u32,
}

impl Yarp {
    /// A type of 64 bits in a policy without `long`.
    fn portable(&self, ty: Ty) -> Ty {
        match ty {
            Ty::LONG if !self.has_long => Ty::LLONG,
            Ty::ULONG if !self.has_long => Ty::ULLONG,
            ty => ty,
        }
    }

    fn new(choices: Choices, policy: Policy, options: &Options) -> Yarp {
        let mut program = Program::new(DataModel::X86_64_SYSV);
        let unit = program.add_unit("test.c");
        // What the policy says before it is shuffled for this program, which may leave any type out.
        let asked = &options.policy;
        let has_long = asked.weight(IntType::Long) > 0 || asked.weight(IntType::ULong) > 0;
        Yarp {
            program,
            unit,
            has_long,
            choices,
            policy,
            language: options.language,
            trace: options.trace,
            plan: CxxPlan::new(11),
            structs: Vec::new(),
            unions: Vec::new(),
            enums: Vec::new(),
            functions: Vec::new(),
            tests: Vec::new(),
            test: TestFunction::default(),
            scope: VisibleVars::default(),
            inductions: Vec::new(),
            callees: Vec::new(),
            limits: Vec::new(),
            length: 8,
            cost: 0,
            budget: 0,
            repeats: 1,
            size: 0,
            context: expr::ContextState::default(),
            constants: Vec::new(),
            subexpressions: Vec::new(),
            array_types: Vec::new(),
            pointees: BTreeMap::new(),
            addressed: BTreeSet::new(),
            used: Vec::new(),
            locked: None,
            reused: false,
            no_effects: false,
            index_depth: 0,
            nesting: 0,
            calls: 0,
            builtins: BTreeMap::new(),
            vectors: Vec::new(),
            checksum: None,
            pure_helper: false,
            in_helper: false,
            names: 0,
        }
    }

    fn program(&mut self) {
        self.type_table();
        for number in 0..self.draw(Range::Tests) {
            self.test_function(number);
        }
        self.driver();
    }

    fn is_cxx(&self) -> bool {
        self.language == Language::Cxx
    }

    fn chance(&mut self, knob: knobs::Chance) -> bool {
        self.policy.chance(&mut self.choices, knob)
    }

    fn draw(&mut self, knob: Range) -> i64 {
        self.policy.draw(&mut self.choices, knob)
    }

    fn pick<A: crate::policy::Alternatives>(&mut self) -> A {
        self.policy.pick(&mut self.choices)
    }

    fn item(&mut self, item: Item) {
        self.program.units[self.unit.index()].items.push(item);
    }

    /// A name that no other object has.
    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn record_type(&mut self, id: RecordId) -> Ty {
        self.program.types.intern(TypeKind::Record(id))
    }

    /// Whether the cost budget allows so many steps.
    fn affords(&self, steps: u64) -> bool {
        self.cost + steps * self.repeats <= self.budget
    }
}
