//! Cross targets: what they need is found, what is missing is named, and what a runner lacks is nobody's bug.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use sandbox::Scratch;
use toolchain::{Abi, Config, Language, Runner, Survey, on_path, survey};

fn has(names: &[&str]) -> bool {
    let missing: Vec<&&str> = names.iter().filter(|name| on_path(name).is_none()).collect();
    assert!(missing.is_empty() || std::env::var_os("CI").is_none(), "CI has {missing:?}");
    missing.is_empty()
}

fn find(config: &str, patterns: &[&str], language: Language) -> Survey {
    let scratch = Scratch::new().expect("a temporary folder");
    let file = scratch.file("gainsay.toml");
    fs::write(&file, config).expect("a file");
    let config = Config::read(&file).expect("a good file");
    let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
    survey(&config, &patterns, language, &mut |_| {}).expect("it fits")
}

fn words(runner: &Runner, flags: &[&str]) -> String {
    let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
    let words = runner.words(&flags);
    words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[test]
fn clang_finds_linker_libraries_and_emulator_by_its_triple() {
    if !has(&["clang-16", "qemu-aarch64", "aarch64-linux-gnu-gcc"]) {
        return;
    }
    let found = find("", &["clang-16 --target=aarch64-unknown-linux-gnu"], Language::C);
    let [compiler] = &found.compilers[..] else { panic!("{found:?}") };
    assert_eq!(compiler.abi, Some(Abi::Lp64));
    let runner = words(&compiler.runner, &[]);
    assert!(runner.ends_with("qemu-aarch64 -L /usr/aarch64-linux-gnu"), "{runner}");
    let runner = words(&compiler.runner, &["-march=armv8-a+sve", "-msve-vector-bits=256"]);
    assert!(runner.contains("qemu-aarch64 -cpu max,sve-max-vq=2 -L"), "{runner}");
}

/// A flag set that the emulator cannot run is left out with its reason, and no program is ever judged by it.
#[test]
fn an_extension_that_the_runner_lacks_is_left_out() {
    if !has(&["aarch64-linux-gnu-gcc", "qemu-aarch64"]) {
        return;
    }
    let config = "only = true\n[[compiler]]\nname = \"old\"\npath = \"aarch64-linux-gnu-gcc\"\n\
                  runner = \"qemu-aarch64 -cpu cortex-a53 -L /usr/aarch64-linux-gnu\"\n\
                  extras = [\"-O3 -march=armv8-a+sve\", \"-O3 -march=armv8-a+crc\"]\n\
                  [[compiler]]\nname = \"unknown\"\npath = \"aarch64-linux-gnu-gcc\"\ncpu = \"nothing=on\"\n";
    let found = find(config, &[], Language::C);
    let [old] = &found.compilers[..] else { panic!("{found:?}") };
    assert_eq!(old.extras, ["-O3 -march=armv8-a+crc"]);
    let why = |name: &str| {
        let left = found.left_out.iter().find(|left| left.name == name);
        left.unwrap_or_else(|| panic!("{found:?}")).why.clone()
    };
    assert!(why("old -O3 -march=armv8-a+sve").contains("an instruction is missing"), "{found:?}");
    assert!(why("unknown").contains("Property 'max-arm-cpu.nothing' not found"), "{found:?}");
}

#[test]
fn random_instruction_sets_are_those_that_run() {
    if !has(&["aarch64-linux-gnu-gcc", "qemu-aarch64"]) {
        return;
    }
    let config = |seed: u32| {
        format!(
            "only = true\nmarch_seed = {seed}\n[[compiler]]\nname = \"any\"\nextras = []\n\
             path = \"aarch64-linux-gnu-gcc\"\nlevels = [\"-O2\"]\nrandom_march = 3\n"
        )
    };
    let extras = |seed| find(&config(seed), &[], Language::C).compilers[0].extras.clone();
    assert_eq!(extras(1), extras(1));
    assert_ne!(extras(1), extras(2));
    assert!(!extras(1).is_empty() && extras(1).iter().all(|set| set.contains(" -march=armv8")));
}

#[test]
fn bare_metal_is_only_compiled_with() {
    if !has(&["clang-16"]) {
        return;
    }
    let patterns = [
        "clang-16 --target=riscv32-unknown-elf -march=rv32imac",
        "clang-16 --target=msp430-none-elf",
        "clang-16 --target=aarch64-none-elf",
    ];
    let found = find("", &patterns, Language::C);
    let models: Vec<_> = found.compilers.iter().map(|c| (c.runner.clone(), c.abi)).collect();
    let want = [Some(Abi::Ilp32), None, Some(Abi::Lp64)];
    assert_eq!(models, want.map(|abi| (Runner::CompileOnly, abi)), "{found:?}");
}

#[test]
fn what_is_missing_is_named_with_its_package() {
    let config = "only = true\n[[compiler]]\nname = \"a\"\npath = \"hppa64-linux-gnu-gcc-12\"\n";
    let found = find(config, &[], Language::C);
    assert!(found.compilers.is_empty());
    let why = &found.left_out[0].why;
    let want =
        "there is no hppa64-linux-gnu-gcc-12 on the PATH: apt-get install gcc-12-hppa64-linux-gnu";
    assert_eq!(why, want);
    if !has(&["clang-16"])
        || std::path::Path::new("/usr/sparc64-linux-gnu/include/stdio.h").is_file()
    {
        return;
    }
    // Its emulator is there, and nothing else.
    let found = find("", &["clang-16 --target=sparc64-unknown-linux-gnu"], Language::Cxx);
    let why = &found.left_out[0].why;
    assert!(why.contains("apt-get install libc6-dev-sparc64-cross libgcc-"), "{why}");
    assert!(why.contains("dev-sparc64-cross"), "{why}");
    assert!(why.contains("libstdc++-") || why.contains("no C++ compiler"), "{why}");
}

/// What a user says is stronger: another sysroot is the emulator's, too.
#[test]
fn a_sysroot_of_ones_own_is_kept() {
    if !has(&["clang-16", "qemu-aarch64", "aarch64-linux-gnu-gcc"]) {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let own = scratch.file("cc");
    fs::write(&own, "#!/bin/sh\nfor a; do shift; case \"$a\" in --sysroot=*) ;; *) set -- \"$@\" \"$a\";; esac; done\n\
                     exec aarch64-linux-gnu-gcc \"$@\"\n").expect("a script");
    fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).expect("a script");
    let pattern = format!("{} --sysroot=/usr/aarch64-linux-gnu/.", own.display());
    let found = find("", &[&pattern], Language::C);
    let [compiler] = &found.compilers[..] else { panic!("{found:?}") };
    let runner = words(&compiler.runner, &[]);
    assert!(runner.ends_with("-L /usr/aarch64-linux-gnu/."), "{runner}");
}

/// i386 is run by an emulator, with arithmetic that does not round twice.
#[test]
fn a_compiler_for_i386_has_its_data_model() {
    if !has(&["i686-linux-gnu-gcc", "qemu-i386"]) {
        return;
    }
    let found = find("", &["i686-linux-gnu-gcc"], Language::C);
    let [compiler] = &found.compilers[..] else { panic!("{found:?}") };
    assert_eq!(compiler.abi, Some(Abi::I386));
    assert!(compiler.c.iter().any(|word| word == "-mfpmath=sse"), "{compiler:?}");
    assert!(compiler.lacking("__int128 a;").is_some(), "{compiler:?}");
}
