//! The coordinator: a [`Crew`] whose workers are on other machines.
//!
//! It keeps the work stream filled with about two pieces of work for each thread of each worker, dealt by
//! the same queue as a local hunt's, and sends home what arrives on the results stream. What a worker has
//! of the compilers that were asked for is its *set*; each set and engine has a subject of its own, so work
//! goes to those who have exactly its targets. If all workers of a set are gone, their work goes to others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use async_nats::jetstream::kv::Operation;
use async_nats::jetstream::{self, AckKind};
use campaign::{
    Crew, Delivery, Finding, Plan, QueuedTest, SeedBlock, SharedQueue, StoredTarget, StudyFailure,
    Subject, Task, TestBench, Tested, WorkResult,
};
use futures_util::StreamExt as _;
use sandbox::Stop;
use std::sync::mpsc::Sender;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use crate::access::Access;
use crate::files::pack;
use crate::join::{HELLO, lane, work_of};
use crate::link::{Link, NEWS, RESULTS, SPEC, WORK, retry, retry_until_stopped};
use crate::look::{HuntResponder, LOOK};
use crate::wire::{
    Hello, PROTOCOL, ResultMessage, Shipped, Spec, WorkMessage, decode, digest, encode,
};

/// Processor time of a block, about: long against what a message takes, short against a worker's life.
const BLOCK: Duration = Duration::from_secs(2);

/// Between two looks at the queue.
const TICK: Duration = Duration::from_millis(50);

/// Results that are on their way to the disk at most.
const RESULTS_HELD: usize = 1000;

/// A result that is not on the disk after this is sent again.
const RECORDED: Duration = Duration::from_secs(60);

/// A missing worker is reported after this, and then at twice the time.
const ALONE: Duration = Duration::from_secs(5);

/// The key of the coordinator's lease.
const COORDINATOR: &str = "coordinator";

/// How a cluster is used.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is tested, and with what.
    pub workload: serde_json::Value,
    /// Files and folders that they name.
    pub files: Vec<PathBuf>,
    /// A worker that is silent for so long is taken for dead.
    pub lease: Duration,
    /// A block that so many workers did not finish is set aside.
    pub deliveries: u32,
    /// How many servers keep each message; `None` is for the servers to say.
    pub replicas: Option<usize>,
    /// Who this is, for people.
    pub name: String,
}

/// The crew of a cluster.
pub struct Coordinator {
    runtime: Option<Runtime>,
    link: Link,
    options: Options,
}

impl Coordinator {
    /// Connects to a cluster; an error is a sentence about why not.
    pub fn connect(access: &Access, options: Options) -> Result<Coordinator> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .context("the threads of the connection cannot be started")?;
        let name = format!("gainsay hunt {}", options.name);
        let link = Link::open(access, &name, Some(options.lease), options.replicas);
        let link = runtime.block_on(link)?;
        Ok(Coordinator { runtime: Some(runtime), link, options })
    }

    /// Who else coordinates a hunt here, if anybody does.
    async fn check_alone(&self, identity: &str) -> Result<Option<String>> {
        let entry = self.link.leases.entry(COORDINATOR).await?;
        let entry = entry.filter(|entry| entry.operation == Operation::Put);
        let holder = entry.map(|entry| String::from_utf8_lossy(&entry.value).into_owned());
        let other = holder.filter(|holder| !holder.starts_with(identity));
        Ok(other.and_then(|holder| Some(holder.split_once(' ')?.1.to_string())))
    }

    /// Ships the files and clears away what an earlier run of this hunt left.
    async fn prepare(&self, identity: &str, engines: Vec<String>) -> Result<Spec> {
        let link = &self.link;
        let mut files = Vec::new();
        for path in &self.options.files {
            let bytes = pack(path)?;
            let object = format!("file-{}", digest(&bytes));
            if !link.has(&object).await {
                link.put(&object, &bytes).await?;
            }
            let home = path.canonicalize().unwrap_or_else(|_| path.clone());
            let text = |path: &PathBuf| path.to_string_lossy().into_owned();
            files.push(Shipped { given: text(path), home: text(&home), object });
        }
        let spec = Spec {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").into(),
            identity: identity.into(),
            workload: self.options.workload.clone(),
            files,
            engines,
            lease: self.options.lease.as_millis() as u64,
            deliveries: self.options.deliveries.into(),
            coordinator: self.options.name.clone(),
            open: true,
        };
        // Results of work that is under way still arrive; what no worker has begun is handed out anew.
        let work = link.stream(WORK).await?;
        work.purge().filter(format!("gainsay.work.{identity}.>")).await?;
        Ok(spec)
    }
}

