//! Findings that are C programs which a sequence of LLVM's passes makes wrong code of: how they are shown,
//! their study, and whether they are still there.
//!
//! A target's label is `libLLVM-16 -O0 -passes=function(sroa)`: the level is that for which clang writes
//! the IR. As a compiler it is `gainsay llvm cc`, so that reduction works as for any other.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use finding::{FrontLevel, ProgramSubject, SequenceSubject, Subject};
use llvmhost::{Allowance, Executed, ExecutionEnd, Installed, Limits, Program, Running, Server};
use optimise::shrink::pipeline::Pipeline as Text;
use optimise::verdict::Verdict;
use optimise::work::{Answer, Item, Pipeline};
use oracle::{Case, Detectors, Expected, Lab, SourceFile, Trouble};
use passes::exclusion::Exclusions;
use passes::shorten::shorten;
use passes::trial::ExpectedRun;
use reduce::{KnownMasks, NotReduced, ReduceOptions};
use sandbox::{Ended, Run, Scratch, Status, Stop};
use toolchain::{Compiler, Family, Target};
use triage::{Blame, Cell, Culprit, Ladder, Method, Rung};

use crate::engine::{exclusions_file, start};
use crate::front;
use crate::module::{LlvmTools, compiler, identity, installed};
use crate::predict::own_opinion;
use crate::recheck::{Rechecked, Specimen};
use crate::record::{Finding, NewFinding, Study};
use crate::study::{StudyProgress, named, presented, shrink};

/// For one reduction.
const STUDY: Duration = Duration::from_secs(600);

/// For a linked program.
const TIME: Duration = Duration::from_secs(10);

/// Whether clang writes IR as for an optimised build. A reduction may have made `-O1` of the level.
fn is_optimising(flags: &[String]) -> bool {
    flags.iter().any(|flag| flag.starts_with("-O") && flag != "-O0")
}

/// How the behaviour of a program differs from the expected one, in one line.
pub fn summary(must: &ExpectedRun, got: &Executed) -> String {
    match &got.how {
        ExecutionEnd::Signal(signal) => format!("the program is killed by signal {signal}"),
        ExecutionEnd::Time => "the program does not end".into(),
        ExecutionEnd::Status(status) if got.stdout == must.stdout => {
            format!("exit status {status}, expected {}", must.status)
        }
        _ => {
            let line = |bytes: &[u8], at: usize| {
                let text = String::from_utf8_lossy(bytes).into_owned();
                text.lines().nth(at).unwrap_or("nothing").chars().take(60).collect::<String>()
            };
            let same = must.stdout.split(|b| *b == b'\n').zip(got.stdout.split(|b| *b == b'\n'));
            let at = same.take_while(|(a, b)| a == b).count();
            let (expected, seen) = (line(&must.stdout, at), line(&got.stdout, at));
            format!("line {}: {seen:?}, expected {expected:?}", at + 1)
        }
    }
}

/// The object of a module after passes.
pub fn object(
    server: &mut Server,
    bitcode: &[u8],
    passes: &str,
    limits: Limits,
) -> Result<Vec<u8>, Trouble> {
    match ask(server, bitcode, passes, None, limits).map_err(trouble)? {
        Verdict::Fine(Answer::Object(object)) => Ok(object),
        other => Err(Trouble::Io(format!("no object: {other:?}"))),
    }
}

fn ask(
    server: &mut Server,
    bitcode: &[u8],
    passes: &str,
    allowance: Option<Allowance>,
    limits: Limits,
) -> io::Result<Verdict> {
    let pipeline = Pipeline::of(passes, Running { verify_each: true, log: false });
    let item = Item::Execute { module: bitcode.to_vec(), pipeline, allowance };
    let ran = server.run(vec![item.bytes()], limits, false)?;
    ran.first().map(Verdict::of).ok_or_else(|| io::Error::other("the server did nothing"))
}

