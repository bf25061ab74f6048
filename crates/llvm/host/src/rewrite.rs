//! Rewriting modules: uses, attributes, blocks, a builder.
//!
//! Only what reduction needs. The questions are safe; what removes something is `unsafe`, as in `value`.

use std::ffi::CStr;

use crate::api::{AttributeRef, BlockRef, BuilderRef, ComdatRef, ValueRef};
use crate::{Block, Context, Llvm, Module, Type, TypeKind, Value, opcode};

/// `LLVMAttributeFunctionIndex`: attributes of the function itself. 0 is its result, then parameters.
const FUNCTION: u32 = u32::MAX;

/// An attribute of a function, a result, a parameter, or of a call's.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'c> {
    pub(crate) raw: AttributeRef,
    /// Whose: a function or a call.
    owner: Value<'c>,
    /// Where: LLVM's index.
    pub(crate) index: u32,
}

impl Attribute<'_> {
    /// Takes it off.
    pub fn remove(self) {
        let api = &self.owner.llvm.api;
        let (owner, index) = (self.owner.raw, self.index);
        let on_call = self.owner.is_call();
        // SAFETY: the attribute belongs to this function or call; strings are counted.
        unsafe {
            if (api.LLVMIsStringAttribute)(self.raw) != 0 {
                let mut length = 0;
                let key = (api.LLVMGetStringAttributeKind)(self.raw, &mut length);
                match on_call {
                    true => (api.LLVMRemoveCallSiteStringAttribute)(owner, index, key, length),
                    false => (api.LLVMRemoveStringAttributeAtIndex)(owner, index, key, length),
                }
            } else {
                let kind = (api.LLVMGetEnumAttributeKind)(self.raw);
                match on_call {
                    true => (api.LLVMRemoveCallSiteEnumAttribute)(owner, index, kind),
                    false => (api.LLVMRemoveEnumAttributeAtIndex)(owner, index, kind),
                }
            }
        }
    }

    /// Which parameter it is about; `None` for the function or its result.
    pub fn parameter(self) -> Option<usize> {
        (self.index != FUNCTION && self.index != 0).then(|| self.index as usize - 1)
    }

    /// Gives it to another function, if it is about a parameter to the one at `parameter`.
    pub fn copy_to(self, function: Value<'_>, parameter: usize) {
        let index = match self.parameter() {
            Some(_) => u32::try_from(parameter + 1).unwrap_or(FUNCTION - 1),
            None => self.index,
        };
        // SAFETY: asked of functions of the same context.
        unsafe { (self.owner.llvm.api.LLVMAddAttributeAtIndex)(function.raw, index, self.raw) }
    }
}

impl<'c> Type<'c> {
    /// An integer of this integer type.
    pub fn number(self, value: u64) -> Value<'c> {
        // SAFETY: asked of integer types.
        self.value(unsafe { (self.llvm.api.LLVMConstInt)(self.raw, value, 0) })
    }

    /// Whether [`Type::zero`] and [`Type::poison`] exist: not for tokens, metadata and the like.
    pub fn has_values(self) -> bool {
        !matches!(
            self.kind(),
            TypeKind::Void | TypeKind::Label | TypeKind::Function | TypeKind::Other
        )
    }
}

