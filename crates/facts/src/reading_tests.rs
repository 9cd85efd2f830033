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

#[test]
fn what_follows_from_a_reading_is_missing_where_it_is() {
    let half = |n: u32| match n % 2 {
        0 => Reading::Measured(n / 2),
        _ => Reading::unavailable("odd"),
    };
    let gone = || Reading::<u32>::unavailable("gone");
    assert_eq!(Reading::Measured(6).and_then(half), Reading::Measured(3));
    assert_eq!(Reading::Measured(3).and_then(half), Reading::unavailable("odd"));
    assert_eq!(gone().and_then(half), gone());
}

#[test]
fn two_readings_are_one_where_both_are_there() {
    let (one, two) = (|| Reading::Measured(1), || Reading::Measured("two"));
    let gone = |why: &'static str| Reading::<u32>::unavailable(why);
    assert_eq!(one().zip(two()), Reading::Measured((1, "two")));
    assert_eq!(gone("first").zip(two()).reason().unwrap().0, "first");
    assert_eq!(one().zip(gone("second")).reason().unwrap().0, "second");
    assert_eq!(gone("first").zip(gone("second")).reason().unwrap().0, "first");
}

#[test]
fn all_readings_are_their_values_or_the_first_reason() {
    let all = |readings: &[Reading<u32>]| Reading::all(readings.iter().cloned());
    assert_eq!(all(&[]), Reading::Measured(vec![]));
    assert_eq!(all(&[Reading::Measured(0), Reading::Measured(7)]), Reading::Measured(vec![0, 7]));
    let missing = [Reading::Measured(1), Reading::unavailable("first"), Reading::unavailable("second")];
    assert_eq!(all(&missing).reason().unwrap().0, "first");
}
