//! A finding as a bug report, a hunt as a page.
//!
//! [`markdown()`] and [`script()`] are what goes to a tracker, [`folder()`] writes them down with the
//! program, [`files()`] gives the same as bytes; [`overview()`], [`findings()`] and [`finding()`] are pages of a
//! server, [`page()`] is the same frozen in one file. All but [`folder()`] make text of data: they run
//! nothing and read nothing. What a report says of the compiler of today ([`Today`]) is for the
//! caller to find out. Not here: whether a bug was reported already.

mod blame;
mod folder;
mod markdown;
mod page;
mod paint;
mod plot;
mod script;
mod test;
mod text;

pub use blame::{flags_that_hide, passes, versions};
pub use folder::{Entry, Written, files, folder};
pub use markdown::{markdown, title};
pub use page::{Detail, Filter, ROWS, STYLE, View, finding, findings, notice, overview, page};
pub use script::script;
pub use test::{Test, Today, first_command};
pub use text::date;