impl<'c> Value<'c> {
    /// Its users, once for each use.
    pub fn users(self) -> Vec<Value<'c>> {
        let api = &self.llvm.api;
        let mut all = Vec::new();
        // SAFETY: a live value and its own uses.
        let mut at = unsafe { (api.LLVMGetFirstUse)(self.raw) };
        while let Some(raw) = at.some() {
            // SAFETY: as above.
            unsafe {
                all.push(self.same((api.LLVMGetUser)(raw)));
                at = (api.LLVMGetNextUse)(raw);
            }
        }
        all
    }

    /// Whether it is an instruction.
    pub fn is_instruction(self) -> bool {
        // SAFETY: a live value.
        unsafe { (self.llvm.api.LLVMIsAInstruction)(self.raw) }.some().is_some()
    }

    /// Whether it is a function.
    pub fn is_function(self) -> bool {
        // SAFETY: a live value.
        unsafe { (self.llvm.api.LLVMIsAFunction)(self.raw) }.some().is_some()
    }

    /// Whether it is a constant; globals and functions are.
    pub fn is_constant(self) -> bool {
        // SAFETY: a live value.
        unsafe { (self.llvm.api.LLVMIsConstant)(self.raw) != 0 }
    }

    /// Whether it is the zero of its type.
    pub fn is_zero(self) -> bool {
        // SAFETY: a live value.
        unsafe { (self.llvm.api.LLVMIsNull)(self.raw) != 0 }
    }

    /// Whether it is `undef` or `poison`.
    pub fn is_undef(self) -> bool {
        // SAFETY: a live value.
        unsafe { (self.llvm.api.LLVMIsUndef)(self.raw) != 0 }
    }

    /// The value of an integer constant of at most 64 bits.
    pub fn as_number(self) -> Option<u64> {
        // SAFETY: asked of integer constants that fit.
        unsafe {
            let int = (self.llvm.api.LLVMIsAConstantInt)(self.raw).some()?;
            (self.ty().bits() <= 64).then(|| (self.llvm.api.LLVMConstIntGetZExtValue)(int))
        }
    }

    /// Whether it is an instruction that calls.
    pub fn is_call(self) -> bool {
        self.is_instruction()
            && matches!(self.opcode(), opcode::CALL | opcode::INVOKE | opcode::CALL_BR)
    }

    /// What a call calls.
    pub fn called(self) -> Option<Value<'c>> {
        // SAFETY: asked of calls.
        let raw = self.is_call().then(|| unsafe { (self.llvm.api.LLVMGetCalledValue)(self.raw) });
        raw?.some().map(|raw| self.same(raw))
    }

    /// Arguments of a call.
    pub fn arguments(self) -> Vec<Value<'c>> {
        if !self.is_call() {
            return Vec::new();
        }
        // SAFETY: asked of calls; arguments are the first operands.
        let count = unsafe { (self.llvm.api.LLVMGetNumArgOperands)(self.raw) };
        (0..count).filter_map(|index| self.operand(index)).collect()
    }

    /// The block of an instruction.
    pub fn block(self) -> Block<'c> {
        // SAFETY: asked of instructions in a block.
        Block {
            raw: unsafe { (self.llvm.api.LLVMGetInstructionParent)(self.raw) },
            llvm: self.llvm,
        }
    }

    /// Incoming values and blocks of a phi.
    pub fn incoming(self) -> Vec<(Value<'c>, Block<'c>)> {
        let api = &self.llvm.api;
        if self.opcode() != opcode::PHI {
            return Vec::new();
        }
        // SAFETY: asked of phis, as many as are counted.
        unsafe {
            (0..(api.LLVMCountIncoming)(self.raw))
                .map(|index| {
                    let raw = (api.LLVMGetIncomingBlock)(self.raw, index);
                    let value = self.same((api.LLVMGetIncomingValue)(self.raw, index));
                    (value, Block { raw, llvm: self.llvm })
                })
                .collect()
        }
    }

    /// What a global variable begins with.
    pub fn initializer(self) -> Option<Value<'c>> {
        // SAFETY: asked of global variables.
        unsafe { (self.llvm.api.LLVMGetInitializer)(self.raw) }.some().map(|raw| self.same(raw))
    }

    /// Sets what a global variable begins with.
    pub fn set_initializer(self, value: Value<'_>) {
        // SAFETY: asked of global variables, with a constant of their type.
        unsafe { (self.llvm.api.LLVMSetInitializer)(self.raw, value.raw) }
    }

    /// What an alias stands for.
    pub fn aliasee(self) -> Option<Value<'c>> {
        // SAFETY: asked of aliases.
        unsafe { (self.llvm.api.LLVMAliasGetAliasee)(self.raw) }.some().map(|raw| self.same(raw))
    }

    /// Makes a function without blocks a declaration that may stand anywhere: no comdat, metadata or
    /// personality, linked from outside.
    pub fn make_declaration(self) {
        let api = &self.llvm.api;
        self.set_linkage(crate::Linkage::External);
        // SAFETY: asked of functions; null takes these away.
        unsafe {
            (api.LLVMSetComdat)(self.raw, ComdatRef::NULL);
            (api.LLVMGlobalClearMetadata)(self.raw);
            if (api.LLVMHasPersonalityFn)(self.raw) != 0 {
                (api.LLVMSetPersonalityFn)(self.raw, ValueRef::NULL);
            }
        }
    }

    /// Gives this function what another has beside type, body, name and attributes: convention, linkage,
    /// collector, personality.
    pub fn copy_properties(self, other: Value<'_>) {
        let api = &self.llvm.api;
        // SAFETY: asked of functions of one module.
        unsafe {
            (api.LLVMSetFunctionCallConv)(self.raw, (api.LLVMGetFunctionCallConv)(other.raw));
            (api.LLVMSetLinkage)(self.raw, (api.LLVMGetLinkage)(other.raw));
            let gc = (api.LLVMGetGC)(other.raw);
            if !gc.is_null() {
                // LLVM frees the old name before it copies the new one, should they be one.
                let gc = CStr::from_ptr(gc).to_owned();
                (api.LLVMSetGC)(self.raw, gc.as_ptr());
            }
            if (api.LLVMHasPersonalityFn)(other.raw) != 0 {
                (api.LLVMSetPersonalityFn)(self.raw, (api.LLVMGetPersonalityFn)(other.raw));
            }
        }
    }

    /// Attributes of a function with its result and parameters, or of a call.
    pub fn attributes(self) -> Vec<Attribute<'c>> {
        let api = &self.llvm.api;
        let on_call = self.is_call();
        // SAFETY: asked of functions and calls; as many as are counted.
        let positions = unsafe {
            match on_call {
                true => (api.LLVMGetNumArgOperands)(self.raw),
                false => (api.LLVMCountParams)(self.raw),
            }
        };
        let mut all = Vec::new();
        for index in std::iter::once(FUNCTION).chain(0..=positions) {
            // SAFETY: room for as many as there are.
            let raw = unsafe {
                let count = match on_call {
                    true => (api.LLVMGetCallSiteAttributeCount)(self.raw, index),
                    false => (api.LLVMGetAttributeCountAtIndex)(self.raw, index),
                };
                let mut raw = vec![AttributeRef::NULL; count as usize];
                match on_call {
                    true => (api.LLVMGetCallSiteAttributes)(self.raw, index, raw.as_mut_ptr()),
                    false => (api.LLVMGetAttributesAtIndex)(self.raw, index, raw.as_mut_ptr()),
                }
                raw
            };
            all.extend(raw.into_iter().map(|raw| Attribute { raw, owner: self, index }));
        }
        all
    }

    /// Removes a global variable.
    ///
    /// # Safety
    /// It is a global variable that nothing uses, and no copy of this handle is used again.
    pub unsafe fn delete_global(self) {
        // SAFETY: the caller's word.
        unsafe { (self.llvm.api.LLVMDeleteGlobal)(self.raw) }
    }
}

