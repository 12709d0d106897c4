// Who may call what: every level, for its own site, another one and all, against every operation, by a table written by
// hand. A route that is not in the table fails the first test.
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { uuidv7 } from "uuidv7";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { Account, Site } from "#client/resources.ts";
import type { AuditEntry } from "#core/access/audit-entry.ts";
import { type Access, accessOf, type Caller } from "#core/access/caller.ts";
import { ACCESS_LEVELS, type AccessLevel, allows } from "#core/access/level.ts";
import { formatToken, SECRET_BYTES } from "#core/access/token.ts";
import { instant } from "#core/time/instant.ts";
import { problemOf } from "#http/problem.ts";
import { hashSecret } from "#service/access/hash-secret.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { StreamAnswer } from "#service/operation/answer.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { allRoutes } from "../support/all-routes.ts";
import { luaManifest, manifest } from "../support/blueprints.ts";
import { PATIENT } from "../support/patient.ts";
import { IS_LONG } from "../support/rounds.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

/** What a call is about. Made anew for each call that changes something. */
interface Target {
  readonly site: string;
  readonly device: string;
  readonly token: string;
  readonly session: string;
  readonly account: string;
  readonly blueprint: string;
  readonly luaBlueprint: string;
  readonly execution: string;
  readonly webhook: string;
  readonly delivery: string;
  readonly view: string;
}

const PROFILE = Buffer.from("blueprint_spec: profile/1.0\ndisplay_name: X\ndescription: Y\n");
const BYTES = {
  manifest: manifest("Matrix"),
  csv: "ts,telemetry=power\n0,1\n",
  profiles: packPackage(new Map([["matrix/own.yml", PROFILE]])),
};

/** `one`: about things of one site. `any`: what the token sees. `every`: takes a token for all sites. */
type Reach = "one" | "any" | "every";
type Body = ((target: Target) => unknown) | "manifest" | "csv" | "profiles";
/** `inside`: the level that the blueprint asks for on top, which is looked at only after the thing is found. */
type Row = readonly [needs: AccessLevel | "public", reach: Reach, body?: Body | undefined, inside?: AccessLevel];

const newDevice = ({ site }: Target) => ({ name: "New", site_id: site });
const assign = ({ blueprint }: Target) => ({ blueprint_id: blueprint });
const mqtt = () => ({ protocol: "MQTT" });
const view = () => ({ kind: "explore", name: "Day", content: { query: "" } });
const script = { code: "", runtime_version: "V3" };
const rule = ({ device }: Target) => ({ slug: `r${device.slice(-12)}`, script, disable: true });
const ruleText = () => ({ script });
const dryRun = () => ({ rule: "none", from: "2026-11-01T00:00:00Z", to: "2026-11-02T00:00:00Z" });
const ruleTest = () => ({ rule: "none", scenarios: "steps: []" });
const interlock = ({ device }: Target) => ({
  kind: "condition",
  when: { device, attribute: "power", above: 1 },
  limits: [{ device, control: "power", max: 0 }],
});
const person = () => ({ name: "Anna", mail: `${uuidv7()}@example.org` });
const channel = () => ({ name: uuidv7(), webhook: { url: "https://receiver.invalid/" } });
const pushDevice = () => ({
  ...{ name: "Phone", endpoint: "https://push.invalid/", auth: "4vQK-SvRAN5eo-8ASlrwdg" },
  p256dh: "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
});
const route = () => ({ name: uuidv7(), steps: [{ channels: ["01890000-0000-7000-8000-000000000000"] }] });
const rename = () => ({ name: "Renamed" });
const start = () => ({ name: "start" });
const correction = () => ({ attribute: "power", at: "2026-01-01T00:00:00Z", kind: "accept" });
const PRICE_SOURCE = { url: "https://prices.invalid/", time: "/*/0", price: "/*/1" };
const lastHour = ({ device }: Target) => ({
  from: "2026-01-01T00:00:00Z",
  to: "2026-01-01T01:00:00Z",
  granularity: "1m",
  aggregation: "auto",
  telemetry: [{ device, attribute: "power" }],
});

