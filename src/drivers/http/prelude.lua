-- http: requests are plain tables until they are sent.
local call = ...
local setmetatable, pairs, tostring, type, error = setmetatable, pairs, tostring, type, error
local format, byte, gsub, lower, upper = string.format, string.byte, string.gsub, string.lower, string.upper
local insert, concat, sort = table.insert, table.concat, table.sort
local rawget = rawget

local function canonical(name)
  return (gsub(lower(tostring(name)), '%f[%w]%l', upper))
end

local Headers = {}
local headers_meta = {
  -- Names are found however they are written.
  __index = function(headers, name)
    return Headers[name] or rawget(headers, canonical(name))
  end,
}

function Headers:values(name)
  return rawget(self, canonical(name)) or {}
end

function Headers:get(name)
  return Headers.values(self, name)[1]
end

local BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

local function base64(text)
  local out = {}
  for at = 1, #text, 3 do
    local a, b, c = byte(text, at, at + 2)
    local bits = (a << 16) | ((b or 0) << 8) | (c or 0)
    for shift = 18, 0, -6 do
      local index = ((bits >> shift) & 63) + 1
      insert(out, BASE64:sub(index, index))
    end
    if not b then
      out[#out - 1] = '='
    end
    if not c then
      out[#out] = '='
    end
  end
  return concat(out)
end

local function url_encode(text)
  return (gsub(tostring(text), '[^%w%-_%.~]', function(c)
    if c == ' ' then
      return '+'
    end
    return format('%%%02X', byte(c))
  end))
end

local function form_encode(fields)
  local parts = {}
  for name, value in pairs(fields) do
    insert(parts, url_encode(name) .. '=' .. url_encode(value))
  end
  -- In one order, whatever that of the table is.
  sort(parts)
  return concat(parts, '&')
end

local Request = {}
Request.__index = Request
Request.__name = 'http request'

-- These belong to the connection. A request goes without a script's own.
local OWN_HEADERS = {
  connection = true, ['content-length'] = true, ['transfer-encoding'] = true, upgrade = true, te = true,
  trailer = true, expect = true, ['keep-alive'] = true, ['proxy-connection'] = true,
}

function Request:set_header(name, value)
  if OWN_HEADERS[lower(tostring(name))] then
    return 'header ' .. tostring(name) .. ' belongs to the connection: the request is sent without it'
  end
  self.headers[lower(tostring(name))] = { tostring(name), tostring(value) }
end

function Request:set_basic_auth(username, password)
  self:set_header('Authorization', 'Basic ' .. base64(tostring(username) .. ':' .. tostring(password)))
end

function Request:add_cookie(name, value)
  local given = self.headers['cookie']
  local pair = tostring(name) .. '=' .. tostring(value)
  self:set_header('Cookie', given and (given[2] .. '; ' .. pair) or pair)
end

local Client = {}
Client.__index = Client
Client.__name = 'http client'

local last_jar = 0

http = {}

function http.request(method, url, body)
  return setmetatable({ method = method, url = url, body = body, headers = {} }, Request)
end

function http.client(options)
  options = options or {}
  if type(options) ~= 'table' then
    error('options must be a table', 2)
  end
  local client = { timeout = options.timeout, insecure_tls = options.insecure_tls }
  if options.enable_cookie_jar then
    last_jar = last_jar + 1
    client.jar = last_jar
  end
  return setmetatable(client, Client)
end

function Client:do_request(request)
  if type(request) ~= 'table' or type(request.headers) ~= 'table' then
    return nil, 'request must be made by http.request()'
  end
  local headers = {}
  for _, header in pairs(request.headers) do
    insert(headers, header)
  end
  local response, err = call(
    'http.send',
    request.method,
    request.url,
    headers,
    request.body,
    self.timeout,
    self.insecure_tls,
    self.jar
  )
  if err ~= nil then
    return nil, err
  end
  setmetatable(response.headers, headers_meta)
  return response
end

function Client:get(url)
  return self:do_request(http.request('GET', url))
end

function Client:post(url, content_type, body)
  local request = http.request('POST', url, body)
  if content_type ~= nil then
    request:set_header('Content-Type', content_type)
  end
  return self:do_request(request)
end

function Client:post_form(url, form_data)
  if type(form_data) ~= 'table' then
    return nil, 'form_data must be a table'
  end
  return self:post(url, 'application/x-www-form-urlencoded', form_encode(form_data))
end

local default = http.client()

function http.get(url)
  return default:get(url)
end

function http.post(url, content_type, body)
  return default:post(url, content_type, body)
end

function http.post_form(url, form_data)
  return default:post_form(url, form_data)
end
