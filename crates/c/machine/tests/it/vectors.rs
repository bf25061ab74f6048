//! Random programs of vector operations, built as trees: the machine against gcc and clang at -O0.
//!
//! A case is a function that works on a few vectors and prints them. Each runs alone in the machine;
//! those that finish are compiled together, because starting a compiler is what takes the time, and
//! their output must be the machine's. The text of a case must also read back as the tree that was
//! built, so that the builder types vectors as the parser does.
//!
//! `VECTOR_CASES=20000 cargo test -p cmachine --test vectors` runs more than the suite does.

// Only `sandbox` starts processes in the product; a test may.
#![allow(clippy::disallowed_methods)]

use choice::Choices;
use cmachine::{Exit, MachineConfig, Outcome};
use ctree::*;
use std::path::Path;
use std::process::Command;

const COMPILERS: [&str; 2] = ["gcc", "clang-16"];
/// Cases of the suite: three files for each compiler.
const CASES: u64 = 300;
/// Cases in one file.
const TOGETHER: u64 = 100;

const ELEMENTS: [Ty; 13] = [
    Ty::CHAR,
    Ty::SCHAR,
    Ty::UCHAR,
    Ty::SHORT,
    Ty::USHORT,
    Ty::INT,
    Ty::UINT,
    Ty::LONG,
    Ty::ULONG,
    Ty::LLONG,
    Ty::FLOAT,
    Ty::DOUBLE,
    Ty::INT128,
];

/// A place of a vector type.
#[derive(Clone, Copy)]
enum Home {
    Var(VarId),
    /// An element of an array variable.
    Element(VarId, u64),
    Member(VarId),
    /// What a pointer variable points to.
    Pointed(VarId),
}

struct Maker<'c> {
    p: Program,
    choices: &'c mut Choices,
    seed: u64,
    names: u32,
    /// Few types for each case, so that its vectors and functions go together.
    favourites: Vec<Ty>,
    homes: Vec<(Home, Ty)>,
    functions: Vec<(FuncId, Ty)>,
    printf: FuncId,
    /// Vectors made for the current statement.
    size: u32,
}

