//! Chances without floating point, which a program may use with settings of its own.

/// -ln(number / 2^64), in 65536ths. The logarithm to base 2 of a mantissa 1 + f is f + 0.3431 f (1 - f) to within 0.009.
pub fn minus_logarithm(number: u64) -> u64 {
    const LN_2: u64 = 45_426;
    let zeros = number.leading_zeros().min(63);
    // 16 bits behind the first one.
    let fraction = (number << zeros) >> 47 & 0xffff;
    let product = (fraction * (0x1_0000 - fraction)) >> 16;
    let curve = (product * 22_485) >> 16;
    let logarithm = (fraction + curve).min(0x1_0000);
    let base_2 = ((u64::from(zeros) + 1) << 16) - logarithm;
    (base_2 * LN_2) >> 16
}

#[cfg(test)]
mod tests {
    use super::minus_logarithm;

    #[test]
    fn the_logarithm_is_within_a_hundredth_and_has_the_right_mean() {
        let mut sum = 0.0;
        for k in 0..100_000u64 {
            let number = (k * 2 + 1) * (u64::MAX / 200_000);
            let expected = -(number as f64 / 2f64.powi(64)).ln();
            let found = minus_logarithm(number) as f64 / 65536.0;
            assert!((found - expected).abs() < 0.01, "{number}: {found}, expected {expected}");
            sum += found;
        }
        assert!((sum / 100_000.0 - 1.0).abs() < 0.005, "{sum}");
        assert!(minus_logarithm(0) > 40 << 16 && minus_logarithm(u64::MAX) < 700);
    }
}
