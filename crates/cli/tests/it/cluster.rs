//! `gainsay hunt --cluster` and `gainsay worker` through the binary, over Debian's nats-server on loopback:
//! the same findings as a local hunt, parts of the targets, credentials, and one sentence for each mistake.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use sandbox::{Ended, Finished, Run, Scratch, Status, Stop};
use serde_json::Value;

const WALL: Duration = Duration::from_secs(300);

/// Dies at -O1 on programs of a hunt and on reduced ones, but not on its probes.
const FAULTY: &str = r#"#!/bin/sh
case " $* " in
*" -O1 "*)
    case " $* " in *" func.c "*|*" test.c "*)
        echo "func.c:3:1: internal compiler error: in extract_insn, at recog.cc:2791" >&2
        exit 1 ;;
    esac ;;
esac
exec gcc "$@"
"#;

/// Kills the worker that tests with it, which is its shepherd's parent.
const KILLER: &str = r#"#!/bin/sh
case " $* " in *" func.c "*)
    kill -KILL "$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$PPID/status")"
    exit 1 ;;
esac
exec gcc "$@"
"#;

/// A program that runs beside the test and dies with it.
struct Beside {
    stop: Stop,
    thread: Option<JoinHandle<Ended>>,
}

impl Beside {
    fn start(run: Run) -> Beside {
        let stop = Stop::new();
        let run = run.stop(&stop);
        Beside { stop, thread: Some(thread::spawn(move || run.finish())) }
    }

    /// Ends it; what it had printed.
    fn end(mut self) -> Finished {
        self.stop.set();
        match self.thread.take().expect("it runs").join().expect("no panic") {
            Ended::Finished(done) | Ended::Killed(_, done) => done,
            other => panic!("{other:?}"),
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.stop.set();
        self.thread.take().map(JoinHandle::join);
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port()
}

/// A server with these further arguments; its port.
fn server(dir: &Path, more: &[&str]) -> (Beside, u16) {
    let port = free_port();
    let program = ["/usr/sbin/nats-server", "/usr/bin/nats-server"].map(PathBuf::from);
    let program = program.iter().find(|path| path.is_file());
    let program = program.expect("nats-server is installed by cargo xtask setup");
    let log = dir.join("nats.log");
    let run = Run::new(program, WALL)
        .args(["-a", "127.0.0.1", "-p", &port.to_string(), "-l"])
        .arg(&log)
        .args(more)
        .cwd(dir);
    let server = Beside::start(run);
    let begin = Instant::now();
    while !fs::read_to_string(&log).is_ok_and(|text| text.contains("Server is ready")) {
        assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", fs::read_to_string(&log));
        thread::sleep(Duration::from_millis(20));
    }
    (server, port)
}

fn gainsay(dir: &Path, args: &[&str]) -> Run {
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), WALL).args(args).cwd(dir);
    // What the one who tests may have set for his own servers.
    ["CREDS", "NKEY", "TOKEN", "USER", "PASSWORD", "CA", "CERT", "KEY"]
        .iter()
        .fold(run, |run, name| run.env(format!("NATS_{name}"), ""))
}

fn finish(run: Run) -> Finished {
    match run.finish() {
        Ended::Finished(done) => done,
        other => panic!("{other:?}"),
    }
}

/// A folder with compilers that are told of by full paths, so that they are the same everywhere.
fn folder() -> Scratch {
    let scratch = Scratch::new().expect("a temporary folder");
    for (name, text) in [("faulty.sh", FAULTY), ("killer.sh", KILLER)] {
        fs::write(scratch.file(name), text).expect("it is written");
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(scratch.file(name), executable).expect("it is executable");
    }
    let compiler = |name: &str, levels: &str| {
        let path = scratch.file(format!("{name}.sh")).display().to_string();
        format!(
            "[[compiler]]\nname = \"{name}\"\npath = {path:?}\nfamily = \"gcc\"\nlevels = [{levels}]\n"
        )
    };
    let faulty = compiler("faulty", "\"-O0\", \"-O1\", \"-O2\"");
    let compilers = faulty + &compiler("killer", "\"-O0\"");
    fs::write(scratch.file("gainsay.toml"), format!("extras_per_test = 0\n{compilers}"))
        .expect("it is written");
    fs::write(scratch.file("small.toml"), "program.tests = [1, 1]\n").expect("it is written");
    scratch
}

