//! Reading the kernel's small files.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

thread_local! {
    /// Larger than any file that a placement needs, so that one `read` does.
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; 64 << 10]);
}

/// Open, read, close. `std::fs::read` takes twice as many calls, which shows on machines with hundreds of CPUs.
pub(crate) fn slurp(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    BUFFER.with_borrow_mut(|buffer| {
        let mut length = 0;
        loop {
            let n = match file.read(&mut buffer[length..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                result => result?,
            };
            length += n;
            // The kernel gives such files whole, or as much as there is room for.
            if length < buffer.len() {
                break;
            }
            if n == 0 {
                return Err(io::Error::other("the file is larger than expected"));
            }
            let larger = buffer.len() * 2;
            buffer.resize(larger, 0);
        }
        Ok(String::from_utf8_lossy(&buffer[..length]).into_owned())
    })
}
