//! Windows of a trace, as a viewer asks for them.

use std::collections::BTreeMap;

use numawise_facts::{Machine, RankSet, SourcePlaces};
use numawise_tables::snapshot::{
    AskedWindow, EventCall, EventState, SHARES, SpanState, TraceTimes, TraceWindow,
};

use super::super::{view, view_of_streams};
use super::*;
use numawise_traces::StreamAt;

const EVERYWHERE: AskedWindow<'_> = AskedWindow {
    ranks: None,
    from: Nanoseconds(0),
    to: Nanoseconds(u64::MAX),
    top: 0,
    bottom: u32::MAX,
    columns: 100,
    lines: 500,
    with_phases: false,
};

/// Steps of 10 ms, in each of which rank 1 waits 4 ms for a message of rank 0 and receives for 1 ms; every 100th is computed twice as long.
fn ring(steps: u64) -> Vec<Activity> {
    let (mut sender, mut receiver) = (Made::rank(0, 2), Made::rank(1, 2));
    let mut at = 0;
    for step in 0..steps {
        let late = if step % 100 == 99 { 10 } else { 0 };
        let sends = at + 6 + late;
        sender = sender.with("MPI_Send", (sends, sends + 1), sent(sends, 1));
        receiver = receiver.with("MPI_Recv", (at + 2, sends + 1), received(at + 2, 0));
        at += 10 + late;
    }
    vec![sender.end(at), receiver.end(at)]
}

struct Case {
    ranks: Vec<Activity>,
    places: SourcePlaces,
    machines: BTreeMap<String, &'static Machine>,
}

impl Case {
    fn of(ranks: Vec<Activity>) -> Case {
        Case { ranks, places: SourcePlaces::default(), machines: BTreeMap::new() }
    }

    fn parts(&self) -> RunParts<'_> {
        RunParts {
            trace_part: None,
            activities: &self.ranks,
            merged: None,
            places: &self.places,
            asked: None,
            exit: None,
            unwatched: Nanoseconds(0),
            machines: &self.machines,
        }
    }
}

/// Shares of a row of a window in which each row is a group, summed over the columns, in the order of [`SHARES`], in thousandths of the window.
fn sums(of: &TraceWindow<'_>, row: usize) -> [u64; SHARES] {
    let columns = of.of.columns as usize;
    let cells = of.shares.chunks(SHARES).skip(row * columns).take(columns);
    let add = |mut all: [u64; SHARES], cell: &[u8]| {
        all.iter_mut().zip(cell).for_each(|(all, share)| *all += u64::from(*share));
        all
    };
    cells.fold([0; SHARES], add).map(|sum| (sum * 1000 + 127 * columns as u64) / (255 * columns as u64))
}

/// The same of the tables.
fn thousandths(of: &TraceTimes, span: Nanoseconds) -> [u64; SHARES] {
    let all =
        [of.useful, of.serial, of.openmp_waiting, of.waiting, of.in_calls, of.polling, of.idle, of.in_files];
    all.map(|time| (time.0 * 1000 + span.0 / 2) / span.0)
}

fn assert_like(found: [u64; SHARES], expected: [u64; SHARES]) {
    assert!(
        found.iter().zip(expected).all(|(one, other)| one.abs_diff(other) <= 5),
        "{found:?}, not {expected:?}"
    );
}

#[test]
fn shares_of_a_window_are_those_of_the_tables() {
    let case = Case::of(ring(25_000));
    let parts = case.parts();
    let view = view(&parts).unwrap();
    let tables = trace(&case.ranks);
    let window = view.window(EVERYWHERE);
    assert_eq!((window.groups.as_slice(), window.of.columns, window.of.to), (&[0, 1][..], 100, tables.span));
    assert_eq!(window.shares.len(), 2 * 100 * SHARES);
    for (row, rank) in tables.ranks.iter().enumerate() {
        assert_like(sums(&window, row), thousandths(&rank.times, tables.span));
    }
    // Of a third, between the bins: one by one and from bins.
    let part = TracePart { from: Some(ms(10_003)), to: Some(ms(223_457)), ..TracePart::default() };
    let tables = part_of(&case.ranks, &part);
    for columns in [7, 2000] {
        let window = view.window(AskedWindow { from: ms(10_003), to: ms(223_457), columns, ..EVERYWHERE });
        assert_eq!(window.of.columns, columns);
        for (row, rank) in tables.ranks.iter().enumerate() {
            assert_like(sums(&window, row), thousandths(&rank.times, tables.span));
        }
    }
    // Both in one line of pixels.
    let window = view.window(AskedWindow { lines: 1, ..EVERYWHERE });
    assert_eq!((window.groups.as_slice(), window.shares.len()), (&[0][..], 100 * SHARES));
}

