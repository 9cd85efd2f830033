use proptest::prelude::*;

use super::*;

fn columns() -> Vec<Column> {
    vec![
        Column::number(By::Pid, "PID", 7, 0),
        Column::text(By::Name, "NAME", 8, 10, 0),
        Column::number(By::Moves, "MOVES", 5, 9),
        Column::number(By::Memory, "MEM", 5, 1),
    ]
}

fn shown(width: u16, sorted: By) -> Vec<(By, u16, u16)> {
    let columns = columns();
    fit(&columns, sorted, width)
        .into_iter()
        .map(|slot| (columns[slot.column].by, slot.x, slot.width))
        .collect()
}

#[test]
fn what_is_left_over_goes_to_names() {
    let expected = [(By::Pid, 0, 7), (By::Name, 8, 10), (By::Moves, 19, 5), (By::Memory, 25, 5)];
    assert_eq!(shown(30, By::Pid), expected);
    assert_eq!(shown(300, By::Pid)[1], (By::Name, 8, 18));
}

#[test]
fn the_least_important_goes_first_but_not_what_the_table_is_sorted_by() {
    let names = |width, sorted| shown(width, sorted).into_iter().map(|column| column.0).collect::<Vec<_>>();
    assert_eq!(names(27, By::Pid), [By::Pid, By::Name, By::Memory]);
    assert_eq!(names(27, By::Moves), [By::Pid, By::Name, By::Moves]);
    assert_eq!(names(16, By::Pid), [By::Pid, By::Name]);
    assert_eq!(shown(10, By::Pid), [(By::Pid, 0, 7), (By::Name, 8, 2)]);
    assert_eq!(shown(0, By::Pid), []);
}

proptest! {
    #[test]
    fn nothing_lies_outside_or_over_another(
        widths in prop::collection::vec((1u16..20, 0u16..40, 0u8..4), 0..20),
        width in 0u16..300,
    ) {
        let column = |(k, &(width, grow, expendable)): (usize, &(u16, u16, u8))| {
            Column::text(By::Node(k), "", width, grow, expendable)
        };
        let columns: Vec<Column> = widths.iter().enumerate().map(column).collect();
        let slots = fit(&columns, By::Node(0), width);
        for pair in slots.windows(2) {
            prop_assert!(pair[0].x + pair[0].width < pair[1].x);
            prop_assert!(pair[0].column < pair[1].column);
        }
        for slot in &slots {
            prop_assert!(slot.width > 0 && slot.x + slot.width <= width);
        }
    }
}
