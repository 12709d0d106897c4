// The drivers' part of the register of the host: what reaches devices, servers and ports. parse-signature.ts explains the
// notation.

/** Tables and classes, in the order of the documentation. A class has a capital letter. */
export const DRIVER_TABLES: Readonly<Record<string, string>> = {
  modbus: "Modbus over TCP and serial lines.",
  "modbus.Client": "A connection to Modbus units. Registers are numbered from 0, timeouts are in milliseconds.",
  "modbus.ReadQuery": "One of the queries of `client:read`.",
  "modbus.ReadResult": "The result of a query: its data, or what went wrong.",
  "modbus.WriteQuery": "One of the queries of `client:write`.",
  "modbus.WriteResult": "The result of a query: empty, or what went wrong.",
  "modbus.Map": "Registers of a device by name.",
  "modbus.MapOptions": "How a map runs.",
  "modbus.MapReading": "What a map has read. Values that could not be read are absent.",
  sunspec: "Modbus devices that follow SunSpec. An addition of Busbar.",
  "sunspec.Device": "A device with its SunSpec models.",
  "sunspec.Model": "A model that the device has.",
  http: "HTTP and HTTPS.",
  "http.ClientOptions": "How a client works.",
  "http.Client": "A client with options of its own.",
  "http.Request": "A request that is not sent yet.",
  "http.Response": "An answer, whatever its code.",
  "http.Headers": "The headers of an answer. A name is found however it is written.",
  "http.Cookie": "A cookie that an answer sets.",
  serial: "Serial lines.",
  "serial.Client": "An open serial line.",
  can: "CAN buses.",
  "can.Client": "An open CAN bus.",
  "can.Monitor": "Keeps the latest frame of each id.",
  "can.Queue": "Keeps the frames of each id until they are taken.",
  relay: "Relays.",
  "relay.Client": "A relay.",
  digitalin: "Digital inputs.",
  "digitalin.Client": "A digital input.",
  digitalout: "Digital outputs.",
  "digitalout.Client": "A digital output.",
  analogin: "Analog inputs.",
  "analogin.Client": "An analog input.",
  analogout: "Analog outputs.",
  "analogout.Client": "An analog output.",
  mqtt: "MQTT brokers of other systems on the site. An addition of Busbar.",
  "mqtt.Options": "How a client signs in.",
  "mqtt.PublishOptions": "How a message is published.",
  "mqtt.SubscribeOptions": "How a subscription is made.",
  "mqtt.Client": "A connection to a broker. It connects again by itself.",
  "mqtt.Message": "A message that has arrived.",
};

const UNIT = "unit: integer, register: integer";

