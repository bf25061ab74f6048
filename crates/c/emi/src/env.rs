//! The environment of a point: the scalars in scope and all values that they had there.

use std::collections::{HashMap, HashSet};

use choice::Choices;
use cmachine::{PathStep, VarValues, Watch};
use ctree::{ArrayLen, ExprId, Program, Quals, RecordKind, StmtId, Ty, TypeKind, VarId};

use crate::chain::Options;
use crate::site::{Site, Sites, exposed};
use crate::synth::ValueSet;

/// Most variables watched before a statement.
const VARS: usize = 14;
/// Least number of points, if the program has so many.
const MIN_POINTS: usize = 4;
/// Paths tried from each of them that is not a scalar itself.
const PATHS: usize = 3;
/// Most steps of a path, and most pointers that it follows.
const STEPS: usize = 6;
const DEREFS: usize = 2;

/// The points to be profiled, and what is to be watched at each.
#[derive(Debug, Default)]
pub(crate) struct ProfilePlan {
    pub probes: HashMap<StmtId, Vec<Watch>>,
    /// Variables that a pointer may point to.
    exposed: HashSet<VarId>,
    /// The parameters of `main`, which are not determined by the program.
    outside: HashSet<VarId>,
    /// An object is declared `restrict`: variables that pointers may point to are then not used, since
    /// access through another pointer is undefined and the machine does not check it.
    restricted: bool,
}

impl ProfilePlan {
    /// Draws points, each with the probability in the options.
    pub fn draw(
        program: &Program,
        sites: &Sites,
        options: &Options,
        choices: &mut Choices,
    ) -> ProfilePlan {
        let mut plan = ProfilePlan {
            probes: HashMap::new(),
            exposed: exposed(program),
            outside: program
                .funcs
                .iter()
                .filter(|func| program.name(func.name) == "main")
                .flat_map(|func| func.params.iter().copied())
                .collect(),
            restricted: has_restrict(program),
        };
        let (mut drawn, mut rest): (Vec<&Site>, Vec<&Site>) =
            sites.list.iter().partition(|_| choices.chance(options.percent));
        // A tenth of a small program may be no point at all.
        choices.shuffle(&mut rest);
        drawn.extend(rest.into_iter().take(MIN_POINTS.saturating_sub(drawn.len())));
        for site in drawn {
            let watches = plan.watches(program, sites, site.stmt, choices);
            plan.probes.insert(site.stmt, watches);
        }
        plan
    }

    fn watches(
        &self,
        program: &Program,
        sites: &Sites,
        at: StmtId,
        choices: &mut Choices,
    ) -> Vec<Watch> {
        let mut vars = sites.visible.vars(program, at);
        vars.retain(|v| !self.outside.contains(v));
        if self.restricted {
            vars.retain(|v| !self.exposed.contains(v));
        }
        // Locals come first, then some of the others.
        let own = vars.iter().filter(|v| program.var(**v).scope != ctree::Scope::File).count();
        choices.shuffle(&mut vars[own..]);
        choices.shuffle(&mut vars[..own.min(VARS)]);
        vars.truncate(VARS);
        let records = sites.visible.records(at);
        let mut watches = Vec::new();
        for var in vars {
            let tries = if program.types.is_integer(program.var(var).ty) { 1 } else { PATHS };
            for _ in 0..tries {
                let path_end = PathSearch { program, records: &records, var }.draw(choices);
                let fits = |path_end: &Watch| {
                    !(self.restricted && path_end.path.contains(&PathStep::Deref))
                };
                watches.extend(
                    path_end.filter(|path_end| fits(path_end) && !watches.contains(path_end)),
                );
            }
        }
        watches
    }

    /// The environment of a point: scalars that had a value at every visit.
    pub fn env(&self, program: &mut Program, at: StmtId, point: &cmachine::Point) -> Env {
        let mut known = Vec::new();
        let watches = self.probes.get(&at).map(Vec::as_slice).unwrap_or_default();
        for (watch, values) in watches.iter().zip(&point.values) {
            if let Some(values) = values
                && values.seen == point.visits
                && let Some(values) = KnownScalar::new(program, self, watch, values)
            {
                known.push(values);
            }
        }
        Env { known }
    }
}

/// A way from a variable to an integer, drawn at random.
struct PathSearch<'a> {
    program: &'a Program,
    records: &'a HashSet<ctree::RecordId>,
    var: VarId,
}

impl PathSearch<'_> {
    fn draw(&self, choices: &mut Choices) -> Option<Watch> {
        let types = &self.program.types;
        let mut ty = self.program.var(self.var).ty;
        let mut path = Vec::new();
        let mut derefs = 0;
        while path.len() < STEPS {
            match *types.shape(ty) {
                TypeKind::Int(_) | TypeKind::Enum(_) => {
                    return Some(Watch { var: self.var, path });
                }
                TypeKind::Array(elem, ArrayLen::Known(n)) if n > 0 => {
                    path.push(PathStep::Element(choices.below(n.min(1 << 16)) as u32));
                    ty = elem;
                }
                TypeKind::Record(id) => {
                    let record = &types.records[id.index()];
                    // The record may be completed later.
                    let known = record.tag.is_none() || self.records.contains(&id);
                    if !known || record.fields.is_empty() {
                        return None;
                    }
                    let field = choices.index(record.fields.len());
                    let member = &record.fields[field];
                    if member.name.is_none() && member.bits.is_some() {
                        return None;
                    }
                    path.push(PathStep::Field(field as u32));
                    ty = member.ty;
                }
                TypeKind::Pointer(to) if derefs < DEREFS && !types.is_void(to) => {
                    derefs += 1;
                    path.push(PathStep::Deref);
                    ty = to;
                }
                _ => return None,
            }
        }
        None
    }
}

