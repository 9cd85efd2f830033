CREATE TABLE spans (
  -- Of a trace, what is no call: regions and waits of OpenMP, phases. How they are packed is in docs/formats/nw-snapshot.md.
  process INTEGER NOT NULL,           -- as in processes
  thread  INTEGER NOT NULL,           -- as in threads
  part    INTEGER NOT NULL,           -- from 0
  names   TEXT NOT NULL,              -- JSON, of part 0; empty in the others
  spans   BLOB NOT NULL,              -- so many spans one after the other, packed
  PRIMARY KEY (process, thread, part)
) WITHOUT ROWID;
