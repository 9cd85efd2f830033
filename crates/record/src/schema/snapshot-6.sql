CREATE TABLE overview (
  -- Of each row of `traces` what it holds in short, for who looks at all of them at once. How it is packed is in docs/formats/nw-snapshot.md.
  process INTEGER NOT NULL,           -- as in traces
  thread  INTEGER NOT NULL,           -- as in traces
  part    INTEGER NOT NULL,           -- as in traces
  events  INTEGER NOT NULL,           -- calls, and ends of messages
  edges   BLOB NOT NULL,              -- its first call and its last one, and those that begin and end MPI, packed as there
  bins    BLOB NOT NULL,              -- what it did in equal spans of time, packed
  PRIMARY KEY (process, thread, part)
) WITHOUT ROWID;
