//! `--objects-to hbm=FILE:NAMES`: which objects of an earlier run go where.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use numawise_session::objects_to::{ObjectTarget, ObjectsTo};

use super::super::Failure;

#[cfg(test)]
#[path = "objects_to_tests.rs"]
mod tests;

/// # Errors
/// Where nodes or the file are missing.
pub fn parse(typed: &OsStr) -> Result<ObjectsTo, Failure> {
    parse_where(typed, &|path| path.exists())
}

fn parse_where(typed: &OsStr, is_there: &dyn Fn(&PathBuf) -> bool) -> Result<ObjectsTo, Failure> {
    let wrong = |what: &str| {
        Failure::new(format!(
            "--objects-to {}: {what}; expected hbm=FILE, NODES=FILE, interleave=FILE or interleave:NODES=FILE, such as hbm=run.nw or \
             1=run.nw:u,v, with a FILE of numawise objects --output FILE",
            typed.to_string_lossy()
        ))
    };
    let mut halves = typed.as_bytes().splitn(2, |byte| *byte == b'=');
    let target = String::from_utf8_lossy(halves.next().unwrap_or_default()).into_owned();
    let Some(rest) = halves.next().filter(|rest| !rest.is_empty()) else {
        return Err(wrong("there is no '=' with a file behind it"));
    };
    let target = match target.as_str() {
        "hbm" => ObjectTarget::Hbm,
        "interleave" => ObjectTarget::Interleaved(None),
        "" | "interleave:" => return Err(wrong("there are no nodes")),
        other => {
            let interleaved = other.strip_prefix("interleave:");
            let nodes = interleaved.unwrap_or(other);
            let nodes = nodes.parse().map_err(|error| wrong(&format!("nodes {error}")))?;
            if interleaved.is_some() {
                ObjectTarget::Interleaved(Some(nodes))
            } else {
                ObjectTarget::Nodes(nodes)
            }
        }
    };
    let whole = path(rest);
    // A file may have colons in its name, and so may an object.
    let colons = || rest.iter().enumerate().filter(|(_, byte)| **byte == b':').map(|(at, _)| at);
    let last_folder = rest.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    let end = colons().find(|at| is_there(&path(&rest[..*at]))).or(colons().find(|at| *at >= last_folder));
    let (record, names) = match end.filter(|_| !is_there(&whole)) {
        Some(at) => (path(&rest[..at]), &rest[at + 1..]),
        None => (whole, &[][..]),
    };
    let names: Vec<String> = names
        .split(|byte| *byte == b',')
        .filter(|name| !name.is_empty())
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect();
    if record.as_os_str().is_empty() {
        return Err(wrong("there is no file"));
    }
    Ok(ObjectsTo { target, record, names })
}

fn path(bytes: &[u8]) -> PathBuf {
    OsString::from_vec(bytes.to_vec()).into()
}
