-- From here on messages of calls in `traces` may be parts of collective calls, or steps on windows.
CREATE TABLE seen (
  -- Of a trace, what changed of threads between two looks from outside. How it is packed is in docs/formats/nw-snapshot.md.
  process INTEGER NOT NULL,           -- as in processes
  thread  INTEGER NOT NULL,           -- as in threads
  changes BLOB NOT NULL,              -- packed
  PRIMARY KEY (process, thread)
) WITHOUT ROWID;
