use super::super::layout::tests::machine;
use super::*;

fn factors(preset: Preset) -> Vec<GridFactor> {
    preset.factors(&machine(), &[]).unwrap()
}

#[test]
fn each_has_a_name_that_is_read_again() {
    for (name, preset) in NAMES {
        assert_eq!((name.parse(), preset.to_string().as_str()), (Ok(preset), name));
    }
    assert!("all".parse::<Preset>().unwrap_err().to_string().contains("expected scaling, copies"));
}

#[test]
fn they_fit_the_machine() {
    let [GridFactor::Threads(threads), GridFactor::Place(place)] = &factors(Preset::Scaling)[..] else {
        panic!()
    };
    assert_eq!((threads.as_slice(), place.len()), (&[1, 2, 4][..], 3));
    let [GridFactor::RanksTimesThreads(divisions)] = &factors(Preset::Hybrid)[..] else { panic!() };
    assert_eq!(divisions.iter().map(ToString::to_string).collect::<Vec<_>>(), ["4x1", "2x2", "1x4"]);
    assert_eq!(Preset::Hbm.factors(&machine(), &[]), Err(PresetError::NoHbm));
    let mut with_hbm = machine();
    with_hbm.nodes[1].kind = MemoryKind::Hbm;
    assert_eq!(Preset::Hbm.factors(&with_hbm, &[]).unwrap().len(), 1);
    let mut one_node = machine();
    one_node.allowed_cpus = "0-1".parse().unwrap();
    let [_, GridFactor::Place(place)] = &Preset::Scaling.factors(&one_node, &[]).unwrap()[..] else {
        panic!()
    };
    assert_eq!(place, &[Strategy::None, Strategy::Local]);
}

#[test]
fn what_was_given_stays() {
    let given = [GridFactor::Threads(vec![3])];
    let rest = Preset::Scaling.factors(&machine(), &given).unwrap();
    assert!(matches!(&rest[..], [GridFactor::Place(_)]), "{rest:?}");
}

#[test]
fn powers_end_with_the_number_itself() {
    assert_eq!(powers(1), [1]);
    assert_eq!(powers(8), [1, 2, 4, 8]);
    assert_eq!(powers(44), [1, 2, 4, 8, 16, 32, 44]);
}
