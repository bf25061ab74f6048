//! The dump spells out what the text leaves implicit and hides what does not matter.

use ctree::dump::dump_unit;
use ctree::{BinOp, DataModel, Init, Item, Program, Scope, StmtKind, Ty, UnitId};

/// `char x; char f(void) { long INNER = 1; return INNER + x; }`, after `pad` unused nodes.
fn sample(pad: u32, inner: &str) -> (Program, UnitId) {
    let mut p = Program::new(DataModel::X86_64_SYSV);
    for _ in 0..pad {
        p.int_const(Ty::INT, 7);
        p.add_var("unused", Ty::INT, Scope::Block);
    }
    let unit = p.add_unit("t.c");
    let outer = p.add_var("x", Ty::CHAR, Scope::File);
    let ty = p.func_type(Ty::CHAR, &[], false);
    let func = p.add_func("f", ty);
    let one = p.int_const(Ty::INT, 1);
    let init: Init = p.init_expr(Ty::LONG, one);
    let (local, decl) = p.local(inner, Ty::LONG, Some(init));
    let (a, b) = (p.var_ref(local), p.var_ref(outer));
    let sum = p.binary(BinOp::Add, a, b);
    let sum = p.convert(sum, Ty::CHAR);
    let ret = p.make_stmt(StmtKind::Return(Some(sum)));
    let body = p.block(vec![decl, ret]);
    p.funcs[func.index()].body = Some(body);
    p.units[unit.index()].items = vec![Item::Var(outer), Item::Func(func)];
    (p, unit)
}

#[test]
fn conversions_and_types_are_explicit() {
    let (p, unit) = sample(0, "y");
    let expected = "\
(define x#1<None File defined Char>)
(define f#1<None defined (fn Char)>
  (block
    (decl (define y#2<None Block defined Long> = (implicit:Long (int:Int 1))))
    (return (implicit:Char (Add:Long (var:Long y#2) (implicit:Long (var:Char x#1)))))))
";
    assert_eq!(dump_unit(&p, unit), expected);
}

#[test]
fn ids_do_not_show_but_shadowing_does() {
    let [(p, a), (q, b), (r, c)] = [sample(0, "x"), sample(5, "x"), sample(0, "y")];
    assert_eq!(dump_unit(&p, a), dump_unit(&q, b));
    assert_ne!(dump_unit(&p, a), dump_unit(&r, c));
    assert!(dump_unit(&p, a).contains("(var:Long x#2) (implicit:Long (var:Char x#1))"));
}
