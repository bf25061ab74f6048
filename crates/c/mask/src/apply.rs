//! The masked program: what is recorded, and operations on tapes.

use std::collections::BTreeSet;

use cmachine::{Hooks, MachineConfig, Outcome, Profile};
use cshrink::{Rules, Specimen, UnitText};
use ctree::map::ProgramMap;
use ctree::{
    BinOp, Expr, ExprId, ExprKind, FuncId, FuncStorage, Init, InitItem, Item, Program, Quals,
    Scope, Span, StmtId, StmtKind, Storage, Ty, TypeKind, UnitId, VarId,
};

use crate::construct::Construct;
use crate::site::{Form, Site, Step, is_constant, sites, switches};

/// Values on one tape: what is executed more often is laundered. Longer tapes would make programs of megabytes.
const TAPE: usize = 4096;

/// Values on all tapes together.
const ALL_TAPES: usize = 1 << 17;

/// How many more steps a masked program may take: a call for each operation.
const SLOWER: u64 = 40;

/// The program with each of these constructs masked; `None` if it has none of them, or if masks would
/// change what it prints.
pub fn without(
    specimen: &Specimen,
    masked: &BTreeSet<Construct>,
    rules: &Rules,
) -> Option<Specimen> {
    let program = &specimen.program;
    let places = program.units.iter().map(|unit| Places::of(program, &unit.items, masked));
    let units: Vec<Places> = places.collect();
    let all: Vec<Site> = units.iter().flat_map(|places| &places.sites).copied().collect();
    if units.iter().all(|places| places.sites.is_empty() && places.switches.is_empty()) {
        return None;
    }
    let profile = record(&specimen.program, &all, specimen.steps)?;
    let room = if taped(&all, &profile) > ALL_TAPES { TAPE / 64 } else { TAPE };
    let mut rewriter =
        Rewriter { program: specimen.program.clone(), profile: &profile, room, count: 0 };
    for (unit, places) in units.iter().enumerate() {
        rewriter.unit(UnitId(unit as u32), places);
    }
    if rewriter.count == 0 {
        return None;
    }
    let text = |(unit, old): (usize, &UnitText)| UnitText {
        name: old.name.clone(),
        text: ctree::print::print_unit(&rewriter.program, UnitId(unit as u32)),
    };
    let texts = specimen.units.iter().enumerate().map(text).collect();
    let rules = Rules { execute: true, fuel: rules.fuel.saturating_mul(SLOWER), ..rules.clone() };
    let made = Specimen::new(texts, &rules).ok()?;
    (made.stdout == specimen.stdout && made.status == specimen.status).then_some(made)
}

/// What is masked of a unit.
struct Places {
    sites: Vec<Site>,
    switches: Vec<StmtId>,
}

impl Places {
    fn of(program: &Program, items: &[Item], masked: &BTreeSet<Construct>) -> Places {
        let map = ProgramMap::of_items(program, items);
        let mut sites = sites(program, &map);
        sites.retain(|site| masked.contains(&site.construct));
        let has_switches = masked.contains(&Construct::Switch);
        let switches = if has_switches { switches(program, &map) } else { Vec::new() };
        Places { sites, switches }
    }
}

/// What is recorded of a site: its own values and those of its operands.
fn recorded(site: &Site) -> Vec<ExprId> {
    match site.form {
        Form::Two(_, a, b) => vec![site.expr, a, b],
        Form::One(a) => vec![site.expr, a],
        Form::Assign(lhs) => vec![site.expr, lhs],
        Form::Step(a, _) => vec![a],
        Form::Value => vec![site.expr],
        Form::Read | Form::Store | Form::Copy(..) | Form::Init(..) => Vec::new(),
    }
}

fn record(program: &Program, sites: &[Site], steps: u64) -> Option<Profile> {
    let tapes = sites.iter().flat_map(recorded).collect();
    let hooks = Hooks { tapes, tape_length: TAPE, ..Hooks::default() };
    let config = MachineConfig { fuel: steps + 1, ..MachineConfig::default() };
    let report = cmachine::run_with(program, &config, &hooks);
    matches!(report.outcome, Outcome::Finished(_)).then_some(report.profile)
}

fn taped(sites: &[Site], profile: &Profile) -> usize {
    let length = |e: &ExprId| match profile.tapes.get(e) {
        Some(Some(tape)) => tape.len(),
        Some(None) | None => 0,
    };
    sites.iter().flat_map(|site| recorded(site).iter().map(length).collect::<Vec<_>>()).sum()
}

