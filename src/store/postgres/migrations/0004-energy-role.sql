-- What a person says that a device is to the energy of its site. NULL: it is guessed from its blueprint.
ALTER TABLE device ADD COLUMN energy_role TEXT;
