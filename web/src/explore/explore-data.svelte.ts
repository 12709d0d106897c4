import { UnreachableError } from "#client/errors.ts";
import type { Alert, Execution } from "#client/resources.ts";
import { client } from "#web/data/client.ts";
import type { ReadSeries } from "./chart-model.ts";
import type { ControlStrip } from "./control-bands.ts";
import { type Grid, helpingItem, mainItem, settingsOf } from "./questions.ts";
import { readControlStrips } from "./read-controls.ts";
import { type Answer, type Item, readItems } from "./read-items.ts";
import type { SeriesInfo } from "./series-info.ts";

export type Plan = {
  readonly infos: readonly SeriesInfo[];
  readonly grid: Grid;
  readonly now: number;
  /** How much earlier the period before began; undefined when it is not wanted. */
  readonly shift: number | undefined;
  readonly hasBands: boolean;
  readonly hasAlerts: boolean;
  /** The site whose executions are marked; undefined when none are. */
  readonly executionsOf: string | undefined;
  readonly hasControls: boolean;
};

export type Result = {
  readonly plan: Plan;
  readonly series: readonly ReadSeries[];
  readonly alerts: readonly Alert[];
  readonly executions: readonly Execution[];
  readonly strips: readonly ControlStrip[];
};

const MOST_MARKS = 200;

/** What was read for a plan. A new plan ends the reading of the one before. */
export class ExploreData {
  result: Result | undefined = $state.raw();
  failure: unknown = $state.raw();
  isReading = $state(false);
  #current: AbortController | undefined;

  async read(plan: Plan): Promise<void> {
    this.#current?.abort();
    const current = new AbortController();
    this.#current = current;
    this.isReading = true;
    try {
      const marks = [readAlerts(plan), readExecutions(plan), readControls(plan)] as const;
      const [series, alerts, executions, strips] = await Promise.all([readSeries(plan, current.signal), ...marks]);
      if (current.signal.aborted) return;
      this.result = { plan, series, alerts, executions, strips };
      this.failure = undefined;
    } catch (error) {
      if (current.signal.aborted || (error instanceof UnreachableError && error.reason === "aborted")) return;
      this.failure = error;
    } finally {
      if (this.#current === current) this.isReading = false;
    }
  }

  stop(): void {
    this.#current?.abort();
  }
}

/** Series with buckets of their own are asked for apart. */
async function readSeries(plan: Plan, signal: AbortSignal): Promise<readonly ReadSeries[]> {
  const groups = Map.groupBy(plan.infos, ({ buckets }) => buckets ?? plan.grid.granularity);
  const read = await Promise.all(
    [...groups].map(([granularity, infos]) =>
      readGroup({ ...plan, infos, grid: { ...plan.grid, granularity } }, signal),
    ),
  );
  const found = new Map(read.flat().map((one) => [one.info, one]));
  return plan.infos.flatMap((info) => found.get(info) ?? []);
}

async function readGroup(plan: Plan, signal: AbortSignal): Promise<readonly ReadSeries[]> {
  const { infos, grid, now, shift, hasBands } = plan;
  const ask = (question: Parameters<typeof client.telemetry.rows>[0]) => client.telemetry.rows(question, { signal });
  const helping = infos.map((info) => helpingItem(info, grid.granularity, hasBands));
  const before = shift === undefined ? undefined : { ...grid, from: grid.from - shift, to: grid.to - shift };
  const [main, helped, previous] = await Promise.all([
    readItems(ask, settingsOf(grid, now), infos.map(mainItem)),
    readItems(
      ask,
      settingsOf(grid, now),
      helping.filter((item): item is Item => item !== undefined),
    ),
    before === undefined ? undefined : readItems(ask, settingsOf(before, now), infos.map(mainItem)),
  ]);
  const helpOf = new Map<number, Answer | undefined>();
  let next = 0;
  for (const [index, item] of helping.entries()) {
    if (item === undefined) continue;
    helpOf.set(index, helped[next]);
    next += 1;
  }
  return infos.map((info, index) => ({
    info,
    main: main[index] ?? { points: [] },
    helping: helpOf.get(index),
    previous: previous?.[index],
  }));
}

/** Alerts that began in the range. They are an addition: without them the chart is still a chart. */
async function readAlerts({ infos, grid, hasAlerts }: Plan): Promise<readonly Alert[]> {
  if (!hasAlerts) return [];
  const devices = new Set(infos.flatMap(({ device }) => device?.id ?? []));
  const moment = (at: number) => new Date(at).toISOString();
  const filter = { "raised_at.gte": moment(grid.from), "raised_at.lt": moment(grid.to), limit: MOST_MARKS };
  const pages = await Promise.all(
    [...devices].flatMap((device) =>
      [true, false].map(async (active) => {
        try {
          return (await client.alerts.list(device, { ...filter, active })).alerts;
        } catch {
          return [];
        }
      }),
    ),
  );
  return pages.flat().sort((a, b) => (a.raised_at < b.raised_at ? -1 : 1));
}

/** Commands that were sent in the range to the devices of the chart. An addition, too. */
async function readExecutions({ infos, grid, executionsOf }: Plan): Promise<readonly Execution[]> {
  if (executionsOf === undefined) return [];
  const devices = [...new Set(infos.flatMap(({ device }) => device?.id ?? []))];
  const moment = (at: number) => new Date(at).toISOString();
  try {
    const { executions } = await client.commands.listBySite(executionsOf, {
      "device_id.in": devices,
      "created_at.gte": moment(grid.from),
      "created_at.lt": moment(grid.to),
      order: "CREATED_AT_ASC",
      limit: MOST_MARKS,
    });
    return executions;
  } catch {
    return [];
  }
}

/** Who controlled the devices of the chart. An addition, too. */
async function readControls({ infos, grid, now, hasControls }: Plan): Promise<readonly ControlStrip[]> {
  if (!hasControls) return [];
  const devices = [...new Set(infos.flatMap(({ device }) => device?.id ?? []))];
  const range = { from: grid.from, to: Math.min(grid.to, now) };
  const strips = await Promise.all(devices.map((device) => readControlStrips(device, range).catch(() => [])));
  return strips.flat();
}
