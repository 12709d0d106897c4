-- An object of each class, for the comparison with the signatures (test/lua/host-register.test.ts).
show_object('mqtt.Client', mqtt.new('mqtt://127.0.0.1:1'))
