use numawise_facts::Reading;
use numawise_facts::activity::{TracedCall, TracedMessage, TracedSite};
use numawise_units::Bytes;

use super::super::sample::{simple_rank, threads};
use super::*;

/// A rank of a computer, whose clock shows so much more than the time.
struct Made {
    activity: Activity,
    trace: ThreadTrace,
    clock: fn(u64) -> u64,
}

impl Made {
    fn rank(rank: u32, host: &str, clock: fn(u64) -> u64) -> Made {
        let mut activity = simple_rank(rank, 3, 1.0, 1.0);
        activity.host = host.to_owned();
        let at = Reading::unavailable("it is made");
        let site = |call: &str| TracedSite { call: call.to_owned(), at: at.clone(), communicator: None };
        let sites = vec![site("MPI_Send"), site("MPI_Recv"), site("MPI_Barrier")];
        Made { activity, trace: ThreadTrace { sites, ..ThreadTrace::default() }, clock }
    }

    fn call(&mut self, site: u32, span: [u64; 2], kind: TracedKind, messages: u32) {
        let [begin, end] = span.map(|moment| Nanoseconds((self.clock)(moment)));
        self.trace.calls.push(TracedCall { site, begin, end, kind, bytes: Bytes(8), messages });
    }

    fn message(&mut self, end: MessageSide, span: [u64; 2], peer: u32) {
        let posted = Nanoseconds((self.clock)(span[0]));
        let (communicator, bytes) = (None, Bytes(8));
        self.trace.messages.push(TracedMessage { end, posted, communicator, bytes, tag: 0, peer });
        self.call(u32::from(end == MessageSide::Received), span, TracedKind::Alone, 1);
    }

    fn end(mut self) -> Activity {
        threads(&mut self.activity)[0].trace = Some(Arc::new(self.trace));
        self.activity
    }
}

fn trace(activity: &Activity) -> &ThreadTrace {
    activity.threads.measured().unwrap()[0].trace.as_ref().unwrap()
}

fn begins(activity: &Activity) -> Vec<u64> {
    trace(activity).calls.iter().map(|call| call.begin.0).collect()
}

/// Messages to and fro, each 1000 ns on its way, so often.
fn to_and_fro(mut one: Made, mut other: Made, peers: [u32; 2], times: u64, every: u64) -> [Activity; 2] {
    for step in 0..times {
        let at = 1_000_000 + step * every;
        one.message(MessageSide::Sent, [at, at + 10], peers[0]);
        other.message(MessageSide::Received, [at + 100, at + 1000], peers[1]);
        other.message(MessageSide::Sent, [at + 2000, at + 2010], peers[1]);
        one.message(MessageSide::Received, [at + 2100, at + 3000], peers[0]);
    }
    [one.end(), other.end()]
}

#[test]
fn the_middle_of_what_messages_both_ways_allow_is_taken() {
    for clock in [|moment| moment + 400_000, |moment| moment - 400_000] as [fn(u64) -> u64; 2] {
        let (one, other) = (Made::rank(0, "a", |moment| moment), Made::rank(1, "b", clock));
        let mut ranks = to_and_fro(one, other, [1, 0], 3, 10_000);
        let shown = clock(1_000_000).cast_signed() - 1_000_000;
        align_clocks(&mut ranks);
        assert_eq!(begins(&ranks[1])[0], 1_000_100);
        assert_eq!(trace(&ranks[1]).messages[0].posted.0, 1_000_100);
        assert_eq!(ranks[1].clock, Some(ClockMove { by: -shown, error: Nanoseconds(1000) }));
        assert_eq!(ranks[0].clock, Some(ClockMove { by: 0, error: Nanoseconds(0) }));
        assert_eq!(begins(&ranks[0])[0], 1_000_000);
    }
}

#[test]
fn clocks_that_drift_are_told_apart_at_the_begin_and_at_the_end() {
    // A hundred millionths faster.
    let clock = |moment: u64| 50_000 + moment + moment / 10_000;
    let (one, other) = (Made::rank(0, "a", |moment| moment), Made::rank(1, "b", clock));
    let mut ranks = to_and_fro(one, other, [1, 0], 2000, 10_000_000);
    align_clocks(&mut ranks);
    let error = ranks[1].clock.unwrap().error.0;
    let truth = (0..2000).map(|step| 1_000_100 + step * 10_000_000);
    let off =
        begins(&ranks[1]).iter().step_by(2).zip(truth).map(|(found, truth)| found.abs_diff(truth)).max();
    assert!(off.unwrap() <= error && error < 10_000, "{off:?} {error}");
}

#[test]
fn computers_are_compared_through_others() {
    let mut middle = Made::rank(1, "b", |moment| moment + 7000);
    let [mut one, mut last] =
        [Made::rank(0, "a", |moment| moment), Made::rank(2, "c", |moment| moment + 90_000)];
    for (other, peer, at) in [(&mut one, 0, 10_000), (&mut last, 2, 50_000)] {
        other.message(MessageSide::Sent, [at, at + 10], 1);
        middle.message(MessageSide::Received, [at + 20, at + 500], peer);
        middle.message(MessageSide::Sent, [at + 600, at + 610], peer);
        other.message(MessageSide::Received, [at + 700, at + 1100], 1);
    }
    let mut ranks = [one.end(), middle.end(), last.end()];
    align_clocks(&mut ranks);
    assert_eq!((begins(&ranks[1])[0], begins(&ranks[2])[0]), (10_020, 50_000));
    assert_eq!(ranks[2].clock, Some(ClockMove { by: -90_000, error: Nanoseconds(1000) }));
}

#[test]
fn what_all_wait_for_compares_clocks_too() {
    let key = NonZeroU64::new(5).unwrap();
    let mut ranks = [("a", 0), ("b", 1), ("b", 2)].map(|(host, rank)| {
        let mut made =
            Made::rank(rank, host, if rank > 0 { |moment| moment + 3000 } else { |moment| moment });
        let begin = 1000 + u64::from(rank) * 10;
        made.call(2, [begin, 1500], TracedKind::Collective { key, root: None }, 0);
        made.end()
    });
    align_clocks(&mut ranks);
    let moved = ranks[2].clock.unwrap();
    assert!((moved.by + 3000).unsigned_abs() <= moved.error.0 && moved.error.0 < 500, "{moved:?}");
    assert_eq!(ranks[1].clock, ranks[2].clock);
}

#[test]
fn without_messages_both_ways_nothing_is_moved() {
    let (mut one, mut other) = (Made::rank(0, "a", |moment| moment), Made::rank(1, "b", |moment| moment + 9));
    one.message(MessageSide::Sent, [100, 110], 1);
    other.message(MessageSide::Received, [150, 300], 0);
    let whole = [one.end(), other.end()];
    let mut ranks = whole.clone();
    align_clocks(&mut ranks);
    assert_eq!((&ranks[1], ranks[1].clock), (&whole[1], None));
    let mut here = whole.map(|rank| Activity { host: "a".to_owned(), ..rank });
    align_clocks(&mut here);
    assert!(here.iter().all(|rank| rank.clock.is_none()));
}
