use super::*;

#[test]
fn roles_are_those_of_the_kind_of_call() {
    let expected = [
        ("MPI_Send", Role::PointToPoint),
        ("MPI_Irecv_c", Role::PointToPoint),
        ("MPI_Sendrecv_replace", Role::PointToPoint),
        ("MPI_Waitall", Role::PointToPoint),
        ("MPI_Test_cancelled", Role::Function),
        ("MPI_Barrier", Role::Barrier),
        ("MPI_Bcast", Role::OneToAll),
        ("MPI_Reduce", Role::AllToOne),
        ("MPI_Allreduce", Role::AllToAll),
        ("MPI_Reduce_scatter_block", Role::AllToAll),
        ("MPI_Alloc_mem", Role::Function),
        ("MPI_Exscan", Role::OtherCollective),
        ("MPI_File_write_all", Role::File),
        ("MPI_Win_fence", Role::OneSided),
        ("MPI_Get", Role::OneSided),
        ("MPI_Get_count", Role::Function),
        ("MPI_Init", Role::Function),
        ("", Role::Function),
    ];
    for (call, role_of) in expected {
        assert_eq!(role(call), role_of, "{call}");
    }
}

#[test]
fn names_are_as_in_c() {
    let expected = [
        ("MPI_Send", Some("MPI_Send")),
        ("PMPI_Send", Some("MPI_Send")),
        ("mpi_send_", Some("MPI_Send")),
        ("mpi_comm_rank__", Some("MPI_Comm_rank")),
        ("MPI_COMM_RANK", Some("MPI_Comm_rank")),
        ("MPI_Type_create_f90_integer", Some("MPI_Type_create_f90_integer")),
        ("MPI_T_init_thread", Some("MPI_T_init_thread")),
        ("MPI_Init()", Some("MPI_Init")),
        ("MPI_", None),
        ("main", None),
        ("", None),
        ("MPÖ_", None),
        ("mpi_ö", Some("MPI_")),
    ];
    for (name, call) in expected {
        let found = as_in_c(name);
        // What is no letter of ASCII is no name of MPI: it must only not end the program.
        if name.is_ascii() || call.is_none() {
            assert_eq!(found.as_deref(), call, "{name}");
        }
    }
}

#[test]
fn bytes_that_are_split_keep_their_sum() {
    for call in ["MPI_Bcast", "MPI_Reduce", "MPI_Allreduce", "MPI_Allgather", "MPI_Reduce_scatter"] {
        for is_root in [true, false] {
            let [sent, received] = split(call, 1001, is_root, Some(4));
            assert_eq!(sent + received, 1001, "{call}");
        }
    }
    assert_eq!(split("MPI_Allgather", 500, false, Some(4)), [100, 400]);
    assert_eq!(split("MPI_Bcast", 8, true, None), [8, 0]);
}
