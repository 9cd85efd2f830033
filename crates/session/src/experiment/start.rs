//! What it takes to start the program that is studied, without the work that it does.

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use numawise_facts::{Argument, Reading, Sink, StudyHeader};
use numawise_study::{RunContext, Runner};
use numawise_units::{Arrange, Nanoseconds};

use super::ExperimentRequest;

#[cfg(test)]
#[path = "start_tests.rs"]
mod tests;

/// A program that does nothing, and how often each is started.
const NOTHING: &str = "true";
const STARTS: usize = 9;

/// The middle of several starts of a program that does nothing, and of loading the very program that is studied, whichever takes longer:
/// what does nothing may be linked statically, as in a small container, where a start of it is a fraction of any other. Started as the
/// program is at the first point.
pub fn cost(
    request: &ExperimentRequest,
    header: &StudyHeader,
    sink: &mut dyn Sink,
    stop: &AtomicBool,
) -> Reading<Nanoseconds> {
    let points = &header.points;
    let Some(baseline) = points.first() else { return Reading::unavailable("there is no point") };
    let directory = &request.command.directory;
    let program = request.command.command.first().map(|word| Path::new(word.as_os_str()));
    let loading = program.and_then(|program| numawise_launch::loading(program, directory));
    let nothing = vec![OsString::from(NOTHING)];
    let costs = [Some(nothing), loading].into_iter().flatten().filter_map(|command| {
        let mut runner = request.runner(&header.machine, points);
        runner.spec.command = command.into_iter().map(Argument).collect();
        runner.metric_file = None;
        let mut walls = Vec::with_capacity(STARTS);
        for _ in 0..STARTS {
            let mut context = RunContext { stop, first: None, sink };
            walls.push(runner.run(baseline, &mut context).ok()??.wall);
        }
        walls.arrange();
        Some(walls[STARTS / 2])
    });
    costs
        .max()
        .map_or_else(|| Reading::unavailable("no program that does nothing could be run"), Reading::Measured)
}
