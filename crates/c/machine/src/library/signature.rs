//! Whether a library function is called with a compatible type (6.5.2.2p6 and p9).
//!
//! A program may declare a library function itself (7.1.4p2), but only with its own type. Builtins are
//! not checked: only the compiler declares them.

use super::LibFunc;
use crate::compat::compatible;
use crate::outcome::UbKind;
use ctree::{Program, Quals, Ty, TypeKind};

/// Whether a call through the type `call` with arguments of types `args` may reach `name`.
pub(crate) fn call_agrees(
    program: &Program,
    name: &str,
    call: Ty,
    args: &[Ty],
) -> Result<(), (UbKind, &'static str)> {
    let (Some(signature), Some(f)) =
        (ctree::library::signature(name), program.types.as_function(call))
    else {
        return Ok(());
    };
    let variadic = signature.ends_with('.');
    let mut codes = signature.trim_end_matches('.').bytes();
    if !codes.next().is_some_and(|code| matches_code(program, f.ret, code)) {
        return Err((UbKind::CallType, "the library function has another return type"));
    }
    if !f.proto && variadic {
        return Err((UbKind::CallArgs, "a variadic function is called without a prototype"));
    }
    let given: &[Ty] = if f.proto { &f.params } else { args };
    let same = given.iter().all(|&ty| match codes.next() {
        Some(code) => {
            matches_code(program, ty, code) || !f.proto && agrees_unprototyped(program, ty, code)
        }
        None => false,
    });
    match same && codes.next().is_none() && f.variadic == variadic {
        true => Ok(()),
        false if f.proto => Err((UbKind::CallType, "the library function has other parameters")),
        false => {
            Err((UbKind::CallArgs, "the arguments do not match the library function's parameters"))
        }
    }
}

/// The same for a call through a pointer, where the name is unknown: any of its names may match.
pub(crate) fn pointer_call_agrees(
    program: &Program,
    lib: LibFunc,
    call: Ty,
    args: &[Ty],
) -> Result<(), (UbKind, &'static str)> {
    let mut verdicts = lib.names().iter().map(|name| call_agrees(program, name, call, args));
    let first = verdicts.next().unwrap_or(Ok(()));
    if verdicts.any(|v| v.is_ok()) { Ok(()) } else { first }
}

/// Whether a type is the one that a signature code stands for.
fn matches_code(program: &Program, ty: Ty, code: u8) -> bool {
    let to = |quals: Quals, pointee: Ty| {
        let target = program.types.pointee(ty);
        target.is_some_and(|t| {
            program.types.resolved(t).quals() == quals && compatible(program, t, pointee)
        })
    };
    match code {
        b'p' => to(Quals::NONE, Ty::VOID),
        b'P' => to(Quals::CONST, Ty::VOID),
        b's' => to(Quals::NONE, Ty::CHAR),
        b'S' => to(Quals::CONST, Ty::CHAR),
        b'F' => {
            let target = program.types.pointee(ty);
            target.is_some_and(|t| {
                t.quals() == Quals::NONE && matches!(program.types.shape(t), TypeKind::Record(_))
            })
        }
        _ => basic_type(program, code).is_some_and(|plain| compatible(program, ty, plain)),
    }
}

/// 6.5.2.2p6, of an argument without a prototype: signed and unsigned counterparts agree, and so do
/// pointers to `void` and to characters.
fn agrees_unprototyped(program: &Program, ty: Ty, code: u8) -> bool {
    let bytes = |t: Ty| {
        program.types.is_void(t) || program.types.int_kind(t).is_some_and(|k| k.rank() == 1)
    };
    match basic_type(program, code) {
        Some(plain) => match (program.types.int_kind(ty), program.types.int_kind(plain)) {
            (Some(x), Some(y)) => x.to_unsigned() == y.to_unsigned(),
            _ => false,
        },
        None => code != b'F' && program.types.pointee(ty).is_some_and(bytes),
    }
}

/// The type of a code that is not a pointer; the supported functions need no others.
fn basic_type(program: &Program, code: u8) -> Option<Ty> {
    Some(match code {
        b'v' => Ty::VOID,
        b'i' => Ty::INT,
        b'l' => Ty::LONG,
        b'z' => program.types.model.size_type().ty(),
        b'q' => Ty::LLONG,
        b'f' => Ty::FLOAT,
        b'd' => Ty::DOUBLE,
        b'D' => Ty::LDOUBLE,
        b'V' => Ty::VA_LIST,
        _ => return None,
    })
}
