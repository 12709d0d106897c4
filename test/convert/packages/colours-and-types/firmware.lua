enapter.send_properties({ mode = 'eco', rated = 5.5 })
scheduler.add(1000, function() enapter.send_telemetry({ status = 'care', stage = 2, flags = true, level = 0.5 }) end)