/// What an object does, linked by the system's linker, as a program of its own, confined to a folder of its own.
pub fn linked(object: &[u8], clang: &Path, stop: &Stop) -> Result<Executed, Trouble> {
    let folder = Scratch::new().map_err(trouble)?;
    let (file, program) = (folder.path().join("test.o"), folder.path().join("program"));
    // Where it runs: it cannot write anywhere else.
    let home = folder.path().join("home");
    fs::create_dir(&home).map_err(trouble)?;
    fs::write(&file, object).map_err(trouble)?;
    let link = Run::new(clang, TIME * 6).arg(&file).arg("-o").arg(&program).arg("-lm").stop(stop);
    if link.finish().success().is_none() {
        return Err(Trouble::Io(format!("{} cannot link", clang.display())));
    }
    let limits = oracle::Limits::default();
    let run = Run::new(&program, TIME)
        .cwd(&home)
        .env("LC_ALL", "C")
        .memory(limits.memory)
        .file_size(limits.file_size)
        .processes(limits.processes)
        .confined_to(&home)
        .folder_cap(&home, limits.folder)
        .stop(stop);
    let (how, done) = match run.finish() {
        Ended::Finished(done) => match done.status {
            Status::Exit(status) => (ExecutionEnd::Status(status), done),
            Status::Signal(signal) => (ExecutionEnd::Signal(signal), done),
        },
        Ended::Killed(_, done) => (ExecutionEnd::Time, done),
        Ended::NotStarted(error) => return Err(Trouble::Io(error.to_string())),
    };
    Ok(Executed { how, stdout: done.stdout.bytes })
}

/// A library with clang before it, as a compiler.
fn as_compiler(library: &Installed, program: &Program, clang: &Path) -> Arc<Compiler> {
    let mut words: Vec<OsString> = vec![program.path.clone().into()];
    words.extend(["llvm", "cc", "--memory", "4096", "--lib"].map(OsString::from));
    words.push(library.path.clone().into());
    words.extend(["--clang".into(), clang.into(), "--".into()]);
    Arc::new(Compiler {
        family: Family::Clang,
        name: compiler(library),
        version: library.major.to_string(),
        triple: llvmhost::X86_64.into(),
        c: words,
        cxx: None,
        runner: Default::default(),
        abi: Some(toolchain::Abi::Lp64),
        levels: vec!["-O0".into()],
        extras: Vec::new(),
        drawn: Default::default(),
        lacks: Vec::new(),
        checks: None,
        root: None,
    })
}

/// The IR of a case.
fn bitcode_of(
    case: &Case,
    optimising: bool,
    clang: &Path,
    server: &mut Server,
) -> Result<Vec<u8>, String> {
    let scratch = Scratch::new().map_err(|e| e.to_string())?;
    Lab::default().write(case, scratch.path()).map_err(|e| e.to_string())?;
    let mut modules = Vec::new();
    for unit in case.units() {
        modules.push(front::bitcode(case, unit, optimising, clang, scratch.path())?.0);
    }
    match modules.len() {
        1 => Ok(modules.remove(0)),
        _ => {
            let items = vec![Item::Link { modules }.bytes()];
            let ran = server.run(items, Limits::default(), false).map_err(|e| e.to_string())?;
            match ran.first().map(Verdict::of) {
                Some(Verdict::Fine(Answer::Object(whole))) => Ok(whole),
                other => Err(format!("the files do not make one program: {other:?}")),
            }
        }
    }
}

/// Whether a program does as it must after the passes of a sequence on another library; `Err` says why that cannot be
/// told.
pub(crate) fn sequence_on(
    server: &mut Server,
    case: &Case,
    sequence: &SequenceSubject,
    clang: &Path,
    limits: Limits,
    stop: &Stop,
) -> Result<Result<bool, String>, Trouble> {
    let optimising = sequence.level == FrontLevel::Optimised;
    let bitcode = match bitcode_of(case, optimising, clang, server) {
        Ok(bitcode) => bitcode,
        Err(why) => return Ok(Err(why)),
    };
    let must =
        ExpectedRun { status: sequence.expected.status, stdout: sequence.expected.stdout.clone() };
    let bench = Linked { clang, stop, limits, bitcode: &bitcode };
    match bench.run(server, &sequence.passes) {
        Ok(Ok(got)) => Ok(Ok(must.matches(&got))),
        Ok(Err(Verdict::Fault(_))) => Ok(Ok(false)),
        Ok(Err(Verdict::Refused(why) | Verdict::Trouble(why))) => Ok(Err(why)),
        Ok(Err(Verdict::Fine(_))) => Ok(Err("it makes no code".into())),
        Err(NotReduced::Trouble(trouble)) => Err(trouble),
        Err(other) => Ok(Err(other.to_string())),
    }
}

