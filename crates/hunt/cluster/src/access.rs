//! Connecting to the servers: addresses, credentials, TLS; one sentence for each mistake.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, ServerAddr};

/// A server that does not answer in this time is taken for absent.
const CONNECT: Duration = Duration::from_secs(5);

/// Requests that are not answered in this time are tried again: a new leader is found within it.
pub const REQUEST: Duration = Duration::from_secs(5);

/// How to reach the servers.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Addresses, one or several: `nats://host:4222`, `tls://user:password@host`.
    pub servers: Vec<String>,
    /// Who we are, if servers ask for it.
    pub secret: Option<Secret>,
    /// The certificates to trust, in place of the system's own.
    pub ca: Option<PathBuf>,
    /// Our own certificate and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// TLS before the server says a word.
    pub tls_first: bool,
}

/// What proves who we are.
#[derive(Clone)]
pub enum Secret {
    /// A creds file, of JWT and seed.
    Creds(PathBuf),
    /// A user and a password.
    User(String, String),
    /// A token.
    Token(String),
    /// The seed of an nkey.
    Nkey(String),
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Secret::Creds(_) => "Creds",
            Secret::User(..) => "User",
            Secret::Token(_) => "Token",
            Secret::Nkey(_) => "Nkey",
        })
    }
}

impl Access {
    /// The addresses as they may be shown: without passwords.
    pub fn shown(&self) -> String {
        let plain = |server: &String| match server.rsplit_once('@') {
            Some((before, host)) => {
                let scheme = before.split_once("://").map_or("nats", |(scheme, _)| scheme);
                format!("{scheme}://{host}")
            }
            None => server.clone(),
        };
        self.servers.iter().map(plain).collect::<Vec<_>>().join(",")
    }

    /// Addresses without what is secret in them, and the secret: what stands in the address counts where
    /// nothing else was given.
    fn addresses(&self) -> Result<(Vec<ServerAddr>, Option<Secret>)> {
        let mut secret = self.secret.clone();
        let mut all = Vec::new();
        for server in &self.servers {
            let wrong = || {
                format!("{} is not the address of a NATS server (nats://host:4222)", self.shown())
            };
            let address: ServerAddr = server.parse().with_context(wrong)?;
            let inside = match (address.username(), address.password()) {
                (Some(user), Some(password)) => Some(Secret::User(user.into(), password.into())),
                (Some(token), None) => Some(Secret::Token(token.into())),
                _ => None,
            };
            secret = secret.or(inside);
            all.push(address);
        }
        if all.is_empty() {
            bail!("no address of a NATS server given (nats://host:4222)");
        }
        Ok((all, secret))
    }

    fn wants_tls(&self) -> bool {
        let by_name = |server: &String| server.starts_with("tls://");
        self.ca.is_some()
            || self.certificate.is_some()
            || self.tls_first
            || self.servers.iter().any(by_name)
    }

    /// Connects, or says in one sentence why not.
    pub async fn connect(&self, name: &str) -> Result<Client> {
        let (addresses, secret) = self.addresses()?;
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(CONNECT)
            .request_timeout(Some(REQUEST))
            .require_tls(self.wants_tls());
        let guarded = secret.is_some();
        options = match secret {
            None => options,
            Some(Secret::User(user, password)) => options.user_and_password(user, password),
            Some(Secret::Token(token)) => options.token(token),
            Some(Secret::Nkey(seed)) => options.nkey(seed),
            Some(Secret::Creds(path)) => {
                options.credentials_file(&path).await.with_context(|| {
                    format!(
                        "the credentials {} cannot be used (a creds file of NATS)",
                        path.display()
                    )
                })?
            }
        };
        if let Some(ca) = &self.ca {
            readable(ca)?;
            options = options.add_root_certificates(ca.clone());
        }
        if let Some((certificate, key)) = &self.certificate {
            readable(certificate)?;
            readable(key)?;
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        if self.tls_first {
            options = options.tls_first();
        }
        let client = options.connect(addresses).await.map_err(|error| self.sentence(&error))?;
        if guarded && !client.server_info().auth_required {
            bail!(
                "the server at {} does not ask for credentials, and some were given: it is not the one \
                 that was meant, or not set up; leave them out if that is right",
                self.shown()
            );
        }
        Ok(client)
    }

    fn sentence(&self, error: &async_nats::ConnectError) -> anyhow::Error {
        let at = self.shown();
        let told = match error.kind() {
            ConnectErrorKind::AuthorizationViolation => format!(
                "the server at {at} does not accept these credentials: give --creds FILE, or \
                 nats://USER:PASSWORD@HOST"
            ),
            ConnectErrorKind::Authentication => {
                format!("the credentials for {at} cannot be used: {error}")
            }
            _ if is_about_trust(error) => {
                format!(
                    "the certificate of the server at {at} is not trusted: {error}; --tls-ca FILE names an authority to trust"
                )
            }
            ConnectErrorKind::Dns | ConnectErrorKind::ServerParse => {
                format!("the address {at} does not lead to a server: {error}")
            }
            ConnectErrorKind::Io
            | ConnectErrorKind::Tls
            | ConnectErrorKind::TimedOut
            | ConnectErrorKind::MaxReconnects => {
                format!(
                    "no NATS server answers at {at} ({error}): start one with `nats-server -js`"
                )
            }
        };
        anyhow::anyhow!(told)
    }
}

/// Whether the other side spoke, but not as TLS must: the TLS library says so by "invalid data".
fn is_about_trust(error: &async_nats::ConnectError) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    let mut found = error.kind() == ConnectErrorKind::Tls;
    while let Some(error) = cause {
        let io = error.downcast_ref::<std::io::Error>();
        found |= io.is_some_and(|io| io.kind() == std::io::ErrorKind::InvalidData);
        cause = error.source();
    }
    found
}

fn readable(path: &PathBuf) -> Result<()> {
    std::fs::File::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(server: &str) -> Access {
        Access { servers: vec![server.into()], ..Access::default() }
    }

    #[test]
    fn secrets_come_from_the_address_and_are_not_shown() {
        let of = |server: &str| access(server).addresses().expect("an address").1;
        assert!(of("nats://host:4222").is_none());
        assert!(
            matches!(of("nats://a:b@host"), Some(Secret::User(u, p)) if (&*u, &*p) == ("a", "b"))
        );
        assert!(matches!(of("nats://t@host"), Some(Secret::Token(t)) if t == "t"));
        let both = Access {
            servers: vec!["tls://a:s3cret@one".into(), "nats://two:4222".into()],
            secret: Some(Secret::Token("s3cret".into())),
            ..Access::default()
        };
        assert_eq!(both.shown(), "tls://one,nats://two:4222");
        assert!(!format!("{:?}", both.secret).contains("s3cret"));
        assert!(both.wants_tls() && !access("nats://host").wants_tls());
        assert!(matches!(both.addresses().expect("addresses").1, Some(Secret::Token(_))));
    }
}
