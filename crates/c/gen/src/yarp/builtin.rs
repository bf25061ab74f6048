//! Functions that compilers know: bit counts, byte swaps, expectations, memory copies.

use super::Yarp;
use super::scope::VarPool;
use ctree::{ArrayLen, ExprId, FuncId, Quals, StmtId, Ty, VarId};

/// Name without `__builtin_`, parameter, result. All are defined for every value.
const UNARY: &[(&str, Ty, Ty)] = &[
    ("popcount", Ty::UINT, Ty::INT),
    ("popcountl", Ty::ULONG, Ty::INT),
    ("parity", Ty::UINT, Ty::INT),
    ("parityl", Ty::ULONG, Ty::INT),
    ("ffs", Ty::INT, Ty::INT),
    ("ffsl", Ty::LONG, Ty::INT),
    ("bswap16", Ty::USHORT, Ty::USHORT),
    ("bswap32", Ty::UINT, Ty::UINT),
    ("bswap64", Ty::ULONG, Ty::ULONG),
];

impl Yarp {
    /// A builtin function; compilers need no declaration.
    fn builtin(&mut self, name: &str, ret: Ty, params: &[Ty]) -> FuncId {
        let name = format!("__builtin_{name}");
        let sym = self.program.names.intern(&name);
        if let Some(&func) = self.builtins.get(&sym) {
            return func;
        }
        let ty = self.program.func_type(ret, params, false);
        let func = self.program.add_func(&name, ty);
        self.builtins.insert(sym, func);
        func
    }

    /// A call of a builtin on a value.
    pub(super) fn builtin_call(&mut self, depth: i64) -> ExprId {
        let value = self.expr(depth - 1);
        if self.choices.chance(25) {
            let func = self.builtin("expect", Ty::LONG, &[Ty::LONG, Ty::LONG]);
            let likely = self.choices.range(0..=1);
            let likely = self.program.int_const(Ty::LONG, i128::from(likely));
            return self.program.call_func(func, &[value, likely]);
        }
        let (name, param, ret) = UNARY[self.choices.index(UNARY.len())];
        let func = self.builtin(name, ret, &[param]);
        self.program.call_func(func, &[value])
    }

    /// `memcpy`, `memmove` or `memset` of arrays.
    pub(super) fn memory_statement(&mut self, stmts: &mut Vec<StmtId>) {
        let arrays = |s: &Yarp, pool| -> Vec<VarId> {
            let all = s.scope.all(pool).iter().copied();
            all.filter(|&v| s.plain_array(v).is_some()).collect()
        };
        let targets = arrays(self, VarPool::WriteArray);
        let Some(&to) = self.choices.pick(&targets) else { return self.assign(stmts) };
        let Some((elem, length)) = self.plain_array(to) else { return self.assign(stmts) };
        let sources = arrays(self, VarPool::ReadArray);
        let sources: Vec<VarId> = sources
            .into_iter()
            .filter(|&v| v != to && self.plain_array(v).is_some_and(|(e, _)| e == elem))
            .collect();
        let void = self.program.types.pointer(Ty::VOID);
        let from_void = self.program.types.pointer(Ty::VOID.qualified(Quals::CONST));
        let size = self.program.types.size_of(elem).unwrap_or(1) as i64;
        let call = match self.choices.pick(&sources).copied() {
            Some(from) if self.choices.chance(70) => {
                let other = self.plain_array(from).map_or(1, |(_, n)| n);
                let count = self.part_of(length.min(other));
                let name = if self.choices.chance(70) { "memcpy" } else { "memmove" };
                let func = self.builtin(name, void, &[void, from_void, Ty::ULONG]);
                let (to, from) = (self.address(to), self.address(from));
                let bytes = self.program.int_const(Ty::ULONG, i128::from(count * size));
                self.program.call_func(func, &[to, from, bytes])
            }
            _ if elem != Ty::BOOL && self.choices.chance(60) => {
                let count = self.part_of(length);
                let func = self.builtin("memset", void, &[void, Ty::INT, Ty::ULONG]);
                let (to, byte) = (self.address(to), self.choices.range(-1..=3));
                let byte = self.program.int_const(Ty::INT, i128::from(byte));
                let bytes = self.program.int_const(Ty::ULONG, i128::from(count * size));
                self.program.call_func(func, &[to, byte, bytes])
            }
            _ if length > 1 => {
                // One element further, or back.
                let func = self.builtin("memmove", void, &[void, from_void, Ty::ULONG]);
                let (one, zero) = (self.element_address(to, 1), self.element_address(to, 0));
                let (to, from) = if self.choices.chance(50) { (one, zero) } else { (zero, one) };
                let count = self.part_of(length - 1);
                let bytes = self.program.int_const(Ty::ULONG, i128::from(count * size));
                self.program.call_func(func, &[to, from, bytes])
            }
            _ => return self.assign(stmts),
        };
        self.push_expr(call, stmts);
    }

    /// All of it more often than not.
    fn part_of(&mut self, length: i64) -> i64 {
        if self.choices.chance(60) { length } else { self.choices.range(1..=length) }
    }

    fn element_address(&mut self, array: VarId, at: i64) -> ExprId {
        let at = self.program.int_const(Ty::INT, i128::from(at));
        let array = self.program.var_ref(array);
        let element = self.program.index(array, at);
        self.program.addr_of(element)
    }

    /// Element type and length of an array of integers in one dimension.
    fn plain_array(&self, var: VarId) -> Option<(Ty, i64)> {
        let (elem, ArrayLen::Known(length)) =
            self.program.types.as_array(self.program.var(var).ty)?
        else {
            return None;
        };
        let is_int = matches!(self.program.types.shape(elem), ctree::TypeKind::Int(_));
        is_int.then_some((self.program.types.resolved(elem).unqual(), length as i64))
    }
}
