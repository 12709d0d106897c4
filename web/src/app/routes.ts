import type { Component } from "svelte";
import type { RouteName } from "#web/router/paths.ts";
import type { DeviceScreenProps, ScreenProps, SiteScreenProps } from "#web/router/screen.ts";
import SiteScreen from "#web/site/site-screen.svelte";

/** Which entry of the navigation is marked. */
export type Section =
  | "sites"
  | "overview"
  | "devices"
  | "energy"
  | "explore"
  | "alerts"
  | "dashboards"
  | "executions"
  | "rules"
  | "controls"
  | "catalogue"
  | "blueprints"
  | "access"
  | "system";

type Loaded<Screen> = { readonly default: Screen };
/** What is here already is no promise, so that it is drawn without a placeholder before it. */
type Load<Props extends object> = () => Loaded<Component<Props>> | Promise<Loaded<Component<Props>>>;
/** A screen need not take what it is given. */
type Taking<Props extends object> = Component<Props> | Component<Record<string, never>>;
type Given<Props extends object> = () => Loaded<Taking<Props>> | Promise<Loaded<Taking<Props>>>;

export type Route =
  | { readonly scope: "page"; readonly section: Section; readonly load: Load<ScreenProps<"home">> }
  | { readonly scope: "site"; readonly section: Section; readonly load: Load<SiteScreenProps<"home">> }
  | { readonly scope: "device"; readonly section: Section; readonly load: Load<DeviceScreenProps<"home">> };

const page = <Name extends RouteName>(section: Section, load: Given<ScreenProps<Name>>): Route => ({
  scope: "page",
  section,
  load: load as Load<ScreenProps<"home">>,
});
const ofSite = <Name extends RouteName>(section: Section, load: Given<SiteScreenProps<Name>>): Route => ({
  scope: "site",
  section,
  load: load as Load<SiteScreenProps<"home">>,
});
const ofDevice = <Name extends RouteName>(load: Given<DeviceScreenProps<Name>>): Route => ({
  scope: "device",
  section: "devices",
  load: load as Load<DeviceScreenProps<"home">>,
});

/**
 * The screens behind the addresses. Each is a file of its own that is loaded when it is first shown, but for the overview of a
 * site: it is what people open, and waiting for a second round of files would delay its first picture.
 */
