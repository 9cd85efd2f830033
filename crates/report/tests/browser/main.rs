//! The HTML report in headless Chromium: charts where scripts run, tables where they do not, and no network.
//!
//! Skipped with a word on stderr where there is no Chromium, unless `NUMAWISE_REQUIRE_BROWSER=1`.

#[path = "../memory_objects/mod.rs"]
mod memory_objects;
#[path = "../sample/mod.rs"]
mod sample;
#[path = "../timeline/mod.rs"]
mod timeline;
mod trace;
#[path = "../watched/mod.rs"]
mod watched;

#[allow(dead_code)] // each test uses a part
#[path = "../../../analyse/src/snapshot/sample.rs"]
mod activities;

#[path = "../../../analyse/src/profile/sample.rs"]
mod machines;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use numawise_analyse::{RunParts, run_snapshot};
use numawise_report::study::{self, ShownStudy};
use numawise_report::{check, document, profile, series, snapshot};
use sample::Sample;

/// A page takes a second or two here, and several of them five; a machine that is busy with other things may take many times that.
const PATIENCE: Duration = Duration::from_secs(600);

struct Browser {
    program: PathBuf,
    folder: tempfile::TempDir,
}

/// What the browser made of a page.
struct Shown {
    page: String,
    messages: String,
}

impl Browser {
    fn find() -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let found = std::env::split_paths(&path)
            .flat_map(|folder| names.map(|name| folder.join(name)))
            .find(|program| program.is_file());
        match found {
            Some(program) => Some(Browser { program, folder: tempfile::tempdir().unwrap() }),
            None if std::env::var_os("NUMAWISE_REQUIRE_BROWSER").is_some_and(|v| v == "1") => {
                panic!("no chromium in PATH, and NUMAWISE_REQUIRE_BROWSER=1")
            }
            None => {
                let _ = writeln!(std::io::stderr(), "SKIPPED: no chromium in PATH");
                None
            }
        }
    }

    fn save(&self, name: &str, html: &str) -> PathBuf {
        let path = self.folder.path().join(format!("{name}.html"));
        std::fs::write(&path, html).unwrap();
        path
    }

    /// The page as it stands after its scripts ran, and what the browser said.
    fn show(&self, page: &Path, options: &[&str]) -> Shown {
        let path = |name: &str| self.folder.path().join(name);
        let (out, err) = (path("stdout"), path("stderr"));
        let mut child = Command::new(&self.program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--disable-dev-shm-usage", "--enable-logging=stderr", "--v=0"])
            // Whatever is asked for outside goes nowhere, and is said on stderr.
            .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1280,900"])
            .arg(format!("--user-data-dir={}", path("profile").display()))
            .args(options)
            .arg("--dump-dom")
            .arg(format!("file://{}", page.display()))
            .stdout(Stdio::from(std::fs::File::create(&out).unwrap()))
            .stderr(Stdio::from(std::fs::File::create(&err).unwrap()))
            .spawn()
            .unwrap();
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if begun.elapsed() > PATIENCE {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!(
                    "chromium did not end within {PATIENCE:?}: {}",
                    std::fs::read_to_string(&err).unwrap()
                );
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        let text = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        assert!(status.success(), "chromium failed: {}", text(&err));
        Shown { page: text(&out), messages: text(&err) }
    }
}

/// What the frames of `Browser::show_all` are put into, and how what the browser made of them comes out: as text, one after the other.
const FRAMES: &str = r#"<script>onload = () => {
    const pages = [...document.querySelectorAll("iframe")].map((frame) => frame.contentDocument.documentElement.outerHTML);
    document.body.textContent = "";
    for (const page of pages) {
        const shown = document.createElement("pre");
        shown.className = "shown";
        shown.textContent = page;
        document.body.append(shown);
    }
};</script>"#;

/// Between the pages in what `FRAMES` makes.
const SHOWN: &str = "<pre class=\"shown\">";

