//! The `smith` engine: programs like Csmith's, with its restrictions relaxed as in CsmithEdge.
//!
//! A program is generated under restrictions that keep it free of undefined behaviour, each of which
//! is lifted here and there with the probability that the [`SeedTuple`] names. Wrappers keep
//! operators defined; [`redundant_checks`](crate::redundant_checks) removes those that are not needed.
//! The machine decides whether the program has a defined result.
//!
//! | module | concern |
//! | --- | --- |
//! | `relax` | the relaxations, their configuration, the tuple |
//! | `features` | what programs may contain, under Csmith's names |
//! | `header` | wrappers and checksum |
//! | `object` | variables, lifetimes, effects |
//! | `data` | types, variables, initialisers |
//! | `lvalue` | lvalues of integer type, indices, addresses |
//! | `expr`, `stmt`, `func` | expressions, statements, functions and `main` |
//! | `revert` | reverts relaxations that leave a program without a defined result |
//!
//! **Two streams of decisions.** The decision of the base seed is always drawn first; a relaxation then
//! puts something else in its place, drawn from another stream, and does not change the generator's
//! state. So the relaxed program differs from the plain one only where it was relaxed. Every opportunity
//! has its own stream, so that one can be reverted without a change to the others.

mod data;
mod expr;
pub mod features;
mod func;
mod header;
mod lvalue;
mod object;
pub mod relax;
mod revert;
mod stmt;

pub use features::{Feature, Features, Limit};
pub use relax::{Bounds, Probability, Relaxation, SeedTuple, WrapperStyle};
pub use revert::{Reverted, revert_relaxations};

use choice::Choices;
use ctree::{DataModel, FuncId, Item, Program, StmtId, Ty, TypeKind, TypedefId, UnitId, VarId};
use header::{HeaderForm, INTS, header};
use object::{Effects, ValueType, VarIndex, Variable};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Options of the generator.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What programs may contain.
    pub features: Features,
}

/// A program, which may or may not have a defined result.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The tree, one unit, the wrappers in it as functions.
    pub program: Program,
    /// Its seed tuple.
    pub tuple: SeedTuple,
    /// Where restrictions were lifted.
    pub applied: Vec<AppliedRelaxation>,
    /// The items of the header, at the start of the unit.
    header: usize,
    options: String,
}

/// A relaxation that was applied at one opportunity.
#[derive(Clone, Debug)]
pub struct AppliedRelaxation {
    /// Which one.
    pub relaxation: Relaxation,
    /// The number of the opportunity.
    number: u32,
    /// Expressions that it created.
    made: Range<u32>,
    /// The variable that has no initialiser.
    var: Option<VarId>,
}

impl Generated {
    /// One C file, with wrappers in the form that the tuple names.
    pub fn text(&self) -> String {
        self.written(&self.program, HeaderForm::AsNamed)
    }

    /// The same with functions only, which needs no preprocessor.
    pub fn text_with_functions(&self) -> String {
        self.written(&self.program, HeaderForm::Functions)
    }

    /// The same with wrappers that print `needed N`, where N is the number of the check (see
    /// [`number_checks`](crate::redundant_checks::number_checks)).
    pub fn reporting_text(&self) -> String {
        self.written(&crate::redundant_checks::number_checks(&self.program), HeaderForm::Reporting)
    }

    fn written(&self, program: &Program, written: HeaderForm) -> String {
        let items = &program.units[0].items[self.header..];
        let body = ctree::print::print_items(program, items);
        let used: BTreeSet<String> = header::wrappers()
            .iter()
            .flat_map(|w| [w.name(false), w.name(true)])
            .filter(|name| body.contains(&format!("{name}(")))
            .collect();
        let (tuple, options) = (&self.tuple, &self.options);
        let header = header(written, Some(&used));
        format!(
            "/* A random program of gainsay smith; seed tuple {tuple}{options} */\n\n{header}\n{body}"
        )
    }
}

/// The program of a seed tuple.
pub fn generate(tuple: &SeedTuple, options: &Options) -> Generated {
    generate_without(tuple, options, &BTreeSet::new())
}

