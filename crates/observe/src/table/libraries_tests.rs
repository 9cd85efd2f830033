use super::*;
use crate::fixture::{PID, Tree};

fn looked_at(maps: &str, samples: &[u32]) -> Reading<Vec<String>> {
    let tree = Tree::new();
    tree.write("proc/100/maps", maps);
    let mut libraries = MpiLibraries::default();
    samples.iter().for_each(|samples| libraries.look(&tree.roots(), PID, *samples));
    libraries.found()
}

const MPI: &str = "5500-5600 r-xp 00000000 fe:00 1 /home/user/app\n\
                   7f00-7f01 r-xp 00000000 fe:00 12 /usr/lib/libmpi.so.40.30.4\n\
                   7f01-7f02 r--p 00000000 fe:00 12 /usr/lib/libmpi.so.40.30.4\n";

#[test]
fn a_library_of_mpi_is_found_once() {
    assert_eq!(looked_at(MPI, &[1, 2, 3]), Reading::Measured(vec!["libmpi.so.40.30.4".to_owned()]));
    let without = MPI.replace("libmpi", "libm");
    assert_eq!(looked_at(&without, &[2]), Reading::Measured(vec![]));
}

#[test]
fn what_was_not_looked_at_is_not_known() {
    assert!(looked_at(MPI, &[1]).measured().is_none(), "it may not have started yet");
    let libraries = &mut MpiLibraries::default();
    libraries.look(&Tree::new().roots(), PID, 2);
    assert!(libraries.found().measured().is_none(), "it has ended");
    let many = "7f00-7f01 rw-p 00000000 00:00 0\n".repeat(10_000);
    assert!(looked_at(&many, &[2]).measured().is_none(), "there may be one behind");
}
