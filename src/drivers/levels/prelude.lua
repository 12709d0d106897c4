local call, _, _, module, port_of, problem = ...

local Relay, DigitalIn, DigitalOut, AnalogIn, AnalogOut
relay, Relay = module('relay')
digitalin, DigitalIn = module('digitalin')
digitalout, DigitalOut = module('digitalout')
analogin, AnalogIn = module('analogin')
analogout, AnalogOut = module('analogout')

-- relay

function Relay:close()
  return problem('level.write', port_of(self), 'state', 1)
end

function Relay:open()
  return problem('level.write', port_of(self), 'state', 0)
end

function Relay:impulse(duration)
  return problem('level.impulse', port_of(self), duration)
end

function Relay:is_closed()
  local state, err = call('level.read', port_of(self), 'state')
  if err ~= nil then
    return false, err
  end
  return state == 1
end

-- digital and analog inputs and outputs

digitalin.LOW, digitalin.HIGH = 0, 1
digitalout.LOW, digitalout.HIGH = 0, 1

function DigitalIn:get_state()
  return call('level.read', port_of(self), 'state')
end

function DigitalIn:read_counter()
  return call('level.read', port_of(self), 'counter')
end

function DigitalIn:reset_counter()
  return problem('level.write', port_of(self), 'counter', 0)
end

function DigitalOut:get_state()
  return call('level.read', port_of(self), 'state')
end

function DigitalOut:set_state(state)
  return problem('level.write', port_of(self), 'state', state)
end

function AnalogIn:get_volts()
  return call('level.read', port_of(self), 'volts')
end

function AnalogIn:get_amps()
  return call('level.read', port_of(self), 'amps')
end

function AnalogIn:get_temperature()
  return call('level.read', port_of(self), 'temperature')
end

function AnalogOut:set_volts(volts)
  return problem('level.write', port_of(self), 'volts', volts)
end

function AnalogOut:set_amps(amps)
  return problem('level.write', port_of(self), 'amps', amps)
end
