// What the two sides of a simulated link do not agree on, compared record by record.
import { isDeepStrictEqual } from "node:util";
import { type Execution, isOpen } from "#core/command/execution.ts";
import type { Instant } from "#core/time/instant.ts";
import type { SubjectStores } from "#service/ports/record-store.ts";
import type { StoredPoints } from "./sim-telemetry.ts";
import { DEVICES } from "./surroundings.ts";

export interface Compared {
  readonly clock: { now(): Instant };
  readonly gateway: { readonly stores: SubjectStores } | undefined;
  readonly nodes: readonly ({ readonly stores: SubjectStores } | undefined)[];
  readonly points: Readonly<Record<"gateway" | "cloud", StoredPoints>>;
  readonly restores: { readonly gateway: number };
  /** Executions that the gateway has ever stored. */
  readonly accepted: ReadonlySet<string>;
  /** Whether a device has run it. */
  hasStarted(id: string): boolean;
  /** Whether a copy may differ from what the gateway has now. */
  mayDiffer(copy: Execution): boolean;
}

const ALL = { limit: 1_000, offset: 0 };

const isStuck = ({ state }: Execution) => isOpen(state) || state === "UNSYNC";

/** Empty when both sides agree and nothing is open. */
export async function differences(world: Compared): Promise<readonly string[]> {
  const gateway = world.gateway?.stores;
  const cloud = world.nodes.find((node) => node !== undefined)?.stores;
  if (gateway === undefined || cloud === undefined) return ["a side does not run"];
  // What is quickly compared comes first: most comparisons find that the gateway has not sent everything yet.
  const devices = (await gateway.devices.list({ scope: "all" }, ALL)).items;
  const points = devices.flatMap(({ id }) => missingPoints(world, id));
  if (points.length > 0) return points;
  const executions = await ofExecutions(world, gateway, cloud);
  return executions.length > 0 ? executions : await ofRecords(world, gateway, cloud);
}

async function executionsOf({ executions }: SubjectStores, world: Compared): Promise<ReadonlyMap<string, Execution>> {
  const filter = { scope: "all", level: "system", retention: "ALL", newestFirst: false } as const;
  const { items } = await executions.list({ ...filter, now: world.clock.now() }, ALL);
  return new Map(items.map((one) => [one.id, one]));
}

async function ofExecutions(world: Compared, gateway: SubjectStores, cloud: SubjectStores): Promise<string[]> {
  const found: string[] = [];
  const own = await executionsOf(gateway, world);
  const copies = await executionsOf(cloud, world);
  for (const [id, one] of own) {
    const copy = copies.get(id);
    if (isStuck(one)) found.push(`${id} is ${one.state} at the gateway`);
    if (copy === undefined) found.push(`${id} is not in the cloud`);
    else if (!world.mayDiffer(copy)) {
      if (copy.state !== one.state) found.push(`${id} is ${one.state} at the gateway and ${copy.state} in the cloud`);
      else if (!isDeepStrictEqual(copy.response, one.response)) found.push(`${id} has another response in the cloud`);
      const log = await gateway.executions.responses(id);
      const copied = await cloud.executions.responses(id);
      // What a gateway sent before it was restored stays in the cloud.
      const isSame =
        world.restores.gateway === 0
          ? isDeepStrictEqual(log, copied)
          : log.every((entry) => copied.some((other) => isDeepStrictEqual(entry, other)));
      if (!isSame) found.push(`${id} has another log in the cloud`);
    }
  }
  for (const [id, copy] of copies) {
    if (isStuck(copy)) found.push(`${id} is ${copy.state} in the cloud`);
    // A restored gateway has lost what it had accepted since, and says so.
    if (own.has(id) || world.restores.gateway > 0) continue;
    if (world.accepted.has(id)) found.push(`${id} was accepted and is not at the gateway`);
    // It never reached the gateway, and the gateway would not have refused it: so the cloud has stopped waiting.
    const isUntouched = copy.state === "TIMEOUT" && copy.response === undefined && !world.hasStarted(id);
    if (!isUntouched) found.push(`${id} is ${copy.state} and was never accepted: ${JSON.stringify(copy.response)}`);
  }
  return found;
}

async function ofRecords(world: Compared, gateway: SubjectStores, cloud: SubjectStores): Promise<string[]> {
  const found: string[] = [];
  const compare = (what: string, own: unknown, copy: unknown) => {
    if (!isDeepStrictEqual(own, copy))
      found.push(`${what} differs: ${JSON.stringify(own)} and ${JSON.stringify(copy)}`);
  };
  const contain = (what: string, own: readonly unknown[], copies: readonly unknown[]) => {
    for (const one of own) {
      if (!copies.some((copy) => isDeepStrictEqual(one, copy))) found.push(`${what} ${JSON.stringify(one)} is missing`);
    }
    // What a gateway sent before it was restored stays in the cloud.
    if (world.restores.gateway === 0 && copies.length > own.length) found.push(`${what} has too many entries`);
  };
  compare("sites", (await gateway.sites.list("all", ALL)).items, (await cloud.sites.list("all", ALL)).items);
  const devicesOf = async ({ devices }: SubjectStores) =>
    (await devices.list({ scope: "all" }, ALL)).items.map(({ id, siteId, name, slug, parentId }) => ({
      id,
      siteId,
      name,
      slug,
      parentId,
    }));
  compare("devices", await devicesOf(gateway), await devicesOf(cloud));
  const digests = async ({ blueprints, devices }: SubjectStores, id: string) => {
    const device = await devices.find(id);
    const blueprint = device?.blueprintId === undefined ? undefined : await blueprints.find(device.blueprintId);
    return { ...device, blueprintId: blueprint?.digest };
  };
  for (const id of DEVICES) {
    compare(`device ${id}`, await digests(gateway, id), await digests(cloud, id));
    compare(
      `properties of ${id}`,
      (await gateway.devices.properties([id])).get(id),
      (await cloud.devices.properties([id])).get(id),
    );
    const logs = async ({ deviceLogs }: SubjectStores) => (await deviceLogs.list(id, { newestFirst: true }, ALL)).items;
    contain(`the log of ${id}`, await logs(gateway), await logs(cloud));
  }
  for (const active of [true, false]) {
    const filter = { scope: "all", level: "system", newestFirst: true, active } as const;
    const alerts = async (stores: SubjectStores) => (await stores.alerts.list(filter, ALL)).items;
    if (active) compare("active alerts", await alerts(gateway), await alerts(cloud));
    else contain("cleared alerts", await alerts(gateway), await alerts(cloud));
  }
  const entries = async ({ audit }: SubjectStores) =>
    (await audit.list({ reader: { tokenId: "", sites: "all" }, newestFirst: true }, ALL)).items;
  const copied = new Set((await entries(cloud)).map(({ id }) => id));
  for (const { id, action } of await entries(gateway)) {
    if (!copied.has(id)) found.push(`audit entry ${id} (${action}) is missing`);
  }
  return found;
}

function missingPoints({ points }: Compared, id: string): string[] {
  const copies = points.cloud.of(id);
  const missing = [...points.gateway.of(id)].filter(([key, point]) => !isDeepStrictEqual(copies.get(key), point));
  return missing.map(([key]) => `point ${key} of ${id} is missing`);
}
