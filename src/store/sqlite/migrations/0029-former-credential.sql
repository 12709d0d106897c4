-- On a gateway: the credential before the present one, encrypted. A cloud that is restored from a backup may know only it.
ALTER TABLE uplink ADD COLUMN former_credential BLOB;
