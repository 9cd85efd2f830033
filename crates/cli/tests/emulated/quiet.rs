//! Where memory is equally fast everywhere the answer is no; and a program is not put where it does not fit.

use std::time::Duration;

use crate::{decided, findings, guest, json};

/// Without timing both nodes are equally fast, whatever their distances say. Two threads, so that the emulated CPUs that
/// work at any moment are as many as the host's. The margin is wide because emulated CPUs are noisy: runs vary by a tenth, and
/// pinned threads were seen to be a tenth faster; with timing remote memory costs twice the margin. The runs are short, a second
/// or two: on a host three times slower than the fastest there must be time for more than the least number of repeats.
#[test]
fn emulated_equal_nodes_are_not_affected() {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load("two-socket").unwrap();
    let (told, run) = decided(150, |budget| {
        let check = format!(
            "numawise check --json --sampling 1% --margin 40% --budget {budget}s --seed 1 --threads 2 \
             --metric 'throughput: ([0-9.]+)' --higher-is-better -- iso3dfd 64 64 64 4 64 64 16 {{threads}}"
        );
        guest(&machine).limit(Duration::from_secs(budget + 200)).run(&[check]).unwrap()
    });
    assert_eq!(told["verdict"], "not affected", "{}", run[0].stdout);
    assert!(!findings(&told).contains(&"NW001"), "{}", run[0].stdout);
}

/// Where the operating system decides, the runs of a program begin on both nodes, whatever it is that starts them: the one thread of this
/// one says on which CPU it begins, where it may use all four. The kernel takes another node where something else runs on the first one just
/// then, and on a busy host an emulated CPU that is paused runs something all the time: a guest whose runs keep to one node is one such.
#[test]
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
    let on_both = || {
        let run = guest(&machine)
            .limit(Duration::from_secs(200))
            .run(&[program, check, "cat /root/begun"])
            .unwrap();
        let begun = run[2].stdout.clone();
        let anywhere = begun.lines().filter_map(|line| line.strip_prefix("0-3 "));
        let nodes: Vec<u32> = anywhere.map(|cpu| cpu.trim().parse::<u32>().unwrap() / 2).collect();
        let on_first = nodes.iter().filter(|node| **node == 0).count();
        let (least, all) = (on_first.min(nodes.len() - on_first), nodes.len());
        if all >= 6 && least >= 2 && least * 4 >= all {
            Ok(())
        } else {
            Err(format!("{}{begun}", run[1].stderr))
        }
    };
    on_both().or_else(|_| on_both()).or_else(|_| on_both()).unwrap_or_else(|begun| panic!("{begun}"));
}

/// High-bandwidth memory is used where the program fits, and left alone where it does not. The repeats are asked for, so that no point
/// is left out for want of time where the host is slow.
#[test]
fn emulated_hbm_is_tried_only_when_the_program_fits() {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load("hbm").unwrap();
    let check = |name: &str, command: &str| {
        format!(
            "numawise check --json --sampling 1% --repeats 5 --budget 30s --seed 1 -o /root/{name}.nw -- {command}"
        )
    };
    let commands = [
        check("small", "dd if=/dev/zero of=/dev/null bs=32M count=1"),
        check("large", "dd if=/dev/zero of=/dev/null bs=560M count=1"),
    ];
    let run = guest(&machine).limit(Duration::from_secs(900)).run(&commands).unwrap();
    let tried = |told: &serde_json::Value| {
        told["points"].as_array().unwrap().iter().any(|point| point["id"] == "hbm")
    };
    let (small, large) = (json(&run[0]), json(&run[1]));
    assert!(tried(&small), "{}", run[0].stdout);
    assert!(!tried(&large), "{}", run[1].stdout);
    let hbm = large["findings"].as_array().unwrap().iter().find(|finding| finding["id"] == "NW005");
    let hbm = hbm.unwrap_or_else(|| panic!("no NW005 in {}", run[1].stdout));
    assert!(hbm["cost"]["unavailable"].is_string(), "what was not tried has no cost: {hbm}");
    assert!(hbm["evidence"].to_string().contains("the program needs"), "{hbm}");
}
