//! `--objects-to hbm=FILE:NAMES`: which objects of an earlier run go where.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use numawise_session::objects_to::{ObjectTarget, ObjectsTo};

use super::super::Failure;

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

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(typed: &str, there: &str) -> Option<ObjectsTo> {
        parse_where(OsStr::new(typed), &|path| path.as_os_str() == there).ok()
    }

    fn of(target: ObjectTarget, record: &str, names: &[&str]) -> Option<ObjectsTo> {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Some(ObjectsTo { target, record: record.into(), names })
    }

    #[test]
    fn nodes_a_file_and_names() {
        let nodes = |text: &str| ObjectTarget::Nodes(text.parse().unwrap());
        assert_eq!(parsed("hbm=run.nw", ""), of(ObjectTarget::Hbm, "run.nw", &[]));
        assert_eq!(parsed("1=run.nw:u,v", ""), of(nodes("1"), "run.nw", &["u", "v"]));
        assert_eq!(parsed("0-1,3=a=b.nw", ""), of(nodes("0-1,3"), "a=b.nw", &[]));
        assert_eq!(parsed("1=run:u", "run:u"), of(nodes("1"), "run:u", &[]));
        assert_eq!(parsed("1=a:b/run.nw", ""), of(nodes("1"), "a:b/run.nw", &[]));
        assert_eq!(parsed("1=a:b/run.nw:Field::u", ""), of(nodes("1"), "a:b/run.nw", &["Field::u"]));
        assert_eq!(parsed("1=a:b.nw:u", "a:b.nw"), of(nodes("1"), "a:b.nw", &["u"]));
        let turn = |nodes: Option<&str>| ObjectTarget::Interleaved(nodes.map(|text| text.parse().unwrap()));
        assert_eq!(parsed("interleave=run.nw:#3", ""), of(turn(None), "run.nw", &["#3"]));
        assert_eq!(parsed("interleave:0-1=run.nw", ""), of(turn(Some("0-1")), "run.nw", &[]));
        for broken in [
            "interleave:=run.nw",
            "interleave:x=run.nw",
            "interleave0=run.nw",
            "",
            "hbm",
            "hbm=",
            "=run.nw",
            "x=run.nw",
            "1-=run.nw",
            "hbm=:u",
        ] {
            assert_eq!(parsed(broken, ""), None, "{broken}");
        }
    }
}
