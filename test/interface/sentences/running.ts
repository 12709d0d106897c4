import { section } from "../sentence.ts";

export const mqtt = section("mqtt", "Device protocol over MQTT", {
  "version-3-1-1": "The embedded broker speaks MQTT 3.1.1.",
  "external-broker": "An external broker works with MQTT 3.1.1 and 5.",
  "empty-client-id": "A device may have an empty client id and no will.",
  "qos-0-or-1": "A device may use QoS 0 or 1.",
  "two-connections": "A device may have two connections with one login.",
  telemetry:
    "v1/from/<hardware_id>/<channel_id>/v1/telemetry takes values, with a timestamp in Unix seconds, default now.",
  properties: "v1/register and v1/properties take properties.",
  logs: "v3/logs takes timestamp, message, severity and persist.",
  requests: "v1/to/<hardware_id>/<channel_id>/v1/command/requests carries id, the manifest name and arguments.",
  responses: "v1/command/responses takes id, state log, completed or error, and a payload.",
  "response-words": "STARTED, IN_PROGRESS, SUCCEEDED and ERROR are accepted as states too.",
  "started-by-service": "The service records STARTED when it hands the request over.",
  "login-secret": "The login over MQTT is hardware_id and secret.",
  "login-certificate": "The login over MQTTS is a client certificate of the site's own CA.",
  "own-topics-only": "A device touches only its own topics.",
  "duplicate-request": "A duplicate request id does not run twice.",
});

export const running = section("running", "Running it", {
  "one-program": "busbar serve runs a gateway by default, with embedded storage and broker.",
  "role-cloud": "busbar serve --role cloud runs a cloud.",
  demo: "--demo adds a demo site.",
  "bin-busbar": "In a checkout the program is ./bin/busbar.",
  "settings-order": "A flag wins over BUSBAR_*, which wins over busbar.yaml, which wins over the default.",
  "settings-names": "The setting commands.response_timeout is BUSBAR_COMMANDS_RESPONSE_TIMEOUT.",
  "config-command": "busbar config prints each value and where it came from.",
  data: "BUSBAR_DATA is the data folder, ./.busbar by default.",
  address: "BUSBAR_HOST is 127.0.0.1 and BUSBAR_PORT 8080 by default.",
  "mqtt-port": "BUSBAR_MQTT_PORT is 1883 by default, and may be off.",
  "mqtt-url": "BUSBAR_MQTT_URL names an external broker.",
  "database-url": "BUSBAR_DATABASE_URL names a PostgreSQL.",
  "cloud-url": "BUSBAR_CLOUD_URL and BUSBAR_CLOUD_TOKEN link a gateway to its cloud.",
  "admin-token": "BUSBAR_ADMIN_TOKEN sets the admin token.",
  "npm-start": "npm start on a fresh clone installs what is missing and runs the demo.",
  "npm-test": "npm test on a fresh clone installs what is missing, checks and tests everything.",
});
