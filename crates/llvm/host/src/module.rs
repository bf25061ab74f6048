//! A module, and the passes that are run on it.

use std::ffi::{CStr, CString, c_char};
use std::fmt;

use crate::api::{TargetMachineRef, TargetRef, ValueRef};
use crate::{Context, Llvm, Type, Value};

/// The triple that test modules are given.
pub const X86_64: &str = "x86_64-unknown-linux-gnu";

/// `LLVMRelocDefault`
const RELOCATION_DEFAULT: i32 = 0;

/// `LLVMRelocPIC`
const RELOCATION_PIC: i32 = 2;

/// LLVM refused something, with a reason: a text that is no module, a pass that it does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Broken {}

/// A module.
#[derive(Debug)]
pub struct Module<'c> {
    pub(crate) raw: crate::api::ModuleRef,
    pub(crate) context: &'c Context<'c>,
}

impl<'c> Module<'c> {
    /// Its context.
    pub fn context(&self) -> &'c Context<'c> {
        self.context
    }

    fn llvm(&self) -> &'c Llvm {
        self.context.llvm
    }

    /// Whether it is well formed; `Err` says why not.
    pub fn verify(&self) -> Result<(), Broken> {
        /// `LLVMReturnStatusAction`
        const RETURN: i32 = 2;
        let mut message: *mut c_char = std::ptr::null_mut();
        // SAFETY: a live module and a place for a string.
        let broken = unsafe { (self.llvm().api.LLVMVerifyModule)(self.raw, RETURN, &mut message) };
        let message = self.llvm().take_message(message);
        if broken == 0 { Ok(()) } else { Err(Broken(message.trim().to_string())) }
    }

    /// Its text.
    pub fn text(&self) -> String {
        // SAFETY: a live module.
        self.llvm().take_message(unsafe { (self.llvm().api.LLVMPrintModuleToString)(self.raw) })
    }

    /// Its bitcode.
    pub fn bitcode(&self) -> Vec<u8> {
        // SAFETY: the buffer is ours until it is disposed of.
        unsafe {
            let buffer = (self.llvm().api.LLVMWriteBitcodeToMemoryBuffer)(self.raw);
            self.llvm().take_buffer(buffer)
        }
    }

    /// A copy in the same context.
    pub fn duplicate(&self) -> Module<'c> {
        // SAFETY: a live module.
        let raw = unsafe { (self.llvm().api.LLVMCloneModule)(self.raw) };
        Module { raw, context: self.context }
    }

    /// Takes another module of the same context in. On failure that one is gone and this one is as it
    /// may be.
    pub fn link(&mut self, other: Module<'c>) -> Result<(), Broken> {
        let raw = other.raw;
        std::mem::forget(other);
        // SAFETY: linking takes the other over, whatever comes of it.
        let failed = unsafe { (self.llvm().api.LLVMLinkModules2)(self.raw, raw) };
        if failed == 0 { Ok(()) } else { Err(Broken(self.context.errors().join("; "))) }
    }

    /// The target triple; empty for none.
    pub fn triple(&self) -> String {
        // SAFETY: a string that lives with the module.
        unsafe { CStr::from_ptr((self.llvm().api.LLVMGetTarget)(self.raw)) }
            .to_string_lossy()
            .into_owned()
    }

    /// Gives it another name.
    pub fn rename(&self, name: &str) {
        // SAFETY: as many bytes as are counted.
        unsafe {
            (self.llvm().api.LLVMSetModuleIdentifier)(self.raw, name.as_ptr().cast(), name.len());
            (self.llvm().api.LLVMSetSourceFileName)(self.raw, name.as_ptr().cast(), name.len());
        }
    }

    /// Makes it one for a machine: triple and data layout.
    pub fn set_machine(&self, machine: &Machine<'_>) {
        let api = &self.llvm().api;
        // SAFETY: the layout is ours until it is disposed of; setting copies it.
        unsafe {
            (api.LLVMSetTarget)(self.raw, machine.triple.as_ptr());
            let layout = (api.LLVMCreateTargetDataLayout)(machine.raw);
            (api.LLVMSetModuleDataLayout)(self.raw, layout);
            (api.LLVMDisposeTargetData)(layout);
        }
    }

    /// Runs a pipeline (`default<O3>`, or anything that `opt -passes=` takes). An unknown pass is `Err`.
    pub fn run(
        &mut self,
        passes: &str,
        machine: Option<&Machine<'_>>,
        how: Running,
    ) -> Result<(), Broken> {
        let api = &self.llvm().api;
        let passes = crate::without_fixpoint_check(passes, self.llvm().version.0);
        let passes =
            CString::new(passes).map_err(|_| Broken("a zero byte in the passes".into()))?;
        let machine = machine.map_or(TargetMachineRef::NULL, |machine| machine.raw);
        // SAFETY: options are ours; the error, if any, is ours too and is taken by reading it.
        unsafe {
            let options = (api.LLVMCreatePassBuilderOptions)();
            (api.LLVMPassBuilderOptionsSetVerifyEach)(options, how.verify_each.into());
            (api.LLVMPassBuilderOptionsSetDebugLogging)(options, how.log.into());
            let error = (api.LLVMRunPasses)(self.raw, passes.as_ptr(), machine, options);
            (api.LLVMDisposePassBuilderOptions)(options);
            self.llvm().check(error)
        }
    }

    /// Its machine code, as an object file. The module is not the same after it.
    pub fn object(self, machine: &Machine<'_>) -> Result<Vec<u8>, Broken> {
        /// `LLVMObjectFile`
        const OBJECT: i32 = 1;
        let api = &self.llvm().api;
        let mut message: *mut c_char = std::ptr::null_mut();
        let mut buffer = crate::api::BufferRef::NULL;
        // SAFETY: a live module and machine, places for what comes back.
        let failed = unsafe {
            (api.LLVMTargetMachineEmitToMemoryBuffer)(
                machine.raw,
                self.raw,
                OBJECT,
                &mut message,
                &mut buffer,
            )
        };
        if failed != 0 {
            return Err(Broken(self.llvm().take_message(message)));
        }
        // SAFETY: the buffer is ours until it is disposed of.
        Ok(unsafe { self.llvm().take_buffer(buffer) })
    }

    pub(crate) fn value(&self, raw: ValueRef) -> Value<'c> {
        Value { raw, llvm: self.llvm() }
    }

    fn list(
        &self,
        first: unsafe extern "C" fn(crate::api::ModuleRef) -> ValueRef,
        next: unsafe extern "C" fn(ValueRef) -> ValueRef,
    ) -> Vec<Value<'c>> {
        // SAFETY: a live module and its own members.
        let mut at = unsafe { first(self.raw) };
        let mut all = Vec::new();
        while let Some(raw) = at.some() {
            all.push(self.value(raw));
            // SAFETY: as above.
            at = unsafe { next(raw) };
        }
        all
    }

    /// Its functions, declarations and intrinsics included, in order.
    pub fn functions(&self) -> Vec<Value<'c>> {
        let api = &self.llvm().api;
        self.list(api.LLVMGetFirstFunction, api.LLVMGetNextFunction)
    }

    /// Functions with a body.
    pub fn definitions(&self) -> Vec<Value<'c>> {
        self.functions().into_iter().filter(|function| !function.is_declaration()).collect()
    }

    /// Its global variables, in order.
    pub fn globals(&self) -> Vec<Value<'c>> {
        let api = &self.llvm().api;
        self.list(api.LLVMGetFirstGlobal, api.LLVMGetNextGlobal)
    }

    /// Its aliases, in order.
    pub fn aliases(&self) -> Vec<Value<'c>> {
        let api = &self.llvm().api;
        self.list(api.LLVMGetFirstGlobalAlias, api.LLVMGetNextGlobalAlias)
    }

    /// Its indirect functions, in order.
    pub fn ifuncs(&self) -> Vec<Value<'c>> {
        let api = &self.llvm().api;
        self.list(api.LLVMGetFirstGlobalIFunc, api.LLVMGetNextGlobalIFunc)
    }

    /// The function of a name.
    pub fn function(&self, name: &str) -> Option<Value<'c>> {
        let name = CString::new(name).ok()?;
        // SAFETY: a live module and a string.
        let raw = unsafe { (self.llvm().api.LLVMGetNamedFunction)(self.raw, name.as_ptr()) };
        raw.some().map(|raw| self.value(raw))
    }

    /// A new function without a body. LLVM gives it another name if this one is taken.
    pub fn declare(&self, name: &str, ty: Type<'_>) -> Value<'c> {
        let name = CString::new(name.replace('\0', "")).unwrap_or_default();
        // SAFETY: a live module, a string, a type of the same context.
        self.value(unsafe { (self.llvm().api.LLVMAddFunction)(self.raw, name.as_ptr(), ty.raw) })
    }

    /// Drops all debug information.
    pub fn strip_debug(&self) {
        // SAFETY: a live module.
        unsafe { (self.llvm().api.LLVMStripModuleDebugInfo)(self.raw) };
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: nobody else has it.
        unsafe { (self.llvm().api.LLVMDisposeModule)(self.raw) }
    }
}

