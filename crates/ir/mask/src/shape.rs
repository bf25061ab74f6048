//! The normal form of a reduced function: what is left of it when names, widths and order do not count.
//!
//! Only instructions that matter are written: `icmp signed(a, add nsw(a, c))`. Operands of commutative operations
//! are sorted, comparisons turned to *less*, constants named by class. What does not matter is `_`, or a letter where
//! it is used more than once. A shape can be looked for in a function that was not reduced. Not here: which blocks
//! instructions stand in; a loop is said, and no more.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use irtext::{
    Binary, Bits, Constant, FloatPredicate, Function, Instruction, IntPredicate, Local, Module, Op,
    Type, Value, walk,
};

use crate::claims;
use crate::construct::{Construct, called, instructions, kind};

/// Expressions are written to this depth; loops of values have no end.
const DEPTH: usize = 6;

/// Places that are tried when a shape is looked for in another.
const TRIES: u32 = 20_000;

/// Characters of a shape: a longer one ends with a number in place of its rest.
const LONGEST: usize = 200;

/// Intrinsics whose first two operands may be exchanged.
const COMMUTATIVE: &[&str] = &[
    "llvm.smax",
    "llvm.smin",
    "llvm.umax",
    "llvm.umin",
    "llvm.sadd.sat",
    "llvm.uadd.sat",
    "llvm.sadd.with.overflow",
    "llvm.uadd.with.overflow",
    "llvm.smul.with.overflow",
    "llvm.umul.with.overflow",
];

/// The instructions of a wrong function that matter, as expressions.
#[derive(Clone, Debug)]
pub struct Shape {
    roots: Vec<Node>,
    /// All of their operations, where the expressions are looked for in a larger function.
    operations: Vec<Node>,
    has_loop: bool,
    claims: Vec<String>,
}

impl Shape {
    /// That of functions of which these constructs matter; of all of them, where none does.
    pub fn of(module: &Module, functions: &[String], needed: &BTreeSet<Construct>) -> Shape {
        let is_operation = |c: &Construct| !matches!(c, Construct::Flag(_) | Construct::Claim(_));
        let is_claim = |c: &&Construct| matches!(c, Construct::Claim(_));
        let mut shape = Shape {
            roots: Vec::new(),
            operations: Vec::new(),
            has_loop: false,
            claims: needed.iter().filter(is_claim).map(|c| c.words().to_string()).collect(),
        };
        for (number, function) in called(module, functions).into_iter().enumerate() {
            let shaper = Shaper {
                number,
                function,
                needed,
                all: !needed.iter().any(is_operation),
                defined: instructions(function).filter_map(|i| Some((i.result?, i))).collect(),
            };
            shape.has_loop |= has_loop(function);
            shaper.add_to(&mut shape);
        }
        shape
    }

    /// Whether everything in it is found in a larger one. What does not matter here may be anything there.
    pub fn is_part_of(&self, other: &Shape) -> bool {
        let mut tries = TRIES;
        !self.roots.is_empty() && other.has_all(&self.roots, &BTreeMap::new(), &mut tries)
    }

    /// Whether it has all of these expressions. A value that several of them share is one value here, too.
    fn has_all(&self, roots: &[Node], bound: &Bindings, tries: &mut u32) -> bool {
        let Some((first, others)) = roots.split_first() else { return true };
        self.operations.iter().any(|at| {
            *tries = tries.saturating_sub(1);
            let mut bound = bound.clone();
            *tries > 0 && matches(first, at, &mut bound) && self.has_all(others, &bound, tries)
        })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        parts.extend(self.has_loop.then(|| "loop".to_string()));
        parts.extend(named(&self.roots));
        parts.extend(self.claims.iter().cloned());
        f.write_str(&shortened(parts.join("; ")))
    }
}

/// Whether an expression is an instance of another. A value that does not matter is the same wherever it occurs;
/// what is wrong for numbers is for vectors of them.
fn matches(wanted: &Node, at: &Node, bound: &mut Bindings) -> bool {
    match (wanted, at) {
        (Node::Leaf(local), _) => match bound.get(local) {
            Some(known) => known == at,
            None => {
                bound.insert(*local, at.clone());
                true
            }
        },
        // A reduction makes 0 or 1 of all that may be anything.
        (Node::Word("0" | "1"), _) => true,
        (Node::Word(wanted), Node::Word(at)) => wanted == at,
        (Node::Operation(wanted), Node::Operation(at)) => {
            if wanted.head != at.head || wanted.operands.len() != at.operands.len() {
                return false;
            }
            let mut orders = vec![at.operands.clone()];
            if at.is_commutative && at.operands.len() >= 2 {
                let mut other = at.operands.clone();
                other.swap(0, 1);
                orders.push(other);
            }
            orders.iter().any(|order| {
                let mut tried = bound.clone();
                let mut pairs = wanted.operands.iter().zip(order);
                let all = pairs.all(|(wanted, at)| matches(wanted, at, &mut tried));
                if all {
                    *bound = tried;
                }
                all
            })
        }
        (Node::Word(_) | Node::Operation(_), _) => false,
    }
}

