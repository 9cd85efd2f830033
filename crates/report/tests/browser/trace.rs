//! The calls of a trace one by one, under a person's hands.

use std::collections::BTreeMap;
use std::time::Instant;

use numawise_report::{document, snapshot};

use crate::{Browser, Shown, watched};

/// What a person does with the calls of a trace, and what the page then says; `$WORK` is of a test.
const HANDS: &str = r#"<pre id="seen"></pre><script>(async () => {
    // A page is not loaded, and not looked at, before all frames in it are.
    const frame = document.createElement("iframe");
    frame.style.display = "none";
    document.body.append(frame);
    frame.contentDocument.open();
    const figure = document.getElementById("events");
    for (let k = 0; k < 20000 && figure.hidden; k += 1) await new Promise((done) => setTimeout(done, 3));
    const canvas = figure.querySelector("canvas");
    const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    const left = canvas.clientWidth < 600 ? 50 : 110;
    // At a share of the time that is shown, and of the rows.
    const put = (type, across, down, more) => {
        const box = canvas.getBoundingClientRect();
        const at = { clientX: box.left + left + across * (box.width - left - 8), clientY: box.top + down * (box.height - 58) };
        canvas.dispatchEvent(new (type === "wheel" ? WheelEvent : PointerEvent)(type, { bubbles: true, cancelable: true, ...at, ...more }));
    };
    const click = (across, down) => ["pointerdown", "pointerup"].forEach((type) => put(type, across, down, { button: 0 }));
    const key = (name) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
    const text = (where) => figure.querySelector(where).innerText.replace(/\s+/g, " ").trim();
    const seen = [];
    $WORK
    document.getElementById("seen").textContent = "seen:\n" + seen.join("\n") + "\nend of what was seen";
    frame.contentDocument.close();
})().catch((error) => console.error(error.stack));</script></body>"#;

impl Browser {
    /// Lines that the script noted.
    fn hands(&self, name: &str, page: &str, work: &str, options: &[&str]) -> (Vec<String>, Shown) {
        let page = page.replace("</body>", &HANDS.replace("$WORK", work));
        let shown = self.show(&self.save(name, &page), options);
        let seen = shown.page.rsplit_once("seen:\n").and_then(|(_, rest)| rest.split_once("\nend of"));
        let (seen, _) = seen.unwrap_or_else(|| panic!("{name}: the script did not end: {}", shown.messages));
        (seen.lines().map(str::to_owned).collect(), shown)
    }
}

#[test]
fn browser_a_call_of_a_trace_says_for_whom_it_waited() {
    let Some(browser) = Browser::find() else { return };
    let page = document::html(&snapshot::document(&watched::Watched::of(watched::traced()).shown()));
    let work = r#"
        const length = () => Math.round(parseFloat(text(".shown").split("(")[1])) + " ms";
        seen.push("static " + document.querySelector(".timeline").checkVisibility());
        seen.push(text(".shown"));
        click(0.2, 0.55);
        seen.push(text(".chosen"));
        figure.querySelector(".chosen button").click();
        seen.push(text(".chosen"));
        [...figure.querySelectorAll(".chosen button")].at(-1).click();
        seen.push(text(".chosen"));
        click(0.8, 0.55);
        seen.push(text(".chosen"));
        put("wheel", 0.2, 0.5, { deltaY: -300 });
        await drawn();
        seen.push(length());
        key("Escape");
        await drawn();
        seen.push(text(".shown"));
        put("pointerdown", 0.2, 0.5, { button: 0 });
        put("pointermove", 0.4, 0.5);
        put("pointermove", 0.6, 0.5);
        put("pointerup", 0.6, 0.5);
        await drawn();
        seen.push(length());
        key("ArrowLeft");
        key("-");
        await drawn();
        seen.push(length());
        put("dblclick", 0.5, 0.5);
        await drawn();
        seen.push(text(".shown"));
        figure.querySelector("[data-act=longest]").click();
        await drawn();
        seen.push(text(".shown") + " " + text(".chosen b"));
        put("pointermove", 0.5, 0.55);
        seen.push(document.querySelector(".floating b").textContent);
        key("Escape");
        await drawn();
        click(0.9, 0.8);
        seen.push(text(".chosen"));
        click(0.6, 1.3);
        await drawn();
        seen.push(text(".chosen"), text(".shown"));
        click(0.15, 0.8);
        seen.push(text(".chosen"));
        click(0.17, 0.1);
        seen.push(text(".chosen"));"#;
    let expected = [
        "static false",
        "0 ms to 150 ms (150 ms)",
        "rank 1: MPI_Recv in exchange (app.c:120) began at 10 ms, took 52 ms, 8 B, on MPI_COMM_WORLD (2 ranks) \
         waited 50 ms for rank 0: MPI_Send in exchange (app.c:120) go there \
         late sender: the receive began before the send received 8 B from rank 0 show the message",
        "rank 0: MPI_Send in exchange (app.c:120) began at 60 ms, took 1 ms, 8 B, on MPI_COMM_WORLD (2 ranks) sent 8 B to rank 1 show the message",
        "message from rank 0 to rank 1 8 B, tag 3, on MPI_COMM_WORLD (2 ranks) \
         sent by MPI_Send in exchange (app.c:120), which began at 60 ms, took 1 ms go there \
         received by MPI_Recv in exchange (app.c:120), which began at 10 ms, took 52 ms and waited 50 ms for rank 0 go there",
        "rank 1: MPI_Test in exchange (app.c:120) began at 110 ms, took 20 ms, 8 B, on MPI_COMM_WORLD (2 ranks) asked 7 times and found nothing",
        "71 ms",
        "0 ms to 150 ms (150 ms)",
        "60 ms",
        "120 ms",
        "0 ms to 150 ms (150 ms)",
        "0 ms to 102 ms (102 ms) rank 1: MPI_Recv in exchange (app.c:120)",
        "rank 1: MPI_Recv in exchange (app.c:120)",
        "rank 1, thread 1: idle: in no parallel region began at 69 ms, took 81 ms",
        "phase solve began at 60 ms, took 41 ms, of all ranks",
        "60 ms to 101 ms (41 ms)",
        "rank 1, thread 1: in parallel in app+0x40 began at 65 ms, took 4 ms",
        "rank 0: waits in OpenMP, parallel in app+0x40 began at 66 ms, took 3 ms",
    ];
    for (name, size) in [("wide", "--window-size=1300,900"), ("narrow", "--window-size=420,900")] {
        let (seen, shown) = browser.hands(name, &page, work, &[size]);
        assert_eq!(shown.console(), [""; 0], "{name}");
        assert_eq!(seen, expected, "{name}");
    }
}

