-- ends: quarantined
while true do enapter.send_properties({model = 'x'}) end
