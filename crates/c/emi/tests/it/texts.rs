//! What each mutation of live code makes of a small program, before and after.

use choice::Choices;
use cmachine::MachineConfig;
use ctree::{DataModel, Program, UnitId};
use emi::{Chain, Database, Options};

/// `main` of the first variant of a program with one mutation.
fn variant(text: &str, strategy: &str, seed: u64) -> String {
    let mut program = Program::new(DataModel::X86_64_SYSV);
    cparse::parse_unit(&mut program, "test.c", text).expect("the seed parses");
    let strategies = strategy.parse().expect("a strategy");
    let options = Options { strategies, percent: 100, mutations: 1, ..Options::default() };
    let config = MachineConfig::default();
    let chain = Chain::new(program, options, &config, &Choices::new(seed));
    let Ok(mut chain) = chain else { panic!("the seed runs") };
    chain.next(&Database::default()).expect("the variant does what the seed does");
    let text = ctree::print::print_unit(chain.program(), UnitId(0));
    text[text.find("int main").expect("main is there")..].to_string()
}

const SEED: &str = "\
struct pair { short a; unsigned b : 3; };
struct pair s = {-5, 6};
int total = 3, *where = &total;
int main(void)
{
    for (int i = 0; i < 2; i++)
        total += i;
    return total - 4;
}
";

/// A block that never runs: `i` is 0 and 1 there.
#[test]
fn a_block_behind_what_is_false() {
    assert_eq!(
        variant(SEED, "fcb", 9),
        "\
int main(void) {
    for (int i = 0; i < 2; i++) {
        while (!(i != 183877)) {
            float emi_4 = where - where || s.b;
            while (s.a == 8UL) {
                where -= --total;
            }
        }
        total += i;
    }
    return total - 4;
}
"
    );
}

/// A statement behind what is known to be true: `s.a` is -5, and `i` is 0 and 1 there.
#[test]
fn a_guard_that_holds() {
    assert_eq!(
        variant(SEED, "tg", 4),
        "\
int main(void) {
    for (int i = 0; i < 2; i++)
        if ((s.a && i >= *where) || (s.a >= *where || i > s.a))
            total += i;
    return total - 4;
}
"
    );
}

/// Scalars are changed and put back; what reads them meanwhile is computed from what they are.
#[test]
fn a_block_that_runs_and_leaves_no_trace() {
    assert_eq!(
        variant(SEED, "tcb", 2),
        "\
int main(void) {
    for (int i = 0; i < 2; i++) {
        {
            int emi_4 = ~(i < (unsigned int)(total / s.b));
            if (emi_4 - s.b <= 86388035) {
                emi_4 = i;
                i = (long long)(emi_4 % (*where > !total)) == (int)(s.b > i);
                if (~(total ? emi_4 : (unsigned char)i) == -4) {
                    printf(\"%d\\n\", i);
                }
            }
            i = emi_4;
        }
        total += i;
    }
    return total - 4;
}
"
    );
}