#[test]
fn browser_a_timeline_shows_some_ranks_marks_and_who_sends_to_whom() {
    let Some(browser) = Browser::find() else { return };
    let page = document::html(&snapshot::document(&watched::Watched::of(watched::traced()).shown()));
    let work = r#"
        // Of one rank, by its name and by its number; what nobody is named by is no number.
        const field = figure.querySelector("input");
        const typed = (text) => { field.value = text; field.dispatchEvent(new Event("change")); };
        const share = () => [...figure.querySelectorAll(".key li:not(.mark)")].slice(0, 3).map((item) => item.textContent).join(", ");
        key("Escape");
        await drawn();
        seen.push(field.value + ": " + share());
        put("pointerdown", -0.02, 0.8, { button: 0 });
        put("pointerup", -0.02, 0.8, { button: 0 });
        await drawn();
        seen.push(field.value + ": " + share());
        click(0.2, 0.2);
        seen.push(text(".chosen b"));
        typed("x");
        seen.push(text(".chosen"));
        typed("0-0");
        await drawn();
        seen.push(field.value + ": " + share());
        click(0.2, 0.2);
        seen.push(text(".chosen b"));
        typed("7");
        await drawn();
        seen.push(field.value + ": " + share());
        seen.push(text(".chosen"));
        click(0.1167, 0.608);
        seen.push(text(".chosen"));
        const map = figure.querySelector(".pairs canvas");
        const edge = map.getBoundingClientRect();
        map.onclick({ clientX: edge.left + 30 + 22 * 1.5, clientY: edge.top + 18 + 22 * 0.5 });
        seen.push(text(".chosen"));
        figure.querySelector(".chosen button").click();
        await drawn();
        seen.push(text(".chosen b") + " " + text(".shown").split(";")[0]);"#;
    let expected = [
        ": useful 2 %, serial 30.5 %, waits in OpenMP 1 %",
        "1: useful 2 %, serial 23.7 %, waits in OpenMP 1 %",
        "rank 1: MPI_Recv in exchange (app.c:120)",
        "ranks x: expected a list, such as 0,3-5",
        "0: useful 2 %, serial 37.3 %, waits in OpenMP 1 %",
        "rank 0: serial: in no parallel region",
        ": useful 2 %, serial 30.5 %, waits in OpenMP 1 %",
        "ranks 7: not in this trace, so all are shown",
        // Its mark, and the messages from rank 0 to rank 1.
        "rank 1: thread on another CPU from CPU 0 to CPU 1, between 15 ms and 20 ms",
        "messages from rank 0 to rank 1 2 messages, 16 B; the slowest took 2 ms for 8 B until 62 ms go there 1 ms for 8 B until 64 ms go there",
        "message from rank 0 to rank 1 58 ms to 64 ms (6 ms)",
    ];
    for (name, size) in [("wide-ranks", "--window-size=1300,900"), ("narrow-ranks", "--window-size=420,900")]
    {
        let (seen, shown) = browser.hands(name, &page, work, &[size]);
        assert_eq!(shown.console(), [""; 0], "{name}");
        assert_eq!(seen, expected, "{name}");
    }
}

