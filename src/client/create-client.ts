import { alerts } from "./alerts.ts";
import { backups } from "./backups.ts";
import { commands } from "./commands.ts";
import { devices } from "./devices.ts";
import { gateways, uplink } from "./gateways.ts";
import { type EventCall, type EventQuery, listenToEvents } from "./listen-to-events.ts";
import type {
  AccessLevel,
  AuditEntry,
  Blueprint,
  CataloguePage,
  Diagnostic,
  JsonObject,
  Location,
  OwnToken,
  Page,
  Site,
  SiteEnergy,
  SiteRetention,
  System,
  SystemLogLine,
  Token,
  Validation,
  Window,
} from "./resources.ts";
import { rollouts } from "./rollouts.ts";
import { segment } from "./segment.ts";
import { sessions } from "./sessions.ts";
import { telemetry } from "./telemetry.ts";
import { type ClientOptions, createTransport, type Transport } from "./transport.ts";
import { webhooks } from "./webhooks.ts";

export type Client = ReturnType<typeof createClient>;

type Signal = { readonly signal?: AbortSignal | undefined };
type SiteFields = { readonly name: string; readonly timezone?: string; readonly location?: Location };
type SiteChange = Partial<SiteFields> & { readonly clear?: readonly "location"[] };
type DeviceFields = { readonly name: string; readonly slug?: string; readonly blueprint_id?: string };
/** Without a site: the only one there is. */
type AtSite = { readonly site_id?: string };

/** The HTTP interface as functions. Works wherever `fetch` does. Throws `ApiError` and `UnreachableError`. */
export function createClient(options: ClientOptions) {
  const transport = createTransport(options);
  return {
    /** Any call, and its answer as it came. */
    call: transport.bytes,
    health: (call: Signal = {}) => transport.json<JsonObject>({ method: "GET", path: "/healthz", ...call }),
    ready: (call: Signal = {}) => transport.json<JsonObject>({ method: "GET", path: "/readyz", ...call }),
    system: {
      get: (call: Signal = {}) => transport.json<{ system: System }>({ method: "GET", path: "/v3/system", ...call }),
      log: () => transport.json<{ lines: readonly SystemLogLine[] }>({ method: "GET", path: "/v3/system/log" }),
    },
    sites: sites(transport),
    devices: devices(transport),
    provisioning: provisioning(transport),
    blueprints: blueprints(transport),
    catalogue: catalogue(transport),
    rollouts: rollouts(transport),
    tokens: tokens(transport),
    sessions: sessions(transport),
    audit: audit(transport),
    commands: commands(transport),
    /** What happens, as it happens: `for await (const event of client.events())`. */
    events: (query: EventQuery = {}, call: EventCall = {}) => listenToEvents(transport, query, call),
    telemetry: telemetry(transport),
    alerts: alerts(transport),
    webhooks: webhooks(transport),
    gateways: gateways(transport),
    uplink: uplink(transport),
    backups: backups(transport),
  };
}

function sites({ json }: Transport) {
  const at = (id: string, rest = "") => `/v3/sites/${segment(id)}${rest}`;
  return {
    list: (window: Window = {}) =>
      json<Page<"sites", Site>>({ method: "GET", path: "/v3/sites", query: { ...window } }),
    get: (id: string) => json<{ site: Site }>({ method: "GET", path: at(id) }),
    create: (site: SiteFields) => json<{ site: Site }>({ method: "POST", path: "/v3/sites", body: site }),
    update: (id: string, change: SiteChange) => json<{ site: Site }>({ method: "PATCH", path: at(id), body: change }),
    delete: (id: string) => json<JsonObject>({ method: "DELETE", path: at(id) }),
    retention: (id: string) => json<{ retention: SiteRetention }>({ method: "GET", path: at(id, "/retention") }),
    /** Replaces all rules of the site. */
    putRetention: (id: string, rules: Partial<Pick<SiteRetention, "attributes">> & { readonly default?: string }) =>
      json<{ retention: SiteRetention }>({ method: "PUT", path: at(id, "/retention"), body: rules }),
    /** `period` is today, yesterday, 2026-11-15, 2026-11 or 2026 in the site's time zone. */
    energy: (id: string, query: { readonly period?: string; readonly from?: string; readonly to?: string } = {}) =>
      json<{ energy: SiteEnergy }>({ method: "GET", path: `${at(id)}/energy`, query }),
  };
}

