//! The server with work that does everything a library can do to a process.
//!
//! This file is its own harness: with the argument `serve` it is a server, with `client` a client that
//! waits to be killed, and else it runs the tests as any test program does.

#![allow(unsafe_code)]

#[path = "server/work.rs"]
mod work;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Trial};
use llvmhost::{CoverageMethod, End, Installed, Limits, Program, Ran, Server, Setup, Signature};
use sandbox::{Run, Scratch, Service};
use work::Misdeeds;

/// A name and what is done with the library.
type Test = (&'static str, fn(&Installed));

const TESTS: &[Test] = &[
    ("good_items_are_done", good_items_are_done),
    ("a_culprit_is_alone", a_culprit_is_alone),
    ("time_ends", time_ends),
    ("the_deaf_are_killed_by_the_clock", the_deaf_are_killed_by_the_clock),
    ("company_is_no_crime", company_is_no_crime),
    ("a_child_killed_from_outside", a_child_killed_from_outside),
    ("a_dead_client_takes_all_along", a_dead_client_takes_all_along),
    ("a_dropped_server_is_gone", a_dropped_server_is_gone),
    ("a_server_that_starts_ends_with_its_client", a_server_that_starts_ends_with_its_client),
    ("nothing_grows", nothing_grows),
    ("breakpoints", breakpoints),
    ("counters", counters),
    ("what_it_executes_is_confined", what_it_executes_is_confined),
    ("what_is_no_library", what_is_no_library),
];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("serve") => {
            // Before the server looks for counters.
            let misdeeds = Misdeeds::new(args.get(1).map(Path::new));
            llvmhost::serve(|_| Ok(misdeeds)).expect("a server")
        }
        Some("slow") => {
            // As if a library took that long to open.
            let slow = |_: &[u8]| {
                let begin = Instant::now();
                while begin.elapsed() < Duration::from_secs(60) {
                    std::hint::black_box(0);
                }
                Ok(Misdeeds::new(None))
            };
            llvmhost::serve(slow).expect("a server")
        }
        Some("client") => client(),
        _ => tests(),
    }
}

fn tests() {
    let trial = |(name, test): &'static Test| {
        Trial::test(*name, move || {
            match Installed::named("16") {
                Ok(library) => test(&library),
                Err(why) => {
                    let in_ci = std::env::var_os("CI").is_some();
                    assert!(!in_ci, "set-up installs LLVM 16, CI skips none: {why}");
                    println!("skipped: {why}");
                }
            }
            Ok(())
        })
    };
    // One looks at what this process has open.
    let args = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&args, TESTS.iter().map(trial).collect()).exit();
}

/// Limits that are soon reached.
const SHORT: Limits = Limits { time: Duration::from_secs(1), memory: 256 << 20 };

fn setup(library: &Installed) -> Setup {
    Setup { library: library.path.clone(), major: library.major, ..Setup::default() }
}

fn program(args: &[&str]) -> Program {
    let path = std::env::current_exe().expect("we are a file");
    Program { path, args: args.iter().map(|arg| arg.to_string()).collect() }
}

fn start(library: &Installed) -> Server {
    Server::start(&program(&["serve"]), &setup(library)).expect("it starts")
}

fn run(server: &mut Server, items: &[&str], limits: Limits) -> Vec<Ran> {
    let bytes = items.iter().map(|item| item.as_bytes().to_vec()).collect();
    let ran = server.run(bytes, limits, false).expect("the server lives");
    assert_eq!(ran.len(), items.len());
    ran
}

/// The end of an item that has others before and behind it, which are done.
fn end_of(server: &mut Server, item: &str, limits: Limits) -> End {
    let mut ran = run(server, &["say before", item, "say behind"], limits);
    for (index, word) in [(0, "before"), (2, "behind")] {
        assert_eq!(
            (&ran[index].end, ran[index].output.as_slice()),
            (&End::Done, word.as_bytes()),
            "{item}"
        );
    }
    let deed = item.split(' ').next().unwrap_or_default();
    assert_eq!(ran[1].artifact, deed.as_bytes(), "what was laid down outlives the child");
    assert_eq!(ran[1].stage, 1);
    assert!(!ran[1].only_in_company, "{item}");
    ran.remove(1).end
}

