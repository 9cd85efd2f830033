CREATE TABLE traces (
  -- Calls of MPI one by one, where a trace was made. How calls are packed is in docs/formats/nw-snapshot.md.
  process INTEGER NOT NULL,           -- as in processes
  thread  INTEGER NOT NULL,           -- as in threads
  part    INTEGER NOT NULL,           -- from 0
  sites   TEXT NOT NULL,              -- JSON, of part 0; empty in the others
  calls   BLOB NOT NULL,              -- so many calls one after the other, packed
  PRIMARY KEY (process, thread, part)
) WITHOUT ROWID;
