use super::{Mpi, files};
use crate::guest::which;

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
