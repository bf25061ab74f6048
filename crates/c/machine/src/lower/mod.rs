//! Tree to code.
//!
//! One pass over each function. Scalars whose address is never taken live in registers; everything
//! else lives in memory. Where C leaves the order of operands unspecified, operands without
//! calls go first, and where two of them might conflict ([`effects`]), the code brackets
//! them so that the machine detects a conflict ([`crate::sequence`]).
//!
//! What cannot be compiled becomes an operation that stops with `Unsupported` when reached: code
//! that is never executed may contain anything.

mod assign;
mod call;
mod effects;
mod expr;
mod init;
mod lvalue;
mod ops;
mod scan;
mod stmt;
mod vector;
mod watch;

pub(crate) use call::call_agrees;

use crate::Hooks;
use crate::classes::Classes;
use crate::code::*;
use crate::compat;
use crate::kind::ScalarKind;
use crate::memory::{OFFSET_BITS, Origin, STATIC_BASE};
use crate::outcome::UbKind;
use ctree::{
    ExprId, FuncId, FuncStorage, Item, LabelId, Program, Scope, StmtId, Storage, StrId, Sym, Ty,
    VarId,
};
use effects::{Effects, Summaries};
use std::collections::HashMap;

/// The result of compiling a construct: `Err` names what is not supported.
pub(crate) type Lowered<T> = Result<T, String>;

/// A scope of the function being compiled.
struct ScopeInfo {
    parent: Option<usize>,
    /// Variables in memory whose lifetime is this scope: (local, declared rather than temporary).
    locals: Vec<(u32, bool)>,
    /// Flags of register variables to reset on entry.
    flags: Vec<Reg>,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug)]
enum VarLocation {
    Register { reg: Reg, flag: Option<Reg> },
    Frame { local: u32 },
    Static { global: u32 },
}

/// Break and continue targets.
struct LoopInfo {
    scope: usize,
    breaks: Vec<usize>,
    continues: Option<Vec<usize>>,
}

struct SwitchInfo {
    cases: Vec<(i64, i64, u32, usize)>,
    default: Option<(u32, usize)>,
}

/// State of the function being compiled.
struct FuncState {
    next: u32,
    max: u32,
    frame: u32,
    locals: Vec<Local>,
    scopes: Vec<ScopeInfo>,
    scope: usize,
    loops: Vec<LoopInfo>,
    switches: Vec<SwitchInfo>,
    gotos: Vec<(usize, usize, LabelId)>,
    labels: HashMap<LabelId, (u32, usize)>,
    has_labels: bool,
    in_switch: u32,
    /// Side effects are being logged for an enclosing assignment.
    pend: bool,
    /// Open regions around the code being emitted.
    regions: u32,
    ret: Ty,
    hidden: Option<Reg>,
    /// Static initialisers are being compiled, not a function.
    at_start: bool,
    /// Values of calls whose lifetime ends with the full expression (6.2.4p8).
    temps: Vec<u32>,
}

pub(crate) struct Lower<'a> {
    program: &'a Program,
    hooks: &'a Hooks,
    code: Code,
    var_locations: Vec<Option<VarLocation>>,
    /// Functions by external name, or by entry for internal linkage.
    func_numbers: HashMap<FuncId, u32>,
    strings: HashMap<StrId, u32>,
    facts: scan::Facts,
    summaries: Summaries,
    memo: Vec<Option<Effects>>,
    node: CodeNode,
    /// No jump targets an address from here on: the operation before may still be changed.
    last_target: u32,
    func: FuncState,
    access_ids: HashMap<PtrAccess, u32>,
    elem_ids: HashMap<ElemType, u32>,
    bound_ids: HashMap<IndexBound, u32>,
    /// Static initialisers still to be emitted.
    pending_inits: Vec<VarId>,
    /// Library functions whose address is taken, and streams.
    specials: HashMap<&'static str, u32>,
    /// Calls of which only the sign matters.
    sign_only: std::collections::HashSet<ExprId>,
    /// The tally of each statement with a probe.
    tally_of: HashMap<StmtId, u32>,
}

