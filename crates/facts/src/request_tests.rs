use super::*;

#[test]
fn memory_requests_print_as_they_are_typed() {
    for text in [
        "default",
        "local",
        "bind",
        "bind:0-1",
        "preferred",
        "preferred:3",
        "preferred-many:0,2",
        "interleave",
        "interleave:0-3",
        "weighted",
        "hbm",
        "remote",
    ] {
        assert_eq!(text.parse::<MemoryRequest>().unwrap().to_string(), text);
    }
}

#[test]
fn broken_memory_requests_say_what_is_expected() {
    for (text, part) in [
        ("", "expected default, local"),
        ("near", "'near' is not a memory policy"),
        ("bind:", "the list of nodes is empty"),
        ("bind:x", "'x' is not a number"),
        ("preferred:0-1", "for several use preferred-many"),
        ("preferred-many", "a list of nodes is missing"),
        ("hbm:1", "it takes no list of nodes, found '1'"),
    ] {
        let error = text.parse::<MemoryRequest>().unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn strategies_are_words() {
    for text in ["local", "distributed", "semi", "none"] {
        assert_eq!(text.parse::<Strategy>().unwrap().to_string(), text);
    }
    for text in ["", "Local", "explicit", "spread"] {
        assert!(
            text.parse::<Strategy>().unwrap_err().to_string().contains("expected local, distributed"),
            "{text}"
        );
    }
}
