//! Which nodes a device, a file or an address belongs to, in the words of numactl(8): `netdev:eth0`, `block:sda`,
//! `pci:3b:00.0`, `file:/scratch`, `ip:storage.example`.
//!
//! The kernel tells the node of hardware (`numa_node`), and what has none of its own lies below what has. A bond, a VLAN,
//! a RAID or a logical volume is no hardware, but names what it is made of (`lower_*`, `slaves/*`): its nodes are theirs.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use numawise_units::{Arrange, NodeId, NodeSet, ParsePciAddressError, PciAddress};

use crate::Roots;
use crate::files::shortened;

mod route;
#[cfg(test)]
#[path = "device_tests.rs"]
mod tests;

/// Why the node of a device is not known.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    #[error("there is no {what} '{name}' ({} is not there); expected one of: {there}", .path.display())]
    Missing { what: &'static str, name: String, path: PathBuf, there: String },
    #[error(transparent)]
    Address(#[from] ParsePciAddressError),
    #[error("'{name}' is no name of a {what}: {advice}")]
    Name { what: &'static str, name: String, advice: &'static str },
    #[error(
        "the kernel does not know the node of {name}: {} holds '{found}' (-1 is unknown: the firmware does not tell, as in \
         many virtual machines, or there is only one node); give the number of the node",
        .path.display()
    )]
    Unknown { name: String, path: PathBuf, found: String },
    #[error("{name} is no hardware and is made of none ({}): it is near no node; give the number of the node", .path.display())]
    NoHardware { name: String, path: PathBuf },
    #[error("cannot look at the file '{file}': {source}")]
    File { file: String, source: io::Error },
    #[error(
        "the file '{file}' lies on no block device that {} has (its file system says {major}:{minor}, as network, memory and \
         overlay file systems do); name the device itself, e.g. block:sda or netdev:eth0",
        .path.display()
    )]
    NoBlockDevice { file: String, path: PathBuf, major: u32, minor: u32 },
    #[error("cannot find the address of '{host}': {problem}; expected a name or an address of the network")]
    Host { host: String, problem: String },
    #[error("there is no way through the network to '{host}' ({address}): {source}")]
    Route { host: String, address: String, source: io::Error },
    #[error(
        "packets to '{host}' leave from {address}, and no interface has that address; name the interface: netdev:..."
    )]
    Interface { host: String, address: String },
}

type LookUp = fn(&Roots, &str) -> Result<NodeSet, DeviceError>;

/// The kinds of words, as they begin.
const KINDS: [(&str, LookUp); 5] =
    [("netdev:", netdev), ("block:", block), ("pci:", pci), ("file:", file), ("ip:", ip)];

/// The nodes of the device that `word` names; `None` when it is no such word.
///
/// Files and addresses are looked up on this computer, devices below `roots`.
pub fn nodes_of_device(roots: &Roots, word: &str) -> Option<Result<NodeSet, DeviceError>> {
    KINDS.iter().find_map(|(prefix, look_up)| Some(look_up(roots, word.strip_prefix(prefix)?)))
}

pub(crate) const NETWORK: &str = "/sys/class/net";
pub(crate) const BLOCK: &str = "/sys/class/block";
pub(crate) const PCI: &str = "/sys/bus/pci/devices";

fn netdev(roots: &Roots, name: &str) -> Result<NodeSet, DeviceError> {
    let what = "network device";
    named(roots, what, NETWORK, name, "expected one such as eth0, as ip link shows it")
}

fn block(roots: &Roots, name: &str) -> Result<NodeSet, DeviceError> {
    let advice =
        "expected one such as sda or nvme0n1; for a path such as /dev/disk/by-label/scratch use file:";
    named(roots, "block device", BLOCK, name, advice)
}

fn pci(roots: &Roots, address: &str) -> Result<NodeSet, DeviceError> {
    let address: PciAddress = address.parse()?;
    found(roots, "PCI device", PCI, &address.to_string())
}

/// A device by its name in a folder of `/sys`.
fn named(
    roots: &Roots,
    what: &'static str,
    folder: &str,
    name: &str,
    advice: &'static str,
) -> Result<NodeSet, DeviceError> {
    if name.is_empty() || name.contains('/') || matches!(name, "." | "..") {
        return Err(DeviceError::Name { what, name: shortened(name), advice });
    }
    found(roots, what, folder, name)
}

