//! Families of flags: what about a compilation a test draws, besides its level.
//!
//! A family is an arm of the choice where time goes (`campaign::allocation`). Its rows are in `gcc`
//! and `clang`; what a compiler takes of them is its [`FlagTable`], which a survey makes.

use std::collections::BTreeMap;

use choice::Choices;

use crate::target::Family;

use super::{clang, gcc};

/// What a set of flags is about.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum FlagFamily {
    /// Nothing but a level.
    Plain,
    /// A processor with more instructions.
    Processor,
    /// Vectors: their width, what is vectorised.
    Vector,
    /// What transformations are taken to cost.
    CostModel,
    /// Limits of transformations, made small or large.
    Limits,
    /// Passes switched off, so that others see what they would have removed.
    PassesOff,
    /// Passes that no level runs.
    PassesOn,
    /// What a program promises less of, or how its code is laid out.
    Promises,
    /// Optimisation of the whole program when it is linked.
    WholeProgram,
    /// A profile of the program itself: built, run and built again.
    Profile,
    /// Instrumentation that stops programs which are undefined.
    Sanitizer,
}

impl FlagFamily {
    /// All of them.
    pub const ALL: [FlagFamily; 11] = [
        FlagFamily::Plain,
        FlagFamily::Processor,
        FlagFamily::Vector,
        FlagFamily::CostModel,
        FlagFamily::Limits,
        FlagFamily::PassesOff,
        FlagFamily::PassesOn,
        FlagFamily::Promises,
        FlagFamily::WholeProgram,
        FlagFamily::Profile,
        FlagFamily::Sanitizer,
    ];

    /// Its name, as it is shown and stored.
    pub fn name(self) -> &'static str {
        match self {
            FlagFamily::Plain => "plain",
            FlagFamily::Processor => "processor",
            FlagFamily::Vector => "vector",
            FlagFamily::CostModel => "cost-model",
            FlagFamily::Limits => "limits",
            FlagFamily::PassesOff => "passes-off",
            FlagFamily::PassesOn => "passes-on",
            FlagFamily::Promises => "promises",
            FlagFamily::WholeProgram => "whole-program",
            FlagFamily::Profile => "profile",
            FlagFamily::Sanitizer => "sanitizer",
        }
    }

    /// How many rows stand together at most. With more, a failure says less about its cause; of limits and
    /// passes it takes some to change the code of most programs.
    fn most(self) -> i64 {
        match self {
            FlagFamily::Plain => 0,
            FlagFamily::Limits | FlagFamily::PassesOff => 4,
            FlagFamily::PassesOn => 3,
            FlagFamily::Vector | FlagFamily::CostModel | FlagFamily::Promises => 2,
            FlagFamily::Processor
            | FlagFamily::WholeProgram
            | FlagFamily::Profile
            | FlagFamily::Sanitizer => 1,
        }
    }

    /// Whether a processor may stand beside it: what is vectorised, or not, depends on it.
    fn takes_a_processor(self) -> bool {
        match self {
            FlagFamily::Plain | FlagFamily::Processor | FlagFamily::Sanitizer => false,
            FlagFamily::Vector
            | FlagFamily::CostModel
            | FlagFamily::Limits
            | FlagFamily::PassesOff
            | FlagFamily::PassesOn
            | FlagFamily::Promises
            | FlagFamily::WholeProgram
            | FlagFamily::Profile => true,
        }
    }

    /// Whether its flags make compilers work longer without being wrong: a compilation that takes too long or
    /// too much memory with them says little.
    pub fn raises_limits(self) -> bool {
        matches!(self, FlagFamily::Limits)
    }
}

/// How often a processor stands beside flags of another family, in percent: twice as often beside vectors.
const WITH_PROCESSOR: u32 = 25;

/// Rows of flags by family. An empty table is of a compiler that is tested at all its levels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlagTable(BTreeMap<FlagFamily, Vec<String>>);

