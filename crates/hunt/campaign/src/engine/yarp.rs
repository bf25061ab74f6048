//! The engine `yarp`: programs of our own, built freely and repaired by execution.

use std::path::Path;

use cgen::policy::Policy;
use cgen::yarp::{self, Options};
use oracle::{Case, Expected, SourceFile, Trouble};
use toolchain::Language;

use super::{Source, TestProgram};
use crate::bench::TestBench;
use crate::predict::{self, Unusable};
use crate::record::Cost;

/// C++ standards, one after the other by seed: a program is right in each.
const STANDARDS: [&str; 4] = ["c++11", "c++14", "c++17", "c++20"];

/// Steps for a program that is read back: more than the generator allows it.
const FUEL: u64 = 10_000_000;

/// One program in so many is compiled with its driver at every level.
const DRIVER_TOO: u64 = 8;

/// One C program in so many goes without GNU extensions, so that compilers without them are tested.
const PLAIN: u64 = 4;

/// The generator with its policy.
pub struct Yarp {
    name: String,
    options: Options,
    /// For every fourth program, unless a policy was asked for.
    plain: Option<Options>,
    language: Language,
    /// How `gainsay gen` is told of the same policy and language.
    arguments: String,
}

impl Yarp {
    /// Programs in this language by this policy; `policy_name` is what `--policy` was given.
    pub fn new(language: Language, policy: Policy, policy_name: &str) -> Yarp {
        let mut name = "yarp".to_string();
        let mut arguments = String::new();
        if language == Language::Cxx {
            name += "-c++";
            arguments += " --lang c++";
        }
        let is_default = policy == Policy::default();
        if !is_default {
            // Another policy makes other programs of the same seeds, whatever its file is called.
            name += &format!("-{:08x}", digest(&policy.explain()));
            arguments += &format!(" --policy {policy_name}");
        }
        let spoken = match language {
            Language::C => yarp::Language::C,
            Language::Cxx => yarp::Language::Cxx,
        };
        let options = Options { policy, language: spoken, ..Options::default() };
        let plain = (is_default && language == Language::C)
            .then(|| Options { policy: Policy::plain(), ..options.clone() });
        Yarp { name, options, plain, language, arguments }
    }
}

/// FNV-1a: a name, not a defence.
pub(super) fn digest(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

impl Source for Yarp {
    fn name(&self) -> &str {
        &self.name
    }

    fn make(
        &self,
        seed: u64,
        _: &Path,
        _: &TestBench,
        _: &mut Cost,
    ) -> Result<Result<TestProgram, Unusable>, Trouble> {
        let unusable = |detail: String| Unusable { reason: "not repaired".into(), detail };
        let plain = self.plain.as_ref().filter(|_| seed % PLAIN == PLAIN - 1);
        let generated = match yarp::generate(seed, plain.unwrap_or(&self.options)) {
            Ok(generated) => generated,
            Err(error) => return Ok(Err(unusable(error.to_string()))),
        };
        let files = match generated.files(false) {
            Ok(files) => files,
            Err(error) => return Ok(Err(unusable(error.to_string()))),
        };
        let source =
            |f: yarp::SourceFile| SourceFile { name: f.name.into(), bytes: f.text.into_bytes() };
        let files: Vec<SourceFile> = files.into_iter().map(source).collect();
        let expected = Some(Expected { stdout: generated.expected().to_vec(), status: 0 });
        let standard = match self.language {
            Language::C => None,
            Language::Cxx => Some(STANDARDS[(seed % STANDARDS.len() as u64) as usize].to_string()),
        };
        let include = Vec::new();
        let driver = files.iter().find(|f| f.name.starts_with("driver.")).map(|f| f.name.clone());
        // Now and then the optimisers get the driver's loops too.
        let harness = driver.filter(|_| !seed.is_multiple_of(DRIVER_TOO));
        let case = Case {
            language: self.language,
            files,
            standard,
            harness,
            include,
            expected,
            omitted: Default::default(),
        };
        let units = case.units().collect::<Vec<_>>().join(" ");
        let steps = generated.repaired.report.steps;
        let own = predict::own_opinion(&units, steps);
        let arguments = if plain.is_some() { " --policy plain" } else { &self.arguments };
        let origin = format!("gainsay gen --engine yarp --seed {seed}{arguments} -o DIR");
        Ok(Ok(TestProgram::new(case, origin, own, FUEL).taking(steps)))
    }
}