fn has_restrict(program: &Program) -> bool {
    let restrict = |ty: Ty| ty.quals().has(Quals::RESTRICT);
    let fields = program.types.records.iter().flat_map(|record| &record.fields);
    let parts = (0..program.types.len()).any(|n| match *program.types.kind_at(n) {
        TypeKind::Array(part, _) | TypeKind::Pointer(part) => restrict(part),
        _ => false,
    });
    parts
        || program.vars.iter().any(|var| restrict(program.types.resolved(var.ty)))
        || fields.into_iter().any(|field| restrict(program.types.resolved(field.ty)))
}

/// The environment of a point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Env {
    pub known: Vec<KnownScalar>,
}

/// One scalar and its values.
#[derive(Clone, Debug)]
pub(crate) struct KnownScalar {
    pub watch: Watch,
    /// Its type, unqualified.
    pub ty: Ty,
    /// Its width, if it is a bit-field.
    pub bits: Option<u32>,
    pub values: ValueSet,
    /// It may be assigned to.
    pub writable: bool,
    /// A pointer may point to it.
    exposed: bool,
}

impl KnownScalar {
    fn new(
        program: &mut Program,
        plan: &ProfilePlan,
        watch: &Watch,
        seen: &VarValues,
    ) -> Option<KnownScalar> {
        // Values are computed in at most 64 bits.
        if program.types.int_bits(seen.ty).is_none_or(|(bits, _)| bits > 64) {
            return None;
        }
        let values = match seen.complete {
            true => ValueSet::some(seen.values.iter().copied()),
            false => ValueSet::Span(seen.min, seen.max),
        };
        let (ty, bits, fixed) = path_end(program, watch);
        let exposed = plan.exposed.contains(&watch.var) || watch.path.contains(&PathStep::Deref);
        // A byte may be one of a larger object, or of a pointer.
        let byte = program.types.size_of(ty) == Some(1) && watch.path.contains(&PathStep::Deref);
        let writable = seen.writable && !fixed && !byte;
        Some(KnownScalar { watch: watch.clone(), ty: ty.unqual(), bits, values, writable, exposed })
    }

    /// A new variable that nothing points to.
    pub fn own(var: VarId, ty: Ty, values: ValueSet) -> KnownScalar {
        let watch = Watch { var, path: Vec::new() };
        KnownScalar { watch, ty, bits: None, values, writable: false, exposed: false }
    }

    /// The scalar as an expression.
    pub fn lvalue(&self, program: &mut Program) -> ExprId {
        let mut lvalue = program.var_ref(self.watch.var);
        let mut steps = self.watch.path.iter().peekable();
        while let Some(step) = steps.next() {
            lvalue = match (step, steps.peek()) {
                (PathStep::Deref, Some(&&PathStep::Field(field))) => {
                    steps.next();
                    program.arrow(lvalue, field)
                }
                (PathStep::Deref, _) => program.deref(lvalue),
                (PathStep::Field(field), _) => program.member(lvalue, *field),
                (PathStep::Element(i), _) => {
                    let i = program.int_const(Ty::INT, i128::from(*i));
                    program.index(lvalue, i)
                }
            };
        }
        lvalue
    }

    fn is_behind_pointer(&self) -> bool {
        self.watch.path.contains(&PathStep::Deref)
    }
}

impl Env {
    /// Records an assignment to a scalar: it has these values from now on, and scalars that may alias it
    /// are removed.
    pub fn assign(&mut self, to: &KnownScalar, values: ValueSet) {
        let behind = to.is_behind_pointer();
        self.known.retain(|k| {
            let may_be_same = if behind { k.exposed } else { to.exposed && k.is_behind_pointer() };
            k.watch != to.watch && !may_be_same
        });
        self.known.push(KnownScalar { values, ..to.clone() });
    }
}

/// The type at the end of a path, the width of a bit-field there, and whether it must not be written: it
/// is `const` or in a union, whose other members would change too.
fn path_end(program: &mut Program, watch: &Watch) -> (Ty, Option<u32>, bool) {
    let mut ty = program.types.canon(program.var(watch.var).ty);
    let (mut bits, mut fixed) = (None, ty.is_const());
    for step in &watch.path {
        match (*step, program.types.shape(ty).clone()) {
            (PathStep::Element(_), TypeKind::Array(elem, _)) => ty = elem,
            (PathStep::Deref, TypeKind::Pointer(to)) => {
                // A constant pointer may point to a mutable object.
                fixed = false;
                ty = to;
            }
            (PathStep::Field(i), TypeKind::Record(id)) => {
                let record = &program.types.records[id.index()];
                let field = &record.fields[i as usize];
                fixed |= record.kind == RecordKind::Union;
                (ty, bits) = (field.ty, field.bits);
            }
            _ => {}
        }
        ty = program.types.canon(ty);
        fixed |= ty.is_const();
    }
    (ty, bits, fixed)
}
