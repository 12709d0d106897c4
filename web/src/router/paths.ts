/** Every address of the page. A part that begins with a colon stands for an id. */
export const PATHS = {
  home: "/",
  signIn: "/sign-in",
  sites: "/sites",
  site: "/sites/:site",
  devices: "/sites/:site/devices",
  addDevice: "/sites/:site/add-device",
  explore: "/sites/:site/explore",
  energy: "/sites/:site/energy",
  dashboards: "/sites/:site/dashboards",
  dashboard: "/sites/:site/dashboards/:view",
  kiosk: "/sites/:site/kiosk/:view",
  alerts: "/sites/:site/alerts",
  pushDevice: "/sites/:site/notifications/device",
  messages: "/sites/:site/notifications/messages",
  maintenance: "/sites/:site/maintenance",
  notificationRoutes: "/sites/:site/notifications/routes",
  channels: "/sites/:site/notifications/channels",
  executions: "/sites/:site/executions",
  rules: "/sites/:site/rules",
  newRule: "/sites/:site/rules/new",
  controllers: "/sites/:site/rules/controllers",
  controller: "/sites/:site/rules/controllers/:controller",
  rule: "/sites/:site/rules/:rule",
  ruleRuns: "/sites/:site/rules/:rule/runs",
  ruleLog: "/sites/:site/rules/:rule/log",
  editRule: "/sites/:site/rules/:rule/edit",
  variables: "/sites/:site/variables",
  calendars: "/sites/:site/calendars",
  calendar: "/sites/:site/calendars/:calendar",
  notifications: "/sites/:site/notifications",
  controls: "/sites/:site/controls",
  device: "/devices/:device",
  deviceCommands: "/devices/:device/commands",
  deviceCommand: "/devices/:device/commands/:command",
  deviceExecutions: "/devices/:device/executions",
  deviceAlerts: "/devices/:device/alerts",
  deviceConfiguration: "/devices/:device/configuration",
  deviceLogs: "/devices/:device/logs",
  deviceRuntime: "/devices/:device/runtime",
  deviceSimulation: "/devices/:device/simulation",
  catalogue: "/catalogue",
  catalogueEntry: "/catalogue/:entry",
  blueprints: "/blueprints",
  newBlueprint: "/blueprints/new",
  rollouts: "/blueprints/rollouts",
  newRollout: "/blueprints/rollouts/new",
  rollout: "/blueprints/rollouts/:rollout",
  blueprint: "/blueprints/:blueprint",
  editBlueprint: "/blueprints/:blueprint/edit",
  access: "/access",
  account: "/access/account",
  people: "/access/people",
  accessSessions: "/access/sessions",
  terminal: "/terminal",
  audit: "/access/audit",
  system: "/system",
  gateways: "/system/gateways",
  gateway: "/system/gateways/:gateway",
  changes: "/system/changes",
} as const;

export type RouteName = keyof typeof PATHS;

type Names<Path extends string> = Path extends `${infer Head}/${infer Rest}`
  ? Names<Head> | Names<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never;

/** The ids in an address: `Params<"deviceCommand">` is `{ device: string; command: string }`. */
export type Params<Name extends RouteName> = { readonly [K in Names<(typeof PATHS)[Name]>]: string };

/** Addresses without ids. */
export type PlainRouteName = {
  [Name in RouteName]: Names<(typeof PATHS)[Name]> extends never ? Name : never;
}[RouteName];

type QueryValue = string | number | boolean | readonly string[] | undefined;
export type QueryChange = { readonly [name: string]: QueryValue };

/** The address of a screen: `href("device", { device: id })`. Lists are joined by commas, as in the interface. */
export function href<Name extends RouteName>(name: Name, params: Params<Name>, query: QueryChange = {}): string {
  const given: Readonly<Record<string, string>> = params;
  const path = PATHS[name].replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(given[key] ?? ""));
  return path + renderQuery(query);
}

/** What is undefined, empty or false is left out. */
export function renderQuery(query: QueryChange): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const text = Array.isArray(value) ? value.join(",") : value === undefined || value === false ? "" : String(value);
    if (text !== "") parameters.set(name, text);
  }
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

/** Which screen an address means, and its ids. Of two that fit, the one with fewer ids: /blueprints/new is no blueprint. */
export function matchPath(
  path: string,
): { readonly name: RouteName; readonly params: Readonly<Record<string, string>> } | undefined {
  const parts = split(path);
  let best: { name: RouteName; params: Record<string, string> } | undefined;
  for (const name of Object.keys(PATHS) as RouteName[]) {
    const params = matchParts(split(PATHS[name]), parts);
    if (params !== undefined && (best === undefined || Object.keys(params).length < Object.keys(best.params).length))
      best = { name, params };
  }
  return best;
}

function matchParts(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, wanted] of pattern.entries()) {
    const part = parts[index] ?? "";
    if (wanted.startsWith(":")) params[wanted.slice(1)] = part;
    else if (wanted !== part) return undefined;
  }
  return params;
}

function split(path: string): readonly string[] {
  return path
    .split("/")
    .filter((part) => part !== "")
    .map(decode);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