const HUNT: [&str; 9] =
    ["hunt", "--cc", "faulty", "--policy", "small.toml", "--seed", "5", "--json", "--tests"];

fn events(done: &Finished) -> Vec<Value> {
    done.stdout.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Seeds, signatures and targets of all findings, sorted.
fn found(done: &Finished) -> Vec<String> {
    let findings = events(done).into_iter().filter(|event| event["event"] == "finding");
    let mut all: Vec<String> = findings
        .map(|f| format!("{} {} {} {}", f["engine"], f["seed"], f["signature"], f["targets"]))
        .collect();
    all.sort();
    all
}

fn words(done: &Finished) -> String {
    let words = events(done).into_iter().filter(|event| event["event"] == "word");
    words.map(|word| format!("{}\n", word["text"].as_str().unwrap_or_default())).collect()
}

#[test]
fn a_cluster_finds_what_a_local_hunt_finds_and_goes_on_where_it_was() {
    let scratch = folder();
    let dir = scratch.path();
    let (_server, port) = server(dir, &["-js", "-sd", "data"]);
    let at = format!("nats://127.0.0.1:{port}");
    // Another folder: everything that a worker needs comes over the wire.
    let elsewhere = Scratch::new().expect("a temporary folder");
    let workers = [1, 2].map(|_| {
        Beside::start(gainsay(elsewhere.path(), &["worker", "--join", &at, "--jobs", "1"]))
    });
    let cluster = ["--cluster", &at, "--lease", "3s", "--no-reduce", "--hunt", "far"];
    let first = finish(gainsay(dir, &[&HUNT[..], &["4"], &cluster].concat()));
    assert_eq!(first.status, Status::Exit(1), "{}{}", first.stdout.text(), first.stderr.text());
    assert!(words(&first).contains(" joined: 1 job, faulty\n"), "{}", words(&first));
    let again = finish(gainsay(dir, &[&HUNT[..], &["7"], &cluster].concat()));
    let near = finish(gainsay(dir, &[&HUNT[..], &["7", "--no-reduce", "--hunt", "near"]].concat()));
    let far = [found(&first), found(&again)].concat();
    assert_eq!(found(&first).len(), 4, "{:?}", found(&first));
    let mut far_sorted = far.clone();
    far_sorted.sort();
    assert_eq!(far_sorted, found(&near));
    let end = events(&again).pop().expect("an end");
    assert_eq!((&end["tests"], &end["tests_now"]), (&7.into(), &3.into()));
    assert_eq!(end["targets"]["faulty -O1"]["failed"], 7);
    // What was found there can be shown here.
    let shown = finish(gainsay(dir, &["show", "1", "--hunt", "far"])).stdout.text();
    assert!(
        shown.contains("gainsay gen --engine yarp --seed") && shown.contains("--policy small.toml"),
        "{shown}"
    );
    for worker in workers {
        let told = worker.end().stdout.text();
        assert!(
            told.contains("taking part in the hunt of ") && told.contains("waiting for a hunt"),
            "{told}"
        );
    }
}

#[test]
fn each_bug_is_reduced_once() {
    let scratch = folder();
    let dir = scratch.path();
    let (_server, port) = server(dir, &["-js", "-sd", "data"]);
    let at = format!("nats://127.0.0.1:{port}");
    let _workers =
        [1, 2].map(|_| Beside::start(gainsay(dir, &["worker", "--join", &at, "--jobs", "1"])));
    let done =
        finish(gainsay(dir, &[&HUNT[..], &["3", "--cluster", &at, "--lease", "3s"]].concat()));
    let studies: Vec<Value> =
        events(&done).into_iter().filter(|event| event["event"] == "study").collect();
    let [study] = &studies[..] else { panic!("{}", done.stdout.text()) };
    assert_eq!((&study["compiler"], &study["flags"]), (&"faulty".into(), &vec!["-O1"].into()));
    let shown = finish(gainsay(dir, &["show", "1"])).stdout.text();
    assert!(shown.contains("faulty.sh -O1 "), "{shown}");
}

/// What a page answers; nothing while there is nobody to answer.
fn page(port: u16, path: &str) -> String {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return String::new() };
    let request = format!("GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it is sent");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn a_hunt_is_looked_at_from_elsewhere() {
    let scratch = folder();
    let dir = scratch.path();
    // Messages are small here, so that pages do not fit into one.
    let config = "jetstream { store_dir: data }\nmax_payload: 20000\n";
    fs::write(scratch.file("nats.conf"), config).expect("it is written");
    let (_server, port) = server(dir, &["-c", "nats.conf"]);
    let at = format!("nats://127.0.0.1:{port}");
    let look = ["serve", "--cluster", &at];
    mistake(gainsay(dir, &look), "no coordinator of a hunt answers on nats://127.0.0.1:");
    let _worker = Beside::start(gainsay(dir, &["worker", "--join", &at, "--jobs", "1"]));
    let hunt = Beside::start(gainsay(dir, &[&HUNT[..], &["999", "--cluster", &at]].concat()));
    let elsewhere = Scratch::new().expect("a temporary folder");
    let port = free_port();
    let listen = format!("127.0.0.1:{port}");
    // There is nobody to look at until the hunt has begun.
    let again = "until \"$0\" serve --cluster \"$1\" --listen \"$2\"; do sleep 0.2; done";
    let args = ["-c", again, env!("CARGO_BIN_EXE_gainsay"), &at, &listen];
    let _page = Beside::start(Run::new("sh", WALL).args(args).cwd(elsewhere.path()));
    let begin = Instant::now();
    while !page(port, "/findings").contains("extract_insn") {
        assert!(begin.elapsed() < Duration::from_secs(100), "{}", page(port, "/"));
        thread::sleep(Duration::from_millis(100));
    }
    let finding = page(port, "/finding/1");
    assert!(finding.contains("internal compiler error") && finding.contains("faulty -O1"));
    assert!(page(port, "/finding/1/report.zip").contains("application/zip"));
    assert!(page(port, "/finding/999").starts_with("HTTP/1.0 404"));
    // What was last seen stays.
    hunt.end();
    thread::sleep(Duration::from_secs(3));
    assert!(page(port, "/findings").contains("extract_insn"));
}

#[test]
fn a_worker_without_the_targets_says_so_and_one_with_a_part_does_its_part() {
    let scratch = folder();
    let dir = scratch.path();
    let (_server, port) = server(dir, &["-js", "-sd", "data"]);
    let at = format!("nats://127.0.0.1:{port}");
    let _worker = Beside::start(gainsay(dir, &["worker", "--join", &at, "--jobs", "1"]));
    let none =
        ["hunt", "--cc", "gcc-99", "--for", "6s", "--json", "--cluster", &at, "--hunt", "none"];
    let done = finish(gainsay(dir, &none));
    assert!(words(&done).contains("cannot take part in this hunt: "), "{}", words(&done));
    assert!(words(&done).contains("gcc-99"), "{}", words(&done));
    // One compiler of two is there.
    let part =
        [&HUNT[..], &["2", "--cc", "gcc-99", "--cluster", &at, "--no-reduce", "--hunt", "part"]]
            .concat();
    let done = finish(gainsay(dir, &part));
    assert!(words(&done).contains(" joined: 1 job, faulty\n"), "{}", words(&done));
    assert_eq!(found(&done).len(), 2, "{}{}", done.stdout.text(), done.stderr.text());
}

#[test]
fn a_test_that_kills_workers_is_set_aside_and_told() {
    let scratch = folder();
    let dir = scratch.path();
    let (_server, port) = server(dir, &["-js", "-sd", "data"]);
    let at = format!("nats://127.0.0.1:{port}");
    // Somebody starts it again each time.
    let again = "while :; do \"$0\" worker --join \"$1\" --jobs 1; sleep 0.1; done";
    let run = Run::new("sh", WALL).args(["-c", again, env!("CARGO_BIN_EXE_gainsay"), &at]).cwd(dir);
    let _worker = Beside::start(run);
    let hunt = [
        "hunt",
        "--cc",
        "killer",
        "--policy",
        "small.toml",
        "--seed",
        "5",
        "--json",
        "--tests",
        "1",
    ];
    let patience = ["--cluster", &at, "--lease", "2s", "--deliveries", "2"];
    let done = finish(gainsay(dir, &[&hunt[..], &patience].concat()));
    let told = "set aside: 2 workers did not finish it";
    assert!(words(&done).contains(&format!(" seed 5 is {told}\n")), "{}", done.stdout.text());
    let end = events(&done).pop().expect("an end");
    assert_eq!((&end["tests"], &end["skipped"][told]), (&1.into(), &1.into()), "{end}");
}

#[track_caller]
fn mistake(run: Run, sentence: &str) {
    let done = finish(run);
    let told = done.stderr.text();
    assert_eq!(done.status, Status::Exit(2), "{told}");
    assert!(told.contains(sentence), "{sentence:?} in {told}");
}

#[test]
fn every_mistake_gets_a_sentence() {
    let scratch = folder();
    let dir = scratch.path();
    let worker =
        |at: &str, more: &[&str]| gainsay(dir, &[&["worker", "--join", at], more].concat());
    let hunt = |at: &str| gainsay(dir, &["hunt", "--cluster", at]);
    mistake(worker("nats://127.0.0.1:1", &[]), "no NATS server answers at nats://127.0.0.1:1");
    mistake(hunt("nats://127.0.0.1:1"), "start one with `nats-server -js`");
    mistake(worker("nats://127.0.0.1:1", &["--jobs", "0"]), "--jobs must be at least 1");
    mistake(
        worker("nats://127.0.0.1:1", &["--tls-cert", "x"]),
        "--tls-cert and --tls-key go together",
    );
    mistake(worker("nats://127.0.0.1:1", &["--creds", "none.creds"]), "none.creds cannot be used");
    mistake(worker("nats://127.0.0.1:1", &["--tls-ca", "none.pem"]), "none.pem cannot be read");

    let (_plain, port) = server(dir, &[]);
    let at = format!("nats://127.0.0.1:{port}");
    mistake(worker(&at, &[]), "JetStream is not enabled on the server at");
    mistake(hunt(&at), "start it with `nats-server -js`");
    let with_secret = format!("nats://me:secret@127.0.0.1:{port}");
    mistake(worker(&with_secret, &[]), "does not ask for credentials, and some were given");
    certificates(dir);
    mistake(worker(&at, &["--tls-ca", "ca.pem"]), "the certificate of the server at");
}

/// An authority, and a certificate of it for both ends.
fn certificates(dir: &Path) {
    let script = "set -e
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 2 \\
            -subj /CN=test -addext basicConstraints=critical,CA:TRUE
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout own.key -out own.csr -subj /CN=localhost
        printf 'subjectAltName=IP:127.0.0.1\\nextendedKeyUsage=serverAuth,clientAuth\\n' > ext
        openssl x509 -req -in own.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out own.pem -days 2 -extfile ext";
    let done = finish(Run::new("sh", WALL).args(["-c", script]).cwd(dir));
    assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
}

#[test]
fn nothing_is_said_to_a_server_that_is_not_trusted() {
    let scratch = folder();
    let dir = scratch.path();
    certificates(dir);
    let tls = [
        "--tls",
        "--tlscert",
        "own.pem",
        "--tlskey",
        "own.key",
        "--tlsverify",
        "--tlscacert",
        "ca.pem",
    ];
    let (_server, port) = server(dir, &[&["-js", "-sd", "data"], &tls[..]].concat());
    let at = format!("tls://127.0.0.1:{port}");
    let ours = ["--tls-ca", "ca.pem", "--tls-cert", "own.pem", "--tls-key", "own.key"];
    mistake(gainsay(dir, &["worker", "--join", &at]), "the certificate of the server at");
    mistake(
        gainsay(dir, &["worker", "--join", &at, "--tls-ca", "ca.pem"]),
        "the certificate of the server at",
    );
    let _worker = Beside::start(gainsay(
        dir,
        &[&["worker", "--join", &at, "--jobs", "2"], &ours[..]].concat(),
    ));
    let hunt = [&HUNT[..], &["2", "--cluster", &at, "--no-reduce"], &ours].concat();
    let done = finish(gainsay(dir, &hunt));
    assert_eq!(found(&done).len(), 2, "{}{}", done.stdout.text(), done.stderr.text());
}

#[test]
fn credentials_are_asked_for_and_given() {
    let scratch = folder();
    let dir = scratch.path();
    let (_server, port) = server(dir, &["-js", "-sd", "data", "--user", "me", "--pass", "secret"]);
    let at = format!("nats://127.0.0.1:{port}");
    mistake(gainsay(dir, &["worker", "--join", &at]), "does not accept these credentials");
    let wrong = format!("nats://me:wrong@127.0.0.1:{port}");
    mistake(gainsay(dir, &["hunt", "--cluster", &wrong]), "does not accept these credentials");
    let right = format!("nats://me:secret@127.0.0.1:{port}");
    let by_name = gainsay(dir, &["worker", "--join", &at, "--jobs", "2"]);
    let worker = Beside::start(by_name.env("NATS_USER", "me").env("NATS_PASSWORD", "secret"));
    let hunt = [&HUNT[..], &["2", "--cluster", &right, "--no-reduce"]].concat();
    let done = finish(gainsay(dir, &hunt));
    assert_eq!(found(&done).len(), 2, "{}{}", done.stdout.text(), done.stderr.text());
    assert!(!worker.end().stdout.text().contains("secret"));
}

/// An example of NATS's documentation: the secret of a user, and its public key.
const NKEY: (&str, &str) = (
    "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY",
    "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4",
);

#[test]
fn tokens_and_keys_are_credentials_too() {
    let scratch = folder();
    let dir = scratch.path();
    let (secret, public) = NKEY;
    let config = format!(
        "jetstream {{ store_dir: keyed }}\nauthorization {{ users = [ {{ nkey: {public} }} ] }}\n"
    );
    fs::write(scratch.file("nats.conf"), config).expect("it is written");
    for (server_args, name, value) in [
        (&["-js", "-sd", "data", "--auth", "sesame"][..], "NATS_TOKEN", "sesame"),
        (&["-c", "nats.conf"], "NATS_NKEY", secret),
    ] {
        let (_server, port) = server(dir, server_args);
        let at = format!("nats://127.0.0.1:{port}");
        let join = ["worker", "--join", &at, "--jobs", "2"];
        mistake(gainsay(dir, &join), "does not accept these credentials");
        let _worker = Beside::start(gainsay(dir, &join).env(name, value));
        let hunt = [&HUNT[..], &["1", "--cluster", &at, "--no-reduce", "--hunt", name]].concat();
        let done = finish(gainsay(dir, &hunt).env(name, value));
        assert_eq!(found(&done).len(), 1, "{}{}", done.stdout.text(), done.stderr.text());
        fs::remove_file(scratch.file("nats.log")).expect("it is removed");
    }
}
