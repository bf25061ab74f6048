//! String literals become shorter: nothing, or only what makes `printf` print values. And the formats
//! of `printf` follow the types of what is printed.

use ctree::{ExprId, ExprKind, IntKind, Program, StrId, StrWidth, Ty, UnOp};

use crate::graft::{bare, callee};
use crate::{Edit, ProgramMap, Specimen};

/// A level is what is left of a string.
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
    let p = &specimen.program;
    let mut edits: Vec<Edit> = Vec::new();
    for (e, _) in ProgramMap::of(p).exprs {
        let ExprKind::Str(id) = p.expr(e).kind else { continue };
        let Some(text) = text(p, id) else { continue };
        let new = shorter(text);
        if new.len() < text.len() {
            edits.push(Box::new(move |p| {
                let literal = p.str_const(&new);
                if matches!(p.expr(e).kind, ExprKind::Str(_)) {
                    p.exprs[e.index()] = p.exprs[literal.index()].clone();
                }
            }));
        }
    }
    Some(edits)
}

/// The characters of a narrow literal, without the zero at its end.
fn text(p: &Program, id: StrId) -> Option<&[u8]> {
    let literal = &p.strings[id.index()];
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

/// Constants that are printed become `int`, or 0 where they do not fit.
fn plain_arguments(specimen: &Specimen) -> Vec<Edit> {
    let p = &specimen.program;
    let mut edits: Vec<Edit> = Vec::new();
    for (call, _) in ProgramMap::of(p).exprs {
        let Some((_, args)) = printed(p, call) else { continue };
        for arg in args.into_iter().map(|arg| bare(p, arg)) {
            let ExprKind::Int(n) = p.expr(arg).kind else { continue };
            if p.expr(arg).ty != Ty::INT {
                let n = if i32::try_from(n).is_ok() { n } else { 0 };
                edits.push(Box::new(move |p| {
                    p.exprs[arg.index()].kind = ExprKind::Int(n);
                    p.exprs[arg.index()].ty = Ty::INT;
                    fit_format(p, call);
                }));
            }
        }
    }
    edits
}

/// The format and the other arguments of a call of `printf`.
fn printed(p: &Program, call: ExprId) -> Option<(ExprId, Vec<ExprId>)> {
    let name = p.name(p.func(callee(p, call)?).name);
    let ExprKind::Call(_, args) = &p.expr(call).kind else { return None };
    let (&format, rest) = args.split_first()?;
    let format = bare(p, format);
    let is_text = matches!(p.expr(format).kind, ExprKind::Str(_));
    (is_text && matches!(name, "printf" | "__builtin_printf")).then(|| (format, rest.to_vec()))
}

/// Fits all formats to the types of what is printed.
pub(crate) fn fit_formats(p: &mut Program) {
    for call in 0..p.exprs.len() {
        if matches!(p.exprs[call].kind, ExprKind::Call(..)) {
            fit_format(p, ExprId(call as u32));
        }
    }
}

fn fit_format(p: &mut Program, call: ExprId) {
    let Some((format, args)) = printed(p, call) else { return };
    let ExprKind::Str(id) = p.expr(format).kind else { return };
    let Some(old) = text(p, id) else { return };
    let spans = spans(old);
    if spans.len() != args.len() {
        return;
    }
    let mut new = old.to_vec();
    for (&(from, to), &arg) in spans.iter().zip(&args).rev() {
        let fitting = place_type(p, arg).and_then(|ty| fitting(p, &old[from..to], ty));
        if let Some(conversion) = fitting {
            new.splice(from..to, conversion);
        }
    }
    if new != old {
        let literal = p.str_const(&new);
        p.exprs[format.index()] = p.exprs[literal.index()].clone();
    }
}

/// A conversion of integers with the length and sign of a type.
fn fitting(p: &Program, conversion: &[u8], ty: Ty) -> Option<Vec<u8>> {
    let (&letter, rest) = conversion.split_last()?;
    let (_, signed) = p.types.int_bits(ty)?;
    let kind = p.types.int_kind(ty)?;
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

/// The type of a place as it is declared now, whatever the expression's own type still says.
fn place_type(p: &Program, e: ExprId) -> Option<Ty> {
    let e = bare(p, e);
    let inside = |ty: Ty| match p.types.as_array(ty) {
        Some((elem, _)) => Some(elem),
        None => p.types.pointee(ty),
    };
    let field = |record: Ty, f: u32| {
        let r = p.types.as_record(record)?;
        p.types.records[r.index()].fields.get(f as usize).map(|f| f.ty)
    };
    match p.expr(e).kind {
        ExprKind::Var(v) => Some(p.var(v).ty),
        ExprKind::Index(base, _) | ExprKind::Unary(UnOp::Deref, base) => {
            inside(place_type(p, base)?)
        }
        ExprKind::Member(of, f) => field(place_type(p, of)?, f),
        ExprKind::Arrow(of, f) => field(inside(place_type(p, of)?)?, f),
        ExprKind::Assign(lhs, _) => place_type(p, lhs),
        ExprKind::Cast(ty, _) => Some(ty),
        ExprKind::Int(_) => Some(p.expr(e).ty),
        _ => None,
    }
}
