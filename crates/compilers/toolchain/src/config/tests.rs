//! Files that are read whole, and every mistake in them.

use super::*;
use std::os::unix::fs::PermissionsExt;

fn read(text: &str) -> Result<Config, String> {
    Config::parse(text, Path::new("gainsay.toml")).map_err(|error| error.to_string())
}

#[track_caller]
fn mistake(text: &str, sentence: &str) {
    assert_eq!(read(text).expect_err("a mistake"), sentence);
}

#[test]
fn named_levels_take_the_place_of_drawing() {
    let good = |text: &str| read(text).expect("it is TOML");
    assert_eq!(good("").targets_per_test, 1);
    let more = good("targets_per_test = 3");
    assert!(more.draws_by_family() && more.targets_per_test == 3);
    for named in ["levels = [\"-O2\"]", "extras = [\"-g\"]", "extras_per_test = 0"] {
        assert!(!good(named).draws_by_family(), "{named}");
    }
    assert!(read("targets_per_test = 0").is_err());
}

#[test]
fn an_empty_file_is_the_default() {
    assert_eq!(read(""), Ok(Config::default()));
    assert_eq!(Config::default().extras_per_test(), 1);
    assert!(Config::default().draws_by_family());
}

#[test]
fn everything_is_read_and_paths_are_relative_to_the_file() {
    let scratch = sandbox::Scratch::new().expect("a temporary folder");
    let compiler = scratch.file("cc.sh");
    fs::write(&compiler, "#!/bin/sh\n").expect("a script");
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).expect("a script");
    let file = scratch.file("gainsay.toml");
    let text = r#"
levels = ["-O0", " -O2   -g "]
extras = []
extras_per_test = 3
limits = { compile_seconds = 10, run_seconds = 0x5, memory_mb = 2_000 }
[[compiler]]
name = "mine"
path = "./cc.sh"
cxx = "../HERE/cc.sh"
family = "gcc"
flags = "-B 'a b'"
runner = "sh -c x"
levels = ["-O1"]
extras = ["-O3 -fwrapv"]
[[compiler]]
name = "other"
path = "sh"
"#;
    let here = scratch.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = text.replace("HERE", &here);
    fs::write(&file, text).expect("a file");
    let config = Config::read(&file).expect("a good file");
    assert_eq!(config.levels, Some(vec!["-O0".into(), "-O2 -g".into()]));
    assert_eq!(config.extras, Some(Vec::new()));
    assert_eq!(config.extras_per_test(), 3);
    assert!(!config.draws_by_family());
    let limits = Limits { compile_seconds: Some(10), run_seconds: Some(5), memory_mb: Some(2000) };
    assert_eq!(config.limits, limits);
    let [mine, other] = &config.compilers[..] else { panic!("{config:?}") };
    assert!(mine.path.is_absolute() && executable(&mine.path), "{mine:?}");
    assert_eq!(mine.path.file_name(), compiler.file_name());
    assert_eq!(mine.cxx.as_deref().and_then(Path::file_name), compiler.file_name());
    assert_eq!(mine.family, Some(Family::Gcc));
    assert_eq!(mine.flags, ["-B", "a b"]);
    let runner = mine.runner.clone().unwrap_or_default().words(&[]);
    assert!(runner[0].to_string_lossy().ends_with("/sh"), "{runner:?}");
    assert_eq!(runner[1..], ["-c", "x"]);
    assert_eq!(other.path, on_path("sh").expect("there is a shell"));
    assert_eq!((&other.runner, other.family), (&None, None));
}

