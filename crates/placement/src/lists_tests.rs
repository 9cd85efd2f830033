use numawise_facts::{Balancing, Order, PageSize};

use super::*;
use crate::testing::{cpus, memory, nodes, two_sockets, with_hbm};

const MEMORY: [&str; 15] = [
    "default",
    "local",
    "bind",
    "bind:0",
    "bind:0-1",
    "bind:7",
    "preferred",
    "preferred:1",
    "preferred-many:0-1",
    "interleave",
    "interleave:1",
    "weighted",
    "weighted:0-1",
    "hbm",
    "remote",
];

fn requests() -> Vec<PlacementRequest> {
    let mut requests = Vec::new();
    let lists = [(None, None), (Some("0"), None), (Some("1-3"), None), (Some("99"), None), (Some(""), None)];
    let with_nodes = [
        (None, Some("0")),
        (None, Some("0-1")),
        (None, Some("7")),
        (Some("0-3"), Some("1")),
        (None, Some("")),
    ];
    for (listed, named) in lists.into_iter().chain(with_nodes) {
        for policy in MEMORY.map(memory).into_iter().chain([MemoryRequest::KernelWeighted(nodes("0-1"))]) {
            for balancing in [Balancing::Default, Balancing::On, Balancing::Off] {
                for threads in [None, Some(1), Some(3), Some(100)] {
                    let strategy =
                        if listed.is_some() || named.is_some() { Strategy::Explicit } else { Strategy::None };
                    requests.push(PlacementRequest {
                        strategy,
                        cpus: listed.map(cpus),
                        nodes: named.map(nodes),
                        memory: policy.clone(),
                        balancing,
                        threads,
                        ..PlacementRequest::as_the_os_does()
                    });
                }
            }
        }
    }
    requests
}

/// The machine as far as [`MachineDetail::Lists`] goes.
fn lists_of(machine: &Machine) -> Machine {
    Machine { packages: vec![], cpus: vec![], caches: vec![], attributes: vec![], ..machine.clone() }
}

#[test]
fn lists_give_what_the_planner_gives() {
    let mut narrowed = two_sockets();
    narrowed.allowed_cpus = cpus("0-2");
    let (mut fast, mut all) = (0, 0);
    for machine in [two_sockets(), with_hbm(), narrowed] {
        for request in requests() {
            all += 1;
            let Some(placement) = place(&machine, &request) else { continue };
            fast += 1;
            assert_eq!(Ok(placement), crate::place::place_with_planner(&machine, &request), "{request:?}");
        }
    }
    assert!(fast > 500 && fast < all, "{fast} of {all} by lists");
}

#[test]
fn a_machine_of_lists_is_enough_where_no_more_is_needed() {
    let machine = two_sockets();
    let mut enough = 0;
    for request in requests().iter().filter(|request| needs(request) == MachineDetail::Lists) {
        let Ok(placement) = crate::place(&lists_of(&machine), request) else { continue };
        enough += 1;
        assert_eq!(Ok(placement), crate::place(&machine, request), "{request:?}");
    }
    assert!(enough > 200, "{enough} plans");
}

#[test]
fn whatever_needs_a_plan_or_a_notice_is_left_to_the_planner() {
    let plain = PlacementRequest::as_the_os_does();
    let request = |change: fn(&mut PlacementRequest)| {
        let mut request = plain.clone();
        change(&mut request);
        request
    };
    for request in [
        request(|r| r.strategy = Strategy::Local),
        request(|r| r.binding = ThreadBinding::Pinned),
        request(|r| r.tasks = 2),
        request(|r| r.threads = Some(100)),
        request(|r| r.choice.skip_os_core = true),
        request(|r| r.choice.order = Order::Compact),
        request(|r| r.cpus = Some(cpus("99"))),
        request(|r| r.nodes = Some(nodes("7"))),
        request(|r| r.memory = memory("bind:7")),
        request(|r| r.memory = memory("bind")),
        request(|r| r.memory = memory("weighted:0-1")),
        request(|r| r.balancing = Balancing::On),
    ] {
        assert_eq!(place(&two_sockets(), &request), None, "{request:?}");
    }
    let pages = PlacementRequest { pages: PageSize::Thp, ..plain };
    assert_eq!(place(&two_sockets(), &pages).unwrap().tasks[0].memory.pages, PageSize::Thp);
}

#[test]
fn a_request_says_how_much_it_needs() {
    let request =
        |policy: &str| PlacementRequest { memory: memory(policy), ..PlacementRequest::as_the_os_does() };
    for (policy, detail) in [
        ("default", MachineDetail::Lists),
        ("bind:0", MachineDetail::Lists),
        ("preferred:1", MachineDetail::Lists),
        ("bind", MachineDetail::Topology),
        ("interleave", MachineDetail::Topology),
        ("remote", MachineDetail::Topology),
        ("hbm", MachineDetail::MemoryKinds),
        ("weighted", MachineDetail::Bandwidths),
        ("weighted:0", MachineDetail::Bandwidths),
    ] {
        assert_eq!(needs(&request(policy)), detail, "{policy}");
    }
    let kernel = MemoryRequest::KernelWeighted(nodes("0-1"));
    let kernel = PlacementRequest { memory: kernel, ..PlacementRequest::as_the_os_does() };
    assert_eq!(needs(&kernel), MachineDetail::Lists);
    let local = PlacementRequest { strategy: Strategy::Local, ..request("bind:0") };
    assert_eq!(needs(&local), MachineDetail::Topology);
    let mut skips = request("bind:0");
    skips.choice.skip_os_core = true;
    assert_eq!(needs(&skips), MachineDetail::Topology);
}
