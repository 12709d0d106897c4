// On a cloud: changes of a joined site are carried to its gateway, and the caller gets the gateway's answer. A change
// that waits for a gateway that is away is answered with what is there now, and with the change. What only the gateway does
// is refused before anything else is looked at.
import { refuse } from "#core/app-error.ts";
import type { Payload } from "#core/command/execution.ts";
import type { Device } from "#core/device/device.ts";
import { type CarriedOperation, carriedOf, type GatewayChange, isCarried } from "#core/link/asked-change.ts";
import { renderDevice } from "#http/device/device-wire.ts";
import { changeSchema, renderGatewayChange } from "#http/link/change-wire.ts";
import type { Route } from "#http/route.ts";
import type { Schema } from "#http/schema.ts";
import { renderSite } from "#http/site/site-wire.ts";
import { type ConfigurationNeeds, checkConfiguration, readConfiguration } from "#service/device/configuration.ts";
import { type ProvisionNeeds, requireBlueprint } from "#service/device/provision-device.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import { type GatewayChanges, requireNotRefused } from "#service/link/gateway-changes.ts";
import { bucketsOf } from "#service/link/known-values.ts";
import type { Needs } from "#service/ports.ts";
import { onlySite } from "#service/site/only-site.ts";
import { visibleSite } from "#service/site/visible-site.ts";

export interface CarryNeeds extends Pick<Needs, "gateways" | "sites">, ConfigurationNeeds, ProvisionNeeds {
  /** Undefined where no gateways connect. */
  readonly gatewayChanges: GatewayChanges | undefined;
}

type AnyCall = Parameters<Route["handle"]>[0];
type Params = Readonly<Record<string, string>>;

/** What a call is about. */
interface Place {
  readonly siteId: string;
  readonly device?: Device;
}

/** [operation of the route, operation of the gateway]: where the two differ. */
const RENAMED: Readonly<Record<string, CarriedOperation>> = { updateOnlySite: "updateSite" };

/** Secrets of devices, and sites as a whole. */
const ONLY_THERE: ReadonlySet<string> = new Set(["deleteSite", "generateConfig", "provisionVirtualUcm"]);

const DELETES: ReadonlySet<string> = new Set(["deleteSite", "deleteDevice"]);

export function carryToGateways(needs: CarryNeeds, routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => {
    if (ONLY_THERE.has(route.operation)) return { ...route, handle: refused(needs, route) };
    const operation = RENAMED[route.operation] ?? route.operation;
    if (!isCarried(operation)) return route;
    const answer = carriedOf(operation).waits ? withPendingChange(route.answer as Schema) : route.answer;
    return { ...route, answer, handle: carried(needs, route, operation) };
  });
}

function withPendingChange(answer: Schema): Schema {
  return { ...answer, properties: { ...answer.properties, pending_change: changeSchema } };
}

function refused(needs: CarryNeeds, route: Route): Route["handle"] {
  if (needs.gatewayChanges === undefined) return route.handle;
  return async (call) => {
    const place = await placeOf(needs, call);
    if (place !== undefined && (await ownerOf(needs, place, route.operation)) !== undefined) {
      throw refuse("owned_by_gateway", "the site belongs to a gateway; make the change there");
    }
    return await route.handle(call);
  };
}

function carried(needs: CarryNeeds, route: Route, operation: CarriedOperation): Route["handle"] {
  const { gatewayChanges } = needs;
  if (gatewayChanges === undefined) return route.handle;
  return async (call) => {
    const place = await placeOf(needs, call);
    const gatewayId = place && (await ownerOf(needs, place, operation));
    if (place === undefined || gatewayId === undefined) return await route.handle(call);
    const { siteId, device } = place;
    const body = call.body as Payload | undefined;
    const params: Params = {
      ...call.params,
      ...(device === undefined ? operation === "updateSite" && { site_id: siteId } : { device_id: device.id }),
    };
    const named = { operation, siteId, deviceId: device?.id, params, body };
    const change = await gatewayChanges.ask(call, {
      ...named,
      gatewayId,
      blueprintDigest: await digestOf(needs, body, device),
      shown: shownOf(named),
      check: () => check(needs, call, named),
      signal: call.signal(),
    });
    return await answerOf(needs, { call, named, change });
  };
}

