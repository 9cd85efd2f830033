use super::*;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn made() -> Vec<(String, String)> {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    pages(&read(LIBRARY), &read(REGIONS), &read(VERSION)).unwrap()
}

fn page(name: &str) -> String {
    made().into_iter().find(|(found, _)| found == name).unwrap_or_else(|| panic!("no page {name}")).1
}

#[test]
fn every_call_has_a_page_with_all_sections() {
    let pages = made();
    assert!(pages.len() > 25, "{}", pages.len());
    for (name, text) in &pages {
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "SEE ALSO"] {
            assert!(text.contains(&format!("\n.SH {section}\n")), "{name}: {section}");
        }
        let purpose = text.lines().find_map(|line| line.strip_prefix(&format!("{name} \\- "))).unwrap();
        assert!(purpose.len() > 12 && purpose.len() < 120, "{name}: {purpose}");
        assert!(text.lines().all(|line| !line.is_empty()), "{name} has empty lines:\n{text}");
    }
}

#[test]
fn a_page_says_what_the_header_says() {
    let alloc = page("numawise_alloc");
    for expected in [
        ".B #include <numawise/numawise.h>\n",
        "\\fBint numawise_alloc(const numawise_machine *machine, size_t bytes,\\fR\n",
        "Link with \\fI\\-lnumawise\\fR.\n",
        "\nPolicies: \\(dqlocal\\(dq",
        ".B NUMAWISE_NO_MEMORY\nThere is no memory for it.\n",
        ".B NUMAWISE_NOT_MAPPED\nThe range is not all mapped.\n",
        ".BR numawise_free (3),\n",
    ] {
        assert!(alloc.contains(expected), "{expected}\n{alloc}");
    }
    assert!(page("numawise_plan").contains("\nstruct numawise_request {\n"));
    assert!(page("numawise_node_cpus").contains("\nA mask is bytes: CPU 0"));
    assert!(page("numawise_node_kind").contains("NUMAWISE_CXL = 3"));
    assert!(page("numawise_close").contains(".SH RETURN VALUE\nNone.\n"));
    let region = page("numawise_region_begin");
    assert!(region.contains(".B #include <numawise.h>\n") && !region.contains("lnumawise"), "{region}");
    assert!(page("numawise").contains(".BR numawise_region_end (3)\n"));
}

#[test]
fn what_cannot_be_made_into_pages_is_said() {
    let begin = "/* Of a library. */\n\n";
    let enumeration = "enum numawise_status {\n    NUMAWISE_OK = 0\n};\n";
    let manifest = "version = \"1.2.3\"\n";
    let said = |library: &str, manifest: &str| pages(library, begin, manifest).unwrap_err().to_string();
    let lone = format!("{begin}{enumeration}int numawise_x(void);\n");
    assert!(said(&lone, manifest).contains("numawise_x has no comment"), "{}", said(&lone, manifest));
    let no_note = format!("{begin}{enumeration}/* X. */\nint numawise_x(const char *policy);\n");
    assert!(said(&no_note, manifest).contains("no paragraph begins with 'Policies:'"));
    assert!(said(begin, manifest).contains("has no members"));
    assert!(said(begin, "").contains("no line version"));
}

#[test]
fn groff_shows_every_page_without_a_warning() {
    if std::process::Command::new("groff").arg("--version").output().is_err() {
        eprintln!("SKIPPED: groff is not installed");
        return;
    }
    let folder = root().join("target/tmp/man3");
    write(&root(), &folder).unwrap();
    for (name, _) in made() {
        let mut show = std::process::Command::new("groff");
        let shown =
            show.args(["-man", "-Tutf8", "-ww"]).arg(folder.join(format!("{name}.3"))).output().unwrap();
        assert!(shown.status.success() && shown.stderr.is_empty(), "{name}: {shown:?}");
    }
}
