//! Types and attributes as text.

use std::fmt;

use super::name;
use crate::tree::{Attribute, FunctionType, Type};

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => f.write_str("void"),
            Type::Integer(width) => write!(f, "i{width}"),
            Type::Float(format) => f.write_str(format.word()),
            Type::Pointer(0) => f.write_str("ptr"),
            Type::Pointer(space) => write!(f, "ptr addrspace({space})"),
            Type::Vector { count, scalable: false, element } => write!(f, "<{count} x {element}>"),
            Type::Vector { count, scalable: true, element } => {
                write!(f, "<vscale x {count} x {element}>")
            }
            Type::Array(count, element) => write!(f, "[{count} x {element}]"),
            Type::Struct { packed, fields } => {
                let (open, close) = match (packed, fields.is_empty()) {
                    (false, true) => return f.write_str("{}"),
                    (true, true) => return f.write_str("<{}>"),
                    (false, false) => ("{ ", " }"),
                    (true, false) => ("<{ ", " }>"),
                };
                f.write_str(open)?;
                listed(f, fields)?;
                f.write_str(close)
            }
            Type::Named(name) => f.write_str(&type_name(name)),
            Type::Function(ty) => write!(f, "{ty}"),
            Type::Label => f.write_str("label"),
            Type::Token => f.write_str("token"),
            Type::Metadata => f.write_str("metadata"),
            Type::Other(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for FunctionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (", self.result)?;
        listed(f, &self.params)?;
        match (self.varargs, self.params.is_empty()) {
            (false, _) => f.write_str(")"),
            (true, true) => f.write_str("...)"),
            (true, false) => f.write_str(", ...)"),
        }
    }
}

fn listed(f: &mut fmt::Formatter<'_>, types: &[Type]) -> fmt::Result {
    for (index, ty) in types.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{ty}")?;
    }
    Ok(())
}

/// `%name`, `%0`, `%"0"`.
pub(super) fn type_name(text: &str) -> String {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    if digits(text) || quoted.is_some_and(digits) {
        format!("%{text}")
    } else {
        format!("%{}", name(text))
    }
}

/// An attribute; those of groups have their numbers behind `=`.
pub(super) fn attribute(attribute: &Attribute, in_group: bool) -> String {
    match attribute {
        Attribute::Flag(name) => name.to_string(),
        Attribute::Number(name, number) if in_group => format!("{name}={number}"),
        Attribute::Number(name, number) if &**name == "align" => format!("align {number}"),
        Attribute::Number(name, number) => format!("{name}({number})"),
        Attribute::Typed(name, ty) => format!("{name}({ty})"),
        Attribute::Range(ty, low, high) => format!("range({ty} {low}, {high})"),
        Attribute::Words(name, text) => format!("{name}({text})"),
        Attribute::Text(key, None) => format!("\"{key}\""),
        Attribute::Text(key, Some(value)) => format!("\"{key}\"=\"{value}\""),
        Attribute::Group(number) => format!("#{number}"),
    }
}
