-- The host of device/1.0 over that of device/3.0, for scripts that were written for it. Failures are numbers there, and 0
-- is success: reads answer `value, code` with a nil value on failure, actions answer `code`. docs/lua-v1.md lists it all.
local call = ...

local error, getmetatable, ipairs, pairs, rawequal = error, getmetatable, ipairs, pairs, rawequal
local tonumber, tostring, type = tonumber, tostring, type
local char, format, gsub, match, rep = string.char, string.format, string.gsub, string.match, string.rep
local concat, insert, sort = table.concat, table.insert, table.sort
local math_type, tointeger = math.type, math.tointeger
local enapter, scheduler, storage, system = enapter, scheduler, storage, system
local send_telemetry, send_properties = enapter.send_telemetry, enapter.send_properties
local storage_read, storage_write, storage_remove = storage.read, storage.write, storage.remove

runtime_version = nil

-- 1 is a timeout, and 13 comes from a device that can be reached: scripts rely on these two.
local CODES = {
  timeout = 1,
  connection = 2,
  closed = 3,
  busy = 4,
  refused = 5,
  invalid = 6,
  unsupported = 7,
  answer = 8,
  missing = 12,
  exception = 13,
}
local TEXTS = {
  [0] = 'Success',
  [1] = 'Timeout',
  [2] = 'ConnectionFailed',
  [3] = 'Closed',
  [4] = 'Busy',
  [5] = 'NotAllowed',
  [6] = 'InvalidArgument',
  [7] = 'NotInitialized',
  [8] = 'InvalidResponse',
  [9] = 'StorageFailed',
  [10] = 'NotSent',
  [11] = 'HostFailed',
  [12] = 'NoSuchPort',
  [13] = 'DeviceException',
}
local INVALID, NOT_READY, STORAGE_FAILED, NOT_SENT, HOST_FAILED = 6, 7, 9, 10, 11

-- A module with its own err_to_str: the latest words for a code say more than its name.
local function module(success)
  local said = {}
  local library = {}
  function library.err_to_str(code)
    if code == 0 or code == nil then
      return success or TEXTS[0]
    end
    return said[code] or TEXTS[code] or 'Error ' .. tostring(code)
  end
  local function failed(code, text)
    said[code] = text
    return code
  end
  return library, failed
end

-- `code, result...`; what failed is kept for err_to_str.
local function ask(failed, ...)
  local function settle(problem, first, ...)
    if problem == 'none' then
      return 0, first, ...
    end
    return failed(CODES[problem] or HOST_FAILED, first)
  end
  return settle(call('coded', ...))
end

-- As C reads an argument: a text that is a number is one.
local function integer(value)
  return tointeger(tonumber(value)) or value
end

local function timeout_of(value, otherwise)
  local ms = tonumber(value) or otherwise
  return ms < 1 and 1 or ms > 60000 and 60000 or ms
end

-- The device. Its table stays, so that `device` is the same one.

local device_errors, device_failed = module()
enapter.err_to_str = device_errors.err_to_str

function enapter.send_telemetry(values)
  local problem = send_telemetry(values)
  return problem == nil and 0 or device_failed(NOT_SENT, problem)
end

function enapter.send_properties(values)
  local problem = send_properties(values)
  return problem == nil and 0 or device_failed(NOT_SENT, problem)
end

local delay = system.delay
function system.delay(ms)
  delay(ms == nil and 1000 or ms)
end

-- Storage. A key that was never written is no failure.

local MAX_KEY = 64
local storage_failed
_G.storage, storage_failed = module('')

local function key_problem(key)
  if type(key) ~= 'string' and type(key) ~= 'number' then
    return 'a key is a text'
  end
  return #tostring(key) > MAX_KEY and 'a key has at most ' .. MAX_KEY .. ' characters' or nil
end

function _G.storage.read(key)
  local problem = key_problem(key)
  if problem then
    return nil, storage_failed(INVALID, problem)
  end
  return (storage_read(key)), 0
