//! Types, values and blocks of a module.
//!
//! They are plain copies of LLVM's pointers and live as long as their module. What removes one is
//! `unsafe`: the caller promises not to use a copy of what was removed.

use std::ffi::{CStr, CString};

use crate::Llvm;
use crate::api::{BlockRef, TypeRef, ValueRef};

/// A type.
#[derive(Clone, Copy, Debug)]
pub struct Type<'c> {
    pub(crate) raw: TypeRef,
    pub(crate) llvm: &'c Llvm,
}

impl PartialEq for Type<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for Type<'_> {}

/// What kind of type; the numbers of `LLVMTypeKind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TypeKind {
    Void,
    /// Any type of floating-point numbers.
    Float,
    Label,
    Integer,
    Function,
    Struct,
    Array,
    Pointer,
    Vector,
    ScalableVector,
    /// Metadata, tokens, and what only targets know.
    Other,
}

impl<'c> Type<'c> {
    /// Its kind.
    pub fn kind(self) -> TypeKind {
        // SAFETY: a live type.
        match unsafe { (self.llvm.api.LLVMGetTypeKind)(self.raw) } {
            0 => TypeKind::Void,
            1..=6 | 18 => TypeKind::Float,
            7 => TypeKind::Label,
            8 => TypeKind::Integer,
            9 => TypeKind::Function,
            10 => TypeKind::Struct,
            11 => TypeKind::Array,
            12 => TypeKind::Pointer,
            13 => TypeKind::Vector,
            17 => TypeKind::ScalableVector,
            _ => TypeKind::Other,
        }
    }

    /// Its text: `i32`, `<4 x float>`, `ptr addrspace(1)`.
    pub fn text(self) -> String {
        // SAFETY: a live type.
        self.llvm.take_message(unsafe { (self.llvm.api.LLVMPrintTypeToString)(self.raw) })
    }

    /// Bits of an integer type.
    pub fn bits(self) -> u32 {
        // SAFETY: asked of integer types only.
        match self.kind() {
            TypeKind::Integer => unsafe { (self.llvm.api.LLVMGetIntTypeWidth)(self.raw) },
            _ => 0,
        }
    }

    /// Whether memory can hold it.
    pub fn is_sized(self) -> bool {
        // SAFETY: a live type.
        unsafe { (self.llvm.api.LLVMTypeIsSized)(self.raw) != 0 }
    }

    /// What a function of this type returns.
    pub fn result(self) -> Option<Type<'c>> {
        // SAFETY: asked of function types only.
        (self.kind() == TypeKind::Function)
            .then(|| self.with(unsafe { (self.llvm.api.LLVMGetReturnType)(self.raw) }))
    }

    /// What a function of this type takes.
    pub fn parameters(self) -> Vec<Type<'c>> {
        if self.kind() != TypeKind::Function {
            return Vec::new();
        }
        // SAFETY: a function type, and room for as many as it has.
        let raw = unsafe {
            let count = (self.llvm.api.LLVMCountParamTypes)(self.raw) as usize;
            let mut raw = vec![TypeRef::NULL; count];
            (self.llvm.api.LLVMGetParamTypes)(self.raw, raw.as_mut_ptr());
            raw
        };
        raw.into_iter().map(|raw| self.with(raw)).collect()
    }

    /// Whether a function of this type takes more than it names.
    pub fn is_variadic(self) -> bool {
        // SAFETY: asked of function types only.
        self.kind() == TypeKind::Function
            && unsafe { (self.llvm.api.LLVMIsFunctionVarArg)(self.raw) != 0 }
    }

    /// The zero of this type.
    pub fn zero(self) -> Value<'c> {
        // SAFETY: a live type that has values.
        self.value(unsafe { (self.llvm.api.LLVMConstNull)(self.raw) })
    }

    /// `undef`
    pub fn undef(self) -> Value<'c> {
        // SAFETY: as above.
        self.value(unsafe { (self.llvm.api.LLVMGetUndef)(self.raw) })
    }

    /// `poison`
    pub fn poison(self) -> Value<'c> {
        // SAFETY: as above.
        self.value(unsafe { (self.llvm.api.LLVMGetPoison)(self.raw) })
    }

    pub(crate) fn with(self, raw: TypeRef) -> Type<'c> {
        Type { raw, llvm: self.llvm }
    }

    pub(crate) fn value(self, raw: ValueRef) -> Value<'c> {
        Value { raw, llvm: self.llvm }
    }
}

