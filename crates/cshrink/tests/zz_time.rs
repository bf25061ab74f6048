mod common;
use cgen::yarp::{Options, generate};
use common::{rules, specimen};
#[test]
fn time() {
    for seed in 1..=3 {
        let made = generate(seed, &Options::default()).unwrap();
        let start = specimen(&made.files(true).unwrap()[0].text);
        eprintln!(
            "seed {seed}: {} tokens {} exprs {} steps {} bytes",
            start.tokens(),
            start.program.exprs.len(),
            start.steps,
            start.units[0].text.len()
        );
        let t = std::time::Instant::now();
        for _ in 0..10 {
            let _ = start.program.clone();
        }
        eprintln!("clone {:?}", t.elapsed() / 10);
        let t = std::time::Instant::now();
        for _ in 0..10 {
            let _ = cshrink::Specimen::new(start.units.clone(), &rules());
        }
        eprintln!("new {:?}", t.elapsed() / 10);
        let t = std::time::Instant::now();
        for _ in 0..10 {
            let _ = start.with([], &rules());
        }
        eprintln!("with nothing {:?}", t.elapsed() / 10);
        let t = std::time::Instant::now();
        start.profile();
        eprintln!("profile {:?}", t.elapsed());
        for pass in cshrink::passes() {
            let mut level = 0;
            let t = std::time::Instant::now();
            let mut n = 0;
            while let Some(e) = (pass.edits)(&start, level) {
                level += 1;
                n += e.len();
                if level == 1 {
                    let t = std::time::Instant::now();
                    let r = start.with(e.iter(), &rules());
                    eprintln!("   all of level 0: {:?} {}", t.elapsed(), r.is_some());
                }
            }
            eprintln!("{:20} {level} levels {n} edits {:?}", pass.name, t.elapsed());
        }
    }
}
