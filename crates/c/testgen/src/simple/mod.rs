//! Executable programs without undefined and unspecified behaviour, by simple construction rules.
//!
//! Arithmetic is unsigned, shift counts and array indices are masked, divisors are made odd, loops
//! count, functions call only those before them, and a full expression has at most one side effect.
//! Every program prints a checksum over its globals, so that two compilers can be compared by their
//! output. The generators of `cgen` need no such rules and cover far more.

mod data;
mod expr;
mod stmt;

use choice::Choices;
use ctree::{
    BinOp, DataModel, FuncId, FuncStorage, Init, Item, Program, Quals, RecordId, Scope, StmtId,
    StmtKind, Storage, Ty, UnitId, VarId,
};

/// A random program of one unit with a `main` that prints one line and returns 0.
pub fn simple(choices: &mut Choices) -> Program {
    let mut simple = Simple::new(choices);
    simple.build();
    simple.program
}

/// Statements that a program may execute, by a rough count: a compiled program takes microseconds,
/// the machine and sanitizers milliseconds.
const COST: u64 = 20_000;

/// Statements in a program's text; about 20 KB, so that a compiler takes a fraction of a second.
const SIZE: u32 = 250;

/// A function that may be called, and what a call costs.
struct Callee {
    func: FuncId,
    cost: u64,
}

struct Simple<'c> {
    program: Program,
    choices: &'c mut Choices,
    unit: UnitId,
    names: u32,
    /// Global objects; all of them go into the checksum.
    globals: Vec<VarId>,
    /// Pointers to globals.
    pointers: Vec<VarId>,
    volatiles: Vec<VarId>,
    records: Vec<RecordId>,
    /// Variables of the function being built: those that may be written, those that may not.
    locals: Vec<VarId>,
    frozen: Vec<VarId>,
    callees: Vec<Callee>,
    checksum: VarId,
    mix: FuncId,
    /// Product of the bounds of the enclosing loops.
    repeats: u64,
    /// Statements that may still be written.
    size: u32,
    /// What one call of the function being built costs so far.
    cost: u64,
}