function provisioning({ json }: Transport) {
  const create = (path: string, body: object) =>
    json<{ device_id: string }>({ method: "POST", path: `/v3/provisioning/${path}`, body });
  return {
    standalone: (device: DeviceFields & AtSite) => create("standalone", device),
    luaDevice: (device: DeviceFields & AtSite & { readonly blueprint_id: string }) => create("lua_device", device),
    simulatedDevice: (device: DeviceFields & AtSite & { readonly blueprint_id: string }) =>
      create("simulated_device", device),
    child: (device: DeviceFields & { readonly parent_id: string; readonly child_type: string }) =>
      create("child_device", device),
  };
}

function blueprints({ json, bytes }: Transport) {
  type Uploaded = { readonly blueprint: Blueprint; readonly diagnostics?: readonly Diagnostic[] };
  /** A zip with manifest.yml at its root, or a bare manifest. */
  const send = <T>(path: string, content: Uint8Array) =>
    json<T>({
      method: "POST",
      path,
      bytes: { content, type: isZip(content) ? "application/zip" : "application/yaml" },
    });
  const at = (id: string, rest = "") => `/v3/blueprints/${segment(id)}${rest}`;
  return {
    list: (window: Window = {}) =>
      json<Page<"blueprints", Blueprint>>({ method: "GET", path: "/v3/blueprints", query: { ...window } }),
    get: (id: string) => json<{ blueprint: Blueprint }>({ method: "GET", path: at(id) }),
    manifest: (id: string, view?: "COMPILED" | "ORIGINAL") =>
      json<{ manifest: JsonObject }>({ method: "GET", path: at(id, "/manifest"), query: { view } }),
    upload: (content: Uint8Array) => send<Uploaded>("/v3/blueprints/upload", content),
    validate: (content: Uint8Array) => send<Validation>("/v3/blueprints/validate", content),
    /** A zip with one YAML file for each profile; its path is the id. */
    uploadProfiles: (content: Uint8Array) =>
      send<{ readonly profiles: readonly string[]; readonly diagnostics: readonly Diagnostic[] }>(
        "/v3/blueprints/upload_device_profiles",
        content,
      ),
    downloadProfiles: () => bytes({ method: "GET", path: "/v3/blueprints/device_profiles/download" }),
    /** The package as it was uploaded, as a zip. */
    download: (id: string) => bytes({ method: "GET", path: at(id, "/zip"), query: { view: "ORIGINAL" } }),
  };
}

function catalogue({ json, bytes }: Transport) {
  type Search = Window & { readonly q?: string | undefined; readonly category?: string | undefined };
  return {
    list: (search: Search = {}) => json<CataloguePage>({ method: "GET", path: "/v3/catalogue", query: { ...search } }),
    /** The package as a zip, also of an entry that is not uploaded. */
    download: (entryId: string) => bytes({ method: "GET", path: `/v3/catalogue/${segment(entryId)}/zip` }),
    /** The blueprint that devices can use from now on. */
    upload: (entryId: string) =>
      json<{ blueprint: Blueprint; diagnostics: readonly Diagnostic[] }>({
        method: "POST",
        path: `/v3/catalogue/${segment(entryId)}/upload`,
      }),
  };
}

function tokens({ json }: Transport) {
  type Fields = {
    readonly name: string;
    readonly level: AccessLevel;
    readonly site_ids?: readonly string[];
    readonly expires_in?: string;
  };
  return {
    /** The token's text is in this answer and nowhere else. */
    create: (token: Fields) => json<{ id: string; token: string }>({ method: "POST", path: "/v3/tokens", body: token }),
    list: (window: Window = {}) =>
      json<Page<"tokens", Token>>({ method: "GET", path: "/v3/tokens", query: { ...window } }),
    /** The token of the call itself. */
    current: () => json<{ token: OwnToken }>({ method: "GET", path: "/v3/tokens/current" }),
    revoke: (id: string) => json<JsonObject>({ method: "DELETE", path: `/v3/tokens/${segment(id)}` }),
  };
}

function audit({ json }: Transport) {
  type Filter = Window & {
    readonly "at.gte"?: string | undefined;
    readonly "at.lt"?: string | undefined;
    readonly "action.in"?: readonly string[] | undefined;
    readonly "site_id.in"?: readonly string[] | undefined;
    readonly "outcome.in"?: readonly string[] | undefined;
    readonly order?: "AT_ASC" | "AT_DESC" | undefined;
  };
  return {
    list: (filter: Filter = {}) =>
      json<Page<"entries", AuditEntry>>({ method: "GET", path: "/v3/audit", query: { ...filter } }),
  };
}

function isZip(content: Uint8Array): boolean {
  return content[0] === 0x50 && content[1] === 0x4b;
}
