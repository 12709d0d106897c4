-- How rules are doing, as the node or gateway reports it that runs them.
CREATE TABLE rule_report (
  site_id TEXT NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  rule_id TEXT NOT NULL,
  report TEXT NOT NULL, -- JSON
  PRIMARY KEY (site_id, rule_id)
) STRICT;
-- On a gateway: names the cloud's records that were sent all rules, which earlier versions do not take.
ALTER TABLE uplink ADD COLUMN rules_for TEXT;
-- In a cloud: questions to gateways, on their way between nodes.
CREATE TABLE gateway_question (
  id TEXT PRIMARY KEY,
  gateway_id TEXT NOT NULL,
  content BLOB NOT NULL, -- encrypted
  is_taken INTEGER NOT NULL,
  answer BLOB, -- encrypted
  expires_at INTEGER NOT NULL
) STRICT;
