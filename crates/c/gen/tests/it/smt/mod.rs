//! Terms and rules in SMT-LIB, and what C11 says of each operation, in bit vectors.

use cgen::repair::rewrite::{Fact, Operator, Replacement, Rule, ShiftCount, ShiftedValue};
use cgen::repair::term::{Constant, Term, TermType};
use ctree::{BinOp, UnOp};
use sandbox::Run;
use std::fmt::{self, Display, Write};
use std::time::Duration;

/// Width and signedness.
pub type Shape = (u32, bool);

/// The solver takes seconds for all; minutes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(600);

/// Assertions on the operands `a`, `b` and the constant `c`.
pub struct Problem(String);

impl Problem {
    pub fn new(left: Shape, right: Shape) -> Problem {
        let mut text = String::new();
        for (name, (bits, _)) in [("a", left), ("b", right), ("c", right)] {
            let _ = writeln!(text, "(declare-const {name} (_ BitVec {bits}))");
        }
        Problem(text)
    }

    pub fn assert(&mut self, what: &str) {
        let _ = writeln!(self.0, "(assert {what})");
    }

    pub fn refute(&mut self, what: &str) {
        let _ = writeln!(self.0, "(assert (not {what}))");
    }
}

impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The solver's answers; `None` if there is no solver.
pub fn solve<'a>(problems: impl IntoIterator<Item = &'a Problem>) -> Option<Vec<String>> {
    let mut text = String::new();
    for problem in problems {
        let _ = writeln!(text, "(reset)\n(set-logic QF_BV)\n{problem}(check-sat)");
    }
    let run = Run::new("z3", PATIENCE).arg("-in").stdin(text).finish();
    let answers = run.success()?.stdout.text();
    Some(answers.lines().map(str::to_string).collect())
}

/// A term as a bit vector, and when all of it is defined.
pub struct Translated {
    pub value: String,
    pub shape: Shape,
    pub defined: String,
}

fn number(value: i128, bits: u32) -> String {
    let bits_of = (value as u128) << (128 - bits) >> (128 - bits);
    format!("(_ bv{bits_of} {bits})")
}

fn least(bits: u32) -> String {
    number(1 << (bits - 1), bits)
}

fn greatest((bits, signed): Shape) -> String {
    number(if signed { (1 << (bits - 1)) - 1 } else { -1 }, bits)
}

/// A bit vector brought to another width, as its signedness says.
fn resized(value: &str, (bits, signed): Shape, to: u32) -> String {
    match to {
        _ if to == bits => value.to_string(),
        _ if to < bits => format!("((_ extract {} 0) {value})", to - 1),
        _ if signed => format!("((_ sign_extend {}) {value})", to - bits),
        _ => format!("((_ zero_extend {}) {value})", to - bits),
    }
}

/// The mathematical result of `+`, `-`, `*` is a value of the signed type.
fn fits(op: BinOp, a: &str, b: &str, bits: u32) -> String {
    let (name, wide) = match op {
        BinOp::Add => ("bvadd", bits + 1),
        BinOp::Sub => ("bvsub", bits + 1),
        _ => ("bvmul", bits * 2),
    };
    let extended = |x| resized(x, (bits, true), wide);
    let narrow = format!("({name} {a} {b})");
    format!("(= {} ({name} {} {}))", extended(&narrow), extended(a), extended(b))
}

fn count_is_good(b: &str, (bits, signed): Shape, width: u32) -> String {
    let below = format!("(bvult {b} {})", number(width.into(), bits));
    // A negative count is a great unsigned one.
    let _ = signed;
    below
}

/// `a << b` fits the signed type of `a`, for a good count and an `a` that is not negative.
fn shift_fits(a: &str, bits: u32, b: &str, count: Shape) -> String {
    let wide = bits * 2;
    let (a, b) = (resized(a, (bits, false), wide), resized(b, (count.0, false), wide));
    let max = resized(&greatest((bits, true)), (bits, false), wide);
    format!("(bvule (bvshl {a} {b}) {max})")
}

fn min_and_minus_one(a: &str, b: &str, bits: u32) -> String {
    format!("(and (= {a} {}) (= {b} {}))", least(bits), number(-1, bits))
}

