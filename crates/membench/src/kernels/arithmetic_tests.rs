use super::*;

#[test]
fn each_loop_ends_and_knows_its_operations() {
    let all = ArithmeticLoop::available();
    if cfg!(target_arch = "x86_64") {
        assert!(all.len() >= 4, "SSE is always there");
    }
    for of in all {
        of.run(1000);
        let lanes = u64::from(of.kind.bits / of.kind.element_bits);
        assert_eq!(of.operations(), lanes * if of.kind.is_fused { 24 } else { 14 }, "{:?}", of.kind);
    }
}
