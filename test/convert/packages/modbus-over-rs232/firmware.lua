local _, too_early = modbus.read_holdings(1, 0, 1, 100)

function main()
  rs232.init(9600, 8, 'O', 1)
  scheduler.add(1000, function()
    local data, err = modbus.read_holdings(1, 0, 1, 1000)
    if err == 0 then enapter.send_telemetry({ temperature = data[1] / 10, early = too_early ~= 0 }) end
  end)
end

main()
