use std::str::from_utf8;

use super::*;

#[test]
fn helpers_and_openmp_are_known_by_their_library() {
    for (name, kind_of_it) in [
        ("", Kind::Worker),
        ("app", Kind::Worker),
        ("libtbb.so.12", Kind::Worker),
        ("libopenblas.so.0", Kind::Worker),
        ("libstdc++.so.6", Kind::Worker),
        ("libmpignition.so", Kind::Worker),
        ("libcudax.so", Kind::Worker),
        ("libgomp.so.1", Kind::OpenMp),
        ("libgomp-a34b3233.so.1.0.0", Kind::OpenMp),
        ("libomp.so.5", Kind::OpenMp),
        ("libomp-14.so.5", Kind::OpenMp),
        ("libiomp5.so", Kind::OpenMp),
        ("libmpi.so.40", Kind::Helper(b"MPI")),
        ("libmpi_usempif08.so.40", Kind::Helper(b"MPI")),
        ("libmpich.so.12", Kind::Helper(b"MPI")),
        ("libopen-pal.so.40", Kind::Helper(b"MPI")),
        ("libevent_core-2.1.so.7", Kind::Helper(b"MPI")),
        ("libuct_ib.so.0", Kind::Helper(b"MPI")),
        ("mca_btl_tcp.so", Kind::Helper(b"MPI")),
        ("libpsmx2-fi.so", Kind::Helper(b"MPI")),
        ("libcuda.so.1", Kind::Helper(b"GPU")),
        ("libcuda.so.550.54.15", Kind::Helper(b"GPU")),
        ("libnvidia-ml.so.1", Kind::Helper(b"GPU")),
        ("libhsa-runtime64.so.1", Kind::Helper(b"GPU")),
        ("libnumawise_agent.so", Kind::Helper(b"numawise")),
    ] {
        assert_eq!(kind(name.as_bytes(), b""), kind_of_it, "{name}");
    }
}

#[test]
fn the_user_adds_beginnings_of_names() {
    let leave = b"libjack,,app-helper,";
    assert!(matches!(kind(b"libjack.so.0", leave), Kind::Helper(_)));
    assert!(matches!(kind(b"libjackserver.so", leave), Kind::Helper(_)));
    assert!(matches!(kind(b"app-helper-2", leave), Kind::Helper(_)));
    assert_eq!(kind(b"libtbb.so.12", leave), Kind::Worker);
    assert_eq!(kind(b"", leave), Kind::Worker, "the program itself");
    assert_eq!(kind(b"libtbb.so.12", b","), Kind::Worker);
}

#[test]
fn only_runtimes_that_count_late_keep_the_main_thread_free() {
    assert!(counts_cpus_late(b"libomp.so.5") && counts_cpus_late(b"libiomp5.so"));
    assert!(!counts_cpus_late(b"libgomp.so.1") && !counts_cpus_late(b"libompitrace.so"));
}

#[test]
fn the_lists_are_words_parted_by_single_spaces() {
    for list in [OPEN_MP, LATE_OPEN_MP, MPI, GPU, OURS] {
        let text = from_utf8(list).unwrap();
        assert!(
            text.split(' ').all(|word| !word.is_empty() && !word.contains(char::is_whitespace)),
            "{text}"
        );
    }
}
