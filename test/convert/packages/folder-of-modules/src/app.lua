local tens = require('parts.tens')
local count = 0
return {
  next = function()
    count = count + 1
    return tens.of(count)
  end,
}