export const DRIVER_SIGNATURES: Readonly<Record<string, string>> = {
  "modbus.new(uri: string): modbus.Client?, string?":
    "Returns a client, or nil and an error text; it connects with the first request.",
  [`modbus.Client:read_holdings(${UNIT}, count: integer, timeout?: number): integer[]?, string?`]:
    "Reads holding registers, at most 125: numbers from 0 to 65535.",
  [`modbus.Client:read_inputs(${UNIT}, count: integer, timeout?: number): integer[]?, string?`]:
    "Reads input registers, at most 125: numbers from 0 to 65535.",
  [`modbus.Client:read_coils(${UNIT}, count: integer, timeout?: number): integer[]?, string?`]:
    "Reads coils, at most 2000: 0 or 1 each.",
  [`modbus.Client:read_discrete_inputs(${UNIT}, count: integer, timeout?: number): integer[]?, string?`]:
    "Reads discrete inputs, at most 2000: 0 or 1 each.",
  [`modbus.Client:write_holding(${UNIT}, value: integer, timeout?: number): string?`]:
    "Writes one holding register, from -32768 to 65535; returns nil or an error text.",
  [`modbus.Client:write_coil(${UNIT}, value: integer|boolean, timeout?: number): string?`]:
    "Writes one coil: 0 and false are off; returns nil or an error text.",
  [`modbus.Client:write_multiple_holdings(${UNIT}, values: integer[], timeout?: number): string?`]:
    "Writes holding registers, at most 123; returns nil or an error text.",
  [`modbus.Client:write_multiple_coils(${UNIT}, values: (integer|boolean)[], timeout?: number): string?`]:
    "Writes coils, at most 1968; returns nil or an error text.",
  "modbus.Client:read(queries: modbus.ReadQuery[]): modbus.ReadResult[]?, string?":
    "Runs at most 256 queries; returns a result for each of them, in order.",
  "modbus.Client:write(queries: modbus.WriteQuery[]): modbus.WriteResult[]?, string?":
    "Runs at most 256 queries; returns a result for each of them, in order.",
  "modbus.ReadQuery.type: 'holdings'|'inputs'|'coils'|'discrete_inputs'": "What to read.",
  "modbus.ReadQuery.addr: integer": "The unit.",
  "modbus.ReadQuery.reg: integer": "The first register.",
  "modbus.ReadQuery.count: integer": "How many.",
  "modbus.ReadQuery.timeout: number?": "Milliseconds.",
  "modbus.ReadResult.data: integer[]?": "The numbers, also reachable by index.",
  "modbus.ReadResult.errmsg: string?": "What went wrong.",
  "modbus.ReadResult.errcode: string?": "The kind of failure, such as `'timeout'`.",
  "modbus.ReadResult[integer]: integer": "The numbers of `data`.",
  "modbus.WriteQuery.type: 'holding'|'coil'|'multiple_holdings'|'multiple_coils'": "What to write.",
  "modbus.WriteQuery.addr: integer": "The unit.",
  "modbus.WriteQuery.reg: integer": "The first register.",
  "modbus.WriteQuery.value: (integer|boolean)?": "The value of `holding` and `coil`.",
  "modbus.WriteQuery.values: (integer|boolean)[]?": "The values of `multiple_holdings` and `multiple_coils`.",
  "modbus.WriteQuery.timeout: number?": "Milliseconds.",
  "modbus.WriteResult.errmsg: string?": "What went wrong.",
  "modbus.WriteResult.errcode: string?": "The kind of failure, such as `'timeout'`.",
  "modbus.map(map: string|table, connection_uri?: string): modbus.Map?, string?":
    "Returns a register map from a file, a text or a table, or nil and an error text.",
  "modbus.Map:run(options?: modbus.MapOptions)":
    "Reads each group at its interval, sends what it has read, and handles the commands of the map.",
  "modbus.Map:read(group?: string): modbus.MapReading?, string?": "Reads a group, or all of them.",
  "modbus.Map:write(command: string, arguments?: table<string, any>): string?":
    "Writes what a command of the map writes; returns nil or an error text.",
  "modbus.MapOptions.alert: string?": "The alert that is active while the device does not answer.",
  "modbus.MapReading.telemetry: table<string, any>": "Values by attribute.",
  "modbus.MapReading.properties: table<string, any>": "Values by property.",
  "modbus.MapReading.alerts: string[]": "The active alerts.",
  "modbus.MapReading.failures: string[]": "What could not be read, and why.",
  "modbus.MapReading.is_silent: boolean": "Whether some request got no answer.",

  "sunspec.find(client: modbus.Client, unit: integer, timeout?: number): sunspec.Device?, string?":
    "Finds the models of a unit; returns nil and an error text if it has none.",
  "sunspec.Device:model(...: integer): sunspec.Model?": "Returns the first of these models that the device has.",
  "sunspec.Device:read(...: integer): table<string, any>?, string?":
    "Reads the first of these models that the device has: values by the names of SunSpec, scaled.",
  "sunspec.Device:write(model: integer, values: table<string, any>): string?":
    "Writes points of a model; returns nil or an error text.",
  "sunspec.Device.base: integer": "The register of the marker.",
  "sunspec.Device.models: sunspec.Model[]": "All models, in order.",
  "sunspec.Model.id: integer": "The number of the model.",
  "sunspec.Model.address: integer": "The first register of its data.",
  "sunspec.Model.length: integer": "How many registers of data it has.",
  "sunspec.Model.name: string?": "What it is, if Busbar knows it.",

  "http.get(url: string): http.Response?, string?": "Sends a GET with the default client.",
  "http.post(url: string, content_type?: string, body?: string): http.Response?, string?":
    "Sends a POST with the default client.",
  "http.post_form(url: string, fields: table<string, any>): http.Response?, string?":
    "Sends a form with the default client.",
  "http.client(options?: http.ClientOptions): http.Client": "Returns a client with options of its own.",
  "http.request(method: string, url: string, body?: string): http.Request":
    "Returns a request for `client:do_request`.",
  "http.ClientOptions.timeout: number?": "Seconds; 10 by default, at most 60.",
  "http.ClientOptions.insecure_tls: boolean?": "True accepts any certificate.",
  "http.ClientOptions.enable_cookie_jar: boolean?": "True keeps cookies between requests.",
  "http.Client:get(url: string): http.Response?, string?": "Sends a GET.",
  "http.Client:post(url: string, content_type?: string, body?: string): http.Response?, string?": "Sends a POST.",
  "http.Client:post_form(url: string, fields: table<string, any>): http.Response?, string?": "Sends a form.",
  "http.Client:do_request(request: http.Request): http.Response?, string?": "Sends a request.",
  "http.Request.method: string": "Its method.",
  "http.Request.url: string": "Its address.",
  "http.Request.body: string?": "Its body.",
  "http.Request.headers: table": "What `set_header` has set.",
  "http.Request:set_header(name: string, value: any): string?": "Sets a header; returns nil or an error text.",
  "http.Request:set_basic_auth(username: string, password: string)": "Sets the header for a login.",
  "http.Request:add_cookie(name: string, value: any)": "Adds a cookie.",
  "http.Response.code: integer": "The status, such as 200.",
  "http.Response.body: string": "The unchanged bytes.",
  "http.Response.headers: http.Headers": "The headers.",
  "http.Response.cookies: http.Cookie[]": "The cookies that it sets.",
  "http.Headers:get(name: string): string?": "Returns the first value of a header.",
  "http.Headers:values(name: string): string[]": "Returns all values of a header.",
  "http.Headers[string]: string[]": "All values of a header.",
  "http.Cookie.name: string": "Its name.",
  "http.Cookie.value: string": "Its value.",
  "http.Cookie.expires: string?": "Until when it is valid.",

  "serial.new(uri: string): serial.Client?, string?": "Returns a serial line, or nil and an error text.",
  "serial.Client:read(count: integer, timeout?: number): string?, string?":
    "Returns exactly so many bytes, or nil and an error text after the timeout in milliseconds.",
  "serial.Client:write(data: string): string?": "Sends the bytes; returns nil or an error text.",
  "serial.Client:flush(): string?": "Drops the bytes that have arrived; returns nil or an error text.",
  "serial.Client:transaction(action: fun(): any): any, string?":
    "Runs the function while no other device uses the port; returns what it returns, or nil and an error text.",

  "can.new(uri: string): can.Client?, string?": "Returns a CAN bus, or nil and an error text.",
  "can.DROP_OLDEST: integer": "A full queue drops its oldest frame.",
  "can.DROP_NEWEST: integer": "A full queue drops the frame that arrives.",
  "can.Client:send(id: integer, data: string): string?":
    "Sends a frame of at most 8 bytes; an id above 0x7FF is an extended one.",
  "can.Client:monitor(ids: integer[]): can.Monitor?, string?": "Returns a monitor of these ids.",
  "can.Client:queue(ids: integer[], size: integer, policy?: integer): can.Queue?, string?":
    "Returns a queue that keeps so many frames of each id.",
  "can.Monitor:pop(ids: integer[]): table<integer, string>?, string?":
    "Returns the latest frames in the order of the ids, nil where none has arrived.",
  "can.Queue:pop(id: integer): string[]?, string?": "Returns all frames of an id, oldest first.",
  "can.Queue:drops_count(id: integer): integer?, string?": "Returns how many frames were dropped since the last call.",

  "relay.new(uri: string): relay.Client?, string?": "Returns a relay, or nil and an error text.",
  "relay.Client:close(): string?": "Closes the contact; returns nil or an error text.",
  "relay.Client:open(): string?": "Opens the contact; returns nil or an error text.",
  "relay.Client:impulse(ms: number): string?": "Changes the contact for so many milliseconds, and returns at once.",
  "relay.Client:is_closed(): boolean, string?": "Returns whether the contact is closed.",

  "digitalin.new(uri: string): digitalin.Client?, string?": "Returns an input, or nil and an error text.",
  "digitalin.LOW: integer": "0.",
  "digitalin.HIGH: integer": "1.",
  "digitalin.Client:get_state(): integer?, string?": "Returns `digitalin.LOW` or `digitalin.HIGH`.",
  "digitalin.Client:read_counter(): integer?, string?": "Returns the impulses so far.",
  "digitalin.Client:reset_counter(): string?": "Sets the counter to 0; returns nil or an error text.",

  "digitalout.new(uri: string): digitalout.Client?, string?": "Returns an output, or nil and an error text.",
  "digitalout.LOW: integer": "0.",
  "digitalout.HIGH: integer": "1.",
  "digitalout.Client:get_state(): integer?, string?": "Returns `digitalout.LOW` or `digitalout.HIGH`.",
  "digitalout.Client:set_state(state: integer): string?": "Sets the output; returns nil or an error text.",

  "analogin.new(uri: string): analogin.Client?, string?": "Returns an input, or nil and an error text.",
  "analogin.Client:get_volts(): number?, string?": "Returns the voltage.",
  "analogin.Client:get_amps(): number?, string?": "Returns the current.",
  "analogin.Client:get_temperature(): number?, string?": "Returns the temperature.",

  "analogout.new(uri: string): analogout.Client?, string?": "Returns an output, or nil and an error text.",
  "analogout.Client:set_volts(volts: number): string?": "Sets the voltage; returns nil or an error text.",
  "analogout.Client:set_amps(amps: number): string?": "Sets the current; returns nil or an error text.",

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