impl Crew for Coordinator {
    fn bench(&self) -> Option<Arc<TestBench>> {
        None
    }

    fn start(&mut self, plan: &Plan, task: Task) -> Result<()> {
        let Some(runtime) = self.runtime.take() else { bail!("the crew has been started already") };
        let engines: Vec<String> =
            task.engines.iter().map(|engine| engine.name().to_string()).collect();
        if let Some(who) = runtime.block_on(retry(|| self.check_alone(&task.identity)))? {
            bail!(
                "{who} coordinates another hunt on this cluster: wait for its end, or give this one an \
                 account of its own on the servers"
            );
        }
        let spec = runtime
            .block_on(retry(|| self.prepare(&task.identity, engines.clone())))
            .context("the hunt cannot begin")?;
        let responder = HuntResponder::open(&plan.out, &task.identity)?;
        let (hello, asked, results) = runtime.block_on(retry(|| async {
            let hello = format!("gainsay.hello.{}", spec.identity);
            let hello = self.link.client.subscribe(hello).await?;
            let asked = self.link.client.subscribe(LOOK).await?;
            let name = format!("{}-results", spec.identity);
            let subject = format!("gainsay.result.{}", spec.identity);
            // Made anew: what an earlier run took and did not record comes at once.
            let _ = self.link.stream(RESULTS).await?.delete_consumer(&name).await;
            let results = self.link.consumer(RESULTS, &name, &subject, RECORDED).await?;
            anyhow::Ok((hello, asked, results))
        }))?;
        let (send, incoming) = mpsc::channel(RESULTS_HELD);
        runtime.spawn(collect(results, send, task.cancel.clone()));
        runtime.spawn(responder.answer(self.link.clone(), asked));
        let dealer = Dealer {
            link: self.link.clone(),
            runtime: runtime.handle().clone(),
            lease: self.options.lease,
            incarnation: digest(
                format!("{:?}{}", std::time::SystemTime::now(), std::process::id()).as_bytes(),
            )[..12]
                .to_string(),
            holder: format!("{} {}", spec.identity, self.options.name),
            spec,
            board: task.board,
            home: task.home,
            cancel: task.cancel,
            study: plan.study,
            workers: BTreeMap::new(),
            jobs: 0,
            sets: BTreeMap::new(),
            consumers: BTreeSet::new(),
            orders: 0,
            alone: (Instant::now(), ALONE),
        };
        std::thread::Builder::new()
            .name("coordinator".into())
            .spawn(move || {
                runtime.block_on(dealer.run(hello, incoming));
                runtime.shutdown_timeout(Duration::from_millis(100));
            })
            .context("a thread cannot be started")?;
        Ok(())
    }
}

/// Takes results from their stream as they come.
async fn collect(
    consumer: jetstream::consumer::PullConsumer,
    send: mpsc::Sender<jetstream::Message>,
    cancel: Stop,
) {
    while !cancel.is_set() {
        let batch = consumer.batch().max_messages(200).expires(Duration::from_secs(5)).messages();
        let Ok(mut batch) = batch.await else {
            sleep(Duration::from_millis(200)).await;
            continue;
        };
        while let Some(message) = batch.next().await {
            let Ok(message) = message else { break };
            if send.send(message).await.is_err() {
                return;
            }
        }
    }
}

/// A worker as it was last heard of.
struct WorkerRecord {
    jobs: usize,
    set: String,
    at: Instant,
}

/// A set of targets.
#[derive(Default)]
struct TargetSet {
    targets: Vec<StoredTarget>,
    /// Work that was dealt to it and is not over.
    blocks: Vec<SeedBlock>,
    studies: Vec<Finding>,
    /// Since when it has no worker.
    deserted: Option<Instant>,
    /// Since when the stream has had nothing of it, though something is not over.
    dry: Option<Instant>,
}

