//! A finding as a bug report, a hunt as pages: data to text.
//!
//! [`Format`] and [`script()`] are what goes to a tracker, [`folder()`] writes them with the program,
//! [`files()`] gives the same as bytes. [`overview()`], [`findings()`] and [`finding()`] are pages of a server,
//! [`page()`] is the same in one static file; only the links differ. [`object()`], [`sarif()`] and [`junit()`] are for
//! programs. All but [`folder()`] run nothing and read
//! nothing: a page is made of a `campaign::Snapshot` (one read transaction, no file) and of one finding's
//! [`Detail`]. What a report says of the installed compiler ([`CompilerToday`]) is for the caller to find out.
//!
//! Templates (maud) escape what is put into them. `paint` highlights source text a token at a time; its test is
//! that the text comes out as it went in. plotters draws the curves, in a few fixed colours that the style sheet
//! replaces.
//!
//! **Architecture Invariant:** findings are hostile text. Nothing reaches a page except through maud or an
//! escaping function; `page/tests.rs` puts markup into every text there is.
//!
//! Not here: whether a bug was already reported.

mod blame;
mod bugzilla;
mod ci;
mod folder;
mod format;
mod github;
mod markdown;
mod object;
mod page;
mod paint;
mod plot;
mod script;
mod sentences;
mod test;
mod text;

pub use blame::{by_compiler, flags_that_hide, history, versions};
pub use bugzilla::{COLUMNS, Component};
pub use ci::{BugCase, junit, sarif};
pub use folder::{Entry, Written, files, folder};
pub use format::Format;
pub use github::{BY_FUZZER, LONGEST as LONGEST_ISSUE};
pub use markdown::title;
pub use object::{FileTexts, object};
pub use page::{Detail, Filter, ROWS, STYLE, View, finding, findings, notice, overview, page};
pub use script::script;
pub use test::{CompilerToday, SuspectFlags, Test};
pub use text::{DEFAULT_HUNT, command_on, date};
