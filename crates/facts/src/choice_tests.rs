use super::*;

#[test]
fn words_and_numbers_are_read_and_written_alike() {
    for text in ["spread", "compact", "scatter", "balanced", "0", "3,1,2"] {
        assert_eq!(text.parse::<Order>().unwrap().to_string(), text);
    }
    for text in ["1", "2", "all"] {
        assert_eq!(text.parse::<Smt>().unwrap().to_string(), text);
    }
}

#[test]
fn what_is_no_choice_is_refused_with_what_was_expected() {
    for text in ["0", "-1", "two", "", "1.5"] {
        let error = text.parse::<Smt>().unwrap_err().to_string();
        assert!(error.contains("expected 1, 2"), "{error}");
    }
    for text in ["Spread", "", "random", "compact,scatter", "[0,1]", "0,,3", "0,", "{0,1},2"] {
        let error = text.parse::<Order>().unwrap_err().to_string();
        assert!(error.contains("expected spread, compact, scatter, balanced or CPUs"), "{text}: {error}");
    }
}

#[test]
fn a_list_keeps_its_order_as_libgomp_and_libomp_read_it() {
    for (text, cpus) in [
        ("0,3-7:2", "0,3,5,7"),
        ("0 3-7:2", "0,3,5,7"),
        ("0, 3-4, 0", "0,3,4,0"),
        ("5 3 4", "5,3,4"),
        ("8-9,0-1", "8,9,0,1"),
    ] {
        assert_eq!(text.parse::<Order>().unwrap().to_string(), cpus, "{text}");
    }
    for (text, part) in [
        ("3-1", "runs backwards"),
        ("0-4:0", "the step in '0-4:0' is 0"),
        ("0;1", "'0;1' is not a number"),
        ("0 1,2", "'0 1' is not a number"),
        ("0-7,x", "'x' is not a number"),
    ] {
        let error = text.parse::<Order>().unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
    let again = vec!["0-1023"; 17].join(",");
    assert_eq!(again.parse::<Order>(), Err(ParseChoiceError::ListTooLong));
}

#[test]
fn what_is_not_understood_of_kmp_affinity_is_named() {
    for (text, part) in [
        ("granularity=fine,compact,1,0", "'granularity' of KMP_AFFINITY"),
        ("verbose,scatter", "'verbose' of KMP_AFFINITY"),
        ("explicit,proclist=[0,1]", "'explicit' of KMP_AFFINITY"),
        ("proclist=[0,1],explicit", "the list of CPUs is the order by itself"),
        ("disabled", "neither an order nor a strategy"),
        ("compact,1", "permute and offset"),
        ("compact,0,3", "permute and offset"),
    ] {
        let error = text.parse::<Order>().unwrap_err().to_string();
        assert!(error.contains(part) && error.contains(text), "{text}: {error}");
    }
}

#[test]
fn an_older_record_without_a_choice_means_the_usual_one() {
    assert_eq!(serde_json::from_str::<CpuChoice>("{}").unwrap(), CpuChoice::default());
    let kept = CpuChoice { order: "2,0".parse().unwrap(), ..CpuChoice::default() };
    let text = serde_json::to_string(&kept).unwrap();
    assert_eq!(serde_json::from_str::<CpuChoice>(&text).unwrap(), kept);
}
