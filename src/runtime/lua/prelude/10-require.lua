-- `require` over the files of the package and its rocks. Programs of C never load.
local call, instant, set_play = ...

local error, load, match, pairs, setmetatable, type = error, load, string.match, pairs, setmetatable, type

package = { loaded = { _G = _G }, preload = {}, path = './?.lua;./?/init.lua', cpath = '', config = '/\n;\n?\n!\n-\n' }
for _, name in pairs({ 'coroutine', 'table', 'string', 'math', 'utf8', 'os' }) do
  package.loaded[name] = _G[name]
end
local loaded, preload = package.loaded, package.preload

-- The file that is being loaded, and its folder: siblings are found first.
local file, folder = nil, ''
-- One file is one module, by whatever names it is asked for.
local by_path = {}
-- Modules that are being loaded: the file that asked for each, or true.
local loading = {}

-- By which way a file requires itself.
local function circle_to(from)
  local way, at = from, file
  while type(at) == 'string' and at ~= from do
    way, at = at .. ' -> ' .. way, loading[at]
  end
  return from .. ' -> ' .. way
end

local function run_file(path, source, name)
  local chunk, problem = load(source, instant('chunk name', path), 't')
  if not chunk then
    error("error loading module '" .. name .. "' from file '" .. path .. "':\n\t" .. problem, 0)
  end
  local outer, outer_folder = file, folder
  local _ <close> = setmetatable({}, {
    __close = function()
      file, folder = outer, outer_folder
    end,
  })
  file, folder = path, match(path, '^(.*/)[^/]*$') or ''
  return (chunk(name, path))
end

local function load_module(path, source, name)
  loading[path] = file or true
  local _ <close> = setmetatable({}, {
    __close = function()
      loading[path] = nil
    end,
  })
  return run_file(path, source, name)
end

function require(name)
  if type(name) ~= 'string' then
    error("bad argument #1 to 'require' (string expected, got " .. type(name) .. ')', 2)
  end
  if loaded[name] ~= nil then
    return loaded[name]
  end
  local value, from
  if preload[name] then
    from = ':preload:'
    value = preload[name](name, from)
  else
    local source, problem
    from, source, problem = instant('require', name, folder)
    if from == nil then
      error("module '" .. name .. "' not found" .. problem, 2)
    elseif source == nil then
      value = _G[from]
    elseif by_path[from] ~= nil then
      value = by_path[from]
    elseif loading[from] then
      error("module '" .. name .. "' requires itself: " .. circle_to(from), 2)
    else
      value = load_module(from, source, name)
    end
  end
  if value == nil then
    value = loaded[name] == nil and true or loaded[name]
  end
  loaded[name], by_path[from] = value, value
  return value, from
end

-- The hosts of older scripts and of rules; their texts are fetched only where they are used.
preload['busbar.v1'] = function()
  load(instant('compat v1'), '=[v1.lua]', 't')(call)
  return true
end
preload['busbar.rule'] = function()
  return load(instant('rule host'), '=[busbar]', 't')(call, instant, set_play) or true
end

local require, seed_random = require, math.randomseed

set_play('main', function()
  seed_random()
  local path, source, host = instant('entry')
  local again = host and require('busbar.' .. host)
  -- A rule is no module of its own modules: it would run twice.
  loading[path] = host == 'rule' or nil
  local function run()
    run_file(path, source, path)
    local main = type(enapter) == 'table' and enapter.main
    if type(main) == 'function' then
      main()
    end
  end
  if type(again) == 'function' then
    again(run)
  else
    run()
  end
end)
