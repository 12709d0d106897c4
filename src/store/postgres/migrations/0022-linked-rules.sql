-- How rules are doing, as the node or gateway reports it that runs them.
CREATE TABLE rule_report (
  site_id text COLLATE "C" NOT NULL REFERENCES site (id) ON DELETE CASCADE,
  rule_id text COLLATE "C" NOT NULL,
  report text NOT NULL, -- JSON
  PRIMARY KEY (site_id, rule_id)
);
-- On a gateway: names the cloud's records that were sent all rules, which earlier versions do not take.
ALTER TABLE uplink ADD COLUMN rules_for text;
-- In a cloud: questions to gateways, on their way between nodes.
CREATE TABLE gateway_question (
  id text COLLATE "C" PRIMARY KEY,
  gateway_id text COLLATE "C" NOT NULL,
  content bytea NOT NULL, -- encrypted
  is_taken integer NOT NULL,
  answer bytea, -- encrypted
  expires_at bigint NOT NULL
);
