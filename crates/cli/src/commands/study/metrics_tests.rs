use super::*;

fn read(texts: &[&str], file: Option<&str>, higher: Option<&str>) -> Result<TypedMetrics, String> {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    typed(&texts, file.map(OsString::from).as_ref(), higher).map_err(|failure| failure.message().to_owned())
}

fn output(regex: &str, higher_is_better: bool) -> Metric {
    Metric::Output { regex: regex.to_owned(), higher_is_better }
}

#[test]
fn one_expression_is_taken_as_it_is() {
    assert_eq!(read(&[], None, None).unwrap().compared, Metric::WallTime);
    for text in ["time=([0-9.]+)", "t: (.*)", "wall_time=b=(.)", "a b=c: (.)"] {
        let read = read(&[text], None, None).unwrap();
        assert_eq!((read.compared, read.name, read.others), (output(text, false), None, vec![]), "{text}");
    }
    assert_eq!(read(&["v (.)"], None, Some("")).unwrap().compared, output("v (.)", true));
    assert!(read(&["v (.)"], None, Some("v")).unwrap_err().contains("has no name"));
    let file = Metric::File { file: "out".into(), regex: None, higher_is_better: false };
    assert_eq!(read(&[], Some("out"), None).unwrap().compared, file);
    assert!(read(&[], Some(""), None).is_err());
}

#[test]
fn one_metric_may_have_a_name_as_several_have() {
    let one = read(&["time=time: (.*)"], None, Some("time")).unwrap();
    assert_eq!((one.compared, one.name.as_deref()), (output("time: (.*)", true), Some("time")));
    assert!(!read(&["a=b=(.)"], None, None).unwrap().compared.higher_is_better());
    assert!(read(&["t=t: (.*)"], None, Some("v")).unwrap_err().contains("there are: t"));
}

#[test]
fn the_first_of_several_is_compared_and_the_others_come_with_it() {
    let texts = ["time=time: (.*)", "flops=flops=(.*)", "steps=^([0-9]+)$"];
    let all = read(&texts, None, None).unwrap();
    assert_eq!((all.compared, all.name.as_deref()), (output("time: (.*)", false), Some("time")));
    assert_eq!(all.others[0], NamedMetric { name: "flops".to_owned(), metric: output("flops=(.*)", false) });
    assert_eq!(all.others[1].metric, output("^([0-9]+)$", false));
    assert!(read(&texts, None, Some("")).unwrap().compared.higher_is_better());
    let rates = read(&texts, None, Some("flops, steps")).unwrap();
    assert!(!rates.compared.higher_is_better());
    assert!(rates.others.iter().all(|other| other.metric.higher_is_better()));
    let in_file = read(&texts, Some("out.{task}"), None).unwrap();
    assert_eq!(in_file.others[0].metric.file(), Some(&"out.{task}".into()));
}

#[test]
fn what_means_nothing_or_two_things_is_refused() {
    for (texts, higher, expected) in [
        (&["time: (.*)", "v=v: (.*)"][..], None, "it has no name; several metrics each need a name"),
        (&["t=t: (.*)", "t=u: (.*)"], None, "the name t is there twice"),
        (&["t=([0-9.]+)", "v=v: (.*)"], None, "t= may be its name, or what stands before the number"),
        (&["t=t: (.*)", r"v=\s*([0-9.]+)"], None, r"here v='v=\s*([0-9.]+)'"),
        (&["t=t: (.*)", "wall_time=v: (.*)"], None, "wall_time is taken of every trial already"),
        (&["t=t: (.*)", "v=v: (.*)"], Some("w"), "no metric is called 'w'; there are: t, v"),
        (&["1t=t: (.*)", "v=v: (.*)"], None, "it has no name"),
    ] {
        let said = read(texts, None, higher).unwrap_err();
        assert!(said.contains(expected), "{texts:?}: {said}");
    }
}
