-- ends: runs
enapter.send_telemetry({[1.5] = 1, [true] = 2, [print] = 3, [{}] = 4, nan = 0/0, inf = math.huge, min = math.mininteger, f = print, co = coroutine.create(print)})
enapter.send_telemetry({[('k'):rep(1e5)] = 1})
enapter.log('done')
