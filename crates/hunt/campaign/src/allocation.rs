//! Where the time of compilers goes: more to the compilers, levels and families of flags that yield new
//! signatures, with a floor for each.
//!
//! A bandit without a reference: an [`Arm`] is a compiler, a level and a family of flags. What arms have cost and
//! yielded ([`Accounts`]) gives their [`Weights`]. Findings are rare and arms are many, so each arm is judged by
//! what its compiler, its level and its family have yielded each, over all arms that share it. Only new signatures
//! count: a bug that shows in every second test would otherwise take all the time.
//!
//! Pure: the same accounts give the same weights. A hunt keeps its accounts in its store; workers of other machines
//! have none, and draw by the shares alone ([`Weights::default`]), so that a test is the same wherever it is done.

use std::collections::BTreeMap;
use std::time::Duration;

use toolchain::FlagFamily;

/// Part of all draws that is dealt out by the shares whatever arms yield: an arm that finds nothing today is the
/// one that knows the next bug.
const FLOOR: f64 = 0.4;

/// An arm's yield is taken to be like the mean until it has cost so many times what a signature costs on average.
const PRIOR: f64 = 3.0;

/// A signature that several arms show is shared among them, in parts of this many.
const PARTS: u64 = 1000;

/// What is drawn together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
pub struct Arm {
    /// The compiler by name.
    pub compiler: String,
    /// The level.
    pub level: String,
    /// What the other flags are about.
    pub family: FlagFamily,
}

impl Arm {
    /// `gcc-12 -O3 +vector`: what results are counted under. Without a level alone its name would be that of a
    /// target.
    pub fn label(&self) -> String {
        match self.family {
            FlagFamily::Plain => format!("{} {}", self.compiler, self.level),
            family => format!("{} {} +{}", self.compiler, self.level, family.name()),
        }
    }
}

/// What an arm has cost and yielded.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct ArmAccount {
    /// Microseconds of compilers and compiled programs.
    micros: u64,
    /// Targets.
    targets: u64,
    /// Signatures that it was the first to show, in thousandths.
    yielded: u64,
}

impl std::ops::AddAssign for ArmAccount {
    fn add_assign(&mut self, other: ArmAccount) {
        self.micros += other.micros;
        self.targets += other.targets;
        self.yielded += other.yielded;
    }
}

/// The accounts of all arms that were drawn.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Accounts(BTreeMap<Arm, ArmAccount>);

impl Accounts {
    /// A target of an arm has cost so much.
    pub fn spend(&mut self, arm: &Arm, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        *self.0.entry(arm.clone()).or_default() += ArmAccount { micros, targets: 1, yielded: 0 };
    }

    /// These arms were the first to show a signature.
    pub fn reward(&mut self, arms: &[&Arm]) {
        let part = PARTS / (arms.len() as u64).max(1);
        for arm in arms {
            let account = ArmAccount { yielded: part, ..ArmAccount::default() };
            *self.0.entry((*arm).clone()).or_default() += account;
        }
    }

    /// What of each is due, relative to the shares.
    pub fn weights(&self) -> Weights {
        let mut all = ArmAccount::default();
        let mut weights = Weights::default();
        let mut sums: [BTreeMap<String, ArmAccount>; 3] = Default::default();
        for (arm, account) in &self.0 {
            all += *account;
            let keys = [&arm.compiler, &arm.level, &arm.family.name().to_string()];
            for (sum, key) in sums.iter_mut().zip(keys) {
                *sum.entry(key.clone()).or_default() += *account;
            }
        }
        let rate = all.yielded as f64 / (all.micros as f64).max(1.0);
        for (sums, factors) in sums.iter().zip(&mut weights.0) {
            for (key, account) in sums {
                // Without a finding every factor is 1.
                let expected = rate * account.micros as f64 / PARTS as f64;
                let found = account.yielded as f64 / PARTS as f64;
                factors.insert(key.clone(), (found + PRIOR) / (expected + PRIOR));
            }
        }
        weights
    }

    /// As it is stored.
    pub fn to_text(&self) -> String {
        let rows: Vec<(&Arm, &ArmAccount)> = self.0.iter().collect();
        serde_json::to_string(&rows).unwrap_or_default()
    }

    /// What was stored; nothing, if that cannot be read: accounts are worth no error.
    pub fn of_text(text: &str) -> Accounts {
        let rows: Vec<(Arm, ArmAccount)> = serde_json::from_str(text).unwrap_or_default();
        Accounts(rows.into_iter().collect())
    }
}

/// How much more than its share an arm is due: factors of compilers, of levels and of families. By default none.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Weights([BTreeMap<String, f64>; 3]);

