use numawise_facts::notice::{MovedTask, NamedTask, ResidencyNotice, ResidencyPart};
use numawise_facts::{Reading, Reason};
use numawise_units::{Nanoseconds, Pid};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::fixture::{PLAIN, ranks, residency, task, thread, view};
use crate::history::Levels;
use crate::keys::{Action, Key};

fn screen(view: &mut View, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| view.draw(frame, PLAIN)).unwrap();
    let buffer = terminal.backend().buffer();
    let line = |y| {
        let cells = (0..width).map(|x| buffer[(x, y)].symbol());
        cells.collect::<String>().trim_end().to_owned() + "\n"
    };
    (0..height).map(line).collect()
}

fn watched(samples: u64) -> View {
    let mut view = view();
    (0..samples).for_each(|k| view.take(ranks(k), Nanoseconds(0)));
    view
}

fn press(view: &mut View, keys: &[Key]) {
    keys.iter().for_each(|key| _ = view.key(*key));
}

#[test]
fn a_job_on_the_screen_of_a_terminal() {
    insta::assert_snapshot!("job-80x24", screen(&mut watched(12), 80, 24));
}

#[test]
fn a_job_on_a_tiny_screen() {
    insta::assert_snapshot!("job-40x10", screen(&mut watched(12), 40, 10));
}

#[test]
fn a_job_on_a_large_screen() {
    insta::assert_snapshot!("job-200x50", screen(&mut watched(60), 200, 50));
}

#[test]
fn the_threads_of_a_task() {
    let mut view = watched(12);
    press(&mut view, &[Key::Down, Key::Enter, Key::Down]);
    insta::assert_snapshot!("threads-80x24", screen(&mut view, 80, 24));
}

#[test]
fn the_mappings_of_a_task() {
    let mut view = watched(12);
    press(&mut view, &[Key::Char('m')]);
    insta::assert_snapshot!("mappings-80x24", screen(&mut view, 80, 24));
}

#[test]
fn the_page_of_help() {
    let mut view = watched(1);
    press(&mut view, &[Key::Char('h')]);
    insta::assert_snapshot!("help-80x24", screen(&mut view, 80, 24));
}

#[test]
fn before_the_first_sample_there_is_nothing_to_see() {
    let shown = screen(&mut view(), 80, 24);
    assert!(shown.contains("sampling ..."), "{shown}");
    let mut view = view();
    view.take(residency(0, Vec::new(), 2), Nanoseconds(0));
    let shown = screen(&mut view, 80, 24);
    assert!(shown.contains("all have ended"), "{shown}");
}

#[test]
fn eight_nodes_and_a_thousand_threads() {
    let threads =
        (0..1000).map(|k| thread(100 + k, "worker", k as u32 % 64, f64::from(k) / 1000.0)).collect();
    let mut view = view();
    view.take(residency(0, vec![task(100, None, "big", threads, &[1 << 30; 8])], 8), Nanoseconds(0));
    let shown = screen(&mut view, 80, 24);
    assert!(shown.contains("1000 threads, by CPU, largest first"), "{shown}");
    assert!(shown.lines().any(|line| line.starts_with("   1099") && line.contains("99.9%")), "{shown}");
    press(&mut view, &[Key::End]);
    let shown = screen(&mut view, 80, 24);
    assert!(shown.contains("    100 worker"), "{shown}");
    press(&mut view, &[Key::PageUp]);
    assert_ne!(screen(&mut view, 80, 24), shown);
}

#[test]
fn many_nodes_become_a_character_each() {
    let by_node: Vec<u64> = (0..16).map(|k| k << 28).collect();
    let tasks =
        (0..3).map(|k| task(100 + k, None, "app", vec![thread(100 + k, "app", 8, 1.0)], &by_node)).collect();
    let mut view = view();
    view.take(residency(0, tasks, 16), Nanoseconds(0));
    let shown = screen(&mut view, 80, 24);
    assert!(shown.contains("BY NODE") && shown.contains("·▁▁▂▂▃▃▄▄▅▅▆▆▇▇█"), "{shown}");
    assert!(shown.contains("and 10 more nodes"), "{shown}");
    assert!(screen(&mut view, 200, 50).contains(" N15"));
}

