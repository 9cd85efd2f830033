use numawise_units::Pid;

use super::*;
use crate::columns::Field;
use crate::fixture::{ranks, residency, view};

fn ready() -> View {
    let mut view = view();
    view.take(ranks(0), Nanoseconds(0));
    view
}

fn press(view: &mut View, keys: &str) -> Action {
    let key = |c| match c {
        '\n' => Key::Enter,
        '\u{1b}' => Key::Escape,
        '\u{8}' => Key::Backspace,
        c => Key::Char(c),
    };
    keys.chars().map(|c| view.key(key(c))).last().unwrap()
}

/// The numbers of the rows, and the one under the cursor.
fn rows(view: &View) -> (Vec<u64>, u64) {
    let (rows, at) = view.arranged();
    let ids: Vec<u64> = rows.iter().map(|&row| view.table().id(row).0).collect();
    let at = ids[at];
    (ids, at)
}

/// The task whose largest mappings are shown.
fn mappings_of(view: &View) -> Option<Pid> {
    match view.level {
        Level::Mappings(RowId(pid, _)) => Some(Pid(pid as i32)),
        _ => None,
    }
}

#[test]
fn the_cursor_stays_on_its_row_whatever_the_order() {
    let mut view = ready();
    assert_eq!(rows(&view), (vec![5000, 5010, 5020, 5030], 5000));
    press(&mut view, "j");
    assert_eq!(rows(&view).1, 5010);
    press(&mut view, "r");
    assert_eq!(rows(&view), (vec![5030, 5020, 5010, 5000], 5010));
    press(&mut view, "jjjj");
    assert_eq!(rows(&view).1, 5000);
    press(&mut view, "kG");
    assert_eq!(rows(&view).1, 5000);
    press(&mut view, "g");
    assert_eq!(rows(&view).1, 5030);
    // At the top it stays at the top.
    press(&mut view, "r");
    assert_eq!(rows(&view).1, 5000);
}

#[test]
fn the_cursor_is_near_when_its_row_has_gone() {
    let mut view = ready();
    press(&mut view, "jj");
    view.key(Key::Down);
    let mut fewer = ranks(1);
    fewer.tasks.truncate(2);
    (0..8).for_each(|_| view.take(fewer.clone(), Nanoseconds(0)));
    assert_eq!(rows(&view), (vec![5000, 5010], 5010));
}

#[test]
fn sorting_goes_through_all_columns_and_back() {
    let mut view = ready();
    let first = view.position().by;
    assert_eq!(first, Field::Rank);
    let mut seen = vec![first];
    loop {
        assert_eq!(press(&mut view, "s"), Action::Draw);
        if view.position().by == first {
            break;
        }
        seen.push(view.position().by);
    }
    assert!(
        seen.contains(&Field::Busy) && seen.contains(&Field::Node(1)) && !seen.contains(&Field::History),
        "{seen:?}"
    );
    press(&mut view, "S");
    assert_eq!(view.position().by, *seen.last().unwrap());
}

#[test]
fn memory_begins_with_the_largest() {
    let mut view = ready();
    view.position_mut().by = Field::Memory;
    assert_eq!(rows(&view).0, [5030, 5020, 5010, 5000]);
    press(&mut view, "r");
    assert_eq!(rows(&view).0, [5000, 5010, 5020, 5030]);
}

#[test]
fn a_filter_is_typed_kept_and_taken_away() {
    let mut view = ready();
    press(&mut view, "/50");
    assert!(view.typing);
    assert_eq!(rows(&view).0.len(), 4);
    press(&mut view, "2");
    assert_eq!(rows(&view).0, [5020]);
    press(&mut view, "\u{8}1\n");
    assert_eq!((view.typing, rows(&view).0), (false, vec![5010]));
    assert_eq!(press(&mut view, "\u{1b}"), Action::Draw);
    assert_eq!(rows(&view).0.len(), 4);
    // Letters that are commands elsewhere are letters here; so is a name in capitals.
    press(&mut view, "/SOLVERqq");
    assert_eq!(view.arranged().0.len(), 0);
    assert_eq!(press(&mut view, "\u{1b}"), Action::Draw);
    assert!(!view.typing && view.position().filter.is_empty());
    // Control characters are none, and there is an end.
    press(&mut view, "/\u{7f}");
    (0..200).for_each(|_| _ = view.key(Key::Char('x')));
    assert_eq!(view.position().filter.len(), 60);
}

#[test]
fn nothing_is_opened_where_nothing_is() {
    let mut view = ready();
    press(&mut view, "/nothing of the kind\n");
    assert_eq!(press(&mut view, "\n"), Action::Draw);
    assert_eq!(view.level, Level::Tasks);
    assert_eq!(view.message.as_deref(), Some("there is nothing to open"));
    let mut empty = crate::fixture::view();
    for key in ["\n", "j", "k", "G", "s", "r", "m", "t", "\u{1b}", "/a\n"] {
        press(&mut empty, key);
    }
    empty.take(residency(0, Vec::new(), 2), Nanoseconds(0));
    assert!(empty.over());
}

#[test]
fn levels_go_down_and_up() {
    let mut view = ready();
    press(&mut view, "jj");
    assert_eq!(press(&mut view, "\n"), Action::Sample);
    assert_eq!(rows(&view).0, [5020, 5021, 5022, 5023]);
    assert_eq!(mappings_of(&view), None);
    assert_eq!(press(&mut view, "\n"), Action::Sample);
    assert_eq!(mappings_of(&view), Some(Pid(5020)));
    press(&mut view, "t");
    assert!(matches!(view.level, Level::Threads(_)));
    press(&mut view, "m\u{1b}\u{1b}");
    assert_eq!((view.level, rows(&view).1), (Level::Tasks, 5020));
    assert_eq!(press(&mut view, "\u{1b}"), Action::Nothing);
    assert_eq!(press(&mut view, "m"), Action::Sample);
    assert_eq!(mappings_of(&view), Some(Pid(5020)));
}

#[test]
fn the_interval_has_ends() {
    let mut view = ready();
    press(&mut view, "+");
    assert_eq!(view.interval(), Nanoseconds(2_000_000_000));
    press(&mut view, "-----------");
    assert_eq!(view.interval(), Nanoseconds(100_000_000));
    press(&mut view, "++++++++++++++++");
    assert_eq!(view.interval(), Nanoseconds(60_000_000_000));
}

#[test]
fn pause_help_and_quit() {
    let mut view = ready();
    assert_eq!(press(&mut view, "p"), Action::Draw);
    assert!(view.paused());
    assert_eq!(press(&mut view, "p"), Action::Sample);
    assert!(!view.paused());
    press(&mut view, "h");
    assert!(view.help);
    assert_eq!(press(&mut view, "j"), Action::Draw);
    assert!(!view.help);
    assert_eq!(press(&mut view, "hq"), Action::Quit);
    assert_eq!(press(&mut ready(), "q"), Action::Quit);
    press(&mut view, "/");
    assert_eq!(view.key(Key::Interrupt), Action::Quit);
}