const TABLE: Readonly<Record<string, Row>> = {
  listSites: ["readonly", "any"],
  createSite: ["installer", "every", () => ({ name: "New" })],
  getSite: ["readonly", "one"],
  getSiteEnergy: ["readonly", "one"],
  getTariff: ["readonly", "one"],
  putTariff: ["owner", "one", () => ({ currency: "EUR", versions: [{ import: { type: "fixed", price: 0.3 } }] })],
  deleteTariff: ["owner", "one"],
  listPriceSources: ["owner", "one"],
  putPriceSource: ["owner", "one", () => PRICE_SOURCE],
  tryPriceSource: ["owner", "one", () => PRICE_SOURCE],
  deletePriceSource: ["owner", "one"],
  getPrices: ["readonly", "one"],
  putPrices: ["owner", "one", () => ({ duration: "1h", prices: [{ from: "2026-01-01T00:00:00Z", price: 0.1 }] })],
  createCounterCorrection: ["owner", "one", correction],
  listCounterCorrections: ["owner", "one"],
  deleteCounterCorrection: ["owner", "one"],
  listDeviceControls: ["readonly", "one"],
  listSiteControls: ["readonly", "one"],
  listControlHistory: ["readonly", "one"],
  getControl: ["readonly", "one"],
  claimControl: ["readonly", "one", () => ({ value: 1, reason: "test" })],
  renewClaim: ["readonly", "one", () => ({})],
  releaseClaim: ["readonly", "one"],
  listInterlocks: ["readonly", "one"],
  getInterlock: ["readonly", "one"],
  putInterlock: ["owner", "one", interlock],
  deleteInterlock: ["owner", "one"],
  checkInterlock: ["owner", "one", interlock],
  getRuleEngine: ["readonly", "one"],
  suspendRuleEngine: ["owner", "one"],
  resumeRuleEngine: ["owner", "one"],
  listRules: ["readonly", "one"],
  createRule: ["owner", "one", rule],
  getRule: ["readonly", "one"],
  updateRule: ["owner", "one", () => ({ slug: "other" })],
  deleteRule: ["owner", "one"],
  updateRuleScript: ["owner", "one", () => ({ script })],
  enableRule: ["owner", "one"],
  disableRule: ["owner", "one"],
  enableRules: ["owner", "one", () => ({ rule_ids: ["none"] })],
  disableRules: ["owner", "one", () => ({ rule_ids: ["none"] })],
  listRuleLogs: ["readonly", "one"],
  listControllers: ["readonly", "one"],
  renderController: ["owner", "one", () => ({ parameters: {} })],
  listRuleTraces: ["readonly", "one"],
  getRuleTrace: ["readonly", "one"],
  checkRule: ["owner", "one", ruleText],
  listRuleNames: ["readonly", "one"],
  listNotifications: ["readonly", "one"],
  getNotificationsRead: ["readonly", "one"],
  putNotificationsRead: ["readonly", "one", () => ({ until: "2026-01-01T00:00:00Z" })],
  dryRunRule: ["owner", "one", dryRun],
  testRule: ["owner", "one", ruleTest],
  getRuleEngineOfOnlySite: ["readonly", "one"],
  suspendRuleEngineOfOnlySite: ["owner", "one"],
  resumeRuleEngineOfOnlySite: ["owner", "one"],
  listRulesOfOnlySite: ["readonly", "one"],
  createRuleOfOnlySite: ["owner", "one", rule],
  getRuleOfOnlySite: ["readonly", "one"],
  updateRuleOfOnlySite: ["owner", "one", () => ({ slug: "other" })],
  deleteRuleOfOnlySite: ["owner", "one"],
  updateRuleScriptOfOnlySite: ["owner", "one", () => ({ script })],
  enableRuleOfOnlySite: ["owner", "one"],
  disableRuleOfOnlySite: ["owner", "one"],
  enableRulesOfOnlySite: ["owner", "one", () => ({ rule_ids: ["none"] })],
  disableRulesOfOnlySite: ["owner", "one", () => ({ rule_ids: ["none"] })],
  listRuleLogsOfOnlySite: ["readonly", "one"],
  previewScheduleTimes: ["readonly", "any", () => ({ cron: "0 0 * * *" })],
  listCalendars: ["readonly", "one"],
  getCalendar: ["readonly", "one"],
  listCalendarEntries: ["readonly", "one"],
  putCalendar: ["owner", "one", () => ({ kind: "weekly", plan: {} })],
  deleteCalendar: ["owner", "one"],
  previewCalendar: ["owner", "one", () => ({ kind: "weekly", plan: {} })],
  listControllersOfOnlySite: ["readonly", "one"],
  renderControllerOfOnlySite: ["owner", "one", () => ({ parameters: {} })],
  listRuleTracesOfOnlySite: ["readonly", "one"],
  getRuleTraceOfOnlySite: ["readonly", "one"],
  checkRuleOfOnlySite: ["owner", "one", ruleText],
  listRuleNamesOfOnlySite: ["readonly", "one"],
  dryRunRuleOfOnlySite: ["owner", "one", dryRun],
  testRuleOfOnlySite: ["owner", "one", ruleTest],
  listVariables: ["readonly", "one"],
  putVariable: ["owner", "one", () => ({ value: 1 })],
  deleteVariable: ["owner", "one"],
  listViews: ["readonly", "one"],
  createView: ["readonly", "one", view],
  getView: ["readonly", "one"],
  updateView: ["readonly", "one", () => ({ revision: 1, name: "Renamed" }), "user"],
  createKioskLink: ["owner", "one", () => ({})],
  deleteView: ["readonly", "one", undefined, "user"],
  exportDeviceTelemetry: ["readonly", "one"],
  exportSiteTelemetry: ["readonly", "one"],
  updateSite: ["owner", "one", rename],
  deleteSite: ["installer", "one"],
  getOnlySite: ["readonly", "any"],
  updateOnlySite: ["owner", "any", rename],
  listSitesOfMe: ["readonly", "any"],
  listSitesOfMeBelowSites: ["readonly", "any"],
  listDevices: ["readonly", "any"],
  listSiteDevices: ["readonly", "one"],
  getDevice: ["readonly", "one"],
  getDeviceOfAssets: ["readonly", "one"],
  getDeviceTelemetry: ["readonly", "one"],
  getDeviceTelemetryOfSite: ["readonly", "one"],
  updateDevice: ["owner", "one", rename],
  deleteDevice: ["owner", "one"],
  getDeviceManifest: ["readonly", "one"],
  getDeviceProperties: ["readonly", "one"],
  assignBlueprint: ["owner", "one", assign],
  generateConfig: ["owner", "one", mqtt],
  getDeviceOfSite: ["readonly", "one"],
  updateDeviceOfSite: ["owner", "one", rename],
  deleteDeviceOfSite: ["owner", "one"],
  getDeviceManifestOfSite: ["readonly", "one"],
  assignBlueprintOfSite: ["owner", "one", assign],
  generateConfigOfSite: ["owner", "one", mqtt],
  listDeviceLogs: ["readonly", "one"],
  listDeviceLogsOfSite: ["readonly", "one"],
  getDeviceRuntime: ["readonly", "one"],
  restartDeviceRuntime: ["owner", "one"],
  getSimulation: ["readonly", "one"],
  adjustSimulation: ["owner", "one", () => ({ speed: 2 })],
  getConfiguration: ["readonly", "one"],
  putConfiguration: ["readonly", "one", () => ({ limits: { max_power: 5 } }), "user"],
  getConfigurationBucket: ["readonly", "one", undefined, "user"],
  putConfigurationBucket: ["readonly", "one", () => ({ max_power: 5 }), "user"],
  listDeviceAlerts: ["readonly", "one"],
  listSiteAlerts: ["readonly", "one"],
  acknowledgeAlert: ["user", "one", () => ({ comment: "on my way" })],
  unacknowledgeAlert: ["user", "one", () => ({})],
  listMaintenance: ["readonly", "one"],
  createMaintenance: ["owner", "one", () => ({ until: new Date(Date.now() + 3_600_000).toISOString() })],
  endMaintenance: ["owner", "one"],
  listNotificationChannels: ["owner", "one"],
  createNotificationChannel: ["owner", "one", channel],
  getNotificationChannel: ["owner", "one"],
  putNotificationChannel: ["owner", "one", channel],
  deleteNotificationChannel: ["owner", "one"],
  testNotificationChannel: ["owner", "one"],
  listNotificationRoutes: ["owner", "one"],
  getPush: ["readonly", "one"],
  subscribePush: ["readonly", "one", pushDevice],
  endPush: ["readonly", "one"],
  createNotificationRoute: ["owner", "one", route],
  putNotificationRoute: ["owner", "one", route],
  deleteNotificationRoute: ["owner", "one"],
  previewNotification: ["owner", "one", () => ({ severity: "error" })],
  listNotificationMessages: ["owner", "one"],
  retryNotificationMessage: ["owner", "one"],
  executeCommand: ["readonly", "one", start, "user"],
  executeCommandAlias: ["readonly", "one", start, "user"],
  executeCommandOfSite: ["readonly", "one", start, "user"],
  createCommandExecution: ["readonly", "one", start, "user"],
  createCommandExecutionAlias: ["readonly", "one", start, "user"],
  createCommandExecutionOfSite: ["readonly", "one", start, "user"],
  dryRunCommand: ["readonly", "one", start, "user"],
  cancelCommandExecution: ["readonly", "one", undefined, "user"],
  createBulkCommand: ["readonly", "any", ({ device }) => ({ name: "start", devices: { device_ids: [device] } })],
  dryRunBulkCommand: ["readonly", "any", ({ device }) => ({ name: "start", devices: { device_ids: [device] } })],
  listBulkCommands: ["readonly", "any"],
  getBulkCommand: ["readonly", "any"],
  listBulkDevices: ["readonly", "any"],
  cancelBulkCommand: ["readonly", "any"],
  createCommandSchedule: [
    "readonly",
    "any",
    ({ device }) => ({ name: "x", cron: "0 2 * * *", bulk: { name: "start", devices: { device_ids: [device] } } }),
  ],
  listCommandSchedules: ["readonly", "any"],
  getCommandSchedule: ["readonly", "any"],
  updateCommandSchedule: ["readonly", "any", () => ({ revision: 1, is_enabled: false })],
  deleteCommandSchedule: ["readonly", "any"],
  listScheduleRuns: ["readonly", "any"],
  getCommandExecution: ["readonly", "one", undefined, "user"],
  getCommandExecutionAlias: ["readonly", "one", undefined, "user"],
  getCommandExecutionOfSite: ["readonly", "one", undefined, "user"],
  listCommandExecutions: ["readonly", "one"],
  listCommandExecutionsAlias: ["readonly", "one"],
  listCommandExecutionsOfSite: ["readonly", "one"],
  listSiteCommandExecutions: ["readonly", "one"],
  getCurrentTelemetry: ["readonly", "any"],
  getLatestTelemetry: ["readonly", "any"],
  getTimeseries: ["readonly", "one", lastHour],
  getTimeseriesAlias: ["readonly", "one", lastHour],
  importTelemetry: ["owner", "one", "csv"],
  getRetention: ["readonly", "one"],
  putRetention: ["owner", "one", () => ({ default: "1y" })],
  listenToEvents: ["readonly", "any"],
  provisionStandalone: ["owner", "one", newDevice],
  provisionVirtualUcm: ["owner", "one", newDevice],
  provisionLuaDevice: ["owner", "one", (target) => ({ ...newDevice(target), blueprint_id: target.luaBlueprint })],
  provisionSimulatedDevice: ["owner", "one", (target) => ({ ...newDevice(target), blueprint_id: target.blueprint })],
  provisionChildDevice: [
    "owner",
    "one",
    (target) => ({ ...newDevice(target), parent_id: target.device, child_type: "x" }),
  ],
  downloadProfiles: ["readonly", "any"],
  downloadProfilesAlias: ["readonly", "any"],
  uploadProfiles: ["vendor", "every", "profiles"],
  validateBlueprint: ["public", "any", "manifest"],
  uploadBlueprint: ["owner", "any", "manifest"],
  listBlueprints: ["readonly", "any"],
  listCatalogue: ["readonly", "any"],
  downloadCatalogueEntry: ["readonly", "any"],
  uploadCatalogueEntry: ["owner", "any"],
  getBlueprint: ["readonly", "any"],
  getBlueprintManifest: ["readonly", "any"],
  getNamedBlueprint: ["readonly", "any"],
  downloadBlueprint: ["readonly", "any"],
  getManifestSchema: ["public", "any"],
  getScenarioSchema: ["public", "any"],
  createWebhook: ["owner", "one", ({ site }) => ({ url: "https://receiver.invalid/", site_ids: [site] })],
  listWebhooks: ["owner", "any"],
  deleteWebhook: ["owner", "one"],
  testWebhook: ["owner", "one"],
  listWebhookDeliveries: ["owner", "one"],
  retryWebhookDelivery: ["owner", "one"],
  createToken: ["owner", "one", ({ site }) => ({ name: "New", level: "readonly", site_ids: [site] })],
  listTokens: ["owner", "any"],
  getOwnToken: ["readonly", "any"],
  revokeToken: ["owner", "one"],
  createAccount: ["owner", "one", ({ site }) => ({ ...person(), level: "readonly", site_ids: [site] })],
  listAccounts: ["owner", "any"],
  getAccount: ["owner", "one"],
  updateAccount: ["owner", "one", () => ({ suspended: true })],
  deleteAccount: ["owner", "one"],
  createInvitation: ["owner", "one"],
  acceptInvitation: ["public", "any", () => ({ code: "x", password: "short" })],
  createTerminalSignIn: ["public", "any", () => ({ program: "x", level: "none" })],
  takeTerminalSignIn: ["public", "any", () => ({ device_code: "" })],
  getTerminalSignIn: ["readonly", "any"],
  approveTerminalSignIn: ["readonly", "any", () => ({ level: "readonly" })],
  denyTerminalSignIn: ["readonly", "any"],
  findSignInProvider: ["public", "any"],
  createProviderSignIn: ["public", "any"],
  finishProviderSignIn: ["public", "any", () => ({ parameters: "state=x" })],
  // A form is wanted.
  endSessionsByProvider: ["public", "any", "csv"],
  findProviderSignOut: ["public", "any"],
  listOwnTokens: ["readonly", "any"],
  // The token is nobody's own.
  revokeOwnToken: ["readonly", "any"],
  getOwnAccount: ["readonly", "any"],
  updateOwnAccount: ["readonly", "any", () => ({ language: "de" })],
  changeOwnPassword: ["readonly", "any", () => ({ current_password: "x", new_password: "four plain words" })],
  listOwnSignIns: ["readonly", "any"],
  beginProviderLink: ["readonly", "any", () => ({ current_password: "x" })],
  linkProvider: ["readonly", "any", () => ({ parameters: "state=x" })],
  unlinkProvider: ["readonly", "any", () => ({ current_password: "x" })],
  unlinkAccount: ["owner", "one"],
  listPasskeys: ["readonly", "any"],
  offerPasskey: ["readonly", "any", () => ({ current_password: "x" })],
  addPasskey: [
    "readonly",
    "any",
    () => ({ id: "AQ", name: "Phone", public_key: "AQ", client_data: "AQ", authenticator_data: "AQ" }),
  ],
  renamePasskey: ["readonly", "any", () => ({ name: "Phone" })],
  deletePasskey: ["readonly", "any"],
  offerPasskeySignIn: ["public", "any"],
  signInWithPasskey: [
    "public",
    "any",
    () => ({ id: "AQ", client_data: "AQ", authenticator_data: "AQ", signature: "!" }),
  ],
  getSecondFactor: ["readonly", "any"],
  offerSecondFactor: ["readonly", "any", () => ({ current_password: "x" })],
  confirmSecondFactor: ["readonly", "any", () => ({ code: "123456" })],
  replaceRecoveryCodes: ["readonly", "any", () => ({ current_password: "x", code: "123456" })],
  removeSecondFactor: ["readonly", "any", () => ({ current_password: "x", code: "123456" })],
  resetSecondFactor: ["owner", "one"],
  finishSignIn: ["public", "any", () => ({ step: "x", code: "x".repeat(41) })],
  createSession: ["public", "any", () => ({ token: busbar.adminToken })],
  findSession: ["public", "any"],
  getCurrentSession: ["readonly", "any"],
  listSessions: ["readonly", "any"],
  endCurrentSession: ["readonly", "any"],
  endSession: ["readonly", "one", undefined, "owner"],
  endOwnSessions: ["readonly", "any"],
  createSignInCode: ["readonly", "any"],
  findGatewaySignIn: ["readonly", "one"],
  createGatewaySignInCode: ["readonly", "one"],
  listAudit: ["owner", "any"],
  createJoinCode: ["installer", "any", () => ({})],
  listJoinCodes: ["installer", "every"],
  withdrawJoinCode: ["installer", "every"],
  joinGateway: ["public", "any", () => ({ code: "bb_wrong", name: "North", version: "1" })],
  listGateways: ["installer", "every"],
  getFleet: ["installer", "every"],
  getGateway: ["installer", "every"],
  revokeGateway: ["installer", "every"],
  giveSite: ["installer", "every", () => ({ site_id: "s" })],
  rotateGatewayCredential: ["installer", "every"],
  openLink: ["public", "any"],
  joinCloud: ["installer", "every", () => ({ url: "http://127.0.0.1:1", code: "bb_wrong" })],
  getUplink: ["owner", "any"],
  leaveCloud: ["installer", "every"],
  listChanges: ["readonly", "any"],
  getChange: ["readonly", "any"],
  withdrawChange: ["user", "any"],
  createBackup: ["system", "any"],
  // There is no such device, so nothing is begun.
  createRollout: [
    "installer",
    "every",
    ({ blueprint }) => ({ blueprint_id: blueprint, devices: { types: ["NATIVE"] } }),
  ],
  listRollouts: ["installer", "every"],
  getRollout: ["installer", "every"],
  listRolloutDevices: ["installer", "every"],
  pauseRollout: ["installer", "every"],
  resumeRollout: ["installer", "every"],
  abortRollout: ["installer", "every"],
  getSystem: ["owner", "every"],
  getSystemLog: ["installer", "every"],
  listSettings: ["system", "any"],
  putSetting: ["system", "any", () => ({ value: "1y" })],
  resetSetting: ["system", "any"],
  getHealth: ["public", "any"],
  getReadiness: ["public", "any"],
  getOpenapi: ["public", "any"],
  getReference: ["public", "any"],
  getGuide: ["public", "any"],
  getGuidePage: ["public", "any"],
  getWelcome: ["public", "any"],
  getMetrics: ["public", "any"],
};

