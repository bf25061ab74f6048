//! Wild units hold every construct of the tree: what the round-trip test does not see it cannot
//! vouch for.

use choice::Choices;
use ctree::{Init, Program, Quals};
use std::collections::BTreeSet;

/// The name of an enum's variant, as its debug form begins.
fn variant(value: &impl std::fmt::Debug) -> String {
    let text = format!("{value:?}");
    text.chars().take_while(|c| c.is_alphanumeric()).collect()
}

fn collect(p: &Program, seen: &mut BTreeSet<String>) {
    for expr in &p.exprs {
        seen.insert(variant(&expr.kind));
        match &expr.kind {
            ctree::ExprKind::Unary(op, _) => seen.insert(variant(op)),
            ctree::ExprKind::Binary(op, ..) => seen.insert(variant(op)),
            ctree::ExprKind::AssignOp { op, .. } => seen.insert(format!("{op:?}=")),
            ctree::ExprKind::Cond(_, None, _) => seen.insert("?:".into()),
            _ => false,
        };
        seen.insert(format!("type {}", variant(p.types.kind(expr.ty))));
    }
    for stmt in &p.stmts {
        seen.insert(format!("stmt {}", variant(&stmt.kind)));
        if let ctree::StmtKind::Decl(items) = &stmt.kind {
            seen.extend(items.iter().map(|item| format!("local {}", variant(item))));
        }
    }
    for item in &p.units[0].items {
        seen.insert(format!("item {}", variant(item)));
    }
    for var in &p.vars {
        seen.insert(format!("{:?} {:?}", var.scope, var.storage));
        let ranges = |items: &[ctree::InitItem]| items.iter().any(|i| i.first != i.last);
        if matches!(&var.init, Some(Init::List(items)) if ranges(items)) {
            seen.insert("range".into());
        }
        if var.align.is_some() {
            seen.insert("aligned variable".into());
        }
        for (qual, name) in
            [(Quals::CONST, "const"), (Quals::VOLATILE, "volatile"), (Quals::RESTRICT, "restrict")]
        {
            if var.ty.quals().has(qual) {
                seen.insert(name.into());
            }
        }
    }
    for func in &p.funcs {
        let marks =
            [(func.inline, "inline"), (func.noreturn, "noreturn"), (func.old_style, "old style")];
        seen.extend(marks.iter().filter(|m| m.0).map(|m| m.1.to_string()));
        seen.insert(format!("function {:?}", func.storage));
    }
    for record in &p.types.records {
        let field = |f: &dyn Fn(&ctree::Field) -> bool| record.fields.iter().any(f);
        let marks = [
            (record.packed, "packed record"),
            (record.min_align.is_some(), "aligned record"),
            (record.tag.is_none(), "anonymous member"),
            (field(&|f| f.bits.is_some() && f.name.is_some()), "bit-field"),
            (field(&|f| f.bits == Some(0)), "zero-width bit-field"),
            (field(&|f| f.align.is_some()), "aligned member"),
            (field(&|f| f.packed), "packed member"),
        ];
        seen.extend(marks.iter().filter(|m| m.0).map(|m| m.1.to_string()));
        seen.insert(variant(&record.kind));
    }
}

#[test]
fn wild_units_hold_every_construct() {
    let mut seen = BTreeSet::new();
    for seed in 0..300 {
        collect(&ctestgen::wild(&mut Choices::new(seed)), &mut seen);
    }
    let expected = "
        Int Float LongFloat Str Var Func EnumConst Unary Binary Assign AssignOp Cond Cast Implicit
        Call Index Member Arrow SizeofExpr SizeofType AlignofType CompoundLit StmtExpr VaArg ?:
        Plus Neg BitNot LogNot Deref AddrOf PreInc PreDec PostInc PostDec
        Mul Div Rem Add Sub Shl Shr Lt Gt Le Ge Eq Ne BitAnd BitXor BitOr LogAnd LogOr Comma
        Mul= Div= Rem= Add= Sub= Shl= Shr= BitAnd= BitXor= BitOr=
        Struct Union range const volatile restrict inline noreturn bit-field";
    let phrases = [
        "type Void, type Int, type Float, type Enum, type Pointer, type Array, type Vector",
        "type Function, type Record, type VaList",
        "stmt Empty, stmt Expr, stmt Block, stmt If, stmt While, stmt DoWhile, stmt For",
        "stmt Switch, stmt Case, stmt Default, stmt Break, stmt Continue, stmt Goto, stmt Label",
        "stmt Return, stmt Decl, local Record, local RecordDecl, local Enum, local Typedef",
        "local Var, local VarDecl, local FuncDecl",
        "item RecordDecl, item Record, item Enum, item Typedef, item Var, item VarDecl",
        "item FuncDecl, item Func, function None, function Static, function Extern, old style",
        "File None, File Static, File Extern, Block None, Block Static, Block Register",
        "Param None, Param Register, aligned variable, packed record, aligned record",
        "anonymous member, zero-width bit-field, aligned member, packed member",
    ];
    let words = expected.split_whitespace();
    let phrases = phrases.iter().flat_map(|line| line.split(", "));
    let missing: Vec<&str> = words.chain(phrases).filter(|w| !seen.contains(*w)).collect();
    assert!(missing.is_empty(), "never made: {missing:?}");
}
