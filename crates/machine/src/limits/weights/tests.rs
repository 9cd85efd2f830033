use super::*;
use crate::fixture::Fixture;

#[test]
fn a_weight_is_read_or_is_not_there() {
    let fixture = Fixture::empty();
    assert_eq!(global_weight(&fixture.roots(), NodeId(0)), None, "a kernel before 6.9");
    for (text, expected) in
        [("1\n", Some(1)), ("255\n", Some(255)), ("256\n", None), ("\n", None), ("x", None)]
    {
        fixture.write(&format!("{WEIGHTS}/node2"), text);
        assert_eq!(global_weight(&fixture.roots(), NodeId(2)), expected, "{text:?}");
    }
}
