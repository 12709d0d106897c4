-- Settings of a device, kept as texts in its storage and written by a command.
local config = { options = {} }

local function problem_of(code)
  local text = storage.err_to_str(code)
  return text ~= '' and text or nil
end

local FROM_TEXT = {
  number = tonumber,
  string = tostring,
  boolean = function(text) return text == 'true' end,
}

function config.read(name)
  local ok, text, code = pcall(function() return storage.read(name) end)
  if not ok then return nil, text end
  local problem = problem_of(code)
  if problem then return nil, problem end
  if text == nil then return config.options[name].default end
  return FROM_TEXT[config.options[name].type](text)
end

function config.read_all()
  local values = {}
  for name in pairs(config.options) do
    local value, problem = config.read(name)
    if problem then return nil, name .. ': ' .. problem end
    values[name] = value
  end
  return values
end

function config.write(name, value)
  if value == nil then return problem_of(storage.remove(name)) end
  return problem_of(storage.write(name, tostring(value)))
end

function config.is_all_options_set(values)
  for name in pairs(config.options) do
    if values[name] == nil then return false end
  end
  return true
end

function config.init(options, callbacks)
  config.options = options
  callbacks = callbacks or {}
  enapter.register_command_handler('write_configuration', function(ctx, args)
    local problem = callbacks.before_write and callbacks.before_write(args)
    for name in pairs(options) do
      problem = problem or config.write(name, args[name])
    end
    problem = problem or (callbacks.after_write and callbacks.after_write(args))
    if problem then ctx.error(problem) end
  end)
  enapter.register_command_handler('read_configuration', function(ctx)
    local values, problem = config.read_all()
    if problem then ctx.error(problem) end
    return values
  end)
end

return config
