-- Asks a server each hour how much sun to expect, and keeps the answer in a variable. An old answer is better than none.
schedule('1h', function()
  local response, problem = http.client({ timeout = 5 }):get('http://10.0.0.9/forecast?key=' .. RULE_ID)
  if response == nil or response.code ~= 200 then
    explain('no forecast: ' .. (problem or 'status ' .. response.code))
    return
  end
  local forecast = json.decode(response.body)
  variables.set('expected_kwh', forecast.kwh)
  explain('expects ' .. forecast.kwh .. ' kWh')
end)
