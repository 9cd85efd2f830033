use proptest::prelude::*;

use super::*;

fn columns() -> Vec<Column> {
    vec![
        Column::number(Field::Pid, "PID", 7, 0),
        Column::text(Field::Name, "NAME", 8, 10, 0),
        Column::number(Field::Moves, "MOVES", 5, 9),
        Column::number(Field::Memory, "MEM", 5, 1),
    ]
}

fn shown(width: u16, sorted: Field) -> Vec<(Field, u16, u16)> {
    let columns = columns();
    fit(&columns, sorted, width)
        .into_iter()
        .map(|slot| (columns[slot.column].by, slot.x, slot.width))
        .collect()
}

#[test]
fn what_is_left_over_goes_to_names() {
    let expected = [(Field::Pid, 0, 7), (Field::Name, 8, 10), (Field::Moves, 19, 5), (Field::Memory, 25, 5)];
    assert_eq!(shown(30, Field::Pid), expected);
    assert_eq!(shown(300, Field::Pid)[1], (Field::Name, 8, 18));
}

#[test]
fn the_least_important_goes_first_but_not_what_the_table_is_sorted_by() {
    let names = |width, sorted| shown(width, sorted).into_iter().map(|column| column.0).collect::<Vec<_>>();
    assert_eq!(names(27, Field::Pid), [Field::Pid, Field::Name, Field::Memory]);
    assert_eq!(names(27, Field::Moves), [Field::Pid, Field::Name, Field::Moves]);
    assert_eq!(names(16, Field::Pid), [Field::Pid, Field::Name]);
    assert_eq!(shown(10, Field::Pid), [(Field::Pid, 0, 7), (Field::Name, 8, 2)]);
    assert_eq!(shown(0, Field::Pid), []);
}

proptest! {
    #[test]
    fn nothing_lies_outside_or_over_another(
        widths in prop::collection::vec((1u16..20, 0u16..40, 0u8..4), 0..20),
        width in 0u16..300,
    ) {
        let column = |(k, &(width, grow, expendable)): (usize, &(u16, u16, u8))| {
            Column::text(Field::Node(k), "", width, grow, expendable)
        };
        let columns: Vec<Column> = widths.iter().enumerate().map(column).collect();
        let slots = fit(&columns, Field::Node(0), width);
        for pair in slots.windows(2) {
            prop_assert!(pair[0].x + pair[0].width < pair[1].x);
            prop_assert!(pair[0].column < pair[1].column);
        }
        for slot in &slots {
            prop_assert!(slot.width > 0 && slot.x + slot.width <= width);
        }
    }
}
