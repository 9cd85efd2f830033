use numawise_facts::Exit;

use super::super::job::tests::end;
use super::*;

fn own(exit: Exit, wall: u64) -> EndedProgram {
    let RankEnd { exit, wall, usage, .. } = end(3, exit, wall);
    EndedProgram { exit, wall, usage }
}

/// The launcher ends the other ranks when one has failed.
#[test]
fn a_job_ended_as_the_rank_that_failed_first() {
    let ended = [end(0, Exit::Signal(15), 1580), end(2, Exit::Signal(9), 550), end(3, Exit::Code(0), 10)];
    let all = together(&ended, own(Exit::Code(0), 10));
    assert_eq!((all.exit, all.wall), (Exit::Signal(9), Nanoseconds(1580)));
    assert_eq!(together(&ended[2..], own(Exit::Code(0), 10)).exit, Exit::Code(0));
}

#[test]
fn ranks_that_noted_no_end_lasted_until_they_were_killed() {
    let all = together(&[end(0, Exit::Code(0), 10)], own(Exit::Signal(9), 70));
    assert_eq!((all.exit, all.wall), (Exit::Signal(9), Nanoseconds(70)));
}
