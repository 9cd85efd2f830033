//! Counters of memory controllers: what the ordinary memory of each node was read and written, whoever did it.

use std::collections::BTreeMap;
use std::io;

use numawise_linux::Roots;
use numawise_linux::calls::counter::{Counter, CounterValue};
use numawise_linux::memory_controllers::{ControllerError, ControllerEvent, controller_events};
use numawise_units::{Bytes, CpuId, CpuSet, NodeId};

use super::Passed;

#[cfg(test)]
#[path = "controllers_tests.rs"]
mod tests;

/// Why they cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ControllersError {
    #[error(transparent)]
    NotThere(ControllerError),
    #[error("of the counters of memory controllers: {0}")]
    Malformed(ControllerError),
    #[error(
        "counters of memory controllers ({source_of_events}) are counted by package, and node {node} has CPUs of none for which they are opened: nodes \
         of one package are not told apart"
    )]
    NodesOfOnePackage { source_of_events: String, node: NodeId },
    #[error(
        "counters of memory controllers ({source_of_events}) may not be opened by this user; root may, or who has CAP_PERFMON, or everybody where \
         /proc/sys/kernel/perf_event_paranoid is 0 or less"
    )]
    Denied { source_of_events: String },
    #[error("counters of memory controllers ({source_of_events}) cannot be opened: {problem}")]
    NotOpened { source_of_events: String, problem: String },
    #[error("counters of memory controllers could not be read: {problem}")]
    NotRead { problem: String },
    #[error("counters of memory controllers were not on: others use them")]
    NotOn,
}

/// One that is open.
#[derive(Debug)]
struct Open {
    node: NodeId,
    bytes: f64,
    counter: Counter,
    last: CounterValue,
}

#[derive(Debug)]
pub struct Controllers(Vec<Open>);

impl Controllers {
    pub fn begin(
        roots: &Roots,
        nodes: &impl Fn() -> Vec<(NodeId, CpuSet)>,
    ) -> Result<Controllers, ControllersError> {
        let events = controller_events(roots).map_err(|error| match error {
            ControllerError::Malformed(_) => ControllersError::Malformed(error),
            _ => ControllersError::NotThere(error),
        })?;
        Controllers::of(&events, &nodes())
    }

    /// Opens events on the CPUs that they name.
    fn of(events: &[ControllerEvent], nodes: &[(NodeId, CpuSet)]) -> Result<Controllers, ControllersError> {
        let mut open = Vec::new();
        for event in events {
            // A package with several nodes has one such CPU, and its controllers serve them all.
            let missed = nodes.iter().find(|(_, cpus)| !cpus.is_empty() && !cpus.intersects(&event.cpus));
            if let Some((node, _)) = missed {
                let source_of_events = event.source.clone();
                return Err(ControllersError::NodesOfOnePackage { source_of_events, node: *node });
            }
            for cpu in event.cpus.iter() {
                // CPUs of nodes that are not ours are none of the machine that we may see.
                let Some((node, _)) = nodes.iter().find(|(_, cpus)| cpus.contains(cpu)) else { continue };
                open.push(opened(event, cpu, *node)?);
            }
        }
        Ok(Controllers(open))
    }

    pub fn passed(&mut self) -> Result<Vec<Passed>, ControllersError> {
        let mut nodes: BTreeMap<NodeId, f64> = BTreeMap::new();
        for of in &mut self.0 {
            let now = read(&of.counter)?;
            let before = std::mem::replace(&mut of.last, now);
            *nodes.entry(of.node).or_default() += of.bytes * counted(before, now)?;
        }
        let passed = |(node, bytes): (NodeId, f64)| Passed { node, total: Bytes(bytes as u64), remote: None };
        Ok(nodes.into_iter().map(passed).collect())
    }
}

fn opened(event: &ControllerEvent, cpu: CpuId, node: NodeId) -> Result<Open, ControllersError> {
    let counter = Counter::of_cpu(event.kind, event.config, cpu).map_err(|error| {
        let source_of_events = event.source.clone();
        let error = io::Error::from_raw_os_error(error);
        if error.kind() == io::ErrorKind::PermissionDenied {
            return ControllersError::Denied { source_of_events };
        }
        ControllersError::NotOpened { source_of_events, problem: error.to_string() }
    })?;
    let last = read(&counter)?;
    Ok(Open { node, bytes: event.bytes, counter, last })
}

fn read(counter: &Counter) -> Result<CounterValue, ControllersError> {
    counter.read().map_err(|error| ControllersError::NotRead { problem: error.to_string() })
}

/// What was counted in between; for the whole time, where the counter was on for a part of it only.
fn counted(before: CounterValue, now: CounterValue) -> Result<f64, ControllersError> {
    let passed = now.count.saturating_sub(before.count) as f64;
    let (wanted, on) = (now.wanted.saturating_sub(before.wanted), now.on.saturating_sub(before.on));
    if on == wanted {
        return Ok(passed);
    }
    if on.0 == 0 {
        return Err(ControllersError::NotOn);
    }
    Ok(passed * (wanted.0 as f64 / on.0 as f64))
}
