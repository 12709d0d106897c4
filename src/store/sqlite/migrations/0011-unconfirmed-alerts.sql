-- When a list named the alert for the last time, once the device has stopped repeating the list.
ALTER TABLE alert ADD COLUMN not_confirmed_since INTEGER;
-- What the device said about the alert, as JSON.
ALTER TABLE alert ADD COLUMN details TEXT;
