-- What an interlock remembers: hysteresis, minimum times, slow release, and the state of a grid signal.
ALTER TABLE site_interlock ADD COLUMN memory text; -- JSON
ALTER TABLE site_interlock ADD COLUMN memory_at bigint; -- it was right at this time
