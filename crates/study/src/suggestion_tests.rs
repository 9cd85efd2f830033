use super::*;

#[test]
fn an_expression_is_proposed_for_the_number_that_was_meant() {
    for (typed, output, proposed) in [
        ("time: ([0-9.]+)", " Time in seconds =      12.34\n", r"Time\s+in\s+seconds\s+=\s+([-+.0-9eEdD]+)"),
        (
            "MFLOPS ([0-9]+)",
            "Mop/s total = 512.5\nMFLOPS/s: 99\nthreads: 8\n",
            r"MFLOPS/s:\s+([-+.0-9eEdD]+)",
        ),
        ("t=(.*)", "it took 3.5 s\n", r"it\s+took\s+([-+.0-9eEdD]+)"),
        ("rate ([0-9]+)", "1234.5 MB/s\n", "([-+.0-9eEdD]+) +MB/s"),
        ("rate ([0-9]+)", "step 12 of 40: it's 3e-4\n", r"[0-9]+\s+of\s+[0-9]+:\s+it.s\s+([-+.0-9eEdD]+)"),
        ("x", "Größe: 5\n", r"Größe:\s+([-+.0-9eEdD]+)"),
    ] {
        assert_eq!(metric_suggestion(typed, output).as_deref(), Some(proposed), "{output}");
    }
}

#[test]
fn nothing_is_proposed_where_there_is_nothing_like_a_metric() {
    for output in [
        "",
        "all is well\n",
        "17\n",
        "gcc13 x86_64\n",
        "= 5\n",
        "time: nan\n",
        "rate 0\n",
        "\u{2003}\u{2003}1",
    ] {
        assert_eq!(metric_suggestion("time: ([0-9.]+)", output), None, "{output}");
    }
}