/// A function, a global variable, an instruction, an argument or a constant.
#[derive(Clone, Copy, Debug)]
pub struct Value<'c> {
    pub(crate) raw: ValueRef,
    pub(crate) llvm: &'c Llvm,
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for Value<'_> {}

/// How a global is linked; the numbers of `LLVMLinkage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[allow(missing_docs)]
pub enum Linkage {
    External = 0,
    AvailableExternally = 1,
    LinkOnce = 2,
    LinkOnceOdr = 3,
    Weak = 5,
    WeakOdr = 6,
    Appending = 7,
    Internal = 8,
    Private = 9,
    ExternalWeak = 12,
    Common = 14,
}

impl Linkage {
    /// By its number; the few that only old formats know count as external.
    pub(crate) fn of(number: i32) -> Linkage {
        match number {
            1 => Linkage::AvailableExternally,
            2 => Linkage::LinkOnce,
            3 | 4 => Linkage::LinkOnceOdr,
            5 => Linkage::Weak,
            6 => Linkage::WeakOdr,
            7 => Linkage::Appending,
            8 => Linkage::Internal,
            9 => Linkage::Private,
            12 => Linkage::ExternalWeak,
            14 => Linkage::Common,
            _ => Linkage::External,
        }
    }
}

/// Numbers of `LLVMOpcode`.
#[allow(missing_docs)]
pub mod opcode {
    pub const RET: i32 = 1;
    pub const BR: i32 = 2;
    pub const SWITCH: i32 = 3;
    pub const INDIRECT_BR: i32 = 4;
    pub const INVOKE: i32 = 5;
    pub const ADD: i32 = 8;
    pub const FADD: i32 = 9;
    pub const ALLOCA: i32 = 26;
    pub const LOAD: i32 = 27;
    pub const STORE: i32 = 28;
    pub const GEP: i32 = 29;
    pub const PHI: i32 = 44;
    pub const CALL: i32 = 45;
    pub const EXTRACT_ELEMENT: i32 = 50;
    pub const INSERT_ELEMENT: i32 = 51;
    pub const SHUFFLE_VECTOR: i32 = 52;
    pub const RESUME: i32 = 58;
    pub const LANDING_PAD: i32 = 59;
    pub const CATCH_PAD: i32 = 63;
    pub const CLEANUP_PAD: i32 = 64;
    pub const CATCH_SWITCH: i32 = 65;
    pub const CALL_BR: i32 = 67;
}

