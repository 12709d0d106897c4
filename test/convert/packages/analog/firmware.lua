function main()
  scheduler.add(1000, function()
    local volts, code = ai4.read_volts(1)
    if code ~= 0 then
      enapter.log('level: ' .. ai4.err_to_str(code), 'error')
      return
    end
    -- The name says milliamps, the value is in ampere.
    local amps = ai4.read_milliamps(2)
    enapter.send_telemetry({ level = volts * 10, pressure = (amps * 1000 - 4) / 16 * 10 })
  end)
end

main()