/// Hands out work and collects results.
struct Dealer {
    link: Link,
    runtime: Handle,
    spec: Spec,
    lease: Duration,
    /// Tells the messages of this run from those of an earlier one.
    incarnation: String,
    /// What the coordinator's lease says.
    holder: String,
    board: SharedQueue,
    home: Sender<Delivery>,
    cancel: Stop,
    study: bool,
    workers: BTreeMap<String, WorkerRecord>,
    /// What they all can do at a time, as the queue was told.
    jobs: usize,
    sets: BTreeMap<String, TargetSet>,
    /// Consumers of work that are known to be there.
    consumers: BTreeSet<String>,
    orders: u64,
    /// Since when there is no worker, and when that is told.
    alone: (Instant, Duration),
}

impl Dealer {
    async fn run(
        mut self,
        mut hello: async_nats::Subscriber,
        mut incoming: mpsc::Receiver<jetstream::Message>,
    ) {
        self.announce(true).await;
        let mut renewed = Instant::now();
        let mut audited = Instant::now();
        let mut drained = false;
        let started = Instant::now();
        while !self.cancel.is_set() && !self.is_over() {
            tokio::select! {
                Some(message) = hello.next() => self.on_hello(&message.payload).await,
                Some(message) = incoming.recv() => self.take_result(message).await,
                () = sleep(TICK) => drained |= started.elapsed() > Duration::from_secs(1),
            }
            self.drop_silent_workers();
            // Results that an earlier run left behind come first: what they are of is not dealt again.
            if drained && self.deal().await.is_err() {
                sleep(TICK * 5).await;
                // Nobody could be heard, either.
                self.workers.values_mut().for_each(|worker| worker.at = Instant::now());
            }
            if renewed.elapsed() > self.lease / 3 {
                renewed = Instant::now();
                let _ = self.link.leases.put(COORDINATOR, self.holder.clone().into()).await;
            }
            if audited.elapsed() > self.lease {
                audited = Instant::now();
                self.audit().await;
            }
        }
        // A hunt that was interrupted parts within a moment, so this must not take long.
        let _ = timeout(Duration::from_millis(400), self.close_hunt()).await;
    }

    /// Whether everything is done. At the end of the time, what is under way is still waited for.
    fn is_over(&self) -> bool {
        let queue = self.board.lock();
        queue.is_spent() || queue.is_closed() && self.sets.values().all(|set| set.blocks.is_empty())
    }

    /// Tells workers of the hunt, or of its end.
    async fn announce(&self, open: bool) {
        let spec = Spec { open, ..self.spec.clone() };
        let Ok(bytes) = serde_json::to_vec(&spec) else { return };
        let put = || self.link.hunt.put(SPEC, bytes.clone().into());
        let never = Stop::new();
        retry_until_stopped(if open { &self.cancel } else { &never }, put).await;
        let _ = self.link.leases.put(COORDINATOR, self.holder.clone().into()).await;
        let _ = self.link.client.publish(NEWS, "".into()).await;
        let _ = self.link.client.flush().await;
    }

    async fn close_hunt(&self) {
        self.announce(false).await;
        let _ = self.link.leases.delete(COORDINATOR).await;
        if let Ok(work) = self.link.stream(WORK).await {
            let _ = work.purge().filter(format!("{}.>", work_of(&self.spec.hunt()))).await;
            for set in self.sets.keys() {
                for engine in 0..self.spec.engines.len() {
                    let _ = work.delete_consumer(&lane(&self.spec.hunt(), set, engine).0).await;
                }
            }
        }
    }

    fn note(&self, word: String) {
        // Nobody listens any more when the hunt has parted.
        let _ = self.home.send(WorkResult::Note(word).into());
    }

    /// A heartbeat of a worker.
    async fn on_hello(&mut self, payload: &[u8]) {
        let Ok(hello) = decode::<Hello>(payload) else { return };
        let Hello { worker, jobs, set, word, leaves } = hello;
        if let Some(word) = &word {
            self.note(format!("worker {worker}: {word}"));
        }
        if leaves {
            if self.workers.remove(&worker).is_some() {
                self.note(format!("worker {worker} left"));
                self.employ();
            }
            return;
        }
        if !self.sets.contains_key(&set) {
            let Ok(Some(bytes)) = self.link.hunt.get(format!("set.{set}")).await else { return };
            let Ok(targets) = decode::<Vec<StoredTarget>>(&bytes) else { return };
            let _ = self.home.send(WorkResult::Targets(targets.clone()).into());
            self.sets.insert(set.clone(), TargetSet { targets, ..TargetSet::default() });
        }
        let seen = WorkerRecord { jobs, set: set.clone(), at: Instant::now() };
        if self.workers.insert(worker.clone(), seen).is_none() {
            let targets = &self.sets[&set].targets;
            let mut names: Vec<&str> = targets.iter().map(|t| t.compiler.as_str()).collect();
            names.dedup();
            let jobs = if jobs == 1 { "1 job".to_string() } else { format!("{jobs} jobs") };
            self.note(format!("worker {worker} joined: {jobs}, {}", names.join(", ")));
        }
        if self.study {
            let jobs: usize = self.workers.values().map(|worker| worker.jobs).sum();
            self.board.lock().let_study(jobs.div_ceil(2).max(1));
        }
        self.employ();
    }

