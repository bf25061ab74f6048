//! Shapes of modules that LLVM 16 reads.

use std::sync::OnceLock;

use llvmhost::{Context, Installed, Llvm, opcode};
use passes::shape::{ModuleShape, TypeClass};

/// The library; `None` if it is not installed, which CI does not allow.
fn library() -> Option<&'static Llvm> {
    static LLVM: OnceLock<Option<Llvm>> = OnceLock::new();
    let open = || match Installed::named("16") {
        Ok(found) => Some(Llvm::open(&found.path, found.major).expect("it opens")),
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "set-up installs LLVM 16: {why}");
            None
        }
    };
    LLVM.get_or_init(open).as_ref()
}

/// The shape of a text, if there is a library to read it.
fn shape(text: &str) -> Option<ModuleShape> {
    let context = Context::new(library()?);
    let module = context.parse(text.as_bytes(), "x").expect("a module");
    Some(ModuleShape::of(&module))
}

fn words(opcodes: &[i32]) -> Vec<u8> {
    opcodes.iter().map(|&opcode| u8::try_from(opcode).expect("a small number")).collect()
}

#[test]
fn blocks_words_and_successors() {
    let text = "@g = global i32 0
    @h = global ptr @one
    declare void @llvm.assume(i1)
    define i32 @one(i32 %x, i32 %y) {
    entry:
        %p = alloca i32
        switch i32 %x, label %last [ i32 0, label %middle i32 1, label %middle ]
    lost:
        %l = add i32 %x, %y
        br label %middle
    middle:
        %c = icmp eq i32 %x, %y
        call void @llvm.assume(i1 %c)
        br label %last
    last:
        %v = load i32, ptr %p
        ret i32 %v
    }";
    let Some(shape) = shape(text) else { return };
    assert_eq!((shape.declared, shape.globals, shape.functions.len()), (1, 2, 1));
    let one = &shape.functions[0];
    assert_eq!((one.name.as_str(), one.parameters), ("one", 2));
    assert!(one.callees.is_empty(), "{:?}", one.callees);
    // `lost` cannot be reached.
    assert_eq!(one.graph(), [vec![2, 1, 1], vec![2], vec![]]);
    assert_eq!(one.blocks[0].words, words(&[opcode::ALLOCA, opcode::SWITCH]));
    /// `LLVMICmp`
    const ICMP: i32 = 42;
    assert_eq!(one.blocks[1].words, words(&[ICMP, opcode::CALL, opcode::BR]));
    assert_eq!(one.blocks[2].words, words(&[opcode::LOAD, opcode::RET]));
    let results = |sort: TypeClass| shape.results[sort as usize];
    assert_eq!(results(TypeClass::Pointer), 1);
    assert_eq!(results(TypeClass::I1), 1);
    assert_eq!(results(TypeClass::I32), 1);
    assert_eq!(results(TypeClass::Void), 4);
    assert_eq!(shape.results.iter().sum::<u32>(), 7);
}

/// Direct calls, addresses that instructions use, and those in constant expressions; neither what is declared
/// only nor what a global variable holds.
#[test]
fn callees() {
    let text = "@table = global [1 x ptr] [ptr @in_table]
    declare void @outside(ptr)
    define void @main() {
        call void @direct()
        call void @outside(ptr @address)
        %p = load ptr, ptr @table
        call void %p()
        store i64 add (i64 ptrtoint (ptr @expression to i64), i64 1), ptr @table
        ret void
    }
    define void @direct() {
        call void @direct()
        ret void
    }
    define void @address() {
        ret void
    }
    define void @expression() {
        ret void
    }
    define void @in_table() {
        call void @main()
        call void @direct()
        ret void
    }";
    let Some(shape) = shape(text) else { return };
    let callees: Vec<&[usize]> = shape.functions.iter().map(|f| f.callees.as_slice()).collect();
    assert_eq!(callees, [&[1, 2, 3][..], &[1], &[], &[], &[0, 1]]);
}

#[test]
fn nothing_in_it() {
    if let Some(shape) = shape("declare void @f()") {
        assert_eq!(shape, ModuleShape { declared: 1, ..ModuleShape::default() });
    }
}

/// It travels from a server's child as bytes.
#[test]
fn there_and_back() {
    let Some(shape) = shape("define i64 @f(i64 %x) {\n %y = mul i64 %x, %x\n ret i64 %y\n}") else {
        return;
    };
    let bytes = postcard::to_allocvec(&shape).expect("it is written");
    assert_eq!(postcard::from_bytes::<ModuleShape>(&bytes).expect("it is read"), shape);
}
