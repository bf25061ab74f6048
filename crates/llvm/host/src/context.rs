//! A context, which modules that are to be linked share.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_void};

use crate::api::{ContextRef, DiagnosticRef, ModuleRef, TypeRef};
use crate::{Broken, Llvm, Module, Type};

/// `LLVMDSError`
const ERROR: i32 = 0;

/// A context of LLVM's. Its modules borrow it.
#[derive(Debug)]
pub struct Context<'l> {
    pub(crate) raw: ContextRef,
    pub(crate) llvm: &'l Llvm,
    /// Boxed, because LLVM keeps a pointer to it.
    listener: Box<Listener<'l>>,
}

/// Collects the diagnostics that LLVM reports beside its return values.
#[derive(Debug)]
struct Listener<'l> {
    llvm: &'l Llvm,
    errors: RefCell<Vec<String>>,
}

extern "C" fn on_diagnostic(diagnostic: DiagnosticRef, listener: *mut c_void) {
    // SAFETY: the pointer is the one that was given with the handler; the context outlives its modules.
    let listener = unsafe { &*listener.cast::<Listener<'_>>() };
    let api = &listener.llvm.api;
    // SAFETY: the diagnostic is valid during this call.
    let (severity, text) = unsafe {
        let severity = (api.LLVMGetDiagInfoSeverity)(diagnostic);
        (severity, listener.llvm.take_message((api.LLVMGetDiagInfoDescription)(diagnostic)))
    };
    if severity == ERROR {
        listener.errors.borrow_mut().push(text);
    }
}

impl<'l> Context<'l> {
    /// A new context.
    pub fn new(llvm: &'l Llvm) -> Context<'l> {
        let listener = Box::new(Listener { llvm, errors: RefCell::default() });
        let pointer: *const Listener<'_> = &*listener;
        // SAFETY: the listener lives as long as the context.
        let raw = unsafe {
            let raw = (llvm.api.LLVMContextCreate)();
            (llvm.api.LLVMContextSetDiagnosticHandler)(
                raw,
                Some(on_diagnostic),
                pointer.cast_mut().cast(),
            );
            raw
        };
        Context { raw, llvm, listener }
    }

    /// The library.
    pub fn llvm(&self) -> &'l Llvm {
        self.llvm
    }

    /// Errors reported since this was last asked.
    pub fn errors(&self) -> Vec<String> {
        self.listener.errors.take()
    }

    /// Reads a module, text or bitcode. Text need not be valid: call [`Module::verify`].
    pub fn parse(&self, bytes: &[u8], name: &str) -> Result<Module<'_>, Broken> {
        let name = CString::new(name.replace('\0', "")).unwrap_or_default();
        let mut module = ModuleRef::NULL;
        let mut message: *mut c_char = std::ptr::null_mut();
        // SAFETY: the buffer is a copy that ends with a zero; parsing takes it over.
        let failed = unsafe {
            let buffer = (self.llvm.api.LLVMCreateMemoryBufferWithMemoryRangeCopy)(
                bytes.as_ptr().cast(),
                bytes.len(),
                name.as_ptr(),
            );
            (self.llvm.api.LLVMParseIRInContext)(self.raw, buffer, &mut module, &mut message)
        };
        let message = self.llvm.take_message(message);
        match module.some() {
            Some(raw) if failed == 0 => Ok(Module { raw, context: self }),
            _ => {
                let reported = self.errors();
                let text = if message.trim().is_empty() { reported.join("; ") } else { message };
                Err(Broken(text.trim().to_string()))
            }
        }
    }

    /// An empty module.
    pub fn module(&self, name: &str) -> Module<'_> {
        let name = CString::new(name.replace('\0', "")).unwrap_or_default();
        // SAFETY: a name and a context.
        let raw =
            unsafe { (self.llvm.api.LLVMModuleCreateWithNameInContext)(name.as_ptr(), self.raw) };
        Module { raw, context: self }
    }

    pub(crate) fn ty(&self, raw: TypeRef) -> Type<'_> {
        Type { raw, llvm: self.llvm }
    }

    /// `void`
    pub fn void(&self) -> Type<'_> {
        // SAFETY: a live context.
        self.ty(unsafe { (self.llvm.api.LLVMVoidTypeInContext)(self.raw) })
    }

    /// `iN`
    pub fn int(&self, bits: u32) -> Type<'_> {
        // SAFETY: a live context.
        self.ty(unsafe { (self.llvm.api.LLVMIntTypeInContext)(self.raw, bits) })
    }

    /// The type of a function.
    pub fn function(&self, result: Type<'_>, parameters: &[Type<'_>]) -> Type<'_> {
        let raw: Vec<TypeRef> = parameters.iter().map(|ty| ty.raw).collect();
        let count = u32::try_from(raw.len()).unwrap_or(u32::MAX);
        // SAFETY: as many types as are counted.
        self.ty(unsafe { (self.llvm.api.LLVMFunctionType)(result.raw, raw.as_ptr(), count, 0) })
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // SAFETY: modules borrow the context, so none is left.
        unsafe { (self.llvm.api.LLVMContextDispose)(self.raw) }
    }
}