/// The values of an expression, if it has a tape.
enum Tape<'a> {
    Values(&'a [i128]),
    TooLong,
    Never,
}

/// A program while its masks are made.
pub(crate) struct Rewriter<'a> {
    pub program: Program,
    profile: &'a Profile,
    /// Values on one tape.
    room: usize,
    /// Masks made.
    pub count: usize,
}

/// What the function of a mask gets for an operand, and what it is compared with.
struct Argument {
    /// As the masked expression has it.
    value: ExprId,
    ty: Ty,
    /// The recorded values; `None` where nothing is compared.
    tape: Option<Vec<i128>>,
}

impl Rewriter<'_> {
    fn tape(&self, e: ExprId) -> Tape<'_> {
        match self.profile.tapes.get(&e) {
            Some(Some(tape)) if tape.is_empty() => Tape::Never,
            Some(Some(tape)) if tape.len() <= self.room => Tape::Values(tape),
            Some(_) => Tape::TooLong,
            None => Tape::Never,
        }
    }

    fn unit(&mut self, unit: UnitId, places: &Places) {
        let mut items = Vec::new();
        for site in &places.sites {
            self.mask(site, &mut items);
        }
        for statement in &places.switches {
            self.mask_switch(*statement);
        }
        let old = std::mem::take(&mut self.program.units[unit.index()].items);
        // Masks name the basic types only: they can stand before everything else.
        self.program.units[unit.index()].items = items.into_iter().chain(old).collect();
    }

    fn mask(&mut self, site: &Site, items: &mut Vec<Item>) {
        match site.form {
            Form::Two(op, a, b) => {
                let Some(result) = self.result_of(site.expr) else { return };
                let arguments = [self.argument(a, &result), self.argument(b, &result)];
                let ty = self.plain(site.expr);
                let call = self.call(ty, result, arguments.into(), items, &|program, values| {
                    program.binary(op, values[0], values[1])
                });
                self.replace(site.expr, call);
            }
            Form::One(a) => {
                let Some(result) = self.result_of(site.expr) else { return };
                let argument = self.argument(a, &result);
                let (ty, kind) = (self.plain(site.expr), self.program.expr(site.expr).kind.clone());
                let call =
                    self.call(ty, result, vec![argument], items, &|program, values| match kind {
                        ExprKind::Unary(op, _) => program.unary(op, values[0]),
                        _ => program.cast(ty, values[0]),
                    });
                self.replace(site.expr, call);
            }
            Form::Value => {
                // Nothing but the value could be laundered.
                let Some(Some(result)) = self.result_of(site.expr) else { return };
                let ty = self.plain(site.expr);
                let Expr { kind, ty: own, span } = self.program.expr(site.expr).clone();
                let value = self.program.add_expr(kind, own, span);
                let argument = Argument { value, ty, tape: None };
                let call =
                    self.call(ty, Some(result), vec![argument], items, &|_, values| values[0]);
                self.replace(site.expr, call);
            }
            Form::Assign(lhs) => self.mask_assignment(site.expr, lhs, items),
            Form::Step(lhs, step) => self.mask_step(site.expr, lhs, step, items),
            Form::Read => self.mask_read(site.expr, items),
            Form::Store => self.mask_store(site.expr, items),
            Form::Copy(to, from) => self.mask_copy(site.expr, to, from),
            Form::Init(block, decl, var) => self.mask_init(block, decl, var, site.expr),
        }
    }

    /// `lhs = mask(lhs, rhs)`
    fn mask_assignment(&mut self, e: ExprId, lhs: ExprId, items: &mut Vec<Item>) {
        let ExprKind::AssignOp { op, rhs, comp, .. } = self.program.expr(e).kind else { return };
        let Some(result) = self.result_of(e) else { return };
        let mut left = self.argument(lhs, &result);
        left.value = self.program.copy_expr(lhs);
        let right = Argument { value: rhs, ty: self.plain(rhs), tape: None };
        let ty = self.plain(lhs);
        let call = self.call(ty, result, vec![left, right], items, &|program, values| {
            let value = program.convert(values[0], comp);
            let computed = program.binary(op, value, values[1]);
            program.cast(ty, computed)
        });
        let assignment = self.program.assign(lhs, call);
        self.replace(e, assignment);
    }

    /// `lhs = mask(lhs)`
    fn mask_step(&mut self, e: ExprId, lhs: ExprId, step: Step, items: &mut Vec<Item>) {
        let ty = self.plain(lhs);
        let (op, by) = match step {
            Step::Up => (BinOp::Add, 1),
            Step::Down => (BinOp::Sub, -1),
        };
        // The machine records what is read; a bit-field would wrap at its own width.
        if self.program.bit_field_width(lhs).is_some() {
            return;
        }
        let result = match self.tape(lhs) {
            Tape::Values(old) => {
                let Some((bits, signed)) = self.program.types.int_bits(ty) else { return };
                Some(old.iter().map(|old| wrapped(old + by, bits, signed)).collect())
            }
            Tape::TooLong => None,
            Tape::Never => return,
        };
        let mut argument = self.argument(lhs, &result);
        argument.value = self.program.copy_expr(lhs);
        let call = self.call(ty, result, vec![argument], items, &|program, values| {
            let one = program.int_const(Ty::INT, 1);
            let stepped = program.binary(op, values[0], one);
            program.cast(ty, stepped)
        });
        let assignment = self.program.assign(lhs, call);
        self.replace(e, assignment);
    }

    /// The recorded results: `None` if it was never evaluated, `Some(None)` if there are too many.
    #[expect(clippy::option_option, reason = "two questions: is it masked, and is there a tape")]
    fn result_of(&self, e: ExprId) -> Option<Option<Vec<i128>>> {
        match self.tape(e) {
            Tape::Values(values) => Some(Some(values.to_vec())),
            Tape::TooLong => Some(None),
            Tape::Never => None,
        }
    }

    /// An operand, compared where it was recorded as often as the result.
    fn argument(&self, value: ExprId, result: &Option<Vec<i128>>) -> Argument {
        let tape = match (self.tape(value), result) {
            (Tape::Values(values), Some(result))
                if values.len() == result.len() && !is_constant(&self.program, value) =>
            {
                Some(values.to_vec())
            }
            _ => None,
        };
        Argument { value, ty: self.plain(value), tape }
    }

    /// The type of an expression as the function of a mask writes it: an enumeration may not be declared yet.
    pub fn plain(&self, e: ExprId) -> Ty {
        let ty = self.program.expr(e).ty.unqual();
        match (self.program.types.shape(ty), self.program.types.int_kind(ty)) {
            (TypeKind::Enum(_), Some(kind)) => kind.ty(),
            _ => ty,
        }
    }

    /// Declares the function of a mask and calls it; `operation` computes the result without a tape.
    fn call(
        &mut self,
        ty: Ty,
        result: Option<Vec<i128>>,
        arguments: Vec<Argument>,
        items: &mut Vec<Item>,
        operation: &dyn Fn(&mut Program, &[ExprId]) -> ExprId,
    ) -> ExprId {
        let places: Vec<ExprId> = arguments.iter().map(|argument| self.place(argument)).collect();
        let types: Vec<Ty> = places.iter().map(|place| self.program.expr(*place).ty).collect();
        let (name, params) = self.signature(&types);
        let body = match result {
            Some(result) => {
                self.with_tape(&name, ty, &result, &arguments, &params, items, operation)
            }
            None => self.laundered(&params, operation),
        };
        let func = self.function(&name, ty, params, body, items);
        self.program.call_func(func, &places)
    }

    /// `&(const volatile T){value}`: how values are passed may be what a compiler has wrong.
    fn place(&mut self, argument: &Argument) -> ExprId {
        let program = &mut self.program;
        let ty = argument.ty.qualified(Quals::CONST.with(Quals::VOLATILE));
        let init = program.init_expr(argument.ty, argument.value);
        let object = program.compound_lit(ty, init);
        program.addr_of(object)
    }

    /// `*operand`, for each.
    fn operands(&mut self, params: &[VarId]) -> Vec<ExprId> {
        let value = |param: &VarId| {
            let place = self.program.var_ref(*param);
            let value = self.program.deref(place);
            let ty = self.program.expr(value).ty.unqual();
            self.program.convert(value, ty)
        };
        params.iter().map(value).collect()
    }

    /// The name of the next mask's function, and its parameters.
    pub fn signature(&mut self, types: &[Ty]) -> (String, Vec<VarId>) {
        let name = format!("masked_{}", self.count);
        self.count += 1;
        let param = |(n, ty): (usize, &Ty)| {
            self.program.add_var(&format!("operand_{n}"), *ty, Scope::Param)
        };
        (name, types.iter().enumerate().map(param).collect())
    }

    /// Declares the function of a mask.
    pub fn function(
        &mut self,
        name: &str,
        ty: Ty,
        params: Vec<VarId>,
        body: StmtId,
        items: &mut Vec<Item>,
    ) -> FuncId {
        let types: Vec<Ty> = params.iter().map(|param| self.program.var(*param).ty).collect();
        let func_ty = self.program.func_type(ty, &types, false);
        let func = self.program.add_func(name, func_ty);
        let made = &mut self.program.funcs[func.index()];
        (made.storage, made.params, made.body) = (FuncStorage::Static, params, Some(body));
        items.push(Item::Func(func));
        func
    }

    /// `unsigned at = N_at++; return at < LENGTH && *operand_0 == N_0[at] ? N_result[at] : operation;`
    #[expect(clippy::too_many_arguments, reason = "all of a mask")]
    fn with_tape(
        &mut self,
        name: &str,
        ty: Ty,
        result: &[i128],
        arguments: &[Argument],
        params: &[VarId],
        items: &mut Vec<Item>,
        operation: &dyn Fn(&mut Program, &[ExprId]) -> ExprId,
    ) -> StmtId {
        let place = self.program.add_var(&format!("{name}_at"), Ty::UINT, Scope::File);
        self.program.vars[place.index()].storage = Storage::Static;
        items.push(Item::Var(place));
        let tapes: Vec<(VarId, VarId)> = (arguments.iter().zip(params).enumerate())
            .filter_map(|(n, (argument, param))| {
                let values = argument.tape.as_ref()?;
                let tape = self.tape_array(&format!("{name}_{n}"), argument.ty, values, items);
                Some((*param, tape))
            })
            .collect();
        let result_tape = self.tape_array(&format!("{name}_result"), ty, result, items);
        let values = self.operands(params);
        let program = &mut self.program;
        let place_ref = program.var_ref(place);
        let next = program.unary(ctree::UnOp::PostInc, place_ref);
        let init = program.init_expr(Ty::UINT, next);
        let (at, decl) = program.local("at", Ty::UINT, Some(init));
        let element = |program: &mut Program, tape: VarId| {
            let (tape, at) = (program.var_ref(tape), program.var_ref(at));
            program.index(tape, at)
        };
        let at_ref = program.var_ref(at);
        let length = program.int_const(Ty::UINT, result.len() as i128);
        let mut known = program.binary(BinOp::Lt, at_ref, length);
        for (param, tape) in tapes {
            let operand = program.var_ref(param);
            let (operand, recorded) = (program.deref(operand), element(program, tape));
            let same = program.binary(BinOp::Eq, operand, recorded);
            known = program.binary(BinOp::LogAnd, known, same);
        }
        let computed = operation(program, &values);
        let recorded = element(program, result_tape);
        let value = program.cond(known, Some(recorded), computed);
        let value = program.convert(value, ty);
        let back = program.make_stmt(StmtKind::Return(Some(value)));
        program.block(vec![decl, back])
    }

    /// The operation on operands that no compiler knows anything about.
    fn laundered(
        &mut self,
        params: &[VarId],
        operation: &dyn Fn(&mut Program, &[ExprId]) -> ExprId,
    ) -> StmtId {
        let values = self.operands(params);
        let computed = operation(&mut self.program, &values);
        let back = self.program.make_stmt(StmtKind::Return(Some(computed)));
        self.program.block(vec![back])
    }

    fn tape_array(&mut self, name: &str, ty: Ty, values: &[i128], items: &mut Vec<Item>) -> VarId {
        let program = &mut self.program;
        let array = program.types.array(ty.qualified(Quals::VOLATILE), values.len() as u64);
        let var = program.add_var(name, array, Scope::File);
        let item = |(n, value): (usize, &i128)| {
            // The shortest text that has the value.
            let literal = if i32::try_from(*value).is_ok() { Ty::INT } else { ty };
            let constant = program.int_const(literal, *value);
            let init = program.init_expr(ty, constant);
            InitItem { first: n as u64, last: n as u64, init }
        };
        let list = values.iter().enumerate().map(item).collect();
        let made = &mut program.vars[var.index()];
        (made.storage, made.init) = (Storage::Static, Some(Init::List(list)));
        items.push(Item::Var(var));
        var
    }

    /// Puts an expression in the place of another.
    pub fn replace(&mut self, old: ExprId, new: ExprId) {
        let ty = self.program.expr(old).ty.unqual();
        let new = self.program.convert(new, ty);
        let span = Span::NONE;
        self.program.exprs[old.index()] = Expr { span, ..self.program.expr(new).clone() };
    }
}

/// A value as an object of a width keeps it.
fn wrapped(value: i128, bits: u32, signed: bool) -> i128 {
    let modulus = 1i128 << bits;
    let least = value.rem_euclid(modulus);
    if signed && least >= modulus / 2 { least - modulus } else { least }
}
