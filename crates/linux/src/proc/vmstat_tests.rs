use super::*;

#[test]
fn our_lines_are_found_among_the_others() {
    let text = b"nr_free_pages 8131\nnuma_hit 5\nnuma_hint_faults 77\nnuma_hint_faults_local 70\nnuma_pages_migrated 12\n\
        pswpin 3\npswpout 4\nthp_fault_alloc 9\nthp_fault_fallback 100\nthp_collapse_alloc 2\nzone_reclaim_success 1\n";
    let all = VmCounters {
        balanced: Some(12),
        hint_faults: Some(77),
        swapped_in: Some(3),
        swapped_out: Some(4),
        huge_given: Some(9),
        huge_made: Some(2),
        node_reclaims: Some(1),
    };
    assert_eq!(VmCounters::parse(text).unwrap(), all);
}

#[test]
fn what_a_kernel_does_not_count_is_missing_and_not_zero() {
    let found = VmCounters::parse(b"nr_free_pages 8131\npswpin 0\npswpout 0\n").unwrap();
    assert_eq!(found, VmCounters { swapped_in: Some(0), swapped_out: Some(0), ..VmCounters::default() });
    assert_eq!(VmCounters::parse(b"").unwrap(), VmCounters::default());
}

#[test]
fn a_line_of_ours_that_is_no_number_is_refused() {
    for text in ["pswpin ", "pswpin x", "pswpin -1", "pswpin 1 2", "pswpin 99999999999999999999"] {
        let problem = VmCounters::parse(text.as_bytes()).expect_err(text);
        assert!(problem.found.starts_with("pswpin"), "{problem:?}");
    }
}
