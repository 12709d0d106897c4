local words = require('words')
scheduler.add(1000, function() enapter.send_telemetry({ word = words.of('scm') }) end)
