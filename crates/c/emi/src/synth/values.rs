//! Sets of integers: a few values, or everything between two limits.

/// For more values than these only the limits are kept. A binary operator is evaluated for all pairs.
const MAX_VALUES: usize = 24;

/// The values that an integer can have, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValueSet {
    /// One of these, ascending.
    Set(Vec<i128>),
    /// Any between, both limits included.
    Span(i128, i128),
}

impl ValueSet {
    /// Those given. Without any, zero.
    pub fn some(values: impl IntoIterator<Item = i128>) -> ValueSet {
        let mut all: Vec<i128> = values.into_iter().collect();
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [] => ValueSet::one(0),
            [min, .., max] if all.len() > MAX_VALUES => ValueSet::Span(min, max),
            _ => ValueSet::Set(all),
        }
    }

    /// One value.
    pub fn one(value: i128) -> ValueSet {
        ValueSet::Set(vec![value])
    }

    /// The least.
    pub fn min(&self) -> i128 {
        match self {
            ValueSet::Set(all) => all.first().copied().unwrap_or(0),
            ValueSet::Span(min, _) => *min,
        }
    }

    /// The greatest.
    pub fn max(&self) -> i128 {
        match self {
            ValueSet::Set(all) => all.last().copied().unwrap_or(0),
            ValueSet::Span(_, max) => *max,
        }
    }

    /// Those of both.
    pub fn or(&self, other: &ValueSet) -> ValueSet {
        match (self, other) {
            (ValueSet::Set(a), ValueSet::Set(b)) => ValueSet::some(a.iter().chain(b).copied()),
            _ => ValueSet::Span(self.min().min(other.min()), self.max().max(other.max())),
        }
    }

    /// Whether it is true in C: always, never, or now and then (`None`).
    pub fn truth(&self) -> Option<bool> {
        match self {
            ValueSet::Set(all) => match all.iter().filter(|v| **v == 0).count() {
                0 => Some(true),
                n if n == all.len() => Some(false),
                _ => None,
            },
            ValueSet::Span(0, 0) => Some(false),
            ValueSet::Span(min, max) => (*min > 0 || *max < 0).then_some(true),
        }
    }
}
