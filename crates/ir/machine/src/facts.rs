//! What attributes and metadata claim of values and of functions.
//!
//! Not here: what follows when a claim is false (`exec`).

use irtext::{Attribute, Attributes, Bits, Metadata, Module, Typed};

/// Claims about a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Neither undef nor poison.
    pub noundef: bool,
    /// Not null.
    pub nonnull: bool,
    /// A multiple of this.
    pub align: Option<u64>,
    /// So many bytes may be read there.
    pub dereferenceable: Option<u64>,
    /// So many, or it is null.
    pub dereferenceable_or_null: Option<u64>,
    /// In one of these, the second bounds excluded.
    pub ranges: Vec<(Bits, Bits)>,
    /// Classes that a float is not of.
    pub no_classes: u32,
    /// Nothing else leads to the same memory.
    pub noalias: bool,
    /// The callee does not keep it.
    pub nocapture: bool,
    /// Nothing is written through it.
    pub readonly: bool,
    /// Nothing is read through it.
    pub writeonly: bool,
    /// The callee gets a copy of so many bytes, aligned.
    pub byval: Option<(u64, u64)>,
    /// The call returns it.
    pub returned: bool,
    /// Metadata claims it, not an attribute.
    pub metadata: bool,
    /// An attribute that is not supported.
    pub unsupported: Option<Box<str>>,
}

impl Facts {
    /// Those of attributes, groups taken apart.
    pub fn of(module: &Module, attributes: &[&Attributes]) -> Facts {
        let mut facts = Facts::default();
        for set in attributes {
            for attribute in module.expand(set).0 {
                facts.add(&attribute);
            }
        }
        facts
    }

    fn add(&mut self, attribute: &Attribute) {
        match attribute {
            Attribute::Flag(name) => match &**name {
                "noundef" => self.noundef = true,
                "nonnull" => self.nonnull = true,
                "noalias" => self.noalias = true,
                "nocapture" => self.nocapture = true,
                "readonly" => self.readonly = true,
                "writeonly" => self.writeonly = true,
                "readnone" => (self.readonly, self.writeonly) = (true, true),
                "returned" => self.returned = true,
                // Memory that the callee owns, or a convention of passing that hides what is passed.
                "swifterror" | "swiftasync" | "allocalign" | "allocptr" => {
                    self.unsupported = Some((&**name).into())
                }
                _ => {}
            },
            Attribute::Number(name, number) => match &**name {
                "align" => self.align = self.align.max(Some(*number)),
                "dereferenceable" => self.dereferenceable = self.dereferenceable.max(Some(*number)),
                "dereferenceable_or_null" => {
                    self.dereferenceable_or_null = self.dereferenceable_or_null.max(Some(*number));
                }
                _ => {}
            },
            Attribute::Typed(name, _) => match &**name {
                "inalloca" | "preallocated" | "byref" => self.unsupported = Some((&**name).into()),
                _ => {}
            },
            Attribute::Range(_, low, high) => self.ranges.push((low.clone(), high.clone())),
            Attribute::Words(name, words) => match &**name {
                "nofpclass" => match classes(words) {
                    Some(mask) => self.no_classes |= mask,
                    None => self.unsupported = Some(format!("nofpclass({words})").into()),
                },
                "captures" => self.nocapture |= words.trim() == "none",
                "initializes" => self.unsupported = Some("initializes".into()),
                _ => {}
            },
            _ => {}
        }
    }

