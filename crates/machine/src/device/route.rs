//! The interface through which packets to a host leave: the kernel says when a socket is connected, which sends nothing.

use std::ffi::CStr;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};

use super::DeviceError;
use crate::files::shortened;

/// Any port does: nothing is sent. Discard, for those who watch sockets.
const PORT: u16 = 9;

/// The name of the interface to `host`, a name or an address; of several addresses the first that can be reached counts.
pub fn interface_to(host: &str) -> Result<String, DeviceError> {
    let short = || shortened(host);
    let unknown = |problem: String| DeviceError::Host { host: short(), problem };
    let addresses = (host, PORT).to_socket_addrs().map_err(|error| unknown(error.to_string()))?;
    let mut problem = unknown("it has none".to_owned());
    for address in addresses {
        match local_end(address) {
            Ok(own) => {
                let lost = || DeviceError::Interface { host: short(), address: own.to_string() };
                return interface_with(own).ok_or_else(lost);
            }
            Err(source) => {
                problem = DeviceError::Route { host: short(), address: address.ip().to_string(), source };
            }
        }
    }
    Err(problem)
}

fn local_end(address: SocketAddr) -> std::io::Result<IpAddr> {
    let any = match address {
        SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    };
    let socket = UdpSocket::bind((any, 0))?;
    socket.connect(address)?;
    Ok(socket.local_addr()?.ip())
}

/// The interface that has an address.
fn interface_with(own: IpAddr) -> Option<String> {
    let mut list: *mut libc::ifaddrs = std::ptr::null_mut();
    // SAFETY: getifaddrs writes one pointer, for which there is room.
    if unsafe { libc::getifaddrs(&mut list) } != 0 {
        return None;
    }
    let mut found = None;
    let mut entry = list;
    while !entry.is_null() && found.is_none() {
        // SAFETY: the list is live until freeifaddrs, and its entries and their pointers with it.
        let one = unsafe { &*entry };
        // SAFETY: as above; a null address is allowed.
        if unsafe { address(one.ifa_addr) } == Some(own) {
            // SAFETY: every entry has a name that ends with a zero.
            let name = unsafe { CStr::from_ptr(one.ifa_name) };
            found = Some(name.to_string_lossy().into_owned());
        }
        entry = one.ifa_next;
    }
    // SAFETY: the list that getifaddrs gave, freed once; nothing points into it any more.
    unsafe { libc::freeifaddrs(list) };
    found
}

/// # Safety
/// `address` is null or points to a socket address as long as its family says.
unsafe fn address(address: *const libc::sockaddr) -> Option<IpAddr> {
    if address.is_null() {
        return None;
    }
    // SAFETY: every socket address begins with its family.
    match i32::from(unsafe { (*address).sa_family }) {
        libc::AF_INET => {
            // SAFETY: of this family, so as long as this; read whatever its alignment.
            let v4 = unsafe { address.cast::<libc::sockaddr_in>().read_unaligned() };
            Some(IpAddr::V4(Ipv4Addr::from(u32::from_be(v4.sin_addr.s_addr))))
        }
        libc::AF_INET6 => {
            // SAFETY: as above.
            let v6 = unsafe { address.cast::<libc::sockaddr_in6>().read_unaligned() };
            Some(IpAddr::V6(Ipv6Addr::from(v6.sin6_addr.s6_addr)))
        }
        _ => None,
    }
}