export const ROUTES: { readonly [Name in RouteName]: Route } = {
  home: page("sites", () => import("#web/sites/home-screen.svelte")),
  signIn: page("sites", () => import("#web/sites/home-screen.svelte")),
  sites: page("sites", () => import("#web/sites/sites-screen.svelte")),
  site: ofSite("overview", () => ({ default: SiteScreen })),
  devices: ofSite("devices", () => import("#web/devices/devices-screen.svelte")),
  addDevice: ofSite("devices", () => import("#web/add-device/add-device-screen.svelte")),
  explore: ofSite("explore", () => import("#web/explore/explore-screen.svelte")),
  energy: ofSite("energy", () => import("#web/energy/energy-screen.svelte")),
  dashboards: ofSite("dashboards", () => import("#web/dashboard/dashboard-screen.svelte")),
  dashboard: ofSite("dashboards", () => import("#web/dashboard/dashboard-screen.svelte")),
  kiosk: ofSite<"kiosk">("dashboards", () => import("#web/dashboard/kiosk-screen.svelte")),
  alerts: ofSite("alerts", () => import("#web/alerts/alerts-screen.svelte")),
  pushDevice: ofSite<"pushDevice">("alerts", () => import("#web/notifications/push-screen.svelte")),
  messages: ofSite<"messages">("alerts", () => import("#web/notifications/messages-screen.svelte")),
  maintenance: ofSite<"maintenance">("alerts", () => import("#web/notifications/maintenance-screen.svelte")),
  notificationRoutes: ofSite<"notificationRoutes">("alerts", () => import("#web/notifications/routes-screen.svelte")),
  channels: ofSite<"channels">("alerts", () => import("#web/notifications/channels-screen.svelte")),
  executions: ofSite("executions", () => import("#web/executions/executions-screen.svelte")),
  rules: ofSite("rules", () => import("#web/rules/rules-screen.svelte")),
  newRule: ofSite("rules", () => import("#web/rules/new-rule-screen.svelte")),
  controllers: ofSite("rules", () => import("#web/rules/controllers-screen.svelte")),
  controller: ofSite<"controller">("rules", () => import("#web/rules/controller-screen.svelte")),
  rule: ofSite<"rule">("rules", () => import("#web/rules/rule-screen.svelte")),
  ruleRuns: ofSite<"rule">("rules", () => import("#web/rules/rule-screen.svelte")),
  ruleLog: ofSite<"rule">("rules", () => import("#web/rules/rule-screen.svelte")),
  editRule: ofSite<"rule">("rules", () => import("#web/rules/rule-screen.svelte")),
  variables: ofSite("rules", () => import("#web/rules/variables-screen.svelte")),
  calendars: ofSite<"calendars">("rules", () => import("#web/calendars/calendars-screen.svelte")),
  calendar: ofSite<"calendar">("rules", () => import("#web/calendars/calendar-screen.svelte")),
  notifications: ofSite("alerts", () => import("#web/rules/notifications-screen.svelte")),
  controls: ofSite("controls", () => import("#web/control/controls-screen.svelte")),
  device: ofDevice(() => import("#web/device/overview-tab.svelte")),
  deviceCommands: ofDevice(() => import("#web/commands/commands-tab.svelte")),
  deviceCommand: ofDevice<"deviceCommand">(() => import("#web/commands/command-tab.svelte")),
  deviceExecutions: ofDevice(() => import("#web/executions/executions-tab.svelte")),
  deviceAlerts: ofDevice(() => import("#web/alerts/alerts-tab.svelte")),
  deviceConfiguration: ofDevice(() => import("#web/configuration/configuration-tab.svelte")),
  deviceLogs: ofDevice(() => import("#web/device/logs-tab.svelte")),
  deviceRuntime: ofDevice(() => import("#web/device/runtime-tab.svelte")),
  deviceSimulation: ofDevice(() => import("#web/device/simulation-tab.svelte")),
  catalogue: page("catalogue", () => import("#web/catalogue/catalogue-screen.svelte")),
  catalogueEntry: page<"catalogueEntry">("catalogue", () => import("#web/catalogue/catalogue-entry-screen.svelte")),
  blueprints: page("blueprints", () => import("#web/blueprints/blueprints-screen.svelte")),
  newBlueprint: page("blueprints", () => import("#web/editor/new-blueprint-screen.svelte")),
  rollouts: page("blueprints", () => import("#web/rollouts/rollouts-screen.svelte")),
  newRollout: page<"newRollout">("blueprints", () => import("#web/rollouts/new-rollout-screen.svelte")),
  rollout: page<"rollout">("blueprints", () => import("#web/rollouts/rollout-screen.svelte")),
  blueprint: page<"blueprint">("blueprints", () => import("#web/blueprints/blueprint-screen.svelte")),
  editBlueprint: page<"editBlueprint">("blueprints", () => import("#web/editor/edit-blueprint-screen.svelte")),
  access: page("access", () => import("#web/access/tokens-screen.svelte")),
  account: page("access", () => import("#web/access/account-screen.svelte")),
  people: page<"people">("access", () => import("#web/access/people-screen.svelte")),
  terminal: page<"terminal">("access", () => import("#web/access/terminal-screen.svelte")),
  accessSessions: page("access", () => import("#web/access/sessions-screen.svelte")),
  audit: page("access", () => import("#web/access/audit-screen.svelte")),
  system: page("system", () => import("#web/system/system-screen.svelte")),
  gateways: page("system", () => import("#web/system/gateways-screen.svelte")),
  gateway: page<"gateway">("system", () => import("#web/system/gateway-screen.svelte")),
  changes: page<"changes">("system", () => import("#web/changes/changes-screen.svelte")),
};