#[test]
fn mistakes_are_one_sentence_with_file_key_and_line() {
    mistake(
        "\n\nlevles = [\"-O0\"]\n",
        "gainsay.toml:3: `levles` is not a known key; did you mean `levels`?",
    );
    mistake(
        "colour = 1\n",
        "gainsay.toml:1: `colour` is not a known key; known keys: levels, extras, \
         extras_per_test, targets_per_test, only, march_seed, compiler, limits",
    );
    mistake(
        "[limits]\nrun_second = 1",
        "gainsay.toml:2: `run_second` is not a known key; did you mean `run_seconds`?",
    );
    mistake(
        "levels = \"-O0\"",
        "gainsay.toml:1: `levels` must be a list of flags, such as [\"-O0\", \"-O2 -fwrapv\"]",
    );
    mistake(
        "levels = [\n  \"-O0\",\n  3 ]",
        "gainsay.toml:3: `levels` must be a list of flags, such as [\"-O0\", \"-O2 -fwrapv\"]",
    );
    for value in ["-1", "101", "1.5", "\"1\"", "99999999999999999999"] {
        mistake(
            &format!("extras_per_test = {value}"),
            "gainsay.toml:1: `extras_per_test` must be a whole number from 0 to 100",
        );
    }
    mistake("limits = 3", "gainsay.toml:1: `limits` must be a table: write [limits]");
    mistake(
        "[compiler]\nname = \"x\"",
        "gainsay.toml:1: `compiler` must be a list of tables: write [[compiler]]",
    );
    mistake("\n[[compiler]]\npath = \"sh\"", "gainsay.toml:2: `name` is missing here");
    mistake(
        "[[compiler]]\nname = \"a b\"\npath = \"sh\"",
        "gainsay.toml:2: `name` must be a word without blanks",
    );
    mistake(
        "[[compiler]]\nname = \"x\"\npath = \"./no/such\"",
        "gainsay.toml:3: `path` is not an executable: ./no/such",
    );
    mistake(
        "[[compiler]]\nname = \"x\"\npath = \"sh\"\nrunner = \"no-such-runner -L x\"",
        "gainsay.toml:4: `runner` is not an executable: no-such-runner",
    );
    mistake(
        "[[compiler]]\nname = \"x\"\npath = \"sh\"\nflags = \"'a\"",
        "gainsay.toml:4: `flags` has an unclosed quote",
    );
    mistake(
        "[[compiler]]\nname = \"x\"\npath = \"sh\"\nfamily = \"icc\"",
        "gainsay.toml:4: `family` must be gcc, clang, tcc, pcc or other",
    );
    mistake(
        "[[compiler]]\nname = \"x\"\npath = \"sh\"\n[[compiler]]\npath = \"sh\"\nname = \"x\"",
        "gainsay.toml:6: `name` is used twice: `x`",
    );
}

#[test]
fn what_is_no_toml_or_no_file_is_told() {
    let error = read("a = 1\nb = = 2").expect_err("no TOML");
    assert!(error.starts_with("gainsay.toml:2: this is not TOML: "), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    let error = Config::read(Path::new("no/such.toml")).expect_err("no file").to_string();
    assert!(error.starts_with("no/such.toml: cannot be read: "), "{error}");
}

#[test]
fn runners_processors_and_only() {
    let text = r#"
only = true
march_seed = 7
[[compiler]]
name = "bare"
path = "sh"
runner = "none"
[[compiler]]
name = "vector"
path = "no-such-compiler-gcc-12"
cpu = "vlen=256,elen=64"
runners = { "-mfast" = "sh -c x" }
random_march = 3
"#;
    let config = read(text).expect("a good file");
    assert!(config.only && config.march_seed == 7);
    let [bare, vector] = &config.compilers[..] else { panic!("{config:?}") };
    assert_eq!(bare.runner, Some(Runner::CompileOnly));
    assert_eq!(vector.path, Path::new("no-such-compiler-gcc-12"), "the survey says so");
    assert_eq!(vector.cpu, ["vlen=256", "elen=64"]);
    assert_eq!(vector.random_march, 3);
    let [(flags, words)] = &vector.runners[..] else { panic!("{vector:?}") };
    assert_eq!((flags.as_str(), &words[1..]), ("-mfast", &["-c".into(), "x".into()][..]));
    mistake(
        "only = true",
        "gainsay.toml:1: `only` leaves no compiler: the file has no [[compiler]]",
    );
    mistake("only = 1", "gainsay.toml:1: `only` must be true or false");
    mistake(
        "[[compiler]]\nname = \"x\"\npath = \"sh\"\nrunners = { \"-mx\" = \"\" }",
        "gainsay.toml:4: `runners` must be a table of commands, such as { \"-mfast\" = \"simulator -v\" }",
    );
}

/// The files that work out of the box are read, and name their packages.
#[test]
fn files_for_targets_are_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/targets");
    for name in ["riscv.toml", "aarch64.toml"] {
        let file = folder.join(name);
        let config = Config::read(&file).expect("it is read");
        assert!(config.only && config.compilers.len() >= 3, "{name}");
        let text = fs::read_to_string(&file).expect("it is there");
        let packages =
            text.lines().find(|line| line.contains("apt-get install")).expect("packages");
        for package in ["qemu-user", "clang-16", "lld-16"] {
            assert!(packages.split(' ').any(|word| word == package), "{name}: {packages}");
        }
    }
}

/// The file that people copy from: as it is, and with its example made real.
#[test]
fn the_documented_file_is_right() {
    let text = include_str!("../../../../../docs/gainsay.toml");
    let config = Config::parse(text, Path::new("gainsay.toml")).expect("it is read");
    assert_eq!(config.limits.compile_seconds, Some(60));
    let (rest, example) = text.split_once("# [[compiler]]").expect("an example");
    let example = example.replace("\n# ", "\n").replace("/opt/gcc/bin/", "/bin/");
    let example = example.replace("\"qemu-riscv64 ", "\"sh ");
    let example = example.replace("/bin/gcc", "/bin/sh").replace("/bin/g++", "/bin/sh");
    let text = format!("{rest}[[compiler]]{example}");
    let config = Config::parse(&text, Path::new("gainsay.toml")).expect("it is read");
    assert_eq!(config.compilers[0].name, "my-gcc");
}
