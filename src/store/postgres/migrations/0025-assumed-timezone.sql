-- Whether nobody has said yet in which time zone the site is: the first start took that of the machine, or nothing was given.
ALTER TABLE site ADD COLUMN timezone_assumed integer NOT NULL DEFAULT 0;

-- The site of a first start that nobody has changed since.
UPDATE site SET timezone_assumed = 1 WHERE name = 'My site' AND created_at = updated_at AND gateway_id IS NULL;