/// Whether control goes back to a block before.
fn has_loop(function: &Function) -> bool {
    function.blocks.iter().enumerate().any(|(at, block)| {
        let mut back = false;
        for instruction in &block.instructions {
            if !matches!(instruction.op, Op::Phi { .. }) {
                walk::targets(&instruction.op, &mut |target| back |= target.0 as usize <= at);
            }
        }
        back
    })
}

fn shortened(text: String) -> String {
    let Some((cut, _)) = text.char_indices().nth(LONGEST) else { return text };
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{}… {:08x}", &text[..cut], hash >> 32)
}

/// A value, with the number of its function.
type Leaf = (usize, Local);

/// What values of a shape are in another.
type Bindings = BTreeMap<Leaf, Node>;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    /// A value that does not matter.
    Leaf(Leaf),
    /// A constant's class, or what is no value.
    Word(&'static str),
    Operation(Box<Operation>),
}

#[derive(Clone, Debug, PartialEq)]
struct Operation {
    head: String,
    class: &'static str,
    operands: Vec<Node>,
    is_commutative: bool,
}

struct Shaper<'a> {
    /// Values of two functions are never one.
    number: usize,
    function: &'a Function,
    needed: &'a BTreeSet<Construct>,
    all: bool,
    defined: BTreeMap<Local, &'a Instruction>,
}

impl Shaper<'_> {
    /// Adds the function's expressions: those that are no part of another one are roots.
    fn add_to(&self, shape: &mut Shape) {
        let mattering: Vec<&Instruction> =
            instructions(self.function).filter(|i| self.matters(i)).collect();
        let mut used = BTreeSet::new();
        for instruction in &mattering {
            walk::values(&instruction.op, &mut |value| {
                if let Value::Local(local) = value
                    && instruction.result != Some(*local)
                {
                    used.insert(*local);
                }
            });
        }
        let operations = mattering.iter().map(|i| (i.result, self.operation(i, DEPTH)));
        let operations: Vec<(Option<Local>, Node)> = operations.collect();
        let is_root = |result: &Option<Local>| result.is_none_or(|result| !used.contains(&result));
        let roots = operations.iter().filter(|(result, _)| is_root(result));
        let mut roots: Vec<Node> = roots.map(|(_, node)| node.clone()).collect();
        if roots.is_empty() {
            // A circle of values has no beginning.
            roots.extend(operations.first().map(|(_, node)| node.clone()));
        }
        shape.roots.extend(roots);
        shape.operations.extend(operations.into_iter().map(|(_, node)| node));
    }

    fn matters(&self, instruction: &Instruction) -> bool {
        let ends = matches!(
            instruction.op,
            Op::Ret(_) | Op::Br(_) | Op::CondBr { .. } | Op::Switch { .. } | Op::Unreachable
        );
        match self.all {
            true => !ends && !matches!(instruction.op, Op::Phi { .. } | Op::Alloca { .. }),
            false => self.needed.contains(&kind(&instruction.op)),
        }
    }

    fn operation(&self, instruction: &Instruction, depth: usize) -> Node {
        let op = &instruction.op;
        let (kind, ty) = (kind(op), self.type_of(instruction));
        let mut head = kind.words().trim_start_matches("llvm.").to_string();
        if let Some(predicate) = strictness(op) {
            head = format!("{head} {predicate}");
        }
        for flag in claims::flags(op) {
            if self.needed.contains(&Construct::Flag(flag.into())) {
                head = format!("{head} {flag}");
            }
        }
        let mut operands = Vec::new();
        walk::values(op, &mut |value| operands.push(self.node(value, depth)));
        if matches!(op, Op::Call(_)) && !operands.is_empty() {
            // Whom it calls is in its head.
            operands.remove(0);
        }
        if is_reversed(op) {
            operands.reverse();
        }
        let is_commutative = match op {
            Op::Binary { op, .. } => {
                use Binary::{Add, And, FAdd, FMul, Mul, Or, Xor};
                matches!(op, Add | Mul | And | Or | Xor | FAdd | FMul)
            }
            Op::ICmp { predicate: IntPredicate::Eq | IntPredicate::Ne, .. } => true,
            _ => COMMUTATIVE.contains(&kind.words()),
        };
        if is_commutative && operands.len() >= 2 {
            // As LLVM has them: constants last.
            operands[..2].sort_by_key(|node| (matches!(node, Node::Word(_)), text(node)));
        }
        let class = class(ty.as_ref());
        Node::Operation(Box::new(Operation { head, class, operands, is_commutative }))
    }

    /// The type that an operation works on.
    fn type_of(&self, instruction: &Instruction) -> Option<Type> {
        match &instruction.op {
            Op::ICmp { left, .. } | Op::FCmp { left, .. } => Some(left.ty.clone()),
            Op::Store { value, .. } => Some(value.ty.clone()),
            _ => instruction.result.map(|result| self.function.type_of(result).clone()),
        }
    }

    fn node(&self, value: &Value, depth: usize) -> Node {
        match value {
            Value::Local(local) => match self.defined.get(local) {
                Some(i) if depth > 0 && self.matters(i) => self.operation(i, depth - 1),
                _ => Node::Leaf((self.number, *local)),
            },
            Value::Constant(constant) => Node::Word(class_of(constant)),
            Value::Metadata(_) => Node::Word("metadata"),
        }
    }
}

