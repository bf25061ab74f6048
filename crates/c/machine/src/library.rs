//! The functions of the C library and the compiler builtins that test programs use.

mod builtin;
mod memory;
mod print;
pub(crate) mod signature;

use crate::code::Reg;
use crate::exec::Machine;
use crate::stop::ExecResult;

macro_rules! library {
    ($($variant:ident: $($name:literal)|+, $effect:ident;)*) => {
        /// A library function or builtin.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(missing_docs)]
        pub enum LibFunc { $($variant),* }

        impl LibFunc {
            fn plain(name: &str) -> Option<LibFunc> {
                Some(match name { $($($name)|+ => LibFunc::$variant,)* _ => return None })
            }

            /// A name, for messages and tables.
            pub(crate) fn name(self) -> &'static str {
                match self { $(LibFunc::$variant => stringify!($variant)),* }
            }

            /// All names.
            fn names(self) -> &'static [&'static str] {
                match self { $(LibFunc::$variant => &[$($name),+]),* }
            }

            fn effect(self) -> LibEffect {
                match self { $(LibFunc::$variant => LibEffect::$effect),* }
            }
        }
    };
}

/// What a function may touch, for the analysis of order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LibEffect {
    /// Nothing but its arguments.
    Pure,
    /// Memory behind its arguments.
    Memory,
    /// Input, output, or the end of the program.
    World,
}

library! {
    Printf: "printf" | "printf_unlocked", World;
    Puts: "puts" | "puts_unlocked", World;
    Putchar: "putchar" | "putchar_unlocked", World;
    Fprintf: "fprintf" | "fprintf_unlocked", World;
    Vfprintf: "vfprintf", World;
    Fputs: "fputs" | "fputs_unlocked", World;
    Fputc: "fputc" | "putc" | "fputc_unlocked" | "putc_unlocked" | "_IO_putc", World;
    Fwrite: "fwrite" | "fwrite_unlocked", World;
    Fflush: "fflush", World;
    Sprintf: "sprintf", Memory;
    Snprintf: "snprintf", Memory;
    Vprintf: "vprintf", World;
    Vsprintf: "vsprintf", Memory;
    Vsnprintf: "vsnprintf", Memory;
    Abort: "abort" | "__assert_fail" | "trap", World;
    Exit: "exit" | "_exit" | "_Exit", World;
    Malloc: "malloc", Pure;
    Calloc: "calloc", Pure;
    Realloc: "realloc", Memory;
    Free: "free", Memory;
    Memcpy: "memcpy", Memory;
    Mempcpy: "mempcpy", Memory;
    Memmove: "memmove", Memory;
    Memset: "memset", Memory;
    Memcmp: "memcmp" | "bcmp", Memory;
    Memchr: "memchr", Memory;
    Bzero: "bzero", Memory;
    Bcopy: "bcopy", Memory;
    Strlen: "strlen", Memory;
    Strnlen: "strnlen", Memory;
    Strcmp: "strcmp", Memory;
    Strncmp: "strncmp", Memory;
    Strcpy: "strcpy", Memory;
    Strncpy: "strncpy", Memory;
    Stpcpy: "stpcpy", Memory;
    Strcat: "strcat", Memory;
    Strncat: "strncat", Memory;
    Strchr: "strchr" | "index", Memory;
    Strrchr: "strrchr" | "rindex", Memory;
    Strstr: "strstr", Memory;
    Strspn: "strspn", Memory;
    Strcspn: "strcspn", Memory;
    Strpbrk: "strpbrk", Memory;
    Abs: "abs" | "labs" | "llabs" | "imaxabs", Pure;
    Expect: "expect" | "expect_with_probability" | "assume_aligned" | "launder", Pure;
    Unreachable: "unreachable", World;
    VaEnd: "va_end", Memory;
    Nothing: "prefetch" | "__clear_cache" | "clear_cache", Memory;
    Ffs: "ffs" | "ffsl" | "ffsll", Pure;
    Clz: "clz" | "clzl" | "clzll", Pure;
    Ctz: "ctz" | "ctzl" | "ctzll", Pure;
    Clrsb: "clrsb" | "clrsbl" | "clrsbll", Pure;
    Popcount: "popcount" | "popcountl" | "popcountll", Pure;
    Parity: "parity" | "parityl" | "parityll", Pure;
    Bswap: "bswap16" | "bswap32" | "bswap64", Pure;
    AddOverflow: "add_overflow" | "sadd_overflow" | "saddl_overflow" | "saddll_overflow"
        | "uadd_overflow" | "uaddl_overflow" | "uaddll_overflow", Memory;
    SubOverflow: "sub_overflow" | "ssub_overflow" | "ssubl_overflow" | "ssubll_overflow"
        | "usub_overflow" | "usubl_overflow" | "usubll_overflow", Memory;
    MulOverflow: "mul_overflow" | "smul_overflow" | "smull_overflow" | "smulll_overflow"
        | "umul_overflow" | "umull_overflow" | "umulll_overflow", Memory;
    AddOverflowP: "add_overflow_p", Pure;
    SubOverflowP: "sub_overflow_p", Pure;
    MulOverflowP: "mul_overflow_p", Pure;
    Fabs: "fabs" | "fabsf" | "fabsl", Pure;
    Copysign: "copysign" | "copysignf" | "copysignl", Pure;
    Inf: "inf" | "inff" | "infl" | "huge_val" | "huge_valf" | "huge_vall", Pure;
    Nan: "nan" | "nanf" | "nanl" | "nans" | "nansf" | "nansl", Memory;
    Sqrt: "sqrt" | "sqrtf", Pure;
    Floor: "floor" | "floorf", Pure;
    Ceil: "ceil" | "ceilf", Pure;
    Trunc: "trunc" | "truncf", Pure;
    Fmod: "fmod" | "fmodf" | "fmodl", Pure;
    IsNan: "isnan" | "isnanf" | "isnanl" | "__isnan" | "__isnanf" | "__isnanl", Pure;
    IsInf: "isinf" | "isinff" | "isinfl" | "__isinf" | "__isinff" | "__isinfl", Pure;
    IsInfSign: "isinf_sign", Pure;
    IsFinite: "isfinite" | "finite" | "finitef" | "finitel" | "__finite" | "__finitef" | "__finitel", Pure;
    IsNormal: "isnormal", Pure;
    Signbit: "signbit" | "signbitf" | "signbitl" | "__signbit" | "__signbitf" | "__signbitl", Pure;
    IsUnordered: "isunordered", Pure;
    IsLess: "isless", Pure;
    IsLessEqual: "islessequal", Pure;
    IsGreater: "isgreater", Pure;
    IsGreaterEqual: "isgreaterequal", Pure;
    IsLessGreater: "islessgreater", Pure;
    VaStart: "va_start", Memory;
    VaCopy: "va_copy", Memory;
    ObjectSize: "object_size" | "dynamic_object_size", Pure;
    Isdigit: "isdigit", Pure;
    Toupper: "toupper", Pure;
    Tolower: "tolower", Pure;
}

