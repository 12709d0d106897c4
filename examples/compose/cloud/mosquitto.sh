#!/bin/sh
# Runs Mosquitto, and makes it read the passwords and rules of devices again when Busbar has written others.
mosquitto -c /mosquitto/config/mosquitto.conf &
pid=$!
trap 'kill "$pid"' TERM INT
last=$(cat /broker/passwords /broker/acl | md5sum)
while kill -0 "$pid" 2>/dev/null; do
  sleep 5 &
  wait $!
  now=$(cat /broker/passwords /broker/acl | md5sum)
  [ "$now" = "$last" ] || kill -HUP "$pid"
  last=$now
done
wait "$pid"
