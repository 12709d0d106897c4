-- The revision, and checksums over what the interlock says and over the devices that it names. NULL: written by an earlier version.
-- So is what has another revision.
ALTER TABLE site_interlock ADD COLUMN checksums TEXT;
-- Over all of a claim.
ALTER TABLE control_claim ADD COLUMN checksum INTEGER;