fn good_items_are_done(library: &Installed) {
    let mut server = start(library);
    assert!(server.release.starts_with("16."), "{}", server.release);
    assert_eq!((server.watch, server.blocks), (CoverageMethod::Off, 0));
    // More than fit one child.
    let items: Vec<String> = (0..600).map(|number| format!("say {number}")).collect();
    let words: Vec<&str> = items.iter().map(String::as_str).collect();
    for (item, ran) in items.iter().zip(run(&mut server, &words, SHORT)) {
        assert_eq!(
            (ran.end, format!("say {}", String::from_utf8_lossy(&ran.output))),
            (End::Done, item.clone())
        );
    }
    assert!(run(&mut server, &[], SHORT).is_empty());
}

fn a_culprit_is_alone(library: &Installed) {
    let server = &mut start(library);
    let signal = |end: End| match end {
        End::Signal(signal, crash) => (signal, crash.is_overflow),
        other => panic!("{other:?}"),
    };
    let signals = [
        ("abort", libc::SIGABRT),
        ("null", libc::SIGSEGV),
        ("breakpoint", libc::SIGTRAP),
        ("undefined", libc::SIGILL),
        ("raise 5", libc::SIGTRAP),
        ("raise 8", libc::SIGFPE),
        ("raise 9", libc::SIGKILL),
        ("raise 15", libc::SIGTERM),
    ];
    for (item, number) in signals {
        assert_eq!(signal(end_of(server, item, SHORT)), (number, false), "{item}");
    }
    assert_eq!(signal(end_of(server, "recurse", SHORT)), (libc::SIGSEGV, true));
    // A function that dies of its first instruction is not the one before it.
    let entry = end_of(server, "entry", SHORT);
    let innermost = entry.crash().and_then(|crash| crash.frames.first());
    assert_eq!(innermost.map(|frame| frame.name()).as_deref(), Some("LLVMGetTarget"), "{entry:?}");
    for status in [0, 3, 77] {
        let end = end_of(server, &format!("exit {status}"), SHORT);
        assert!(matches!(&end, End::Exit(got, _) if *got == status), "{end:?}");
    }
    assert_eq!(end_of(server, "panic at the disco", SHORT), End::Panic("at the disco".into()));
    let hungry = end_of(server, "eat", SHORT);
    assert!(matches!(hungry, End::Memory(_)), "{hungry:?}");
    // Far more than is kept, and more than may be written.
    assert_eq!(
        end_of(server, "print 4000000", Limits { time: Duration::from_secs(60), ..SHORT }),
        End::Done
    );
}

fn time_ends(library: &Installed) {
    let server = &mut start(library);
    let limits = Limits { time: Duration::from_millis(200), ..SHORT };
    let (begin, served) = (Instant::now(), sandbox::served());
    let end = end_of(server, "loop", limits);
    // What ended badly took time as well. The timer counts in ticks, the account does not.
    let accounted = sandbox::served() - served;
    assert!(accounted >= Duration::from_millis(350), "{accounted:?}");
    assert!(matches!(end, End::Time(_)), "{end:?}");
    assert_eq!(Signature::of(&end).map(|signature| signature.key), Some("time limit ".into()));
    // By the processor's time, twice. A busy machine takes longer, but not for ever.
    let took = begin.elapsed();
    assert!(took >= Duration::from_millis(400) && took < Duration::from_secs(6), "{took:?}");
    // As long as anybody could want is no mistake.
    let ever = Limits { time: Duration::MAX, ..SHORT };
    assert_eq!(run(server, &["say word"], ever)[0].end, End::Done);
}

