use super::*;

#[test]
fn time_prints_in_the_unit_that_suits_it() {
    for (ns, text) in [
        (0, "0 ns"),
        (999, "999 ns"),
        (1_500, "1.500 us"),
        (12_340_000, "12.34 ms"),
        (1_234_000_000, "1.234 s"),
        (119_000_000_000, "119.0 s"),
        (180_000_000_000, "3 min 00 s"),
        (3_720_000_000_000, "1 h 02 min"),
    ] {
        assert_eq!(Nanoseconds(ns).to_string(), text);
    }
}

#[test]
fn time_is_read_as_people_write_it() {
    for (text, ns) in [
        ("90", 90_000_000_000u64),
        ("90s", 90_000_000_000),
        ("3m", 180_000_000_000),
        ("1h30m", 5_400_000_000_000),
        ("250ms", 250_000_000),
        ("1.5 s", 1_500_000_000),
    ] {
        assert_eq!(text.parse::<Nanoseconds>().unwrap().0, ns, "{text}");
    }
    for text in ["", "m", "3x", "-3s", "1..2s", "3 m s"] {
        assert!(
            text.parse::<Nanoseconds>().unwrap_err().to_string().contains("expected for example"),
            "{text}"
        );
    }
}

#[test]
fn bytes_print_in_binary_units() {
    for (bytes, text) in [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (1 << 30, "1 GiB"),
        ((1 << 30) - 1, "1.0 GiB"),
        (u64::MAX, "16 EiB"),
    ] {
        assert_eq!(Bytes(bytes).to_string(), text);
    }
}

#[test]
fn ratios_keep_the_digits_that_matter() {
    for (ratio, text) in
        [(1.874, "1.87x"), (1.0213, "1.021x"), (0.953, "0.953x"), (12.34, "12.3x"), (0.5, "0.50x")]
    {
        assert_eq!(Ratio(ratio).to_string(), text);
    }
    assert_eq!(Ratio(0.4321).percent(), "43.2 %");
}

#[test]
fn amounts_of_memory_are_typed_with_their_unit() {
    for (text, bytes) in [
        ("512MiB", 512 << 20),
        ("4g", 4 << 30),
        ("1.5 G", 3 << 29),
        ("1KB", 1000),
        ("2tib", 2 << 40),
        ("7B", 7),
        ("0M", 0),
    ] {
        assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
    }
    for text in ["", "512", "M", "-1G", "1 fortnight", "1..5G", "99999999999T", "1GiBs", "e5M", "NaNM"] {
        let error = text.parse::<Bytes>().unwrap_err().to_string();
        assert!(error.contains(&format!("'{text}'")) && error.contains("512MiB"), "{error}");
    }
}

#[test]
fn shares_are_typed_in_percent_or_as_parts_of_one() {
    for (text, share, printed) in [
        ("5%", 0.05, "5%"),
        ("0.05", 0.05, "5%"),
        ("2.5 %", 0.025, "2.5%"),
        ("99%", 0.99, "99%"),
        ("0.5%", 0.005, "0.5%"),
    ] {
        let read: Share = text.parse().unwrap();
        assert!((read.value() - share).abs() < 1e-12, "{text}");
        assert_eq!(read.to_string(), printed);
    }
    for text in ["", "5", "0", "-1%", "100%", "x%", "nan"] {
        let error = text.parse::<Share>().unwrap_err().to_string();
        assert!(error.contains("expected a share"), "{text}: {error}");
    }
}

#[test]
fn frequencies_are_printed_as_they_are_quoted() {
    let cases = [
        (2_600_000_000, "2.60 GHz"),
        (4_987_113_000, "4.99 GHz"),
        (999_600_000, "1.00 GHz"),
        (800_064_000, "800 MHz"),
        (1_000, "1 kHz"),
    ];
    for (hertz, text) in cases {
        assert_eq!(Hertz(hertz).to_string(), text);
    }
}
