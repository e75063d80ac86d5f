/** An entry of storage/migrations.ts. */
export const noticeTables = `
  -- Notices of the bell. seq: the event's row in the audit log; about: repeats about the same thing are one notice until
  -- it is read; times: how many.
  CREATE TABLE notice (
    seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, event TEXT NOT NULL, ref TEXT NOT NULL, about TEXT NOT NULL, times INTEGER NOT NULL
  );
  CREATE INDEX notice_about ON notice (event, about);
`
