//! The mutations by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A kind of mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Strategy {
    /// Always false conditional block: code behind a condition that never holds.
    Fcb,
    /// Always true guard: a statement behind a condition that always holds.
    Tg,
    /// Always true conditional block: code that runs and restores what it changed.
    Tcb,
    /// Statements that never ran are removed.
    Orion,
    /// Statements of other programs are inserted into code that never ran, or such code is removed.
    Athena,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Strategy; 5] =
        [Strategy::Fcb, Strategy::Tg, Strategy::Tcb, Strategy::Orion, Strategy::Athena];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Fcb => "fcb",
            Strategy::Tg => "tg",
            Strategy::Tcb => "tcb",
            Strategy::Orion => "orion",
            Strategy::Athena => "athena",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Some strategies, in a fixed order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strategies(Vec<Strategy>);

impl Strategies {
    /// The chosen ones.
    pub fn chosen(&self) -> &[Strategy] {
        &self.0
    }

    /// Whether a strategy is among them.
    pub fn has(&self, strategy: Strategy) -> bool {
        self.0.contains(&strategy)
    }
}

impl Default for Strategies {
    fn default() -> Self {
        Strategies(Strategy::ALL.to_vec())
    }
}

impl fmt::Display for Strategies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|s| s.name()).collect();
        f.write_str(&names.join(","))
    }
}

impl FromStr for Strategies {
    type Err = String;

    /// Names with commas between: `fcb,orion`. `hermes` is all that change live code, `all` is all.
    fn from_str(text: &str) -> Result<Strategies, String> {
        use Strategy::{Fcb, Tcb, Tg};
        let mut chosen = Vec::new();
        for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match name {
                "all" => chosen.extend(Strategy::ALL),
                "hermes" => chosen.extend([Fcb, Tg, Tcb]),
                _ => match Strategy::ALL.iter().find(|s| s.name() == name) {
                    Some(&strategy) => chosen.push(strategy),
                    None => {
                        return Err(format!(
                            "there is no strategy `{name}`: fcb, tg, tcb (together: hermes), orion, \
                             athena, or all"
                        ));
                    }
                },
            }
        }
        if chosen.is_empty() {
            return Err("no strategy is named: fcb, tg, tcb, orion, athena, hermes, all".into());
        }
        chosen.sort_unstable();
        chosen.dedup();
        Ok(Strategies(chosen))
    }
}

#[cfg(test)]
mod tests {
    use super::{Strategies, Strategy};

    #[test]
    fn strategies_are_named_in_any_order_and_kept_in_one() {
        let named = |text: &str| text.parse::<Strategies>().map(|s| s.to_string());
        assert_eq!(named("tcb, fcb,tcb").as_deref(), Ok("fcb,tcb"));
        assert_eq!(named("orion,hermes").as_deref(), Ok("fcb,tg,tcb,orion"));
        assert_eq!("all".parse(), Ok(Strategies::default()));
        assert!(Strategies::default().has(Strategy::Athena));
        assert!(named("hermse").unwrap_err().contains("`hermse`"));
        assert!(named(" , ").is_err());
    }
}
