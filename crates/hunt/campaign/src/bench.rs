//! What all tests of a hunt share: the lab, the compilers, the accounting of time.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use choice::Choices;
use finding::{ProgramSubject, Subject};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use nix::time::{ClockId, clock_gettime};
use oracle::{Case, Certificate, Detectors, Lab, Limits, Opinion, TargetProbes, Trouble};
use sandbox::{Account, Scratch, Stop};
use toolchain::{Compiler, Target};

use crate::allocation::Weights;
use crate::attribution::KnownBugs;
use crate::baseline::{Baseline, CompilerBaseline};
use crate::draw::{self, DrawnTarget, TargetChoice};
use crate::plan::Plan;
use crate::record::{Finding, NewFinding, Tested};

/// One compilation takes no more than this part of a hunt's time, so that a compiler that does not end leaves
/// time for tests of others.
const PART_OF_HUNT: u32 = 10;

/// But this in any case: generated programs compile in seconds.
const SHORTEST_COMPILATION: Duration = Duration::from_secs(10);

/// What all tests share.
pub struct TestBench {
    /// Where programs are compiled and run.
    pub lab: Lab,
    /// What is there to be asked: what is tested, and the baseline of a comparison.
    pub compilers: Vec<Arc<Compiler>>,
    /// How each test's targets are chosen.
    pub targets: TargetChoice,
    /// What is due more than its share.
    weights: Mutex<Arc<Weights>>,
    /// Targets that tests must have besides those that are drawn, by engine and seed: an earlier run saw them fail
    /// and did not come to confirm it.
    revisited: Mutex<BTreeMap<(String, u64), Vec<Target>>>,
    /// Of a comparison of compilers.
    pub(crate) baseline: Option<CompilerBaseline>,
    /// Which targets work at all with their flags.
    pub probes: TargetProbes,
    detectors: OnceLock<Detectors>,
    /// How many findings each signature has.
    signatures: Mutex<BTreeMap<String, u64>>,
    /// Failures that tests under way have seen, by engine and seed.
    sightings: Mutex<BTreeMap<(String, u64), Vec<NewFinding>>>,
    /// Bugs that were studied.
    known_bugs: Mutex<Arc<KnownBugs>>,
    /// What each thread is doing, and since when.
    activities: Mutex<Vec<(ThreadId, String, Instant)>>,
    /// Processor time that external programs had used when the hunt began.
    before: Duration,
    /// Microseconds of external generators, which count as ours.
    generators: AtomicU64,
    /// Microseconds of studies: of our own, and of what they ran.
    study_own: AtomicU64,
    study_others: AtomicU64,
}

impl TestBench {
    /// The bench of a plan. Setting `stop` ends what is done on it.
    pub fn of(plan: &Plan, stop: Stop) -> TestBench {
        let mut limits = plan.limits.clone();
        if let Some(time) = plan.time.filter(|_| limits == Limits::default()) {
            // A compiler that does not end is waited for three times that long in all.
            let part = (time / PART_OF_HUNT).max(SHORTEST_COMPILATION);
            let share = part.as_secs_f64() / limits.compile_cpu.as_secs_f64();
            if share < 1.0 {
                limits.compile_cpu = part;
                limits.compile_wall = limits.compile_wall.mul_f64(share);
            }
        }
        let lab = Lab { limits, stop };
        let bench = TestBench::new(lab, plan.compilers.clone(), plan.targets.extras_per_test);
        TestBench { targets: plan.targets, ..bench }.against(plan.baseline.as_ref())
    }

    /// The same with what must be right where something else fails.
    pub fn against(self, baseline: Option<&Baseline>) -> TestBench {
        let compiler = baseline.and_then(Baseline::compiler).cloned();
        TestBench { baseline: compiler.map(CompilerBaseline::new), ..self }
    }

    /// What is tested.
    pub fn tested_compilers(&self) -> Vec<Arc<Compiler>> {
        let is_tested = |compiler: &&Arc<Compiler>| {
            self.baseline.as_ref().is_none_or(|old| old.compiler.name != compiler.name)
        };
        self.compilers.iter().filter(is_tested).cloned().collect()
    }