/// Truth values and vectors are treated in ways of their own; all other types alike.
fn class(ty: Option<&Type>) -> &'static str {
    match ty {
        Some(Type::Integer(1)) => " i1",
        Some(Type::Vector { .. }) => " vector",
        _ => "",
    }
}

/// The class of a constant.
fn class_of(constant: &Constant) -> &'static str {
    match constant {
        Constant::Integer(bits) if bits.is_zero() => "0",
        Constant::Integer(bits) if bits.is_ones() => "-1",
        Constant::Integer(bits) if bits.small() == Some(1) => "1",
        Constant::Float(bits) if bits.is_zero() => "0",
        Constant::Float(bits) if is_negative_zero(bits) => "-0.0",
        Constant::Integer(_) | Constant::Float(_) | Constant::Bytes(_) => "c",
        Constant::Null => "null",
        Constant::Zero => "0",
        Constant::Undef => "undef",
        Constant::Poison => "poison",
        Constant::None => "none",
        Constant::Splat(of) => class_of(&of.1),
        Constant::Struct(parts) | Constant::Array(parts) | Constant::Vector(parts) => {
            let mut classes = parts.iter().map(|(_, part)| part);
            let first = classes.next();
            let is_splat = first.is_some_and(|first| classes.all(|other| other == first));
            match first {
                Some(first) if is_splat => class_of(first),
                _ => "<c>",
            }
        }
        Constant::Global(_) | Constant::Wrapped(..) | Constant::Signed(_) => "@",
        Constant::BlockAddress(..) => "label",
        Constant::Expression(_) => "expression",
        Constant::Assembly(_) => "asm",
    }
}

fn is_negative_zero(bits: &Bits) -> bool {
    *bits == Bits::least_signed(bits.width())
}

/// How a comparison decides where it is more than its kind; `a > b` is `b < a`.
fn strictness(op: &Op) -> Option<&'static str> {
    use IntPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    Some(match op {
        Op::ICmp { predicate, .. } => match predicate {
            Eq => "eq",
            Ne => "ne",
            Slt | Sgt | Ult | Ugt => "lt",
            Sle | Sge | Ule | Uge => "le",
        },
        Op::FCmp { predicate, .. } => match predicate {
            FloatPredicate::Ogt => "olt",
            FloatPredicate::Oge => "ole",
            FloatPredicate::Ugt => "ult",
            FloatPredicate::Uge => "ule",
            other => other.word(),
        },
        _ => return None,
    })
}

fn is_reversed(op: &Op) -> bool {
    use IntPredicate::{Sge, Sgt, Uge, Ugt};
    match op {
        Op::ICmp { predicate, .. } => matches!(predicate, Sge | Sgt | Uge | Ugt),
        Op::FCmp { predicate, .. } => {
            use FloatPredicate::{Oge, Ogt, Uge, Ugt};
            matches!(predicate, Ogt | Oge | Ugt | Uge)
        }
        _ => false,
    }
}

/// An expression whose values have no names.
fn text(node: &Node) -> String {
    written(node, &|_| "_".to_string())
}

/// Expressions in which values that occur more than once have letters.
fn named(roots: &[Node]) -> Vec<String> {
    fn count(node: &Node, seen: &mut Vec<(Leaf, usize)>) {
        match node {
            Node::Leaf(leaf) => match seen.iter_mut().find(|(known, _)| known == leaf) {
                Some((_, times)) => *times += 1,
                None => seen.push((*leaf, 1)),
            },
            Node::Word(_) => {}
            Node::Operation(it) => it.operands.iter().for_each(|o| count(o, seen)),
        }
    }
    let mut sorted: Vec<&Node> = roots.iter().collect();
    sorted.sort_by_key(|root| text(root));
    let mut seen = Vec::new();
    sorted.iter().for_each(|root| count(root, &mut seen));
    seen.retain(|(_, times)| *times > 1);
    let name = |leaf: Leaf| match seen.iter().position(|(known, _)| *known == leaf) {
        Some(at) if at < 26 => char::from(b'a' + at as u8).to_string(),
        Some(at) => format!("v{at}"),
        None => "_".to_string(),
    };
    let mut texts: Vec<String> = sorted.iter().map(|root| written(root, &name)).collect();
    texts.dedup();
    texts
}

fn written(node: &Node, name: &dyn Fn(Leaf) -> String) -> String {
    match node {
        Node::Leaf(leaf) => name(*leaf),
        Node::Word(word) => (*word).to_string(),
        Node::Operation(it) => {
            let operands: Vec<String> = it.operands.iter().map(|o| written(o, name)).collect();
            format!("{}{}({})", it.head, it.class, operands.join(", "))
        }
    }
}
