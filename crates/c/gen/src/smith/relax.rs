//! The relaxations of CsmithEdge (its Table 1): their names, the probabilities they are drawn
//! with, and the seed tuple of a test.

use choice::Choices;
use std::fmt;
use std::str::FromStr;

/// A restriction that is lifted with some probability wherever it applies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Relaxation {
    /// Pointers that may be null are dereferenced.
    Null,
    /// Pointers keep addresses of objects with a shorter lifetime than their own.
    Dangling,
    /// Variables have no initialiser.
    Init,
    /// A `goto` may enter any block of its function, past the initialisers there.
    Goto,
    /// An index is any constant or small expression.
    Bounds,
    /// The address of a parameter is passed on.
    ParamAddress,
    /// Operands whose order is open read and write the same objects.
    Conflicts,
}

impl Relaxation {
    /// All of them, in the order of the paper's table and of the tuple.
    pub const ALL: [Relaxation; 7] = [
        Relaxation::Null,
        Relaxation::Dangling,
        Relaxation::Init,
        Relaxation::Goto,
        Relaxation::Bounds,
        Relaxation::ParamAddress,
        Relaxation::Conflicts,
    ];

    /// Its name in configuration files.
    pub fn name(self) -> &'static str {
        match self {
            Relaxation::Null => "null",
            Relaxation::Dangling => "dangling",
            Relaxation::Init => "init",
            Relaxation::Goto => "goto",
            Relaxation::Bounds => "bounds",
            Relaxation::ParamAddress => "param-address",
            Relaxation::Conflicts => "conflicts",
        }
    }

    fn index(self) -> usize {
        self as usize
    }
}

/// A probability in ten-thousandths: exact, and the same on every machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Probability(u16);

impl Probability {
    /// Never.
    pub const ZERO: Probability = Probability(0);
    /// Always.
    pub const ONE: Probability = Probability(Self::SCALE);

    const SCALE: u16 = 10_000;
    const DIGITS: usize = 4;

    /// In hundredths, at most 100.
    pub const fn percent(percent: u16) -> Probability {
        Probability(percent * (Self::SCALE / 100))
    }

    /// Draws.
    pub fn happens(self, choices: &mut Choices) -> bool {
        choices.below(u64::from(Self::SCALE)) < u64::from(self.0)
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / Self::SCALE, self.0 % Self::SCALE);
        match part {
            0 => write!(f, "{whole}"),
            _ => write!(f, "{whole}.{}", format!("{part:04}").trim_end_matches('0')),
        }
    }
}

impl FromStr for Probability {
    type Err = String;

    fn from_str(text: &str) -> Result<Probability, String> {
        let wrong = || {
            format!(
                "`{text}` is not a probability: a number from 0 to 1, with at most four decimals"
            )
        };
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || whole.len() > 1 || part.len() > Self::DIGITS {
            return Err(wrong());
        }
        if !digits(whole) || !digits(part) || text.ends_with('.') {
            return Err(wrong());
        }
        let padded = format!("{whole}{part:0<4}");
        match padded.parse::<u32>() {
            Ok(n) if n <= u32::from(Self::SCALE) => Ok(Probability(n as u16)),
            _ => Err(wrong()),
        }
    }
}

/// How a wrapper around an operator is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum WrapperStyle {
    /// As calls of functions.
    #[default]
    Functions,
    /// As macros.
    Macros,
    /// Each use as one or the other.
    Mixed,
}

impl WrapperStyle {
    const ALL: [WrapperStyle; 3] =
        [WrapperStyle::Functions, WrapperStyle::Macros, WrapperStyle::Mixed];
}

/// The seed of a test: the base seed, the form of the wrappers, the probability of each relaxation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SeedTuple {
    /// Seed of the unrelaxed program.
    pub base: u64,
    /// How wrappers are written.
    pub form: WrapperStyle,
    /// In the order of [`Relaxation::ALL`].
    pub relaxed: [Probability; 7],
}

impl SeedTuple {
    /// The unrelaxed program of a seed, with functions for wrappers.
    pub fn plain(base: u64) -> SeedTuple {
        SeedTuple { base, form: WrapperStyle::Functions, relaxed: [Probability::ZERO; 7] }
    }

    /// The same program, unrelaxed.
    pub fn unrelaxed(&self) -> SeedTuple {
        SeedTuple { relaxed: [Probability::ZERO; 7], ..self.clone() }
    }

    /// How likely a relaxation is.
    pub fn of(&self, relaxation: Relaxation) -> Probability {
        self.relaxed[relaxation.index()]
    }