/** Operations that take nothing for an answer without a query. Devices that are not seen come back as errors beside the rest. */
const QUERIES: Readonly<Record<string, (target: Target) => string>> = {
  getCurrentTelemetry: ({ device }) => `?devices[${device}]=power`,
  getLatestTelemetry: ({ device }) => `?devices[${device}]=power`,
};

/** The target has no counter, so nothing of it is corrected, and no control, so nothing of it is claimed. */
const NOT_THERE: readonly string[] = [
  "createCounterCorrection",
  "deleteCounterCorrection",
  "getControl",
  "claimControl",
  "renewClaim",
  "releaseClaim",
  "getInterlock",
  "deleteInterlock",
  "getRule",
  "updateRule",
  "deleteRule",
  "updateRuleScript",
  "enableRule",
  "disableRule",
  "enableRules",
  "disableRules",
  "listRuleLogs",
  "renderController",
  "listRuleTraces",
  "getRuleTrace",
  "dryRunRule",
  "testRule",
  "deleteVariable",
  "getCalendar",
  "listCalendarEntries",
  "deleteCalendar",
  "acknowledgeAlert",
  "unacknowledgeAlert",
  "endMaintenance",
  "getNotificationChannel",
  "putNotificationChannel",
  "deleteNotificationChannel",
  "testNotificationChannel",
  "endPush",
  "createNotificationRoute",
  "putNotificationRoute",
  "deleteNotificationRoute",
  "retryNotificationMessage",
  "resetSecondFactor",
  "unlinkAccount",
];