fn the_deaf_are_killed_by_the_clock(library: &Installed) {
    let server = &mut start(library);
    let limits = Limits { time: Duration::from_millis(100), ..SHORT };
    for item in ["deaf", "sleep"] {
        let end = end_of(server, item, limits);
        assert!(matches!(end, End::Time(_)), "{item}: {end:?}");
    }
}

fn company_is_no_crime(library: &Installed) {
    let ran = run(&mut start(library), &["say 1", "poison", "touchy", "say 2"], SHORT);
    assert!(ran.iter().all(|ran| ran.end == End::Done), "{ran:?}");
    assert_eq!(
        ran.iter().map(|ran| ran.only_in_company).collect::<Vec<_>>(),
        [false, false, true, false]
    );
}

fn a_child_killed_from_outside(library: &Installed) {
    let mut server = start(library);
    let id = server.id();
    let killer = std::thread::spawn(move || {
        let child = wait_for(|| children(id).first().copied());
        // SAFETY: the number of a process that our server has started.
        unsafe { libc::kill(child, libc::SIGKILL) };
    });
    let ran =
        run(&mut server, &["sleep", "say word"], Limits { time: Duration::from_secs(60), ..SHORT });
    killer.join().expect("it was there");
    assert!(matches!(ran[0].end, End::Signal(libc::SIGKILL, _)), "{:?}", ran[0].end);
    assert_eq!(ran[1].end, End::Done);
}

/// Tells its server's number and waits.
fn client() {
    let library = Installed::named("16").expect("the test has it");
    let mut server = start(&library);
    println!("{}", server.id());
    run(&mut server, &["sleep"], Limits { time: Duration::from_secs(600), ..SHORT });
}

fn a_dead_client_takes_all_along(_: &Installed) {
    let program = program(&["client"]);
    let mut client = Service::start(&program.path, &program.args, None).expect("it starts");
    let mut line = String::new();
    BufReader::new(&mut client.output).read_line(&mut line).expect("a line");
    let server: u32 = line.trim().parse().expect("a number");
    let child = wait_for(|| children(server).first().copied());
    // By SIGKILL.
    drop(client);
    let begin = Instant::now();
    wait_for(|| (!lives(server) && !lives(child.cast_unsigned())).then_some(()));
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
}

fn a_dropped_server_is_gone(library: &Installed) {
    let mut server = start(library);
    assert_eq!(run(&mut server, &["say word"], SHORT)[0].end, End::Done);
    let id = server.id();
    drop(server);
    assert!(!lives(id));
    // One that is killed is an error, and no more.
    let mut server = start(library);
    // SAFETY: a process of ours.
    unsafe { libc::kill(server.id().cast_signed(), libc::SIGKILL) };
    assert!(server.run(vec![b"say word".to_vec()], SHORT, false).is_err());
}

fn a_server_that_starts_ends_with_its_client(library: &Installed) {
    let program = program(&["slow"]);
    let mut service = Service::start(&program.path, &program.args, None).expect("it starts");
    // As a client sends it: the length, and a library that it opens.
    let bytes = postcard::to_stdvec(&setup(library)).expect("bytes");
    let mut line = service.input.take().expect("a line");
    line.write_all(&(bytes.len() as u32).to_le_bytes()).expect("it listens");
    line.write_all(&bytes).expect("it listens");
    std::thread::sleep(Duration::from_secs(2));
    assert!(lives(service.id()), "it is busy");
    drop(line);
    wait_for(|| (!lives(service.id())).then_some(()));
}

fn nothing_grows(library: &Installed) {
    let mut server = start(library);
    let id = server.id();
    let state = || {
        let count = |path: String| fs::read_dir(path).map_or(0, Iterator::count);
        let resident = fs::read_to_string(format!("/proc/{id}/statm")).unwrap_or_default();
        let pages: u64 = resident.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        (
            (count(format!("/proc/{id}/fd")), count("/proc/self/fd".into()), children(id).len()),
            pages,
        )
    };
    let batch = ["say 1", "abort", "print 100", "exit 1", "say 2", "null"];
    let mut batches = |count: usize| {
        for _ in 0..count {
            run(&mut server, &batch, SHORT);
        }
    };
    batches(20);
    let before = state();
    assert!(before.0.0 > 0 && before.0.2 == 0, "{before:?}");
    batches(200);
    let after = state();
    assert_eq!(before.0, after.0, "descriptors, ours, children");
    assert!(after.1 < before.1 + 1000, "pages: {before:?} {after:?}");
}

