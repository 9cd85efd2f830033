use numawise_facts::Activity;
use numawise_tables::snapshot::{FileSummary, Grade};

use super::super::sample::{call, file_calls as calls, process, seconds, simple_rank, snapshot, thread};
use super::*;

fn first(activity: &mut Activity) -> &mut ThreadActivity {
    let Reading::Measured(threads) = &mut activity.threads else { unreachable!() };
    &mut threads[0]
}

fn reader(pid: i32, kernel: u64) -> Activity {
    let mut one = process(pid, 2.0, vec![thread(pid, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0])]);
    let of = &mut first(&mut one).files;
    (of.read, of.written) = (calls(10, 0.3, 4096), calls(5, 0.1, 100));
    of.synced = calls(1, 0.2, 0);
    one.io.kernel = Reading::Measured(KernelIo::from_numbers([kernel, 1, 2, 3, 4]));
    one.io.sees_streams = true;
    one
}

fn files(activities: &[Activity]) -> FileSummary {
    snapshot(activities).files
}

#[test]
fn time_on_files_is_a_share_of_the_time_of_the_cpus_with_a_judgement() {
    let one = files(&[reader(7, 5000)]);
    let share = one.share.value.measured().unwrap().0;
    assert!((share - 0.3).abs() < 1e-9, "{share}");
    assert_eq!(one.share.rating.unwrap().grade, Grade::LookHere);
    let posix = one.all.posix.measured().unwrap();
    assert_eq!((posix.total().count, posix.read.bytes, posix.written.bytes), (16, Bytes(4096), Bytes(100)));
    assert!(one.sees_streams);
    // A process that does nothing with files: that is known.
    let none = files(&[process(7, 2.0, vec![thread(7, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0])])]);
    assert_eq!(none.share.value.measured(), Some(&Ratio(0.0)));
    assert!(none.all.disk_wait.measured().is_none() && !none.sees_streams);
}

#[test]
fn what_a_parent_was_charged_for_its_children_is_not_added_again() {
    let (parent, mut child) = (reader(7, 5000), reader(8, 3000));
    child.parent = parent.pid;
    assert_eq!(files(&[parent.clone(), child.clone()]).all.kernel.measured().unwrap().read, Bytes(5000));
    child.parent = numawise_units::Pid(1);
    assert_eq!(files(&[parent, child]).all.kernel.measured().unwrap().read, Bytes(8000));
}

#[test]
fn a_sum_of_which_a_part_is_missing_is_missing() {
    let mut dead = reader(8, 0);
    dead.io.kernel = Reading::unavailable("it was killed");
    let both = files(&[reader(7, 5000), dead]);
    let reason = both.all.kernel.reason().unwrap().to_string();
    assert!(reason.contains("process 8") && reason.contains("it was killed"), "{reason}");
    assert_eq!(both.all.posix.measured().unwrap().read.bytes, Bytes(8192));
}

#[test]
fn calls_of_mpi_on_files_count_with_their_bytes() {
    let rank = |number| {
        let mut one = simple_rank(number, 2, 1.0, 1.0);
        let mut write = call("MPI_File_write_at_all", 0x20, 3, 0.5);
        write.sent = Reading::Measured(Bytes(300));
        write.received = Reading::Measured(Bytes(0));
        first(&mut one).calls.push(write);
        one
    };
    let all = files(&[rank(0), rank(1)]);
    let mpi = all.all.mpi.measured().unwrap();
    assert_eq!((mpi.calls.count, mpi.calls.time), (6, seconds(1.0)));
    assert_eq!((mpi.written.measured(), mpi.read.measured()), (Some(&Bytes(600)), Some(&Bytes(0))));
    let share = all.share.value.measured().unwrap().0;
    assert!((share - 0.25).abs() < 1e-9, "{share}");
    let mut other = rank(1);
    first(&mut other).calls.push(call("MPI_File_iread", 0x30, 1, 0.0));
    assert!(files(&[rank(0), other]).all.mpi.measured().unwrap().read.measured().is_none());
}
