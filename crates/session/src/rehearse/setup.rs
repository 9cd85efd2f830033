//! What guests need of this computer, and what of that is here.

use std::path::{Path, PathBuf};

use numawise_emulate::{Error, KernelGap, RootKernel, kernel as kernels, qemu_version, which};

use super::RehearsalError;

/// The plugin that gives memory its timing is written for the interface of this version.
const QEMU: &str = "7.2";

/// A thing without which there is no guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    Qemu,
    Busybox,
    Kernel,
}

/// One of them, and what was found: a version or a path, or why it does not serve.
#[derive(Debug)]
pub struct SetupPart {
    pub requirement: Requirement,
    pub found: Result<String, String>,
}

/// All that guests need, whether it is there or not.
pub fn setup(work: &Path) -> Vec<SetupPart> {
    let on_path = |name: &str| {
        which(name).map(|path| path.display().to_string()).ok_or_else(|| format!("{name} is not on the PATH"))
    };
    let kernel = kernel(work).map(|kernel| kernel.image.display().to_string());
    [
        (Requirement::Qemu, qemu().map_err(|error| error.to_string())),
        (Requirement::Busybox, on_path("busybox")),
        (Requirement::Kernel, kernel.map_err(|error| error.to_string())),
    ]
    .map(|(requirement, found)| SetupPart { requirement, found })
    .into()
}

/// The version of QEMU that is here.
pub(super) fn qemu() -> Result<String, RehearsalError> {
    let found = qemu_version()?;
    if found.starts_with(QEMU) { Ok(found) } else { Err(Error::WrongQemu { found }.into()) }
}

/// An installed kernel, or one of a package that was unpacked into the folder for guests.
pub(super) fn kernel(work: &Path) -> Result<RootKernel, RehearsalError> {
    let unpacked = work.join("kernel");
    kernels::find(&[Path::new("/"), &unpacked]).map_err(RehearsalError::NoKernel)
}

/// The folder for guests of this user: `$XDG_CACHE_HOME/numawise/rehearsal`, below `~/.cache` where that is not set.
///
/// # Errors
/// When neither variable holds an absolute path.
pub fn work_folder() -> Result<PathBuf, RehearsalError> {
    let of = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = of("XDG_CACHE_HOME").or_else(|| of("HOME").map(|home| home.join(".cache")));
    cache.map(|cache| cache.join("numawise/rehearsal")).ok_or(RehearsalError::NoCacheFolder)
}

impl RehearsalError {
    /// Whether something must be installed.
    pub fn is_of_setup(&self) -> bool {
        matches!(
            self,
            RehearsalError::NoKernel(KernelGap::NotFound | KernelGap::NotUsable { .. })
                | RehearsalError::Emulate(Error::Start { .. } | Error::WrongQemu { .. } | Error::NoTool(_))
        )
    }
}
