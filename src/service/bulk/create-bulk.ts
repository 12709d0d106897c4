import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import { type BulkCommand, type BulkMember, MAX_BULK_DEVICES } from "#core/bulk/bulk-command.ts";
import type { Payload } from "#core/command/execution.ts";
import { HIDDEN } from "#core/command/plan-command.ts";
import type { Device } from "#core/device/device.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { allPages } from "#service/all-pages.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { NewBulk } from "#service/ports/bulk-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import { refusalOf } from "./refusal-of.ts";

export interface CreateBulkNeeds extends Pick<Needs, "bulks" | "devices" | "sites" | "seal" | "now" | "newId"> {
  readonly catalog: BlueprintCatalog;
}

/** Either a list, or a filter of which a device meets all conditions that are given. */
interface BulkDevices {
  /** Ids or slugs. */
  readonly names: readonly string[] | undefined;
  readonly siteIds: readonly string[] | undefined;
  readonly profiles: readonly string[] | undefined;
  readonly blueprintIds: readonly string[] | undefined;
}

export interface BulkInput {
  readonly name: string;
  readonly arguments: Payload;
  readonly devices: BulkDevices;
  readonly rate: number;
  readonly parallel: number;
  readonly stopAfter: number | undefined;
}

export interface BulkOrder {
  readonly input: BulkInput;
  readonly idempotencyKey: string | undefined;
  readonly scheduleId: string | undefined;
}

/** What is kept of it, in the clear only while it runs. */
export interface SealedCommand {
  readonly name: string;
  readonly arguments: Payload;
}

/** The devices are chosen now. One that the caller may not command is a result of its own. */
export async function createBulk(needs: CreateBulkNeeds, call: Call, order: BulkOrder): Promise<BulkCommand> {
  const { input, trail } = await prepareBulk(needs, call, order);
  return await needs.bulks.insert(input, trail);
}

/** Everything that is stored of it. */
export async function prepareBulk(
  needs: CreateBulkNeeds,
  call: Call,
  { input, idempotencyKey, scheduleId }: BulkOrder,
): Promise<{ readonly input: NewBulk; readonly trail: AuditEntry }> {
  const members = await membersOf(needs, call, input);
  const id = needs.newId();
  const { name, rate, parallel, stopAfter } = input;
  const bulk: BulkCommand = {
    id,
    name,
    shown: await hideArguments(needs, input, members),
    rate,
    parallel,
    stopAfter,
    state: "RUNNING",
    reason: undefined,
    createdBy: { tokenId: call.caller.tokenId, tokenName: call.caller.tokenName },
    door: call.door,
    createdAt: needs.now(),
    endedAt: undefined,
    scheduleId,
  };
  const details = { bulk_id: id, command: name, devices: members.length };
  const sealed: SealedCommand = { name, arguments: input.arguments };
  const digest = () => needs.seal.fingerprint(JSON.stringify(input, sortedKeys), "idempotency of bulk commands");
  return {
    input: {
      bulk,
      members: members.map(({ member }) => member),
      sealed: needs.seal.seal(JSON.stringify(sealed), id),
      idempotency: idempotencyKey === undefined ? undefined : { key: idempotencyKey, digest: digest() },
    },
    trail: auditTrail(needs, call, { target: siteTarget(members), details }),
  };
}

interface Chosen {
  readonly member: BulkMember;
  readonly device: Device | undefined;
}

/** A bulk command on one site is in the audit log of that site. */
function siteTarget(members: readonly Chosen[]): { readonly siteId?: string } {
  const [siteId, ...others] = new Set(members.flatMap(({ member }) => member.siteId ?? []));
  return siteId === undefined || others.length > 0 ? {} : { siteId };
}

