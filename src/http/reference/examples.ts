// An example call of each operation. The OpenAPI document and the reference page show it, a test sends it to a real server,
// and another one compiles and runs its TypeScript.
import { EXAMPLE_IDS as ID } from "./example-ids.ts";

export interface Example {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The name of a file that is sent as it is. */
  readonly file?: string;
  /** The same with `@busbar/client`; undefined for operations that programs do not need. */
  readonly ts?: string;
}

const QUESTION = {
  from: "2026-11-15T00:00:00Z",
  to: "2026-11-16T00:00:00Z",
  granularity: "15m",
  aggregation: "auto",
  telemetry: [{ device: ID.device_id, attribute: ["power", "mode"] }],
};
const STEP = {
  attribute: "grid_energy_import",
  at: "2026-11-15T12:03:00Z",
  kind: "counter_replaced",
  new_start: 12.5,
  note: "new meter",
};
const TIMES = { cron: "30 2 * * 1", timezone: "Europe/Berlin" };
const CALENDAR = {
  kind: "weekly",
  plan: { mon: [{ from: "06:00", to: "22:00", value: 21 }], sat: [{ from: "08:00", to: "23:00", value: 21 }] },
};
const RULE_SCRIPT = { code: "ZW5hcHRlci5sb2coImhlbGxvIik=", runtime_version: "V3" };
const STORM = { battery: "battery", charge_to: 90 };
const DRY_RUN = { rule: "surplus", from: "2026-11-10T00:00:00Z", to: "2026-11-17T00:00:00Z" };
const RULE_TEST = { rule: "surplus", scenarios: "steps: [wait: 5m]" };
const RULES = { rule_ids: ["surplus"] };
const INTERLOCK = {
  kind: "condition",
  when: { device: ID.device_id, attribute: "power", above: 9, hysteresis: 1 },
  limits: [{ device: ID.device_id, control: "power", max: 5 }],
};
const CLAIM = { value: 5, reason: "Peak hours", lease: "10m" };
const VIEW = {
  kind: "dashboard",
  name: "Wall",
  is_shared: true,
  content: {
    tiles: [
      { id: "power", kind: "value", width: 1, height: 1, series: [{ device: ID.device_id, attribute: "power" }] },
    ],
  },
};
const TARIFF = {
  currency: "EUR",
  versions: [
    {
      valid_from: "2026-01-01",
      import: {
        type: "time_of_use",
        rates: [{ name: "night", price: 0.24, from: "22:00", to: "06:00" }],
        default: { name: "day", price: 0.32 },
      },
      export: { type: "fixed", price: 0.08 },
      base: { amount: 12.5, per: "month" },
      co2: { type: "fixed", grams: 380 },
    },
  ],
};
const NTFY_CHANNEL = { name: "Phone", ntfy: { topic: "the-long-topic-of-the-plant" } };
const MAIL_CHANNEL = {
  name: "Anna",
  mail: { host: "smtp.example.com", from: "plant@example.com", to: "anna@example.com" },
};
const PUSH_DEVICE = {
  name: "Phone",
  endpoint: "https://push.example.com/subscriptions/4711",
  p256dh: "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
  auth: "4vQK-SvRAN5eo-8ASlrwdg",
};
const ROUTE = { name: "Errors", severity: "error" as const, steps: [{ channels: [ID.channel_id] }] };
const PRICES = { duration: "1h", prices: [{ from: "2026-11-15T12:00:00Z", price: 0.0915 }] };
const PRICE_SOURCE = {
  url: "https://prices.example/day-ahead?zone=DE-LU",
  time: "/unix_seconds/*",
  time_format: "s",
  price: "/price/*",
  scale: 0.001,
  resolution: "15m",
};
const SET_POWER = { name: "set_power", arguments: { power: 5000 } };
const BULK = { ...SET_POWER, devices: { device_ids: [ID.device_id] }, rate: 5, parallel: 10, stop_after: 3 };
const SCHEDULE = {
  name: "Every night",
  bulk: { ...SET_POWER, devices: { device_ids: [ID.device_id] } },
  cron: "30 2 * * *",
  timezone: "Europe/Berlin",
  missed: "run_late" as const,
  late_within: "2h",
};
const schedule = JSON.stringify(ID.schedule_id);
const bulk = JSON.stringify(ID.bulk_id);
const device = JSON.stringify(ID.device_id);
const site = JSON.stringify(ID.site_id);
const channel = JSON.stringify(ID.channel_id);
const rollout = JSON.stringify(ID.rollout_id);
const blueprint = JSON.stringify(ID.blueprint_id);

