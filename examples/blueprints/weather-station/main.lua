-- Asks the station's JSON interface every two seconds, and corrects what it says.

local STORM_MS = 20
local DIRTY_PERCENT = 5
local HEATED_K = 15

local client = http.client({ timeout = 3 })
local offsets = { air_temperature = 0, irradiance = 0 }
local problem

local function log_problem(now)
  if now == problem then return end
  problem = now
  if now then device.log(now, 'error', true) else device.log('the station answers') end
end

-- The decoded answer, or nil and what went wrong.
local function call(method, path, body)
  if not configuration.is_all_required_set('connection') then
    return nil, 'the address of the station is not configured'
  end
  local url = configuration.read('connection').url .. path
  local request = http.request(method, url, body and json.encode(body))
  request:set_header('Content-Type', 'application/json')
  local answer, err = client:do_request(request)
  if not answer then return nil, err end
  if answer.code ~= 200 then return nil, 'the station answers with status ' .. answer.code end
  local decoded = json.decode(answer.body)
  if decoded == nil then return nil, 'the station does not answer with JSON' end
  return decoded
end

local function round(value, decimals)
  local factor = 10 ^ decimals
  return math.floor(value * factor + 0.5) / factor
end

local function alerts_of(now)
  local alerts = {}
  if now.wind.gust > STORM_MS then alerts[#alerts + 1] = 'storm' end
  if now.rain.kind == 'hail' then alerts[#alerts + 1] = 'hail' end
  if now.soiling > DIRTY_PERCENT then alerts[#alerts + 1] = 'sensor_dirty' end
  return alerts
end

local function status_of(now)
  if now.heater.on then return 'heating' end
  return now.soiling > DIRTY_PERCENT and 'cleaning_due' or 'ok'
end

local function send_telemetry()
  local now, err = call('GET', '/observation')
  log_problem(err)
  if not now then return end
  device.send_telemetry({
    status = status_of(now),
    alerts = alerts_of(now),
    solar_irradiance = round(now.sun.irradiance * (1 + offsets.irradiance / 100), 0),
    uv = now.sun.uv,
    module_temperature = now.sun.module,
    air_temperature = round(now.air.temperature + offsets.air_temperature, 1),
    relative_humidity = now.air.humidity,
    air_pressure = now.air.pressure,
    wind_speed = now.wind.speed,
    wind_gust = now.wind.gust,
    wind_direction = now.wind.direction,
    rain_rate = now.rain.rate,
    precipitation = now.rain.kind,
  })
end

local function send_properties()
  local now = call('GET', '/observation')
  if not now then return end
  device.send_properties({
    vendor = now.station.vendor,
    model = now.station.model,
    serial_number = now.station.serial,
    sensor_tilt = now.station.tilt,
    mast_height = now.station.mast,
  })
end

-- Done when the heads are warm; the heater then goes on by itself.
local function heat_sensors(ctx, args)
  local before, err = call('GET', '/observation')
  if not before then ctx.error(err) end
  local _, refused = call('POST', '/heater', { minutes = args.duration })
  if refused then ctx.error(refused) end
  for _ = 1, 60 do
    local now = call('GET', '/observation')
    local warmer = now and now.heater.head - before.air.temperature or 0
    if warmer >= HEATED_K then return end
    ctx.log(string.format('heads %.1f K above the air, %d %%', warmer, math.max(0, warmer) * 100 // HEATED_K))
    system.delay(2000)
  end
  ctx.error('the heads do not get warm')
end

local function read_offsets()
  return offsets
end

local function set_offsets(ctx, args)
  offsets = { air_temperature = args.air_temperature, irradiance = args.irradiance }
  local err = storage.write('offsets', json.encode(offsets))
  if err then ctx.error('the corrections could not be stored: ' .. err) end
  device.log('corrections changed', 'warning', true)
end

local function mark_cleaned(ctx)
  local _, err = call('POST', '/cleaned', {})
  if err then ctx.error(err) end
end

function device.main()
  local stored = storage.read('offsets')
  if stored then offsets = json.decode(stored) end
  device.register_command_handler('heat_sensors', heat_sensors)
  device.register_command_handler('set_offsets', set_offsets)
  device.register_command_handler('read_offsets', read_offsets)
  device.register_command_handler('mark_cleaned', mark_cleaned)
  send_properties()
  scheduler.add(2000, send_telemetry)
  scheduler.add(60000, send_properties)
end