impl Maker<'_> {
    fn below(&mut self, n: u64) -> u64 {
        self.choices.below(n)
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}_{}_{}", self.seed, self.names)
    }

    fn item(&mut self, item: Item) {
        self.p.units[0].items.push(item);
    }

    fn elem(&self, ty: Ty) -> Ty {
        self.p.types.lanes(ty).expect("a vector").0
    }

    fn count(&self, ty: Ty) -> u64 {
        self.p.types.lanes(ty).expect("a vector").1.into()
    }

    fn is_float(&self, ty: Ty) -> bool {
        self.p.types.float_kind(self.elem(ty)).is_some()
    }

    fn is_signed(&self, ty: Ty) -> bool {
        self.p.types.int_bits(self.elem(ty)).is_some_and(|(_, signed)| signed)
    }

    fn bits(&self, ty: Ty) -> u64 {
        self.p.types.size_of(self.elem(ty)).unwrap_or(0) * 8
    }

    /// The vector type of the same shape with unsigned lanes.
    fn unsigned(&mut self, ty: Ty) -> Ty {
        let elem = self.elem(ty);
        let elem = self.p.types.int_kind(elem).map_or(elem, |kind| kind.to_unsigned().ty());
        let lanes = self.count(ty);
        self.p.types.vector(elem, lanes as u32)
    }

    fn vector_type(&mut self) -> Ty {
        let favourite = self.choices.pick(&self.favourites).copied();
        favourite.unwrap_or_else(|| self.any_type())
    }

    fn any_type(&mut self) -> Ty {
        let elem = ELEMENTS[self.below(ELEMENTS.len() as u64) as usize];
        let size = self.p.types.size_of(elem).unwrap_or(1);
        let bytes = [8, 16, 16, 16, 32, 64][self.below(6) as usize].max(size);
        // Now and then a single lane.
        let lanes = if self.below(12) == 0 { 1 } else { bytes / size };
        self.p.types.vector(elem, lanes as u32)
    }

    /// A value of an integer or floating type; interesting ones are near the ends of its range.
    fn constant(&mut self, elem: Ty) -> ExprId {
        if self.p.types.float_kind(elem).is_some() {
            let value = [0.0, 1.0, -1.0, 0.5, 3.25, -7.0, 100.0][self.below(7) as usize];
            return self.p.float_const(elem, value);
        }
        let (bits, signed) = self.p.types.int_bits(elem).expect("an integer type");
        let bits = bits.min(64);
        let raw = match self.below(6) {
            0 => self.choices.bits(64),
            1 => 1 << self.below(bits.into()),
            2 => (1u64 << self.below(bits.into())).wrapping_neg(),
            3 => (1u64 << (bits - 1)).wrapping_sub(self.below(3)),
            _ => self.below(10),
        };
        let shift = 64 - bits;
        let value = match signed {
            true => i128::from((raw << shift) as i64 >> shift),
            false => i128::from(raw << shift >> shift),
        };
        let literal = self.p.int_const(elem, value);
        // A scalar beside a vector must have exactly its element's type.
        if self.p.expr(literal).ty == elem { literal } else { self.p.cast(elem, literal) }
    }

    fn place(&mut self, home: Home) -> ExprId {
        match home {
            Home::Var(v) => self.p.var_ref(v),
            Home::Element(v, len) => {
                let array = self.p.var_ref(v);
                let at = self.below(len);
                let at = self.p.int_const(Ty::INT, at.into());
                self.p.index(array, at)
            }
            Home::Member(v) => {
                let record = self.p.var_ref(v);
                self.p.member(record, 1)
            }
            Home::Pointed(v) => {
                let pointer = self.p.var_ref(v);
                self.p.deref(pointer)
            }
        }
    }

    /// A place that holds a vector of the type, or of any.
    fn lvalue(&mut self, ty: Option<Ty>) -> Option<(ExprId, Ty)> {
        let fitting: Vec<_> =
            self.homes.iter().copied().filter(|h| ty.is_none_or(|ty| h.1 == ty)).collect();
        let &(home, ty) = self.choices.pick(&fitting)?;
        Some((self.place(home), ty))
    }

    /// A lane of any vector, the index constant or computed.
    fn lane(&mut self, of: ExprId, ty: Ty) -> ExprId {
        let last = self.count(ty) - 1;
        let index = if self.below(3) == 0 {
            // Some other lane's value, brought into range.
            let any = self.lvalue(None);
            match any {
                Some((other, other_ty)) if !self.is_float(other_ty) => {
                    let at = self.below(self.count(other_ty));
                    let at = self.p.int_const(Ty::INT, at.into());
                    let value = self.p.index(other, at);
                    let value = self.p.cast(Ty::ULONG, value);
                    let mask = self.p.int_const(Ty::ULONG, last.into());
                    self.p.binary(BinOp::BitAnd, value, mask)
                }
                _ => self.p.int_const(Ty::INT, last.into()),
            }
        } else {
            let at = self.below(last + 1);
            self.p.int_const(Ty::INT, at.into())
        };
        self.p.index(of, index)
    }

    /// A scalar of exactly the given type.
    fn scalar(&mut self, elem: Ty, depth: u32) -> ExprId {
        if depth == 0 || self.below(2) == 0 {
            return self.constant(elem);
        }
        let ty = match self.lvalue(None) {
            Some((_, ty)) if self.below(2) == 0 => ty,
            _ => self.vector_type(),
        };
        if self.is_float(ty) || self.p.types.float_kind(elem).is_some() {
            return self.constant(elem);
        }
        let vector = self.vector(ty, depth - 1);
        let lane = self.lane(vector, ty);
        self.p.cast(elem, lane)
    }

    /// A vector of exactly the given type.
    fn vector(&mut self, ty: Ty, depth: u32) -> ExprId {
        self.size += 1;
        if depth == 0 || self.size > 60 || self.below(5) == 0 {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        match self.below(14) {
            0..=2 => self.safe_arithmetic(ty, depth),
            3 => self.raw_arithmetic(ty, depth),
            4 if !self.is_float(ty) => self.bitwise(ty, depth),
            5 if !self.is_float(ty) => self.shift(ty, depth),
            6 if !self.is_float(ty) => self.division(ty, depth),
            7 if !self.is_float(ty) => self.comparison(ty, depth),
            8 if !self.is_float(ty) => self.reinterpreted(ty, depth),
            9 => {
                let op =
                    if self.is_float(ty) || self.below(2) == 0 { UnOp::Plus } else { UnOp::BitNot };
                let operand = self.vector(ty, depth);
                self.p.unary(op, operand)
            }
            10 => {
                let cond = self.scalar(Ty::INT, depth);
                let (a, b) = (self.vector(ty, depth), self.vector(ty, depth));
                self.p.cond(cond, Some(a), b)
            }
            11 => self.call(ty, depth),
            12 => {
                let lanes = self.below(self.count(ty) + 1);
                let elem = self.elem(ty);
                let lanes: Vec<_> =
                    (0..lanes).map(|_| self.scalar(elem, depth.saturating_sub(1))).collect();
                self.p.vector_lit(ty, &lanes)
            }
            13 => {
                let assigned = self.lvalue(Some(ty));
                let left = match assigned {
                    // Where that is unsequenced beside another access, the machine says so.
                    Some((target, _)) if self.below(3) == 0 => {
                        let value = self.vector(ty, depth);
                        self.p.assign(target, value)
                    }
                    _ => self.scalar(Ty::INT, depth),
                };
                let right = self.vector(ty, depth);
                self.p.binary(BinOp::Comma, left, right)
            }
            _ => self.safe_arithmetic(ty, depth),
        }
    }

    fn leaf(&mut self, ty: Ty) -> ExprId {
        match self.lvalue(Some(ty)) {
            Some((e, _)) if self.below(4) != 0 => e,
            _ => {
                let (elem, lanes) = (self.elem(ty), self.count(ty));
                let lanes: Vec<_> = (0..lanes).map(|_| self.constant(elem)).collect();
                self.p.vector_lit(ty, &lanes)
            }
        }
    }

    /// The other operand: a vector, or a scalar that is spread.
    fn operand(&mut self, ty: Ty, depth: u32) -> ExprId {
        match self.below(4) {
            0 => {
                let elem = self.elem(ty);
                self.scalar(elem, depth)
            }
            _ => self.vector(ty, depth),
        }
    }

    fn arithmetic_op(&mut self) -> BinOp {
        [BinOp::Add, BinOp::Sub, BinOp::Mul][self.below(3) as usize]
    }

    /// In unsigned lanes, or floating ones.
    fn safe_arithmetic(&mut self, ty: Ty, depth: u32) -> ExprId {
        let unsigned = self.unsigned(ty);
        let op = self.arithmetic_op();
        let left = self.vector(ty, depth);
        let left = if unsigned == ty { left } else { self.p.cast(unsigned, left) };
        let right = self.operand(unsigned, depth);
        let (left, right) = if self.below(2) == 0 { (left, right) } else { (right, left) };
        let result = self.p.binary(op, left, right);
        if unsigned == ty { result } else { self.p.cast(ty, result) }
    }

    /// In the lanes' own type, on few of their bits so that signed ones seldom overflow.
    fn raw_arithmetic(&mut self, ty: Ty, depth: u32) -> ExprId {
        if self.is_float(ty) {
            let operand = self.vector(ty, depth);
            return self.p.unary(UnOp::Neg, operand);
        }
        let op = self.arithmetic_op();
        let (left, right) = (self.vector(ty, depth), self.vector(ty, depth));
        let (left, right) = (self.masked(left, ty, 7), self.masked(right, ty, 15));
        let result = self.p.binary(op, left, right);
        if self.below(3) == 0 { self.p.unary(UnOp::Neg, result) } else { result }
    }

    fn masked(&mut self, e: ExprId, ty: Ty, mask: i128) -> ExprId {
        let elem = self.elem(ty);
        let mask = self.p.int_const(elem, mask);
        let mask = if self.p.expr(mask).ty == elem { mask } else { self.p.cast(elem, mask) };
        self.p.binary(BinOp::BitAnd, e, mask)
    }

    fn bitwise(&mut self, ty: Ty, depth: u32) -> ExprId {
        let op = [BinOp::BitAnd, BinOp::BitOr, BinOp::BitXor][self.below(3) as usize];
        let (left, right) = (self.vector(ty, depth), self.operand(ty, depth));
        self.p.binary(op, left, right)
    }

    fn shift(&mut self, ty: Ty, depth: u32) -> ExprId {
        let last = i128::from(self.bits(ty) - 1);
        let right = self.below(2) == 0;
        let (op, of) = match right {
            true => (BinOp::Shr, ty),
            false => (BinOp::Shl, self.unsigned(ty)),
        };
        let left = self.vector(of, depth);
        let count = match self.below(3) {
            0 => self.p.int_const(Ty::INT, last.min(5)),
            1 => {
                let value = self.scalar(Ty::ULONG, depth);
                let mask = self.p.int_const(Ty::ULONG, last);
                self.p.binary(BinOp::BitAnd, value, mask)
            }
            _ => {
                let of = if self.below(2) == 0 { ty } else { self.unsigned(ty) };
                let counts = self.vector(of, depth);
                self.masked(counts, of, last)
            }
        };
        let result = self.p.binary(op, left, count);
        if of == ty { result } else { self.p.cast(ty, result) }
    }

    fn division(&mut self, ty: Ty, depth: u32) -> ExprId {
        let op = if self.below(2) == 0 { BinOp::Div } else { BinOp::Rem };
        let left = self.vector(ty, depth);
        let right = self.vector(ty, depth);
        // Odd and, in signed lanes, positive.
        let mask = if self.is_signed(ty) { 63 } else { 255 };
        let right = self.masked(right, ty, mask);
        let elem = self.elem(ty);
        let one = self.p.int_const(elem, 1);
        let one = self.p.cast(elem, one);
        let right = self.p.binary(BinOp::BitOr, right, one);
        self.p.binary(op, left, right)
    }

    fn comparison(&mut self, ty: Ty, depth: u32) -> ExprId {
        use BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let size = self.p.types.size_of(self.elem(ty));
        let same: Vec<Ty> =
            ELEMENTS.into_iter().filter(|&e| self.p.types.size_of(e) == size).collect();
        let elem = same[self.below(same.len() as u64) as usize];
        let lanes = self.count(ty) as u32;
        let of = self.p.types.vector(elem, lanes);
        let op = [Lt, Gt, Le, Ge, Eq, Ne][self.below(6) as usize];
        let (left, right) = (self.vector(of, depth), self.operand(of, depth));
        let mask = self.p.binary(op, left, right);
        self.p.cast(ty, mask)
    }

    /// The bytes of another vector, or of an integer.
    fn reinterpreted(&mut self, ty: Ty, depth: u32) -> ExprId {
        let size = self.p.types.size_of(ty).unwrap_or(0);
        if size == 8 && self.below(2) == 0 {
            let value = self.scalar(Ty::LONG, depth);
            return self.p.cast(ty, value);
        }
        let elem = ELEMENTS[self.below(ELEMENTS.len() as u64) as usize];
        let elem_size = self.p.types.size_of(elem).unwrap_or(1);
        if elem_size > size || self.p.types.float_kind(elem).is_some() {
            return self.leaf(ty);
        }
        let from = self.p.types.vector(elem, (size / elem_size) as u32);
        let value = self.vector(from, depth);
        self.p.cast(ty, value)
    }

    fn call(&mut self, ty: Ty, depth: u32) -> ExprId {
        let fitting: Vec<_> = self.functions.iter().filter(|f| f.1 == ty).map(|f| f.0).collect();
        let Some(&func) = self.choices.pick(&fitting) else { return self.leaf(ty) };
        let args = [self.vector(ty, depth), self.scalar(Ty::INT, depth), self.vector(ty, depth)];
        self.p.call_func(func, &args)
    }

    fn assignment(&mut self) -> ExprId {
        self.size = 0;
        let Some((target, ty)) = self.lvalue(None) else { return self.constant(Ty::INT) };
        match self.below(10) {
            0..=4 => {
                let value = self.vector(ty, 3);
                self.p.assign(target, value)
            }
            5..=7 => {
                let op = if self.is_float(ty) {
                    self.arithmetic_op()
                } else if self.is_signed(ty) {
                    [BinOp::BitAnd, BinOp::BitOr, BinOp::BitXor, BinOp::Shr][self.below(4) as usize]
                } else {
                    [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::BitXor, BinOp::Shl, BinOp::Shr]
                        [self.below(6) as usize]
                };
                let value = if let BinOp::Shl | BinOp::Shr = op {
                    let last = i128::from(self.bits(ty) - 1);
                    let value = self.vector(ty, 2);
                    self.masked(value, ty, last)
                } else {
                    self.operand(ty, 3)
                };
                self.p.assign_op(op, target, value)
            }
            _ => {
                let lane = self.lane(target, ty);
                let elem = self.elem(ty);
                let value = self.scalar(elem, 3);
                if self.below(2) == 0 || self.is_signed(ty) {
                    self.p.assign(lane, value)
                } else {
                    self.p.assign_op(BinOp::Add, lane, value)
                }
            }
        }
    }

    /// Prints the lanes of a place.
    fn shown(&mut self, home: Home, ty: Ty, stmts: &mut Vec<StmtId>) {
        for i in 0..self.count(ty) {
            let lane = self.lane_at(home, i);
            let (format, value) = if self.is_float(ty) {
                // Which not-a-number it is, is nobody's business.
                let again = self.lane_at(home, i);
                let number = self.p.binary(BinOp::Eq, lane, again);
                let value = self.lane_at(home, i);
                let value = self.p.cast(Ty::DOUBLE, value);
                let zero = self.p.float_const(Ty::DOUBLE, 0.0);
                (" %.17g", self.p.cond(number, Some(value), zero))
            } else {
                (" %lx", self.p.cast(Ty::ULONG, lane))
            };
            let format = if i == 0 { format!("\n{}{format}", self.seed) } else { format.into() };
            let format = self.p.str_const(format.as_bytes());
            let call = self.p.call_func(self.printf, &[format, value]);
            stmts.push(self.p.expr_stmt(call));
        }
    }

    fn lane_at(&mut self, home: Home, lane: u64) -> ExprId {
        let of = match home {
            Home::Element(v, _) => {
                let array = self.p.var_ref(v);
                let first = self.p.int_const(Ty::INT, 0);
                self.p.index(array, first)
            }
            _ => self.place(home),
        };
        let at = self.p.int_const(Ty::INT, lane.into());
        self.p.index(of, at)
    }

    fn home(&mut self, stmts: &mut Vec<StmtId>) {
        let ty = self.vector_type();
        self.size = 0;
        let value = self.vector(ty, 2);
        let name = self.name("v");
        let home = match self.below(6) {
            0 => {
                let array = self.p.types.array(ty, 2);
                let at = self.below(2);
                let item = InitItem { first: at, last: at, init: Init::Expr(value) };
                let (v, decl) = self.p.local(&name, array, Some(Init::List(vec![item])));
                stmts.push(decl);
                Home::Element(v, 2)
            }
            1 => Home::Member(self.record(&name, ty, value, stmts)),
            2 => {
                let (v, decl) = self.p.local(&name, ty, Some(Init::Expr(value)));
                stmts.push(decl);
                let pointer = self.name("p");
                let place = self.p.var_ref(v);
                let address = self.p.addr_of(place);
                let to = self.p.types.pointer(ty);
                let (at, decl) = self.p.local(&pointer, to, Some(Init::Expr(address)));
                stmts.push(decl);
                Home::Pointed(at)
            }
            3 => {
                let v = self.p.add_var(&name, ty, Scope::File);
                self.item(Item::Var(v));
                let target = self.p.var_ref(v);
                let assign = self.p.assign(target, value);
                stmts.push(self.p.expr_stmt(assign));
                Home::Var(v)
            }
            _ => {
                let (v, decl) = self.p.local(&name, ty, Some(Init::Expr(value)));
                stmts.push(decl);
                Home::Var(v)
            }
        };
        self.homes.push((home, ty));
    }

    /// A variable `struct { char c; V v; }`.
    fn record(&mut self, name: &str, ty: Ty, value: ExprId, stmts: &mut Vec<StmtId>) -> VarId {
        let tag = self.name("s");
        let tag = Some(self.p.names.intern(&tag));
        let names = [self.p.names.intern("c"), self.p.names.intern("v")];
        let fields = vec![Field::new(Some(names[0]), Ty::CHAR), Field::new(Some(names[1]), ty)];
        let id = RecordId(self.p.types.records.len() as u32);
        self.p.types.records.push(Record {
            tag,
            kind: RecordKind::Struct,
            fields,
            complete: false,
            packed: self.choices.chance(20),
            min_align: None,
            size: 0,
            align: 0,
        });
        self.p.types.complete_record(id);
        self.item(Item::Record(id));
        let ty = self.p.types.intern(TypeKind::Record(id));
        let item = InitItem { first: 1, last: 1, init: Init::Expr(value) };
        let (v, decl) = self.p.local(name, ty, Some(Init::List(vec![item])));
        stmts.push(decl);
        v
    }

    fn function(&mut self) {
        let ty = self.vector_type();
        let params = [ty, Ty::INT, ty];
        let fty = self.p.func_type(ty, &params, false);
        let name = self.name("f");
        let func = self.p.add_func(&name, fty);
        self.p.funcs[func.index()].storage = FuncStorage::Static;
        for ty in params {
            let name = self.name("a");
            let param = self.p.add_var(&name, ty, Scope::Param);
            self.p.funcs[func.index()].params.push(param);
            if ty != Ty::INT {
                self.homes.push((Home::Var(param), ty));
            }
        }
        let mut stmts = Vec::new();
        self.home(&mut stmts);
        for _ in 0..self.below(3) {
            let e = self.assignment();
            stmts.push(self.p.expr_stmt(e));
        }
        self.size = 0;
        let value = self.vector(ty, 2);
        stmts.push(self.p.make_stmt(StmtKind::Return(Some(value))));
        let body = self.p.block(stmts);
        self.p.funcs[func.index()].body = Some(body);
        self.homes.clear();
        self.item(Item::Func(func));
        self.functions.push((func, ty));
    }

    /// The function of the case, and `main` after it.
    fn build(&mut self) {
        self.item(Item::FuncDecl(self.printf));
        self.favourites = vec![self.any_type(), self.any_type(), self.any_type()];
        for _ in 0..2 {
            self.function();
        }
        let mut stmts = Vec::new();
        for _ in 0..3 + self.below(3) {
            self.home(&mut stmts);
        }
        for _ in 0..4 + self.below(5) {
            let e = self.assignment();
            stmts.push(self.p.expr_stmt(e));
        }
        for (home, ty) in self.homes.clone() {
            self.shown(home, ty, &mut stmts);
        }
        let ty = self.p.func_type(Ty::VOID, &[], false);
        let case = self.p.add_func(&format!("case_{}", self.seed), ty);
        self.p.funcs[case.index()].body = Some(self.p.block(stmts));
        self.item(Item::Func(case));
        let ty = self.p.func_type(Ty::INT, &[], false);
        let main = self.p.add_func("main", ty);
        let call = self.p.call_func(case, &[]);
        let zero = self.p.int_const(Ty::INT, 0);
        let stmts = vec![self.p.expr_stmt(call), self.p.make_stmt(StmtKind::Return(Some(zero)))];
        self.p.funcs[main.index()].body = Some(self.p.block(stmts));
        self.item(Item::Func(main));
    }
}

