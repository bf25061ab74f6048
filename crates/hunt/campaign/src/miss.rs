//! Undefined behaviour as a test of the sanitizers.
//!
//! The machine is sure of what it executed. Where it says that a program is undefined, in a way that a
//! sanitizer documents to find ([`CLAIMS`]), each family's sanitizer is asked at `-O0`; one that lets the
//! program end as if nothing were wrong has missed it. That stands only if another tool, the other
//! family's sanitizer or Frama-C, objects to the very line; else it is disputed, for the machine may be
//! wrong. Not here: what optimisation hides from sanitizers, which they do not promise to find.

use std::path::Path;

use choice::Choices;
use cmachine::{MachineConfig, Node, Outcome, UbKind};
use ctree::{ExprId, ExprKind, Program, StmtKind, UnOp};
use finding::{JudgedSubject, Subject};
use oracle::{Assessment, Certificate, Detector, Detectors, FailureKind, Lab, Opinion, Trouble};
use toolchain::{Family, Language, Preprocessor};

use crate::bench::TestBench;
use crate::engine::TestProgram;
use crate::predict::read;
use crate::record::{NewFinding, Standing, Tested};

/// One undefined program in so many is put to the sanitizers: it takes a second or two, and bugs are few.
const ONE_IN: usize = 4;

/// A kind of undefined behaviour that a sanitizer is there to find.
struct Claim {
    kind: UbKind,
    detector: Detector,
    /// Whether it must find this instance.
    holds: fn(&Program, ExprId) -> bool,
}

/// What sanitizers document to find. What is left out, and why:
///
/// - Pointers that are computed, compared or converted and not followed: only `pointer-overflow` and
///   ASan's pointer pairs look at them, by address.
/// - Accesses outside of an object through a pointer: ASan sees them only where they hit a red zone.
/// - Uninitialised values that are copied, computed with or printed: MSan waits for a decision.
/// - Effective types, `const`, sequencing, `volatile`, formats, library calls: no sanitizer checks them.
/// - Misaligned accesses: the machine goes by offsets, UBSan by addresses.
/// - Conversions from floating types: GCC leaves them out of `undefined`, and rounds elsewhere.
const CLAIMS: &[Claim] = &[
    // -fsanitize=null: "use of a null pointer". Whole records are copied without a check.
    Claim { kind: UbKind::NullDeref, detector: Detector::Undefined, holds: is_scalar_access },
    // -fsanitize=signed-integer-overflow: + - * and unary -, and INT_MIN / -1.
    Claim { kind: UbKind::SignedOverflow, detector: Detector::Undefined, holds: is_computed },
    Claim { kind: UbKind::DivOverflow, detector: Detector::Undefined, holds: is_computed },
    // -fsanitize=integer-divide-by-zero.
    Claim { kind: UbKind::DivByZero, detector: Detector::Undefined, holds: is_computed },
    // -fsanitize=shift-exponent and shift-base, the latter by the rules of C99.
    Claim { kind: UbKind::ShiftCount, detector: Detector::Undefined, holds: is_computed },
    Claim { kind: UbKind::ShiftOverflow, detector: Detector::Undefined, holds: is_computed },
    // -fsanitize=bounds: "where the array bound can be statically determined".
    Claim { kind: UbKind::OutOfBounds, detector: Detector::Undefined, holds: is_index_of_array },
    Claim { kind: UbKind::OnePast, detector: Detector::Undefined, holds: is_index_of_array },
    // Use after scope, use after return (asked for), use after free.
    Claim { kind: UbKind::Dangling, detector: Detector::Address, holds: is_followed },
    // "A conditional branch" on an uninitialised value.
    Claim { kind: UbKind::Indeterminate, detector: Detector::Memory, holds: is_condition },
];

/// An undefined program, with what must be found in it.
struct UndefinedProgram {
    kind: UbKind,
    detector: Detector,
    line: u32,
    detail: String,
}

/// Puts one undefined program in [`ONE_IN`], by seed, to the sanitizers, and adds what they miss to
/// `tested`.
pub fn test(
    bench: &TestBench,
    seed: u64,
    made: &TestProgram,
    tested: &mut Tested,
) -> Result<(), Trouble> {
    let undefined = made.unanswered.is_some() && matches!(made.own.says, Assessment::Undefined(_));
    let drawn = || Choices::new(seed).fork("sanitizers").index(ONE_IN) == 0;
    if !undefined || made.case.language != Language::C || !drawn() {
        return Ok(());
    }
    let folder = bench.folder()?;
    let found = examine(&bench.lab, bench.detectors(), made, folder.path(), tested)?;
    tested.findings.extend(found);
    Ok(())
}

