local refused = 0

local function float(data)
  return string.unpack('>f', string.pack('>I2I2', data[1], data[2]))
end

function main()
  assert(rs485.init(19200, 8, 'E', 1, 256) == 0)
  scheduler.add(1000, function()
    local f, err = modbus.read_inputs(1, 70, 2, 500)
    assert(err == 0)
    local e = modbus.read_inputs(1, 72, 2, 500)
    local none, code = modbus.read_inputs(1, 900, 2, 500)
    if none == nil and code ~= 0 then refused = refused + 1 end
    enapter.send_telemetry({ frequency = float(f), energy = float(e), refused = refused })
  end)
end

main()
