//! The variables that the allocations on a line of C or C++ go to. Only what the text says for certain is named.

use std::ops::Range;

use crate::c_text::Word;
use crate::source::SourceText;

mod calls;

pub use calls::of_call;

#[cfg(test)]
#[path = "c_variables_tests.rs"]
mod tests;

/// Longer statements are tables, and not what a person writes.
const MOST_WORDS: usize = 4096;

/// Functions that give memory through a parameter, and which: pages of the manual, MPI standard 4.1, section 12.3, CUDA and HIP runtimes.
const THROUGH: [(&str, usize); 12] = [
    ("posix_memalign", 0),
    ("hbw_posix_memalign", 0),
    ("asprintf", 0),
    ("MPI_Alloc_mem", 2),
    ("MPI_Win_allocate", 4),
    ("MPI_Win_allocate_shared", 4),
    ("PetscMalloc1", 1),
    ("cudaMallocHost", 0),
    ("cudaHostAlloc", 0),
    ("cudaMallocManaged", 0),
    ("hipHostMalloc", 0),
    ("hipMallocManaged", 0),
];

/// Containers and owners of C++ that allocate when they are made.
const OWNERS: [&str; 19] = [
    "vector",
    "valarray",
    "deque",
    "list",
    "forward_list",
    "string",
    "basic_string",
    "map",
    "multimap",
    "set",
    "multiset",
    "unordered_map",
    "unordered_set",
    "unordered_multimap",
    "unordered_multiset",
    "unique_ptr",
    "shared_ptr",
    "make_unique",
    "make_shared",
];

/// Functions of containers that may allocate for them.
const GROWING: [&str; 15] = [
    "resize",
    "reserve",
    "assign",
    "push_back",
    "emplace_back",
    "push_front",
    "emplace_front",
    "insert",
    "emplace",
    "append",
    "reset",
    "shrink_to_fit",
    "rehash",
    "conservativeResize",
    "try_emplace",
];

/// Calls that allocate nothing, as sizes are computed with them.
const HARMLESS: [&str; 18] = [
    "sizeof",
    "size",
    "rows",
    "cols",
    "length",
    "data",
    "begin",
    "end",
    "min",
    "max",
    "abs",
    "static_cast",
    "size_t",
    "int",
    "unsigned",
    "long",
    "double",
    "float",
];

/// Words that begin no declaration.
const NO_TYPE: [&str; 22] = [
    "return",
    "delete",
    "throw",
    "new",
    "goto",
    "case",
    "using",
    "typedef",
    "namespace",
    "template",
    "if",
    "for",
    "while",
    "switch",
    "sizeof",
    "co_return",
    "co_yield",
    "co_await",
    "break",
    "continue",
    "operator",
    "friend",
];

/// Types whose variables own no memory.
const PLAIN: [&str; 13] = [
    "int", "long", "short", "char", "unsigned", "signed", "float", "double", "bool", "size_t", "ssize_t",
    "void", "auto",
];

