//! What was seen of processes from outside while they ran, joined with what they noted themselves.
//!
//! What a thread or a process noted at its end is exact, and stays. What was seen from outside stands where there is no such note:
//! of processes that were killed, of memory by node, of processor time by CPU.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use numawise_facts::activity::{ProcessEnd, ProcessSurroundings, ThreadActivity};
use numawise_facts::{Activity, ObservedProcess, ObservedThread, Reading};
use numawise_linux::Roots;
use numawise_linux::calls::clock;
use numawise_observe::activity::{self, ActivityError, SeenFromOutside};
use numawise_units::{Nanoseconds, Pid};

use super::{counters, unwatched};

#[cfg(test)]
#[path = "surroundings_tests.rs"]
pub mod tests;

/// The end of the name of a file that one numawise leaves for the one that reports.
const END: &str = ".outside";
/// The end of the name of the mark of a process that was started, beside which [`END`] stands when it has ended.
const STARTED: &str = ".started";

/// Leaves a mark of a process that was started: its numawise may be killed with it.
pub fn begin(folder: &Path, started: Pid) {
    let _ = std::fs::write(folder.join(format!("{started}{STARTED}")), []);
}

/// To be called when all numawise of a folder are gone, at once: what was started by one that could not wait for its end has lived until
/// now, as that one has.
pub fn all_are_killed(folder: &Path) {
    let begun = Instant::now();
    // It dies a moment after the one that waited for it.
    while without_end(folder).into_iter().any(is_running) && begun.elapsed() < DYING {
        std::thread::sleep(INTERVAL);
    }
    for pid in without_end(folder) {
        keep(folder, pid, Vec::new());
    }
}

/// Processes that were started, and of which no numawise has noted the end.
fn without_end(folder: &Path) -> Vec<Pid> {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let started = names.filter_map(|name| name.to_str()?.strip_suffix(STARTED)?.parse().ok().map(Pid));
    started.filter(|pid| !folder.join(format!("{pid}{END}")).exists()).collect()
}

/// Those that live now, where one rank is reported before the others have ended. One that has just ended is noted in a moment.
fn running(folder: &Path) -> Vec<ObservedProcess> {
    let begun = Instant::now();
    loop {
        let (live, gone): (Vec<Pid>, Vec<Pid>) =
            without_end(folder).into_iter().partition(|pid| is_running(*pid));
        if gone.is_empty() || begun.elapsed() > SHORTLY {
            let now = clock::monotonic();
            return live.into_iter().map(|pid| not_looked_at(pid, now)).collect();
        }
        std::thread::sleep(INTERVAL);
    }
}

fn is_running(pid: Pid) -> bool {
    numawise_observe::is_running(&Roots::live(), pid)
}

/// So long a process takes at most to die of SIGKILL.
const DYING: Duration = Duration::from_secs(2);
/// So long a numawise takes at most to note that its program has ended; a machine may be busy.
const SHORTLY: Duration = Duration::from_millis(200);
const INTERVAL: Duration = Duration::from_millis(10);

fn not_looked_at(pid: Pid, alive: Nanoseconds) -> ObservedProcess {
    ObservedProcess {
        pid,
        alive,
        threads: Vec::new(),
        surroundings: ProcessSurroundings::unavailable(TOO_SHORT),
        io: Reading::unavailable(TOO_SHORT),
    }
}

/// Leaves what was seen of the processes of a program in the folder of their files, for whoever reads these. The one that was
/// `started` has lived until now. Where it cannot be left, it is not known.
pub fn keep(folder: &Path, started: Pid, mut seen: Vec<ObservedProcess>) {
    let now = clock::monotonic();
    match seen.iter_mut().find(|one| one.pid == started) {
        Some(one) => one.alive = now,
        None => seen.push(not_looked_at(started, now)),
    }
    if let Ok(text) = serde_json::to_vec(&seen) {
        let draft = folder.join(format!("{started}.draft"));
        // Who finds it finds all of it.
        let _ = std::fs::write(&draft, text)
            .and_then(|()| std::fs::rename(draft, folder.join(format!("{started}{END}"))));
    }
}

const TOO_SHORT: &str = "nobody looked at it to its end";

/// What was left in a folder.
pub fn kept(folder: &Path) -> Vec<ObservedProcess> {
    let paths = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let ours =
        paths.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(END)));
    let read = ours.filter_map(|path| serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok());
    read.flat_map(|seen: Vec<ObservedProcess>| seen).collect()
}

