-- Registers to telemetry; the part of the meter that is pure Lua, and what a native interpreter runs for comparison.
local function float(block, index)
  return (string.unpack('>f', string.pack('>I2I2', block[index], block[index + 1])))
end

local function int32(block, index)
  return (string.unpack('>i4', string.pack('>I2I2', block[index], block[index + 1])))
end

local STATES = { [0] = 'standby', 'starting', 'running', 'stopping', 'fault' }
local PHASES = { 'l1', 'l2', 'l3' }

return function(blocks)
  local electric, energy, temperatures, flags = blocks[1], blocks[2], blocks[3], blocks[4]
  local telemetry = { alerts = {} }
  local power = 0
  for i, phase in ipairs(PHASES) do
    local volts, amps = float(electric, i * 4 - 3), float(electric, i * 4 - 1)
    telemetry[phase .. '_voltage'] = math.floor(volts * 10 + 0.5) / 10
    telemetry[phase .. '_current'] = math.floor(amps * 100 + 0.5) / 100
    power = power + volts * amps
  end
  telemetry.power = power
  telemetry.frequency = electric[13] / 100
  telemetry.energy_imported = int32(energy, 1) / 10
  telemetry.energy_exported = int32(energy, 3) / 10
  local hottest = -273
  for i = 1, 12 do
    hottest = math.max(hottest, (temperatures[i] ~ 0x8000) - 0x8000)
  end
  telemetry.temperature = hottest / 10
  telemetry.status = STATES[flags[1]] or string.format('unknown_%04x', flags[1])
  for bit = 0, 15 do
    if flags[2] & (1 << bit) ~= 0 then
      telemetry.alerts[#telemetry.alerts + 1] = 'fault_' .. bit
    end
  end
  return telemetry
end
