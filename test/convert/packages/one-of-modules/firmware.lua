rs485.init(9600, 8, 'N', 1)
scheduler.add(1000, function()
  local data = modbus.read_holdings(1, 0, 4, 1000)
  if data then enapter.send_telemetry({ l1 = data[1], l2 = data[2], base = data[3], l3 = data[4] }) end
end)
