//! `gainsay compilers` on a small archive of our own: signed, served by HTTP, with one compiler in it; and everything that
//! can go wrong on the way. Whatever goes wrong, nothing half-installed is used, and nothing is left.

mod archive;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use sandbox::{Ended, Finished, Run, Scratch, Status};

use archive::{Archive, Fault};

/// For all of it, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(240);

/// A folder for added compilers, and the archive they come from.
struct Bench {
    scratch: Scratch,
    archive: Archive,
}

impl Bench {
    fn new(fault: Fault) -> Bench {
        let scratch = Scratch::new().expect("a temporary folder");
        let archive = Archive::serve(scratch.path(), fault);
        Bench { scratch, archive }
    }

    fn data(&self) -> std::path::PathBuf {
        self.scratch.file("data")
    }

    fn run(&self, words: &[&str]) -> Run {
        let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), PATIENCE).args(words);
        run.env("GAINSAY_DATA", self.data()).cwd(self.scratch.path())
    }

    fn gainsay(&self, words: &[&str]) -> Finished {
        match self.run(words).finish() {
            Ended::Finished(done) => done,
            other => panic!("{words:?}: {other:?}"),
        }
    }

    /// The command that adds a package of the archive.
    fn add<'a>(&'a self, package: &'a str) -> Vec<&'a str> {
        let keys = self.archive.keys.as_str();
        let place = ["--mirror", self.archive.address.as_str(), "--keyring", keys];
        [&["compilers", "add", "debian:sid", package], &place[..]].concat()
    }

    /// That a command fails with a sentence, and leaves nothing that a list would name.
    fn refuses(&self, words: &[&str], want: &str) {
        let done = self.gainsay(words);
        let said = done.stderr.text();
        assert_eq!(done.status, Status::Exit(2), "{words:?}: {said}");
        assert!(said.contains(want), "{words:?}: {said}");
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("gainsay: "), "one sentence at the end: {said}");
        assert_eq!(self.listed(), Vec::<String>::new(), "{words:?}");
    }

    /// The folders of what is added, which is what everything else uses.
    fn listed(&self) -> Vec<String> {
        let entries = fs::read_dir(self.data().join("compilers")).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| !name.starts_with('.')).collect()
    }
}

#[test]
fn a_compiler_comes_works_and_goes() {
    let bench = Bench::new(Fault::None);
    let done = bench.gainsay(&bench.add("tcc-test"));
    assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
    assert!(done.stdout.text().contains("tcc 0.9.27 works"), "{}", done.stdout.text());
    assert_eq!(bench.listed(), ["debian-sid-tcc-test"]);
    let again = bench.gainsay(&bench.add("tcc-test"));
    assert!(again.stdout.text().contains("is here already"), "{}", again.stdout.text());
    let list = bench.gainsay(&["compilers", "--json"]).stdout.text();
    let list: serde_json::Value = serde_json::from_str(&list).expect("JSON");
    let rows = list["compilers"].as_array().expect("rows");
    let added = rows.iter().find(|row| row["folder"] == "debian-sid-tcc-test").expect("listed");
    // The system has one of that name: both are used.
    assert_eq!(added["name"], "tcc@debian-sid-tcc-test");
    fs::write(bench.scratch.file("a.c"), "int main(void) { return 3; }\n").expect("written");
    let name = "tcc@debian-sid-tcc-test";
    let checked = bench.gainsay(&["check", "--cc", name, "a.c"]);
    assert!(checked.stdout.text().contains("No compiler is wrong"), "{}", checked.stdout.text());
    let launcher = bench.data().join("compilers/debian-sid-tcc-test/bin/tcc");
    let typed = Run::new(&launcher, PATIENCE).args(["-run", "a.c"]).cwd(bench.scratch.path());
    let status = typed.finish().finished().map(|done| done.status);
    assert_eq!(status, Some(Status::Exit(3)), "what a report says can be typed");
    let gone = bench.gainsay(&["compilers", "remove", "debian-sid-tcc-test"]);
    assert_eq!(gone.status, Status::Exit(0), "{}", gone.stderr.text());
    assert!(!bench.data().exists(), "nothing is left");
}

#[test]
fn without_namespaces_it_runs_by_the_loader() {
    let bench = Bench::new(Fault::None);
    let run = |words: &[&str]| {
        let run = bench.run(words).env("GAINSAY_NO_NAMESPACES", "1");
        run.finish().finished().expect("it ends")
    };
    let done = run(&bench.add("tcc-test"));
    assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
    fs::write(bench.scratch.file("a.c"), "int main(void) { return 3; }\n").expect("written");
    let checked = run(&["check", "--cc", "tcc@debian-sid-tcc-test", "a.c"]).stdout.text();
    assert!(checked.contains("No compiler is wrong"), "{checked}");
}

#[test]
fn what_is_not_there_is_told() {
    let bench = Bench::new(Fault::None);
    bench.refuses(&bench.add("tcc-tests"), "debian:sid has no package tcc-tests");
    bench.refuses(&bench.add("text-only"), "text-only has no C compiler and no libLLVM");
    let mut suite = bench.add("tcc-test");
    suite[2] = "debian:sarge";
    bench.refuses(&suite, "Debian has no suite sarge");
    bench.refuses(&["compilers", "remove", "gcc"], "there is no gcc: nothing was added");
    bench.refuses(&["compilers", "add", "sid"], "sid is no source");
    let mut elsewhere = bench.add("tcc-test");
    elsewhere[5] = "http://127.0.0.1:9/debian";
    bench.refuses(&elsewhere, "debian:sid cannot be reached");
}

