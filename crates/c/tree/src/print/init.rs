//! Initialisers (6.7.9): positional where they can be, designated where a position was skipped.

use super::Printer;
use super::expr::ASSIGN;
use crate::expr::{Init, InitItem};
use crate::types::{Field, Record, Ty};

impl Printer<'_> {
    /// An initialiser of an object of type `ty`, after the `=`.
    pub(super) fn init(&mut self, ty: Ty, init: &Init) {
        match init {
            _ if self.cxx.is_some() => self.cxx_init(ty, init),
            Init::Expr(value) => self.expr(*value, ASSIGN),
            Init::List(items) => {
                self.push("{");
                self.items(ty, items);
                self.push("}");
            }
        }
    }

    /// An initialiser with braces, which a compound literal needs even for a scalar.
    pub(super) fn braced(&mut self, ty: Ty, init: &Init) {
        match init {
            Init::Expr(value) => {
                self.push("{");
                self.expr(*value, ASSIGN);
                self.push("}");
            }
            Init::List(_) => self.init(ty, init),
        }
    }

    fn items(&mut self, ty: Ty, items: &[InitItem]) {
        let program = self.program;
        let start = self.out.len();
        match program.types.as_record(ty) {
            Some(id) => {
                let record = &program.types.records[id.index()];
                self.record_items(record, items, true, start);
            }
            None => self.array_items(ty, items),
        }
    }

    fn array_items(&mut self, ty: Ty, items: &[InitItem]) {
        let types = &self.program.types;
        let elem = match *types.shape(ty) {
            crate::TypeKind::Array(elem, _) | crate::TypeKind::Vector(elem, _) => elem,
            _ => ty,
        };
        let mut next = 0;
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            if item.first != item.last {
                self.push_fmt(format_args!("[{} ... {}] = ", item.first, item.last));
            } else if item.first != next {
                self.push_fmt(format_args!("[{}] = ", item.first));
            }
            self.init(elem, &item.init);
            next = item.last + 1;
        }
    }

    /// `positional` is false inside an anonymous member that is reached by its members' names.
    fn record_items(
        &mut self,
        record: &Record,
        items: &[InitItem],
        positional: bool,
        start: usize,
    ) {
        let mut next = Some(first_initialised(&record.fields, 0));
        if !positional {
            next = None;
        }
        for item in items {
            let index = item.first as usize;
            let field = &record.fields[index];
            if field.name.is_none() && next != Some(index) {
                // An anonymous member has no designator: name what is inside it. What follows
                // must then be named too, for the position is now inside that member.
                self.anonymous_items(field, &item.init, start);
                next = None;
                continue;
            }
            if self.out.len() > start {
                self.push(", ");
            }
            if next != Some(index)
                && let Some(name) = field.name
            {
                self.push(".");
                self.push_name(name);
                self.push(" = ");
            }
            self.init(field.ty, &item.init);
            next = positional.then(|| first_initialised(&record.fields, index + 1));
        }
    }

    fn anonymous_items(&mut self, field: &Field, init: &Init, start: usize) {
        let program = self.program;
        if let (Init::List(items), Some(id)) = (init, program.types.as_record(field.ty)) {
            let record = &program.types.records[id.index()];
            self.record_items(record, items, false, start);
        }
    }
}

/// The next member that an initialiser without designator goes to: unnamed bit-fields have none.
fn first_initialised(fields: &[Field], from: usize) -> usize {
    let skipped = fields[from.min(fields.len())..]
        .iter()
        .take_while(|f| f.name.is_none() && f.bits.is_some());
    from + skipped.count()
}
