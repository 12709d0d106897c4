// Alternative paths that the ecosystem's clients use for an operation. One line each.
import { AppError } from "#core/app-error.ts";
import type { Route } from "#http/route.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import { siteOfCaller } from "#service/operation/find-place.ts";
import type { Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import { foldMissingSeries } from "#service/telemetry/fold-missing-series.ts";

const NO_ATTRIBUTES = "telemetrypersistence/NO_TELEMETRY_ATTRIBUTES_FOUND";

interface Difference {
  readonly refusal?: (error: AppError) => AppError;
  readonly answer?: (answer: object) => object;
}

/** [path, operation]: everything else comes from the operation, except what the path words differently. */
const ALIASES: readonly (readonly [path: string, operation: string, difference?: Difference])[] = [
  ["/v3/users/me/sites", "listSites"],
  ["/v3/sites/users/me/sites", "listSites"],
  ["/v3/telemetry/query_timeseries", "getTimeseries", { refusal: (error) => foldMissingSeries(error, NO_ATTRIBUTES) }],
  ["/assets/v1/devices/:device_id", "getDevice", { answer: withDeviceId }],
  ["/v3/blueprints/download_device_profiles", "downloadProfiles"],
  ["/v3/sites/:site_id/devices/:device_id", "getDevice"],
  ["/v3/sites/:site_id/devices/:device_id", "updateDevice"],
  ["/v3/sites/:site_id/devices/:device_id", "deleteDevice"],
  ["/v3/sites/:site_id/devices/:device_id/manifest", "getDeviceManifest"],
  ["/v3/sites/:site_id/devices/:device_id/assign_blueprint", "assignBlueprint"],
  ["/v3/sites/:site_id/devices/:device_id/generate_config", "generateConfig"],
  ["/v3/sites/:site_id/devices/:device_id/logs", "listDeviceLogs"],
  ["/v3/sites/:site_id/devices/:device_id/telemetry", "getDeviceTelemetry"],
  ["/v3/sites/:site_id/devices/:device_id/execute_command", "executeCommand"],
  ["/v3/sites/:site_id/devices/:device_id/command_executions", "listCommandExecutions"],
  ["/v3/sites/:site_id/devices/:device_id/command_executions", "createCommandExecution"],
  ["/v3/sites/:site_id/devices/:device_id/command_executions/:execution_id", "getCommandExecution"],
  ["/v3/devices/:device_id/execute_command", "executeCommand"],
  ["/v3/devices/:device_id/command_executions", "listCommandExecutions"],
  ["/v3/devices/:device_id/command_executions", "createCommandExecution"],
  ["/v3/devices/:device_id/command_executions/:execution_id", "getCommandExecution"],
];

const OF_SITES = "/v3/sites/:site_id";
/** What the ecosystem also has without the name of a site, for the only one that the caller sees. */
const RULE_ENGINE = `${OF_SITES}/rule_engine`;

type AnyCall = Parameters<Route["run"]>[0];

export function compatibilityRoutes(
  needs: Pick<Needs, "devices" | "sites">,
  routes: readonly Route[],
): readonly Route[] {
  return [...aliasRoutes(needs, routes), ...onlySiteRoutes(needs, routes)];
}

function onlySiteRoutes(needs: Pick<Needs, "devices" | "sites">, routes: readonly Route[]): readonly Route[] {
  return routes
    .filter(({ path }) => path.startsWith(RULE_ENGINE))
    .map((original) => {
      const ofSite = async (call: AnyCall): Promise<AnyCall> => {
        const { siteId } = await siteOfCaller(needs, call);
        return { ...call, params: { ...call.params, site_id: siteId } };
      };
      const { live } = original;
      return {
        ...original,
        path: original.path.replace(OF_SITES, "/v3/site"),
        name: `${original.name}OfOnlySite`,
        aliasOf: original.name,
        description: `Same as ${original.path}, where the token sees exactly one site.`,
        run: async (call) => await original.run(await ofSite(call)),
        ...(live !== undefined && { live: async (call) => await live(await ofSite(call)) }),
      };
    });
}

function aliasRoutes(needs: Pick<Needs, "devices" | "sites">, routes: readonly Route[]): readonly Route[] {
  return ALIASES.map(([path, operation, { refusal, answer } = {}]) => {
    const original = routes.find((route) => route.name === operation);
    if (original === undefined) throw new Error(`the alias ${path} names an unknown operation ${operation}`);
    /** The path names the site, so a slug is searched on that site only. */
    const inSite = async (call: AnyCall): Promise<AnyCall> => {
      const { site_id, device_id } = call.params as { readonly site_id?: string; readonly device_id?: string };
      if (site_id === undefined || device_id === undefined) return call;
      const site = await visibleSite(needs, call, site_id);
      const caller = { ...call.caller, sites: new Set([site.id]) };
      const device = await visibleDevice(needs, { caller }, device_id);
      return { ...call, params: { ...call.params, device_id: device.id } };
    };
    const { live } = original;
    return {
      ...original,
      path,
      name: `${operation}${suffixOf(path)}`,
      aliasOf: operation,
      description: `Same as ${original.path}.`,
      run: async (call) => {
        const inner = await inSite(call);
        const given = await original.run(inner).catch((error: unknown) => {
          throw error instanceof AppError && refusal !== undefined ? refusal(error) : error;
        });
        return answer === undefined ? given : answer(given);
      },
      ...(live !== undefined && { live: async (call) => await live(await inSite(call)) }),
    };
  });
}

/** There a device calls its id `device_id`. */
function withDeviceId(answer: object): object {
  const { device } = answer as { readonly device: { readonly id: string } };
  return { device: { ...device, device_id: device.id } };
}

function suffixOf(path: string): string {
  if (path.startsWith("/v3/users")) return "OfMe";
  if (path.startsWith("/v3/sites/users")) return "OfMeBelowSites";
  if (path.startsWith("/assets/v1")) return "OfAssets";
  return path.startsWith("/v3/sites") ? "OfSite" : "Alias";
}
