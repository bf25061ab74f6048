//! `gainsay run --profile`: what an execution did, statement by statement.
//!
//! Statements are those of functions that stand in the files named on the command line; what
//! headers define runs unobserved. Everything recorded goes to `--json`; `text` is the short form
//! for a person.

mod text;
mod watch;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use cmachine::{Hooks, PathStep, Point, Profile, VarValues, Watch};
use ctree::scope::VisibleDecls;
use ctree::{Program, Scope, Span, Stmt, StmtId, StmtKind, Ty, TypeKind};
use serde::Serialize;

use crate::input::Source;
use crate::locate::Files;

pub use text::text;

/// The whole profile, as `--json` prints it.
#[derive(Serialize, Debug, Default)]
pub struct ProfileObject {
    /// Statements in source order, without blocks and labels (what they hold is there), without
    /// declarations, before which no values are recorded, and without the first clause of `for`.
    pub statements: Vec<StatementObject>,
    /// Conditional and logical operators, also those in headers.
    pub branches: Vec<BranchObject>,
    /// Volatile accesses in order.
    pub volatile: Vec<VolatileObject>,
}

/// A place in a file.
#[derive(Serialize, Clone, Debug, Default)]
pub struct PlaceObject {
    /// File as the preprocessor names it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; null where a macro hides it.
    pub column: Option<usize>,
    /// The code, as the preprocessor left it, up to the end of its line.
    pub code: String,
}

/// One statement.
#[derive(Serialize, Debug)]
pub struct StatementObject {
    /// Where.
    #[serde(flatten)]
    pub place: PlaceObject,
    /// The function it stands in.
    pub function: String,
    /// Whether it was reached at all.
    pub ran: bool,
    /// How often.
    pub visits: u64,
    /// The integers in scope before it, locals first.
    pub variables: Vec<VariableObject>,
    /// Last line, for the list of what never ran.
    #[serde(skip)]
    pub last_line: u32,
}

/// The values of one integer whenever a statement was reached.
#[derive(Serialize, Debug)]
pub struct VariableObject {
    /// As C writes it: `x`, `a[2]`, `s.f`.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Distinct values, ascending.
    pub values: Vec<i128>,
    /// `values` are all; otherwise only the limits are certain.
    pub complete: bool,
    /// Least value.
    pub min: i128,
    /// Greatest value.
    pub max: i128,
    /// Declared in the function.
    #[serde(skip)]
    pub local: bool,
}

/// One conditional or logical operator, for one caller of its function.
#[derive(Serialize, Debug)]
pub struct BranchObject {
    /// Where.
    #[serde(flatten)]
    pub place: PlaceObject,
    /// The call that its function was called by; null in `main`.
    pub caller: Option<PlaceObject>,
    /// How often the condition held (for `||`: failed).
    pub taken: u64,
    /// How often not.
    pub not_taken: u64,
}

/// One access.
#[derive(Serialize, Debug)]
pub struct VolatileObject {
    /// Where, if it has a place.
    #[serde(flatten)]
    pub place: Option<PlaceObject>,
    /// `read` or `write`.
    pub access: &'static str,
    /// Machine address: the same object has the same one.
    pub address: u32,
    /// Bytes.
    pub size: u32,
    /// The value's bits.
    pub value: u64,
}

/// The statements to observe, in source order, and what is needed to tell about them.
pub struct Observed {
    /// Each with the name of its function.
    statements: Vec<(StmtId, String)>,
    /// What is looked at before each.
    probes: HashMap<StmtId, Vec<Watch>>,
}

impl Observed {
    /// All statements of the functions that stand in the files named.
    pub fn new(program: &Program, sources: &[Source]) -> Observed {
        let own: BTreeSet<&str> = sources.iter().flat_map(Source::files).collect();
        let mut bodies = BTreeMap::new();
        for func in &program.funcs {
            let Some(span) = func.body.map(|body| program.stmt(body).span) else { continue };
            if program.source.location(span).is_some_and(|place| own.contains(place.file.as_str()))
            {
                bodies.insert(span.lo, (span.hi, program.name(func.name)));
            }
        }
        let clauses: BTreeSet<StmtId> = program.stmts.iter().filter_map(first_clause).collect();
        let mut statements: Vec<_> = (0..program.stmts.len() as u32)
            .map(StmtId)
            .filter(|s| is_listed(&program.stmt(*s).kind) && !clauses.contains(s))
            .filter_map(|s| {
                let lo = program.stmt(s).span.lo;
                let (_, &(end, name)) = bodies.range(..=lo).next_back()?;
                (lo < end).then(|| (s, name.to_string()))
            })
            .collect();
        statements.sort_by_key(|(s, _)| program.stmt(*s).span);
        let visible = VisibleDecls::of(program);
        let watch = |(s, _): &(StmtId, String)| (*s, watch::watches(program, &visible, *s));
        let probes = statements.iter().map(watch).collect();
        Observed { statements, probes }
    }

    /// What the machine is to record.
    pub fn hooks(&self) -> Hooks {
        let probes = self.probes.clone();
        Hooks { cover: true, probes, branches: true, volatile: true, ..Hooks::default() }
    }

