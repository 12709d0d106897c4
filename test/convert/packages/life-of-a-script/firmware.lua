local runs, code = 0, nil

function main()
  led.on()
  enapter.on_connection_status_changed(function(is_connected) enapter.send_telemetry({ connected = is_connected }) end)
  local id = scheduler.add(1000, function()
    runs = runs + 1
    -- A run may last long: here it waits for nine seconds.
    if runs == 2 then
      system.delay(5000)
      system.delay(4000)
    end
    code = enapter.send_telemetry({ runs = runs, code = code })
  end)
  assert(id ~= nil and system.uptime() >= 0)
  enapter.register_command_handler('work', function(ctx)
    ctx.log('half done')
    return { done = true }
  end)
  enapter.register_command_handler('fail', function(ctx) ctx.error('it cannot be') end)
end

main()
