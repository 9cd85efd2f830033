use super::*;

#[test]
fn mixes_are_read_as_they_are_printed() {
    for mix in Mix::ALL {
        assert_eq!(mix.to_string().parse(), Ok(mix));
        assert_eq!(serde_json::to_value(mix).unwrap(), mix.name());
        let (reads, writes) = mix.lines();
        assert!(reads + writes > 0);
    }
    let error = "4:1".parse::<Mix>().unwrap_err().to_string();
    assert!(error.contains("'4:1'") && error.contains("nt-write"), "{error}");
}

#[test]
fn what_could_not_be_measured_keeps_its_cell_and_reason() {
    let cell = Bandwidth {
        workers: Workers::Node(NodeId(0)),
        target: Target::Own,
        mix: Mix::Triad,
        threads: Reading::Measured(2),
        rate: Reading::unavailable("the node has no free memory"),
        declared: Reading::Measured(BytesPerSecond(1e9)),
    };
    let text = serde_json::to_string(&cell).unwrap();
    assert!(text.contains(r#""rate":{"unavailable":"the node has no free memory"}"#), "{text}");
    assert_eq!(serde_json::from_str::<Bandwidth>(&text).unwrap(), cell);
}