fn examine(
    lab: &Lab,
    detectors: &Detectors,
    made: &TestProgram,
    dir: &Path,
    tested: &mut Tested,
) -> Result<Vec<NewFinding>, Trouble> {
    let (Some(fuel), case) = (made.fuel, &made.case) else { return Ok(Vec::new()) };
    lab.write(case, dir)?;
    let Some(specimen) = specimen(made, fuel, dir, tested) else { return Ok(Vec::new()) };
    let mut ask = |detector, family| -> Result<Option<Opinion>, Trouble> {
        let said = detectors.ask(lab, case, dir, detector, family)?;
        Ok(said.map(|(opinion, cost)| {
            tested.cost.validate += cost;
            opinion
        }))
    };
    let mut opinions = Vec::new();
    for family in [Family::Gcc, Family::Clang] {
        opinions.extend(ask(specimen.detector, family)?.map(|opinion| (family, opinion)));
    }
    let misses = |opinion: &Opinion| opinion.says == Assessment::NoAlarm;
    let mut missed = Vec::new();
    for (family, opinion) in opinions.iter().filter(|(_, opinion)| misses(opinion)) {
        // Once may be chance.
        if ask(specimen.detector, *family)?.is_some_and(|again| misses(&again)) {
            missed.push(opinion.clone());
        }
    }
    if missed.is_empty() {
        return Ok(Vec::new());
    }
    let mut said: Vec<Opinion> = opinions.into_iter().map(|(_, opinion)| opinion).collect();
    let objects = |opinion: &Opinion| opinion.says.line() == Some(specimen.line);
    if !said.iter().any(objects) {
        // Of no family.
        said.extend(ask(Detector::Eva, Family::Other)?);
    }
    let right: Vec<String> = said.iter().filter(|o| objects(o)).map(|o| o.tool.clone()).collect();
    if right.is_empty() && specimen.detector == Detector::Address {
        // The storage may be in use again, by the same variable or by another frame: ASan goes by
        // addresses, and misses it then.
        return Ok(Vec::new());
    }
    let opinions = std::iter::once(made.own.clone()).chain(said).collect();
    let certificate = Certificate { opinions };
    Ok(missed.iter().map(|miss| finding(made, &specimen, miss, &right, &certificate)).collect())
}

/// The program as it stands in its file, if something is claimed of it.
fn specimen(
    made: &TestProgram,
    fuel: u64,
    dir: &Path,
    tested: &mut Tested,
) -> Option<UndefinedProgram> {
    let files: Vec<_> = made.case.units().map(|unit| dir.join(unit)).collect();
    let program = read(&files, &Preprocessor::find().ok()?, &mut tested.cost.validate).ok()?;
    let config = MachineConfig { fuel, ..MachineConfig::default() };
    let Outcome::Undefined(kind, verdict) = cmachine::run(&program, &config).outcome else {
        return None;
    };
    let Some(Node::Expr(node)) = verdict.node else { return None };
    let place = program.source.location(verdict.span)?;
    let claim = CLAIMS.iter().find(|c| c.kind == kind && (c.holds)(&program, node))?;
    let detail = verdict.detail;
    Some(UndefinedProgram { kind, detector: claim.detector, line: place.line, detail })
}

fn finding(
    made: &TestProgram,
    specimen: &UndefinedProgram,
    miss: &Opinion,
    right: &[String],
    certificate: &Certificate,
) -> NewFinding {
    let UndefinedProgram { kind, line, detail, .. } = specimen;
    NewFinding {
        attributed_to: None,
        kind: FailureKind::SanitizerMiss,
        signature: format!("{} {} {}", FailureKind::SanitizerMiss.name(), miss.tool, kind.name()),
        summary: format!("misses {} on line {line}: {detail}", kind.name()),
        standing: if right.is_empty() { Standing::Disputed } else { Standing::Confirmed },
        subject: Subject::Judged(JudgedSubject {
            right: right.to_vec(),
            ..JudgedSubject::of(&miss.tool, &miss.command)
        }),
        files: made.case.files.clone(),
        artifacts: Vec::new(),
        origin: made.origin.clone(),
        certificate: certificate.clone(),
    }
}

/// `*p`, `p->f` or `p[i]`.
fn is_access(program: &Program, node: ExprId) -> bool {
    let kind = &program.expr(node).kind;
    matches!(kind, ExprKind::Unary(UnOp::Deref, _) | ExprKind::Arrow(..) | ExprKind::Index(..))
}