/// Makes the program of a finding small, its passes too, and finds out which versions fail.
pub fn study_program(
    found: &Finding,
    sequence: &SequenceSubject,
    tools: LlvmTools<'_>,
    clang: &Path,
    stop: &Stop,
    tell: &(dyn Fn(StudyProgress<'_>) + Sync),
) -> Result<Study, NotReduced> {
    let begin = Instant::now();
    let library = &installed(&sequence.library).map_err(NotReduced::Unusable)?;
    let case = sequence.case(&found.finding.files);
    let compiler = as_compiler(library, tools.program, clang);
    let target = |passes: &str| Target {
        compiler: compiler.clone(),
        flags: vec![sequence.level.flag().to_string(), format!("-passes={passes}")],
    };
    let (bad, right) = ([target(&sequence.passes)], [target("")]);
    let old = sequence.baseline.as_ref().map(installed).transpose();
    let old = old.map_err(NotReduced::Unusable)?;
    let old_compiler = old.as_ref().map(|old| as_compiler(old, tools.program, clang));
    let subject = ProgramSubject::new(&case, found.finding.kind, &bad, &right);
    let subject = subject.against(old_compiler.as_deref());
    let compilers: Vec<Arc<Compiler>> =
        [compiler.clone()].into_iter().chain(old_compiler).collect();
    let order = ReduceOptions {
        jobs: 1,
        time: Some(STUDY),
        stop: stop.clone(),
        limits: oracle::Limits::default(),
        known: KnownMasks::default(),
    };
    let reduced = shrink(&case, &subject, &compilers, &order, tell)?;
    let case = named(&reduced.case);
    let flags = &reduced.failure.bad[0].flags;
    let optimising = is_optimising(flags);
    let expected = case.expected.clone().unwrap_or_else(|| Expected { stdout: vec![], status: 0 });
    let must = ExpectedRun { status: expected.status, stdout: expected.stdout };
    let mut server = start(library, tools.program).map_err(NotReduced::Unusable)?;
    let bitcode =
        bitcode_of(&case, optimising, clang, &mut server).map_err(NotReduced::Unusable)?;
    tell(StudyProgress::Asks("which passes are needed"));
    let bench = Linked { clang, stop, limits: tools.limits, bitcode: &bitcode };
    let mut old = match &old {
        Some(old) => Some(start(old, tools.program).map_err(NotReduced::Unusable)?),
        None => None,
    };
    let passes = bench.fewest(&mut server, old.as_mut(), &sequence.passes, &must)?;
    let got = match bench.run(&mut server, &passes)? {
        Ok(got) if !must.matches(&got) => got,
        _ => {
            let text = String::from_utf8_lossy(&case.files[0].bytes).into_owned();
            let flags = flags.join(" ");
            let what = format!("the reduced program works at {flags}:\n{text}");
            return Err(NotReduced::NotShown(what));
        }
    };
    let last = Text::parse(&passes).map_or(0, |text| text.len()).saturating_sub(1);
    let pass = Text::parse(&passes).map(|text| innermost(&text.only(|n| n == last).to_string()));
    tell(StudyProgress::Asks("which versions fail"));
    let ladder = bench.ladder(tools.program, library, &passes, &must);
    tell(StudyProgress::Asks("whether the reduced program is valid"));
    let scratch = Scratch::new().map_err(|error| Trouble::Io(error.to_string()))?;
    let lab = Lab { limits: order.limits.clone(), stop: stop.clone() };
    let names: Vec<&str> = case.units().collect();
    let own = own_opinion(&names.join(" "), reduced.steps);
    let (certificate, _) = Detectors::find().certify(&lab, &case, scratch.path(), own)?;
    let summary = summary(&must, &got);
    let actual = got.stdout.clone();
    let culprit = pass.as_ref().map(|pass| Culprit {
        method: Method::LastPass,
        name: optimise::shrink::pipeline::class_of(pass),
        hides: Vec::new(),
        detail: format!("-passes={passes}"),
    });
    let kind = found.finding.kind.name();
    Ok(Study {
        about: None,
        mask: triage::Mask::default(),
        files: presented(&case, &summary),
        evidence: vec![SourceFile { name: "actual".into(), bytes: actual }],
        subject: Subject::Sequence(SequenceSubject {
            kind: found.finding.kind,
            units: case.units().map(String::from).collect(),
            include: sequence.include.clone(),
            expected: Expected { stdout: must.stdout, status: must.status },
            clang: clang.display().to_string(),
            level: front::level(optimising),
            library: identity(library, &server.release),
            passes,
            baseline: sequence.baseline.clone(),
        }),
        key: format!("{kind} llvm {}", culprit.as_ref().map_or("", |culprit| &culprit.name)),
        certificate,
        blame: Blame {
            pass: culprit.as_ref().map(|culprit| culprit.name.clone()),
            culprits: culprit.into_iter().collect(),
            limits: Vec::new(),
        },
        ladder,
        summary,
        tokens: reduced.tokens,
        took: begin.elapsed(),
    })
}

/// `licm` of `function(loop-mssa(licm))`.
fn innermost(text: &str) -> String {
    text.rsplit('(').next().unwrap_or(text).trim_end_matches(')').to_string()
}

/// A program whose code the system's linker links, as reductions have it linked. What is wrong may depend on
/// what happens to be in memory, and a JIT has other things there.
struct Linked<'a> {
    clang: &'a Path,
    stop: &'a Stop,
    limits: Limits,
    bitcode: &'a [u8],
}

impl Linked<'_> {
    /// What the program does after passes; `Err` what LLVM does in place of that.
    fn run(
        &self,
        server: &mut Server,
        passes: &str,
    ) -> Result<Result<Executed, Verdict>, NotReduced> {
        let unusable = |error: io::Error| NotReduced::Unusable(error.to_string());
        match ask(server, self.bitcode, passes, None, self.limits).map_err(unusable)? {
            Verdict::Fine(Answer::Object(object)) => {
                Ok(Ok(linked(&object, self.clang, self.stop).map_err(NotReduced::Trouble)?))
            }
            other => Ok(Err(other)),
        }
    }

    /// The fewest of some passes after which it does not do as it must, and does on the older library of a
    /// comparison.
    fn fewest(
        &self,
        server: &mut Server,
        mut old: Option<&mut Server>,
        passes: &str,
        must: &ExpectedRun,
    ) -> Result<String, NotReduced> {
        let unusable = |what: String| NotReduced::Unusable(what);
        let text = Text::parse(passes).ok_or_else(|| unusable(format!("no passes: {passes}")))?;
        let numbers: Vec<usize> = (0..text.len()).collect();
        let written = |kept: &[usize]| text.only(|n| kept.contains(&n)).to_string();
        let kept = shorten(&numbers, |candidates: &[Vec<usize>]| {
            let wrong = candidates.iter().map(|kept| {
                let passes = written(kept);
                let ran = self.run(server, &passes).map_err(io::Error::other)?;
                if !ran.is_ok_and(|got| !must.matches(&got)) {
                    return Ok(false);
                }
                let Some(old) = old.as_deref_mut() else { return Ok(true) };
                let ran = self.run(old, &passes).map_err(io::Error::other)?;
                Ok(ran.is_ok_and(|got| must.matches(&got)))
            });
            wrong.collect()
        });
        kept.map(|kept| written(&kept)).map_err(|error| unusable(error.to_string()))
    }

    /// The program on every LLVM that is installed and can read it.
    fn ladder(
        &self,
        program: &Program,
        failed: &Installed,
        passes: &str,
        must: &ExpectedRun,
    ) -> Ladder {
        let mut rungs = Vec::new();
        for library in crate::module::rungs_for(failed) {
            let Ok(mut server) = start(&library, program) else { continue };
            let cell = match self.run(&mut server, passes) {
                Ok(Ok(got)) if must.matches(&got) => Cell::Works,
                Ok(Ok(_)) => Cell::Fails,
                Ok(Err(Verdict::Fault(other))) => Cell::Otherwise(crate::module::kind(other.fault)),
                _ => Cell::Unsupported,
            };
            let version = library.version_and_build();
            rungs.push(Rung { compiler: compiler(&library), version, cells: vec![cell] });
        }
        Ladder { levels: vec![format!("-passes={passes}")], rungs }
    }
}