impl Browser {
    /// Several pages at once, each in a frame of so many pixels: to start a browser takes longer than to show a page.
    fn show_all(&self, name: &str, pages: &[(&str, u32)]) -> Vec<Shown> {
        let frame = |(html, width): &(&str, u32)| {
            let inner = html.replace('&', "&amp;").replace('"', "&quot;");
            format!("<iframe style=\"width:{width}px;height:900px\" srcdoc=\"{inner}\"></iframe>\n")
        };
        let frames: String = pages.iter().map(frame).collect();
        let page =
            self.save(name, &format!("<!DOCTYPE html><meta charset=\"utf-8\"><body>{frames}{FRAMES}</body>"));
        let shown = self.show(&page, &[]);
        let text = |html: &str| {
            let html = html.split("</pre>").next().unwrap_or_default();
            html.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u{a0}").replace("&amp;", "&")
        };
        let all: Vec<Shown> = (shown.page.split(SHOWN).skip(1))
            .map(|html| Shown { page: text(html), messages: shown.messages.clone() })
            .collect();
        assert_eq!(all.len(), pages.len(), "{name}: {}", shown.messages);
        all
    }
}

impl Shown {
    /// Messages of the page itself: errors, refusals of the policy.
    fn console(&self) -> Vec<&str> {
        self.messages.lines().filter(|line| line.contains("CONSOLE")).collect()
    }

    /// The part of the page between an element's beginning and that of the next section.
    fn part(&self, id: &str) -> &str {
        let rest = self.page.split_once(&format!("id=\"{id}\"")).map_or("", |(_, rest)| rest);
        rest.split("<table").next().unwrap_or_default()
    }
}

/// Widths of windows and frames.
const WIDE: u32 = 1280;
const NARROW: u32 = 420;

/// Each page in a wide frame and in a narrow one, without a complaint: its name, what the browser made of it, and what is expected.
fn in_both_widths<'a, T>(
    browser: &Browser,
    name: &str,
    pages: &'a [(&'a str, String, T)],
) -> Vec<(&'a str, Shown, &'a T)> {
    let frames: Vec<(&str, u32)> =
        pages.iter().flat_map(|(_, page, _)| [(page.as_str(), WIDE), (page.as_str(), NARROW)]).collect();
    let all = browser.show_all(name, &frames);
    assert_eq!(all[0].console(), [""; 0], "{name}");
    let twice = pages.iter().flat_map(|(name, _, expected)| [(*name, expected); 2]);
    twice.zip(all).map(|((name, expected), shown)| (name, shown, expected)).collect()
}

fn with_pages(sample: &Sample) -> bool {
    sample.analysis.points.iter().any(|point| point.pages.measured().is_some())
}

fn with_effects(sample: &Sample) -> bool {
    sample.analysis.contrasts.iter().any(|c| {
        c.effect.measured().is_some()
            && Some(&c.from) == sample.study.header.points.first().map(|point| &point.id)
    })
}

#[test]
fn browser_charts_are_drawn_and_nothing_complains() {
    let Some(browser) = Browser::find() else { return };
    let samples = sample::all();
    let pages: Vec<String> =
        samples.iter().map(|sample| document::html(&check::document(&sample.check()))).collect();
    let framed: Vec<(&str, u32)> = pages.iter().map(|page| (page.as_str(), WIDE)).collect();
    let all: Vec<Shown> = framed.chunks(4).flat_map(|some| browser.show_all("checks", some)).collect();
    for (sample, shown) in samples.iter().zip(&all) {
        assert_eq!(shown.console(), [""; 0], "{}", sample.name);
        assert!(!shown.page.contains("<title>owned"), "{}: a text from outside was run", sample.name);
        let expected = [
            ("chart-ratios", with_effects(sample)),
            ("chart-trials", sample.analysis.points.iter().any(|point| !point.samples.is_empty())),
            ("chart-nodes", sample.study.header.machine.nodes.len() > 1 && with_pages(sample)),
        ];
        for (id, drawn) in expected {
            let part = shown.part(id);
            assert_eq!(part.contains("<svg"), drawn, "{}: {id}", sample.name);
            // More than an empty frame.
            assert_eq!(part.matches("<path").count() > 5, drawn, "{}: {id}", sample.name);
        }
    }
}

