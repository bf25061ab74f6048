//! Scratch folders: made, locked, removed whatever is in them, kept on request.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use sandbox::Scratch;

#[test]
fn a_folder_goes_with_its_owner() {
    let scratch = Scratch::new().expect("a temporary folder");
    let path = scratch.path().to_path_buf();
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
    assert!(name.is_some_and(|name| name.starts_with("gainsay-")));
    assert_eq!(fs::metadata(&path).map(|m| m.permissions().mode() & 0o777).ok(), Some(0o700));
    assert_eq!(fs::read_dir(&path).map(|d| d.count()).ok(), Some(0));
    drop(scratch);
    assert!(!path.exists());
}

#[test]
fn a_part_that_forbids_writing_is_removed_too() {
    let scratch = Scratch::new().expect("a temporary folder");
    let path = scratch.path().to_path_buf();
    fs::create_dir_all(path.join("a/b")).expect("folders");
    fs::write(path.join("a/b/file"), "x").expect("a file");
    for dir in ["a/b", "a"] {
        fs::set_permissions(path.join(dir), fs::Permissions::from_mode(0o500)).expect("ours");
    }
    drop(scratch);
    assert!(!path.exists());
}

#[test]
fn sweeping_spares_the_living_and_the_kept() {
    let living = Scratch::new().expect("a temporary folder");
    let kept = Scratch::new().expect("a temporary folder");
    fs::write(kept.file("file"), "x").expect("a file");
    let kept = kept.keep();
    sandbox::sweep();
    assert!(living.path().exists());
    assert!(kept.join("file").exists());
    fs::remove_dir_all(kept).expect("ours");
}

#[test]
fn programs_can_be_run_from_it() {
    let scratch = Scratch::new().expect("a temporary folder");
    let script = scratch.file("script");
    fs::write(&script, "#!/bin/sh\nexit 6\n").expect("a file");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).expect("ours");
    let ended = sandbox::Run::new(&script, std::time::Duration::from_secs(60)).finish();
    assert_eq!(ended.finished().map(|done| done.status), Some(sandbox::Status::Exit(6)));
}
