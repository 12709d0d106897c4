-- A relay of another module.
local ONE_LINE = { newline = '', indent = '' }

return {
  new = function()
    local relay = {}
    function relay:setup(module_id, channel)
      self.module_id, self.channel = module_id, channel
    end
    function relay:is_closed()
      local peer = ucm.new(self.module_id, 'gio')
      local state, payload, err = peer:execute_command('is_closed', { channel = self.channel }, { timeout = 1000 })
      if err then return nil, err end
      if state ~= 'completed' then return nil, state .. ' ' .. inspect(payload, ONE_LINE) end
      return payload.closed
    end
    return relay
  end,
}
