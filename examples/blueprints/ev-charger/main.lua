-- Reads the wall box every second over Modbus TCP, and keeps its cards. README.md has the table of registers.

local STATUS = {
  [0] = 'available', 'preparing', 'charging', 'waiting_for_sun', 'suspended_by_car', 'finishing', 'fault',
}
local ALERTS = { 'residual_current', 'plug_hot', 'site_limit' } -- bit 0, 1, 2
local ORDERS = { stop = 0, fast = 1, sun = 2 }

local ORDER, LIMIT, IDENTITY = 0, 2, 100 -- holding registers
local UNLOCK, LOCKED = 0, 1 -- coils
local TIMEOUT_MS = 1000
local LEAST = 6 -- A
local UNLOCK_S = 40
local PRICE = 0.35 -- euro a kWh, for cards without a tariff

local client, unit, problem
local cards = {} -- by number: holder, price, night_price

local function connect()
  client = nil
  if not configuration.is_all_required_set('connection') then
    return 'the address of the charger is not configured'
  end
  local connection = configuration.read('connection')
  local err
  unit = connection.unit_id
  client, err = modbus.new(string.format('tcp://%s:%d', connection.address, connection.port))
  return err
end

local function log_problem(now)
  if now == problem then return end
  problem = now
  if now then device.log(now, 'error', true) else device.log('the charger answers') end
end

local function read(kind, register, count)
  if not client then return nil, connect() or 'the connection has just been made' end
  return client['read_' .. kind](client, unit, register, count, TIMEOUT_MS)
end

local function write(register, values)
  if not client then return connect() or 'the connection has just been made' end
  return client:write_multiple_holdings(unit, register, values, TIMEOUT_MS)
end

local function u32(registers, at)
  return registers[at] << 16 | registers[at + 1]
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

local function price_of(card)
  local hour = tonumber(os.date('%H'))
  local is_night = hour < 6 or hour >= 22
  return card and (is_night and card.night_price or card.price) or PRICE
end

local function send_telemetry()
  local inputs, err = read('inputs', 0, 13)
  local limit
  if inputs then limit, err = read('holdings', LIMIT, 1) end
  log_problem(err)
  if not limit then return end
  -- Lua counts from 1: input register 3 is inputs[4].
  local number = u32(inputs, 12)
  local card = cards[tostring(number)]
  local energy = u32(inputs, 6) / 100
  device.send_telemetry({
    status = STATUS[inputs[1]],
    alerts = raised(inputs[2]),
    ev_connected = inputs[3] == 1,
    charging_power = u32(inputs, 4),
    current_limit = limit[1] / 10,
    session_energy = energy,
    session_duration = u32(inputs, 8),
    session_cost = math.floor(energy * price_of(card) * 100 + 0.5) / 100,
    session_user = number > 0 and (card and card.holder or 'card ' .. number) or nil,
    energy_total = u32(inputs, 10) / 10,
  })
end

local function send_properties()
  local identity = read('holdings', IDENTITY, 25)
  if not identity then return end
  device.send_properties({
    vendor = text(identity, 1),
    model = text(identity, 9),
    serial_number = text(identity, 17),
    phases = identity[25],
    connector = 'type_2_cable',
  })
end

local function must_read(ctx, kind, register, count)
  local registers, err = read(kind, register, count)
  if not registers then ctx.error('the charger does not answer: ' .. err) end
  return registers
end

local function must_write(ctx, register, values)
  local err = write(register, values)
  if err then ctx.error('the charger refuses: ' .. err) end
end

local function must_have_car(ctx)
  if must_read(ctx, 'inputs', 2, 1)[1] == 0 then ctx.error('no car is plugged in') end
end

local function start_charging(ctx, args)
  must_have_car(ctx)
  must_write(ctx, ORDER, { ORDERS[args.mode], math.floor((args.energy or 0) * 10 + 0.5) })
end

local function stop_charging(ctx)
  must_have_car(ctx)
  must_write(ctx, ORDER, { ORDERS.stop, 0 })
end

-- The motor takes its time, and nobody hears of it meanwhile: that is what a timeout of a command is for.
local function unlock(ctx)
  if not client then ctx.error(connect() or 'the connection has just been made; try again') end
  local err = client:write_coil(unit, UNLOCK, 1, TIMEOUT_MS)
  if err then ctx.error('the charger refuses: ' .. err) end
  for _ = 1, UNLOCK_S do
    if must_read(ctx, 'coils', LOCKED, 1)[1] == 0 then return end
    send_telemetry() -- a handler keeps everything else waiting
    system.delay(1000)
  end
  ctx.error('the plug is still locked after ' .. UNLOCK_S .. ' seconds; the motor is stuck')
end

-- Never more than the fuse allows. No car charges with less than 6 A.
local function set_current_limit(ctx, args)
  local fuse = configuration.read('site').fuse
  if args.current_limit > fuse then
    ctx.error(string.format('the fuse allows at most %d A', fuse))
  end
  local limit = args.current_limit < LEAST and 0 or args.current_limit
  must_write(ctx, LIMIT, { math.floor(limit * 10 + 0.5) })
end

local function reset_current_limit(ctx)
  must_write(ctx, LIMIT, { configuration.read('site').fuse * 10 })
end

local function read_current_limit(ctx)
  return { current_limit = must_read(ctx, 'holdings', LIMIT, 1)[1] / 10 }
end

local function load_cards()
  local stored = storage.read('cards')
  cards = stored and json.decode(stored) or {}
end

local function add_card(ctx, args)
  local tariff = args.tariff or {}
  cards[args.card_number] = { holder = args.holder, price = tariff.price, night_price = tariff.night_price }
  local err = storage.write('cards', json.encode(cards))
  if err then ctx.error('the card could not be stored: ' .. err) end
end

local function apply_fuse()
  local fuse = configuration.read('site').fuse
  local limit = read('holdings', LIMIT, 1)
  if limit and limit[1] > fuse * 10 then write(LIMIT, { fuse * 10 }) end
end

function device.main()
  load_cards()
  log_problem(connect())
  configuration.after_write('connection', function() log_problem(connect()) end)
  configuration.after_write('site', apply_fuse)
  device.register_command_handler('start_charging', start_charging)
  device.register_command_handler('stop_charging', stop_charging)
  device.register_command_handler('unlock', unlock)
  device.register_command_handler('set_current_limit', set_current_limit)
  device.register_command_handler('read_current_limit', read_current_limit)
  device.register_command_handler('reset_current_limit', reset_current_limit)
  device.register_command_handler('add_card', add_card)
  apply_fuse()
  send_properties()
  scheduler.add(1000, send_telemetry)
  scheduler.add(60000, send_properties)
end