fn found(roots: &Roots, what: &'static str, folder: &str, name: &str) -> Result<NodeSet, DeviceError> {
    let path = roots.path(folder).join(name);
    match path.canonicalize() {
        Ok(device) => of_hardware(roots, &format!("{what} '{name}'"), &device),
        Err(_) => {
            let there = names(&roots.path(folder)).join(", ");
            let there = if there.is_empty() { "(none)".to_owned() } else { shortened(&there) };
            Err(DeviceError::Missing { what, name: shortened(name), path, there })
        }
    }
}

fn file(roots: &Roots, file: &str) -> Result<NodeSet, DeviceError> {
    let metadata =
        Path::new(file).metadata().map_err(|source| DeviceError::File { file: shortened(file), source })?;
    let kind = metadata.file_type();
    // A device is meant itself, everything else by where it lies.
    let (folder, number) = match (kind.is_block_device(), kind.is_char_device()) {
        (true, _) => ("/sys/dev/block", metadata.rdev()),
        (_, true) => ("/sys/dev/char", metadata.rdev()),
        _ => ("/sys/dev/block", metadata.dev()),
    };
    let (major, minor) = (libc::major(number), libc::minor(number));
    let device = roots.path(folder).join(format!("{major}:{minor}")).canonicalize();
    match device {
        Ok(device) => of_hardware(roots, &format!("the device of '{}'", shortened(file)), &device),
        Err(_) => {
            Err(DeviceError::NoBlockDevice { file: shortened(file), path: roots.path(folder), major, minor })
        }
    }
}

fn ip(roots: &Roots, host: &str) -> Result<NodeSet, DeviceError> {
    netdev(roots, &route::interface_to(host)?)
}

/// The nodes of a device, or of those that it is made of, by its folder below `/sys/devices`.
fn of_hardware(roots: &Roots, name: &str, device: &Path) -> Result<NodeSet, DeviceError> {
    let devices = roots.path("/sys/devices").canonicalize().unwrap_or_else(|_| roots.path("/sys/devices"));
    let (mut nodes, mut seen) = (NodeSet::new(), BTreeSet::new());
    let mut open = vec![device.to_owned()];
    while let Some(device) = open.pop() {
        if !seen.insert(device.clone()) {
            continue;
        }
        let below = parts(&device);
        match (numa_node(&device, &devices), below.is_empty()) {
            (Some((path, text)), _) => match text.parse() {
                Ok(node) => drop(nodes.insert(NodeId(node))),
                Err(_) => {
                    let (name, found) = (part_of(name, &device), shortened(&text));
                    return Err(DeviceError::Unknown { name, path, found });
                }
            },
            (None, false) => open.extend(below),
            (None, true) => {
                return Err(DeviceError::NoHardware { name: part_of(name, &device), path: device });
            }
        }
    }
    if !nodes.is_empty() {
        Ok(nodes)
    } else {
        // They are made of one another.
        Err(DeviceError::NoHardware { name: name.to_owned(), path: device.to_owned() })
    }
}

/// What the nearest `numa_node` holds, from a device upwards.
pub(crate) fn numa_node(device: &Path, devices: &Path) -> Option<(PathBuf, String)> {
    let inside = device.ancestors().take_while(|folder| folder.starts_with(devices));
    let mut files = inside.map(|folder| folder.join("numa_node"));
    files.find_map(|file| {
        let text = std::fs::read_to_string(&file).ok()?;
        Some((file, text.trim().to_owned()))
    })
}

/// The devices of which a device that is no hardware is made.
fn parts(device: &Path) -> Vec<PathBuf> {
    let slaves = device.join("slaves");
    let of_blocks = names(&slaves).into_iter().map(|name| slaves.join(name));
    let of_networks = names(device).into_iter().filter(|name| name.starts_with("lower_"));
    let all = of_blocks.chain(of_networks.map(|name| device.join(name)));
    all.filter_map(|link| link.canonicalize().ok()).collect()
}

fn part_of(name: &str, device: &Path) -> String {
    match device.file_name().and_then(|last| last.to_str()) {
        Some(part) if !name.contains(&format!("'{part}'")) => format!("{name} ({part})"),
        _ => name.to_owned(),
    }
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.arrange();
    names
}
