//! Library functions that LLVM knows by name.
//!
//! A call of one is not a call of an unknown function: the optimiser knows what it does. Some are executed
//! exactly; the others are unknown, by name.

use irtext::{Bits, Float as Format};

use crate::float::{Extreme, Unary};

/// A function that is executed, or the name of one that is not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // As C names them.
pub enum Library {
    Abs,
    Ffs,
    IsDigit,
    IsAscii,
    ToAscii,
    Round(Unary, Format),
    FAbs(Format),
    CopySign(Format),
    Extreme(Extreme, Format),
    Malloc,
    Calloc,
    Free,
    StrLen,
    StrCmp {
        bounded: bool,
    },
    MemCmp,
    MemChr,
    Memory {
        fill: bool,
        overlapping: bool,
    },
    PrintF,
    Puts,
    PutChar,
    /// One that is not executed.
    Unsupported(Box<str>),
    /// A function that has the name of one, and may do anything.
    Other(Box<str>),
}

/// Functions with a fixed name that LLVM's optimiser knows.
const NAMES: &str = "
    access acos acosf acosh acoshf acoshl acosl aligned_alloc asin asinf asinh asinhf asinhl asinl atan atan2 atan2f
    atan2l atanf atanh atanhf atanhl atanl atexit atof atoi atol atoll bcmp bcopy bzero cabs cabsf cabsl cbrt cbrtf
    cbrtl chmod chown clearerr closedir cos cosf cosh coshf coshl cosl cospi cospif ctermid div erf
    erff erfl execl execle execlp execv execvP execve execvp execvpe exit exp exp10 exp10f exp10l exp2 exp2f exp2l
    expf expl expm1 expm1f expm1l fclose fdim fdimf fdiml fdopen feof ferror fflush fgetc fgetc_unlocked fgetpos fgets
    fgets_unlocked fileno fiprintf flockfile floorl fmodl fmod fmodf fopen fopen64 fork fprintf fputc fputc_unlocked
    fputs fputs_unlocked fread fread_unlocked frexp frexpf frexpl fscanf fseek fseeko fseeko64 fsetpos fstat fstat64
    fstatvfs fstatvfs64 ftell ftello ftello64 ftrylockfile funlockfile fwrite fwrite_unlocked getc getc_unlocked
    getchar getchar_unlocked getenv getitimer getlogin_r getpwnam gets gettimeofday htonl htons hypot hypotf hypotl
    ilogb ilogbf ilogbl iprintf isatty iscanf isalnum isalpha islower isupper isspace isprint ispunct isxdigit
    lchown ldexp ldexpf ldexpl ldiv lgamma lgammaf lgammal llabs lldiv log log10 log10f log10l log1p log1pf log1pl
    log2 log2f log2l logb logbf logbl logf logl lstat lstat64 lrint lround llround memalign memccpy mempcpy memrchr
    memset_pattern16 memset_pattern4 memset_pattern8 mkdir mktime modf modff modfl nan nanf nanl ntohl ntohs open
    open64 opendir pclose perror popen posix_memalign pow powf powl pread putc putc_unlocked     putchar_unlocked pvalloc pwrite qsort rand read readlink realloc reallocf reallocarray realpath remainder
    remainderf remainderl remove remquo remquof rename rewind rmdir scalbln scalblnf scalbn scalbnf scalbnl scanf
    setbuf setitimer setvbuf sin sincos sincosf sincosl sincospi sincospif sinf sinh sinhf sinhl sinl sinpi sinpif
    siprintf snprintf sprintf sqrtl sscanf srand stat stat64 statvfs statvfs64 stpcpy stpncpy strcasecmp strcat strchr
    strcoll strcpy strcspn strdup strlcat strlcpy strncasecmp strncat strncpy strndup strnlen strpbrk strrchr strspn
    strstr strtod strtof strtok strtok_r strtol strtold strtoll strtoul strtoull strxfrm system tan tanf tanh tanhf
    tanhl tanl tgamma tgammaf tgammal times tmpfile tmpfile64 toupper tolower tzset uname ungetc unlink unsetenv utime
    utimes valloc vec_calloc vec_free vec_malloc vec_realloc vfprintf vfscanf vprintf vscanf vsnprintf vsprintf
    vsscanf wcslen wmemcmp wmemset write abort cfree ffsll free_sized free_aligned_sized 
    __acos_finite __memcpy_chk __memmove_chk __memset_chk __mempcpy_chk __strcpy_chk __strncpy_chk __strcat_chk
    __strncat_chk __stpcpy_chk __stpncpy_chk __strlcpy_chk __strlcat_chk __strlen_chk __sprintf_chk __snprintf_chk
    __vsprintf_chk __vsnprintf_chk __memccpy_chk __cospi __cospif __sinpi __sinpif __sincospi_stret
    __sincospif_stret __sincos_stret __sincosf_stret __sqrt_finite __cxa_atexit __cxa_guard_abort
    __cxa_guard_acquire __cxa_guard_release __cxa_throw __isoc99_scanf __isoc99_sscanf __strdup __strndup
    __strtok_r __kmpc_alloc_shared __kmpc_free_shared _IO_getc _IO_putc __size_returning_new
    __size_returning_new_hot_cold __size_returning_new_aligned __size_returning_new_aligned_hot_cold
    __cxa_allocate_exception __rust_alloc __rust_dealloc __rust_realloc __rust_alloc_zeroed _exit
    ffsl fls flsl flsll __atomic_load __atomic_store __nvvm_reflect __small_fprintf __small_printf __small_sprintf
    objc_retain objc_release objc_autorelease setjmp _setjmp longjmp sigsetjmp vfork
