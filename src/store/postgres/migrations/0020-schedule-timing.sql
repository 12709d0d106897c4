-- Schedules by the sun, on weekdays, and with calendars.
ALTER TABLE command_schedule ADD COLUMN timing text; -- JSON