fn is_scalar_access(program: &Program, node: ExprId) -> bool {
    is_access(program, node) && program.types.is_scalar(program.expr(node).ty)
}

/// Not all of it is constant: front ends fold constants before any check is made. Vectors have no checks.
fn is_computed(program: &Program, node: ExprId) -> bool {
    program.types.is_integer(program.expr(node).ty) && !is_constant(program, node)
}

fn is_constant(program: &Program, node: ExprId) -> bool {
    let constant = |id: &ExprId| is_constant(program, *id);
    match &program.expr(node).kind {
        ExprKind::Int(_) | ExprKind::EnumConst(..) | ExprKind::Float(_) => true,
        ExprKind::SizeofExpr(_) | ExprKind::SizeofType(_) | ExprKind::AlignofType(_) => true,
        ExprKind::Implicit(inner) | ExprKind::Cast(_, inner) => constant(inner),
        ExprKind::Unary(UnOp::Neg | UnOp::BitNot | UnOp::LogNot | UnOp::Plus, inner) => {
            constant(inner)
        }
        ExprKind::Binary(_, left, right) => constant(left) && constant(right),
        ExprKind::Cond(c, a, b) => constant(c) && a.as_ref().is_none_or(constant) && constant(b),
        _ => false,
    }
}

/// `a[i]` of an array that is seen to be one. A last member may be meant as a flexible one.
fn is_index_of_array(program: &Program, node: ExprId) -> bool {
    let ExprKind::Index(base, _) = program.expr(node).kind else { return false };
    let ExprKind::Implicit(array) = program.expr(base).kind else { return false };
    let is_array = program.types.as_array(program.expr(array).ty).is_some();
    is_array && matches!(program.expr(array).kind, ExprKind::Var(_) | ExprKind::Index(..))
}

/// A pointer that is followed, in a program whose blocks are entered and left by structure alone: jumps
/// make the compilers forget where lifetimes begin, and temporaries are not watched. The machine may
/// object to the pointer's value before it comes to the access.
fn is_followed(program: &Program, node: ExprId) -> bool {
    let unwatched = |e: &ctree::Expr| {
        matches!(e.kind, ExprKind::CompoundLit(..) | ExprKind::StmtExpr(_))
            || matches!(e.kind, ExprKind::Call(..)) && is_record(program, e.ty)
    };
    let follows = |e: &ctree::Expr| match e.kind {
        ExprKind::Unary(UnOp::Deref, p) | ExprKind::Arrow(p, _) | ExprKind::Index(p, _) => {
            program.types.is_scalar(e.ty) && bare(program, p) == node
        }
        _ => false,
    };
    let all = || 0..program.exprs.len() as u32;
    let access = if is_access(program, node) && program.types.is_scalar(program.expr(node).ty) {
        Some(node)
    } else {
        all().map(ExprId).find(|id| follows(program.expr(*id)))
    };
    let taken = |access| {
        let takes =
            |id| matches!(program.expr(id).kind, ExprKind::Unary(UnOp::AddrOf, of) if of == access);
        all().map(ExprId).any(takes)
    };
    access.is_some_and(|access| !taken(access))
        && is_structured(program)
        && !program.exprs.iter().any(unwatched)
}

fn is_record(program: &Program, ty: ctree::Ty) -> bool {
    !program.types.is_scalar(ty) && !program.types.is_void(ty)
}

/// Without implicit conversions.
fn bare(program: &Program, mut id: ExprId) -> ExprId {
    while let ExprKind::Implicit(inner) = program.expr(id).kind {
        id = inner;
    }
    id
}

/// The value of a variable or of memory that decides, by itself, where an `if` or a loop goes.
fn is_condition(program: &Program, node: ExprId) -> bool {
    let node = bare(program, node);
    let decides = |stmt: &ctree::Stmt| match stmt.kind {
        StmtKind::If(c, ..) | StmtKind::While(c, _) | StmtKind::DoWhile(_, c) => {
            bare(program, c) == node
        }
        StmtKind::For { cond: Some(c), .. } => bare(program, c) == node,
        _ => false,
    };
    is_structured(program) && program.stmts.iter().any(decides)
}

/// Without `goto` and `switch`.
fn is_structured(program: &Program) -> bool {
    let jumps = |stmt: &ctree::Stmt| matches!(stmt.kind, StmtKind::Goto(_) | StmtKind::Switch(..));
    !program.stmts.iter().any(jumps)
}

#[cfg(test)]
mod tests;
