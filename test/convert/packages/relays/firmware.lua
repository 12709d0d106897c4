local function run(fn)
  return function(ctx, args)
    local result = fn(math.tointeger(args.channel))
    if result and result ~= 0 then ctx.error('relay: ' .. rl6.err_to_str(result)) end
  end
end

function main()
  enapter.register_command_handler('close', run(rl6.close))
  enapter.register_command_handler('open', run(rl6.open))
  enapter.register_command_handler('ring', run(function() return rl6.impulse(2, 500) end))
  scheduler.add(1000, function()
    local closed, err = rl6.get(1)
    if err and err ~= 0 then
      enapter.send_telemetry({ status = 'fault' })
    else
      enapter.send_telemetry({ pump = closed, status = closed and 'on' or 'off' })
    end
  end)
end

main()
