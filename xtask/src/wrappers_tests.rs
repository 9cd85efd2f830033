use super::*;

#[test]
fn a_line_of_the_table_becomes_a_wrapper_of_each_name() {
    let calls = parse("# a comment\n\nMPI_Send send each - - . count type dest . comm\n").unwrap();
    let made = wrappers(&calls);
    assert!(made.contains(
        "    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Nothing, \
         effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Send\n"
    ));
    assert!(made.contains(
        "    0: MPI_Send PMPI_Send mpi_send_ mpi_send__ MPI_SEND mpi_send_f08_ mpi_send_f08ts_;\n"
    ));
    assert!(names(&calls).contains("\nMPI_Send\\0\\\n"));
}

#[test]
fn a_line_that_cannot_be_understood_is_named() {
    let bad = |table: &str| parse(table).err().map(|bad| (bad.line, bad.what));
    assert_eq!(bad("MPI_Send send\n"), Some((1, "no bytes sent".to_owned())));
    assert_eq!(
        bad("\nMPI_A - - - - wrong\n"),
        Some((2, "'wrong' is no argument that is looked at".to_owned()))
    );
    assert_eq!(bad("MPI_A - - - -\nMPI_A - - - -\n"), Some((2, "MPI_A stands there twice".to_owned())));
}
