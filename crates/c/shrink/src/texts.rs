//! Shortens string literals: to nothing, or to the conversions of a `printf` format. Also fits formats to
//! the types of the arguments.

use ctree::{ExprId, ExprKind, IntKind, Program, StrId, StrWidth, Ty, UnOp};

use crate::edit::{bare, callee};
use crate::{Edit, ProgramMap, Specimen};

/// Shortens string literals. A level is what is left of a string.
pub(crate) fn strings(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    let shorter: fn(&[u8]) -> Vec<u8> = match level {
        0 => |_| Vec::new(),
        1 => |text| conversions(text),
        2 => |text| {
            let mut short = conversions(text);
            short.push(b'\n');
            short
        },
        3 => return Some(plain_arguments(specimen)),
        _ => return None,
    };
    let program = &specimen.program;
    let mut edits: Vec<Edit> = Vec::new();
    for (e, _) in ProgramMap::of(program).exprs {
        let ExprKind::Str(id) = program.expr(e).kind else { continue };
        let Some(text) = text(program, id) else { continue };
        let new = shorter(text);
        if new.len() < text.len() {
            edits.push(Box::new(move |program| {
                let literal = program.str_const(&new);
                if matches!(program.expr(e).kind, ExprKind::Str(_)) {
                    program.exprs[e.index()] = program.exprs[literal.index()].clone();
                }
            }));
        }
    }
    Some(edits)
}

/// The characters of a narrow literal, without the zero at its end.
fn text(program: &Program, id: StrId) -> Option<&[u8]> {
    let literal = &program.strings[id.index()];
    (literal.width == StrWidth::Char)
        .then(|| literal.bytes.split_last().map_or(&[][..], |(_, b)| b))
}

/// The conversions of a format, one after the other.
fn conversions(text: &[u8]) -> Vec<u8> {
    let found = spans(text).into_iter().flat_map(|(from, to)| &text[from..to]);
    found.copied().collect()
}

/// Where the conversions of a format begin and end, `%%` left out.
fn spans(text: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    let ends = |b: &u8| *b == b'%' || b.is_ascii_alphabetic() && !b"hlzjtL".contains(b);
    while let Some(from) = text[at..].iter().position(|&b| b == b'%').map(|n| at + n) {
        let Some(length) = text[from + 1..].iter().position(ends) else { break };
        at = from + length + 2;
        if text[at - 1] != b'%' {
            found.push((from, at));
        }
    }
    found
}

/// Replaces printed constants by `int` constants, or by 0 where they do not fit.
fn plain_arguments(specimen: &Specimen) -> Vec<Edit> {
    let program = &specimen.program;
    let mut edits: Vec<Edit> = Vec::new();
    for (call, _) in ProgramMap::of(program).exprs {
        let Some((_, args)) = printed(program, call) else { continue };
        for arg in args.into_iter().map(|arg| bare(program, arg)) {
            let ExprKind::Int(n) = program.expr(arg).kind else { continue };
            if program.expr(arg).ty != Ty::INT {
                let n = if i32::try_from(n).is_ok() { n } else { 0 };
                edits.push(Box::new(move |program| {
                    program.exprs[arg.index()].kind = ExprKind::Int(n);
                    program.exprs[arg.index()].ty = Ty::INT;
                    fit_format(program, call);
                }));
            }
        }
    }
    edits
}

/// A format with integers printed in the plainest way that their types allow (C11 7.21.6.1p9): decimal, signed or not.
fn plain_format(program: &Program, old: &[u8], args: &[ExprId]) -> Vec<u8> {
    let (spans, mut new) = (spans(old), old.to_vec());
    if spans.len() == args.len() {
        for ((_, to), &arg) in spans.into_iter().zip(args) {
            if let Some((_, signed)) = program.types.int_bits(program.expr(arg).ty)
                && b"xXuoid".contains(&new[to - 1])
            {
                new[to - 1] = [b'u', b'd'][usize::from(signed)];
            }
        }
    }
    new
}

/// A call's format, as it is and in the plainest way.
fn formats(program: &Program, call: ExprId) -> Option<(ExprId, &[u8], Vec<u8>)> {
    let (format, args) = printed(program, call)?;
    let ExprKind::Str(id) = program.expr(format).kind else { return None };
    let old = text(program, id)?;
    Some((format, old, plain_format(program, old, &args)))
}

/// Conversions of formats that are not the plainest of their kind.
pub(crate) fn odd_conversions(program: &Program) -> usize {
    let calls = ProgramMap::of(program).exprs.into_iter();
    let odd = |(call, _)| {
        let (_, old, new) = formats(program, call)?;
        Some(old.iter().zip(&new).filter(|(old, new)| old != new).count())
    };
    calls.filter_map(odd).sum()
}

