//! The machine that we may use.

use std::collections::BTreeSet;
use std::path::PathBuf;

use numawise_facts::{self as facts, Reading};
use numawise_inside as inside;
use numawise_units::{CpuSet, Id, NodeSet};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::error::raised;
use crate::numbers::{Numbers, numbers};
use crate::plan::Placement;

/// The machine as this process may use it now. `numawise.machine()` reads it.
#[pyclass(frozen, module = "numawise")]
pub struct Machine(pub facts::Machine);

/// A NUMA node. What the kernel does not say is None.
#[pyclass(frozen, get_all, module = "numawise")]
pub struct Node {
    /// The number that the kernel gives it.
    id: u32,
    /// dram, hbm, cxl, gpu or unknown.
    kind: String,
    /// The CPUs to which it is local.
    cpus: BTreeSet<u32>,
    /// Whether this process may take memory from it.
    allowed: bool,
    memory_bytes: Option<u64>,
    /// When the machine was read.
    free_bytes: Option<u64>,
    /// By node; 10 is local.
    distances: Option<Vec<(u32, u32)>>,
}

#[pymethods]
impl Node {
    fn __repr__(&self) -> String {
        let cpus: CpuSet = self.cpus.iter().copied().map(Id::from_index).collect();
        let memory = self.memory_bytes.map_or("None".to_owned(), |bytes| bytes.to_string());
        format!("Node(id={}, kind='{}', cpus='{cpus}', memory_bytes={memory})", self.id, self.kind)
    }
}

fn bytes_of(reading: &Reading<numawise_units::Bytes>) -> Option<u64> {
    inside::known(reading).ok().map(|bytes| bytes.0)
}

impl Machine {
    fn shown(&self, of: &facts::Node) -> Node {
        let ids = self.0.nodes.iter().map(|node| node.id.index());
        let distances = of.distances.measured().map(|all| ids.zip(all.iter().copied()).collect());
        Node {
            id: of.id.index(),
            kind: of.kind.to_string(),
            cpus: numbers(of.cpus.iter()),
            allowed: self.0.allowed_nodes.contains(of.id),
            memory_bytes: bytes_of(&of.memory),
            free_bytes: bytes_of(&of.free),
            distances,
        }
    }
}

#[pymethods]
impl Machine {
    /// All nodes, by their numbers, which may have gaps.
    #[getter]
    fn nodes(&self) -> Vec<Node> {
        self.0.nodes.iter().map(|of| self.shown(of)).collect()
    }

    /// CPUs that this process may use: of its mask and its cgroup.
    #[getter]
    fn allowed_cpus(&self) -> BTreeSet<u32> {
        numbers(self.0.allowed_cpus.iter())
    }

    /// Nodes from which this process may take memory.
    #[getter]
    fn allowed_nodes(&self) -> BTreeSet<u32> {
        numbers(self.0.allowed_nodes.iter())
    }

    /// The node with this number.
    fn node(&self, id: u32) -> PyResult<Node> {
        inside::node(&self.0, id).map(|of| self.shown(of)).map_err(raised)
    }

    /// The node to which a CPU is local.
    fn node_of_cpu(&self, cpu: u32) -> PyResult<u32> {
        inside::node_of_cpu(&self.0, cpu).map(Id::index).map_err(raised)
    }

    /// The distance between two nodes, as the firmware names it; 10 is local.
    fn distance(&self, from_node: u32, to_node: u32) -> PyResult<u32> {
        inside::nodes_distance(&self.0, from_node, to_node).map_err(raised)
    }

    /// The measured latency of loads by the CPUs of one node from the memory of another, in nanoseconds.
    fn latency_ns(&self, from_node: u32, to_node: u32) -> PyResult<f64> {
        inside::latency(&self.0, from_node, to_node).map(|latency| latency.0).map_err(raised)
    }

