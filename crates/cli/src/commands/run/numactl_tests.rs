use super::*;

fn machine(text: &str) -> Machine {
    numawise_machine::from_synthetic(text).unwrap()
}

fn allowed() -> Allowed {
    Allowed { cpus: "0,4-5".parse().unwrap(), nodes: "0-1".parse().unwrap() }
}

fn show_of(mode: i32, nodes: &str, next: Option<u32>) -> String {
    let policy = ThreadPolicy::from_kernel(mode, nodes.parse().unwrap());
    shown(&policy, next, &allowed(), &machine("pack:2 [numa] core:4 pu:1"))
}

const MASKS: &str = "physcpubind: 0 4 5 \ncpubind: 0 1 \nnodebind: 0 1 \n";

#[test]
fn policies_are_shown_in_numactls_words() {
    let default = format!("policy: default\npreferred node: current\n{MASKS}membind: 0 1 \npreferred: \n");
    assert_eq!(show_of(0, "", Some(0)), default);
    let bind = format!("policy: bind\npreferred node: 1\n{MASKS}membind: 1 \npreferred: 1 \n");
    assert_eq!(show_of(2, "1", None), bind);
    let interleave = format!(
        "policy: interleave\npreferred node: 1 (interleave next)\ninterleavemask: 0 1 \ninterleavenode: 1\n{MASKS}membind: 0 1 \n\
         preferred: 0 1 \n"
    );
    assert_eq!(show_of(3, "0-1", Some(1)), interleave);
    assert!(
        show_of(5, "0-1", None).starts_with("policy: preferred-many\npreferred node: 0 (preferred-many)\n")
    );
    assert!(show_of(4, "", None).starts_with("policy: local\npreferred node: current\n"));
    assert!(show_of(2 | 1 << 13, "0", None).starts_with("policy: bind (balancing)\npreferred node: 0\n"));
    assert!(show_of(6, "0-1", Some(0)).contains("weightedinterleavenode: 0\n"));
    assert!(show_of(42, "", None).starts_with("policy: unknown\n"));
}

#[test]
fn the_inventory_has_numactls_lines() {
    let mut two = machine("pack:2 [numa(memory=8589934592)] core:2 pu:1");
    two.nodes[1].free = Reading::Measured(Bytes::mib(100));
    for (node, row) in two.nodes.iter_mut().zip([vec![10, 21], vec![21, 10]]) {
        node.distances = Reading::Measured(row);
    }
    let expected = "available: 2 nodes (0-1)\n\
                    node 0 cpus: 0 1\nnode 0 size: 8192 MB\nnode 0 free: unavailable\n\
                    node 1 cpus: 2 3\nnode 1 size: 8192 MB\nnode 1 free: 100 MB\n\
                    node distances:\nnode   0   1 \n  0:  10  21 \n  1:  21  10 \n";
    assert_eq!(inventory(&two), expected);
    two.nodes[0].distances = Reading::unavailable("not told");
    assert!(inventory(&two).ends_with("No distance information available.\n"));
}
