//! The variable that a call gives its result to, by the column that compilers give the call.

use super::{MOST_WORDS, Statement};
use crate::c_text::Word;
use crate::source::SourceText;

/// The variable that the result of a call goes to, by where compilers say that the call stands: what is called may allocate, whatever its name.
/// GCC means the parenthesis before the arguments, or that behind the arguments of a constructor, Clang the name; both the name of a member. Nothing where the text
/// leaves it open, as in the arguments of another call.
pub fn of_call(source: &SourceText, line: u32, column: u32) -> Option<String> {
    let begins = |word: &Word<'_>| {
        let before = &source.text[..word.begin];
        let begin = before.rfind('\n').map_or(0, |newline| newline + 1);
        u32::try_from(before.len() - begin + 1).ok()
    };
    let is_here = |word: &Word<'_>| word.line == line && begins(word) == Some(column);
    source.outline().around(&source.text, line, MOST_WORDS).find_map(|words| {
        let at = words.iter().position(is_here)?;
        Statement(&words).of_call(at)
    })
}

impl Statement<'_> {
    /// The variable that the call at a word gives its result to.
    fn of_call(&self, at: usize) -> Option<String> {
        if let Some(colon) = self.colon_of_members().filter(|colon| *colon < at) {
            let part = self.parts(colon + 1..self.0.len()).into_iter().find(|part| part.contains(&at))?;
            let close = self.closing(part.start + 1)?;
            return self.made_here(part.start, close, at);
        }
        for equals in (0..at).rev().filter(|k| self.text(*k) == "=") {
            let begin = self.path_before(equals);
            if let Some(begin) = begin.filter(|_| self.is_call(self.without_casts(equals + 1), at)) {
                return Some(self.name(begin..equals));
            }
        }
        let first = self.declarator()?;
        let part = self.parts(first..self.0.len()).into_iter().find(|part| part.contains(&at))?;
        let open = (part.start + 1..part.end).find(|k| ["(", "{"].contains(&self.text(*k)))?;
        let close = self.closing(open).filter(|close| close + 1 == part.end)?;
        // `u`, and not the pointer or the array that is called so.
        (open == part.start + 1).then(|| self.made_here(part.start, close, at)).flatten()
    }

    /// `u` of `u(n)` where `at` means that constructor, or a call that is its only argument.
    fn made_here(&self, name: usize, close: usize, at: usize) -> Option<String> {
        let begin = self.without_casts(name + 2);
        let is_argument = self
            .called(begin)
            .is_some_and(|(_, open)| self.closing(open).is_some_and(|end| end + 1 == close))
            || self.text(begin) == "new";
        let is_here = at == name || at == name + 1 || at == close || is_argument && self.is_call(begin, at);
        (is_here && self.is_name(name)).then(|| self.text(name).to_owned())
    }

    /// Whether a word says that the call which begins at another is made: its name, or a parenthesis of it.
    fn is_call(&self, begin: usize, at: usize) -> bool {
        if self.text(begin) == "new" {
            let open = (begin..self.0.len()).find(|k| ["(", "{", "["].contains(&self.text(*k)));
            return open.is_some_and(|open| (begin..=open).contains(&at) || self.closing(open) == Some(at));
        }
        self.called(begin).is_some_and(|(_, open)| (begin..=open).contains(&at))
    }
}
