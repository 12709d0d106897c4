-- ends: failed
error(nil)