export async function membersOf(needs: CreateBulkNeeds, call: Call, input: BulkInput): Promise<readonly Chosen[]> {
  const { names, ...filter } = input.devices;
  const isFiltered = Object.values(filter).some((one) => one !== undefined);
  const wrong = (message: string) => refuse("invalid_body", message, { pointer: "/devices" });
  if (names !== undefined && isFiltered) throw wrong("give a list of devices or a filter, not both");
  if (names === undefined && !isFiltered) throw wrong("say which devices: a list, sites, profiles or blueprints");
  const members = names === undefined ? await filtered(needs, call, input) : await named(needs, call, names);
  if (members.length === 0) throw wrong("no device that has this command matches");
  if (members.length > MAX_BULK_DEVICES) throw wrong(`a bulk command has at most ${MAX_BULK_DEVICES} devices`);
  return members;
}

async function named(needs: CreateBulkNeeds, call: Call, names: readonly string[]): Promise<readonly Chosen[]> {
  const chosen = new Map<string, Chosen>();
  for (const name of names) {
    try {
      const device = await visibleDevice(needs, call, name);
      if (!chosen.has(device.id)) chosen.set(device.id, { member: memberOf(chosen.size, device, name), device });
    } catch (error) {
      const refusal = refusalOf(error);
      const place = { place: chosen.size, device: name, deviceId: undefined, siteId: undefined };
      const member = { ...place, state: "REFUSED", executionId: undefined, begunAt: undefined, ...refusal } as const;
      if (!chosen.has(`name ${name}`)) chosen.set(`name ${name}`, { member, device: undefined });
    }
  }
  return [...chosen.values()];
}

/** Only devices whose blueprint has the command. */
async function filtered(needs: CreateBulkNeeds, call: Call, input: BulkInput): Promise<readonly Chosen[]> {
  const { siteIds, profiles, blueprintIds } = input.devices;
  for (const siteId of siteIds ?? []) await visibleSite(needs, call, siteId);
  const implementing = profiles && (await needs.catalog.withProfiles(profiles));
  const among = implementing && blueprintIds ? implementing.filter((id) => blueprintIds.includes(id)) : undefined;
  const scope = siteIds === undefined ? call.caller.sites : new Set(siteIds);
  const filter = { scope, blueprintIds: among ?? implementing ?? blueprintIds };
  const chosen: Chosen[] = [];
  for await (const device of allPages((page) => needs.devices.list(filter, page))) {
    const commands = (await deviceBlueprint(needs, device))?.commands;
    const has = [...(commands?.values() ?? [])].some(
      ({ id, aliases }) => id === input.name || aliases.includes(input.name),
    );
    if (has) chosen.push({ member: memberOf(chosen.length, device, device.id), device });
    if (chosen.length > MAX_BULK_DEVICES) break;
  }
  return chosen;
}

function memberOf(place: number, device: Device, name: string): BulkMember {
  return {
    place,
    device: name,
    deviceId: device.id,
    siteId: device.siteId,
    state: "WAITING",
    executionId: undefined,
    begunAt: undefined,
    code: undefined,
    message: undefined,
  };
}

/** The arguments as people see them: hidden if one of the blueprints says so, or if none knows them. */
export async function hideArguments(
  needs: CreateBulkNeeds,
  input: BulkInput,
  members: readonly Chosen[],
): Promise<Payload> {
  const byBlueprint = new Map(
    members.flatMap(({ device }) => (device?.blueprintId ? [[device.blueprintId, device]] : [])),
  );
  const shown: Record<string, unknown> = Object.create(null);
  const declared = [];
  for (const device of byBlueprint.values()) {
    const commands = [...((await deviceBlueprint(needs, device))?.commands.values() ?? [])];
    declared.push(commands.find(({ id, aliases }) => id === input.name || aliases.includes(input.name)));
  }
  for (const [name, value] of Object.entries(input.arguments)) {
    const found = declared.flatMap((command) => command?.arguments.get(name) ?? []);
    shown[name] = found.length === 0 || found.some(({ sensitive }) => sensitive) ? HIDDEN : value;
  }
  return shown;
}

/** The order of fields means nothing in JSON. */
function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
