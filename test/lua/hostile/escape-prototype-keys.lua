-- ends: runs
enapter.send_telemetry({__proto__ = {polluted = true}, constructor = 'x', toString = 1, hasOwnProperty = false})
local back = json.decode(json.encode({__proto__ = {polluted = true}, constructor = 5}))
if back.polluted or back.constructor ~= 5 then enapter.log('ESCAPED') end
enapter.log('done')
