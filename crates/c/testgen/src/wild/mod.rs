//! Well-typed translation units with every construct of the tree in every place C allows, for
//! printing, parsing and type checking. They are not meant to be executed: nothing keeps them from
//! undefined behaviour or endless loops.
//!
//! Left out: what compilers refuse or disagree about (jumps into statement expressions, arrays of
//! over-aligned typedefs, objects with a flexible array member).

mod constant;
mod expr;
mod init;
mod item;
mod lvalue;
mod stmt;
mod types;

use choice::Choices;
use ctree::{
    DataModel, EnumId, FuncId, Item, LabelId, Program, RecordId, Sym, Ty, TypedefId, UnitId, VarId,
};

/// A random unit, the only one of its program.
pub fn wild(choices: &mut Choices) -> Program {
    let mut wild = Wild::new(choices);
    wild.unit();
    wild.program
}

/// Expression nodes per function: enough to nest everything in everything, small enough that a
/// failing case can be read.
const FUEL: u32 = 250;

struct Wild<'c> {
    program: Program,
    choices: &'c mut Choices,
    unit: UnitId,
    names: u32,
    /// Complete records, without flexible array members.
    records: Vec<RecordId>,
    /// Structs with one: for pointers only.
    flexible: Vec<RecordId>,
    enums: Vec<EnumId>,
    /// Typedef names without an alignment of their own.
    typedefs: Vec<TypedefId>,
    /// Functions that may be called.
    funcs: Vec<FuncId>,
    /// Variables by scope, innermost last.
    frames: Vec<Vec<VarId>>,
    labels: Vec<LabelId>,
    placed: usize,
    /// Return type of the function being built.
    ret: Ty,
    /// What encloses the statement being built.
    inside: Inside,
    /// The `va_list` of the function being built, once started.
    va_list: Option<VarId>,
    va_start: Option<FuncId>,
    fuel: u32,
}

/// What a statement may refer to.
#[derive(Clone, Default)]
struct Inside {
    in_loop: bool,
    in_switch: bool,
    in_stmt_expr: bool,
    /// The next case value that the innermost switch has not used.
    next_case: i64,
}

impl<'c> Wild<'c> {
    fn new(choices: &'c mut Choices) -> Self {
        let mut program = Program::new(DataModel::X86_64_SYSV);
        let unit = program.add_unit("wild.c");
        Wild {
            program,
            choices,
            unit,
            names: 0,
            records: Vec::new(),
            flexible: Vec::new(),
            enums: Vec::new(),
            typedefs: Vec::new(),
            funcs: Vec::new(),
            frames: vec![Vec::new()],
            labels: Vec::new(),
            placed: 0,
            ret: Ty::VOID,
            inside: Inside::default(),
            va_list: None,
            va_start: None,
            fuel: 0,
        }
    }

    /// A name that nothing else has.
    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn fresh_sym(&mut self, prefix: &str) -> Sym {
        let name = self.fresh(prefix);
        self.program.names.intern(&name)
    }

    fn item(&mut self, item: Item) {
        self.program.units[self.unit.index()].items.push(item);
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.choices.chance(percent)
    }

    /// A number less than `n`.
    fn below(&mut self, n: u64) -> u64 {
        self.choices.below(n)
    }

    /// Uses up a node's worth of fuel; false when there is none left and a leaf is wanted.
    fn spend(&mut self) -> bool {
        match self.fuel.checked_sub(1) {
            Some(rest) => {
                self.fuel = rest;
                true
            }
            None => false,
        }
    }

    /// Whether the name of a variable means that variable here.
    fn is_visible(&self, var: VarId) -> bool {
        let name = self.program.var(var).name;
        let innermost = self
            .frames
            .iter()
            .rev()
            .flat_map(|frame| frame.iter().rev())
            .find(|&&v| self.program.var(v).name == name);
        innermost == Some(&var)
    }

    /// A visible variable, `None` if the one drawn is hidden or there is none.
    fn any_var(&mut self) -> Option<VarId> {
        // Locals are as likely as globals, however few they are.
        let frame = self.choices.index(self.frames.len());
        let var = *self.choices.pick(&self.frames[frame])?;
        self.is_visible(var).then_some(var)
    }
}
