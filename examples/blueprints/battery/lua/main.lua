-- Listens to the battery on the CAN bus, and sends it a mode every second: its own, a schedule or a set point.
-- frames.lua is the language of the bus, schedule.lua the calendar.
local frames = require('frames')
local schedule = require('schedule')

local IMBALANCE_MV = 80
local TOO_HOT, TOO_COLD = 50, 0 -- °C
local SET_POINT_S = 300
-- Without any frame for so long the battery is away.
local SILENCE_S = 5

local bus, monitor, problem
local values = {} -- what the battery has sent so far
local heard_at = 0
local texts = {}
local is_introduced = false
local settings = { mode = 'self_consumption', reserve = 10, entries = {} }
local set_point -- { power, until_time }

-- Says what is wrong once, not every second.
local function log_problem(now)
  if now == problem then return end
  problem = now
  if now then device.log(now, 'error', true) else device.log('the battery is heard') end
end

-- nil, or what is wrong.
local function connect()
  local err
  monitor = nil
  bus, err = can.new('port://' .. configuration.read('connection').port)
  if bus then monitor, err = bus:monitor(frames.ALL) end
  return err
end

local function load_settings()
  local stored = storage.read('settings')
  if stored then settings = json.decode(stored) end
end

local function save_settings(ctx)
  local err = storage.write('settings', json.encode(settings))
  if err then ctx.error('the settings could not be stored: ' .. err) end
end

-- W, or nil when the battery should decide by itself.
local function wanted_power()
  if settings.mode == 'schedule' then return schedule.power_at(settings.entries, os.time()) end
  if settings.mode == 'remote' and set_point and os.time() < set_point.until_time then return set_point.power end
  return nil
end

local function send_order()
  return bus:send(frames.ORDER, frames.order(wanted_power(), settings.reserve, configuration.read('limits')))
end

-- Takes the latest frame of each id, where there is a new one.
local function listen()
  local latest, err = monitor:pop(frames.ALL)
  if not latest then return err end
  for at, data in pairs(latest) do
    local id = frames.ALL[at]
    heard_at = os.time()
    frames.decode(id, data, values)
    if id >= frames.VENDOR then texts[id] = frames.text(data) end
  end
end

-- Whether every kind of frame has come at least once.
local function is_complete()
  return values.status and values.battery_temperature and values.cell_voltage_max
end

local function alerts()
  local list = {}
  if values.cell_voltage_max - values.cell_voltage_min > IMBALANCE_MV then table.insert(list, 'cell_imbalance') end
  if values.battery_temperature > TOO_HOT then table.insert(list, 'too_hot') end
  if values.battery_temperature < TOO_COLD then table.insert(list, 'too_cold') end
  if values.is_module_silent then table.insert(list, 'communication_lost') end
  return list
end

local function send_telemetry()
  local now = { alerts = alerts(), mode = settings.mode }
  for name, value in pairs(values) do
    if name ~= 'is_module_silent' and name ~= 'capacity' then now[name] = value end
  end
  device.send_telemetry(now)
end

local function modules()
  local layout = {}
  for position = 1, frames.MODULES do
    local serial_number = texts[frames.FIRST_MODULE + position - 1]
    if serial_number then table.insert(layout, { serial_number = serial_number, position = position }) end
  end
  return layout
end

local function send_properties()
  device.send_properties({
    vendor = texts[frames.VENDOR],
    model = texts[frames.MODEL],
    serial_number = texts[frames.SERIAL],
    battery_capacity = values.capacity,
    chemistry = 'lfp',
    module_layout = modules(),
  })
end

local function tick()
  local err = not monitor and connect() or nil
  err = err or listen() or send_order()
  if not err and os.time() - heard_at > SILENCE_S then err = 'the battery is silent' end
  log_problem(err)
  if err or not is_complete() then return end
  send_telemetry()
  if not is_introduced and texts[frames.SERIAL] then
    is_introduced = true
    send_properties()
  end
end

local function set_mode(ctx, args)
  settings.mode = args.mode
  settings.reserve = args.reserve
  if args.mode ~= 'remote' then set_point = nil end
  save_settings(ctx)
end

local function read_mode()
  return { mode = settings.mode, reserve = settings.reserve }
end

local function set_schedule(ctx, args)
  settings.entries = args.schedule
  save_settings(ctx)
  return { entries = #args.schedule }
end

local function set_battery_power(ctx, args)
  if settings.mode ~= 'remote' then
    ctx.error('the mode is ' .. settings.mode .. '; run set_mode with mode=remote first')
  end
  set_point = { power = args.power, until_time = os.time() + SET_POINT_S }
  local err = bus and send_order()
  if not bus or err then ctx.error('the battery cannot be reached: ' .. (err or 'there is no CAN bus')) end
end

local function service(ctx, word)
  if not bus then ctx.error('there is no CAN bus') end
  local err = bus:send(frames.SERVICE, string.char(word))
  if err then ctx.error('the battery cannot be reached: ' .. err) end
end

local function start_balancing(ctx)
  service(ctx, frames.BALANCE)
end

local function open_contactors(ctx, args)
  device.log('contactors opened by command: ' .. args.reason, 'warning', true)
  service(ctx, frames.OPEN_CONTACTORS)
end

function device.main()
  load_settings()
  heard_at = os.time()
  log_problem(connect())
  configuration.after_write('connection', function() log_problem(connect()) end)
  device.register_command_handler('set_mode', set_mode)
  device.register_command_handler('read_mode', read_mode)
  device.register_command_handler('set_schedule', set_schedule)
  device.register_command_handler('set_battery_power', set_battery_power)
  device.register_command_handler('start_balancing', start_balancing)
  device.register_command_handler('open_contactors', open_contactors)
  scheduler.add(1000, tick)
  scheduler.add(60000, send_properties)
end
