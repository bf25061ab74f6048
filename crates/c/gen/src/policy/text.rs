//! Policies as text: reading a TOML file, printing all knobs in the same format.

use super::Policy;
use super::knobs::{CHANCES, KnobId, RANGES, WEIGHTS};
use std::fmt::Write as _;
use toml::{Table, Value};

/// What is wrong with a policy file, in a sentence.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PolicyError {
    /// Not TOML.
    #[error("not a TOML file: {0}")]
    Syntax(String),
    /// No such knob.
    #[error("there is no `{key}`; the nearest name is `{nearest}`")]
    Unknown {
        /// What was written.
        key: String,
        /// The knob with the most similar name.
        nearest: String,
    },
    /// A knob with a value of the wrong kind.
    #[error("`{key}` {wanted}")]
    Value {
        /// The knob.
        key: String,
        /// What it takes.
        wanted: String,
    },
}

impl Policy {
    /// Reads a policy. `base = "default"`, `"paper"` or `"none"` says what the file starts from.
    pub fn parse(text: &str) -> Result<Policy, PolicyError> {
        let mut table: Table =
            text.parse().map_err(|e: toml::de::Error| PolicyError::Syntax(e.to_string()))?;
        let mut policy = match table.remove("base") {
            None => Policy::default(),
            Some(base) => match base.as_str() {
                Some("default") => Policy::default(),
                Some("paper") => Policy::paper(),
                Some("none") => Policy::none(),
                _ => return wrong("base", "is one of \"default\", \"paper\" and \"none\""),
            },
        };
        policy.read(&table, "")?;
        Ok(policy)
    }

    fn read(&mut self, table: &Table, prefix: &str) -> Result<(), PolicyError> {
        for (name, value) in table {
            let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            match (KnobId::of(&key), value) {
                (Some(known), value) => self.set(known, &key, value)?,
                (None, Value::Table(inner)) if is_section(&key) => self.read(inner, &key)?,
                (None, _) => {
                    let nearest = nearest(&key, all_keys());
                    return Err(PolicyError::Unknown { key, nearest });
                }
            }
        }
        Ok(())
    }

