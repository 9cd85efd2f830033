use numawise_facts::Reading;
use numawise_facts::objects::MemoryObject;
use numawise_units::Bytes;

use super::super::sample::{object, run};
use crate::objects;
use crate::sample::two_sockets;

fn allocated(stack: &[u32]) -> MemoryObject {
    MemoryObject { allocated: Reading::Measured(stack.to_vec()), ..object("memory", Bytes::mib(64)) }
}

fn called_at(stacks: &[&[u32]]) -> Vec<Option<u32>> {
    let run = run(two_sockets(), stacks.iter().map(|stack| allocated(stack)).collect());
    let tables = objects(&run);
    let mut rows: Vec<_> = tables.rows.iter().collect();
    rows.sort_by_key(|row| row.object);
    let line = |of: &numawise_facts::activity::CodePlace| of.source.line.measured().copied();
    rows.iter().map(|row| row.called_at.as_ref().and_then(line)).collect()
}

/// Places 1 to 3 are lines 41, 17 and 88 of the program, 0 is a header of the system, 4 has no line.
#[test]
fn calls_of_one_line_are_told_apart() {
    assert_eq!(called_at(&[&[0, 1, 2], &[0, 1, 3]]), [Some(17), Some(88)]);
    assert_eq!(
        called_at(&[&[1, 2, 3], &[0, 1, 4, 2]]),
        [Some(88), None],
        "one was called by nobody that is known"
    );
    assert_eq!(called_at(&[&[1, 2], &[3, 2]]), [None, None], "two lines");
    assert_eq!(called_at(&[&[1, 2], &[1, 2]]), [None, None], "of two processes");
    assert_eq!(called_at(&[&[4], &[4]]), [None, None]);
}
