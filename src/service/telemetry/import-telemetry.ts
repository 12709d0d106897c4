// Points from CSV in the form that time series are answered in: a header of telemetry=<attribute> cells, then a row per
// moment. Rows are stored in steps; a step is durable before the next one is read. Doing it again changes nothing.
import { AppError, type Refusal, refuse } from "#core/app-error.ts";
import type { Device } from "#core/device/device.ts";
import { CsvReader, type CsvRow, readHeaderCell } from "#core/telemetry/read-csv.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { Call, Needs } from "#service/ports.ts";
import type { AlertDesk } from "#service/telemetry/alert-desk.ts";
import { type Attribute, listsAlerts } from "#service/telemetry/attributes.ts";
import { type ImportProblem, ImportTable } from "#service/telemetry/import-table.ts";
import { deviceAttributes, findAttribute } from "#service/telemetry/read-now.ts";

export type ImportNeeds = Pick<Needs, "devices" | "telemetry" | "audit" | "now" | "newId"> & {
  readonly catalog: BlueprintCatalog;
  readonly alertDesk: Pick<AlertDesk, "reread">;
};

export interface ImportReport {
  readonly rows: number;
  readonly points: number;
  readonly problemCount: number;
  /** The first ones. */
  readonly problems: readonly ImportProblem[];
}

const MAX_REFUSALS = 20;
/** Imports at once, because each holds a step in memory. */
const MAX_AT_ONCE = 4;
const MAX_AHEAD_MS = 24 * 3_600_000;

type Import = { readonly idOrSlug: string; readonly body: AsyncIterable<Uint8Array> };

/** Lets only so many imports run at once. */
export function createImporter(needs: ImportNeeds): (call: Call, wanted: Import) => Promise<ImportReport> {
  let running = 0;
  return async (call, wanted) => {
    const device = await visibleDevice(needs, call, wanted.idOrSlug);
    if (running >= MAX_AT_ONCE) throw refuse("overloaded", "too many imports run at once; try again in a moment");
    running++;
    try {
      return await importTelemetry(needs, call, { ...wanted, device });
    } finally {
      running--;
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
    for await (const row of rowsOf(body, (bytes) => table.read(bytes))) {
      if (table.isStepBefore(row)) await store();
      table.add(row);
    }
    if (!table.hasHeader)
      throw refuse("invalid_body", "the file is empty; its first row must be ts,telemetry=<attribute>");
    await store();
  } catch (error) {
    // What came before the break stays stored, so it stands in the audit log.
    if (stored > 0) await record({ broken_off: true });
    throw error;
  }
  await record();
  if (table.attributes.some(listsAlerts)) await needs.alertDesk.reread(device);
  const { rows, points, problemCount, problems } = table;
  return { rows, points, problemCount, problems };
}

async function* rowsOf(body: AsyncIterable<Uint8Array>, onRead: (bytes: number) => void): AsyncIterable<CsvRow> {
  const reader = new CsvReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const piece of body) {
      onRead(piece.length);
      yield* reader.push(decoder.decode(piece, { stream: true }));
    }
    yield* reader.push(decoder.decode());
  } catch (error) {
    if (error instanceof RangeError) throw refuse("invalid_body", error.message);
    if (error instanceof TypeError) throw refuse("invalid_body", "the file is not UTF-8 text");
    throw error;
  }
  const last = reader.end();
  if (last !== undefined) yield last;
}

interface HeaderContext {
  readonly attributes: ReadonlyMap<string, Attribute>;
  readonly names: ReadonlySet<string>;
  readonly call: Call;
}

/** The attribute of each column after the first. Refuses with everything that is wrong at once, or the first of very much. */
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
