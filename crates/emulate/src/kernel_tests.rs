use std::path::Path;

use super::*;

fn make(root: &Path, version: &str, modules: &[&str]) {
    let write = |path: String| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "module").unwrap();
    };
    write(format!("boot/vmlinuz-{version}"));
    write(format!("boot/config-{version}"));
    modules.iter().for_each(|module| write(format!("lib/modules/{version}/kernel/{module}")));
}

const WHOLE: [&str; 4] =
    ["net/9p/9pnet_virtio.ko", "net/9p/9pnet.ko.xz", "fs/9p/9p.ko.xz", "fs/overlayfs/overlay.ko.xz"];

#[test]
fn the_newest_kernel_with_all_that_is_needed_is_taken_and_its_modules_come_in_order() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(find(&[folder.path()]), Err(KernelGap::NotFound));
    make(folder.path(), "6.12.1-cloud-amd64", &["fs/overlayfs/overlay.ko.xz"]);
    let image = folder.path().join("boot/vmlinuz-6.12.1-cloud-amd64");
    assert_eq!(find(&[folder.path()]), Err(KernelGap::NotUsable { images: vec![image] }));
    make(folder.path(), "6.1.0-9-amd64", &WHOLE);
    make(folder.path(), "6.1.0-50-amd64", &WHOLE);
    let kernel = find(&[folder.path()]).unwrap();
    assert_eq!(kernel.image, folder.path().join("boot/vmlinuz-6.1.0-50-amd64"));
    let names: Vec<String> = kernel.modules.iter().filter_map(|path| module_name(path)).collect();
    assert_eq!(names, ["9pnet", "9pnet_virtio", "9p", "overlay"]);
}

#[test]
fn the_first_root_that_has_one_decides() {
    let (installed, unpacked) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    make(installed.path(), "6.1.0-1-amd64", &WHOLE);
    make(unpacked.path(), "6.12.0-amd64", &WHOLE);
    let image = |roots: &[&Path]| find(roots).unwrap().image;
    let (one, other) = (installed.path(), unpacked.path());
    assert!(image(&[one, other]).starts_with(one));
    assert!(image(&[&one.join("none"), other]).starts_with(other));
}

#[test]
fn a_module_that_cannot_be_unpacked_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("9p.ko.gz");
    std::fs::write(&path, "not packed").unwrap();
    let message = unpacked(&path).unwrap_err().to_string();
    assert!(message.contains("9p.ko.gz") && message.contains("gzip"), "{message}");
}
