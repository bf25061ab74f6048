//! A server with faults: certain passes in a certain order, with anything between, bring each about.
//!
//! What then goes wrong is real. LLVM is given a module that it does not survive in the last of the passes,
//! so that a fault comes with LLVM's own stack, signal and words, on every version from 14 to 22.

use std::hint;

use llvmhost::{Context, Desk, Llvm, Machine, Work};
use optimise::work::{self, Item, stage};
use passes::work::Children;

/// A loop hint that is none: the vectoriser takes it for a node without looking.
const NO_HINT: &str = "
    define i32 @main() {
      br label %loop
    loop:
      %i = phi i32 [ 0, %0 ], [ %j, %loop ]
      %j = add i32 %i, 1
      %c = icmp slt i32 %j, 9
      br i1 %c, label %loop, label %end, !llvm.loop !0
    end:
      ret i32 0
    }
    !0 = distinct !{!0, null}";

/// The cost model of x86-64 has no size for it.
const SCALABLE: &str = "
    define <vscale x 4 x i1> @f(ptr %p) {
      %s = insertelement <vscale x 4 x ptr> poison, ptr %p, i64 0
      %c = icmp ne <vscale x 4 x ptr> %s, zeroinitializer
      ret <vscale x 4 x i1> %c
    }";

/// What SROA makes of this assumption is no assumption any more.
const ASSUMES: &str = "
    declare void @llvm.assume(i1)
    define i32 @main() {
      %p = alloca i64
      call void @llvm.assume(i1 true) [ \"align\"(ptr %p, i64 32, i64 28) ]
      %q = getelementptr i32, ptr %p, i64 1
      store i32 0, ptr %q
      %v = load i32, ptr %q
      ret i32 %v
    }";

/// An x86-64 has no such instruction.
const NO_CODE: &str = "
    declare i32 @llvm.amdgcn.workitem.id.x()
    define i32 @main() { %x = call i32 @llvm.amdgcn.workitem.id.x()  ret i32 %x }";

/// What is printed before the crash of Figure 1(a).
const ASSERTION: &str =
    "opt: LoopVectorize.cpp:1294: Assertion `isScalarAfterVectorization(I, VF)' failed.";

/// A fault.
#[derive(Debug)]
pub struct Planted {
    name: &'static str,
    /// What it takes, in this order; parameters do not matter.
    pub passes: &'static [&'static str],
    does: Does,
}

#[derive(Debug)]
enum Does {
    /// Runs a pass on a module, after saying something.
    Instead {
        says: &'static str,
        passes: &'static str,
        module: &'static str,
    },
    /// Takes one number of the program for another.
    Misreads(&'static str, &'static str),
    Spins,
    Hoards,
}

const fn instead(passes: &'static str, module: &'static str) -> Does {
    Does::Instead { says: "", passes, module }
}

const PLANTED: [Planted; 7] = [
    Planted {
        name: "1a",
        passes: &["function-attrs", "loop-rotate", "licm", "sroa", "loop-vectorize"],
        does: Does::Instead { says: ASSERTION, passes: "loop-vectorize", module: NO_HINT },
    },
    Planted {
        name: "1b",
        passes: &["gvn", "licm", "loop-rotate", "loop-vectorize"],
        does: Does::Misreads(", 8\n", ", 14\n"),
    },
    Planted {
        name: "crash",
        passes: &["instsimplify", "vector-combine"],
        does: instead("vector-combine", SCALABLE),
    },
    Planted { name: "invalid", passes: &["dse", "sroa"], does: instead("sroa", ASSUMES) },
    Planted { name: "code", passes: &["indvars", "bdce"], does: instead("bdce", NO_CODE) },
    Planted { name: "time", passes: &["globaldce", "reassociate"], does: Does::Spins },
    Planted { name: "memory", passes: &["sccp", "adce"], does: Does::Hoards },
];

/// A fault by its name.
pub fn planted(name: &str) -> &'static Planted {
    PLANTED.iter().find(|planted| planted.name == name).expect("a fault of ours")
}

/// The server's work: that of every server, but for some faults.
pub struct Faulty(Vec<&'static Planted>);

impl Faulty {
    /// With these faults and no others; their names, a blank between.
    pub fn new(names: &[u8]) -> Result<Faulty, String> {
        let names = std::str::from_utf8(names).map_err(|e| e.to_string())?;
        Ok(Faulty(names.split_whitespace().map(planted).collect()))
    }
}

impl Work for Faulty {
    fn perform(&self, llvm: &Llvm, machine: &Machine<'_>, item: &[u8], desk: &Desk<'_>) -> Vec<u8> {
        let asked =
            item.strip_prefix(&[work::ENGINE_TAG]).and_then(|item| work::unpacked(item).ok());
        let Some(Item::Execute { mut module, mut pipeline, allowance }) = asked else {
            return Children.perform(llvm, machine, item, desk);
        };
        let run = names(&pipeline.passes);
        let due = self.0.iter().filter_map(|planted| Some((end(planted.passes, &run)?, planted)));
        // The one whose last pass runs first.
        match due.min_by_key(|(at, _)| *at).map(|(_, planted)| &planted.does) {
            None => {}
            Some(Does::Instead { says, passes, module: other }) => {
                eprintln!("{says}");
                module = other.as_bytes().to_vec();
                pipeline.passes = format!("function({passes})");
            }
            Some(Does::Misreads(right, wrong)) => {
                let context = Context::new(llvm);
                let text = context.parse(&module, "program").expect("a module").text();
                assert_eq!(text.matches(right).count(), 1, "{text}");
                module = text.replace(right, wrong).into_bytes();
            }
            Some(Does::Spins) => {
                desk.stage(stage::PASSES);
                loop {
                    hint::spin_loop();
                }
            }
            Some(Does::Hoards) => {
                desk.stage(stage::PASSES);
                let mut hoard: Vec<Vec<u8>> = Vec::new();
                loop {
                    hoard.push(hint::black_box(vec![0; 16 << 20]));
                }
            }
        }
        Children.perform(
            llvm,
            machine,
            &Item::Execute { module, pipeline, allowance }.bytes(),
            desk,
        )
    }
}

/// The passes of a pipeline, without their groups and parameters.
fn names(pipeline: &str) -> Vec<&str> {
    let words = pipeline.split([',', '(', ')']).filter(|word| !word.is_empty());
    let names = words.map(|word| word.split('<').next().unwrap_or(word));
    names.filter(|name| !["cgscc", "function", "loop", "loop-mssa"].contains(name)).collect()
}

/// Where the last of some passes stands, if they are there in their order.
fn end(wanted: &[&str], run: &[&str]) -> Option<usize> {
    let mut at = 0;
    for name in wanted {
        at += run[at..].iter().position(|pass| pass == name)? + 1;
    }
    Some(at)
}
