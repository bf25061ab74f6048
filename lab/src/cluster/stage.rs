//! NATS servers and processes of ours on loopback, to be killed and started again.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use sandbox::{Ended, Finished, Run, Status, Stop};
use serde_json::Value;

/// Longer than any run here.
const WALL: Duration = Duration::from_secs(6 * 3600);

/// Writes its own number to a file and becomes the program: so we know whom to kill.
const NOTED: &str = "echo $$ > \"$0\"; log=$1; shift; exec \"$@\" >> \"$log\" 2>&1";

/// A program that runs beside us, and dies with us.
pub struct Process {
    name: String,
    dir: PathBuf,
    program: PathBuf,
    args: Vec<String>,
    stop: Stop,
    thread: Option<JoinHandle<Ended>>,
}

impl Process {
    fn start(dir: &Path, name: &str, program: &Path, args: &[String]) -> Result<Process> {
        let (name, dir, program) = (name.to_string(), dir.to_path_buf(), program.to_path_buf());
        let (args, stop) = (args.to_vec(), Stop::new());
        let mut process = Process { name, dir, program, args, stop, thread: None };
        process.start_again()?;
        Ok(process)
    }

    fn pid_file(&self) -> PathBuf {
        self.dir.join(format!("{}.pid", self.name))
    }

