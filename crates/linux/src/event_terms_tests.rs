use super::*;

#[test]
fn values_are_put_where_formats_say() {
    assert_eq!(put("config:0-7,32-35\n", 0x5cd), Some([0x5_0000_00cd, 0, 0]));
    assert_eq!(put("config1:63", 1), Some([0, 1 << 63, 0]));
    assert_eq!(put("config2:0-63", u64::MAX), Some([0, 0, u64::MAX]));
    assert_eq!(put("config:0-3", 0x10), None, "it does not fit");
}