    /// The relaxations that can occur.
    pub fn enabled(&self) -> impl Iterator<Item = Relaxation> + '_ {
        Relaxation::ALL.into_iter().filter(|r| self.of(*r) > Probability::ZERO)
    }
}

impl fmt::Display for SeedTuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.base, self.form as u8)?;
        self.relaxed.iter().try_for_each(|p| write!(f, ",{p}"))
    }
}

impl FromStr for SeedTuple {
    type Err = String;

    fn from_str(text: &str) -> Result<SeedTuple, String> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let [base, form, relaxed @ ..] = &parts[..] else {
            return Err(
                "a seed tuple has nine numbers: base seed, form, seven probabilities".into()
            );
        };
        let base = base.parse().map_err(|_| format!("`{base}` is not a base seed"))?;
        let form = match *form {
            "0" => WrapperStyle::Functions,
            "1" => WrapperStyle::Macros,
            "2" => WrapperStyle::Mixed,
            other => {
                return Err(format!(
                    "`{other}` is not a form of wrappers: 0 functions, 1 macros, 2 mixed"
                ));
            }
        };
        let relaxed: Vec<Probability> =
            relaxed.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
        let count = relaxed.len();
        let relaxed = relaxed
            .try_into()
            .map_err(|_| format!("a seed tuple has seven probabilities, this one {count}"))?;
        Ok(SeedTuple { base, form, relaxed })
    }
}

/// For each relaxation the range its probability is drawn from, or nothing where it is disabled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds([Option<(Probability, Probability)>; 7]);

impl Bounds {
    /// The paper's for miscompilations, and conflicts too: the machine finds those that matter.
    pub const DEFAULT: &'static str = "\
# A relaxation a line: its name, then the least and the greatest probability, or `disabled`.
null           0  1
dangling       0  1
init           0  0.35
goto           0  1
bounds         0  0.25
param-address  0  0.5
conflicts      0  0.2
";

    /// Table 1 of the paper for crashes.
    pub const CRASH: &'static str = "\
# Table 1 of the CsmithEdge paper, for crashes.
null           0  1
dangling       0  1
init           0  1
goto           0  1
bounds         0  1
param-address  0  1
conflicts      0  1
";

    /// Table 1 of the paper for miscompilations.
    pub const MISCOMPILATION: &'static str = "\
# Table 1 of the CsmithEdge paper, for miscompilations.
null           0  1
dangling       0  1
init           0  0.35
goto           0  1
bounds         0  0.25
param-address  0  0.5
conflicts      disabled
";

    /// No relaxation at all.
    pub const NONE: &'static str = "# Nothing is relaxed.\n";

    /// The text of a configuration that is known by name.
    pub fn named(name: &str) -> Option<&'static str> {
        match name {
            "default" => Some(Bounds::DEFAULT),
            "crash" => Some(Bounds::CRASH),
            "miscompilation" => Some(Bounds::MISCOMPILATION),
            "none" => Some(Bounds::NONE),
            _ => None,
        }
    }

    /// Reads a configuration: one relaxation a line. What is not named is disabled. An error names
    /// its line.
    pub fn parse(text: &str) -> Result<Bounds, String> {
        let mut bounds = Bounds([None; 7]);
        let mut lines: [Option<usize>; 7] = [None; 7];
        for (number, line) in text.lines().enumerate().map(|(i, line)| (i + 1, line)) {
            let line = line.split('#').next().unwrap_or_default();
            let words: Vec<&str> = line.split_whitespace().collect();
            let Some((&name, range)) = words.split_first() else { continue };
            let at = |what: String| format!("line {number}: {what}");
            let relaxation = Relaxation::ALL.into_iter().find(|r| r.name() == name);
            let Some(relaxation) = relaxation else {
                let names: Vec<_> = Relaxation::ALL.iter().map(|r| r.name()).collect();
                return Err(at(format!("there is no relaxation `{name}`: {}", names.join(", "))));
            };
            if let Some(first) = lines[relaxation.index()].replace(number) {
                return Err(at(format!("`{name}` was given on line {first} already")));
            }
            bounds.0[relaxation.index()] = range_of(range).map_err(at)?;
        }
        Ok(bounds)
    }

    /// The tuple of a seed: each enabled relaxation in one of two tests, its probability from its
    /// range.
    pub fn draw(&self, seed: u64) -> SeedTuple {
        let mut choices = Choices::new(seed).fork("tuple");
        let form = WrapperStyle::ALL[choices.index(WrapperStyle::ALL.len())];
        let relaxed = self.0.map(|range| {
            let (on, at) = (choices.chance(50), choices.bits(32));
            match range {
                Some((low, high)) if on => {
                    let span = u64::from(high.0 - low.0) + 1;
                    Probability(low.0 + ((at * span) >> 32) as u16)
                }
                _ => Probability::ZERO,
            }
        });
        SeedTuple { base: seed, form, relaxed }
    }

    /// With one relaxation alone, always at this probability.
    pub fn only(relaxation: Relaxation, low: Probability, high: Probability) -> Bounds {
        let mut bounds = Bounds([None; 7]);
        bounds.0[relaxation.index()] = Some((low, high));
        bounds
    }
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds::parse(Bounds::DEFAULT).unwrap_or(Bounds([None; 7]))
    }
}

