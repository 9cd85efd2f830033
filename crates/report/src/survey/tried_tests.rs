use numawise_facts::objects::{CompilerFamily, LoopObstacle, ObstacleCause};

use super::*;

fn compiled(flags: &[&str]) -> CompiledLoop {
    let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
    CompiledLoop { compiler: CompilerFamily::Gcc, flags, is_vectorized: false, obstacles: Vec::new() }
}

#[test]
fn options_that_are_there_are_not_added() {
    assert_eq!(missing(None), [BuildFlags::Level, BuildFlags::Native]);
    assert_eq!(missing(Some(&compiled(&["-O2", "-march=native"]))), [BuildFlags::Level]);
    assert_eq!(missing(Some(&compiled(&["-Ofast"]))), [BuildFlags::Native]);
}

#[test]
fn an_obstacle_has_the_options_that_remove_it() {
    let of = |cause, about: Option<&str>, flags: &[&str]| {
        let why = LoopObstacle { cause, line: None, about: about.map(str::to_owned), text: String::new() };
        why::flags(&why, &compiled(flags))
    };
    assert_eq!(of(ObstacleCause::ReductionOrder, None, &["-O3"]), Some(BuildFlags::AnyOrder));
    assert_eq!(of(ObstacleCause::ReductionOrder, None, &["-Ofast"]), None);
    assert_eq!(of(ObstacleCause::Aliasing, None, &["-O2"]), Some(BuildFlags::Level));
    assert_eq!(of(ObstacleCause::Aliasing, None, &["-O3"]), None);
    assert_eq!(of(ObstacleCause::Call, Some("expf"), &["-O3"]), Some(BuildFlags::FastMath));
    assert_eq!(of(ObstacleCause::Call, Some("rand"), &["-O3"]), None);
}

#[test]
fn a_change_of_the_output_is_said_plainly() {
    assert_eq!(said(&OutputChange::Same { lines: 3, of: 3 }), "the same");
    let (before, after) = ("r 1".to_owned(), "r 2".to_owned());
    let numbers =
        OutputChange::Numbers { largest: Ratio(2e-12), before: before.clone(), after: after.clone() };
    assert_eq!(said(&numbers), "numbers differ by up to 2e-12 of their size: \"r 1\" became \"r 2\"");
    assert_eq!(said(&OutputChange::Text { before, after }), "CHANGED: \"r 1\" became \"r 2\"");
}
