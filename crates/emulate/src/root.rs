//! A guest with the host's files: what its archive and QEMU's command line get for that.

use std::path::{Path, PathBuf};

use crate::initramfs::Archive;
use crate::{Error, RootKernel};

/// Where a guest sees the folder of the host that it may write.
pub const RESULTS: &str = "/run/numawise/results";
/// Where a guest finds what [`HostRoot::script`] says.
const SCRIPT: &str = "/run/numawise/rehearsal.sh";
const PREPARE: &str = include_str!("../guest/root.sh");

/// The host's files as the root of a guest's programs. Nothing of them changes: what programs write stays in the guest's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRoot {
    pub kernel: RootKernel,
    /// The folder of the host that the guest may write, at [`RESULTS`].
    pub results: PathBuf,
    /// What the guest is told of itself, in a file `rehearsal.json` beside the results.
    pub told: String,
    /// A shell script that runs with that root.
    pub script: String,
}

impl HostRoot {
    /// Commands of a guest: the root is made, then the script runs in it.
    pub fn commands() -> [String; 2] {
        ["sh /testbed/root.sh".to_owned(), format!("exec chroot /new /bin/sh {SCRIPT}")]
    }

    pub(crate) fn add_to(&self, archive: &mut Archive) -> Result<(), Error> {
        for (k, module) in self.kernel.modules()?.into_iter().enumerate() {
            archive.file(format!("testbed/modules/{k:02}.ko"), module);
        }
        archive.file("testbed/root.sh", PREPARE);
        archive.file("testbed/rehearsal.json", self.told.as_str());
        archive.file("testbed/rehearsal.sh", self.script.as_str());
        Ok(())
    }

    /// Two file systems for QEMU: all of the host's files to be read, and one folder to be written.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let shared = |tag: &str, path: &Path, options: &str| {
            let path = crate::qemu::comma_safe(path);
            let file_system =
                format!("local,id={tag},path={path},security_model=none,multidevs=remap{options}");
            let device = format!("virtio-9p-pci,fsdev={tag},mount_tag={tag}");
            ["-fsdev".to_owned(), file_system, "-device".to_owned(), device]
        };
        let mut all = shared("root", Path::new("/"), ",readonly=on").to_vec();
        all.extend(shared("results", &self.results, ""));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_may_only_be_read_and_a_comma_in_a_path_is_doubled() {
        let kernel = RootKernel::of("image");
        let root =
            HostRoot { kernel, results: "/tmp/a,b".into(), told: String::new(), script: String::new() };
        let words = root.arguments().join(" ");
        assert!(words.contains("id=root,path=/,security_model=none,multidevs=remap,readonly=on"), "{words}");
        assert!(
            words.contains("id=results,path=/tmp/a,,b,security_model=none,multidevs=remap -device"),
            "{words}"
        );
    }
}
