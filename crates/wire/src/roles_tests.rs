use std::str::from_utf8;

use super::*;

#[test]
fn helpers_and_openmp_are_known_by_their_library() {
    for (name, expected) in [
        ("", ThreadRole::Worker),
        ("app", ThreadRole::Worker),
        ("libtbb.so.12", ThreadRole::Worker),
        ("libopenblas.so.0", ThreadRole::Worker),
        ("libstdc++.so.6", ThreadRole::Worker),
        ("libmpignition.so", ThreadRole::Worker),
        ("libcudax.so", ThreadRole::Worker),
        ("libgomp.so.1", ThreadRole::OpenMp),
        ("libgomp-a34b3233.so.1.0.0", ThreadRole::OpenMp),
        ("libomp.so.5", ThreadRole::OpenMp),
        ("libomp-14.so.5", ThreadRole::OpenMp),
        ("libiomp5.so", ThreadRole::OpenMp),
        ("libmpi.so.40", ThreadRole::Helper(b"MPI")),
        ("libmpi_usempif08.so.40", ThreadRole::Helper(b"MPI")),
        ("libmpich.so.12", ThreadRole::Helper(b"MPI")),
        ("libopen-pal.so.40", ThreadRole::Helper(b"MPI")),
        ("libevent_core-2.1.so.7", ThreadRole::Helper(b"MPI")),
        ("libuct_ib.so.0", ThreadRole::Helper(b"MPI")),
        ("mca_btl_tcp.so", ThreadRole::Helper(b"MPI")),
        ("libpsmx2-fi.so", ThreadRole::Helper(b"MPI")),
        ("libcuda.so.1", ThreadRole::Helper(b"GPU")),
        ("libcuda.so.550.54.15", ThreadRole::Helper(b"GPU")),
        ("libnvidia-ml.so.1", ThreadRole::Helper(b"GPU")),
        ("libhsa-runtime64.so.1", ThreadRole::Helper(b"GPU")),
        ("libnumawise_agent.so", ThreadRole::Helper(b"numawise")),
    ] {
        assert_eq!(role(name.as_bytes(), b""), expected, "{name}");
    }
}

#[test]
fn the_user_adds_beginnings_of_names() {
    let leave = b"libjack,,app-helper,";
    assert!(matches!(role(b"libjack.so.0", leave), ThreadRole::Helper(_)));
    assert!(matches!(role(b"libjackserver.so", leave), ThreadRole::Helper(_)));
    assert!(matches!(role(b"app-helper-2", leave), ThreadRole::Helper(_)));
    assert_eq!(role(b"libtbb.so.12", leave), ThreadRole::Worker);
    assert_eq!(role(b"", leave), ThreadRole::Worker, "the program itself");
    assert_eq!(role(b"libtbb.so.12", b","), ThreadRole::Worker);
}

#[test]
fn only_runtimes_that_count_late_keep_the_main_thread_free() {
    assert!(counts_cpus_late(b"libomp.so.5") && counts_cpus_late(b"libiomp5.so"));
    assert!(!counts_cpus_late(b"libgomp.so.1") && !counts_cpus_late(b"libompitrace.so"));
}

#[test]
fn the_lists_are_words_with_single_spaces_between() {
    for list in [OPEN_MP, LATE_OPEN_MP, MPI, GPU, OURS] {
        let text = from_utf8(list).unwrap();
        assert!(
            text.split(' ').all(|word| !word.is_empty() && !word.contains(char::is_whitespace)),
            "{text}"
        );
    }
}
