use super::*;

fn environment<'a>(known: &'a [(&str, &'a str)]) -> impl Fn(Variable) -> Option<&'a [u8]> {
    move |asked| known.iter().find(|(name, _)| *name == asked.name()).map(|(_, value)| value.as_bytes())
}

#[test]
fn a_rank_outside_of_the_list_is_left_out() {
    let of = |rank| is_left_out(b"0,3-5", environment(&[("PMI_RANK", rank)]));
    assert_eq!(["0", "1", "3", "5", "6"].map(of), [false, true, false, false, true]);
}

#[test]
fn who_is_told_no_rank_is_watched() {
    assert!(!is_left_out(b"7", environment(&[])));
    for rank in ["", "x", "-1", "99999999999"] {
        assert!(!is_left_out(b"7", environment(&[("PMI_RANK", rank)])), "{rank}");
    }
}

#[test]
fn what_is_no_list_leaves_nobody_out() {
    for list in ["", ",", "1,", "a", "1-", "-1", "1-2-3", "99999999999"] {
        assert!(!is_left_out(list.as_bytes(), environment(&[("PMI_RANK", "0")])), "{list}");
    }
}

#[test]
fn the_rank_of_mpi_counts_before_that_of_the_batch_system() {
    let known = [("SLURM_PROCID", "0"), ("OMPI_COMM_WORLD_RANK", "3")];
    assert!(!is_left_out(b"3", environment(&known)));
    assert!(is_left_out(b"0", environment(&known)));
}