impl LibFunc {
    /// The function of a name, with or without `__builtin_`.
    pub fn by_name(name: &str) -> Option<LibFunc> {
        match name.strip_prefix("__builtin_") {
            Some(rest) => LibFunc::plain(rest),
            // Without the prefix these names belong to the program.
            None if matches!(
                name,
                "expect"
                    | "unreachable"
                    | "trap"
                    | "inf"
                    | "clz"
                    | "ctz"
                    | "popcount"
                    | "parity"
                    | "launder"
            ) =>
            {
                None
            }
            None => LibFunc::plain(name),
        }
    }

    /// A name that C reserves for its library wherever it has external linkage (7.1.3p1).
    pub(crate) fn is_reserved(name: &str) -> bool {
        let extension = name.starts_with("__")
            || name.ends_with("_unlocked")
            || matches!(
                name,
                "index" | "rindex" | "bcmp" | "bcopy" | "bzero" | "mempcpy" | "stpcpy" | "strnlen"
            )
            || name.starts_with("finite")
            || name.ends_with("_overflow")
            || name.ends_with("_overflow_p")
            || matches!(
                name,
                "prefetch" | "clear_cache" | "va_start" | "va_copy" | "va_end" | "object_size"
            );
        let builtin = name.starts_with("clz")
            || name.starts_with("ctz")
            || name.starts_with("ffs")
            || name.starts_with("clrsb")
            || name.starts_with("popcount")
            || name.starts_with("parity")
            || name.starts_with("bswap")
            || name.starts_with("is") && name != "isdigit"
            || matches!(
                name,
                "inff"
                    | "infl"
                    | "huge_val"
                    | "huge_valf"
                    | "huge_vall"
                    | "_exit"
                    | "assume_aligned"
            );
        !extension && !builtin && LibFunc::by_name(name).is_some()
    }

    /// Touches nothing but its arguments.
    pub(crate) fn is_pure(self) -> bool {
        self.effect() == LibEffect::Pure
    }

    /// Touches only what its arguments point to.
    pub(crate) fn is_memory_only(self) -> bool {
        self.effect() == LibEffect::Memory
    }
}

/// A call of a library function: where its arguments are.
#[derive(Clone, Copy)]
pub(crate) struct LibCall {
    pub base: Reg,
    pub site: u32,
}

impl Machine<'_> {
    pub(crate) fn call_library(&mut self, lib: LibFunc, base: Reg, site: u32) -> ExecResult<()> {
        self.spend_call()?;
        self.in_library = true;
        let result = self.dispatch(lib, LibCall { base, site });
        self.in_library = false;
        result
    }

    fn dispatch(&mut self, lib: LibFunc, call: LibCall) -> ExecResult<()> {
        match lib {
            LibFunc::Printf
            | LibFunc::Puts
            | LibFunc::Putchar
            | LibFunc::Sprintf
            | LibFunc::Snprintf => self.print_call(lib, call),
            LibFunc::Fprintf
            | LibFunc::Vfprintf
            | LibFunc::Fputs
            | LibFunc::Fputc
            | LibFunc::Fwrite
            | LibFunc::Fflush => self.stream_call(lib, call),
            LibFunc::Vprintf | LibFunc::Vsprintf | LibFunc::Vsnprintf => {
                self.print_list_call(lib, call)
            }
            LibFunc::Malloc | LibFunc::Calloc | LibFunc::Realloc | LibFunc::Free => {
                self.allocation(lib, call)
            }
            LibFunc::Memcpy
            | LibFunc::Mempcpy
            | LibFunc::Memmove
            | LibFunc::Memset
            | LibFunc::Memcmp
            | LibFunc::Memchr
            | LibFunc::Bzero
            | LibFunc::Bcopy => self.block_call(lib, call),
            LibFunc::Strlen
            | LibFunc::Strnlen
            | LibFunc::Strcmp
            | LibFunc::Strncmp
            | LibFunc::Strcpy
            | LibFunc::Strncpy
            | LibFunc::Stpcpy
            | LibFunc::Strcat
            | LibFunc::Strncat
            | LibFunc::Strchr
            | LibFunc::Strrchr
            | LibFunc::Strstr
            | LibFunc::Strspn
            | LibFunc::Strcspn
            | LibFunc::Strpbrk => self.string_call(lib, call),
            _ => self.builtin(lib, call),
        }
    }
}
