//! A unit as three files: a header, the functions under test, and a driver with the data.
//!
//! A compiler that sees only the functions knows nothing of the values that the driver gives to the
//! variables. What the files share is declared in the header, in the order of the unit.

use super::Printer;
use super::cxx::{Style, Unprintable};
use crate::ids::UnitId;
use crate::program::{FuncStorage, Item, Program, Storage};
use crate::symbol::Sym;
use std::collections::BTreeSet;

/// The name by which both files include the header.
pub const HEADER: &str = "init.h";

/// Where an item is defined. Types are always in the header; so are prototypes of functions and
/// `extern` declarations of variables that are not `static`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SplitFile {
    /// In the header: for `static` definitions, of which each file gets its own.
    Header,
    /// Beside the functions under test.
    Functions,
    /// In the driver.
    Driver,
}

/// The three texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Split {
    /// To be stored as [`HEADER`].
    pub header: String,
    /// The file of the functions.
    pub functions: String,
    /// The file of the driver.
    pub driver: String,
}

/// Prints a unit as three files. `place` says where a definition goes. Forward declarations of what
/// is `static` go where `place` says too, so it must give them the place of their definition.
pub fn print_split(
    program: &Program,
    unit: UnitId,
    style: Style<'_>,
    place: impl Fn(&Item) -> SplitFile,
) -> Result<Split, Unprintable> {
    let mut printer = Printer::of_unit(program, unit);
    printer.set_style(style)?;
    if let Some(cxx) = &mut printer.cxx {
        cxx.has_header = true;
    }
    let mut files = SplitPrinter { printer, texts: Default::default(), declared: BTreeSet::new() };
    for (at, item) in program.units[unit.index()].items.iter().enumerate() {
        files.item(item, at, place(item));
    }
    files.finish()
}

struct SplitPrinter<'p> {
    printer: Printer<'p>,
    /// In the order of [`SplitFile`].
    texts: [String; 3],
    /// Names that the header has declared with their final type.
    declared: BTreeSet<Sym>,
}

impl SplitPrinter<'_> {
    fn item(&mut self, item: &Item, at: usize, place: SplitFile) {
        let program = self.printer.program;
        // The name and the declaration that the other files see.
        let (name, shared) = match *item {
            Item::RecordDecl(_) | Item::Record(_) | Item::Enum(_) | Item::Typedef(_) => {
                return self.print(SplitFile::Header, item, at);
            }
            Item::Var(id) | Item::VarDecl(id) => {
                let var = program.var(id);
                (var.name, (var.storage != Storage::Static).then_some(Item::VarDecl(id)))
            }
            Item::Func(id) | Item::FuncDecl(id) => {
                let func = program.func(id);
                let own = func.storage == FuncStorage::Static || program.name(func.name) == "main";
                (func.name, (!own).then_some(Item::FuncDecl(id)))
            }
        };
        let Some(shared) = shared.filter(|_| !self.printer.is_static_member(item)) else {
            return self.print(place, item, at);
        };
        let is_final = self.printer.early.ty(item, at).is_none();
        let is_new = is_final && self.declared.insert(name);
        if shared == *item || is_new {
            self.print(SplitFile::Header, &shared, at);
        }
        if shared != *item {
            if place == SplitFile::Header {
                self.printer.fail("a definition with external linkage in a header");
            }
            self.print(place, item, at);
        }
    }

    fn print(&mut self, place: SplitFile, item: &Item, at: usize) {
        self.printer.unit_item(item, at);
        self.texts[place as usize].push_str(&self.printer.out);
        self.printer.out.clear();
    }

    fn finish(mut self) -> Result<Split, Unprintable> {
        let includes = self.printer.finish()?;
        let [header, functions, driver] = self.texts;
        let include = format!("#include \"{HEADER}\"\n");
        Ok(Split {
            header: format!("#ifndef INIT_H\n#define INIT_H\n{includes}{header}#endif\n"),
            functions: include.clone() + &functions,
            driver: include + &driver,
        })
    }
}
