// A simulated device made from its blueprint. Its output depends only on the simulated time, its seed and its
// adjustments: the same question gets the same answer, and after a restart it continues where it would have been.

import { alertListProblem, MAX_LISTED_ALERTS } from "#core/alert/alert-limits.ts";
import type { Blueprint, CommandArgument, TelemetryAttribute } from "#core/blueprint/blueprint.ts";
import { type Control, readingOfValue, valueOfArgument } from "#core/control/control.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { valueProblem } from "#core/value/value-problem.ts";
import type { Adjustments } from "./adjustments.ts";
import { agreementOf } from "./agreement.ts";
import { type AlertModel, alertModel } from "./alert-model.ts";
import { type AttributeModel, attributeModel, type Declared, numberFacts } from "./attribute-model.ts";
import { categoryOf } from "./category-of.ts";
import type { Conditions } from "./conditions.ts";
import { momentOf } from "./day-shape.ts";
import { seedOf } from "./noise.ts";
import type { ReadUnit } from "./quantity.ts";
import { hasWord, wordsOf } from "./words.ts";

export interface DeviceModel {
  readonly blueprint: Blueprint;
  readonly controls: ReadonlyMap<string, Control>;
  /** Everything the device sends at that simulated moment, its lists of active alerts included. */
  telemetry(at: Instant, adjustments: Adjustments): ReadonlyMap<string, unknown>;
  /** They do not change with time. */
  properties(adjustments: Adjustments): ReadonlyMap<string, unknown>;
  activeAlerts(at: Instant, adjustments: Adjustments): readonly string[];
  /** A value for something that the device does not measure, such as a field of an answer; undefined where none fits. */
  invent(declared: Declared, at: Instant): unknown;
}

export interface ModelInput {
  readonly blueprint: Blueprint;
  /** What it measures follows them. */
  readonly controls?: ReadonlyMap<string, Control>;
  readonly seed: number;
  /** From UTC to the clock of the place, in milliseconds: when its sun is up. */
  readonly offsetMs: number;
  readonly readUnit: ReadUnit;
}

const MAX_BY_ITSELF = 20;
/** Whatever properties depend on was so when the device was installed, and stays so. */
const INSTALLED = instant(Date.UTC(2024, 0, 1, 12));

export function createDeviceModel(input: ModelInput): DeviceModel {
  const { blueprint, controls = new Map<string, Control>(), seed, offsetMs, readUnit } = input;
  const { displayName } = blueprint;
  const context = { blueprint: { displayName, category: categoryOf(blueprint) }, seed, readUnit };
  const settable = argumentsByName(blueprint);
  const compile = (attribute: Declared): AttributeModel => {
    const set = settingOf(attribute, settable.get(attribute.id));
    return set === undefined ? attributeModel(context, attribute) : () => set;
  };
  const sources = alertSources(blueprint);
  const telemetry = compiled(blueprint.telemetry, compile, (id) => !sources.has(id));
  const measured = [...blueprint.telemetry.values()].filter(({ id }) => !sources.has(id) && !settable.has(id));
  const agree = agreementOf({
    numbers: measured.flatMap((attribute) => numberFacts(context, attribute) ?? []),
    states: measured.map((attribute) => ({ id: attribute.id, words: wordsOf(attribute.id) })),
  });
  const properties = compiled(blueprint.properties, compile, () => true);
  const alerts = new Map<string, AlertModel>();
  for (const [id, alert] of blueprint.alerts) alerts.set(id, alertModel(alert, seed, blueprint.alerts.size));

  function activeAlerts(at: Instant, { alerts: held }: Adjustments): readonly string[] {
    const active: string[] = [];
    for (const [id, isActive] of alerts) {
      if (active.length < MAX_BY_ITSELF && !held.has(id) && isActive(at)) active.push(id);
    }
    for (const [id, isRaised] of held) if (isRaised) active.push(id);
    return active.slice(0, MAX_LISTED_ALERTS);
  }

  function conditions(at: Instant, { stoppedAt }: Adjustments, active: readonly string[]): Conditions {
    const now = momentOf(at, offsetMs);
    return {
      now,
      running: stoppedAt === undefined ? now : momentOf(stoppedAt, offsetMs),
      isStopped: stoppedAt !== undefined,
      isFaulty: active.some((id) => (blueprint.alerts.get(id)?.severity ?? "error") === "error"),
      hasAlerts: active.length > 0,
    };
  }

  function valuesOf(models: readonly Compiled[], held: ReadonlyMap<string, unknown>, { given, written }: Reading) {
    const values = new Map<string, unknown>();
    for (const { attribute, at } of models) {
      const set = held.get(attribute.id) ?? fitted(attribute, written.get(attribute.id));
      const value = set ?? at(given);
      if (value !== undefined) values.set(attribute.id, value);
    }
    return values;
  }

  return {
    blueprint,
    controls,
    activeAlerts,
    telemetry(at, adjustments) {
      const active = activeAlerts(at, adjustments);
      const written = new Map([...adjustments.written, ...controlledValues(controls, adjustments.written)]);
      const values = valuesOf(telemetry, adjustments.telemetry, {
        given: conditions(at, adjustments, active),
        written,
      });
      agree(values, (id) => adjustments.telemetry.has(id) || written.has(id));
      for (const [source, takes] of sources) values.set(source, active.filter(takes));
      return values;
    },
    properties(adjustments) {
      const given = conditions(INSTALLED, { ...adjustments, stoppedAt: undefined }, []);
      return valuesOf(properties, adjustments.properties, { given, written: adjustments.written });
    },
    invent(declared, at) {
      const now = momentOf(at, offsetMs);
      return attributeModel(
        context,
        declared,
      )({ now, running: now, isStopped: false, isFaulty: false, hasAlerts: false });
    },
  };
}

