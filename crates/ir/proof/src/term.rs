//! Terms: Booleans and bit-vectors as a graph in which equal terms are one.
//!
//! Terms are made by the methods of `simplify`; here is what holds them, which variables they contain, and
//! the replacement of variables. Not here: what instructions mean, and how terms are written.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use irtext::Bits;

/// A term, by its place in [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Term(pub(crate) u32);

/// A variable, by its place in [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Variable(pub(crate) u32);

/// An uninterpreted function, by its place in [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Symbol(pub(crate) u32);

/// What a term denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    Bool,
    Bits(u32),
}

/// Operations on two bit-vectors of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Arithmetic {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

/// How a term is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Bool(bool),
    Bits(Bits),
    Variable(Variable),
    Not(Term),
    /// Sorted, at least two, none of them an `And`.
    And(Box<[Term]>),
    /// The first is the lower.
    Equal(Term, Term),
    Less {
        signed: bool,
        left: Term,
        right: Term,
    },
    If(Term, Term, Term),
    Arithmetic(Arithmetic, Term, Term),
    /// The first is the high part.
    Concat(Term, Term),
    Extract {
        high: u32,
        low: u32,
        of: Term,
    },
    SignExtend(u32, Term),
    Apply(Symbol, Box<[Term]>),
}

/// What a variable stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Role {
    /// Both sides see the same.
    Shared,
    /// Bits that are chosen anew at each use; which undef thing they are of.
    Undef(Origin),
    /// A choice of one side, made once; what it goes back to.
    Choice(Origin),
}

/// What the bits of an undef value go back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// A part of an input, by its number.
    Input(u32),
    /// A byte of memory that was there before, at an address.
    Byte(Term),
    /// A constant, memory that nobody wrote, a freeze.
    Own,
}

/// What is known of a variable.
#[derive(Clone, Debug)]
pub(crate) struct VariableInfo {
    pub(crate) name: String,
    pub(crate) sort: Sort,
    pub(crate) role: Role,
    /// Whether it belongs to the target.
    pub(crate) target: bool,
}

/// What is known of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SymbolInfo {
    pub(crate) name: String,
    pub(crate) arguments: Vec<Sort>,
    pub(crate) result: Sort,
    /// Its meaning in the theory of floating point, over `a`, `b` and `c`; empty: it has none.
    pub(crate) meaning: String,
}

/// The variables with a choice in them, sorted; shared among terms.
type Choices = Option<Rc<[Variable]>>;

struct Entry {
    node: Node,
    sort: Sort,
    choices: Choices,
}

/// All terms of a question.
pub(crate) struct Terms {
    entries: Vec<Entry>,
    known: HashMap<Node, Term>,
    variables: Vec<VariableInfo>,
    symbols: Vec<SymbolInfo>,
    known_symbols: HashMap<String, Symbol>,
}

