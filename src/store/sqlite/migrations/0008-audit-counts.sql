-- Repeated refusals are one entry: how many calls it stands for, and when the last of them came.
ALTER TABLE audit ADD COLUMN count INTEGER NOT NULL DEFAULT 1;
ALTER TABLE audit ADD COLUMN last_at INTEGER; -- NULL: a single call, at the time of the entry
CREATE INDEX audit_refused_anonymous ON audit (at, id) WHERE outcome = 'REFUSED' AND actor_token_id IS NULL;
CREATE INDEX audit_refused_token ON audit (at, id) WHERE outcome = 'REFUSED' AND actor_token_id IS NOT NULL;
