//! From a request to a plan.

use numawise_facts::notice::PlanNotice;
use numawise_facts::{
    CpuChoice, MOST_THREADS, Machine, Node, Notice, Order, Placement, PlacementRequest, Strategy,
    TaskPlacement, ThreadBinding,
};
use numawise_units::{CpuId, CpuSet, NodeId, NodeSet, TaskId};

use crate::counts::{self, Counts, even};
use crate::meeting::Meeting;
use crate::share::{self, Cut};
use crate::usable::{self, Group};
use crate::{PlacementError, choice, cores, lists, memory, order};

#[cfg(test)]
mod invariants;
#[cfg(test)]
#[path = "place_tests.rs"]
mod tests;

/// Fails for more tasks than anybody starts on one computer, before a plan names each of them.
///
/// # Errors
/// [`PlacementError::TooManyTasks`].
pub fn check_tasks(asked: u32) -> Result<(), PlacementError> {
    if asked as usize > MOST_THREADS {
        return Err(PlacementError::TooManyTasks { asked, most: MOST_THREADS as u64 });
    }
    Ok(())
}

/// The plan for `request` on `machine`.
///
/// # Errors
/// When the request names what does not exist or may not be used, or asks for memory that is not there. More threads than
/// CPUs is no error but a warning in the plan.
pub fn place(machine: &Machine, request: &PlacementRequest) -> Result<Placement, PlacementError> {
    check(request)?;
    match lists::place(machine, request) {
        Some(placement) => Ok(placement),
        None => place_with_planner(machine, request),
    }
}

/// Apart from its caller, so that a request of lists does not touch it.
#[inline(never)]
pub fn place_with_planner(
    machine: &Machine,
    request: &PlacementRequest,
) -> Result<Placement, PlacementError> {
    let mut warnings = Vec::new();
    let usable = choice::narrowed(machine, request, usable::cpus(machine, request)?, &mut warnings)?;
    let (usable, threads) = choice::one_a_core(machine, request, usable);
    let chosen = choose(machine, request, &usable, threads);
    warn_of_oversubscription(request, &usable, &chosen, &mut warnings);
    warn_of_nodes_without_cpus(machine, request, &mut warnings);
    warn_of_idle_nodes(machine, request, &usable, &chosen, &mut warnings);
    let mut tasks = Vec::with_capacity(chosen.len());
    let mut planner = memory::Planner::new(machine, request);
    for (number, choice) in chosen.into_iter().enumerate() {
        let plan = planner.plan(&choice.cpus, &choice.first(), &mut warnings)?;
        tasks.push(TaskPlacement {
            task: TaskId(number as u32),
            threads: choice.threads(request.binding),
            cpus: choice.cpus,
            memory: plan,
            gpus: Vec::new(),
        });
    }
    Ok(Placement { strategy: request.strategy, binding: request.binding, tasks, warnings })
}

fn check(request: &PlacementRequest) -> Result<(), PlacementError> {
    if request.tasks == 0 {
        return Err(PlacementError::NoTasks);
    }
    if request.threads == Some(0) {
        return Err(PlacementError::NoThreads);
    }
    let asked = u64::from(request.tasks) * u64::from(request.threads.unwrap_or(1));
    if asked > MOST_THREADS as u64 {
        return Err(PlacementError::TooManyThreads { asked, most: MOST_THREADS as u64 });
    }
    order::check(request)?;
    let listed = matches!(request.choice.order, Order::Listed(_));
    let nothing_named = request.cpus.is_none() && request.nodes.is_none() && !listed;
    if request.strategy == Strategy::Explicit && nothing_named {
        Err(PlacementError::NothingExplicit)
    } else {
        Ok(())
    }
}

/// The CPUs of one task.
struct TaskCpus {
    cpus: CpuSet,
    /// The CPU of each thread; for threads that are free, only their number counts.
    order: Vec<CpuId>,
}

impl TaskCpus {
    fn first(&self) -> CpuSet {
        self.order.first().copied().into_iter().collect()
    }

    fn threads(&self, binding: ThreadBinding) -> Vec<CpuSet> {
        let one = |cpu: &CpuId| match binding {
            ThreadBinding::Pinned => CpuSet::single(*cpu),
            ThreadBinding::Free => self.cpus.clone(),
        };
        self.order.iter().map(one).collect()
    }
}

/// `threads`: of each task, where its share of the CPUs does not say it.
fn choose(
    machine: &Machine,
    request: &PlacementRequest,
    usable: &CpuSet,
    threads: Option<u32>,
) -> Vec<TaskCpus> {
    let tasks = request.tasks as usize;
    let given = threads.map(|threads| threads as usize);
    let sizes = given.map_or_else(|| even(usable.len(), tasks), |threads| vec![threads; tasks]);
    let groups = usable::groups(machine, usable, &request.choice);
    let cut = match (request.choice.step.get(), &request.choice.order) {
        (1, Order::Compact) => Cut::ByCore,
        (1, _) => Cut::Apart,
        _ => Cut::InOrder,
    };
    let capacity: Vec<usize> = groups.iter().map(|group| group.cpus.len()).collect();
    let capacities = match cut {
        Cut::Apart | Cut::ByCore => cores::capacities(&groups),
        // A step goes over cores without regard to them.
        Cut::InOrder => capacity.iter().map(|number| vec![1; *number]).collect(),
    };
    // What is compact leaves no CPU of a core behind; without a number of threads nothing is left behind anyway.
    let whole = |plain| {
        if cut == Cut::Apart || given.is_none() {
            cores::whole(&capacities, request.strategy, given.is_none(), plain)
        } else {
            plain
        }
    };
    let counts = match request.strategy {
        Strategy::Local => whole(counts::local(&capacity, &sizes)),
        Strategy::Distributed => whole(counts::distributed(&capacity, &sizes)),
        Strategy::Semi => share::semi(&capacities, tasks, given),
        Strategy::None | Strategy::Explicit => return by_number(machine, request, usable, &sizes),
    };
    let mut orders = share::assign(&groups, &counts, cut);
    if cut == Cut::Apart && given.is_some() && request.strategy != Strategy::Semi && tasks > 1 {
        orders = apart(request.strategy, &groups, counts, orders);
    }
    let choice = |order: Vec<CpuId>| TaskCpus { cpus: order.iter().copied().collect(), order };
    orders.into_iter().map(choice).collect()
}

