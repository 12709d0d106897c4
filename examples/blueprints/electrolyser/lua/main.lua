-- Reads the electrolyser every second, and passes on what people and the configuration want.
-- machine.lua is the connection, registers.lua the meaning.
local machine = require('machine')
local registers = require('registers')

local problem

local function log_problem(now)
  if now == problem then return end
  problem = now
  if now then device.log(now, 'error', true) else device.log('the electrolyser answers') end
end

local function send_telemetry()
  local inputs, err = machine.inputs(registers.INPUTS)
  log_problem(err)
  if inputs then device.send_telemetry(registers.telemetry(inputs)) end
end

local function send_properties()
  local identity = machine.holdings(registers.IDENTITY)
  if identity then device.send_properties(registers.properties(identity)) end
end

local function must_read(ctx)
  local inputs, err = machine.inputs(registers.INPUTS)
  if not inputs then ctx.error('the electrolyser does not answer: ' .. err) end
  return inputs
end

local function must_write(ctx, register, values)
  local err = machine.write(register, values)
  if err then ctx.error('the electrolyser refuses: ' .. err) end
end

-- The machine forgets its settings in a power cut, so they are written at every start.
local function apply_configuration()
  local operation = configuration.read('operation')
  local order = operation.surplus_only and registers.ORDERS.surplus or registers.ORDERS.stop
  local above = operation.start_above
  local err = machine.write(registers.ORDER, { order })
    or machine.write(registers.START_ABOVE, { above >> 16, above & 0xffff })
  if not err and configuration.is_all_required_set('safety') then
    local limit = configuration.read('safety').pressure_limit
    err = machine.write(registers.PRESSURE_LIMIT, { math.floor(limit * 10 + 0.5) })
  end
  if err then device.log('the configuration could not be written: ' .. err, 'error') end
end

-- Warming up takes minutes; the command is done as soon as the machine is on its way.
local function start(ctx)
  must_write(ctx, registers.ORDER, { registers.ORDERS.run })
  for _ = 1, 10 do
    local now = registers.telemetry(must_read(ctx))
    if now.status == 'maintenance' then ctx.error('there is not enough electrolyte') end
    if now.status ~= 'idle' then
      ctx.log(string.format('%s, stack at %.1f °C', now.status:gsub('_', ' '), now.stack_temperature))
      return
    end
    system.delay(1000)
  end
  ctx.error('the electrolyser stays idle: is the tank full?')
end

local function stop(ctx)
  must_write(ctx, registers.ORDER, { registers.ORDERS.stop })
end

local function set_production_rate(ctx, args)
  must_write(ctx, registers.RATE, { math.floor(args.production_rate * 10 + 0.5) })
end

local function read_production_rate(ctx)
  local rate, err = machine.holdings({ first = registers.RATE, count = 1 })
  if not rate then ctx.error('the electrolyser does not answer: ' .. err) end
  return { production_rate = rate[1] / 10 }
end

local function drain_electrolyte(ctx, args)
  if not args.canister_connected then ctx.error('connect an empty canister first') end
  if not configuration.is_all_required_set('safety') then ctx.error("no technician's PIN is configured") end
  if args.technician_pin ~= configuration.read('safety').technician_pin then ctx.error('the PIN is wrong') end
  local full = registers.electrolyte(must_read(ctx))
  must_write(ctx, registers.DRAIN, { 1 })
  for _ = 1, 60 do
    local left = registers.electrolyte(must_read(ctx))
    ctx.log(string.format('%.1f of %.1f l drained', full - left, full))
    if left == 0 then return { drained = full } end
    system.delay(1000)
  end
  ctx.error('the pump runs for a minute already; is the hose blocked?')
end

local function reset_safety_chain(ctx)
  local now = registers.telemetry(must_read(ctx))
  if #now.safety_alerts == 0 then ctx.error('there is no safety stop to acknowledge') end
  must_write(ctx, registers.ORDER, { registers.ORDERS.stop })
end

function device.main()
  log_problem(machine.connect())
  configuration.after_write('connection', function() log_problem(machine.connect()) end)
  configuration.after_write('operation', apply_configuration)
  configuration.after_write('safety', apply_configuration)
  device.register_command_handler('start', start)
  device.register_command_handler('stop', stop)
  device.register_command_handler('set_production_rate', set_production_rate)
  device.register_command_handler('read_production_rate', read_production_rate)
  device.register_command_handler('drain_electrolyte', drain_electrolyte)
  device.register_command_handler('reset_safety_chain', reset_safety_chain)
  apply_configuration()
  send_properties()
  scheduler.add(1000, send_telemetry)
  scheduler.add(60000, send_properties)
end