fn negative(x: &str, (bits, signed): Shape) -> String {
    if signed { format!("(bvslt {x} {})", number(0, bits)) } else { "false".into() }
}

fn binary(op: BinOp, a: Translated, b: Translated) -> Translated {
    let ((bits, signed), (x, y)) = (a.shape, (&a.value, &b.value));
    let pick = |yes: &'static str, no: &'static str| if signed { yes } else { no };
    let nonzero = || format!("(not (= {y} {}))", number(0, bits));
    let count = || resized(y, (b.shape.0, false), bits);
    let good = || count_is_good(y, b.shape, bits);
    let (name, right, defined) = match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul => {
            let name = match op {
                BinOp::Add => "bvadd",
                BinOp::Sub => "bvsub",
                _ => "bvmul",
            };
            (name, y.clone(), if signed { fits(op, x, y, bits) } else { "true".into() })
        }
        BinOp::Div | BinOp::Rem => {
            let name =
                if op == BinOp::Div { pick("bvsdiv", "bvudiv") } else { pick("bvsrem", "bvurem") };
            let defined = match signed {
                true => format!("(and {} (not {}))", nonzero(), min_and_minus_one(x, y, bits)),
                false => nonzero(),
            };
            (name, y.clone(), defined)
        }
        BinOp::Shl if signed => {
            let fits = shift_fits(x, bits, y, b.shape);
            let sign = negative(x, a.shape);
            ("bvshl", count(), format!("(and {} (not {sign}) {fits})", good()))
        }
        BinOp::Shl => ("bvshl", count(), good()),
        BinOp::Shr => (pick("bvashr", "bvlshr"), count(), good()),
        BinOp::BitAnd => ("bvand", y.clone(), "true".into()),
        BinOp::BitOr => ("bvor", y.clone(), "true".into()),
        BinOp::Gt => {
            let test = format!("({} {x} {y})", pick("bvsgt", "bvugt"));
            let value = format!("(ite {test} {} {})", number(1, 32), number(0, 32));
            let defined = format!("(and {} {})", a.defined, b.defined);
            return Translated { value, shape: (32, true), defined };
        }
        _ => panic!("{op:?} is in no table"),
    };
    if !matches!(op, BinOp::Shl | BinOp::Shr) {
        assert_eq!(a.shape, b.shape, "operands of {op:?} have one type");
    }
    Translated {
        value: format!("({name} {x} {right})"),
        shape: a.shape,
        defined: format!("(and {} {} {defined})", a.defined, b.defined),
    }
}

/// A term over operands of the given types.
pub fn translate(term: &Term, left: Shape, right: Shape) -> Translated {
    let shape = |ty: TermType| match ty {
        TermType::Left => left,
        TermType::LeftUnsigned => (left.0, false),
        TermType::LeftWide => (left.0 * 2, true),
        TermType::Right => right,
    };
    let atom =
        |value: &str, shape| Translated { value: value.into(), shape, defined: "true".to_string() };
    let inner = |t: &Term| translate(t, left, right);
    let nonzero = |t: &Translated| format!("(not (= {} {}))", t.value, number(0, t.shape.0));
    match term {
        Term::A => atom("a", left),
        Term::B => atom("b", right),
        Term::Const(constant, ty) => {
            let shape = shape(*ty);
            match constant {
                Constant::Small(n) => atom(&number((*n).into(), shape.0), shape),
                Constant::Max => atom(&greatest(shape), shape),
                Constant::CountMask => atom(&number(i128::from(left.0) - 1, shape.0), shape),
                Constant::Drawn => atom("c", shape),
            }
        }
        Term::Cast(ty, of) => {
            let of = inner(of);
            let to = shape(*ty);
            Translated { value: resized(&of.value, of.shape, to.0), shape: to, defined: of.defined }
        }
        Term::Unary(op, of) => {
            let of = inner(of);
            let (bits, signed) = of.shape;
            let min = format!("(not (= {} {}))", of.value, least(bits));
            match op {
                UnOp::Plus => of,
                UnOp::BitNot => Translated { value: format!("(bvnot {})", of.value), ..of },
                _ if signed => Translated {
                    value: format!("(bvneg {})", of.value),
                    shape: of.shape,
                    defined: format!("(and {} {min})", of.defined),
                },
                _ => Translated { value: format!("(bvneg {})", of.value), ..of },
            }
        }
        Term::Binary(op, a, b) => binary(*op, inner(a), inner(b)),
        Term::Cond(c, a, b) => {
            let (c, a, b) = (inner(c), inner(a), inner(b));
            let test = nonzero(&c);
            assert_eq!(a.shape, b.shape, "alternatives have one type");
            Translated {
                value: format!("(ite {test} {} {})", a.value, b.value),
                shape: a.shape,
                defined: format!("(and {} (ite {test} {} {}))", c.defined, a.defined, b.defined),
            }
        }
        Term::Elvis(a, b) => {
            let (a, b) = (inner(a), inner(b));
            let test = nonzero(&a);
            assert_eq!(a.shape, b.shape, "alternatives have one type");
            Translated {
                value: format!("(ite {test} {} {})", a.value, b.value),
                shape: a.shape,
                defined: format!("(and {} (or {test} {}))", a.defined, b.defined),
            }
        }
    }
}