impl Weights {
    /// The chances of arms, given their shares; they add up to about [`Weights::WHOLE`].
    pub fn chances(&self, arms: &[(Arm, f64)]) -> Vec<u32> {
        let all: f64 = arms.iter().map(|(_, share)| share).sum();
        let weighted: Vec<f64> = arms.iter().map(|(arm, share)| share * self.factor(arm)).collect();
        let sum: f64 = weighted.iter().sum();
        let chance = |((_, share), weighted): (&(Arm, f64), &f64)| {
            let part = FLOOR * share / all.max(1e-9) + (1.0 - FLOOR) * weighted / sum.max(1e-9);
            // Never nothing of what has a share.
            ((part * f64::from(Weights::WHOLE)) as u32).max(u32::from(*share > 0.0))
        };
        arms.iter().zip(&weighted).map(chance).collect()
    }

    /// The sum of all chances.
    pub const WHOLE: u32 = 1 << 24;

    fn factor(&self, arm: &Arm) -> f64 {
        let [compilers, levels, families] = &self.0;
        let of =
            |factors: &BTreeMap<String, f64>, key: &str| factors.get(key).copied().unwrap_or(1.0);
        of(compilers, &arm.compiler) * of(levels, &arm.level) * of(families, arm.family.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm(compiler: &str, level: &str, family: FlagFamily) -> Arm {
        Arm { compiler: compiler.into(), level: level.into(), family }
    }

    fn arms() -> Vec<(Arm, f64)> {
        let mut all = Vec::new();
        for compiler in ["gcc", "clang"] {
            for (level, share) in [("-O2", 0.4), ("-O3", 0.5), ("-O1", 0.1)] {
                for family in [FlagFamily::Plain, FlagFamily::Vector, FlagFamily::Limits] {
                    all.push((arm(compiler, level, family), share));
                }
            }
        }
        all
    }

    fn spent(seconds: u64) -> Accounts {
        let mut accounts = Accounts::default();
        for (arm, _) in arms() {
            accounts.spend(&arm, Duration::from_secs(seconds));
        }
        accounts
    }

    fn part(accounts: &Accounts, of: &dyn Fn(&Arm) -> bool) -> f64 {
        let arms = arms();
        let chances = accounts.weights().chances(&arms);
        let sum: u32 = chances.iter().sum();
        let some = arms.iter().zip(chances).filter(|((arm, _), _)| of(arm));
        some.map(|(_, chance)| f64::from(chance)).sum::<f64>() / f64::from(sum)
    }

    #[test]
    fn without_findings_shares_decide() {
        for accounts in [Accounts::default(), spent(1000)] {
            assert!((part(&accounts, &|a| a.level == "-O3") - 0.5).abs() < 1e-3);
            assert!(
                (part(&accounts, &|a| a.family == FlagFamily::Vector) - 1.0 / 3.0).abs() < 1e-3
            );
        }
    }

    #[test]
    fn what_finds_gets_more_and_nothing_is_starved() {
        let mut accounts = spent(1000);
        let good = arm("gcc", "-O3", FlagFamily::Vector);
        let is_vector = |a: &Arm| a.family == FlagFamily::Vector;
        let mut before = part(&accounts, &is_vector);
        for _ in 0..30 {
            accounts.reward(&[&good]);
            let now = part(&accounts, &is_vector);
            assert!(now >= before);
            before = now;
        }
        assert!(before > 0.5, "{before}");
        for (arm, share) in arms() {
            // The shares of all arms add up to six.
            let floor = FLOOR * share / 6.0;
            assert!(part(&accounts, &|a| *a == arm) > floor - 1e-3, "{arm:?}");
        }
    }

    #[test]
    fn yield_is_for_time_and_not_for_tests() {
        let mut accounts = Accounts::default();
        let (quick, slow) =
            (arm("gcc", "-O2", FlagFamily::Plain), arm("clang", "-O2", FlagFamily::Plain));
        for _ in 0..20 {
            accounts.spend(&quick, Duration::from_secs(10));
            accounts.spend(&slow, Duration::from_secs(100));
            accounts.reward(&[&quick, &slow]);
        }
        let is_of = |name: &'static str| move |a: &Arm| a.compiler == name;
        assert!(part(&accounts, &is_of("gcc")) > part(&accounts, &is_of("clang")) + 0.1);
    }

    #[test]
    fn accounts_read_back() {
        let mut accounts = spent(3);
        accounts.reward(&[&arm("gcc", "-O3", FlagFamily::Vector)]);
        let back = Accounts::of_text(&accounts.to_text());
        assert_eq!(back, accounts);
        assert_eq!(back.weights(), accounts.weights());
        assert_eq!(Accounts::of_text("not ours"), Accounts::default());
    }

    #[test]
    fn labels() {
        assert_eq!(arm("gcc-12", "-O2", FlagFamily::Plain).label(), "gcc-12 -O2");
        assert_eq!(arm("gcc-12", "-O3", FlagFamily::PassesOff).label(), "gcc-12 -O3 +passes-off");
    }
}
