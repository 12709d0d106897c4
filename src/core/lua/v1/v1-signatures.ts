// What the host of device/1.0 has instead of, or besides, that of device/3.0. A table that is named here replaces the one
// of device/3.0; `enapter` and `system` are changed in place. Codes are numbers, and 0 is success.

export const V1_TABLES: Readonly<Record<string, string>> = {
  storage: "Texts that survive restarts.",
  modbus: "Modbus on the line that `rs485.init` or `rs232.init` has set up.",
  modbustcp: "Modbus TCP.",
  modbusrtu: "Modbus on a serial port.",
  "modbusrtu.Options": "The settings of a line.",
  "modbustcp.Client": "A client of `modbustcp` or `modbusrtu`.",
  rs485: "The RS-485 line.",
  rs232: "The RS-232 line.",
  can: "The CAN bus.",
  rl6: "Six relays.",
  rl: "A single relay. Here nil is success.",
  di7: "Seven digital inputs.",
  ai4: "Four analog inputs.",
  led: "A light that does not exist here.",
  ucm: "Other modules, which cannot be reached here.",
  "ucm.Peer": "Another module.",
};

/** Globals of device/3.0 that this host lacks. */
export const V1_MISSING: readonly string[] = ["runtime_version"];

const UNIT = "unit: integer, register: integer";
const READS = ["read_holdings", "read_inputs", "read_coils", "read_discrete_inputs"];
const WRITES = ["write_holding", "write_coil"];
const WRITES_MANY = ["write_multiple_holdings", "write_multiple_coils"];

const modbusCalls = (owner: string): readonly (readonly [string, string])[] => [
  ...READS.map(
    (name) =>
      [
        `${owner}${name}(${UNIT}, count: integer, ms?: number): integer[]?, integer`,
        "Returns a list and a code.",
      ] as const,
  ),
  ...WRITES.map((name) => [`${owner}${name}(${UNIT}, value: any, ms?: number): integer`, "Returns a code."] as const),
  ...WRITES_MANY.map(
    (name) => [`${owner}${name}(${UNIT}, values: any[], ms?: number): integer`, "Returns a code."] as const,
  ),
];

const WITH_CODES = "enapter storage modbus modbustcp modbusrtu rs485 rs232 can rl6 rl di7 ai4 led ucm".split(" ");

const line = (name: string): readonly (readonly [string, string])[] => [
  [
    `${name}.init(baud_rate: integer, data_bits: integer, parity: string, stop_bits: integer, buffer_size?: integer): integer`,
    "Sets the line up; `modbus` then uses it.",
  ],
  [`${name}.send(data: string|number, flush?: boolean): integer`, "Sends bytes; returns a code."],
  [`${name}.receive(ms?: number, max?: integer): string?, integer`, "Returns the bytes that arrive, and a code."],
];

export const V1_SIGNATURES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    WITH_CODES.map((name) => [`${name}.err_to_str(code?: integer): string`, "Returns the words of a code."]),
  ),
  "enapter.send_telemetry(values: enapter.Telemetry): integer": "Sends values by attribute name; returns a code.",
  "enapter.send_properties(values: enapter.Properties): integer": "Sends properties by name; returns a code.",
  "system.delay(ms?: number)": "Waits for so many milliseconds, 1000 if none are given.",
  "storage.read(key: string): string?, integer": "Returns the text and a code.",
  "storage.write(key: string, text: string|number): integer": "Stores the text; returns a code.",
  "storage.remove(key: string): integer": "Removes the key; returns a code.",
  "modbus.new(uri: string): modbus.Client?, string?": "Returns a client as in device/3.0.",
  ...Object.fromEntries(modbusCalls("modbus.")),
  "modbustcp.new(address: string): modbustcp.Client": "Returns a client for `host:port`.",
  "modbusrtu.new(port: string, options?: modbusrtu.Options): modbustcp.Client?": "Returns a client, or nil.",
  "modbusrtu.Options.baud_rate: any": "The baud rate.",
  "modbusrtu.Options.data_bits: any": "The data bits.",
  "modbusrtu.Options.parity: any": "`'N'`, `'E'` or `'O'`.",
  "modbusrtu.Options.stop_bits: any": "The stop bits.",
  "modbusrtu.Options.read_timeout: any": "Milliseconds.",
  ...Object.fromEntries(modbusCalls("modbustcp.Client:")),
  "modbustcp.Client:err_to_str(code?: integer): string": "Returns the words of a code.",
  ...Object.fromEntries(line("rs485")),
  ...Object.fromEntries(line("rs232")),
  "can.new(uri: string): can.Client?, string?": "Returns a CAN bus as in device/3.0.",
  "can.init(kbps: integer, handler?: fun(id: integer, data: string)): integer":
    "Opens the bus, and calls the function for each frame.",
  "can.send(id: integer, data: string|integer): integer": "Sends a frame; returns a code.",
  "rl6.get(channel: integer): boolean?, integer": "Returns whether the relay is closed, and a code.",
  "rl6.open(channel: integer): integer": "Opens the relay; returns a code.",
  "rl6.close(channel: integer): integer": "Closes the relay; returns a code.",
  "rl6.impulse(channel: integer, ms: number): integer": "Changes the relay for a while; returns a code.",
  "rl6.open_all(): integer": "Opens all relays; returns a code.",
  "rl6.close_all(): integer": "Closes all relays; returns a code.",
  "rl6.set_all(...: any): integer": "Sets all relays; returns a code.",
  "rl.is_closed(): boolean?, integer?": "Returns whether the relay is closed.",
  "rl.open(): integer?": "Opens the relay; returns nil or a code.",
  "rl.close(): integer?": "Closes the relay; returns nil or a code.",
  "rl.impulse(ms: number): integer?": "Changes the relay for a while; returns nil or a code.",
  "di7.is_closed(input: integer): boolean?, integer": "Returns whether the contact is closed, and a code.",
  "di7.is_opened(input: integer): boolean?, integer": "Returns whether the contact is open, and a code.",
  "di7.read_counter(input: integer): integer?, integer?, integer":
    "Returns the count, the seconds since it was set, and a code.",
  "di7.set_counter(input: integer, count: integer): integer": "Sets the counter; returns a code.",
  "di7.set_debounce(...: any): integer": "Does nothing here; returns a code.",
  "ai4.read_volts(input: integer): number?, integer": "Returns the voltage and a code.",
  "ai4.read_milliamps(input: integer): number?, integer": "Returns the current in ampere, and a code.",
  "led.on(...: any): integer": "Does nothing here.",
  "led.off(...: any): integer": "Does nothing here.",
  "led.blink(...: any): integer": "Does nothing here.",
  "ucm.new(id: string, channel?: any): ucm.Peer": "Returns another module, which cannot be reached.",
  "ucm.Peer:execute_command(...: any): nil, nil, string": "Returns nil, nil and an error text.",
  "inspect(value: any, options?: table): string": "Returns a value as text.",
};
