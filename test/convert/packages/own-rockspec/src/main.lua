local qmodbus = require('acme.ucm.qmodbus')

function main()
  rs485.init(9600, 8, 'N', 1)
  scheduler.add(1000, function()
    local results = qmodbus.read({
      { type = 'holdings', addr = 1, reg = 0, count = 2 },
      { type = 'inputs', addr = 1, reg = 0, count = 1, timeout = 200 },
    })
    local first, second = results[1], results[2]
    if second.errcode then enapter.log('inputs: ' .. second.errcode .. ' ' .. second.errmsg) end
    enapter.send_telemetry({ sum = first.data[1] + first.data[2] })
  end)
end

main()
