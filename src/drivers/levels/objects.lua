-- An object of each class, for the comparison with the signatures (test/lua/host-register.test.ts).
show_object('relay.Client', relay.new('port://relay'))
show_object('digitalin.Client', digitalin.new('port://di'))
show_object('digitalout.Client', digitalout.new('port://do'))
show_object('analogin.Client', analogin.new('port://ai'))
show_object('analogout.Client', analogout.new('port://ao'))
