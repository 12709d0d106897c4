-- An object of each class, for the comparison with the signatures (test/lua/host-register.test.ts).
show_object('modbus.Client', modbus.new('port://m'))
show_object('modbus.Map', modbus.map({ telemetry = { power = { address = 0 } } }))
show_object('sunspec.Device', sunspec.find(modbus.new(MODBUS), 1))
