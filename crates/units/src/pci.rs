//! Addresses of PCI devices, as the kernel and lspci write them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::harmless::quoted;

#[cfg(test)]
#[path = "pci_tests.rs"]
mod tests;

/// Where a PCI device sits: `0000:3b:00.0`. Ordered as the kernel lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PciAddress {
    /// 32 bits: a domain that the kernel makes for disks behind a processor's RAID begins at 0x10000.
    domain: u32,
    bus: u8,
    device: u8,
    function: u8,
}

/// A text that is no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no name of a PCI device: expected [domain:]bus:device[.function] in hexadecimal, e.g. 3b:00.0, as lspci shows it"
)]
pub struct ParsePciAddressError(String);

impl FromStr for PciAddress {
    type Err = ParsePciAddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        read(text).ok_or_else(|| ParsePciAddressError(quoted(text)))
    }
}

fn read(text: &str) -> Option<PciAddress> {
    let (place, function) = text.split_once('.').unwrap_or((text, "0"));
    let numbers: Vec<u32> = place.split(':').map(hexadecimal).collect::<Option<_>>()?;
    let (domain, bus, device) = match numbers[..] {
        [bus, device] => (0, bus, device),
        [domain, bus, device] => (domain, bus, device),
        _ => return None,
    };
    // 5 bits of the device and 3 of its function go into a byte.
    let below = |number: u32, bound: u8| u8::try_from(number).ok().filter(|number| *number < bound);
    Some(PciAddress {
        domain,
        bus: u8::try_from(bus).ok()?,
        device: below(device, 32)?,
        function: below(hexadecimal(function)?, 8)?,
    })
}

fn hexadecimal(text: &str) -> Option<u32> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain.then(|| u32::from_str_radix(text, 16).ok()).flatten()
}

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PciAddress { domain, bus, device, function } = self;
        f.pad(&format!("{domain:04x}:{bus:02x}:{device:02x}.{function:x}"))
    }
}

impl TryFrom<String> for PciAddress {
    type Error = ParsePciAddressError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<PciAddress> for String {
    fn from(address: PciAddress) -> String {
        address.to_string()
    }
}
