//! Names that Cython gives to the functions that it makes of a module's (`Scope.scope_prefix` and `Scope.mangle` in its
//! `Symtab.py`, version 3).

#[cfg(test)]
#[path = "cython_tests.rs"]
mod tests;

/// What stands before the scopes: bodies of Python functions, their wrappers, functions of C, bodies of generators.
const KINDS: [&str; 4] = ["__pyx_pf_", "__pyx_pw_", "__pyx_f_", "__pyx_gb_"];
/// Of a function for several types, with the number of the type behind it.
const FUSED: &str = "__pyx_fuse_";

/// `sklearn.cluster._k_means_lloyd.lloyd_iter` of `__pyx_pf_7sklearn_7cluster_14_k_means_lloyd_6lloyd_iter`; `None`: it is no such name.
pub fn source_function(name: &str) -> Option<String> {
    let name = without_types(name);
    let mut rest = KINDS.iter().find_map(|kind| name.strip_prefix(kind))?;
    let mut scopes = Vec::new();
    while let Some((scope, behind)) = scope(rest) {
        scopes.push(scope);
        rest = behind;
    }
    // A number tells functions of one name apart.
    let own = without_types(rest.trim_start_matches(|sign: char| sign.is_ascii_digit()));
    if scopes.is_empty() || own.is_empty() {
        return None;
    }
    scopes.push(own);
    Some(scopes.join("."))
}

/// A package, a module or a class: its length, itself and a line below.
fn scope(text: &str) -> Option<(&str, &str)> {
    let digits = text.find(|sign: char| !sign.is_ascii_digit())?;
    let (length, named) = text.split_at(digits);
    let (scope, behind) = named.split_at_checked(length.parse().ok()?)?;
    Some((scope, behind.strip_prefix('_')?)).filter(|(scope, _)| !scope.is_empty())
}

fn without_types(name: &str) -> &str {
    let mut name = name;
    while let Some(behind) = name.strip_prefix(FUSED) {
        name = behind.trim_start_matches(|sign: char| sign.is_ascii_digit());
    }
    name
}