fn case(seed: u64) -> Program {
    let mut p = Program::new(DataModel::X86_64_SYSV);
    p.add_unit("vectors.c");
    let text = p.types.pointer(Ty::CHAR.qualified(Quals::CONST));
    let ty = p.func_type(Ty::INT, &[text], true);
    let printf = p.add_func("printf", ty);
    p.funcs[printf.index()].storage = FuncStorage::Extern;
    let mut choices = Choices::new(seed);
    let mut maker = Maker {
        p,
        choices: &mut choices,
        seed,
        names: 0,
        favourites: Vec::new(),
        homes: Vec::new(),
        functions: Vec::new(),
        printf,
        size: 0,
    };
    maker.build();
    maker.p
}

/// The text reads back as the tree it was made from.
fn check_read_back(seed: u64, program: &Program) {
    let text = ctree::print::print_unit(program, UnitId(0));
    let mut read = Program::new(DataModel::X86_64_SYSV);
    let back = cparse::parse_unit(&mut read, "printed.c", &text)
        .unwrap_or_else(|error| panic!("case {seed} is not read back: {error:?}\n{text}"));
    let (before, after) =
        (ctree::dump::dump_unit(program, UnitId(0)), ctree::dump::dump_unit(&read, back));
    let changed = before.lines().zip(after.lines()).find(|(a, b)| a != b);
    assert!(changed.is_none(), "case {seed}: the tree changed: {changed:#?}\n{text}");
}

