import type { Cli } from "#cli/cli.ts";
import { isForPeople } from "#cli/output-format.ts";
import { printAnswer, printTable, remark } from "#cli/print.ts";
import { startProgress } from "#cli/progress.ts";
import { renderTable } from "#cli/table.ts";
import { UsageError } from "#cli/usage-error.ts";
import { REGISTER_KINDS, type Span } from "#core/modbus/modbus-map.ts";
import { type Scan, scanDevice } from "#core/modbus/scan-device.ts";
import { sunSpecModel } from "#core/sunspec/parse-model.ts";
import { failModbus } from "./modbus-failure.ts";
import { openDevice } from "./open-device.ts";
import { parseNumbers, parseRange } from "./parse-registers.ts";

export interface ScanFlags {
  readonly output?: string;
  readonly units: string;
  readonly kind?: readonly string[];
  readonly registers: string;
  readonly for: number;
  readonly timeout: number;
}

/** Prints what is found until the time is over. */
export async function scan(cli: Cli, flags: ScanFlags, address: string): Promise<void> {
  const plan = planOf(flags);
  const device = openDevice(address, flags.timeout);
  const progress = startProgress(cli, `asking ${device.name}`);
  const until = performance.now() + flags.for;
  let found: Scan;
  try {
    const isOver = () => performance.now() >= until;
    found = await scanDevice({ access: device, isOver, onStep: progress.relabel }, plan);
  } finally {
    progress.stop();
    device.close();
  }
  if (found.failure !== undefined) failModbus(cli, device.name, found.failure);
  await printScan(cli, flags, found);
  if (found.stoppedAt !== undefined)
    remark(cli, `the time is over at ${found.stoppedAt}; --for gives more time, --units and --registers ask for less`);
  if (found.units.length === 0) remark(cli, "no unit answered; try other --units, or a longer --timeout");
}

function planOf({ units, kind, registers }: ScanFlags) {
  const { first, last } = parseRange(registers);
  const unknown = kind?.find((one) => !REGISTER_KINDS.some((known) => known === one));
  if (unknown !== undefined)
    throw new UsageError(`--kind takes ${REGISTER_KINDS.join(", ")}, separated by commas, not "${unknown}"`);
  const kinds = REGISTER_KINDS.filter((one) => kind === undefined || kind.includes(one));
  return { units: parseNumbers(units, 255), kinds, first, last };
}

type Model = { readonly unit: number; readonly id: number; readonly address: number; readonly length: number };

async function printScan(cli: Cli, flags: ScanFlags, { units, stoppedAt }: Scan): Promise<void> {
  const ranges = units.flatMap((one) => one.ranges);
  const columns = {
    UNIT: ({ unit }: Span) => unit,
    KIND: ({ kind }: Span) => kind,
    FIRST: ({ address }: Span) => address,
    LAST: ({ address, count }: Span) => address + count - 1,
    COUNT: ({ count }: Span) => count,
  };
  const answer = { units, complete: stoppedAt === undefined };
  if (!isForPeople(flags.output)) return await printTable(cli, flags, { answer, rows: ranges, columns });
  const models = units.flatMap(({ unit, sunspec }) =>
    (sunspec?.models ?? []).map((model): Model => ({ unit, ...model })),
  );
  await printAnswer(cli, flags, answer, (colour) => {
    const tables = [renderTable(columns, ranges, { colour })];
    if (models.length > 0) tables.push(renderTable(MODEL_COLUMNS, models, { colour }));
    const silent = units.filter((one) => one.ranges.length === 0 && one.sunspec === undefined);
    return [...tables, ...silent.map(({ unit }) => `unit ${unit} answers, but gives none of these registers`)].join(
      "\n\n",
    );
  });
}

const MODEL_COLUMNS = {
  UNIT: ({ unit }: Model) => unit,
  "SUNSPEC MODEL": ({ id }: Model) => id,
  WHAT: ({ id }: Model) => sunSpecModel(id)?.label,
  FIRST: ({ address }: Model) => address,
  LENGTH: ({ length }: Model) => length,
};
