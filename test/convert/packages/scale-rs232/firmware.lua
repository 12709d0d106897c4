local failures = 0

function main()
  local err = rs232.init(2400, 8, 'N', 1)
  if err ~= 0 then
    enapter.log('RS232 init failed: ' .. rs232.err_to_str(err), 'error')
    return
  end
  scheduler.add(1000, function()
    rs232.send('W\r')
    local raw, result = rs232.receive(500)
    if raw and string.byte(raw, #raw) == 0x0d then
      enapter.send_telemetry({ weight = tonumber(raw:match('[%d.]+')) })
    else
      failures = failures + 1
      enapter.log('no weight: ' .. rs232.err_to_str(result))
      enapter.send_telemetry({ alerts_seen = failures })
    end
  end)
end

main()