/// What the machine prints; `None` where C does not say, which is nobody's fault.
fn machine(seed: u64, program: &Program) -> Option<String> {
    let report = cmachine::run(program, &MachineConfig::default());
    match report.outcome {
        Outcome::Finished(Exit::Status(0)) => {
            Some(String::from_utf8_lossy(&report.stdout).into_owned())
        }
        Outcome::Undefined(..) | Outcome::Unspecified(..) => None,
        other => panic!("case {seed}: {other:?}"),
    }
}

/// Compiles the cases as one program and compares; the seeds of those that differ.
fn compare(cc: &str, cases: &[(u64, Program, String)]) -> Vec<u64> {
    let mut text = String::new();
    for (_, program, _) in cases {
        let mut unit = program.clone();
        unit.units[0].items.pop(); // its own main
        text += &ctree::print::print_unit(&unit, UnitId(0));
    }
    let calls: String = cases.iter().map(|(seed, ..)| format!("case_{seed}();\n")).collect();
    text += &format!("int main(void) {{\n{calls}return 0;\n}}\n");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let stem = folder.join(format!("vectors-{}-{}", std::process::id(), cases.len()));
    let (source, binary) = (stem.with_extension("c"), stem.with_extension("exe"));
    std::fs::write(&source, text).unwrap();
    let flags = ["-std=gnu11", "-w", "-Wno-psabi", "-O0", "-o"];
    let status = Command::new(cc).args(flags).arg(&binary).arg(&source).status().unwrap();
    assert!(status.success(), "{cc} refuses {}", source.display());
    let output = Command::new(&binary).output().unwrap();
    assert!(output.status.success(), "{cc}: {} fails", binary.display());
    let native = String::from_utf8(output.stdout).unwrap();
    for file in [source, binary] {
        std::fs::remove_file(file).unwrap();
    }
    let mut rest = native.as_str();
    let mut wrong = Vec::new();
    for (seed, _, expected) in cases {
        // Each line begins with its case's number.
        let lines = expected.matches('\n').count();
        let end = rest.match_indices('\n').nth(lines).map_or(rest.len(), |(at, _)| at);
        if rest[..end] != **expected {
            wrong.push(*seed);
        }
        rest = &rest[end..];
    }
    wrong
}

