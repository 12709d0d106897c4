function main()
  rs485.init(9600, 8, 'N', 2)
  scheduler.add(1000, function()
    local coils, code = modbus.read_coils(1, 0, 2, 1000)
    local inputs = modbus.read_discrete_inputs(1, 3, 1, 1000)
    if code == 0 then enapter.send_telemetry({ first = coils[1] == 1, door = inputs[1] == 1 }) end
  end)
  enapter.register_command_handler('switch', function(ctx, args)
    local code = modbus.write_coil(1, 0, args.on and 1 or 0, 1000)
    if code ~= 0 then ctx.error('failed: ' .. modbus.err_to_str(code)) end
  end)
  enapter.register_command_handler('all_off', function(ctx)
    if modbus.write_multiple_coils(1, 0, { 0, 0 }, 1000) ~= 0 then ctx.error('failed') end
  end)
end

main()
