-- What people save on the page: charts, dashboards, filters.
CREATE TABLE saved_view (
  id text COLLATE "C" PRIMARY KEY,
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  owner_id text COLLATE "C", -- the token of the person who alone sees it, NULL for everybody on the site
  kind text NOT NULL,
  name text COLLATE "C" NOT NULL,
  is_start smallint NOT NULL DEFAULT 0,
  revision bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  content text NOT NULL -- JSON, at most 64 KiB
);
CREATE INDEX saved_view_by_site ON saved_view (site_id, owner_id);
CREATE INDEX saved_view_by_owner ON saved_view (owner_id) WHERE owner_id IS NOT NULL;