    /// Starts it anew with the same arguments.
    pub fn start_again(&mut self) -> Result<()> {
        self.thread.take().map(JoinHandle::join);
        let pid = self.pid_file();
        // Gone first, so that nobody is killed by an old number.
        let _ = fs::remove_file(&pid);
        let run = Run::new("sh", WALL)
            .args(["-c", NOTED])
            .arg(&pid)
            .arg(self.dir.join(format!("{}.log", self.name)))
            .arg(&self.program)
            .args(&self.args)
            .cwd(&self.dir)
            .stop(&self.stop);
        self.thread = Some(thread::spawn(move || run.finish()));
        let begin = Instant::now();
        while !fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n')) {
            if begin.elapsed() > Duration::from_secs(20) {
                bail!("{} does not start", self.name);
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Whether it has not ended.
    pub fn is_running(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    fn signal(&self, signal: &str) -> Result<()> {
        let pid = fs::read_to_string(self.pid_file())?;
        // It may have ended by itself.
        Run::new("kill", Duration::from_secs(10)).args([signal, pid.trim()]).finish();
        Ok(())
    }

    /// Kills it without a warning, and nothing that it started.
    pub fn kill(&mut self) -> Result<()> {
        self.signal("-KILL")?;
        self.end().map(|_| ())
    }

    /// Tells it to end; what it used.
    pub fn finish(&mut self) -> Result<Finished> {
        self.signal("-TERM")?;
        self.end()
    }

    /// Waits for its end.
    fn end(&mut self) -> Result<Finished> {
        let thread = self.thread.take().with_context(|| format!("{} does not run", self.name))?;
        match thread.join() {
            Ok(Ended::Finished(done)) => Ok(done),
            other => bail!("{}: {other:?}", self.name),
        }
    }

    /// How it ended, of one that ended by itself.
    pub fn last(&mut self) -> Result<Status> {
        Ok(self.end()?.status)
    }

    /// Waits for its end; what it used.
    pub fn wait(&mut self) -> Result<Finished> {
        self.end()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop.set();
        self.thread.take().map(JoinHandle::join);
    }
}

/// NATS servers.
pub struct Stage {
    dir: PathBuf,
    ports: Vec<u16>,
    monitors: Vec<u16>,
    servers: Vec<Process>,
}

impl Stage {
    /// Starts servers that form a cluster, if there are several, with everything under `dir`.
    pub fn servers(dir: &Path, n: usize) -> Result<Stage> {
        // Ports that were free a moment ago, all held until all are known.
        let held: Vec<TcpListener> =
            (0..3 * n).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<_, _>>()?;
        let ports: Vec<u16> =
            held.iter().map(|l| Ok(l.local_addr()?.port())).collect::<Result<_>>()?;
        drop(held);
        let (clients, rest) = ports.split_at(n);
        let (routes, monitors) = rest.split_at(n);
        let others: Vec<String> =
            routes.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        let mut servers = Vec::new();
        for at in 0..n {
            let name = format!("nats-{at}");
            let data = dir.join(&name).display().to_string();
            let mut args: Vec<String> =
                vec!["-js".into(), "-sd".into(), data, "-n".into(), name.clone()];
            args.extend(["-a".into(), "127.0.0.1".into(), "-p".into(), clients[at].to_string()]);
            args.extend(["-m".into(), monitors[at].to_string()]);
            if n > 1 {
                args.extend([
                    "--cluster".into(),
                    others[at].clone(),
                    "--cluster_name".into(),
                    "gainsay".into(),
                ]);
                args.extend(["--routes".into(), others.join(",")]);
            }
            servers.push(Process::start(dir, &name, &nats_server()?, &args)?);
        }
        let stage = Stage {
            dir: dir.to_path_buf(),
            ports: clients.to_vec(),
            monitors: monitors.to_vec(),
            servers,
        };
        stage.await_ready(n)?;
        Ok(stage)
    }

    /// A cluster answers when it has chosen a leader.
    fn await_ready(&self, n: usize) -> Result<()> {
        let begin = Instant::now();
        let sign = if n > 1 { "JetStream cluster new metadata leader" } else { "Server is ready" };
        let ready = || {
            (0..n).any(|at| {
                let log = fs::read_to_string(self.dir.join(format!("nats-{at}.log")));
                log.is_ok_and(|log| log.contains(sign))
            })
        };
        while !ready() {
            if begin.elapsed() > Duration::from_secs(60) {
                bail!(
                    "the NATS servers do not come up: {} tells more",
                    self.dir.join("nats-0.log").display()
                );
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// The addresses of all servers.
    pub fn address(&self) -> String {
        let all = self.ports.iter().map(|port| format!("nats://127.0.0.1:{port}"));
        all.collect::<Vec<_>>().join(",")
    }

    /// Bytes that went in and out of the servers so far.
    pub fn bytes(&self) -> Result<u64> {
        let mut all = 0;
        for &port in &self.monitors {
            let told = monitor(port, "/varz")?;
            all += told["in_bytes"].as_u64().unwrap_or(0) + told["out_bytes"].as_u64().unwrap_or(0);
        }
        Ok(all)
    }

    /// Starts a process of ours.
    pub fn start(&mut self, name: &str, program: &Path, args: &[String]) -> Result<Process> {
        Process::start(&self.dir, name, program, args)
    }

    /// Kills a server.
    pub fn kill_server(&mut self, n: usize) -> Result<()> {
        self.servers[n].kill()
    }

    /// Starts a server again.
    pub fn restart_server(&mut self, n: usize) -> Result<()> {
        self.servers[n].start_again()
    }

    /// Ends the servers; what they used.
    pub fn finish(mut self) -> Result<Duration> {
        self.servers.iter_mut().map(|server| Ok(server.finish()?.cpu)).sum()
    }
}

/// A page of a server's monitor.
fn monitor(port: u16, page: &str) -> Result<Value> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    write!(stream, "GET {page} HTTP/1.0\r\nHost: localhost\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let (_, body) = text.split_once("\r\n\r\n").context("the monitor gave no page")?;
    Ok(serde_json::from_str(body)?)
}

fn nats_server() -> Result<PathBuf> {
    // Debian installs it where only the administrator's path leads.
    let places = ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"];
    let found = places.iter().map(PathBuf::from).find(|path| path.is_file());
    found
        .or_else(|| toolchain::on_path("nats-server"))
        .context("there is no nats-server: cargo xtask setup")
}