end

function _G.storage.write(key, text)
  local problem = key_problem(key) or (type(text) ~= 'string' and type(text) ~= 'number' and 'a value is a text') or nil
  if problem then
    return storage_failed(INVALID, problem)
  end
  problem = storage_write(key, text)
  return problem == nil and 0 or storage_failed(STORAGE_FAILED, problem)
end

function _G.storage.remove(key)
  local problem = key_problem(key)
  if problem then
    return storage_failed(INVALID, problem)
  end
  problem = storage_remove(key)
  return problem == nil and 0 or storage_failed(STORAGE_FAILED, problem)
end

-- Modbus: one port by plain functions, and clients with methods.

local READS = { 'coils', 'discrete_inputs', 'holdings', 'inputs' }
local WRITES = { 'coil', 'holding', 'multiple_coils', 'multiple_holdings' }

-- `open()` answers a handle, or nil and a code.
local function add_modbus_calls(target, open, failed, default_timeout, skip_self)
  local function own(fn)
    if not skip_self then
      return fn
    end
    return function(self, ...)
      if not rawequal(self, target) then
        error('call it with a colon: client:method(...)', 2)
      end
      return fn(...)
    end
  end
  for _, name in ipairs(READS) do
    target['read_' .. name] = own(function(unit, register, count, ms)
      local handle, code = open()
      if handle == nil then
        return nil, code
      end
      local values
      code, values = ask(
        failed, 'modbus.read', handle, name, integer(unit), integer(register), integer(count),
        timeout_of(ms, default_timeout)
      )
      if code ~= 0 then
        return nil, code
      end
      return values, 0
    end)
  end
  for _, name in ipairs(WRITES) do
    target['write_' .. name] = own(function(unit, register, values, ms)
      local handle, code = open()
      if handle == nil then
        return code
      end
      if type(values) ~= 'table' and type(values) ~= 'boolean' then
        values = integer(values)
      end
      return (ask(
        failed, 'modbus.write', handle, name, integer(unit), integer(register), values, timeout_of(ms, default_timeout)
      ))
    end)
  end
end

local function opener(uri, failed)
  local handle
  return function()
    if handle ~= nil then
      return handle
    end
    local code
    code, handle = ask(failed, 'modbus.open', uri)
    if code == 0 then
      return handle
    end
    handle = nil
    return nil, code
  end
end

-- The port that rs485.init or rs232.init has set up last.
local line_opener
local new_client = modbus.new
local modbus_failed
modbus, modbus_failed = module()
modbus.new = new_client
add_modbus_calls(modbus, function()
  if line_opener == nil then
    return nil, modbus_failed(NOT_READY, 'call rs485.init or rs232.init first')
  end
  return line_opener()
end, modbus_failed, 1000)

local tcp, tcp_failed = module()
modbustcp = tcp
function modbustcp.new(address)
  local text = tostring(address)
  local uri = match(text, '^%a+://') and text or 'tcp://' .. text
  local client = {}
  add_modbus_calls(client, opener(uri, tcp_failed), tcp_failed, 1000, true)
  function client.err_to_str(first, code)
    return tcp.err_to_str(rawequal(first, client) and code or first)
  end
  return client
end

