-- ends: runs
enapter.send_telemetry({['\0\255'] = '\0\255\254'})
enapter.log('\0\255\27[31m')
enapter.log('done')
