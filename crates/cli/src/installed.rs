//! The compilers that are installed now, for findings of the past. Which are wanted, `campaign` says.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use campaign::CompilerFinder;
use oracle::Limits;
use toolchain::{Compiler, Language};

use crate::hunt::compilers;

/// The compilers that are installed now, each looked for once.
pub struct InstalledCompilers<'a> {
    config: Option<&'a Path>,
    /// What `--cc` names; all for this processor by default.
    cc: &'a [String],
    found: Vec<(Language, Vec<Arc<Compiler>>, Limits)>,
    /// Names that were looked for and are not there.
    asked: BTreeSet<(Language, String)>,
}

impl<'a> InstalledCompilers<'a> {
    /// As the options `--config` and `--cc` say.
    pub fn new(config: Option<&'a Path>, cc: &'a [String]) -> InstalledCompilers<'a> {
        InstalledCompilers { config, cc, found: Vec::new(), asked: BTreeSet::new() }
    }
}

impl CompilerFinder for InstalledCompilers<'_> {
    fn find(
        &mut self,
        language: Language,
        names: &[String],
    ) -> Result<(Vec<Arc<Compiler>>, Limits)> {
        if self.found.iter().all(|(known, ..)| *known != language) {
            let here = compilers(self.config, self.cc, language)?;
            self.found.push((language, here.compilers, here.limits));
        }
        let Some((_, there, limits)) = self.found.iter_mut().find(|(known, ..)| *known == language)
        else {
            return Ok(Default::default());
        };
        // Cross compilers and those given by path join only when they are named.
        for name in names.iter().filter(|_| self.cc.is_empty()) {
            let missing = there.iter().all(|c| c.name != *name);
            if missing && self.asked.insert((language, name.clone())) {
                let more = compilers(self.config, std::slice::from_ref(name), language);
                there.extend(more.into_iter().flat_map(|more| more.compilers));
            }
        }
        Ok((there.clone(), limits.clone()))
    }
}