fn breakpoints(library: &Installed) {
    let setup = Setup { coverage: true, ..setup(library) };
    let mut server = Server::start(&program(&["serve"]), &setup).expect("it starts");
    assert_eq!(server.watch, CoverageMethod::Breakpoints);
    assert!(server.blocks > 1_000_000, "{}", server.blocks);
    let add = "parse define i32 @f(i32 %x) { %y = add i32 %x, 0 ret i32 %y }";
    let divide =
        "parse define i32 @f(i32 %x) { %y = udiv i32 %x, 24 %z = mul i32 %y, 3 ret i32 %z }";
    let limits = Limits { time: Duration::from_secs(30), ..Limits::default() };
    let items = [add, divide, add, "raise 5", "say 1"];
    let items = items.map(|item| item.as_bytes().to_vec()).to_vec();
    let ran = server.run(items, limits, true).expect("it lives");
    let counts: Vec<usize> = ran.iter().map(|ran| ran.blocks.len()).collect();
    assert!(counts[0] > 5_000 && counts[1] > 50, "{counts:?}");
    // A handful of blocks may depend on the process.
    assert!(counts[2..].iter().all(|count| *count < 20), "{counts:?}");
    assert!(
        matches!(ran[3].end, End::Signal(libc::SIGTRAP, _)),
        "somebody else's breakpoint: {:?}",
        ran[3].end
    );
    let (mut first, mut second) = (ran[0].blocks.clone(), ran[1].blocks.clone());
    first.append(&mut second);
    first.sort_unstable();
    assert!(first.is_sorted_by(|a, b| a < b), "each block is new once");
}

fn counters(library: &Installed) {
    let Some((_scratch, counted)) = counted() else { return };
    let setup = Setup { coverage: true, ..setup(library) };
    let counted = counted.to_string_lossy().into_owned();
    let mut server = Server::start(&program(&["serve", &counted]), &setup).expect("it starts");
    assert_eq!(server.watch, CoverageMethod::Counters);
    assert!(server.blocks > 0 && server.blocks < 20, "{}", server.blocks);
    let mut fresh = |items: &[&str], confirm| -> Vec<usize> {
        let items = items.iter().map(|item| item.as_bytes().to_vec()).collect();
        let ran = server.run(items, SHORT, confirm).expect("it lives");
        ran.iter().map(|ran| ran.blocks.len()).collect()
    };
    let got = fresh(&["walk 0", "walk 0", "walk 1", "walk 100"], false);
    assert!(got[0] > 0 && got[1] == 0 && got[2] > 0 && got[3] > 0, "{got:?}");
    // Another child knows what was told, and how often counts, roughly.
    let got = fresh(&["walk 100", "walk 120", "walk 10", "say 1"], false);
    assert!(got[0] == 0 && got[1] == 0 && got[2] > 0 && got[3] == 0, "{got:?}");
    // What is confirmed is not confirmed twice; who dies tells it, too, though not those before it.
    let got = fresh(&["walk 20", "walk-and-die 200", "walk 20", "walk 200"], true);
    assert!(got[0] > 0 && got[1] > 0 && got[2] == 0 && got[3] == 0, "{got:?}");
}

