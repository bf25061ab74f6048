//! The types of the C library's functions: of the standard's, and of extensions that compilers know.
//!
//! A signature is a string of codes, result first: `v` void, `b` _Bool, `i` int, `h` unsigned
//! short, `u` unsigned, `l` long, `z` unsigned long, `q` long long, `Q` unsigned long long, `X`
//! unsigned __int128, `f` float, `d` double, `D` long double, `p` void *, `P` const void *, `s`
//! char *, `S` const char *, `F` FILE *, `V` va_list, `*` pointer to the next, `.` at the end for
//! variadic. Which of the functions can be executed is defined in `cmachine`.

/// The signature of a library function.
pub fn signature(name: &str) -> Option<String> {
    if let Ok(i) = LIBRARY.binary_search_by(|e| e.0.cmp(name)) {
        return Some(LIBRARY[i].1.to_string());
    }
    math_signature(name)
}

/// Math functions have the variants `f`, `ff` and `fl`.
fn math_signature(name: &str) -> Option<String> {
    let find = |n: &str| MATH.binary_search_by(|e| e.0.cmp(n)).ok().map(|i| MATH[i].1);
    if let Some(signature) = find(name) {
        return Some(signature.to_string());
    }
    if let Some(signature) = name.strip_suffix('f').and_then(find) {
        return Some(signature.replace('d', "f"));
    }
    name.strip_suffix('l').and_then(find).map(|s| s.replace('d', "D"))
}

/// Library functions; sorted.
const LIBRARY: &[(&str, &str)] = &[
    ("_Exit", "vi"),
    ("_exit", "vi"),
    ("abort", "v"),
    ("abs", "ii"),
    ("atof", "dS"),
    ("atoi", "iS"),
    ("atol", "lS"),
    ("atoll", "qS"),
    ("bcmp", "iPPz"),
    ("bcopy", "vPpz"),
    ("bzero", "vpz"),
    ("calloc", "pzz"),
    ("exit", "vi"),
    ("fflush", "iF"),
    ("ffs", "ii"),
    ("ffsl", "il"),
    ("ffsll", "iq"),
    ("fprintf", "iFS."),
    ("fputc", "iiF"),
    ("fputs", "iSF"),
    ("free", "vp"),
    ("fwrite", "zPzzF"),
    ("imaxabs", "ll"),
    ("index", "sSi"),
    ("isalnum", "ii"),
    ("isalpha", "ii"),
    ("isascii", "ii"),
    ("isblank", "ii"),
    ("iscntrl", "ii"),
    ("isdigit", "ii"),
    ("isgraph", "ii"),
    ("islower", "ii"),
    ("isprint", "ii"),
    ("ispunct", "ii"),
    ("isspace", "ii"),
    ("isupper", "ii"),
    ("isxdigit", "ii"),
    ("labs", "ll"),
    ("llabs", "qq"),
    ("malloc", "pz"),
    ("memchr", "pPiz"),
    ("memcmp", "iPPz"),
    ("memcpy", "ppPz"),
    ("memmove", "ppPz"),
    ("mempcpy", "ppPz"),
    ("memset", "ppiz"),
    ("printf", "iS."),
    ("printf_unlocked", "iS."),
    ("putc", "iiF"),
    ("putchar", "ii"),
    ("putchar_unlocked", "ii"),
    ("puts", "iS"),
    ("puts_unlocked", "iS"),
    ("realloc", "ppz"),
    ("rindex", "sSi"),
    ("scanf", "iS."),
    ("snprintf", "iszS."),
    ("sprintf", "isS."),
    ("sscanf", "iSS."),
    ("stpcpy", "ssS"),
    ("stpncpy", "ssSz"),
    ("strcasecmp", "iSS"),
    ("strcat", "ssS"),
    ("strchr", "sSi"),
    ("strcmp", "iSS"),
    ("strcpy", "ssS"),
    ("strcspn", "zSS"),
    ("strdup", "sS"),
    ("strlen", "zS"),
    ("strncasecmp", "iSSz"),
    ("strncat", "ssSz"),
    ("strncmp", "iSSz"),
    ("strncpy", "ssSz"),
    ("strndup", "sSz"),
    ("strnlen", "zSz"),
    ("strpbrk", "sSS"),
    ("strrchr", "sSi"),
    ("strspn", "zSS"),
    ("strstr", "sSS"),
    ("toascii", "ii"),
    ("tolower", "ii"),
    ("toupper", "ii"),
    ("vfprintf", "iFSV"),
    ("vprintf", "iSV"),
    ("vscanf", "iSV"),
    ("vsnprintf", "iszSV"),
    ("vsprintf", "isSV"),
    ("vsscanf", "iSSV"),
];

/// Functions of `<math.h>` on `double`; sorted.
const MATH: &[(&str, &str)] = &[
    ("acos", "dd"),
    ("acosh", "dd"),
    ("asin", "dd"),
    ("asinh", "dd"),
    ("atan", "dd"),
    ("atan2", "ddd"),
    ("atanh", "dd"),
    ("cbrt", "dd"),
    ("ceil", "dd"),
    ("copysign", "ddd"),
    ("cos", "dd"),
    ("cosh", "dd"),
    ("erf", "dd"),
    ("erfc", "dd"),
    ("exp", "dd"),
    ("exp10", "dd"),
    ("exp2", "dd"),
    ("expm1", "dd"),
    ("fabs", "dd"),
    ("fdim", "ddd"),
    ("finite", "id"),
    ("floor", "dd"),
    ("fma", "dddd"),
    ("fmax", "ddd"),
    ("fmin", "ddd"),
    ("fmod", "ddd"),
    ("frexp", "dd*i"),
    ("huge_val", "d"),
    ("hypot", "ddd"),
    ("ilogb", "id"),
    ("inf", "d"),
    ("ldexp", "ddi"),
    ("lgamma", "dd"),
    ("llrint", "qd"),
    ("llround", "qd"),
    ("log", "dd"),
    ("log10", "dd"),
    ("log1p", "dd"),
    ("log2", "dd"),
    ("logb", "dd"),
    ("lrint", "ld"),
    ("lround", "ld"),
    ("modf", "dd*d"),
    ("nan", "dS"),
    ("nans", "dS"),
    ("nearbyint", "dd"),
    ("nextafter", "ddd"),
    ("pow", "ddd"),
    ("powi", "ddi"),
    ("remainder", "ddd"),
    ("remquo", "ddd*i"),
    ("rint", "dd"),
    ("round", "dd"),
    ("scalbln", "ddl"),
    ("scalbn", "ddi"),
    ("significand", "dd"),
    ("sin", "dd"),
    ("sinh", "dd"),
    ("sqrt", "dd"),
    ("tan", "dd"),
    ("tanh", "dd"),
    ("tgamma", "dd"),
    ("trunc", "dd"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        for table in [LIBRARY, MATH] {
            assert!(table.windows(2).all(|w| w[0].0 < w[1].0));
        }
    }

    #[test]
    fn suffixed_math_functions() {
        assert_eq!(signature("fabsf").as_deref(), Some("ff"));
        assert_eq!(signature("frexpl").as_deref(), Some("DD*i"));
        assert_eq!(signature("memcpy").as_deref(), Some("ppPz"));
        assert_eq!(signature("mine"), None);
    }
}
