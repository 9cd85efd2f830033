//! The fuzz targets against the list of readers.

use std::path::Path;

#[test]
fn every_reader_has_a_fuzz_target() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for reader in numawise_hostile::readers() {
        let file = fuzz.join(format!("targets/{}.rs", reader.name));
        let target = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        assert!(target.contains(&format!("hold(\"{}\", input)", reader.name)), "{}", file.display());
        assert!(manifest.contains(&format!("path = \"targets/{}.rs\"", reader.name)), "{}", reader.name);
    }
}
