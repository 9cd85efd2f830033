//! Orders over all CPUs of a task, without a strategy: what the words of `KMP_AFFINITY` mean to LLVM's and Intel's OpenMP
//! (docs/decisions/0031-orders-of-openmp.md).

use std::collections::BTreeMap;

use numawise_facts::{CpuChoice, Machine, Order, PlacementRequest, Strategy};
use numawise_units::{Arrange, CpuId, CpuSet};

use crate::choice::stepped;
use crate::{PlacementError, counts};

#[cfg(test)]
#[path = "order_tests.rs"]
mod tests;

/// # Errors
/// Where the order cannot be had together with the rest of the request.
pub fn check(request: &PlacementRequest) -> Result<(), PlacementError> {
    let PlacementRequest { strategy, tasks, choice, .. } = request;
    if matches!(choice.order, Order::Spread | Order::Compact) {
        return Ok(());
    }
    let order = || choice.order.clone();
    if matches!(strategy, Strategy::Local | Strategy::Distributed | Strategy::Semi) {
        return Err(PlacementError::OrderBesideStrategy { order: order(), strategy: *strategy });
    }
    if *tasks > 1 {
        return Err(PlacementError::OrderOfOneTask { order: order(), tasks: *tasks });
    }
    if matches!(choice.order, Order::Listed(_)) {
        let alone =
            CpuChoice { order: order(), efficient_cores: choice.efficient_cores, ..CpuChoice::default() };
        if request.cpus.is_some() || request.nodes.is_some() || *choice != alone {
            return Err(PlacementError::OrderIsAList { order: order() });
        }
    } else if choice.order == Order::Balanced && choice.step.get() > 1 {
        return Err(PlacementError::StepOfBalanced { step: choice.step });
    }
    Ok(())
}

/// The CPUs in the order in which `threads` threads take them; never empty where `usable` is not.
pub fn over_all(machine: &Machine, usable: &CpuSet, choice: &CpuChoice, threads: usize) -> Vec<CpuId> {
    let by = |key: fn(&Seat) -> [usize; 3]| {
        let mut seats = seats(machine, usable);
        seats.arrange_by_key(key);
        stepped(&seats.iter().map(|seat| seat.cpu).collect::<Vec<_>>(), choice)
    };
    match &choice.order {
        Order::Spread => stepped(&usable.iter().collect::<Vec<_>>(), choice),
        Order::Compact => by(|seat| [seat.package, seat.core, seat.thread]),
        Order::Scatter => by(|seat| [seat.thread, seat.core, seat.package]),
        Order::Balanced => balanced(seats(machine, usable), threads),
        Order::Listed(cpus) => cpus.clone(),
    }
}

/// A CPU by its package, by its core in the package, and by its hardware thread in the core, each counted among those that are usable.
struct Seat {
    package: usize,
    core: usize,
    thread: usize,
    cpu: CpuId,
}

/// Packages come by their numbers, cores by their lowest usable CPU.
fn seats(machine: &Machine, usable: &CpuSet) -> Vec<Seat> {
    let mut cores: BTreeMap<u32, usize> = BTreeMap::new(); // of each package, so far
    let mut seen: BTreeMap<(u32, u32), (usize, usize)> = BTreeMap::new(); // the position of a core, its threads so far
    let mut seat = |cpu: CpuId| {
        let known = machine.cpu(cpu);
        let package = known.and_then(|cpu| cpu.package).unwrap_or(u32::MAX);
        // A CPU of which the machine does not say its core is a core of its own.
        let core = known.map_or(u32::MAX - cpu.0, |cpu| cpu.core);
        let (core, threads) = seen.entry((package, core)).or_insert_with(|| {
            let cores = cores.entry(package).or_default();
            *cores += 1;
            (*cores - 1, 0)
        });
        *threads += 1;
        Seat { package: package as usize, core: *core, thread: *threads - 1, cpu }
    };
    usable.iter().map(&mut seat).collect()
}

/// As many threads on each core, as far as its hardware threads go, numbered core by core; on several packages whose cores have one hardware
/// thread each, as many on each package.
fn balanced(mut seats: Vec<Seat>, threads: usize) -> Vec<CpuId> {
    seats.arrange_by_key(|seat| (seat.package, seat.core, seat.thread));
    let has_siblings = seats.iter().any(|seat| seat.thread > 0);
    let has_packages = seats.iter().any(|seat| seat.package != seats[0].package);
    let by_package = has_packages && !has_siblings;
    let same = |a: &Seat, b: &Seat| a.package == b.package && (a.core == b.core || by_package);
    let parts: Vec<&[Seat]> = seats.chunk_by(same).collect();
    let capacity: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let counts = counts::distributed(&capacity, &[threads]).concat();
    let of_part = |(part, count): (&&[Seat], usize)| {
        let part = *part;
        (0..count).map(|k| part[k % part.len()].cpu).collect::<Vec<_>>()
    };
    parts.iter().zip(counts).flat_map(of_part).collect()
}