const LINK: Readonly<Record<string, number>> = {
  // The password is too short.
  acceptInvitation: 400,
  // The code is too long.
  finishSignIn: 400,
  // The signature is not base64url, and passkeys need a name.
  signInWithPasskey: 400,
  offerPasskeySignIn: 409,
  createTerminalSignIn: 400,
  takeTerminalSignIn: 400,
  // No provider is set.
  createProviderSignIn: 409,
  finishProviderSignIn: 409,
  endSessionsByProvider: 400,
  // Whoever lets a program in is signed in to the page.
  getTerminalSignIn: 403,
  approveTerminalSignIn: 403,
  denyTerminalSignIn: 403,
  revokeOwnToken: 404,
  createJoinCode: 409,
  listJoinCodes: 409,
  withdrawJoinCode: 404,
  joinGateway: 409,
  listGateways: 409,
  getFleet: 409,
  revokeGateway: 404,
  getGateway: 404,
  createRollout: 400,
  getRollout: 404,
  listRolloutDevices: 404,
  pauseRollout: 404,
  resumeRollout: 404,
  abortRollout: 404,
  giveSite: 409,
  rotateGatewayCredential: 404,
  openLink: 400,
  joinCloud: 409,
  getUplink: 404,
  leaveCloud: 404,
  getCommandSchedule: 404,
  updateCommandSchedule: 404,
  deleteCommandSchedule: 404,
  listScheduleRuns: 404,
  getBulkCommand: 404,
  listBulkDevices: 404,
  cancelBulkCommand: 404,
  getChange: 404,
  withdrawChange: 404,
};

