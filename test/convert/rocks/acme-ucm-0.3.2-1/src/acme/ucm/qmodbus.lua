-- Reads by a list of queries. The functions are taken when the file is loaded.
local READS = { holdings = modbus.read_holdings, inputs = modbus.read_inputs }

return {
  read = function(queries)
    local results = {}
    for at, query in ipairs(queries) do
      local data, code = READS[query.type](query.addr, query.reg, query.count, query.timeout or 1000)
      results[at] = code == 0 and { data = data } or { errcode = code, errmsg = modbus.err_to_str(code) }
    end
    return results
  end,
}
