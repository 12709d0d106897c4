-- The connection to the machine.
local machine = {}

local TIMEOUT_MS = 1000
local client, unit

-- nil, or what is wrong.
function machine.connect()
  client = nil
  if not configuration.is_all_required_set('connection') then
    return 'the address of the electrolyser is not configured'
  end
  local connection = configuration.read('connection')
  local err
  unit = connection.unit_id
  client, err = modbus.new(string.format('tcp://%s:%d', connection.address, connection.port))
  return err
end

function machine.inputs(block)
  if not client then return nil, machine.connect() or 'the connection has just been made' end
  return client:read_inputs(unit, block.first, block.count, TIMEOUT_MS)
end

function machine.holdings(block)
  if not client then return nil, machine.connect() or 'the connection has just been made' end
  return client:read_holdings(unit, block.first, block.count, TIMEOUT_MS)
end

function machine.write(register, values)
  if not client then return machine.connect() or 'the connection has just been made' end
  return client:write_multiple_holdings(unit, register, values, TIMEOUT_MS)
end

return machine
