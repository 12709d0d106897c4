-- What the machine's registers mean.
local registers = {}

-- Holding registers that are written.
registers.ORDER, registers.RATE, registers.START_ABOVE, registers.PRESSURE_LIMIT, registers.DRAIN = 0, 1, 2, 4, 5
registers.ORDERS = { surplus = 0, run = 1, stop = 2 }

local STATUS = { [0] = 'idle', 'warming_up', 'ramp_up', 'steady', 'ramp_down', 'drying', 'maintenance', 'fault' }
local LEVELS = { [0] = 'empty', 'low', 'medium', 'high', 'very_high' }
local ALERTS = { 'water_conductivity_high', 'electrolyte_low', 'pressure_relief' } -- bit 0, 1, 2
local SAFETY_ALERTS = { 'hydrogen_leak' }

local function u32(list, at)
  return list[at] << 16 | list[at + 1]
end

local function s16(register)
  return register < 0x8000 and register or register - 0x10000
end

local function raised(bits, names)
  local alerts = {}
  for bit, alert in ipairs(names) do
    if bits & (1 << (bit - 1)) ~= 0 then alerts[#alerts + 1] = alert end
  end
  return alerts
end

local function text(list, from)
  local bytes = {}
  for at = from, from + 7 do bytes[#bytes + 1] = string.pack('>I2', list[at]) end
  return (table.concat(bytes):gsub('\0+$', ''))
end

registers.INPUTS = { first = 0, count = 20 }

-- Lua counts from 1: input register 3 is inputs[4].
function registers.telemetry(inputs)
  return {
    status = STATUS[inputs[1]],
    alerts = raised(inputs[2], ALERTS),
    safety_alerts = raised(inputs[3], SAFETY_ALERTS),
    hydrogen_flow = inputs[4] / 1000,
    hydrogen_total = u32(inputs, 5) / 100,
    production_rate = inputs[7] / 10,
    outlet_pressure = inputs[8] / 100,
    ac_power = inputs[20],
    stack_voltage = inputs[9] / 10,
    stack_current = inputs[10] / 10,
    stack_temperature = s16(inputs[11]) / 10,
    electrolyte_level = LEVELS[inputs[12]],
    water_conductivity = inputs[13] / 100,
    water_inlet_pressure = inputs[14] / 100,
    stack_starts = u32(inputs, 15),
    stack_runtime = u32(inputs, 17) / 10,
  }
end

-- Litres of electrolyte in the machine.
function registers.electrolyte(inputs)
  return inputs[19] / 100
end

registers.IDENTITY = { first = 100, count = 34 }

function registers.properties(identity)
  return {
    vendor = text(identity, 1),
    model = text(identity, 9),
    serial_number = text(identity, 17),
    firmware_version = text(identity, 25),
    nominal_flow = identity[33] / 100,
    max_pressure = identity[34] / 10,
  }
end

return registers
