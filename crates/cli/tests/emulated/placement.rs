//! What `numawise run` asks for is what the kernel reports: masks, policies, and the nodes of pages.

use crate::guest;

/// A program that prints its mask, and where 64 MiB that it allocates lie: it becomes `dd`, and reads its own maps
/// through a child while it holds the memory.
const LOOK: &str = "sh -c 'grep Cpus_allowed_list /proc/self/status; dd if=/dev/zero of=/dev/null bs=64M count=100000 & \
                    sleep 0.7; cat /proc/$!/numa_maps; kill $!; true'";

struct Seen {
    cpus: String,
    /// Policy of the largest mapping, and its pages by node.
    policy: String,
    pages: Vec<(u32, u64)>,
}

fn seen(output: &str) -> Seen {
    let cpus =
        output.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim().to_owned();
    let pages = |line: &str| -> Vec<(u32, u64)> {
        let words = line.split(' ').filter_map(|word| word.strip_prefix('N')?.split_once('='));
        words.filter_map(|(node, pages)| Some((node.parse().ok()?, pages.parse().ok()?))).collect()
    };
    let largest = output.lines().max_by_key(|line| pages(line).iter().map(|(_, n)| n).sum::<u64>()).unwrap();
    let policy = largest.split(' ').nth(1).unwrap_or_else(|| panic!("no policy in: {output}")).to_owned();
    Seen { cpus, policy, pages: pages(largest) }
}

/// Share of the pages that lie on these nodes.
fn share(seen: &Seen, nodes: &[u32]) -> f64 {
    let all: u64 = seen.pages.iter().map(|(_, n)| n).sum();
    let there: u64 = seen.pages.iter().filter(|(node, _)| nodes.contains(node)).map(|(_, n)| n).sum();
    there as f64 / all as f64
}

#[test]
fn emulated_plans_are_what_the_kernel_reports() {
    if !testbed::ready() {
        return;
    }
    // machine, options, mask, beginning of the policy, nodes of (nearly) all pages
    let cases: [(&str, &str, &str, &str, &[u32]); 11] = [
        ("two-socket", "-C 2 -m 0", "2", "bind:0", &[0]),
        ("two-socket", "-N 1 -l", "2-3", "local", &[1]),
        ("two-socket", "--place local --memory bind --threads 2 --nodes 1", "2-3", "bind:1", &[1]),
        ("two-socket", "--place local --memory remote --threads 2", "0-1", "bind:1", &[1]),
        ("two-socket", "--place distributed --memory interleave", "0-3", "interleave:0-1", &[0, 1]),
        ("two-socket", "-C 0 -p 1", "0", "prefer", &[1]),
        ("hbm", "--place local --threads 2 --memory hbm", "0-1", "bind:2", &[2]),
        ("hbm", "--place distributed --memory hbm", "0-3", "bind:2-3", &[2, 3]),
        ("holes", "--place local --threads 2 --nodes 1 --memory bind", "2-3", "bind:0", &[0]),
        (
            "eight-nodes",
            "--place distributed --threads 8 --memory interleave",
            "0-7",
            "interleave:0-7",
            &[0, 1, 2, 3, 4, 5, 6, 7],
        ),
        ("eight-nodes", "-C 5 -m 3", "5", "bind:3", &[3]),
    ];
    for name in ["two-socket", "hbm", "holes", "eight-nodes"] {
        let machine = testbed::load(name).unwrap();
        let here: Vec<_> = cases.iter().filter(|case| case.0 == name).collect();
        let commands: Vec<String> =
            here.iter().map(|case| format!("numawise run {} -- {LOOK}", case.1)).collect();
        let run = guest(&machine).run(&commands).unwrap();
        for (result, (_, options, mask, policy, nodes)) in run.iter().zip(here) {
            assert_eq!(result.status, 0, "{name}, {options}: {}", result.stderr);
            let seen = seen(&result.stdout);
            assert_eq!(seen.cpus, *mask, "{name}, {options}");
            assert!(seen.policy.starts_with(policy), "{name}, {options}: {}", seen.policy);
            assert!(share(&seen, nodes) > 0.98, "{name}, {options}: {:?}", seen.pages);
            if options.contains("interleave") {
                let most = seen.pages.iter().map(|(_, n)| *n).max().unwrap() as f64;
                let all: u64 = seen.pages.iter().map(|(_, n)| n).sum();
                let even = 1.0 / nodes.len() as f64;
                assert!((most / all as f64) < 1.1 * even, "{name}, {options}: {:?}", seen.pages);
            }
        }
    }
}

