CREATE TABLE object_run (
  -- One row. `header` (JSON): command, host, machine, placement, how the program ended, its time, and what was noticed.
  -- `watching` (JSON): how it was watched, and what that left out. `beyond` (JSON): `sources`, lines of the source; `bandwidth` and
  -- `memory_bound` of the run; `trials`, cures that were tried after it.
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  tool_version TEXT NOT NULL,
  header       TEXT NOT NULL,
  watching     TEXT NOT NULL,
  beyond       TEXT NOT NULL
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

CREATE TABLE threads (
  -- Threads that allocated, touched or used memory.
  thread       INTEGER PRIMARY KEY,   -- from 0
  process      INTEGER NOT NULL,      -- the number that the system gave it
  tid          INTEGER NOT NULL,
  number       INTEGER NOT NULL,      -- by when it was first seen in its process
  name         TEXT,
  name_missing TEXT                   -- why name is NULL
);

CREATE TABLE places (
  -- Places in the code of which objects, touches and uses speak.
  place            INTEGER PRIMARY KEY, -- from 0
  file             TEXT NOT NULL,     -- the file that was loaded
  address          INTEGER NOT NULL,  -- in the file; the low 64 bits
  function         TEXT,
  function_missing TEXT,              -- why function is NULL
  source           TEXT,
  source_missing   TEXT,              -- why source is NULL
  line             INTEGER,
  line_missing     TEXT               -- why line is NULL
);

CREATE TABLE objects (
  -- One row for each memory object.
  object      INTEGER PRIMARY KEY,    -- from 0
  kind        TEXT NOT NULL,          -- heap, mapped, shared, global, stack, small, other
  process     INTEGER NOT NULL,
  name        TEXT,                   -- the variable; NULL: not known
  bytes       INTEGER NOT NULL,       -- the most at one time
  allocations INTEGER NOT NULL,
  facts       TEXT NOT NULL           -- JSON: all of the object that is in no other table
);

CREATE TABLE residence (
  -- Where the pages of an object lay, moment by moment.
  object    INTEGER NOT NULL REFERENCES objects (object),
  position  INTEGER NOT NULL,
  at_ns     INTEGER NOT NULL,         -- since the begin of the run
  bytes     INTEGER NOT NULL,         -- that the object had then
  looked_at INTEGER NOT NULL,         -- pages
  on_nodes  TEXT NOT NULL,            -- JSON: a list of node and pages
  PRIMARY KEY (object, position)
) WITHOUT ROWID;

CREATE TABLE first_touches (
  -- Page faults of an object by thread and CPU.
  object   INTEGER NOT NULL REFERENCES objects (object),
  position INTEGER NOT NULL,
  thread   INTEGER NOT NULL REFERENCES threads (thread),
  cpu      INTEGER NOT NULL,
  place    INTEGER REFERENCES places (place), -- NULL: not known
  samples  INTEGER NOT NULL,
  faults   INTEGER NOT NULL,          -- that the samples stand for
  PRIMARY KEY (object, position)
) WITHOUT ROWID;

CREATE TABLE touch_places (
  -- The same by place.
  object   INTEGER NOT NULL REFERENCES objects (object),
  position INTEGER NOT NULL,
  place    INTEGER NOT NULL REFERENCES places (place),
  faults   INTEGER NOT NULL,
  PRIMARY KEY (object, position)
) WITHOUT ROWID;

CREATE TABLE uses (
  -- Samples in which memory of an object was waited for, by thread, CPU and the node where the page lay.
  object   INTEGER NOT NULL REFERENCES objects (object),
  position INTEGER NOT NULL,
  thread   INTEGER NOT NULL REFERENCES threads (thread),
  cpu      INTEGER NOT NULL,
  node     INTEGER,                   -- NULL: gone, or could not be asked for
  samples  REAL NOT NULL,
  reads    REAL NOT NULL,             -- of samples
  PRIMARY KEY (object, position)
) WITHOUT ROWID;

CREATE TABLE parts (
  -- The same by thread and part of the object.
  object   INTEGER NOT NULL REFERENCES objects (object),
  position INTEGER NOT NULL,
  thread   INTEGER NOT NULL REFERENCES threads (thread),
  part     INTEGER NOT NULL,          -- of 64 of equal length, from 0
  samples  REAL NOT NULL,
  PRIMARY KEY (object, position)
) WITHOUT ROWID;

CREATE TABLE use_places (
  -- The same by place.
  object   INTEGER NOT NULL REFERENCES objects (object),
  position INTEGER NOT NULL,
  place    INTEGER NOT NULL REFERENCES places (place),
  samples  REAL NOT NULL,
  reads    REAL NOT NULL,
  PRIMARY KEY (object, position)
) WITHOUT ROWID;

CREATE VIEW object_samples AS
  -- Samples of each object.
  SELECT o.object, o.kind, o.name, o.bytes, sum(u.samples) AS samples, sum(u.reads) AS reads
    FROM objects o JOIN uses u ON u.object = o.object
   GROUP BY o.object
   ORDER BY samples DESC;

CREATE VIEW object_touches AS
  -- First touches of each object by thread.
  SELECT o.object, o.kind, o.name, t.process, t.number AS thread, sum(f.faults) AS faults
    FROM objects o JOIN first_touches f ON f.object = o.object JOIN threads t ON t.thread = f.thread
   GROUP BY o.object, f.thread
   ORDER BY o.object, faults DESC;
