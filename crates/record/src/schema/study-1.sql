CREATE TABLE study (
  -- One row. `header` (JSON) is the study before its first trial, complete; the columns repeat what people ask for.
  id               INTEGER PRIMARY KEY CHECK (id = 1),
  tool_version     TEXT NOT NULL,
  begun_ns         INTEGER NOT NULL,  -- nanoseconds since 1970, UTC
  command          TEXT NOT NULL,     -- as a shell would need it
  directory        TEXT NOT NULL,
  hostname         TEXT,              -- NULL: not known; the reason is in header
  kernel           TEXT,
  cpu_model        TEXT,
  metric           TEXT NOT NULL,     -- 'wall_time', or the regular expression that finds it in the output
  higher_is_better INTEGER NOT NULL,  -- 0 or 1
  seed             TEXT NOT NULL,     -- decimal, up to 2^64 - 1
  min_repeats      INTEGER NOT NULL,
  margin           REAL NOT NULL,
  budget_ns        INTEGER NOT NULL,
  stopped          TEXT,              -- NULL while it may go on: 'decided', 'budget_spent', 'interrupted', ...
  lines_point      TEXT REFERENCES points (point),  -- the placement that the lines of the table lines give; NULL: none was run
  lines_stopped    TEXT,              -- as stopped, of the runs in line_trials
  header           TEXT NOT NULL
);

CREATE TABLE nodes (
  -- NUMA nodes of the machine, repeated from study.header.
  node         INTEGER PRIMARY KEY,
  kind         TEXT NOT NULL,         -- dram, hbm, cxl, gpu, unknown
  memory_bytes INTEGER,
  cpus         TEXT NOT NULL          -- list, e.g. 0-3,8; empty for a node without CPUs
);

CREATE TABLE cpus (
  -- CPUs that are online, repeated from study.header.
  cpu     INTEGER PRIMARY KEY,
  node    INTEGER,
  package INTEGER,
  core    INTEGER NOT NULL,
  smt     INTEGER NOT NULL
);

CREATE TABLE points (
  -- Ways of placing the program, repeated from study.header.
  point    TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  role     TEXT NOT NULL,             -- baseline, candidate, diagnosis
  tasks    INTEGER NOT NULL,
  threads  INTEGER NOT NULL,          -- of one task
  strategy TEXT NOT NULL,
  nodes    TEXT,                      -- list of the nodes that its CPUs are chosen from; NULL: all
  pinned   INTEGER NOT NULL,          -- 0 or 1
  memory   TEXT NOT NULL,             -- memory policy as it was asked for
  parameters TEXT NOT NULL,           -- JSON list of the program's own parameters: name and value
  cpus     TEXT NOT NULL              -- list of the CPUs of all tasks
);

CREATE TABLE trials (
  number                 INTEGER PRIMARY KEY,  -- from 0, in the order in which they ran
  block                  INTEGER NOT NULL,     -- 0 is the warm-up
  point                  TEXT NOT NULL REFERENCES points (point),
  started_ns             INTEGER NOT NULL,     -- nanoseconds since 1970, UTC
  wall_ns                INTEGER NOT NULL,
  status                 TEXT NOT NULL CHECK (status IN ('measured', 'failed', 'no_metric')),
  exit_code              INTEGER,              -- failed: one of exit_code and exit_signal
  exit_signal            INTEGER,
  problem                TEXT,                 -- no_metric: why, as JSON
  output_tail            TEXT,                 -- failed and no_metric: the end of the output
  host                   TEXT,                 -- its node name
  rank                   INTEGER,              -- the MPI rank that the process was
  mpi_libraries          TEXT,                 -- JSON list of the libraries of MPI that its processes had mapped
  user_ns                INTEGER,              -- CPU time of all processes
  system_ns              INTEGER,
  peak_memory_bytes      INTEGER,
  minor_faults           INTEGER,
  major_faults           INTEGER,
  voluntary_switches     INTEGER,
  involuntary_switches   INTEGER,
  migrations             INTEGER,
  run_delay_ns           INTEGER,
  several_ready          INTEGER,              -- samples that found several threads ready to run at once
  steal                  REAL,                 -- share of the machine's CPU time
  other_load             REAL,
  busy_cpus              TEXT,                 -- JSON list of CPU and nanoseconds that it was busy, with whatever
  memory_events          TEXT,                 -- JSON object: what the kernel did with memory meanwhile
  frequency              TEXT,                 -- JSON list: of each CPU on which the program worked
  energy_uj              INTEGER,              -- what processors and their memory took meanwhile, in microjoules
  pages_method           TEXT,
  pages_seen             INTEGER,
  pages_at_ns            INTEGER,
  pages_shared           TEXT,                 -- JSON list of node and bytes: memory that processes share, each page once
  pages_memory           TEXT,                 -- JSON: all memory by use, by policy, and the largest mappings
  sampler_samples        INTEGER,
  sampler_cpu_ns         INTEGER,
  sampler_span_ns        INTEGER,
  disturbances           TEXT NOT NULL,        -- JSON list; '[]' is an undisturbed trial
  missing                TEXT NOT NULL,        -- JSON object: column (or threads, pages, observation) -> why it is NULL
  left_behind            TEXT,                 -- JSON object: what the program left running; NULL: nothing
  other_values           TEXT NOT NULL         -- JSON list: what it gave for each metric that is not the one which is compared
);

