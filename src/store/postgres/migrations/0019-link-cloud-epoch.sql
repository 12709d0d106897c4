-- On a gateway: names the cloud's records that have everything. Others, such as a restored backup, are told everything anew.
ALTER TABLE uplink ADD COLUMN cloud_epoch text;
