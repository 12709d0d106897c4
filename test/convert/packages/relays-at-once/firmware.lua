local function answer(code, ctx)
  if code ~= 0 then ctx.error(rl6.err_to_str(code)) end
end
enapter.register_command_handler('all_on', function(ctx) answer(rl6.close_all(), ctx) end)
enapter.register_command_handler('all_off', function(ctx) answer(rl6.open_all(), ctx) end)
enapter.register_command_handler('pattern', function(ctx)
  answer(rl6.set_all(true, false, true, false, false, true), ctx)
end)
