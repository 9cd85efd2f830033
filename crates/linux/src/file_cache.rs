//! The pages of files that the kernel holds in memory.

use std::io;

use crate::Roots;

/// Where the kernel is told to drop them: root's to write.
pub const DROP: &str = "/proc/sys/vm/drop_caches";

/// Writes what is not on disk yet, and has the kernel drop pages of files, names and inodes that it can read again.
///
/// # Errors
/// When it may not be asked for.
pub fn drop_clean(roots: &Roots) -> io::Result<()> {
    // SAFETY: sync takes nothing and gives nothing.
    unsafe { libc::sync() };
    std::fs::write(roots.path(DROP), "3")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_asked_where_it_has_the_file() {
        let root = tempfile::tempdir().unwrap();
        let roots = Roots::at(root.path());
        assert!(drop_clean(&roots).is_err());
        std::fs::create_dir_all(roots.path(DROP).parent().unwrap()).unwrap();
        drop_clean(&roots).unwrap();
        assert_eq!(std::fs::read_to_string(roots.path(DROP)).unwrap(), "3");
    }
}