    fn set(&mut self, known: KnobId, key: &str, value: &Value) -> Result<(), PolicyError> {
        match known {
            KnobId::Chance(at) => match value.as_integer() {
                Some(percent @ 0..=100) => self.chances[at] = percent as u32,
                _ => return wrong(key, "is a chance: a whole number from 0 to 100"),
            },
            KnobId::Range(at) => {
                let knob = &RANGES[at];
                let wanted = format!(
                    "is a range `[low, high]` or one number, within {} to {}",
                    knob.limits.0, knob.limits.1
                );
                let ends = match value {
                    Value::Integer(n) => Some((*n, *n)),
                    Value::Array(ends) if ends.len() == 2 => {
                        ends[0].as_integer().zip(ends[1].as_integer())
                    }
                    _ => None,
                };
                match ends {
                    Some((low, high))
                        if knob.limits.0 <= low && low <= high && high <= knob.limits.1 =>
                    {
                        self.ranges[at] = (low, high);
                    }
                    _ => return wrong(key, &wanted),
                }
            }
            KnobId::Weights(at) => {
                let labels = WEIGHTS[at].labels;
                let Some(table) = value.as_table() else {
                    return wrong(key, "is a table of weights, such as { first = 3, second = 1 }");
                };
                for (label, weight) in table {
                    let Some(i) = labels.iter().position(|(l, _)| l == label) else {
                        let full = format!("{key}.{label}");
                        let names = labels.iter().map(|(l, _)| format!("{key}.{l}"));
                        let nearest = nearest(&full, names);
                        return Err(PolicyError::Unknown { key: full, nearest });
                    };
                    match weight.as_integer() {
                        Some(weight @ 0..=10_000) => self.weights[at][i] = weight as u32,
                        _ => {
                            let full = format!("{key}.{label}");
                            return wrong(&full, "is a weight: a whole number from 0 to 10000");
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Every knob with its value and meaning, as a TOML file that [`Policy::parse`] reads.
    pub fn explain(&self) -> String {
        let mut out = String::from("base = \"default\"\n");
        let mut chance = |doc: &str, key: &str, value: String, shuffled: bool| {
            let note = if shuffled { " Shuffled." } else { "" };
            let _ = writeln!(out, "\n#{doc}{note}\n{key} = {value}");
        };
        for (knob, value) in CHANCES.iter().zip(&self.chances) {
            chance(knob.doc, knob.key, value.to_string(), knob.shuffled);
        }
        for (knob, (low, high)) in RANGES.iter().zip(&self.ranges) {
            chance(knob.doc, knob.key, format!("[{low}, {high}]"), knob.shuffled);
        }
        for (knob, weights) in WEIGHTS.iter().zip(&self.weights) {
            let labels = knob.labels.iter().zip(weights).map(|((l, _), w)| format!("{l} = {w}"));
            let labels: Vec<String> = labels.collect();
            chance(knob.doc, knob.key, format!("{{ {} }}", labels.join(", ")), knob.shuffled);
        }
        out
    }
}

fn wrong<T>(key: &str, wanted: &str) -> Result<T, PolicyError> {
    Err(PolicyError::Value { key: key.to_string(), wanted: wanted.to_string() })
}

fn all_keys() -> impl Iterator<Item = String> {
    let chances = CHANCES.iter().map(|k| k.key);
    let ranges = RANGES.iter().map(|k| k.key);
    chances.chain(ranges).chain(WEIGHTS.iter().map(|k| k.key)).map(str::to_string)
}

/// Whether some knob's name begins with these words.
fn is_section(key: &str) -> bool {
    all_keys().any(|k| k.strip_prefix(key).is_some_and(|rest| rest.starts_with('.')))
}

fn nearest(key: &str, names: impl Iterator<Item = String>) -> String {
    names.min_by_key(|name| strsim::damerau_levenshtein(name, key)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::knobs::{Chance, Leaf};
    use super::*;

    #[test]
    fn presets_are_read_whole() {
        let presets = [
            include_str!("paper.toml"),
            include_str!("none.toml"),
            include_str!("plain.toml"),
            include_str!("small.toml"),
            include_str!("portable.toml"),
        ];
        for text in presets {
            let policy = Policy::parse(text).expect("a preset is a policy");
            assert_ne!(policy, Policy::default());
        }
    }

    #[test]
    fn what_explain_prints_reads_back() {
        for policy in [Policy::default(), Policy::paper(), Policy::none()] {
            assert_eq!(Policy::parse(&policy.explain()), Ok(policy));
        }
    }

    #[test]
    fn at_least_the_papers_23_parameters_are_shuffled() {
        let chances = CHANCES.iter().filter(|k| k.shuffled).count();
        let ranges = RANGES.iter().filter(|k| k.shuffled).count();
        let weights = WEIGHTS.iter().filter(|k| k.shuffled).count();
        assert!(chances + ranges + weights >= 23, "{chances} + {ranges} + {weights}");
    }

    #[test]
    fn keys_are_set_by_section_or_in_full() {
        let short = Policy::parse("[constant]\nreuse = 7\n[expr]\nleaf = { constant = 9 }");
        let full = Policy::parse("constant.reuse = 7\nexpr.leaf.constant = 9");
        assert_eq!(short, full);
        let policy = full.expect("both keys exist");
        assert_eq!(policy.chances[Chance::ConstantReuse as usize], 7);
        assert_eq!(policy.weight(Leaf::Constant), 9);
    }

    #[test]
    fn a_mistake_is_named_with_the_nearest_knob() {
        let message = |text: &str| Policy::parse(text).expect_err("a mistake").to_string();
        assert_eq!(
            message("[constant]\nreuze = 7"),
            "there is no `constant.reuze`; the nearest name is `constant.reuse`"
        );
        assert_eq!(
            message("expr.leaf = { constnat = 7 }"),
            "there is no `expr.leaf.constnat`; the nearest name is `expr.leaf.constant`"
        );
        assert_eq!(
            message("constant.reuse = 101"),
            "`constant.reuse` is a chance: a whole number from 0 to 100"
        );
        assert!(message("program.tests = [9, 3]").starts_with("`program.tests` is a range"));
        assert!(message("expr.leaf = 3").contains("table of weights"));
        assert!(message("base = \"papre\"").contains("one of"));
        assert!(message("x = = 3").starts_with("not a TOML file"));
    }
}
