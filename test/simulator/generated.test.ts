// The simulator against thousands of made-up manifests: whatever is declared, nothing that a simulated device says is
// refused, and it says the same again.
import { expect, test } from "vitest";
import type { Blueprint, Command, JsonValue } from "#core/blueprint/blueprint.ts";
import { type Adjustments, untouched } from "#core/simulator/adjustments.ts";
import { afterSuccess, answerOf, planRun } from "#core/simulator/answer-command.ts";
import { createDeviceModel, type DeviceModel } from "#core/simulator/device-model.ts";
import { instant } from "#core/time/instant.ts";
import { checkInputs } from "#core/value/check-inputs.ts";
import { formatProblem } from "#core/value/string-format.ts";
import { valueProblem } from "#core/value/value-problem.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { parseUnit } from "#manifest/units.ts";
import { acceptValues } from "#service/device/accept-values.ts";
import { acceptTelemetry } from "#service/telemetry/accept-telemetry.ts";
import { attributesOf } from "#service/telemetry/attributes.ts";
import { generateManifest } from "../manifest/generate-manifest.ts";
import { createRandom, type Random } from "../manifest/random.ts";
import { renderJson } from "../manifest/render-tree.ts";
import { roundsOf } from "../support/rounds.ts";

const COUNT = roundsOf("manifests that are simulated");
const HOUR = 3_600_000;
const NOON = instant(Date.parse("2026-06-15T12:00:00Z"));

function generated(seed: number): { readonly blueprint: Blueprint; readonly random: Random } {
  const random = createRandom(seed);
  const { blueprint, issues } = parseManifest(renderJson(generateManifest(random).tree, { random, twice: new Set() }));
  if (blueprint === undefined) throw new Error(JSON.stringify(issues));
  return { blueprint, random };
}

function modelOf(blueprint: Blueprint, seed: number): DeviceModel {
  return createDeviceModel({ blueprint, seed, offsetMs: 0, readUnit: parseUnit });
}

/** Some moments of a day, and some years away from it. */
const MOMENTS = [0, 1, 7.3, 12, 19.5, 23.99, 24 * 300, -24 * 900].map((hours) => instant(NOON + hours * HOUR));

/** All alerts of the blueprint raised, an undeclared one too. */
function alarmed(blueprint: Blueprint, adjustments: Adjustments): Adjustments {
  return { ...adjustments, alerts: new Map([...blueprint.alerts.keys(), "undeclared"].map((id) => [id, true])) };
}

test(`nothing that devices of ${COUNT} manifests send is refused`, () => {
  for (let seed = 1; seed <= COUNT; seed++) {
    const { blueprint } = generated(seed);
    const model = modelOf(blueprint, seed);
    const quiet = untouched(seed, NOON);
    for (const adjustments of [quiet, alarmed(blueprint, quiet), { ...quiet, stoppedAt: NOON }]) {
      for (const at of MOMENTS) {
        const telemetry = model.telemetry(at, adjustments);
        const { accepted, refused } = acceptTelemetry(attributesOf(blueprint), telemetry);
        const missing = [...blueprint.telemetry.keys()].filter((id) => !accepted.has(id));
        if (refused.size + missing.length > 0) expect([seed, [...refused], missing]).toEqual([seed, [], []]);
      }
    }
    const properties = model.properties(quiet);
    const { accepted, refused } = acceptValues(blueprint.properties, properties);
    expect([seed, [...refused], accepted.size]).toEqual([seed, [], blueprint.properties.size]);
  }
});

test("the same seed says the same, whenever and in whatever order it is asked; another one says something else", () => {
  let different = 0;
  for (let seed = 1; seed <= COUNT / 10; seed++) {
    const { blueprint } = generated(seed);
    const quiet = untouched(seed, NOON);
    const say = (given: number, moments: readonly (typeof NOON)[]) =>
      new Map(moments.map((at) => [at, JSON.stringify([...modelOf(blueprint, given).telemetry(at, quiet)])]));
    const [forwards, backwards] = [say(seed, MOMENTS), say(seed, MOMENTS.toReversed())];
    for (const at of MOMENTS) expect(backwards.get(at)).toBe(forwards.get(at));
    if (JSON.stringify([...say(seed + 1, MOMENTS)]) !== JSON.stringify([...forwards])) different++;
  }
  expect(different).toBeGreaterThan(COUNT / 20);
});

test("every command is answered as its response is declared, and what it sets is sent without a refusal", () => {
  let answered = 0;
  for (let seed = 1; seed <= COUNT; seed++) {
    const { blueprint, random } = generated(seed);
    const model = modelOf(blueprint, seed);
    let adjustments = untouched(seed, NOON);
    for (const command of blueprint.commands.values()) {
      const given = argumentsFor(command, random);
      // A default or an enum may contradict its own format: nobody can run such a command.
      if (checkInputs(command.arguments, given, () => undefined).problems.length > 0) continue;
      answered++;
      const call = { id: `run-${seed}`, command, arguments: given };
      const run = planRun(call, adjustments);
      expect([seed, command.id, run.failure, (run.endsAfterMs ?? 0) > 0]).toEqual([seed, command.id, undefined, true]);
      adjustments = afterSuccess(adjustments, call, NOON);
      const answer = answerOf(model, { call, at: NOON }, adjustments);
      expect([seed, command.id, problemsOf(blueprint, command, answer)]).toEqual([seed, command.id, []]);
    }
    for (const at of MOMENTS) {
      const { refused } = acceptTelemetry(attributesOf(blueprint), model.telemetry(at, adjustments));
      expect([seed, [...refused]]).toEqual([seed, []]);
    }
  }
  expect(answered).toBeGreaterThan(COUNT);
});

/** Arguments that the command takes. */
function argumentsFor(command: Command, random: Random): Readonly<Record<string, unknown>> {
  const given: Record<string, unknown> = Object.create(null);
  for (const [name, argument] of command.arguments) {
    if (!argument.required && random.chance(0.3)) continue;
    const [listed] = argument.enum ?? [];
    const samples: Readonly<Record<string, JsonValue>> = {
      boolean: random.chance(0.5),
      integer: Math.ceil(argument.min ?? Math.min(argument.max ?? 7, 7)),
      float: argument.min ?? argument.max ?? 1.5,
      string: argument.format === undefined ? "some text" : (FORMATTED[argument.format] ?? ""),
      array_of_strings: ["a"],
      json: [],
    };
    given[name] = listed?.value ?? samples[argument.type];
  }
  return given;
}

const FORMATTED: Readonly<Record<string, string>> = {
  "date-time": "2026-11-14T12:00:00Z",
  uri: "https://example.com",
  email: "name@example.com",
};

function problemsOf(blueprint: Blueprint, command: Command, answer: Readonly<Record<string, unknown>>) {
  const problems: string[] = [];
  for (const [name, field] of command.response) {
    const value = answer[name];
    if (value === undefined) problems.push(`${name} is missing`);
    else {
      const problem =
        valueProblem(field, value) ??
        (typeof value === "string" && field.format !== undefined ? formatProblem(field.format, value) : undefined);
      if (problem !== undefined) problems.push(`${name} ${problem}`);
    }
  }
  const filled = [...blueprint.commands.values()]
    .filter((one) => one.populateValuesCommand === command.id)
    .flatMap((one) => [...one.arguments.values()])
    .filter(({ sensitive }) => !sensitive);
  const known = new Set([...command.response.keys(), ...(command.response.size > 0 ? [] : filled.map(({ id }) => id))]);
  for (const name of Object.keys(answer)) if (!known.has(name)) problems.push(`${name} is not declared`);
  return problems;
}
