//! Servers of one library that threads share.

use std::sync::{Mutex, PoisonError};

use llvmhost::{Installed, Program, Server, Setup};

/// As many servers as are used at a time.
#[derive(Debug)]
pub struct Servers {
    program: Program,
    setup: Setup,
    idle: Mutex<Vec<Server>>,
}

impl Servers {
    /// For a library, by a program that can be a server. None is started yet.
    pub fn new(program: Program, library: &Installed) -> Servers {
        let setup =
            Setup { library: library.path.clone(), major: library.major, ..Setup::default() };
        Servers { program, setup, idle: Mutex::default() }
    }

    /// The file of the library.
    pub fn library(&self) -> &std::path::Path {
        &self.setup.library
    }

    /// One that nobody else uses. `Err` is a sentence: none can be started.
    pub fn take(&self) -> Result<Server, String> {
        let idle = self.idle().pop();
        idle.map_or_else(|| Server::start(&self.program, &self.setup), Ok)
    }

    /// For the next who wants one.
    pub fn give_back(&self, server: Server) {
        self.idle().push(server);
    }

    /// Does something with one.
    pub fn with<T>(&self, work: impl FnOnce(&mut Server) -> T) -> Result<T, String> {
        let mut server = self.take()?;
        let done = work(&mut server);
        self.give_back(server);
        Ok(done)
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Server>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
