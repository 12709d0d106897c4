-- An older way: any code that is not 0 is an error, also for a key that was never written.
local function read(name, default)
  local value, code = storage.read(name)
  if code ~= 0 then return nil, storage.err_to_str(code) end
  return value and tonumber(value) or default
end

function main()
  scheduler.add(1000, function()
    local value, err = read('threshold', 5.5)
    enapter.send_telemetry({ threshold = value, failed = err ~= nil })
  end)
  enapter.register_command_handler('write_configuration', function(ctx, args)
    local code = storage.write('threshold', tostring(args.threshold))
    if code ~= 0 then ctx.error('storage: ' .. storage.err_to_str(code)) end
  end)
  enapter.register_command_handler('read_configuration', function() return { threshold = read('threshold', 5.5) } end)
  enapter.register_command_handler('forget', function(ctx)
    if storage.remove('threshold') ~= 0 then ctx.error('failed') end
    local code = storage.write(('a_name_that_is_too_long'):rep(3), 'x')
    if code ~= 0 then ctx.error('storage: ' .. storage.err_to_str(code)) end
  end)
end

main()