    /// Says how many tests can be done at a time: studies have a part of that time.
    fn employ(&mut self) {
        let jobs = self.workers.values().map(|worker| worker.jobs).sum();
        if self.jobs != jobs {
            self.jobs = jobs;
            self.board.lock().employ(jobs);
        }
    }

    /// Forgets workers that were not heard of.
    fn drop_silent_workers(&mut self) {
        let limit = self.lease.max(HELLO * 3);
        let silent: Vec<String> = self
            .workers
            .iter()
            .filter(|(_, seen)| seen.at.elapsed() > limit)
            .map(|(name, _)| name.clone())
            .collect();
        for name in silent {
            self.workers.remove(&name);
            self.note(format!("worker {name} stopped responding: its work is reassigned"));
        }
        self.employ();
        if !self.workers.is_empty() {
            self.alone = (Instant::now(), ALONE);
        } else if self.alone.0.elapsed() > self.alone.1 {
            self.alone.1 *= 2;
            self.note(
                "no worker is connected: start some with `gainsay worker --join ADDRESS`".into(),
            );
        }
    }

    fn slots(&self, set: &str) -> usize {
        self.workers.values().filter(|worker| worker.set == set).map(|worker| worker.jobs).sum()
    }

    /// Fills the stream. An error if the servers do not take it.
    async fn deal(&mut self) -> Result<()> {
        let board = self.board.clone();
        for set in self.sets.values_mut() {
            let queue = board.lock();
            set.blocks.retain(|block| block.items().any(|item| queue.is_begun(item)));
            set.studies.retain(|found| queue.is_studied(found.id));
        }
        self.deal_studies(false).await?;
        loop {
            // The set that has least to do for its size.
            let load = |(name, set): (&String, &TargetSet)| {
                let slots = self.slots(name);
                let has = set.blocks.len();
                (slots > 0 && has < 2 * slots + 1).then(|| (has * 1000 / slots, name.clone()))
            };
            let Some((_, name)) = self.sets.iter().filter_map(load).min() else { break };
            let Some(block) = board.lock().take_block(BLOCK, &|_| true) else { break };
            self.deal_block(&name, block).await?;
        }
        if board.lock().is_dealt_out() {
            self.deal_studies(true).await?;
        }
        self.reassign_orphaned_work().await
    }

    /// Deals studies as far as they have time; where no test is left nobody waits for it.
    async fn deal_studies(&mut self, is_last: bool) -> Result<()> {
        loop {
            let taken = self.board.lock().take_shared_study(is_last);
            let Some((found, time)) = taken else { return Ok(()) };
            self.deal_study(*found, time).await?;
        }
    }

    async fn deal_block(&mut self, set: &str, block: SeedBlock) -> Result<()> {
        self.orders += 1;
        let id = format!("{}-{}", self.incarnation, self.orders);
        let (name, subject) = lane(&self.spec.hunt(), set, block.engine);
        let sent = self.send(&name, &subject, &id, &WorkMessage::Block(block.clone())).await;
        match sent {
            // If it is not known whether that was sent: a second message for the same tests does no harm.
            Err(_) => block.items().for_each(|item| self.board.lock().give_back(item)),
            Ok(()) => self.sets.entry(set.into()).or_default().blocks.push(block),
        }
        sent
    }