    /// The measured bandwidth of reads by the CPUs of one node from the memory of another, in bytes a second.
    fn bandwidth(&self, from_node: u32, to_node: u32) -> PyResult<f64> {
        inside::bandwidth(&self.0, from_node, to_node).map(|rate| rate.0).map_err(raised)
    }

    /// Bytes that can be had now on the nodes of a policy: what is free, and what the kernel keeps of files and gives back.
    fn room(&self, policy: &str) -> PyResult<u64> {
        let plan = inside::policy(&self.0, policy).map_err(raised)?;
        inside::room(&self.0, &plan).map(|bytes| bytes.0).map_err(raised)
    }

    /// Gives each thread its CPUs; nothing is bound yet.
    #[pyo3(signature = (strategy=None, *, tasks=1, threads=0, cpus=None, nodes=None, order=None, step=1, smt=None, skip=None, skip_os_core=false, efficient_cores=false))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's keywords")]
    fn plan(
        &self,
        strategy: Option<&str>,
        tasks: u32,
        threads: u32,
        cpus: Option<Numbers>,
        nodes: Option<Numbers>,
        order: Option<&str>,
        step: u32,
        smt: Option<&str>,
        skip: Option<Numbers>,
        skip_os_core: bool,
        efficient_cores: bool,
    ) -> PyResult<Placement> {
        let [cpus, nodes, skip] = [cpus, nodes, skip].map(|set| set.map(Numbers::text));
        let asked = inside::Asked {
            strategy,
            tasks,
            threads,
            cpus: cpus.as_deref(),
            nodes: nodes.as_deref(),
            order,
            step,
            smt,
            skip: skip.as_deref(),
            skip_os_core,
            efficient_cores,
        };
        inside::plan(&self.0, &asked).map(Placement).map_err(raised)
    }

    /// The nodes as a table: id, kind, cpus, allowed, memory_bytes, free_bytes, and the distance to each node.
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows = PyList::empty(py);
        for node in &self.0.nodes {
            let shown = self.shown(node);
            let row = PyDict::new(py);
            row.set_item("node", shown.id)?;
            row.set_item("kind", shown.kind)?;
            row.set_item("cpus", node.cpus.to_string())?;
            row.set_item("allowed", shown.allowed)?;
            for (name, bytes) in [("memory_bytes", &node.memory), ("free_bytes", &node.free)] {
                match inside::known(bytes) {
                    Ok(bytes) => row.set_item(name, bytes.0)?,
                    Err(error) => {
                        row.set_item(name, py.None())?;
                        row.set_item(format!("{name}.unavailable"), error.to_string())?;
                    }
                }
            }
            for (to, distance) in shown.distances.unwrap_or_default() {
                row.set_item(format!("distance.{to}"), distance)?;
            }
            rows.append(row)?;
        }
        py.import("numawise._results")?.getattr("Table")?.call1(("nodes", rows))
    }

    fn _repr_html_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.table(py)?.call_method0("_repr_html_")
    }

    fn __repr__(&self) -> String {
        let (cpus, nodes) = (&self.0.allowed_cpus, &self.0.allowed_nodes);
        let all: NodeSet = self.0.nodes.iter().map(|node| node.id).collect();
        format!("Machine(nodes='{all}', allowed_cpus='{cpus}', allowed_nodes='{nodes}')")
    }
}

/// Reads the machine as this process may use it: half a millisecond, nothing is kept. With what was measured of it where `profile` names the file
/// of a profile, or is "latest": the newest that `numawise machine measure` has saved.
#[pyfunction]
#[pyo3(signature = (*, profile=None))]
pub fn machine(profile: Option<PathBuf>) -> PyResult<Machine> {
    let machine = match profile {
        None => inside::open(),
        Some(latest) if latest.as_os_str() == "latest" => inside::open_measured(None),
        Some(file) => inside::open_measured(Some(&file)),
    };
    machine.map(Machine).map_err(raised)
}
