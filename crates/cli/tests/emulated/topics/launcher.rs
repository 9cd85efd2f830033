//! What `numawise run` makes of a launcher's binding and of the kernel's weights, where there are nodes enough to tell.
//!
//! A shell without a rank's variables plays the launcher; `taskset` binds the rank.

use std::io::Write as _;

use testbed::CommandResult;

use crate::json;
use crate::shared::Topic;

pub const LAUNCHER: &str = "launcher";
pub const WEIGHTS_OF_NOW: &str = "weights-of-now";

const MASK: &str = "grep Cpus_allowed_list /proc/self/status";

fn rank(number: u32, size: u32, mask: &str, options: &str, words: &str) -> String {
    // A second command behind it keeps the shell there as the parent.
    format!(
        "MPI_LOCALRANKID={number} MPI_LOCALNRANKS={size} taskset {mask} numawise run {options} -- {words}; s=$?; (exit $s)"
    )
}

fn mask(result: &CommandResult) -> &str {
    assert_eq!(result.status, 0, "{}", result.stderr);
    result.stdout.trim().strip_prefix("Cpus_allowed_list:\t").unwrap_or_else(|| panic!("{}", result.stdout))
}

pub fn bound() -> Topic {
    let local = "--place local --no-preload";
    let rebind = format!("{local} --rebind");
    Topic::new(
        LAUNCHER,
        [
            rank(2, 4, "f", local, MASK),   // unbound
            rank(1, 2, "c", local, MASK),   // a node of its own
            rank(3, 4, "3", local, MASK),   // a node that another rank must have too
            rank(0, 4, "3", local, MASK),   // the same, for the one who speaks
            rank(3, 4, "3", &rebind, MASK), // widened
            rank(1, 2, "c", "-C 2-3 -m 1", MASK),
            "MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2 numawise run --dry-run --json --place distributed app"
                .to_owned(),
        ],
    )
}

pub fn what_the_launcher_bound_is_respected(run: &[CommandResult]) {
    assert_eq!(mask(&run[0]), "2");
    assert_eq!((mask(&run[1]), run[1].stderr.as_str()), ("2-3", ""));
    assert_eq!((mask(&run[2]), run[2].stderr.as_str()), ("0-1", ""), "rank 0 is the reporting rank");
    assert_eq!(mask(&run[3]), "0-1");
    assert!(
        run[3].stderr.contains("4 ranks have 4 CPUs") && run[3].stderr.contains("not pinned"),
        "{}",
        run[3].stderr
    );
    assert_eq!(mask(&run[4]), "3");
    assert_eq!(mask(&run[5]), "2-3");
    let plan = json(&run[6]);
    assert_eq!((&plan["ours"], plan["tasks"].as_array().unwrap().len()), (&1.into(), 2));
}

/// Of a kernel whose weights nobody has written yet: nothing else may have been asked before that writes them.
pub fn weights_of_now() -> Topic {
    let weighted = "--memory weighted:0,2";
    Topic::new(
        WEIGHTS_OF_NOW,
        [
            format!("numawise run --dry-run --json {weighted} app"),
            format!("numawise run {weighted} true"),
            format!("numawise run {weighted} --global-weights true"),
            "cd /sys/kernel/mm/mempolicy/weighted_interleave && cat node0 node2".to_owned(),
            format!("numawise run {weighted} true"),
            "numawise run -w 0,2 true".to_owned(),
        ],
    )
}

pub fn weights_are_compared_and_written(run: &[CommandResult]) {
    let plan = json(&run[0]);
    let weights = plan["tasks"][0]["memory"]["weights"].as_array().unwrap();
    let of = |k: usize| weights[k]["weight"].as_u64().unwrap();
    // 92160 and 409600 MiB/s: 9 to 40, and 2 to 9 is within 2 % of the shares.
    assert_eq!((of(0), of(1)), (2, 9), "{weights:?}");
    if run[1].status == 125 && run[1].stderr.contains("Linux 6.9") {
        let _ = writeln!(std::io::stderr(), "SKIPPED: the guest's kernel has no weighted interleaving");
        return;
    }
    assert!(run[1].stderr.contains("pages will go by the kernel's weights of now"), "{}", run[1].stderr);
    assert_eq!(run[2].status, 0, "{}", run[2].stderr);
    assert!(run[2].stderr.contains("for all programs of this computer"), "{}", run[2].stderr);
    assert_eq!(run[3].stdout, format!("{}\n{}\n", of(0), of(1)));
    assert_eq!((run[4].status, run[4].stderr.as_str()), (0, ""), "they are as they should be");
    assert_eq!((run[5].status, run[5].stderr.as_str()), (0, ""), "numactl's option takes them as they are");
}