    /// Those of metadata at a load or a call.
    pub fn of_metadata(module: &Module, attachments: &[(std::sync::Arc<str>, Metadata)]) -> Facts {
        let mut facts = Facts { metadata: true, ..Facts::default() };
        for (name, metadata) in attachments {
            let parts = tuple(module, metadata);
            let number = || match parts.first() {
                Some(Metadata::Value(typed)) => {
                    constant(typed).and_then(|b| b.small()).map(|n| n as u64)
                }
                _ => None,
            };
            match &**name {
                "noundef" => facts.noundef = true,
                "nonnull" => facts.nonnull = true,
                "align" => facts.align = number(),
                "dereferenceable" => facts.dereferenceable = number(),
                "dereferenceable_or_null" => facts.dereferenceable_or_null = number(),
                "range" => {
                    let bounds = parts.iter().filter_map(|part| match part {
                        Metadata::Value(typed) => constant(typed).cloned(),
                        _ => None,
                    });
                    let bounds: Vec<Bits> = bounds.collect();
                    facts.ranges =
                        bounds.chunks_exact(2).map(|p| (p[0].clone(), p[1].clone())).collect();
                }
                "nofpclass" | "noalias.addrspace" => facts.unsupported = Some((&**name).into()),
                _ => {}
            }
        }
        facts
    }

    /// Both.
    pub fn and(mut self, other: Facts) -> Facts {
        self.noundef |= other.noundef;
        self.nonnull |= other.nonnull;
        self.align = self.align.max(other.align);
        self.dereferenceable = self.dereferenceable.max(other.dereferenceable);
        self.dereferenceable_or_null =
            self.dereferenceable_or_null.max(other.dereferenceable_or_null);
        self.no_classes |= other.no_classes;
        self.metadata |= other.metadata && other != Facts { metadata: true, ..Facts::default() };
        if self.ranges.is_empty() {
            self.ranges = other.ranges;
        } else if !other.ranges.is_empty() && self.ranges != other.ranges {
            self.unsupported = Some("range".into());
        }
        self.unsupported = self.unsupported.or(other.unsupported);
        self
    }

    /// Whether nothing is claimed that can be false of a value.
    pub fn claims_nothing(&self) -> bool {
        !self.noundef
            && !self.nonnull
            && self.align.is_none()
            && self.dereferenceable.is_none()
            && self.dereferenceable_or_null.is_none()
            && self.ranges.is_empty()
            && self.no_classes == 0
    }

    /// Whether a number is in one of the ranges.
    pub fn in_range(&self, bits: &Bits) -> bool {
        self.ranges.is_empty()
            || self.ranges.iter().any(|(low, high)| {
                // A range wraps around; equal bounds mean all or none: all are never written.
                bits.sub(low).compare(&high.sub(low)).is_lt()
            })
    }
}

/// What metadata stands for: the parts of a tuple.
pub fn tuple(module: &Module, metadata: &Metadata) -> Vec<Metadata> {
    match metadata {
        Metadata::Number(number) => {
            module.metadata(*number).map(|m| tuple(module, m)).unwrap_or_default()
        }
        Metadata::Tuple(parts) => parts.clone(),
        _ => Vec::new(),
    }
}

fn constant(typed: &Typed) -> Option<&Bits> {
    match &typed.value {
        irtext::Value::Constant(irtext::Constant::Integer(bits)) => Some(bits),
        _ => None,
    }
}

/// The classes of `nofpclass`, as the bits of `llvm.is.fpclass`.
fn classes(words: &str) -> Option<u32> {
    let mut mask = 0;
    for word in words.split_whitespace() {
        mask |= match word {
            "all" => 0x3ff,
            "nan" => 0x3,
            "snan" => 0x1,
            "qnan" => 0x2,
            "inf" => 0x204,
            "ninf" => 0x4,
            "pinf" => 0x200,
            "zero" => 0x60,
            "nzero" => 0x20,
            "pzero" => 0x40,
            "sub" => 0x90,
            "nsub" => 0x10,
            "psub" => 0x80,
            "norm" => 0x108,
            "nnorm" => 0x8,
            "pnorm" => 0x100,
            _ => return None,
        };
    }
    Some(mask)
}

/// Reads and writes of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// It may read.
    pub read: bool,
    /// It may write.
    pub write: bool,
}

/// What memory a function may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effects {
    /// Through its pointer arguments.
    pub arguments: Access,
    /// Memory that no module can name.
    pub hidden: Access,
    /// All other memory.
    pub other: Access,
}

const BOTH: Access = Access { read: true, write: true };
const NEITHER: Access = Access { read: false, write: false };