/// Prints all integers as decimal numbers.
pub(crate) fn plain_conversions(specimen: &Specimen, level: usize) -> Option<Vec<Edit>> {
    crate::only(level, || {
        let program = &specimen.program;
        let calls = ProgramMap::of(program).exprs.into_iter();
        let changed = calls.filter_map(|(call, _)| formats(program, call));
        let edit = |(format, _, new): (ExprId, &[u8], Vec<u8>)| -> Edit {
            Box::new(move |program| {
                let literal = program.str_const(&new);
                program.exprs[format.index()] = program.exprs[literal.index()].clone();
            })
        };
        changed.filter(|(_, old, new)| *old != new.as_slice()).map(edit).collect()
    })
}

/// The format and the other arguments of a call of `printf`.
fn printed(program: &Program, call: ExprId) -> Option<(ExprId, Vec<ExprId>)> {
    let name = program.name(program.func(callee(program, call)?).name);
    let ExprKind::Call(_, args) = &program.expr(call).kind else { return None };
    let (&format, rest) = args.split_first()?;
    let format = bare(program, format);
    let is_text = matches!(program.expr(format).kind, ExprKind::Str(_));
    (is_text && matches!(name, "printf" | "__builtin_printf")).then(|| (format, rest.to_vec()))
}

/// Fits all formats to the types of their arguments.
pub(crate) fn fit_formats(program: &mut Program) {
    for call in 0..program.exprs.len() {
        if matches!(program.exprs[call].kind, ExprKind::Call(..)) {
            fit_format(program, ExprId(call as u32));
        }
    }
}

fn fit_format(program: &mut Program, call: ExprId) {
    let Some((format, args)) = printed(program, call) else { return };
    let ExprKind::Str(id) = program.expr(format).kind else { return };
    let Some(old) = text(program, id) else { return };
    let spans = spans(old);
    if spans.len() != args.len() {
        return;
    }
    let mut new = old.to_vec();
    for (&(from, to), &arg) in spans.iter().zip(&args).rev() {
        let fitting = place_type(program, arg).and_then(|ty| fitting(program, &old[from..to], ty));
        if let Some(conversion) = fitting {
            new.splice(from..to, conversion);
        }
    }
    if new != old {
        let literal = program.str_const(&new);
        program.exprs[format.index()] = program.exprs[literal.index()].clone();
    }
}

/// A conversion of integers with the length and sign of a type.
fn fitting(program: &Program, conversion: &[u8], ty: Ty) -> Option<Vec<u8>> {
    let (&letter, rest) = conversion.split_last()?;
    let (_, signed) = program.types.int_bits(ty)?;
    let kind = program.types.int_kind(ty)?;
    if !b"diuxo".contains(&letter) {
        return None;
    }
    let narrow = kind.rank() < IntKind::Int.rank();
    let letter = match letter {
        b'd' | b'i' | b'u' => [b'u', b'd'][usize::from(signed || narrow)],
        other => other,
    };
    let mut new: Vec<u8> = rest.iter().copied().filter(|b| !b"hl".contains(b)).collect();
    new.extend(match kind {
        IntKind::Long | IntKind::ULong => &b"l"[..],
        IntKind::LongLong | IntKind::ULongLong => &b"ll"[..],
        _ => &b""[..],
    });
    new.push(letter);
    Some(new)
}

/// The declared type of an lvalue, which the type of the expression may not reflect yet.
fn place_type(program: &Program, e: ExprId) -> Option<Ty> {
    let e = bare(program, e);
    let inside = |ty: Ty| match program.types.as_array(ty) {
        Some((elem, _)) => Some(elem),
        None => program.types.pointee(ty),
    };
    let field = |record: Ty, f: u32| {
        let r = program.types.as_record(record)?;
        program.types.records[r.index()].fields.get(f as usize).map(|f| f.ty)
    };
    match program.expr(e).kind {
        ExprKind::Var(v) => Some(program.var(v).ty),
        ExprKind::Index(base, _) | ExprKind::Unary(UnOp::Deref, base) => {
            inside(place_type(program, base)?)
        }
        ExprKind::Member(of, f) => field(place_type(program, of)?, f),
        ExprKind::Arrow(of, f) => field(inside(place_type(program, of)?)?, f),
        ExprKind::Assign(lhs, _) => place_type(program, lhs),
        ExprKind::Cast(ty, _) => Some(ty),
        ExprKind::Int(_) => Some(program.expr(e).ty),
        _ => None,
    }
}
