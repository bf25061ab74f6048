//! Sequences of LLVM's passes, and programs to run them on, both selected to be representative (CTOS:
//! Jiang et al., *Compiler Testing for Optimization Sequences of LLVM*).
//!
//! | module | concern |
//! | --- | --- |
//! | `inventory/` | the passes of a library, asked of the library: units, classes, lists; what is left out and why |
//! | `sequence/`, `exclusion` | drawing, combinatorial baselines, pipelines as text; passes that are not drawn, learnt or written |
//! | `shape`, `graph`, `region`, `vector` | a program's functions as graphs of opcodes, its regions, its vector (section 3.3) |
//! | `features` | static feature counts in place of vectors |
//! | `represent` | which sequences and programs are tested |
//! | `trial`, `shorten`, `work` | a program under sequences on a server; the fewest passes that still show a fault |
//!
//! **The list is the library's own.** `PassBuilder::printPassNames` is a C++ function that libLLVM exports;
//! it is called in a child, and a table is the fallback. Every pass is run alone on two small programs
//! before it is on a list. The list `production` is what the logs of `-O1` to `-Oz` name.
//!
//! **Behind known crashes.** Many random sequences end in one of a few crashes. The pass that failed is
//! taken out and the rest runs again, up to six times. Modules are verified at the end; verification after
//! each pass makes a sequence six times slower, so only what fails is run again with it.
//!
//! **Wrong code needs no majority.** Programs are executed by the C machine first. After a sequence the
//! program is executed by the JIT in a fork. A difference is a finding if it is seen again, is not seen
//! without passes, and is seen when the system's linker links the program. It is reduced in C: `gainsay
//! llvm cc` makes a compiler of any sequence, so reduction works as for any compiler, and no candidate is
//! undefined.
//!
//! **Where we depart from the paper.** Its Algorithm 1, as printed, passes on what came into a block before
//! loops inside were aggregated; we pass on when a block is taken from the work list, as its text says
//! (`vector::Rule`). Edges with the same text share a document. Doc2Vec's random decisions are drawn from
//! the words around, so that similar documents have similar vectors.
//!
//! Not here: vectors and selection as such (`embed`), and hunts (`campaign`).

pub mod exclusion;
pub mod features;
pub mod graph;
pub mod inventory;
pub mod region;
pub mod represent;
pub mod sequence;
pub mod shape;
pub mod shorten;
pub mod trial;
pub mod vector;
pub mod work;