fn installed() -> Vec<&'static str> {
    let answers = |cc: &&str| Command::new(cc).arg("--version").output().is_ok();
    let found: Vec<&str> = COMPILERS.into_iter().filter(answers).collect();
    let all = found.len() == COMPILERS.len();
    assert!(
        all || std::env::var_os("CI").is_none(),
        "set-up installs {COMPILERS:?}: CI skips none"
    );
    found
}

#[test]
fn the_machine_agrees_with_compilers() {
    let wanted = std::env::var("VECTOR_CASES").ok().and_then(|text| text.parse().ok());
    let cases: u64 = wanted.unwrap_or(CASES);
    let compilers = installed();
    let (mut compared, mut wrong) = (0, Vec::new());
    for first in (0..cases).step_by(TOGETHER as usize) {
        let made = (first..(first + TOGETHER).min(cases)).filter_map(|seed| {
            let program = case(seed);
            check_read_back(seed, &program);
            let output = machine(seed, &program)?;
            Some((seed, program, output))
        });
        let made: Vec<_> = made.collect();
        compared += made.len();
        for cc in &compilers {
            wrong.extend(compare(cc, &made).into_iter().map(|seed| (*cc, seed)));
        }
    }
    assert!(wrong.is_empty(), "{} cases differ: {wrong:?}", wrong.len());
    assert!(compared as u64 * 2 > cases, "only {compared} of {cases} are defined");
    println!("{compared} of {cases} cases compared");
}

#[test]
fn a_difference_is_noticed() {
    let Some(cc) = installed().first().copied() else { return };
    let made = (0..3).filter_map(|seed| {
        let program = case(seed);
        let output = machine(seed, &program)?;
        Some((seed, program, output))
    });
    let mut made: Vec<_> = made.collect();
    made[1].2.push('1');
    assert_eq!(compare(cc, &made), [made[1].0]);
}
