import pg from "pg";
import type { RecordStore } from "#service/ports/record-store.ts";
import { createSubjectStores, holdsSealed, isEmpty } from "#store/records/subject-stores.ts";
import { prepareDatabase, recordsConfig } from "./connect.ts";
import { followEvents } from "./follow-events.ts";
import { createLists } from "./lists.ts";
import { openNodeBus } from "./node-bus.ts";
import { createReader } from "./reader.ts";
import { type OnChecked, refuseUnsafe, requireDurable, unsafeSettings } from "./require-durable.ts";
import { createWriter } from "./writer.ts";

export interface PostgresSettings {
  /** Connections of this node for reads, and for writes. */
  readonly readers?: number;
  readonly writers?: number;
  /** The operator accepts a server that may lose commits it has acknowledged. */
  readonly allowLoss?: boolean;
  /** Called with the place of a stored value that cannot be read. */
  readonly onDamaged?: (place: string) => void;
  /** What the outbox keeps at most, about. */
  readonly eventBytes?: number;
  /** False in tests of what holds without notifications. */
  readonly notifications?: boolean;
  /** Called whenever a new connection has looked at the settings of the server, unless it may lose commits. */
  readonly onChecked?: OnChecked;
  /** Called while the server cannot be reached at the start. */
  readonly onWaiting?: (error: Error) => void;
  /** Called when an idle connection fails. The next use opens another one. */
  readonly onLost?: (error: Error) => void;
}

/** For as many sites as share a database: about as much as four million events. */
const EVENT_BYTES = 1_024 * 1_048_576;

/** A setting may also change without a restart: new connections find out. */
const LIFETIME_S = 60;

/** Opens the records of a PostgreSQL database, and makes or updates their tables. */
export async function openPostgresRecords(url: string, settings: PostgresSettings = {}): Promise<RecordStore> {
  const { readers = 8, writers = 4, allowLoss = false, onDamaged = () => {}, onLost = () => {} } = settings;
  const { notifications, eventBytes = EVENT_BYTES, onChecked = () => {}, onWaiting } = settings;
  const { isSpread } = await prepareDatabase(url, { onWaiting, check: allowLoss ? undefined : requireDurable });
  const base: pg.PoolConfig = { ...recordsConfig(url), pipeline: true, maxLifetimeSeconds: LIFETIME_S };
  const reads = new pg.Pool({
    ...base,
    max: readers,
    ...(!allowLoss && { verify: verified(async (client) => onChecked(await unsafeSettings(client))) }),
  });
  const writes = new pg.Pool({
    ...base,
    max: writers,
    ...(!allowLoss && { verify: verified((client) => refuseUnsafe(client, onChecked)) }),
  });
  for (const pool of [reads, writes]) {
    pool.on("error", onLost);
    // While a connection is in use the pool does not listen, and an error that nobody listens to ends the process.
    pool.on("connect", (client) => client.on("error", onLost));
  }
  const damage = { onDamaged, isSpread };
  const reader = createReader(reads, damage);
  const bus = openNodeBus({
    url,
    onLost,
    onEvents: () => events.wake(),
    ...(notifications !== undefined && { notifications }),
  });
  const events = followEvents(reader, bus.isListening);
  const onAdded = (what: "events" | "notes") => {
    if (what === "events") events.wake();
    bus.stored(what);
  };
  const writer = createWriter({ pool: writes, reader, damage, lanes: writers, eventBytes, onAdded });
  let closed: Promise<void> | undefined;
  return {
    ...createSubjectStores(
      { reader, lists: createLists(reader), watch: events.watch, used: events.used, limit: eventBytes },
      writer,
    ),
    nodes: bus,
    agreeOnKey: (check, replaces) => agreeOnKey(reads, check, replaces),
    buffers: [writer.buffer],
    holdsSealed: () => holdsSealed(reader),
    isEmpty: () => isEmpty(reader),
    close() {
      closed ??= closeAll();
      return closed;
    },
  };

  async function closeAll(): Promise<void> {
    await writer.close();
    await bus.close();
    await events.stop();
    await reads.end();
  }
}

/** A check of each new connection, in the form of the pool. One that fails is closed. */
function verified(check: (client: pg.PoolClient) => Promise<void>): NonNullable<pg.PoolConfig["verify"]> {
  return (client, done) => {
    check(client).then(
      () => done(),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    );
  };
}

/** The first node decides. */
async function agreeOnKey(pool: pg.Pool, given: Uint8Array, replaces: boolean): Promise<boolean> {
  const check = Buffer.from(given);
  const where = replaces ? "" : " WHERE seal_key_check IS NULL";
  await pool.query(`UPDATE installation SET seal_key_check = $1${where}`, [check]);
  const { rows } = await pool.query<{ same: boolean }>("SELECT seal_key_check = $1 AS same FROM installation", [check]);
  return rows[0]?.same === true;
}
