-- What an interlock demands, as it is reported to a cloud: JSON. NULL: it was not evaluated yet.
ALTER TABLE site_interlock ADD COLUMN report text;
-- On a gateway: names the cloud's records that were sent all interlocks, which earlier versions do not take.
ALTER TABLE uplink ADD COLUMN interlocks_for text;