/// Drops the exclusions that a hunt learnt from a fault of LLVM's that is fixed; how many.
pub fn forget_exclusions(out: &Path, found: &NewFinding) -> Result<usize, String> {
    let (mut gone, signature) = (0, found.signature.as_str());
    if found.subject.library().is_none() {
        return Ok(0);
    }
    for library in Installed::all() {
        let file = exclusions_file(out, &library);
        if file.is_file() {
            let mut exclusions = Exclusions::read(&file)?;
            gone += exclusions.forget(signature);
            exclusions.write(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        }
    }
    Ok(gone)
}

/// Whether a program is still miscompiled where it was.
pub fn recheck_program(
    specimen: Specimen<'_>,
    sequence: &SequenceSubject,
    tools: LlvmTools<'_>,
    begin: &mut dyn FnMut(&str),
) -> Result<Rechecked, String> {
    let case = sequence.case(specimen.files);
    let Expected { stdout, status } = sequence.expected.clone();
    let must = ExpectedRun { status, stdout };
    let label = sequence.label();
    begin(&label);
    let mut done = Rechecked::default();
    let Ok(library) = installed(&sequence.library) else {
        done.gone.push(sequence.library.name());
        return Ok(done);
    };
    let clang = front::clang_of(sequence)?;
    let mut server = start(&library, tools.program)?;
    let optimising = sequence.level == FrontLevel::Optimised;
    let bitcode = bitcode_of(&case, optimising, &clang, &mut server)?;
    let limits = Limits { memory: 4 << 30, ..tools.limits };
    let bench = Linked { clang: &clang, stop: &Stop::new(), limits, bitcode: &bitcode };
    match bench.run(&mut server, &sequence.passes).map_err(|error| error.to_string())? {
        Ok(got) if must.matches(&got) => done.right.push(label),
        Ok(_) => done.fails.push(label),
        Err(other) => done.otherwise.push((label, format!("{other:?}"))),
    }
    Ok(done.concluded())
}

fn trouble(error: io::Error) -> Trouble {
    Trouble::Io(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is run is suspected code.
    #[test]
    fn linked_programs_are_confined() {
        let scratch = Scratch::new().expect("a temporary folder");
        let (object, mark) = (scratch.file("a.o"), scratch.file("mark"));
        let source = format!(
            "#include <stdio.h>\nint main(void) {{ FILE *f = fopen({:?}, \"w\"); \
             puts(f ? \"escaped\" : \"confined\"); return 3; }}\n",
            mark.display().to_string()
        );
        let gcc = Run::new("gcc", TIME).args(["-x", "c", "-", "-c", "-o"]).arg(&object);
        if gcc.stdin(source).finish().success().is_none() {
            assert!(std::env::var_os("CI").is_none(), "set-up installs gcc: CI skips none");
            return;
        }
        let object = fs::read(&object).expect("an object");
        let ran = linked(&object, Path::new("gcc"), &Stop::new()).expect("it runs");
        assert!(matches!(ran.how, ExecutionEnd::Status(3)));
        assert_eq!(ran.stdout, b"confined\n");
        assert!(!mark.exists());
    }
}
