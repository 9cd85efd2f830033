//! Counters of the processor while the program runs: what is asked of its processes, what they hand over, and what is left of it for the
//! numawise that reports.

use std::ffi::OsString;
use std::path::Path;

use numawise_facts::activity::{CacheTraffic, CountedProcess, CounterAccess, CounterObstacle};
use numawise_facts::{Activity, Reading};
use numawise_launch::Change;
use numawise_observe::Roots;
use numawise_observe::counters::{
    CounterChoice, CounterServer, HereKernel, RunningServer, TrafficWatch, choose,
};

#[cfg(test)]
#[path = "counters_tests.rs"]
mod tests;

/// The end of the name of a file that one numawise leaves for the one that reports.
const END: &str = ".counted";
/// The end of the name of the socket.
const SOCKET: &str = ".counters";

/// The counters of a program that is to be started.
#[derive(Debug)]
pub struct RunCounters {
    access: CounterAccess,
    server: Option<CounterServer>,
}

/// The counters of a program that runs.
#[derive(Debug)]
pub struct RunningCounters {
    access: CounterAccess,
    server: Option<RunningServer>,
    traffic: TrafficWatch,
}

impl RunCounters {
    /// Those that can be had here; without any, the reason.
    pub fn prepare(folder: &Path) -> RunCounters {
        match choose(&HereKernel(Roots::live())) {
            Ok(choice) => RunCounters::of(choice, folder),
            Err(obstacle) => RunCounters { access: CounterAccess::NotOpened(obstacle), server: None },
        }
    }

    fn of(choice: CounterChoice, folder: &Path) -> RunCounters {
        let processor = choice.processor.clone();
        let socket = folder.join(format!("{}{SOCKET}", std::process::id()));
        match CounterServer::listen(choice, &socket) {
            Ok(server) => RunCounters { access: CounterAccess::Opened { processor }, server: Some(server) },
            Err(error) => RunCounters {
                access: CounterAccess::NotOpened(CounterObstacle::NotHandedOver {
                    problem: format!("{}: {error}", socket.display()),
                }),
                server: None,
            },
        }
    }

    /// What the program has to find in its environment.
    pub fn change(&self, now: &dyn Fn(&str) -> Option<OsString>) -> Option<Change> {
        let request = self.server.as_ref().map(CounterServer::request);
        numawise_launch::counted(request, now)
    }

    /// To be called when the program has been started.
    pub fn start(self) -> RunningCounters {
        let traffic = TrafficWatch::start(Roots::live());
        match self.server.map(CounterServer::start).transpose() {
            Ok(server) => RunningCounters { access: self.access, server, traffic },
            Err(error) => {
                let problem = error.to_string();
                let access = CounterAccess::NotOpened(CounterObstacle::NotHandedOver { problem });
                RunningCounters { access, server: None, traffic }
            }
        }
    }
}

impl RunningCounters {
    /// Leaves what was counted in the folder of the processes' files. Gives what is known of all together.
    pub fn finish(self, folder: &Path) -> (CounterAccess, Reading<Vec<CacheTraffic>>) {
        let traffic = self.traffic.finish();
        if let Some(server) = self.server {
            let file = folder.join(format!("{}{END}", std::process::id()));
            let text = serde_json::to_vec(&server.finish());
            let _ = text.map(|text| std::fs::write(file, text));
        }
        (self.access, traffic)
    }
}

/// What became of those of a run whose numawise was killed.
pub fn of_killed() -> CounterAccess {
    CounterAccess::NotOpened(match choose(&HereKernel(Roots::live())) {
        Ok(_) => CounterObstacle::NumawiseKilled,
        Err(obstacle) => obstacle,
    })
}

/// Completes what processes noted by what was counted in them.
pub fn complete(folder: &Path, processes: &mut [&mut Activity]) {
    let paths = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let ours =
        paths.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(END)));
    let read = ours.filter_map(|path| serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok());
    for counted in read.flat_map(|all: Vec<CountedProcess>| all) {
        let same = |one: &&mut &mut Activity| one.pid == counted.pid && one.began == counted.began;
        if let Some(activity) = processes.iter_mut().find(same) {
            activity.surroundings.counters = counted.counters;
        }
    }
}
