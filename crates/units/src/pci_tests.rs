use super::*;

#[test]
fn addresses_are_written_as_the_kernel_does() {
    for (typed, kernel) in [
        ("3b:0", "0000:3b:00.0"),
        ("3B:00.1", "0000:3b:00.1"),
        ("0033:01:1f.7", "0033:01:1f.7"),
        ("10000:e1:00.0", "10000:e1:00.0"),
    ] {
        assert_eq!(typed.parse::<PciAddress>().unwrap().to_string(), kernel);
    }
}

#[test]
fn what_is_no_address_is_refused_with_an_example() {
    for wrong in [
        "", "3b", "3b:", ":3b:0", "1:2:3:4", "3b:00.8", "3b:20.0", "100:00.0", "+3b:0", "3b:0.", "x:y",
        "3b:00.0 ",
    ] {
        let error = wrong.parse::<PciAddress>().unwrap_err().to_string();
        assert!(error.contains("e.g. 3b:00.0"), "{wrong}: {error}");
    }
}

#[test]
fn the_order_is_that_of_numbers() {
    let address = |text: &str| text.parse::<PciAddress>().unwrap();
    assert!(address("0004:05:00.0") < address("0033:01:00.0"));
    assert!(address("ffff:00:00.0") < address("10000:00:00.0"), "not of letters");
    let json = serde_json::to_string(&address("3b:0")).unwrap();
    assert_eq!(json, "\"0000:3b:00.0\"");
    assert_eq!(serde_json::from_str::<PciAddress>(&json).unwrap(), address("3b:0"));
}
