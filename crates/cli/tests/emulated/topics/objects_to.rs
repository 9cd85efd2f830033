//! Objects that are put into the fast memory lie there, and others do not.

use testbed::{CommandResult, Guest};

use crate::built;
use crate::shared::Topic;

pub const OBJECTS_TO: &str = "objects-to";

/// Of the program: its second array, by the line on which it is made.
const SECOND: &str = "three_arrays.c:42";

/// The library that follows objects.
pub fn with_heap(guest: Guest<'_>) -> Guest<'_> {
    guest.file_at(built("libnumawise_heap.so"), "/bin/libnumawise_heap.so")
}

pub fn with_arrays(guest: Guest<'_>) -> Guest<'_> {
    let flags = ["-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror"];
    let program = testbed::compile_c("probe/three_arrays.c", "three_arrays", &flags).unwrap();
    with_heap(guest).file_at(program, "/bin/three_arrays")
}

pub fn put() -> Topic {
    let put = |options: &str| format!("numawise run {options} -- three_arrays");
    let commands = [
        "numawise objects --quiet --output run.nw -- three_arrays".to_owned(),
        put(&format!("-C 0-1 --objects-to hbm=run.nw:{SECOND},table")),
        put(&format!("-C 2-3 --objects-to hbm=run.nw:{SECOND}")),
        put(&format!("-C 0-1 --objects-to 1=run.nw:{SECOND}")),
        put("--objects-to hbm=run.nw:nothing"),
    ];
    Topic::new(OBJECTS_TO, commands)
}

pub fn chosen_objects_lie_in_the_fast_memory_and_others_do_not(run: &[CommandResult]) {
    assert_eq!(run[0].status, 0, "{}", run[0].stderr);
    // The node of each array: u, v, w, table.
    let cases: [[&str; 4]; 3] =
        [["N0", "N2", "N0", "N2"], ["N1", "N3", "N1", "N1"], ["N0", "N1", "N0", "N0"]];
    for (result, nodes) in run[1..].iter().zip(cases) {
        assert_eq!(result.status, 0, "{}: {}", result.command, result.stderr);
        let lines: Vec<&str> = result.stdout.lines().collect();
        for (line, (name, node)) in lines.iter().zip(["u", "v", "w", "table"].into_iter().zip(nodes)) {
            let found = line.rsplit_once("nodes=").unwrap().1;
            let all = found.starts_with(&format!("{node}=")) && !found.contains(',');
            assert!(line.starts_with(&format!("name={name} ")) && all, "{}: {line}", result.command);
        }
        assert_eq!(lines.len(), 4, "{}", result.stdout);
    }
    assert_eq!(run[4].status, 125);
    assert!(run[4].stderr.contains("has no object named nothing"), "{}", run[4].stderr);
}
