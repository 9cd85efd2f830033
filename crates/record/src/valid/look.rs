//! Looks at running processes.

use std::collections::HashMap;

use numawise_facts::{MemorySnapshot, Snapshot, TaskSnapshot, ThreadSnapshot};
use numawise_units::{Bytes, Nanoseconds, Pid};

use super::{Sound, bytes, count, ensure, first_again, moment, name, span, text};

/// The memory of all processes of a look together: shared memory counts for each of them.
const MOST_TOGETHER: Bytes = Bytes(1 << 57);

/// One look by itself.
pub fn look(snapshot: &Snapshot) -> Sound {
    moment(snapshot.unix_time, || "looks: time_ns".to_owned())?;
    span(snapshot.at, || "looks: boot_ns".to_owned())?;
    if let Some((pid, _)) = first_again(snapshot.tasks.iter().map(|task| (task.pid, task.started))) {
        ensure(
            false,
            || "task_looks: processes".to_owned(),
            format_args!("process {pid} twice"),
            "each once in a look",
        )?;
    }
    let mut together = Bytes(0);
    for of in &snapshot.tasks {
        task(of)?;
        let memory = of.memory.measured().into_iter().flat_map(|memory| &memory.by_use);
        together = together + memory.map(|(_, _, bytes)| *bytes).sum();
    }
    ensure(
        together <= MOST_TOGETHER,
        || "memory_looks: bytes of all tasks".to_owned(),
        format_args!("{} bytes", together.0),
        "at most 128 PiB",
    )
}

/// Two looks of one session, one after the other.
pub fn sequence(before: &Snapshot, now: &Snapshot) -> Sound {
    ensure(
        before.at <= now.at,
        || "looks: boot_ns".to_owned(),
        format_args!("{} after {}", now.at.0, before.at.0),
        "moments in ascending order within a session",
    )?;
    let span = now.at.saturating_sub(before.at);
    // The clocks of threads are read one after another: of a large job, some a while after the look began.
    let most = span + span + Nanoseconds(1_000_000_000);
    let who = |thread: &ThreadSnapshot| (thread.tid, thread.started);
    let no_more = |before: Nanoseconds, thread: &ThreadSnapshot| {
        let more = thread.cpu_time.saturating_sub(before);
        ensure(
            more <= most,
            || format!("thread_looks: thread {}, cpu_ns", thread.tid),
            format_args!("{} ns more after {} ns", more.0, span.0),
            "no more CPU time than there was time between two looks",
        )
    };
    // As a rule the same threads are there, in the same order.
    if threads(before).map(who).eq(threads(now).map(who)) {
        let mut both = threads(before).zip(threads(now));
        return both.try_for_each(|(before, thread)| no_more(before.cpu_time, thread));
    }
    let used: HashMap<(Pid, Nanoseconds), Nanoseconds> =
        threads(before).map(|thread| (who(thread), thread.cpu_time)).collect();
    threads(now)
        .try_for_each(|thread| used.get(&who(thread)).map_or(Ok(()), |before| no_more(*before, thread)))
}

fn threads(snapshot: &Snapshot) -> impl Iterator<Item = &ThreadSnapshot> {
    snapshot.tasks.iter().filter_map(|task| task.threads.measured()).flatten()
}

fn task(task: &TaskSnapshot) -> Sound {
    let place = |column: &'static str| move || format!("tasks: process {}, {column}", task.pid);
    ensure(task.pid.0 >= 0, place("pid"), task.pid, "a number from 0")?;
    ensure(task.parent.0 >= 0, place("parent"), task.parent, "a number from 0")?;
    name(&task.name, place("name"))?;
    if let Some(command) = task.command.measured() {
        text(command, place("command"))?;
    }
    span(task.started, place("started_ns"))?;
    for of in task.threads.measured().into_iter().flatten() {
        thread(of)?;
    }
    task.memory.measured().map_or(Ok(()), |of| memory(of, || format!("memory_looks: process {}", task.pid)))
}

fn thread(thread: &ThreadSnapshot) -> Sound {
    let place = |column: &'static str| move || format!("thread_looks: thread {}, {column}", thread.tid);
    ensure(
        thread.tid.0 >= 0,
        || format!("threads: thread {}, tid", thread.tid),
        thread.tid,
        "a number from 0",
    )?;
    name(&thread.name, || format!("threads: thread {}, name", thread.tid))?;
    span(thread.started, || format!("threads: thread {}, started_ns", thread.tid))?;
    span(thread.cpu_time, place("cpu_ns"))?;
    count(thread.migrations.measured().copied().unwrap_or_default(), place("migrations"))?;
    count(thread.minor_faults, place("minor_faults"))?;
    count(thread.major_faults, place("major_faults"))
}

/// The memory of a process, or of all processes of a trial.
pub fn memory(memory: &MemorySnapshot, place: impl Fn() -> String) -> Sound {
    let by_use: Bytes = memory.by_use.iter().map(|(_, _, bytes)| *bytes).sum();
    bytes(by_use, || format!("{}: bytes by use", place()))?;
    let by_policy: Bytes =
        memory.by_policy.iter().flat_map(|share| &share.by_node).map(|(_, bytes)| *bytes).sum();
    bytes(by_policy, || format!("{}: bytes by policy", place()))?;
    count(memory.mappings, || format!("{}: mappings", place()))?;
    for share in &memory.by_policy {
        name(&share.policy, || format!("{}: policy", place()))?;
        count(share.mappings, || format!("{}: mappings of a policy", place()))?;
    }
    for mapping in &memory.largest {
        name(&mapping.policy, || format!("{}: policy of a mapping", place()))?;
        text(mapping.file.as_deref().unwrap_or_default(), || format!("{}: file of a mapping", place()))?;
        bytes(mapping.page, || format!("{}: page of a mapping", place()))?;
        let resident: Bytes = mapping.by_node.iter().map(|(_, bytes)| *bytes).sum();
        bytes(resident, || format!("{}: bytes of a mapping", place()))?;
    }
    Ok(())
}