    /// A bench on which nothing was done yet. Its tests are for all levels of the compilers.
    pub fn new(lab: Lab, compilers: Vec<Arc<Compiler>>, extras_per_test: usize) -> TestBench {
        TestBench {
            lab,
            compilers,
            targets: TargetChoice { extras_per_test, targets_per_test: None },
            weights: Mutex::default(),
            revisited: Mutex::default(),
            baseline: None,
            probes: TargetProbes::default(),
            detectors: OnceLock::new(),
            signatures: Mutex::default(),
            sightings: Mutex::default(),
            known_bugs: Mutex::new(Arc::new([])),
            activities: Mutex::default(),
            before: sandbox::spent(),
            generators: AtomicU64::new(0),
            study_own: AtomicU64::new(0),
            study_others: AtomicU64::new(0),
        }
    }

    /// What is due more than its share, as far as the hunt has learnt.
    pub fn weights(&self) -> Arc<Weights> {
        self.weights.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets what is due from now on.
    pub fn set_weights(&self, weights: Weights) {
        *self.weights.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(weights);
    }

    /// The targets of a test: those drawn for `draw`, and those that an earlier run saw fail.
    pub fn draw_targets(&self, tested: &Tested, draw: u64) -> Vec<DrawnTarget> {
        let mut choices = Choices::new(draw).fork("targets");
        let mut all =
            draw::draw(&self.tested_compilers(), self.targets, &self.weights(), &mut choices);
        let revisited = self.revisited.lock().unwrap_or_else(PoisonError::into_inner);
        let again = revisited.get(&(tested.engine.clone(), tested.seed));
        for target in again.into_iter().flatten() {
            if all.iter().all(|known| known.target.label() != target.label()) {
                all.push(DrawnTarget::fixed(target.clone()));
            }
        }
        all
    }

    /// A finding waits to be confirmed: its test gets its targets again, though weights have changed since it was
    /// seen.
    pub fn revisit(&self, found: &Finding) {
        let Subject::Program(subject) = &found.finding.subject else { return };
        let targets = ProgramSubject::installed(&subject.failing, &self.compilers);
        let mut all = self.revisited.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry((found.engine.clone(), found.seed)).or_default().extend(targets);
    }

    /// An empty folder for one test.
    pub fn folder(&self) -> Result<Scratch, Trouble> {
        Scratch::new().map_err(|error| trouble(&error, &std::env::temp_dir()))
    }

    /// The detectors, looked for when the first is needed: most hunts find nothing for a while.
    pub fn detectors(&self) -> &Detectors {
        self.detectors.get_or_init(Detectors::find)
    }

    /// The opinions of the sanitizers on a program whose files are in `dir`, behind our own, and how long that took. In
    /// a comparison the older compiler is a witness, and minutes are few: all detectors are asked about the reduced
    /// program.
    pub(crate) fn certify_quickly(
        &self,
        case: &Case,
        dir: &Path,
        own: Opinion,
    ) -> Result<(Certificate, Duration), Trouble> {
        let begin = Instant::now();
        self.lab.write(case, dir)?;
        let mut opinions = vec![own];
        opinions.extend(self.detectors().sanitizers(&self.lab, case, dir)?);
        Ok((Certificate { opinions }, begin.elapsed()))
    }

    /// The same with these detectors.
    #[cfg(test)]
    pub fn with_detectors(self, detectors: Detectors) -> TestBench {
        TestBench { detectors: OnceLock::from(detectors), ..self }
    }

    /// Counts one more finding of a signature; how many there were before.
    pub fn count(&self, signature: &str) -> u64 {
        let mut all = self.signatures.lock().unwrap_or_else(PoisonError::into_inner);
        let n = all.entry(signature.to_string()).or_default();
        *n += 1;
        *n - 1
    }

    /// How many findings a signature has.
    pub fn known(&self, signature: &str) -> u64 {
        let all = self.signatures.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(signature).copied().unwrap_or(0)
    }

    /// Sets the bugs that were studied: what they explain is not certified and reduced again.
    pub fn learn(&self, known: Arc<KnownBugs>) {
        *self.known_bugs.lock().unwrap_or_else(PoisonError::into_inner) = known;
    }

    /// The bugs that were studied.
    pub fn known_bugs(&self) -> Arc<KnownBugs> {
        self.known_bugs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes what this thread does from now on.
    pub fn begins(&self, what: String) {
        self.thread_begins(thread::current().id(), what);
    }

    /// Notes what a worker's thread does from now on, as another says that helps it.
    pub fn thread_begins(&self, worker: ThreadId, what: String) {
        let mut all = self.activities.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(thread, ..)| *thread != worker);
        all.push((worker, what, Instant::now()));
    }

    /// This thread is done with what it did.
    pub fn rests(&self) {
        let mut all = self.activities.lock().unwrap_or_else(PoisonError::into_inner);
        let own = thread::current().id();
        all.retain(|(thread, ..)| *thread != own);
    }

    /// What has been under way for the longest, and for how long.
    pub fn longest(&self) -> Option<(String, Duration)> {
        let all = self.activities.lock().unwrap_or_else(PoisonError::into_inner);
        // They are in the order in which they began.
        all.first().map(|(_, what, since)| (what.clone(), since.elapsed()))
    }

    /// Notes what a test under way has seen of one program, in place of what it had seen of it before.
    /// It is not confirmed yet, and is what is kept if the test is interrupted.
    pub fn sight(&self, tested: &Tested, origin: &str, seen: Vec<NewFinding>) {
        let mut all = self.sightings.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (tested.engine.clone(), tested.seed);
        // What is tried within a test, such as a variant with fewer mutations, has no name of its own.
        if tested.engine.is_empty() || seen.is_empty() && !all.contains_key(&key) {
            return;
        }
        let of_test = all.entry(key).or_default();
        of_test.retain(|known| known.origin != origin);
        of_test.extend(seen);
    }

    /// What a test has seen so far.
    pub fn sightings(&self, engine: &str, seed: u64) -> Vec<NewFinding> {
        let all = self.sightings.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&(engine.to_string(), seed)).cloned().unwrap_or_default()
    }

