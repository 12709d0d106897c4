-- The password of a device as Mosquitto keeps it: hashed with a salt of its own. NULL for certificates, and for secrets
-- from before.
ALTER TABLE device_credential ADD COLUMN broker_password TEXT;