impl Terms {
    pub(crate) fn new() -> Terms {
        Terms {
            entries: Vec::new(),
            known: HashMap::new(),
            variables: Vec::new(),
            symbols: Vec::new(),
            known_symbols: HashMap::new(),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn node(&self, term: Term) -> &Node {
        &self.entries[term.0 as usize].node
    }

    pub(crate) fn sort(&self, term: Term) -> Sort {
        self.entries[term.0 as usize].sort
    }

    /// Bits of a term; 0 of a Boolean.
    pub(crate) fn width(&self, term: Term) -> u32 {
        match self.sort(term) {
            Sort::Bool => 0,
            Sort::Bits(width) => width,
        }
    }

    pub(crate) fn variable_info(&self, variable: Variable) -> &VariableInfo {
        &self.variables[variable.0 as usize]
    }

    pub(crate) fn symbol_info(&self, symbol: Symbol) -> &SymbolInfo {
        &self.symbols[symbol.0 as usize]
    }

    /// Variables with a choice in a term: all but the shared ones.
    pub(crate) fn choices(&self, term: Term) -> &[Variable] {
        self.entries[term.0 as usize].choices.as_deref().unwrap_or(&[])
    }

    /// Variables of a term that are chosen anew at each use.
    pub(crate) fn undefs(&self, term: Term) -> impl Iterator<Item = Variable> + '_ {
        self.choices(term)
            .iter()
            .copied()
            .filter(|v| matches!(self.variable_info(*v).role, Role::Undef(_)))
    }

    /// The term of a node, if it has been made.
    pub(crate) fn find(&self, node: &Node) -> Option<Term> {
        self.known.get(node).copied()
    }

    /// The term that a node is; only `simplify` makes nodes.
    pub(crate) fn intern(&mut self, node: Node, sort: Sort) -> Term {
        if let Some(term) = self.known.get(&node) {
            return *term;
        }
        let mut choices: Choices = None;
        let own = match &node {
            Node::Variable(v) if self.variables[v.0 as usize].role != Role::Shared => Some(*v),
            _ => None,
        };
        if let Some(variable) = own {
            choices = Some([variable].into());
        }
        for_each_part(&node, |part| {
            choices = union(choices.take(), &self.entries[part.0 as usize].choices);
        });
        let term = Term(self.entries.len() as u32);
        self.entries.push(Entry { node: node.clone(), sort, choices });
        self.known.insert(node, term);
        term
    }

    /// A new variable.
    pub(crate) fn variable(&mut self, name: String, sort: Sort, role: Role, target: bool) -> Term {
        let variable = Variable(self.variables.len() as u32);
        self.variables.push(VariableInfo { name, sort, role, target });
        self.intern(Node::Variable(variable), sort)
    }

    /// A new variable of one side; its name is its number.
    pub(crate) fn choice(&mut self, sort: Sort, role: Role, target: bool) -> Term {
        let letter = if target { 't' } else { 's' };
        let name = format!("{letter}{}", self.variables.len());
        self.variable(name, sort, role, target)
    }

    /// The function of a name; the same one whenever the name is the same.
    pub(crate) fn symbol(&mut self, info: SymbolInfo) -> Symbol {
        if let Some(symbol) = self.known_symbols.get(&info.name) {
            return *symbol;
        }
        let symbol = Symbol(self.symbols.len() as u32);
        self.known_symbols.insert(info.name.clone(), symbol);
        self.symbols.push(info);
        symbol
    }

    /// An application of an uninterpreted function.
    pub(crate) fn apply(&mut self, name: &str, arguments: &[Term], result: Sort) -> Term {
        self.apply_known(name, arguments, result, String::new)
    }

    /// An application of a function that has a meaning in the theory of floating point.
    pub(crate) fn apply_known(
        &mut self,
        name: &str,
        arguments: &[Term],
        result: Sort,
        meaning: impl FnOnce() -> String,
    ) -> Term {
        let symbol = match self.known_symbols.get(name) {
            Some(symbol) => *symbol,
            None => {
                let sorts = arguments.iter().map(|a| self.sort(*a)).collect();
                let (name, meaning) = (name.to_string(), meaning());
                self.symbol(SymbolInfo { name, arguments: sorts, result, meaning })
            }
        };
        self.intern(Node::Apply(symbol, arguments.into()), result)
    }

    /// Terms with variables replaced. `known` remembers what became of which term.
    pub(crate) fn replace(
        &mut self,
        term: Term,
        map: &BTreeMap<Variable, Term>,
        known: &mut HashMap<Term, Term>,
    ) -> Term {
        if !self.choices(term).iter().any(|v| map.contains_key(v)) {
            return term;
        }
        if let Some(done) = known.get(&term) {
            return *done;
        }
        let mut part = |terms: &mut Terms, part: Term| terms.replace(part, map, known);
        let done = match self.node(term).clone() {
            Node::Bool(_) | Node::Bits(_) => term,
            Node::Variable(variable) => map.get(&variable).copied().unwrap_or(term),
            Node::Not(of) => {
                let of = part(self, of);
                self.not(of)
            }
            Node::And(parts) => {
                let parts: Vec<Term> = parts.iter().map(|p| part(self, *p)).collect();
                self.all(&parts)
            }
            Node::Equal(a, b) => {
                let (a, b) = (part(self, a), part(self, b));
                self.equal(a, b)
            }
            Node::Less { signed, left, right } => {
                let (left, right) = (part(self, left), part(self, right));
                self.less(signed, left, right)
            }
            Node::If(c, a, b) => {
                let (c, a, b) = (part(self, c), part(self, a), part(self, b));
                self.choose(c, a, b)
            }
            Node::Arithmetic(op, a, b) => {
                let (a, b) = (part(self, a), part(self, b));
                self.arithmetic(op, a, b)
            }
            Node::Concat(a, b) => {
                let (a, b) = (part(self, a), part(self, b));
                self.concat(a, b)
            }
            Node::Extract { high, low, of } => {
                let of = part(self, of);
                self.extract(high, low, of)
            }
            Node::SignExtend(width, of) => {
                let of = part(self, of);
                self.sign_extend(width, of)
            }
            Node::Apply(symbol, arguments) => {
                let arguments = arguments.iter().map(|p| part(self, *p)).collect();
                let sort = self.sort(term);
                self.intern(Node::Apply(symbol, arguments), sort)
            }
        };
        known.insert(term, done);
        done
    }
}

/// Calls `f` with each part of a node.
pub(crate) fn for_each_part(node: &Node, mut f: impl FnMut(Term)) {
    match node {
        Node::Bool(_) | Node::Bits(_) | Node::Variable(_) => {}
        Node::Not(a) | Node::Extract { of: a, .. } | Node::SignExtend(_, a) => f(*a),
        Node::Equal(a, b) | Node::Less { left: a, right: b, .. } => {
            f(*a);
            f(*b);
        }
        Node::Arithmetic(_, a, b) | Node::Concat(a, b) => {
            f(*a);
            f(*b);
        }
        Node::If(c, a, b) => {
            f(*c);
            f(*a);
            f(*b);
        }
        Node::And(parts) | Node::Apply(_, parts) => parts.iter().for_each(|p| f(*p)),
    }
}

fn union(a: Choices, b: &Choices) -> Choices {
    let (Some(left), Some(right)) = (&a, b) else { return a.or_else(|| b.clone()) };
    if Rc::ptr_eq(left, right) || right.iter().all(|v| left.binary_search(v).is_ok()) {
        return a;
    }
    let mut all: Vec<Variable> = left.iter().chain(right.iter()).copied().collect();
    all.sort_unstable();
    all.dedup();
    Some(all.into())
}