CREATE TABLE trial_values (
  -- The metric, raw, of each task of a measured trial.
  trial INTEGER NOT NULL REFERENCES trials (number),
  task  INTEGER NOT NULL,
  value REAL,                                  -- above 0
  PRIMARY KEY (trial, task)
) WITHOUT ROWID;

CREATE TABLE threads (
  trial        INTEGER NOT NULL REFERENCES trials (number),
  thread       INTEGER NOT NULL,               -- from 0, in the order in which they were seen
  pid          INTEGER NOT NULL,
  tid          INTEGER NOT NULL,
  name         TEXT NOT NULL,
  cpu_ns       INTEGER NOT NULL,
  minor_faults INTEGER NOT NULL,
  migrations   INTEGER NOT NULL,
  ready_with_others INTEGER NOT NULL,          -- samples that found it ready to run while others were
  mask         TEXT,                           -- affinity mask as a list of CPUs
  mask_missing TEXT,                           -- why mask is NULL
  PRIMARY KEY (trial, thread)
) WITHOUT ROWID;

CREATE TABLE thread_cpus (
  -- CPU time of a thread by the CPU where it was seen.
  trial    INTEGER NOT NULL,
  thread   INTEGER NOT NULL,
  position INTEGER NOT NULL,
  cpu      INTEGER NOT NULL,
  cpu_ns   INTEGER NOT NULL,
  PRIMARY KEY (trial, thread, position),
  FOREIGN KEY (trial, thread) REFERENCES threads (trial, thread)
) WITHOUT ROWID;

CREATE TABLE pages (
  -- Where the program's own writable memory was, when most of it was resident.
  trial    INTEGER NOT NULL REFERENCES trials (number),
  position INTEGER NOT NULL,
  node     INTEGER NOT NULL,
  bytes    INTEGER NOT NULL,
  PRIMARY KEY (trial, position)
) WITHOUT ROWID;

CREATE TABLE lines (
  -- The lines that are printed to be used, each as it is shown: without what looks like a credential.
  tool     TEXT PRIMARY KEY,          -- program (as it is typed without us), numawise, numactl, taskset, openmp, ...
  position INTEGER NOT NULL,
  line     TEXT NOT NULL,
  not_run  TEXT                       -- JSON: why it was not run; NULL: it was, or is to be
);

CREATE TABLE line_trials (
  -- Runs of these lines by a shell, each as it is printed.
  number      INTEGER PRIMARY KEY,    -- from 0, in the order in which they ran
  block       INTEGER NOT NULL,       -- from 1
  tool        TEXT NOT NULL,
  started_ns  INTEGER NOT NULL,       -- nanoseconds since 1970, UTC
  wall_ns     INTEGER NOT NULL,
  status      TEXT NOT NULL CHECK (status IN ('measured', 'failed', 'no_metric')),
  exit_code   INTEGER,                -- failed: one of exit_code and exit_signal
  exit_signal INTEGER,
  problem     TEXT,                   -- no_metric: why, as JSON
  output_tail TEXT,                   -- failed and no_metric: the end of the output
  value       REAL,                   -- measured: the metric, above 0
  disturbances TEXT NOT NULL,         -- JSON list; '[]' is an undisturbed run
  left_behind TEXT                    -- JSON object: what the line left running; NULL: nothing
);

CREATE VIEW samples AS
  -- One row per trial; `value` is for one unit of work, so that points with several copies compare with those with one.
  SELECT t.number, t.block, t.block = 0 AS warm_up, t.point, p.strategy, p.memory,
         strftime('%Y-%m-%d %H:%M:%S', t.started_ns / 1000000000, 'unixepoch') AS started_utc,
         t.wall_ns / 1e9 AS wall_s, t.status,
         (SELECT CASE WHEN s.higher_is_better THEN sum(v.value) ELSE max(v.value) / count(*) END
            FROM trial_values v WHERE v.trial = t.number HAVING count(*) > 0) AS value,
         t.disturbances <> '[]' AS disturbed, t.steal, t.other_load, t.migrations, t.peak_memory_bytes
    FROM trials t JOIN points p ON p.point = t.point CROSS JOIN study s
   ORDER BY t.number;

CREATE VIEW memory_by_node AS
  SELECT t.number, t.point, g.node, n.kind, sum(g.bytes) AS bytes,
         1.0 * sum(g.bytes) / nullif((SELECT sum(a.bytes) FROM pages a WHERE a.trial = t.number), 0) AS share
    FROM pages g JOIN trials t ON t.number = g.trial LEFT JOIN nodes n ON n.node = g.node
   GROUP BY t.number, g.node
   ORDER BY t.number, g.node;

CREATE VIEW cpu_time_by_node AS
  SELECT t.number, t.point, c.node, sum(x.cpu_ns) / 1e9 AS cpu_s,
         1.0 * sum(x.cpu_ns) / nullif((SELECT sum(a.cpu_ns) FROM thread_cpus a WHERE a.trial = t.number), 0) AS share
    FROM thread_cpus x JOIN trials t ON t.number = x.trial LEFT JOIN cpus c ON c.cpu = x.cpu
   GROUP BY t.number, c.node
   ORDER BY t.number, c.node;
