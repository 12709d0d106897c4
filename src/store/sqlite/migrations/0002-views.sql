-- What people save on the page: charts, dashboards, filters.
CREATE TABLE saved_view (
  id TEXT PRIMARY KEY,
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  owner_id TEXT, -- the token of the person who alone sees it, NULL for everybody on the site
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  is_start INTEGER NOT NULL DEFAULT 0,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  content TEXT NOT NULL -- JSON, at most 64 KiB
) STRICT;
CREATE INDEX saved_view_by_site ON saved_view (site_id, owner_id);
CREATE INDEX saved_view_by_owner ON saved_view (owner_id) WHERE owner_id IS NOT NULL;
