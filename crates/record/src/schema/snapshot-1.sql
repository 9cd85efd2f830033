CREATE TABLE snapshot (
  -- One row. `header` (JSON): command, host, machine, placement, the ranks that were asked for, how the program ended, its
  -- time, and what was noticed.
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  tool_version TEXT NOT NULL,
  header       TEXT NOT NULL
);

CREATE TABLE nodes (
  -- NUMA nodes of the machine, repeated from the header.
  node         INTEGER PRIMARY KEY,
  kind         TEXT NOT NULL,         -- dram, hbm, cxl, gpu, unknown
  memory_bytes INTEGER,               -- NULL: not known
  cpus         TEXT NOT NULL          -- list, e.g. 0-3,8; empty for a node without CPUs
);

CREATE TABLE cpus (
  -- CPUs that are online, repeated from the header.
  cpu     INTEGER PRIMARY KEY,
  node    INTEGER,
  package INTEGER,
  core    INTEGER NOT NULL,
  smt     INTEGER NOT NULL
);

CREATE TABLE processes (
  -- One row for each process that was watched; one that became another program has two.
  process  INTEGER PRIMARY KEY,       -- from 0: ranks in their order, then others by when they began
  host     TEXT NOT NULL,
  pid      INTEGER NOT NULL,
  program  TEXT NOT NULL,
  rank     INTEGER,                   -- in MPI_COMM_WORLD; NULL: none, or not known
  activity TEXT NOT NULL              -- JSON: all that is not of its threads
);

CREATE TABLE threads (
  process  INTEGER NOT NULL REFERENCES processes (process),
  thread   INTEGER NOT NULL,          -- from 0, as they began
  tid      INTEGER NOT NULL,
  activity TEXT NOT NULL,             -- JSON: times by state, calls, messages, constructs
  PRIMARY KEY (process, thread)
) WITHOUT ROWID;

CREATE TABLE merged (
  -- All ranks together, where they are too many to have a row each in processes; empty where all have one.
  part   TEXT NOT NULL,               -- ranks, host, call, site, communicator, traffic, region
  number INTEGER NOT NULL,            -- from 0, within the part
  value  TEXT NOT NULL,               -- JSON; of ranks all that is in no other part
  PRIMARY KEY (part, number)
) WITHOUT ROWID;

CREATE TABLE places (
  -- Names of the places in the code of which the threads speak.
  file             TEXT NOT NULL,     -- as in activity.files of a process; activity.program where that is empty
  address          INTEGER NOT NULL,  -- in the file; the low 64 bits
  function         TEXT,
  function_missing TEXT,              -- why function is NULL
  source           TEXT,
  source_missing   TEXT,              -- why source is NULL
  line             INTEGER,
  line_missing     TEXT,              -- why line is NULL
  PRIMARY KEY (file, address)
) WITHOUT ROWID;

CREATE VIEW thread_times AS
  -- Seconds of each thread by what it did; NULL where that is not known.
  SELECT p.process, p.host, p.pid, p.rank, p.program, t.tid,
         json_extract(t.activity, '$.times.useful') / 1e9 AS useful_s,
         json_extract(t.activity, '$.times.mpi') / 1e9 AS mpi_s,
         json_extract(t.activity, '$.times.barrier') / 1e9 AS barrier_s,
         json_extract(t.activity, '$.times.scheduling') / 1e9 AS scheduling_s,
         json_extract(t.activity, '$.times.idle') / 1e9 AS idle_s,
         json_extract(t.activity, '$.times.lock') / 1e9 AS lock_s
    FROM threads t JOIN processes p ON p.process = t.process
   ORDER BY p.process, t.thread;

CREATE VIEW mpi_calls AS
  -- Calls of MPI by rank and name.
  SELECT p.rank, p.pid, json_extract(c.value, '$.call') AS call,
         sum(json_extract(c.value, '$.calls.count')) AS calls,
         sum(json_extract(c.value, '$.calls.time')) / 1e9 AS seconds
    FROM threads t JOIN processes p ON p.process = t.process, json_each(t.activity, '$.calls') c
   GROUP BY p.process, call
   ORDER BY p.process, seconds DESC;