/// The CPUs of the threads of each task, or others by which tasks do not meet on a core while a core idles.
fn apart(strategy: Strategy, groups: &[Group], counts: Counts, orders: Vec<Vec<CpuId>>) -> Vec<Vec<CpuId>> {
    if !Meeting::of(groups, &orders).is_needless() {
        return orders;
    }
    let threads: Vec<usize> = orders.iter().map(Vec::len).collect();
    let others = cores::elsewhere(&cores::capacities(groups), strategy, &threads).into_iter();
    let others = others.map(|counts| (share::assign(groups, &counts, Cut::Apart), counts));
    let plans = std::iter::once((orders, counts)).chain(others);
    let best = plans.min_by_key(|(orders, counts)| {
        let meeting = Meeting::of(groups, orders);
        let (first, second) = cores::cost(strategy, counts);
        let needless = usize::from(meeting.is_needless());
        match strategy {
            // A task that is less even over the nodes is not what was asked for.
            Strategy::Distributed => [first, second, needless, meeting.shared],
            _ => [needless, first, second, meeting.shared],
        }
    });
    best.map(|(orders, _)| orders).unwrap_or_default()
}

/// CPUs in the order of their numbers or in the one asked for, or every n-th of them, one task after the other.
fn by_number(
    machine: &Machine,
    request: &PlacementRequest,
    usable: &CpuSet,
    sizes: &[usize],
) -> Vec<TaskCpus> {
    let pinned = request.binding == ThreadBinding::Pinned;
    let order = if pinned { request.choice.order.clone() } else { Order::Spread };
    let choice = CpuChoice { order, ..request.choice.clone() };
    let cpus = order::over_all(machine, usable, &choice, sizes.iter().sum());
    // Free tasks of an explicit plan share the list among them, whatever the number of their threads.
    let shares = even(cpus.len(), sizes.len());
    let (mut at, mut start) = (0, 0);
    let mut choices = Vec::with_capacity(sizes.len());
    for (&size, share) in sizes.iter().zip(shares) {
        let order: Vec<CpuId> = (0..size).map(|k| cpus[(at + k) % cpus.len()]).collect();
        let task = match (pinned, request.strategy) {
            (true, _) => order.iter().copied().collect(),
            (false, Strategy::None) => usable.clone(),
            (false, _) => (0..share).map(|k| cpus[(start + k) % cpus.len()]).collect(),
        };
        at += size;
        start += share;
        choices.push(TaskCpus { cpus: task, order });
    }
    choices
}

fn warn_of_oversubscription(
    request: &PlacementRequest,
    usable: &CpuSet,
    chosen: &[TaskCpus],
    warnings: &mut Vec<Notice>,
) {
    let strategy = request.strategy;
    let threads: usize = chosen.iter().map(|choice| choice.order.len()).sum();
    if threads > usable.len() {
        warnings.push(PlanNotice::Oversubscribed { threads, cpus: usable.clone() }.into());
        return;
    }
    if let Some(choice) = chosen.iter().find(|choice| choice.order.len() > choice.cpus.len()) {
        let (threads, cpus) = (choice.order.len(), choice.cpus.clone());
        warnings.push(PlanNotice::TaskOversubscribed { threads, cpus, strategy }.into());
        return;
    }
    let mut once = CpuSet::new();
    let shared: CpuSet = chosen
        .iter()
        .flat_map(|choice| choice.order.iter().copied())
        .filter(|cpu| !once.insert(*cpu))
        .collect();
    if !shared.is_empty() {
        let unused = usable.difference(&once);
        warnings.push(PlanNotice::TasksShareCpus { shared, unused, strategy }.into());
    }
}

fn warn_of_nodes_without_cpus(machine: &Machine, request: &PlacementRequest, warnings: &mut Vec<Notice>) {
    let Some(nodes) = &request.nodes else { return };
    let without =
        |node: &NodeId| machine.node(*node).is_some_and(|node| !node.cpus.intersects(&machine.allowed_cpus));
    let nodes: NodeSet = nodes.iter().filter(without).collect();
    if !nodes.is_empty() {
        warnings.push(PlanNotice::NodesWithoutUsableCpus { nodes }.into());
    }
}

/// Where the number of threads is ours, a task of semi has those of its node and no more.
fn warn_of_idle_nodes(
    machine: &Machine,
    request: &PlacementRequest,
    usable: &CpuSet,
    chosen: &[TaskCpus],
    warnings: &mut Vec<Notice>,
) {
    if request.strategy != Strategy::Semi || request.threads.is_some() {
        return;
    }
    let used = chosen.iter().fold(CpuSet::new(), |used, task| used.union(&task.cpus));
    let idle = |node: &&Node| node.cpus.intersects(usable) && !node.cpus.intersects(&used);
    let nodes: NodeSet = machine.nodes.iter().filter(idle).map(|node| node.id).collect();
    if !nodes.is_empty() {
        warnings.push(PlanNotice::NodesIdle { tasks: request.tasks, nodes }.into());
    }
}
