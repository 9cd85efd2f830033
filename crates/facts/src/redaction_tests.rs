use super::*;

/// Commands of real programs: each as its words, divided by `|`, and what of it is left out (`""`: nothing).
const COMMANDS: &[(&str, &str)] = &[
    // Passwords and tokens as options.
    ("./app|--password=hunter2", "hunter2"),
    ("./app|--password=my secret phrase", "my secret phrase"),
    ("./app|--password|hunter2|-v", "hunter2"),
    ("./app|--passwd=1234", "1234"),
    ("./app|-password|swordfish", "swordfish"),
    ("./app|--db-password|p4ss", "p4ss"),
    ("./app|--token|abcdef", "abcdef"),
    ("./app|--auth-token=Zm9vYmFy", "Zm9vYmFy"),
    ("./app|--api-key=q7Hs81", "q7Hs81"),
    ("./app|--apikey|q7Hs81", "q7Hs81"),
    ("./app|--client-secret=aa.bb~cc", "aa.bb~cc"),
    ("java|-Dspring.datasource.password=changeit|-jar|x.jar", "changeit"),
    ("java|-Djavax.net.ssl.keyStorePassword=changeit|Main", "changeit"),
    ("keytool|-list|-storepass|changeit", "changeit"),
    ("redis-server|--requirepass|f00bar", "f00bar"),
    ("redis-cli|-a|f00bar|ping", "f00bar"),
    ("redis-benchmark|-h|host|-a|f00bar|-n|1000", "f00bar"),
    ("memtier_benchmark|-a|me:f00bar|--key-pattern=R:R", "f00bar"),
    ("mysql|-uroot|-pS3cret|db", "S3cret"),
    ("/usr/bin/mysqldump|-u|root|-pS3cret|db", "S3cret"),
    ("sshpass|-p|S3cret|ssh|node1|./app", "S3cret"),
    ("mongosh|-u|me|-p|S3cret", "S3cret"),
    ("ldapsearch|-x|-w|S3cret|-b|dc=x", "S3cret"),
    ("ipmitool|-U|admin|-P|S3cret|sensor", "S3cret"),
    ("curl|-u|me:S3cret|http://x/", "S3cret"),
    ("curl|--user|me:S3cret|http://x/", "S3cret"),
    ("curl|-H|Authorization: Bearer abc.def-ghi|http://x/", "abc.def-ghi"),
    ("curl|-H|Authorization: Basic dXNlcjpwYXNz|http://x/", "dXNlcjpwYXNz"),
    ("curl|-HX-Api-Key: 12ab34cd|http://x/", "12ab34cd"),
    ("curl|-H|PRIVATE-TOKEN: 12ab34cd|http://x/", "12ab34cd"),
    ("curl|--cookie|sid=91ab; b=2|http://x/", "sid=91ab; b=2"),
    ("openssl|enc|-aes-256-cbc|-k|S3cret|-in|f", "S3cret"),
    ("openssl|rsa|-passin|pass:S3cret|-in|f", "S3cret"),
    ("smbclient|//h/s|-U|me%S3cret", "S3cret"),
    ("7z|x|-pS3cret|a.7z", "S3cret"),
    // In URLs and connection strings.
    ("psql|postgres://me:S3cret@db:5432/x?sslmode=off", "S3cret"),
    ("psql|postgresql+asyncpg://me:p@ssw@db/x", "p@ssw"),
    ("psql|postgres://me:pa/ss@db/x", "pa/ss"),
    ("./app|redis://:S3cret@host:6379/0", "S3cret"),
    ("./app|--proxy=http://me:S3cret@proxy:3128", "S3cret"),
    ("psql|host=h user=me password=S3cret dbname=x", "S3cret"),
    ("./app|Server=h;User Id=sa;Password=S3;cret;Database=x", "S3;cret"),
    ("./app|Server=h;UID=sa;PWD=S3cret;Encrypt=no", "S3cret"),
    ("mount|-t|cifs|-o|user=me,password=S3cret,vers=3", "S3cret"),
    ("./app|https://h/x?access_token=91ab77cd&page=2", "91ab77cd"),
    (
        "./app|https://h/x?X-Amz-Signature=8f14e45fceea167a5a36dedd4bea2543&y=1",
        "8f14e45fceea167a5a36dedd4bea2543",
    ),
    (
        "./app|DefaultEndpointsProtocol=https;AccountName=a;AccountKey=Zm9vYmFyYmF6cXV4MTIzNA==;x=y",
        "Zm9vYmFyYmF6cXV4MTIzNA==",
    ),
    // Variables, files and lines for a shell.
    ("env|DB_PASSWORD=S3cret|./app", "S3cret"),
    ("env|MYSQL_PWD=S3cret|./app", "S3cret"),
    (
        "env|AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY|./app",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    ),
    ("docker|run|-e|POSTGRES_PASSWORD=S3cret|img", "S3cret"),
    ("docker|run|--env=POSTGRES_PASSWORD=S3cret|img", "S3cret"),
    ("sh|-c|PGPASSWORD=S3cret psql -h db", "S3cret"),
    ("sh|-c|mysql -uroot -pS3cret -e 'select 1'", "S3cret"),
    ("sh|-c|./app --password 'two words' --n 3", "two words"),
    ("sh|-c|curl -H \"Authorization: Bearer abc.def\" http://x/", "abc.def"),
    ("./app|{\"user\": \"me\", \"password\": \"S3cret\"}", "S3cret"),
    ("./app|{\\\"password\\\":\\\"S3cret\\\"}", "S3cret"),
    ("./app|<user>me</user><password>S3cret</password>", "S3cret"),
    ("./app|password: S3cret", "S3cret"),
    ("mysql|-e|CREATE USER x IDENTIFIED BY 'S3cret'", "S3cret"),
    // By their shape.
    ("./app|AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
    ("./app|ghp_16C7e42F292c6912E7710c838347Ae178B4a", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
    (
        "./app|/data/run-ghp_16C7e42F292c6912E7710c838347Ae178B4a.out",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    ),
    ("./app|glpat-Zx81yYw7vU6tS5rQ4pO3", "glpat-Zx81yYw7vU6tS5rQ4pO3"),
    ("./app|xoxb-123456789012-abcdefGHIJ", "xoxb-123456789012-abcdefGHIJ"),
    ("./app|hf_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3f", "hf_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3f"),
    ("./app|sk-ant-api03-aB3dE5gH7jK9mN1pQ3sT", "sk-ant-api03-aB3dE5gH7jK9mN1pQ3sT"),
    (
        "./app|eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmN",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmN",
    ),
    ("./app|MUNGE:AwQFAABkZGRkZGRkZGRkZGRkZGQ=:", "MUNGE:AwQFAABkZGRkZGRkZGRkZGRkZGQ="),
    (
        "./app|$6$saltsalt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2",
        "$6$saltsalt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2",
    ),
    // After a word, where the value is long and random.
    ("./app|--key=8f14e45fceea167a5a36dedd4bea2543", "8f14e45fceea167a5a36dedd4bea2543"),
    ("./app|--session-key|8f14e45fceea167a5a36dedd4bea2543", "8f14e45fceea167a5a36dedd4bea2543"),
    ("./app|secret|8f14e45fceea167a5a36dedd4bea2543", "8f14e45fceea167a5a36dedd4bea2543"),
    // What has to stay.
    ("./app|--key-size=4096", ""),
    ("./app|--key_size|4096|--keys=1000000", ""),
    ("./app|--tokens|128|--max-tokens=4096|--max-new-token|5", ""),
    ("./app|--token-limit|4096|--token-budget=100000", ""),
    ("vllm|--tokenizer=meta-llama/Llama-3.1-8B|--tokenizer-mode|auto", ""),
    ("./llama|--bos-token|<s>|--eos_token=</s>|--stop-token|END", ""),
    ("ffmpeg|-i|in.mp4|-pass|2|-passlogfile|x.log|-keyint_min|25", ""),
    ("ffmpeg|--keyframe=3|--passes|3|-g|250", ""),
    ("sox|in.wav|--lowpass=300|--bandpass|20:40|--bypass=on", ""),
    ("./render|--render-pass=shadow|--first-pass|coarse", ""),
    ("./app|KMP_AFFINITY=granularity=fine,compact,1,0", ""),
    ("env|OMP_PLACES={0:4}:8:4|OMP_PROC_BIND=spread,close|./app", ""),
    ("git|checkout|9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", ""),
    ("./app|input-9f86d081884c7d659a2feaa0c55ad015.h5", ""),
    ("mpirun|-np|4|--map-by|ppr:2:numa:pe=4|--bind-to|core|./hpl", ""),
    ("srun|--cpu-bind=mask_cpu:0xff,0xff00|--mem-bind=local|./app", ""),
    ("srun|--account=physics|--partition=long|-p|debug|./app", ""),
    ("gmx|mdrun|-deffnm|topol|-ntomp|4|-pin|on|-pinoffset|8|-nb|gpu", ""),
    ("lmp|-in|in.lj|-var|x|4|-sf|omp|-pk|omp|4", ""),
    ("xhpl|-p|4|-q|4", ""),
    ("nginx|-p|/srv|-c|conf/nginx.conf", ""),
    ("./app|-p8080|-pthread|-P|4", ""),
    ("docker|run|-p|8080:80|--user|1000:1000|img", ""),
    ("memcached|-u|nobody|-m|64|-k", ""),
    ("db_bench|--benchmarks=fillseq|--key_size=16|--value_size=100|--use_existing_db=1", ""),
    ("redis-benchmark|-t|set,get|-r|100000|--keyspace|1000", ""),
    ("memtier_benchmark|--key-pattern=R:R|--key-prefix=memtier-|--key-maximum|10000", ""),
    ("sysbench|oltp_read_write|--tables=8|--auto_inc=off|--rand-type=pareto|run", ""),
    ("pgbench|-U|postgres|-h|localhost|-c|8|-j|8|-T|60|bench", ""),
    ("postgres|-D|/var/lib/postgres|-c|password_encryption=scram-sha-256", ""),
    ("./app|--password-file=/run/secrets/db|--credentials-file|x.json", ""),
    ("./app|--private-key=/etc/ssl/key.pem|--ssl-key|/etc/ssl/private/server.key", ""),
    ("./app|--auth=none|--auth-mode|kerberos|--token-type=bearer", ""),
    ("./app|--password=$DB_PASSWORD|--token=${TOKEN}|--secret=<secret>", ""),
    ("./app|--sort-key=particle_index_in_cell_0001|--primary-key|id", ""),
    ("./app|--cache-key=v1-linux-x86_64-2024-11-22", ""),
    ("ssh|git@host|https://github.com/me/x|http://h:8080/a@b|file:///tmp/x:1@2", ""),
    ("./app|user@host:/data/x|http://[::1]:8080/@x", ""),
    ("./app|--hash=sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", ""),
    ("python|train.py|--lr|1e-4|--seq-len=2048|--sep-token|[SEP]|--pad_token_id=0", ""),
    ("./app|--secret-sharing-threshold=3|--passive|--compass=north|--monkey=1", ""),
    ("java|-Xmx4g|-XX:+UseNUMA|-Djava.security.egd=file:/dev/./urandom|-jar|x.jar", ""),
    ("stress-ng|--vm|4|--vm-bytes|75%|--key|4|--key-ops|100", ""),
    ("fio|--name=job|--rw=randread|--bs=4k|--size=1g|--ioengine=io_uring", ""),
    ("openssl|speed|-evp|aes-256-gcm|-seconds|3", ""),
    ("./task-queue|sk-learn-pipeline-with-a-very-long-name-indeed", ""),
];

/// Output of programs and what of it is left out.
const OUTPUTS: &[(&str, &[&str])] = &[
    ("error: cannot log in with password 'x'\n", &[]),
    ("Connecting to postgres://me:S3cret@db/x failed\n", &["S3cret"]),
    ("password=S3cret, retrying.\n", &["S3cret"]),
    ("{\"token\": \"91ab77cd\", \"n\": 3}\n", &["91ab77cd"]),
    ("config:\n  api_key: 91ab77cd\n  threads: 4\n", &["91ab77cd"]),
    ("> Authorization: Bearer 91ab.77cd\n> Host: x\n", &["91ab.77cd"]),
    ("Set-Cookie: sid=77cd; Path=/\nok\n", &["sid=77cd; Path=/"]),
    ("DB_PASSWORD=S3cret\nHOME=/root\n", &["S3cret"]),
    ("run as: ./app --password S3cret --n 4\n", &["S3cret"]),
    (
        "$2b$12$KIXQ4bLq5sVQ7oGm3r5b8eJ6mFzXoR0xwS5jE1pQx0aYx9d8k7b6C in shadow\n",
        &["$2b$12$KIXQ4bLq5sVQ7oGm3r5b8eJ6mFzXoR0xwS5jE1pQx0aYx9d8k7b6C"],
    ),
    // What has to stay.
    ("syntax error near unexpected token: foo\n", &[]),
    ("syntax error near unexpected token `newline'\n", &[]),
    ("error: password: must be at least 8 characters\n", &[]),
    ("Password: incorrect.\nToken expired: retry\n", &[]),
    ("PASS: tests/a1.c\npass: 12\nFirst pass: 3.5 s\n", &[]),
    ("tokens/s: 1234.5\ntokens: 128\nprompt tokens = 2048\ntoken 5\n", &[]),
    ("usage: app --password PASSWORD --token <TOKEN>\n", &[]),
    ("key: 17 value: 3\nkeys=1000 auth=0 session=4\n", &[]),
    ("Segmentation fault at 0x7ffe12345678 (std::token::next: 12)\n", &[]),
    ("checksum 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n", &[]),
    ("http://localhost:8080/x refused; mailto:a@b.c\n", &[]),
    ("-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUX\n-----END CERTIFICATE-----\n", &[]),
];

fn words(command: &str) -> Vec<Argument> {
    command.split('|').map(Argument::from).collect()
}

fn joined(words: &[Argument]) -> String {
    words.iter().map(|word| word.0.to_string_lossy()).collect::<Vec<_>>().join("|")
}

#[test]
fn credentials_in_commands_are_left_out_and_nothing_else_is() {
    assert!(COMMANDS.len() >= 110);
    let mut wrong = Vec::new();
    for (command, secret) in COMMANDS {
        let redacted = joined(&arguments(&words(command)));
        let expected =
            if secret.is_empty() { (*command).to_owned() } else { command.replacen(secret, MARKER, 1) };
        // Where the secret is also a part of another word, its last place is the one that counts.
        let at_the_end = command
            .rfind(secret)
            .map(|at| format!("{}{MARKER}{}", &command[..at], &command[at + secret.len()..]));
        if redacted != expected && Some(&redacted) != at_the_end.as_ref().filter(|_| !secret.is_empty()) {
            wrong.push(format!("{command}\n  is {redacted}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn credentials_in_output_are_left_out_and_nothing_else_is() {
    let mut wrong = Vec::new();
    for (output, secrets) in OUTPUTS {
        let expected = secrets.iter().fold((*output).to_owned(), |text, secret| text.replace(secret, MARKER));
        let redacted = text(output);
        if redacted != expected {
            wrong.push(format!("{output}  is {redacted}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_was_redacted_stays_as_it_is() {
    for (command, _) in COMMANDS {
        let once = arguments(&words(command));
        assert_eq!(arguments(&once), once, "{command}");
        let line = text(&joined(&once));
        assert_eq!(text(&line), line, "{command}");
    }
    for (output, _) in OUTPUTS {
        let once = text(output);
        assert_eq!(text(&once), once, "{output}");
    }
}

#[test]
fn private_keys_go_whole_or_cut() {
    let body = "MIIEowIBAAKCAQEAxGKx\nb3Zh/+abc0123456789==\n";
    let key = format!("a\n-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\nz\n");
    let whole = text(&key);
    assert_eq!(
        whole,
        format!("a\n-----BEGIN RSA PRIVATE KEY-----\n{MARKER}\n-----END RSA PRIVATE KEY-----\nz\n")
    );
    for cut in [&key[40..], &key[..key.len() - 40], &key.replace('\n', "\\n")] {
        let redacted = text(cut);
        assert!(is_redacted(&redacted), "{redacted}");
        assert!(!redacted.contains("b3Zh") && !redacted.contains("IBAAKC"), "{redacted}");
        assert_eq!(text(&redacted), redacted);
    }
}

#[test]
fn bytes_that_are_not_text_stay_where_nothing_is_left_out() {
    use std::os::unix::ffi::OsStringExt;
    let odd = Argument(OsString::from_vec(b"--in=\xff\xfe".to_vec()));
    let secret = Argument(OsString::from_vec(b"--password=\xffS3cret".to_vec()));
    let redacted = arguments(&[odd.clone(), secret]);
    assert_eq!(redacted, [odd, Argument(format!("--password={MARKER}").into())]);
}

#[test]
fn what_is_known_of_a_run_is_left_out_everywhere() {
    let command = words("./app|--password=hunter2|--in=data");
    let variables = [
        ("DB_PASSWORD", "correct-horse"),
        ("API_TOKEN", "true"),
        ("MY_SECRET", "/etc/hostname"),
        ("X", "n:e@r"),
    ];
    let variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
    let redactor = Redactor::of_run(&command, variables);
    let said = redactor.text("login hunter2: correct-horse refused, true, /etc/hostname, n:e@r");
    assert_eq!(said, format!("login {MARKER}: {MARKER} refused, true, /etc/hostname, n:e@r"));
    assert_eq!(format!("{redactor:?}"), "Redactor(2 values)");
    let problem = MetricProblem::NotANumber { text: "hunter2".to_owned() };
    let marker = MetricProblem::NotANumber { text: MARKER.to_owned() };
    assert_eq!(redactor.metric_problem(problem.clone(), "time hunter2"), marker);
    // What was matched is a credential by the name that stands before it.
    assert_eq!(Redactor::default().metric_problem(problem.clone(), "password: hunter2"), marker);
    assert_eq!(Redactor::default().metric_problem(problem.clone(), "time: hunter2"), problem);
}

#[test]
fn a_credential_is_found_before_an_output_is_cut() {
    let output = format!(
        "x\n-----BEGIN PRIVATE KEY-----\n{}-----END PRIVATE KEY-----\nend\n",
        "QUJD0REV=\n".repeat(600)
    );
    let tail = Redactor::default().end_of_output(&output, 4096);
    assert!(tail.ends_with("end\n") && !tail.contains("QUJD"), "{tail}");
    assert!(Redactor::default().end_of_output(&"line\n".repeat(5000), 4096).len() <= 4096);
}

#[test]
fn a_long_value_goes_whole() {
    for length in 150..170 {
        let secret = format!("{}{}", "Ab1,".repeat(length / 4), ",".repeat(length % 4)) + "tail";
        assert_eq!(text(&format!("x password={secret} y")), format!("x password={MARKER} y"), "{length}");
        assert_eq!(text(&format!("\"token\": \"{secret}\"")), format!("\"token\": \"{MARKER}\""), "{length}");
    }
}

#[test]
fn hostile_texts_take_no_time() {
    let begin = std::time::Instant::now();
    for piece in [
        "key=",
        "password=",
        "://",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "ghp_",
        "eyJa-",
        "$1$",
        "a-",
        "\"",
        "--password ",
        "Authorization: ",
        "MUNGE:",
        "token:",
        "é",
        "<password>",
        "x,y=",
        "{\"key\":",
    ] {
        let text = piece.repeat(50_000 / piece.len());
        let redacted = super::text(&text);
        assert!(redacted.len() < 20 * text.len(), "{piece}");
        let _ = arguments(&[Argument::from("x"), Argument(text.into())]);
    }
    assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
}

#[test]
fn the_processes_that_a_trial_leaves_are_named_without_credentials() {
    let known = [("DB_PASSWORD".to_owned(), "xK9!qq2z".to_owned())];
    let redactor = Redactor::of_run(&words("./app"), known.into_iter());
    let mut trial = Trial {
        number: 0,
        block: 0,
        point: "os".into(),
        started: numawise_units::Nanoseconds(0),
        wall: numawise_units::Nanoseconds(1),
        outcome: Outcome::Measured { per_task: vec![] },
        observation: Reading::unavailable("test"),
        disturbances: vec![],
        left_behind: Some(crate::LeftProcesses {
            processes: 3,
            names: ["sleep", "of xK9!qq2z", "token=91ab77cd"].map(str::to_owned).to_vec(),
        }),
        other_values: vec![OtherValue::Missing(MetricProblem::NotANumber { text: "xK9!qq2z".to_owned() })],
    };
    redactor.trial(&mut trial);
    let expected = ["sleep".to_owned(), format!("of {MARKER}"), format!("token={MARKER}")];
    assert_eq!(trial.left_behind.unwrap().names, expected);
    let hidden = OtherValue::Missing(MetricProblem::NotANumber { text: MARKER.to_owned() });
    assert_eq!(trial.other_values, [hidden]);
}
