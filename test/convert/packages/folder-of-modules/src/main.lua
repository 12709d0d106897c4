local app = require('app')
local never = false and require('not_there')

function main()
  scheduler.add(1000, function() enapter.send_telemetry({ value = app.next() }) end)
end

main()