    /// A test was handed in.
    pub fn forget_sightings(&self, engine: &str, seed: u64) {
        let mut all = self.sightings.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(&(engine.to_string(), seed));
    }

    /// Tests that have seen something and were not handed in, as interrupted ones.
    pub fn interrupted(&self) -> Vec<Tested> {
        let all = self.sightings.lock().unwrap_or_else(PoisonError::into_inner);
        let tests = all.iter().filter(|(_, seen)| !seen.is_empty());
        tests
            .map(|((engine, seed), seen)| Tested {
                findings: seen.clone(),
                interrupted: true,
                ..Tested::new(engine, *seed)
            })
            .collect()
    }

    /// Notes the time of a program that made a test.
    pub fn generated(&self, cpu: Duration) {
        self.generators.fetch_add(cpu.as_micros() as u64, Ordering::Relaxed);
    }

    /// Does a study in this thread, and notes the time of all that it does.
    pub fn studies<T>(&self, work: impl FnOnce() -> T) -> T {
        let account = Account::default();
        let done = Account::charge(Some(account.clone()), work);
        let add = |sum: &AtomicU64, time: Duration| {
            sum.fetch_add(time.as_micros() as u64, Ordering::Relaxed);
        };
        add(&self.study_own, account.own());
        add(&self.study_others, account.others());
        done
    }

    /// Processor time of studies that are over: ours, and that of what they ran.
    pub fn studying(&self) -> Duration {
        let part = |sum: &AtomicU64| Duration::from_micros(sum.load(Ordering::Relaxed));
        part(&self.study_own) + part(&self.study_others)
    }

    /// Processor time of compilers, compiled programs and detectors so far, but for studies.
    pub fn others(&self) -> Duration {
        let studies = Duration::from_micros(self.study_others.load(Ordering::Relaxed));
        self.all_others().saturating_sub(studies)
    }

    fn all_others(&self) -> Duration {
        let generators = Duration::from_micros(self.generators.load(Ordering::Relaxed));
        sandbox::spent().saturating_sub(self.before).saturating_sub(generators)
    }

    /// All other processor time of this process and its children: generation, the machine, the
    /// harness, the keepers of processes.
    pub fn own(&self) -> Duration {
        let used = |who| {
            let usage = getrusage(who).ok();
            let micros = usage
                .map(|u| u.user_time().num_microseconds() + u.system_time().num_microseconds());
            Duration::from_micros(u64::try_from(micros.unwrap_or(0)).unwrap_or(0))
        };
        let reaped = used(UsageWho::RUSAGE_SELF) + used(UsageWho::RUSAGE_CHILDREN);
        let all = reaped + sandbox::served();
        let studies = Duration::from_micros(self.study_own.load(Ordering::Relaxed));
        all.saturating_sub(self.all_others()).saturating_sub(studies)
    }
}

/// Does `work`; what it gives, and the processor time that this thread took for it.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let now =
        || clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from);
    let begin = now();
    let value = work();
    (value, now().saturating_sub(begin))
}

/// What a failed write means to a hunt.
pub fn trouble(error: &io::Error, path: &Path) -> Trouble {
    let told = format!("{}: {error}", path.display());
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Trouble::DiskFull(told),
        _ => Trouble::Io(told),
    }
}
