use super::source_function;

#[test]
fn a_function_of_cython_has_the_name_that_its_source_has() {
    let lloyd = "sklearn.cluster._k_means_lloyd.lloyd_iter_chunked_dense";
    for (linkers, named) in [
        ("__pyx_pf_7sklearn_7cluster_14_k_means_lloyd_6lloyd_iter_chunked_dense", lloyd),
        ("__pyx_pw_7sklearn_7cluster_14_k_means_lloyd_14__pyx_fuse_0lloyd_iter_chunked_dense", lloyd),
        ("__pyx_fuse_1__pyx_f_7sklearn_7cluster_14_k_means_lloyd_lloyd_iter_chunked_dense", lloyd),
        ("__pyx_f_4heat_5solve_8Splitter_step", "heat.solve.Splitter.step"),
        // What a compiler put behind it stays.
        ("__pyx_f_4heat_step._omp_fn.0", "heat.step._omp_fn.0"),
    ] {
        assert_eq!(source_function(linkers).as_deref(), Some(named), "{linkers}");
    }
    for other in [
        "main",
        "__pyx_f_",
        "__pyx_f_step",
        "__pyx_f_9heat_step",
        "__pyx_f_4heat_",
        "__pyx_tp_new_4heat_step",
        "__pyx_f_0_step",
    ] {
        assert_eq!(source_function(other), None, "{other}");
    }
}
