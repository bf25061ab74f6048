//! Random C programs as typed trees.
//!
//! | module | concern |
//! | --- | --- |
//! | `policy/` | every distribution of `yarp` by name: `knobs` is the list, the `.toml` files are the presets |
//! | `yarp/` | the engine after YARPGen: types, data, expressions, statements, loops, calls, driver, files |
//! | `repair/` | rewriting a program until it is well-defined: `rewrite` is YARPGen's Table 1, `forms` what is always defined, `fix` the ladder |
//! | `smith/` | the engine after Csmith and CsmithEdge: `relax` is its configuration, `header` its wrappers, `object` its effects; reverts relaxations that cost the program its result |
//! | `redundant_checks` | removes redundant checks, from our programs and from Csmith's (CsmithEdge, RELAX-ARITH) |
//! | `census/` | counts constructs, executed or not |
//!
//! **The shape of a `yarp` program.** Independent tests with variables, helpers and a checksum of their
//! own: a compiler's start-up is shared, and the output has one line for each test, which locates a
//! mismatch. The data that a test reads is in another file, so that no value is propagated into the test.
//!
//! **Construction before repair.** Most indices and all loop bounds are valid by construction: repairing
//! an index or a pointer costs another execution, repairing arithmetic does not. Pointers are of two
//! kinds, to one object and to the first of at least so many elements, and never change their kind. A side
//! effect inside an expression changes a local that the rest of the expression does not access. `repair`
//! fixes the remaining cases.
//!
//! **The ladder.** A node is as built, or has a rule of Table 1, or an always-defined form, or is a
//! constant; it never descends, so repair terminates. The rules are terms (`repair/term.rs`) that are
//! evaluated, written into trees and translated to SMT from one definition; tests prove them
//! exhaustively at 4 bits and with z3 at 32 and 64 bits. A node that may run more than once skips the
//! table: its rule would change values in iterations that are defined.
//!
//! **Dead code may contain anything, with one exception:** a constant arm of `?:` has no operator that
//! could be undefined. Clang folds such arms early and its sanitizer then reports the arm that is not
//! taken.
//!
//! **`smith` needs no repair.** It builds under rules that keep a program well-defined, as
//! Csmith does: pointers point to what outlives them, operands side by side do not touch the same
//! objects, counters are not written, operators stand behind wrappers. A relaxation breaks a rule at some
//! of its opportunities. The decision of the base seed is always drawn first; what a relaxation puts in
//! its place is drawn from a stream for that opportunity alone. So a relaxed program differs from the plain
//! one of its seed where it was relaxed and nowhere else, and one relaxation can be reverted without
//! changing the others: execute, revert the relaxation where the machine stopped, try again.
//!
//! **Wrappers have one definition** (`smith/header.rs`) and two texts. The tree has functions; a macro
//! differs only in that it orders its operands, so the machine's verdict on the function holds for the
//! macro. Removing redundant checks does not depend on our header or Csmith's: a wrapper is any `safe_*`
//! function that returns `unsafe ? a : a op b` with each parameter once in the operation. A call orders
//! its operands before what uses its value, a bare operator does not; so the result is executed again,
//! and if it prints something else, halves of the removals are tried.

pub mod census;
pub mod policy;
pub mod redundant_checks;
pub mod repair;
pub mod smith;
pub mod yarp;