/** Sign-in is for pages of this server. */
const SAID: Readonly<Record<string, Record<string, string>>> = {
  createSession: { "Sec-Fetch-Site": "same-origin" },
  acceptInvitation: { "Sec-Fetch-Site": "same-origin" },
  finishSignIn: { "Sec-Fetch-Site": "same-origin" },
  offerPasskeySignIn: { "Sec-Fetch-Site": "same-origin" },
  signInWithPasskey: { "Sec-Fetch-Site": "same-origin" },
  createProviderSignIn: { "Sec-Fetch-Site": "same-origin" },
  finishProviderSignIn: { "Sec-Fetch-Site": "same-origin" },
};

type Five = [string, string, string, string, string];
type Scope = "own site" | "other site" | "all sites";
/** The level is that at the own site, or that at the other one; where it is not, the person is a reader. */
type Mixed = "more at the own site" | "more at the other site";
const MIXED: readonly Mixed[] = ["more at the own site", "more at the other site"];
const SCOPES: readonly Scope[] = ["own site", "other site", "all sites"];
const routes = allRoutes();
const tokens = new Map<string, string>();
/** Sites that a cell may delete, all of them in the scope of the tokens for their own site. */
const doomed: string[] = [];
const allDoomed: string[] = [];
let standing: Target;
let other: string;

const isMixed = (scope: Scope | Mixed): scope is Mixed => MIXED.some((one) => one === scope);

/** A reader of both sites, with the level at one of them. */
function mixedAccess(level: AccessLevel, scope: Mixed): Access {
  const own = [standing.site, ...doomed];
  const more = scope === "more at the own site" ? own : [other];
  return accessOf({
    level: "readonly",
    sites: new Set([...own, other]),
    siteLevels: new Map(more.map((site) => [site, level])),
  });
}

function sitesOf(scope: Scope): "all" | ReadonlySet<string> {
  if (scope === "all sites") return "all";
  return new Set(scope === "own site" ? [standing.site, ...allDoomed] : [other]);
}
let cells = 0;

async function makeTarget(site: string): Promise<Target> {
  const body = { name: "Target", site_id: site, blueprint_id: standing?.blueprint ?? null };
  const device = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", body);
  const grant = { name: "Target", level: "readonly", site_ids: [site] };
  const { body: token } = await busbar.admin.post<{ id: string; token: string }>("/v3/tokens", grant);
  const signIn = { headers: { "Sec-Fetch-Site": "same-origin" } };
  const by = { token: token.token };
  const signed = await busbar.anonymous.post<{ session: { id: string } }>("/v3/sessions", by, signIn);
  const made = await busbar.admin.post<{ account: Account }>("/v3/accounts", { ...person(), ...grant });
  const account = made.body.account.id;
  return {
    ...standing,
    site,
    device: device.body.device_id,
    token: token.id,
    session: signed.body.session.id,
    account,
  };
}

/** Made by an owner of the site, so that every owner of it may see it. */
async function makeWebhook(site: string): Promise<string> {
  const owner = busbar.as(await busbar.token({ level: "owner", site_ids: [site] }));
  const body = { url: "https://receiver.invalid/", site_ids: [site] };
  return (await owner.post<{ webhook: { id: string } }>("/v3/webhooks", body)).body.webhook.id;
}

async function makeExecution(device: string): Promise<string> {
  const path = `/v3/devices/${device}/commands/executions`;
  return (await busbar.admin.post<{ execution_id: string }>(path, start())).body.execution_id;
}

/** A shared one: a site has room for so many. */
async function makeView(site: string): Promise<string> {
  const shared = { kind: "dashboard", name: "Wall", content: { tiles: [] }, is_shared: true };
  const { body } = await busbar.admin.post<{ view: { id: string } }>(`/v3/sites/${site}/views`, shared);
  return body.view.id;
}

function tokenRecord(level: AccessLevel, sites: "all" | ReadonlySet<string>) {
  const id = uuidv7();
  const text = formatToken(id, randomBytes(SECRET_BYTES));
  const now = instant(Date.now());
  const unset = { expiresAt: undefined, revokedAt: undefined, lastUsedAt: undefined };
  const token = { id, name: `${level}`, level, sites, hash: hashSecret(text), createdAt: now, ...unset };
  return { token, text };
}

beforeAll(async () => {
  const newSite = async (name: string) => (await busbar.admin.post<{ site: Site }>("/v3/sites", { name })).body.site.id;
  const own = await newSite("Own");
  other = await newSite("Other");
  for (let i = 0; i < 3 * ACCESS_LEVELS.length * SCOPES.length; i++) doomed.push(await newSite("Doomed"));
  allDoomed.push(...doomed);
  const upload = async (bytes: string) =>
    (await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes })).body.blueprint
      .id;
  standing = {
    site: own,
    device: "",
    token: "",
    session: "",
    account: "",
    blueprint: await upload(manifest("Matrix")),
    luaBlueprint: await upload(luaManifest("Scripted")),
    execution: "",
    webhook: "",
    delivery: "",
    view: "",
  };
  standing = await makeTarget(own);
  standing = { ...standing, webhook: await makeWebhook(own), view: await makeView(own) };
  standing = { ...standing, execution: await makeExecution(standing.device) };
  // No call grants level system, so these tokens come into the store by the back door.
  await busbar.withRecords(async (records) => {
    const at = instant(Date.now());
    const notice = {
      kind: "alert",
      siteId: own,
      readLevel: "readonly",
      occurredAt: at,
      queuedAt: at,
      event: "{}",
    } as const;
    await records.webhooks.enqueue([notice]);
    standing = { ...standing, delivery: (await records.webhooks.due(at, []))[0]?.id ?? "" };
    for (const level of ACCESS_LEVELS) {
      for (const scope of SCOPES) {
        const { token, text } = tokenRecord(level, sitesOf(scope));
        await records.tokens.insert(token, trail());
        tokens.set(`${level} ${scope}`, text);
      }
    }
    const [expired, revoked] = [tokenRecord("vendor", "all"), tokenRecord("vendor", "all")];
    await records.tokens.insert({ ...expired.token, expiresAt: instant(1) }, trail());
    await records.tokens.insert({ ...revoked.token, revokedAt: instant(1) }, trail());
    tokens.set("expired", expired.text).set("revoked", revoked.text).set("malformed", "bb_nonsense");
  });
});

