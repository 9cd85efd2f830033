use super::*;

fn turns(nodes: &[(&str, bool)]) -> NodeTurns {
    let mut turns = NodeTurns::default();
    turns.seen(
        nodes
            .iter()
            .map(|(name, is_idle)| ClusterNode { name: (*name).to_owned(), is_idle: *is_idle })
            .collect(),
    );
    turns
}

fn node(turns: &mut NodeTurns, block: u32, busy: &[&str]) -> (String, Option<String>) {
    let busy: Vec<String> = busy.iter().map(|name| (*name).to_owned()).collect();
    turns.of_block(block, &busy).unwrap().unwrap()
}

#[test]
fn blocks_keep_their_node_and_take_turns() {
    let mut turns = turns(&[("a", true), ("b", true), ("c", false)]);
    assert_eq!(node(&mut turns, 1, &[]).0, "a");
    assert_eq!(node(&mut turns, 2, &["a"]).0, "b");
    assert_eq!(node(&mut turns, 1, &["b"]).0, "a");
    // The third waits for whoever uses that node, before it shares one with a block of ours.
    assert_eq!(node(&mut turns, 3, &["a", "b"]).0, "c");
    assert_eq!(node(&mut turns, 4, &["b", "c"]).0, "a");
    assert_eq!(turns.side_by_side(&["b".to_owned()]), 2);
    assert_eq!(turns.side_by_side(&["c".to_owned()]), 3);
}

#[test]
fn a_block_whose_node_is_gone_moves_and_says_from_where() {
    let mut turns = turns(&[("a", true), ("b", true)]);
    assert_eq!(node(&mut turns, 1, &[]).0, "a");
    turns.seen(vec![ClusterNode { name: "b".to_owned(), is_idle: true }]);
    assert_eq!(node(&mut turns, 1, &[]), ("b".to_owned(), Some("a".to_owned())));
    turns.seen(Vec::new());
    assert!(turns.of_block(1, &[]).unwrap().is_none(), "it may come back");
    assert_eq!(turns.side_by_side(&[]), 1);
}

#[test]
fn without_a_node_that_can_run_trials_the_last_reason_is_said() {
    let mut turns = turns(&[("a", true), ("b", true)]);
    turns.leave_out("b", JobProblem::OtherMachine("its CPUs".to_owned()));
    assert_eq!(node(&mut turns, 1, &["a"]).0, "a");
    turns.leave_out("a", JobProblem::NotShared("/data".into()));
    let error = turns.of_block(1, &[]).unwrap_err().to_string();
    assert!(error.contains("the last was a: the folder /data is not there"), "{error}");
}
