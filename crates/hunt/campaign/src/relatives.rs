//! The compilers that a version ladder asks: those of the hunt of one family, and, about a cross compiler's bug, the
//! native ones of that family whether they are in the hunt or not. A bug that a native compiler has as well is the
//! middle end's.

use std::sync::{Arc, OnceLock};

use toolchain::{Abi, Compiler, Config, Language, Runner};

/// The relatives of a failing compiler, itself among them.
pub fn relatives(
    compilers: &[Arc<Compiler>],
    failing: &Compiler,
    language: Language,
) -> Vec<Arc<Compiler>> {
    with_natives(compilers, failing, || native_compilers(language))
}

fn with_natives<'n>(
    compilers: &[Arc<Compiler>],
    failing: &Compiler,
    natives: impl FnOnce() -> &'n [Arc<Compiler>],
) -> Vec<Arc<Compiler>> {
    // With another data model the program may be another one; of a failing one's own, and of the common one, it is
    // known to have this result.
    let takes = |c: &Compiler| c.abi == failing.abi || c.abi == Some(Abi::Lp64);
    let is_related = |c: &&Arc<Compiler>| c.family == failing.family && takes(c);
    let mut all: Vec<Arc<Compiler>> = compilers.iter().filter(is_related).cloned().collect();
    if is_native(failing) {
        return all;
    }
    for native in natives().iter().filter(is_related) {
        if is_native(native) && all.iter().all(|known| known.name != native.name) {
            all.push(native.clone());
        }
    }
    all
}

/// Whether it compiles for the machine that this is. What needs an emulator does not.
fn is_native(compiler: &Compiler) -> bool {
    let machine = compiler.triple.split('-').next().unwrap_or_default();
    let is_here = machine.is_empty() || machine == std::env::consts::ARCH;
    compiler.runner == Runner::Native && compiler.abi == Some(Abi::Lp64) && is_here
}

/// The native compilers that are installed, looked for once. Where none is found, a ladder has none: a study does not
/// fail for that.
fn native_compilers(language: Language) -> &'static [Arc<Compiler>] {
    static C: OnceLock<Vec<Arc<Compiler>>> = OnceLock::new();
    static CXX: OnceLock<Vec<Arc<Compiler>>> = OnceLock::new();
    let found = match language {
        Language::C => &C,
        Language::Cxx => &CXX,
    };
    found.get_or_init(|| {
        let survey = toolchain::survey(&Config::default(), &[], language, &mut |_| ());
        survey.map(|survey| survey.compilers).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use toolchain::Family;

    use super::*;

    fn compiler(family: Family, name: &str, triple: &str, runner: &[&str]) -> Arc<Compiler> {
        Arc::new(Compiler {
            family,
            name: name.into(),
            version: "12.2.0".into(),
            triple: triple.into(),
            c: vec![name.into()],
            cxx: None,
            runner: Runner::of_words(runner.iter().map(Into::into).collect()),
            abi: Some(Abi::Lp64),
            levels: vec!["-O0".into()],
            extras: Vec::new(),
            drawn: Default::default(),
            lacks: Vec::new(),
            checks: None,
            root: None,
        })
    }

    #[test]
    fn a_cross_compiler_is_compared_with_native_versions() {
        let here = format!("{}-linux-gnu", std::env::consts::ARCH);
        let native = compiler(Family::Gcc, "gcc-12", &here, &[]);
        let older = compiler(Family::Gcc, "gcc-11", &here, &[]);
        let clang = compiler(Family::Clang, "clang-16", &here, &[]);
        let cross =
            compiler(Family::Gcc, "mips-linux-gnu-gcc-12", "mips-linux-gnu", &["qemu-mips"]);
        let other = compiler(Family::Gcc, "arm-linux-gnu-gcc-12", "arm-linux-gnu", &["qemu-arm"]);
        let installed = [native.clone(), older.clone(), clang.clone(), other];
        let names =
            |all: Vec<Arc<Compiler>>| all.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
        let hunt = [cross.clone(), clang.clone()];
        let asked = with_natives(&hunt, &cross, || &installed);
        assert_eq!(names(asked), ["mips-linux-gnu-gcc-12", "gcc-12", "gcc-11"]);
        // Nobody is asked twice, and a native compiler's bug needs nobody else.
        let hunt = [cross.clone(), native.clone()];
        let asked = with_natives(&hunt, &cross, || &installed);
        assert_eq!(names(asked), ["mips-linux-gnu-gcc-12", "gcc-12", "gcc-11"]);
        let asked = with_natives(&hunt, &native, || panic!("nobody looks for more"));
        assert_eq!(names(asked), ["mips-linux-gnu-gcc-12", "gcc-12"]);
    }
}
