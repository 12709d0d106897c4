-- On a gateway: the cloud has confirmed all changes up to this number, and some of their notes are deleted.
ALTER TABLE uplink ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 0;
