const UNIT = "unit: integer, register: integer";

/** Tables and classes, in the order of the documentation. A class has a capital letter. */
export const tables = {
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
};

/** core/lua/host/parse-signature.ts explains the notation. */
export const signatures = {
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
};
