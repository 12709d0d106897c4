function main()
  rs485.init(9600, 8, 'N', 1)
end

enapter.register_command_handler('limit', function(ctx, args)
  local code = modbus.write_holding(1, 200, args.watts, 1000)
  if code ~= 0 then ctx.error(modbus.err_to_str(code)) end
  return { watts = args.watts }
end)
enapter.register_command_handler('pair', function(ctx)
  local result = modbus.write_multiple_holdings(1, 210, { 7, 65535 }, 1000)
  if result ~= 0 then ctx.error('code ' .. result) end
end)
enapter.register_command_handler('broken', function(ctx)
  local result = modbus.write_holding(1, 999, 1, 1000)
  if result ~= 0 then ctx.error('code ' .. result .. ': ' .. modbus.err_to_str(result)) end
end)

main()
