//! What programs may contain, under the names of Csmith's options.

use choice::Choices;
use serde::{Deserialize, Serialize};

macro_rules! features {
    ($($name:ident $text:literal $about:literal;)*) => {
        /// Something that programs may contain.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Feature { $(#[doc = $about] $name,)* }

        impl Feature {
            /// All of them.
            pub const ALL: &[Feature] = &[$(Feature::$name,)*];

            /// Its name, as in `--no-bitfields`.
            pub fn name(self) -> &'static str {
                match self { $(Feature::$name => $text,)* }
            }

            /// What it is.
            pub fn about(self) -> &'static str {
                match self { $(Feature::$name => $about,)* }
            }
        }
    };
}

features! {
    Arrays "arrays" "arrays, of one or more dimensions";
    Bitfields "bitfields" "bit-fields in structs";
    CommaOperators "comma-operators" "comma operators";
    CompoundAssignment "compound-assignment" "assignments with an operator";
    Conditionals "conditionals" "`?:` of the program's own";
    Consts "consts" "constant variables";
    Divs "divs" "divisions and remainders";
    EmbeddedAssigns "embedded-assigns" "assignments within expressions";
    PreIncr "pre-incr-operator" "`++` before an operand";
    PreDecr "pre-decr-operator" "`--` before an operand";
    PostIncr "post-incr-operator" "`++` after an operand";
    PostDecr "post-decr-operator" "`--` after an operand";
    UnaryPlus "unary-plus-operator" "unary `+`";
    Jumps "jumps" "`goto`, `break` and `continue`";
    Longlong "longlong" "integers of 64 bits";
    Int8 "int8" "`int8_t`";
    Uint8 "uint8" "`uint8_t`";
    Muls "muls" "multiplications";
    Packed "packed-struct" "packed structs";
    Pointers "pointers" "pointers";
    Structs "structs" "structs";
    Unions "unions" "unions";
    Volatiles "volatiles" "volatile variables";
    VolatilePointers "volatile-pointers" "pointers to volatile objects, volatile pointers";
    ConstPointers "const-pointers" "pointers to constant objects";
    ArgStructs "arg-structs" "structs as arguments";
    ReturnStructs "return-structs" "structs as results";
    InlineFunction "inline-function" "functions declared `inline`";
    Shifts "shifts" "shifts";
    GlobalCounters "global-counters" "global variables as loop counters";
}

macro_rules! limits {
    ($($name:ident $text:literal $default:literal $about:literal;)*) => {
        /// Something that is limited in number.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Limit { $(#[doc = $about] $name,)* }

        impl Limit {
            /// All of them.
            pub const ALL: &[Limit] = &[$(Limit::$name,)*];

            /// Its name, as in `--max-funcs`.
            pub fn name(self) -> &'static str {
                match self { $(Limit::$name => $text,)* }
            }

            /// What it limits.
            pub fn about(self) -> &'static str {
                match self { $(Limit::$name => $about,)* }
            }

            /// Its default.
            pub fn default(self) -> u32 {
                match self { $(Limit::$name => $default,)* }
            }
        }
    };
}

limits! {
    Funcs "max-funcs" 6 "functions besides main";
    BlockSize "max-block-size" 5 "statements in a block";
    BlockDepth "max-block-depth" 4 "blocks within blocks";
    ExprComplexity "max-expr-complexity" 5 "operators within operators";
    ArrayDim "max-array-dim" 3 "dimensions of an array";
    ArrayLen "max-array-len-per-dim" 10 "elements in a dimension";
    PointerDepth "max-pointer-depth" 3 "stars of a pointer";
    StructFields "max-struct-fields" 8 "members of a struct";
    UnionFields "max-union-fields" 4 "members of a union";
}

/// What programs may contain, and how much of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Features {
    allowed: u64,
    limits: Vec<u32>,
    /// Swarm testing: every program omits some features, so that the others occur more often.
    pub swarm: bool,
}

impl Default for Features {
    fn default() -> Features {
        Features {
            allowed: u64::MAX,
            limits: Limit::ALL.iter().map(|limit| limit.default()).collect(),
            swarm: true,
        }
    }
}

/// The share of programs that have a feature, in percent.
const KEPT: u32 = 92;

impl Features {
    /// Whether a feature may occur.
    pub fn has(&self, feature: Feature) -> bool {
        self.allowed >> feature as u32 & 1 == 1
    }

    /// Allows or forbids a feature.
    pub fn set(&mut self, feature: Feature, allowed: bool) {
        let bit = 1 << feature as u32;
        self.allowed = if allowed { self.allowed | bit } else { self.allowed & !bit };
    }

    /// A limit.
    pub fn limit(&self, limit: Limit) -> u32 {
        self.limits[limit as usize]
    }

    /// Sets a limit; nothing can be limited to less than one.
    pub fn set_limit(&mut self, limit: Limit, to: u32) {
        self.limits[limit as usize] = to.max(1);
    }

    /// The features of one program.
    pub(super) fn drawn(&self, choices: &mut Choices) -> Features {
        let mut drawn = self.clone();
        for &feature in Feature::ALL {
            let kept = choices.chance(KEPT);
            if self.swarm && !kept {
                drawn.set(feature, false);
            }
        }
        drawn
    }

    /// The command-line options for these features.
    pub fn arguments(&self) -> String {
        let mut text = String::new();
        for &feature in Feature::ALL.iter().filter(|f| !self.has(**f)) {
            text += &format!(" --no-{}", feature.name());
        }
        for &limit in Limit::ALL.iter().filter(|l| self.limit(**l) != l.default()) {
            text += &format!(" --{} {}", limit.name(), self.limit(limit));
        }
        if !self.swarm {
            text += " --no-swarm";
        }
        text
    }
}
