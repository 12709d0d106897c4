-- What is told to whom, and after which time to whom next.
CREATE TABLE notification_route (
  id text COLLATE "C" PRIMARY KEY,
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  content text NOT NULL, -- JSON
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  UNIQUE (site_id, name)
);

-- Alerts, and messages of rules, of which somebody is to be told or was told.
CREATE TABLE notification_watch (
  id text COLLATE "C" PRIMARY KEY, -- key of the alert, or id of the message of a rule
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  device_id text COLLATE "C" REFERENCES device (id) ON DELETE CASCADE, -- NULL: it is about a message of a rule
  state text, -- JSON of what was told; NULL: nobody has looked at it
  next_at bigint, -- when to look again; NULL: when it changes
  revision bigint NOT NULL
);
CREATE INDEX notification_watch_due ON notification_watch (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX notification_watch_by_site ON notification_watch (site_id, next_at);
CREATE INDEX notification_watch_by_device ON notification_watch (device_id);

-- Messages to the people of sites. One is marked as SENDING before it leaves.
CREATE TABLE notification_message (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- the order in which a channel gets them
  id text COLLATE "C" NOT NULL UNIQUE,
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  channel_id text COLLATE "C" NOT NULL REFERENCES notification_channel (id) ON DELETE CASCADE,
  content text NOT NULL, -- JSON
  state text COLLATE "C" NOT NULL,
  attempts bigint NOT NULL,
  history text NOT NULL, -- JSON: the last attempts
  queued_at bigint NOT NULL,
  next_attempt_at bigint, -- while it waits
  give_up_at bigint NOT NULL,
  error text,
  finished_at bigint
);
CREATE INDEX notification_message_by_channel ON notification_message (channel_id, number) WHERE finished_at IS NULL;
CREATE INDEX notification_message_by_site ON notification_message (site_id, number);
CREATE INDEX notification_message_by_end ON notification_message (finished_at) WHERE finished_at IS NOT NULL;