/// Compiles a program.
pub(crate) fn lower(program: &Program, hooks: &Hooks) -> Code {
    let mut classes = Classes::new();
    let mut facts = scan::Facts::of(program, hooks);
    facts.watched = effects::watched(program, &facts, &mut classes, hooks);
    let summaries = Summaries::of(program, &facts, &mut classes);
    let mut lower = Lower {
        program,
        hooks,
        code: Code { classes, static_end: STATIC_BASE, ..Code::default() },
        var_locations: vec![None; program.vars.len()],
        func_numbers: HashMap::new(),
        strings: HashMap::new(),
        facts,
        summaries,
        memo: vec![None; program.exprs.len()],
        node: CodeNode::None,
        last_target: 0,
        func: FuncState::new(Ty::VOID),
        access_ids: HashMap::new(),
        elem_ids: HashMap::new(),
        bound_ids: HashMap::new(),
        pending_inits: Vec::new(),
        specials: HashMap::new(),
        sign_only: std::collections::HashSet::new(),
        tally_of: HashMap::new(),
    };
    lower.link();
    for number in 0..lower.code.funcs.len() {
        lower.function(number);
    }
    lower.start();
    lower.code
}

impl FuncState {
    fn new(ret: Ty) -> FuncState {
        let root = ScopeInfo { parent: None, locals: Vec::new(), flags: Vec::new() };
        FuncState {
            next: 0,
            max: 0,
            frame: 0,
            locals: Vec::new(),
            scopes: vec![root],
            scope: 0,
            loops: Vec::new(),
            switches: Vec::new(),
            gotos: Vec::new(),
            labels: HashMap::new(),
            has_labels: false,
            in_switch: 0,
            pend: false,
            regions: 0,
            ret,
            hidden: None,
            at_start: false,
            temps: Vec::new(),
        }
    }
}

