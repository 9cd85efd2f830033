use super::*;

fn card() -> Device {
    Device {
        kind: DeviceKind::Nic,
        number: 2,
        names: vec!["ib0".to_owned(), "mlx5_0".to_owned()],
        pci: Some("3b:00.0".parse().unwrap()),
        vendor: Some(PciVendor(0x15b3)),
        model: None,
        locality: Reading::unavailable("-1"),
    }
}

#[test]
fn a_device_is_known_by_its_kind_its_number_its_names_and_its_address() {
    for name in ["nic", "nic:2", "nic:mlx5_0", "nic:ib0", "pci:3b:00.0", "pci:0000:3b:0"] {
        assert!(name.parse::<DeviceName>().unwrap().means(&card()), "{name}");
    }
    for name in ["gpu", "gpu:2", "nic:1", "nic:mlx5_1", "gpu:mlx5_0", "pci:3b:00.1"] {
        assert!(!name.parse::<DeviceName>().unwrap().means(&card()), "{name}");
    }
    assert!(card().name().parse::<DeviceName>().unwrap().means(&card()));
}

#[test]
fn names_are_written_as_they_are_read() {
    for name in ["gpu", "gpu:0", "nic:mlx5_0", "storage:nvme0n1", "other", "pci:0000:3b:00.0"] {
        assert_eq!(name.parse::<DeviceName>().unwrap().to_string(), name);
    }
}

#[test]
fn what_names_no_device_is_told_what_does() {
    for wrong in ["", ":", "gpu:", "gpus", "GPU:0", "mlx5_0", "0", "node:0"] {
        let error = wrong.parse::<DeviceName>().unwrap_err().to_string();
        assert!(error.contains("expected gpu (all of them), gpu:0, nic:mlx5_0"), "{wrong}: {error}");
    }
    let error = "pci:zz".parse::<DeviceName>().unwrap_err().to_string();
    assert!(error.contains("'zz' is no name of a PCI device"), "{error}");
}

#[test]
fn vendors_print_as_lspci_numbers_them() {
    assert_eq!(PciVendor(0x2).to_string(), "0002");
    assert_eq!(PciVendor::NVIDIA.to_string(), "10de");
    assert_eq!((PciVendor(0x15b3).name(), PciVendor(0xffff).name()), (Some("Mellanox"), None));
}

#[test]
fn a_program_is_shown_its_gpus_by_numbers_that_mean_the_same_to_its_runtime() {
    let gpu = |gpu, runtime, number| TaskGpu { gpu, runtime, number };
    let words = |gpus: &[TaskGpu]| -> Vec<String> {
        gpu_variables(gpus).into_iter().map(|(name, value)| format!("{name}={value}")).collect()
    };
    assert_eq!(words(&[]), [""; 0]);
    let both = [gpu(0, GpuRuntime::Cuda, 0), gpu(1, GpuRuntime::Rocr, 0), gpu(2, GpuRuntime::Cuda, 1)];
    assert_eq!(
        words(&both),
        ["CUDA_VISIBLE_DEVICES=0,1", "CUDA_DEVICE_ORDER=PCI_BUS_ID", "ROCR_VISIBLE_DEVICES=0"]
    );
    assert_eq!(
        words(&[gpu(3, GpuRuntime::LevelZero, 3)]),
        ["ZE_AFFINITY_MASK=3", "ZE_ENABLE_PCI_ID_DEVICE_ORDER=1", "ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE"]
    );
    let known = [PciVendor::AMD, PciVendor(0x1a03)].map(GpuRuntime::of);
    assert_eq!(known, [Some(GpuRuntime::Rocr), None]);
}

#[test]
fn a_name_is_kept_as_it_is_typed() {
    for text in ["gpu", "gpu:0", "nic:mlx5_0", "pci:0000:3b:00.0"] {
        let name: DeviceName = text.parse().unwrap();
        let json = serde_json::to_string(&name).unwrap();
        assert_eq!(json, format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<DeviceName>(&json).unwrap(), name);
    }
    assert!(serde_json::from_str::<DeviceName>("\"disk\"").is_err());
}
