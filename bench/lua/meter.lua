-- A meter as blueprints have it: one job a second reads four blocks over Modbus, decodes them, raises alerts, sends telemetry.
local decode = require('decode')

local client = assert(modbus.new(ADDRESS))
local BLOCKS = { { 0, 24 }, { 100, 16 }, { 200, 12 }, { 300, 8 } }
local due

local function job()
  -- A tick that is later than the next one is left out by the scheduler; its lateness counts all the same.
  due = due + 1000
  local late = os.clock() * 1000 - due
  due = due + late // 1000 * 1000
  local blocks = {}
  for i, block in ipairs(BLOCKS) do
    local data, err = client:read_holdings(1, block[1], block[2], 1000)
    if not data then
      enapter.send_telemetry({ status = 'no_data', alerts = { 'communication_failed' } })
      enapter.log(err, 'error')
      return
    end
    blocks[i] = data
  end
  local telemetry = decode(blocks)
  telemetry.late = late
  enapter.send_telemetry(telemetry)
end

due = os.clock() * 1000
scheduler.add(1000, job)
