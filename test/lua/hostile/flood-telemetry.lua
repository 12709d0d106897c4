-- ends: quarantined
while true do enapter.send_telemetry({power = 1}) end