-- A serial line's settings as they stand in a connection URI.
local function port_uri(name, settings)
  local parts = {}
  for _, key in ipairs({ 'baud_rate', 'data_bits', 'parity', 'stop_bits' }) do
    local value = settings[key]
    if value ~= nil then
      value = key == 'parity' and tostring(value) or integer(value)
      insert(parts, key .. '=' .. tostring(value))
    end
  end
  return 'port://' .. name .. (#parts > 0 and '?' .. concat(parts, '&') or '')
end

-- A path such as /dev/ttyUSB0 is the port ttyUSB0 of the installer.
local function port_name(path)
  return (gsub(match(tostring(path), '([^/]*)/*$'), '[^%w_.-]', '-'))
end

local rtu, rtu_failed = module()
modbusrtu = rtu
function modbusrtu.new(path, options)
  options = type(options) == 'table' and options or {}
  if path == nil then
    rtu_failed(INVALID, 'a port is missing')
    return nil
  end
  local text = tostring(path)
  local uri = match(text, '^%a+://') and text or port_uri(port_name(text), options)
  local open = opener(uri, rtu_failed)
  if open() == nil then
    return nil
  end
  local client = {}
  add_modbus_calls(client, open, rtu_failed, timeout_of(options.read_timeout, 1000), true)
  function client.err_to_str(first, code)
    return rtu.err_to_str(rawequal(first, client) and code or first)
  end
  return client
end

-- Serial lines.

local function serial_module(name)
  local library, failed = module()
  local is_ready = false

  function library.init(baud_rate, data_bits, parity, stop_bits)
    local uri = port_uri(name, { baud_rate = baud_rate, data_bits = data_bits, parity = parity, stop_bits = stop_bits })
    local code = ask(failed, 'port.open', 'serial', uri)
    if code == 0 then
      is_ready = true
      line_opener = opener(uri, modbus_failed)
    end
    return code
  end

  -- Drops what nobody has read, unless the second argument is false.
  function library.send(data, flush)
    if not is_ready then
      return failed(NOT_READY, 'call ' .. name .. '.init first')
    end
    if flush ~= false then
      local code = ask(failed, 'serial.flush', name)
      if code ~= 0 then
        return code
      end
    end
    return (ask(failed, 'serial.write', name, type(data) == 'number' and tostring(data) or data))
  end

  function library.receive(ms, max)
    if not is_ready then
      return nil, failed(NOT_READY, 'call ' .. name .. '.init first')
    end
    local code, data = ask(failed, 'serial.receive', name, integer(max) or 1024, timeout_of(ms, 1000))
    if code ~= 0 then
      return nil, code
    end
    return data, 0
  end

  return library
end

rs485 = serial_module('rs485')
rs232 = serial_module('rs232')

-- CAN: frames are fetched and given to the handler one by one.

local CAN_PORT, CAN_PERIOD_MS, CAN_FRAMES = 'can', 50, 4096
local new_can, can_failed = can.new, nil
can, can_failed = module()
can.new = new_can

local can_ready, can_handler, can_log, can_job = false, nil, nil, nil
local can_frames, can_next = {}, 1

-- An error in the handler costs its frame: the others follow with the next job.
local function handle_frames()
  local frame = can_frames[can_next]
  while frame ~= nil do
    can_next = can_next + 1
    if can_handler ~= nil then
      can_handler(frame[1], frame[2])
    end
    frame = can_frames[can_next]
  end
  can_frames, can_next = {}, 1
end

local function fetch_frames()
  handle_frames()
  local code, frames, dropped = ask(can_failed, 'can.take_log', CAN_PORT, can_log)
  if code ~= 0 then
    return
  end
  if dropped > 0 then
    enapter.log(dropped .. ' CAN frames were dropped: the script did not take them in time', 'warning')
  end
  can_frames = frames
  handle_frames()
end

function can.init(_, handler)
  local code = ask(can_failed, 'port.open', 'can', 'port://' .. CAN_PORT)
  if code ~= 0 then
    return code
  end
  can_ready, can_handler = true, handler
  if type(handler) ~= 'function' or can_log ~= nil then
    return 0
  end
  local log
  code, log = ask(can_failed, 'can.log', CAN_PORT, CAN_FRAMES)
  if code ~= 0 then
    return code
  end
  can_log = log
  can_job = can_job or scheduler.add(CAN_PERIOD_MS, fetch_frames)
  return 0
end

-- A number is its bytes, the highest first: 0x01 is one byte.
local function can_bytes(data)
  local value = math_type(data) == 'float' and tointeger(data) or data
  if math_type(value) ~= 'integer' or value < 0 then
    return data
  end
  local bytes = ''
  repeat
    bytes, value = char(value & 0xFF) .. bytes, value >> 8
  until value == 0
  return bytes
end

function can.send(id, data)
  if not can_ready then
    return can_failed(NOT_READY, 'call can.init first')
  end
  return (ask(can_failed, 'can.send', CAN_PORT, integer(id), can_bytes(data)))
end

-- Relays, inputs: each channel is a port of its own, such as relay-1.

-- `code, ...` of a call to a channel; it is opened with its first use.
local function channels(use, prefix, count, failed)
  local opened = {}
  return function(name, channel, ...)
    local number = integer(channel)
    if math_type(number) ~= 'integer' or number < 1 or number > count then
      return failed(INVALID, 'there is no channel ' .. tostring(channel) .. ', they are 1 to ' .. count)
    end
    local port = prefix .. number
    if not opened[port] then
      local code = ask(failed, 'port.open', use, 'port://' .. port)
      if code ~= 0 then
        return code
      end
      opened[port] = true
    end
    return ask(failed, name, port, ...)
  end
end

local RELAYS = 6
local rl6_failed
rl6, rl6_failed = module()
local relay_call = channels('relay', 'relay-', RELAYS, rl6_failed)

function rl6.get(channel)
  local code, state = relay_call('level.read', channel, 'state')
  if code ~= 0 then
    return nil, code
  end
  return state == 1, 0
end

function rl6.open(channel)
  return (relay_call('level.write', channel, 'state', 0))
end

function rl6.close(channel)
  return (relay_call('level.write', channel, 'state', 1))
end

function rl6.impulse(channel, ms)
  return (relay_call('level.impulse', channel, integer(ms)))
end

-- Tries them all; the first failure is the answer.
local function set_relays(state_of)
  local result = 0
  for channel = 1, RELAYS do
    local code = relay_call('level.write', channel, 'state', state_of(channel) and 1 or 0)
    if result == 0 then
      result = code
    end
  end
  return result
end

function rl6.open_all()
  return set_relays(function() return false end)
end

function rl6.close_all()
  return set_relays(function() return true end)
end

function rl6.set_all(...)
  local states = { ... }
  if type(states[1]) == 'table' then
    states = states[1]
  end
  return set_relays(function(channel) return states[channel] end)
end

-- A single relay. Here nil is success.
local rl_failed
rl, rl_failed = module()
local single_call = channels('relay', 'relay-', 1, rl_failed)
local function nil_for_success(code)
  if code ~= 0 then
    return code
  end
end

function rl.is_closed()
  local code, state = single_call('level.read', 1, 'state')
  if code ~= 0 then
    return nil, code
  end
  return state == 1
end

function rl.open()
  return nil_for_success(single_call('level.write', 1, 'state', 0))
end

function rl.close()
  return nil_for_success(single_call('level.write', 1, 'state', 1))
end

function rl.impulse(ms)
  return nil_for_success(single_call('level.impulse', 1, integer(ms)))
end

local di7_failed
di7, di7_failed = module()
local input_call = channels('digitalin', 'di-', 7, di7_failed)
-- Since when a counter counts, by the clock of the script.
local counts_since = {}

function di7.is_closed(input)
  local code, state = input_call('level.read', input, 'state')
  if code ~= 0 then
    return nil, code
  end
  return state == 1, 0
end

function di7.is_opened(input)
  local code, state = input_call('level.read', input, 'state')
  if code ~= 0 then
    return nil, code
  end
  return state ~= 1, 0
end

function di7.read_counter(input)
  local code, count = input_call('level.read', input, 'counter')
  if code ~= 0 then
    return nil, nil, code
  end
  return tointeger(count) or count, tointeger((system.uptime() - (counts_since[integer(input)] or 0)) // 1), 0
end

function di7.set_counter(input, count)
  local code = input_call('level.write', input, 'counter', integer(count))
  if code == 0 then
    counts_since[integer(input)] = system.uptime()
  end
  return code
end

local was_logged
function di7.set_debounce()
  if not was_logged then
    was_logged = true
    enapter.log('di7.set_debounce does nothing here: the input itself filters its contact', 'warning')
  end
  return 0
end

local ai4_failed
ai4, ai4_failed = module()
local analog_call = channels('analogin', 'ai-', 4, ai4_failed)

function ai4.read_volts(input)
  local code, volts = analog_call('level.read', input, 'volts')
  if code ~= 0 then
    return nil, code
  end
  return volts, 0
end

-- In ampere, whatever its name says.
function ai4.read_milliamps(input)
  local code, amps = analog_call('level.read', input, 'amps')
  if code ~= 0 then
    return nil, code
  end
  return amps, 0
end

-- Nothing lights up here.
led = module()
function led.on()
  return 0
end
led.off, led.blink = led.on, led.on

-- Another module of the site. There is none here, so its commands fail in words.
ucm = module()
function ucm.new(hardware_id)
  local peer = {}
  function peer.execute_command()
    return nil, nil, 'the module ' .. tostring(hardware_id) .. ' cannot be reached: a script has no other modules here'
  end
  return peer
end

-- inspect: values as text, for people.

local function quoted(text)
  text = gsub(text, '[%c\\"]', function(c)
    local short = ({ ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t', ['"'] = '\\"', ['\\'] = '\\\\' })[c]
    return short or format('\\%03d', c:byte())
  end)
  return '"' .. text .. '"'
end

local KINDS = { number = 1, string = 2, boolean = 3, table = 4, ['function'] = 5, userdata = 6, thread = 7 }

local function by_kind(a, b)
  local ta, tb = type(a), type(b)
  if ta == tb and (ta == 'string' or ta == 'number') then
    return a < b
  end
  if ta == tb then
    return tostring(a) < tostring(b)
  end
  return KINDS[ta] < KINDS[tb]
end

local RESERVED = {}
for word in ('and break do else elseif end false for function goto if in local nil not or repeat return then true until while'):gmatch('%a+') do
  RESERVED[word] = true
end

local function inspect_value(value, options)
  options = type(options) == 'table' and options or {}
  local newline, indent = options.newline or '\n', options.indent or '  '
  local depth_limit = options.depth or 1000
  local within = {}

  local function show(item, depth)
    local kind = type(item)
    if kind == 'string' then
      return quoted(item)
    elseif kind ~= 'table' then
      return kind == 'function' and '<function>' or (kind == 'thread' or kind == 'userdata') and '<' .. kind .. '>'
        or tostring(item)
    elseif within[item] then
      return '<cycle>'
    elseif depth >= depth_limit or depth >= 100 then
      return '{...}'
    end
    within[item] = true
    local parts, keys, length = {}, {}, #item
    for index = 1, length do
      insert(parts, ' ' .. show(item[index], depth + 1))
    end
    for key in pairs(item) do
      if not (math_type(key) == 'integer' and key >= 1 and key <= length) then
        insert(keys, key)
      end
    end
    sort(keys, by_kind)
    local start = newline .. rep(indent, depth + 1)
    for _, key in ipairs(keys) do
      local is_name = type(key) == 'string' and match(key, '^[%a_][%w_]*$') and not RESERVED[key]
      local name = is_name and key or '[' .. show(key, depth + 1) .. ']'
      insert(parts, start .. name .. ' = ' .. show(item[key], depth + 1))
    end
    within[item] = nil
    local meta = getmetatable(item)
    if type(meta) == 'table' then
      insert(parts, start .. '<metatable> = ' .. show(meta, depth + 1))
    end
    if #parts == 0 then
      return '{}'
    end
    return '{' .. concat(parts, ',') .. (#keys > 0 and newline .. rep(indent, depth) or ' ') .. '}'
  end

  return show(value, 0)
end

inspect = inspect_value
