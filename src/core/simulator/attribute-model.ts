// One telemetry attribute, property or response field: its value under given conditions. The value always fits its type
// and enum.
import type { Blueprint, EnumValue, JsonSchemaSource, TelemetryType, ValueType } from "#core/blueprint/blueprint.ts";
import { splitFieldName } from "#core/blueprint/profile.ts";
import { formatExample } from "#core/value/string-format.ts";
import { choiceModel, flagModel } from "./choice-model.ts";
import type { Conditions } from "./conditions.ts";
import { roleOf } from "./flow-model.ts";
import { seedOf, shareAt } from "./noise.ts";
import type { NumberFacts } from "./number-facts.ts";
import { numberModel } from "./number-model.ts";
import { measureOf, type ReadUnit } from "./quantity.ts";
import { sampleJson } from "./sample-json.ts";
import { sampleText } from "./sample-text.ts";
import { signalModel } from "./signal-model.ts";
import { wordsOf } from "./words.ts";

export interface Declared {
  readonly id: string;
  readonly type: ValueType | TelemetryType;
  readonly enum: readonly EnumValue[] | undefined;
  /** Profile fields: their names say as much as the id. */
  readonly implements?: readonly string[] | undefined;
  readonly unit?: string | undefined;
  readonly format?: string | undefined;
  readonly jsonSchema?: JsonSchemaSource | undefined;
}

export interface ModelContext {
  readonly blueprint: Pick<Blueprint, "category" | "displayName">;
  /** The seed of the device. */
  readonly seed: number;
  readonly readUnit: ReadUnit;
}

/** Undefined where there is nothing that it could say. */
export type AttributeModel = (conditions: Conditions) => unknown;

/** Lists of alerts are not made here: they are empty. */
export function attributeModel(context: ModelContext, declared: Declared): AttributeModel {
  const { blueprint, seed: deviceSeed } = context;
  const seed = seedOf(deviceSeed, declared.id);
  const words = allWords(declared);
  const chooser = { words, category: blueprint.category, seed, deviceSeed };
  const [first, ...others] = (declared.enum ?? []).map(({ value }) => value);
  const isList = declared.type === "array_of_strings";
  if (declared.enum !== undefined && isList)
    return listOf(
      declared.enum.map(({ value }) => String(value)),
      seed,
    );
  if (first !== undefined && declared.type !== "json" && declared.type !== "alerts") {
    return choiceModel([first, ...others], chooser);
  }
  // An enum without values takes no value.
  if (declared.enum !== undefined && declared.type !== "json" && declared.type !== "alerts") return () => undefined;
  switch (declared.type) {
    case "boolean":
      return flagModel(chooser);
    case "integer":
    case "float":
      return measuredModel(context, declared, chooser.words);
    case "string": {
      const text = formatExample(declared.format) ?? sampleText(chooser.words, seed, blueprint.displayName.trim());
      return () => text;
    }
    case "array_of_strings":
      return listOf(
        [1, 2, 3].map((number) => `${declared.id}_${number}`),
        seed,
      );
    case "json": {
      // An enum holds for json too, and its values stand in it as they are.
      const value = declared.enum === undefined ? sampleJson(declared.jsonSchema?.text) : first;
      return () => value;
    }
    case "alerts":
      return () => [];
  }
}

/** Some of the words, now and then one more or less. */
function listOf(words: readonly string[], seed: number): AttributeModel {
  return ({ now }) => {
    const odd = shareAt(seed, Math.floor(now.at / 3_600_000)) < 0.1 ? 7 : 0;
    return words.filter((_, place) => shareAt(seed + odd, place) < 0.6);
  };
}

function measuredModel(context: ModelContext, declared: Declared, words: readonly string[]): AttributeModel {
  const isWhole = declared.type === "integer";
  const signal = signalModel({ words, unit: declared.unit, seed: seedOf(context.seed, declared.id), isWhole });
  if (signal !== undefined) return signal;
  const { model, write } = numberOf(context, declared, words);
  return ({ now, running, isStopped }: Conditions) =>
    write(isStopped && model.kind === "flow" ? 0 : model.at(model.kind === "counter" ? running : now));
}

function numberOf({ blueprint, seed, readUnit }: ModelContext, declared: Declared, words: readonly string[]) {
  const { quantity, convert } = measureOf(readUnit, { words, unit: declared.unit });
  const { category } = blueprint;
  const model = numberModel({ words, quantity, category, seed: seedOf(seed, declared.id), deviceSeed: seed });
  const step = declared.type === "integer" ? 1 : stepFor(Math.abs(convert(model.scale) - convert(0)));
  const [least, most] = quantity === "ratio" ? [convert(0), convert(100)] : [-LARGEST, LARGEST];
  // Rounding keeps the order, so a counter never goes back.
  const write = (value: number) => Math.min(Math.max(rounded(convert(value), step), least), most) || 0;
  return { quantity, convert, model, write };
}

/** Undefined for what is no measured number. */
export function numberFacts(context: ModelContext, declared: Declared): NumberFacts | undefined {
  const { id, type, unit } = declared;
  const words = allWords(declared);
  if ((type !== "integer" && type !== "float") || declared.enum !== undefined) return undefined;
  if (signalModel({ words, unit, seed: 0, isWhole: false }) !== undefined) return undefined;
  const { quantity, convert, model, write } = numberOf(context, declared, words);
  const [zero, one] = [convert(0), convert(1)];
  return {
    ...{ id, words, ownWords: wordsOf(id), quantity, kind: model.kind, write },
    role: roleOf(words, context.blueprint.category),
    read: (value) => (typeof value === "number" ? (value - zero) / (one - zero) : undefined),
  };
}

/** Names of profile fields say as much as the id. */
function allWords({ id, implements: fields = [] }: Declared): readonly string[] {
  return [id, ...fields.map((name) => splitFieldName(name).field)].flatMap(wordsOf);
}

const LARGEST = Number.MAX_SAFE_INTEGER;

/** Three digits behind the first one of what is large. */
function stepFor(scale: number): number {
  const places = Math.floor(Math.log10(scale)) - 3;
  return Number.isFinite(places) ? 10 ** Math.min(Math.max(places, -12), 0) : 1;
}

function rounded(value: number, step: number): number {
  const parts = Math.round(1 / step);
  return Math.round(value * parts) / parts;
}
