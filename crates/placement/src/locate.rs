//! Where `node:1.core:0-3` is: places named as hwloc names them.
//!
//! A location is a list of CPUs by their numbers (`0-3,8`, `0-14:2`), `all`, or a path of levels, each with the objects of it
//! that are meant: `package:0.core:2.pu:1`. Levels are `machine`, `package` (`pack`, `socket`), `node` (`numa`, `numanode`),
//! `l1` to `l5` (caches), `core` and `pu` (`thread`). Objects are counted from 0 inside what stands before the dot, in the
//! machine's order (hwloc's logical indexes, not the numbers of the operating system): `N`, `N-M`, `N-` (to the end), `N:K` (K
//! of them from N, after the last again the first), `all`, `odd`, `even`, and lists of these with commas. Several locations,
//! separated by spaces or `+`, are taken together from left to right; one with `~` in front is taken out, with `x` what is in both stays, with
//! `^` what is in one of them only. A location may be a [mask](mask) too: `0xff`.
//!
//! All CPUs that are online count, whether we may use them or not, as in `hwloc-calc --disallowed`: the same words mean the
//! same place under every mask. Levels between those of [`Machine`] (dies, groups) cannot be named.

use numawise_facts::Machine;
use numawise_units::CpuSet;
use numawise_units::harmless::quoted;

use objects::{Kind, Objects};

mod indexes;
mod mask;
mod objects;
#[cfg(test)]
#[path = "locate_tests.rs"]
mod tests;

/// Why a text names no place on a machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LocationError {
    #[error("the location is empty; expected CPUs such as 0-3,8, or a path such as node:1.core:0-3")]
    Empty,
    #[error(
        "'{location}' is not a location: {problem}; expected CPUs such as 0-3,8, or a path such as node:1.core:0-3"
    )]
    Syntax { location: String, problem: String },
    #[error(
        "'{location}': '{name}' is not a level of the machine; expected machine, package, node, l1 to l5, core or pu"
    )]
    Level { location: String, name: String },
    /// A place is near to a device, and is none.
    #[error("'{location}' is a device; expected CPUs such as 0-3,8, or a path such as node:1.core:0-3")]
    Device { location: String },
    #[error("'{location}': there is no {what} in {parent} (CPUs {cpus}), which has {found}")]
    Object { location: String, what: String, parent: String, cpus: CpuSet, found: String },
    #[error("'{location}': {object} has no CPUs")]
    NoCpus { location: String, object: String },
    #[error("'{text}' leaves no CPU: all that is named is taken out again; expected e.g. 'all ~core:0'")]
    Nothing { text: String },
}

/// The CPUs at a location.
///
/// CPUs in a plain list are not compared with those of the machine: whoever uses them says which may not be used.
///
/// # Errors
/// When the text is no location, or names what the machine does not have.
pub fn locate(machine: &Machine, text: &str) -> Result<CpuSet, LocationError> {
    if text.trim().is_empty() {
        return Err(LocationError::Empty);
    }
    // Spaces may stand around the elements of a plain list.
    if let Ok(cpus) = text.parse() {
        return Ok(cpus);
    }
    let objects = Objects::of(machine);
    let mut all = CpuSet::new();
    let separator = |letter: char| letter == '+' || letter.is_whitespace();
    for word in text.split(separator).filter(|word| !word.is_empty()) {
        let at =
            |first: char| word.strip_prefix(first).map(|location| one(&objects, location, first)).transpose();
        all = if let Some(out) = at('~')? {
            all.difference(&out)
        } else if let Some(both) = at('x')? {
            all.intersection(&both)
        } else if let Some(other) = at('^')? {
            all.difference(&other).union(&other.difference(&all))
        } else {
            all.union(&one(&objects, word, ' ')?)
        };
    }
    if !all.is_empty() { Ok(all) } else { Err(LocationError::Nothing { text: quoted(text.trim()) }) }
}

/// Machine, package, node, five caches, core and hardware thread, some of them twice.
const MOST_LEVELS: usize = 20;
/// Several times the CPUs of the largest machine.
const MOST_OBJECTS: usize = 65_536;

/// `after` is the letter that stood before it.
fn one(objects: &Objects<'_>, location: &str, after: char) -> Result<CpuSet, LocationError> {
    let broken = |problem: String| LocationError::Syntax { location: quoted(location), problem };
    if location.eq_ignore_ascii_case("all") || location.eq_ignore_ascii_case("root") {
        return Ok(objects.all.clone());
    }
    match location.chars().next() {
        None => return Err(broken(format!("nothing stands after '{after}'"))),
        Some(_) if mask::is_mask(location) => {
            return mask::parse(location, &objects.all).map_err(|flaw| broken(flaw.to_string()));
        }
        // A number is what a list begins with and no level.
        Some(first) if first.is_ascii_digit() => {
            return location
                .parse()
                .map_err(|error: numawise_units::ParseSetError| broken(error.to_string()));
        }
        Some(_) => {}
    }
    if ["os=", "pci="].into_iter().any(|device| location.starts_with(device)) {
        return Err(LocationError::Device { location: quoted(location) });
    }
    let mut places = vec![(objects.all.clone(), "the machine".to_owned())];
    if location.split('.').count() > MOST_LEVELS {
        return Err(broken(format!("it has more than {MOST_LEVELS} levels")));
    }
    for level in location.split('.') {
        let Some((name, indexes)) = level.split_once(':') else {
            return Err(broken(format!("in '{}' the objects are missing, as in core:0", quoted(level))));
        };
        let Some(kind) = Kind::named(name) else {
            return Err(LocationError::Level { location: quoted(location), name: quoted(name) });
        };
        let ranges = indexes::parse(indexes).map_err(|flaw| broken(flaw.to_string()))?;
        let mut inside = Vec::new();
        for (cpus, parent) in &places {
            inside.extend(chosen(objects, location, (cpus, parent), kind, &ranges)?);
            if inside.len() > MOST_OBJECTS {
                return Err(broken(format!("it names more than {MOST_OBJECTS} objects, most of them twice")));
            }
        }
        places = inside;
    }
    Ok(places.iter().fold(CpuSet::new(), |all, (cpus, _)| all.union(cpus)))
}

/// The objects of a kind inside of a place, each with its CPUs and what to call it.
fn chosen(
    objects: &Objects<'_>,
    location: &str,
    (cpus, parent): (&CpuSet, &str),
    kind: Kind,
    ranges: &[indexes::Indexes],
) -> Result<Vec<(CpuSet, String)>, LocationError> {
    let there = objects.inside(kind, cpus);
    let mut found = Vec::new();
    for range in ranges {
        let picked = range.among(there.len()).map_err(|missing| LocationError::Object {
            location: quoted(location),
            what: match missing {
                Some(index) => format!("{kind} {index}"),
                None => format!("{kind} with an {range} number"),
            },
            parent: parent.to_owned(),
            cpus: cpus.clone(),
            found: match there.len() {
                0 => format!("none of that level{}", objects.why_none(kind)),
                1 => "one, number 0".to_owned(),
                number => format!("{number}, numbers 0 to {}", number - 1),
            },
        })?;
        for index in picked {
            let object = match parent {
                "the machine" => format!("{kind}:{index}"),
                _ => format!("{parent}.{kind}:{index}"),
            };
            if there[index].is_empty() {
                return Err(LocationError::NoCpus { location: quoted(location), object });
            }
            found.push((there[index].clone(), object));
        }
    }
    Ok(found)
}
