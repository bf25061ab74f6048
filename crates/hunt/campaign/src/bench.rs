//! What all tests of a hunt share: the lab, the compilers, the accounting of time.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use nix::time::{ClockId, clock_gettime};
use oracle::{Detectors, Lab, TargetProbes, Trouble};
use sandbox::{Scratch, Stop};
use toolchain::Compiler;

use crate::plan::Plan;

/// What all tests share.
pub struct TestBench {
    /// Where programs are compiled and run.
    pub lab: Lab,
    /// What is tested.
    pub compilers: Vec<Arc<Compiler>>,
    /// Flag sets drawn for each test and compiler, besides the levels.
    pub extras_per_test: usize,
    /// Which targets work at all with their flags.
    pub probes: TargetProbes,
    detectors: OnceLock<Detectors>,
    /// How many findings each signature has.
    signatures: Mutex<BTreeMap<String, u64>>,
    /// Processor time that external programs had used when the hunt began.
    before: Duration,
    /// Microseconds of external generators, which count as ours.
    generators: AtomicU64,
}

impl TestBench {
    /// The bench of a plan. Setting `stop` ends what is done on it.
    pub fn of(plan: &Plan, stop: Stop) -> TestBench {
        let lab = Lab { limits: plan.limits.clone(), stop };
        TestBench::new(lab, plan.compilers.clone(), plan.extras_per_test)
    }

    /// A bench on which nothing was done yet.
    pub fn new(lab: Lab, compilers: Vec<Arc<Compiler>>, extras_per_test: usize) -> TestBench {
        TestBench {
            lab,
            compilers,
            extras_per_test,
            probes: TargetProbes::default(),
            detectors: OnceLock::new(),
            signatures: Mutex::default(),
            before: sandbox::spent(),
            generators: AtomicU64::new(0),
        }
    }

    /// An empty folder for one test.
    pub fn folder(&self) -> Result<Scratch, Trouble> {
        Scratch::new().map_err(|error| trouble(&error, &std::env::temp_dir()))
    }

    /// The detectors, looked for when the first is needed: most hunts find nothing for a while.
    pub fn detectors(&self) -> &Detectors {
        self.detectors.get_or_init(Detectors::find)
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

    /// Notes the time of a program that made a test.
    pub fn generated(&self, cpu: Duration) {
        self.generators.fetch_add(cpu.as_micros() as u64, Ordering::Relaxed);
    }

    /// Processor time of compilers, compiled programs and detectors so far, in tests and in studies.
    pub fn others(&self) -> Duration {
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
        all.saturating_sub(self.others())
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
