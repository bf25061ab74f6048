//! Sets of blocks of several images in one file.
//!
//! A line that names the format; then for each image a line with its build id, the number of its
//! leaders, a hash of them and the length of its bitmap in words, and the bitmap, little-endian. The
//! hash is there because block numbers mean something only together with the rules that find leaders.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::image::fingerprint;
use crate::{Image, Set};

const MAGIC: &str = "gainsay coverage 1\n";

/// Why a baseline is of no use.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The file cannot be read or written.
    #[error("cannot use {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file holds something else.
    #[error("{} is not a coverage baseline, or only a part of one", path.display())]
    NotOne {
        /// The file.
        path: PathBuf,
    },
    /// Its blocks were numbered by other rules.
    #[error("the baseline numbers the blocks of {} otherwise: it is from another version of Gainsay; make it anew", path.display())]
    OtherRules {
        /// The image.
        path: PathBuf,
    },
    /// It is about other files.
    #[error("the baseline knows nothing of {} with build id {build_id}; it is about {}", path.display(), others.join(", "))]
    OtherBuild {
        /// The image.
        path: PathBuf,
        /// The image's build id.
        build_id: String,
        /// The build ids in the file.
        others: Vec<String>,
    },
}

/// Blocks of several images, by build id.
#[derive(Clone, Default, Debug)]
pub struct Baseline {
    images: BTreeMap<String, KnownBlocks>,
}

#[derive(Clone, Debug)]
struct KnownBlocks {
    leaders: usize,
    fingerprint: u64,
    set: Set,
}

impl KnownBlocks {
    fn new(image: &Image) -> KnownBlocks {
        let leaders = image.leaders();
        let fingerprint = fingerprint(leaders.iter().copied());
        KnownBlocks { leaders: leaders.len(), fingerprint, set: Set::new() }
    }

    fn fits(&self, image: &Image) -> bool {
        let new = KnownBlocks::new(image);
        (self.leaders, self.fingerprint) == (new.leaders, new.fingerprint)
    }
}

impl Baseline {
    /// Knows nothing.
    pub fn new() -> Baseline {
        Baseline::default()
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Baseline, BaselineError> {
        let bytes = fs::read(path)
            .map_err(|error| BaselineError::Io { path: path.to_path_buf(), error })?;
        Baseline::parse(&bytes).ok_or_else(|| BaselineError::NotOne { path: path.to_path_buf() })
    }

    fn parse(bytes: &[u8]) -> Option<Baseline> {
        let mut rest = bytes.strip_prefix(MAGIC.as_bytes())?;
        let mut images = BTreeMap::new();
        while !rest.is_empty() {
            let end = rest.iter().position(|&byte| byte == b'\n')?;
            let line = std::str::from_utf8(&rest[..end]).ok()?;
            let [id, leaders, fingerprint, words] =
                line.split(' ').collect::<Vec<_>>().try_into().ok()?;
            let size = words.parse::<usize>().ok()?.checked_mul(8)?;
            let bitmap = rest[end + 1..].get(..size)?;
            rest = &rest[end + 1 + size..];
            let words = bitmap.chunks_exact(8).map(|w| w.try_into().map(u64::from_le_bytes));
            let set = Set::from_words(words.collect::<Result<_, _>>().ok()?);
            let leaders: usize = leaders.parse().ok()?;
            // Eight features for a block, at most, where a library counts itself.
            if set.iter().last().is_some_and(|last| last as usize / 8 >= leaders) {
                return None;
            }
            let fingerprint = u64::from_str_radix(fingerprint, 16).ok()?;
            images.insert(id.to_string(), KnownBlocks { leaders, fingerprint, set });
        }
        Some(Baseline { images })
    }

    /// Writes a file, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), BaselineError> {
        let mut bytes = MAGIC.as_bytes().to_vec();
        for (id, KnownBlocks { leaders, fingerprint, set }) in &self.images {
            let words = set.words();
            let line = format!("{id} {leaders} {fingerprint:016x} {}\n", words.len());
            bytes.extend(line.into_bytes());
            bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        }
        // A name of its own, beside the file: a rename does not cross file systems.
        let mut beside = path.as_os_str().to_owned();
        beside.push(format!(".{}.new", std::process::id()));
        let written = fs::File::create(&beside)
            .and_then(|mut file| file.write_all(&bytes))
            .and_then(|()| fs::rename(&beside, path));
        written.map_err(|error| {
            let _ = fs::remove_file(&beside);
            BaselineError::Io { path: path.to_path_buf(), error }
        })
    }

    /// What is known of an image, if there is anything.
    pub fn get(&self, image: &Image) -> Result<Option<&Set>, BaselineError> {
        match self.images.get(image.build_id()) {
            Some(known) if !known.fits(image) => {
                Err(BaselineError::OtherRules { path: image.path().to_path_buf() })
            }
            known => Ok(known.map(|known| &known.set)),
        }
    }

    /// Adds blocks of an image.
    pub fn add(&mut self, image: &Image, blocks: &Set) -> Result<(), BaselineError> {
        self.get(image)?;
        let known =
            self.images.entry(image.build_id().into()).or_insert_with(|| KnownBlocks::new(image));
        known.set = known.set.union(blocks);
        Ok(())
    }
}

impl Set {
    /// Writes a set of blocks of an image to a file of its own.
    pub fn save(&self, path: &Path, image: &Image) -> Result<(), BaselineError> {
        let mut baseline = Baseline::new();
        baseline.add(image, self)?;
        baseline.write(path)
    }

    /// Reads what [`save`](Set::save) wrote. A file that knows nothing of this image is an error.
    pub fn load(path: &Path, image: &Image) -> Result<Set, BaselineError> {
        let baseline = Baseline::read(path)?;
        baseline.get(image)?.cloned().ok_or_else(|| BaselineError::OtherBuild {
            path: image.path().to_path_buf(),
            build_id: image.build_id().into(),
            others: baseline.images.into_keys().collect(),
        })
    }
}