/// The program of a seed tuple without the relaxations at some opportunities.
fn generate_without(tuple: &SeedTuple, options: &Options, reverted: &BTreeSet<u32>) -> Generated {
    let mut smith = Smith::new(tuple, options);
    smith.reverted = reverted.clone();
    let header = smith.program.units[0].items.len();
    smith.record_types();
    for _ in 0..3 + smith.below(6) {
        smith.random_global();
    }
    smith.all_functions();
    smith.main();
    smith.assemble();
    let options = options.features.arguments();
    Generated {
        program: smith.program,
        tuple: tuple.clone(),
        applied: smith.applied,
        header,
        options,
    }
}

/// A function that can be called.
#[derive(Clone, Debug)]
struct Callee {
    func: FuncId,
    ret: ValueType,
    params: Vec<ValueType>,
    effects: Effects,
    /// Steps of a call, about.
    cost: u64,
    calls: u32,
}

/// A counter of an enclosing loop and the values it has in the body.
#[derive(Clone, Copy, Debug)]
struct Induction {
    obj: VarIndex,
    low: i64,
    high: i64,
}

/// A `goto`.
#[derive(Clone, Debug)]
struct Jump {
    stmt: StmtId,
    /// It may go anywhere in its function: the stream that says where.
    in_relaxation: Option<Choices>,
}

/// A forward jump, to the statement of an enclosing block that follows the one with the jump.
#[derive(Clone, Copy, Debug)]
struct ForwardJump {
    jump: StmtId,
    /// The block depth of the target.
    depth: usize,
    /// The statement with the jump is still being built.
    within: bool,
}

/// The generator with the program that it builds.
struct Smith {
    program: Program,
    unit: UnitId,
    tuple: SeedTuple,
    features: Features,
    base: Choices,
    /// The root of the streams for relaxations, and the stream of the last opportunity.
    opportunities: Choices,
    relax: Choices,
    /// Opportunities so far, the applied relaxations, the reverted opportunities.
    opportunity: u32,
    applied: Vec<AppliedRelaxation>,
    reverted: BTreeSet<u32>,
    /// Decisions are drawn from the second stream, and effects are not recorded.
    in_relaxation: bool,
    /// The integer types, as written.
    ints: Vec<Ty>,
    wrappers: BTreeMap<String, FuncId>,
    used: BTreeSet<String>,
    structs: Vec<ctree::RecordId>,
    unions: Vec<ctree::RecordId>,
    /// The types of the members of each record.
    inside: BTreeMap<Ty, BTreeSet<Ty>>,
    objects: Vec<Variable>,
    globals: Vec<VarIndex>,
    locals: Vec<VarIndex>,
    functions: Vec<Callee>,
    type_items: Vec<Item>,
    global_items: Vec<Item>,
    function_items: Vec<FuncId>,
    main: Option<FuncId>,
    in_function: bool,
    /// Only constant expressions: in an initialiser of a global, in an address.
    constant_only: bool,
    /// The global being built is a target for pointers.
    pointee: bool,
    returns: ValueType,
    /// Depth of blocks.
    level: u32,
    /// Declarations and statements of the enclosing blocks.
    decls: Vec<Vec<StmtId>>,
    blocks: Vec<Vec<StmtId>>,
    /// Statements of the function so far.
    statements: Vec<StmtId>,
    jumps: Vec<Jump>,
    /// Jumps ahead that have no target yet.
    pending: Vec<ForwardJump>,
    inductions: Vec<Induction>,
    /// Counters of loops: nothing writes them.
    locked: Vec<VarIndex>,
    /// What the operand being built must not read or write.
    forbidden: Effects,
    /// The effects of the expression so far, and of the function.
    effects: Effects,
    summary: Effects,
    cost: u64,
    repeats: u64,
    budget: u64,
    names: u32,
}

