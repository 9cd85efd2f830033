use numawise_facts::Reading;
use numawise_tables::snapshot::{AskedWindow, CallPlace, SHARES};

use super::*;

#[test]
fn the_page_names_what_it_is_of_and_asks_only_whom_it_comes_from() {
    let first = [Some(Nanoseconds(5)), None];
    let ranks = "0-3,17".parse().unwrap();
    let command = Some("mpirun </script> app");
    let page = page(&ShownView { file: "<b>.trace", command, first, ranks: Some(&ranks) });
    assert!(page.contains("\"ranks\":\"0-3,17\""));
    assert!(page.contains("&lt;b&gt;.trace") && page.contains("mpirun &lt;/script&gt; app"));
    assert!(
        !page.contains("<b>") && page.contains("connect-src 'self'") && page.contains("\"first\":[5,null]")
    );
    // It has its script, and no library that nothing of it uses.
    assert!(page.contains("function addFetched") && page.len() < 120_000, "{}", page.len());
}

#[test]
fn names_say_what_is_not_known() {
    let call = CallPlace { call: "MPI_</script>".to_owned(), place: Reading::unavailable("made") };
    let events = TraceEvents { sites: vec![call], are_ranks: true, ..TraceEvents::default() };
    let of = |known| -> Value { serde_json::from_str(&names(&events, known, 7)).unwrap() };
    let whole = of(Known::Whole);
    assert_eq!(
        (&whole["version"], &whole["note"], &whole["goes_on"]),
        (&json!(7), &json!(""), &json!(false))
    );
    assert_eq!((&whole["lane"], &whole["sites"][0][0]), (&json!("rank "), &json!("MPI_</script>")));
    assert_eq!(whole["parts"].as_array().unwrap().len(), SHARES);
    for (known, goes_on) in [
        (Known::Streams, true),
        (Known::Analysed, true),
        (Known::TooLarge { needs: Bytes(8 << 30), available: Bytes(4 << 30) }, false),
    ] {
        let names = of(known);
        assert!(names["note"].as_str().unwrap().contains("not known") && names["goes_on"] == goes_on);
    }
    assert!(
        of(Known::TooLarge { needs: Bytes(8 << 30), available: Bytes(4 << 30) })
            .to_string()
            .contains("8 GiB")
    );
}

#[test]
fn a_window_is_numbers_shares_and_events() {
    let asked = AskedWindow {
        from: Nanoseconds(10),
        to: Nanoseconds(300),
        ranks: None,
        top: 1,
        bottom: 4,
        columns: 2,
        lines: 2,
        with_phases: false,
    };
    let shares: Vec<u8> = (0..2 * 2 * SHARES as u8).collect();
    let of = TraceWindow {
        of: asked,
        groups: vec![1, 3],
        shares: shares.clone(),
        events: TraceEvents::default(),
        is_rough: true,
    };
    let bytes = window(&of, 2, 500);
    // 290 and 500 have two bytes each.
    let head = [2, 244, 3, 1, 10, 162, 2, 1, 4, 2, 2, 1, 3];
    assert_eq!((&bytes[..13], &bytes[13..45]), (&head[..], &shares[..]));
    assert_eq!(bytes[45..], events::packed(&of.events));
    let few = TraceWindow { groups: Vec::new(), shares: Vec::new(), ..of };
    assert_eq!(window(&few, 2, 500)[7..11], [1, 4, 0, 0]);
}