fn range_of(words: &[&str]) -> Result<Option<(Probability, Probability)>, String> {
    match words {
        ["disabled"] => Ok(None),
        [low, high] => {
            let (low, high): (Probability, Probability) = (low.parse()?, high.parse()?);
            if low > high {
                return Err(format!("the range from {low} to {high} is empty"));
            }
            Ok(Some((low, high)))
        }
        _ => Err("after the name come two probabilities, or `disabled`".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_seed_is_read_and_written() {
        let tuple: SeedTuple = "1621474906, 2, 0.8, 0, 0, 0, 0.3, 0, 0".parse().unwrap();
        assert_eq!(tuple.form, WrapperStyle::Mixed);
        assert_eq!(tuple.of(Relaxation::Null), Probability::percent(80));
        assert_eq!(tuple.enabled().collect::<Vec<_>>(), [Relaxation::Null, Relaxation::Bounds]);
        assert_eq!(tuple.to_string(), "1621474906,2,0.8,0,0,0,0.3,0,0");
        for seed in 0..200 {
            let tuple = Bounds::default().draw(seed);
            assert_eq!(tuple.to_string().parse(), Ok(tuple));
        }
    }

    #[test]
    fn wrong_tuples_are_refused() {
        let wrong = |text: &str| text.parse::<SeedTuple>().unwrap_err();
        assert!(wrong("7").contains("nine numbers"));
        assert!(wrong("x,0,0,0,0,0,0,0,0").contains("`x` is not a base seed"));
        assert!(wrong("1,3,0,0,0,0,0,0,0").contains("`3` is not a form"));
        assert!(wrong("1,0,0,0,0,0,0,0").contains("this one 6"));
        for bad in ["1.1", "-1", "2", ".5", "0.12345", "1.", "a", ""] {
            assert!(
                wrong(&format!("1,0,{bad},0,0,0,0,0,0")).contains("not a probability"),
                "{bad}"
            );
        }
    }

    #[test]
    fn a_bad_line_is_refused_with_its_number() {
        let wrong = |text: &str| Bounds::parse(text).unwrap_err();
        assert_eq!(
            wrong("null 0 1\n\n# x\nnul 0 1"),
            "line 4: there is no relaxation `nul`: null, dangling, init, goto, bounds, \
             param-address, conflicts"
        );
        assert_eq!(wrong("init 0 1\ninit 0 1"), "line 2: `init` was given on line 1 already");
        assert_eq!(wrong("init 0.5 0.4"), "line 1: the range from 0.5 to 0.4 is empty");
        assert!(wrong("goto 1").starts_with("line 1: after the name come two"));
        assert!(wrong("goto 0 7").starts_with("line 1: `7` is not a probability"));
    }

    #[test]
    fn shipped_bounds_are_the_papers() {
        let range = |text: &str, r: Relaxation| Bounds::parse(text).unwrap().0[r.index()];
        let p = Probability::percent;
        for r in Relaxation::ALL {
            assert_eq!(range(Bounds::CRASH, r), Some((p(0), p(100))));
        }
        let miscompilation = Relaxation::ALL.map(|r| range(Bounds::MISCOMPILATION, r));
        let upper = miscompilation.map(|range| range.map(|(_, high)| high));
        let want = [Some(100), Some(100), Some(35), Some(100), Some(25), Some(50), None];
        assert_eq!(upper, want.map(|high| high.map(p)));
        assert_eq!(Bounds::named("nonsense"), None);
    }

    #[test]
    fn half_of_the_tests_have_a_relaxation() {
        let bounds = Bounds::default();
        for r in Relaxation::ALL {
            let on = (0..2000).filter(|s| bounds.draw(*s).of(r) > Probability::ZERO).count();
            assert!((900..1100).contains(&on), "{r:?}: {on}");
        }
    }
}
