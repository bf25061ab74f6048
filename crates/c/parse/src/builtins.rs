//! Prototypes of `__builtin_…` functions and of the library functions GCC knows when nothing
//! declares them, in the codes of [`ctree::library`].
//!
//! Deliberately absent, and so refused: `alloca`, `setjmp`, `return_address`, `frame_address`,
//! `apply`, atomics, and the vector shuffles.

/// Builtins whose parameters have no fixed types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GenericBuiltin {
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

impl GenericBuiltin {
    pub(crate) fn arity(self) -> usize {
        match self {
            GenericBuiltin::ConstantP
            | GenericBuiltin::ClassifyType
            | GenericBuiltin::FloatTest => 1,
            GenericBuiltin::FloatCompare => 2,
            GenericBuiltin::Overflow | GenericBuiltin::OverflowP => 3,
            GenericBuiltin::FloatClassify => 6,
        }
    }
}

/// The type-generic builtin of this name (without `__builtin_`).
pub(crate) fn generic(name: &str) -> Option<GenericBuiltin> {
    Some(match name {
        "constant_p" => GenericBuiltin::ConstantP,
        "classify_type" => GenericBuiltin::ClassifyType,
        "add_overflow" | "sub_overflow" | "mul_overflow" => GenericBuiltin::Overflow,
        "add_overflow_p" | "sub_overflow_p" | "mul_overflow_p" => GenericBuiltin::OverflowP,
        "isnan" | "isinf" | "isinf_sign" | "isfinite" | "isnormal" | "signbit" | "issignaling" => {
            GenericBuiltin::FloatTest
        }
        "isless" | "islessequal" | "isgreater" | "isgreaterequal" | "islessgreater"
        | "isunordered" => GenericBuiltin::FloatCompare,
        "fpclassify" => GenericBuiltin::FloatClassify,
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

/// The signature of a library function GCC knows; those with streams need the header's `FILE`.
pub(crate) fn library_signature(name: &str) -> Option<String> {
    ctree::library::signature(name).filter(|s| !s.contains('F'))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(BUILTINS.windows(2).all(|w| w[0].0 < w[1].0));
    }

    #[test]
    fn library_functions_are_builtins_too() {
        assert_eq!(signature("huge_vall").as_deref(), Some("D"));
        assert_eq!(library_signature("memcpy").as_deref(), Some("ppPz"));
        assert_eq!(library_signature("fputs"), None);
    }
}