impl<'c> Block<'c> {
    /// Its function.
    pub fn function(self) -> Value<'c> {
        // SAFETY: a live block of a function.
        let raw = unsafe { (self.llvm.api.LLVMGetBasicBlockParent)(self.raw) };
        Value { raw, llvm: self.llvm }
    }

    /// Moves it to the end of a function, its own or another.
    pub fn move_to(self, function: Value<'_>) {
        // SAFETY: a live block, which is in no function in between.
        unsafe {
            (self.llvm.api.LLVMRemoveBasicBlockFromParent)(self.raw);
            (self.llvm.api.LLVMAppendExistingBasicBlock)(function.raw, self.raw);
        }
    }

    /// Its name; empty for none.
    pub fn name(self) -> String {
        self.value().name()
    }

    /// Gives it a name.
    pub fn set_name(self, name: &str) {
        self.value().set_name(name);
    }

    /// Its address as a value; what uses that are terminators and `blockaddress`.
    pub fn value(self) -> Value<'c> {
        // SAFETY: a live block.
        let raw = unsafe { (self.llvm.api.LLVMBasicBlockAsValue)(self.raw) };
        Value { raw, llvm: self.llvm }
    }

    /// Removes it.
    ///
    /// # Safety
    /// It is empty, nothing goes to it, no phi names it, and no copy of this handle is used again.
    pub unsafe fn delete(self) {
        // SAFETY: the caller's word.
        unsafe { (self.llvm.api.LLVMDeleteBasicBlock)(self.raw) }
    }
}

impl<'c> Module<'c> {
    /// A new, empty block at the end of a function.
    pub fn append_block(&self, function: Value<'c>, name: &str) -> Block<'c> {
        let name = std::ffi::CString::new(name.replace('\0', "")).unwrap_or_default();
        let (llvm, context) = (self.context.llvm, self.context.raw);
        // SAFETY: a function of this module.
        let raw = unsafe {
            (llvm.api.LLVMAppendBasicBlockInContext)(context, function.raw, name.as_ptr())
        };
        Block { raw, llvm }
    }
}

/// Makes instructions at one place.
#[derive(Debug)]
pub struct Builder<'c> {
    pub(crate) raw: BuilderRef,
    pub(crate) llvm: &'c Llvm,
}