export const EXAMPLES: Readonly<Record<string, Example>> = {
  listSites: { query: { limit: "5" }, ts: "client.sites.list({ limit: 5 })" },
  createSite: {
    body: { name: "Plant 1", timezone: "Europe/Berlin", location: { name: "Berlin", latitude: 52.5, longitude: 13.4 } },
    ts: 'client.sites.create({ name: "Plant 1", timezone: "Europe/Berlin" })',
  },
  getSite: { ts: `client.sites.get(${site})` },
  updateSite: { body: { name: "Plant 2" }, ts: `client.sites.update(${site}, { name: "Plant 2" })` },
  deleteSite: { ts: `client.sites.delete(${site})` },
  getOnlySite: {},
  updateOnlySite: { body: { name: "Plant 1" } },
  listDevices: {
    query: { limit: "100", expand: "connectivity,properties" },
    ts: 'client.devices.list({ limit: 100, expand: ["connectivity", "properties"] })',
  },
  listSiteDevices: { query: { limit: "100" }, ts: `client.devices.listBySite(${site}, { limit: 100 })` },
  getDevice: { query: { expand: "manifest" }, ts: `client.devices.get(${device}, { expand: ["manifest"] })` },
  updateDevice: { body: { name: "Converter A" }, ts: `client.devices.update(${device}, { name: "Converter A" })` },
  deleteDevice: { ts: `client.devices.delete(${device})` },
  getDeviceManifest: { ts: `client.devices.manifest(${device})` },
  getDeviceProperties: { ts: `client.devices.properties(${device})` },
  assignBlueprint: {
    body: { blueprint_id: ID.blueprint_id },
    ts: `client.devices.assignBlueprint(${device}, ${blueprint})`,
  },
  listDeviceLogs: {
    query: { severity: "warning,error", order: "RECEIVED_AT_DESC", limit: "20" },
    ts: `client.devices.logs(${device}, { severity: ["warning", "error"], order: "RECEIVED_AT_DESC", limit: 20 })`,
  },
  getDeviceRuntime: { ts: `client.devices.runtime(${device})` },
  restartDeviceRuntime: { ts: `client.devices.restart(${device})` },
  getSimulation: { ts: `client.devices.simulation(${device})` },
  adjustSimulation: {
    body: { telemetry: { power: 2500 }, speed: 60 },
    ts: `client.devices.adjustSimulation(${device}, { telemetry: { power: 2500 }, speed: 60 })`,
  },
  getConfiguration: { ts: `client.devices.configuration.get(${device})` },
  putConfiguration: {
    body: { grid: { limit: 10 } },
    ts: `client.devices.configuration.put(${device}, { grid: { limit: 10 } })`,
  },
  getConfigurationBucket: { ts: `client.devices.configuration.getBucket(${device}, "grid")` },
  putConfigurationBucket: {
    body: { limit: 10 },
    ts: `client.devices.configuration.putBucket(${device}, "grid", { limit: 10 })`,
  },
  listDeviceAlerts: {
    query: { active: "false", "severity.in": "warning,error" },
    ts: `client.alerts.list(${device}, { active: false, "severity.in": ["warning", "error"] })`,
  },
  listSiteAlerts: { ts: `client.alerts.listBySite(${site})` },
  acknowledgeAlert: {
    body: { comment: "I look at it this afternoon." },
    ts: `client.alerts.acknowledge(${device}, "overheat", { comment: "I look at it this afternoon." })`,
  },
  unacknowledgeAlert: { body: {}, ts: `client.alerts.unacknowledge(${device}, "overheat")` },
  listMaintenance: { query: { limit: "20" }, ts: `client.alerts.maintenance(${site}, { limit: 20 })` },
  createMaintenance: {
    body: { device_id: ID.device_id, until: "2026-11-20T16:00:00Z", reason: "New filters." },
    ts: `client.alerts.silence(${site}, { device_id: ${device}, until: "2026-11-20T16:00:00Z", reason: "New filters." })`,
  },
  listNotificationChannels: { ts: `client.notifications.channels(${site})` },
  createNotificationChannel: {
    body: NTFY_CHANNEL,
    ts: `client.notifications.createChannel(${site}, ${tsOf(NTFY_CHANNEL)})`,
  },
  getNotificationChannel: { ts: `client.notifications.channel(${site}, ${channel})` },
  putNotificationChannel: {
    body: MAIL_CHANNEL,
    ts: `client.notifications.putChannel(${site}, ${channel}, ${tsOf(MAIL_CHANNEL)})`,
  },
  deleteNotificationChannel: { ts: `client.notifications.deleteChannel(${site}, ${channel})` },
  testNotificationChannel: { ts: `client.notifications.testChannel(${site}, ${channel})` },
  getPush: { ts: `client.notifications.push(${site})` },
  subscribePush: {
    body: PUSH_DEVICE,
    ts: `client.notifications.subscribe(${site}, ${tsOf(PUSH_DEVICE)})`,
  },
  endPush: { ts: `client.notifications.endDevice(${site}, ${JSON.stringify(ID.push_device_id)})` },
  listNotificationRoutes: { ts: `client.notifications.routes(${site})` },
  createNotificationRoute: {
    body: ROUTE,
    ts: `client.notifications.createRoute(${site}, ${tsOf(ROUTE)})`,
  },
  putNotificationRoute: {
    body: ROUTE,
    ts: `client.notifications.putRoute(${site}, ${JSON.stringify(ID.route_id)}, ${tsOf(ROUTE)})`,
  },
  deleteNotificationRoute: { ts: `client.notifications.deleteRoute(${site}, ${JSON.stringify(ID.route_id)})` },
  previewNotification: {
    body: { device_id: ID.device_id, severity: "error" },
    ts: `client.notifications.preview(${site}, { device_id: ${device}, severity: "error" })`,
  },
  listNotificationMessages: {
    query: { "state.in": "FAILED,UNKNOWN" },
    ts: `client.notifications.messages(${site}, { "state.in": ["FAILED", "UNKNOWN"] })`,
  },
  retryNotificationMessage: { ts: `client.notifications.retryMessage(${site}, ${JSON.stringify(ID.message_id)})` },
  endMaintenance: { ts: `client.alerts.endSilence(${site}, ${JSON.stringify(ID.window_id)})` },
  executeCommand: {
    query: { expand: "log" },
    headers: { "Idempotency-Key": "order-4711", Prefer: "wait=10" },
    body: SET_POWER,
    ts: `client.commands.execute(${device}, ${tsOf(SET_POWER)}, { wait: 10, idempotencyKey: "order-4711", expand: ["log"] })`,
  },
  createCommandExecution: {
    headers: { "Idempotency-Key": "order-4712" },
    body: SET_POWER,
    ts: `client.commands.create(${device}, ${tsOf(SET_POWER)}, { idempotencyKey: "order-4712" })`,
  },
  getCommandExecution: {
    query: { expand: "log" },
    ts: `client.commands.get(${device}, ${JSON.stringify(ID.execution_id)}, { expand: ["log"] })`,
  },
  listCommandExecutions: {
    query: { "state.in": "ERROR,TIMEOUT", order: "CREATED_AT_DESC", limit: "20" },
    ts: `client.commands.list(${device}, { "state.in": ["ERROR", "TIMEOUT"], order: "CREATED_AT_DESC", limit: 20 })`,
  },
  listSiteCommandExecutions: {
    query: { "device_id.in": ID.device_id, retention: "ALL" },
    ts: `client.commands.listBySite(${site}, { "device_id.in": [${device}], retention: "ALL" })`,
  },
  cancelCommandExecution: { ts: `client.commands.cancel(${device}, ${JSON.stringify(ID.execution_id)})` },
  dryRunCommand: { body: SET_POWER, ts: `client.commands.dryRun(${device}, ${tsOf(SET_POWER)})` },
  createBulkCommand: {
    headers: { "Idempotency-Key": "order-4713" },
    body: BULK,
    ts: `client.bulk.create(${tsOf(BULK)}, { idempotencyKey: "order-4713" })`,
  },
  dryRunBulkCommand: { body: BULK, ts: `client.bulk.dryRun(${tsOf(BULK)})` },
  listBulkCommands: { query: { limit: "20" }, ts: "client.bulk.list({ limit: 20 })" },
  getBulkCommand: { ts: `client.bulk.get(${bulk})` },
  listBulkDevices: {
    query: { "state.in": "FAILED,REFUSED" },
    ts: `client.bulk.devices(${bulk}, { "state.in": ["FAILED", "REFUSED"] })`,
  },
  cancelBulkCommand: { ts: `client.bulk.cancel(${bulk})` },
  createCommandSchedule: { body: SCHEDULE, ts: `client.schedules.create(${tsOf(SCHEDULE)})` },
  previewScheduleTimes: { body: TIMES, ts: `client.schedules.preview(${tsOf(TIMES)})` },
  listCommandSchedules: { query: { limit: "20" }, ts: "client.schedules.list({ limit: 20 })" },
  getCommandSchedule: { ts: `client.schedules.get(${schedule})` },
  updateCommandSchedule: {
    body: { revision: 1, is_enabled: false },
    ts: `client.schedules.update(${schedule}, { revision: 1, is_enabled: false })`,
  },
  listScheduleRuns: { query: { limit: "20" }, ts: `client.schedules.runs(${schedule}, { limit: 20 })` },
  deleteCommandSchedule: { ts: `client.schedules.delete(${schedule})` },
  listDeviceControls: { ts: `client.controls.list(${device})` },
  listSiteControls: { ts: `client.controls.listBySite(${site})` },
  getControl: { ts: `client.controls.get(${device}, "power")` },
  claimControl: { body: CLAIM, ts: `client.controls.claim(${device}, "power", ${tsOf(CLAIM)})` },
  renewClaim: {
    body: { lease: "10m" },
    ts: `client.controls.renew(${device}, "power", ${JSON.stringify(ID.claim_id)}, { lease: "10m" })`,
  },
  releaseClaim: { ts: `client.controls.release(${device}, "power", ${JSON.stringify(ID.claim_id)})` },
  listInterlocks: { ts: `client.controls.interlocks(${site})` },
  getInterlock: { ts: `client.controls.interlock(${site}, "too-hot")` },
  putInterlock: { body: INTERLOCK, ts: `client.controls.putInterlock(${site}, "too-hot", ${tsOf(INTERLOCK)})` },
  deleteInterlock: { ts: `client.controls.deleteInterlock(${site}, "too-hot")` },
  checkInterlock: { body: INTERLOCK, ts: `client.controls.checkInterlock(${site}, ${tsOf(INTERLOCK)})` },
  getRuleEngine: { ts: `client.rules.engine(${site})` },
  suspendRuleEngine: { ts: `client.rules.suspend(${site})` },
  resumeRuleEngine: { ts: `client.rules.resume(${site})` },
  listRules: { query: { limit: "50" }, ts: `client.rules.list(${site}, { limit: 50 })` },
  createRule: {
    body: { slug: "night-tariff", script: RULE_SCRIPT, disable: true },
    ts: `client.rules.create(${site}, ${tsOf({ slug: "night-tariff", script: RULE_SCRIPT, disable: true })})`,
  },
  getRule: { ts: `client.rules.get(${site}, "surplus")` },
  updateRule: { body: { slug: "surplus" }, ts: `client.rules.rename(${site}, "surplus", "surplus")` },
  deleteRule: { ts: `client.rules.delete(${site}, "surplus")` },
  updateRuleScript: {
    body: { script: RULE_SCRIPT },
    ts: `client.rules.updateScript(${site}, "surplus", ${tsOf(RULE_SCRIPT)})`,
  },
  enableRule: { ts: `client.rules.enable(${site}, "surplus")` },
  disableRule: { ts: `client.rules.disable(${site}, "surplus")` },
  enableRules: { body: RULES, ts: `client.rules.enableAll(${site}, ["surplus"])` },
  disableRules: { body: RULES, ts: `client.rules.disableAll(${site}, ["surplus"])` },
  listRuleLogs: { query: { limit: "20" }, ts: `client.rules.logs(${site}, "surplus", { limit: 20 })` },
  listControllers: { ts: `client.rules.controllers(${site})` },
  renderController: {
    body: { slug: "storm", parameters: STORM },
    ts: `client.rules.renderController(${site}, "storm_reserve", ${tsOf(STORM)}, "storm")`,
  },
  listCalendars: { query: { limit: "50" }, ts: `client.calendars.list(${site}, { limit: 50 })` },
  getCalendar: { ts: `client.calendars.get(${site}, "heating")` },
  listCalendarEntries: { query: { limit: "10" }, ts: `client.calendars.entries(${site}, "heating", { limit: 10 })` },
  putCalendar: { body: CALENDAR, ts: `client.calendars.put(${site}, "heating", ${tsOf(CALENDAR)})` },
  deleteCalendar: { ts: `client.calendars.delete(${site}, "heating")` },
  previewCalendar: { body: CALENDAR, ts: `client.calendars.preview(${site}, ${tsOf(CALENDAR)})` },
  listRuleTraces: { query: { limit: "20" }, ts: `client.rules.traces(${site}, "surplus", { limit: 20 })` },
  getRuleTrace: { ts: `client.rules.trace(${site}, "surplus", ${tsOf(ID.trace_id)})` },
  checkRule: { body: { script: RULE_SCRIPT }, ts: `client.rules.check(${site}, ${tsOf(RULE_SCRIPT)})` },
  getNotificationsRead: { ts: `client.notifications.read(${site})` },
  putNotificationsRead: {
    body: { until: "2026-11-15T12:00:00Z" },
    ts: `client.notifications.markRead(${site}, "2026-11-15T12:00:00Z")`,
  },
  listNotifications: { query: { limit: "20" }, ts: `client.notifications.list(${site}, { limit: 20 })` },
  listRuleNames: { query: { limit: "50" }, ts: `client.rules.names(${site}, { limit: 50 })` },
  dryRunRule: { body: DRY_RUN, ts: `client.rules.dryRun(${site}, ${tsOf(DRY_RUN)})` },
  testRule: { body: RULE_TEST, ts: `client.rules.test(${site}, ${tsOf(RULE_TEST)})` },
  listVariables: { ts: `client.rules.variables(${site})` },
  putVariable: { body: { value: 0.3 }, ts: `client.rules.putVariable(${site}, "price_limit", 0.3)` },
  deleteVariable: { ts: `client.rules.deleteVariable(${site}, "price_limit")` },
  listControlHistory: {
    query: { control: "power", limit: "20" },
    ts: `client.controls.history(${device}, { control: "power", limit: 20 })`,
  },
  getCurrentTelemetry: {
    query: { [`devices[${ID.device_id}]`]: "power,mode" },
    ts: `client.telemetry.now({ ${ID.device_id}: ["power", "mode"] })`,
  },
  getLatestTelemetry: { query: { [`devices[${ID.device_id}]`]: "power", relevance_interval: "5m" } },
  getDeviceTelemetry: { ts: `client.telemetry.ofDevice(${device})` },
  getTimeseries: { body: QUESTION, ts: `client.telemetry.columns(${tsOf(QUESTION)})` },
  getSiteEnergy: {
    query: { period: "this_month", step: "day", before: "true" },
    ts: `client.sites.energy(${site}, { period: "this_month", step: "day", before: true })`,
  },
  getTariff: { ts: `client.sites.tariff(${site})` },
  putTariff: { body: TARIFF, ts: `client.sites.putTariff(${site}, ${tsOf(TARIFF)})` },
  deleteTariff: { ts: `client.sites.deleteTariff(${site})` },
  getPrices: {
    query: { from: "2026-11-15T00:00:00Z", to: "2026-11-16T00:00:00Z" },
    ts: `client.sites.prices(${site}, "import", { from: "2026-11-15T00:00:00Z", to: "2026-11-16T00:00:00Z" })`,
  },
  listPriceSources: { ts: `client.sites.priceSources(${site})` },
  putPriceSource: {
    body: PRICE_SOURCE,
    ts: `client.sites.putPriceSource(${site}, "import", ${tsOf(PRICE_SOURCE)})`,
  },
  tryPriceSource: {
    body: PRICE_SOURCE,
    ts: `client.sites.tryPriceSource(${site}, "import", ${tsOf(PRICE_SOURCE)})`,
  },
  deletePriceSource: { ts: `client.sites.deletePriceSource(${site}, "import")` },
  putPrices: { body: PRICES, ts: `client.sites.putPrices(${site}, "import", ${tsOf(PRICES)})` },
  createCounterCorrection: {
    body: STEP,
    ts: `client.devices.correctCounter(${device}, ${tsOf(STEP)})`,
  },
  listCounterCorrections: { ts: `client.devices.corrections(${device})` },
  deleteCounterCorrection: {
    ts: `client.devices.withdrawCorrection(${device}, ${JSON.stringify(ID.correction_id)})`,
  },
  listViews: {
    query: { "kind.in": "dashboard" },
    ts: `client.views.list(${site}, { "kind.in": ["dashboard"] })`,
  },
  createView: { body: VIEW, ts: `client.views.create(${site}, ${tsOf(VIEW)})` },
  getView: { ts: `client.views.get(${site}, ${JSON.stringify(ID.view_id)})` },
  updateView: {
    body: { revision: 1, name: "Wall 2" },
    ts: `client.views.update(${site}, ${JSON.stringify(ID.view_id)}, { revision: 1, name: "Wall 2" })`,
  },
  createKioskLink: {
    body: { expires_in: "365d" },
    ts: `client.views.kioskLink(${site}, ${JSON.stringify(ID.view_id)}, { expires_in: "365d" })`,
  },
  deleteView: { ts: `client.views.delete(${site}, ${JSON.stringify(ID.view_id)})` },
  exportDeviceTelemetry: {
    query: { from: "2026-11-15T00:00:00Z", form: "csv", time: "iso" },
    ts: `client.telemetry.export(${device}, { from: "2026-11-15T00:00:00Z", form: "csv", time: "iso" })`,
  },
  exportSiteTelemetry: { query: { from: "2026-11-15T00:00:00Z", form: "jsonl" } },
  importTelemetry: { file: "points.csv", ts: `client.telemetry.import(${device}, bytes)` },
  getRetention: { ts: `client.sites.retention(${site})` },
  putRetention: {
    body: { default: "2y", attributes: { debug_level: "7d" } },
    ts: `client.sites.putRetention(${site}, { default: "2y", attributes: { debug_level: "7d" } })`,
  },
  listenToEvents: {
    query: { "kind.in": "execution,alert" },
    ts: 'client.events({ "kind.in": ["execution", "alert"] }).next()',
  },
  generateConfig: { body: { protocol: "MQTT" }, ts: `client.devices.generateConfig(${device}, "MQTT")` },
  provisionStandalone: {
    body: { name: "Meter 1", slug: "meter-1", site_id: ID.site_id },
    ts: `client.provisioning.standalone({ name: "Meter 1", slug: "meter-1", site_id: ${site} })`,
  },
  provisionVirtualUcm: { body: { name: "Module 1", site_id: ID.site_id } },
  provisionLuaDevice: {
    body: { name: "Heater", slug: "heater", blueprint_id: ID.blueprint_id, site_id: ID.site_id },
    ts: `client.provisioning.luaDevice({ name: "Heater", slug: "heater", blueprint_id: ${blueprint}, site_id: ${site} })`,
  },
  provisionSimulatedDevice: {
    body: { name: "Converter B", slug: "pcs-b", blueprint_id: ID.blueprint_id, site_id: ID.site_id },
    ts: `client.provisioning.simulatedDevice({ name: "Converter B", slug: "pcs-b", blueprint_id: ${blueprint}, site_id: ${site} })`,
  },
  provisionChildDevice: {
    body: { name: "Cell 1", slug: "cell-1", parent_id: ID.device_id, child_type: "cell" },
    ts: `client.provisioning.child({ name: "Cell 1", slug: "cell-1", parent_id: ${device}, child_type: "cell" })`,
  },
  uploadProfiles: { file: "profiles.zip", ts: "client.blueprints.uploadProfiles(bytes)" },
  downloadProfiles: { ts: "client.blueprints.downloadProfiles()" },
  validateBlueprint: { file: "manifest.yml", ts: "client.blueprints.validate(bytes)" },
  uploadBlueprint: { file: "manifest.yml", ts: "client.blueprints.upload(bytes)" },
  listBlueprints: { query: { limit: "20" }, ts: "client.blueprints.list({ limit: 20 })" },
  getBlueprint: { ts: `client.blueprints.get(${blueprint})` },
  getBlueprintManifest: { ts: `client.blueprints.manifest(${blueprint})` },
  getNamedBlueprint: {},
  downloadBlueprint: { query: { view: "ORIGINAL" }, ts: `client.blueprints.download(${blueprint})` },
  getManifestSchema: {},
  getScenarioSchema: {},
  listCatalogue: { query: { q: "battery" }, ts: 'client.catalogue.list({ q: "battery" })' },
  downloadCatalogueEntry: { ts: `client.catalogue.download(${JSON.stringify(ID.entry_id)})` },
  uploadCatalogueEntry: { ts: `client.catalogue.upload(${JSON.stringify(ID.entry_id)})` },
  createRollout: {
    body: {
      blueprint_id: ID.blueprint_id,
      devices: { device_ids: [ID.device_id] },
      stages: ["1", "100%"],
      watch: "10m",
    },
    ts: `client.rollouts.create({ blueprint_id: ${blueprint}, devices: { device_ids: [${device}] }, stages: ["1", "100%"], watch: "10m" })`,
  },
  listRollouts: { ts: "client.rollouts.list()" },
  getRollout: { ts: `client.rollouts.get(${rollout})` },
  listRolloutDevices: {
    query: { "state.in": "FAILED" },
    ts: `client.rollouts.devices(${rollout}, { "state.in": ["FAILED"] })`,
  },
  pauseRollout: { ts: `client.rollouts.pause(${rollout})` },
  resumeRollout: { ts: `client.rollouts.resume(${rollout})` },
  abortRollout: { ts: `client.rollouts.abort(${rollout})` },
  createWebhook: {
    body: { url: "https://example.com/hook", kinds: ["alert", "connectivity"] },
    ts: 'client.webhooks.create({ url: "https://example.com/hook", kinds: ["alert", "connectivity"] })',
  },
  listWebhooks: { ts: "client.webhooks.list()" },
  deleteWebhook: { ts: `client.webhooks.delete(${JSON.stringify(ID.webhook_id)})` },
  testWebhook: { ts: `client.webhooks.test(${JSON.stringify(ID.webhook_id)})` },
  listWebhookDeliveries: {
    query: { "state.in": "DEAD" },
    ts: `client.webhooks.deliveries(${JSON.stringify(ID.webhook_id)}, { "state.in": ["DEAD"] })`,
  },
  retryWebhookDelivery: {
    ts: `client.webhooks.retry(${JSON.stringify(ID.webhook_id)}, ${JSON.stringify(ID.delivery_id)})`,
  },
  createToken: {
    body: { name: "dashboard", level: "readonly", expires_in: "90d" },
    ts: 'client.tokens.create({ name: "dashboard", level: "readonly", expires_in: "90d" })',
  },
  listTokens: { ts: "client.tokens.list()" },
  getOwnToken: { ts: "client.tokens.current()" },
  revokeToken: { ts: `client.tokens.revoke(${JSON.stringify(ID.token_id)})` },
  createAccount: {
    body: { name: "Anna", mail: "anna@example.org", level: "user" },
    ts: 'client.accounts.create({ name: "Anna", mail: "anna@example.org", level: "user" })',
  },
  listAccounts: { ts: "client.accounts.list()" },
  getAccount: { ts: `client.accounts.get(${JSON.stringify(ID.account_id)})` },
  updateAccount: {
    body: { level: "readonly" },
    ts: `client.accounts.update(${JSON.stringify(ID.account_id)}, { level: "readonly" })`,
  },
  deleteAccount: { ts: `client.accounts.delete(${JSON.stringify(ID.account_id)})` },
  createInvitation: { ts: `client.accounts.invite(${JSON.stringify(ID.account_id)})` },
  acceptInvitation: {
    body: { code: "...", password: "four other plain words" },
    ts: 'client.perform("acceptInvitation", { body: { code: "...", password: "four other plain words" } })',
  },
  createTerminalSignIn: {
    body: { program: "busbar on laptop", level: "user" },
    ts: 'client.perform("createTerminalSignIn", { body: { program: "busbar on laptop", level: "user" } })',
  },
  takeTerminalSignIn: {
    body: { device_code: "..." },
    ts: 'client.perform("takeTerminalSignIn", { body: { device_code: "..." } })',
  },
  approveTerminalSignIn: {
    body: { level: "user", expires_in: "30d" },
    ts: 'client.perform("approveTerminalSignIn", { params: { user_code: "BCDF-GHJK" }, body: { level: "user", expires_in: "30d" } })',
  },
  finishProviderSignIn: {
    body: { parameters: "code=...&state=..." },
    ts: 'client.perform("finishProviderSignIn", { body: { parameters: "code=...&state=..." } })',
  },
  // A provider calls it, and only with a token that it has signed.
  endSessionsByProvider: {
    file: "logout.form",
    ts: 'client.perform("endSessionsByProvider", { bytes: { type: "application/x-www-form-urlencoded", content: bytes } })',
  },
  beginProviderLink: {
    body: { current_password: "..." },
    ts: 'client.perform("beginProviderLink", { body: { current_password: "..." } })',
  },
  linkProvider: {
    body: { parameters: "code=...&state=..." },
    ts: 'client.perform("linkProvider", { body: { parameters: "code=...&state=..." } })',
  },
  unlinkProvider: {
    body: { current_password: "..." },
    ts: 'client.perform("unlinkProvider", { body: { current_password: "..." } })',
  },
  unlinkAccount: { ts: `client.accounts.unlink(${JSON.stringify(ID.account_id)})` },
  listOwnTokens: { ts: "client.accounts.ownTokens()" },
  revokeOwnToken: { ts: `client.accounts.revokeOwnToken(${JSON.stringify(ID.token_id)})` },
  getOwnAccount: { ts: "client.accounts.own()" },
  updateOwnAccount: { body: { language: "de" }, ts: 'client.accounts.updateOwn({ language: "de" })' },
  changeOwnPassword: {
    body: { current_password: "...", new_password: "four other plain words" },
    ts: 'client.accounts.changePassword({ current_password: "...", new_password: "four other plain words" })',
  },
  listPasskeys: { ts: "client.accounts.passkeys()" },
  offerPasskey: {
    body: { current_password: "..." },
    ts: 'client.accounts.offerPasskey({ current_password: "..." })',
  },
  addPasskey: {
    body: { id: "AQID", name: "Phone", public_key: "AQID", client_data: "AQID", authenticator_data: "AQID" },
    ts: 'client.accounts.addPasskey({ id: "AQID", name: "Phone", public_key: "AQID", client_data: "AQID", authenticator_data: "AQID" })',
  },
  renamePasskey: {
    body: { name: "Phone" },
    ts: `client.accounts.renamePasskey(${JSON.stringify(ID.passkey_id)}, "Phone")`,
  },
  deletePasskey: { ts: `client.accounts.deletePasskey(${JSON.stringify(ID.passkey_id)})` },
  signInWithPasskey: {
    body: { id: "AQID", client_data: "AQID", authenticator_data: "AQID", signature: "AQID" },
    ts: 'client.perform("signInWithPasskey", { body: { id: "AQID", client_data: "AQID", authenticator_data: "AQID", signature: "AQID" } })',
  },
  getSecondFactor: { ts: "client.accounts.secondFactor()" },
  offerSecondFactor: { body: { current_password: "..." }, ts: 'client.accounts.offerSecondFactor("...")' },
  confirmSecondFactor: { body: { code: "123456" }, ts: 'client.accounts.confirmSecondFactor("123456")' },
  replaceRecoveryCodes: {
    body: { current_password: "...", code: "123456" },
    ts: 'client.accounts.replaceRecoveryCodes({ current_password: "...", code: "123456" })',
  },
  removeSecondFactor: {
    body: { current_password: "...", code: "123456" },
    ts: 'client.accounts.removeSecondFactor({ current_password: "...", code: "123456" })',
  },
  resetSecondFactor: { ts: `client.accounts.resetSecondFactor(${JSON.stringify(ID.account_id)})` },
  finishSignIn: {
    body: { step: "...", code: "123456" },
    ts: 'client.perform("finishSignIn", { body: { step: "...", code: "123456" } })',
  },
  listOwnSignIns: { ts: "client.accounts.signIns()" },
  createSession: { body: { token: "..." }, ts: 'client.sessions.create({ token: "..." })' },
  findSession: { ts: "client.sessions.find()" },
  getCurrentSession: { ts: "client.sessions.current()" },
  listSessions: { ts: "client.sessions.list()" },
  endCurrentSession: { ts: "client.sessions.endCurrent()" },
  endSession: { ts: `client.sessions.end(${JSON.stringify(ID.session_id)})` },
  endOwnSessions: { ts: "client.sessions.endAll()" },
  createSignInCode: { ts: "client.sessions.createCode()" },
  findGatewaySignIn: { ts: `client.sessions.findGatewaySignIn(${JSON.stringify(ID.site_id)})` },
  createGatewaySignInCode: { ts: `client.sessions.createGatewayCode(${JSON.stringify(ID.site_id)})` },
  listAudit: {
    query: { "outcome.in": "REFUSED", order: "AT_DESC", limit: "20" },
    ts: 'client.audit.list({ "outcome.in": ["REFUSED"], order: "AT_DESC", limit: 20 })',
  },
  createJoinCode: {
    body: { name: "North", expires_in: "1h" },
    ts: 'client.gateways.createJoinCode({ name: "North", expires_in: "1h" })',
  },
  listJoinCodes: { ts: "client.gateways.listJoinCodes()" },
  withdrawJoinCode: { ts: `client.gateways.withdrawJoinCode(${JSON.stringify(ID.join_code_id)})` },
  joinGateway: { body: { code: "...", name: "North", version: "0.1.0" } },
  listGateways: { ts: "client.gateways.list()" },
  getGateway: { ts: `client.gateways.get(${JSON.stringify(ID.gateway_id)})` },
  getFleet: { ts: "client.gateways.overview()" },
  revokeGateway: { ts: `client.gateways.revoke(${JSON.stringify(ID.gateway_id)})` },
  giveSite: {
    body: { site_id: ID.site_id },
    ts: `client.gateways.giveSite(${JSON.stringify(ID.gateway_id)}, ${JSON.stringify(ID.site_id)})`,
  },
  rotateGatewayCredential: { ts: `client.gateways.rotateCredential(${JSON.stringify(ID.gateway_id)})` },
  openLink: {},
  joinCloud: {
    body: { url: "https://cloud.example", code: "..." },
    ts: 'client.uplink.join({ url: "https://cloud.example", code: "..." })',
  },
  getUplink: { ts: "client.uplink.get()" },
  leaveCloud: { ts: "client.uplink.leave()" },
  listChanges: { query: { "state.in": "PENDING" }, ts: 'client.changes.list({ "state.in": ["PENDING"] })' },
  getChange: { ts: `client.changes.get(${JSON.stringify(ID.change_id)})` },
  withdrawChange: { ts: `client.changes.withdraw(${JSON.stringify(ID.change_id)})` },
  createBackup: { ts: "client.backups.create()" },
  getSystem: { ts: "client.system.get()" },
  getSystemLog: { ts: "client.system.log()" },
  listSettings: { ts: "client.system.settings()" },
  putSetting: { body: { value: "2y" }, ts: 'client.system.putSetting("telemetry.retention", "2y")' },
  resetSetting: { ts: 'client.system.resetSetting("telemetry.retention")' },
  getGuide: {},
  getGuidePage: {},
  getHealth: { ts: "client.health()" },
  getReadiness: { ts: "client.ready()" },
  getOpenapi: {},
  getReference: {},
  getWelcome: {},
  getMetrics: {},
};

/** A value as people write it in TypeScript: names without quotes where they need none. */
function tsOf(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll(/"([A-Za-z_]\w*)":/g, " $1: ")
    .replaceAll(",", ", ")
    .replaceAll(/\s+/g, " ")
    .replaceAll("}", " }");
}
