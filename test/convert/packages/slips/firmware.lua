enapter.register_command_handler('set', function(_, args) return { flag = args.flag, level = args.level } end)
enapter.register_command_handler('reset', function() end)
scheduler.add(1000, function() enapter.send_telemetry({ value = 1, unnamed = 2.5 }) end)