function trail(): AuditEntry {
  const [id, at] = [uuidv7(), instant(Date.now())];
  const rest = { code: undefined, requestId: "", remoteAddress: "", details: {}, count: 1, lastAt: at };
  return { id, at, actor: undefined, action: "test", target: {}, outcome: "OK", ...rest };
}

function paramsOf(target: Target): Readonly<Record<string, string>> {
  return {
    site_id: target.site,
    device_id: target.device,
    blueprint_id: target.blueprint,
    token_id: target.token,
    session_id: target.session,
    account_id: target.account,
    passkey_id: "AQ",
    entry_id: "examples.grid-meter",
    execution_id: target.execution,
    webhook_id: target.webhook,
    delivery_id: target.delivery,
    view_id: target.view,
    control: "power",
    schedule_id: "01890000-0000-7000-8000-000000000000",
    interlock: "hot",
    rule: "none",
    trace_id: "none",
    controller: "none",
    variable: `v_${target.device.slice(-12)}`,
    calendar: `c-${target.device.slice(-12)}`,
    alert_id: "none",
    window_id: "01890000-0000-7000-8000-000000000000",
    push_device_id: "01890000-0000-7000-8000-000000000000",
    channel_id: "01890000-0000-7000-8000-000000000000",
    route_id: "01890000-0000-7000-8000-000000000000",
    message_id: "01890000-0000-7000-8000-000000000000",
    user_code: "BCDF-GHJK",
    bulk_id: "01890000-0000-7000-8000-000000000000",
    claim_id: "01890000-0000-7000-8000-000000000000",
    gateway_id: "01890000-0000-7000-8000-000000000000",
    rollout_id: "01890000-0000-7000-8000-000000000000",
    correction_id: "01890000-0000-7000-8000-000000000000",
    join_code_id: "01890000-0000-7000-8000-000000000000",
    change_id: "01890000-0000-7000-8000-000000000000",
    bucket: "limits",
    kind: "import",
    page: "concepts",
    name: "matrix",
    tag: "latest",
    setting: "logs.retention",
  };
}

async function call(operation: string, by: string | Person | undefined, target: Target) {
  const route = routes.find((one) => one.name === operation);
  const body = TABLE[operation]?.[2];
  const params = paramsOf(target);
  const path = (route?.path ?? "").replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? "");
  const session = typeof by === "string" ? busbar.as(by) : busbar.anonymous;
  const asPerson = typeof by === "object" ? { "Sec-Fetch-Site": "same-origin", Cookie: by.cookie } : {};
  const options = body === undefined ? {} : typeof body === "string" ? { bytes: BYTES[body] } : { json: body(target) };
  cells++;
  const query = QUERIES[operation]?.(target) ?? "";
  return await session.call(route?.method ?? "", path + query, {
    ...options,
    headers: { Prefer: "wait=0", ...SAID[operation], ...asPerson },
  });
}

/** A site has room for so many. */
const ADDS_CHANNELS: readonly string[] = ["createNotificationChannel", "subscribePush"];

async function removeChannels(site: string): Promise<void> {
  const path = `/v3/sites/${site}/notifications/channels`;
  const { body } = await busbar.admin.get<{ channels: readonly { id: string }[] }>(path);
  for (const { id } of body.channels) await busbar.admin.call("DELETE", `${path}/${id}`);
}

/** A call that is refused leaves its target as it is. */
async function freshTarget(operation: string, status: number): Promise<Target> {
  if (ADDS_CHANNELS.includes(operation)) await removeChannels(standing.site);
  if (operation === "deleteWebhook" && status === 200)
    return { ...standing, webhook: await makeWebhook(standing.site) };
  if ((operation === "updateView" || operation === "deleteView") && status === 200)
    return { ...standing, view: await makeView(standing.site) };
  // An earlier one may have ended by now.
  if (operation === "cancelCommandExecution" && status === 200)
    return { ...standing, execution: await makeExecution(standing.device) };
  if (operation === "deleteSite") return { ...standing, site: doomed[0] ?? "" };
  const isChange = status === 200 && routes.find((one) => one.name === operation)?.method !== "GET";
  return isChange && TABLE[operation]?.[1] === "one" ? await makeTarget(standing.site) : standing;
}

/** About the session of the call, or the person behind it. */
const OF_SESSION: readonly string[] = [
  "getCurrentSession",
  "endCurrentSession",
  "getOwnAccount",
  "updateOwnAccount",
  "changeOwnPassword",
  "listOwnSignIns",
  "listPasskeys",
  "offerPasskey",
  "addPasskey",
  "renamePasskey",
  "deletePasskey",
  "getSecondFactor",
  "offerSecondFactor",
  "confirmSecondFactor",
  "replaceRecoveryCodes",
  "removeSecondFactor",
  "beginProviderLink",
  "linkProvider",
  "unlinkProvider",
];
const OF_ONLY_SITE = "OfOnlySite";

/** What the table says must come out. */
function expected(operation: string, level: AccessLevel, scope: Scope): number {
  const [needs, reach, , inside = "readonly"] = TABLE[operation] ?? ["system", "every"];
  // A gateway has no gateways, it has joined no cloud, and none can be reached.
  const link = LINK[operation];
  if (needs === "public") return link ?? 200;
  if (!allows(level, needs)) return 403;
  if (link !== undefined) return reach === "every" && scope !== "all sites" ? 403 : link;
  if (operation === "getOnlySite" || operation === "updateOnlySite") return scope === "other site" ? 200 : 409;
  if (operation.endsWith(OF_ONLY_SITE)) {
    const original = operation.slice(0, -OF_ONLY_SITE.length);
    return scope !== "other site" ? 409 : NOT_THERE.includes(original) ? 404 : 200;
  }
  // These calls come with a token, so they have no session of their own.
  if (OF_SESSION.includes(operation)) return 404;
  if (reach === "every") return scope === "all sites" ? 200 : 403;
  if (reach === "one" && scope === "other site") return 404;
  // No gateway has the site.
  if (operation === "createGatewaySignInCode") return 409;
  // The target connects by itself.
  if (["restartDeviceRuntime", "getSimulation", "adjustSimulation"].includes(operation)) return 409;
  if (NOT_THERE.includes(operation)) return 404;
  // It names a control that the target does not have.
  if (operation === "putInterlock") return 400;
  // Below it, other tokens' sessions are hidden, not only kept.
  if (operation === "endSession" && !allows(level, inside)) return 404;
  return allows(level, inside) ? 200 : 403;
}

