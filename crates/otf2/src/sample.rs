//! Runs with traces, made by hand.

use std::num::NonZeroU64;
use std::sync::Arc;

use numawise_facts::activity::{
    CodeAddress, CodeFile, Communicator, MessageSide, SourcePlace, ThreadTrace, TracedCall, TracedKind,
    TracedMessage, TracedSite, WorldRank,
};
use numawise_facts::{Activity, Reading, WatchedRun};
use numawise_units::{Bytes, Nanoseconds};

use crate::unknown;

/// The calls of a thread.
#[derive(Default)]
pub struct Made(pub ThreadTrace);

pub const WORLD: NonZeroU64 = NonZeroU64::new(70).unwrap();
pub const HALF: NonZeroU64 = NonZeroU64::new(71).unwrap();

impl Made {
    /// A call on a communicator of the process; address 1 of the program is known.
    pub fn call(
        mut self,
        name: &str,
        communicator: Option<u16>,
        [begin, end]: [u64; 2],
        kind: TracedKind,
        messages: &[TracedMessage],
    ) -> Made {
        let at = Reading::Measured(CodeAddress { file: 0, address: 1 });
        let site = TracedSite { call: name.to_owned(), at, communicator };
        let known = self.0.sites.iter().position(|known| *known == site);
        let site = known.unwrap_or_else(|| {
            self.0.sites.push(site);
            self.0.sites.len() - 1
        }) as u32;
        let (begin, end) = (Nanoseconds(begin), Nanoseconds(end));
        let bytes = if let TracedKind::Collective { .. } = kind { 64 } else { 0 };
        let bytes = messages.iter().map(|message| message.bytes.0).sum::<u64>() + bytes;
        let count = messages.len() as u32;
        let call = TracedCall { site, begin, end, kind, bytes: Bytes(bytes), messages: count };
        self.0.calls.push(call);
        self.0.messages.extend(messages);
        self
    }

    pub fn plain(self, name: &str, span: [u64; 2]) -> Made {
        self.call(name, None, span, TracedKind::Alone, &[])
    }

    pub fn with(self, name: &str, span: [u64; 2], messages: &[TracedMessage]) -> Made {
        let communicator = (!name.starts_with("MPI_Wait")).then_some(0);
        self.call(name, communicator, span, TracedKind::Alone, messages)
    }

    pub fn collective(self, name: &str, on: u16, span: [u64; 2], key: u64, root: Option<u32>) -> Made {
        let key = NonZeroU64::new(key).unwrap();
        self.call(name, Some(on), span, TracedKind::Collective { key, root }, &[])
    }
}

pub fn message(end: MessageSide, posted: u64, peer: u32) -> TracedMessage {
    let communicator = Some(WORLD);
    TracedMessage { end, posted: Nanoseconds(posted), communicator, bytes: Bytes(8), tag: 3, peer }
}

pub fn sent(posted: u64, peer: u32) -> TracedMessage {
    message(MessageSide::Sent, posted, peer)
}

pub fn received(posted: u64, peer: u32) -> TracedMessage {
    message(MessageSide::Received, posted, peer)
}

/// As the collector writes it: nothing but when it was sent.
pub fn done(posted: u64) -> TracedMessage {
    let none = message(MessageSide::SendDone, posted, 0);
    TracedMessage { communicator: None, bytes: Bytes(0), tag: 0, ..none }
}

pub fn collective_done(posted: u64) -> TracedMessage {
    TracedMessage { end: MessageSide::CollectiveDone, ..done(posted) }
}

pub fn communicator(name: &str, rank: u32, size: u32, members: Option<u64>) -> Communicator {
    let members = members.map_or_else(|| Reading::unavailable("not known"), Reading::Measured);
    Communicator { name: name.to_owned(), size, rank, lives: 1, is_inter: false, members }
}

/// A rank whose first communicator is the world's.
pub fn rank(rank: u32, size: u32, threads: Vec<Made>) -> Activity {
    let mut process = unknown::process(100 + rank as i32, "node1", "/bin/prog");
    let mut mpi = unknown::mpi();
    mpi.rank = Reading::Measured(WorldRank { rank, size });
    process.mpi = Reading::Measured(mpi);
    process.files = vec![CodeFile { path: String::new() }];
    process.communicators = vec![communicator("MPI_COMM_WORLD", rank, size, Some(1000))];
    let thread = |(number, made): (usize, Made)| {
        let mut thread = unknown::thread(number as i32, number == 0);
        thread.trace = Some(Arc::new(made.0));
        thread
    };
    process.threads = Reading::Measured(threads.into_iter().enumerate().map(thread).collect());
    process
}

pub fn run(processes: Vec<Activity>) -> WatchedRun {
    let place = SourcePlace {
        function: Reading::Measured("exchange".to_owned()),
        file: Reading::Measured("prog.c".to_owned()),
        line: Reading::Measured(42),
    };
    WatchedRun {
        header: unknown::header("prog", ""),
        processes,
        merged: None,
        places: [(("/bin/prog".to_owned(), 1), place)].into(),
        objects: Vec::new(),
    }
}

/// Four ranks that send around in the background, and compare sums in two halves: of each rank its calls, in the order of what happens.
pub fn ring() -> WatchedRun {
    let of_rank = |of: u32| {
        let begin = 1000 + 10 * u64::from(of);
        let (next, before) = ((of + 1) % 4, (of + 3) % 4);
        let made = Made::default()
            .plain("MPI_Init", [begin, 2000])
            .with("MPI_Irecv", [2100, 2101], &[])
            .with("MPI_Isend", [2200, 2210], &[sent(2200, next)])
            .with("MPI_Waitall", [2300, 2400], &[received(2100, before), done(2200)])
            .call(
                "MPI_Test",
                None,
                [2400, 2500],
                TracedKind::Polls { calls: 7, within: Nanoseconds(60) },
                &[],
            )
            .collective("MPI_Allreduce", 1, [2500, 2600], 5 + u64::from(of % 2), None)
            .collective("MPI_Bcast", 0, [2700, 2800], 9, Some(2));
        let exchange = [sent(2900, of ^ 1), received(2900, of ^ 1)];
        let made = made
            .with("MPI_Sendrecv", [2900, 2950], &exchange)
            .collective("MPI_Iallreduce", 1, [2960, 2961], 15 + u64::from(of % 2), None)
            .with("MPI_Wait", [2970, 2980], &[collective_done(2960)])
            .plain("MPI_Finalize", [3000, 3100]);
        let mut process = rank(of, 4, vec![made]);
        let half = communicator("half", of / 2, 2, Some(2000 + u64::from(of % 2)));
        process.communicators.push(half);
        process
    };
    run((0..4).map(of_rank).collect())
}