#[test]
fn a_narrow_window_has_its_calls_and_what_belongs_to_them() {
    let case = Case::of(ring(25_000));
    let parts = case.parts();
    let view = view(&parts).unwrap();
    // Only the row of the receiver, and the end of a receive whose send is in the other row.
    let window =
        view.window(AskedWindow { from: ms(10_003), to: ms(10_033), top: 1, bottom: 2, ..EVERYWHERE });
    assert!(window.groups.is_empty() && window.shares.is_empty() && !window.is_rough);
    let [sender, receiver] = window.events.lanes.as_slice() else { panic!("{:?}", window.events.lanes) };
    let begins = |of: &[EventCall]| of.iter().map(|call| call.begin.0 / 1_000_000).collect::<Vec<_>>();
    assert_eq!(
        (begins(&receiver.calls), begins(&sender.calls)),
        (vec![10_002, 10_012, 10_022, 10_032], vec![10_006, 10_016, 10_026, 10_036])
    );
    assert_eq!(window.events.messages.len(), 4);
    for (number, message) in (0..).zip(&window.events.messages) {
        assert_eq!(
            (message.from.lane, message.from.call, message.to.lane, message.to.call),
            (0, number, 1, number)
        );
    }
    for (number, call) in (0..).zip(&receiver.calls) {
        let EventState::Waited { until, late, .. } = call.state else { panic!("{call:?}") };
        assert_eq!((until, late.lane, late.call), (call.begin + ms(4), 0, number));
    }
    let all = view.names();
    let [pair] = all.pairs.as_slice() else { panic!("{:?}", all.pairs) };
    assert_eq!((pair.from, pair.to, pair.messages, pair.slowest.len()), (0, 1, 25_000, 3));
    // From when the send began, for which the receive waited.
    assert!(
        pair.slowest.iter().all(|of| (of.from.0, of.to.0, of.from.1 + of.time) == (0, 1, of.end)),
        "{pair:?}"
    );
    assert!(pair.slowest.is_sorted_by_key(|of| std::cmp::Reverse(of.time)));
    assert_eq!((all.sites.len(), all.lanes.len(), all.span), (4, 2, trace(&case.ranks).span));
}

#[test]
fn what_is_asked_for_wrongly_gives_what_is_there() {
    let case = Case::of(ring(25_000));
    let parts = case.parts();
    let view = view(&parts).unwrap();
    let backwards =
        AskedWindow { from: ms(50), to: ms(20), top: 5, bottom: 2, columns: 0, lines: 0, ..EVERYWHERE };
    let window = view.window(backwards);
    assert_eq!(
        (window.of.from, window.of.to, window.of.top, window.of.bottom),
        (ms(50), ms(50) + Nanoseconds(1), 2, 2)
    );
    let behind = view.window(AskedWindow { from: Nanoseconds(u64::MAX), ..EVERYWHERE });
    assert!(behind.of.from < behind.of.to);
    let wide = view.window(AskedWindow { columns: u32::MAX, lines: u32::MAX, ..EVERYWHERE });
    assert!(wide.shares.len() < 8 << 20, "{}", wide.shares.len());
    assert!(super::super::view(&Case::of(Vec::new()).parts()).is_none());
}

