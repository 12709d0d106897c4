function main()
  scheduler.add(1000, function() enapter.send_telemetry({ closed = rl.is_closed() }) end)
  enapter.register_command_handler('toggle', function(ctx)
    local err = rl.is_closed() and rl.open() or rl.close()
    if err ~= nil then ctx.error('relay: ' .. rl.err_to_str(err)) end
  end)
  enapter.register_command_handler('pulse', function(ctx)
    local err = rl.impulse(300)
    if err ~= nil then ctx.error('relay: ' .. rl.err_to_str(err)) end
  end)
end

main()
