use super::*;
use crate::ResourceUsage;
use crate::activity::{MemoryByNode, MemoryMoment, ProcessSurroundings, ThreadSwitches};

fn unknown<T>(reason: &'static str) -> Reading<T> {
    Reading::unavailable(reason)
}

#[test]
fn columns_are_read_back_as_they_were_written() {
    let of = ResourceUsage {
        peak_memory: Reading::Measured(Bytes(7)),
        minor_faults: Reading::Measured(3),
        user: Reading::Measured(Nanoseconds(9)),
        ..ResourceUsage::unavailable("killed")
    };
    let columns = of.numbers();
    let of_column =
        |name: &str| columns.iter().find(|one| one.column == name).ok_or(()).map(|one| one.value.clone());
    assert_eq!(ResourceUsage::from_columns(of_column), Ok(of));
    let names: Vec<_> = columns.iter().map(|one| (one.column, one.unit)).collect();
    assert_eq!(names[..2], [("user_ns", FigureUnit::Nanoseconds), ("system_ns", FigureUnit::Nanoseconds)]);
    assert_eq!(names[2..4], [("peak_memory_bytes", FigureUnit::Bytes), ("minor_faults", FigureUnit::Count)]);
    assert_eq!(ResourceUsage::from_columns(|_| Err("no such column")), Err("no such column"));
}

#[test]
fn each_figure_has_its_way_to_be_put_together() {
    let noted = ProcessSurroundings {
        swapped: Reading::Measured(Bytes(0)),
        switches: Reading::Measured(ThreadSwitches { voluntary: 1, forced: 2 }),
        ..ProcessSurroundings::unavailable("it was killed")
    };
    let moment = MemoryMoment { at: Nanoseconds(1), by_node: Vec::new() };
    let seen = ProcessSurroundings {
        peak_memory: Reading::Measured(Bytes(5)),
        swapped: Reading::Measured(Bytes(8)),
        memory: Reading::Measured(MemoryByNode { last: moment.clone(), most: moment }),
        ..ProcessSurroundings::unavailable("it was looked at from outside")
    };
    let both = noted.clone().with(seen.clone());
    assert_eq!([&both.peak_memory, &both.swapped], [&seen.peak_memory, &seen.swapped]);
    assert_eq!((&both.switches, &both.memory), (&noted.switches, &seen.memory));
    assert_eq!(both.counters, unknown("it was killed"));
    assert_eq!(both.numbers().iter().filter(|one| one.name == "switches").count(), 2);
}

#[test]
fn missing_is_not_zero_and_sums_end_at_the_largest_number() {
    let one = |number| Reading::Measured(Nanoseconds(number));
    assert_eq!(sum(one(u64::MAX), one(1)), one(u64::MAX));
    assert_eq!(sum(one(1), unknown("a")), unknown("a"));
    assert_eq!(sum::<u64>(unknown("a"), unknown("b")), unknown("a"));
    assert_eq!([most(unknown("a"), one(0)), most(one(3), unknown("b"))], [one(0), one(3)]);
    assert_eq!(
        [first_known(one(1), one(2)), first_known(unknown("a"), unknown("b"))],
        [one(1), unknown("b")]
    );
}
