//! Names of operators, types and conversions as the table shows them.

use ctree::{BinOp, IntKind, Program, RecordKind, Ty, TypeKind, UnOp};

/// A unary operator.
pub(super) fn unary(op: UnOp) -> &'static str {
    match op {
        UnOp::Plus => "unary +",
        UnOp::Neg => "unary -",
        UnOp::BitNot => "~",
        UnOp::LogNot => "!",
        UnOp::Deref => "dereference",
        UnOp::AddrOf => "address-of",
        UnOp::PreInc => "++x",
        UnOp::PreDec => "--x",
        UnOp::PostInc => "x++",
        UnOp::PostDec => "x--",
    }
}

/// A binary operator.
pub(super) fn binary(op: BinOp) -> &'static str {
    match op {
        BinOp::Mul => "*",
        BinOp::Div => "/",
        BinOp::Rem => "%",
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Shl => "<<",
        BinOp::Shr => ">>",
        BinOp::Lt => "<",
        BinOp::Gt => ">",
        BinOp::Le => "<=",
        BinOp::Ge => ">=",
        BinOp::Eq => "==",
        BinOp::Ne => "!=",
        BinOp::BitAnd => "&",
        BinOp::BitXor => "^",
        BinOp::BitOr => "|",
        BinOp::LogAnd => "&&",
        BinOp::LogOr => "||",
        BinOp::Comma => "comma",
    }
}

/// A compound assignment.
pub(super) fn assignment(op: BinOp) -> &'static str {
    match op {
        BinOp::Mul => "*=",
        BinOp::Div => "/=",
        BinOp::Rem => "%=",
        BinOp::Add => "+=",
        BinOp::Sub => "-=",
        BinOp::Shl => "<<=",
        BinOp::Shr => ">>=",
        BinOp::BitAnd => "&=",
        BinOp::BitXor => "^=",
        BinOp::BitOr => "|=",
        // No such assignment exists.
        _ => "?=",
    }
}

/// The type behind an operator or a constant: arithmetic types by name, the rest by kind.
pub(super) fn type_name(program: &Program, ty: Ty) -> String {
    let named = match program.types.int_kind(ty) {
        Some(kind) => kind.ty(),
        None if program.types.float_kind(ty).is_some() => ty.unqual(),
        None => return object_kind(program, ty).into(),
    };
    ctree::print::print_type(program, named)
}

/// The kind of object that a type describes.
pub(super) fn object_kind(program: &Program, ty: Ty) -> &'static str {
    match *program.types.shape(ty) {
        TypeKind::Int(_) => "integer",
        TypeKind::Float(_) => "floating",
        TypeKind::Enum(_) => "enum",
        TypeKind::Pointer(_) => "pointer",
        TypeKind::Array(..) => "array",
        TypeKind::Vector(..) => "vector",
        TypeKind::Function(_) => "function",
        TypeKind::Record(id) => match program.types.records[id.index()].kind {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
        },
        TypeKind::Void => "void",
        TypeKind::Typedef(_) | TypeKind::VaList => "other",
    }
}

/// A conversion by the classes of its two types; between integers also by the change of width.
pub(super) fn conversion(program: &Program, from: Ty, to: Ty) -> String {
    let class = |ty| match (program.types.shape(ty), program.types.int_bits(ty)) {
        (TypeKind::Int(IntKind::Bool), _) => "_Bool",
        (TypeKind::Int(_), Some((_, true))) => "signed",
        (TypeKind::Int(_), _) => "unsigned",
        _ => object_kind(program, ty),
    };
    let width = match (program.types.int_bits(from), program.types.int_bits(to)) {
        (Some((a, _)), Some((b, _))) if a < b => ", wider",
        (Some((a, _)), Some((b, _))) if a > b => ", narrower",
        (Some(_), Some(_)) => ", as wide",
        _ => "",
    };
    format!("{} to {}{width}", class(from), class(to))
}
