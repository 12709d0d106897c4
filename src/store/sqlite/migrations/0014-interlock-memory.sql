-- What an interlock remembers: hysteresis, minimum times, slow release, and the state of a grid signal.
ALTER TABLE site_interlock ADD COLUMN memory TEXT; -- JSON
ALTER TABLE site_interlock ADD COLUMN memory_at INTEGER; -- it was right at this time
