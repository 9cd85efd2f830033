//! Lists of nodes and CPUs as numactl(8) writes them: `0,2-3`, `all`, `!0`, `+0-1`, `!+0`.

use numawise_units::{Id, IdSet};

#[cfg(test)]
mod tests;

/// Why a text is not a list in numactl's syntax, or not one for us.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NodeStringError {
    #[error(
        "{option} '{text}': {problem}; expected e.g. 0,2-3, all, !0 (all but 0) or +0-1 (the first two allowed)"
    )]
    Syntax { option: &'static str, text: String, problem: String },
    #[error("{option} '{text}' leaves no {noun}; allowed are {allowed}")]
    Nothing { option: &'static str, text: String, noun: &'static str, allowed: String },
    #[error("{option} '{text}': there is no {noun} +{position}, only {count} are allowed ({allowed})")]
    Relative {
        option: &'static str,
        text: String,
        noun: &'static str,
        position: u32,
        count: usize,
        allowed: String,
    },
    #[error(
        "{option} '{text}': nodes of devices and addresses are numactl's to look up; give the number of the node"
    )]
    Device { option: &'static str, text: String },
}

/// The set that `text`, the value of `option`, means when `allowed` is what we may use.
///
/// As in numactl, a range stands for what is allowed in it, while a single number stands for itself and may turn out to be
/// forbidden later; both ends of a range have to be allowed, which is left to the placement to explain.
///
/// # Errors
/// When the text makes no sense, or means nothing of what is allowed.
pub fn parse<T: Id>(
    option: &'static str,
    text: &str,
    allowed: &IdSet<T>,
) -> Result<IdSet<T>, NodeStringError> {
    let wrong = |problem: String| NodeStringError::Syntax { option, text: text.to_owned(), problem };
    const DEVICES: [&str; 5] = ["netdev:", "file:", "ip:", "block:", "pci:"];
    if DEVICES.iter().any(|prefix| text.starts_with(prefix)) {
        return Err(NodeStringError::Device { option, text: text.to_owned() });
    }
    if text == "all" {
        return non_empty(option, text, allowed.clone(), allowed);
    }
    let (inverted, rest) = strip(text, '!');
    let (relative, rest) = strip(rest, '+');
    let mut set = IdSet::new();
    for element in rest.split(',') {
        // Each element may have a + of its own.
        let (relative_here, element) = strip(element, '+');
        if element.contains(':') {
            return Err(wrong("numactl knows no steps; use --cpus".to_owned()));
        }
        let listed: IdSet<T> = element.parse().map_err(|_| wrong(problem(element)))?;
        if listed.is_empty() {
            return Err(wrong("a number is missing".to_owned()));
        }
        match relative || relative_here {
            false => set.extend(in_range(&listed, allowed).iter()),
            true => {
                let ids: Vec<T> = allowed.iter().collect();
                for position in listed.iter().map(Id::index) {
                    let id = ids.get(position as usize).ok_or_else(|| NodeStringError::Relative {
                        option,
                        text: text.to_owned(),
                        noun: T::NOUN,
                        position,
                        count: ids.len(),
                        allowed: allowed.to_string(),
                    })?;
                    set.insert(*id);
                }
            }
        }
    }
    let set = if inverted { allowed.difference(&set) } else { set };
    non_empty(option, text, set, allowed)
}

fn strip(text: &str, sign: char) -> (bool, &str) {
    text.strip_prefix(sign).map_or((false, text), |rest| (true, rest))
}

fn problem(element: &str) -> String {
    match element.split_once('-') {
        Some((first, last)) if first.parse::<u32>().is_ok() && last.parse::<u32>().is_ok() => {
            format!("'{element}' runs backwards or too far")
        }
        _ => format!("'{element}' is neither a number nor a range"),
    }
}

/// Of a range only what is allowed between its ends.
fn in_range<T: Id>(listed: &IdSet<T>, allowed: &IdSet<T>) -> IdSet<T> {
    let ends: IdSet<T> = listed.first().into_iter().chain(listed.last()).collect();
    listed.intersection(allowed).union(&ends)
}

fn non_empty<T: Id>(
    option: &'static str,
    text: &str,
    set: IdSet<T>,
    allowed: &IdSet<T>,
) -> Result<IdSet<T>, NodeStringError> {
    match set.is_empty() {
        false => Ok(set),
        true => Err(NodeStringError::Nothing {
            option,
            text: text.to_owned(),
            noun: T::NOUN,
            allowed: allowed.to_string(),
        }),
    }
}