impl Effects {
    /// Everything.
    pub const ALL: Effects = Effects { arguments: BOTH, hidden: BOTH, other: BOTH };

    /// Those of attributes, each set of which claims something.
    pub fn of(module: &Module, attributes: &[&Attributes]) -> Effects {
        let mut effects = Effects::ALL;
        for set in attributes {
            for attribute in module.expand(set).0 {
                match &attribute {
                    Attribute::Flag(name) => effects.word(name),
                    Attribute::Words(name, words) if &**name == "memory" => effects.memory(words),
                    _ => {}
                }
            }
        }
        effects
    }

    fn limit(&mut self, by: impl Fn(Access) -> Access) {
        self.arguments = by(self.arguments);
        self.hidden = by(self.hidden);
        self.other = by(self.other);
    }

    fn word(&mut self, name: &str) {
        match name {
            // What may be executed at any time has no effects.
            "readnone" | "speculatable" => self.limit(|_| NEITHER),
            "readonly" => self.limit(|a| Access { write: false, ..a }),
            "writeonly" => self.limit(|a| Access { read: false, ..a }),
            "argmemonly" => (self.hidden, self.other) = (NEITHER, NEITHER),
            "inaccessiblememonly" => (self.arguments, self.other) = (NEITHER, NEITHER),
            "inaccessiblemem_or_argmemonly" => self.other = NEITHER,
            _ => {}
        }
    }

    /// `memory(read, argmem: none)`: what is not named has what stands alone, or nothing.
    fn memory(&mut self, words: &str) {
        let access = |word: &str| match word.trim() {
            "none" => Some(NEITHER),
            "read" => Some(Access { read: true, write: false }),
            "write" => Some(Access { read: false, write: true }),
            "readwrite" => Some(BOTH),
            _ => None,
        };
        let parts: Vec<&str> = words.split(',').map(str::trim).collect();
        let rest = parts.iter().find_map(|part| access(part)).unwrap_or(NEITHER);
        let named = |name: &str| {
            let found = parts.iter().find_map(|p| p.strip_prefix(name)?.trim().strip_prefix(':'));
            found.map_or(rest, |word| access(word).unwrap_or(BOTH))
        };
        let and =
            |a: Access, b: Access| Access { read: a.read && b.read, write: a.write && b.write };
        self.arguments = and(self.arguments, named("argmem"));
        self.hidden = and(self.hidden, named("inaccessiblemem"));
        self.other = and(self.other, rest);
        // `errnomem` and later names are part of what no module can name here: the widest of both.
        if let Some(word) =
            parts.iter().find_map(|p| p.strip_prefix("errnomem")?.trim().strip_prefix(':'))
        {
            let more = access(word).unwrap_or(BOTH);
            self.other = Access {
                read: self.other.read || more.read,
                write: self.other.write || more.write,
            };
        }
    }

    /// Whether it may write anything.
    pub fn writes(&self) -> bool {
        self.arguments.write || self.hidden.write || self.other.write
    }

    /// Whether it may read anything.
    pub fn reads(&self) -> bool {
        self.arguments.read || self.hidden.read || self.other.read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_read() {
        let of = |words: &str| {
            let mut effects = Effects::ALL;
            effects.memory(words);
            effects
        };
        assert!(!of("none").writes() && !of("none").reads());
        assert!(of("read").reads() && !of("read").writes());
        let both = of("argmem: readwrite, inaccessiblemem: write");
        assert!(both.arguments.read && both.hidden.write && !both.hidden.read && !both.other.read);
        let except = of("readwrite, argmem: none");
        assert!(!except.arguments.read && except.other.write);
    }

    #[test]
    fn ranges_wrap() {
        let of = |low, high| Facts {
            ranges: vec![(Bits::new(8, low), Bits::new(8, high))],
            ..Facts::default()
        };
        assert!(of(0, 4).in_range(&Bits::new(8, 3)) && !of(0, 4).in_range(&Bits::new(8, 4)));
        assert!(of(250, 2).in_range(&Bits::new(8, 1)) && !of(250, 2).in_range(&Bits::new(8, 7)));
    }
}
