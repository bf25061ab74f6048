//! Recovery: a run goes on with the handler's values, and without a handler it stops at the fault.

use cmachine::{
    Exit, Fault, FaultCause, FaultHandler, FaultyOp, Hooks, MachineConfig, Outcome, Recovery,
    UbKind, UnspecKind,
};
use ctree::{BinOp, DataModel, Program};

/// Answers everything with one value, and keeps what it was asked.
struct Always(i128, Vec<Fault>);

impl FaultHandler for Always {
    fn handle(&mut self, fault: &Fault) -> Recovery {
        self.1.push(*fault);
        Recovery::Value(self.0)
    }
}

struct Never;

impl FaultHandler for Never {
    fn handle(&mut self, _: &Fault) -> Recovery {
        Recovery::Stop
    }
}

/// What a program prints if all its faults give `value`, and the faults.
fn recovered(text: &str, value: i128) -> (String, Vec<Fault>) {
    let program = parse(text);
    let mut handler = Always(value, Vec::new());
    let report = cmachine::run_with_recovery(
        &program,
        &MachineConfig::default(),
        &Hooks::default(),
        &mut handler,
    );
    assert_eq!(report.outcome, Outcome::Finished(Exit::Status(0)), "{text}");
    (String::from_utf8_lossy(&report.stdout).into_owned(), handler.1)
}

fn parse(body: &str) -> Program {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    let text = format!(
        "int printf(const char *, ...); int g; int set(void) {{ return g = 9; }}
         int main(void) {{ {body} return 0; }}"
    );
    cparse::parse_unit(&mut program, "recover.c", &text).expect("valid text");
    program
}

#[test]
fn arithmetic_goes_on_with_the_value() {
    for (body, op) in [
        ("int x = 2147483647; x = x + 1;", BinOp::Add),
        ("int x = -2147483647; x = x - 5;", BinOp::Sub),
        ("int x = 2147483647; x++;", BinOp::Add),
        ("long x = 1L << 62; x *= 4;", BinOp::Mul),
        ("int x = 1, y = 0; x = x / y;", BinOp::Div),
        ("unsigned x = 1, y = 0; x %= y;", BinOp::Rem),
        ("int x = 1; x = x << 40;", BinOp::Shl),
        ("int x = 1; x >>= -1;", BinOp::Shr),
        ("__int128 x = 1; x = x << 126 << 1;", BinOp::Shl),
        ("__int128 x = (__int128)1 << 126; x = x + x;", BinOp::Add),
    ] {
        let (printed, faults) = recovered(&format!("{body} printf(\"%d\\n\", (int)x);"), 42);
        assert_eq!((printed.as_str(), faults.len()), ("42\n", 1), "{body}");
        assert_eq!(faults[0].op, FaultyOp::Binary(op), "{body}");
    }
}

#[test]
fn operands_are_those_of_the_tree() {
    let (_, faults) = recovered("int x = -7; long n = 70; x = x >> n;", 0);
    let (left, right) = (faults[0].left, faults[0].right);
    assert_eq!((left.value, left.bits, left.signed), (-7, 32, true));
    assert_eq!((right.value, right.bits, right.signed), (70, 64, true));
    // The machine counts in 64 bits; the tree does not.
    let (_, faults) = recovered("unsigned __int128 x = 1; x = x << -3;", 0);
    assert_eq!((faults[0].right.value, faults[0].right.bits), (-3, 32));
    let (_, faults) = recovered("int x = -2147483647; x = x - 5;", 0);
    assert_eq!(faults[0].right.value, 5, "as it was written");
}

#[test]
fn indices_and_conversions() {
    let (printed, faults) =
        recovered("int a[4] = {5, 6, 7, 8}, i = 99; printf(\"%d\\n\", a[i]);", 2);
    assert_eq!(printed, "7\n");
    assert_eq!(faults[0].op, FaultyOp::Index { address_only: false });
    assert_eq!((faults[0].left.value, faults[0].right.value), (99, 4));
    let (printed, _) = recovered("double d = 1e30; printf(\"%d\\n\", (int)d);", 3);
    assert_eq!(printed, "3\n");
}

#[test]
fn bad_accesses_are_passed_over() {
    let (printed, faults) = recovered("int *p = 0; *p = 1; printf(\"%d\\n\", *p + 1);", 6);
    assert_eq!(printed, "7\n");
    assert_eq!(faults.len(), 2);
    assert_eq!(faults[1].op, FaultyOp::Read);
    assert_eq!(faults[1].cause, FaultCause::Undefined(UbKind::NullDeref));
    let (printed, _) = recovered("int x; printf(\"%d\\n\", x);", 4);
    assert_eq!(printed, "4\n");
    let (printed, _) = recovered("int a[2] = {1, 2}, *p = a; p += 9; printf(\"%d\\n\", *p);", 0);
    assert_eq!(printed, "1\n", "the pointer does not move");
}

#[test]
fn conflicts_are_forgiven_and_named() {
    let (printed, faults) = recovered("int x = g + set(); printf(\"%d %d\\n\", x, g);", 0);
    assert_eq!(printed, "9 9\n");
    assert_eq!(faults[0].cause, FaultCause::Unspecified(UnspecKind::CallOrder));
    let FaultyOp::Conflict { this, other } = faults[0].op else { panic!("{faults:?}") };
    assert_eq!(this, None, "it is inside of the call");
    assert!(other.is_some(), "the read of g");
    let (_, faults) = recovered("int x = 1; x = x + x++;", 0);
    assert!(faults.iter().any(|f| f.cause == FaultCause::Undefined(UbKind::Unsequenced)));
}

#[test]
fn a_handler_may_stop() {
    let program = parse("int x = 2147483647; x = x + 1;");
    let config = MachineConfig::default();
    let report = cmachine::run_with_recovery(&program, &config, &Hooks::default(), &mut Never);
    assert_eq!(report.outcome, cmachine::run(&program, &config).outcome);
    assert!(matches!(report.outcome, Outcome::Undefined(UbKind::SignedOverflow, _)));
}
