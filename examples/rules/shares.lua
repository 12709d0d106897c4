-- A module: what several rules of a site do in the same way. As a rule it stays disabled; others write require('shares').
local shares = {}

-- What each of the batteries gets of a power, by its size in kWh.
function shares.of(power, sizes)
  local total = 0
  for _, size in pairs(sizes) do
    total = total + size
  end
  local parts = {}
  for name, size in pairs(sizes) do
    parts[name] = math.floor(power * size / total)
  end
  return parts
end

return shares
