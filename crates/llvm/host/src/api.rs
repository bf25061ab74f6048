//! The table of C functions that we use, looked up once when a library is opened.
//!
//! Functions of the first list are in every LLVM from 14 to 22; a library that lacks one is refused by
//! the name of what it lacks. Those of the second list came or went with some version and are `Option`s:
//! the caller decides what happens without it. Constant-expression builders are not here at all:
//! they vanish version by version.

use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

/// Declares pointer types that cannot be mixed up.
macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub *mut c_void);

        impl $name {
            /// No object.
            pub const NULL: $name = $name(std::ptr::null_mut());

            /// `None` for the null pointer.
            pub fn some(self) -> Option<$name> {
                (!self.0.is_null()).then_some(self)
            }
        }
    )*};
}

handles! {
    /// `LLVMContextRef`
    ContextRef,
    /// `LLVMModuleRef`
    ModuleRef,
    /// `LLVMValueRef`
    ValueRef,
    /// `LLVMTypeRef`
    TypeRef,
    /// `LLVMBasicBlockRef`
    BlockRef,
    /// `LLVMBuilderRef`
    BuilderRef,
    /// `LLVMUseRef`
    UseRef,
    /// `LLVMAttributeRef`
    AttributeRef,
    /// `LLVMMemoryBufferRef`
    BufferRef,
    /// `LLVMErrorRef`
    ErrorRef,
    /// `LLVMPassBuilderOptionsRef`
    PassOptionsRef,
    /// `LLVMTargetRef`
    TargetRef,
    /// `LLVMTargetMachineRef`
    TargetMachineRef,
    /// `LLVMTargetDataRef`
    TargetDataRef,
    /// `LLVMNamedMDNodeRef`
    NamedMetadataRef,
    /// `LLVMOrcLLJITRef`
    JitRef,
    /// `LLVMOrcJITDylibRef`
    JitLibraryRef,
    /// `LLVMDiagnosticInfoRef`
    DiagnosticRef,
    /// `LLVMComdatRef`
    ComdatRef,
    /// `LLVMMetadataRef`
    MetadataRef,
}

/// A truth value of the C API.
pub type Bool = c_int;

/// `LLVMOrcCSymbolMapPair`: a name in the pool, an address, and flags (exported, callable).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct JitSymbol {
    /// Of the pool.
    pub name: *mut c_void,
    /// In this process.
    pub address: u64,
    /// Generic flags, target flags.
    pub flags: [u8; 2],
}

/// Declares the table and its look-up.
macro_rules! table {
    (
        required { $($name:ident($($arg:ty),*) $(-> $ret:ty)?;)* }
        optional { $($oname:ident($($oarg:ty),*) $(-> $oret:ty)?;)* }
    ) => {
        /// Pointers to the functions of one library, by their names in C.
        #[allow(non_snake_case, missing_docs)]
        #[derive(Debug)]
        pub struct Api {
            $(pub $name: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
            $(pub $oname: Option<unsafe extern "C" fn($($oarg),*) $(-> $oret)?>,)*
        }

        impl Api {
            /// Looks everything up; `Err` is the name of a required function that is not there.
            ///
            /// # Safety
            /// `library` is a libLLVM, whose functions have the types of the table.
            pub(crate) unsafe fn look_up(
                library: &libloading::os::unix::Library,
            ) -> Result<Api, &'static str> {
                // SAFETY: the caller vouches for the types.
                unsafe {
                    Ok(Api {
                        $($name: *library
                            .get(concat!(stringify!($name), "\0").as_bytes())
                            .map_err(|_| stringify!($name))?,)*
                        $($oname: library
                            .get(concat!(stringify!($oname), "\0").as_bytes())
                            .ok()
                            .map(|symbol| *symbol),)*
                    })
                }
            }
        }
    };
}

/// `LLVMDiagnosticHandler`
pub type DiagnosticHandler = extern "C" fn(DiagnosticRef, *mut c_void);

