//! Arrays as containers: `std::array`, `std::vector`, `std::valarray`, nested as the plan says.
//!
//! `const` belongs to the container, not to its elements: only `std::array` could hold constant ones.
//! Elements that are containers are printed with their type, so that overload resolution
//! always selects the constructor for initialiser lists.

use super::Printer;
use super::cxx::{Container, is_container, is_sized_at_run_time};
use super::cxx_init::{Slot, used};
use super::types::Declared;
use crate::types::{ArrayLen, Quals, Ty, TypeKind};

impl Printer<'_> {
    /// A declaration by the containers given, or as in C where there are none.
    pub(super) fn declaration_as(&mut self, ty: Ty, dims: &[Container], declared: &Declared<'_>) {
        if !is_container(dims) {
            return self.declaration(ty, declared);
        }
        let (mut class, mut dims, mut bounds) = (ty, dims, Vec::new());
        while dims[0] == Container::CArray {
            let (elem, len) = self.element(class);
            bounds.push(len);
            (class, dims) = (elem.qualified(class.quals()), &dims[1..]);
        }
        if self.is_const(ty) {
            self.push("const ");
        }
        self.class_name(class, dims);
        self.declared(declared);
        for len in bounds {
            self.push_fmt(format_args!("[{len}]"));
        }
    }

    /// `std::vector<std::array<T, n>>`, without the outermost `const`.
    fn class_name(&mut self, ty: Ty, dims: &[Container]) {
        let Some((&class, inner)) = dims.split_first() else {
            // The element: `const` has been printed.
            let plain = if self.is_const(ty) { self.program.types.resolved(ty) } else { ty };
            let volatile = if plain.is_volatile() { Quals::VOLATILE } else { Quals::NONE };
            return self.type_name(plain.unqual().qualified(volatile));
        };
        let (elem, len) = self.element(ty);
        let (name, header) = match class {
            Container::CArray | Container::StdArray => ("std::array<", 0),
            Container::Vector => ("std::vector<", 1),
            Container::Valarray => ("std::valarray<", 2),
        };
        if let Some(cxx) = &mut self.cxx {
            cxx.includes[header] = true;
        }
        self.push(name);
        self.class_name(elem.qualified(ty.quals()), inner);
        if header == 0 {
            self.push_fmt(format_args!(", {len}"));
        }
        self.push(">");
    }

    /// Element type and length; the plan has been checked to name arrays only.
    pub(super) fn element(&self, ty: Ty) -> (Ty, u64) {
        let types = &self.program.types;
        let array = match *types.kind(ty) {
            // Keeps typedef names, which the resolved type has lost.
            TypeKind::Array(elem, len) => Some((elem, len)),
            _ => types.as_array(ty),
        };
        match array {
            Some((elem, ArrayLen::Known(len))) => (elem, len),
            Some((elem, ArrayLen::Unknown)) => (elem, 0),
            None => (ty, 0),
        }
    }

    /// Whether an object of the type cannot be assigned to; arrays are what their elements are.
    pub(super) fn is_const(&self, ty: Ty) -> bool {
        let ty = self.program.types.resolved(ty);
        match self.program.types.as_array(ty) {
            _ if ty.is_const() => true,
            Some((elem, _)) => self.is_const(elem),
            None => false,
        }
    }

    /// The initialiser of a declared container.
    pub(super) fn container_init(&mut self, ty: Ty, dims: &[Container], slot: Slot<'_>) {
        let start = self.out.len();
        self.contents(ty, dims, slot);
        if self.out[start..].starts_with('{') {
            self.out.insert_str(start, " = ");
        }
    }

    /// A container as an element of another: with its type.
    pub(super) fn container_element(&mut self, ty: Ty, dims: &[Container], slot: Slot<'_>) {
        if dims[0] != Container::CArray {
            self.class_name(ty, dims);
        }
        self.contents(ty, dims, slot);
    }

    /// `{…}` with the elements, or `(n)` for a vector of zeros.
    fn contents(&mut self, ty: Ty, dims: &[Container], slot: Slot<'_>) {
        let (elem, len) = self.element(ty);
        let elem = elem.qualified(ty.quals());
        let (class, inner) = (dims[0], &dims[1..]);
        let slots = self.slots(elem, len, slot);
        let written = used(&slots);
        if class < Container::Vector {
            let deep = class == Container::StdArray;
            self.push(if deep { "{{" } else { "{" });
            // Omitted elements are zero, but a vector needs its length.
            let written = if is_sized_at_run_time(inner) { slots.len() } else { written };
            self.elements(elem, inner, &slots[..written], false);
            self.push(if deep { "}}" } else { "}" });
        } else if written > 0 {
            self.push("{");
            self.elements(elem, inner, &slots, true);
            self.push("}");
        } else if !is_sized_at_run_time(inner) {
            self.push_fmt(format_args!("({len})"));
        } else if class == Container::Vector {
            self.push_fmt(format_args!("({len}, "));
            self.container_element(elem, inner, Slot::Zero);
            self.push(")");
        } else {
            self.push("(");
            self.container_element(elem, inner, Slot::Zero);
            self.push_fmt(format_args!(", {len})"));
        }
    }
}
