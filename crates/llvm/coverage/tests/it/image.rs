//! Leaders of real files, of a file whose blocks are known, and of nonsense.

use std::fs;
use std::path::PathBuf;

use coverage::{Baseline, Image, Set};

use crate::common::{SMALL, blocks, compile, debian_llvms, must, rust_llvm};

#[test]
fn leaders_are_what_the_source_says() {
    let Some((_scratch, path)) = compile("gcc-12", "blocks.s", SMALL) else { return };
    let image = Image::read(&path).expect("a library");
    let symbols = blocks(&path);
    let at = |name: &str| symbols.iter().find(|(n, _)| n == name).expect("a symbol").1;
    assert_eq!(image.leaders(), crate::common::BLOCKS.map(at));
    let pick = at("pick");
    assert_eq!(image.function_of(pick), Some((pick, Some("pick"))));
    assert_eq!(image.function_of(at("pick_large") + 1), Some((pick, Some("pick"))));
    assert_eq!(image.function_of(0), None);
    assert_eq!(image.block_at(pick), Some(0));
    assert_eq!(image.block_at(pick + 1), None);
}

#[test]
fn compilers_and_their_libraries_have_leaders() {
    let programs = ["/usr/lib/gcc/x86_64-linux-gnu/12/cc1", "/usr/lib/llvm-16/bin/clang"];
    let programs =
        programs.into_iter().map(PathBuf::from).filter(|p| must(p.exists(), "gcc, clang"));
    for path in programs.chain(debian_llvms()).chain(rust_llvm()) {
        let begin = std::time::Instant::now();
        let image = Image::read(&path).expect("an ELF file");
        println!("{}: {} leaders in {:?}", path.display(), image.leaders().len(), begin.elapsed());
        let least = if path.ends_with("clang") { 1000 } else { 500_000 };
        assert!(image.leaders().len() > least, "{}", path.display());
        assert!(image.leaders().is_sorted());
        assert!(image.leaders().iter().all(|&l| image.function_of(l).is_some()));
        assert!(!image.build_id().is_empty());
    }
}

#[test]
fn nonsense_is_an_error_and_no_panic() {
    let Some((scratch, path)) = compile("gcc-12", "blocks.s", SMALL) else { return };
    let whole = fs::read(&path).expect("just made");
    let file = scratch.file("nonsense");
    let read = |bytes: &[u8]| {
        fs::write(&file, bytes).expect("our own folder");
        Image::read(&file).is_ok()
    };
    assert!(!read(b""));
    assert!(!read(b"#!/bin/sh\n"));
    assert!(!read(&whole[..40]));
    // Every byte of the headers and of `.eh_frame` wrong, one after the other, in several ways.
    for at in 0..whole.len().min(6000) {
        for value in [0, 0xff, whole[at] ^ 0x80] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            read(&bytes);
        }
    }
    assert!(read(&whole));
}

#[test]
fn baselines_know_what_they_are_about() {
    let Some((scratch, path)) = compile("gcc-12", "blocks.s", SMALL) else { return };
    let Some((_other, other)) = compile("gcc-12", "counted.c", &["-shared", "-fPIC"]) else {
        return;
    };
    let (image, other) = (Image::read(&path).expect("one"), Image::read(&other).expect("another"));
    let file = scratch.file("baseline");
    let set: Set = [0, 3].into_iter().collect();
    set.save(&file, &image).expect("written");
    assert_eq!(Set::load(&file, &image).expect("read"), set);
    let error = Set::load(&file, &other).expect_err("another build").to_string();
    assert!(error.contains(other.build_id()) && error.contains(image.build_id()), "{error}");
    let mut both = Baseline::read(&file).expect("read");
    assert_eq!(both.get(&other).expect("no quarrel"), None);
    both.add(&other, &[1].into_iter().collect()).expect("added");
    both.add(&image, &[1].into_iter().collect()).expect("added");
    both.write(&file).expect("written");
    let both = Baseline::read(&file).expect("read");
    assert_eq!(both.get(&image).unwrap().unwrap().iter().collect::<Vec<_>>(), [0, 1, 3]);
    assert_eq!(both.get(&other).unwrap().unwrap().iter().collect::<Vec<_>>(), [1]);
    let bytes = fs::read(&file).expect("there");
    fs::write(&file, &bytes[..bytes.len() - 1]).expect("ours");
    assert!(
        Baseline::read(&file).expect_err("cut").to_string().contains("not a coverage baseline")
    );
}
