//! Clusters: the arguments that lead to NATS servers, and what workers need of a hunt's own.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use cluster::{Access, Coordinator, Options, Secret};

use crate::hunt::options::Hunt;

/// How NATS servers are reached.
#[derive(ClapArgs, Clone, Debug, Default)]
#[command(next_help_heading = "Many machines")]
pub struct Nats {
    /// A creds file for the NATS servers
    ///
    /// Or NATS_CREDS; or NATS_NKEY, NATS_TOKEN, NATS_USER and NATS_PASSWORD; or nats://USER:PASSWORD@HOST and
    /// nats://TOKEN@HOST.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub creds: Option<PathBuf>,
    /// Certificates to trust the NATS servers by; servers without TLS are refused. Or NATS_CA
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub tls_ca: Option<PathBuf>,
    /// Our own certificate for them, with --tls-key. Or NATS_CERT and NATS_KEY
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub tls_cert: Option<PathBuf>,
    /// The key of --tls-cert
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub tls_key: Option<PathBuf>,
    /// TLS before the server's first word, for servers with `handshake_first`
    #[arg(long, hide_short_help = true)]
    pub tls_first: bool,
}

impl Nats {
    /// The way to these servers.
    pub fn access(&self, servers: &[String]) -> Result<Access> {
        let said = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let file =
            |given: &Option<PathBuf>, name: &str| given.clone().or(said(name).map(Into::into));
        let secret = file(&self.creds, "NATS_CREDS")
            .map(Secret::Creds)
            .or_else(|| said("NATS_NKEY").map(Secret::Nkey))
            .or_else(|| said("NATS_TOKEN").map(Secret::Token))
            .or_else(|| Some(Secret::User(said("NATS_USER")?, said("NATS_PASSWORD")?)));
        let certificate = (file(&self.tls_cert, "NATS_CERT"), file(&self.tls_key, "NATS_KEY"));
        let certificate = match certificate {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => bail!("--tls-cert and --tls-key go together: give both"),
        };
        Ok(Access {
            servers: servers.to_vec(),
            secret,
            ca: file(&self.tls_ca, "NATS_CA"),
            certificate,
            tls_first: self.tls_first,
        })
    }
}

/// A hunt over many machines; by default over none.
#[derive(ClapArgs, Clone, Debug, Default)]
#[command(next_help_heading = "Many machines")]
pub struct Cluster {
    /// Let workers on other machines test, over these NATS servers
    ///
    /// The servers need JetStream; `gainsay worker --join` starts a worker. This process coordinates and keeps the findings. --cc then chooses among each worker's compilers.
    #[arg(long, value_name = "nats://HOST:PORT", value_delimiter = ',')]
    pub cluster: Vec<String>,
    /// With --cluster: a worker that is silent for so long is taken for dead
    #[arg(
        long,
        value_name = "TIME",
        value_parser = crate::human::duration,
        default_value = "30s",
        hide_short_help = true
    )]
    pub lease: Duration,
    /// With --cluster: tests that this many workers did not finish are set aside
    #[arg(
        long,
        value_name = "N",
        default_value_t = 5,
        value_parser = clap::value_parser!(u32).range(1..),
        hide_short_help = true
    )]
    pub deliveries: u32,
    /// With --cluster: how many servers keep each message; by default 3 where servers form a cluster, else 1
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u8).range(1..=5),
        hide_short_help = true
    )]
    pub replicas: Option<u8>,
    #[command(flatten)]
    pub nats: Nats,
}

/// Connects as the coordinator of a hunt; `None` for a local one.
pub fn coordinator(args: &Hunt) -> Result<Option<Coordinator>> {
    if args.cluster.cluster.is_empty() {
        return Ok(None);
    }
    if args.cluster.lease < Duration::from_secs(1) {
        bail!("--lease must be at least 1s: a busy machine is silent for moments");
    }
    // Found unasked or asked for, the configuration is the same for all.
    let workload = args.workload.for_workers(super::hunt::config_file(args));
    let mut files: Vec<PathBuf> = workload.config.iter().cloned().collect();
    let named = [PathBuf::from(&workload.yarp.policy), PathBuf::from(&workload.smith.relax)];
    files.extend(named.into_iter().filter(|path| path.is_file()));
    let of_files = workload.files.from.iter().chain(&workload.files.include);
    files.extend(of_files.chain(&workload.crossover.corpus).cloned());
    let options = Options {
        workload: serde_json::to_value(&workload)?,
        files,
        lease: args.cluster.lease,
        deliveries: args.cluster.deliveries,
        replicas: args.cluster.replicas.map(usize::from),
        name: this_process(),
    };
    let access = args.cluster.nats.access(&args.cluster.cluster)?;
    Coordinator::connect(&access, options).map(Some)
}

/// This process among all machines: `host-1234`.
pub fn this_process() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let host: String = host.trim().chars().map(plain).collect();
    format!("{}-{}", if host.is_empty() { "host" } else { &host }, std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Command, parse};
    use crate::hunt::options::Workload;

    fn typed(line: &str) -> Hunt {
        let words: Vec<_> =
            ["gainsay"].into_iter().chain(line.split(' ')).map(Into::into).collect();
        let Ok(Command::Hunt(hunt)) = parse(&words).map(|args| args.command) else {
            panic!("{line}")
        };
        *hunt
    }

    fn sent(line: &str) -> serde_json::Value {
        serde_json::to_value(typed(line).workload.for_workers(None)).expect("JSON")
    }

    const TYPED: &str = "hunt --engine yarp,emi --cc gcc* --policy p.toml -I inc --from x --strategy orion \
                         --relax crash --no-bitfields --max-funcs 3 --length 5-7";

    #[test]
    fn workers_get_what_says_what_is_tested_and_no_secret() {
        let ours = " --cluster nats://a:secret@h --creds my.creds --tests 5 --jobs=3 --tls-first --hunt=x \
                    --no-reduce --json -v --for 1h --seed 8 --lease 9s";
        // Another time or folder is no other hunt.
        assert_eq!(sent(TYPED), sent(&format!("{TYPED}{ours}")));
        let text = sent(&format!("{TYPED}{ours}")).to_string();
        assert!(!text.contains("secret") && !text.contains("creds"), "{text}");
        assert_ne!(sent(TYPED), sent(&format!("{TYPED} --variants 3")));
    }

    #[test]
    fn what_is_sent_is_what_was_typed() {
        let read: Workload = serde_json::from_value(sent(TYPED)).expect("a workload");
        let hunt = typed(TYPED);
        let meant = hunt.workload.for_workers(None);
        assert_eq!(format!("{read:?}"), format!("{meant:?}"));
        assert!(
            read.given.has("--policy") && read.check_engines().is_err(),
            "--relax is for smith"
        );
    }
}
