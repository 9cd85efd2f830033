//! The variables that a statement of Python assigns to.

/// Lines on which a statement is searched for before the one that is at work.
const MOST_LINES: usize = 64;

/// The variables that the statement on a line assigns to, also where it has begun on a line before; empty where it assigns to none.
pub fn on_line(text: &str, line: u32) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let Some(at) = (line as usize).checked_sub(1).filter(|at| *at < lines.len()) else { return Vec::new() };
    let found = assigned(lines[at]);
    if !found.is_empty() {
        return found;
    }
    // Who has opened a bracket that is not closed before this line has begun the statement.
    let mut open = 0;
    for line in lines[..at].iter().rev().take(MOST_LINES) {
        open += balance(line);
        if open > 0 {
            return assigned(line);
        }
    }
    Vec::new()
}

/// Code without its remarks, and with spaces for what stands in strings.
fn code(line: &str) -> String {
    let mut code = String::new();
    let (mut quote, mut escaped) = (None, false);
    for letter in line.chars() {
        match quote {
            Some(end) if letter != end || escaped => {
                (0..letter.len_utf8()).for_each(|_| code.push(' '));
                escaped = letter == '\\' && !escaped;
            }
            Some(_) => {
                quote = None;
                code.push(letter);
            }
            None if letter == '#' => break,
            None => {
                quote = Some(letter).filter(|letter| matches!(letter, '"' | '\''));
                code.push(letter);
            }
        }
    }
    code
}

fn depth_of(letter: char) -> i32 {
    match letter {
        '(' | '[' | '{' => 1,
        ')' | ']' | '}' => -1,
        _ => 0,
    }
}

fn balance(line: &str) -> i32 {
    code(line).chars().map(depth_of).sum()
}

/// What stands before each sign of assignment of a line, outside of brackets.
fn assigned(line: &str) -> Vec<String> {
    let code = code(line);
    let (mut depth, mut begin, mut names) = (0, 0, Vec::new());
    for (at, letter) in code.char_indices() {
        depth += depth_of(letter);
        let before = code[begin..at].chars().next_back();
        let is_other = before.is_some_and(|before| "=!<>:+-*/%&|^@".contains(before));
        if letter != '=' || depth != 0 || is_other || code[at + 1..].starts_with('=') {
            continue;
        }
        // With its type behind a colon, perhaps.
        let target = line[begin..at].split_once(": ").map_or(&line[begin..at], |(target, _)| target);
        let all: Vec<&str> = target.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        if !all.iter().all(|name| is_variable(name)) {
            break;
        }
        names.extend(all.into_iter().map(str::to_owned));
        begin = at + 1;
    }
    names
}

fn is_variable(name: &str) -> bool {
    let begins = name.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
    begins && name.chars().all(|letter| letter.is_alphanumeric() || "_.[]'\"".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::on_line;

    #[test]
    fn a_statement_names_what_it_assigns_to() {
        for (text, line, names) in [
            ("    a = np.zeros(5)  # = b", 1, "a"),
            ("a, self.b = f('x = 1', k=2)", 1, "a, self.b"),
            ("grid: np.ndarray = np.ones((3, 4))", 1, "grid"),
            ("first = second = np.zeros(7)", 1, "first, second"),
            ("fields['p'] = np.zeros(7)", 1, "fields['p']"),
            ("a = np.array([\n    [1, 2],\n    f(3)])", 3, "a"),
            ("b += np.ones(3)", 1, ""),
            ("if a == np.ones(3):", 1, ""),
            ("f(a=np.ones(3))", 1, ""),
            ("a = 1\nf(\n  np.ones(3))", 3, ""),
            ("while (n := read()) != 3:", 1, ""),
            ("return np.ones(3)", 7, ""),
            ("return np.ones(3)", 0, ""),
        ] {
            assert_eq!(on_line(text, line).join(", "), names, "{text}");
        }
    }
}
