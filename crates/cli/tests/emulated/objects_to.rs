//! Objects that are put into the fast memory lie there, and others do not.

use crate::{built, guest};

/// Of the program: its second array, by the line on which it is made.
const SECOND: &str = "three_arrays.c:42";

#[test]
fn emulated_chosen_objects_lie_in_the_fast_memory_and_others_do_not() {
    if !testbed::ready() {
        return;
    }
    let flags = ["-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror"];
    let program = testbed::compile_c("probe/three_arrays.c", "three_arrays", &flags).unwrap();
    let machine = testbed::load("hbm").unwrap();
    let record = "numawise objects --quiet --output /root/run.nw -- three_arrays".to_owned();
    let put = |options: &str| format!("numawise run {options} -- three_arrays");
    let commands = [
        record,
        put(&format!("-C 0-1 --objects-to hbm=/root/run.nw:{SECOND},table")),
        put(&format!("-C 2-3 --objects-to hbm=/root/run.nw:{SECOND}")),
        put(&format!("-C 0-1 --objects-to 1=/root/run.nw:{SECOND}")),
        put("--objects-to hbm=/root/run.nw:nothing"),
    ];
    let run = guest(&machine)
        .file_at(built("target/release/libnumawise_heap.so"), "/bin/libnumawise_heap.so")
        .file_at(program, "/bin/three_arrays")
        .run(&commands)
        .unwrap();
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
