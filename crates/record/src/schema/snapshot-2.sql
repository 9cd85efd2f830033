CREATE TABLE object_rows (
  -- Memory objects, where they were followed: of each numawise that watched. What each row holds is in docs/formats/nw-snapshot.md.
  run    INTEGER NOT NULL,            -- from 0
  part   TEXT NOT NULL,               -- header, watching, beyond, thread, place, object
  number INTEGER NOT NULL,            -- from 0 in each part
  facts  TEXT NOT NULL,               -- JSON
  PRIMARY KEY (run, part, number)
) WITHOUT ROWID;