impl<'c> Value<'c> {
    /// Its type.
    pub fn ty(self) -> Type<'c> {
        // SAFETY: a live value.
        self.as_type(unsafe { (self.llvm.api.LLVMTypeOf)(self.raw) })
    }

    /// The type of a global's contents; a function's own type.
    pub fn content_type(self) -> Type<'c> {
        // SAFETY: asked of globals.
        self.as_type(unsafe { (self.llvm.api.LLVMGlobalGetValueType)(self.raw) })
    }

    /// Its name; empty for none.
    pub fn name(self) -> String {
        let mut length = 0;
        // SAFETY: as many bytes as are counted, valid while the value is.
        unsafe {
            let start: *const u8 = (self.llvm.api.LLVMGetValueName2)(self.raw, &mut length).cast();
            if start.is_null() {
                return String::new();
            }
            String::from_utf8_lossy(std::slice::from_raw_parts(start, length)).into_owned()
        }
    }

    /// Whether it is an operation on constants.
    pub fn is_constant_expression(self) -> bool {
        // SAFETY: a live value.
        unsafe { (self.llvm.api.LLVMIsAConstantExpr)(self.raw) }.some().is_some()
    }

    /// Gives it a name, or one like it if that is taken.
    pub fn set_name(self, name: &str) {
        // SAFETY: as many bytes as are counted.
        unsafe { (self.llvm.api.LLVMSetValueName2)(self.raw, name.as_ptr().cast(), name.len()) }
    }

    /// Its text, as in a module.
    pub fn text(self) -> String {
        // SAFETY: a live value.
        self.llvm.take_message(unsafe { (self.llvm.api.LLVMPrintValueToString)(self.raw) })
    }

    /// Whether a global has no contents here.
    pub fn is_declaration(self) -> bool {
        // SAFETY: asked of globals.
        unsafe { (self.llvm.api.LLVMIsDeclaration)(self.raw) != 0 }
    }

    /// Whether a function is one of LLVM's own.
    pub fn is_intrinsic(self) -> bool {
        // SAFETY: asked of functions.
        unsafe { (self.llvm.api.LLVMGetIntrinsicID)(self.raw) != 0 }
    }

    /// Sets how a global is linked.
    pub fn set_linkage(self, linkage: Linkage) {
        // SAFETY: asked of globals; other visibility is not allowed with local linkage.
        unsafe {
            if matches!(linkage, Linkage::Internal | Linkage::Private) {
                (self.llvm.api.LLVMSetVisibility)(self.raw, 0);
                (self.llvm.api.LLVMSetDLLStorageClass)(self.raw, 0);
            }
            (self.llvm.api.LLVMSetLinkage)(self.raw, linkage as i32);
        }
    }

    /// Puts another value wherever this one is used.
    pub fn replace_with(self, other: Value<'_>) {
        // SAFETY: both live, of one type.
        unsafe { (self.llvm.api.LLVMReplaceAllUsesWith)(self.raw, other.raw) }
    }

    /// Whether anything uses it.
    pub fn is_used(self) -> bool {
        // SAFETY: a live value.
        unsafe { (self.llvm.api.LLVMGetFirstUse)(self.raw) }.some().is_some()
    }

    /// Its operands.
    pub fn operands(self) -> Vec<Value<'c>> {
        // SAFETY: as many as are counted.
        let count = unsafe { (self.llvm.api.LLVMGetNumOperands)(self.raw) };
        (0..u32::try_from(count).unwrap_or(0)).filter_map(|index| self.operand(index)).collect()
    }

    /// One operand; `None` for those without a value (the metadata of some calls).
    pub fn operand(self, index: u32) -> Option<Value<'c>> {
        // SAFETY: asked of those that are counted.
        unsafe { (self.llvm.api.LLVMGetOperand)(self.raw, index) }.some().map(|raw| self.same(raw))
    }

    /// Replaces one operand.
    pub fn set_operand(self, index: u32, value: Value<'_>) {
        // SAFETY: asked of those that are counted.
        unsafe { (self.llvm.api.LLVMSetOperand)(self.raw, index, value.raw) }
    }

    /// Parameters of a function.
    pub fn parameters(self) -> Vec<Value<'c>> {
        // SAFETY: asked of functions, as many as are counted.
        let count = unsafe { (self.llvm.api.LLVMCountParams)(self.raw) };
        (0..count)
            .map(|index| self.same(unsafe { (self.llvm.api.LLVMGetParam)(self.raw, index) }))
            .collect()
    }

    /// Blocks of a function, the entry first.
    pub fn blocks(self) -> Vec<Block<'c>> {
        // SAFETY: asked of functions.
        let mut at = unsafe { (self.llvm.api.LLVMGetFirstBasicBlock)(self.raw) };
        let mut all = Vec::new();
        while let Some(raw) = at.some() {
            all.push(Block { raw, llvm: self.llvm });
            // SAFETY: a live block.
            at = unsafe { (self.llvm.api.LLVMGetNextBasicBlock)(raw) };
        }
        all
    }

    /// An instruction's number of `LLVMOpcode`; see [`opcode`].
    pub fn opcode(self) -> i32 {
        // SAFETY: gives 0 for what is no instruction.
        unsafe { (self.llvm.api.LLVMGetInstructionOpcode)(self.raw) }
    }

    /// Blocks that a terminator may go to.
    pub fn successors(self) -> Vec<Block<'c>> {
        // SAFETY: asked of terminators, as many as are counted.
        let count = unsafe { (self.llvm.api.LLVMGetNumSuccessors)(self.raw) };
        let one = |index| unsafe { (self.llvm.api.LLVMGetSuccessor)(self.raw, index) };
        (0..count).map(|index| Block { raw: one(index), llvm: self.llvm }).collect()
    }

    /// The function's garbage collector, if it has one.
    pub fn gc(self) -> Option<String> {
        // SAFETY: asked of functions; the string is LLVM's.
        unsafe {
            let name = (self.llvm.api.LLVMGetGC)(self.raw);
            (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
        }
    }

    /// The number of an attribute by name; 0 where this LLVM has none such.
    pub(crate) fn attribute_kind(self, name: &str) -> u32 {
        // SAFETY: as many bytes as are counted.
        unsafe { (self.llvm.api.LLVMGetEnumAttributeKindForName)(name.as_ptr().cast(), name.len()) }
    }

    /// Takes an attribute off a function itself.
    pub fn remove_attribute(self, name: &str) {
        /// `LLVMAttributeFunctionIndex`
        const FUNCTION: u32 = u32::MAX;
        let kind = self.attribute_kind(name);
        // SAFETY: asked of functions.
        unsafe { (self.llvm.api.LLVMRemoveEnumAttributeAtIndex)(self.raw, FUNCTION, kind) }
    }

    /// Removes an instruction.
    ///
    /// # Safety
    /// It is an instruction that nothing uses, and no copy of this handle is used again.
    pub unsafe fn erase(self) {
        // SAFETY: the caller's word.
        unsafe { (self.llvm.api.LLVMInstructionEraseFromParent)(self.raw) }
    }

    /// Removes a function.
    ///
    /// # Safety
    /// It is a function that nothing uses, and no copy of this handle or of anything in it is used again.
    pub unsafe fn delete_function(self) {
        // SAFETY: the caller's word.
        unsafe { (self.llvm.api.LLVMDeleteFunction)(self.raw) }
    }

    /// Sets the section of a global; empty for none.
    pub fn set_section(self, name: &str) {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: asked of globals.
        unsafe { (self.llvm.api.LLVMSetSection)(self.raw, name.as_ptr()) }
    }

    pub(crate) fn same(self, raw: ValueRef) -> Value<'c> {
        Value { raw, llvm: self.llvm }
    }

    fn as_type(self, raw: TypeRef) -> Type<'c> {
        Type { raw, llvm: self.llvm }
    }
}

/// A basic block.
#[derive(Clone, Copy, Debug)]
pub struct Block<'c> {
    pub(crate) raw: BlockRef,
    pub(crate) llvm: &'c Llvm,
}

impl PartialEq for Block<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for Block<'_> {}

impl<'c> Block<'c> {
    /// Its instructions, in order.
    pub fn instructions(self) -> Vec<Value<'c>> {
        // SAFETY: a live block.
        let mut at = unsafe { (self.llvm.api.LLVMGetFirstInstruction)(self.raw) };
        let mut all = Vec::new();
        while let Some(raw) = at.some() {
            all.push(Value { raw, llvm: self.llvm });
            // SAFETY: a live instruction.
            at = unsafe { (self.llvm.api.LLVMGetNextInstruction)(raw) };
        }
        all
    }

    /// Its last instruction, if that ends a block as it must.
    pub fn terminator(self) -> Option<Value<'c>> {
        // SAFETY: a live block.
        let raw = unsafe { (self.llvm.api.LLVMGetBasicBlockTerminator)(self.raw) };
        raw.some().map(|raw| Value { raw, llvm: self.llvm })
    }

    /// A number that tells it from other blocks.
    pub fn key(self) -> usize {
        self.raw.0 as usize
    }
}
