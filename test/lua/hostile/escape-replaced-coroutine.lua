-- ends: runs
local yield = coroutine.yield
coroutine.yield, coroutine.resume, coroutine.wrap, coroutine.running = nil, nil, nil, nil
system.delay(1)
if pcall(yield, 'modbus.open', 'tcp://127.0.0.1:1') then enapter.log('ESCAPED') end
enapter.log('done')