/** About one site, but named by an id, or among other sites in a body. Where the level is too low, they look as if they did not exist. */
const BY_ID: readonly string[] = [
  "createWebhook",
  "deleteWebhook",
  "testWebhook",
  "listWebhookDeliveries",
  "retryWebhookDelivery",
  "createToken",
  "revokeToken",
  "createAccount",
  "getAccount",
  "updateAccount",
  "deleteAccount",
  "createInvitation",
  "resetSecondFactor",
  "unlinkAccount",
];

/** What the table says of somebody who has one level at the own site, and another one at the other. */
function expectedMixed(operation: string, level: AccessLevel, scope: Mixed): number {
  const [needs, reach] = TABLE[operation] ?? ["system", "every"];
  if (needs === "public") return expected(operation, level, "own site");
  if (!allows(level, needs)) return 403;
  // Two sites are seen, whatever the level at each.
  if (operation === "getOnlySite" || operation === "updateOnlySite" || operation.endsWith(OF_ONLY_SITE)) return 409;
  if (reach === "every") return 403;
  const here = scope === "more at the own site" ? level : "readonly";
  if (reach === "one" && !allows(here, needs)) return BY_ID.includes(operation) ? 404 : 403;
  return expected(operation, reach === "one" ? here : level, "own site");
}

const withoutIds = (text: string) => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "");

test("the table has every operation and no other", () => {
  expect(Object.keys(TABLE).sort()).toEqual(routes.map((route) => route.name).sort());
});

// Before the others: the log merges refusals when they become too many.
test("a refused caller within the program is in the audit log", async () => {
  const caller = { tokenId: uuidv7(), tokenName: "rule of the night", level: "readonly", sites: "all" } as const;
  expect(await perform("updateDevice", caller, standing)).toBe(403);
  const { body } = await busbar.admin.get<{ entries: readonly { actor: { name: string }; action: string }[] }>(
    "/v3/audit?outcome.in=REFUSED&limit=1000",
  );
  expect(body.entries.filter(({ actor }) => actor?.name === "rule of the night")).toMatchObject([
    { action: "updateDevice", outcome: "REFUSED", code: "forbidden", target: { device_id: standing.device } },
  ]);
});

test("what is elsewhere takes the same reads as what does not exist, so that the time reveals nothing", async () => {
  const reads: string[] = [];
  const { get, all } = Connection.prototype;
  vi.spyOn(Connection.prototype, "get").mockImplementation(function (this: Connection, sql, ...values) {
    reads.push(sql);
    return get.call(this, sql, ...values);
  });
  vi.spyOn(Connection.prototype, "all").mockImplementation(function (this: Connection, sql, ...values) {
    reads.push(sql);
    return all.call(this, sql, ...values);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const token = tokens.get("vendor other site");
  const steps = async (operation: string, target: Target) => {
    reads.length = 0;
    const { status } = await call(operation, token, target);
    return { operation, status, reads: [...reads] };
  };
  const about = Object.keys(TABLE).filter((operation) => TABLE[operation]?.[1] === "one" || operation in QUERIES);
  expect(about.length).toBeGreaterThan(40);
  for (const operation of about) {
    const elsewhere = { ...standing, ...(await makeTarget(standing.site)) };
    const [site, device, webhook, delivery, execution] = Array.from({ length: 5 }, () => uuidv7()) as Five;
    const nowhere = {
      ...standing,
      site,
      device,
      webhook,
      delivery,
      execution,
      token: uuidv7(),
      session: uuidv7(),
      account: uuidv7(),
    };
    await steps(operation, elsewhere);
    await steps(operation, nowhere);
    // What the service reads by itself in between is no part of the call: only a difference that stays counts.
    await vi.waitFor(async () => {
      expect(await steps(operation, elsewhere)).toEqual(await steps(operation, nowhere));
    }, PATIENT);
  }
});

test("the table and the routes agree on the level", () => {
  const levels = Object.fromEntries(routes.map((route) => [route.name, route.level]));
  expect(Object.fromEntries(Object.entries(TABLE).map(([operation, [needs]]) => [operation, needs]))).toEqual(levels);
});

test.each(Object.keys(TABLE))("%s is open to exactly the levels and sites of the table", async (operation) => {
  for (const level of ACCESS_LEVELS) {
    for (const scope of SCOPES) {
      const status = expected(operation, level, scope);
      const target = await freshTarget(operation, status);
      const token = tokens.get(`${level} ${scope}`);
      const answer = await call(operation, token, target);
      expect([level, scope, answer.status, answer.text.slice(0, 200)]).toEqual([
        level,
        scope,
        status,
        answer.text.slice(0, 200),
      ]);
      if (operation === "deleteSite" && answer.status === 200) doomed.shift();
      if (answer.status !== 404 || (NOT_THERE.includes(operation) && scope !== "other site")) continue;
      const others = { token: uuidv7(), session: uuidv7(), account: uuidv7(), webhook: uuidv7() };
      const unknown = { ...target, ...others, site: uuidv7(), device: uuidv7() };
      const nothing = await call(operation, token, unknown);
      expect(withoutIds(answer.text)).toBe(withoutIds(nothing.text));
      expect([...answer.headers.keys()]).toEqual([...nothing.headers.keys()]);
    }
  }
});

/** A caller within the program, such as a rule. Returns the status that HTTP would answer with. */
async function perform(operation: string, caller: Caller, target: Target): Promise<number> {
  const { path = "" } = routes.find((one) => one.name === operation) ?? {};
  const body = TABLE[operation]?.[2];
  const all = paramsOf(target);
  const query = Object.fromEntries(new URLSearchParams(QUERIES[operation]?.(target)));
  const input = {
    params: Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => [name, all[name] ?? ""])),
    query,
    body: typeof body === "string" ? bytesFor(operation, BYTES[body]) : body?.(target),
    headers: { prefer: "wait=0" },
  };
  const inside = { caller, operation, requestId: "r", remoteAddress: "rule" };
  try {
    const answer = await busbar.perform(inside, operation, input);
    if (answer instanceof StreamAnswer) await leave(operation, answer);
    return 200;
  } catch (error) {
    return problemOf(error).status;
  }
}

/** Only one backup is made at a time, so each is read to its end. Events have no end. */
async function leave(operation: string, { stream }: StreamAnswer): Promise<void> {
  if (operation === "createBackup") await text(stream);
  else stream.on("error", () => {}).destroy();
}

function bytesFor(operation: string, content: string | Uint8Array): unknown {
  const bytes = Buffer.from(content as string);
  return operation === "importTelemetry" ? Readable.from([bytes]) : bytes;
}