impl FlagTable {
    /// All rows that are known for a family of compilers. Rows for processors are for native ones; so are sanitizers,
    /// whose shadow of all memory an emulator fills for minutes.
    pub fn of(family: Family, is_native: bool) -> FlagTable {
        let rows = |of: FlagFamily| -> Vec<String> {
            let rows = match (family, of) {
                (Family::Gcc | Family::Clang, FlagFamily::Processor) if is_native => processors(),
                (_, FlagFamily::Sanitizer) if !is_native => Vec::new(),
                (Family::Gcc, of) => gcc::rows(of).to_vec(),
                (Family::Clang, of) => clang::rows(of).to_vec(),
                (Family::Tcc | Family::Pcc | Family::Other, _) => Vec::new(),
            };
            rows.into_iter().map(String::from).collect()
        };
        let all = FlagFamily::ALL.into_iter().map(|of| (of, rows(of)));
        FlagTable(all.filter(|(of, rows)| *of == FlagFamily::Plain || !rows.is_empty()).collect())
    }

    /// It with more rows of a family.
    pub(crate) fn with(mut self, of: FlagFamily, rows: &[String]) -> FlagTable {
        if !rows.is_empty() {
            self.0.entry(of).or_default().extend_from_slice(rows);
        }
        self
    }

    /// What is left of it where `accepted` says which rows of a family remain.
    pub(crate) fn filtered(
        self,
        mut accepted: impl FnMut(FlagFamily, Vec<String>) -> Vec<String>,
    ) -> FlagTable {
        let kept = self.0.into_iter().map(|(of, rows)| (of, accepted(of, rows)));
        FlagTable(kept.filter(|(of, rows)| *of == FlagFamily::Plain || !rows.is_empty()).collect())
    }

    /// Whether no flags are drawn by family.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its families.
    pub fn families(&self) -> impl Iterator<Item = FlagFamily> + '_ {
        self.0.keys().copied()
    }

    /// The rows of a family.
    pub fn rows(&self, of: FlagFamily) -> &[String] {
        self.0.get(&of).map_or(&[], Vec::as_slice)
    }

    /// Draws rows of a family, and now and then a processor beside them. What is drawn depends on this table
    /// and on `choices` alone: compilers with one table get the same.
    pub fn draw(&self, of: FlagFamily, choices: &mut Choices) -> Vec<String> {
        let mut drawn = Vec::new();
        let percent = match of {
            FlagFamily::Vector => 2 * WITH_PROCESSOR,
            other if other.takes_a_processor() => WITH_PROCESSOR,
            _ => 0,
        };
        if choices.chance(percent) {
            drawn.extend(choices.pick(self.rows(FlagFamily::Processor)).cloned());
        }
        let rows = self.rows(of);
        let mut order: Vec<usize> = (0..rows.len()).collect();
        choices.shuffle(&mut order);
        order.truncate(choices.range(1..=of.most().max(1)) as usize);
        // In the table's order, so that a set has one name.
        order.sort_unstable();
        drawn.extend(order.into_iter().map(|row| rows[row].clone()));
        drawn
    }

    /// Without the rows that `keep` does not want.
    pub fn retain(self, keep: impl Fn(FlagFamily, &str) -> bool) -> FlagTable {
        self.filtered(|of, rows| rows.into_iter().filter(|row| keep(of, row)).collect())
    }

    /// The rows that another table has too: drawn from this, flags are the same for two compilers.
    pub fn shared(&self, other: &FlagTable) -> FlagTable {
        self.clone().retain(|of, row| other.rows(of).iter().any(|known| known == row))
    }

    /// Whether it has all these rows.
    pub fn has_all(&self, rows: &[String]) -> bool {
        rows.iter().all(|row| self.0.values().any(|known| known.contains(row)))
    }
}

/// Levels of x86-64 that this processor has, and the processor itself. It may multiply and add without rounding in
/// between, unless told.
fn processors() -> Vec<&'static str> {
    let mut rows = vec!["-march=native -ffp-contract=off"];
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        let v2 = has!("sse4.2") && has!("popcnt") && has!("ssse3");
        let v3 = v2 && has!("avx2") && has!("bmi1") && has!("bmi2") && has!("fma") && has!("movbe");
        let v4 = v3 && has!("avx512f") && has!("avx512bw") && has!("avx512cd");
        let v4 = v4 && has!("avx512dq") && has!("avx512vl");
        let levels = [
            (v2, "-march=x86-64-v2 -ffp-contract=off"),
            (v3 && has!("f16c") && has!("lzcnt"), "-march=x86-64-v3 -ffp-contract=off"),
            (v4, "-march=x86-64-v4 -ffp-contract=off"),
        ];
        rows.extend(levels.into_iter().filter(|(is_here, _)| *is_here).map(|(_, row)| row));
    }
    rows
}

