-- On a gateway: names the cloud's records that were sent all tariffs and prices, which earlier versions do not take.
ALTER TABLE uplink ADD COLUMN tariffs_for TEXT;
