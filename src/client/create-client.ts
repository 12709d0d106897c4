import { accounts } from "./accounts.ts";
import { alerts } from "./alerts.ts";
import { audit } from "./audit.ts";
import { backups } from "./backups.ts";
import { blueprints } from "./blueprints.ts";
import { bulk } from "./bulk.ts";
import { calendars } from "./calendars.ts";
import { catalogue } from "./catalogue.ts";
import { commands } from "./commands.ts";
import { controls } from "./controls.ts";
import { type DeviceShape, type TypedDevice, typedDevice } from "./device.ts";
import { devices } from "./devices.ts";
import { changes, gateways, uplink } from "./gateways.ts";
import { type EventCall, type EventQuery, listenToEvents } from "./listen-to-events.ts";
import { notifications } from "./notifications.ts";
import { provisioning } from "./provisioning.ts";
import { rollouts } from "./rollouts.ts";
import { rules } from "./rules.ts";
import { schedules } from "./schedules.ts";
import { sessions } from "./sessions.ts";
import { sites } from "./sites.ts";
import { telemetry } from "./telemetry.ts";
import { tokens } from "./tokens.ts";
import { type ClientOptions, createTransport } from "./transport.ts";
import { views } from "./views.ts";
import { webhooks } from "./webhooks.ts";

export type Client = ReturnType<typeof createClient>;

type Signal = { readonly signal?: AbortSignal | undefined };

/**
 * The HTTP interface as functions. Works wherever `fetch` does. Throws `ApiError` and `UnreachableError`.
 * `Shapes` gives the devices by id or slug, with the types that `busbar blueprint types` writes:
 * `createClient<{ pcs: Battery }>(...).device("pcs").commands.set_power({ power: 5000 })`.
 */
export function createClient<
  Shapes extends Readonly<Record<string, DeviceShape>> = Readonly<Record<string, DeviceShape>>,
>(options: ClientOptions) {
  const transport = createTransport(options);
  const { perform } = transport;
  const parts = {
    devices: devices(transport),
    commands: commands(transport),
    telemetry: telemetry(transport),
  };
  return {
    ...parts,
    /** Any call, and its answer as it came. */
    call: transport.bytes,
    /** Any operation that answers with JSON, by its name: `client.perform("getSite", { params: { site_id: "..." } })`. */
    perform,
    health: (call: Signal = {}) => perform("getHealth", call),
    ready: (call: Signal = {}) => perform("getReadiness", call),
    system: {
      get: (call: Signal = {}) => perform("getSystem", call),
      /** Those that can be changed while Busbar runs. */
      settings: () => perform("listSettings"),
      putSetting: (name: string, value: string) =>
        perform("putSetting", { params: { setting: name }, body: { value } }),
      resetSetting: (name: string) => perform("resetSetting", { params: { setting: name } }),
      log: () => perform("getSystemLog"),
    },
    /** One device, with the names and types of its blueprint. */
    device: <Name extends keyof Shapes & string>(id: Name): TypedDevice<Shapes[Name]> => typedDevice(parts, id),
    sites: sites(transport),
    provisioning: provisioning(transport),
    blueprints: blueprints(transport),
    catalogue: catalogue(transport),
    rollouts: rollouts(transport),
    accounts: accounts(transport),
    tokens: tokens(transport),
    sessions: sessions(transport),
    audit: audit(transport),
    /** What happens, as it happens: `for await (const event of client.events())`. */
    events: (query: EventQuery = {}, call: EventCall = {}) => listenToEvents(transport, query, call),
    alerts: alerts(transport),
    notifications: notifications(transport),
    webhooks: webhooks(transport),
    views: views(transport),
    controls: controls(transport),
    bulk: bulk(transport),
    schedules: schedules(transport),
    rules: rules(transport),
    calendars: calendars(transport),
    gateways: gateways(transport),
    changes: changes(transport),
    uplink: uplink(transport),
    backups: backups(transport),
  };
}
