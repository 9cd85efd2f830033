//! Prints what a snapshot file holds, for people who work on the collector: `snapshot_dump FILE...`.

use std::io::Write;
use std::mem::offset_of;

use numawise_wire::snapshot::reader::SnapshotFile;
use numawise_wire::snapshot::{FileOperation, Header, SizeFamily, ThreadSlot, ThreadState};

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path)?;
        match SnapshotFile::parse(&bytes) {
            Ok(file) => dump(&mut out, &path, &file)?,
            Err(error) => writeln!(out, "{path}: {error:?}")?,
        }
    }
    Ok(())
}

fn dump(out: &mut impl Write, path: &str, file: &SnapshotFile) -> std::io::Result<()> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let seconds = |ticks: u64| ticks as f64 * file.nanoseconds_per_tick().unwrap_or(0.0) / 1e9;
    let flags = file.header_word(offset_of!(Header, flags));
    writeln!(
        out,
        "{path}: {} process {} flags {flags:#b} mpi {} rank {:?} {:.6} s",
        text(file.program()),
        file.process(),
        file.mpi(),
        file.rank(),
        seconds(file.last().ticks.saturating_sub(file.begin().ticks)),
    )?;
    for module in file.modules() {
        writeln!(out, "  module {:#x}-{:#x} {}", module.begin, module.end, text(module.path))?;
    }
    for (k, comm) in file.communicators().enumerate() {
        let name = text(comm.name);
        writeln!(out, "  communicator {k}: {} of {} lives {} {name}", comm.rank, comm.size, comm.lives)?;
    }
    for thread in file.threads() {
        writeln!(
            out,
            "  thread {} main {} useful {:.6} mpi {:.6} omp {:?} migrations {} dropped {}",
            thread.word(offset_of!(ThreadSlot, thread)),
            thread.is_main(),
            seconds(thread.ticks(ThreadState::Useful)),
            seconds(thread.ticks(ThreadState::Mpi)),
            [ThreadState::OmpBarrier, ThreadState::OmpScheduling, ThreadState::OmpIdle, ThreadState::OmpLock]
                .map(|state| seconds(thread.ticks(state))),
            thread.word(offset_of!(ThreadSlot, migrations)),
            thread.dropped_calls(),
        )?;
        for site in thread.sites() {
            writeln!(
                out,
                "    {} at {:#x} on {:?}: {} times {:.6} s longest {:.6} sent {} received {}",
                site.call,
                site.address,
                site.communicator,
                site.count,
                seconds(site.ticks),
                seconds(site.longest),
                site.sent,
                site.received
            )?;
        }
        for operation in
            [FileOperation::Read, FileOperation::Write, FileOperation::Sync, FileOperation::Manage]
        {
            let calls = thread.file_calls(operation);
            if calls.count > 0 {
                writeln!(out, "    files {operation:?} {:.6} s {calls:?}", seconds(calls.ticks))?;
            }
        }
        for peer in thread.peers() {
            writeln!(out, "    {peer:?}")?;
        }
        for family in [
            SizeFamily::Send,
            SizeFamily::Receive,
            SizeFamily::Collective,
            SizeFamily::OneSided,
            SizeFamily::File,
        ] {
            let counts = thread.size_counts(family);
            let used: Vec<(usize, u64)> =
                counts.into_iter().enumerate().filter(|(_, count)| *count > 0).collect();
            if !used.is_empty() {
                writeln!(out, "    sizes of {family:?} {used:?}")?;
            }
        }
    }
    Ok(())
}