#[test]
fn browser_names_in_a_trace_stay_text() {
    let Some(browser) = Browser::find() else { return };
    let mut of = watched::Watched::of(watched::traced());
    let name = "<img src=x onerror=document.title='owned'></script>";
    for site in &mut of.events.as_mut().unwrap().sites {
        site.call = format!("{name}\u{202e}\u{1b}[31m");
    }
    let page = document::html(&snapshot::document(&of.shown()));
    let work = r#"
        click(0.2, 0.55);
        put("pointermove", 0.2, 0.55);
        seen.push(text(".chosen b"));
        seen.push(document.querySelector(".floating b").textContent);
        seen.push(document.querySelectorAll("img").length + " " + document.title);"#;
    let (seen, shown) = browser.hands("names", &page, work, &[]);
    assert_eq!(shown.console(), [""; 0]);
    let said = format!("rank 1: {name}\\u{{202e}}\\x1b[31m in exchange (app.c:120)");
    // As HTML spells it.
    let said = said.replace('<', "&lt;").replace('>', "&gt;");
    assert_eq!(seen, [said.as_str(), said.as_str(), "0 Trace: mpirun -n 2 ./app"]);
}

/// A page of very many calls is small enough to be kept, and quick.
#[test]
#[ignore = "timing: how fast a page of a million calls and ends of messages opens and is drawn again"]
fn browser_a_page_of_a_million_events_is_quick() {
    let Some(browser) = Browser::find() else { return };
    let mut of = watched::Watched::of(watched::traced());
    // Every redraw is noted, and when the first one ended since the page was asked for.
    let note = r#"<script>window.taken = []; const ask = requestAnimationFrame.bind(window);
        window.requestAnimationFrame = (draw) => ask((at) => { const begun = performance.now(); draw(at); taken.push(performance.now() - begun); });
        </script><main>"#;
    let work = r#"
        const opened = performance.now();
        const worst = async (name, act) => {
            taken.length = 0;
            for (let k = 0; k < 12; k += 1) { act(k); await drawn(); }
            seen.push(name + " " + Math.round(Math.max(...taken)) + " ms");
        };
        seen.push("opened " + Math.round(opened) + " ms");
        await worst("nearer", () => key("+"));
        await worst("moved", (k) => key(k % 2 ? "ArrowLeft" : "ArrowRight"));
        await worst("farther", () => key("-"));
        await worst("all", () => key("Escape"));
        taken.length = 0;
        const begun = performance.now();
        click(0.5, 0.5);
        await drawn();
        seen.push("chosen " + Math.round(performance.now() - begun) + " ms");"#;
    for (kept, name, events) in [
        ("exchanges.html", "64 ranks, calls and messages", watched::events::exchanges(64, 3_125)),
        ("alone.html", "1 rank, calls alone", watched::events::alone(1, 1_000_000)),
        ("many-ranks.html", "4,000 ranks, calls and messages", watched::events::exchanges(4_000, 50)),
    ] {
        let calls: usize = events.lanes.iter().map(|lane| lane.calls.len()).sum();
        let count = calls + 2 * events.messages.len();
        of.events = Some(events);
        let begun = Instant::now();
        let page = document::html(&snapshot::document(&of.shown()));
        let made = begun.elapsed();
        let page = page.replace("<main>", note);
        let kept = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(kept);
        std::fs::write(kept, &page).unwrap();
        // What else the machine does makes some of them slower.
        let mut best: BTreeMap<String, f64> = BTreeMap::new();
        for _ in 0..5 {
            let (seen, shown) = browser.hands("million", &page, work, &[]);
            assert_eq!(shown.console(), [""; 0], "{name}");
            for line in &seen {
                let [what, time, _] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
                let least = best.entry(what.to_owned()).or_insert(f64::MAX);
                *least = least.min(time.parse().unwrap());
            }
        }
        let megabytes = page.len() as f64 / 1e6;
        println!("{name}: {count} events, {megabytes:.2} MB, made in {made:.1?}; ms, best of 5: {best:?}");
        assert!(page.len() < 8_000_000 && best["opened"] < 1000.0, "{name}");
        assert!(["nearer", "moved", "farther", "all"].into_iter().all(|what| best[what] < 100.0), "{name}");
    }
}

/// Where a page cannot unpack calls, or there are too many, it draws spans of time and says so.
#[test]
fn browser_without_calls_the_drawing_of_spans_stays() {
    let Some(browser) = Browser::find() else { return };
    let page = document::html(&snapshot::document(&watched::Watched::of(watched::traced()).shown()));
    let old = page.replace("<main>", "<script>delete window.DecompressionStream;</script><main>");
    let begin = "<script type=\"application/octet-stream\">";
    let broken = page.replace(begin, &format!("{begin}eNpz"));
    for (name, page, note) in [
        ("old", old, "This browser cannot unpack the calls one by one: the drawing shows spans of time."),
        ("broken", broken, "The calls one by one cannot be unpacked ("),
    ] {
        let shown = browser.show(&browser.save(name, &page), &["--virtual-time-budget=20000"]);
        assert_eq!(shown.console(), [""; 0], "{name}");
        assert!(shown.page.contains(&format!("<p class=\"lead\">{note}")), "{name}");
        assert!(shown.page.contains("<figure class=\"drawing events\" id=\"events\" hidden"), "{name}");
        assert!(shown.page.contains("<figure class=\"drawing timeline\" data-until=\"events\">"), "{name}");
    }
}
