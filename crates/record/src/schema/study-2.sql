CREATE TABLE object_rows (
  -- The memory objects of a run after the trials; empty where none was made. What each row holds is in docs/formats/nw-file.md.
  part   TEXT NOT NULL,               -- header, watching, beyond, thread, place, object
  number INTEGER NOT NULL,            -- from 0 in each part
  facts  TEXT NOT NULL,               -- JSON
  PRIMARY KEY (part, number)
) WITHOUT ROWID;