/// The families that a set of flags is of, as names in their order; a flag of none is its own name. For what
/// must be called the same however many flags were drawn.
pub fn families_of(family: Family, flags: &[String]) -> Vec<String> {
    let table = FlagTable::of(family, true);
    let mut names: Vec<String> = Vec::new();
    let is_of = |of: FlagFamily, word: &str| {
        of != FlagFamily::Plain
            && table.rows(of).iter().any(|row| row.split(' ').any(|w| w == word))
    };
    for word in flags {
        let of = FlagFamily::ALL.into_iter().find(|of| is_of(*of, word));
        let name = of.map_or_else(|| word.clone(), |of| of.name().to_string());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_draw_is_of_its_family_and_the_same_again() {
        for family in [Family::Gcc, Family::Clang] {
            let table = FlagTable::of(family, true);
            for of in table.families().filter(|of| *of != FlagFamily::Plain) {
                let mut seen = BTreeSet::new();
                for seed in 0..2000 {
                    let drawn = table.draw(of, &mut Choices::new(seed));
                    assert_eq!(drawn, table.draw(of, &mut Choices::new(seed)));
                    let own = drawn.iter().filter(|row| table.rows(of).contains(row)).count();
                    assert!((1..=of.most() as usize + 1).contains(&own), "{of:?} {drawn:?}");
                    assert!(drawn.len() <= own + 1 && table.has_all(&drawn));
                    seen.extend(drawn);
                }
                assert!(table.rows(of).iter().all(|row| seen.contains(row)), "{of:?}");
            }
            assert!(table.draw(FlagFamily::Plain, &mut Choices::new(1)).is_empty());
        }
    }

    #[test]
    fn nothing_that_changes_meaning() {
        for family in [Family::Gcc, Family::Clang] {
            let table = FlagTable::of(family, true);
            for of in FlagFamily::ALL {
                for row in table.rows(of) {
                    let bad = ["fast", "whole-program ", "contract=fast", "finite-math", "unsafe"];
                    assert!(!bad.iter().any(|b| row.contains(b)), "{row}");
                    assert_eq!(row.contains("-fsanitize"), of == FlagFamily::Sanitizer, "{row}");
                    let is_processor = row.contains("-march");
                    assert_eq!(is_processor, of == FlagFamily::Processor, "{row}");
                    assert!(!is_processor || row.contains("-ffp-contract=off"), "{row}");
                }
            }
        }
    }

    #[test]
    fn rows_are_of_one_family_and_words_lead_back_to_it() {
        let mut all = BTreeSet::new();
        let table = FlagTable::of(Family::Gcc, true);
        for of in FlagFamily::ALL {
            assert!(
                table.rows(of).iter().all(|row| all.insert(row.clone())),
                "{of:?} repeats a row"
            );
        }
        let names = |flags: &[&str]| {
            families_of(Family::Gcc, &flags.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(names(&["-O3", "-fno-tree-vrp", "-fno-gcse"]), ["-O3", "passes-off"]);
        assert_eq!(names(&["-O2", "-march=native", "-ffp-contract=off"]), ["-O2", "processor"]);
        assert_eq!(names(&["-O2", "-fown"]), ["-O2", "-fown"]);
    }

    #[test]
    fn what_two_compilers_share_is_drawn_alike() {
        let newer = FlagTable::of(Family::Gcc, true);
        let older = newer.clone().filtered(|of, rows| match of {
            FlagFamily::Limits => rows.into_iter().step_by(2).collect(),
            FlagFamily::Sanitizer => Vec::new(),
            _ => rows,
        });
        let (one, two) = (newer.shared(&older), older.shared(&newer));
        assert_eq!(one, two);
        assert_eq!(one, older);
    }

    #[test]
    fn small_compilers_have_levels_only() {
        let table = FlagTable::of(Family::Tcc, true);
        assert_eq!(table.families().collect::<Vec<_>>(), [FlagFamily::Plain]);
        assert!(!table.is_empty() && FlagTable::default().is_empty());
    }
}
