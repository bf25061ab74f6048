//! The tree as files: header, tests and driver apart, so that no value is propagated into the tests, or
//! all in one.

use super::{Generated, Language};
use ctree::print::{SplitFile, Style, Unprintable, print_split, print_unit_as};
use ctree::{Item, Storage, UnitId};

/// A file of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceFile {
    /// Its name, without a folder.
    pub name: &'static str,
    /// Its contents.
    pub text: String,
}

impl Generated {
    /// The language that the program is printed in.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The program as source files: one, or header, tests and driver.
    pub fn files(&self, single: bool) -> Result<Vec<SourceFile>, Unprintable> {
        let (style, names) = match self.language {
            Language::C => (Style::C11, ["test.c", "func.c", "driver.c"]),
            Language::Cxx => (Style::Cxx(&self.plan), ["test.cpp", "func.cpp", "driver.cpp"]),
        };
        let unit = UnitId(0);
        if single {
            let text = print_unit_as(&self.program, unit, style)?;
            return Ok(vec![SourceFile { name: names[0], text }]);
        }
        let split = print_split(&self.program, unit, style, |item| self.place(item))?;
        Ok(vec![
            SourceFile { name: "init.h", text: split.header },
            SourceFile { name: names[1], text: split.functions },
            SourceFile { name: names[2], text: split.driver },
        ])
    }

    /// Tests and their variables are in another file than the values of their inputs.
    fn place(&self, item: &Item) -> SplitFile {
        match *item {
            Item::Var(var) if Some(var) == self.checksum => SplitFile::Driver,
            Item::Var(var) if self.program.var(var).storage == Storage::Static => {
                SplitFile::Functions
            }
            Item::Func(func) if self.functions.contains(&func) => SplitFile::Functions,
            Item::Var(_) | Item::Func(_) | Item::FuncDecl(_) | Item::VarDecl(_) => {
                SplitFile::Driver
            }
            _ => SplitFile::Header,
        }
    }
}
