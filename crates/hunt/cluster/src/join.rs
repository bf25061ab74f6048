//! A worker: joins a cluster, takes part in the hunt that is there, and waits for the next.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use async_nats::jetstream::kv::Operation;
use campaign::{Plan, Worker};
use futures_util::StreamExt as _;
use sandbox::{Scratch, Stop};
use tokio::time::{sleep, timeout};

use crate::access::Access;
use crate::files::unpack;
use crate::link::{Link, NEWS, SPEC, retry_until_stopped};
use crate::supply::{MovedPaths, Remote, Setting};
use crate::wire::{Hello, Spec, encode, set_of};

/// Between two heartbeats.
pub const HELLO: Duration = Duration::from_secs(2);

/// How soon Ctrl-C is seen.
const LOOK: Duration = Duration::from_millis(100);

/// Threads that were stopped are waited for this long: they hand back their blocks.
const PARTING: Duration = Duration::from_secs(2);

/// A worker's own arguments.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Its name, unlike all others.
    pub name: String,
    /// Tests at a time.
    pub jobs: usize,
}

/// What a worker reports.
#[derive(Debug)]
pub enum WorkerEvent<'a> {
    /// A message.
    Note(&'a str),
    /// Tests and findings of this hunt so far.
    Progress(u64, u64),
}

/// Makes the plan of a hunt out of its arguments and the files that they name, by what they call them. The
/// folder is for the plan's own use.
pub type Prepare<'a> = dyn FnMut(&Spec, &BTreeMap<String, PathBuf>, &Path) -> Result<Plan> + 'a;

/// Joins a cluster and works until `stop` is set; an error is a sentence about why not.
pub fn join(
    access: &Access,
    member: &WorkerOptions,
    prepare: &mut Prepare<'_>,
    stop: &Stop,
    tell: &mut dyn FnMut(WorkerEvent<'_>),
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the threads of the connection cannot be started")?;
    let done = runtime.block_on(async {
        let name = format!("gainsay worker {}", member.name);
        let link = Link::open(access, &name, None, None).await?;
        let mut attendance = WorkerSession { link, member, stop, tell };
        attendance.attend(prepare).await
    });
    runtime.shutdown_timeout(LOOK);
    done
}

struct WorkerSession<'a> {
    link: Link,
    member: &'a WorkerOptions,
    stop: &'a Stop,
    tell: &'a mut dyn FnMut(WorkerEvent<'_>),
}

/// How a hunt ended for a worker.
enum Participation {
    /// It is over, or another one.
    Over,
    /// This machine cannot take part.
    SatOut,
}