fn fact(fact: Fact, op: Operator, left: Shape, right: Shape) -> String {
    let min = |x: &str, shape: Shape| match shape.1 {
        true => format!("(= {x} {})", least(shape.0)),
        false => "false".into(),
    };
    match fact {
        Fact::LeftMin => min("a", left),
        Fact::LeftNegative => negative("a", left),
        Fact::RightMin => min("b", right),
        Fact::RightNegative => negative("b", right),
        Fact::RightZero => format!("(= b {})", number(0, right.0)),
        Fact::RightLarge => {
            let large = format!("(bvuge b {})", number(left.0.into(), right.0));
            format!("(and (not {}) {large})", negative("b", right))
        }
        Fact::MinAndMinusOne => min_and_minus_one("a", "b", left.0),
        Fact::Overflows => match op {
            Operator::Binary(op) => format!("(not {})", fits(op, "a", "b", left.0)),
            Operator::Neg => min("a", left),
        },
        Fact::ShiftOverflows => format!("(not {})", shift_fits("a", left.0, "b", right)),
    }
}

/// The facts of a rule.
pub fn applies(rule: &Rule, left: Shape, right: Shape) -> String {
    let facts = rule.when.iter().map(|&(f, truth)| {
        let holds = fact(f, rule.op, left, right);
        if truth { holds } else { format!("(not {holds})") }
    });
    format!("(and true {})", facts.collect::<Vec<_>>().join(" "))
}

/// That `c` is in the range of a rule, and that the range is not empty.
pub fn range(rule: &Rule, left: Shape, right: Shape) -> Option<(String, String)> {
    let Replacement::Shift(base, count) = rule.then else { return None };
    // Room for every sum of these numbers.
    let wide = left.0.max(right.0) + 8;
    let of = |n: i128| number(n, wide);
    let (b, c) = (resized("b", right, wide), resized("c", right, wide));
    let used = match (rule.op, left.1) {
        (Operator::Binary(BinOp::Shl), true) => {
            let base = if base == ShiftedValue::Not { "(bvnot a)" } else { "a" };
            // The length of the number: the highest bit that is set decides.
            let bit = |i: u32| format!("(= ((_ extract {i} {i}) {base}) (_ bv1 1))");
            (0..left.0)
                .fold(of(0), |rest, i| format!("(ite {} {} {rest})", bit(i), of((i + 1).into())))
        }
        _ => of(0),
    };
    let room = format!("(bvsub {} {used})", of(i128::from(left.0) - 1));
    let (first, last) = match count {
        ShiftCount::Same => return None,
        ShiftCount::Plus => {
            let first = format!("(bvneg {b})");
            let last = format!("(bvadd {first} {room})");
            let max = resized(&greatest(right), (right.0, false), wide);
            (first, format!("(ite (bvsgt {last} {max}) {max} {last})"))
        }
        ShiftCount::Minus => {
            let first = format!("(bvsub {b} {room})");
            (format!("(ite (bvslt {first} {0}) {0} {first})", of(0)), b.clone())
        }
    };
    let in_range = format!("(and (bvsle {first} {c}) (bvsle {c} {last}))");
    Some((in_range, format!("(bvsle {first} {last})")))
}