/// What the processes of a folder noted, completed by what was seen of them from outside.
///
/// # Errors
/// As [`activity::read_folder`].
pub fn read(folder: &Path) -> Result<Vec<Result<Activity, ActivityError>>, ActivityError> {
    // Those that end meanwhile leave what was seen of them.
    let running = running(folder);
    let mut seen = kept(folder);
    seen.extend(running.into_iter().filter(|one| !folder.join(format!("{}{END}", one.pid)).exists()));
    let alive = |seen: &[ObservedProcess]| {
        SeenFromOutside::new(seen.iter().map(|one| (one.pid, one.alive)).collect::<BTreeMap<_, _>>())
    };
    let read = activity::read_folder(folder, &alive(&seen))?;
    let own =
        |one: &ObservedProcess| !unwatched::took_the_place(&read.iter().flatten().collect::<Vec<_>>(), one);
    // What was seen of a program that came after the one that was watched is not of that one.
    let of_programs: Vec<ObservedProcess> = seen.iter().filter(|one| own(one)).cloned().collect();
    let mut read = activity::read_folder_with_traces(folder, &alive(&of_programs))?;
    let mut processes: Vec<&mut Activity> = read.iter_mut().flatten().collect();
    complete(&mut processes, &of_programs);
    counters::complete(folder, &mut processes);
    Ok(read)
}

/// Completes what processes noted by what was seen of them.
fn complete(processes: &mut [&mut Activity], seen: &[ObservedProcess]) {
    let to_unix = Nanoseconds(clock::unix_time().0.saturating_sub(clock::monotonic().0));
    for one in seen {
        // What became another program was seen as that for longest.
        let has_become = processes.iter().filter(|activity| activity.pid == one.pid).count() > 1;
        let same = processes.iter_mut().filter(|activity| activity.pid == one.pid);
        if let Some(activity) = same.max_by_key(|activity| activity.began) {
            complete_one(activity, one, to_unix, has_become);
        }
    }
}

/// `has_become`: its first thread computed for another program before.
fn complete_one(activity: &mut Activity, seen: &ObservedProcess, to_unix: Nanoseconds, has_become: bool) {
    let began = activity.began;
    let told = activity.end == ProcessEnd::Exit && !activity.is_sandboxed;
    let mut outside = seen.surroundings.clone();
    if let Reading::Measured(memory) = &mut outside.memory {
        for moment in [&mut memory.last, &mut memory.most] {
            moment.at = (moment.at + to_unix).saturating_sub(began);
        }
    }
    activity.surroundings = activity.surroundings.clone().with(outside);
    let io = &mut activity.io;
    if io.kernel.measured().is_none() {
        // What became another program goes on with what it had accounted before.
        let known = seen.io.as_ref().zip(io.at_begin.as_ref());
        if let Reading::Measured((now, begin)) = known {
            io.kernel = Reading::Measured(now.since(begin));
        }
    }
    let Reading::Measured(threads) = &mut activity.threads else { return };
    for one in &seen.threads {
        // Of several threads that had one place, which one was seen is not known.
        let same = |thread: &&mut ThreadActivity| thread.tid == one.observation.tid && thread.lives == 1;
        if let Some(thread) = threads.iter_mut().find(same) {
            // What was seen of another program before lies before the trace.
            if let Some(trace) = &mut thread.trace {
                Arc::make_mut(trace).seen = Some(one.seen.clone());
            }
            let own = thread.processor.clone();
            complete_thread(thread, one, told, has_become && thread.is_first);
            if activity.is_sandboxed {
                // It lived on after it was seen last, and was not asked at its end.
                thread.processor = own;
            }
        }
    }
}

/// `told`: the process noted what there was at its end. `has_become`: the kernel's account of the thread may begin before the program does.
fn complete_thread(thread: &mut ThreadActivity, seen: &ObservedThread, told: bool, has_become: bool) {
    let observed = &seen.observation;
    let is_noted = told || thread.end.measured().is_some();
    if observed.mask.measured().is_some() && (!is_noted || thread.mask.measured().is_none()) {
        thread.mask = observed.mask.clone();
    }
    if has_become && holds_another_program(thread, observed.cpu_time) {
        thread.cpu_time_on =
            Reading::unavailable("it was seen together with what the process was before (exec)");
        return;
    }
    if thread.run_delay.measured().is_none() && seen.run_delay.measured().is_some() {
        thread.run_delay = seen.run_delay.clone();
    }
    if thread.processor.measured().is_none() && observed.cpu_time.0 > 0 {
        thread.processor = Reading::Measured(observed.cpu_time);
    }
    let times: Vec<_> = observed.cpu_time_on.iter().filter(|(_, time)| time.0 > 0).copied().collect();
    if !times.is_empty() {
        thread.cpu_time_on = Reading::Measured(times);
    }
}

/// Processor time that was seen is not only the program's own: less than a tenth, or 20 ms, may be the begin of its process.
fn holds_another_program(thread: &ThreadActivity, seen: Nanoseconds) -> bool {
    match thread.processor.measured() {
        Some(own) => seen.0 > own.0.saturating_add((own.0 / 10).max(20_000_000)),
        None => true,
    }
}
