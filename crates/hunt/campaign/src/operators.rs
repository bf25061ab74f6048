//! What a program is made of, as a line of text: where nothing better tells bugs apart.

/// The operators and words of C that a reduced program is made of. Where no construct is known, bugs are
/// told apart by it: one bug in two lines of a list does less harm than two bugs in one.
pub fn operators_of(text: &str) -> String {
    /// In every reduced program, or in none but by chance.
    const COMMON: &[&str] =
        &["int", "char", "const", "return", "void", "main", "printf", "=", "extern"];
    let is_sign = |c: char| "+-*/%<>=!&|^~?:".contains(c);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found: Vec<String> = Vec::new();
    // Declarations of library functions are leftovers: a line that ends with `);` and is not indented.
    let is_prototype = |line: &&str| line.ends_with(");") && !line.starts_with(char::is_whitespace);
    let text: Vec<&str> = text.lines().filter(|line| !is_prototype(line)).collect();
    let text = text.join("\n");
    // Whether an operand ends before: a sign after it is an operator, and one before a constant is none.
    let mut after_operand = false;
    // Formats of strings are no operators: every other part stands between quotes.
    for code in text.split('"').step_by(2) {
        let mut rest = code;
        while let Some(first) = rest.chars().next() {
            let alike = |c: char| is_word(first) && is_word(c) || is_sign(first) && is_sign(c);
            let end = rest.find(|c| !alike(c)).unwrap_or(rest.len()).max(first.len_utf8());
            let (token, after) = rest.split_at(end);
            rest = after;
            // Names are a letter or two by now.
            let of_constant = matches!(token, "-" | "+" | "~" | "!")
                && !after_operand
                && rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
            let telling =
                is_sign(first) && !of_constant || first.is_alphabetic() && token.len() > 2;
            if !first.is_whitespace() {
                after_operand = is_word(first) || matches!(first, ')' | ']');
            }
            if telling && !COMMON.contains(&token) && found.iter().all(|known| known != token) {
                found.push(token.to_string());
            }
        }
    }
    found.sort_unstable();
    found.join(" ")
}

#[cfg(test)]
mod tests {
    use super::operators_of;

    #[test]
    fn shapes_tell_programs_apart_and_not_their_names() {
        let shift = |name: &str, n: u32| {
            format!("int {name} = {n};\nint main() {{ printf(\"%lx\", (long){name} << 52); }}")
        };
        assert_eq!(operators_of(&shift("a", 5)), "<< long");
        assert_eq!(operators_of(&shift("b", 70)), operators_of(&shift("a", 5)));
        let sign = "short a = -1;\nint main() { printf(\"%lx\", (unsigned long)a); }";
        assert_eq!(
            operators_of(sign),
            "long short unsigned",
            "the sign of a constant is no operator"
        );
        let plain = "int a;\nint main() { printf(\"%d\", a ^ 3); }";
        let odd = "extern \"C\" int printf(const char *, ...);\nint b = -0;\n\
                   int main() {\n    printf(\"%d\", b ^ ~0);\n}";
        assert_eq!(operators_of(plain), "^");
        assert_eq!(operators_of(odd), operators_of(plain));
        assert_eq!(operators_of("int main() { return a - 3 + ~b; }"), "+ - ~");
    }
}
