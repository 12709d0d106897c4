function main()
  local code = di7.set_debounce(5)
  if code ~= 0 then enapter.log(di7.err_to_str(code), 'error') end
  scheduler.add(1000, function()
    local door, res = di7.is_closed(1)
    assert(res == 0)
    local window = di7.is_opened(2)
    local pulses, since, err = di7.read_counter(3)
    if err ~= 0 then
      enapter.log('counter: ' .. di7.err_to_str(err), 'error')
      return
    end
    enapter.send_telemetry({ door = door, window = window, pulses = pulses, since = since })
  end)
  enapter.register_command_handler('set_counter', function(ctx, args)
    if di7.set_counter(3, math.tointeger(args.count)) ~= 0 then ctx.error('failed') end
  end)
end

main()