#[test]
fn browser_charts_of_a_time_series_are_drawn() {
    let Some(browser) = Browser::find() else { return };
    let of = |timeline| document::html(&series::document(&series::Series { timeline, record: "job.nw" }));
    let (job, empty) = (of(&timeline::job()), of(&timeline::empty()));
    let all = browser.show_all("series", &[(&job, WIDE), (&empty, NARROW)]);
    let [job, empty] = &all[..] else { panic!("two pages") };
    assert_eq!(job.console(), [""; 0]);
    for id in ["chart-memory", "chart-cpus", "chart-local"] {
        let part = job.part(id);
        assert!(part.contains("<svg") && part.matches("<path").count() > 5, "{id}");
    }
    // Where nothing is known there is no chart, and nobody complains.
    assert!(!empty.page.contains("<svg"));
}

#[test]
fn browser_charts_of_memory_objects_are_drawn() {
    let Some(browser) = Browser::find() else { return };
    let all = [
        (
            "wave",
            memory_objects::wave(),
            ["chart-objects", "chart-residence-0", "chart-residence-1", "chart-bandwidth"].as_slice(),
        ),
        ("hbm", memory_objects::hbm(), &["chart-objects"]),
        ("nothing", memory_objects::nothing(), &[]),
    ];
    let page = |run: numawise_facts::ObjectRun| {
        document::html(&numawise_report::objects::document(&memory_objects::Watched::of(run).shown()))
    };
    let pages: Vec<_> = all.into_iter().map(|(name, run, drawn)| (name, page(run), drawn)).collect();
    for (name, shown, drawn) in in_both_widths(&browser, "objects", &pages) {
        for id in ["chart-objects", "chart-residence-0", "chart-residence-1", "chart-bandwidth"] {
            let part = shown.part(id);
            let is_drawn = part.contains("<svg") && part.matches("<path").count() > 5;
            assert_eq!(is_drawn, drawn.contains(&id), "{name}: {id}");
        }
    }
}

#[test]
fn browser_bars_of_ranks_are_drawn_and_take_the_place_of_the_drawing() {
    let Some(browser) = Browser::find() else { return };
    let all = [
        ("four", watched::ranks(4, false), true),
        ("many", watched::ranks(2000, true), true),
        ("hybrid", watched::hybrid(), true),
        ("nothing", watched::nothing(), false),
    ];
    let page = |run| document::html(&snapshot::document(&watched::Watched::of(run).shown()));
    let pages: Vec<_> = all.into_iter().map(|(name, run, drawn)| (name, page(run), drawn)).collect();
    for (name, page, drawn) in &pages {
        let has_bars = page.contains("<figure class=\"drawing\" data-until");
        assert_eq!(has_bars, *drawn, "{name}: bars without scripts");
    }
    for (name, shown, drawn) in in_both_widths(&browser, "ranks", &pages) {
        let part = shown.part("chart-ranks");
        assert_eq!(part.contains("<svg"), *drawn, "{name}");
        let bars = part.split("data-until").next().unwrap_or_default();
        assert_eq!(bars.matches("<path").count() > 5, *drawn, "{name}");
        assert_eq!(shown.page.contains("data-until=\"chart-ranks\" hidden"), *drawn, "{name}");
        assert_eq!(shown.page.contains(">nearer</button>"), name == "many", "{name}: tools");
    }
}

