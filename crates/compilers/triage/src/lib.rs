//! Which pass is to blame, which versions fail, and whether a bug is known already.
//!
//! Everything here works on a small program, usually a reduced one. [`blame()`] asks the failing compiler
//! with one part of its optimiser switched off at a time: options, passes and debug counters of GCC,
//! `-opt-bisect-limit` of LLVM. [`ladder()`] asks all versions and levels of its family, [`dumps()`] shows the
//! code before and after the blamed pass, and [`key()`] makes of what was learnt the key by which the same
//! bug is recognised.
//!
//! Wrong code is told apart by what hides it ([`Mask`]): the construct of the program that a bug is about, and the
//! part of the compiler where it happens; of an LLVM module, what the pass must see. Its key is made of both.
//!
//! Not here: bisecting a compiler's own history.

mod blame;
mod dump;
mod found;
mod gcc;
mod key;
mod ladder;
mod llvm;
mod mask;
mod message;
mod minimise;
mod probe;

pub use blame::blame;
pub use cmask::Construct;
pub use dump::dumps;
pub use found::{Blame, Cell, Culprit, Ladder, Method, Rung};
pub use irmask::Construct as ModuleConstruct;
pub use key::{key, stem as pass_stem};
pub use ladder::{is_internal_check, ladder, product};
pub use mask::{Mask, MaskProbe, most_telling, wrong_code_key};