impl<'c> Builder<'c> {
    /// One that makes them before an instruction.
    pub fn before(context: &Context<'c>, instruction: Value<'c>) -> Builder<'c> {
        let builder = Builder::new(context);
        // SAFETY: a live builder and instruction.
        unsafe { (builder.llvm.api.LLVMPositionBuilderBefore)(builder.raw, instruction.raw) };
        builder
    }

    /// One that makes them at the end of a block.
    pub fn at_end(context: &Context<'c>, block: Block<'c>) -> Builder<'c> {
        let builder = Builder::new(context);
        // SAFETY: a live builder and block.
        unsafe { (builder.llvm.api.LLVMPositionBuilderAtEnd)(builder.raw, block.raw) };
        builder
    }

    fn new(context: &Context<'c>) -> Builder<'c> {
        // SAFETY: a live context.
        let raw = unsafe { (context.llvm.api.LLVMCreateBuilderInContext)(context.raw) };
        Builder { raw, llvm: context.llvm }
    }

    /// `br label %to`
    pub fn br(&self, to: Block<'c>) -> Value<'c> {
        // SAFETY: a block of the function that is built.
        self.value(unsafe { (self.llvm.api.LLVMBuildBr)(self.raw, to.raw) })
    }

    /// `unreachable`
    pub fn unreachable(&self) -> Value<'c> {
        // SAFETY: the builder has a place.
        self.value(unsafe { (self.llvm.api.LLVMBuildUnreachable)(self.raw) })
    }

    /// `ret`, of a value or of none.
    pub fn ret(&self, value: Option<Value<'c>>) -> Value<'c> {
        // SAFETY: a value of the function's type.
        self.value(unsafe {
            match value {
                Some(value) => (self.llvm.api.LLVMBuildRet)(self.raw, value.raw),
                None => (self.llvm.api.LLVMBuildRetVoid)(self.raw),
            }
        })
    }

    /// A phi of what comes in.
    pub fn phi(&self, ty: Type<'c>, incoming: &[(Value<'c>, Block<'c>)]) -> Value<'c> {
        let values: Vec<ValueRef> = incoming.iter().map(|(value, _)| value.raw).collect();
        let blocks: Vec<BlockRef> = incoming.iter().map(|(_, block)| block.raw).collect();
        let count = u32::try_from(values.len()).unwrap_or(0);
        // SAFETY: as many as are counted.
        unsafe {
            let phi = (self.llvm.api.LLVMBuildPhi)(self.raw, ty.raw, c"".as_ptr());
            (self.llvm.api.LLVMAddIncoming)(phi, values.as_ptr(), blocks.as_ptr(), count);
            self.value(phi)
        }
    }

    /// A call with the calling convention of another.
    pub fn call_like(
        &self,
        old: Value<'c>,
        ty: Type<'c>,
        callee: Value<'c>,
        arguments: &[Value<'c>],
    ) -> Value<'c> {
        let api = &self.llvm.api;
        let raw: Vec<ValueRef> = arguments.iter().map(|value| value.raw).collect();
        let count = u32::try_from(raw.len()).unwrap_or(0);
        // SAFETY: a function type, and arguments as it wants them.
        unsafe {
            let none = c"".as_ptr();
            let call =
                (api.LLVMBuildCall2)(self.raw, ty.raw, callee.raw, raw.as_ptr(), count, none);
            (api.LLVMSetInstructionCallConv)(call, (api.LLVMGetInstructionCallConv)(old.raw));
            self.value(call)
        }
    }

    /// The type that a call takes its callee to have.
    pub fn callee_type(call: Value<'c>) -> Type<'c> {
        // SAFETY: asked of calls.
        let raw = unsafe { (call.llvm.api.LLVMGetCalledFunctionType)(call.raw) };
        Type { raw, llvm: call.llvm }
    }

    /// Takes an instruction from its block and puts it here.
    pub fn adopt(&self, instruction: Value<'c>) {
        // SAFETY: a live instruction, which is in no block in between.
        unsafe {
            (self.llvm.api.LLVMInstructionRemoveFromParent)(instruction.raw);
            (self.llvm.api.LLVMInsertIntoBuilder)(self.raw, instruction.raw);
        }
    }

    fn value(&self, raw: ValueRef) -> Value<'c> {
        Value { raw, llvm: self.llvm }
    }
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: nobody else has it.
        unsafe { (self.llvm.api.LLVMDisposeBuilder)(self.raw) }
    }
}