/// The same request through numactl gives the same.
#[test]
fn emulated_peer_numactl_gives_the_same() {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load("two-socket").unwrap();
    let requests =
        ["-C 1,3 -m 1", "-N 0 -i 0-1", "-N 1 -p 0", "-C +0-1 -l", "--cpunodebind=!0 --membind=all"];
    let commands: Vec<String> = requests
        .iter()
        .flat_map(|request| [format!("numactl {request} {LOOK}"), format!("numawise run {request} {LOOK}")])
        .collect();
    let run = guest(&machine).tool("numactl").run(&commands).unwrap();
    for (request, pair) in requests.iter().zip(run.chunks(2)) {
        assert_eq!(
            (pair[0].status, pair[1].status),
            (0, 0),
            "{request}: {} {}",
            pair[0].stderr,
            pair[1].stderr
        );
        let (theirs, ours) = (seen(&pair[0].stdout), seen(&pair[1].stdout));
        assert_eq!(ours.cpus, theirs.cpus, "{request}");
        assert_eq!(ours.policy, theirs.policy, "{request}");
        let nodes: Vec<u32> = theirs.pages.iter().map(|(node, _)| *node).collect();
        for node in nodes {
            let (a, b) = (share(&ours, &[node]), share(&theirs, &[node]));
            assert!((a - b).abs() < 0.02, "{request}: node {node} has {a} of the pages, numactl gives {b}");
        }
    }
}

/// In a cgroup whose CPUs lie on more nodes than its memory, without and with a mask, lists mean what they mean to numactl; nodes without
/// `-a` under a mask do not (docs/user/run.md).
#[test]
fn emulated_peer_numactl_gives_the_same_in_a_cgroup() {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load("two-socket").unwrap();
    let enter = "mkdir -p /sys/fs/cgroup/box && cd /sys/fs/cgroup/box && echo 0-2 > cpuset.cpus && echo 0 > cpuset.mems; \
                 echo $$ > cgroup.procs";
    let masked = format!("{enter}; taskset -p 5 $$ > /dev/null");
    let requests = [
        "-N all",
        "-a -N all",
        "-a -N !0",
        "-a -N 1",
        "-a -C all",
        "-C all",
        "-a -C +0-1",
        "-a -N all -i all",
        "-a -m all",
    ];
    let look = "grep Cpus_allowed_list /proc/self/status; grep stack /proc/self/numa_maps";
    let each = |place: &str, request: &str| {
        ["numactl", "numawise run"].map(|tool| format!("{place}; {tool} {request} sh -c '{look}'"))
    };
    let under_mask = requests[1..].iter().flat_map(|request| each(&masked, request));
    let commands: Vec<String> =
        requests.iter().flat_map(|request| each(enter, request)).chain(under_mask).collect();
    let run = guest(&machine).tool("numactl").run(&commands).unwrap();
    let mut seen = Vec::new();
    for (pair, command) in run.chunks(2).zip(commands.iter().skip(1).step_by(2)) {
        let [theirs, ours] = [&pair[0], &pair[1]].map(|of| {
            let mut lines = of.stdout.lines();
            let cpus = lines.next().and_then(|line| line.strip_prefix("Cpus_allowed_list:\t"));
            let policy = lines.next().and_then(|line| line.split(' ').nth(1));
            (cpus.unwrap_or_else(|| panic!("{command}: {}", of.stderr)).to_owned(), policy.map(str::to_owned))
        });
        assert_eq!(ours, theirs, "{command}");
        seen.push(ours.0);
    }
    assert_eq!(
        (seen[0].as_str(), seen[1].as_str()),
        ("0-1", "0-2"),
        "nodes whose memory is allowed, and all"
    );
    assert!(run.iter().all(|result| result.stdout.contains("stack")), "policies were compared");
}