/// A small library that counts itself.
fn counted() -> Option<(Scratch, PathBuf)> {
    let patience = Duration::from_secs(60);
    if Run::new("clang-16", patience).arg("--version").finish().success().is_none() {
        assert!(std::env::var_os("CI").is_none(), "set-up installs clang-16: CI skips nothing");
        return None;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let (source, output) = (
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/counted.c"),
        scratch.file("counted.so"),
    );
    let flags = ["-O0", "-shared", "-fPIC", "-fsanitize-coverage=inline-8bit-counters"];
    let run = Run::new("clang-16", patience).args(flags).arg(source).arg("-o").arg(&output);
    run.finish().success().expect("it compiles");
    Some((scratch, output))
}

/// Tries what it may not do, and prints the error of each. Signal 0 only asks whether one may be sent.
const ESCAPES: &str = r#"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static void says(const char *what, int result) { printf("%s: %d\n", what, result < 0 ? errno : 0); }
int main(void) {
    char *const words[] = {"true", 0};
    says("write", open(FILE_NAME, O_WRONLY | O_CREAT, 0600));
    says("empty", open(SOURCE, O_WRONLY | O_TRUNC));
    says("tcp", socket(AF_INET, SOCK_STREAM, 0));
    says("udp", socket(AF_INET, SOCK_DGRAM, 0));
    says("signal", kill(getppid(), 0));
    int pid = fork();
    if (pid == 0) _exit(0);
    says("fork", pid);
    says("become another", execv("/bin/true", words));
    return 3;
}
"#;

fn what_it_executes_is_confined(library: &Installed) {
    let weak = sandbox::weaknesses();
    if !weak.is_empty() {
        return println!("skipped: {weak:?}");
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let (source, object, file) =
        (scratch.file("escapes.c"), scratch.file("escapes.o"), scratch.file("written"));
    fs::write(&source, ESCAPES).expect("ours");
    let define = |name: &str, path: &Path| format!("-D{name}=\"{}\"", path.display());
    let compile = Run::new("gcc", Duration::from_secs(60))
        .args(["-c", "-fPIC", "-fno-stack-protector", "-o"])
        .args([&object, &source])
        .args([define("FILE_NAME", &file), define("SOURCE", &source)]);
    compile.finish().success().expect("it compiles");
    let mut server = start(library);
    let items = [format!("execute {}", object.display()), format!("open {}", file.display())];
    let items: Vec<&str> = items.iter().map(String::as_str).collect();
    let ran = run(&mut server, &items, Limits::default());
    let denied = (libc::EACCES, libc::EPERM);
    let want = format!(
        "Status(3)\nwrite: {0}\nempty: {0}\ntcp: {1}\nudp: {1}\nsignal: {1}\nfork: {1}\n\
         become another: {1}\n",
        denied.0, denied.1
    );
    assert_eq!(String::from_utf8_lossy(&ran[0].output), want);
    // Nor can LLVM itself, in a child of the server.
    assert_eq!(String::from_utf8_lossy(&ran[1].output), "permission denied");
    assert!(!file.exists());
    assert_eq!(fs::read_to_string(&source).expect("it is whole"), ESCAPES);
}

fn what_is_no_library(_: &Installed) {
    let scratch = Scratch::new().expect("a temporary folder");
    let text = scratch.file("text.so");
    fs::write(&text, "text").expect("ours");
    let libc = ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6"].map(Path::new);
    let libc = libc.into_iter().find(|path| path.exists()).unwrap_or(&text);
    for (path, words) in
        [(Path::new("/no/such"), "cannot be opened"), (&text, "cannot be opened"), (libc, "LLVM")]
    {
        let setup = Setup { library: path.to_path_buf(), ..Setup::default() };
        let told = Server::start(&program(&["serve"]), &setup).expect_err("it is none");
        assert!(told.contains(words), "{told}");
    }
    let none = Program { path: "/no/such/program".into(), args: Vec::new() };
    assert!(Server::start(&none, &Setup::default()).is_err());
}

/// The children of a process.
fn children(id: u32) -> Vec<i32> {
    let text = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// Whether a process is there and not merely waited for.
fn lives(id: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| !matches!(rest.trim().chars().next(), None | Some('Z' | 'X')))
}

/// What comes true soon.
fn wait_for<T>(mut ready: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(value) = ready() {
            return value;
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "it never came");
        std::thread::sleep(Duration::from_millis(10));
    }
}