/** Undefined when the cloud itself may do it. What a revoked gateway has left behind can be deleted, because nobody else could. */
async function ownerOf(needs: CarryNeeds, { siteId }: Place, operation: string): Promise<string | undefined> {
  const owner = await needs.gateways.ownerOf(siteId);
  if (owner === undefined || !DELETES.has(operation)) return owner;
  return (await needs.gateways.find(owner))?.revokedAt === undefined ? owner : undefined;
}

/** Undefined when it cannot be told which site is meant; then the operation itself says why. */
async function placeOf(needs: CarryNeeds, call: AnyCall): Promise<Place | undefined> {
  const { device_id: deviceId, site_id: siteId } = call.params as Params;
  if (deviceId !== undefined) {
    const device = await visibleDevice(needs, call, deviceId);
    return { siteId: device.siteId, device };
  }
  if (siteId !== undefined) return { siteId: (await visibleSite(needs, call, siteId)).id };
  const given = (call.body ?? {}) as { site_id?: string; parent_id?: string; runtime_id?: string };
  if (given.site_id !== undefined) return { siteId: (await visibleSite(needs, call, given.site_id)).id };
  const parent = given.parent_id ?? given.runtime_id;
  if (parent !== undefined) return { siteId: (await visibleDevice(needs, call, parent)).siteId };
  return {
    siteId: (await onlySite(needs, call, call.operation === "updateOnlySite" ? "conflict" : "invalid_body")).id,
  };
}

async function digestOf(
  needs: CarryNeeds,
  body: Payload | undefined,
  device: Device | undefined,
): Promise<string | undefined> {
  const blueprintId = body?.["blueprint_id"];
  if (typeof blueprintId !== "string") return undefined;
  await requireBlueprint(needs, blueprintId, device?.type ?? "STANDALONE");
  return (await needs.blueprints.find(blueprintId))?.digest;
}

type Named = Parameters<typeof bucketsOf>[0];

/** What everybody who sees the site may know of the change. */
function shownOf(named: Named): Payload {
  const isConfiguration = carriedOf(named.operation).compares === "configuration";
  return isConfiguration ? { buckets: bucketsOf(named) } : (named.body ?? {});
}

/** What the cloud can find out before a change waits, from its copies. */
async function check(needs: CarryNeeds, call: AnyCall, { operation, params, body = {} }: Named): Promise<void> {
  if (carriedOf(operation).compares !== "configuration") return;
  const isOneBucket = operation === "putConfigurationBucket";
  const buckets = isOneBucket ? [[params["bucket"] ?? "", body] as const] : Object.entries(body as Buckets);
  await checkConfiguration(needs, call, {
    device: params["device_id"] ?? "",
    buckets: new Map(buckets),
    isOneBucket,
  });
}

type Buckets = Readonly<Record<string, Payload>>;

interface Asked {
  readonly call: AnyCall;
  readonly named: Named;
  readonly change: GatewayChange;
}

async function answerOf(needs: CarryNeeds, { call, named, change }: Asked): Promise<object> {
  const { outcome } = change;
  requireNotRefused(change);
  if (outcome?.state === "DONE") {
    return { ...outcome.answer, ...(await currentOf(needs, call, named, outcome.answer)) };
  }
  if (!carriedOf(named.operation).waits) {
    const message = "the gateway has not answered in time; it makes the change within this time or not at all";
    throw refuse("gateway_unreachable", message, { change_id: change.id });
  }
  return { ...(await currentOf(needs, call, named)), pending_change: renderGatewayChange(change) };
}

/** The cloud's copy in the form of the operation's answer, as far as the gateway's answer does not say it here. */
async function currentOf(needs: CarryNeeds, call: AnyCall, named: Named, answer?: Payload): Promise<object> {
  const { operation, siteId, deviceId = "", params } = named;
  switch (carriedOf(operation).compares) {
    case "device":
    case "blueprint": {
      const device = await visibleDevice(needs, call, deviceId);
      return {
        device: renderDevice(device, call),
        ...(operation === "assignBlueprint" && answer === undefined && { changes: [] }),
      };
    }
    case "site":
      return { site: renderSite(await visibleSite(needs, call, siteId), call.caller) };
    case "configuration": {
      if (answer !== undefined) return {};
      const { bucket } = params;
      const read = await readConfiguration(needs, call, { device: deviceId, bucket });
      if (bucket !== undefined) return { bucket, values: read.get(bucket) ?? {} };
      const names = new Set(bucketsOf(named));
      return { configuration: Object.fromEntries([...read].filter(([name]) => names.has(name))) };
    }
    case "nothing":
      return {};
  }
}
