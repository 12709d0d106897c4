local client = http.client({ timeout = 3, enable_cookie_jar = true })

function main()
  scheduler.add(1000, function()
    local response = http.get('http://box.local/state')
    if response == nil then return end
    enapter.send_telemetry({
      realm = response.headers['Www-Authenticate'][1], kind = response.headers:get('content-type'),
    })
  end)
  enapter.register_command_handler('send', function(ctx, args)
    local request = http.request('POST', 'http://box.local/limit', json.encode({ watts = args.watts }))
    request:set_header('Content-Type', 'application/json')
    request:set_basic_auth('user', 'secret')
    request:add_cookie('a', 'b')
    local response, err = client:do_request(request)
    if err ~= nil then ctx.error(err) end
    local second = http.post('http://box.local/log', 'text/plain', 'limit')
    return { code = response.code, logged = second.code }
  end)
end

main()
