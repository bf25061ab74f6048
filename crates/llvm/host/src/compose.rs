//! What puts modules together: constants, calls with what belongs to them, linkage, what a module carries
//! beside functions.
//!
//! Only what crossovers need; nothing here invalidates a handle.

use std::ffi::CString;

use crate::api::{ComdatRef, MetadataRef, TypeRef, ValueRef};
use crate::{Builder, Context, Linkage, Module, Type, TypeKind, Value};

/// `LLVMAttributeFunctionIndex`: attributes of the function itself. 0 is its result, then parameters.
const FUNCTION: u32 = u32::MAX;

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn raw(values: &[Value<'_>]) -> Vec<ValueRef> {
    values.iter().map(|value| value.raw).collect()
}

impl<'c> Type<'c> {
    /// What an array or a vector has elements of.
    pub fn element(self) -> Option<Type<'c>> {
        let has =
            matches!(self.kind(), TypeKind::Array | TypeKind::Vector | TypeKind::ScalableVector);
        // SAFETY: asked of those types only.
        has.then(|| self.with(unsafe { (self.llvm.api.LLVMGetElementType)(self.raw) }))
    }

    /// How many elements an array or a vector has; of a scalable one at least; else 0.
    pub fn length(self) -> u32 {
        // SAFETY: asked of those types only.
        unsafe {
            match self.kind() {
                TypeKind::Array => (self.llvm.api.LLVMGetArrayLength)(self.raw),
                TypeKind::Vector | TypeKind::ScalableVector => {
                    (self.llvm.api.LLVMGetVectorSize)(self.raw)
                }
                _ => 0,
            }
        }
    }

    /// Types of a struct's members.
    pub fn members(self) -> Vec<Type<'c>> {
        if self.kind() != TypeKind::Struct {
            return Vec::new();
        }
        // SAFETY: asked of structs, as many as are counted.
        unsafe {
            (0..(self.llvm.api.LLVMCountStructElementTypes)(self.raw))
                .map(|at| self.with((self.llvm.api.LLVMStructGetTypeAtIndex)(self.raw, at)))
                .collect()
        }
    }

    /// The address space of a pointer type.
    pub fn address_space(self) -> u32 {
        match self.kind() {
            // SAFETY: asked of pointers only.
            TypeKind::Pointer => unsafe { (self.llvm.api.LLVMGetPointerAddressSpace)(self.raw) },
            _ => 0,
        }
    }

    /// An array of so many of this type.
    pub fn array(self, length: u32) -> Type<'c> {
        // SAFETY: a type that memory can hold.
        self.with(unsafe { (self.llvm.api.LLVMArrayType)(self.raw, length) })
    }

    /// An integer of any width, the lowest word first.
    pub fn wide_number(self, words: &[u64]) -> Value<'c> {
        let api = &self.llvm.api;
        // SAFETY: asked of integer types; as many words as are counted.
        self.value(unsafe {
            (api.LLVMConstIntOfArbitraryPrecision)(self.raw, count(words.len()), words.as_ptr())
        })
    }

    /// The number of this floating type that is nearest.
    pub fn real(self, value: f64) -> Value<'c> {
        // SAFETY: asked of floating types.
        self.value(unsafe { (self.llvm.api.LLVMConstReal)(self.raw, value) })
    }

    /// The constant of this vector, array or struct type that has these parts.
    pub fn of_parts(self, parts: &[Value<'c>]) -> Option<Value<'c>> {
        let api = &self.llvm.api;
        let (length, element) = (count(parts.len()), self.element());
        let values = raw(parts);
        // SAFETY: constants of the types that the aggregate wants, as many as are counted.
        let raw = unsafe {
            match self.kind() {
                TypeKind::Vector if length > 0 => (api.LLVMConstVector)(values.as_ptr(), length),
                TypeKind::Array => (api.LLVMConstArray)(element?.raw, values.as_ptr(), length),
                // Of a struct without a name, too.
                TypeKind::Struct => (api.LLVMConstNamedStruct)(self.raw, values.as_ptr(), length),
                _ => return None,
            }
        };
        Some(self.value(raw))
    }
}

impl<'c> Value<'c> {
    /// A number that tells it from other values.
    pub fn key(self) -> usize {
        self.raw.0 as usize
    }

    /// How a global is linked.
    pub fn linkage(self) -> Linkage {
        // SAFETY: asked of globals.
        Linkage::of(unsafe { (self.llvm.api.LLVMGetLinkage)(self.raw) })
    }

    /// Takes a global out of its comdat and resets its DLL storage class.
    pub fn leave_comdat(self) {
        // SAFETY: asked of functions and variables; null takes the comdat away.
        unsafe {
            (self.llvm.api.LLVMSetDLLStorageClass)(self.raw, 0);
            (self.llvm.api.LLVMSetComdat)(self.raw, ComdatRef::NULL);
        }
    }

    /// The number of a function's calling convention.
    pub fn convention(self) -> u32 {
        // SAFETY: asked of functions.
        unsafe { (self.llvm.api.LLVMGetFunctionCallConv)(self.raw) }
    }

    /// The personality of a function.
    pub fn personality(self) -> Option<Value<'c>> {
        // SAFETY: asked of functions, and of those that have one.
        unsafe {
            ((self.llvm.api.LLVMHasPersonalityFn)(self.raw) != 0)
                .then(|| self.same((self.llvm.api.LLVMGetPersonalityFn)(self.raw)))
        }
    }

    /// Whether a function itself has an attribute.
    pub fn has_attribute(self, name: &str) -> bool {
        self.attribute_at(FUNCTION, name)
    }

    /// Whether a parameter of a function or of a call has an attribute; that of a call has those of the
    /// function's, too.
    pub fn parameter_has(self, parameter: usize, name: &str) -> bool {
        let index = count(parameter).saturating_add(1);
        let called = self.called().filter(|called| called.is_function());
        self.attribute_at(index, name)
            || called.is_some_and(|called| called.attribute_at(index, name))
    }

    fn attribute_at(self, index: u32, name: &str) -> bool {
        let kind = self.attribute_kind(name);
        let api = &self.llvm.api;
        // SAFETY: asked of functions and calls, for an attribute that this LLVM has.
        kind != 0
            && unsafe {
                match self.is_call() {
                    true => (api.LLVMGetCallSiteEnumAttribute)(self.raw, index, kind),
                    false => (api.LLVMGetEnumAttributeAtIndex)(self.raw, index, kind),
                }
            }
            .some()
            .is_some()
    }

    /// The type in a parameter's attribute, such as `byval(T)`.
    pub fn parameter_type(self, parameter: usize, name: &str) -> Option<Type<'c>> {
        let kind = self.attribute_kind(name);
        let index = count(parameter).saturating_add(1);
        let api = &self.llvm.api;
        // SAFETY: asked of functions; the type is asked of type attributes.
        unsafe {
            let attribute = match kind {
                0 => return None,
                kind => (api.LLVMGetEnumAttributeAtIndex)(self.raw, index, kind).some()?,
            };
            if (api.LLVMIsTypeAttribute)(attribute) == 0 {
                return None;
            }
            let raw = (api.LLVMGetTypeAttributeValue)(attribute);
            raw.some().map(|raw| Type { raw, llvm: self.llvm })
        }
    }

    /// The value of a function's attribute that is a text.
    pub fn text_attribute(self, name: &str) -> Option<String> {
        let api = &self.llvm.api;
        // SAFETY: asked of functions; as many bytes as are counted.
        unsafe {
            let (start, length) = (name.as_ptr().cast(), count(name.len()));
            let attribute =
                (api.LLVMGetStringAttributeAtIndex)(self.raw, FUNCTION, start, length).some()?;
            let mut length = 0;
            let start: *const u8 = (api.LLVMGetStringAttributeValue)(attribute, &mut length).cast();
            let bytes = match length {
                0 => &[],
                length => std::slice::from_raw_parts(start, length as usize),
            };
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }

    /// Takes an attribute that is a text off a function.
    pub fn remove_text_attribute(self, name: &str) {
        let (start, length) = (name.as_ptr().cast(), count(name.len()));
        // SAFETY: asked of functions; as many bytes as are counted.
        unsafe {
            (self.llvm.api.LLVMRemoveStringAttributeAtIndex)(self.raw, FUNCTION, start, length);
        }
    }

    /// Takes an attribute off a call.
    pub fn remove_call_attribute(self, name: &str) {
        let kind = self.attribute_kind(name);
        if kind != 0 {
            // SAFETY: asked of calls.
            unsafe { (self.llvm.api.LLVMRemoveCallSiteEnumAttribute)(self.raw, FUNCTION, kind) }
        }
    }

    /// Gives a call an attribute that has no value.
    pub fn add_call_attribute(self, context: &Context<'_>, name: &str) {
        let kind = self.attribute_kind(name);
        let api = &self.llvm.api;
        if kind != 0 {
            // SAFETY: asked of calls of this context.
            unsafe {
                let attribute = (api.LLVMCreateEnumAttribute)(context.raw, kind, 0);
                (api.LLVMAddCallSiteAttribute)(self.raw, FUNCTION, attribute);
            }
        }
    }

    /// Whether a call may reuse its caller's frame, or must.
    pub fn is_tail_call(self) -> bool {
        // SAFETY: asked of calls that are no invokes.
        self.opcode() == crate::opcode::CALL
            && unsafe { (self.llvm.api.LLVMIsTailCall)(self.raw) != 0 }
    }

    /// Whether it is assembly text.
    pub fn is_assembly(self) -> bool {
        // SAFETY: a live value.
        unsafe { (self.llvm.api.LLVMIsAInlineAsm)(self.raw) }.some().is_some()
    }

    /// Whether it is the address of a block.
    pub fn is_block_address(self) -> bool {
        // SAFETY: a live value.
        unsafe { (self.llvm.api.LLVMIsABlockAddress)(self.raw) }.some().is_some()
    }

    /// The type that a `getelementptr` steps over.
    pub fn stepped_type(self) -> Option<Type<'c>> {
        let is = self.opcode() == crate::opcode::GEP;
        // SAFETY: asked of that instruction only.
        let raw = is.then(|| unsafe { (self.llvm.api.LLVMGetGEPSourceElementType)(self.raw) })?;
        raw.some().map(|raw| Type { raw, llvm: self.llvm })
    }

    /// Whether a function has debug information.
    pub fn has_subprogram(self) -> bool {
        // SAFETY: asked of functions.
        unsafe { (self.llvm.api.LLVMGetSubprogram)(self.raw) }.some().is_some()
    }

    /// Takes over another instruction's source location; false if that has none.
    pub fn take_location(self, other: Value<'_>) -> bool {
        // SAFETY: live instructions of one function.
        unsafe {
            let location: MetadataRef = (self.llvm.api.LLVMInstructionGetDebugLoc)(other.raw);
            if location.some().is_some() {
                (self.llvm.api.LLVMInstructionSetDebugLoc)(self.raw, location);
            }
            location.some().is_some()
        }
    }
}

