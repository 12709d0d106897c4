scheduler.add(1000, function() enapter.send_telemetry({ h2 = 500, gauge = 35.5, last = '2024-01-01' }) end)