/// `LLVMFatalErrorHandler`
pub type FatalErrorHandler = extern "C" fn(*const c_char);

table! {
    required {
        // Contexts, errors, options.
        LLVMContextCreate() -> ContextRef;
        LLVMContextDispose(ContextRef);
        LLVMContextSetDiagnosticHandler(ContextRef, Option<DiagnosticHandler>, *mut c_void);
        LLVMContextSetDiscardValueNames(ContextRef, Bool);
        LLVMGetDiagInfoDescription(DiagnosticRef) -> *mut c_char;
        LLVMGetDiagInfoSeverity(DiagnosticRef) -> c_int;
        LLVMDisposeMessage(*mut c_char);
        LLVMGetErrorMessage(ErrorRef) -> *mut c_char;
        LLVMDisposeErrorMessage(*mut c_char);
        LLVMInstallFatalErrorHandler(FatalErrorHandler);
        LLVMParseCommandLineOptions(c_int, *const *const c_char, *const c_char);

        // Modules.
        LLVMModuleCreateWithNameInContext(*const c_char, ContextRef) -> ModuleRef;
        LLVMDisposeModule(ModuleRef);
        LLVMCloneModule(ModuleRef) -> ModuleRef;
        LLVMLinkModules2(ModuleRef, ModuleRef) -> Bool;
        LLVMVerifyModule(ModuleRef, c_int, *mut *mut c_char) -> Bool;
        LLVMPrintModuleToString(ModuleRef) -> *mut c_char;
        LLVMSetModuleIdentifier(ModuleRef, *const c_char, usize);
        LLVMSetSourceFileName(ModuleRef, *const c_char, usize);
        LLVMGetTarget(ModuleRef) -> *const c_char;
        LLVMSetTarget(ModuleRef, *const c_char);
        LLVMGetDataLayoutStr(ModuleRef) -> *const c_char;
        LLVMSetDataLayout(ModuleRef, *const c_char);
        LLVMGetModuleInlineAsm(ModuleRef, *mut usize) -> *const c_char;
        LLVMSetModuleInlineAsm2(ModuleRef, *const c_char, usize);
        LLVMStripModuleDebugInfo(ModuleRef) -> Bool;
        LLVMGetFirstNamedMetadata(ModuleRef) -> NamedMetadataRef;
        LLVMGetNextNamedMetadata(NamedMetadataRef) -> NamedMetadataRef;
        LLVMGetNamedMetadataName(NamedMetadataRef, *mut usize) -> *const c_char;

        // Buffers, text and bitcode.
        LLVMCreateMemoryBufferWithMemoryRangeCopy(*const c_char, usize, *const c_char) -> BufferRef;
        LLVMDisposeMemoryBuffer(BufferRef);
        LLVMGetBufferStart(BufferRef) -> *const c_char;
        LLVMGetBufferSize(BufferRef) -> usize;
        LLVMParseIRInContext(ContextRef, BufferRef, *mut ModuleRef, *mut *mut c_char) -> Bool;
        LLVMWriteBitcodeToMemoryBuffer(ModuleRef) -> BufferRef;

        // Passes and targets.
        LLVMCreatePassBuilderOptions() -> PassOptionsRef;
        LLVMDisposePassBuilderOptions(PassOptionsRef);
        LLVMPassBuilderOptionsSetVerifyEach(PassOptionsRef, Bool);
        LLVMPassBuilderOptionsSetDebugLogging(PassOptionsRef, Bool);
        LLVMRunPasses(ModuleRef, *const c_char, TargetMachineRef, PassOptionsRef) -> ErrorRef;
        LLVMGetTargetFromTriple(*const c_char, *mut TargetRef, *mut *mut c_char) -> Bool;
        LLVMNormalizeTargetTriple(*const c_char) -> *mut c_char;
        LLVMCreateTargetMachine(TargetRef, *const c_char, *const c_char, *const c_char, c_int, c_int, c_int) -> TargetMachineRef;
        LLVMDisposeTargetMachine(TargetMachineRef);
        LLVMCreateTargetDataLayout(TargetMachineRef) -> TargetDataRef;
        LLVMDisposeTargetData(TargetDataRef);
        LLVMSetModuleDataLayout(ModuleRef, TargetDataRef);
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();

        // Types.
        LLVMTypeOf(ValueRef) -> TypeRef;
        LLVMGetTypeKind(TypeRef) -> c_int;
        LLVMTypeIsSized(TypeRef) -> Bool;
        LLVMPrintTypeToString(TypeRef) -> *mut c_char;
        LLVMGetIntTypeWidth(TypeRef) -> c_uint;
        LLVMGetElementType(TypeRef) -> TypeRef;
        LLVMGetVectorSize(TypeRef) -> c_uint;
        LLVMGetArrayLength(TypeRef) -> c_uint;
        LLVMCountStructElementTypes(TypeRef) -> c_uint;
        LLVMStructGetTypeAtIndex(TypeRef, c_uint) -> TypeRef;
        LLVMGetPointerAddressSpace(TypeRef) -> c_uint;
        LLVMGetReturnType(TypeRef) -> TypeRef;
        LLVMCountParamTypes(TypeRef) -> c_uint;
        LLVMGetParamTypes(TypeRef, *mut TypeRef);
        LLVMIsFunctionVarArg(TypeRef) -> Bool;
        LLVMFunctionType(TypeRef, *const TypeRef, c_uint, Bool) -> TypeRef;
        LLVMVoidTypeInContext(ContextRef) -> TypeRef;
        LLVMIntTypeInContext(ContextRef, c_uint) -> TypeRef;
        LLVMArrayType(TypeRef, c_uint) -> TypeRef;

        // Constants.
        LLVMConstInt(TypeRef, c_ulonglong, Bool) -> ValueRef;
        LLVMConstIntOfArbitraryPrecision(TypeRef, c_uint, *const u64) -> ValueRef;
        LLVMConstReal(TypeRef, f64) -> ValueRef;
        LLVMConstNull(TypeRef) -> ValueRef;
        LLVMGetUndef(TypeRef) -> ValueRef;
        LLVMGetPoison(TypeRef) -> ValueRef;
        LLVMConstVector(*const ValueRef, c_uint) -> ValueRef;
        LLVMConstArray(TypeRef, *const ValueRef, c_uint) -> ValueRef;
        LLVMConstStructInContext(ContextRef, *const ValueRef, c_uint, Bool) -> ValueRef;
        LLVMConstNamedStruct(TypeRef, *const ValueRef, c_uint) -> ValueRef;
        LLVMGetStructName(TypeRef) -> *const c_char;
        LLVMIsPackedStruct(TypeRef) -> Bool;

        // Values.
        LLVMGetValueKind(ValueRef) -> c_int;
        LLVMGetValueName2(ValueRef, *mut usize) -> *const c_char;
        LLVMSetValueName2(ValueRef, *const c_char, usize);
        LLVMPrintValueToString(ValueRef) -> *mut c_char;
        LLVMReplaceAllUsesWith(ValueRef, ValueRef);
        LLVMGetFirstUse(ValueRef) -> UseRef;
        LLVMGetNextUse(UseRef) -> UseRef;
        LLVMGetUser(UseRef) -> ValueRef;
        LLVMGetNumOperands(ValueRef) -> c_int;
        LLVMGetOperand(ValueRef, c_uint) -> ValueRef;
        LLVMSetOperand(ValueRef, c_uint, ValueRef);
        LLVMIsConstant(ValueRef) -> Bool;
        LLVMIsAInstruction(ValueRef) -> ValueRef;
        LLVMIsAConstantExpr(ValueRef) -> ValueRef;
        LLVMIsABlockAddress(ValueRef) -> ValueRef;
        LLVMIsAFunction(ValueRef) -> ValueRef;
        LLVMIsAConstantInt(ValueRef) -> ValueRef;
        LLVMConstIntGetZExtValue(ValueRef) -> c_ulonglong;
        LLVMIsNull(ValueRef) -> Bool;
        LLVMIsUndef(ValueRef) -> Bool;

        // Globals.
        LLVMGetNamedGlobal(ModuleRef, *const c_char) -> ValueRef;
        LLVMGetFirstGlobal(ModuleRef) -> ValueRef;
        LLVMGetNextGlobal(ValueRef) -> ValueRef;
        LLVMDeleteGlobal(ValueRef);
        LLVMGetInitializer(ValueRef) -> ValueRef;
        LLVMSetInitializer(ValueRef, ValueRef);
        LLVMGlobalGetValueType(ValueRef) -> TypeRef;
        LLVMIsDeclaration(ValueRef) -> Bool;
        LLVMGetLinkage(ValueRef) -> c_int;
        LLVMSetLinkage(ValueRef, c_int);
        LLVMSetVisibility(ValueRef, c_int);
        LLVMSetDLLStorageClass(ValueRef, c_int);
        LLVMSetSection(ValueRef, *const c_char);
        LLVMGetComdat(ValueRef) -> ComdatRef;
        LLVMSetComdat(ValueRef, ComdatRef);
        LLVMGlobalClearMetadata(ValueRef);
        LLVMGetFirstGlobalAlias(ModuleRef) -> ValueRef;
        LLVMGetNextGlobalAlias(ValueRef) -> ValueRef;
        LLVMAliasGetAliasee(ValueRef) -> ValueRef;
        LLVMGetFirstGlobalIFunc(ModuleRef) -> ValueRef;
        LLVMGetNextGlobalIFunc(ValueRef) -> ValueRef;
        LLVMEraseGlobalIFunc(ValueRef);

        // Functions.
        LLVMAddFunction(ModuleRef, *const c_char, TypeRef) -> ValueRef;
        LLVMGetNamedFunction(ModuleRef, *const c_char) -> ValueRef;
        LLVMGetFirstFunction(ModuleRef) -> ValueRef;
        LLVMGetNextFunction(ValueRef) -> ValueRef;
        LLVMDeleteFunction(ValueRef);
        LLVMCountParams(ValueRef) -> c_uint;
        LLVMGetParam(ValueRef, c_uint) -> ValueRef;
        LLVMGetFunctionCallConv(ValueRef) -> c_uint;
        LLVMSetFunctionCallConv(ValueRef, c_uint);
        LLVMGetIntrinsicID(ValueRef) -> c_uint;
        LLVMHasPersonalityFn(ValueRef) -> Bool;
        LLVMGetPersonalityFn(ValueRef) -> ValueRef;
        LLVMSetPersonalityFn(ValueRef, ValueRef);
        LLVMGetGC(ValueRef) -> *const c_char;
        LLVMSetGC(ValueRef, *const c_char);
        LLVMGetBasicBlockParent(BlockRef) -> ValueRef;
        LLVMGetEnumAttributeKindForName(*const c_char, usize) -> c_uint;
        LLVMCreateEnumAttribute(ContextRef, c_uint, u64) -> AttributeRef;
        LLVMAddAttributeAtIndex(ValueRef, c_uint, AttributeRef);
        LLVMGetEnumAttributeAtIndex(ValueRef, c_uint, c_uint) -> AttributeRef;
        LLVMRemoveEnumAttributeAtIndex(ValueRef, c_uint, c_uint);
        LLVMRemoveStringAttributeAtIndex(ValueRef, c_uint, *const c_char, c_uint);
        LLVMGetAttributeCountAtIndex(ValueRef, c_uint) -> c_uint;
        LLVMGetAttributesAtIndex(ValueRef, c_uint, *mut AttributeRef);
        LLVMIsEnumAttribute(AttributeRef) -> Bool;
        LLVMIsStringAttribute(AttributeRef) -> Bool;
        LLVMIsTypeAttribute(AttributeRef) -> Bool;
        LLVMGetEnumAttributeKind(AttributeRef) -> c_uint;
        LLVMGetStringAttributeKind(AttributeRef, *mut c_uint) -> *const c_char;
        LLVMAddCallSiteAttribute(ValueRef, c_uint, AttributeRef);
        LLVMRemoveCallSiteEnumAttribute(ValueRef, c_uint, c_uint);
        LLVMGetCallSiteAttributeCount(ValueRef, c_uint) -> c_uint;
        LLVMGetCallSiteAttributes(ValueRef, c_uint, *mut AttributeRef);
        LLVMRemoveCallSiteStringAttribute(ValueRef, c_uint, *const c_char, c_uint);
        LLVMGetCallSiteEnumAttribute(ValueRef, c_uint, c_uint) -> AttributeRef;

        // Blocks.
        LLVMCountBasicBlocks(ValueRef) -> c_uint;
        LLVMGetFirstBasicBlock(ValueRef) -> BlockRef;
        LLVMGetNextBasicBlock(BlockRef) -> BlockRef;
        LLVMGetEntryBasicBlock(ValueRef) -> BlockRef;
        LLVMAppendBasicBlockInContext(ContextRef, ValueRef, *const c_char) -> BlockRef;
        LLVMDeleteBasicBlock(BlockRef);
        LLVMRemoveBasicBlockFromParent(BlockRef);
        LLVMAppendExistingBasicBlock(ValueRef, BlockRef);
        LLVMGetBasicBlockTerminator(BlockRef) -> ValueRef;
        LLVMBasicBlockAsValue(BlockRef) -> ValueRef;
        LLVMValueAsBasicBlock(ValueRef) -> BlockRef;
        LLVMGetFirstInstruction(BlockRef) -> ValueRef;
        LLVMGetLastInstruction(BlockRef) -> ValueRef;

        // Instructions.
        LLVMGetNextInstruction(ValueRef) -> ValueRef;
        LLVMGetPreviousInstruction(ValueRef) -> ValueRef;
        LLVMGetInstructionParent(ValueRef) -> BlockRef;
        LLVMGetInstructionOpcode(ValueRef) -> c_int;
        LLVMInstructionEraseFromParent(ValueRef);
        LLVMInstructionRemoveFromParent(ValueRef);
        LLVMInstructionClone(ValueRef) -> ValueRef;
        LLVMIsATerminatorInst(ValueRef) -> ValueRef;
        LLVMGetNumSuccessors(ValueRef) -> c_uint;
        LLVMGetSuccessor(ValueRef, c_uint) -> BlockRef;
        LLVMSetSuccessor(ValueRef, c_uint, BlockRef);
        LLVMIsConditional(ValueRef) -> Bool;
        LLVMCountIncoming(ValueRef) -> c_uint;
        LLVMGetIncomingValue(ValueRef, c_uint) -> ValueRef;
        LLVMGetIncomingBlock(ValueRef, c_uint) -> BlockRef;
        LLVMAddIncoming(ValueRef, *const ValueRef, *const BlockRef, c_uint);
        LLVMGetCalledValue(ValueRef) -> ValueRef;
        LLVMGetCalledFunctionType(ValueRef) -> TypeRef;
        LLVMGetNumArgOperands(ValueRef) -> c_uint;
        LLVMSetInstructionCallConv(ValueRef, c_uint);
        LLVMGetInstructionCallConv(ValueRef) -> c_uint;
        LLVMHasMetadata(ValueRef) -> c_int;
        LLVMSetMetadata(ValueRef, c_uint, ValueRef);
        LLVMGetMDKindIDInContext(ContextRef, *const c_char, c_uint) -> c_uint;

        // Builders.
        LLVMCreateBuilderInContext(ContextRef) -> BuilderRef;
        LLVMDisposeBuilder(BuilderRef);
        LLVMPositionBuilderBefore(BuilderRef, ValueRef);
        LLVMPositionBuilderAtEnd(BuilderRef, BlockRef);
        LLVMInsertIntoBuilder(BuilderRef, ValueRef);
        LLVMBuildCall2(BuilderRef, TypeRef, ValueRef, *const ValueRef, c_uint, *const c_char) -> ValueRef;
        LLVMBuildRet(BuilderRef, ValueRef) -> ValueRef;
        LLVMBuildRetVoid(BuilderRef) -> ValueRef;
        LLVMBuildBr(BuilderRef, BlockRef) -> ValueRef;
        LLVMBuildUnreachable(BuilderRef) -> ValueRef;
        LLVMBuildAlloca(BuilderRef, TypeRef, *const c_char) -> ValueRef;
        LLVMBuildBinOp(BuilderRef, c_int, ValueRef, ValueRef, *const c_char) -> ValueRef;
        LLVMBuildPhi(BuilderRef, TypeRef, *const c_char) -> ValueRef;

        // What crossovers need beside.
        LLVMGetStringAttributeAtIndex(ValueRef, c_uint, *const c_char, c_uint) -> AttributeRef;
        LLVMGetStringAttributeValue(AttributeRef, *mut c_uint) -> *const c_char;
        LLVMGetTypeAttributeValue(AttributeRef) -> TypeRef;
        LLVMIsAInlineAsm(ValueRef) -> ValueRef;
        LLVMIsTailCall(ValueRef) -> Bool;
        LLVMGetGEPSourceElementType(ValueRef) -> TypeRef;
        LLVMGetSubprogram(ValueRef) -> MetadataRef;
        LLVMInstructionGetDebugLoc(ValueRef) -> MetadataRef;
        LLVMInstructionSetDebugLoc(ValueRef, MetadataRef);
        LLVMBuildStore(BuilderRef, ValueRef, ValueRef) -> ValueRef;

        // Code, and its execution.
        LLVMInitializeX86AsmPrinter();
        LLVMInitializeX86AsmParser();
        LLVMTargetMachineEmitToMemoryBuffer(TargetMachineRef, ModuleRef, c_int, *mut *mut c_char, *mut BufferRef) -> Bool;
        LLVMOrcCreateLLJIT(*mut JitRef, *mut c_void) -> ErrorRef;
        LLVMOrcLLJITGetMainJITDylib(JitRef) -> JitLibraryRef;
        LLVMOrcLLJITMangleAndIntern(JitRef, *const c_char) -> *mut c_void;
        LLVMOrcAbsoluteSymbols(*const JitSymbol, usize) -> *mut c_void;
        LLVMOrcJITDylibDefine(JitLibraryRef, *mut c_void) -> ErrorRef;
        LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(*mut *mut c_void, c_char, *const c_void, *mut c_void) -> ErrorRef;
        LLVMOrcJITDylibAddGenerator(JitLibraryRef, *mut c_void);
        LLVMOrcLLJITAddObjectFile(JitRef, JitLibraryRef, BufferRef) -> ErrorRef;
        LLVMOrcLLJITLookup(JitRef, *mut u64, *const c_char) -> ErrorRef;
    }
    optional {
        // From 16.
        LLVMGetVersion(*mut c_uint, *mut c_uint, *mut c_uint);
        // Not in 14, where pointers have the types of what they point to unless told otherwise.
        LLVMPointerTypeInContext(ContextRef, c_uint) -> TypeRef;
        // From 20.
        LLVMPassBuilderOptionsSetAAPipeline(PassOptionsRef, *const c_char);
        // From 19.
        LLVMPositionBuilderBeforeInstrAndDbgRecords(BuilderRef, ValueRef);
        // `llvm::PassBuilder::printPassNames` and `llvm::errs`: C++, which no version promises to keep.
        _ZN4llvm11PassBuilder14printPassNamesERNS_11raw_ostreamE(*mut c_void, *mut c_void);
        _ZN4llvm4errsEv() -> *mut c_void;
    }
}