#[test]
fn streams_tell_when_ranks_are_in_calls_before_the_analysis() {
    let mut case = Case::of(ring(25_000));
    let tables = trace(&case.ranks);
    // Two parts of each rank.
    let (mut parts, mut calls) = (Vec::new(), Vec::new());
    for (activity, rank) in case.ranks.iter_mut().enumerate() {
        let thread = &mut threads(rank)[0];
        let whole = ThreadTrace::clone(thread.trace.as_ref().unwrap());
        let mut thin = ThreadTrace { sites: whole.sites.clone(), ..ThreadTrace::default() };
        for of in whole.calls.chunks(12_600) {
            let part =
                ThreadTrace { sites: whole.sites.clone(), calls: of.to_vec(), ..ThreadTrace::default() };
            thin.calls.extend(ThreadTrace::calls_at_edges(&part.sites, &part.calls, None));
            parts.push(StreamAt { activity, tid: thread.tid.0, begin: of[0].begin });
            calls.push(Arc::new(part.calls));
        }
        thread.trace = Some(Arc::new(thin));
    }
    assert_eq!(parts.len(), 4);
    let run = case.parts();
    let mut view = view_of_streams(&run, &parts).unwrap();
    assert_eq!(view.names().span, tables.span);
    let nothing = view.window(EVERYWHERE, &mut |_| None);
    assert!(nothing.is_rough && nothing.shares.iter().all(|share| *share == 0), "{:?}", sums(&nothing, 0));
    for part in [1, 2, 3] {
        let stretch = view.stretch(part, &calls[part]).unwrap();
        view.put(part, stretch);
    }
    // Of the first part of rank 0 it is not known what it did: it is no calm.
    let some = view.window(EVERYWHERE, &mut |_| None);
    let known: u64 = sums(&some, 0).iter().sum();
    assert!(some.is_rough && (450..550).contains(&known), "{known}");
    view.put(0, view.stretch(0, &calls[0]).unwrap());
    let all = view.window(EVERYWHERE, &mut |_| panic!("bins are fine enough"));
    assert!(!all.is_rough);
    for (row, rank) in tables.ranks.iter().enumerate() {
        let TraceTimes { waiting, in_calls, useful, .. } = rank.times;
        let times = TraceTimes { in_calls: in_calls + waiting, useful, ..TraceTimes::default() };
        assert_like(sums(&all, row), thousandths(&times, tables.span));
    }
    // Nearer than the bins: what is at hand, and else the finest of them.
    let near = AskedWindow { from: ms(10_003), to: ms(10_033), ..EVERYWHERE };
    let rough = view.window(near, &mut |_| None);
    assert!(rough.is_rough && !rough.groups.is_empty());
    let exact = view.window(near, &mut |part| Some(Arc::clone(&calls[part])));
    let begins: Vec<_> =
        exact.events.lanes.iter().flat_map(|lane| &lane.calls).map(|call| call.begin).collect();
    assert_eq!(begins, [10_006, 10_016, 10_026, 10_002, 10_012, 10_022, 10_032].map(ms));
}

#[test]
fn only_rows_of_the_ranks_that_are_asked_for_are_shown() {
    let case = Case::of(ring(45_000));
    let parts = case.parts();
    let view = view(&parts).unwrap();
    let all = view.window(EVERYWHERE);
    let [first, second, nobody]: [RankSet; 3] = ["0", "1", "2-9"].map(|ranks| ranks.parse().unwrap());
    let near = AskedWindow { from: ms(10_003), to: ms(10_033), ..EVERYWHERE };
    for (row, ranks) in [(0, &first), (1, &second)] {
        let of_rank = view.window(AskedWindow { ranks: Some(ranks), ..EVERYWHERE });
        assert_eq!((of_rank.of.bottom, of_rank.groups.as_slice()), (1, &[0][..]));
        assert_eq!(sums(&of_rank, 0), sums(&all, row));
        let calls = view.window(AskedWindow { ranks: Some(ranks), ..near }).events;
        let alone = view.window(AskedWindow { top: row as u32, bottom: row as u32 + 1, ..near }).events;
        assert!(calls == alone && !calls.lanes[row].calls.is_empty());
    }
    // A rank that is not there hides nothing.
    assert_eq!(view.window(AskedWindow { ranks: Some(&nobody), ..EVERYWHERE }).of.bottom, 2);
}

#[test]
fn threads_stand_below_their_rank() {
    let case = Case::of([0, 1].map(threaded::hybrid).to_vec());
    let parts = case.parts();
    let view = view(&parts).unwrap();
    let tables = trace(&case.ranks);
    let workers: Vec<u32> = view.window(EVERYWHERE).events.workers.iter().map(|of| of.lane).collect();
    assert_eq!((view.window(EVERYWHERE).of.bottom, workers), (4, vec![0, 1]));
    let of_worker = view.window(AskedWindow { top: 3, bottom: 4, ..EVERYWHERE });
    let spans = &of_worker.events.workers[1].spans;
    let of = |state: SpanState| {
        let those = spans.iter().filter(|span| span.state == state);
        Nanoseconds(those.map(|span| span.end.0 - span.begin.0).sum())
    };
    let times = tables.ranks[1].workers[0].times;
    assert_eq!(
        [SpanState::Useful, SpanState::Waiting, SpanState::Idle].map(of),
        [times.useful, times.openmp_waiting, times.idle]
    );
    assert!(
        of_worker.events.workers[0].spans.is_empty()
            && of_worker.events.lanes.iter().all(|of| of.calls.is_empty())
    );
}
