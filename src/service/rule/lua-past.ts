// Answers what a script asks of the past while it is tried: telemetry by whole columns, everything else as it is now.

import { AppError } from "#core/app-error.ts";
import { itemAt } from "#core/item-at.ts";
import type { RuleWorld } from "#core/rule/rule-world.ts";
import { columnKind } from "#core/telemetry/aggregation.ts";
import { fineTime, instant } from "#core/time/instant.ts";
import type { Controls } from "#service/control/controls.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import { deviceAttributes, findAttribute } from "#service/telemetry/read-now.ts";
import { inUnit } from "./declarative/look-for-rule.ts";
import { type EnergyForRuleNeeds, energyFunctions } from "./energy-for-rule.ts";
import type { LuaDryRunInput, PastColumn, PastColumnName } from "./lua-dry-run.ts";
import { type ReadForRuleNeeds, readingFunctions } from "./read-for-rule.ts";
import { RuleProblem } from "./rule-arguments.ts";
import { callOfRule } from "./rule-caller.ts";
import { NOBODY_WATCHES } from "./rule-function.ts";

export interface LuaPastNeeds extends ReadForRuleNeeds, EnergyForRuleNeeds {
  readonly controlling: Pick<Controls, "controlsOfDevice">;
}

export interface LuaPast {
  location(): Promise<RuleWorld["location"]>;
  column(name: PastColumnName): Promise<PastColumn>;
  /** Undefined: the device has the control. */
  controlProblem(device: string, control: string): Promise<string | undefined>;
  /** Functions whose answer does not depend on telemetry of the moment, at this virtual time. */
  ask(name: string, args: readonly unknown[], at: number): Promise<readonly unknown[]>;
}

/** The past before `from` that a script sees. */
const PAST_BEFORE_MS = 24 * 3_600_000;
/** Of one attribute: a value each 12 seconds in a week. */
const MOST_SAMPLES = 60_000;
const ANSWERED: ReadonlySet<string> = new Set([
  ...["device", "devices", "property", "tariff_at", "tariff_cheapest", "forecast_pv", "forecast_load"],
]);

export function createLuaPast(needs: LuaPastNeeds, { rule, from, to }: LuaDryRunInput): LuaPast {
  let virtualNow = from;
  const inPast = { ...needs, now: () => instant(virtualNow) };
  const functions = new Map(Object.entries({ ...readingFunctions(inPast), ...energyFunctions(inPast) }));
  const call = callOfRule(rule, "dryRunRule");

  /** A refusal is for the script. */
  async function orProblem<Value>(read: () => Promise<Value>): Promise<Value | { readonly problem: string }> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof AppError || error instanceof RuleProblem) return { problem: error.message };
      throw error;
    }
  }

  async function readColumn({ device: name, attribute: asked, unit }: PastColumnName): Promise<PastColumn> {
    const device = await visibleDevice(needs, call, name);
    const attribute = findAttribute(await deviceAttributes(needs, device), call, {
      device: device.slug,
      attribute: asked,
    });
    if ("code" in attribute) return { problem: attribute.message };
    const kind = columnKind(attribute.type);
    const begin = from - PAST_BEFORE_MS;
    const granularityMs = Math.max(1, Math.ceil((to - begin) / MOST_SAMPLES / 1_000)) * 1_000;
    const item = { deviceId: device.id, attribute: attribute.id, kind, aggregation: "last", granularityMs } as const;
    const items = [{ ...item, lookAroundMs: undefined }];
    const convert = await inUnit(needs, device, { attribute: attribute.id, unit });
    const samples: { at: number; value: unknown }[] = [];
    const range = { from: fineTime(begin), to: fineTime(to + 1) };
    for await (const { piece } of await needs.telemetry.query({ requester: "rules", ...range, items })) {
      const column = piece.columns[0];
      for (let row = 0; row < piece.count && column !== undefined; row++) {
        if (column.presence[row] !== 1) continue;
        const value = column.kind === "boolean" ? column.values[row] === 1 : column.values[row];
        samples.push({ at: itemAt(piece.times, row), value: convert(value) });
      }
    }
    return { samples, type: attribute.type };
  }

  return {
    async location() {
      const { latitude, longitude } = (await needs.sites.find(rule.siteId))?.location ?? {};
      return latitude === undefined || longitude === undefined ? undefined : { latitude, longitude };
    },
    column: (name) => orProblem(() => readColumn(name)),
    async controlProblem(name, control) {
      const found = await orProblem(async () => {
        const device = await visibleDevice(needs, call, name);
        return (await needs.controlling.controlsOfDevice(device)).has(control);
      });
      if (typeof found === "object") return found.problem;
      return found ? undefined : `the device has no control ${control}`;
    },
    async ask(name, args, at) {
      const run = functions.get(name);
      if (run === undefined || !ANSWERED.has(name)) return [null, "unknown in a dry run"];
      virtualNow = at;
      const answer = await orProblem(() => run(callOfRule(rule, name), args, { rule, watch: NOBODY_WATCHES }));
      return "problem" in answer ? [null, answer.problem] : answer;
    },
  };
}
