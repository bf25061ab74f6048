//! The view as it is drawn, cell by cell, on terminals of several sizes.

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::hunt::sample;

#[track_caller]
fn check(progress: &Progress, (width, height): (u16, u16), want: &str) {
    let (count, shot) =
        (sample::count(), sample::shot(&[sample::finding(4, FailureKind::WrongOutput, "s")]));
    let view = View { progress, before: Cost::default(), count, shot: &shot, out: "gainsay-hunt" };
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    terminal.draw(|frame| frame.render_widget(&view, frame.area())).expect("it draws");
    let buffer = terminal.backend().buffer();
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    let rows: Vec<String> = (0..height).map(|y| row(y).trim_end().to_string()).collect();
    assert_eq!(rows.join("\n").trim_end(), want.trim(), "\n{}", rows.join("\n"));
}

#[test]
fn a_usual_terminal() {
    let want = r#"
gainsay hunt  0:12:03 of 1:00:00  1,234 tests  1.71/s  gainsay-hunt
CPU: compile 70.7 %  run 24.8 %  validate 2.8 %  ours 1.7 % (generate 0.9 %)
3 findings (2 distinct bugs)  wrong-output 2  compiler-crash 1  disputed 1
newest: #4 wrong-output: wrong code at -O2, -O3: prints "test_3 1f" for "test_3…
csmith 234 tests 29 % (due 35 %)  yarp 1,000 tests 71 % (due 65 %)
target             right      failed       flaky unsupported
clang-16 -O0       1,200           0           0           0
clang-16 -O1       1,200           0           0           0
clang-16 -O2       1,200           0           0           0
clang-16 -O3       1,200           0           0           0
gcc-12 -O0         1,200           0           0           0
gcc-12 -O1         1,200           0           0           0
gcc-12 -O2         1,200           2           2           0
gcc-12 -O3         1,200           2           2           0
tcc -O0            1,200           0           0          34
tcc -O1            1,200           0           0          34
tcc -O2            1,200           0           0          34
tcc -O3            1,200           0           0          34
Ctrl-C ends it;  what was found is kept
"#;
    check(&sample::progress(), (80, 24), want);
}

#[test]
fn a_small_one() {
    let want = r#"
0:12:03 of 1:00:00  1,234 tests  1.71/s
CPU: cc 70.7 %  run 24.8 %  ours 1.7 %
3 findings (2 distinct)  wrong-output 2
newest: #4 wrong-output: wrong code at …
csmith 29/35 %  yarp 71/65 %
compiler  right failed  flaky unsup.
clang-16  4,800      0      0      0
gcc-12    4,800      4      4      0
tcc       4,800      0      0    136
Ctrl-C ends it;  what was found is kept
"#;
    check(&sample::progress(), (40, 12), want);
}

#[test]
fn one_too_short_for_all_compilers() {
    let want = r#"
0:12:03 of 1:00:00  1,234 tests  1.71/s
CPU: cc 70.7 %  run 24.8 %  ours 1.7 %
3 findings (2 distinct)  wrong-output 2
newest: #4 wrong-output: wrong code at …
csmith 29/35 %  yarp 71/65 %
compiler  right failed  flaky unsup.
gcc-12    4,800      4      4      0
and 2 more
Ctrl-C ends it;  what was found is kept
"#;
    check(&sample::progress(), (40, 9), want);
}

#[test]
fn before_the_first_test() {
    let progress = Progress { tests_wanted: Some(10), ..Progress::default() };
    let want = "
gainsay hunt  0:00:00  0 of 10 tests  0.0/min  gainsay-hunt
CPU: compile –  run –  validate –  ours – (generate –)
no findings yet
Ctrl-C ends it;  what was found is kept
";
    check(&progress, (80, 24), want);
}

#[test]
fn flag_sets_of_a_compiler_are_one_row() {
    let mut progress = Progress::default();
    for label in ["gcc-12 -O0", "gcc-12 -O2 -flto", "gcc-12 -O3 -fwrapv"] {
        progress.targets.entry(label.into()).or_default().insert(TargetResult::Right, 1);
    }
    let want = "
gainsay hunt  0:00:00  0 tests  0.0/min  gainsay-hunt
CPU: compile –  run –  validate –  ours – (generate –)
no findings yet
target                  right      failed       flaky unsupported
gcc-12 -O0                  1           0           0           0
gcc-12 more flags           2           0           0           0
Ctrl-C ends it;  what was found is kept
";
    check(&progress, (80, 24), want);
}