    /// What it recorded, in the words of the source.
    pub fn object(&self, program: &Program, profile: &Profile) -> ProfileObject {
        let mut teller = Teller { program, files: Files::default(), places: BTreeMap::new() };
        let statements = self.statements.iter().map(|(s, function)| {
            let watches = self.probes.get(s).map_or(&[][..], Vec::as_slice);
            teller.statement(profile, *s, function, watches)
        });
        ProfileObject {
            statements: statements.collect(),
            branches: teller.branches(profile),
            volatile: teller.volatile(profile),
        }
    }
}

fn first_clause(stmt: &Stmt) -> Option<StmtId> {
    if let StmtKind::For { init, .. } = stmt.kind { init } else { None }
}

/// What a person would count as one statement.
fn is_listed(kind: &StmtKind) -> bool {
    !matches!(
        kind,
        StmtKind::Empty
            | StmtKind::Block(_)
            | StmtKind::Decl(_)
            | StmtKind::Case(..)
            | StmtKind::Default(_)
            | StmtKind::Label(..)
    )
}

/// Turns ids into words.
struct Teller<'p> {
    program: &'p Program,
    files: Files,
    /// Loops make many records of one place.
    places: BTreeMap<Span, Option<PlaceObject>>,
}

impl Teller<'_> {
    fn place(&mut self, span: Span) -> Option<PlaceObject> {
        if let Some(known) = self.places.get(&span) {
            return known.clone();
        }
        let place = self.program.source.location(span).map(|place| {
            let begin = (place.column as usize - 1).min(place.text.len());
            let end = (begin + place.width as usize).min(place.text.len());
            let code = place.text.get(begin..end).unwrap_or("").trim_end().to_string();
            let column = self.files.column(&place);
            PlaceObject { file: place.file, line: place.line, column, code }
        });
        self.places.insert(span, place.clone());
        place
    }

    fn statement(
        &mut self,
        profile: &Profile,
        id: StmtId,
        function: &str,
        watches: &[Watch],
    ) -> StatementObject {
        let stmt = self.program.stmt(id);
        let point = profile.points.get(&id);
        let visits = point.map_or(0, |point| point.visits);
        let place = self.place(stmt.span).unwrap_or_default();
        let lines = self.program.source.snippet(stmt.span).matches('\n').count() as u32;
        StatementObject {
            last_line: place.line + lines,
            place,
            function: function.to_string(),
            ran: profile.executed.contains(&id) || visits > 0,
            visits,
            variables: point.map_or_else(Vec::new, |point| self.variables(point, watches)),
        }
    }

    fn variables(&self, point: &Point, watches: &[Watch]) -> Vec<VariableObject> {
        let tell = |(watch, values): (&Watch, &Option<VarValues>)| {
            let (var, values) = (self.program.var(watch.var), values.as_ref()?);
            Some(VariableObject {
                name: format!("{}{}", self.program.name(var.name), self.path(var.ty, &watch.path)),
                ty: ctree::print::print_type(self.program, values.ty),
                values: values.values.iter().copied().collect(),
                complete: values.complete,
                min: values.min,
                max: values.max,
                local: var.scope != Scope::File,
            })
        };
        let told = watches.iter().zip(&point.values).filter_map(tell);
        let (locals, globals): (Vec<_>, Vec<_>) = told.partition(|variable| variable.local);
        locals.into_iter().chain(globals).collect()
    }

    /// The members and elements that a path goes through, as C writes them.
    fn path(&self, mut ty: Ty, path: &[PathStep]) -> String {
        let types = &self.program.types;
        let mut text = String::new();
        for &step in path {
            match (step, types.shape(ty)) {
                (PathStep::Element(i), &TypeKind::Array(element, _)) => {
                    text.push_str(&format!("[{i}]"));
                    ty = element;
                }
                (PathStep::Field(i), &TypeKind::Record(record)) => {
                    let fields = &types.records[record.index()].fields;
                    let Some(field) = fields.get(i as usize) else { break };
                    // The members of an anonymous member are members of its parent.
                    if let Some(name) = field.name {
                        text.push_str(&format!(".{}", self.program.name(name)));
                    }
                    ty = field.ty;
                }
                _ => break,
            }
        }
        text
    }

    fn branches(&mut self, profile: &Profile) -> Vec<BranchObject> {
        let mut branches = Vec::new();
        for (&(caller, operator), &(taken, not_taken)) in &profile.branches {
            let Some(place) = self.place(self.program.expr(operator).span) else { continue };
            let caller = caller.and_then(|call| self.place(self.program.expr(call).span));
            branches.push(BranchObject { place, caller, taken, not_taken });
        }
        branches
    }

    fn volatile(&mut self, profile: &Profile) -> Vec<VolatileObject> {
        let accesses = profile.volatile.iter().map(|access| VolatileObject {
            place: access.node.and_then(|node| self.place(self.program.expr(node).span)),
            access: if access.store { "write" } else { "read" },
            address: access.address,
            size: access.size,
            value: access.value,
        });
        accesses.collect()
    }
}
