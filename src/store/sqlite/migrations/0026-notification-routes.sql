-- What is told to whom, and after which time to whom next.
CREATE TABLE notification_route (
  id TEXT PRIMARY KEY,
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  content TEXT NOT NULL, -- JSON
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (site_id, name)
) STRICT;

-- Alerts, and messages of rules, of which somebody is to be told or was told.
CREATE TABLE notification_watch (
  id TEXT PRIMARY KEY, -- key of the alert, or id of the message of a rule
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  device_id TEXT REFERENCES device (id) ON DELETE CASCADE, -- NULL: it is about a message of a rule
  state TEXT, -- JSON of what was told; NULL: nobody has looked at it
  next_at INTEGER, -- when to look again; NULL: when it changes
  revision INTEGER NOT NULL
) STRICT;
CREATE INDEX notification_watch_due ON notification_watch (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX notification_watch_by_site ON notification_watch (site_id, next_at);
CREATE INDEX notification_watch_by_device ON notification_watch (device_id);

-- Messages to the people of sites. One is marked as SENDING before it leaves.
CREATE TABLE notification_message (
  number INTEGER PRIMARY KEY, -- the order in which a channel gets them
  id TEXT NOT NULL UNIQUE,
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  channel_id TEXT NOT NULL REFERENCES notification_channel (id) ON DELETE CASCADE,
  content TEXT NOT NULL, -- JSON
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  history TEXT NOT NULL, -- JSON: the last attempts
  queued_at INTEGER NOT NULL,
  next_attempt_at INTEGER, -- while it waits
  give_up_at INTEGER NOT NULL,
  error TEXT,
  finished_at INTEGER
) STRICT;
CREATE INDEX notification_message_by_channel ON notification_message (channel_id, number) WHERE finished_at IS NULL;
CREATE INDEX notification_message_by_site ON notification_message (site_id, number);
CREATE INDEX notification_message_by_end ON notification_message (finished_at) WHERE finished_at IS NOT NULL;
