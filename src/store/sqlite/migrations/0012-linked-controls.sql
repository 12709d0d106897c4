-- On a gateway: names the cloud's records that were sent all controls, which earlier versions do not take.
ALTER TABLE uplink ADD COLUMN controls_for TEXT;
-- On a cloud: the version of the link that the gateway last spoke.
ALTER TABLE gateway ADD COLUMN protocol TEXT;
-- On a cloud: when the lease of a claim ends that waits for its gateway. It is fixed when the claim is made.
ALTER TABLE gateway_change ADD COLUMN lease_until INTEGER;
CREATE INDEX gateway_change_by_lease ON gateway_change (lease_until) WHERE state = 'PENDING' AND lease_until IS NOT NULL;