/// The variables that memory goes to on a line; empty where the text names none, or leaves open which.
pub fn on_line(source: &SourceText, line: u32) -> Vec<String> {
    let mut names = Vec::new();
    for words in source.outline().around(&source.text, line, MOST_WORDS) {
        let statement = Statement(&words);
        let on_line =
            |(of, _): &Named| (statement.0[of.start].line..=statement.0[of.end - 1].line).contains(&line);
        let variables: Vec<Named> = statement.variables().into_iter().filter(on_line).collect();
        // What else allocates on the line would get the name of what does not.
        let is_of_one = |at: &usize| variables.iter().any(|(of, _)| of.contains(at));
        let others =
            statement.allocations().filter(|at| statement.0[*at].line == line && !is_of_one(at)).count();
        let is_one = |(of, _): &Named| statement.allocations().filter(|at| of.contains(at)).count() <= 1;
        if others > 0 || !variables.iter().all(is_one) {
            return Vec::new();
        }
        for (_, name) in variables {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// A variable, and the words of the statement that say that memory goes to it.
type Named = (Range<usize>, String);

#[derive(Clone, Copy)]
struct Statement<'a>(&'a [Word<'a>]);

impl Statement<'_> {
    fn text(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |word| word.text)
    }

    fn is_name(&self, at: usize) -> bool {
        self.0.get(at).is_some_and(Word::is_name)
    }

    fn variables(&self) -> Vec<Named> {
        let mut found = self.through_parameters();
        found.extend(self.assigned());
        if let Some(members) = self.members() {
            found.extend(members);
            return found;
        }
        found.extend(self.grown());
        found.extend(self.declared());
        found
    }

    /// The words that allocate: `new`, but not where an owner takes what it gives, and names of functions and containers that are called.
    fn allocations(&self) -> impl Iterator<Item = usize> {
        (0..self.0.len()).filter(|at| {
            let text = self.text(*at);
            if text == "new" {
                let before = at.checked_sub(2).map(|_| self.text(at - 1));
                return !(before == Some("(")
                    && (at.saturating_sub(16)..*at).any(|at| OWNERS.contains(&self.text(at))));
            }
            let is_known = OWNERS.contains(&text)
                || gives_memory(text)
                || THROUGH.iter().any(|(through, _)| *through == text);
            let open = match self.text(at + 1) {
                "<" => self.closing_angle(at + 1).map_or(*at, |close| close + 1),
                _ => at + 1,
            };
            is_known
                && ["(", "{"].contains(&self.text(open))
                && !(*at > 0 && [".", "->"].contains(&self.text(at - 1)))
        })
    }

    /// `posix_memalign((void **)&u, ...)`.
    fn through_parameters(&self) -> Vec<Named> {
        let mut found = Vec::new();
        for at in 0..self.0.len() {
            let known = THROUGH.iter().find(|(name, _)| *name == self.text(at));
            let Some((_, which)) = known.filter(|_| self.text(at + 1) == "(") else { continue };
            let Some(close) = self.closing(at + 1) else { continue };
            let Some(argument) = self.parts(at + 2..close).into_iter().nth(*which) else { continue };
            let begin = self.without_casts(argument.start);
            let is_whole = |end: &usize| (*end..argument.end).all(|at| self.text(at) == ")");
            let name = if self.text(begin) == "&" {
                self.path(begin + 1).filter(is_whole).map(|end| self.name(begin + 1..end))
            } else {
                self.path(begin).filter(is_whole).map(|end| format!("*{}", self.name(begin..end)))
            };
            found.extend(name.map(|name| (at..close + 1, name)));
        }
        found
    }

    /// `u = malloc(n)`, also in the head of an `if`, and `*u = ...`.
    fn assigned(&self) -> Vec<Named> {
        let mut found = Vec::new();
        for at in (0..self.0.len()).filter(|at| self.text(*at) == "=") {
            let Some(begin) = self.path_before(at) else { continue };
            let Some(end) = self.allocation(at + 1).or_else(|| self.copy(begin, at)) else { continue };
            let mut name = self.name(begin..at);
            let is_reached = begin > 0 && self.text(begin - 1) == "*" && !self.is_declarators(begin - 1);
            if is_reached {
                name.insert(0, '*');
            }
            found.push((begin..end, name));
        }
        found
    }

    /// True for the `*` of a declaration, false where it reaches what a pointer points to.
    fn is_declarators(&self, star: usize) -> bool {
        match star.checked_sub(1).map(|before| self.text(before)) {
            None => false,
            Some(",") => self.declarator().is_some(),
            Some(before) => self.is_name(star - 1) || [">", "*", "&"].contains(&before),
        }
    }

    /// The end of a right side that gives new memory and does nothing else with it.
    fn allocation(&self, from: usize) -> Option<usize> {
        let begin = self.without_casts(from);
        if self.text(begin) == "new" {
            return Some(self.expression_end(begin));
        }
        let (name, open) = self.called(begin)?;
        let is_known = gives_memory(name) || OWNERS.contains(&name);
        let end = self.closing(open)? + 1;
        let follows = self.text(end);
        // Compared, chosen between or used at once, it may go elsewhere.
        let is_kept = ["", ")", ",", ";", "+", "-"].contains(&follows);
        (is_known && is_kept).then_some(end)
    }

    /// `u = v`: only the copy can be what allocates; of a declaration `auto` and plain types are left out.
    fn copy(&self, begin: usize, at: usize) -> Option<usize> {
        let end = self.path(at + 1).filter(|end| *end == self.0.len() && self.is_name(at + 1))?;
        let is_assignment = begin == 0;
        let of_type = self.declarator().filter(|name| *name == begin);
        let is_owner = of_type.is_some_and(|name| (0..name).any(|at| OWNERS.contains(&self.text(at))));
        (is_assignment || is_owner).then_some(end)
    }

    /// `u.resize(n)`.
    fn grown(&self) -> Option<Named> {
        let end = self.path(0)?;
        let method = end.checked_sub(1)?;
        let dot = method.checked_sub(1).filter(|dot| [".", "->"].contains(&self.text(*dot)))?;
        if !GROWING.contains(&self.text(method)) || self.text(end) != "(" {
            return None;
        }
        let close = self.closing(end).filter(|close| close + 1 == self.0.len())?;
        (dot > 0 && self.is_harmless(end + 1..close)).then(|| (0..close + 1, self.name(0..dot)))
    }

    /// `std::vector<double> u(n, 0.0), v(n)`.
    fn declared(&self) -> Vec<Named> {
        let Some(first) = self.declarator() else { return Vec::new() };
        let of_type = &self.0[..first];
        let is_plain = |word: &Word<'_>| PLAIN.contains(&word.text) || word.text.ends_with("_t");
        if of_type.iter().rfind(|word| word.is_name() || word.text == ">").is_some_and(is_plain) {
            return Vec::new();
        }
        // A pointer or a reference owns nothing that a call in parentheses could have allocated.
        if of_type.last().is_some_and(|word| ["*", "&"].contains(&word.text)) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for part in self.parts(first..self.0.len()) {
            let open = part.start + 1;
            if !self.is_name(part.start) || !["(", "{"].contains(&self.text(open)) {
                continue;
            }
            let Some(close) = self.closing(open).filter(|close| close + 1 == part.end) else { continue };
            if close > open + 1 && self.is_harmless(open + 1..close) {
                found.push((part.start..part.end, self.text(part.start).to_owned()));
            }
        }
        found
    }

    /// Where the first name of a declaration stands, behind its type.
    fn declarator(&self) -> Option<usize> {
        let mut at = 0;
        while ["const", "static", "constexpr", "inline", "thread_local", "volatile"].contains(&self.text(at))
        {
            at += 1;
        }
        if !self.is_name(at) || NO_TYPE.contains(&self.text(at)) {
            return None;
        }
        let mut end = self.type_path(at)?;
        while ["*", "&", "const"].contains(&self.text(end)) {
            end += 1;
        }
        (end > at && self.is_name(end) && ["(", "{", "=", ",", "", "["].contains(&self.text(end + 1)))
            .then_some(end)
    }

    /// The end of a type: names with `::` and `<...>`; several names of plain types.
    fn type_path(&self, from: usize) -> Option<usize> {
        let mut at = from;
        if self.text(at) == "::" {
            at += 1;
        }
        loop {
            if !self.is_name(at) {
                return None;
            }
            let is_plain = PLAIN.contains(&self.text(at)) || ["struct", "typename"].contains(&self.text(at));
            at += 1;
            if self.text(at) == "<" {
                at = self.closing_angle(at)? + 1;
            }
            if self.text(at) == "::" {
                at += 1;
            } else if !(is_plain && self.is_name(at) && self.is_name(at + 1)) {
                return Some(at);
            }
        }
    }

    /// `Grid::Grid(int n) : u_(n)`: members that a constructor makes.
    fn members(&self) -> Option<Vec<Named>> {
        let colon = self.colon_of_members()?;
        let mut members = Vec::new();
        for part in self.parts(colon + 1..self.0.len()) {
            let open = part.start + 1;
            let close = self.closing(open).filter(|_| self.is_name(part.start))?;
            let is_known = self.allocation(open + 1).is_some() || self.is_harmless(open + 1..close);
            members.push((part.start..close + 1, is_known));
        }
        // Of several on a line it could be any: their types stand elsewhere.
        let is_alone = |of: &Range<usize>| {
            let line = self.text_line(of.start);
            members.iter().filter(|(other, _)| self.text_line(other.start) == line).count() == 1
        };
        let named = members.iter().filter(|(of, is_known)| *is_known && is_alone(of));
        Some(named.map(|(of, _)| (of.clone(), self.text(of.start).to_owned())).collect())
    }

    fn colon_of_members(&self) -> Option<usize> {
        let is_it = |at: &usize| {
            self.text(*at) == ":" && [")", "noexcept"].contains(&self.text(at - 1)) && self.is_outside(*at)
        };
        let colon = (1..self.0.len()).find(is_it)?;
        (!(0..colon).any(|at| self.text(at) == "?")).then_some(colon)
    }

    fn text_line(&self, at: usize) -> u32 {
        self.0[at].line
    }

    fn is_outside(&self, of: usize) -> bool {
        let depth = |depth: i32, at: usize| match self.text(at) {
            "(" | "[" | "{" => depth + 1,
            ")" | "]" | "}" => depth - 1,
            _ => depth,
        };
        (0..of).fold(0, depth) == 0
    }

    /// No call in these words can allocate for something else; what `new` gives goes where the words go.
    fn is_harmless(&self, of: Range<usize>) -> bool {
        of.clone().all(|at| {
            let is_call = self.text(at) == "(" && at > of.start && self.is_name(at - 1);
            let is_of_template = self.text(at) == "(" && at > of.start && self.text(at - 1) == ">";
            let is_new = (of.start..at).any(|before| self.text(before) == "new");
            let is_known = at > 0 && HARMLESS.contains(&self.text(at - 1));
            let is_cast = is_of_template && is_cast(self, of.start, at);
            is_new || (is_cast || !is_of_template) && (is_known || !is_call)
        })
    }

    /// Past casts and parentheses around.
    fn without_casts(&self, from: usize) -> usize {
        let mut at = from;
        loop {
            let next = match self.text(at) {
                "(" if self.is_type_in_parentheses(at) => self.closing(at).map_or(at, |close| close + 1),
                "(" => at + 1,
                "static_cast" | "reinterpret_cast" | "const_cast" if self.text(at + 1) == "<" => {
                    self.closing_angle(at + 1).map_or(at, |close| close + 2)
                }
                _ => at,
            };
            if next == at {
                return at;
            }
            at = next;
        }
    }

    /// `(double *)`, `(T)` before something.
    fn is_type_in_parentheses(&self, open: usize) -> bool {
        let Some(close) = self.closing(open) else { return false };
        let of_type = |at: usize| {
            self.is_name(at) || ["*", "::", "<", ">", "&", "[", "]", "("].contains(&self.text(at))
        };
        let is_type = close > open + 1 && (open + 1..close).all(|at| of_type(at) || self.text(at) == ")");
        let has_call = (open + 1..close)
            .any(|at| self.is_name(at) && self.text(at + 1) == "(" && self.text(at + 2) != "*");
        let follows = self.is_name(close + 1) || ["(", "&", "::"].contains(&self.text(close + 1));
        is_type && !has_call && follows
    }

    /// The name of a function that is called here, without what it belongs to, and its parenthesis.
    fn called(&self, from: usize) -> Option<(&str, usize)> {
        let mut at = from;
        let mut name = "";
        while self.is_name(at) || ["::", ".", "->"].contains(&self.text(at)) {
            if self.is_name(at) {
                name = self.text(at);
            }
            at += 1;
            if self.text(at) == "<" && !name.is_empty() {
                at = self.closing_angle(at)? + 1;
            }
        }
        (!name.is_empty() && ["(", "{"].contains(&self.text(at))).then_some((name, at))
    }

    /// The end of a variable with its members and indices.
    fn path(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            if !self.is_name(at) {
                return None;
            }
            at += 1;
            while self.text(at) == "[" {
                at = self.closing(at)? + 1;
            }
            if [".", "->", "::"].contains(&self.text(at)) {
                at += 1;
            } else {
                return Some(at);
            }
        }
    }

    /// Where the variable that ends before a word begins.
    fn path_before(&self, end: usize) -> Option<usize> {
        let mut at = end;
        loop {
            while at > 0 && self.text(at - 1) == "]" {
                at = self.opening(at - 1)?;
            }
            at = at.checked_sub(1).filter(|name| self.is_name(*name))?;
            if at == 0 || ![".", "->", "::"].contains(&self.text(at - 1)) {
                return Some(at);
            }
            at -= 1;
            // `f(x)->u` is a member of something without a name.
            if at > 0 && self.text(at - 1) == ")" {
                return None;
            }
        }
    }

    fn expression_end(&self, from: usize) -> usize {
        let mut at = from;
        while at < self.0.len() && ![",", ")", "}"].contains(&self.text(at)) {
            at = match self.text(at) {
                "(" | "[" | "{" => self.closing(at).map_or(self.0.len(), |close| close + 1),
                "<" => self.closing_angle(at).map_or(at + 1, |close| close + 1),
                _ => at + 1,
            };
        }
        at
    }

    /// The words between commas.
    fn parts(&self, of: Range<usize>) -> Vec<Range<usize>> {
        let (mut parts, mut begin, mut at) = (Vec::new(), of.start, of.start);
        while at < of.end {
            at = match self.text(at) {
                "(" | "[" | "{" => self.closing(at).map_or(of.end, |close| close + 1),
                "," => {
                    parts.push(begin..at);
                    begin = at + 1;
                    at + 1
                }
                _ => at + 1,
            };
        }
        parts.push(begin..of.end.max(begin));
        parts.retain(|part| !part.is_empty());
        parts
    }

    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        for at in open..self.0.len() {
            match self.text(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            if depth <= 0 {
                return (depth == 0 && at > open).then_some(at);
            }
        }
        None
    }

    fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0;
        for at in (0..=close).rev() {
            match self.text(at) {
                ")" | "]" | "}" => depth += 1,
                "(" | "[" | "{" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// The `>` of a template; none where `<` compares.
    fn closing_angle(&self, open: usize) -> Option<usize> {
        let mut depth = 0;
        let mut at = open;
        while at < self.0.len() {
            match self.text(at) {
                "<" => depth += 1,
                ">" => depth -= 1,
                "(" | "[" => at = self.closing(at)?,
                ";" | "{" | "}" | "=" | "&&" | "||" => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
            at += 1;
        }
        None
    }

    /// The words as people write them, without `this->`.
    fn name(&self, of: Range<usize>) -> String {
        let name: String = self.0[of].iter().map(|word| word.text).collect();
        name.strip_prefix("this->").unwrap_or(&name).to_owned()
    }
}

/// True where the parenthesis is that of a cast of C++.
fn is_cast(statement: &Statement<'_>, from: usize, open: usize) -> bool {
    (from..open).any(|at| statement.text(at).ends_with("_cast"))
}

/// True for the functions that give new memory as their value, by the words in their names.
fn gives_memory(name: &str) -> bool {
    const PARTS: [&str; 6] = ["alloc", "mmap", "memalign", "strdup", "strndup", "shmat"];
    const NOT: [&str; 7] = ["dealloc", "size", "count", "free", "stat", "is_", "get_alloc"];
    let lower = name.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    has(&PARTS) && !has(&NOT) && THROUGH.iter().all(|(through, _)| *through != name)
}
