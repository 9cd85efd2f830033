//! Packs the library that draws charts: a third of its bytes are in the command, and unpacked where a page is made.

use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;

const LIBRARY: &str = "assets/echarts.min.js";

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={LIBRARY}");
    let folder = std::env::var_os("OUT_DIR").ok_or(std::io::ErrorKind::NotFound)?;
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&std::fs::read(LIBRARY)?)?;
    std::fs::write(Path::new(&folder).join("echarts.packed"), packed.finish()?)
}
