use super::*;

#[test]
fn a_reading_goes_through_json_and_keeps_its_reason() {
    let there: Reading<u64> = Reading::Measured(0);
    let missing: Reading<u64> = Reading::unavailable("no /proc/schedstat in this kernel");
    assert_eq!(serde_json::to_string(&there).unwrap(), "0");
    assert_eq!(
        serde_json::to_string(&missing).unwrap(),
        r#"{"unavailable":"no /proc/schedstat in this kernel"}"#
    );
    for reading in [there, missing] {
        let text = serde_json::to_string(&reading).unwrap();
        assert_eq!(serde_json::from_str::<Reading<u64>>(&text).unwrap(), reading);
    }
}

#[test]
fn missing_prints_as_missing() {
    assert_eq!(Reading::<u64>::unavailable("no permission").to_string(), "unavailable (no permission)");
    assert_eq!(Reading::Measured(3).map(|n| n + 1).to_string(), "4");
    assert_eq!(Reading::<i32>::from("x".parse::<i32>()).measured(), None);
}
