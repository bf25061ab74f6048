//! Every operation against the hardware's, through a program compiled by gcc.

use super::F80;
use std::cmp::Ordering;
use std::io::Write;
use std::process::{Command, Stdio};

/// Compiles a C program, feeds it `input` and returns what it prints; `None` without gcc.
// Only `sandbox` starts processes in the product; a test may.
#[allow(clippy::disallowed_methods)]
pub(crate) fn run_c(name: &str, source: &str, input: &[u8]) -> Option<Vec<u8>> {
    let folder = std::env::temp_dir().join(format!("gainsay-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (c, exe, data) = (folder.join("t.c"), folder.join("t"), folder.join("input"));
    std::fs::write(&c, source).unwrap();
    std::fs::write(&data, input).unwrap();
    let gcc = Command::new("gcc").args(["-O0", "-w", "-o"]).arg(&exe).arg(&c).arg("-lm").status();
    let Ok(status) = gcc else {
        assert!(std::env::var_os("CI").is_none(), "set-up installs gcc: CI skips nothing");
        let _ = writeln!(std::io::stderr(), "skipped: no gcc");
        return None;
    };
    assert!(status.success(), "gcc refuses the test's own program");
    let stdin = Stdio::from(std::fs::File::open(&data).unwrap());
    let output = Command::new(&exe).stdin(stdin).output().unwrap();
    assert!(output.status.success());
    std::fs::remove_dir_all(&folder).unwrap();
    Some(output.stdout)
}

/// SplitMix64: enough for test data.
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Bits with long runs, which meet carries and ties more often than uniform ones.
    pub(crate) fn bits(&mut self) -> u64 {
        let (a, shift) = (self.next(), self.below(64));
        match self.below(4) {
            0 => a,
            1 => a << shift,
            2 => !(a >> shift),
            _ => (1u64 << shift).wrapping_sub(self.below(3)),
        }
    }

    /// A canonical value: near one, anywhere, denormal, or special.
    pub(crate) fn f80(&mut self) -> F80 {
        let sign = (self.below(2) as u16) << 15;
        let mantissa = self.bits();
        let (mantissa, exponent) = match self.below(10) {
            0..5 => (mantissa | 1 << 63, 16383 - 70 + self.below(140) as u16),
            5..8 => (mantissa | 1 << 63, 1 + self.below(0x7ffe) as u16),
            8 => (mantissa >> 1 >> self.below(40), 0),
            _ => match self.below(5) {
                0 => (0, 0),
                1 => (1 << 63, 0x7fff),
                2 => (mantissa | 3 << 62, 0x7fff),
                3 => (u64::MAX, 0x7ffe),
                _ => (1 << 63, 1),
            },
        };
        F80 { mantissa, exponent: exponent | sign }
    }
}

const REFERENCE: &str = r#"
#include <stdio.h>
#include <string.h>
#include <math.h>
static void ld(long double x) { fwrite(&x, 10, 1, stdout); }
int main(void) {
    struct { long double a, b; long i; unsigned long u; } r;
    while (fread(&r, sizeof r, 1, stdin) == 1) {
        volatile long double a = r.a, b = r.b;
        double d = a; float f = a;
        __int128 w = (__int128)r.i * (__int128)(r.u | 1);
        unsigned __int128 v = ((unsigned __int128)r.u << 64) | (unsigned long)r.i;
        ld(a + b); ld(a - b); ld(a * b); ld(a / b); ld(fmodl(a, b)); ld(-a);
        ld(r.i); ld(r.u); ld(w); ld(v);
        ld((double)b); ld((float)b);
        fwrite(&d, 8, 1, stdout); fwrite(&f, 4, 1, stdout);
        char c = a < b ? 1 : a > b ? 2 : a == b ? 3 : 4;
        char k = (isnan(a) ? 1 : 0) | (isinf(a) ? 2 : 0) | (signbit(a) ? 4 : 0);
        putchar(c); putchar(k);
        unsigned __int128 t = 0; __int128 s = 0; long l = 0; unsigned long ul = 0; char ok = 0;
        if (a > -1.0L && a < 0x1p128L) ok |= 1, t = a;
        if (a >= -0x1p127L && a < 0x1p127L) ok |= 2, s = a;
        if (a >= -0x1p63L && a < 0x1p63L) ok |= 4, l = a;
        if (a > -1.0L && a < 0x1p64L) ok |= 8, ul = a;
        putchar(ok); fwrite(&t, 16, 1, stdout); fwrite(&s, 16, 1, stdout);
        fwrite(&l, 8, 1, stdout); fwrite(&ul, 8, 1, stdout);
    }
}
"#;

fn record(a: F80, b: F80, i: i64, u: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for x in [a, b] {
        bytes.extend(x.to_bytes());
        bytes.extend([0; 6]);
    }
    bytes.extend(i.to_le_bytes());
    bytes.extend(u.to_le_bytes());
    bytes
}

/// What the reference prints for one record, from our operations.
fn ours(a: F80, b: F80, i: i64, u: u64) -> Vec<u8> {
    let mut out = Vec::new();
    let product = i128::from(i) * i128::from(u | 1);
    let wide = (u128::from(u) << 64) | u128::from(i as u64);
    let values = [
        a + b,
        a - b,
        a * b,
        a / b,
        a.fmod(b),
        -a,
        F80::from_i64(i),
        F80::from_u64(u),
        F80::from_i128(product),
        F80::from_u128(wide),
        F80::from_f64(b.to_f64()),
        F80::from_f32(b.to_f32()),
    ];
    for value in values {
        out.extend(value.to_bytes());
    }
    out.extend(a.to_f64().to_le_bytes());
    out.extend(a.to_f32().to_le_bytes());
    out.push(match a.compare(b) {
        Some(Ordering::Less) => 1,
        Some(Ordering::Greater) => 2,
        Some(Ordering::Equal) => 3,
        None => 4,
    });
    out.push(a.is_nan() as u8 | (a.is_infinite() as u8) << 1 | (a.is_negative() as u8) << 2);
    let (t, s, l, ul) = (a.to_u128(), a.to_i128(), a.to_i64(), a.to_u64());
    let ok = t.is_some() as u8
        | (s.is_some() as u8) << 1
        | (l.is_some() as u8) << 2
        | (ul.is_some() as u8) << 3;
    out.push(ok);
    out.extend(t.unwrap_or(0).to_le_bytes());
    out.extend(s.unwrap_or(0).to_le_bytes());
    out.extend(l.unwrap_or(0).to_le_bytes());
    out.extend(ul.unwrap_or(0).to_le_bytes());
    out
}

#[test]
fn agrees_with_the_hardware() {
    let mut random = Random(1);
    // `fmod` of far apart exponents takes thousands of steps: more cases would take minutes.
    let cases: Vec<_> = (0..5_000)
        .map(|_| (random.f80(), random.f80(), random.bits() as i64, random.bits()))
        .collect();
    let input: Vec<u8> = cases.iter().flat_map(|&(a, b, i, u)| record(a, b, i, u)).collect();
    let Some(theirs) = run_c("longdouble", REFERENCE, &input) else { return };
    let mut rest = &theirs[..];
    for (a, b, i, u) in cases {
        let mine = ours(a, b, i, u);
        let (one, tail) = rest.split_at(mine.len());
        let at = one.iter().zip(&mine).position(|(x, y)| x != y);
        assert_eq!(at, None, "byte of the record differs: {a:x?} {b:x?} {i:#x} {u:#x}");
        rest = tail;
    }
    assert!(rest.is_empty());
}

#[test]
fn bytes_round_trip() {
    let mut random = Random(2);
    for _ in 0..1000 {
        let x = random.f80();
        assert!(x.is_canonical());
        assert_eq!(F80::from_bytes(x.to_bytes()), x);
    }
}

#[test]
fn truncation_at_the_edges() {
    let two_63 = F80::from_u64(1 << 63);
    assert_eq!(two_63.to_i64(), None);
    assert_eq!((-two_63).to_i64(), Some(i64::MIN));
    assert_eq!(two_63.to_u64(), Some(1 << 63));
    assert_eq!(F80::from_f64(-0.75).to_u64(), Some(0));
    assert_eq!(F80::from_f64(-1.0).to_u64(), None);
    assert_eq!(F80::DEFAULT_NAN.to_i128(), None);
    assert_eq!(F80::INFINITY.to_u128(), None);
}

#[test]
fn patterns_that_are_no_value() {
    let unnormal = F80 { mantissa: 1, exponent: 5 };
    let pseudo_denormal = F80 { mantissa: 1 << 63, exponent: 0 };
    assert!(!unnormal.is_canonical() && unnormal.is_nan());
    assert!(!pseudo_denormal.is_canonical());
    assert!(F80::ZERO.is_canonical() && F80::DEFAULT_NAN.is_canonical());
}
