//! Texts of pages that are in the command packed, by `build.rs`.

use std::io::Read as _;

use flate2::read::ZlibDecoder;

/// A text, packed.
#[derive(Debug, Clone, Copy)]
pub struct PageText(pub &'static [u8]);

impl PageText {
    pub fn text(self) -> String {
        let mut text = String::new();
        // Nothing can fail: a test unpacks all that is there.
        let _ = ZlibDecoder::new(self.0).read_to_string(&mut text);
        text
    }
}

/// A file of this crate, by its path in the crate.
macro_rules! page_text {
    ($path:literal) => {
        $crate::page_text::PageText(include_bytes!(concat!(env!("OUT_DIR"), "/", $path)))
    };
}
pub(crate) use page_text;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Files of a folder of the packed ones, each beside that of which it was made.
    fn check(folder: &Path, found: &mut usize) {
        for entry in std::fs::read_dir(Path::new(env!("OUT_DIR")).join(folder)).unwrap() {
            let entry = entry.unwrap();
            let (path, name) = (entry.path(), folder.join(entry.file_name()));
            if path.is_dir() {
                check(&name, found);
            } else if let Ok(text) = std::fs::read_to_string(&name) {
                *found += 1;
                let packed: &'static [u8] = std::fs::read(path).unwrap().leak();
                assert!(PageText(packed).text() == text, "{}", name.display());
            }
        }
    }

    #[test]
    fn what_is_packed_comes_out_as_it_is_in_its_file() {
        let mut found = 0;
        check(Path::new("assets"), &mut found);
        check(Path::new("src"), &mut found);
        assert!(found >= 18, "{found}");
        assert!(page_text!("src/document/page/no_charts.js").text().starts_with("const CHARTS = [];"));
    }
}