interface Compiled {
  readonly attribute: Declared;
  readonly at: AttributeModel;
}

interface Reading {
  readonly given: Conditions;
  readonly written: ReadonlyMap<string, unknown>;
}

function compiled(
  declared: ReadonlyMap<string, Declared>,
  compile: (attribute: Declared) => AttributeModel,
  isWanted: (id: string) => boolean,
): readonly Compiled[] {
  return [...declared.values()]
    .filter(({ id }) => isWanted(id))
    .map((attribute) => ({ attribute, at: compile(attribute) }));
}

/** What the controls of the device make it measure, by attribute. */
function controlledValues(
  controls: ReadonlyMap<string, Control>,
  written: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  for (const control of controls.values()) {
    const value = valueOfArgument(control, written.get(control.argument));
    const reading = value === undefined ? undefined : readingOfValue(control, value);
    if (control.reads !== undefined && reading !== undefined) values.set(control.reads.attribute, reading);
  }
  return values;
}

/** What a command has set, where it fits the attribute of the same name. */
function fitted(attribute: Declared, value: unknown): unknown {
  return value !== undefined && valueProblem(attribute, value) === undefined ? value : undefined;
}

function argumentsByName(blueprint: Blueprint): ReadonlyMap<string, CommandArgument> {
  const found = new Map<string, CommandArgument>();
  for (const command of blueprint.commands.values()) {
    for (const [name, argument] of command.arguments) {
      if (!argument.sensitive && !found.has(name)) found.set(name, argument);
    }
  }
  return found;
}

/** An attribute that a command sets under the same name stays as it is until then. */
function settingOf(attribute: Declared, argument: CommandArgument | undefined): unknown {
  if (argument === undefined || argument.unit !== attribute.unit) return undefined;
  return fitted(attribute, argument.default ?? (isLimit(attribute) ? argument.max : undefined) ?? middleOf(argument));
}

/** A limit that nobody has set has no effect. */
function isLimit({ id }: Declared): boolean {
  return hasWord(wordsOf(id), "limit max maximum");
}

/** Between its bounds, whole where it has to be. */
export function middleOf({ type, min, max }: CommandArgument): number | undefined {
  if (min === undefined || max === undefined) return undefined;
  const middle = (min + max) / 2;
  if (type === "float") return middle;
  return type === "integer" ? Math.min(Math.ceil(middle), Math.floor(max)) : undefined;
}

/**
 * The attributes that list alerts, each with the ids that it lists. Every alert has one source; where there are several,
 * its name decides.
 */
function alertSources(blueprint: Blueprint): ReadonlyMap<string, (id: string) => boolean> {
  const declared = [...blueprint.telemetry.values()].filter(listsAlerts);
  const isTaken = [...blueprint.telemetry.values()].some(({ id, aliases }) => [id, ...aliases].includes("alerts"));
  // Every device may list alerts under this name, whatever it declares.
  const reserved = isTaken || declared.length > 0 ? [] : [{ id: "alerts", enum: undefined }];
  const sources: readonly Pick<TelemetryAttribute, "id" | "enum">[] = [...declared, ...reserved];
  const takes = (source: Pick<TelemetryAttribute, "enum">, id: string) =>
    alertListProblem([id]) === undefined &&
    (source.enum === undefined || source.enum.some(({ value }) => value === id));
  const owner = (id: string) => {
    const able = sources.filter((source) => takes(source, id));
    return blueprint.alerts.has(id) ? able[seedOf(0, id) % Math.max(able.length, 1)] : able[0];
  };
  return new Map(sources.map((source) => [source.id, (id) => owner(id) === source]));
}

function listsAlerts({ id, type }: TelemetryAttribute): boolean {
  return type === "alerts" || (id === "alerts" && type === "array_of_strings");
}
