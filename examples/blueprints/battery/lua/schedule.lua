-- When to charge and when to discharge: a list of { days, from, to, power }, power positive to discharge, as schemas/schedule.json has it.
local schedule = {}

local DAYS = { 'sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat' }

local function minutes(clock)
  local hour, minute = clock:match('^(%d+):(%d+)$')
  return tonumber(hour) * 60 + tonumber(minute)
end

local function has(list, value)
  for _, one in ipairs(list) do
    if one == value then return true end
  end
  return false
end

-- An entry from 22:00 to 06:00 belongs to the day on which it begins.
local function holds(entry, today, yesterday, minute)
  local from, to = minutes(entry.from), minutes(entry.to)
  if from < to then return has(entry.days, today) and minute >= from and minute < to end
  return has(entry.days, today) and minute >= from or has(entry.days, yesterday) and minute < to
end

-- W that the first entry wants now; nil when none does.
function schedule.power_at(entries, now)
  local time = os.date('*t', now)
  local minute = time.hour * 60 + time.min
  local today, yesterday = DAYS[time.wday], DAYS[(time.wday + 5) % 7 + 1]
  for _, entry in ipairs(entries) do
    if holds(entry, today, yesterday, minute) then return entry.power end
  end
  return nil
end

return schedule
