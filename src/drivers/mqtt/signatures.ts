/** Tables and classes, in the order of the documentation. A class has a capital letter. */
export const tables = {
  mqtt: "MQTT brokers of other systems on the site. An addition of Busbar.",
  "mqtt.Options": "How a client signs in.",
  "mqtt.PublishOptions": "How a message is published.",
  "mqtt.SubscribeOptions": "How a subscription is made.",
  "mqtt.Client": "A connection to a broker. It connects again by itself.",
  "mqtt.Message": "A message that has arrived.",
};

/** core/lua/host/parse-signature.ts explains the notation. */
export const signatures = {
  "mqtt.new(uri: string, options?: mqtt.Options): mqtt.Client?, string?":
    "Returns a client for `mqtt://host:1883` or `mqtts://host:8883`, or nil and an error text.",
  "mqtt.Options.username: string?": "The name to sign in with.",
  "mqtt.Options.password: string?": "The password to sign in with.",
  "mqtt.Options.client_id: string?": "The name of the session.",
  "mqtt.Options.insecure_tls: boolean?": "True accepts any certificate.",
  "mqtt.PublishOptions.qos: (0|1)?": "With 1 the call returns when the broker has the message.",
  "mqtt.PublishOptions.retain: boolean?": "Whether the broker keeps the message.",
  "mqtt.PublishOptions.timeout: number?": "Milliseconds; 5000 by default.",
  "mqtt.SubscribeOptions.qos: (0|1)?": "The highest quality of its messages.",
  "mqtt.SubscribeOptions.timeout: number?": "Milliseconds; 5000 by default.",
  "mqtt.Client:publish(topic: string, payload: string, options?: mqtt.PublishOptions): string?":
    "Publishes a message; returns nil or an error text.",
  "mqtt.Client:subscribe(filter: string, options?: mqtt.SubscribeOptions): string?":
    "Subscribes to topics; returns nil or an error text.",
  "mqtt.Client:unsubscribe(filter: string, options?: mqtt.SubscribeOptions): string?":
    "Ends a subscription; returns nil or an error text.",
  "mqtt.Client:pop(): mqtt.Message[]?, string?": "Returns every message since the last call, oldest first.",
  "mqtt.Client:drops_count(): integer?, string?": "Returns how many messages were dropped since the last call.",
  "mqtt.Client:is_connected(): boolean": "Returns whether the client is connected.",
  "mqtt.Message.topic: string": "Its topic.",
  "mqtt.Message.payload: string": "Its bytes.",
};