    /// A study goes to a set with all compilers that failed.
    async fn deal_study(&mut self, found: Finding, time: Duration) -> Result<()> {
        let can = |set: &TargetSet| {
            let has = |name: &String| set.targets.iter().any(|t| t.compiler == *name);
            match &found.finding.subject {
                Subject::Program(it) => it.failing_compilers().iter().all(has),
                other => has(&other.compiler()),
            }
        };
        let able = |(name, set): (&String, &TargetSet)| {
            let slots = self.slots(name);
            (slots > 0 && can(set)).then(|| (set.studies.len() * 1000 / slots, name.clone()))
        };
        let set = self.sets.iter().filter_map(able).min();
        let engine = self.spec.engines.iter().position(|engine| *engine == found.engine);
        let Some((_, set)) = set else {
            if self.workers.is_empty() {
                // Somebody may come yet.
                self.board.lock().give_back_study(found);
                bail!("no worker");
            }
            let why = format!("no worker has {}", found.finding.targets().join(", "));
            let _ = self.home.send(
                WorkResult::Study(found.id, Box::new(Err(StudyFailure::Because(why)))).into(),
            );
            return Ok(());
        };
        self.orders += 1;
        let id = format!("{}-{}", self.incarnation, self.orders);
        let (name, subject) = lane(&self.spec.hunt(), &set, engine.unwrap_or(0));
        let known = self.board.lock().known().to_vec();
        let work = WorkMessage::Study(Box::new(found.clone()), time, known);
        let sent = self.send(&name, &subject, &id, &work).await;
        match sent {
            Err(_) => self.board.lock().give_back_study(found),
            Ok(()) => self.sets.entry(set).or_default().studies.push(found),
        }
        sent
    }

    async fn send(
        &mut self,
        consumer: &str,
        subject: &str,
        id: &str,
        order: &WorkMessage,
    ) -> Result<()> {
        if !self.consumers.contains(consumer) {
            self.link.consumer(WORK, consumer, subject, self.lease).await?;
            self.consumers.insert(consumer.into());
        }
        self.link.publish(subject, id, &encode(order)?).await
    }

    /// Reassigns the work of sets that no worker has any more.
    async fn reassign_orphaned_work(&mut self) -> Result<()> {
        let names: Vec<String> = self.sets.keys().cloned().collect();
        for name in names {
            let has_workers = self.slots(&name) > 0;
            let Some(set) = self.sets.get_mut(&name) else { continue };
            if has_workers || set.blocks.is_empty() && set.studies.is_empty() {
                set.deserted = None;
                continue;
            }
            let since = *set.deserted.get_or_insert_with(Instant::now);
            if since.elapsed() > self.lease && !self.workers.is_empty() {
                self.take_back(&name).await?;
            }
        }
        Ok(())
    }

    async fn take_back(&mut self, name: &str) -> Result<()> {
        let work = self.link.stream(WORK).await?;
        work.purge().filter(format!("{}.{name}.>", work_of(&self.spec.hunt()))).await?;
        self.consumers.clear();
        let Some(set) = self.sets.get_mut(name) else { return Ok(()) };
        let mut queue = self.board.lock();
        for item in
            set.blocks.drain(..).flat_map(|block| block.items().collect::<Vec<QueuedTest>>())
        {
            queue.give_back(item);
        }
        set.studies.drain(..).for_each(|found| queue.give_back_study(found));
        Ok(())
    }

    /// Looks whether the streams still hold what was dealt: a server that lost its disk has lost it.
    async fn audit(&mut self) {
        let names: Vec<String> = self.sets.keys().cloned().collect();
        for name in names {
            let outstanding =
                self.sets.get(&name).is_some_and(|s| !s.blocks.is_empty() || !s.studies.is_empty());
            let Ok(held) = self.held(&name).await else { return };
            let Some(set) = self.sets.get_mut(&name) else { continue };
            if !outstanding || held {
                set.dry = None;
                continue;
            }
            // Twice in a row: the last result may be on its way.
            if set.dry.replace(Instant::now()).is_some() && self.take_back(&name).await.is_ok() {
                self.note("the servers lost some work: it is sent again".into());
            }
        }
    }

    /// Whether the streams hold work of a set, or results.
    async fn held(&self, name: &str) -> Result<bool> {
        let results = self.link.stream(RESULTS).await?;
        let info = results.consumer_info(format!("{}-results", self.spec.identity)).await?;
        let mut held = info.num_pending > 0 || info.num_ack_pending > 0;
        let work = self.link.stream(WORK).await?;
        for engine in 0..self.spec.engines.len() {
            let consumer = lane(&self.spec.hunt(), name, engine).0;
            if let Ok(info) = work.consumer_info(&consumer).await {
                held |= info.num_pending > 0 || info.num_ack_pending > 0;
            }
        }
        Ok(held)
    }