#[test]
fn a_wrong_signature_and_a_wrong_sum_install_nothing() {
    let bench = Bench::new(Fault::Signature);
    bench
        .refuses(&bench.add("tcc-test"), "is not signed as it should be, so nothing was installed");
    let bench = Bench::new(Fault::Sum);
    bench
        .refuses(&bench.add("tcc-test"), "is not signed as it should be, so nothing was installed");
}

#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    let bench = Bench::new(Fault::None);
    let data = bench.data();
    fs::create_dir_all(&data).expect("a folder");
    let words: Vec<String> = bench.add("tcc-test").iter().map(ToString::to_string).collect();
    // A file system of its own, gone with the command.
    let script = "mount -t tmpfs -o size=20m none \"$GAINSAY_DATA\" && \"$0\" \"$@\"; s=$?; ls -A \"$GAINSAY_DATA\"/compilers; exit $s";
    let run =
        Run::new("unshare", PATIENCE).args(["--map-root-user", "--mount", "sh", "-c", script]);
    let run = run.arg(env!("CARGO_BIN_EXE_gainsay")).args(&words).env("GAINSAY_DATA", &data);
    let done = run.finish().finished().expect("it ends");
    assert!(done.stderr.text().contains("the disk is full at"), "{}", done.stderr.text());
    assert_eq!(done.status, Status::Exit(2));
    let left = done.stdout.text();
    assert!(
        left.lines().all(|name| name.starts_with('.')),
        "nothing that a list would name: {left}"
    );
}

#[test]
fn killed_in_a_download_it_goes_on_where_it_was() {
    let bench = Bench::new(Fault::Stall);
    let run = bench.run(&bench.add("tcc-test"));
    std::thread::scope(|scope| {
        let stop = sandbox::Stop::new();
        let run = run.stop(&stop);
        let hunt = scope.spawn(move || run.finish());
        let begin = Instant::now();
        while bench.archive.sent() == 0 && begin.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(500));
        // SIGKILL, to all of it.
        stop.set();
        assert!(matches!(hunt.join().expect("no panic"), Ended::Killed(..)));
    });
    assert_eq!(bench.listed(), Vec::<String>::new());
    bench.archive.heal();
    let done = bench.gainsay(&bench.add("tcc-test"));
    assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
    assert!(bench.archive.resumed(), "what was fetched is not fetched again");
    assert_eq!(bench.listed(), ["debian-sid-tcc-test"]);
}

#[test]
fn folders_of_ones_own() {
    let bench = Bench::new(Fault::None);
    let own = bench.scratch.file("own");
    fs::create_dir_all(own.join("bin")).expect("folders");
    let folder = format!("root:{}", own.display());
    bench.refuses(&["compilers", "add", &folder], "has no C compiler and no libLLVM");
    std::os::unix::fs::symlink("/usr/bin/gcc", own.join("bin/gcc")).expect("a link");
    let done = bench.gainsay(&["compilers", "add", &folder, "mine"]);
    assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
    assert_eq!(bench.listed(), ["root-mine"]);
    fs::write(bench.scratch.file("a.c"), "int main(void) { return 3; }\n").expect("written");
    let checked = bench.gainsay(&["check", "--cc", "gcc@root-mine", "a.c"]);
    assert!(checked.stdout.text().contains("No compiler is wrong"), "{}", checked.stdout.text());
    bench.gainsay(&["compilers", "remove", "root-mine"]);
    assert!(own.join("bin/gcc").exists(), "what is the user's stays");
}

#[test]
fn a_library_of_another_processor_is_refused() {
    let bench = Bench::new(Fault::None);
    let own = bench.scratch.file("own");
    fs::create_dir_all(own.join("lib")).expect("folders");
    // The head of an ELF file for AArch64, and room enough to pass for a library.
    let mut library = vec![0u8; 2 << 20];
    let head = [0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 183, 0, 1];
    library[..head.len()].copy_from_slice(&head);
    fs::write(own.join("lib/libLLVM.so.24.0"), library).expect("written");
    let folder = format!("root:{}", own.display());
    bench.refuses(&["compilers", "add", &folder], "libLLVM.so.24.0");
}

/// A tree whose record was never written is not there, whatever is in it.
#[test]
fn half_an_installation_is_not_used() {
    let bench = Bench::new(Fault::None);
    let done = bench.gainsay(&bench.add("tcc-test"));
    assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
    let folder = bench.data().join("compilers/debian-sid-tcc-test");
    fs::remove_file(folder.join("installed.json")).expect("removed");
    let list = bench.gainsay(&["compilers", "--json"]).stdout.text();
    assert!(!list.contains("tcc@"), "{list}");
    let done = bench.gainsay(&bench.add("tcc-test"));
    assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
    assert!(Path::new(&folder).join("installed.json").exists(), "it is made anew");
}
