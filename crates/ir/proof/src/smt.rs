//! Terms as SMT-LIB 2 text: one definition for each term, so that the text is as long as the graph is large.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::term::{Arithmetic, Node, Sort, Term, Terms, Variable, for_each_part};

/// What is to be asked.
pub(crate) struct Asked<'a> {
    /// What is known to hold.
    pub(crate) facts: &'a [Term],
    /// What is asked: can it hold?
    pub(crate) goal: Term,
    /// It must hold for all values of these.
    pub(crate) for_all: &'a [Variable],
    /// Values to be told if it can.
    pub(crate) values: &'a [Term],
    /// Functions with a meaning in the theory of floating point have it.
    pub(crate) floats: bool,
}

/// The text of a question.
pub(crate) fn text(terms: &Terms, asked: &Asked) -> String {
    let mut roots: Vec<Term> = asked.facts.to_vec();
    roots.push(asked.goal);
    roots.extend(asked.values);
    let order = reached(terms, &roots);
    let bound: BTreeSet<Variable> = asked.for_all.iter().copied().collect();
    let is_bound = |term: Term| terms.choices(term).iter().any(|v| bound.contains(v));

    let mut text = String::from("(set-option :produce-models true)\n");
    if !asked.floats {
        let logic = if bound.is_empty() { "QF_UFBV" } else { "UFBV" };
        let _ = writeln!(text, "(set-logic {logic})");
    }
    declare(terms, &order, &bound, asked.floats, &mut text);
    let leaf = |term: &Term| {
        matches!(terms.node(*term), Node::Variable(_) | Node::Bits(_) | Node::Bool(_))
    };
    for term in order.iter().filter(|t| !leaf(t) && !is_bound(**t)) {
        let _ = write!(text, "(define-fun n{} () {} ", term.0, sort(terms.sort(*term)));
        write_node(terms, *term, &mut text);
        text.push_str(")\n");
    }
    for fact in asked.facts {
        let _ = writeln!(text, "(assert {})", name(terms, *fact));
    }
    let goal = name(terms, asked.goal);
    if is_bound(asked.goal) {
        text.push_str("(assert (forall (");
        for variable in &bound {
            let info = terms.variable_info(*variable);
            let _ = write!(text, "({} {})", info.name, sort(info.sort));
        }
        text.push_str(")\n");
        let inside: Vec<&Term> = order.iter().filter(|t| !leaf(t) && is_bound(**t)).collect();
        for term in &inside {
            let _ = write!(text, "(let ((n{} ", term.0);
            write_node(terms, **term, &mut text);
            text.push_str("))\n");
        }
        text.push_str(&goal);
        text.push_str(&")".repeat(inside.len() + 2));
        text.push('\n');
    } else {
        let _ = writeln!(text, "(assert {goal})");
    }
    text.push_str("(check-sat)\n");
    if !asked.values.is_empty() {
        let values: Vec<String> = asked.values.iter().map(|t| name(terms, *t)).collect();
        let _ = writeln!(text, "(get-value ({}))", values.join(" "));
    }
    text
}

/// All terms within some, parts before wholes.
pub(crate) fn reached(terms: &Terms, roots: &[Term]) -> Vec<Term> {
    let mut seen = BTreeSet::new();
    let mut stack: Vec<Term> = roots.to_vec();
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            for_each_part(terms.node(term), |part| stack.push(part));
        }
    }
    // Parts are older than wholes.
    seen.into_iter().collect()
}

fn declare(
    terms: &Terms,
    order: &[Term],
    bound: &BTreeSet<Variable>,
    floats: bool,
    text: &mut String,
) {
    let mut symbols = BTreeSet::new();
    for term in order {
        match terms.node(*term) {
            Node::Variable(v) if !bound.contains(v) => {
                let info = terms.variable_info(*v);
                let _ = writeln!(text, "(declare-const {} {})", info.name, sort(info.sort));
            }
            Node::Apply(symbol, _) => {
                symbols.insert(*symbol);
            }
            _ => {}
        }
    }
    for symbol in symbols {
        let info = terms.symbol_info(symbol);
        if floats && !info.meaning.is_empty() {
            let names = ["a", "b", "c"];
            let parameters: Vec<String> = (info.arguments.iter().zip(names))
                .map(|(argument, name)| format!("({name} {})", sort(*argument)))
                .collect();
            let (parameters, result) = (parameters.join(" "), sort(info.result));
            let _ = writeln!(
                text,
                "(define-fun |{}| ({parameters}) {result} {})",
                info.name, info.meaning
            );
        } else {
            let arguments: Vec<String> = info.arguments.iter().map(|a| sort(*a)).collect();
            let _ = writeln!(
                text,
                "(declare-fun |{}| ({}) {})",
                info.name,
                arguments.join(" "),
                sort(info.result)
            );
        }
    }
}

fn sort(sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".into(),
        Sort::Bits(width) => format!("(_ BitVec {width})"),
    }
}

/// A term where it is used.
fn name(terms: &Terms, term: Term) -> String {
    match terms.node(term) {
        Node::Bool(value) => value.to_string(),
        Node::Bits(bits) => format!("(_ bv{} {})", bits.unsigned(), bits.width()),
        Node::Variable(variable) => terms.variable_info(*variable).name.clone(),
        _ => format!("n{}", term.0),
    }
}

fn write_node(terms: &Terms, term: Term, text: &mut String) {
    let head = match terms.node(term) {
        Node::Bool(_) | Node::Bits(_) | Node::Variable(_) => {
            text.push_str(&name(terms, term));
            return;
        }
        Node::Apply(symbol, arguments) if arguments.is_empty() => {
            let _ = write!(text, "|{}|", terms.symbol_info(*symbol).name);
            return;
        }
        Node::Not(_) => "not".into(),
        Node::And(_) => "and".into(),
        Node::Equal(..) => "=".into(),
        Node::Less { signed: true, .. } => "bvslt".into(),
        Node::Less { signed: false, .. } => "bvult".into(),
        Node::If(..) => "ite".into(),
        Node::Arithmetic(op, ..) => operation(*op).into(),
        Node::Concat(..) => "concat".into(),
        Node::Extract { high, low, .. } => format!("(_ extract {high} {low})"),
        Node::SignExtend(width, of) => format!("(_ sign_extend {})", width - terms.width(*of)),
        Node::Apply(symbol, _) => format!("|{}|", terms.symbol_info(*symbol).name),
    };
    let _ = write!(text, "({head}");
    for_each_part(terms.node(term), |part| {
        let _ = write!(text, " {}", name(terms, part));
    });
    text.push(')');
}

fn operation(op: Arithmetic) -> &'static str {
    match op {
        Arithmetic::Add => "bvadd",
        Arithmetic::Sub => "bvsub",
        Arithmetic::Mul => "bvmul",
        Arithmetic::UDiv => "bvudiv",
        Arithmetic::SDiv => "bvsdiv",
        Arithmetic::URem => "bvurem",
        Arithmetic::SRem => "bvsrem",
        Arithmetic::Shl => "bvshl",
        Arithmetic::LShr => "bvlshr",
        Arithmetic::AShr => "bvashr",
        Arithmetic::And => "bvand",
        Arithmetic::Or => "bvor",
        Arithmetic::Xor => "bvxor",
    }
}
