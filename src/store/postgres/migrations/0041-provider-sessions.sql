-- The session at the provider that it came from: it ends with that one. NULL: it came from none, or the provider does not name it.
ALTER TABLE session ADD COLUMN provider_session text;
ALTER TABLE sign_in_step ADD COLUMN provider_session text;
