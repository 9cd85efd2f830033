//! Launchers of MPI ranks for guests: what `mpirun` needs besides itself, and no more, since all of it is memory of the
//! guest and time of its boot. The ranks are programs that need no MPI library: what is tested is where they are put.

use numawise_units::Arrange;

use crate::libraries::which;
use crate::{Error, libraries};
use std::path::{Path, PathBuf};

/// An MPI whose launcher can be put into a guest; both as Debian packs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mpi {
    /// `mpirun.openmpi`, of the package openmpi-bin.
    OpenMpi,
    /// `mpirun.mpich`, which is Hydra, of the package mpich.
    Mpich,
}

/// Open MPI's plugins for what ranks do among themselves, and for batch systems.
const NOT_FOR_STARTING: [&str; 28] = [
    "allocator_",
    "atomic_",
    "bml_",
    "btl_",
    "coll_",
    "fbtl_",
    "fcoll_",
    "flux",
    "fs_",
    "gridengine",
    "io_",
    "jsm",
    "memheap_",
    "mpool_",
    "mtl_",
    "op_",
    "osc_",
    "pml_",
    "rcache_",
    "scoll_",
    "sharedfp_",
    "simulator",
    "slurm",
    "spml_",
    "sshmem_",
    "topo_",
    "ucx",
    "vprotocol_",
];

impl Mpi {
    /// The launcher, as a command.
    #[must_use]
    pub fn launcher(self) -> &'static str {
        match self {
            Mpi::OpenMpi => "mpirun.openmpi",
            Mpi::Mpich => "mpirun.mpich",
        }
    }

    /// Its launcher is on this host.
    ///
    /// # Errors
    /// When it is not.
    pub fn readiness(self) -> Result<(), Error> {
        which(self.launcher()).map(drop).ok_or_else(|| Error::NoTool(self.launcher().to_owned()))
    }
}

/// What of the host goes into the guest, to the same paths.
pub(crate) fn files(mpi: Mpi) -> Result<Vec<PathBuf>, Error> {
    let program = which(mpi.launcher()).ok_or_else(|| Error::NoTool(mpi.launcher().to_owned()))?;
    match mpi {
        // Hydra looks for its proxy beside the program as which it was called.
        Mpi::Mpich => Ok(vec![program.with_file_name("hydra_pmi_proxy"), program]),
        Mpi::OpenMpi => open_mpi(program),
    }
}

/// What the launcher must know of the guest.
pub(crate) fn environment(mpi: Mpi) -> &'static [(&'static str, &'static str)] {
    match mpi {
        Mpi::Mpich => &[],
        Mpi::OpenMpi => &[
            ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
            ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
            // A guest is one host: nothing is started through ssh, and nobody is to be found on a network.
            ("OMPI_MCA_plm", "isolated"),
            ("OMPI_MCA_oob_tcp_if_include", "lo"),
            ("PMIX_MCA_pcompress_base_silence_warning", "1"),
        ],
    }
}

/// Its paths are compiled in: plugins and texts of messages must be where the package has them.
fn open_mpi(program: PathBuf) -> Result<Vec<PathBuf>, Error> {
    let text = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let plugins = plugins_of(&program)?;
    let mut all = vec![program];
    all.extend(ordinary(&plugins)?.into_iter().filter(|path| {
        let name = text(path);
        name.ends_with(".so")
            && name
                .strip_prefix("mca_")
                .is_some_and(|component| !NOT_FOR_STARTING.iter().any(|p| component.contains(p)))
    }));
    all.extend(ordinary(Path::new("/etc/openmpi"))?);
    let about_starting = ["help-or", "help-opal-", "help-plm-", "help-pmix-"];
    let messages = ordinary(Path::new("/usr/share/openmpi"))?;
    all.extend(messages.into_iter().filter(|path| about_starting.iter().any(|p| text(path).starts_with(p))));
    Ok(all)
}

/// The folder of the plugins: beside the library that the launcher is mostly made of.
fn plugins_of(program: &Path) -> Result<PathBuf, Error> {
    let missing =
        |library: &str| Error::LibraryMissing { program: program.to_path_buf(), library: library.to_owned() };
    let libraries = libraries::of(program)?;
    let core = libraries.iter().find(|path| path.to_string_lossy().contains("libopen-rte."));
    let core = core.ok_or_else(|| missing("libopen-rte"))?.canonicalize().map_err(Error::read(program))?;
    let plugins = |folder: &Path| folder.join("openmpi/lib/openmpi3");
    let found = core.ancestors().map(plugins).find(|folder| folder.is_dir());
    found.ok_or_else(|| missing("openmpi/lib/openmpi3"))
}

/// The ordinary files of a folder, in order.
fn ordinary(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = std::fs::read_dir(folder).map_err(Error::read(folder))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|path| path.is_file()).collect();
    paths.arrange();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::{Mpi, files};
    use crate::libraries::which;

    /// What a launcher brings is small, whatever its package holds besides: every byte is unpacked by an emulated CPU.
    #[test]
    fn launchers_are_brought_without_what_ranks_do_among_themselves() {
        for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
            let launcher = mpi.launcher();
            let Some(program) = which(launcher) else {
                eprintln!("SKIPPED: {launcher} is not installed");
                continue;
            };
            let all = files(mpi).unwrap();
            assert!(all.contains(&program), "{launcher}");
            let bytes: u64 = all.iter().map(|path| path.metadata().unwrap().len()).sum();
            assert!(bytes < 4 << 20, "{launcher} brings {bytes} bytes");
            let names: Vec<_> = all.iter().map(|path| path.file_name().unwrap().to_string_lossy()).collect();
            let wanted: &[&str] = match mpi {
                Mpi::OpenMpi => &["mca_ess_hnp.so", "mca_rmaps_round_robin.so", "mca_odls_default.so"],
                Mpi::Mpich => &["hydra_pmi_proxy"],
            };
            for name in wanted {
                assert!(names.iter().any(|n| n == name), "{launcher} brings no {name}");
            }
            assert!(!names.iter().any(|name| name.contains("pml_") || name.contains("ucx")), "{names:?}");
        }
    }
}
