-- The battery's language on the CAN bus. Numbers have their lowest byte first. Powers and the current are positive while
-- it discharges.
local frames = {}

-- What the battery sends every second.
frames.LIMITS, frames.CHARGE, frames.PACK, frames.CELLS, frames.COUNTERS = 0x351, 0x355, 0x356, 0x357, 0x358
frames.VENDOR, frames.MODEL, frames.SERIAL = 0x35e, 0x35f, 0x360
-- What it listens to.
frames.ORDER, frames.SERVICE = 0x305, 0x307
frames.BALANCE, frames.OPEN_CONTACTORS = 1, 2

frames.FIRST_MODULE, frames.MODULES = 0x370, 8 -- one frame for each module that is built in

frames.ALL = {
  frames.LIMITS, frames.CHARGE, frames.PACK, frames.CELLS, frames.COUNTERS, frames.VENDOR, frames.MODEL, frames.SERIAL,
}
for module = 0, frames.MODULES - 1 do table.insert(frames.ALL, frames.FIRST_MODULE + module) end

local STATUS = { [0] = 'standby', 'charging', 'discharging', 'balancing', 'reserve', 'fault' }
local CONTACTORS = { 'main_plus', 'main_minus', 'precharge' } -- bit 0, 1, 2

local decoders = {
  [frames.LIMITS] = function(data, values)
    local charge, discharge, capacity = string.unpack('<I2I2I2', data)
    values.battery_max_charge_power = charge * 10
    values.battery_max_discharge_power = discharge * 10
    values.capacity = capacity / 10
  end,
  [frames.CHARGE] = function(data, values)
    local soc, soh, status, closed, faults = string.unpack('<I2I2BBB', data)
    values.battery_soc = soc / 100
    values.battery_soh = soh / 100
    values.status = STATUS[status]
    values.contactors = {}
    for bit, name in ipairs(CONTACTORS) do
      if closed & (1 << (bit - 1)) ~= 0 then table.insert(values.contactors, name) end
    end
    values.is_module_silent = faults & 1 ~= 0
  end,
  [frames.PACK] = function(data, values)
    local voltage, current, temperature = string.unpack('<I2i2i2', data)
    values.battery_voltage = voltage / 10
    values.battery_current = current / 10
    values.battery_temperature = temperature / 10
  end,
  [frames.CELLS] = function(data, values)
    values.battery_power, values.cell_voltage_min, values.cell_voltage_max = string.unpack('<i4I2I2', data)
  end,
  [frames.COUNTERS] = function(data, values)
    local throughput, cycles = string.unpack('<I4I4', data)
    values.charge_throughput = throughput / 10
    values.full_cycles = cycles / 100
  end,
}

-- Writes what a frame says into `values`. Frames of texts are none of its business.
function frames.decode(id, data, values)
  local decode = decoders[id]
  if decode then decode(data, values) end
end

function frames.text(data)
  return (data:gsub('\0+$', ''))
end

-- `power` nil: the battery decides by itself.
function frames.order(power, reserve, limits)
  local flags = (power and 1 or 0) | (limits.grid_charging and 2 or 0)
  return string.pack('<i4BBBB', math.floor((power or 0) + 0.5), flags, reserve, limits.soc_min, limits.soc_max)
end

return frames
