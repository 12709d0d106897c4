// Imports points from CSV in the form of time series answers: a header of telemetry=<attribute> cells, then a row per
// moment. Rows are stored in steps; a step is durable before the next one is read. Importing again changes nothing.
import { AppError, type Refusal, refuse } from "#core/app-error.ts";
import type { Device } from "#core/device/device.ts";
import { requesterOf } from "#core/share/requester.ts";
import type { Shares } from "#core/share/shares.ts";
import { CsvReader, type CsvRow, readHeaderCell } from "#core/telemetry/read-csv.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { AlertTracker } from "#service/alert/alert-tracker.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { Call, Needs } from "#service/ports.ts";
import { type Attribute, listsAlerts } from "#service/telemetry/attributes.ts";
import { type ImportProblem, ImportTable } from "#service/telemetry/import-table.ts";
import { deviceAttributes, findAttribute } from "#service/telemetry/read-now.ts";

export type ImportNeeds = Pick<Needs, "devices" | "gateways" | "telemetry" | "audit" | "now" | "newId"> & {
  readonly catalog: BlueprintCatalog;
  readonly alertTracker: Pick<AlertTracker, "reread">;
  readonly shares: Pick<Shares, "open">;
};

export interface ImportReport {
  readonly rows: number;
  readonly points: number;
  readonly problemCount: number;
  /** The first ones. */
  readonly problems: readonly ImportProblem[];
}

const MAX_REFUSALS = 20;
/** Imports that run at once, because each holds a step in memory. One requester leaves room for others. */
const IMPORTS = { slots: 4, slotsPerKey: 2, waiting: 0, waitingPerKey: 0 };
/** This many cells are read before other work gets a turn on the main thread: less than a millisecond. */
const CELLS_PER_TURN = 500;
const MAX_AHEAD_MS = 24 * 3_600_000;

type Import = { readonly idOrSlug: string; readonly body: AsyncIterable<Uint8Array> };

/** Limits how many imports run at once. */
export function createImporter(needs: ImportNeeds): (call: Call, wanted: Import) => Promise<ImportReport> {
  const imports = needs.shares.open("imports", IMPORTS);
  return async (call, wanted) => {
    const device = await visibleDevice(needs, call, wanted.idOrSlug);
    if ((await needs.gateways.ownerOf(device.siteId)) !== undefined)
      throw refuse("owned_by_gateway", "the site belongs to a gateway; load the points there");
    const leave = imports.tryEnter(requesterOf(call.caller, call.remoteAddress).key);
    if (leave === undefined) throw refuse("overloaded", "too many imports run at once; try again in a moment");
    try {
      return await importTelemetry(needs, call, { ...wanted, device });
    } finally {
      leave();
    }
  };
}

async function importTelemetry(
  needs: ImportNeeds,
  call: Call,
  { idOrSlug, body, device }: Import & { readonly device: Device },
): Promise<ImportReport> {
  const attributes = await deviceAttributes(needs, device);
  const names = new Set([device.id, device.slug, idOrSlug]);
  const table = new ImportTable((row) => parseHeader(row, { attributes, names, call }), needs.now() + MAX_AHEAD_MS);
  let stored = 0;
  const store = async () => {
    // Points of a device that was deleted meanwhile would stay for ever.
    if ((await needs.devices.find(device.id)) === undefined) throw refuse("not_found", "the device has been deleted");
    await needs.telemetry.load(device.id, table.take());
    stored = table.points;
  };
  const record = async (more: object = {}) => {
    const target = { siteId: device.siteId, deviceId: device.id };
    const details = { rows: table.rows, points: stored, problems: table.problemCount, ...more };
    await needs.audit.append([auditTrail(needs, call, { target, details })]);
  };
  try {
    let cells = 0;
    for await (const rows of rowsOf(body, (bytes) => table.read(bytes))) {
      for (const row of rows) {
        if (table.isStepBefore(row)) await store();
        table.add(row);
        cells += row.cells.length;
        if (cells < CELLS_PER_TURN) continue;
        cells = 0;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    if (!table.hasHeader)
      throw refuse("invalid_body", "the file is empty; its first row must be ts,telemetry=<attribute>");
    await store();
  } catch (error) {
    // Rows before the interruption stay stored, so the audit log mentions them.
    if (stored > 0) await record({ broken_off: true });
    throw error;
  }
  await record();
  if (table.attributes.some(listsAlerts)) await needs.alertTracker.reread(device);
  const { rows, points, problemCount, problems } = table;
  return { rows, points, problemCount, problems };
}

/** The rows that each piece of the body completes. They are read lazily, so a piece may take several turns. */
async function* rowsOf(
  body: AsyncIterable<Uint8Array>,
  onRead: (bytes: number) => void,
): AsyncIterable<Iterable<CsvRow>> {
  const reader = new CsvReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const piece of body) {
    onRead(piece.length);
    yield readable(() => reader.push(decoder.decode(piece, { stream: true })));
  }
  yield readable(() => reader.push(decoder.decode()));
  const last = reader.end();
  if (last !== undefined) yield [last];
}

/** The file is refused when its rows cannot be read. */
function* readable(read: () => Iterable<CsvRow>): Iterable<CsvRow> {
  try {
    yield* read();
  } catch (error) {
    if (error instanceof RangeError) throw refuse("invalid_body", error.message);
    if (error instanceof TypeError) throw refuse("invalid_body", "the file is not UTF-8 text");
    throw error;
  }
}

interface HeaderContext {
  readonly attributes: ReadonlyMap<string, Attribute>;
  readonly names: ReadonlySet<string>;
  readonly call: Call;
}

/**
 * The attribute of each column after the first. Refuses with all problems at once, or with the first ones if there are
 * very many.
 */
function parseHeader(row: CsvRow, { attributes, names, call }: HeaderContext): readonly Attribute[] {
  const refusals: Refusal[] = [];
  const wrong = (message: string, column: number) => {
    refusals.push({ code: "invalid_body", message, details: { line: 1, column } });
  };
  const [first, ...others] = row.cells;
  if (row.isUnclosed) wrong("the header has a quote that is never closed", 1);
  if (first !== "ts") wrong(`the first column must be named ts, not ${JSON.stringify(first?.slice(0, 80))}`, 1);
  if (others.length === 0) wrong("there is no column with telemetry=<attribute>", 1);
  const found = new Set<Attribute>();
  for (const [index, cell] of others.entries()) {
    if (refusals.length >= MAX_REFUSALS) break;
    const column = index + 2;
    const pairs = readHeaderCell(cell);
    const [name, device] = [pairs.get("telemetry"), pairs.get("device")];
    if (device !== undefined && !names.has(device)) {
      wrong(`column ${column} is of another device; without device= in the header it can be loaded here`, column);
    }
    if (name === undefined) {
      wrong(`column ${column} has no telemetry=<attribute>`, column);
      continue;
    }
    const attribute = findAttribute(attributes, call, { device: "", attribute: name });
    if ("code" in attribute) wrong(attribute.message, column);
    else if (found.has(attribute)) wrong(`column ${column} is ${attribute.id} once more`, column);
    else found.add(attribute);
  }
  const [refusal, ...rest] = refusals;
  if (refusal !== undefined) throw new AppError([refusal, ...rest]);
  return [...found];
}
