function main()
  enapter.log('starts with ' .. inspect({ mode = 'test', list = { 1, 2 } }))
  scheduler.add(1000, function()
    enapter.send_telemetry({ line = inspect({ a = 1, b = { 'x' } }, { newline = '', indent = '' }), kind = type(inspect) })
  end)
  assert(runtime_version == nil, 'the version of the host is not known')
end

main()