    /// A result.
    async fn take_result(&mut self, message: jetstream::Message) {
        let read = async {
            let (bytes, object) = self.link.unwrap(&message.payload).await?;
            anyhow::Ok((decode::<ResultMessage>(&bytes)?, object))
        };
        let (answer, object) = match read.await {
            Ok(read) => read,
            Err(error) => {
                let tries = message.info().map_or(0, |info| info.delivered);
                if tries > self.spec.deliveries {
                    self.note(format!("a result cannot be read and is dropped: {error:#}"));
                    let _ = message.ack_with(AckKind::Term).await;
                } else {
                    let _ = message.ack_with(AckKind::Nak(Some(self.lease))).await;
                }
                return;
            }
        };
        match answer {
            ResultMessage::Tested(tested) => {
                let engine = self.spec.engines.iter().position(|engine| *engine == tested.engine);
                let done = match engine {
                    Some(engine) => WorkResult::Test(
                        QueuedTest { engine, seed: tested.seed },
                        Box::new(Ok(*tested)),
                    ),
                    None => WorkResult::Stray(tested),
                };
                self.forward_result(done, message, object);
            }
            ResultMessage::Studied(id, result) => {
                let result = result.map_err(StudyFailure::Because);
                self.forward_result(WorkResult::Study(id, Box::new(result)), message, object);
            }
            ResultMessage::Unfinished(id) => {
                let unfinished = Box::new(Err(StudyFailure::Unfinished));
                self.forward_result(WorkResult::Study(id, unfinished), message, object);
            }
            ResultMessage::StudyAside(id) => {
                let why = StudyFailure::Because(self.set_aside());
                self.forward_result(WorkResult::Study(id, Box::new(Err(why))), message, object);
            }
            ResultMessage::BlockAside(hunt, block) => {
                self.set_block_aside(&hunt, block, message).await
            }
        }
    }

    fn set_aside(&self) -> String {
        format!("set aside: {} workers did not finish it", self.spec.deliveries)
    }

    /// The tests of a block that no worker finished are tried one by one; a single test is recorded as skipped.
    async fn set_block_aside(&mut self, hunt: &str, block: SeedBlock, message: jetstream::Message) {
        let ours = hunt == self.spec.hunt();
        let Some(name) = self.spec.engines.get(block.engine).filter(|_| ours).cloned() else {
            // Of an earlier run with other arguments: what is not recorded is dealt anew anyway.
            let _ = message.ack().await;
            return;
        };
        if let [seed] = block.seeds[..] {
            self.note(format!("{name} seed {seed} is {}", self.set_aside()));
            let mut tested = Tested::new(&name, seed);
            tested.skipped = Some(self.set_aside());
            let item = QueuedTest { engine: block.engine, seed };
            self.forward_result(WorkResult::Test(item, Box::new(Ok(tested))), message, None);
            return;
        }
        let set = self.sets.iter().find(|(_, set)| set.blocks.contains(&block));
        let Some(set) = set.map(|(name, _)| name.clone()) else {
            // Of an earlier run: what is not recorded is dealt anew anyway.
            let _ = message.ack().await;
            return;
        };
        for &seed in &block.seeds {
            let alone = SeedBlock { engine: block.engine, seeds: vec![seed] };
            if self.deal_block(&set, alone).await.is_err() {
                let _ = message.ack_with(AckKind::Nak(Some(self.lease))).await;
                return;
            }
        }
        let _ = message.ack().await;
    }

    /// Forwards a result to the recording thread, and acknowledges it when it is on the disk.
    fn forward_result(
        &self,
        done: WorkResult,
        message: jetstream::Message,
        object: Option<String>,
    ) {
        let (runtime, link) = (self.runtime.clone(), self.link.clone());
        let on_stored = move || {
            runtime.spawn(async move {
                // One that is not heard comes again, and counts once.
                let _ = message.ack().await;
                if let Some(object) = object {
                    link.forget(&object).await;
                }
            });
        };
        let _ = self.home.send(Delivery { done, on_stored: Some(Box::new(on_stored)) });
    }
}