#[test]
fn the_table_does_not_jump_when_remarks_go() {
    let header = |shown: &str| shown.lines().position(|line| line.contains("PID")).unwrap();
    let mut view = watched(1);
    let before = header(&screen(&mut view, 80, 24));
    let mut quiet = ranks(2);
    quiet.job.remarks.clear();
    view.take(quiet, Nanoseconds(0));
    let shown = screen(&mut view, 80, 24);
    assert!(!shown.contains('!'), "{shown}");
    assert_eq!(header(&shown), before);
    // Another size is another screen.
    assert_eq!(header(&screen(&mut view, 80, 25)), before - 1);
}

#[test]
fn with_one_node_nothing_is_said_of_local_memory() {
    let tasks =
        (0..2).map(|k| task(7 + k, None, "app", vec![thread(7 + k, "app", 0, 1.0)], &[1 << 20])).collect();
    let mut view = view();
    view.take(residency(0, tasks, 1), Nanoseconds(0));
    let shown = screen(&mut view, 80, 24);
    assert!(shown.contains("2 MiB") && !shown.to_lowercase().contains("local"), "{shown}");
}

#[test]
fn tasks_that_have_ended_say_so() {
    let mut view = watched(3);
    let mut fewer = ranks(3);
    fewer.tasks.remove(0);
    view.take(fewer, Nanoseconds(0));
    let shown = screen(&mut view, 80, 24);
    assert_eq!(shown.matches("ended").count(), 1, "{shown}");
    view.take(residency(5, Vec::new(), 2), Nanoseconds(0));
    let shown = screen(&mut view, 80, 24);
    assert!(shown.contains("all have ended: this is what was last seen; q leaves"), "{shown}");
    assert_eq!(shown.matches("ended").count(), 5, "{shown}");
}

