//! The seeds of one libLLVM, on disk and ready to be drawn.
//!
//! A folder with three files that only grow: `seeds.bc`, bitcode after bitcode; `index`, a record for each
//! with its place, name and facts; and `blocks`, the blocks of the library that were reached. A seed
//! is written before its record, and a record that is not whole is cut off when the folder is opened:
//! whatever ends a hunt, the seeds are there for the next.
//!
//! A corpus has one writer: [`Corpus::open`] locks it. A folder is a corpus if it has the account of an
//! import, [`IMPORTED`], which is written last; any other folder is a user's, and is only read.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use choice::Choices;
use coverage::Set;
use serde::{Deserialize, Serialize};

use crate::import::Imported;
use crate::work::Span;
use crate::{CrossoverKind, Facts, FrameProperties, FunctionFacts};

/// Seeds among which one is drawn by chance before all are looked at.
const TRIES: usize = 48;

/// Guests that are tried before giving up.
const GUESTS: usize = 64;

/// Of a hundred draws, those that prefer what was added last: it reached something new.
const PREFER_NEW: u32 = 25;

/// How many of the last count as new.
const NEW: usize = 500;

/// The account of an import: what a corpus is recognised by.
pub const IMPORTED: &str = "imported.json";

/// The blocks that seeds were the first to reach, when they were imported.
pub const FIRSTS: &str = "firsts";

/// Of a hundred draws, those that prefer the seeds of a change: enough to be seen in minutes, and the others go on
/// crossing them with everything.
const PREFER_FAVOURED: u32 = 60;

/// Of a hundred of these, those that prefer the tests of the change itself, if there are any.
const PREFER_TESTS: u32 = 50;

/// The file that is locked while a corpus is open.
const LOCK: &str = "lock";

/// All other files of a corpus. The index comes before the seeds: copied in this order, what is appended
/// meanwhile to both leaves no record without its seed.
const FILES: [&str; 6] = ["index", "seeds.bc", "blocks", "tally.json", "asked.json", FIRSTS];

/// Which seeds may be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedPool {
    /// Those of the test suite.
    Suite,
    /// Crossovers, too.
    All,
}

/// One seed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeedRecord {
    /// Where its bitcode is.
    pub span: Span,
    /// The function and its file, or the two it was crossed of.
    pub name: String,
    /// The two seeds that it was crossed of; none for those of a test suite.
    pub parents: Option<[u32; 2]>,
    /// What is known of it.
    pub facts: Facts,
}

/// A function's facts with types as numbers.
#[derive(Clone, Debug)]
struct TypeFacts {
    result: Option<u32>,
    parameters: Vec<u32>,
    offers: Vec<u32>,
    wants: Vec<u32>,
    inlinable: bool,
    hosting: bool,
    callable: bool,
    manner: FrameProperties,
}

/// A seed in memory.
#[derive(Clone, Debug)]
struct LoadedSeed {
    span: Span,
    name: String,
    parents: Option<[u32; 2]>,
    instructions: usize,
    shapes: Vec<TypeFacts>,
}

/// The corpus.
#[derive(Debug)]
pub struct Corpus {
    dir: PathBuf,
    /// Locked as long as it is open.
    _lock: File,
    seeds: File,
    end: u64,
    index: File,
    all: Vec<LoadedSeed>,
    types: BTreeMap<String, u32>,
    /// For each type, seeds that want it, and that offer it.
    wanting: Vec<Vec<u32>>,
    offering: Vec<Vec<u32>>,
    guests: Vec<u32>,
    callable: Vec<u32>,
    hosting: Vec<u32>,
    /// Seeds that have to do with a change, its own tests first, and whether a seed is one.
    favoured: [Vec<u32>; 2],
    is_favoured: Set,
}

