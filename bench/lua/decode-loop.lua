-- Runs the decoder COUNT times over registers that change, as a job would; under lua5.3 and in our interpreter alike.
local decode, count = ...
local electric, energy, temperatures, flags = {}, {}, {}, { 2, 5 }
for i = 1, 24 do electric[i] = i % 2 == 1 and 17254 or i * 100 end
for i = 1, 16 do energy[i] = i end
for i = 1, 12 do temperatures[i] = 200 + i end
local sum = 0
for i = 1, count do
  electric[2] = i % 65536
  sum = sum + decode({ electric, energy, temperatures, flags }).l1_voltage
end
return sum
