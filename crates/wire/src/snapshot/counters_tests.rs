use std::string::ToString;
use std::vec::Vec;

use super::*;

#[test]
fn a_request_comes_back_as_it_was() {
    let codes = [CounterCode { kind: 0, config: 1 }, CounterCode { kind: 4, config: 0x1400_14a3 }];
    let request = CounterRequest { flags: 0x18_0000_0062, codes: &codes, socket: "/dev/shm/a;b/c" };
    let text = request.to_string();
    assert_eq!(text, "1;1800000062;0:1,4:140014a3;/dev/shm/a;b/c");
    let decoded = DecodedRequest::of(text.as_bytes()).unwrap();
    assert_eq!(decoded.codes(), codes);
    assert_eq!((decoded.flags, decoded.socket), (0x18_0000_0062, b"/dev/shm/a;b/c".as_slice()));
}

#[test]
fn what_is_no_request_is_refused() {
    let long = ["1;0;0:0;/", &"x".repeat(107)].concat();
    let many = ["1;0;", &["0:0"; MOST_COUNTERS + 1].join(","), ";/s"].concat();
    for text in [
        "",
        "1",
        "2;0;0:0;/s",
        "1;;0:0;/s",
        "1;0;;/s",
        "1;0;0;/s",
        "1;0;0:0",
        "1;0;0:0;",
        "1;0;0:0;s",
        "1;g;0:0;/s",
        "1;0;100000000:0;/s",
        "1;0;0:11111111111111111;/s",
        "1;0;0:0,;/s",
        &long,
        &many,
    ] {
        assert_eq!(DecodedRequest::of(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn what_is_handed_over_comes_back_as_it_was() {
    let mut errors = [0; MOST_COUNTERS];
    errors[3] = 2;
    let message = HandedCounters { process: 7, threads: 1, began: 0x1234_5678_9abc_def0, count: 5, errors };
    let bytes = message.encode();
    assert_eq!(HandedCounters::decode(&bytes), Some(message));
    assert_eq!(HandedCounters::decode(&bytes[1..]), None);
    let mut other: Vec<u8> = bytes.to_vec();
    other[0] = 0;
    assert_eq!(HandedCounters::decode(&other), None);
    assert_eq!(HandedCounters::decode(&HandedCounters { count: 33, ..message }.encode()), None);
}
