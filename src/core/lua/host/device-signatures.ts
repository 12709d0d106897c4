// The device's own part of the register of the host: the device, jobs, configuration, storage, time and JSON.
// parse-signature.ts explains the notation.

/** Tables and classes, in the order of the documentation. A class has a capital letter. */
export const DEVICE_TABLES: Readonly<Record<string, string>> = {
  enapter: "The device that the script speaks for; `device` is the same table.",
  "enapter.CommandContext": "What a command handler gets first. Its functions also work with a colon.",
  "enapter.Child": "A child device that the script speaks for.",
  "enapter.ChildConfiguration": "The configuration of a child, by bucket.",
  "enapter.ChildAbout": "What a child is, if it has to be added.",
  scheduler: "Jobs that repeat.",
  configuration: "The configuration of the device, by bucket.",
  storage: "Texts that survive restarts.",
  system: "Time.",
  json: "JSON texts.",
  os: "Dates and times. Nothing else of Lua's `os` exists.",
  "os.Date": "A date by its parts.",
};

/** Names of types. A blueprint's own stubs replace those of `enapter` and `configuration` by what its manifest declares. */
export const DEVICE_ALIASES: Readonly<Record<string, string>> = {
  "enapter.Severity": "'debug'|'info'|'warning'|'warn'|'error'",
  "enapter.Telemetry": "table<string, any>",
  "enapter.Properties": "table<string, any>",
  "enapter.CommandName": "string",
  "configuration.Bucket": "string",
};

export const DEVICE_SIGNATURES: Readonly<Record<string, string>> = {
  "runtime_version: string": "Always `'v3'`.",
  "device: enapter": "The same table as `enapter`.",

  "enapter.main: fun()?": "Set by the script; called once after its file has run.",
  "enapter.send_telemetry(values: enapter.Telemetry): string?":
    "Sends values by attribute name; returns nil or an error text.",
  "enapter.send_properties(values: enapter.Properties): string?":
    "Sends properties by name; returns nil or an error text.",
  "enapter.log(text: any, severity?: enapter.Severity, persist?: boolean)":
    "Writes to the device log, a table as JSON; `persist` keeps the line longer.",
  "enapter.register_command_handler(name: enapter.CommandName, handler: fun(ctx: enapter.CommandContext, args: table): table?)":
    "Calls the function when the command arrives; the table that it returns is the payload of the success.",
  "enapter.on_connection_status_changed(callback: fun(is_connected: boolean))":
    "Calls the function when the connection to the cloud is made or lost.",
  "enapter.get_connection_status(): boolean": "Returns whether the connection to the cloud exists.",
  "enapter.register_child(slug: string, about?: enapter.ChildAbout): enapter.Child?, string?":
    "Returns the child with this slug, or nil and an error text.",

  "enapter.CommandContext.error(message?: any)": "Ends the handler and fails the command with this text or payload.",
  "enapter.CommandContext.log(message: any, severity?: enapter.Severity)": "Reports progress of the command.",

  "enapter.Child.configuration: enapter.ChildConfiguration": "The configuration of the child.",
  "enapter.Child:send_telemetry(values: table<string, any>): string?": "Sends telemetry of the child.",
  "enapter.Child:send_properties(values: table<string, any>): string?": "Sends properties of the child.",
  "enapter.Child:log(text: any, severity?: enapter.Severity, persist?: boolean)": "Writes to the log of the child.",
  "enapter.Child:register_command_handler(name: string, handler: fun(ctx: enapter.CommandContext, args: table): table?)":
    "Calls the function when the command arrives for the child.",
  "enapter.ChildConfiguration.read(bucket: string): table?, string?":
    "Returns the values of the bucket with defaults applied, or nil and an error text.",
  "enapter.ChildConfiguration.is_all_required_set(bucket: string): boolean":
    "Returns whether every required value of the bucket is set.",
  "enapter.ChildConfiguration.after_write(bucket: string, callback: fun())":
    "Calls the function after the bucket was written.",
  "enapter.ChildAbout.name: string?": "Its display name.",
  "enapter.ChildAbout.child_type: string?": "What kind of child it is.",
  "enapter.ChildAbout.blueprint_id: string?": "The blueprint that it gets.",

  "scheduler.add(period: number, job: fun()): integer":
    "Runs the function every so many milliseconds; returns the id of the job.",
  "scheduler.remove(id?: integer)": "Ends the job.",

  "configuration.read(bucket: configuration.Bucket): table?, string?":
    "Returns the values of the bucket with defaults applied, or nil and an error text.",
  "configuration.is_all_required_set(bucket: configuration.Bucket): boolean":
    "Returns whether every required value of the bucket is set.",
  "configuration.after_write(bucket: configuration.Bucket, callback: fun())":
    "Calls the function after the bucket was written.",

  "storage.read(key: string): string?, string?": "Returns the text, or nil and `'NotFound'`.",
  "storage.write(key: string, text: string|number): string?":
    "Stores the text and returns when it is on disk; returns nil or an error text.",
  "storage.remove(key: string): string?": "Removes the key; returns nil or an error text.",

  "system.uptime(): number": "Returns the seconds since the script started.",
  "system.delay(ms: number)": "Waits for so many milliseconds, at most 5000.",

  "json.encode(value: any): string": "Returns the value as JSON; raises an error for a value without a JSON form.",
  "json.decode(text: string): any, string?": "Returns the value of the text, or nil and an error text.",

  "os.time(when?: os.Date): integer": "Returns the seconds since 1970, now or at a date.",
  "os.date(format?: string, time?: number): string|os.Date": "Returns a time as text, or by its parts for `'*t'`.",
  "os.clock(): number": "Returns seconds of real time since the script started.",
  "os.difftime(later: number, earlier?: number): number": "Returns the seconds between two times.",
  "os.getenv(name?: string): nil": "Returns nil: scripts have no environment.",
  "os.Date.year: integer": "The year.",
  "os.Date.month: integer": "The month, from 1.",
  "os.Date.day: integer": "The day of the month.",
  "os.Date.hour: integer?": "The hour; 12 if it is left out.",
  "os.Date.min: integer?": "The minute.",
  "os.Date.sec: integer?": "The second.",
  "os.Date.wday: integer?": "The day of the week; Sunday is 1.",
  "os.Date.yday: integer?": "The day of the year.",
  "os.Date.isdst: boolean?": "Whether daylight saving time is in effect.",

  "math.pow(x: number, y: number): number": "Returns `x ^ y`, as in Lua 5.2.",
  "math.log10(x: number): number": "Returns the logarithm to base 10, as in Lua 5.1.",
  "math.ldexp(x: number, exponent: integer): number": "Returns `x * 2 ^ exponent`, as in Lua 5.2.",
  "math.frexp(x: number): number, integer": "Returns the fraction and the exponent of a number, as in Lua 5.2.",
  "math.cosh(x: number): number": "Returns the hyperbolic cosine, as in Lua 5.2.",
  "math.sinh(x: number): number": "Returns the hyperbolic sine, as in Lua 5.2.",
  "math.tanh(x: number): number": "Returns the hyperbolic tangent, as in Lua 5.2.",
  "coroutine.close(co: thread): boolean, any": "Closes a suspended coroutine, as in Lua 5.4.",
};
