//! Names of a function's values and blocks, of which each may be used before it is defined.
//!
//! While a body is read, a [`Local`] or a [`BlockId`] of an operand is the order in which the name was
//! first met; [`Scope::finish`] replaces them by places in the function.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Read, Refused};
use crate::lex::Name;
use crate::op::Value;
use crate::tree::{Block, BlockId, Local, LocalValue, Type};
use crate::walk;

/// Everything that has a name in a function.
#[derive(Default)]
pub(super) struct Scope {
    values: Table,
    blocks: Table,
    /// Values that are defined, in order.
    pub(super) locals: Vec<LocalValue>,
    /// The number of the next value or block without a name.
    next: u32,
    /// Whether numbers were left out.
    pub(super) gaps: bool,
}

/// Names of a kind.
#[derive(Default)]
struct Table {
    named: HashMap<Arc<str>, u32>,
    numbered: HashMap<u32, u32>,
    met: Vec<Met>,
}

/// A name that was met.
struct Met {
    name: Key,
    /// Its place, once it is defined.
    place: Option<u32>,
    /// The type it was used with before it was defined.
    ty: Option<Type>,
    /// Where it was met.
    line: u32,
}

#[derive(Clone)]
enum Key {
    Name(Arc<str>),
    Number(u32),
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Key::Name(name) => write!(f, "%{name}"),
            Key::Number(number) => write!(f, "%{number}"),
        }
    }
}

impl Table {
    fn meet(&mut self, name: Name<'_>, line: u32) -> u32 {
        let next = self.met.len() as u32;
        let (index, key) = match (name, name.text()) {
            (_, Some(text)) => match self.named.get(&*text) {
                Some(index) => return *index,
                None => {
                    let name: Arc<str> = (&*text).into();
                    self.named.insert(name.clone(), next);
                    (next, Key::Name(name))
                }
            },
            (Name::Number(number), None) => {
                (*self.numbered.entry(number).or_insert(next), Key::Number(number))
            }
            _ => (next, Key::Number(0)),
        };
        if index == next {
            self.met.push(Met { name: key, place: None, ty: None, line });
        }
        index
    }

    /// Gives a name its place.
    fn define(&mut self, name: Name<'_>, place: u32, line: u32) -> Read<&mut Met> {
        let index = self.meet(name, line);
        let met = &mut self.met[index as usize];
        if met.place.is_some() {
            return Err(Refused { line, what: format!("`{}` is defined twice", met.name) });
        }
        met.place = Some(place);
        Ok(met)
    }

    /// Places by the order in which names were met; `None`: they are that order.
    fn places(&self, kind: &str) -> Read<Option<Vec<u32>>> {
        let place = |met: &Met| {
            met.place.ok_or_else(|| Refused {
                line: met.line,
                what: format!("the {kind} `{}` is defined nowhere", met.name),
            })
        };
        let places = self.met.iter().map(place).collect::<Read<Vec<u32>>>()?;
        let same = places.iter().enumerate().all(|(index, place)| index as u32 == *place);
        Ok((!same).then_some(places))
    }
}

impl Scope {
    /// A value is used with a type.
    pub(super) fn used(&mut self, name: Name<'_>, ty: &Type, line: u32) -> Read<Local> {
        let index = self.values.meet(name, line);
        let met = &mut self.values.met[index as usize];
        let known = match met.place {
            Some(place) => &self.locals[place as usize].ty,
            None => met.ty.get_or_insert_with(|| ty.clone()),
        };
        if known != ty {
            return Err(Refused {
                line,
                what: format!("`{}` is a {known} and used as a {ty}", met.name),
            });
        }
        Ok(Local(index))
    }

    /// A value is defined; without a name it takes the next number.
    pub(super) fn define(&mut self, name: Option<Name<'_>>, ty: Type, line: u32) -> Read<Local> {
        let name = self.numbered(name, line)?;
        let place = self.locals.len() as u32;
        let met = self.values.define(name, place, line)?;
        if let Some(used) = met.ty.take().filter(|used| *used != ty) {
            let what =
                format!("`{}` is a {ty} and used as a {used} on line {}", met.name, met.line);
            return Err(Refused { line, what });
        }
        let name = match &met.name {
            Key::Name(name) => Some(name.clone()),
            Key::Number(_) => None,
        };
        self.locals.push(LocalValue { name, ty });
        Ok(Local(place))
    }

    /// A block is named as a target.
    pub(super) fn target(&mut self, name: Name<'_>, line: u32) -> BlockId {
        BlockId(self.blocks.meet(name, line))
    }

    /// A block begins; without a label it takes the next number. Gives its name.
    pub(super) fn begin(
        &mut self,
        label: Option<Name<'_>>,
        place: u32,
        line: u32,
    ) -> Read<Option<Arc<str>>> {
        let name = self.numbered(label, line)?;
        Ok(match &self.blocks.define(name, place, line)?.name {
            Key::Name(name) => Some(name.clone()),
            Key::Number(_) => None,
        })
    }

    /// Numbers must rise; new libraries let them leave gaps.
    fn numbered<'n>(&mut self, name: Option<Name<'n>>, line: u32) -> Read<Name<'n>> {
        let name = match name {
            // `%""` is no name.
            None | Some(Name::Plain("")) => Name::Number(self.next),
            Some(name) => name,
        };
        if let Name::Number(number) = name {
            if number < self.next {
                let what = format!("`%{number}` should be `%{}` or more", self.next);
                return Err(Refused { line, what });
            }
            self.gaps |= number > self.next;
            self.next = number.saturating_add(1);
        }
        Ok(name)
    }

    /// Puts places where names were met.
    pub(super) fn finish(&mut self, blocks: &mut [Block]) -> Read<()> {
        let values = self.values.places("value")?;
        let targets = self.blocks.places("block")?;
        if values.is_none() && targets.is_none() {
            return Ok(());
        }
        for instruction in blocks.iter_mut().flat_map(|block| &mut block.instructions) {
            if let Some(places) = &values {
                walk::values_mut(&mut instruction.op, &mut |value| {
                    if let Value::Local(local) = value {
                        local.0 = places[local.0 as usize];
                    }
                });
            }
            if let Some(places) = &targets {
                walk::targets_mut(&mut instruction.op, &mut |target| {
                    target.0 = places[target.0 as usize]
                });
            }
        }
        Ok(())
    }
}
