CREATE TABLE series (
  -- One row. `machine` (JSON) is the machine that was looked at, complete.
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  tool_version TEXT NOT NULL,
  machine      TEXT NOT NULL
);

CREATE TABLE nodes (
  -- NUMA nodes of the machine, repeated from series.machine.
  node         INTEGER PRIMARY KEY,
  kind         TEXT NOT NULL,         -- dram, hbm, cxl, gpu, unknown
  memory_bytes INTEGER,               -- NULL: not known
  cpus         TEXT NOT NULL          -- list, e.g. 0-3,8; empty for a node without CPUs
);

CREATE TABLE cpus (
  -- CPUs that are online, repeated from series.machine.
  cpu     INTEGER PRIMARY KEY,
  node    INTEGER,
  package INTEGER,
  core    INTEGER NOT NULL,
  smt     INTEGER NOT NULL
);

CREATE TABLE looks (
  -- One row for each look. The rows of the tables below hold from their look on, until the next row of the same thread,
  -- task, or task with use and node, but never beyond their session: at the first look of a session all is written anew.
  look    INTEGER PRIMARY KEY,        -- from 0
  session INTEGER NOT NULL,           -- from 0; one for each time that recording was begun
  time_ns INTEGER NOT NULL,           -- nanoseconds since 1970, UTC
  boot_ns INTEGER NOT NULL            -- nanoseconds since the start of the system
);

CREATE TABLE tasks (
  -- Processes, as they described themselves. One that changes its name, its command or its parent is a new row.
  task            INTEGER PRIMARY KEY,
  pid             INTEGER NOT NULL,
  parent          INTEGER NOT NULL,
  started_ns      INTEGER NOT NULL,   -- since the start of the system
  name            TEXT NOT NULL,
  user            INTEGER NOT NULL,   -- the number of the user
  command         TEXT,
  command_missing TEXT,               -- why command is NULL
  rank            INTEGER,
  rank_missing    TEXT                -- why rank is NULL
);

CREATE TABLE threads (
  thread     INTEGER PRIMARY KEY,
  task       INTEGER NOT NULL REFERENCES tasks (task),
  tid        INTEGER NOT NULL,
  started_ns INTEGER NOT NULL,        -- since the start of the system
  name       TEXT NOT NULL
);

CREATE TABLE masks (
  -- Lists of the CPUs on which threads may run.
  mask INTEGER PRIMARY KEY,
  cpus TEXT NOT NULL UNIQUE
);

CREATE TABLE task_looks (
  look           INTEGER NOT NULL REFERENCES looks (look),
  task           INTEGER NOT NULL REFERENCES tasks (task),
  there          INTEGER NOT NULL,    -- 0: it has ended, or is another row of tasks now
  threads        INTEGER,             -- how many; NULL: not known
  mappings       INTEGER,             -- how many; NULL: nothing is known of its memory
  PRIMARY KEY (look, task)
) WITHOUT ROWID;

CREATE TABLE thread_looks (
  -- All columns after `thread` are NULL where the thread is not seen any more.
  look         INTEGER NOT NULL REFERENCES looks (look),
  thread       INTEGER NOT NULL REFERENCES threads (thread),
  state        TEXT,                  -- the letter of proc(5): R, S, D, Z, ...
  cpu          INTEGER,               -- where it runs or ran last
  cpu_ns       INTEGER,               -- CPU time since it began
  migrations   INTEGER,               -- NULL though seen: not known
  minor_faults INTEGER,
  major_faults INTEGER,
  mask         INTEGER REFERENCES masks (mask),  -- NULL though seen: not known
  PRIMARY KEY (look, thread)
) WITHOUT ROWID;

CREATE TABLE memory_looks (
  look     INTEGER NOT NULL REFERENCES looks (look),
  task     INTEGER NOT NULL REFERENCES tasks (task),
  used_for TEXT NOT NULL,             -- huge, heap, stack, private, file, shared
  node     INTEGER NOT NULL,
  bytes    INTEGER,                   -- NULL: not known any more, or the task has ended
  PRIMARY KEY (look, task, used_for, node)
) WITHOUT ROWID;

