//! A library, opened.

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::Broken;
use crate::api::{Api, BufferRef, ErrorRef};

/// A libLLVM in this process. Open only one, in a process that may die.
#[derive(Debug)]
pub struct Llvm {
    /// Its functions.
    pub api: Api,
    /// Its version: major, minor, patch; zeros where it does not say.
    pub version: (u32, u32, u32),
    /// Where it came from.
    pub path: PathBuf,
    /// What is added to the addresses in the file.
    pub base: usize,
    library: Library,
}

impl Llvm {
    /// Opens a library and makes its x86 target known. `Err` is a sentence.
    pub fn open(path: &Path, major: u32) -> Result<Llvm, String> {
        let cannot = |e: String| format!("{} cannot be opened: {e}", path.display());
        // SAFETY: loading runs the library's constructors; that is what the caller wants.
        let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }
            .map_err(|e| cannot(e.to_string()))?;
        // SAFETY: it has a symbol that only libLLVM has, and the table is that of libLLVM.
        let api = unsafe { Api::look_up(&library) }.map_err(|name| {
            cannot(format!("not a libLLVM, or one that is too old: it has no function {name}"))
        })?;
        let mut version = (major, 0, 0);
        if let Some(get) = api.LLVMGetVersion {
            // SAFETY: three places for three numbers.
            unsafe { get(&mut version.0, &mut version.1, &mut version.2) };
        }
        let base = base_of(api.LLVMContextCreate as *const c_void)
            .ok_or_else(|| cannot("it is nowhere".into()))?;
        let llvm = Llvm { api, version, path: path.to_path_buf(), base, library };
        // They are an option until 17, and a text with the other kind turns them off from 15.
        if (14..=16).contains(&version.0) {
            llvm.options(&["-opaque-pointers"]);
        }
        // SAFETY: no arguments, once, before anything else.
        unsafe {
            (llvm.api.LLVMInitializeX86TargetInfo)();
            (llvm.api.LLVMInitializeX86Target)();
            (llvm.api.LLVMInitializeX86TargetMC)();
            (llvm.api.LLVMInitializeX86AsmPrinter)();
            (llvm.api.LLVMInitializeX86AsmParser)();
        }
        Ok(llvm)
    }

    /// `16.0.6`, or `14` for a library that does not say more.
    pub fn release(&self) -> String {
        match self.version {
            (major, 0, 0) => major.to_string(),
            (major, minor, patch) => format!("{major}.{minor}.{patch}"),
        }
    }

    /// Sets options as on the command line of `opt`. A wrong one ends the process: LLVM knows no other way.
    pub fn options(&self, options: &[&str]) {
        let words = ["gainsay"].iter().chain(options).filter_map(|word| CString::new(*word).ok());
        let words: Vec<CString> = words.collect();
        let pointers: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
        let count = i32::try_from(pointers.len()).unwrap_or(i32::MAX);
        // SAFETY: as many strings as are counted.
        unsafe {
            (self.api.LLVMParseCommandLineOptions)(count, pointers.as_ptr(), c"".as_ptr());
        }
    }

    /// Makes the target of a triple known, if the library has it: `aarch64-linux-gnu` and its like.
    pub fn initialize_target(&self, triple: &str) {
        let arch = triple.split('-').next().unwrap_or("");
        let name =
            TARGETS.iter().find(|(prefix, _)| arch.starts_with(prefix)).map(|(_, name)| name);
        let Some(name) = name else { return };
        for part in ["TargetInfo", "Target", "TargetMC"] {
            let symbol = format!("LLVMInitialize{name}{part}\0");
            // SAFETY: all of these take nothing and return nothing.
            unsafe {
                if let Ok(init) = self.library.get::<unsafe extern "C" fn()>(symbol.as_bytes()) {
                    init();
                }
            }
        }
    }

    /// Prints the names of all passes on standard error, as `opt --print-passes` does on standard output.
    /// `false`, and nothing printed, if this library does not offer it.
    pub fn print_pass_names(&self) -> bool {
        let print = self.api._ZN4llvm11PassBuilder14printPassNamesERNS_11raw_ostreamE;
        let (Some(print), Some(errs)) = (print, self.api._ZN4llvm4errsEv) else { return false };
        // SAFETY: a method that takes a stream and leaves its object alone. With the stream in both places
        // it finds it whether it is a method or, by the same name, a static one.
        unsafe {
            let stream = errs();
            print(stream, stream);
        }
        true
    }

    /// An error of LLVM's, which is taken by reading it.
    pub(crate) fn check(&self, error: ErrorRef) -> Result<(), Broken> {
        let Some(error) = error.some() else { return Ok(()) };
        // SAFETY: the error is ours, and so is its message.
        unsafe {
            let message = (self.api.LLVMGetErrorMessage)(error);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            (self.api.LLVMDisposeErrorMessage)(message);
            Err(Broken(text))
        }
    }

    /// The bytes of a buffer, which is disposed of.
    ///
    /// # Safety
    /// The buffer is live and nobody else's.
    pub(crate) unsafe fn take_buffer(&self, buffer: BufferRef) -> Vec<u8> {
        // SAFETY: the caller vouches for the buffer.
        unsafe {
            let start: *const u8 = (self.api.LLVMGetBufferStart)(buffer).cast();
            let size = (self.api.LLVMGetBufferSize)(buffer);
            let bytes = std::slice::from_raw_parts(start, size).to_vec();
            (self.api.LLVMDisposeMemoryBuffer)(buffer);
            bytes
        }
    }

    /// The text of a message of LLVM's, which is disposed of.
    pub(crate) fn take_message(&self, message: *mut c_char) -> String {
        if message.is_null() {
            return String::new();
        }
        // SAFETY: a string that LLVM made and that nobody else has.
        unsafe {
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            (self.api.LLVMDisposeMessage)(message);
            text
        }
    }
}

/// Names of targets by what their triples begin with.
const TARGETS: &[(&str, &str)] = &[
    ("aarch64", "AArch64"),
    ("arm64", "AArch64"),
    ("amdgcn", "AMDGPU"),
    ("r600", "AMDGPU"),
    ("arm", "ARM"),
    ("thumb", "ARM"),
    ("avr", "AVR"),
    ("bpf", "BPF"),
    ("hexagon", "Hexagon"),
    ("loongarch", "LoongArch"),
    ("mips", "Mips"),
    ("msp430", "MSP430"),
    ("nvptx", "NVPTX"),
    ("powerpc", "PowerPC"),
    ("ppc", "PowerPC"),
    ("riscv", "RISCV"),
    ("sparc", "Sparc"),
    ("s390x", "SystemZ"),
    ("systemz", "SystemZ"),
    ("ve", "VE"),
    ("wasm", "WebAssembly"),
    ("xcore", "XCore"),
];

/// Where the library of a function is.
fn base_of(function: *const c_void) -> Option<usize> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: dladdr fills the struct if it returns nonzero; zeros are a valid one anyway.
    let info = unsafe {
        if libc::dladdr(function, info.as_mut_ptr()) == 0 {
            return None;
        }
        info.assume_init()
    };
    Some(info.dli_fbase as usize)
}
