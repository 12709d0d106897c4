-- An object of each class, for the comparison with the signatures (test/lua/host-register.test.ts).
show_object('serial.Client', serial.new('port://ttyS0'))
