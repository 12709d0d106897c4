// What the script of a rule finds, beside Lua's own library and the parts of the device host that it shares: see device-signatures.ts.
// parse-signature.ts explains the notation.

/** Tables of the device host that a rule has, too. */
export const SHARED_TABLES: readonly string[] = ["scheduler", "storage", "system", "json", "os", "os.Date"];

export const RULE_TABLES: Readonly<Record<string, string>> = {
  enapter: "The site of the rule.",
  "enapter.Device": "A device of the site. Its functions also work with a colon.",
  "enapter.DeviceTelemetry": "What the device measures.",
  "enapter.DeviceCommands": "The commands of the device.",
  "enapter.Event": "Why a function of `on` or `schedule` is called.",
  variables: "Variables of the site.",
  calendar: "Calendars of the site.",
  tariff: "What energy costs at the site.",
  forecast: "What the site is expected to produce and to use: an average of the last days.",
};

export const RULE_SIGNATURES: Readonly<Record<string, string>> = {
  "runtime_version: string": "Always `'v3'`.",
  "RULE_ID: string": "The id of the rule.",
  "TIMEZONE: string": "The time zone of the site.",

  "enapter.log(text: any, severity?: string)": "Writes to the log of the rule.",
  "enapter.device(id_or_slug: string): enapter.Device?, string?": "Returns the device, or nil and why not.",
  "enapter.devices(): enapter.Device[]?, string?": "Returns all devices of the site.",
  "enapter.explain(text: any): boolean?": "Says what the rule does now.",
  "explain(text: any): boolean?": "Says what the rule does now.",

  "enapter.Device.id: string": "Its id.",
  "enapter.Device.slug: string": "Its slug.",
  "enapter.Device.name: string": "Its display name.",
  "enapter.Device.telemetry: enapter.DeviceTelemetry": "What it measures.",
  "enapter.Device.commands: enapter.DeviceCommands": "Its commands.",
  "enapter.Device.online(): boolean?, string?": "Returns whether it is online.",
  "enapter.Device.implements(profile?: string): table<string|integer, any>|boolean?, string?":
    "Returns its profiles as a list and by name, or whether it has this one.",
  "enapter.Device.property(name: string): any, string?": "Returns the value of a property.",
  "enapter.Device.alerts(): string[]?, string?": "Returns the names of its active alerts.",
  "enapter.Device.claim(control: string, value: number|string?, options?: table): boolean?, string?":
    "Claims a control; `lease`, `kind` and `reason` are options.",
  "enapter.Device.release(control?: string, kind?: string): integer?, string?":
    "Ends claims of this rule; returns how many there were.",

  "enapter.DeviceTelemetry.now(name: string, options?: table|string|number): any, string?":
    "Returns the newest value, or nil and `'stale'`.",
  "enapter.DeviceTelemetry.last(name: string): any, number|string?":
    "Returns the newest value of any age, and its time.",
  "enapter.DeviceTelemetry.age(name: string): number?, string?": "Returns the seconds since the newest value.",
  "enapter.DeviceTelemetry.avg(name: string, window: string|number, options?: table): number?, string?":
    "Returns the average of the values in the time until now.",
  "enapter.DeviceTelemetry.min(name: string, window: string|number, options?: table): number?, string?":
    "Returns the least of the values in the time until now.",
  "enapter.DeviceTelemetry.max(name: string, window: string|number, options?: table): number?, string?":
    "Returns the greatest of the values in the time until now.",
  "enapter.DeviceTelemetry.series(name: string, window: string|number, step?: string|number): table[]?, string?":
    "Returns `{time, value}` for each step.",
  "enapter.DeviceCommands.execute(name: string, arguments?: table): string?, any":
    "Executes a command; returns its final state and its payload.",

  "enapter.Event.id: string": "Names rule, trigger and time.",
  "enapter.Event.at: number": "The time, in seconds since 1970.",
  "enapter.Event.why: string": "In words.",
  "enapter.Event.is_on: boolean": "Whether the condition became true.",
  "enapter.Event.values: table<string, any>": "What was looked at, such as `meter.power`.",
  "on(trigger: table, fn: fun(event: enapter.Event), otherwise?: fun(event: enapter.Event)): string?, string?":
    "Calls a function when something happens; returns the id of the trigger.",
  "schedule(times: string|table, fn: fun(event: enapter.Event), options?: table): string?, string?":
    "Calls a function at times; returns the id of the trigger.",
  "off(id: string): boolean?": "Ends a trigger.",
  "notify(text: any, options?: table): boolean?, string?": "Sends a message; `title` and `severity` are options.",

  "variables.get(name: string): any, string?": "Returns the value of a variable.",
  "variables.set(name: string, value: string|number|boolean): boolean?, string?": "Sets a variable.",
  "calendar.now(name: string): table?, string?":
    "Returns whether it is on, with its value, its title and since and until when.",
  "calendar.next(name: string): table?, string?": "Returns its next entry.",
  "tariff.at(time?: number): table?, string?": "Returns the prices of a kilowatt-hour, now or at a time.",
  "tariff.cheapest(duration: string|number, window?: table): table?, string?":
    "Returns the cheapest span of so long; `from` and `to` limit where it may lie.",
  "forecast.pv(duration?: string|number, options?: table): number?, integer|string?":
    "Returns the kilowatt-hours to be produced, and of how many days they are the average.",
  "forecast.load(duration?: string|number, options?: table): number?, integer|string?":
    "Returns the kilowatt-hours to be used, and of how many days they are the average.",
};
