//! Random initialisers (6.7.9): partial, out of order in the text, nested, with ranges.

use super::Wild;
use ctree::{Init, InitItem, RecordKind, Ty, TypeKind};

impl Wild<'_> {
    /// An initialiser for an object of type `ty`; of constants only where it has static storage.
    pub(super) fn init(&mut self, ty: Ty, constant: bool, depth: u32) -> Init {
        match self.program.types.shape(ty).clone() {
            TypeKind::Array(elem, ctree::ArrayLen::Known(len)) => {
                self.array_init(elem, len, constant, depth)
            }
            TypeKind::Vector(elem, lanes) => {
                self.element_list(elem, u64::from(lanes), constant, depth, false)
            }
            TypeKind::Record(_) if !constant && depth > 0 && self.chance(20) => {
                let value = self.value(ty, depth - 1);
                self.program.init_expr(ty, value)
            }
            TypeKind::Record(_) => self.record_init(ty, constant, depth, true),
            _ => {
                let value = if constant { self.constant(ty, depth) } else { self.value(ty, depth) };
                self.program.init_expr(ty, value)
            }
        }
    }

    /// An initialiser in braces, where a record is initialised member by member.
    pub(super) fn braced_init(&mut self, ty: Ty, depth: u32) -> Init {
        match self.program.types.as_record(ty) {
            Some(_) => self.record_init(ty, false, depth, true),
            None => self.init(ty, false, depth),
        }
    }

    fn array_init(&mut self, elem: Ty, len: u64, constant: bool, depth: u32) -> Init {
        let canon = self.program.types.canon(elem).unqual();
        if matches!(canon, Ty::CHAR | Ty::UCHAR | Ty::SCHAR) && self.chance(50) {
            // The terminating zero may be what does not fit.
            let text: Vec<u8> = (0..self.below(len + 1)).map(|i| b'a' + i as u8).collect();
            return Init::Expr(self.program.str_const(&text));
        }
        if canon == Ty::INT && self.chance(15) {
            let text: Vec<u32> = (0..self.below(len + 1)).map(|i| 0x3b1 + i as u32).collect();
            return Init::Expr(self.program.wide_str_const(&text));
        }
        // GCC takes no range of arrays that are not constant.
        let ranges = constant || self.program.types.as_array(elem).is_none();
        self.element_list(elem, len, constant, depth, ranges)
    }

    fn element_list(
        &mut self,
        elem: Ty,
        len: u64,
        constant: bool,
        depth: u32,
        ranges: bool,
    ) -> Init {
        let mut items = Vec::new();
        let mut first = 0;
        while first < len && !self.chance(15) {
            if ranges && self.chance(15) {
                first += self.below(len - first);
            }
            let last =
                if ranges && self.chance(10) { first + self.below(len - first) } else { first };
            let init = self.init(elem, constant, depth.saturating_sub(1));
            items.push(InitItem { first, last, init });
            first = last + 1;
        }
        Init::List(items)
    }

    fn record_init(&mut self, ty: Ty, constant: bool, depth: u32, may_be_empty: bool) -> Init {
        let Some(id) = self.program.types.as_record(ty) else {
            return Init::List(Vec::new());
        };
        let record = self.program.types.records[id.index()].clone();
        // What an initialiser can name: no unnamed bit-field (6.7.9p9), no flexible array.
        let mut members: Vec<usize> = (0..record.fields.len())
            .filter(|&i| record.fields[i].name.is_some() || record.fields[i].bits.is_none())
            .filter(|&i| self.program.types.size_of(record.fields[i].ty).is_some())
            .collect();
        if record.kind == RecordKind::Union {
            let only = self.choices.pick(&members).copied();
            members = only.into_iter().collect();
        }
        let mut items = Vec::new();
        let last = members.last().copied();
        for index in members {
            let needed = !may_be_empty && items.is_empty() && Some(index) == last;
            if !needed && self.chance(20) {
                continue;
            }
            let field = &record.fields[index];
            let init = if field.name.is_none() {
                // Without a name of its own it may have to be reached through its members' names.
                self.record_init(field.ty, constant, depth.saturating_sub(1), false)
            } else {
                self.init(field.ty, constant, depth.saturating_sub(1))
            };
            items.push(InitItem { first: index as u64, last: index as u64, init });
        }
        Init::List(items)
    }
}
