use super::*;

fn of(cause: ObstacleCause, about: Option<&str>, compiler: CompilerFamily, flags: &[&str]) -> CompiledLoop {
    let about = about.map(str::to_owned);
    let why = LoopObstacle { cause, line: Some(7), about, text: "as it says".to_owned() };
    let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
    CompiledLoop { compiler, flags, is_vectorized: false, obstacles: vec![why] }
}

fn cured(cause: ObstacleCause, flags: &[&str]) -> String {
    cures(&of(cause, None, CompilerFamily::Gcc, flags)).join("\n")
}

#[test]
fn an_option_that_is_there_is_not_advised() {
    assert!(cured(ObstacleCause::Aliasing, &["-O2"]).contains("add -O3"));
    assert!(!cured(ObstacleCause::Aliasing, &["-O3"]).contains("-O3"));
    assert!(cured(ObstacleCause::CarriedValue, &["-O3"]).contains("-ffinite-math-only"));
    assert!(!cured(ObstacleCause::CarriedValue, &["-Ofast"]).contains("-ffinite-math-only"));
    assert!(cured(ObstacleCause::ReductionOrder, &[]).contains("last digits"));
}

#[test]
fn the_cure_of_a_call_is_that_of_the_function() {
    let call = |function, compiler, flags: &[&str]| {
        cures(&of(ObstacleCause::Call, function, compiler, flags)).join("\n")
    };
    assert!(call(Some("sinf"), CompilerFamily::Gcc, &[]).contains("libmvec"));
    assert!(call(Some("dummy"), CompilerFamily::Gcc, &[]).contains("dummy inlined"));
    assert!(call(Some("sin"), CompilerFamily::Gcc, &["-ffast-math"]).contains("sin inlined"));
    assert!(call(None, CompilerFamily::Clang, &[]).contains("-fveclib"));
}

#[test]
fn each_cause_has_its_own_name_and_sentence() {
    use ObstacleCause::*;
    let all = [
        Aliasing,
        Dependence,
        CarriedValue,
        ReductionOrder,
        IterationCount,
        Call,
        ControlFlow,
        DataAccess,
        Cost,
        Operation,
        Nest,
        Level,
        Other,
    ];
    let texts = |text: fn(&LoopObstacle) -> String| {
        let texts: std::collections::BTreeSet<String> =
            all.iter().map(|cause| text(&of(*cause, None, CompilerFamily::Gcc, &[]).obstacles[0])).collect();
        texts.len()
    };
    assert_eq!((texts(noun), texts(sentence)), (all.len(), all.len()));
}