#[test]
fn browser_charts_of_a_measured_machine_are_drawn() {
    let Some(browser) = Browser::find() else { return };
    let shapes = [
        ("two-sockets", machines::two_sockets()),
        ("hbm", machines::hbm()),
        ("eight", machines::eight()),
        ("quick", machines::quick()),
    ];
    let mut all: Vec<_> =
        shapes.iter().map(|(name, shape)| (*name, shape.profile(), Some(shape.machine()))).collect();
    all.push(("poor", machines::poor(), None));
    let pages = all.iter().map(|(name, measured, machine)| {
        let tables = numawise_analyse::profile(measured, machine.as_ref());
        let measured = profile::Measured { profile: measured, tables: &tables, saved: None };
        let page = document::html(&profile::document(&measured));
        let curves = tables.loaded.iter().any(|curve| curve.points.measured().is_some());
        let cores = tables.cores.iter().any(|cores| cores.range.is_some());
        (*name, page, [!tables.working_sets.is_empty(), curves, cores])
    });
    let pages: Vec<_> = pages.collect();
    for (name, shown, expected) in in_both_widths(&browser, "machines", &pages) {
        for (id, drawn) in ["chart-working-sets", "chart-by-mix", "chart-cores-0"].into_iter().zip(expected) {
            let part = shown.part(id);
            assert_eq!(part.contains("<svg"), *drawn, "{name}: {id}");
            assert_eq!(part.matches("<path").count() > 5, *drawn, "{name}: {id}");
        }
    }
    let comparison = numawise_analyse::compare_profiles(&all[0].1, &all[1].1);
    let (a, b) = (&all[0].1, &all[1].1);
    let names = ["a.json", "b.json"];
    let page = document::html(&profile::compare_document(&profile::Compared {
        a,
        b,
        names,
        comparison: &comparison,
    }));
    let shown = browser.show(&browser.save("compare", &page), &[]);
    assert_eq!(shown.console(), [""; 0]);
    assert!(shown.page.contains("Clearly different"));
}

#[test]
fn browser_charts_of_a_study_are_drawn() {
    let Some(browser) = Browser::find() else { return };
    let mut nothing = sample::grid::scaling();
    nothing.trials.clear();
    let all = [
        ("scaling", sample::grid::scaling(), ["curves", "efficiency", "bars", "spread", "order"].as_slice()),
        ("hybrid", sample::grid::hybrid(), &["curves", "efficiency", "bars", "spread", "order"]),
        ("parameter", sample::grid::parameter(), &["curves", "bars", "spread", "order"]),
        ("no-trials", nothing, &[]),
    ];
    let page = |of: numawise_facts::Study| {
        let tables = numawise_analyse::grid(&of).unwrap();
        let shown = ShownStudy { study: &of, tables: &tables, record: "app.study.nw" };
        document::html(&study::document(&shown))
    };
    let pages: Vec<_> = all.into_iter().map(|(name, of, drawn)| (name, page(of), drawn)).collect();
    for (name, shown, drawn) in in_both_widths(&browser, "studies", &pages) {
        for id in ["curves", "efficiency", "bars", "spread", "order"] {
            let part = shown.part(&format!("chart-{id}"));
            // Up to the figure's end: the next chart has its own.
            let part = part.split("</figure>").next().unwrap_or_default();
            assert_eq!(part.contains("<svg"), drawn.contains(&id), "{name}: {id}");
            assert_eq!(part.matches("<path").count() > 5, drawn.contains(&id), "{name}: {id}");
        }
    }
}

