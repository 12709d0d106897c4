local values, frames, order = {}, 0, ''

function main()
  local result = can.init(500, on_frame)
  if result ~= 0 then enapter.log('CAN failed: ' .. result .. ' ' .. can.err_to_str(result), 'error', true) end
  scheduler.add(1000, function()
    values.frames, values.order = frames, order:sub(-4)
    enapter.send_telemetry(values)
  end)
end

function on_frame(id, data)
  frames = frames + 1
  order = order .. string.format('%x', id & 0xF)
  if id == 0x356 then values.voltage = string.unpack('<i2', data) / 100 end
  if id == 0x355 then values.soc = string.unpack('<I2', data) end
  if id == 0x3FF then error('a frame that nobody understands') end
end

main()
