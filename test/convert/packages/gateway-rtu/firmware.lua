function main()
  scheduler.add(1000, function()
    local tty = modbusrtu.new('/dev/ttyUSB0', {
      baud_rate = 9600, data_bits = 8, parity = 'N', stop_bits = tostring(1), read_timeout = 300,
    })
    if tty == nil then
      enapter.log('no line', 'error')
      return
    end
    local data, code = tty:read_inputs(1, 5, 2, 1000)
    if code ~= 0 then
      enapter.log('rtu: ' .. tty:err_to_str(code), 'error')
      return
    end
    enapter.send_telemetry({ rain = data[1] / 100, conductivity = data[2] })
  end)
end

main()