impl Smith {
    fn new(tuple: &SeedTuple, options: &Options) -> Smith {
        let root = Choices::new(tuple.base).fork("smith");
        let mut program = Program::new(DataModel::X86_64_SYSV);
        let text = header(HeaderForm::Functions, None);
        // A test parses the header.
        let unit = match cparse::parse_unit(&mut program, "test.c", &text) {
            Ok(unit) => unit,
            Err(_) => program.add_unit("test.c"),
        };
        let ints = INTS.map(|int| {
            let name = program.names.intern(int.name);
            let at = program.types.typedefs.iter().position(|t| t.name == name);
            at.map_or(Ty::INT, |at| program.types.intern(TypeKind::Typedef(TypedefId(at as u32))))
        });
        let wrappers = (0..program.funcs.len())
            .map(|i| (program.name(program.funcs[i].name).to_string(), FuncId(i as u32)))
            .filter(|(name, _)| name.starts_with("safe_"))
            .collect();
        Smith {
            unit,
            tuple: tuple.clone(),
            features: options.features.drawn(&mut root.fork("features")),
            base: root.fork("program"),
            opportunities: root.fork("relaxations"),
            relax: root.fork("relaxations"),
            opportunity: 0,
            applied: Vec::new(),
            reverted: BTreeSet::new(),
            in_relaxation: false,
            ints: ints.to_vec(),
            wrappers,
            used: BTreeSet::new(),
            structs: Vec::new(),
            unions: Vec::new(),
            inside: BTreeMap::new(),
            objects: Vec::new(),
            globals: Vec::new(),
            locals: Vec::new(),
            functions: Vec::new(),
            type_items: Vec::new(),
            global_items: Vec::new(),
            function_items: Vec::new(),
            main: None,
            in_function: false,
            constant_only: false,
            pointee: false,
            returns: ValueType::Int(4),
            level: 0,
            decls: Vec::new(),
            blocks: Vec::new(),
            statements: Vec::new(),
            jumps: Vec::new(),
            pending: Vec::new(),
            inductions: Vec::new(),
            locked: Vec::new(),
            forbidden: Effects::default(),
            effects: Effects::default(),
            summary: Effects::default(),
            cost: 0,
            repeats: 1,
            budget: 0,
            names: 0,
            program,
        }
    }

    /// The stream that decisions are currently drawn from.
    fn choices(&mut self) -> &mut Choices {
        if self.in_relaxation { &mut self.relax } else { &mut self.base }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.choices().below(n)
    }

    /// One element of a slice that is not empty.
    fn pick_one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }

    fn percent(&mut self, percent: u32) -> bool {
        self.choices().chance(percent)
    }

    fn has(&self, feature: Feature) -> bool {
        self.features.has(feature)
    }

    fn limit(&self, limit: Limit) -> u32 {
        self.features.limit(limit)
    }

    /// Whether a restriction is lifted at this opportunity.
    fn relaxes(&mut self, relaxation: Relaxation) -> bool {
        if self.in_relaxation || self.tuple.of(relaxation) == Probability::ZERO {
            return false;
        }
        self.opportunity += 1;
        let number = self.opportunity;
        self.relax = self.opportunities.fork(&format!("{} {number}", relaxation.name()));
        let happens = self.tuple.of(relaxation).happens(&mut self.relax);
        if !happens || self.reverted.contains(&number) {
            return false;
        }
        self.applied.push(AppliedRelaxation { relaxation, number, made: 0..0, var: None });
        true
    }

    /// Builds the replacement of what the base seed decided, from the stream of the relaxation.
    fn with_relaxation_stream<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let in_relaxation = std::mem::replace(&mut self.in_relaxation, true);
        let from = self.program.exprs.len() as u32;
        let made = make(self);
        if let Some(taken) = self.applied.last_mut() {
            taken.made = from..self.program.exprs.len() as u32;
        }
        self.in_relaxation = in_relaxation;
        made
    }

    fn affords(&self, steps: u64) -> bool {
        self.cost + steps.saturating_mul(self.repeats) <= self.budget
    }

    fn pay(&mut self, steps: u64) {
        self.cost += steps.saturating_mul(self.repeats);
    }
}
