-- An object of each class, for the comparison with the signatures (test/lua/host-register.test.ts).
local bus = can.new('port://can')
show_object('can.Client', bus)
show_object('can.Monitor', bus:monitor({ 1 }))
show_object('can.Queue', bus:queue({ 1 }, 5))
