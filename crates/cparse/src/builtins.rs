//! Prototypes of `__builtin_…` functions and of the library functions GCC knows when nothing
//! declares them.
//!
//! A signature is a string of codes, result first: `v` void, `b` _Bool, `i` int, `h` unsigned
//! short, `u` unsigned, `l` long, `z` unsigned long, `q` long long, `Q` unsigned long long, `X`
//! unsigned __int128, `f` float, `d` double, `D` long double, `p` void *, `P` const void *, `s`
//! char *, `S` const char *, `V` va_list, `*` pointer to the next, `.` at the end for variadic.
//!
//! Deliberately absent, and so refused: `alloca`, `setjmp`, `return_address`, `frame_address`,
//! `apply`, atomics, and the vector shuffles.

/// Builtins whose parameters have no fixed types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Generic {
    /// `constant_p(x)`, folded.
    ConstantP,
    /// `classify_type(x)`, folded.
    ClassifyType,
    /// `add_overflow(a, b, &r)` and its like.
    Overflow,
    /// `add_overflow_p(a, b, t)` and its like.
    OverflowP,
    /// `isnan(x)` and its like.
    FloatTest,
    /// `isless(x, y)` and its like.
    FloatCompare,
    /// `fpclassify(nan, inf, normal, subnormal, zero, x)`.
    FloatClassify,
}

impl Generic {
    pub(crate) fn arity(self) -> usize {
        match self {
            Generic::ConstantP | Generic::ClassifyType | Generic::FloatTest => 1,
            Generic::FloatCompare => 2,
            Generic::Overflow | Generic::OverflowP => 3,
            Generic::FloatClassify => 6,
        }
    }
}

/// The type-generic builtin of this name (without `__builtin_`).
pub(crate) fn generic(name: &str) -> Option<Generic> {
    Some(match name {
        "constant_p" => Generic::ConstantP,
        "classify_type" => Generic::ClassifyType,
        "add_overflow" | "sub_overflow" | "mul_overflow" => Generic::Overflow,
        "add_overflow_p" | "sub_overflow_p" | "mul_overflow_p" => Generic::OverflowP,
        "isnan" | "isinf" | "isinf_sign" | "isfinite" | "isnormal" | "signbit" | "issignaling" => {
            Generic::FloatTest
        }
        "isless" | "islessequal" | "isgreater" | "isgreaterequal" | "islessgreater"
        | "isunordered" => Generic::FloatCompare,
        "fpclassify" => Generic::FloatClassify,
        _ => return None,
    })
}

/// The signature of a builtin (named without `__builtin_`).
pub(crate) fn signature(name: &str) -> Option<String> {
    if let Ok(i) = BUILTINS.binary_search_by(|e| e.0.cmp(name)) {
        return Some(BUILTINS[i].1.to_string());
    }
    library_signature(name)
}

/// The signature of a library function GCC knows.
pub(crate) fn library_signature(name: &str) -> Option<String> {
    if let Ok(i) = LIBRARY.binary_search_by(|e| e.0.cmp(name)) {
        return Some(LIBRARY[i].1.to_string());
    }
    math_signature(name)
}

/// Math functions come as `f`, `ff` and `fl`.
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

/// Whether calls to this function do not come back.
pub(crate) fn is_noreturn(name: &str) -> bool {
    matches!(name, "abort" | "exit" | "_exit" | "_Exit" | "unreachable" | "trap")
}

/// Builtins that are no library functions; sorted.
const BUILTINS: &[(&str, &str)] = &[
    ("__memcpy_chk", "ppPzz"),
    ("__memmove_chk", "ppPzz"),
    ("__mempcpy_chk", "ppPzz"),
    ("__memset_chk", "ppizz"),
    ("__snprintf_chk", "iszizS."),
    ("__sprintf_chk", "isizS."),
    ("__stpcpy_chk", "ssSz"),
    ("__stpncpy_chk", "ssSzz"),
    ("__strcat_chk", "ssSz"),
    ("__strcpy_chk", "ssSz"),
    ("__strncat_chk", "ssSzz"),
    ("__strncpy_chk", "ssSzz"),
    ("__vsnprintf_chk", "iszizSV"),
    ("__vsprintf_chk", "isizSV"),
    ("assume_aligned", "pPz."),
    ("bswap128", "XX"),
    ("bswap16", "hh"),
    ("bswap32", "uu"),
    ("bswap64", "zz"),
    ("clear_padding", "vp"),
    ("clrsb", "ii"),
    ("clrsbl", "il"),
    ("clrsbll", "iq"),
    ("clz", "iu"),
    ("clzl", "iz"),
    ("clzll", "iQ"),
    ("ctz", "iu"),
    ("ctzl", "iz"),
    ("ctzll", "iQ"),
    ("dynamic_object_size", "zPi"),
    ("expect", "lll"),
    ("expect_with_probability", "llld"),
    ("isinff", "if"),
    ("isinfl", "iD"),
    ("isnanf", "if"),
    ("isnanl", "iD"),
    ("object_size", "zPi"),
    ("parity", "iu"),
    ("parityl", "iz"),
    ("parityll", "iQ"),
    ("popcount", "iu"),
    ("popcountl", "iz"),
    ("popcountll", "iQ"),
    ("prefetch", "vP."),
    ("sadd_overflow", "bii*i"),
    ("saddl_overflow", "bll*l"),
    ("saddll_overflow", "bqq*q"),
    ("signbitf", "if"),
    ("signbitl", "iD"),
    ("smul_overflow", "bii*i"),
    ("smull_overflow", "bll*l"),
    ("smulll_overflow", "bqq*q"),
    ("ssub_overflow", "bii*i"),
    ("ssubl_overflow", "bll*l"),
    ("ssubll_overflow", "bqq*q"),
    ("trap", "v"),
    ("uadd_overflow", "buu*u"),
    ("uaddl_overflow", "bzz*z"),
    ("uaddll_overflow", "bQQ*Q"),
    ("umul_overflow", "buu*u"),
    ("umull_overflow", "bzz*z"),
    ("umulll_overflow", "bQQ*Q"),
    ("unreachable", "v"),
    ("usub_overflow", "buu*u"),
    ("usubl_overflow", "bzz*z"),
    ("usubll_overflow", "bQQ*Q"),
    ("va_copy", "vVV"),
    ("va_end", "vV"),
    ("va_start", "vV."),
];

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
    ("ffs", "ii"),
    ("ffsl", "il"),
    ("ffsll", "iq"),
    ("free", "vp"),
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
        for table in [BUILTINS, LIBRARY, MATH] {
            assert!(table.windows(2).all(|w| w[0].0 < w[1].0));
        }
    }

    #[test]
    fn suffixed_math_functions() {
        assert_eq!(library_signature("fabsf").as_deref(), Some("ff"));
        assert_eq!(library_signature("frexpl").as_deref(), Some("DD*i"));
        assert_eq!(signature("huge_vall").as_deref(), Some("D"));
        assert_eq!(library_signature("memcpy").as_deref(), Some("ppPz"));
    }
}