CREATE TABLE policy_looks (
  -- Memory by the policy of its mapping. All rows of a task are written anew when one changes.
  look     INTEGER NOT NULL REFERENCES looks (look),
  task     INTEGER NOT NULL REFERENCES tasks (task),
  position INTEGER NOT NULL,          -- from 0, the policy with the most memory first
  policy   TEXT,                      -- as numa_maps writes it; NULL (one row): not known any more, or the task has ended
  mappings INTEGER,                   -- how many have the policy
  node     INTEGER,                   -- NULL: the mappings have no pages
  bytes    INTEGER
);

CREATE INDEX policy_looks_by_look ON policy_looks (look);

CREATE TABLE unavailable (
  -- Why something is not known from a look on, until it is known.
  look   INTEGER NOT NULL REFERENCES looks (look),
  task   INTEGER NOT NULL REFERENCES tasks (task),
  thread INTEGER REFERENCES threads (thread),  -- NULL: of the whole task
  what   TEXT NOT NULL,               -- threads, memory; mask or migrations of one thread
  reason TEXT NOT NULL
);

CREATE INDEX unavailable_by_look ON unavailable (look);

CREATE VIEW thread_timeline AS
  -- Every thread at every look at which it was seen, with what it used since the look before.
  -- CROSS JOIN makes SQLite find the looks of a span by their numbers, which is a hundred times as fast.
  WITH sessions AS (
    SELECT session, max(look) + 1 AS next_look FROM looks GROUP BY session
  ), spans AS (
    SELECT x.*,
           lead(x.look, 1, e.next_look) OVER (PARTITION BY x.thread ORDER BY x.look) AS next_look
      FROM thread_looks x JOIN looks l ON l.look = x.look JOIN sessions e ON e.session = l.session
  ), rows AS (
    SELECT l.look, l.time_ns, l.boot_ns, s.thread, s.state, s.cpu, s.cpu_ns, s.migrations, s.mask,
           lag(s.cpu_ns) OVER earlier AS cpu_ns_before, lag(l.boot_ns) OVER earlier AS boot_ns_before
      FROM spans s CROSS JOIN looks l ON l.look >= s.look AND l.look < s.next_look
     WHERE s.state IS NOT NULL
    WINDOW earlier AS (PARTITION BY s.thread ORDER BY l.look)
  )
  SELECT r.look, strftime('%Y-%m-%d %H:%M:%S', r.time_ns / 1000000000, 'unixepoch') AS time_utc, k.pid, k.rank, t.tid, t.name,
         r.state, r.cpu, c.node, m.cpus AS mask, r.migrations, r.cpu_ns / 1e9 AS cpu_s,
         1.0 * (r.cpu_ns - r.cpu_ns_before) / nullif(r.boot_ns - r.boot_ns_before, 0) AS cpu_share
    FROM rows r JOIN threads t ON t.thread = r.thread JOIN tasks k ON k.task = t.task
    LEFT JOIN cpus c ON c.cpu = r.cpu LEFT JOIN masks m ON m.mask = r.mask
   ORDER BY r.look, r.thread;

CREATE VIEW memory_timeline AS
  -- The memory of every task at every look, by use and node; nothing where it is not known.
  WITH sessions AS (
    SELECT session, max(look) + 1 AS next_look FROM looks GROUP BY session
  ), spans AS (
    SELECT x.*,
           lead(x.look, 1, e.next_look) OVER (PARTITION BY x.task, x.used_for, x.node ORDER BY x.look) AS next_look
      FROM memory_looks x JOIN looks l ON l.look = x.look JOIN sessions e ON e.session = l.session
  )
  SELECT l.look, strftime('%Y-%m-%d %H:%M:%S', l.time_ns / 1000000000, 'unixepoch') AS time_utc, k.pid, k.rank, k.name,
         s.used_for, s.node, s.bytes
    FROM spans s CROSS JOIN looks l ON l.look >= s.look AND l.look < s.next_look
    JOIN tasks k ON k.task = s.task
   WHERE s.bytes IS NOT NULL
   ORDER BY l.look, s.task, s.used_for, s.node;

CREATE VIEW memory_by_node AS
  -- The memory of all tasks at every look, by node.
  SELECT m.look, m.time_utc, m.node, n.kind, sum(m.bytes) AS bytes
    FROM memory_timeline m LEFT JOIN nodes n ON n.node = m.node
   GROUP BY m.look, m.node
   ORDER BY m.look, m.node;