impl<'c> Module<'c> {
    /// Drops assembly text that belongs to no function.
    pub fn drop_assembly(&self) {
        // SAFETY: a live module, an empty string.
        unsafe { (self.context.llvm.api.LLVMSetModuleInlineAsm2)(self.raw, c"".as_ptr(), 0) }
    }

    /// Names of its named metadata.
    pub fn named_metadata(&self) -> Vec<String> {
        let api = &self.context.llvm.api;
        let mut all = Vec::new();
        // SAFETY: a live module and its own nodes; as many bytes as are counted.
        unsafe {
            let mut at = (api.LLVMGetFirstNamedMetadata)(self.raw);
            while let Some(node) = at.some() {
                let mut length = 0;
                let start: *const u8 = (api.LLVMGetNamedMetadataName)(node, &mut length).cast();
                let bytes = std::slice::from_raw_parts(start, length);
                all.push(String::from_utf8_lossy(bytes).into_owned());
                at = (api.LLVMGetNextNamedMetadata)(node);
            }
        }
        all
    }

    /// Removes the lists that linkers append to each other, such as `llvm.used`. Nothing refers to them.
    pub fn drop_lists(&self) {
        for global in self.globals() {
            if global.linkage() == Linkage::Appending && !global.is_used() {
                // SAFETY: it was found just now, and nothing uses it.
                unsafe { global.delete_global() }
            }
        }
    }

