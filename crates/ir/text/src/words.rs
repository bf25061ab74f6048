//! The words of the language: what each enum is called in the text, and which words are of a kind.

use crate::op::{Binary, Cast, FastMath, FloatPredicate, IntPredicate};
use crate::tree::{Float, Linkage};

macro_rules! words {
    ($name:ident, $($variant:ident $word:literal),+ $(,)?) => {
        impl $name {
            /// The word for it.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }

            /// What a word stands for.
            pub fn of_word(word: &str) -> Option<$name> {
                match word { $($word => Some($name::$variant),)+ _ => None }
            }
        }
    };
}

words!(
    Binary, Add "add", Sub "sub", Mul "mul", UDiv "udiv", SDiv "sdiv", URem "urem", SRem "srem",
    Shl "shl", LShr "lshr", AShr "ashr", And "and", Or "or", Xor "xor",
    FAdd "fadd", FSub "fsub", FMul "fmul", FDiv "fdiv", FRem "frem",
);
words!(
    Cast, Trunc "trunc", ZExt "zext", SExt "sext", FpTrunc "fptrunc", FpExt "fpext",
    FpToUi "fptoui", FpToSi "fptosi", UiToFp "uitofp", SiToFp "sitofp", PtrToInt "ptrtoint",
    PtrToAddr "ptrtoaddr", IntToPtr "inttoptr", BitCast "bitcast", AddrSpaceCast "addrspacecast",
);
words!(
    IntPredicate, Eq "eq", Ne "ne", Ugt "ugt", Uge "uge", Ult "ult", Ule "ule",
    Sgt "sgt", Sge "sge", Slt "slt", Sle "sle",
);
words!(
    FloatPredicate, False "false", Oeq "oeq", Ogt "ogt", Oge "oge", Olt "olt", Ole "ole", One "one",
    Ord "ord", Ueq "ueq", Ugt "ugt", Uge "uge", Ult "ult", Ule "ule", Une "une", Uno "uno", True "true",
);
words!(
    Linkage, External "external", Private "private", Internal "internal",
    AvailableExternally "available_externally", LinkOnce "linkonce", LinkOnceOdr "linkonce_odr",
    Weak "weak", WeakOdr "weak_odr", Common "common", Appending "appending", ExternWeak "extern_weak",
);
words!(
    Float, Half "half", Bfloat "bfloat", Single "float", Double "double", X86 "x86_fp80",
    Quad "fp128", Ppc "ppc_fp128",
);

impl FastMath {
    /// All of them: `fast`.
    pub const FAST: FastMath = FastMath {
        nnan: true,
        ninf: true,
        nsz: true,
        arcp: true,
        contract: true,
        afn: true,
        reassoc: true,
    };

    /// Sets what a word stands for; `false`: it is none of these.
    pub(crate) fn set(&mut self, word: &str) -> bool {
        match word {
            "nnan" => self.nnan = true,
            "ninf" => self.ninf = true,
            "nsz" => self.nsz = true,
            "arcp" => self.arcp = true,
            "contract" => self.contract = true,
            "afn" => self.afn = true,
            "reassoc" => self.reassoc = true,
            "fast" => *self = FastMath::FAST,
            _ => return false,
        }
        true
    }
}

/// Whether a word begins an instruction.
pub(crate) fn opens_instruction(word: &str) -> bool {
    Binary::of_word(word).is_some() || Cast::of_word(word).is_some() || OPCODES.contains(&word)
}

/// Opcodes that are neither arithmetic nor conversions, and what may stand before `call`.
const OPCODES: &[&str] = &[
    "ret",
    "br",
    "switch",
    "indirectbr",
    "invoke",
    "callbr",
    "resume",
    "unreachable",
    "cleanupret",
    "catchret",
    "catchswitch",
    "catchpad",
    "cleanuppad",
    "landingpad",
    "fneg",
    "icmp",
    "fcmp",
    "select",
    "freeze",
    "phi",
    "extractelement",
    "insertelement",
    "shufflevector",
    "extractvalue",
    "insertvalue",
    "alloca",
    "load",
    "store",
    "fence",
    "cmpxchg",
    "atomicrmw",
    "getelementptr",
    "call",
    "tail",
    "musttail",
    "notail",
    "va_arg",
    "uselistorder",
];

/// Whether a word begins a constant that is no number: what tells an argument from its attributes.
pub(crate) fn opens_constant(word: &str) -> bool {
    matches!(
        word,
        "true"
            | "false"
            | "null"
            | "undef"
            | "poison"
            | "none"
            | "zeroinitializer"
            | "splat"
            | "blockaddress"
            | "dso_local_equivalent"
            | "no_cfi"
            | "ptrauth"
            | "asm"
    ) || word.starts_with("u0x")
        || word.starts_with("s0x")
        || opens_instruction(word)
}

/// Words of a global's storage and visibility that bear on nothing here.
pub(crate) fn is_storage(word: &str) -> bool {
    matches!(
        word,
        "dso_local"
            | "dso_preemptable"
            | "default"
            | "hidden"
            | "protected"
            | "dllimport"
            | "dllexport"
            | "thread_local"
    )
}

/// Whether a word is a calling convention (`cc` has a number behind it).
pub(crate) fn is_convention(word: &str) -> bool {
    word.ends_with("cc") || CONVENTIONS.contains(&word)
}

/// Calling conventions of which the name does not end in `cc`.
const CONVENTIONS: &[&str] = &[
    "aarch64_vector_pcs",
    "aarch64_sve_vector_pcs",
    "aarch64_sme_preservemost_from_x0",
    "aarch64_sme_preservemost_from_x1",
    "aarch64_sme_preservemost_from_x2",
    "amdgpu_vs",
    "amdgpu_ls",
    "amdgpu_hs",
    "amdgpu_es",
    "amdgpu_gs",
    "amdgpu_ps",
    "amdgpu_cs",
    "amdgpu_cs_chain",
    "amdgpu_cs_chain_preserve",
    "amdgpu_gfx",
    "amdgpu_gfx_whole_wave",
    "amdgpu_kernel",
    "ptx_kernel",
    "ptx_device",
    "spir_func",
    "spir_kernel",
    "riscv_vls_cc",
];
