//! The calls of MPI and the functions that stand before them. Made by `cargo xtask wrappers` from mpi.table: change that.

use super::table::{Amount::*, Call, Effect, Sizes, wrappers};

const NO: u8 = u8::MAX;

pub const CALLS: usize = 346;

pub static TABLE: [Call; CALLS] = [
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Abort, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Abort
    Call { arguments: 0, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Finalize, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Finalize
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Init, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Init
    Call { arguments: 4, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Init, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, 3, NO] }, // MPI_Init_thread
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Control, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, 0, NO] }, // MPI_Pcontrol
    Call { arguments: 1, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::SessionEnd, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Session_finalize
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Session, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Session_init
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Buffer_detach
    Call { arguments: 2, strings: 0, wide: true, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Buffer_detach_c
    Call { arguments: 1, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Cancel
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::AllRanks, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Cart_create
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Cart_sub
    Call { arguments: 1, strings: 1, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Close_port
    Call { arguments: 5, strings: 1, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, 2, 3, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Comm_accept
    Call { arguments: 5, strings: 1, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, 2, 3, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Comm_connect
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::AllRanks, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Comm_create
    Call { arguments: 5, strings: 1, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Comm_create_from_group
    Call { arguments: 4, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Comm_create_group
    Call { arguments: 1, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::CommFree, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Comm_disconnect
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::AllRanks, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Comm_dup
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::AllRanks, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Comm_dup_with_info
    Call { arguments: 1, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::CommFree, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Comm_free
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, 0, 2, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Comm_idup
    Call { arguments: 4, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, 0, 3, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Comm_idup_with_info
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Comm_join
    Call { arguments: 8, strings: 2, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, 4, 5, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Comm_spawn
    Call { arguments: 9, strings: 2, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Comm_spawn_multiple
    Call { arguments: 4, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::AllRanks, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Comm_split
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::AllRanks, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Comm_split_type
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::AllRanks, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Dist_graph_create
    Call { arguments: 10, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::AllRanks, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Dist_graph_create_adjacent
    Call { arguments: 1, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_close
    Call { arguments: 2, strings: 1, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_delete
    Call { arguments: 5, strings: 1, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::AllRanks, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_open
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_preallocate
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_seek
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_seek_shared
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_set_atomicity
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_set_info
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_set_size
    Call { arguments: 6, strings: 1, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_set_view
    Call { arguments: 1, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_sync
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::AllRanks, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Graph_create
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Probe, at: [NO, NO, NO, NO, NO, NO, NO, 2, NO, 5, NO, NO, NO, 3, NO, 4, NO] }, // MPI_Improbe
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Intercomm_create
    Call { arguments: 8, strings: 1, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Intercomm_create_from_groups
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Intercomm_merge
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, 2, NO, 4, NO, NO, NO, 3, NO, NO, NO] }, // MPI_Iprobe
    Call { arguments: 3, strings: 2, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Lookup_name
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Probe, at: [NO, NO, NO, NO, NO, NO, NO, 2, NO, 4, NO, NO, NO, NO, NO, 3, NO] }, // MPI_Mprobe
    Call { arguments: 2, strings: 1, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Open_port
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, 2, NO, NO, NO] }, // MPI_Parrived
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Ready, at: [NO, NO, NO, NO, NO, NO, NO, NO, 1, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Pready
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Ready, at: [NO, NO, NO, NO, NO, NO, NO, NO, 2, NO, NO, NO, 0, NO, NO, NO, NO] }, // MPI_Pready_list
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Ready, at: [NO, NO, NO, NO, NO, NO, NO, NO, 2, NO, NO, NO, 0, NO, 1, NO, NO] }, // MPI_Pready_range
    Call { arguments: 4, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, 2, NO, 3, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Probe
    Call { arguments: 3, strings: 2, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Publish_name
    Call { arguments: 1, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::RequestFree, at: [NO, NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Request_free
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, 0, 2, NO, NO, NO, 1, NO, NO, NO] }, // MPI_Request_get_status
    Call { arguments: 1, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Start, at: [NO, NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Start
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::StartAll, at: [NO, NO, NO, NO, NO, NO, NO, NO, 1, NO, NO, NO, 0, NO, NO, NO, NO] }, // MPI_Startall
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Test, at: [NO, NO, NO, NO, NO, NO, NO, NO, 0, 2, NO, NO, NO, 1, NO, NO, NO] }, // MPI_Test
    Call { arguments: 4, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::TestAll, at: [NO, NO, NO, NO, NO, NO, NO, NO, 1, 3, NO, NO, 0, 2, NO, NO, NO] }, // MPI_Testall
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::TestAny, at: [NO, NO, NO, NO, NO, NO, NO, NO, 1, 4, NO, NO, 0, 3, 2, NO, NO] }, // MPI_Testany
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::WaitSome, at: [NO, NO, NO, NO, NO, NO, NO, NO, 1, 4, NO, NO, 0, NO, 2, 3, NO] }, // MPI_Testsome
    Call { arguments: 3, strings: 2, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Unpublish_name
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Wait, at: [NO, NO, NO, NO, NO, NO, NO, NO, 0, 1, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Wait
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::WaitAll, at: [NO, NO, NO, NO, NO, NO, NO, NO, 1, 2, NO, NO, 0, NO, NO, NO, NO] }, // MPI_Waitall
    Call { arguments: 4, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::WaitAny, at: [NO, NO, NO, NO, NO, NO, NO, NO, 1, 3, NO, NO, 0, NO, 2, NO, NO] }, // MPI_Waitany
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::WaitSome, at: [NO, NO, NO, NO, NO, NO, NO, NO, 1, 4, NO, NO, 0, NO, 2, 3, NO] }, // MPI_Waitsome
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Window, at: [NO, NO, NO, NO, NO, 5, NO, 3, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_allocate
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Window, at: [NO, NO, NO, NO, NO, 5, NO, 3, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_allocate_c
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Window, at: [NO, NO, NO, NO, NO, 5, NO, 3, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_allocate_shared
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Window, at: [NO, NO, NO, NO, NO, 5, NO, 3, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_allocate_shared_c
    Call { arguments: 1, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::WindowComplete, at: [NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_complete
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Window, at: [NO, NO, NO, NO, NO, 5, NO, 4, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_create
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Window, at: [NO, NO, NO, NO, NO, 5, NO, 4, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_create_c
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Window, at: [NO, NO, NO, NO, NO, 2, NO, 1, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_create_dynamic
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::WindowFence, at: [NO, NO, NO, NO, NO, 1, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_fence
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_flush
    Call { arguments: 1, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_flush_all
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_flush_local
    Call { arguments: 1, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_flush_local_all
    Call { arguments: 1, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::WindowFree, at: [NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_free
    Call { arguments: 4, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::WindowLock, at: [NO, NO, NO, NO, 1, 3, NO, NO, NO, NO, NO, NO, NO, NO, NO, 0, NO] }, // MPI_Win_lock
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::WindowLockAll, at: [NO, NO, NO, NO, NO, 1, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_lock_all
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::WindowPost, at: [NO, NO, NO, NO, NO, 2, NO, NO, NO, NO, NO, NO, NO, NO, NO, 0, NO] }, // MPI_Win_post
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::WindowStart, at: [NO, NO, NO, NO, NO, 2, NO, NO, NO, NO, NO, NO, NO, NO, NO, 0, NO] }, // MPI_Win_start
    Call { arguments: 1, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_sync
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::WindowWait, at: [NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, 1, NO, NO, NO] }, // MPI_Win_test
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::WindowUnlock, at: [NO, NO, NO, NO, 0, 1, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_unlock
    Call { arguments: 1, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::WindowUnlockAll, at: [NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_unlock_all
    Call { arguments: 1, strings: 0, wide: false, sizes: Sizes::Nothing, sent: Nothing, received: Nothing, effect: Effect::WindowWait, at: [NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Win_wait
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Bsend
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Bsend_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::PersistentSend, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Bsend_init
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::PersistentSend, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Bsend_init_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Ibsend
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Ibsend_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Irsend
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Irsend_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Isend
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Isend_c
    Call { arguments: 12, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Request, effect: Effect::Receive, at: [1, 2, 6, 7, 3, NO, NO, 10, 11, NO, 0, 5, NO, NO, NO, NO, 4] }, // MPI_Isendrecv
    Call { arguments: 12, strings: 0, wide: true, sizes: Sizes::Send, sent: Each, received: Request, effect: Effect::Receive, at: [1, 2, 6, 7, 3, NO, NO, 10, 11, NO, 0, 5, NO, NO, NO, NO, 4] }, // MPI_Isendrecv_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Request, effect: Effect::Receive, at: [1, 2, NO, NO, 3, NO, NO, 7, 8, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Isendrecv_replace
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Send, sent: Each, received: Request, effect: Effect::Receive, at: [1, 2, NO, NO, 3, NO, NO, 7, 8, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Isendrecv_replace_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Issend
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Issend_c
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Send, sent: Partitions, received: Nothing, effect: Effect::PersistentSend, at: [2, 3, NO, NO, 4, NO, NO, 6, 8, NO, NO, NO, 1, NO, NO, NO, 5] }, // MPI_Psend_init
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Rsend
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Rsend_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::PersistentSend, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Rsend_init
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::PersistentSend, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Rsend_init_c
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Send
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Send_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::PersistentSend, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Send_init
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::PersistentSend, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Send_init_c
    Call { arguments: 12, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Status, effect: Effect::Nothing, at: [1, 2, 6, 7, 3, NO, NO, 10, NO, 11, 0, 5, NO, NO, NO, NO, 4] }, // MPI_Sendrecv
    Call { arguments: 12, strings: 0, wide: true, sizes: Sizes::Send, sent: Each, received: Status, effect: Effect::Nothing, at: [1, 2, 6, 7, 3, NO, NO, 10, NO, 11, 0, 5, NO, NO, NO, NO, 4] }, // MPI_Sendrecv_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Status, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 7, NO, 8, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Sendrecv_replace
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Send, sent: Each, received: Status, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 7, NO, 8, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Sendrecv_replace_c
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Ssend
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Ssend_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::PersistentSend, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Ssend_init
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Send, sent: Each, received: Nothing, effect: Effect::PersistentSend, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, 4] }, // MPI_Ssend_init_c
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::Receive, sent: Nothing, received: Request, effect: Effect::Receive, at: [1, 2, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, 3, NO] }, // MPI_Imrecv
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::Receive, sent: Nothing, received: Request, effect: Effect::Receive, at: [1, 2, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, 3, NO] }, // MPI_Imrecv_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Receive, sent: Nothing, received: Request, effect: Effect::Receive, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Irecv
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Receive, sent: Nothing, received: Request, effect: Effect::Receive, at: [1, 2, NO, NO, 3, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Irecv_c
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::Receive, sent: Nothing, received: Status, effect: Effect::Matched, at: [1, 2, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, 3, NO] }, // MPI_Mrecv
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::Receive, sent: Nothing, received: Status, effect: Effect::Matched, at: [1, 2, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, 3, NO] }, // MPI_Mrecv_c
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Receive, sent: Nothing, received: Request, effect: Effect::PersistentReceive, at: [2, 3, NO, NO, NO, NO, NO, 6, 8, NO, NO, NO, 1, NO, NO, NO, NO] }, // MPI_Precv_init
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Receive, sent: Nothing, received: Status, effect: Effect::Nothing, at: [1, 2, NO, NO, NO, NO, NO, 5, NO, 6, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Recv
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Receive, sent: Nothing, received: Status, effect: Effect::Nothing, at: [1, 2, NO, NO, NO, NO, NO, 5, NO, 6, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Recv_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Receive, sent: Nothing, received: Request, effect: Effect::PersistentReceive, at: [1, 2, NO, NO, NO, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Recv_init
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Receive, sent: Nothing, received: Request, effect: Effect::PersistentReceive, at: [1, 2, NO, NO, NO, NO, NO, 5, 6, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Recv_init_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: All, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, NO, 6, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Allgather
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: All, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, NO, 6, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Allgather_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: All, effect: Effect::PersistentCollective, at: [1, 2, 4, 5, NO, NO, NO, 6, 8, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Allgather_init
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: All, effect: Effect::PersistentCollective, at: [1, 2, 4, 5, NO, NO, NO, 6, 8, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Allgather_init_c
    Call { arguments: 8, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Sum, effect: Effect::Nothing, at: [1, 2, 4, 6, NO, NO, NO, 7, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Allgatherv
    Call { arguments: 8, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Sum, effect: Effect::Nothing, at: [1, 2, 4, 6, NO, NO, NO, 7, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Allgatherv_c
    Call { arguments: 10, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Sum, effect: Effect::PersistentCollective, at: [1, 2, 4, 6, NO, NO, NO, 7, 9, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Allgatherv_init
    Call { arguments: 10, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Sum, effect: Effect::PersistentCollective, at: [1, 2, 4, 6, NO, NO, NO, 7, 9, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Allgatherv_init_c
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, NO, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Allreduce
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, NO, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Allreduce_c
    Call { arguments: 8, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::PersistentCollective, at: [2, 3, NO, NO, NO, NO, NO, 5, 7, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Allreduce_init
    Call { arguments: 8, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::PersistentCollective, at: [2, 3, NO, NO, NO, NO, NO, 5, 7, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Allreduce_init_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Collective, sent: All, received: All, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, NO, 6, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Alltoall
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Collective, sent: All, received: All, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, NO, 6, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Alltoall_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Collective, sent: All, received: All, effect: Effect::PersistentCollective, at: [1, 2, 4, 5, NO, NO, NO, 6, 8, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Alltoall_init
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Collective, sent: All, received: All, effect: Effect::PersistentCollective, at: [1, 2, 4, 5, NO, NO, NO, 6, 8, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Alltoall_init_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Collective, sent: Sum, received: Sum, effect: Effect::Nothing, at: [1, 3, 5, 7, NO, NO, NO, 8, NO, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Alltoallv
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Collective, sent: Sum, received: Sum, effect: Effect::Nothing, at: [1, 3, 5, 7, NO, NO, NO, 8, NO, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Alltoallv_c
    Call { arguments: 11, strings: 0, wide: false, sizes: Sizes::Collective, sent: Sum, received: Sum, effect: Effect::PersistentCollective, at: [1, 3, 5, 7, NO, NO, NO, 8, 10, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Alltoallv_init
    Call { arguments: 11, strings: 0, wide: true, sizes: Sizes::Collective, sent: Sum, received: Sum, effect: Effect::PersistentCollective, at: [1, 3, 5, 7, NO, NO, NO, 8, 10, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Alltoallv_init_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Collective, sent: Weighted, received: Weighted, effect: Effect::Nothing, at: [1, 3, 5, 7, NO, NO, NO, 8, NO, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Alltoallw
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Collective, sent: Weighted, received: Weighted, effect: Effect::Nothing, at: [1, 3, 5, 7, NO, NO, NO, 8, NO, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Alltoallw_c
    Call { arguments: 11, strings: 0, wide: false, sizes: Sizes::Collective, sent: Weighted, received: Weighted, effect: Effect::PersistentCollective, at: [1, 3, 5, 7, NO, NO, NO, 8, 10, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Alltoallw_init
    Call { arguments: 11, strings: 0, wide: true, sizes: Sizes::Collective, sent: Weighted, received: Weighted, effect: Effect::PersistentCollective, at: [1, 3, 5, 7, NO, NO, NO, 8, 10, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Alltoallw_init_c
    Call { arguments: 1, strings: 0, wide: false, sizes: Sizes::Collective, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, 0, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Barrier
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::Collective, sent: Nothing, received: Nothing, effect: Effect::PersistentCollective, at: [NO, NO, NO, NO, NO, NO, NO, 0, 2, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Barrier_init
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::Collective, sent: Root, received: Other, effect: Effect::Nothing, at: [1, 2, NO, NO, NO, NO, 3, 4, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Bcast
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::Collective, sent: Root, received: Other, effect: Effect::Nothing, at: [1, 2, NO, NO, NO, NO, 3, 4, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Bcast_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Collective, sent: Root, received: Other, effect: Effect::PersistentCollective, at: [1, 2, NO, NO, NO, NO, 3, 4, 6, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Bcast_init
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Collective, sent: Root, received: Other, effect: Effect::PersistentCollective, at: [1, 2, NO, NO, NO, NO, 3, 4, 6, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Bcast_init_c
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, NO, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Exscan
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, NO, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Exscan_c
    Call { arguments: 8, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::PersistentCollective, at: [2, 3, NO, NO, NO, NO, NO, 5, 7, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Exscan_init
    Call { arguments: 8, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::PersistentCollective, at: [2, 3, NO, NO, NO, NO, NO, 5, 7, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Exscan_init_c
    Call { arguments: 8, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: AllAtRoot, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, 6, 7, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Gather
    Call { arguments: 8, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: AllAtRoot, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, 6, 7, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Gather_c
    Call { arguments: 10, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: AllAtRoot, effect: Effect::PersistentCollective, at: [1, 2, 4, 5, NO, NO, 6, 7, 9, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Gather_init
    Call { arguments: 10, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: AllAtRoot, effect: Effect::PersistentCollective, at: [1, 2, 4, 5, NO, NO, 6, 7, 9, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Gather_init_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: SumAtRoot, effect: Effect::Nothing, at: [1, 2, 4, 6, NO, NO, 7, 8, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Gatherv
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: SumAtRoot, effect: Effect::Nothing, at: [1, 2, 4, 6, NO, NO, 7, 8, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Gatherv_c
    Call { arguments: 11, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: SumAtRoot, effect: Effect::PersistentCollective, at: [1, 2, 4, 6, NO, NO, 7, 8, 10, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Gatherv_init
    Call { arguments: 11, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: SumAtRoot, effect: Effect::PersistentCollective, at: [1, 2, 4, 6, NO, NO, 7, 8, 10, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Gatherv_init_c
    Call { arguments: 8, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: All, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, NO, 6, 7, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Iallgather
    Call { arguments: 8, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: All, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, NO, 6, 7, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Iallgather_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Sum, effect: Effect::Nothing, at: [1, 2, 4, 6, NO, NO, NO, 7, 8, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Iallgatherv
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Sum, effect: Effect::Nothing, at: [1, 2, 4, 6, NO, NO, NO, 7, 8, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Iallgatherv_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, 6, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Iallreduce
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, 6, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Iallreduce_c
    Call { arguments: 8, strings: 0, wide: false, sizes: Sizes::Collective, sent: All, received: All, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, NO, 6, 7, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Ialltoall
    Call { arguments: 8, strings: 0, wide: true, sizes: Sizes::Collective, sent: All, received: All, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, NO, 6, 7, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Ialltoall_c
    Call { arguments: 10, strings: 0, wide: false, sizes: Sizes::Collective, sent: Sum, received: Sum, effect: Effect::Nothing, at: [1, 3, 5, 7, NO, NO, NO, 8, 9, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Ialltoallv
    Call { arguments: 10, strings: 0, wide: true, sizes: Sizes::Collective, sent: Sum, received: Sum, effect: Effect::Nothing, at: [1, 3, 5, 7, NO, NO, NO, 8, 9, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Ialltoallv_c
    Call { arguments: 10, strings: 0, wide: false, sizes: Sizes::Collective, sent: Weighted, received: Weighted, effect: Effect::Nothing, at: [1, 3, 5, 7, NO, NO, NO, 8, 9, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Ialltoallw
    Call { arguments: 10, strings: 0, wide: true, sizes: Sizes::Collective, sent: Weighted, received: Weighted, effect: Effect::Nothing, at: [1, 3, 5, 7, NO, NO, NO, 8, 9, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Ialltoallw_c
    Call { arguments: 2, strings: 0, wide: false, sizes: Sizes::Collective, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, 0, 1, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Ibarrier
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Collective, sent: Root, received: Other, effect: Effect::Nothing, at: [1, 2, NO, NO, NO, NO, 3, 4, 5, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Ibcast
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::Collective, sent: Root, received: Other, effect: Effect::Nothing, at: [1, 2, NO, NO, NO, NO, 3, 4, 5, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Ibcast_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, 6, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Iexscan
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, 6, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Iexscan_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: AllAtRoot, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, 6, 7, 8, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Igather
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: AllAtRoot, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, 6, 7, 8, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Igather_c
    Call { arguments: 10, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: SumAtRoot, effect: Effect::Nothing, at: [1, 2, 4, 6, NO, NO, 7, 8, 9, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Igatherv
    Call { arguments: 10, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: SumAtRoot, effect: Effect::Nothing, at: [1, 2, 4, 6, NO, NO, 7, 8, 9, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Igatherv_c
    Call { arguments: 8, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Degree, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, NO, 6, 7, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Ineighbor_allgather
    Call { arguments: 8, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Degree, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, NO, 6, 7, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Ineighbor_allgather_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: DegreeSum, effect: Effect::Nothing, at: [1, 2, 4, 6, NO, NO, NO, 7, 8, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Ineighbor_allgatherv
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: DegreeSum, effect: Effect::Nothing, at: [1, 2, 4, 6, NO, NO, NO, 7, 8, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Ineighbor_allgatherv_c
    Call { arguments: 8, strings: 0, wide: false, sizes: Sizes::Collective, sent: Degree, received: Degree, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, NO, 6, 7, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Ineighbor_alltoall
    Call { arguments: 8, strings: 0, wide: true, sizes: Sizes::Collective, sent: Degree, received: Degree, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, NO, 6, 7, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Ineighbor_alltoall_c
    Call { arguments: 10, strings: 0, wide: false, sizes: Sizes::Collective, sent: DegreeSum, received: DegreeSum, effect: Effect::Nothing, at: [1, 3, 5, 7, NO, NO, NO, 8, 9, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Ineighbor_alltoallv
    Call { arguments: 10, strings: 0, wide: true, sizes: Sizes::Collective, sent: DegreeSum, received: DegreeSum, effect: Effect::Nothing, at: [1, 3, 5, 7, NO, NO, NO, 8, 9, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Ineighbor_alltoallv_c
    Call { arguments: 10, strings: 0, wide: false, sizes: Sizes::Collective, sent: DegreeWeighted, received: DegreeWeighted, effect: Effect::Nothing, at: [1, 3, 5, 7, NO, NO, NO, 8, 9, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Ineighbor_alltoallw
    Call { arguments: 10, strings: 0, wide: true, sizes: Sizes::Collective, sent: DegreeWeighted, received: DegreeWeighted, effect: Effect::Nothing, at: [1, 3, 5, 7, NO, NO, NO, 8, 9, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Ineighbor_alltoallw_c
    Call { arguments: 8, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Root, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, 5, 6, 7, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Ireduce
    Call { arguments: 8, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Root, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, 5, 6, 7, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Ireduce_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Collective, sent: Sum, received: Mine, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, 6, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Ireduce_scatter
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Collective, sent: Sum, received: Mine, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, 6, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Ireduce_scatter_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Collective, sent: All, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, 6, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Ireduce_scatter_block
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Collective, sent: All, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, 6, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Ireduce_scatter_block_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, 6, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Iscan
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, 6, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Iscan_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Collective, sent: AllAtRoot, received: Each, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, 6, 7, 8, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Iscatter
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Collective, sent: AllAtRoot, received: Each, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, 6, 7, 8, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Iscatter_c
    Call { arguments: 10, strings: 0, wide: false, sizes: Sizes::Collective, sent: SumAtRoot, received: Each, effect: Effect::Nothing, at: [1, 3, 5, 6, NO, NO, 7, 8, 9, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Iscatterv
    Call { arguments: 10, strings: 0, wide: true, sizes: Sizes::Collective, sent: SumAtRoot, received: Each, effect: Effect::Nothing, at: [1, 3, 5, 6, NO, NO, 7, 8, 9, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Iscatterv_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Degree, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, NO, 6, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Neighbor_allgather
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Degree, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, NO, 6, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Neighbor_allgather_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Degree, effect: Effect::PersistentCollective, at: [1, 2, 4, 5, NO, NO, NO, 6, 8, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Neighbor_allgather_init
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Degree, effect: Effect::PersistentCollective, at: [1, 2, 4, 5, NO, NO, NO, 6, 8, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Neighbor_allgather_init_c
    Call { arguments: 8, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: DegreeSum, effect: Effect::Nothing, at: [1, 2, 4, 6, NO, NO, NO, 7, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Neighbor_allgatherv
    Call { arguments: 8, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: DegreeSum, effect: Effect::Nothing, at: [1, 2, 4, 6, NO, NO, NO, 7, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Neighbor_allgatherv_c
    Call { arguments: 10, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: DegreeSum, effect: Effect::PersistentCollective, at: [1, 2, 4, 6, NO, NO, NO, 7, 9, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Neighbor_allgatherv_init
    Call { arguments: 10, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: DegreeSum, effect: Effect::PersistentCollective, at: [1, 2, 4, 6, NO, NO, NO, 7, 9, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Neighbor_allgatherv_init_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Collective, sent: Degree, received: Degree, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, NO, 6, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Neighbor_alltoall
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Collective, sent: Degree, received: Degree, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, NO, 6, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Neighbor_alltoall_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Collective, sent: Degree, received: Degree, effect: Effect::PersistentCollective, at: [1, 2, 4, 5, NO, NO, NO, 6, 8, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Neighbor_alltoall_init
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Collective, sent: Degree, received: Degree, effect: Effect::PersistentCollective, at: [1, 2, 4, 5, NO, NO, NO, 6, 8, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Neighbor_alltoall_init_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Collective, sent: DegreeSum, received: DegreeSum, effect: Effect::Nothing, at: [1, 3, 5, 7, NO, NO, NO, 8, NO, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Neighbor_alltoallv
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Collective, sent: DegreeSum, received: DegreeSum, effect: Effect::Nothing, at: [1, 3, 5, 7, NO, NO, NO, 8, NO, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Neighbor_alltoallv_c
    Call { arguments: 11, strings: 0, wide: false, sizes: Sizes::Collective, sent: DegreeSum, received: DegreeSum, effect: Effect::PersistentCollective, at: [1, 3, 5, 7, NO, NO, NO, 8, 10, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Neighbor_alltoallv_init
    Call { arguments: 11, strings: 0, wide: true, sizes: Sizes::Collective, sent: DegreeSum, received: DegreeSum, effect: Effect::PersistentCollective, at: [1, 3, 5, 7, NO, NO, NO, 8, 10, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Neighbor_alltoallv_init_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Collective, sent: DegreeWeighted, received: DegreeWeighted, effect: Effect::Nothing, at: [1, 3, 5, 7, NO, NO, NO, 8, NO, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Neighbor_alltoallw
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Collective, sent: DegreeWeighted, received: DegreeWeighted, effect: Effect::Nothing, at: [1, 3, 5, 7, NO, NO, NO, 8, NO, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Neighbor_alltoallw_c
    Call { arguments: 11, strings: 0, wide: false, sizes: Sizes::Collective, sent: DegreeWeighted, received: DegreeWeighted, effect: Effect::PersistentCollective, at: [1, 3, 5, 7, NO, NO, NO, 8, 10, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Neighbor_alltoallw_init
    Call { arguments: 11, strings: 0, wide: true, sizes: Sizes::Collective, sent: DegreeWeighted, received: DegreeWeighted, effect: Effect::PersistentCollective, at: [1, 3, 5, 7, NO, NO, NO, 8, 10, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Neighbor_alltoallw_init_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Root, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, 5, 6, NO, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Reduce
    Call { arguments: 7, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Root, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, 5, 6, NO, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Reduce_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Root, effect: Effect::PersistentCollective, at: [2, 3, NO, NO, NO, NO, 5, 6, 8, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Reduce_init
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Root, effect: Effect::PersistentCollective, at: [2, 3, NO, NO, NO, NO, 5, 6, 8, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Reduce_init_c
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Collective, sent: Sum, received: Mine, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, NO, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Reduce_scatter
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::Collective, sent: Sum, received: Mine, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, NO, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Reduce_scatter_c
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Collective, sent: All, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, NO, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Reduce_scatter_block
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::Collective, sent: All, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, NO, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Reduce_scatter_block_c
    Call { arguments: 8, strings: 0, wide: false, sizes: Sizes::Collective, sent: All, received: Each, effect: Effect::PersistentCollective, at: [2, 3, NO, NO, NO, NO, NO, 5, 7, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Reduce_scatter_block_init
    Call { arguments: 8, strings: 0, wide: true, sizes: Sizes::Collective, sent: All, received: Each, effect: Effect::PersistentCollective, at: [2, 3, NO, NO, NO, NO, NO, 5, 7, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Reduce_scatter_block_init_c
    Call { arguments: 8, strings: 0, wide: false, sizes: Sizes::Collective, sent: Sum, received: Mine, effect: Effect::PersistentCollective, at: [2, 3, NO, NO, NO, NO, NO, 5, 7, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Reduce_scatter_init
    Call { arguments: 8, strings: 0, wide: true, sizes: Sizes::Collective, sent: Sum, received: Mine, effect: Effect::PersistentCollective, at: [2, 3, NO, NO, NO, NO, NO, 5, 7, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Reduce_scatter_init_c
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, NO, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Scan
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, 5, NO, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Scan_c
    Call { arguments: 8, strings: 0, wide: false, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::PersistentCollective, at: [2, 3, NO, NO, NO, NO, NO, 5, 7, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Scan_init
    Call { arguments: 8, strings: 0, wide: true, sizes: Sizes::Collective, sent: Each, received: Each, effect: Effect::PersistentCollective, at: [2, 3, NO, NO, NO, NO, NO, 5, 7, NO, 0, 1, NO, NO, NO, NO, NO] }, // MPI_Scan_init_c
    Call { arguments: 8, strings: 0, wide: false, sizes: Sizes::Collective, sent: AllAtRoot, received: Each, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, 6, 7, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Scatter
    Call { arguments: 8, strings: 0, wide: true, sizes: Sizes::Collective, sent: AllAtRoot, received: Each, effect: Effect::Nothing, at: [1, 2, 4, 5, NO, NO, 6, 7, NO, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Scatter_c
    Call { arguments: 10, strings: 0, wide: false, sizes: Sizes::Collective, sent: AllAtRoot, received: Each, effect: Effect::PersistentCollective, at: [1, 2, 4, 5, NO, NO, 6, 7, 9, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Scatter_init
    Call { arguments: 10, strings: 0, wide: true, sizes: Sizes::Collective, sent: AllAtRoot, received: Each, effect: Effect::PersistentCollective, at: [1, 2, 4, 5, NO, NO, 6, 7, 9, NO, 0, 3, NO, NO, NO, NO, NO] }, // MPI_Scatter_init_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::Collective, sent: SumAtRoot, received: Each, effect: Effect::Nothing, at: [1, 3, 5, 6, NO, NO, 7, 8, NO, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Scatterv
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::Collective, sent: SumAtRoot, received: Each, effect: Effect::Nothing, at: [1, 3, 5, 6, NO, NO, 7, 8, NO, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Scatterv_c
    Call { arguments: 11, strings: 0, wide: false, sizes: Sizes::Collective, sent: SumAtRoot, received: Each, effect: Effect::PersistentCollective, at: [1, 3, 5, 6, NO, NO, 7, 8, 10, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Scatterv_init
    Call { arguments: 11, strings: 0, wide: true, sizes: Sizes::Collective, sent: SumAtRoot, received: Each, effect: Effect::PersistentCollective, at: [1, 3, 5, 6, NO, NO, 7, 8, 10, NO, 0, 4, NO, NO, NO, NO, NO] }, // MPI_Scatterv_init_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::OneSided, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, 8, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Accumulate
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::OneSided, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, 8, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Accumulate_c
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::OneSided, sent: One, received: One, effect: Effect::Nothing, at: [NO, 3, NO, NO, 4, 6, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Compare_and_swap
    Call { arguments: 7, strings: 0, wide: false, sizes: Sizes::OneSided, sent: One, received: One, effect: Effect::Nothing, at: [NO, 2, NO, NO, 3, 6, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Fetch_and_op
    Call { arguments: 8, strings: 0, wide: false, sizes: Sizes::OneSided, sent: Nothing, received: Each, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, 7, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Get
    Call { arguments: 8, strings: 0, wide: true, sizes: Sizes::OneSided, sent: Nothing, received: Each, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, 7, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Get_c
    Call { arguments: 12, strings: 0, wide: false, sizes: Sizes::OneSided, sent: Each, received: Each, effect: Effect::Nothing, at: [1, 2, 4, 5, 6, 11, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Get_accumulate
    Call { arguments: 12, strings: 0, wide: true, sizes: Sizes::OneSided, sent: Each, received: Each, effect: Effect::Nothing, at: [1, 2, 4, 5, 6, 11, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Get_accumulate_c
    Call { arguments: 8, strings: 0, wide: false, sizes: Sizes::OneSided, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, 7, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Put
    Call { arguments: 8, strings: 0, wide: true, sizes: Sizes::OneSided, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, 7, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Put_c
    Call { arguments: 10, strings: 0, wide: false, sizes: Sizes::OneSided, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, 8, NO, NO, 9, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Raccumulate
    Call { arguments: 10, strings: 0, wide: true, sizes: Sizes::OneSided, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, 8, NO, NO, 9, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Raccumulate_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::OneSided, sent: Nothing, received: Each, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, 7, NO, NO, 8, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Rget
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::OneSided, sent: Nothing, received: Each, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, 7, NO, NO, 8, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Rget_c
    Call { arguments: 13, strings: 0, wide: false, sizes: Sizes::OneSided, sent: Each, received: Each, effect: Effect::Nothing, at: [1, 2, 4, 5, 6, 11, NO, NO, 12, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Rget_accumulate
    Call { arguments: 13, strings: 0, wide: true, sizes: Sizes::OneSided, sent: Each, received: Each, effect: Effect::Nothing, at: [1, 2, 4, 5, 6, 11, NO, NO, 12, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Rget_accumulate_c
    Call { arguments: 9, strings: 0, wide: false, sizes: Sizes::OneSided, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, 7, NO, NO, 8, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Rput
    Call { arguments: 9, strings: 0, wide: true, sizes: Sizes::OneSided, sent: Each, received: Nothing, effect: Effect::Nothing, at: [1, 2, NO, NO, 3, 7, NO, NO, 8, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_Rput_c
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Request, effect: Effect::Read, at: [2, 3, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iread
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::File, sent: Nothing, received: Request, effect: Effect::Read, at: [2, 3, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iread_c
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Request, effect: Effect::Read, at: [2, 3, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iread_all
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::File, sent: Nothing, received: Request, effect: Effect::Read, at: [2, 3, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iread_all_c
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Request, effect: Effect::Read, at: [3, 4, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iread_at
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::File, sent: Nothing, received: Request, effect: Effect::Read, at: [3, 4, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iread_at_c
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Request, effect: Effect::Read, at: [3, 4, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iread_at_all
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::File, sent: Nothing, received: Request, effect: Effect::Read, at: [3, 4, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iread_at_all_c
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Request, effect: Effect::Read, at: [2, 3, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iread_shared
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::File, sent: Nothing, received: Request, effect: Effect::Read, at: [2, 3, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iread_shared_c
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iwrite
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iwrite_c
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iwrite_all
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iwrite_all_c
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [3, 4, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iwrite_at
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [3, 4, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iwrite_at_c
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [3, 4, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iwrite_at_all
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [3, 4, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iwrite_at_all_c
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iwrite_shared
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_iwrite_shared_c
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Status, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::File, sent: Nothing, received: Status, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_c
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Status, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_all
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::File, sent: Nothing, received: Status, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_all_c
    Call { arguments: 4, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_all_begin
    Call { arguments: 4, strings: 0, wide: true, sizes: Sizes::File, sent: Nothing, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_all_begin_c
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, 2, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_all_end
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Status, effect: Effect::Nothing, at: [3, 4, NO, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_at
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::File, sent: Nothing, received: Status, effect: Effect::Nothing, at: [3, 4, NO, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_at_c
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Status, effect: Effect::Nothing, at: [3, 4, NO, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_at_all
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::File, sent: Nothing, received: Status, effect: Effect::Nothing, at: [3, 4, NO, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_at_all_c
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Each, effect: Effect::Nothing, at: [3, 4, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_at_all_begin
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::File, sent: Nothing, received: Each, effect: Effect::Nothing, at: [3, 4, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_at_all_begin_c
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, 2, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_at_all_end
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Status, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_ordered
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::File, sent: Nothing, received: Status, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_ordered_c
    Call { arguments: 4, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_ordered_begin
    Call { arguments: 4, strings: 0, wide: true, sizes: Sizes::File, sent: Nothing, received: Each, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_ordered_begin_c
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, 2, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_ordered_end
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Status, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_shared
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::File, sent: Nothing, received: Status, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_read_shared_c
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_c
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_all
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_all_c
    Call { arguments: 4, strings: 0, wide: false, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_all_begin
    Call { arguments: 4, strings: 0, wide: true, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_all_begin_c
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, 2, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_all_end
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [3, 4, NO, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_at
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [3, 4, NO, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_at_c
    Call { arguments: 6, strings: 0, wide: false, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [3, 4, NO, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_at_all
    Call { arguments: 6, strings: 0, wide: true, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [3, 4, NO, NO, NO, NO, NO, NO, NO, 5, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_at_all_c
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [3, 4, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_at_all_begin
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [3, 4, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_at_all_begin_c
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, 2, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_at_all_end
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_ordered
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_ordered_c
    Call { arguments: 4, strings: 0, wide: false, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_ordered_begin
    Call { arguments: 4, strings: 0, wide: true, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_ordered_begin_c
    Call { arguments: 3, strings: 0, wide: false, sizes: Sizes::File, sent: Nothing, received: Nothing, effect: Effect::Nothing, at: [NO, NO, NO, NO, NO, NO, NO, NO, NO, 2, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_ordered_end
    Call { arguments: 5, strings: 0, wide: false, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_shared
    Call { arguments: 5, strings: 0, wide: true, sizes: Sizes::File, sent: Each, received: Nothing, effect: Effect::Nothing, at: [2, 3, NO, NO, NO, NO, NO, NO, NO, 4, NO, NO, NO, NO, NO, NO, NO] }, // MPI_File_write_shared_c
];

wrappers! {
    0: MPI_Abort PMPI_Abort mpi_abort_ mpi_abort__ MPI_ABORT mpi_abort_f08_ mpi_abort_f08ts_;
    1: MPI_Finalize PMPI_Finalize mpi_finalize_ mpi_finalize__ MPI_FINALIZE mpi_finalize_f08_ mpi_finalize_f08ts_;
    2: MPI_Init PMPI_Init mpi_init_ mpi_init__ MPI_INIT mpi_init_f08_ mpi_init_f08ts_;
    3: MPI_Init_thread PMPI_Init_thread mpi_init_thread_ mpi_init_thread__ MPI_INIT_THREAD mpi_init_thread_f08_ mpi_init_thread_f08ts_;
    4: MPI_Pcontrol PMPI_Pcontrol mpi_pcontrol_ mpi_pcontrol__ MPI_PCONTROL mpi_pcontrol_f08_ mpi_pcontrol_f08ts_;
    5: MPI_Session_finalize PMPI_Session_finalize mpi_session_finalize_ mpi_session_finalize__ MPI_SESSION_FINALIZE mpi_session_finalize_f08_ mpi_session_finalize_f08ts_;
    6: MPI_Session_init PMPI_Session_init mpi_session_init_ mpi_session_init__ MPI_SESSION_INIT mpi_session_init_f08_ mpi_session_init_f08ts_;
    7: MPI_Buffer_detach PMPI_Buffer_detach mpi_buffer_detach_ mpi_buffer_detach__ MPI_BUFFER_DETACH mpi_buffer_detach_f08_ mpi_buffer_detach_f08ts_;
    8: MPI_Buffer_detach_c PMPI_Buffer_detach_c mpi_buffer_detach_c_ mpi_buffer_detach_c__ MPI_BUFFER_DETACH_C mpi_buffer_detach_c_f08_ mpi_buffer_detach_c_f08ts_;
    9: MPI_Cancel PMPI_Cancel mpi_cancel_ mpi_cancel__ MPI_CANCEL mpi_cancel_f08_ mpi_cancel_f08ts_;
    10: MPI_Cart_create PMPI_Cart_create mpi_cart_create_ mpi_cart_create__ MPI_CART_CREATE mpi_cart_create_f08_ mpi_cart_create_f08ts_;
    11: MPI_Cart_sub PMPI_Cart_sub mpi_cart_sub_ mpi_cart_sub__ MPI_CART_SUB mpi_cart_sub_f08_ mpi_cart_sub_f08ts_;
    12: MPI_Close_port PMPI_Close_port mpi_close_port_ mpi_close_port__ MPI_CLOSE_PORT mpi_close_port_f08_ mpi_close_port_f08ts_;
    13: MPI_Comm_accept PMPI_Comm_accept mpi_comm_accept_ mpi_comm_accept__ MPI_COMM_ACCEPT mpi_comm_accept_f08_ mpi_comm_accept_f08ts_;
    14: MPI_Comm_connect PMPI_Comm_connect mpi_comm_connect_ mpi_comm_connect__ MPI_COMM_CONNECT mpi_comm_connect_f08_ mpi_comm_connect_f08ts_;
    15: MPI_Comm_create PMPI_Comm_create mpi_comm_create_ mpi_comm_create__ MPI_COMM_CREATE mpi_comm_create_f08_ mpi_comm_create_f08ts_;
    16: MPI_Comm_create_from_group PMPI_Comm_create_from_group mpi_comm_create_from_group_ mpi_comm_create_from_group__ MPI_COMM_CREATE_FROM_GROUP mpi_comm_create_from_group_f08_ mpi_comm_create_from_group_f08ts_;
    17: MPI_Comm_create_group PMPI_Comm_create_group mpi_comm_create_group_ mpi_comm_create_group__ MPI_COMM_CREATE_GROUP mpi_comm_create_group_f08_ mpi_comm_create_group_f08ts_;
    18: MPI_Comm_disconnect PMPI_Comm_disconnect mpi_comm_disconnect_ mpi_comm_disconnect__ MPI_COMM_DISCONNECT mpi_comm_disconnect_f08_ mpi_comm_disconnect_f08ts_;
    19: MPI_Comm_dup PMPI_Comm_dup mpi_comm_dup_ mpi_comm_dup__ MPI_COMM_DUP mpi_comm_dup_f08_ mpi_comm_dup_f08ts_;
    20: MPI_Comm_dup_with_info PMPI_Comm_dup_with_info mpi_comm_dup_with_info_ mpi_comm_dup_with_info__ MPI_COMM_DUP_WITH_INFO mpi_comm_dup_with_info_f08_ mpi_comm_dup_with_info_f08ts_;
    21: MPI_Comm_free PMPI_Comm_free mpi_comm_free_ mpi_comm_free__ MPI_COMM_FREE mpi_comm_free_f08_ mpi_comm_free_f08ts_;
    22: MPI_Comm_idup PMPI_Comm_idup mpi_comm_idup_ mpi_comm_idup__ MPI_COMM_IDUP mpi_comm_idup_f08_ mpi_comm_idup_f08ts_;
    23: MPI_Comm_idup_with_info PMPI_Comm_idup_with_info mpi_comm_idup_with_info_ mpi_comm_idup_with_info__ MPI_COMM_IDUP_WITH_INFO mpi_comm_idup_with_info_f08_ mpi_comm_idup_with_info_f08ts_;
    24: MPI_Comm_join PMPI_Comm_join mpi_comm_join_ mpi_comm_join__ MPI_COMM_JOIN mpi_comm_join_f08_ mpi_comm_join_f08ts_;
    25: MPI_Comm_spawn PMPI_Comm_spawn mpi_comm_spawn_ mpi_comm_spawn__ MPI_COMM_SPAWN mpi_comm_spawn_f08_ mpi_comm_spawn_f08ts_;
    26: MPI_Comm_spawn_multiple PMPI_Comm_spawn_multiple mpi_comm_spawn_multiple_ mpi_comm_spawn_multiple__ MPI_COMM_SPAWN_MULTIPLE mpi_comm_spawn_multiple_f08_ mpi_comm_spawn_multiple_f08ts_;
    27: MPI_Comm_split PMPI_Comm_split mpi_comm_split_ mpi_comm_split__ MPI_COMM_SPLIT mpi_comm_split_f08_ mpi_comm_split_f08ts_;
    28: MPI_Comm_split_type PMPI_Comm_split_type mpi_comm_split_type_ mpi_comm_split_type__ MPI_COMM_SPLIT_TYPE mpi_comm_split_type_f08_ mpi_comm_split_type_f08ts_;
    29: MPI_Dist_graph_create PMPI_Dist_graph_create mpi_dist_graph_create_ mpi_dist_graph_create__ MPI_DIST_GRAPH_CREATE mpi_dist_graph_create_f08_ mpi_dist_graph_create_f08ts_;
    30: MPI_Dist_graph_create_adjacent PMPI_Dist_graph_create_adjacent mpi_dist_graph_create_adjacent_ mpi_dist_graph_create_adjacent__ MPI_DIST_GRAPH_CREATE_ADJACENT mpi_dist_graph_create_adjacent_f08_ mpi_dist_graph_create_adjacent_f08ts_;
    31: MPI_File_close PMPI_File_close mpi_file_close_ mpi_file_close__ MPI_FILE_CLOSE mpi_file_close_f08_ mpi_file_close_f08ts_;
    32: MPI_File_delete PMPI_File_delete mpi_file_delete_ mpi_file_delete__ MPI_FILE_DELETE mpi_file_delete_f08_ mpi_file_delete_f08ts_;
    33: MPI_File_open PMPI_File_open mpi_file_open_ mpi_file_open__ MPI_FILE_OPEN mpi_file_open_f08_ mpi_file_open_f08ts_;
    34: MPI_File_preallocate PMPI_File_preallocate mpi_file_preallocate_ mpi_file_preallocate__ MPI_FILE_PREALLOCATE mpi_file_preallocate_f08_ mpi_file_preallocate_f08ts_;
    35: MPI_File_seek PMPI_File_seek mpi_file_seek_ mpi_file_seek__ MPI_FILE_SEEK mpi_file_seek_f08_ mpi_file_seek_f08ts_;
    36: MPI_File_seek_shared PMPI_File_seek_shared mpi_file_seek_shared_ mpi_file_seek_shared__ MPI_FILE_SEEK_SHARED mpi_file_seek_shared_f08_ mpi_file_seek_shared_f08ts_;
    37: MPI_File_set_atomicity PMPI_File_set_atomicity mpi_file_set_atomicity_ mpi_file_set_atomicity__ MPI_FILE_SET_ATOMICITY mpi_file_set_atomicity_f08_ mpi_file_set_atomicity_f08ts_;
    38: MPI_File_set_info PMPI_File_set_info mpi_file_set_info_ mpi_file_set_info__ MPI_FILE_SET_INFO mpi_file_set_info_f08_ mpi_file_set_info_f08ts_;
    39: MPI_File_set_size PMPI_File_set_size mpi_file_set_size_ mpi_file_set_size__ MPI_FILE_SET_SIZE mpi_file_set_size_f08_ mpi_file_set_size_f08ts_;
    40: MPI_File_set_view PMPI_File_set_view mpi_file_set_view_ mpi_file_set_view__ MPI_FILE_SET_VIEW mpi_file_set_view_f08_ mpi_file_set_view_f08ts_;
    41: MPI_File_sync PMPI_File_sync mpi_file_sync_ mpi_file_sync__ MPI_FILE_SYNC mpi_file_sync_f08_ mpi_file_sync_f08ts_;
    42: MPI_Graph_create PMPI_Graph_create mpi_graph_create_ mpi_graph_create__ MPI_GRAPH_CREATE mpi_graph_create_f08_ mpi_graph_create_f08ts_;
    43: MPI_Improbe PMPI_Improbe mpi_improbe_ mpi_improbe__ MPI_IMPROBE mpi_improbe_f08_ mpi_improbe_f08ts_;
    44: MPI_Intercomm_create PMPI_Intercomm_create mpi_intercomm_create_ mpi_intercomm_create__ MPI_INTERCOMM_CREATE mpi_intercomm_create_f08_ mpi_intercomm_create_f08ts_;
    45: MPI_Intercomm_create_from_groups PMPI_Intercomm_create_from_groups mpi_intercomm_create_from_groups_ mpi_intercomm_create_from_groups__ MPI_INTERCOMM_CREATE_FROM_GROUPS mpi_intercomm_create_from_groups_f08_ mpi_intercomm_create_from_groups_f08ts_;
    46: MPI_Intercomm_merge PMPI_Intercomm_merge mpi_intercomm_merge_ mpi_intercomm_merge__ MPI_INTERCOMM_MERGE mpi_intercomm_merge_f08_ mpi_intercomm_merge_f08ts_;
    47: MPI_Iprobe PMPI_Iprobe mpi_iprobe_ mpi_iprobe__ MPI_IPROBE mpi_iprobe_f08_ mpi_iprobe_f08ts_;
    48: MPI_Lookup_name PMPI_Lookup_name mpi_lookup_name_ mpi_lookup_name__ MPI_LOOKUP_NAME mpi_lookup_name_f08_ mpi_lookup_name_f08ts_;
    49: MPI_Mprobe PMPI_Mprobe mpi_mprobe_ mpi_mprobe__ MPI_MPROBE mpi_mprobe_f08_ mpi_mprobe_f08ts_;
    50: MPI_Open_port PMPI_Open_port mpi_open_port_ mpi_open_port__ MPI_OPEN_PORT mpi_open_port_f08_ mpi_open_port_f08ts_;
    51: MPI_Parrived PMPI_Parrived mpi_parrived_ mpi_parrived__ MPI_PARRIVED mpi_parrived_f08_ mpi_parrived_f08ts_;
    52: MPI_Pready PMPI_Pready mpi_pready_ mpi_pready__ MPI_PREADY mpi_pready_f08_ mpi_pready_f08ts_;
    53: MPI_Pready_list PMPI_Pready_list mpi_pready_list_ mpi_pready_list__ MPI_PREADY_LIST mpi_pready_list_f08_ mpi_pready_list_f08ts_;
    54: MPI_Pready_range PMPI_Pready_range mpi_pready_range_ mpi_pready_range__ MPI_PREADY_RANGE mpi_pready_range_f08_ mpi_pready_range_f08ts_;
    55: MPI_Probe PMPI_Probe mpi_probe_ mpi_probe__ MPI_PROBE mpi_probe_f08_ mpi_probe_f08ts_;
    56: MPI_Publish_name PMPI_Publish_name mpi_publish_name_ mpi_publish_name__ MPI_PUBLISH_NAME mpi_publish_name_f08_ mpi_publish_name_f08ts_;
    57: MPI_Request_free PMPI_Request_free mpi_request_free_ mpi_request_free__ MPI_REQUEST_FREE mpi_request_free_f08_ mpi_request_free_f08ts_;
    58: MPI_Request_get_status PMPI_Request_get_status mpi_request_get_status_ mpi_request_get_status__ MPI_REQUEST_GET_STATUS mpi_request_get_status_f08_ mpi_request_get_status_f08ts_;
    59: MPI_Start PMPI_Start mpi_start_ mpi_start__ MPI_START mpi_start_f08_ mpi_start_f08ts_;
    60: MPI_Startall PMPI_Startall mpi_startall_ mpi_startall__ MPI_STARTALL mpi_startall_f08_ mpi_startall_f08ts_;
    61: MPI_Test PMPI_Test mpi_test_ mpi_test__ MPI_TEST mpi_test_f08_ mpi_test_f08ts_;
    62: MPI_Testall PMPI_Testall mpi_testall_ mpi_testall__ MPI_TESTALL mpi_testall_f08_ mpi_testall_f08ts_;
    63: MPI_Testany PMPI_Testany mpi_testany_ mpi_testany__ MPI_TESTANY mpi_testany_f08_ mpi_testany_f08ts_;
    64: MPI_Testsome PMPI_Testsome mpi_testsome_ mpi_testsome__ MPI_TESTSOME mpi_testsome_f08_ mpi_testsome_f08ts_;
    65: MPI_Unpublish_name PMPI_Unpublish_name mpi_unpublish_name_ mpi_unpublish_name__ MPI_UNPUBLISH_NAME mpi_unpublish_name_f08_ mpi_unpublish_name_f08ts_;
    66: MPI_Wait PMPI_Wait mpi_wait_ mpi_wait__ MPI_WAIT mpi_wait_f08_ mpi_wait_f08ts_;
    67: MPI_Waitall PMPI_Waitall mpi_waitall_ mpi_waitall__ MPI_WAITALL mpi_waitall_f08_ mpi_waitall_f08ts_;
    68: MPI_Waitany PMPI_Waitany mpi_waitany_ mpi_waitany__ MPI_WAITANY mpi_waitany_f08_ mpi_waitany_f08ts_;
    69: MPI_Waitsome PMPI_Waitsome mpi_waitsome_ mpi_waitsome__ MPI_WAITSOME mpi_waitsome_f08_ mpi_waitsome_f08ts_;
    70: MPI_Win_allocate PMPI_Win_allocate mpi_win_allocate_ mpi_win_allocate__ MPI_WIN_ALLOCATE mpi_win_allocate_f08_ mpi_win_allocate_f08ts_;
    71: MPI_Win_allocate_c PMPI_Win_allocate_c mpi_win_allocate_c_ mpi_win_allocate_c__ MPI_WIN_ALLOCATE_C mpi_win_allocate_c_f08_ mpi_win_allocate_c_f08ts_;
    72: MPI_Win_allocate_shared PMPI_Win_allocate_shared mpi_win_allocate_shared_ mpi_win_allocate_shared__ MPI_WIN_ALLOCATE_SHARED mpi_win_allocate_shared_f08_ mpi_win_allocate_shared_f08ts_;
    73: MPI_Win_allocate_shared_c PMPI_Win_allocate_shared_c mpi_win_allocate_shared_c_ mpi_win_allocate_shared_c__ MPI_WIN_ALLOCATE_SHARED_C mpi_win_allocate_shared_c_f08_ mpi_win_allocate_shared_c_f08ts_;
    74: MPI_Win_complete PMPI_Win_complete mpi_win_complete_ mpi_win_complete__ MPI_WIN_COMPLETE mpi_win_complete_f08_ mpi_win_complete_f08ts_;
    75: MPI_Win_create PMPI_Win_create mpi_win_create_ mpi_win_create__ MPI_WIN_CREATE mpi_win_create_f08_ mpi_win_create_f08ts_;
    76: MPI_Win_create_c PMPI_Win_create_c mpi_win_create_c_ mpi_win_create_c__ MPI_WIN_CREATE_C mpi_win_create_c_f08_ mpi_win_create_c_f08ts_;
    77: MPI_Win_create_dynamic PMPI_Win_create_dynamic mpi_win_create_dynamic_ mpi_win_create_dynamic__ MPI_WIN_CREATE_DYNAMIC mpi_win_create_dynamic_f08_ mpi_win_create_dynamic_f08ts_;
    78: MPI_Win_fence PMPI_Win_fence mpi_win_fence_ mpi_win_fence__ MPI_WIN_FENCE mpi_win_fence_f08_ mpi_win_fence_f08ts_;
    79: MPI_Win_flush PMPI_Win_flush mpi_win_flush_ mpi_win_flush__ MPI_WIN_FLUSH mpi_win_flush_f08_ mpi_win_flush_f08ts_;
    80: MPI_Win_flush_all PMPI_Win_flush_all mpi_win_flush_all_ mpi_win_flush_all__ MPI_WIN_FLUSH_ALL mpi_win_flush_all_f08_ mpi_win_flush_all_f08ts_;
    81: MPI_Win_flush_local PMPI_Win_flush_local mpi_win_flush_local_ mpi_win_flush_local__ MPI_WIN_FLUSH_LOCAL mpi_win_flush_local_f08_ mpi_win_flush_local_f08ts_;
    82: MPI_Win_flush_local_all PMPI_Win_flush_local_all mpi_win_flush_local_all_ mpi_win_flush_local_all__ MPI_WIN_FLUSH_LOCAL_ALL mpi_win_flush_local_all_f08_ mpi_win_flush_local_all_f08ts_;
    83: MPI_Win_free PMPI_Win_free mpi_win_free_ mpi_win_free__ MPI_WIN_FREE mpi_win_free_f08_ mpi_win_free_f08ts_;
    84: MPI_Win_lock PMPI_Win_lock mpi_win_lock_ mpi_win_lock__ MPI_WIN_LOCK mpi_win_lock_f08_ mpi_win_lock_f08ts_;
    85: MPI_Win_lock_all PMPI_Win_lock_all mpi_win_lock_all_ mpi_win_lock_all__ MPI_WIN_LOCK_ALL mpi_win_lock_all_f08_ mpi_win_lock_all_f08ts_;
    86: MPI_Win_post PMPI_Win_post mpi_win_post_ mpi_win_post__ MPI_WIN_POST mpi_win_post_f08_ mpi_win_post_f08ts_;
    87: MPI_Win_start PMPI_Win_start mpi_win_start_ mpi_win_start__ MPI_WIN_START mpi_win_start_f08_ mpi_win_start_f08ts_;
    88: MPI_Win_sync PMPI_Win_sync mpi_win_sync_ mpi_win_sync__ MPI_WIN_SYNC mpi_win_sync_f08_ mpi_win_sync_f08ts_;
    89: MPI_Win_test PMPI_Win_test mpi_win_test_ mpi_win_test__ MPI_WIN_TEST mpi_win_test_f08_ mpi_win_test_f08ts_;
    90: MPI_Win_unlock PMPI_Win_unlock mpi_win_unlock_ mpi_win_unlock__ MPI_WIN_UNLOCK mpi_win_unlock_f08_ mpi_win_unlock_f08ts_;
    91: MPI_Win_unlock_all PMPI_Win_unlock_all mpi_win_unlock_all_ mpi_win_unlock_all__ MPI_WIN_UNLOCK_ALL mpi_win_unlock_all_f08_ mpi_win_unlock_all_f08ts_;
    92: MPI_Win_wait PMPI_Win_wait mpi_win_wait_ mpi_win_wait__ MPI_WIN_WAIT mpi_win_wait_f08_ mpi_win_wait_f08ts_;
    93: MPI_Bsend PMPI_Bsend mpi_bsend_ mpi_bsend__ MPI_BSEND mpi_bsend_f08_ mpi_bsend_f08ts_;
    94: MPI_Bsend_c PMPI_Bsend_c mpi_bsend_c_ mpi_bsend_c__ MPI_BSEND_C mpi_bsend_c_f08_ mpi_bsend_c_f08ts_;
    95: MPI_Bsend_init PMPI_Bsend_init mpi_bsend_init_ mpi_bsend_init__ MPI_BSEND_INIT mpi_bsend_init_f08_ mpi_bsend_init_f08ts_;
    96: MPI_Bsend_init_c PMPI_Bsend_init_c mpi_bsend_init_c_ mpi_bsend_init_c__ MPI_BSEND_INIT_C mpi_bsend_init_c_f08_ mpi_bsend_init_c_f08ts_;
    97: MPI_Ibsend PMPI_Ibsend mpi_ibsend_ mpi_ibsend__ MPI_IBSEND mpi_ibsend_f08_ mpi_ibsend_f08ts_;
    98: MPI_Ibsend_c PMPI_Ibsend_c mpi_ibsend_c_ mpi_ibsend_c__ MPI_IBSEND_C mpi_ibsend_c_f08_ mpi_ibsend_c_f08ts_;
    99: MPI_Irsend PMPI_Irsend mpi_irsend_ mpi_irsend__ MPI_IRSEND mpi_irsend_f08_ mpi_irsend_f08ts_;
    100: MPI_Irsend_c PMPI_Irsend_c mpi_irsend_c_ mpi_irsend_c__ MPI_IRSEND_C mpi_irsend_c_f08_ mpi_irsend_c_f08ts_;
    101: MPI_Isend PMPI_Isend mpi_isend_ mpi_isend__ MPI_ISEND mpi_isend_f08_ mpi_isend_f08ts_;
    102: MPI_Isend_c PMPI_Isend_c mpi_isend_c_ mpi_isend_c__ MPI_ISEND_C mpi_isend_c_f08_ mpi_isend_c_f08ts_;
    103: MPI_Isendrecv PMPI_Isendrecv mpi_isendrecv_ mpi_isendrecv__ MPI_ISENDRECV mpi_isendrecv_f08_ mpi_isendrecv_f08ts_;
    104: MPI_Isendrecv_c PMPI_Isendrecv_c mpi_isendrecv_c_ mpi_isendrecv_c__ MPI_ISENDRECV_C mpi_isendrecv_c_f08_ mpi_isendrecv_c_f08ts_;
    105: MPI_Isendrecv_replace PMPI_Isendrecv_replace mpi_isendrecv_replace_ mpi_isendrecv_replace__ MPI_ISENDRECV_REPLACE mpi_isendrecv_replace_f08_ mpi_isendrecv_replace_f08ts_;
    106: MPI_Isendrecv_replace_c PMPI_Isendrecv_replace_c mpi_isendrecv_replace_c_ mpi_isendrecv_replace_c__ MPI_ISENDRECV_REPLACE_C mpi_isendrecv_replace_c_f08_ mpi_isendrecv_replace_c_f08ts_;
    107: MPI_Issend PMPI_Issend mpi_issend_ mpi_issend__ MPI_ISSEND mpi_issend_f08_ mpi_issend_f08ts_;
    108: MPI_Issend_c PMPI_Issend_c mpi_issend_c_ mpi_issend_c__ MPI_ISSEND_C mpi_issend_c_f08_ mpi_issend_c_f08ts_;
    109: MPI_Psend_init PMPI_Psend_init mpi_psend_init_ mpi_psend_init__ MPI_PSEND_INIT mpi_psend_init_f08_ mpi_psend_init_f08ts_;
    110: MPI_Rsend PMPI_Rsend mpi_rsend_ mpi_rsend__ MPI_RSEND mpi_rsend_f08_ mpi_rsend_f08ts_;
    111: MPI_Rsend_c PMPI_Rsend_c mpi_rsend_c_ mpi_rsend_c__ MPI_RSEND_C mpi_rsend_c_f08_ mpi_rsend_c_f08ts_;
    112: MPI_Rsend_init PMPI_Rsend_init mpi_rsend_init_ mpi_rsend_init__ MPI_RSEND_INIT mpi_rsend_init_f08_ mpi_rsend_init_f08ts_;
    113: MPI_Rsend_init_c PMPI_Rsend_init_c mpi_rsend_init_c_ mpi_rsend_init_c__ MPI_RSEND_INIT_C mpi_rsend_init_c_f08_ mpi_rsend_init_c_f08ts_;
    114: MPI_Send PMPI_Send mpi_send_ mpi_send__ MPI_SEND mpi_send_f08_ mpi_send_f08ts_;
    115: MPI_Send_c PMPI_Send_c mpi_send_c_ mpi_send_c__ MPI_SEND_C mpi_send_c_f08_ mpi_send_c_f08ts_;
    116: MPI_Send_init PMPI_Send_init mpi_send_init_ mpi_send_init__ MPI_SEND_INIT mpi_send_init_f08_ mpi_send_init_f08ts_;
    117: MPI_Send_init_c PMPI_Send_init_c mpi_send_init_c_ mpi_send_init_c__ MPI_SEND_INIT_C mpi_send_init_c_f08_ mpi_send_init_c_f08ts_;
    118: MPI_Sendrecv PMPI_Sendrecv mpi_sendrecv_ mpi_sendrecv__ MPI_SENDRECV mpi_sendrecv_f08_ mpi_sendrecv_f08ts_;
    119: MPI_Sendrecv_c PMPI_Sendrecv_c mpi_sendrecv_c_ mpi_sendrecv_c__ MPI_SENDRECV_C mpi_sendrecv_c_f08_ mpi_sendrecv_c_f08ts_;
    120: MPI_Sendrecv_replace PMPI_Sendrecv_replace mpi_sendrecv_replace_ mpi_sendrecv_replace__ MPI_SENDRECV_REPLACE mpi_sendrecv_replace_f08_ mpi_sendrecv_replace_f08ts_;
    121: MPI_Sendrecv_replace_c PMPI_Sendrecv_replace_c mpi_sendrecv_replace_c_ mpi_sendrecv_replace_c__ MPI_SENDRECV_REPLACE_C mpi_sendrecv_replace_c_f08_ mpi_sendrecv_replace_c_f08ts_;
    122: MPI_Ssend PMPI_Ssend mpi_ssend_ mpi_ssend__ MPI_SSEND mpi_ssend_f08_ mpi_ssend_f08ts_;
    123: MPI_Ssend_c PMPI_Ssend_c mpi_ssend_c_ mpi_ssend_c__ MPI_SSEND_C mpi_ssend_c_f08_ mpi_ssend_c_f08ts_;
    124: MPI_Ssend_init PMPI_Ssend_init mpi_ssend_init_ mpi_ssend_init__ MPI_SSEND_INIT mpi_ssend_init_f08_ mpi_ssend_init_f08ts_;
    125: MPI_Ssend_init_c PMPI_Ssend_init_c mpi_ssend_init_c_ mpi_ssend_init_c__ MPI_SSEND_INIT_C mpi_ssend_init_c_f08_ mpi_ssend_init_c_f08ts_;
    126: MPI_Imrecv PMPI_Imrecv mpi_imrecv_ mpi_imrecv__ MPI_IMRECV mpi_imrecv_f08_ mpi_imrecv_f08ts_;
    127: MPI_Imrecv_c PMPI_Imrecv_c mpi_imrecv_c_ mpi_imrecv_c__ MPI_IMRECV_C mpi_imrecv_c_f08_ mpi_imrecv_c_f08ts_;
    128: MPI_Irecv PMPI_Irecv mpi_irecv_ mpi_irecv__ MPI_IRECV mpi_irecv_f08_ mpi_irecv_f08ts_;
    129: MPI_Irecv_c PMPI_Irecv_c mpi_irecv_c_ mpi_irecv_c__ MPI_IRECV_C mpi_irecv_c_f08_ mpi_irecv_c_f08ts_;
    130: MPI_Mrecv PMPI_Mrecv mpi_mrecv_ mpi_mrecv__ MPI_MRECV mpi_mrecv_f08_ mpi_mrecv_f08ts_;
    131: MPI_Mrecv_c PMPI_Mrecv_c mpi_mrecv_c_ mpi_mrecv_c__ MPI_MRECV_C mpi_mrecv_c_f08_ mpi_mrecv_c_f08ts_;
    132: MPI_Precv_init PMPI_Precv_init mpi_precv_init_ mpi_precv_init__ MPI_PRECV_INIT mpi_precv_init_f08_ mpi_precv_init_f08ts_;
    133: MPI_Recv PMPI_Recv mpi_recv_ mpi_recv__ MPI_RECV mpi_recv_f08_ mpi_recv_f08ts_;
    134: MPI_Recv_c PMPI_Recv_c mpi_recv_c_ mpi_recv_c__ MPI_RECV_C mpi_recv_c_f08_ mpi_recv_c_f08ts_;
    135: MPI_Recv_init PMPI_Recv_init mpi_recv_init_ mpi_recv_init__ MPI_RECV_INIT mpi_recv_init_f08_ mpi_recv_init_f08ts_;
    136: MPI_Recv_init_c PMPI_Recv_init_c mpi_recv_init_c_ mpi_recv_init_c__ MPI_RECV_INIT_C mpi_recv_init_c_f08_ mpi_recv_init_c_f08ts_;
    137: MPI_Allgather PMPI_Allgather mpi_allgather_ mpi_allgather__ MPI_ALLGATHER mpi_allgather_f08_ mpi_allgather_f08ts_;
    138: MPI_Allgather_c PMPI_Allgather_c mpi_allgather_c_ mpi_allgather_c__ MPI_ALLGATHER_C mpi_allgather_c_f08_ mpi_allgather_c_f08ts_;
    139: MPI_Allgather_init PMPI_Allgather_init mpi_allgather_init_ mpi_allgather_init__ MPI_ALLGATHER_INIT mpi_allgather_init_f08_ mpi_allgather_init_f08ts_;
    140: MPI_Allgather_init_c PMPI_Allgather_init_c mpi_allgather_init_c_ mpi_allgather_init_c__ MPI_ALLGATHER_INIT_C mpi_allgather_init_c_f08_ mpi_allgather_init_c_f08ts_;
    141: MPI_Allgatherv PMPI_Allgatherv mpi_allgatherv_ mpi_allgatherv__ MPI_ALLGATHERV mpi_allgatherv_f08_ mpi_allgatherv_f08ts_;
    142: MPI_Allgatherv_c PMPI_Allgatherv_c mpi_allgatherv_c_ mpi_allgatherv_c__ MPI_ALLGATHERV_C mpi_allgatherv_c_f08_ mpi_allgatherv_c_f08ts_;
    143: MPI_Allgatherv_init PMPI_Allgatherv_init mpi_allgatherv_init_ mpi_allgatherv_init__ MPI_ALLGATHERV_INIT mpi_allgatherv_init_f08_ mpi_allgatherv_init_f08ts_;
    144: MPI_Allgatherv_init_c PMPI_Allgatherv_init_c mpi_allgatherv_init_c_ mpi_allgatherv_init_c__ MPI_ALLGATHERV_INIT_C mpi_allgatherv_init_c_f08_ mpi_allgatherv_init_c_f08ts_;
    145: MPI_Allreduce PMPI_Allreduce mpi_allreduce_ mpi_allreduce__ MPI_ALLREDUCE mpi_allreduce_f08_ mpi_allreduce_f08ts_;
    146: MPI_Allreduce_c PMPI_Allreduce_c mpi_allreduce_c_ mpi_allreduce_c__ MPI_ALLREDUCE_C mpi_allreduce_c_f08_ mpi_allreduce_c_f08ts_;
    147: MPI_Allreduce_init PMPI_Allreduce_init mpi_allreduce_init_ mpi_allreduce_init__ MPI_ALLREDUCE_INIT mpi_allreduce_init_f08_ mpi_allreduce_init_f08ts_;
    148: MPI_Allreduce_init_c PMPI_Allreduce_init_c mpi_allreduce_init_c_ mpi_allreduce_init_c__ MPI_ALLREDUCE_INIT_C mpi_allreduce_init_c_f08_ mpi_allreduce_init_c_f08ts_;
    149: MPI_Alltoall PMPI_Alltoall mpi_alltoall_ mpi_alltoall__ MPI_ALLTOALL mpi_alltoall_f08_ mpi_alltoall_f08ts_;
    150: MPI_Alltoall_c PMPI_Alltoall_c mpi_alltoall_c_ mpi_alltoall_c__ MPI_ALLTOALL_C mpi_alltoall_c_f08_ mpi_alltoall_c_f08ts_;
    151: MPI_Alltoall_init PMPI_Alltoall_init mpi_alltoall_init_ mpi_alltoall_init__ MPI_ALLTOALL_INIT mpi_alltoall_init_f08_ mpi_alltoall_init_f08ts_;
    152: MPI_Alltoall_init_c PMPI_Alltoall_init_c mpi_alltoall_init_c_ mpi_alltoall_init_c__ MPI_ALLTOALL_INIT_C mpi_alltoall_init_c_f08_ mpi_alltoall_init_c_f08ts_;
    153: MPI_Alltoallv PMPI_Alltoallv mpi_alltoallv_ mpi_alltoallv__ MPI_ALLTOALLV mpi_alltoallv_f08_ mpi_alltoallv_f08ts_;
    154: MPI_Alltoallv_c PMPI_Alltoallv_c mpi_alltoallv_c_ mpi_alltoallv_c__ MPI_ALLTOALLV_C mpi_alltoallv_c_f08_ mpi_alltoallv_c_f08ts_;
    155: MPI_Alltoallv_init PMPI_Alltoallv_init mpi_alltoallv_init_ mpi_alltoallv_init__ MPI_ALLTOALLV_INIT mpi_alltoallv_init_f08_ mpi_alltoallv_init_f08ts_;
    156: MPI_Alltoallv_init_c PMPI_Alltoallv_init_c mpi_alltoallv_init_c_ mpi_alltoallv_init_c__ MPI_ALLTOALLV_INIT_C mpi_alltoallv_init_c_f08_ mpi_alltoallv_init_c_f08ts_;
    157: MPI_Alltoallw PMPI_Alltoallw mpi_alltoallw_ mpi_alltoallw__ MPI_ALLTOALLW mpi_alltoallw_f08_ mpi_alltoallw_f08ts_;
    158: MPI_Alltoallw_c PMPI_Alltoallw_c mpi_alltoallw_c_ mpi_alltoallw_c__ MPI_ALLTOALLW_C mpi_alltoallw_c_f08_ mpi_alltoallw_c_f08ts_;
    159: MPI_Alltoallw_init PMPI_Alltoallw_init mpi_alltoallw_init_ mpi_alltoallw_init__ MPI_ALLTOALLW_INIT mpi_alltoallw_init_f08_ mpi_alltoallw_init_f08ts_;
    160: MPI_Alltoallw_init_c PMPI_Alltoallw_init_c mpi_alltoallw_init_c_ mpi_alltoallw_init_c__ MPI_ALLTOALLW_INIT_C mpi_alltoallw_init_c_f08_ mpi_alltoallw_init_c_f08ts_;
    161: MPI_Barrier PMPI_Barrier mpi_barrier_ mpi_barrier__ MPI_BARRIER mpi_barrier_f08_ mpi_barrier_f08ts_;
    162: MPI_Barrier_init PMPI_Barrier_init mpi_barrier_init_ mpi_barrier_init__ MPI_BARRIER_INIT mpi_barrier_init_f08_ mpi_barrier_init_f08ts_;
    163: MPI_Bcast PMPI_Bcast mpi_bcast_ mpi_bcast__ MPI_BCAST mpi_bcast_f08_ mpi_bcast_f08ts_;
    164: MPI_Bcast_c PMPI_Bcast_c mpi_bcast_c_ mpi_bcast_c__ MPI_BCAST_C mpi_bcast_c_f08_ mpi_bcast_c_f08ts_;
    165: MPI_Bcast_init PMPI_Bcast_init mpi_bcast_init_ mpi_bcast_init__ MPI_BCAST_INIT mpi_bcast_init_f08_ mpi_bcast_init_f08ts_;
    166: MPI_Bcast_init_c PMPI_Bcast_init_c mpi_bcast_init_c_ mpi_bcast_init_c__ MPI_BCAST_INIT_C mpi_bcast_init_c_f08_ mpi_bcast_init_c_f08ts_;
    167: MPI_Exscan PMPI_Exscan mpi_exscan_ mpi_exscan__ MPI_EXSCAN mpi_exscan_f08_ mpi_exscan_f08ts_;
    168: MPI_Exscan_c PMPI_Exscan_c mpi_exscan_c_ mpi_exscan_c__ MPI_EXSCAN_C mpi_exscan_c_f08_ mpi_exscan_c_f08ts_;
    169: MPI_Exscan_init PMPI_Exscan_init mpi_exscan_init_ mpi_exscan_init__ MPI_EXSCAN_INIT mpi_exscan_init_f08_ mpi_exscan_init_f08ts_;
    170: MPI_Exscan_init_c PMPI_Exscan_init_c mpi_exscan_init_c_ mpi_exscan_init_c__ MPI_EXSCAN_INIT_C mpi_exscan_init_c_f08_ mpi_exscan_init_c_f08ts_;
    171: MPI_Gather PMPI_Gather mpi_gather_ mpi_gather__ MPI_GATHER mpi_gather_f08_ mpi_gather_f08ts_;
    172: MPI_Gather_c PMPI_Gather_c mpi_gather_c_ mpi_gather_c__ MPI_GATHER_C mpi_gather_c_f08_ mpi_gather_c_f08ts_;
    173: MPI_Gather_init PMPI_Gather_init mpi_gather_init_ mpi_gather_init__ MPI_GATHER_INIT mpi_gather_init_f08_ mpi_gather_init_f08ts_;
    174: MPI_Gather_init_c PMPI_Gather_init_c mpi_gather_init_c_ mpi_gather_init_c__ MPI_GATHER_INIT_C mpi_gather_init_c_f08_ mpi_gather_init_c_f08ts_;
    175: MPI_Gatherv PMPI_Gatherv mpi_gatherv_ mpi_gatherv__ MPI_GATHERV mpi_gatherv_f08_ mpi_gatherv_f08ts_;
    176: MPI_Gatherv_c PMPI_Gatherv_c mpi_gatherv_c_ mpi_gatherv_c__ MPI_GATHERV_C mpi_gatherv_c_f08_ mpi_gatherv_c_f08ts_;
    177: MPI_Gatherv_init PMPI_Gatherv_init mpi_gatherv_init_ mpi_gatherv_init__ MPI_GATHERV_INIT mpi_gatherv_init_f08_ mpi_gatherv_init_f08ts_;
    178: MPI_Gatherv_init_c PMPI_Gatherv_init_c mpi_gatherv_init_c_ mpi_gatherv_init_c__ MPI_GATHERV_INIT_C mpi_gatherv_init_c_f08_ mpi_gatherv_init_c_f08ts_;
    179: MPI_Iallgather PMPI_Iallgather mpi_iallgather_ mpi_iallgather__ MPI_IALLGATHER mpi_iallgather_f08_ mpi_iallgather_f08ts_;
    180: MPI_Iallgather_c PMPI_Iallgather_c mpi_iallgather_c_ mpi_iallgather_c__ MPI_IALLGATHER_C mpi_iallgather_c_f08_ mpi_iallgather_c_f08ts_;
    181: MPI_Iallgatherv PMPI_Iallgatherv mpi_iallgatherv_ mpi_iallgatherv__ MPI_IALLGATHERV mpi_iallgatherv_f08_ mpi_iallgatherv_f08ts_;
    182: MPI_Iallgatherv_c PMPI_Iallgatherv_c mpi_iallgatherv_c_ mpi_iallgatherv_c__ MPI_IALLGATHERV_C mpi_iallgatherv_c_f08_ mpi_iallgatherv_c_f08ts_;
    183: MPI_Iallreduce PMPI_Iallreduce mpi_iallreduce_ mpi_iallreduce__ MPI_IALLREDUCE mpi_iallreduce_f08_ mpi_iallreduce_f08ts_;
    184: MPI_Iallreduce_c PMPI_Iallreduce_c mpi_iallreduce_c_ mpi_iallreduce_c__ MPI_IALLREDUCE_C mpi_iallreduce_c_f08_ mpi_iallreduce_c_f08ts_;
    185: MPI_Ialltoall PMPI_Ialltoall mpi_ialltoall_ mpi_ialltoall__ MPI_IALLTOALL mpi_ialltoall_f08_ mpi_ialltoall_f08ts_;
    186: MPI_Ialltoall_c PMPI_Ialltoall_c mpi_ialltoall_c_ mpi_ialltoall_c__ MPI_IALLTOALL_C mpi_ialltoall_c_f08_ mpi_ialltoall_c_f08ts_;
    187: MPI_Ialltoallv PMPI_Ialltoallv mpi_ialltoallv_ mpi_ialltoallv__ MPI_IALLTOALLV mpi_ialltoallv_f08_ mpi_ialltoallv_f08ts_;
    188: MPI_Ialltoallv_c PMPI_Ialltoallv_c mpi_ialltoallv_c_ mpi_ialltoallv_c__ MPI_IALLTOALLV_C mpi_ialltoallv_c_f08_ mpi_ialltoallv_c_f08ts_;
    189: MPI_Ialltoallw PMPI_Ialltoallw mpi_ialltoallw_ mpi_ialltoallw__ MPI_IALLTOALLW mpi_ialltoallw_f08_ mpi_ialltoallw_f08ts_;
    190: MPI_Ialltoallw_c PMPI_Ialltoallw_c mpi_ialltoallw_c_ mpi_ialltoallw_c__ MPI_IALLTOALLW_C mpi_ialltoallw_c_f08_ mpi_ialltoallw_c_f08ts_;
    191: MPI_Ibarrier PMPI_Ibarrier mpi_ibarrier_ mpi_ibarrier__ MPI_IBARRIER mpi_ibarrier_f08_ mpi_ibarrier_f08ts_;
    192: MPI_Ibcast PMPI_Ibcast mpi_ibcast_ mpi_ibcast__ MPI_IBCAST mpi_ibcast_f08_ mpi_ibcast_f08ts_;
    193: MPI_Ibcast_c PMPI_Ibcast_c mpi_ibcast_c_ mpi_ibcast_c__ MPI_IBCAST_C mpi_ibcast_c_f08_ mpi_ibcast_c_f08ts_;
    194: MPI_Iexscan PMPI_Iexscan mpi_iexscan_ mpi_iexscan__ MPI_IEXSCAN mpi_iexscan_f08_ mpi_iexscan_f08ts_;
    195: MPI_Iexscan_c PMPI_Iexscan_c mpi_iexscan_c_ mpi_iexscan_c__ MPI_IEXSCAN_C mpi_iexscan_c_f08_ mpi_iexscan_c_f08ts_;
    196: MPI_Igather PMPI_Igather mpi_igather_ mpi_igather__ MPI_IGATHER mpi_igather_f08_ mpi_igather_f08ts_;
    197: MPI_Igather_c PMPI_Igather_c mpi_igather_c_ mpi_igather_c__ MPI_IGATHER_C mpi_igather_c_f08_ mpi_igather_c_f08ts_;
    198: MPI_Igatherv PMPI_Igatherv mpi_igatherv_ mpi_igatherv__ MPI_IGATHERV mpi_igatherv_f08_ mpi_igatherv_f08ts_;
    199: MPI_Igatherv_c PMPI_Igatherv_c mpi_igatherv_c_ mpi_igatherv_c__ MPI_IGATHERV_C mpi_igatherv_c_f08_ mpi_igatherv_c_f08ts_;
    200: MPI_Ineighbor_allgather PMPI_Ineighbor_allgather mpi_ineighbor_allgather_ mpi_ineighbor_allgather__ MPI_INEIGHBOR_ALLGATHER mpi_ineighbor_allgather_f08_ mpi_ineighbor_allgather_f08ts_;
    201: MPI_Ineighbor_allgather_c PMPI_Ineighbor_allgather_c mpi_ineighbor_allgather_c_ mpi_ineighbor_allgather_c__ MPI_INEIGHBOR_ALLGATHER_C mpi_ineighbor_allgather_c_f08_ mpi_ineighbor_allgather_c_f08ts_;
    202: MPI_Ineighbor_allgatherv PMPI_Ineighbor_allgatherv mpi_ineighbor_allgatherv_ mpi_ineighbor_allgatherv__ MPI_INEIGHBOR_ALLGATHERV mpi_ineighbor_allgatherv_f08_ mpi_ineighbor_allgatherv_f08ts_;
    203: MPI_Ineighbor_allgatherv_c PMPI_Ineighbor_allgatherv_c mpi_ineighbor_allgatherv_c_ mpi_ineighbor_allgatherv_c__ MPI_INEIGHBOR_ALLGATHERV_C mpi_ineighbor_allgatherv_c_f08_ mpi_ineighbor_allgatherv_c_f08ts_;
    204: MPI_Ineighbor_alltoall PMPI_Ineighbor_alltoall mpi_ineighbor_alltoall_ mpi_ineighbor_alltoall__ MPI_INEIGHBOR_ALLTOALL mpi_ineighbor_alltoall_f08_ mpi_ineighbor_alltoall_f08ts_;
    205: MPI_Ineighbor_alltoall_c PMPI_Ineighbor_alltoall_c mpi_ineighbor_alltoall_c_ mpi_ineighbor_alltoall_c__ MPI_INEIGHBOR_ALLTOALL_C mpi_ineighbor_alltoall_c_f08_ mpi_ineighbor_alltoall_c_f08ts_;
    206: MPI_Ineighbor_alltoallv PMPI_Ineighbor_alltoallv mpi_ineighbor_alltoallv_ mpi_ineighbor_alltoallv__ MPI_INEIGHBOR_ALLTOALLV mpi_ineighbor_alltoallv_f08_ mpi_ineighbor_alltoallv_f08ts_;
    207: MPI_Ineighbor_alltoallv_c PMPI_Ineighbor_alltoallv_c mpi_ineighbor_alltoallv_c_ mpi_ineighbor_alltoallv_c__ MPI_INEIGHBOR_ALLTOALLV_C mpi_ineighbor_alltoallv_c_f08_ mpi_ineighbor_alltoallv_c_f08ts_;
    208: MPI_Ineighbor_alltoallw PMPI_Ineighbor_alltoallw mpi_ineighbor_alltoallw_ mpi_ineighbor_alltoallw__ MPI_INEIGHBOR_ALLTOALLW mpi_ineighbor_alltoallw_f08_ mpi_ineighbor_alltoallw_f08ts_;
    209: MPI_Ineighbor_alltoallw_c PMPI_Ineighbor_alltoallw_c mpi_ineighbor_alltoallw_c_ mpi_ineighbor_alltoallw_c__ MPI_INEIGHBOR_ALLTOALLW_C mpi_ineighbor_alltoallw_c_f08_ mpi_ineighbor_alltoallw_c_f08ts_;
    210: MPI_Ireduce PMPI_Ireduce mpi_ireduce_ mpi_ireduce__ MPI_IREDUCE mpi_ireduce_f08_ mpi_ireduce_f08ts_;
    211: MPI_Ireduce_c PMPI_Ireduce_c mpi_ireduce_c_ mpi_ireduce_c__ MPI_IREDUCE_C mpi_ireduce_c_f08_ mpi_ireduce_c_f08ts_;
    212: MPI_Ireduce_scatter PMPI_Ireduce_scatter mpi_ireduce_scatter_ mpi_ireduce_scatter__ MPI_IREDUCE_SCATTER mpi_ireduce_scatter_f08_ mpi_ireduce_scatter_f08ts_;
    213: MPI_Ireduce_scatter_c PMPI_Ireduce_scatter_c mpi_ireduce_scatter_c_ mpi_ireduce_scatter_c__ MPI_IREDUCE_SCATTER_C mpi_ireduce_scatter_c_f08_ mpi_ireduce_scatter_c_f08ts_;
    214: MPI_Ireduce_scatter_block PMPI_Ireduce_scatter_block mpi_ireduce_scatter_block_ mpi_ireduce_scatter_block__ MPI_IREDUCE_SCATTER_BLOCK mpi_ireduce_scatter_block_f08_ mpi_ireduce_scatter_block_f08ts_;
    215: MPI_Ireduce_scatter_block_c PMPI_Ireduce_scatter_block_c mpi_ireduce_scatter_block_c_ mpi_ireduce_scatter_block_c__ MPI_IREDUCE_SCATTER_BLOCK_C mpi_ireduce_scatter_block_c_f08_ mpi_ireduce_scatter_block_c_f08ts_;
    216: MPI_Iscan PMPI_Iscan mpi_iscan_ mpi_iscan__ MPI_ISCAN mpi_iscan_f08_ mpi_iscan_f08ts_;
    217: MPI_Iscan_c PMPI_Iscan_c mpi_iscan_c_ mpi_iscan_c__ MPI_ISCAN_C mpi_iscan_c_f08_ mpi_iscan_c_f08ts_;
    218: MPI_Iscatter PMPI_Iscatter mpi_iscatter_ mpi_iscatter__ MPI_ISCATTER mpi_iscatter_f08_ mpi_iscatter_f08ts_;
    219: MPI_Iscatter_c PMPI_Iscatter_c mpi_iscatter_c_ mpi_iscatter_c__ MPI_ISCATTER_C mpi_iscatter_c_f08_ mpi_iscatter_c_f08ts_;
    220: MPI_Iscatterv PMPI_Iscatterv mpi_iscatterv_ mpi_iscatterv__ MPI_ISCATTERV mpi_iscatterv_f08_ mpi_iscatterv_f08ts_;
    221: MPI_Iscatterv_c PMPI_Iscatterv_c mpi_iscatterv_c_ mpi_iscatterv_c__ MPI_ISCATTERV_C mpi_iscatterv_c_f08_ mpi_iscatterv_c_f08ts_;
    222: MPI_Neighbor_allgather PMPI_Neighbor_allgather mpi_neighbor_allgather_ mpi_neighbor_allgather__ MPI_NEIGHBOR_ALLGATHER mpi_neighbor_allgather_f08_ mpi_neighbor_allgather_f08ts_;
    223: MPI_Neighbor_allgather_c PMPI_Neighbor_allgather_c mpi_neighbor_allgather_c_ mpi_neighbor_allgather_c__ MPI_NEIGHBOR_ALLGATHER_C mpi_neighbor_allgather_c_f08_ mpi_neighbor_allgather_c_f08ts_;
    224: MPI_Neighbor_allgather_init PMPI_Neighbor_allgather_init mpi_neighbor_allgather_init_ mpi_neighbor_allgather_init__ MPI_NEIGHBOR_ALLGATHER_INIT mpi_neighbor_allgather_init_f08_ mpi_neighbor_allgather_init_f08ts_;
    225: MPI_Neighbor_allgather_init_c PMPI_Neighbor_allgather_init_c mpi_neighbor_allgather_init_c_ mpi_neighbor_allgather_init_c__ MPI_NEIGHBOR_ALLGATHER_INIT_C mpi_neighbor_allgather_init_c_f08_ mpi_neighbor_allgather_init_c_f08ts_;
    226: MPI_Neighbor_allgatherv PMPI_Neighbor_allgatherv mpi_neighbor_allgatherv_ mpi_neighbor_allgatherv__ MPI_NEIGHBOR_ALLGATHERV mpi_neighbor_allgatherv_f08_ mpi_neighbor_allgatherv_f08ts_;
    227: MPI_Neighbor_allgatherv_c PMPI_Neighbor_allgatherv_c mpi_neighbor_allgatherv_c_ mpi_neighbor_allgatherv_c__ MPI_NEIGHBOR_ALLGATHERV_C mpi_neighbor_allgatherv_c_f08_ mpi_neighbor_allgatherv_c_f08ts_;
    228: MPI_Neighbor_allgatherv_init PMPI_Neighbor_allgatherv_init mpi_neighbor_allgatherv_init_ mpi_neighbor_allgatherv_init__ MPI_NEIGHBOR_ALLGATHERV_INIT mpi_neighbor_allgatherv_init_f08_ mpi_neighbor_allgatherv_init_f08ts_;
    229: MPI_Neighbor_allgatherv_init_c PMPI_Neighbor_allgatherv_init_c mpi_neighbor_allgatherv_init_c_ mpi_neighbor_allgatherv_init_c__ MPI_NEIGHBOR_ALLGATHERV_INIT_C mpi_neighbor_allgatherv_init_c_f08_ mpi_neighbor_allgatherv_init_c_f08ts_;
    230: MPI_Neighbor_alltoall PMPI_Neighbor_alltoall mpi_neighbor_alltoall_ mpi_neighbor_alltoall__ MPI_NEIGHBOR_ALLTOALL mpi_neighbor_alltoall_f08_ mpi_neighbor_alltoall_f08ts_;
    231: MPI_Neighbor_alltoall_c PMPI_Neighbor_alltoall_c mpi_neighbor_alltoall_c_ mpi_neighbor_alltoall_c__ MPI_NEIGHBOR_ALLTOALL_C mpi_neighbor_alltoall_c_f08_ mpi_neighbor_alltoall_c_f08ts_;
    232: MPI_Neighbor_alltoall_init PMPI_Neighbor_alltoall_init mpi_neighbor_alltoall_init_ mpi_neighbor_alltoall_init__ MPI_NEIGHBOR_ALLTOALL_INIT mpi_neighbor_alltoall_init_f08_ mpi_neighbor_alltoall_init_f08ts_;
    233: MPI_Neighbor_alltoall_init_c PMPI_Neighbor_alltoall_init_c mpi_neighbor_alltoall_init_c_ mpi_neighbor_alltoall_init_c__ MPI_NEIGHBOR_ALLTOALL_INIT_C mpi_neighbor_alltoall_init_c_f08_ mpi_neighbor_alltoall_init_c_f08ts_;
    234: MPI_Neighbor_alltoallv PMPI_Neighbor_alltoallv mpi_neighbor_alltoallv_ mpi_neighbor_alltoallv__ MPI_NEIGHBOR_ALLTOALLV mpi_neighbor_alltoallv_f08_ mpi_neighbor_alltoallv_f08ts_;
    235: MPI_Neighbor_alltoallv_c PMPI_Neighbor_alltoallv_c mpi_neighbor_alltoallv_c_ mpi_neighbor_alltoallv_c__ MPI_NEIGHBOR_ALLTOALLV_C mpi_neighbor_alltoallv_c_f08_ mpi_neighbor_alltoallv_c_f08ts_;
    236: MPI_Neighbor_alltoallv_init PMPI_Neighbor_alltoallv_init mpi_neighbor_alltoallv_init_ mpi_neighbor_alltoallv_init__ MPI_NEIGHBOR_ALLTOALLV_INIT mpi_neighbor_alltoallv_init_f08_ mpi_neighbor_alltoallv_init_f08ts_;
    237: MPI_Neighbor_alltoallv_init_c PMPI_Neighbor_alltoallv_init_c mpi_neighbor_alltoallv_init_c_ mpi_neighbor_alltoallv_init_c__ MPI_NEIGHBOR_ALLTOALLV_INIT_C mpi_neighbor_alltoallv_init_c_f08_ mpi_neighbor_alltoallv_init_c_f08ts_;
    238: MPI_Neighbor_alltoallw PMPI_Neighbor_alltoallw mpi_neighbor_alltoallw_ mpi_neighbor_alltoallw__ MPI_NEIGHBOR_ALLTOALLW mpi_neighbor_alltoallw_f08_ mpi_neighbor_alltoallw_f08ts_;
    239: MPI_Neighbor_alltoallw_c PMPI_Neighbor_alltoallw_c mpi_neighbor_alltoallw_c_ mpi_neighbor_alltoallw_c__ MPI_NEIGHBOR_ALLTOALLW_C mpi_neighbor_alltoallw_c_f08_ mpi_neighbor_alltoallw_c_f08ts_;
    240: MPI_Neighbor_alltoallw_init PMPI_Neighbor_alltoallw_init mpi_neighbor_alltoallw_init_ mpi_neighbor_alltoallw_init__ MPI_NEIGHBOR_ALLTOALLW_INIT mpi_neighbor_alltoallw_init_f08_ mpi_neighbor_alltoallw_init_f08ts_;
    241: MPI_Neighbor_alltoallw_init_c PMPI_Neighbor_alltoallw_init_c mpi_neighbor_alltoallw_init_c_ mpi_neighbor_alltoallw_init_c__ MPI_NEIGHBOR_ALLTOALLW_INIT_C mpi_neighbor_alltoallw_init_c_f08_ mpi_neighbor_alltoallw_init_c_f08ts_;
    242: MPI_Reduce PMPI_Reduce mpi_reduce_ mpi_reduce__ MPI_REDUCE mpi_reduce_f08_ mpi_reduce_f08ts_;
    243: MPI_Reduce_c PMPI_Reduce_c mpi_reduce_c_ mpi_reduce_c__ MPI_REDUCE_C mpi_reduce_c_f08_ mpi_reduce_c_f08ts_;
    244: MPI_Reduce_init PMPI_Reduce_init mpi_reduce_init_ mpi_reduce_init__ MPI_REDUCE_INIT mpi_reduce_init_f08_ mpi_reduce_init_f08ts_;
    245: MPI_Reduce_init_c PMPI_Reduce_init_c mpi_reduce_init_c_ mpi_reduce_init_c__ MPI_REDUCE_INIT_C mpi_reduce_init_c_f08_ mpi_reduce_init_c_f08ts_;
    246: MPI_Reduce_scatter PMPI_Reduce_scatter mpi_reduce_scatter_ mpi_reduce_scatter__ MPI_REDUCE_SCATTER mpi_reduce_scatter_f08_ mpi_reduce_scatter_f08ts_;
    247: MPI_Reduce_scatter_c PMPI_Reduce_scatter_c mpi_reduce_scatter_c_ mpi_reduce_scatter_c__ MPI_REDUCE_SCATTER_C mpi_reduce_scatter_c_f08_ mpi_reduce_scatter_c_f08ts_;
    248: MPI_Reduce_scatter_block PMPI_Reduce_scatter_block mpi_reduce_scatter_block_ mpi_reduce_scatter_block__ MPI_REDUCE_SCATTER_BLOCK mpi_reduce_scatter_block_f08_ mpi_reduce_scatter_block_f08ts_;
    249: MPI_Reduce_scatter_block_c PMPI_Reduce_scatter_block_c mpi_reduce_scatter_block_c_ mpi_reduce_scatter_block_c__ MPI_REDUCE_SCATTER_BLOCK_C mpi_reduce_scatter_block_c_f08_ mpi_reduce_scatter_block_c_f08ts_;
    250: MPI_Reduce_scatter_block_init PMPI_Reduce_scatter_block_init mpi_reduce_scatter_block_init_ mpi_reduce_scatter_block_init__ MPI_REDUCE_SCATTER_BLOCK_INIT mpi_reduce_scatter_block_init_f08_ mpi_reduce_scatter_block_init_f08ts_;
    251: MPI_Reduce_scatter_block_init_c PMPI_Reduce_scatter_block_init_c mpi_reduce_scatter_block_init_c_ mpi_reduce_scatter_block_init_c__ MPI_REDUCE_SCATTER_BLOCK_INIT_C mpi_reduce_scatter_block_init_c_f08_ mpi_reduce_scatter_block_init_c_f08ts_;
    252: MPI_Reduce_scatter_init PMPI_Reduce_scatter_init mpi_reduce_scatter_init_ mpi_reduce_scatter_init__ MPI_REDUCE_SCATTER_INIT mpi_reduce_scatter_init_f08_ mpi_reduce_scatter_init_f08ts_;
    253: MPI_Reduce_scatter_init_c PMPI_Reduce_scatter_init_c mpi_reduce_scatter_init_c_ mpi_reduce_scatter_init_c__ MPI_REDUCE_SCATTER_INIT_C mpi_reduce_scatter_init_c_f08_ mpi_reduce_scatter_init_c_f08ts_;
    254: MPI_Scan PMPI_Scan mpi_scan_ mpi_scan__ MPI_SCAN mpi_scan_f08_ mpi_scan_f08ts_;
    255: MPI_Scan_c PMPI_Scan_c mpi_scan_c_ mpi_scan_c__ MPI_SCAN_C mpi_scan_c_f08_ mpi_scan_c_f08ts_;
    256: MPI_Scan_init PMPI_Scan_init mpi_scan_init_ mpi_scan_init__ MPI_SCAN_INIT mpi_scan_init_f08_ mpi_scan_init_f08ts_;
    257: MPI_Scan_init_c PMPI_Scan_init_c mpi_scan_init_c_ mpi_scan_init_c__ MPI_SCAN_INIT_C mpi_scan_init_c_f08_ mpi_scan_init_c_f08ts_;
    258: MPI_Scatter PMPI_Scatter mpi_scatter_ mpi_scatter__ MPI_SCATTER mpi_scatter_f08_ mpi_scatter_f08ts_;
    259: MPI_Scatter_c PMPI_Scatter_c mpi_scatter_c_ mpi_scatter_c__ MPI_SCATTER_C mpi_scatter_c_f08_ mpi_scatter_c_f08ts_;
    260: MPI_Scatter_init PMPI_Scatter_init mpi_scatter_init_ mpi_scatter_init__ MPI_SCATTER_INIT mpi_scatter_init_f08_ mpi_scatter_init_f08ts_;
    261: MPI_Scatter_init_c PMPI_Scatter_init_c mpi_scatter_init_c_ mpi_scatter_init_c__ MPI_SCATTER_INIT_C mpi_scatter_init_c_f08_ mpi_scatter_init_c_f08ts_;
    262: MPI_Scatterv PMPI_Scatterv mpi_scatterv_ mpi_scatterv__ MPI_SCATTERV mpi_scatterv_f08_ mpi_scatterv_f08ts_;
    263: MPI_Scatterv_c PMPI_Scatterv_c mpi_scatterv_c_ mpi_scatterv_c__ MPI_SCATTERV_C mpi_scatterv_c_f08_ mpi_scatterv_c_f08ts_;
    264: MPI_Scatterv_init PMPI_Scatterv_init mpi_scatterv_init_ mpi_scatterv_init__ MPI_SCATTERV_INIT mpi_scatterv_init_f08_ mpi_scatterv_init_f08ts_;
    265: MPI_Scatterv_init_c PMPI_Scatterv_init_c mpi_scatterv_init_c_ mpi_scatterv_init_c__ MPI_SCATTERV_INIT_C mpi_scatterv_init_c_f08_ mpi_scatterv_init_c_f08ts_;
    266: MPI_Accumulate PMPI_Accumulate mpi_accumulate_ mpi_accumulate__ MPI_ACCUMULATE mpi_accumulate_f08_ mpi_accumulate_f08ts_;
    267: MPI_Accumulate_c PMPI_Accumulate_c mpi_accumulate_c_ mpi_accumulate_c__ MPI_ACCUMULATE_C mpi_accumulate_c_f08_ mpi_accumulate_c_f08ts_;
    268: MPI_Compare_and_swap PMPI_Compare_and_swap mpi_compare_and_swap_ mpi_compare_and_swap__ MPI_COMPARE_AND_SWAP mpi_compare_and_swap_f08_ mpi_compare_and_swap_f08ts_;
    269: MPI_Fetch_and_op PMPI_Fetch_and_op mpi_fetch_and_op_ mpi_fetch_and_op__ MPI_FETCH_AND_OP mpi_fetch_and_op_f08_ mpi_fetch_and_op_f08ts_;
    270: MPI_Get PMPI_Get mpi_get_ mpi_get__ MPI_GET mpi_get_f08_ mpi_get_f08ts_;
    271: MPI_Get_c PMPI_Get_c mpi_get_c_ mpi_get_c__ MPI_GET_C mpi_get_c_f08_ mpi_get_c_f08ts_;
    272: MPI_Get_accumulate PMPI_Get_accumulate mpi_get_accumulate_ mpi_get_accumulate__ MPI_GET_ACCUMULATE mpi_get_accumulate_f08_ mpi_get_accumulate_f08ts_;
    273: MPI_Get_accumulate_c PMPI_Get_accumulate_c mpi_get_accumulate_c_ mpi_get_accumulate_c__ MPI_GET_ACCUMULATE_C mpi_get_accumulate_c_f08_ mpi_get_accumulate_c_f08ts_;
    274: MPI_Put PMPI_Put mpi_put_ mpi_put__ MPI_PUT mpi_put_f08_ mpi_put_f08ts_;
    275: MPI_Put_c PMPI_Put_c mpi_put_c_ mpi_put_c__ MPI_PUT_C mpi_put_c_f08_ mpi_put_c_f08ts_;
    276: MPI_Raccumulate PMPI_Raccumulate mpi_raccumulate_ mpi_raccumulate__ MPI_RACCUMULATE mpi_raccumulate_f08_ mpi_raccumulate_f08ts_;
    277: MPI_Raccumulate_c PMPI_Raccumulate_c mpi_raccumulate_c_ mpi_raccumulate_c__ MPI_RACCUMULATE_C mpi_raccumulate_c_f08_ mpi_raccumulate_c_f08ts_;
    278: MPI_Rget PMPI_Rget mpi_rget_ mpi_rget__ MPI_RGET mpi_rget_f08_ mpi_rget_f08ts_;
    279: MPI_Rget_c PMPI_Rget_c mpi_rget_c_ mpi_rget_c__ MPI_RGET_C mpi_rget_c_f08_ mpi_rget_c_f08ts_;
    280: MPI_Rget_accumulate PMPI_Rget_accumulate mpi_rget_accumulate_ mpi_rget_accumulate__ MPI_RGET_ACCUMULATE mpi_rget_accumulate_f08_ mpi_rget_accumulate_f08ts_;
    281: MPI_Rget_accumulate_c PMPI_Rget_accumulate_c mpi_rget_accumulate_c_ mpi_rget_accumulate_c__ MPI_RGET_ACCUMULATE_C mpi_rget_accumulate_c_f08_ mpi_rget_accumulate_c_f08ts_;
    282: MPI_Rput PMPI_Rput mpi_rput_ mpi_rput__ MPI_RPUT mpi_rput_f08_ mpi_rput_f08ts_;
    283: MPI_Rput_c PMPI_Rput_c mpi_rput_c_ mpi_rput_c__ MPI_RPUT_C mpi_rput_c_f08_ mpi_rput_c_f08ts_;
    284: MPI_File_iread PMPI_File_iread mpi_file_iread_ mpi_file_iread__ MPI_FILE_IREAD mpi_file_iread_f08_ mpi_file_iread_f08ts_;
    285: MPI_File_iread_c PMPI_File_iread_c mpi_file_iread_c_ mpi_file_iread_c__ MPI_FILE_IREAD_C mpi_file_iread_c_f08_ mpi_file_iread_c_f08ts_;
    286: MPI_File_iread_all PMPI_File_iread_all mpi_file_iread_all_ mpi_file_iread_all__ MPI_FILE_IREAD_ALL mpi_file_iread_all_f08_ mpi_file_iread_all_f08ts_;
    287: MPI_File_iread_all_c PMPI_File_iread_all_c mpi_file_iread_all_c_ mpi_file_iread_all_c__ MPI_FILE_IREAD_ALL_C mpi_file_iread_all_c_f08_ mpi_file_iread_all_c_f08ts_;
    288: MPI_File_iread_at PMPI_File_iread_at mpi_file_iread_at_ mpi_file_iread_at__ MPI_FILE_IREAD_AT mpi_file_iread_at_f08_ mpi_file_iread_at_f08ts_;
    289: MPI_File_iread_at_c PMPI_File_iread_at_c mpi_file_iread_at_c_ mpi_file_iread_at_c__ MPI_FILE_IREAD_AT_C mpi_file_iread_at_c_f08_ mpi_file_iread_at_c_f08ts_;
    290: MPI_File_iread_at_all PMPI_File_iread_at_all mpi_file_iread_at_all_ mpi_file_iread_at_all__ MPI_FILE_IREAD_AT_ALL mpi_file_iread_at_all_f08_ mpi_file_iread_at_all_f08ts_;
    291: MPI_File_iread_at_all_c PMPI_File_iread_at_all_c mpi_file_iread_at_all_c_ mpi_file_iread_at_all_c__ MPI_FILE_IREAD_AT_ALL_C mpi_file_iread_at_all_c_f08_ mpi_file_iread_at_all_c_f08ts_;
    292: MPI_File_iread_shared PMPI_File_iread_shared mpi_file_iread_shared_ mpi_file_iread_shared__ MPI_FILE_IREAD_SHARED mpi_file_iread_shared_f08_ mpi_file_iread_shared_f08ts_;
    293: MPI_File_iread_shared_c PMPI_File_iread_shared_c mpi_file_iread_shared_c_ mpi_file_iread_shared_c__ MPI_FILE_IREAD_SHARED_C mpi_file_iread_shared_c_f08_ mpi_file_iread_shared_c_f08ts_;
    294: MPI_File_iwrite PMPI_File_iwrite mpi_file_iwrite_ mpi_file_iwrite__ MPI_FILE_IWRITE mpi_file_iwrite_f08_ mpi_file_iwrite_f08ts_;
    295: MPI_File_iwrite_c PMPI_File_iwrite_c mpi_file_iwrite_c_ mpi_file_iwrite_c__ MPI_FILE_IWRITE_C mpi_file_iwrite_c_f08_ mpi_file_iwrite_c_f08ts_;
    296: MPI_File_iwrite_all PMPI_File_iwrite_all mpi_file_iwrite_all_ mpi_file_iwrite_all__ MPI_FILE_IWRITE_ALL mpi_file_iwrite_all_f08_ mpi_file_iwrite_all_f08ts_;
    297: MPI_File_iwrite_all_c PMPI_File_iwrite_all_c mpi_file_iwrite_all_c_ mpi_file_iwrite_all_c__ MPI_FILE_IWRITE_ALL_C mpi_file_iwrite_all_c_f08_ mpi_file_iwrite_all_c_f08ts_;
    298: MPI_File_iwrite_at PMPI_File_iwrite_at mpi_file_iwrite_at_ mpi_file_iwrite_at__ MPI_FILE_IWRITE_AT mpi_file_iwrite_at_f08_ mpi_file_iwrite_at_f08ts_;
    299: MPI_File_iwrite_at_c PMPI_File_iwrite_at_c mpi_file_iwrite_at_c_ mpi_file_iwrite_at_c__ MPI_FILE_IWRITE_AT_C mpi_file_iwrite_at_c_f08_ mpi_file_iwrite_at_c_f08ts_;
    300: MPI_File_iwrite_at_all PMPI_File_iwrite_at_all mpi_file_iwrite_at_all_ mpi_file_iwrite_at_all__ MPI_FILE_IWRITE_AT_ALL mpi_file_iwrite_at_all_f08_ mpi_file_iwrite_at_all_f08ts_;
    301: MPI_File_iwrite_at_all_c PMPI_File_iwrite_at_all_c mpi_file_iwrite_at_all_c_ mpi_file_iwrite_at_all_c__ MPI_FILE_IWRITE_AT_ALL_C mpi_file_iwrite_at_all_c_f08_ mpi_file_iwrite_at_all_c_f08ts_;
    302: MPI_File_iwrite_shared PMPI_File_iwrite_shared mpi_file_iwrite_shared_ mpi_file_iwrite_shared__ MPI_FILE_IWRITE_SHARED mpi_file_iwrite_shared_f08_ mpi_file_iwrite_shared_f08ts_;
    303: MPI_File_iwrite_shared_c PMPI_File_iwrite_shared_c mpi_file_iwrite_shared_c_ mpi_file_iwrite_shared_c__ MPI_FILE_IWRITE_SHARED_C mpi_file_iwrite_shared_c_f08_ mpi_file_iwrite_shared_c_f08ts_;
    304: MPI_File_read PMPI_File_read mpi_file_read_ mpi_file_read__ MPI_FILE_READ mpi_file_read_f08_ mpi_file_read_f08ts_;
    305: MPI_File_read_c PMPI_File_read_c mpi_file_read_c_ mpi_file_read_c__ MPI_FILE_READ_C mpi_file_read_c_f08_ mpi_file_read_c_f08ts_;
    306: MPI_File_read_all PMPI_File_read_all mpi_file_read_all_ mpi_file_read_all__ MPI_FILE_READ_ALL mpi_file_read_all_f08_ mpi_file_read_all_f08ts_;
    307: MPI_File_read_all_c PMPI_File_read_all_c mpi_file_read_all_c_ mpi_file_read_all_c__ MPI_FILE_READ_ALL_C mpi_file_read_all_c_f08_ mpi_file_read_all_c_f08ts_;
    308: MPI_File_read_all_begin PMPI_File_read_all_begin mpi_file_read_all_begin_ mpi_file_read_all_begin__ MPI_FILE_READ_ALL_BEGIN mpi_file_read_all_begin_f08_ mpi_file_read_all_begin_f08ts_;
    309: MPI_File_read_all_begin_c PMPI_File_read_all_begin_c mpi_file_read_all_begin_c_ mpi_file_read_all_begin_c__ MPI_FILE_READ_ALL_BEGIN_C mpi_file_read_all_begin_c_f08_ mpi_file_read_all_begin_c_f08ts_;
    310: MPI_File_read_all_end PMPI_File_read_all_end mpi_file_read_all_end_ mpi_file_read_all_end__ MPI_FILE_READ_ALL_END mpi_file_read_all_end_f08_ mpi_file_read_all_end_f08ts_;
    311: MPI_File_read_at PMPI_File_read_at mpi_file_read_at_ mpi_file_read_at__ MPI_FILE_READ_AT mpi_file_read_at_f08_ mpi_file_read_at_f08ts_;
    312: MPI_File_read_at_c PMPI_File_read_at_c mpi_file_read_at_c_ mpi_file_read_at_c__ MPI_FILE_READ_AT_C mpi_file_read_at_c_f08_ mpi_file_read_at_c_f08ts_;
    313: MPI_File_read_at_all PMPI_File_read_at_all mpi_file_read_at_all_ mpi_file_read_at_all__ MPI_FILE_READ_AT_ALL mpi_file_read_at_all_f08_ mpi_file_read_at_all_f08ts_;
    314: MPI_File_read_at_all_c PMPI_File_read_at_all_c mpi_file_read_at_all_c_ mpi_file_read_at_all_c__ MPI_FILE_READ_AT_ALL_C mpi_file_read_at_all_c_f08_ mpi_file_read_at_all_c_f08ts_;
    315: MPI_File_read_at_all_begin PMPI_File_read_at_all_begin mpi_file_read_at_all_begin_ mpi_file_read_at_all_begin__ MPI_FILE_READ_AT_ALL_BEGIN mpi_file_read_at_all_begin_f08_ mpi_file_read_at_all_begin_f08ts_;
    316: MPI_File_read_at_all_begin_c PMPI_File_read_at_all_begin_c mpi_file_read_at_all_begin_c_ mpi_file_read_at_all_begin_c__ MPI_FILE_READ_AT_ALL_BEGIN_C mpi_file_read_at_all_begin_c_f08_ mpi_file_read_at_all_begin_c_f08ts_;
    317: MPI_File_read_at_all_end PMPI_File_read_at_all_end mpi_file_read_at_all_end_ mpi_file_read_at_all_end__ MPI_FILE_READ_AT_ALL_END mpi_file_read_at_all_end_f08_ mpi_file_read_at_all_end_f08ts_;
    318: MPI_File_read_ordered PMPI_File_read_ordered mpi_file_read_ordered_ mpi_file_read_ordered__ MPI_FILE_READ_ORDERED mpi_file_read_ordered_f08_ mpi_file_read_ordered_f08ts_;
    319: MPI_File_read_ordered_c PMPI_File_read_ordered_c mpi_file_read_ordered_c_ mpi_file_read_ordered_c__ MPI_FILE_READ_ORDERED_C mpi_file_read_ordered_c_f08_ mpi_file_read_ordered_c_f08ts_;
    320: MPI_File_read_ordered_begin PMPI_File_read_ordered_begin mpi_file_read_ordered_begin_ mpi_file_read_ordered_begin__ MPI_FILE_READ_ORDERED_BEGIN mpi_file_read_ordered_begin_f08_ mpi_file_read_ordered_begin_f08ts_;
    321: MPI_File_read_ordered_begin_c PMPI_File_read_ordered_begin_c mpi_file_read_ordered_begin_c_ mpi_file_read_ordered_begin_c__ MPI_FILE_READ_ORDERED_BEGIN_C mpi_file_read_ordered_begin_c_f08_ mpi_file_read_ordered_begin_c_f08ts_;
    322: MPI_File_read_ordered_end PMPI_File_read_ordered_end mpi_file_read_ordered_end_ mpi_file_read_ordered_end__ MPI_FILE_READ_ORDERED_END mpi_file_read_ordered_end_f08_ mpi_file_read_ordered_end_f08ts_;
    323: MPI_File_read_shared PMPI_File_read_shared mpi_file_read_shared_ mpi_file_read_shared__ MPI_FILE_READ_SHARED mpi_file_read_shared_f08_ mpi_file_read_shared_f08ts_;
    324: MPI_File_read_shared_c PMPI_File_read_shared_c mpi_file_read_shared_c_ mpi_file_read_shared_c__ MPI_FILE_READ_SHARED_C mpi_file_read_shared_c_f08_ mpi_file_read_shared_c_f08ts_;
    325: MPI_File_write PMPI_File_write mpi_file_write_ mpi_file_write__ MPI_FILE_WRITE mpi_file_write_f08_ mpi_file_write_f08ts_;
    326: MPI_File_write_c PMPI_File_write_c mpi_file_write_c_ mpi_file_write_c__ MPI_FILE_WRITE_C mpi_file_write_c_f08_ mpi_file_write_c_f08ts_;
    327: MPI_File_write_all PMPI_File_write_all mpi_file_write_all_ mpi_file_write_all__ MPI_FILE_WRITE_ALL mpi_file_write_all_f08_ mpi_file_write_all_f08ts_;
    328: MPI_File_write_all_c PMPI_File_write_all_c mpi_file_write_all_c_ mpi_file_write_all_c__ MPI_FILE_WRITE_ALL_C mpi_file_write_all_c_f08_ mpi_file_write_all_c_f08ts_;
    329: MPI_File_write_all_begin PMPI_File_write_all_begin mpi_file_write_all_begin_ mpi_file_write_all_begin__ MPI_FILE_WRITE_ALL_BEGIN mpi_file_write_all_begin_f08_ mpi_file_write_all_begin_f08ts_;
    330: MPI_File_write_all_begin_c PMPI_File_write_all_begin_c mpi_file_write_all_begin_c_ mpi_file_write_all_begin_c__ MPI_FILE_WRITE_ALL_BEGIN_C mpi_file_write_all_begin_c_f08_ mpi_file_write_all_begin_c_f08ts_;
    331: MPI_File_write_all_end PMPI_File_write_all_end mpi_file_write_all_end_ mpi_file_write_all_end__ MPI_FILE_WRITE_ALL_END mpi_file_write_all_end_f08_ mpi_file_write_all_end_f08ts_;
    332: MPI_File_write_at PMPI_File_write_at mpi_file_write_at_ mpi_file_write_at__ MPI_FILE_WRITE_AT mpi_file_write_at_f08_ mpi_file_write_at_f08ts_;
    333: MPI_File_write_at_c PMPI_File_write_at_c mpi_file_write_at_c_ mpi_file_write_at_c__ MPI_FILE_WRITE_AT_C mpi_file_write_at_c_f08_ mpi_file_write_at_c_f08ts_;
    334: MPI_File_write_at_all PMPI_File_write_at_all mpi_file_write_at_all_ mpi_file_write_at_all__ MPI_FILE_WRITE_AT_ALL mpi_file_write_at_all_f08_ mpi_file_write_at_all_f08ts_;
    335: MPI_File_write_at_all_c PMPI_File_write_at_all_c mpi_file_write_at_all_c_ mpi_file_write_at_all_c__ MPI_FILE_WRITE_AT_ALL_C mpi_file_write_at_all_c_f08_ mpi_file_write_at_all_c_f08ts_;
    336: MPI_File_write_at_all_begin PMPI_File_write_at_all_begin mpi_file_write_at_all_begin_ mpi_file_write_at_all_begin__ MPI_FILE_WRITE_AT_ALL_BEGIN mpi_file_write_at_all_begin_f08_ mpi_file_write_at_all_begin_f08ts_;
    337: MPI_File_write_at_all_begin_c PMPI_File_write_at_all_begin_c mpi_file_write_at_all_begin_c_ mpi_file_write_at_all_begin_c__ MPI_FILE_WRITE_AT_ALL_BEGIN_C mpi_file_write_at_all_begin_c_f08_ mpi_file_write_at_all_begin_c_f08ts_;
    338: MPI_File_write_at_all_end PMPI_File_write_at_all_end mpi_file_write_at_all_end_ mpi_file_write_at_all_end__ MPI_FILE_WRITE_AT_ALL_END mpi_file_write_at_all_end_f08_ mpi_file_write_at_all_end_f08ts_;
    339: MPI_File_write_ordered PMPI_File_write_ordered mpi_file_write_ordered_ mpi_file_write_ordered__ MPI_FILE_WRITE_ORDERED mpi_file_write_ordered_f08_ mpi_file_write_ordered_f08ts_;
    340: MPI_File_write_ordered_c PMPI_File_write_ordered_c mpi_file_write_ordered_c_ mpi_file_write_ordered_c__ MPI_FILE_WRITE_ORDERED_C mpi_file_write_ordered_c_f08_ mpi_file_write_ordered_c_f08ts_;
    341: MPI_File_write_ordered_begin PMPI_File_write_ordered_begin mpi_file_write_ordered_begin_ mpi_file_write_ordered_begin__ MPI_FILE_WRITE_ORDERED_BEGIN mpi_file_write_ordered_begin_f08_ mpi_file_write_ordered_begin_f08ts_;
    342: MPI_File_write_ordered_begin_c PMPI_File_write_ordered_begin_c mpi_file_write_ordered_begin_c_ mpi_file_write_ordered_begin_c__ MPI_FILE_WRITE_ORDERED_BEGIN_C mpi_file_write_ordered_begin_c_f08_ mpi_file_write_ordered_begin_c_f08ts_;
    343: MPI_File_write_ordered_end PMPI_File_write_ordered_end mpi_file_write_ordered_end_ mpi_file_write_ordered_end__ MPI_FILE_WRITE_ORDERED_END mpi_file_write_ordered_end_f08_ mpi_file_write_ordered_end_f08ts_;
    344: MPI_File_write_shared PMPI_File_write_shared mpi_file_write_shared_ mpi_file_write_shared__ MPI_FILE_WRITE_SHARED mpi_file_write_shared_f08_ mpi_file_write_shared_f08ts_;
    345: MPI_File_write_shared_c PMPI_File_write_shared_c mpi_file_write_shared_c_ mpi_file_write_shared_c__ MPI_FILE_WRITE_SHARED_C mpi_file_write_shared_c_f08_ mpi_file_write_shared_c_f08ts_;
}
