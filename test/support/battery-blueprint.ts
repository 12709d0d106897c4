// A small battery: its manifest, its script, and a scenario's peers for it.

export const MANIFEST = `blueprint_spec: device/3.0
display_name: Battery
runtime: {type: lua, options: {dir: lua}}
properties:
  model: {type: string, display_name: Model}
telemetry:
  status: {type: string, display_name: Status, enum: [ok, fault]}
  voltage: {type: float, display_name: Voltage, aliases: volts}
  alerts: {type: alerts, display_name: Alerts}
command_groups: {all: {display_name: All}}
commands:
  set_power:
    group: all
    display_name: Set power
    arguments: {power: {type: integer, display_name: Power, required: true}}
    response: {power: {type: integer, required: true}}
  count_down: {group: all, display_name: Count down}
alerts:
  too_hot: {severity: error, display_name: Too hot}
  lost: {severity: warning, display_name: Lost}
configuration:
  link: {display_name: Link, parameters: {address: {type: string, display_name: Address, required: true}, period: {type: integer, display_name: Period, default: 1000}}}
`;

export const SCRIPT = `local convert = require('convert')
local client
local job

local function tick()
  local words, err = client:read_holdings(1, 100, 3, 500)
  if not words then
    enapter.log('no answer: ' .. err, 'warning')
    enapter.send_telemetry({ status = 'fault', alerts = { 'lost' } })
    return
  end
  enapter.send_telemetry({
    status = 'ok',
    voltage = convert.float(words[1], words[2]),
    alerts = words[3] > 600 and { 'too_hot' } or {},
  })
end

local function start()
  local config = configuration.read('link')
  client = modbus.new('tcp://' .. config.address)
  if job then scheduler.remove(job) end
  job = scheduler.add(config.period, tick)
end

function enapter.main()
  enapter.send_properties({ model = 'B1' })
  start()
  configuration.after_write('link', start)
  enapter.on_connection_status_changed(function(is_connected)
    enapter.log('connected: ' .. tostring(is_connected))
  end)
  enapter.register_command_handler('set_power', function(ctx, args)
    if args.power > 9000 then ctx.error('too much') end
    local err = client:write_holding(1, 200, args.power)
    if err then ctx.error(err) end
    storage.write('power', tostring(args.power))
    return { power = args.power }
  end)
  enapter.register_command_handler('count_down', function(ctx)
    for i = 3, 1, -1 do
      ctx.log('at ' .. i)
      system.delay(2000)
    end
  end)
end
`;

export const CONVERT = `return {
  float = function(high, low)
    return (string.unpack('>f', string.pack('>I2I2', high, low)))
  end,
}
`;

export const SETUP = `configuration: {link: {address: 10.0.0.5}}
peers:
  battery: {modbus: "tcp://10.0.0.5:502", holdings: {100: {float32: 51.2}, 102: 235}}
`;