/// Cells stay inside of their boxes and have a text where somebody runs, in wide windows and narrow ones, light and dark.
#[test]
fn browser_the_machine_is_drawn() {
    let Some(browser) = Browser::find() else { return };
    let look = r#"<pre id="seen"></pre><script>
        const cells = [...document.querySelectorAll(".boxes .cs strong")];
        const outside = cells.filter((cell) => {
            const [own, around] = [cell.getBoundingClientRect(), cell.closest(".boxes > .o").getBoundingClientRect()];
            return own.width < 8 || own.left < around.left - 1 || own.right > around.right + 1 || own.bottom > around.bottom + 1;
        });
        const taken = cells.filter((cell) => /^(c|m)/.test(cell.className));
        const mute = taken.filter((cell) => !cell.textContent.trim());
        const wide = document.documentElement.scrollWidth > innerWidth;
        document.getElementById("seen").textContent = "seen: " + [cells.length, taken.length, outside.length, mute.length, wide].join(" ");
    </script></body>"#;
    let sample = &sample::all()[0];
    let tables = numawise_analyse::analyse(&sample.study).pictures;
    let analysis = numawise_tables::Analysis { pictures: tables, ..sample.analysis.clone() };
    let check = check::Check { analysis: &analysis, ..sample.check() };
    let html = document::html(&check::document(&check)).replace("</body>", look);
    let page = browser.save("machine", &html);
    for options in [["--window-size=1280,900", "--v=0"], ["--window-size=420,900", "--force-dark-mode"]] {
        let shown = browser.show(&page, &options);
        assert_eq!(shown.console(), [""; 0]);
        let (_, seen) = shown.page.split_once("\">seen: ").expect("the script ran");
        // Two placements on two nodes of four CPUs each.
        assert_eq!(
            seen.split('<').next(),
            Some("16 16 0 0 false"),
            "cells, taken, outside, mute, wider than the window"
        );
    }
    let picture = browser.folder.path().join("machine.png");
    browser.show(&page, &[&format!("--screenshot={}", picture.display())]);
    let picture = std::fs::read(&picture).expect("a screenshot");
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 20_000, "{} bytes", picture.len());
}

/// The page stands in a frame in which no script may run; the page around it looks inside.
#[test]
fn browser_tables_are_there_without_scripts() {
    let Some(browser) = Browser::find() else { return };
    let sample = &sample::all()[0];
    let inner =
        document::html(&check::document(&sample.check())).replace('&', "&amp;").replace('"', "&quot;");
    let outer = format!(
        r#"<!DOCTYPE html><iframe sandbox="allow-same-origin" style="width:1200px;height:900px" srcdoc="{inner}"></iframe>
        <pre id="seen"></pre><script>onload = () => {{
            const inside = document.querySelector("iframe").contentDocument;
            const visible = (what) => [...inside.querySelectorAll(what)].filter((e) => e.offsetHeight > 0 && e.checkVisibility()).length;
            const [tables, figures] = [visible("table"), visible("figure")];
            const folded = inside.querySelectorAll("details").length;
            inside.querySelectorAll("details").forEach((d) => {{ d.open = true; }});
            document.getElementById("seen").textContent = "seen: " + [tables, visible("table"), folded, figures,
                inside.querySelectorAll("svg").length].join(" ") + "\n" + inside.body.innerText + "\nend of what was seen";
            document.querySelector("iframe").remove();
        }};</script>"#
    );
    let page = browser.save("outer", &outer);
    let shown = browser.show(&page, &[]);
    let (_, seen) = shown.page.split_once("seen: ").expect("the frame was looked at");
    let (numbers, text) = seen.split_once('\n').unwrap();
    // Placements, their comparisons, what memory explains, nodes; then also trials and machine. Charts would only be in the way.
    assert_eq!(numbers, "4 6 2 0 0", "tables, with folded ones, folded, charts, drawings");
    let (text, _) = text.split_once("end of what was seen").unwrap();
    for expected in [
        "Gains",
        "98.2 % of the program's 1.5 GiB lie on node 0",
        "1.87x (1.82x to 1.92x)",
        "numactl --interleave=0-1",
        "1.5 GiB (98.2 %)",
        "other load: 35.0 % of the machine",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

/// The policy in the page and the browser of this test both work: what is smuggled in is refused, and said.
#[test]
fn browser_network_is_out_of_reach() {
    let Some(browser) = Browser::find() else { return };
    let html = document::html(&check::document(&sample::all()[0].check()));
    let smuggled =
        "<img src='http://example.invalid/x.png'><script>fetch('http://example.invalid/')</script></main>";
    let page = browser.save("smuggled", &html.replace("</main>", smuggled));
    let console = browser.show(&page, &[]).console().join("\n");
    assert!(console.contains("img-src") && console.contains("default-src"), "{console}");
}
