//! Circles among sibling files of a crate: a file that uses another which uses it, directly or round about.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::Source;

#[cfg(test)]
#[path = "circles_tests.rs"]
mod tests;

type Path = Vec<String>;

/// For each folder with a circle, the files in it, each by the module names from the crate's root.
pub fn circles(sources: &[Source]) -> Vec<Vec<String>> {
    let modules: BTreeMap<Path, &Source> = sources.iter().map(|s| (module_of(&s.path), s)).collect();
    let exports: BTreeMap<&Path, BTreeMap<String, Path>> =
        modules.iter().map(|(path, source)| (path, exported(path, source, &modules))).collect();
    let mut edges: BTreeMap<Path, BTreeSet<Path>> = BTreeMap::new();
    for (from, source) in &modules {
        for used in paths(from, source) {
            let to = resolved(used, &modules, &exports);
            let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if common < from.len() && common < to.len() {
                edges.entry(from[..=common].to_vec()).or_default().insert(to[..=common].to_vec());
            }
        }
    }
    let mut found: BTreeSet<Vec<String>> = BTreeSet::new();
    for module in edges.keys() {
        let forth = reached(&edges, module);
        if forth.contains(module) {
            let circle = forth.iter().filter(|other| reached(&edges, other).contains(module));
            found.insert(circle.map(|path| path.join("::")).collect());
        }
    }
    found.into_iter().collect()
}

/// All that a module uses among its siblings, and what these use.
fn reached(edges: &BTreeMap<Path, BTreeSet<Path>>, from: &Path) -> BTreeSet<Path> {
    let mut seen = BTreeSet::new();
    let mut next: Vec<&Path> = edges.get(from).into_iter().flatten().collect();
    while let Some(module) = next.pop() {
        if seen.insert(module.clone()) {
            next.extend(edges.get(module).into_iter().flatten());
        }
    }
    seen
}

/// `crates/x/src/a/b.rs` is the module `a::b`; the root is the empty path.
fn module_of(path: &str) -> Path {
    let inside = path.split_once("/src/").map_or(path, |(_, inside)| inside).trim_end_matches(".rs");
    inside.split('/').filter(|name| !["lib", "main", "mod"].contains(name)).map(str::to_owned).collect()
}

/// The paths that a file names which begin with `crate` or `super`, from the crate's root.
fn paths(module: &Path, source: &Source) -> Vec<Path> {
    let tokens = source.tokens();
    let mut all = Vec::new();
    let mut at = 0;
    while at + 1 < tokens.len() {
        let begins = ["crate", "super"].contains(&tokens[at].1) && tokens[at + 1].1 == "::";
        let inside = at > 0 && tokens[at - 1].1 == "::";
        if begins && !inside {
            at = tree(&tokens, at, module.clone(), &mut all);
        } else {
            at += 1;
        }
    }
    all
}

/// Reads a path, or a tree of them in braces, that goes on from `base`; gives the place after it.
fn tree(tokens: &[(usize, &str)], mut at: usize, mut base: Path, all: &mut Vec<Path>) -> usize {
    let is_word = |word: &str| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    while let Some((_, word)) = tokens.get(at) {
        match *word {
            "crate" => base.clear(),
            "super" => {
                base.pop();
            }
            "self" => {}
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|(_, word)| *word != "}") {
                    at = match tokens[at].1 {
                        "," => at + 1,
                        _ => tree(tokens, at, base.clone(), all).max(at + 1),
                    };
                }
                return at + 1;
            }
            "*" => {
                all.push(base);
                return at + 1;
            }
            word if is_word(word) => base.push(word.to_owned()),
            _ => return at,
        }
        at += 1;
        if tokens.get(at).is_none_or(|(_, word)| *word != "::") {
            all.push(base);
            // `as NAME` belongs to the path.
            return if tokens.get(at).is_some_and(|(_, word)| *word == "as") { at + 2 } else { at };
        }
        at += 1;
    }
    at
}

/// What a file passes on of its own modules: `pub use child::{Name, ...}`.
fn exported(module: &Path, source: &Source, modules: &BTreeMap<Path, &Source>) -> BTreeMap<String, Path> {
    let tokens = source.tokens();
    let mut all = BTreeMap::new();
    for at in 0..tokens.len() {
        if tokens[at].1 != "use" {
            continue;
        }
        let mut used = Vec::new();
        tree(&tokens, at + 1, module.clone(), &mut used);
        for path in used {
            let child = path.get(..=module.len()).filter(|child| modules.contains_key(*child));
            if let (Some(child), Some(name)) = (child, path.last()) {
                all.insert(name.clone(), child.to_vec());
            }
        }
    }
    all
}

/// The file that a path leads to: the deepest module on it, and from there on where its first name is passed on from.
fn resolved(
    path: Path,
    modules: &BTreeMap<Path, &Source>,
    exports: &BTreeMap<&Path, BTreeMap<String, Path>>,
) -> Path {
    let depth = (0..=path.len()).rev().find(|n| modules.contains_key(&path[..*n])).unwrap_or(0);
    let (module, rest) = (path[..depth].to_vec(), path.get(depth));
    let passed_on = rest.and_then(|name| exports.get(&module)?.get(name));
    passed_on.cloned().unwrap_or(module)
}