impl Lower<'_> {
    /// Gives functions their numbers and static variables their addresses; names with external
    /// linkage are joined across units.
    fn link(&mut self) {
        let mut by_name: HashMap<Sym, u32> = HashMap::new();
        for (index, func) in self.program.funcs.iter().enumerate() {
            if func.body.is_none() {
                continue;
            }
            let id = FuncId(index as u32);
            let number = self.code.funcs.len() as u32;
            if func.storage != FuncStorage::Static
                && !func.inline
                && let Some(&other) = by_name.get(&func.name)
            {
                let first = self.program.func(self.code.funcs[other as usize].id);
                if !first.inline {
                    self.link_error(
                        func.span,
                        format!("`{}` is defined twice", self.program.name(func.name)),
                    );
                }
            }
            // A C11 inline definition may be replaced by an external one; we assume that
            // both bodies agree.
            if func.storage != FuncStorage::Static
                && !(func.inline && by_name.contains_key(&func.name))
            {
                by_name.insert(func.name, number);
            }
            self.func_numbers.insert(id, number);
            self.code.func_of.insert(id, number);
            self.code.funcs.push(FuncCode {
                id,
                entry: 0,
                regs: 0,
                frame: 0,
                locals: Vec::new(),
                ty: func.ty,
                params: Vec::new(),
                param_regs: 0,
                variadic: self.program.types.as_function(func.ty).is_some_and(|f| f.variadic),
                wide_return: false,
                noreturn: func.noreturn,
            });
            if self.program.name(func.name) == "main" && func.storage != FuncStorage::Static {
                self.code.main = Some(number);
            }
        }
        for (index, func) in self.program.funcs.iter().enumerate() {
            if func.body.is_none()
                && let Some(&number) = by_name.get(&func.name)
            {
                self.func_numbers.insert(FuncId(index as u32), number);
            }
        }
        self.link_variables();
    }

    fn link_variables(&mut self) {
        let mut by_name: HashMap<Sym, u32> = HashMap::new();
        let mut declared: Vec<VarId> = Vec::new();
        for unit in &self.program.units {
            for item in &unit.items {
                match *item {
                    Item::Var(v) => declared.push(v),
                    Item::VarDecl(v) => declared.push(v),
                    _ => {}
                }
            }
        }
        for (index, var) in self.program.vars.iter().enumerate() {
            let is_static = var.scope == Scope::File || var.storage == Storage::Static;
            if is_static && var.defined {
                declared.push(VarId(index as u32));
            }
        }
        for &id in &declared {
            let var = self.program.var(id);
            if self.var_locations[id.index()].is_some() || !var.defined {
                continue;
            }
            let external = var.scope == Scope::File && var.storage != Storage::Static;
            if external && let Some(&global) = by_name.get(&var.name) {
                if let Origin::Var(first) = self.code.globals[global as usize].origin {
                    self.check_same(first, id, true);
                }
                // One object all the same, as a common symbol would be.
                self.var_locations[id.index()] = Some(VarLocation::Static { global });
            } else {
                let global = self.new_global(var.ty, var.align, Origin::Var(id));
                self.var_locations[id.index()] = Some(VarLocation::Static { global });
                if external {
                    by_name.insert(var.name, global);
                }
            }
            if var.init.is_some() {
                self.pending_inits.push(id);
            }
        }
        for (index, var) in self.program.vars.iter().enumerate() {
            if var.scope == Scope::File
                && !var.defined
                && let Some(&global) = by_name.get(&var.name)
            {
                self.var_locations[index] = Some(VarLocation::Static { global });
                if let Origin::Var(first) = self.code.globals[global as usize].origin {
                    self.check_same(first, VarId(index as u32), false);
                }
            }
        }
        self.link_streams();
    }

    fn link_error(&mut self, span: ctree::Span, detail: String) {
        self.code.link_error.get_or_insert((UbKind::MultipleDefinition, span, detail));
    }

    /// Two declarations of one external variable must agree.
    fn check_same(&mut self, first: VarId, second: VarId, both_define: bool) {
        let (a, b) = (self.program.var(first), self.program.var(second));
        let name = self.program.name(b.name);
        if !compat::compatible(self.program, a.ty, b.ty) {
            self.link_error(b.span, format!("`{name}` is declared with another type elsewhere"));
        } else if both_define {
            self.link_error(b.span, format!("`{name}` is defined twice"));
        }
    }

    /// `stdout` and `stderr`, where a header declares them and the program does not define them.
    fn link_streams(&mut self) {
        for (index, var) in self.program.vars.iter().enumerate() {
            let stream = match self.program.name(var.name) {
                "stdout" => 1,
                "stderr" => 2,
                _ => continue,
            };
            if var.scope != Scope::File
                || self.var_locations[index].is_some()
                || !self.program.types.is_pointer(var.ty)
            {
                continue;
            }
            let special =
                self.special(if stream == 1 { "stdout" } else { "stderr" }, Origin::Stream(stream));
            let pointer = self.static_pointer(special, 0);
            let global = self.new_global(var.ty, None, Origin::Temp);
            self.code.globals[global as usize].bytes = Some(pointer.to_le_bytes().to_vec());
            self.var_locations[index] = Some(VarLocation::Static { global });
        }
    }

    /// A static object of size 0 that stands for an entity outside of the program.
    fn special(&mut self, name: &'static str, origin: Origin) -> u32 {
        if let Some(&global) = self.specials.get(name) {
            return global;
        }
        let global = self.place_global(Global {
            base: 0,
            size: 0,
            align: 1,
            layout: 0,
            origin,
            bytes: None,
        });
        self.specials.insert(name, global);
        global
    }

    fn new_global(&mut self, ty: Ty, align: Option<u32>, origin: Origin) -> u32 {
        let align = self.program.types.align_of(ty).max(align.unwrap_or(1));
        let size = self.object_size(ty, origin);
        let layout = self.code.classes.layout(&self.program.types, ty);
        self.place_global(Global { base: 0, size, align, layout, origin, bytes: None })
    }

    /// Size of a variable's object; a flexible array member adds what the initialiser gives it.
    fn object_size(&self, ty: Ty, origin: Origin) -> u32 {
        let size = self.program.types.size_of(ty).unwrap_or(0);
        let extra = match origin {
            Origin::Var(v) => init::flexible_extra(self.program, self.program.var(v)),
            _ => 0,
        };
        let mut elem = ty;
        while let Some((inner, _)) = self.program.types.as_array(elem) {
            elem = inner;
        }
        let too_large = self.program.types.as_record(elem).is_some()
            && self
                .program
                .types
                .size_of(elem)
                .is_some_and(|n| n > u64::from(crate::classes::MAX_RECORD));
        if too_large { u32::MAX } else { u32::try_from(size + extra).unwrap_or(u32::MAX) }
    }

    fn place_global(&mut self, mut global: Global) -> u32 {
        let base = self.code.static_end.next_multiple_of(global.align.max(16));
        // Beyond the offset of a pointer: reported when the program starts.
        let end = u64::from(base) + u64::from(global.size);
        if end < 1 << OFFSET_BITS {
            global.base = base;
            self.code.static_end = end as u32;
        } else {
            global.base = u32::MAX;
        }
        self.code.globals.push(global);
        self.code.globals.len() as u32 - 1
    }

    /// The packed pointer to a static object.
    fn static_pointer(&self, global: u32, offset: u32) -> u64 {
        let slot = u64::from(FIRST_STATIC_SLOT) + self.code.funcs.len() as u64 + u64::from(global);
        (slot << OFFSET_BITS) | u64::from(offset)
    }

    fn func_pointer(&self, number: u32) -> u64 {
        (u64::from(FIRST_STATIC_SLOT) + u64::from(number)) << OFFSET_BITS
    }

    fn string_global(&mut self, id: StrId) -> u32 {
        if let Some(&global) = self.strings.get(&id) {
            return global;
        }
        let lit = &self.program.strings[id.index()];
        let ty = match lit.width {
            ctree::StrWidth::Char => Ty::CHAR,
            ctree::StrWidth::Wide => Ty::INT,
        };
        let layout = self.code.classes.layout(&self.program.types, ty);
        let align = self.program.types.align_of(ty);
        let size = lit.bytes.len() as u32;
        let bytes = Some(lit.bytes.clone());
        let global =
            self.place_global(Global { base: 0, size, align, layout, origin: Origin::Str, bytes });
        self.strings.insert(id, global);
        global
    }

    /// The initialisation of static objects, run before `main`.
    fn start(&mut self) {
        self.func = FuncState { at_start: true, ..FuncState::new(Ty::VOID) };
        self.code.start = self.code.ops.len() as u32;
        let mut done = 0;
        while done < self.pending_inits.len() {
            let id = self.pending_inits[done];
            done += 1;
            self.node = CodeNode::None;
            self.static_init(id);
        }
        self.emit(Op::Ret);
        self.code.start_regs = self.func.max;
    }

    fn function(&mut self, number: usize) {
        let id = self.code.funcs[number].id;
        let func = self.program.func(id);
        let Some(body) = func.body else { return };
        let ret = self
            .program
            .types
            .as_function(func.ty)
            .map_or(Ty::VOID, |f| self.program.types.resolved(f.ret));
        self.func = FuncState::new(ret);
        self.func.has_labels = self.facts.has_labels.contains(&body);
        self.node = CodeNode::Stmt(body);
        self.code.funcs[number].entry = self.code.ops.len() as u32;
        if self.in_memory(ret) {
            self.func.hidden = Some(self.temp());
        }
        self.params(number, &func.params);
        self.stmt(body);
        self.node = CodeNode::Stmt(body);
        self.leave_to(None);
        if self.program.name(func.name) == "main" && ret == Ty::INT {
            self.emit(Op::Imm { d: 0, v: 0 });
            self.emit(Op::Ret);
        } else {
            self.emit(if self.program.types.is_void(ret) { Op::Ret } else { Op::RetMissing });
        }
        self.patch_gotos();
        let state = std::mem::replace(&mut self.func, FuncState::new(Ty::VOID));
        let wide = ScalarKind::of(&self.program.types, ret).is_some_and(ScalarKind::is_wide);
        let code = &mut self.code.funcs[number];
        code.regs = state.max.max(2);
        code.frame = state.frame;
        code.locals = state.locals;
        code.wide_return = wide;
    }

    /// Parameters arrive in the first registers; those that live in memory are stored there.
    fn params(&mut self, number: usize, params: &[VarId]) {
        let mut regs = Vec::new();
        for &v in params {
            let kind = ScalarKind::of(&self.program.types, self.program.var(v).ty);
            let reg =
                if kind.is_some_and(ScalarKind::is_wide) { self.temp_pair() } else { self.temp() };
            regs.push(reg);
        }
        self.code.funcs[number].param_regs = self.func.next as Reg;
        self.code.funcs[number].params = regs.clone();
        let old_style = self.program.func(self.code.funcs[number].id).old_style;
        for (&v, &reg) in params.iter().zip(&regs) {
            let ty = self.program.var(v).ty;
            if old_style && let Some(kind) = ScalarKind::of(&self.program.types, ty) {
                // It arrives promoted (6.9.1p10).
                let from = compat::promoted(self.program, ty);
                let from = ScalarKind::of(&self.program.types, from).unwrap_or(kind);
                self.convert_value(reg, from, kind, Some(reg));
            }
            if self.in_register(v) {
                self.var_locations[v.index()] = Some(VarLocation::Register { reg, flag: None });
                continue;
            }
            let local = self.new_local(ty, self.program.var(v).align, Origin::Var(v), true);
            self.var_locations[v.index()] = Some(VarLocation::Frame { local });
            self.emit(Op::Enter { local });
            let at = self.func.locals[local as usize].at;
            if let Some(kind) = ScalarKind::of(&self.program.types, ty) {
                self.emit(Op::Store { s: reg, x: NO_REG, kind, base: AddressBase::Frame, at });
            } else {
                let d = self.temp();
                self.emit(Op::FrameAddr { d, local: local as u16, x: NO_REG, at: 0 });
                let lv = lvalue::LValue::new(lvalue::ValueLocation::Pointer { p: d, at: 0 }, ty, 1);
                self.copy_op(d, reg, lvalue::LValue { init: true, ..lv }, lv);
            }
        }
    }

    fn in_register(&self, v: VarId) -> bool {
        let var = self.program.var(v);
        self.program.types.is_scalar(var.ty)
            && !self.program.types.resolved(var.ty).is_volatile()
            && !self.facts.escapes[v.index()]
            && !self.facts.conflicted[v.index()]
    }

    /// A variable in frame memory.
    fn new_local(&mut self, ty: Ty, align: Option<u32>, origin: Origin, declared: bool) -> u32 {
        let align = self.program.types.align_of(ty).max(align.unwrap_or(1));
        let size = self.object_size(ty, origin);
        // A frame that is too large is refused when it is entered.
        let at = self.func.frame.checked_next_multiple_of(align.max(8)).unwrap_or(u32::MAX - 64);
        self.func.frame = at.saturating_add(size);
        let layout = self.code.classes.layout(&self.program.types, ty);
        let local = self.func.locals.len() as u32;
        self.func.locals.push(Local { at, size, align, layout, origin });
        let scope = self.func.scope;
        self.func.scopes[scope].locals.push((local, declared));
        local
    }

    fn emit(&mut self, op: Op) -> usize {
        self.code.ops.push(op);
        self.code.nodes.push(self.node);
        self.code.ops.len() - 1
    }

    /// The last operation, if it only set the temporary `d` and no jump goes behind it: it may be
    /// removed and merged into the next.
    fn merge(&mut self, d: Reg, above: u32) -> Option<Op> {
        let last = self.code.ops.len().checked_sub(1)?;
        if u32::from(d) < above || self.last_target as usize > last {
            return None;
        }
        Some(self.code.ops[last])
    }

    fn take_back(&mut self) {
        self.code.ops.pop();
        self.code.nodes.pop();
    }

    /// A jump that is taken when `r` is zero; a comparison that made `r` is merged into it.
    fn jump_if_zero(&mut self, r: Reg, above: u32) -> usize {
        let (cmp, a, b) = match self.merge(r, above) {
            Some(Op::LtS { d, a, b }) if d == r => (Cmp::LtS, a, b),
            Some(Op::LeS { d, a, b }) if d == r => (Cmp::LeS, a, b),
            Some(Op::LtU { d, a, b }) if d == r => (Cmp::LtU, a, b),
            Some(Op::LeU { d, a, b }) if d == r => (Cmp::LeU, a, b),
            Some(Op::Eq { d, a, b }) if d == r => (Cmp::Eq, a, b),
            Some(Op::Ne { d, a, b }) if d == r => (Cmp::Ne, a, b),
            _ => return self.emit(Op::JumpZero { r, to: 0 }),
        };
        self.take_back();
        match self.merge(b, above) {
            Some(Op::Imm { d, v }) if d == b && a != b => {
                self.take_back();
                self.emit(Op::JumpUnlessImm { cmp, a, v, to: 0 })
            }
            _ => self.emit(Op::JumpUnless { cmp, a, b, to: 0 }),
        }
    }

    fn here(&self) -> u32 {
        self.code.ops.len() as u32
    }

    fn patch(&mut self, at: usize, target: u32) {
        self.last_target = self.last_target.max(target);
        match &mut self.code.ops[at] {
            Op::Jump { to }
            | Op::JumpUnless { to, .. }
            | Op::JumpUnlessImm { to, .. }
            | Op::Loop { to }
            | Op::JumpZero { to, .. }
            | Op::JumpNot { to, .. } => *to = target,
            _ => {}
        }
    }

    fn temp(&mut self) -> Reg {
        let reg = self.func.next;
        self.func.next += 1;
        self.func.max = self.func.max.max(self.func.next + 1);
        // Register numbers are 16 bits; a function that needs more is refused when it runs.
        reg.min(u32::from(NO_REG) - 2) as Reg
    }

    fn temp_pair(&mut self) -> Reg {
        let reg = self.temp();
        self.temp();
        reg
    }

    fn temp_for(&mut self, kind: ScalarKind) -> Reg {
        if kind.is_wide() { self.temp_pair() } else { self.temp() }
    }

    fn text(&mut self, text: impl Into<String>) -> u32 {
        self.code.texts.push(text.into());
        self.code.texts.len() as u32 - 1
    }

    fn undefined(&mut self, kind: UbKind, text: impl Into<String>) {
        let text = self.text(text);
        self.emit(Op::Undefined { kind, text });
    }

    fn elem(&mut self, ty: Ty) -> u32 {
        let ty = self.program.types.resolved(ty).unqual();
        let size = self.program.types.size_of(ty).unwrap_or(1) as u32;
        let elem = ElemType { ty, size };
        *self.elem_ids.entry(elem).or_insert_with(|| {
            self.code.elems.push(elem);
            self.code.elems.len() as u32 - 1
        })
    }

    fn access(&mut self, access: PtrAccess) -> u32 {
        *self.access_ids.entry(access).or_insert_with(|| {
            self.code.accesses.push(access);
            self.code.accesses.len() as u32 - 1
        })
    }

    fn bound(&mut self, bound: IndexBound) -> u32 {
        *self.bound_ids.entry(bound).or_insert_with(|| {
            self.code.bounds.push(bound);
            self.code.bounds.len() as u32 - 1
        })
    }

    /// Runs `f`; if it fails, the code it emitted is replaced by a stop with the unsupported construct.
    fn or_unsupported<T>(&mut self, f: impl FnOnce(&mut Self) -> Lowered<T>) -> Option<T> {
        let (start, next, regions, pend) =
            (self.code.ops.len(), self.func.next, self.func.regions, self.func.pend);
        match f(self) {
            Ok(value) => Some(value),
            Err(what) => {
                self.code.ops.truncate(start);
                self.code.nodes.truncate(start);
                self.func.gotos.retain(|g| g.0 < start);
                (self.func.next, self.func.regions, self.func.pend) = (next, regions, pend);
                let text = self.text(what);
                self.emit(Op::Unsupported { text });
                None
            }
        }
    }

    fn at_expr<T>(&mut self, e: ExprId, f: impl FnOnce(&mut Self) -> T) -> T {
        let saved = std::mem::replace(&mut self.node, CodeNode::Expr(e));
        let result = f(self);
        self.node = saved;
        result
    }

    fn effects(&mut self, e: ExprId) -> Effects {
        effects::of_expr(
            self.program,
            &self.facts,
            &self.summaries,
            &mut self.code.classes,
            &mut self.memo,
            e,
        )
    }

    fn cover(&mut self, s: StmtId) {
        if self.hooks.cover {
            let point = self.code.cover.len() as u32;
            self.code.cover.push(CodeNode::Stmt(s));
            self.emit(Op::Cover { point });
        }
        self.probe(s);
    }
}
