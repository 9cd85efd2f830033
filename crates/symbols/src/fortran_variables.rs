//! The variables that an `allocate` of Fortran makes.

#[cfg(test)]
#[path = "fortran_variables_tests.rs"]
mod tests;

/// Most lines of one statement: Fortran 2008 allows 255 lines that go on.
const MOST_LINES: usize = 256;

/// The variables that memory goes to on a line; empty where the text names none. `is_fixed`: statements begin in column 7.
pub fn on_line(text: &str, line: u32, is_fixed: bool) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let Some(at) = (line as usize).checked_sub(1).filter(|at| *at < lines.len()) else { return Vec::new() };
    let mut names = Vec::new();
    for statement in statement(&lines, at, is_fixed).split(';') {
        for name in allocated(statement) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The statement of a line, with the lines on which it goes on.
fn statement(lines: &[&str], at: usize, is_fixed: bool) -> String {
    let lowest = at.saturating_sub(MOST_LINES);
    let (mut first, mut last) = (at, at);
    if is_fixed {
        let goes_on = |line: &str| {
            !is_fixed_comment(line) && matches!(line.as_bytes().get(5), Some(b) if *b != b' ' && *b != b'0')
        };
        while first > lowest && (goes_on(lines[first]) || is_fixed_comment(lines[first])) {
            first -= 1;
        }
        let end = lines.len().min(at + MOST_LINES);
        // Remarks may stand between.
        while let Some(next) = (last + 1..end).find(|next| !is_fixed_comment(lines[*next]))
            && goes_on(lines[next])
        {
            last = next;
        }
        let columns = |line: &&str| {
            let line = without_comment(line);
            line.get(6..).unwrap_or("").to_owned()
        };
        return lines[first..=last].iter().filter(|line| !is_fixed_comment(line)).map(columns).collect();
    }
    let is_continued = |line: &str| without_comment(line).trim_end().ends_with('&');
    let is_blank = |line: &str| without_comment(line).trim().is_empty();
    while first > lowest
        && (is_continued(lines[first - 1])
            || (is_blank(lines[first - 1]) && first > lowest + 1 && is_continued(lines[first - 2])))
    {
        first -= 1;
    }
    while last + 1 < lines.len().min(at + MOST_LINES)
        && (is_continued(lines[last]) || (is_blank(lines[last]) && last > first))
    {
        last += 1;
    }
    let part = |line: &&str| without_comment(line).trim().trim_matches('&').to_owned();
    lines[first..=last].iter().map(part).collect()
}

fn is_fixed_comment(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with(['c', 'C', '*', '!', 'd', 'D'])
}

/// Without what follows an exclamation mark; texts are emptied.
fn without_comment(line: &str) -> String {
    let mut quote = None;
    let mut text = String::new();
    for letter in line.chars() {
        match (quote, letter) {
            (None, '!') => break,
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            (Some(_), _) => continue,
            _ => {}
        }
        text.push(letter);
    }
    text
}

/// The objects of `allocate (real(8) :: u(n), grid%v(n, m), stat=ierr)`.
fn allocated(statement: &str) -> Vec<String> {
    let lower = statement.to_ascii_lowercase();
    let Some(at) = lower.match_indices("allocate").map(|(at, _)| at).find(|at| is_word(&lower, *at)) else {
        return Vec::new();
    };
    let rest = statement[at + "allocate".len()..].trim_start();
    let Some(inside) = rest.strip_prefix('(').and_then(|rest| Some(&rest[..closing(rest)?])) else {
        return Vec::new();
    };
    let objects = inside.find("::").map_or(inside, |at| &inside[at + 2..]);
    parts(objects).into_iter().filter_map(object).collect()
}

/// Not a part of another word, as in `deallocate`.
fn is_word(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at + "allocate".len()..].trim_start().chars().next();
    before.is_none_or(|letter| !(letter.is_alphanumeric() || letter == '_' || letter == '%'))
        && after == Some('(')
}

/// Where the parenthesis closes that is open at the begin.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.char_indices().find_map(|(at, letter)| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), 0, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

/// `grid%u` of `grid%u(n, m)`; nothing of `stat = ierr`.
fn object(part: &str) -> Option<String> {
    let part: String = part.split_whitespace().collect();
    let mut depth = 0;
    let is_option = part.chars().any(|letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        letter == '=' && depth == 0
    });
    // What is in the last parentheses is the size.
    let last = part.rfind('%').unwrap_or(0);
    let end = part[last..].find(['(', '[']).map_or(part.len(), |at| last + at);
    let name = &part[..end];
    (!is_option && name.starts_with(|first: char| first.is_alphabetic())).then(|| name.to_owned())
}