/** These take what only HTTP has: a page of this server, the address of the call, a gateway's socket. */
const ONLY_HTTP: Readonly<Record<string, number>> = {
  createSession: 409,
  findSession: 409,
  findSignInProvider: 409,
  findProviderSignOut: 409,
  generateConfig: 409,
  acceptInvitation: 409,
  finishSignIn: 409,
  offerPasskeySignIn: 409,
  signInWithPasskey: 409,
};
/** The server itself serves them, without the register. */
const NOT_REGISTERED = ["getHealth", "getReadiness", "getOpenapi", "getReference", "getWelcome", "getMetrics"];
const INSIDE = routes
  .filter(({ aliasOf, name }) => aliasOf === undefined && !NOT_REGISTERED.includes(name))
  .map(({ name }) => name);

/** Both doors ask the same question, and HTTP is asked for every level: here the long run does it, too. */
function levelsAround(operation: string): readonly AccessLevel[] {
  const [needs, , , inside] = TABLE[operation] ?? ["system"];
  const edges = [needs, inside].filter((level) => level !== undefined && level !== "public");
  return ACCESS_LEVELS.filter(
    (level, place) => IS_LONG || edges.some((edge) => edge === level || edge === ACCESS_LEVELS[place + 1]),
  );
}

test.each(INSIDE)("%s is open to the same levels and sites for callers within the program", async (operation) => {
  for (const level of levelsAround(operation)) {
    for (const scope of [...SCOPES, ...MIXED]) {
      // No person has the level of the admin token.
      if (isMixed(scope) && level === "system") continue;
      const asOverHttp = isMixed(scope) ? expectedMixed(operation, level, scope) : expected(operation, level, scope);
      const target = await freshTarget(operation, asOverHttp);
      const access = isMixed(scope) ? mixedAccess(level, scope) : { level, sites: sitesOf(scope) };
      const caller = { tokenId: uuidv7(), tokenName: "rule", ...access };
      const status = await perform(operation, caller, target);
      const isOpen = asOverHttp === 200 || TABLE[operation]?.[0] === "public";
      const wanted = isOpen ? (ONLY_HTTP[operation] ?? asOverHttp) : asOverHttp;
      expect([level, scope, status]).toEqual([level, scope, wanted]);
      if (operation === "deleteSite" && status === 200) doomed.shift();
    }
  }
});

/** What the session of a person gets otherwise than a token of the same level and sites. */
const BY_SESSION: Readonly<Record<string, number>> = {
  // No provider is set.
  beginProviderLink: 409,
  linkProvider: 409,
  // A session makes no further ones.
  createSignInCode: 403,
  getCurrentSession: 200,
  endCurrentSession: 200,
  getOwnAccount: 200,
  updateOwnAccount: 200,
  listOwnSignIns: 200,
  // The current password is wrong.
  changeOwnPassword: 400,
  listPasskeys: 200,
  getSecondFactor: 200,
  // An address of digits has no passkeys.
  offerPasskey: 409,
  addPasskey: 409,
  // The password is wrong, and nothing has been offered.
  offerSecondFactor: 400,
  confirmSecondFactor: 409,
  // No program waits with this code.
  getTerminalSignIn: 404,
  approveTerminalSignIn: 404,
  denyTerminalSignIn: 404,
};
const ENDS_SESSION: readonly string[] = ["createSession", "endCurrentSession", "endOwnSessions"];
const PASSWORD = "four plain small words";
const people = new Map<string, Person>();

interface Person {
  readonly cookie: string;
}

function accessBody(level: AccessLevel, scope: Scope | Mixed): object {
  const own = [standing.site, ...doomed];
  const more = (sites: readonly string[]) => sites.map((site_id) => ({ site_id, level }));
  const mixed = { level: "readonly", site_ids: [...own, other] };
  return {
    "all sites": { level },
    "own site": { level, site_ids: own },
    "other site": { level, site_ids: [other] },
    "more at the own site": { ...mixed, site_levels: more(own) },
    "more at the other site": { ...mixed, site_levels: more([other]) },
  }[scope];
}

/** One for all operations, and another one for each that ends sessions. */
async function personOf(level: AccessLevel, scope: Scope | Mixed, operation: string): Promise<Person> {
  const key = `${level} ${scope}`;
  const known = ENDS_SESSION.includes(operation) ? undefined : people.get(key);
  if (known !== undefined) return known;
  const mail = `${uuidv7()}@example.org`;
  const made = await busbar.admin.post("/v3/accounts", {
    name: key,
    mail,
    password: PASSWORD,
    ...accessBody(level, scope),
  });
  expect(made.errors).toEqual([]);
  const headers = { "Sec-Fetch-Site": "same-origin" };
  const signedIn = await busbar.anonymous.post("/v3/sessions", { mail, password: PASSWORD }, { headers });
  const person = { cookie: (signedIn.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "" };
  if (!ENDS_SESSION.includes(operation)) people.set(key, person);
  return person;
}

test.each(Object.keys(TABLE))("%s is open to the same levels and sites for people in the page", async (operation) => {
  for (const level of levelsAround(operation)) {
    // No person has the level of the admin token.
    if (level === "system") continue;
    for (const scope of [...SCOPES, ...MIXED]) {
      const status = isMixed(scope) ? expectedMixed(operation, level, scope) : expected(operation, level, scope);
      const wanted = status === 403 ? status : (BY_SESSION[operation] ?? status);
      const isPublic = TABLE[operation]?.[0] === "public";
      const person = await personOf(level, scope, operation);
      const answer = await call(operation, person, await freshTarget(operation, status));
      expect([level, scope, answer.status, answer.text.slice(0, 200)]).toEqual([
        level,
        scope,
        isPublic ? status : operation.endsWith("TerminalSignIn") ? BY_SESSION[operation] : wanted,
        answer.text.slice(0, 200),
      ]);
      if (operation === "deleteSite" && answer.status === 200) doomed.shift();
    }
  }
});

test.each(["none", "malformed", "expired", "revoked"])("a token that is %s opens only what is public", async (kind) => {
  for (const [operation, [needs]] of Object.entries(TABLE)) {
    const answer = await call(operation, tokens.get(kind), standing);
    expect([operation, answer.status]).toEqual([operation, needs === "public" ? (LINK[operation] ?? 200) : 401]);
  }
});

test("every combination was tried", () => {
  const combinations = Object.keys(TABLE).length * (ACCESS_LEVELS.length * SCOPES.length + 4 + SCOPES.length);
  console.log(`access matrix: ${cells} calls over ${combinations} combinations`);
  expect(cells).toBeGreaterThanOrEqual(combinations);
});
