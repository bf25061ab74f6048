//! A small generator that does not care about undefined behaviour: C text with raw arithmetic, any
//! shift count, any divisor, any index, pointers to anything or nothing, variables without values, and
//! side effects wherever an expression may have one. Only its loops end.

use choice::Choices;
use std::fmt::Write;

const TYPES: &[&str] = &[
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "short",
    "unsigned char",
    "signed char",
    "long long",
    "__int128",
    "unsigned __int128",
    "_Bool",
];

/// How wild a program may be.
#[derive(Clone, Copy, Debug)]
pub struct Wildness {
    /// Pointers, indeterminate variables, side effects inside expressions.
    pub objects: bool,
    /// Statements in each function.
    pub size: u64,
}

/// A program as text.
pub fn program(choices: &mut Choices, wildness: Wildness) -> String {
    let mut raw = Raw { choices, wildness, text: String::new(), locals: Vec::new(), functions: 0 };
    raw.unit();
    raw.text
}

struct Raw<'c> {
    choices: &'c mut Choices,
    wildness: Wildness,
    text: String,
    /// Integer variables of the function being made.
    locals: Vec<String>,
    functions: u64,
}

impl Raw<'_> {
    fn below(&mut self, n: u64) -> u64 {
        self.choices.below(n)
    }

    fn of<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.choices.index(from.len())]
    }

    fn unit(&mut self) {
        self.text.push_str(
            "int printf(const char *, ...);\n\
             struct s { int a; long b; unsigned c : 3; int d : 7; short e[3]; struct s *next; };\n\
             static struct s s0, s1 = {1, -2, 3, -4, {5, 6, 7}, &s0};\n\
             static int a0[4] = {1, -1, 2147483647}, a1[7], a2[3][5];\n\
             static unsigned char a3[8];\nstatic long a4[1];\n\
             static double d0 = 3e10, d1 = -0.5;\n\
             static int *p0 = &a0[1], *p1, *p2 = a1 + 3;\nstatic long *p3 = a4, *p4;\n\
             static struct s *q0 = &s1, *q1;\n",
        );
        for i in 0..8 {
            let ty = self.of(TYPES);
            let value = self.constant();
            let _ = writeln!(self.text, "static {ty} g{i} = {value};");
        }
        let functions = 1 + self.below(4);
        for _ in 0..functions {
            self.function();
        }
        self.main();
    }

    fn function(&mut self) {
        let number = self.functions;
        let ty = self.of(TYPES);
        let _ = writeln!(self.text, "static {ty} f{number}(int x, long y) {{");
        self.locals = vec!["x".into(), "y".into()];
        self.block(1, 3);
        let value = self.expr(3);
        let _ = writeln!(self.text, "return {value};\n}}");
        self.functions += 1;
    }

    fn main(&mut self) {
        self.text.push_str("int main(void) {\n");
        self.locals.clear();
        self.block(1, 3);
        for i in 0..self.functions {
            let (x, y) = (self.expr(2), self.expr(2));
            let _ = writeln!(self.text, "g{} += f{i}({x}, {y});", i % 8);
        }
        for i in 0..8 {
            let _ = writeln!(self.text, "printf(\"g{i} = %lx\\n\", (unsigned long)g{i});");
        }
        self.text.push_str(
            "for (int i = 0; i < 4; i++) printf(\"%d %d %d\\n\", a0[i], a1[i], a3[i]);\n\
             printf(\"%d %ld %d %d %d\\n\", s0.a, s0.b, s0.c, s0.d, s0.e[1]);\n\
             printf(\"%d %ld %d %d %d\\n\", s1.a, s1.b, s1.c, s1.d, s1.e[2]);\n\
             printf(\"%d\\n\", a2[1][2]);\nreturn 0;\n}\n",
        );
    }

    fn block(&mut self, depth: u64, nest: u64) {
        let visible = self.locals.len();
        for _ in 0..2 + self.below(self.wildness.size) {
            self.stmt(depth, nest);
        }
        if depth > 1 {
            self.locals.truncate(visible);
        }
    }

    fn stmt(&mut self, depth: u64, nest: u64) {
        match self.below(10) {
            0 => {
                let name = format!("l{depth}_{}", self.text.len());
                let ty = self.of(TYPES);
                if self.wildness.objects && self.below(4) == 0 {
                    let _ = writeln!(self.text, "{ty} {name};");
                } else {
                    let value = self.expr(3);
                    let _ = writeln!(self.text, "{ty} {name} = {value};");
                }
                self.locals.push(name);
            }
            1 if nest > 0 => {
                let name = format!("i{depth}_{}", self.text.len());
                let times = 1 + self.below(6);
                let _ = writeln!(self.text, "for (int {name} = 0; {name} < {times}; {name}++) {{");
                self.block(depth + 1, nest - 1);
                self.text.push_str("}\n");
            }
            2 if nest > 0 => {
                let condition = self.expr(2);
                let _ = writeln!(self.text, "if ({condition}) {{");
                self.block(depth + 1, nest - 1);
                self.text.push_str("} else {\n");
                self.block(depth + 1, nest - 1);
                self.text.push_str("}\n");
            }
            3 if self.wildness.objects => {
                let stmt = self.pointer_stmt();
                let _ = writeln!(self.text, "{stmt};");
            }
            _ => {
                let effect = self.effect(3);
                let _ = writeln!(self.text, "{effect};");
            }
        }
    }

    fn pointer_stmt(&mut self) -> String {
        let (i, p) = (self.expr(1), self.of(&["p0", "p1", "p2"]));
        match self.below(8) {
            0 => format!("{p} = 0"),
            1 => format!("{p} = &a0[(int)({i})]"),
            2 => format!("{p} += (int)({i})"),
            3 => format!("{p}++"),
            4 => format!("{p} = a1 + (int)({i})"),
            5 => "q0 = q0->next".into(),
            6 => format!("q1 = {}", self.of(&["&s0", "q0", "0", "&s1"])),
            _ => format!("p4 = {}", self.of(&["p3", "&a4[1]", "a4", "0", "(long *)&d0"])),
        }
    }

    fn constant(&mut self) -> String {
        let all = ["0", "1", "-1", "2147483647", "(-2147483647 - 1)", "31", "32", "63", "64", "7"];
        match self.below(4) {
            0 => format!("{}", self.choices.range(-1000..=1000)),
            1 => format!("{}L", self.choices.range(i64::MIN + 1..=i64::MAX)),
            _ => self.of(&all).to_string(),
        }
    }

    fn lvalue(&mut self, depth: u64) -> String {
        let objects = self.wildness.objects;
        match self.below(if objects { 14 } else { 9 }) {
            0..=2 if !self.locals.is_empty() => {
                let i = self.choices.index(self.locals.len());
                self.locals[i].clone()
            }
            3 => format!("a0[(int)({})]", self.expr(depth)),
            4 => format!("a1[{}]", self.small(depth)),
            5 => format!("a2[{}][(short)({})]", self.small(depth), self.expr(depth)),
            6 => format!("a3[(unsigned char)({})]", self.expr(depth)),
            7 => self.of(&["s0.a", "s1.b", "s0.c", "s1.d", "s0.e[1]", "s1.c"]).into(),
            9 => format!("(*{})", self.of(&["p0", "p1", "p2", "p3", "p4"])),
            10 => format!(
                "{}->{}",
                self.of(&["q0", "q1", "q0->next"]),
                self.of(&["a", "b", "c", "d", "e[2]"])
            ),
            11 => format!("p0[(int)({})]", self.expr(depth)),
            12 => format!("(*({} + (int)({})))", self.of(&["p0", "p2", "a0"]), self.expr(depth)),
            13 => format!("q0->e[(int)({})]", self.expr(depth)),
            _ => format!("g{}", self.below(8)),
        }
    }

    /// An index type that is no 128-bit one.
    fn small(&mut self, depth: u64) -> String {
        format!(
            "({})({})",
            self.of(&["int", "long", "unsigned", "unsigned long"]),
            self.expr(depth)
        )
    }

    fn effect(&mut self, depth: u64) -> String {
        let target = self.lvalue(depth.saturating_sub(2));
        match self.below(8) {
            0 => format!("{target}++"),
            1 => format!("--{target}"),
            2 => format!("++{target}"),
            3 => format!("{target}--"),
            4 | 5 => {
                let op = self.of(&["+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "^=", "&=", "|="]);
                format!("{target} {op} {}", self.expr(depth))
            }
            _ => format!("{target} = {}", self.expr(depth)),
        }
    }

    fn expr(&mut self, depth: u64) -> String {
        if depth == 0 {
            return if self.below(3) == 0 { self.constant() } else { self.lvalue(0) };
        }
        let d = depth - 1;
        match self.below(20) {
            0 => self.constant(),
            1..=3 => self.lvalue(d),
            4 => format!("(-({}))", self.expr(d)),
            5 => format!("({})({})", self.of(TYPES), self.expr(d)),
            6 => format!("({} ? {} : {})", self.expr(d), self.expr(d), self.expr(d)),
            7 => format!("(~{})", self.expr(d)),
            8 if self.wildness.objects => format!("({})", self.effect(d)),
            9 if self.wildness.objects && self.functions > 0 => {
                let f = self.below(self.functions);
                format!("f{f}({}, {})", self.expr(d), self.expr(d))
            }
            10 if self.wildness.objects => {
                format!("(int)({} * {})", self.of(&["d0", "d1", "1e30", "1.5"]), self.expr(d))
            }
            11 if self.wildness.objects => {
                let op = self.of(&["<", "==", "-", ">="]);
                format!("({} {op} {})", self.of(&["p0", "p1", "a0"]), self.of(&["p0", "p2", "a1"]))
            }
            _ => {
                let op = self.of(&[
                    "+", "-", "*", "/", "%", "<<", ">>", "<<", "/", "&", "|", "^", "<", "==", "&&",
                    ",",
                ]);
                format!("({} {op} {})", self.expr(d), self.expr(d))
            }
        }
    }
}
