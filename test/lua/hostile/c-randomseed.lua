-- ends: runs
math.randomseed(1e308)
math.randomseed(0/0)
math.randomseed(-1.5)
pcall(math.random, 5, 1)
pcall(math.random, math.mininteger, math.maxinteger)
enapter.log('done')
