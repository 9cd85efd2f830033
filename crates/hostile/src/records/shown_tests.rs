use super::*;

#[test]
fn nonsense_is_seen() {
    for line in [
        "  node 0 has 16 EiB of memory",
        "watching took 1844674407370.96 % of a CPU",
        "runs vary by inf %",
        "it took -1.5 s",
        "a ratio of NaNx",
        "\u{1b}[2J",
        "took 2562047 h 47 min",
    ] {
        assert!(text(line).is_some(), "{line}");
    }
    for line in [
        "taskset -c 0-3 ./app -5 y",
        "1.87x faster (1.2x to 2.4x), 43.2 %",
        "info infinite",
        "masks of threads of 100: Inf (in 1 of 24 samples)",
    ] {
        assert_eq!(text(line), None);
    }
    assert!(data("{\"value\": -1}").is_some() && data("{\"exit_code\": -1}").is_none());
}

#[test]
fn markup_that_is_not_ours_is_seen() {
    let page = |inside: &str| {
        let scripts =
            "<script></script><script id=\"data\">{}</script><script>if (1 < 2) f('<img>')</script>";
        html(&format!("<!doctype html><html lang=\"en\"><body>{inside}{scripts}</body></html>"))
    };
    for text in ["", "javascript:alert(1)", "a &lt;img src=x&gt;", "<td title=\"x > javascript:y\">1</td>"] {
        assert_eq!(page(&format!("<p class=\"a\">{text}</p>")), None);
    }
    for other in [
        "<img src=x>",
        "<script>alert(1)</script>",
        "<p onclick=\"x\">",
        "<td title=\"\" onclick=alert(1)>",
        "<a href=\"javascript:alert(1)\">",
        "<svg/onload=x>",
    ] {
        assert!(page(other).is_some(), "{other}");
    }
}
