-- ends: runs
if string.dump or ('').dump then enapter.log('ESCAPED') end
enapter.log('done')
