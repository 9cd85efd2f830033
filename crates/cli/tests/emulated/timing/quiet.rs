//! Where memory is equally fast everywhere the answer is no; and where runs begin is the scheduler's choice, in turn.

use std::time::Duration;

use super::{beside_others, say, verdict};
use crate::{findings, guest, json};

/// Without timing both nodes are equally fast, whatever their distances say. Two threads, so that the emulated CPUs that
/// work at any moment are as many as the host's. The margin is wide because emulated CPUs are noisy: runs vary by a tenth, and
/// pinned threads were seen to be a tenth faster; with timing remote memory costs twice the margin. The runs are short, a second
/// or two: on a host three times slower than the fastest there must be time for more than the least number of repeats.
#[test]
#[ignore = "timing: the verdict of a check"]
fn emulated_equal_nodes_are_not_affected() {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load("two-socket").unwrap();
    let check = "numawise check --json --sampling 1% --margin 40% --budget 200s --seed 1 --threads 2 \
         --metric 'throughput: ([0-9.]+)' --higher-is-better -- iso3dfd 64 64 64 4 64 64 16 {threads}";
    let run = beside_others(|| guest(&machine).limit(Duration::from_secs(1800)).run(&[check]).unwrap());
    let told = json(&run[0]);
    say(&verdict(&told));
    assert_eq!(told["verdict"], "not affected", "{}", run[0].stdout);
    assert!(!findings(&told).contains(&"NW001"), "{}", run[0].stdout);
}

/// Where the operating system decides, the runs of a program begin on both nodes, whatever it is that starts them: the one thread of this
/// one says on which CPU it begins, where it may use all four. The kernel takes another node where something else runs on the first one just
/// then, and on a busy host an emulated CPU that is paused runs something all the time.
#[test]
#[ignore = "timing: where the scheduler lets runs begin"]
fn emulated_runs_begin_on_each_node_in_turn() {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load("two-socket").unwrap();
    // What the shell itself reads is about the shell: a process that it starts begins where the kernel finds room then.
    let program = "cat > /root/begin.sh << 'END'\n\
                   read -r stat < /proc/self/stat\n\
                   while read -r word list; do [ \"$word\" = Cpus_allowed_list: ] && break; done < /proc/self/status\n\
                   set -- $stat\n\
                   echo \"$list ${39}\" >> /root/begun\n\
                   sleep 0.3\n\
                   END";
    let check = "numawise check --budget 20s --seed 1 --threads 1 -o /root/begun.nw -- sh /root/begin.sh";
    let guest = guest(&machine).limit(Duration::from_secs(600));
    let run = beside_others(|| guest.run(&[program, check, "cat /root/begun"]).unwrap());
    let begun = &run[2].stdout;
    let anywhere = begun.lines().filter_map(|line| line.strip_prefix("0-3 "));
    let nodes: Vec<u32> = anywhere.map(|cpu| cpu.trim().parse::<u32>().unwrap() / 2).collect();
    let on_first = nodes.iter().filter(|node| **node == 0).count();
    let (least, all) = (on_first.min(nodes.len() - on_first), nodes.len());
    say(&format!("{on_first} of {all} runs began on node 0"));
    assert!(all >= 6 && least >= 2 && least * 4 >= all, "{}{begun}", run[1].stderr);
}
