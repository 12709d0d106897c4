-- Reads the inverter every second over Modbus TCP. README.md has the table of registers.

local STATUS = { [0] = 'night', 'starting', 'running', 'throttled', 'stopped', 'fault' }
local ALERTS = { 'grid_lost', 'overheated', 'insulation_low' } -- bit 0, 1, 2
local GRID_CODES = { [0] = 'vde_4105', 'vde_4110', 'en_50549_1' }

-- Holding registers.
local SWITCH, LIMIT, IDENTITY = 0, 1, 100
local TIMEOUT_MS = 1000

local client, unit, problem

local function connect()
  client = nil
  if not configuration.is_all_required_set('connection') then
    return 'the address of the inverter is not configured'
  end
  local connection = configuration.read('connection')
  local err
  unit = connection.unit_id
  client, err = modbus.new(string.format('tcp://%s:%d', connection.address, connection.port))
  return err
end

-- Says what is wrong once, not every second.
local function log_problem(now)
  if now == problem then return end
  problem = now
  if now then device.log(now, 'error', true) else device.log('the inverter answers') end
end

local function u32(registers, at)
  return registers[at] << 16 | registers[at + 1]
end

local function s16(register)
  return register < 0x8000 and register or register - 0x10000
end

local function text(registers, from)
  local bytes = {}
  for at = from, from + 7 do bytes[#bytes + 1] = string.pack('>I2', registers[at]) end
  return (table.concat(bytes):gsub('\0+$', ''))
end

local function raised(bits)
  local alerts = {}
  for bit, alert in ipairs(ALERTS) do
    if bits & (1 << (bit - 1)) ~= 0 then alerts[#alerts + 1] = alert end
  end
  return alerts
end

local function read(kind, register, count)
  if not client then return nil, connect() or 'the connection has just been made' end
  return client['read_' .. kind](client, unit, register, count, TIMEOUT_MS)
end

local function send_telemetry()
  local inputs, err = read('inputs', 0, 20)
  local settings
  if inputs then settings, err = read('holdings', SWITCH, 3) end
  log_problem(err)
  if not settings then return end -- rather no values than old ones
  -- Lua counts from 1: input register 2 is inputs[3].
  device.send_telemetry({
    status = STATUS[inputs[1]],
    alerts = raised(inputs[2]),
    ac_power = u32(inputs, 3),
    pv_power = u32(inputs, 5),
    pv1_voltage = inputs[7] / 10,
    pv1_current = inputs[8] / 100,
    pv2_voltage = inputs[9] / 10,
    pv2_current = inputs[10] / 100,
    yield_day = u32(inputs, 11) / 100,
    yield_total = u32(inputs, 13) / 10,
    ac_frequency = inputs[15] / 100,
    ac_l1_voltage = inputs[16] / 10,
    ac_l2_voltage = inputs[17] / 10,
    ac_l3_voltage = inputs[18] / 10,
    heatsink_temperature = s16(inputs[19]) / 10,
    insulation_resistance = inputs[20],
    power_limit = settings[2] / 10,
  })
end

local function send_properties()
  local identity = read('holdings', IDENTITY, 35)
  if not identity then return end
  device.send_properties({
    vendor = text(identity, 1),
    model = text(identity, 9),
    serial_number = text(identity, 17),
    firmware_version = text(identity, 25),
    rated_power = u32(identity, 33),
    grid_code = GRID_CODES[identity[35]],
  })
end

-- In a command what goes wrong is the answer.
local function must_read(ctx, kind, register, count)
  local registers, err = read(kind, register, count)
  if not registers then ctx.error('the inverter does not answer: ' .. err) end
  return registers
end

local function must_write(ctx, register, values)
  if not client then ctx.error(connect() or 'the connection has just been made; try again') end
  local err = client:write_multiple_holdings(unit, register, values, TIMEOUT_MS)
  if err then ctx.error('the inverter refuses: ' .. err) end
end

local function start(ctx)
  must_write(ctx, SWITCH, { 1 })
  for _ = 1, 20 do
    local status = STATUS[must_read(ctx, 'inputs', 0, 1)[1]]
    if status == 'running' or status == 'throttled' then return end
    if status == 'night' then
      ctx.log('switched on; it connects when there is enough light')
      return
    end
    ctx.log('checks insulation and grid')
    system.delay(2000)
  end
  ctx.error('it is still not connected after 40 seconds')
end

local function stop(ctx)
  must_write(ctx, SWITCH, { 0 })
end

local function set_power_limit(ctx, args)
  local tenths = math.floor(args.power_limit * 10 + 0.5)
  must_write(ctx, LIMIT, { tenths, args.duration })
  return { power_limit = must_read(ctx, 'holdings', LIMIT, 1)[1] / 10 }
end

local function read_power_limit(ctx)
  local settings = must_read(ctx, 'holdings', LIMIT, 2)
  local minutes = settings[2]
  return { power_limit = settings[1] / 10, duration = minutes > 0 and minutes or nil }
end

function device.main()
  log_problem(connect())
  configuration.after_write('connection', function() log_problem(connect()) end)
  device.register_command_handler('start', start)
  device.register_command_handler('stop', stop)
  device.register_command_handler('set_power_limit', set_power_limit)
  device.register_command_handler('read_power_limit', read_power_limit)
  send_properties()
  scheduler.add(1000, send_telemetry)
  scheduler.add(60000, send_properties)
end
