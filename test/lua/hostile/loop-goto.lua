-- ends: quarantined
::again:: goto again
