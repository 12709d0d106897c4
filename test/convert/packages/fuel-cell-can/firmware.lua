can.init(250)

enapter.register_command_handler('set_voltage', function(ctx, args)
  local request = string.pack('<I2I2', 3, math.floor(args.voltage * 100))
  local result = can.err_to_str(can.send(0x1C000090, request))
  if result ~= 'Success' then ctx.error(result) end
  return { sent = true }
end)

enapter.register_command_handler('run', function(ctx)
  if can.send(0x1C1, 0x02) ~= 0 then ctx.error('CAN failed') end
end)