/// How passes are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Running {
    /// A pass that leaves an invalid module ends the process by LLVM's fatal error.
    pub verify_each: bool,
    /// Each pass is told on standard error before it runs.
    pub log: bool,
}

/// A target machine: what passes ask for costs and layouts.
#[derive(Debug)]
pub struct Machine<'l> {
    raw: TargetMachineRef,
    triple: CString,
    llvm: &'l Llvm,
}

impl<'l> Machine<'l> {
    /// The plain x86-64 one.
    pub fn x86_64(llvm: &'l Llvm) -> Result<Machine<'l>, Broken> {
        Machine::new(llvm, X86_64)
    }

    /// That of a triple, with no particular processor.
    pub fn new(llvm: &'l Llvm, triple: &str) -> Result<Machine<'l>, Broken> {
        Machine::with(llvm, triple, RELOCATION_DEFAULT)
    }

    /// x86-64 for code that can stand anywhere.
    pub fn for_code(llvm: &'l Llvm) -> Result<Machine<'l>, Broken> {
        Machine::with(llvm, X86_64, RELOCATION_PIC)
    }

    fn with(llvm: &'l Llvm, triple: &str, relocation: i32) -> Result<Machine<'l>, Broken> {
        let triple =
            CString::new(triple).map_err(|_| Broken("a zero byte in the triple".into()))?;
        let mut target = TargetRef::NULL;
        let mut message: *mut c_char = std::ptr::null_mut();
        // SAFETY: strings, and places for what comes back; level and code model are the defaults.
        let raw = unsafe {
            let failed =
                (llvm.api.LLVMGetTargetFromTriple)(triple.as_ptr(), &mut target, &mut message);
            if failed != 0 {
                return Err(Broken(llvm.take_message(message)));
            }
            let none = c"".as_ptr();
            (llvm.api.LLVMCreateTargetMachine)(
                target,
                triple.as_ptr(),
                none,
                none,
                2,
                relocation,
                0,
            )
        };
        match raw.some() {
            Some(raw) => Ok(Machine { raw, triple, llvm }),
            None => Err(Broken(format!("no target machine for {}", triple.to_string_lossy()))),
        }
    }
}

impl Drop for Machine<'_> {
    fn drop(&mut self) {
        // SAFETY: nobody else has it.
        unsafe { (self.llvm.api.LLVMDisposeTargetMachine)(self.raw) }
    }
}
