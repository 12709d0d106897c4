-- On a gateway: whether the token is one of the cloud, which tells and takes it back.
ALTER TABLE token ADD COLUMN from_cloud smallint NOT NULL DEFAULT 0;

-- On a gateway: when it was last connected to the cloud; the credential that replaces the present one, encrypted, until the
-- cloud accepts it; and since when it has the present one.
ALTER TABLE uplink ADD COLUMN contact_at bigint;
ALTER TABLE uplink ADD COLUMN next_credential bytea;
ALTER TABLE uplink ADD COLUMN credential_at bigint;

-- On a cloud: the credential that the gateway is about to change over to, and whether it shall get another one.
ALTER TABLE gateway ADD COLUMN next_credential_hash bytea;
ALTER TABLE gateway ADD COLUMN must_rotate smallint NOT NULL DEFAULT 0;
