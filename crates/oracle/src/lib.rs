//! Says whether a compiler is wrong about a program, and how sure that is.

mod case;
mod certify;
mod observe;
mod verdict;

pub use case::{Case, Expected, SourceFile};
pub use certify::{Certificate, Opinion, Says};
pub use observe::{Observation, Seen};
pub use verdict::{Kind, Suspicion};
