//! Work that misbehaves as it is told.

use std::ffi::c_int;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use llvmhost::{Allowance, Context, Llvm, Machine, Recorder, Running, Work};

/// The work, and a library that counts itself.
pub struct Misdeeds {
    counted: Option<Library>,
}

impl Misdeeds {
    /// Opens the library, if there is one to be.
    pub fn new(counted: Option<&Path>) -> Misdeeds {
        // SAFETY: a library of ours, whose constructors only register its counters.
        let open = |path| unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
        Misdeeds { counted: counted.map(|path| open(path).expect("it was just made")) }
    }

    fn walk(&self, steps: c_int) -> c_int {
        let library = self.counted.as_ref().expect("it was opened");
        // SAFETY: the function has this type.
        unsafe {
            library.get::<extern "C" fn(c_int) -> c_int>(b"walk\0").expect("it is there")(steps)
        }
    }
}

impl Work for Misdeeds {
    fn perform(
        &self,
        llvm: &Llvm,
        machine: &Machine<'_>,
        item: &[u8],
        recorder: &Recorder<'_>,
    ) -> Vec<u8> {
        recorder.stage(1);
        let text = String::from_utf8_lossy(item).into_owned();
        let (deed, rest) = text.split_once(' ').unwrap_or((&text, ""));
        let number = || rest.parse().expect("a number");
        recorder.save_artifact(deed.as_bytes());
        // SAFETY: nothing here is safe; that is the point. The process is a child of a server.
        unsafe {
            match deed {
                "say" => {}
                "abort" => libc::abort(),
                "exit" => libc::exit(number()),
                "raise" => drop(libc::raise(number())),
                "breakpoint" => std::arch::asm!("int3"),
                "undefined" => std::arch::asm!("ud2"),
                "null" => std::ptr::null_mut::<u8>().wrapping_add(black_box(8)).write_volatile(1),
                "entry" => {
                    let _ = black_box((llvm.api.LLVMGetTarget)(llvmhost::api::ModuleRef::NULL));
                }
                "recurse" => drop(recurse(black_box(1))),
                "panic" => panic!("{rest}"),
                "loop" => spin(),
                "sleep" => std::thread::sleep(Duration::from_secs(1000)),
                "deaf" => {
                    let mut all = std::mem::zeroed();
                    libc::sigfillset(&mut all);
                    libc::sigprocmask(libc::SIG_SETMASK, &all, std::ptr::null_mut());
                    spin();
                }
                "eat" => loop {
                    black_box(vec![1u8; 1 << 20].leak());
                },
                "print" => (0..number()).for_each(|_| {
                    let line = b"The same line over and over again, as if nobody had to read it.\n";
                    // As LLVM, this does not care whether anybody takes it.
                    libc::write(2, line.as_ptr().cast(), line.len());
                }),
                // What one item leaves behind meets the next of the same process.
                "poison" => std::env::set_var("POISONED", "1"),
                "touchy" => assert!(std::env::var_os("POISONED").is_none(), "poisoned"),
                "execute" => {
                    let object = std::fs::read(rest).expect("an object file");
                    let ran = llvmhost::execute(llvm, &object, Allowance::default(), recorder);
                    let ran = ran.expect("it is tried");
                    return format!("{:?}\n{}", ran.how, String::from_utf8_lossy(&ran.stdout))
                        .into();
                }
                "open" => {
                    let opened = std::fs::File::create(rest).err();
                    return opened.map_or("written".into(), |e| e.kind().to_string()).into();
                }
                "walk" => drop(self.walk(number())),
                "walk-and-die" => {
                    self.walk(number());
                    libc::abort();
                }
                "parse" => {
                    let context = Context::new(llvm);
                    let mut module = context.parse(rest.as_bytes(), "x").expect("a module");
                    module.set_machine(machine);
                    module.run("default<O2>", Some(machine), Running::default()).expect("passes");
                }
                other => panic!("what is {other}?"),
            }
        }
        rest.as_bytes().to_vec()
    }
}

fn spin() -> ! {
    loop {
        black_box(0);
    }
}

#[allow(unconditional_recursion)]
fn recurse(depth: u64) -> u64 {
    let room = black_box([depth; 64]);
    recurse(depth + 1) + room[(depth % 64) as usize]
}