impl Corpus {
    /// Whether a folder is a corpus. `Err` is a sentence: it is one whose account cannot be read.
    pub fn is_in(dir: &Path) -> Result<bool, String> {
        let has_seeds = || dir.join("index").is_file() && dir.join("seeds.bc").is_file();
        let account = match fs::read(dir.join(IMPORTED)) {
            Ok(bytes) => serde_json::from_slice::<Imported>(&bytes).map_err(|e| e.to_string()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(e) => Err(e.to_string()),
        };
        match account {
            Ok(_) => Ok(has_seeds()),
            Err(_) if !has_seeds() => Ok(false),
            Err(why) => Err(format!(
                "{} looks like a corpus, but its {IMPORTED} cannot be read ({why}): it was left as it is; \
                 give the tests that it was made of",
                dir.display()
            )),
        }
    }

    /// Copies a corpus, which is only read, into a folder of our own.
    pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
        Corpus::clear(to)?;
        fs::create_dir_all(to)?;
        // Last what makes a corpus of it.
        for name in FILES.into_iter().chain([IMPORTED]) {
            match fs::copy(from.join(name), to.join(name)) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => {}
            }
        }
        Ok(())
    }

    /// Removes the files of a corpus from a folder, and nothing else that is there.
    pub fn clear(dir: &Path) -> io::Result<()> {
        let _lock = if dir.exists() { Some(lock(dir)?) } else { None };
        for name in [IMPORTED].into_iter().chain(FILES) {
            match fs::remove_file(dir.join(name)) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => {}
            }
        }
        Ok(())
    }

    /// Opens the corpus of a folder, makes an empty one if there is none. One that is open already is
    /// refused.
    pub fn open(dir: &Path) -> io::Result<Corpus> {
        fs::create_dir_all(dir)?;
        let lock = lock(dir)?;
        let file =
            |name: &str| File::options().create(true).append(true).read(true).open(dir.join(name));
        let (seeds, mut index) = (file("seeds.bc")?, file("index")?);
        let end = seeds.metadata()?.len();
        let mut bytes = Vec::new();
        index.read_to_end(&mut bytes)?;
        let mut corpus = Corpus {
            dir: dir.to_path_buf(),
            _lock: lock,
            seeds,
            end,
            index,
            all: Vec::new(),
            types: BTreeMap::new(),
            wanting: Vec::new(),
            offering: Vec::new(),
            guests: Vec::new(),
            callable: Vec::new(),
            hosting: Vec::new(),
            favoured: Default::default(),
            is_favoured: Set::default(),
        };
        let mut whole = 0;
        while let Some((record, length)) = next_record(&bytes[whole..]) {
            if record.span.at + u64::from(record.span.length) > end {
                break;
            }
            corpus.remember(record);
            whole += length;
        }
        if whole < bytes.len() {
            corpus.index.set_len(whole as u64)?;
        }
        Ok(corpus)
    }

    /// All records, in order, and where their bitcode is.
    pub fn records(&self) -> io::Result<Vec<SeedRecord>> {
        let bytes = fs::read(self.dir.join("index"))?;
        let mut rest = bytes.as_slice();
        let mut all = Vec::with_capacity(self.len());
        while let Some((record, length)) = next_record(rest) {
            all.push(record);
            rest = &rest[length..];
        }
        Ok(all)
    }

    /// A seed's bitcode.
    pub fn bitcode(&self, seed: u32) -> io::Result<Vec<u8>> {
        let span = self.span(seed);
        let mut bytes = vec![0; span.length as usize];
        self.seeds.read_exact_at(&mut bytes, span.at)?;
        Ok(bytes)
    }

    /// The smallest seed that came by crossing and fulfils a condition.
    pub fn smallest_crossed(&self, mut wanted: impl FnMut(u32) -> bool) -> Option<u32> {
        let crossed = self.all.iter().enumerate().filter(|(_, seed)| seed.parents.is_some());
        let wanted = crossed.filter(|(number, _)| wanted(*number as u32));
        wanted.min_by_key(|(_, seed)| seed.instructions).map(|(number, _)| number as u32)
    }

    /// How many seeds there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The file that servers read seeds from.
    pub fn seeds_file(&self) -> PathBuf {
        self.dir.join("seeds.bc")
    }

    /// The file with the blocks that were reached.
    pub fn blocks_file(&self) -> PathBuf {
        self.dir.join("blocks")
    }

    /// A seed's place.
    pub fn span(&self, seed: u32) -> Span {
        self.all[seed as usize].span
    }

    /// A seed's name.
    pub fn name(&self, seed: u32) -> &str {
        &self.all[seed as usize].name
    }

    /// Instructions of a seed.
    pub fn instructions(&self, seed: u32) -> usize {
        self.all[seed as usize].instructions
    }

    /// How many seeds came by crossing.
    pub fn crossed(&self) -> usize {
        self.all.iter().filter(|seed| seed.parents.is_some()).count()
    }

    /// Adds a seed; its number.
    pub fn add(
        &mut self,
        bitcode: &[u8],
        name: String,
        parents: Option<[u32; 2]>,
        facts: Facts,
    ) -> io::Result<u32> {
        let length = u32::try_from(bitcode.len()).map_err(io::Error::other)?;
        let span = Span { at: self.end, length };
        self.seeds.write_all(bitcode)?;
        self.end += u64::from(length);
        let record = SeedRecord { span, name, parents, facts };
        let bytes = postcard::to_stdvec(&record).map_err(io::Error::other)?;
        let mut framed =
            u32::try_from(bytes.len()).map_err(io::Error::other)?.to_le_bytes().to_vec();
        framed.extend(bytes);
        self.index.write_all(&framed)?;
        Ok(self.remember(record))
    }

    fn type_number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.types.get(text) {
            return *number;
        }
        let number = self.wanting.len() as u32;
        self.types.insert(text.to_string(), number);
        self.wanting.push(Vec::new());
        self.offering.push(Vec::new());
        number
    }

    fn shape(&mut self, facts: &FunctionFacts) -> TypeFacts {
        let mut numbers = |texts: &[String]| {
            let mut all: Vec<u32> = texts.iter().map(|text| self.type_number(text)).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let (parameters, offers, wants) =
            (numbers(&facts.parameters), numbers(&facts.offers), numbers(&facts.wants));
        let result = (facts.result != "void").then(|| self.type_number(&facts.result));
        TypeFacts {
            result,
            parameters,
            offers,
            wants,
            inlinable: facts.inlinable,
            hosting: facts.hosting,
            callable: facts.callable,
            manner: facts.manner.clone(),
        }
    }

    fn remember(&mut self, record: SeedRecord) -> u32 {
        let number = self.all.len() as u32;
        let instructions = record.facts.instructions();
        let shapes: Vec<TypeFacts> =
            record.facts.functions.iter().map(|facts| self.shape(facts)).collect();
        for shape in shapes.iter().filter(|shape| shape.hosting) {
            enlist(&mut self.wanting, &shape.wants, number);
            enlist(&mut self.offering, &shape.offers, number);
        }
        for (list, fits) in [
            (&mut self.guests, shapes.iter().any(|shape| shape.inlinable)),
            (&mut self.callable, shapes.iter().any(|shape| shape.callable)),
            (&mut self.hosting, shapes.iter().any(|shape| shape.hosting)),
        ] {
            if fits {
                list.push(number);
            }
        }
        let SeedRecord { span, name, parents, .. } = record;
        if parents.is_some_and(|all| all.iter().any(|seed| self.is_favoured.contains(*seed))) {
            self.is_favoured.insert(number);
            self.favoured[1].push(number);
        }
        self.all.push(LoadedSeed { span, name, parents, instructions, shapes });
        number
    }

    /// Two seeds that can be crossed so, as far as their types tell; `None` if there are none.
    pub fn draw(
        &self,
        kind: CrossoverKind,
        from: SeedPool,
        choices: &mut Choices,
    ) -> Option<[u32; 2]> {
        match kind {
            CrossoverKind::Sequence => {
                let first = self.prefer_new(&self.callable, from, choices)?;
                Some([first, *choices.pick(self.among(&self.callable, from))?])
            }
            CrossoverKind::Inline => (0..GUESTS).find_map(|_| {
                let guest = self.prefer_new(&self.guests, from, choices)?;
                let host = self.host(guest, from, choices)?;
                Some([host, guest])
            }),
        }
    }

    /// Whether a seed was crossed of others.
    pub fn is_crossed(&self, seed: u32) -> bool {
        self.all[seed as usize].parents.is_some()
    }

    /// Of seeds in their order, those that may be drawn. The suite's were there first.
    fn among<'a>(&self, list: &'a [u32], from: SeedPool) -> &'a [u32] {
        match from {
            SeedPool::All => list,
            SeedPool::Suite => &list[..list.partition_point(|seed| !self.is_crossed(*seed))],
        }
    }

    /// Draws these seeds more often, and what is crossed of them: the tests of a change, and others.
    pub fn favour(&mut self, tests: Vec<u32>, others: Vec<u32>) {
        self.is_favoured = tests.iter().chain(&others).copied().collect();
        self.favoured = [tests, others];
    }

    /// One of the favoured seeds, if it is on a list.
    fn prefer_favoured(&self, list: &[u32], choices: &mut Choices) -> Option<u32> {
        if self.is_favoured.is_empty() || !choices.chance(PREFER_FAVOURED) {
            return None;
        }
        let [tests, others] = &self.favoured;
        let first = if choices.chance(PREFER_TESTS) { [tests, others] } else { [others, tests] };
        let fits = |seed: &u32| list.binary_search(seed).is_ok();
        first
            .into_iter()
            .find_map(|some| (0..TRIES).find_map(|_| choices.pick(some).copied().filter(fits)))
    }

    fn prefer_new(&self, list: &[u32], from: SeedPool, choices: &mut Choices) -> Option<u32> {
        if let Some(seed) = self.prefer_favoured(self.among(list, from), choices) {
            return Some(seed);
        }
        let new = &list[list.len().saturating_sub(NEW)..];
        let prefers = choices.chance(PREFER_NEW) && from == SeedPool::All;
        choices.pick(if prefers { new } else { self.among(list, from) }).copied()
    }

    /// A seed that one of this seed's functions may be inlined into.
    fn host(&self, guest: u32, from: SeedPool, choices: &mut Choices) -> Option<u32> {
        let shapes = &self.all[guest as usize].shapes;
        let fitting: Vec<&TypeFacts> = shapes.iter().filter(|shape| shape.inlinable).collect();
        let guest = *choices.pick(&fitting)?;
        // The rarest of the types that are needed says most.
        let needed = guest.parameters.iter().map(|ty| &self.offering[*ty as usize]);
        let needed = needed.chain(guest.result.iter().map(|ty| &self.wanting[*ty as usize]));
        let list = needed.min_by_key(|list| list.len()).unwrap_or(&self.hosting);
        let list = self.among(list, from);
        let hosts =
            |seed: &u32| self.all[*seed as usize].shapes.iter().any(|host| host.may_host(guest));
        for _ in 0..TRIES {
            let seed = choices.pick(list)?;
            if hosts(seed) {
                return Some(*seed);
            }
        }
        let all: Vec<u32> = list.iter().copied().filter(hosts).collect();
        choices.pick(&all).copied()
    }
}

