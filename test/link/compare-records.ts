// What a gateway and its cloud say about the devices of a site, compared record by record over HTTP.
import type { Session } from "../support/session.ts";
import type { SiteGateway } from "./site-gateway.ts";

export interface ListedExecution {
  readonly id: string;
  readonly device_id: string;
  readonly state: string;
  readonly request: { readonly arguments: { readonly power: number } };
  readonly response?: unknown;
  readonly requested_by?: { readonly door: string } | null;
}

/** The same without the door: of what was asked for in the cloud, the gateway says `cloud`, and the cloud which one it was there. */
export function withoutDoor<One extends Pick<ListedExecution, "requested_by">>({ requested_by, ...execution }: One) {
  const { door: _, ...caller } = requested_by ?? { door: "" };
  return { ...execution, requested_by: caller };
}

export interface SideRecords {
  readonly session: Session;
  readonly executions: ReadonlyMap<string, ListedExecution>;
  readonly logs: readonly { readonly message: string }[];
  readonly alerts: readonly unknown[];
  /** Every point of the device, a row per moment. */
  readonly points: string;
}

const PAGE = 1_000;
const LOGS_AT_ONCE = 16;
const UNENDED: readonly string[] = ["NEW", "IN_PROGRESS", "UNSYNC"];

export async function readSide(session: Session, devices: SiteGateway["devices"]): Promise<SideRecords> {
  const device = `/v3/devices/${devices.mqtt}`;
  const alerts = [
    ...(await readPages(session, `${device}/alerts?active=true`, "alerts")),
    ...(await readPages(session, `${device}/alerts?active=false`, "alerts")),
  ] as readonly { readonly blueprint_id: string }[];
  return {
    session,
    executions: await readExecutions(session, devices),
    logs: (await readPages(session, `${device}/logs?order=RECEIVED_AT_ASC`, "logs")) as SideRecords["logs"],
    // Each side has its own ids of blueprints.
    alerts: alerts.map(({ blueprint_id: _, ...alert }) => alert),
    points: await read(session, `${device}/telemetry/export`),
  };
}

export async function readExecutions(
  session: Session,
  devices: SiteGateway["devices"],
): Promise<SideRecords["executions"]> {
  const lists = await Promise.all(
    Object.values(devices).map((id) => readPages(session, `/v3/devices/${id}/commands/executions?`, "executions")),
  );
  return new Map((lists.flat() as readonly ListedExecution[]).map((one) => [one.id, one]));
}

async function readPages(session: Session, path: string, field: string): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const body = await read(session, `${path}&limit=${PAGE}&offset=${offset}`);
    found.push(...body[field]);
    if (offset + PAGE >= body.total_count) return found;
  }
}

async function read(session: Session, path: string) {
  const { status, body } = await session.get(path);
  if (status !== 200) throw new Error(`${path} answered ${status}`);
  return body;
}

interface Seen {
  /** Whether a device was seen to run the execution. */
  readonly hasStarted: (execution: ListedExecution) => boolean;
  /** Executions whose logs were equal, as they were then. An execution that is still so is not read again. */
  readonly equalLogs: Map<string, string>;
}

/** What differs, or has not ended. The logs of executions are compared once everything else is equal. */
export async function differences(own: SideRecords, copies: SideRecords, seen: Seen): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [id, execution] of own.executions) {
    const copy = copies.executions.get(id);
    if (copy === undefined || !same(withoutDoor(execution), withoutDoor(copy)))
      found.push(`execution ${id}: ${JSON.stringify(execution)} and ${JSON.stringify(copy)}`);
  }
  for (const [id, copy] of copies.executions) {
    if (UNENDED.includes(copy.state)) found.push(`execution ${id} is ${copy.state} in the cloud`);
    else if (!own.executions.has(id)) {
      // The only record that one side has alone: the line was not there before its deadline, so the gateway never got it.
      // Then it ended in the cloud, as a timeout, without a response, and nothing was started. An order that a gateway
      // refuses ends as an error in the cloud alone, too, but every order here is one that a gateway can run.
      const isUntouched = copy.state === "TIMEOUT" && copy.response === undefined && !seen.hasStarted(copy);
      if (!isUntouched) found.push(`the gateway does not have execution ${id}: ${JSON.stringify(copy)}`);
    }
  }
  for (const kind of ["logs", "alerts"] as const) {
    if (!same(own[kind], copies[kind])) found.push(`${kind} differ: ${firstDifference(own[kind], copies[kind])}`);
  }
  if (own.points !== copies.points) {
    found.push(`points differ: ${firstDifference(own.points.split("\n"), copies.points.split("\n"))}`);
  }
  return found.length > 0 ? found.slice(0, 5) : await differentLogs(own, copies, seen.equalLogs);
}

async function differentLogs(
  own: SideRecords,
  copies: SideRecords,
  equal: Seen["equalLogs"],
): Promise<readonly string[]> {
  const found: string[] = [];
  const compare = async (execution: ListedExecution) => {
    const isAlone = !own.executions.has(execution.id);
    // The gateway never had it, so it has no responses.
    const log = isAlone ? [] : await logOf(own.session, execution);
    const copy = await logOf(copies.session, execution);
    if (same(log, copy)) equal.set(execution.id, JSON.stringify(execution));
    else found.push(`the log of execution ${execution.id}: ${JSON.stringify(log)} and ${JSON.stringify(copy)}`);
  };
  const unseen = [...copies.executions.values()].filter((one) => equal.get(one.id) !== JSON.stringify(one));
  for (let at = 0; at < unseen.length; at += LOGS_AT_ONCE) {
    await Promise.all(unseen.slice(at, at + LOGS_AT_ONCE).map(compare));
  }
  return found.slice(0, 5);
}

async function logOf(session: Session, { device_id: device, id }: ListedExecution): Promise<unknown> {
  return (await read(session, `/v3/devices/${device}/commands/executions/${id}?expand=log`)).execution?.log;
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function firstDifference(own: readonly unknown[], copies: readonly unknown[]): string {
  const place = Array.from({ length: Math.max(own.length, copies.length) }).findIndex(
    (_, at) => !same(own[at], copies[at]),
  );
  return `${own.length} and ${copies.length} entries, entry ${place} is ${JSON.stringify(own[place])} and ${JSON.stringify(copies[place])}`;
}