impl<'c> Simple<'c> {
    fn new(choices: &'c mut Choices) -> Self {
        let mut program = Program::new(DataModel::X86_64_SYSV);
        let unit = program.add_unit("simple.c");
        let checksum = program.add_var("checksum", Ty::ULONG, Scope::File);
        let mix_type = program.func_type(Ty::VOID, &[Ty::ULONG], false);
        let mix = program.add_func("mix", mix_type);
        Simple {
            program,
            choices,
            unit,
            names: 0,
            globals: Vec::new(),
            pointers: Vec::new(),
            volatiles: Vec::new(),
            records: Vec::new(),
            locals: Vec::new(),
            frozen: Vec::new(),
            callees: Vec::new(),
            checksum,
            mix,
            repeats: 1,
            size: 0,
            cost: 0,
        }
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn item(&mut self, item: Item) {
        self.program.units[self.unit.index()].items.push(item);
    }

    fn below(&mut self, n: u64) -> u64 {
        self.choices.below(n)
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.choices.chance(percent)
    }

    fn build(&mut self) {
        let printf = self.declare_printf();
        self.define_mix();
        for _ in 0..1 + self.below(2) {
            self.record();
        }
        for _ in 0..4 + self.below(6) {
            self.global();
        }
        for _ in 0..self.below(4) {
            self.pointer();
        }
        let functions = 2 + self.below(4) as u32;
        for _ in 0..functions {
            self.size = SIZE / (functions + 1);
            self.function();
        }
        self.size = SIZE / (functions + 1);
        self.main(printf);
    }

    fn declare_printf(&mut self) -> FuncId {
        let text = self.program.types.pointer(Ty::CHAR.qualified(Quals::CONST));
        let ty = self.program.func_type(Ty::INT, &[text], true);
        let printf = self.program.add_func("printf", ty);
        self.program.funcs[printf.index()].storage = FuncStorage::Extern;
        self.item(Item::FuncDecl(printf));
        printf
    }

    /// `checksum = (checksum ^ value) * PRIME`, as FNV-1a does with bytes.
    fn define_mix(&mut self) {
        let init = self.program.int_const(Ty::ULONG, 0xcbf2_9ce4_8422_2325);
        let checksum = &mut self.program.vars[self.checksum.index()];
        checksum.storage = Storage::Static;
        checksum.init = Some(Init::Expr(init));
        self.item(Item::Var(self.checksum));
        let value = self.program.add_var("value", Ty::ULONG, Scope::Param);
        let (old, new) = (self.program.var_ref(self.checksum), self.program.var_ref(value));
        let mixed = self.program.binary(BinOp::BitXor, old, new);
        let prime = self.program.int_const(Ty::ULONG, 0x100_0000_01b3);
        let product = self.program.binary(BinOp::Mul, mixed, prime);
        let target = self.program.var_ref(self.checksum);
        let assign = self.program.assign(target, product);
        let stmt = self.program.expr_stmt(assign);
        let body = self.program.block(vec![stmt]);
        let func = &mut self.program.funcs[self.mix.index()];
        func.storage = FuncStorage::Static;
        func.params = vec![value];
        func.body = Some(body);
        self.item(Item::Func(self.mix));
    }

    fn function(&mut self) {
        let types = [Ty::INT, Ty::UINT, Ty::LONG, Ty::ULONG, Ty::SHORT, Ty::UCHAR];
        let count = 1 + self.below(3);
        let params: Vec<Ty> = (0..count).map(|_| types[self.below(6) as usize]).collect();
        let ret = types[self.below(6) as usize];
        let ty = self.program.func_type(ret, &params, false);
        let name = self.fresh("f");
        let func = self.program.add_func(&name, ty);
        self.program.funcs[func.index()].storage =
            if self.chance(70) { FuncStorage::Static } else { FuncStorage::None };
        for ty in params {
            let name = self.fresh("p");
            let param = self.program.add_var(&name, ty, Scope::Param);
            self.program.funcs[func.index()].params.push(param);
            self.locals.push(param);
        }
        (self.cost, self.repeats) = (1, 1);
        let mut stmts = self.stmts(3);
        let value = self.value(Ty::ULONG, 3);
        let value = self.program.convert(value, ret);
        stmts.push(self.program.make_stmt(StmtKind::Return(Some(value))));
        let body = self.program.block(stmts);
        self.program.funcs[func.index()].body = Some(body);
        self.locals.clear();
        self.frozen.clear();
        self.item(Item::Func(func));
        self.callees.push(Callee { func, cost: self.cost });
    }

    fn main(&mut self, printf: FuncId) {
        let ty = self.program.func_type(Ty::INT, &[], false);
        let func = self.program.add_func("main", ty);
        (self.cost, self.repeats) = (1, 1);
        let mut stmts = self.stmts(3);
        for index in 0..self.callees.len() {
            // Whatever the rest did, every function is called once.
            self.call(index, &mut stmts);
        }
        for global in self.globals.clone() {
            self.mix_object(global, &mut stmts);
        }
        for global in self.volatiles.clone() {
            self.mix_object(global, &mut stmts);
        }
        let format = self.program.str_const(b"checksum = %lx\n");
        let checksum = self.program.var_ref(self.checksum);
        let call = self.program.call_func(printf, &[format, checksum]);
        stmts.push(self.program.expr_stmt(call));
        let zero = self.program.int_const(Ty::INT, 0);
        stmts.push(self.program.make_stmt(StmtKind::Return(Some(zero))));
        let body = self.program.block(stmts);
        self.program.funcs[func.index()].body = Some(body);
        self.item(Item::Func(func));
    }

    /// Several statements as the body of a block.
    fn stmts(&mut self, depth: u32) -> Vec<StmtId> {
        let visible = (self.locals.len(), self.frozen.len());
        let mut stmts = Vec::new();
        for _ in 0..2 + self.below(5) {
            if self.size > 0 {
                self.size -= 1;
                self.stmt(depth, &mut stmts);
            }
        }
        if depth < 3 {
            // A nested block's own variables end with it; the outermost one's live until the return.
            self.locals.truncate(visible.0);
            self.frozen.truncate(visible.1);
        }
        stmts
    }
}