impl TypeFacts {
    fn may_host(&self, guest: &TypeFacts) -> bool {
        let has = |list: &[u32], ty: u32| list.binary_search(&ty).is_ok();
        self.hosting
            && self.manner.agrees(&guest.manner)
            && guest.result.is_none_or(|ty| has(&self.wants, ty))
            && guest.parameters.iter().all(|ty| has(&self.offers, *ty))
    }
}

/// Locks a corpus for its one writer.
fn lock(dir: &Path) -> io::Result<File> {
    let file = File::options().create(true).append(true).open(dir.join(LOCK))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(io::Error::new(
            io::ErrorKind::WouldBlock,
            "the corpus is in use by another hunt or import",
        )),
        Err(TryLockError::Error(e)) => Err(e),
    }
}

/// The first record of an index and its length with what stands before it; `None` if it is not whole.
fn next_record(bytes: &[u8]) -> Option<(SeedRecord, usize)> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    let record = postcard::from_bytes(rest.get(..length)?).ok()?;
    Some((record, 4 + length))
}

fn enlist(lists: &mut [Vec<u32>], types: &[u32], seed: u32) {
    for ty in types {
        let list = &mut lists[*ty as usize];
        if list.last() != Some(&seed) {
            list.push(seed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(result: &str, parameters: &[&str], offers: &[&str], wants: &[&str]) -> Facts {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_string()).collect();
        let function = FunctionFacts {
            name: "f".into(),
            result: result.into(),
            parameters: texts(parameters),
            offers: texts(offers),
            wants: texts(wants),
            inlinable: true,
            hosting: true,
            callable: true,
            manner: FrameProperties::default(),
            instructions: 3,
        };
        Facts { functions: vec![function] }
    }

    #[test]
    fn only_pairs_that_may_fit_are_drawn() {
        let dir = sandbox::Scratch::new().expect("a folder");
        let mut corpus = Corpus::open(dir.path()).expect("a corpus");
        let ints = function("i32", &["i32"], &["i32"], &["i32"]);
        let floats = function("float", &["float", "i32"], &["float", "i32"], &["float"]);
        let odd = function("i7", &[], &["i7"], &["i7"]);
        for (n, facts) in [ints, floats, odd].into_iter().enumerate() {
            let number = corpus.add(b"BC", format!("{n}"), None, facts).expect("written");
            assert_eq!(number as usize, n);
        }
        let mut choices = Choices::new(1);
        for _ in 0..200 {
            let [host, guest] =
                corpus.draw(CrossoverKind::Inline, SeedPool::All, &mut choices).expect("a pair");
            assert!([[0, 0], [1, 1], [2, 2]].contains(&[host, guest]), "{guest} into {host}");
        }
    }

    #[test]
    fn a_torn_record_is_cut_off() {
        let dir = sandbox::Scratch::new().expect("a folder");
        let facts = function("i32", &[], &[], &["i32"]);
        let mut corpus = Corpus::open(dir.path()).expect("a corpus");
        for n in 0..3 {
            corpus.add(&[n; 10], n.to_string(), None, facts.clone()).expect("written");
        }
        drop(corpus);
        let index = dir.path().join("index");
        let bytes = fs::read(&index).expect("read");
        fs::write(&index, &bytes[..bytes.len() - 3]).expect("written");
        let mut corpus = Corpus::open(dir.path()).expect("a corpus");
        assert_eq!(corpus.len(), 2);
        corpus.add(&[9; 4], "again".into(), Some([0, 1]), facts).expect("written");
        drop(corpus);
        let corpus = Corpus::open(dir.path()).expect("a corpus");
        assert_eq!((corpus.len(), corpus.crossed()), (3, 1));
        assert_eq!(corpus.name(2), "again");
        assert_eq!(corpus.span(2), Span { at: 30, length: 4 });
    }

    #[test]
    fn a_corpus_has_one_writer() {
        let dir = sandbox::Scratch::new().expect("a folder");
        let mut corpus = Corpus::open(dir.path()).expect("a corpus");
        let second = Corpus::open(dir.path()).expect_err("it is open");
        assert!(second.to_string().contains("in use by another"), "{second}");
        corpus.add(b"BC", "f".into(), None, function("i32", &[], &[], &["i32"])).expect("written");
        assert!(Corpus::clear(dir.path()).is_err(), "nor is it removed meanwhile");
        drop(corpus);
        assert_eq!(Corpus::open(dir.path()).expect("it is free").len(), 1);
    }

    #[test]
    fn a_folder_is_a_corpus_by_its_account() {
        let dir = sandbox::Scratch::new().expect("a folder");
        let account = dir.path().join(IMPORTED);
        assert_eq!(Corpus::is_in(dir.path()), Ok(false));
        // A file of that name in a folder of tests says nothing.
        fs::write(&account, "notes").expect("written");
        assert_eq!(Corpus::is_in(dir.path()), Ok(false));
        drop(Corpus::open(dir.path()).expect("a corpus"));
        let why = Corpus::is_in(dir.path()).expect_err("it cannot be told");
        assert!(why.contains("looks like a corpus, but its imported.json cannot be read"), "{why}");
        fs::write(&account, serde_json::to_vec(&Imported::default()).expect("JSON"))
            .expect("written");
        assert_eq!(Corpus::is_in(dir.path()), Ok(true));
    }

    #[test]
    fn only_files_of_a_corpus_are_removed() {
        let (from, to) =
            (sandbox::Scratch::new().expect("one"), sandbox::Scratch::new().expect("two"));
        let facts = function("i32", &[], &[], &["i32"]);
        for (dir, name) in [(&from, "new"), (&to, "old")] {
            let mut corpus = Corpus::open(dir.path()).expect("a corpus");
            corpus.add(b"BC", name.into(), None, facts.clone()).expect("written");
            fs::write(dir.path().join("notes.txt"), name).expect("written");
        }
        let before = fs::read(from.path().join("index")).expect("read");
        Corpus::copy(from.path(), to.path()).expect("copied");
        let corpus = Corpus::open(to.path()).expect("a corpus");
        assert_eq!((corpus.len(), corpus.name(0)), (1, "new"));
        assert_eq!(fs::read(to.path().join("notes.txt")).expect("it stays"), b"old");
        assert_eq!(fs::read(from.path().join("index")).expect("read"), before);
    }
}