";

/// The names of C++'s operators `new` and `delete`, mangled, on all platforms, runtimes that LLVM knows, and
/// mathematics of `-ffinite`.
fn is_operator(name: &str) -> bool {
    [
        "_Znw",
        "_Zna",
        "_Zdl",
        "_Zda",
        "??2@",
        "??3@",
        "??_U@",
        "??_V@",
        "omp_",
        "__kmpc_",
        "__tgt_",
        "objc_",
        "__cxa_",
        "__llvm_profile_",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
        || name.starts_with("__") && name.ends_with("_finite")
}

/// Whether LLVM takes a function of this name for the library's.
pub fn is_library(name: &str) -> bool {
    Library::of(name).is_some()
}

impl Library {
    /// What a name means; `None`: LLVM does not know it.
    pub fn of(name: &str) -> Option<Library> {
        // A name that is to be taken literally by the assembler.
        let name = name.strip_prefix('\u{1}').unwrap_or(name);
        if let Some(function) = executed(name) {
            return Some(function);
        }
        let known = NAMES.split_whitespace().any(|known| known == name) || is_operator(name);
        known.then(|| Library::Unsupported(name.into()))
    }

    /// Of the functions that take a byte or tell of one: the answer, as C's `int`.
    pub fn of_character(&self, value: &Bits) -> Option<Bits> {
        let width = value.width();
        match self {
            Library::IsDigit => {
                let from_zero = value.sub(&Bits::new(width, 48));
                Some(Bits::new(width, from_zero.compare(&Bits::new(width, 10)).is_lt().into()))
            }
            Library::IsAscii => {
                Some(Bits::new(width, value.compare(&Bits::new(width, 128)).is_lt().into()))
            }
            Library::ToAscii => Some(value.and(&Bits::new(width, 127))),
            Library::Ffs => Some(match value.is_zero() {
                true => Bits::zero(width),
                false => Bits::new(width, u128::from(value.trailing_zeros()) + 1),
            }),
            _ => None,
        }
    }
}

fn executed(name: &str) -> Option<Library> {
    let memory = |fill, overlapping| Library::Memory { fill, overlapping };
    let whole = match name {
        "abs" | "labs" => Library::Abs,
        "ffs" => Library::Ffs,
        "isdigit" => Library::IsDigit,
        "isascii" => Library::IsAscii,
        "toascii" => Library::ToAscii,
        "malloc" => Library::Malloc,
        "calloc" => Library::Calloc,
        "free" => Library::Free,
        "strlen" => Library::StrLen,
        "strcmp" => Library::StrCmp { bounded: false },
        "strncmp" => Library::StrCmp { bounded: true },
        "memcmp" => Library::MemCmp,
        "memchr" => Library::MemChr,
        "printf" => Library::PrintF,
        "puts" => Library::Puts,
        "putchar" => Library::PutChar,
        "memcpy" => memory(false, false),
        "memmove" => memory(false, true),
        "memset" => memory(true, false),
        _ => return float(name),
    };
    Some(whole)
}

fn float(name: &str) -> Option<Library> {
    let (base, format) = match name.strip_suffix('f') {
        Some(base) => (base, Format::Single),
        None => (name, Format::Double),
    };
    Some(match base {
        "fabs" => Library::FAbs(format),
        "copysign" => Library::CopySign(format),
        "floor" => Library::Round(Unary::Floor, format),
        "ceil" => Library::Round(Unary::Ceil, format),
        "trunc" => Library::Round(Unary::Trunc, format),
        "round" => Library::Round(Unary::Round, format),
        "roundeven" | "rint" | "nearbyint" => Library::Round(Unary::RoundEven, format),
        "sqrt" => Library::Round(Unary::Sqrt, format),
        "fmin" => Library::Extreme(Extreme::MinNum, format),
        "fmax" => Library::Extreme(Extreme::MaxNum, format),
        "fabsl" | "copysignl" | "floorl" | "ceill" | "truncl" | "roundl" | "roundevenl"
        | "rintl" | "nearbyintl" | "sqrtl" | "fminl" | "fmaxl" => Library::Unsupported(name.into()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(Library::of("strlen"), Some(Library::StrLen));
        assert_eq!(Library::of("floorf"), Some(Library::Round(Unary::Floor, Format::Single)));
        assert_eq!(Library::of("printf"), Some(Library::PrintF));
        assert_eq!(Library::of("scanf"), Some(Library::Unsupported("scanf".into())));
        assert_eq!(Library::of("_Znwm"), Some(Library::Unsupported("_Znwm".into())));
        assert_eq!(Library::of("use"), None);
        let digit = |c: u8| Library::IsDigit.of_character(&Bits::new(32, c.into()));
        assert_eq!(digit(b'7'), Some(Bits::new(32, 1)));
        assert_eq!(digit(b'a'), Some(Bits::zero(32)));
        assert_eq!(Library::Ffs.of_character(&Bits::new(32, 8)), Some(Bits::new(32, 4)));
    }
}
