//! What C++ does not allow in a tree that is valid C, as far as the printer can tell.

use super::Printer;
use super::cxx::is_container;
use crate::expr::{ExprKind, UnOp};
use crate::ids::ExprId;
use crate::types::{Ty, TypeKind};

impl Printer<'_> {
    /// Checks an expression that is about to be printed.
    pub(super) fn check(&mut self, id: ExprId) {
        let program = self.program;
        let types = &program.types;
        match &program.expr(id).kind {
            ExprKind::Unary(UnOp::AddrOf, of) => {
                let of = self.innermost(*of);
                if is_container(self.dims(of)) {
                    self.fail("a pointer to a container");
                }
                if matches!(program.expr(of).kind, ExprKind::CompoundLit(..)) {
                    self.fail("the address of a compound literal");
                }
            }
            ExprKind::Unary(UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec, of) => {
                let ty = program.expr(*of).ty.unqual();
                if ty == Ty::BOOL || matches!(types.kind(ty), TypeKind::Enum(_)) {
                    self.fail("`++` or `--` of a bool or an enum");
                }
            }
            ExprKind::AssignOp { lhs, .. } => {
                if matches!(types.kind(program.expr(*lhs).ty), TypeKind::Enum(_)) {
                    self.fail("compound assignment to an enum");
                }
            }
            ExprKind::Assign(lhs, rhs) => {
                self.check_copy(*lhs);
                self.check_copy(*rhs);
            }
            ExprKind::Call(callee, args) => {
                let to = types.pointee(program.expr(*callee).ty);
                let f = to.and_then(|to| types.as_function(to));
                if f.is_some_and(|f| !f.proto) && !args.is_empty() {
                    self.fail("a call with arguments but no prototype");
                }
                for &arg in args {
                    self.check_copy(arg);
                }
            }
            _ => {}
        }
    }

    /// Checks a record that is copied: in C++ a volatile record cannot be.
    pub(super) fn check_copy(&mut self, id: ExprId) {
        let ty = self.program.expr(id).ty;
        if self.cxx.is_some() && ty.is_volatile() && self.program.types.as_record(ty).is_some() {
            self.fail("a copy of a volatile record");
        }
    }
}

/// Keywords of C++ that are not keywords of C.
const KEYWORDS: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "bitand",
    "bitor",
    "bool",
    "catch",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "decltype",
    "delete",
    "dynamic_cast",
    "explicit",
    "export",
    "false",
    "friend",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "reinterpret_cast",
    "requires",
    "static_assert",
    "static_cast",
    "std",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typeid",
    "typename",
    "using",
    "virtual",
    "wchar_t",
    "xor",
    "xor_eq",
];

/// Whether an identifier of C is a keyword of C++.
pub(super) fn is_keyword(name: &str) -> bool {
    KEYWORDS.binary_search(&name).is_ok()
}
