-- Reads the meter every second over the serial bus (Modbus RTU). README.md has the table of registers.

-- Attribute, input register, decimals. Every value is a 32-bit float in two registers.
local VALUES = {
  { 'ac_l1_voltage', 0, 1 },
  { 'ac_l2_voltage', 2, 1 },
  { 'ac_l3_voltage', 4, 1 },
  { 'ac_l1_current', 6, 2 },
  { 'ac_l2_current', 8, 2 },
  { 'ac_l3_current', 10, 2 },
  { 'ac_l1_power', 12, 0 },
  { 'ac_l2_power', 14, 0 },
  { 'ac_l3_power', 16, 0 },
  { 'grid_power', 52, 0 },
  { 'apparent_power', 56, 0 },
  { 'reactive_power', 60, 0 },
  { 'power_factor', 62, 3 },
  { 'ac_frequency', 70, 2 },
  { 'grid_energy_import', 72, 2 },
  { 'grid_energy_export', 74, 2 },
}
-- What is asked for at once: first register and count.
local BLOCKS = { { 0, 18 }, { 52, 12 }, { 70, 6 } }

local RATIO, IDENTITY = 0, 100 -- holding registers
local BLINK = 0 -- coil
local TIMEOUT_MS = 1000
local MAIN_FUSE_A = 63
-- A transformer counts as reversed when its phase has given for so long while the others took.
local REVERSED_S = 300

local client, unit, problem
local reversed_since

local function connect()
  local bus = configuration.read('bus')
  local err
  unit = bus.unit_id
  client, err = modbus.new(
    string.format('port://rs485?baud_rate=%d&parity=%s&data_bits=8&stop_bits=1', bus.baud_rate, bus.parity)
  )
  return err
end

local function log_problem(now)
  if now == problem then return end
  problem = now
  if now then device.log(now, 'error', true) else device.log('the meter answers') end
end

local function round(value, decimals)
  local factor = 10 ^ decimals
  return math.floor(value * factor + 0.5) / factor
end

local function float(high, low)
  return (string.unpack('>f', string.pack('>I2I2', high, low)))
end

-- All values by attribute, or nil and what went wrong.
local function measure()
  if not client then return nil, connect() or 'the bus has just been opened' end
  local registers = {}
  for _, block in ipairs(BLOCKS) do
    local first, count = block[1], block[2]
    local answer, err = client:read_inputs(unit, first, count, TIMEOUT_MS)
    if not answer then return nil, err end
    for at = 1, count do registers[first + at - 1] = answer[at] end
  end
  local values = {}
  for _, value in ipairs(VALUES) do
    local name, register, decimals = value[1], value[2], value[3]
    values[name] = round(float(registers[register], registers[register + 1]), decimals)
  end
  return values
end

-- The smallest and the largest of the three phases.
local function extremes(values, quantity)
  local l1, l2, l3 = values['ac_l1_' .. quantity], values['ac_l2_' .. quantity], values['ac_l3_' .. quantity]
  return math.min(l1, l2, l3), math.max(l1, l2, l3)
end

local function is_reversed(values)
  local lowest, highest = extremes(values, 'power')
  if not (lowest < -500 and highest > 500) then
    reversed_since = nil
    return false
  end
  reversed_since = reversed_since or os.time()
  return os.time() - reversed_since >= REVERSED_S
end

local function alerts_of(values)
  local alerts = {}
  local lowest_v, highest_v = extremes(values, 'voltage')
  if lowest_v < 50 and highest_v > 180 then alerts[#alerts + 1] = 'phase_missing' end
  local _, highest_a = extremes(values, 'current')
  if highest_a > MAIN_FUSE_A then alerts[#alerts + 1] = 'phase_overloaded' end
  if is_reversed(values) then alerts[#alerts + 1] = 'transformer_reversed' end
  return alerts
end

local function tariff()
  local hour = tonumber(os.date('%H'))
  return (hour >= 6 and hour < 22) and 1 or 2
end

local function send_telemetry()
  local values, err = measure()
  log_problem(err)
  if not values then return end
  values.alerts = alerts_of(values)
  values.tariff = tariff()
  values.status = 'ok'
  for _, alert in ipairs(values.alerts) do
    if alert == 'transformer_reversed' then values.status = 'reversed' end
    if alert == 'phase_missing' then values.status = 'fault' end
  end
  device.send_telemetry(values)
end

local function text(registers, from)
  local bytes = {}
  for at = from, from + 7 do bytes[#bytes + 1] = string.pack('>I2', registers[at]) end
  return (table.concat(bytes):gsub('\0+$', ''))
end

local function send_properties()
  if not client then return end
  local identity = client:read_holdings(unit, IDENTITY, 25, TIMEOUT_MS)
  local ratio = client:read_holdings(unit, RATIO, 2, TIMEOUT_MS)
  if not identity or not ratio then return end
  local transformer = string.format('%d/%d', ratio[1], ratio[2])
  device.send_properties({
    vendor = text(identity, 1),
    model = text(identity, 9),
    serial_number = text(identity, 17),
    calibrated_until = identity[25],
    current_transformers = { transformer, transformer, transformer },
  })
end

local function set_transformer_ratio(ctx, args)
  local err = client:write_multiple_holdings(unit, RATIO, { args.primary, args.secondary }, TIMEOUT_MS)
  if err then ctx.error('the meter refuses: ' .. err) end
  device.log(string.format('transformer ratio set to %d/%d', args.primary, args.secondary), 'warning', true)
  send_properties()
end

local function read_transformer_ratio(ctx)
  local ratio, err = client:read_holdings(unit, RATIO, 2, TIMEOUT_MS)
  if not ratio then ctx.error('the meter does not answer: ' .. err) end
  return { primary = ratio[1], secondary = ratio[2] }
end

local function identify(ctx)
  local err = client:write_coil(unit, BLINK, 1, TIMEOUT_MS)
  if err then ctx.error('the meter refuses: ' .. err) end
end

function device.main()
  log_problem(connect())
  configuration.after_write('bus', function() log_problem(connect()) end)
  device.register_command_handler('set_transformer_ratio', set_transformer_ratio)
  device.register_command_handler('read_transformer_ratio', read_transformer_ratio)
  device.register_command_handler('identify', identify)
  send_properties()
  scheduler.add(1000, send_telemetry)
  scheduler.add(60000, send_properties)
end