impl WorkerSession<'_> {
    fn note(&mut self, word: &str) {
        (self.tell)(WorkerEvent::Note(word));
    }

    async fn attend(&mut self, prepare: &mut Prepare<'_>) -> Result<()> {
        let mut news = self.link.client.subscribe(NEWS).await?;
        let mut sat_out: Option<String> = None;
        let mut waits = false;
        while !self.stop.is_set() {
            let spec = self.spec().await?.filter(|spec| sat_out.as_ref() != Some(&spec.hunt()));
            let Some(spec) = spec else {
                if !std::mem::replace(&mut waits, true) && sat_out.is_none() {
                    self.note("waiting for a hunt: `gainsay hunt --cluster` starts one");
                }
                self.pause(&mut news).await;
                continue;
            };
            waits = false;
            if let Participation::SatOut = self.take_part(&spec, prepare, &mut news).await? {
                sat_out = Some(spec.hunt());
            }
        }
        Ok(())
    }

    /// The hunt that is going on.
    async fn spec(&self) -> Result<Option<Spec>> {
        let entry = retry_until_stopped(self.stop, || self.link.hunt.entry(SPEC)).await.flatten();
        let Some(entry) = entry.filter(|entry| entry.operation == Operation::Put) else {
            return Ok(None);
        };
        // One that is over is ignored, whatever its version.
        match Spec::read(&entry.value) {
            Ok(spec) => Ok(Some(spec).filter(|spec| spec.open)),
            Err(_) if String::from_utf8_lossy(&entry.value).contains("\"open\":false") => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Waits for news, or for the time to look again.
    async fn pause(&self, news: &mut async_nats::Subscriber) {
        let begin = Instant::now();
        while begin.elapsed() < HELLO && !self.stop.is_set() {
            if timeout(LOOK, news.next()).await.is_ok() {
                return;
            }
        }
    }

    async fn hello(&self, spec: &Spec, set: &str, word: Option<String>, leaves: bool) {
        let (worker, jobs, set) = (self.member.name.clone(), self.member.jobs, set.to_string());
        let Ok(bytes) = encode(&Hello { worker, jobs, set, word, leaves }) else { return };
        // The next one is soon.
        let _ = self
            .link
            .client
            .publish(format!("gainsay.hello.{}", spec.identity), bytes.into())
            .await;
    }

    async fn take_part(
        &mut self,
        spec: &Spec,
        prepare: &mut Prepare<'_>,
        news: &mut async_nats::Subscriber,
    ) -> Result<Participation> {
        self.note(&format!(
            "taking part in the hunt of {} with {}",
            spec.coordinator,
            spec.engines.join(" and ")
        ));
        let scratch = Scratch::new().context("a temporary folder cannot be made")?;
        let (files, moved) = self.files(spec, scratch.path()).await?;
        let cancel = Stop::new();
        let ready = prepare(spec, &files, scratch.path())
            .and_then(|plan| Worker::new(&plan, cancel.clone()));
        let worker = match ready {
            Ok(worker) => Arc::new(worker),
            Err(error) => {
                let told = format!("cannot take part in this hunt: {error:#}");
                self.hello(spec, "", Some(told.clone()), true).await;
                self.note(&told);
                return Ok(Participation::SatOut);
            }
        };
        let set = set_of(&worker.targets);
        let targets = encode(&worker.targets.to_vec())?;
        let key = format!("set.{set}");
        let put = || self.link.hunt.put(&key, targets.clone().into());
        if retry_until_stopped(self.stop, put).await.is_none() {
            return Ok(Participation::Over);
        }
        let setting = Setting {
            engines: worker.engines.iter().map(|engine| engine.name().to_string()).collect(),
            moved,
            holder: self.member.name.clone(),
            jobs: self.member.jobs,
        };
        let supply = Remote::new(self.link.clone(), spec.clone(), setting, cancel.clone());
        let hunt = spec.hunt();
        for engine in 0..spec.engines.len() {
            let (name, subject) = lane(&hunt, &set, engine);
            tokio::spawn(supply.clone().fetch(name, subject));
        }
        tokio::spawn(supply.clone().keep_alive());
        for n in 0..self.member.jobs {
            worker.start(n, supply.clone())?;
        }
        let ended = self.work(spec, &set, &supply, news).await;
        cancel.set();
        supply.hand_back().await;
        let begin = Instant::now();
        while !supply.is_idle() && begin.elapsed() < PARTING {
            sleep(LOOK / 10).await;
        }
        let word = ended.as_ref().err().map(|error| format!("{error:#}"));
        self.hello(spec, &set, word, true).await;
        let _ = self.link.client.flush().await;
        ended.map(|()| Participation::Over)
    }

    /// Lives until the hunt is over.
    async fn work(
        &mut self,
        spec: &Spec,
        set: &str,
        supply: &Remote,
        news: &mut async_nats::Subscriber,
    ) -> Result<()> {
        let guarded = self.link.client.server_info().auth_required;
        while !self.stop.is_set() {
            self.hello(spec, set, None, false).await;
            let now = self.spec().await?;
            if now.is_none_or(|now| now.hunt() != spec.hunt()) {
                return Ok(());
            }
            if guarded && !self.link.client.server_info().auth_required {
                bail!("a server of the cluster does not ask for credentials any more");
            }
            if let Some(why) = supply.trouble() {
                return Err(anyhow!(why));
            }
            let tests = supply.tests.load(Ordering::Relaxed);
            (self.tell)(WorkerEvent::Progress(tests, supply.findings.load(Ordering::Relaxed)));
            self.pause(news).await;
        }
        Ok(())
    }

    /// The files that options name, unpacked: by what they call them, and where they were.
    async fn files(
        &self,
        spec: &Spec,
        dir: &Path,
    ) -> Result<(BTreeMap<String, PathBuf>, MovedPaths)> {
        let (mut files, mut moved) = (BTreeMap::new(), MovedPaths::new());
        for (n, shipped) in spec.files.iter().enumerate() {
            let bytes = self.link.get(&shipped.object).await;
            let bytes = bytes.with_context(|| format!("{} did not arrive", shipped.given))?;
            let folder = dir.join(n.to_string());
            std::fs::create_dir(&folder).context("a temporary folder cannot be made")?;
            let here = unpack(&bytes, &shipped.home, &folder)?;
            let here = here.canonicalize().unwrap_or(here);
            if here.is_dir() {
                moved.push((here.to_string_lossy().into_owned(), shipped.home.clone()));
            }
            files.insert(shipped.given.clone(), here);
        }
        Ok((files, moved))
    }
}

/// The consumer and the subject of an engine's work for a set of targets.
pub fn lane(hunt: &str, set: &str, engine: usize) -> (String, String) {
    (format!("{hunt}-{set}-{engine}"), format!("{}.{set}.{engine}", work_of(hunt)))
}

/// What the subjects of a hunt's work begin with: folder and arguments are parts of their own, so that all
/// work of a folder can be told.
pub fn work_of(hunt: &str) -> String {
    format!("gainsay.work.{}", hunt.replace('-', "."))
}