    /// Makes aliases and indirect functions unused and local, so that `globaldce` removes them. What
    /// used an alias uses what it stood for; what used an indirect function uses a declaration.
    pub fn replace_alias_uses(&self) {
        for alias in self.aliases() {
            if let Some(aliasee) = alias.aliasee().filter(|aliasee| aliasee.ty() == alias.ty()) {
                alias.replace_with(aliasee);
                alias.set_linkage(Linkage::Internal);
            }
        }
        for ifunc in self.ifuncs() {
            let (name, ty) = (ifunc.name(), ifunc.content_type());
            if ty.kind() == TypeKind::Function {
                ifunc.set_name("");
                ifunc.replace_with(self.declare(&name, ty));
                ifunc.set_linkage(Linkage::Internal);
            }
        }
    }

    /// A global variable by name.
    pub fn global(&self, name: &str) -> Option<Value<'c>> {
        let name = CString::new(name).ok()?;
        // SAFETY: a live module and a string.
        let raw = unsafe { (self.context.llvm.api.LLVMGetNamedGlobal)(self.raw, name.as_ptr()) };
        raw.some().map(|raw| self.value(raw))
    }
}

impl<'c> Builder<'c> {
    /// A call of a function, with its convention and its parameters' attributes: those that say how a
    /// value travels must be the same on both sides.
    pub fn call(&self, function: Value<'c>, arguments: &[Value<'c>]) -> Value<'c> {
        let api = &self.llvm.api;
        let values = raw(arguments);
        let ty: TypeRef = function.content_type().raw;
        // SAFETY: arguments as the function wants them.
        unsafe {
            let length = count(values.len());
            let none = c"".as_ptr();
            let call =
                (api.LLVMBuildCall2)(self.raw, ty, function.raw, values.as_ptr(), length, none);
            (api.LLVMSetInstructionCallConv)(call, function.convention());
            for attribute in function.attributes() {
                if attribute.parameter().is_some() {
                    (api.LLVMAddCallSiteAttribute)(call, attribute.index, attribute.raw);
                }
            }
            function.same(call)
        }
    }

    /// Room for a type on the stack.
    pub fn alloca(&self, ty: Type<'c>) -> Value<'c> {
        // SAFETY: a type that memory can hold.
        ty.value(unsafe { (self.llvm.api.LLVMBuildAlloca)(self.raw, ty.raw, c"".as_ptr()) })
    }

    /// `store value, ptr to`
    pub fn store(&self, value: Value<'c>, to: Value<'c>) -> Value<'c> {
        // SAFETY: a value and a pointer.
        value.same(unsafe { (self.llvm.api.LLVMBuildStore)(self.raw, value.raw, to.raw) })
    }

    /// An operation on two values of one type; the number is of `LLVMOpcode`.
    pub fn binary(&self, opcode: i32, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        let api = &self.llvm.api;
        // SAFETY: values of a type that has the operation.
        left.same(unsafe {
            (api.LLVMBuildBinOp)(self.raw, opcode, left.raw, right.raw, c"".as_ptr())
        })
    }
}