#[test]
fn names_cannot_steer_the_terminal() {
    let evil = "\u{1b}]0;owned\u{7}\nx\u{9b}2J\u{202e}";
    let mut sample = ranks(0);
    for task in &mut sample.tasks {
        task.name = evil.to_owned();
        task.command = Reading::Measured(evil.repeat(1000));
        if let Reading::Measured(threads) = &mut task.threads {
            threads.iter_mut().for_each(|thread| (thread.name, thread.state) = (evil.to_owned(), '\u{7}'));
        }
    }
    let evil_task = NamedTask { pid: Pid(5000), name: evil.to_owned(), rank: None };
    let moved = vec![MovedTask { task: evil_task, moves: 50 }];
    sample.job.remarks = vec![ResidencyNotice::ManyMigrations { tasks: moved, span: Nanoseconds(1) }];
    sample.notes = vec![ResidencyNotice::Unavailable {
        part: ResidencyPart::Memory,
        tasks: vec![],
        reason: Reason(evil.into()),
    }];
    let mut view = View::new(evil, crate::fixture::SECOND);
    view.take(sample, Nanoseconds(0));
    for keys in [&[][..], &[Key::Enter], &[Key::Enter], &[Key::Char('/'), Key::Char('\u{202e}')]] {
        press(&mut view, keys);
        for (width, height) in [(80, 24), (40, 10), (200, 50)] {
            let shown = screen(&mut view, width, height);
            assert!(shown.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'), "{shown:?}");
        }
    }
}

#[test]
fn old_memory_and_slow_samples_are_said() {
    let mut view = view();
    view.take(ranks(0), Nanoseconds(12_700_000_000));
    view.set_actual_interval(Nanoseconds(3_000_000_000));
    let shown = screen(&mut view, 100, 24);
    assert!(shown.contains("12 s old") && shown.contains("every 3 s (samples take long)"), "{shown}");
    press(&mut view, &[Key::Char('p')]);
    assert!(screen(&mut view, 80, 24).lines().next().unwrap().ends_with("PAUSED"));
}

#[test]
fn what_cannot_be_seen_is_said_not_guessed() {
    let mut sample = ranks(0);
    sample.tasks.truncate(1);
    let task = &mut sample.tasks[0];
    task.threads = Reading::unavailable("permission denied");
    task.memory = Reading::unavailable("the process belongs to another user");
    task.busy = Reading::unavailable("permission denied");
    task.local = Reading::unavailable("unknown");
    let mut view = view();
    view.take(sample, Nanoseconds(0));
    let shown = screen(&mut view, 80, 24);
    assert!(shown.contains("threads unavailable: permission denied"), "{shown}");
    assert!(shown.contains("unavailable: the process belongs to"), "{shown}");
    press(&mut view, &[Key::Char('m')]);
    let shown = screen(&mut view, 80, 24);
    assert!(shown.contains("memory unavailable: the process belongs to another user"), "{shown}");
    press(&mut view, &[Key::Escape, Key::Escape]);
    assert!(screen(&mut view, 80, 24).contains('?'));
}

#[test]
fn a_terminal_without_utf_8_gets_ascii() {
    let palette = Palette { colour: true, levels: Levels::Ascii };
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    let mut view = watched(12);
    for key in [Key::Up, Key::Enter, Key::Enter, Key::Char('h')] {
        view.key(key);
        terminal.draw(|frame| view.draw(frame, palette)).unwrap();
        let buffer = terminal.backend().buffer();
        assert!(buffer.content().iter().all(|cell| cell.symbol().is_ascii()));
    }
}

#[test]
fn without_colours_none_are_used() {
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    let mut view = watched(12);
    terminal.draw(|frame| view.draw(frame, PLAIN)).unwrap();
    let plain = ratatui::style::Color::Reset;
    assert!(terminal.backend().buffer().content().iter().all(|cell| cell.fg == plain && cell.bg == plain));
}

#[test]
fn too_small_a_screen_says_so() {
    let shown = screen(&mut watched(1), 30, 5);
    assert!(shown.contains("needs at least 40 x 8") && shown.contains("has 30 x 5"), "{shown}");
}

#[test]
fn the_cursor_is_always_on_the_screen() {
    for rows in [0usize, 1, 5, 100] {
        for page in [0, 1, 7, 200] {
            for at in 0..rows.max(1) {
                for top in [0, 3, 50, 1000] {
                    let first = scroll(top, at, page, rows);
                    assert!(first <= at && at < first + page.max(1), "{rows} {page} {at} {top}: {first}");
                }
            }
        }
    }
}

fn any_key() -> impl Strategy<Value = Key> {
    prop_oneof![
        prop::sample::select(vec![
            Key::Up,
            Key::Down,
            Key::PageUp,
            Key::PageDown,
            Key::Home,
            Key::End,
            Key::Left,
            Key::Right,
            Key::Enter,
            Key::Escape,
            Key::Backspace,
        ]),
        prop::sample::select("hjkgGsSrpmt/+-=?5ox\u{301}日".chars().collect::<Vec<_>>()).prop_map(Key::Char),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_key_no_sample_and_no_size_is_too_much(
        steps in prop::collection::vec((any_key(), 0usize..5, 1u16..120, 1u16..40), 1..30),
    ) {
        let mut view = view();
        for (k, (key, tasks, width, height)) in steps.into_iter().enumerate() {
            let mut sample = ranks(k as u64);
            sample.tasks.truncate(tasks);
            if k % 3 == 0 {
                view.take(sample, Nanoseconds(k as u64));
            }
            prop_assert_ne!(view.key(key), Action::Quit);
            let shown = screen(&mut view, width, height);
            prop_assert_eq!(shown.lines().count(), usize::from(height));
        }
    }
}

#[test]
fn sums_say_how_many_tasks_are_not_in_them() {
    let mut tasks = ranks(0).tasks;
    tasks[0].threads = Reading::unavailable("not allowed");
    tasks[1].memory = Reading::unavailable("not allowed");
    tasks[2].memory = Reading::unavailable("not allowed");
    let mut view = view();
    view.take(residency(0, tasks, 2), Nanoseconds(0));
    let shown = screen(&mut view, 80, 24);
    assert!(shown.contains("12 threads, without 1 of 4 tasks"), "{shown}");
    assert!(shown.contains("GiB, without 2 of 4 tasks"), "{shown}");
}
