import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { roundsOf } from "../support/rounds.ts";
import { generateManifest } from "./generate-manifest.ts";
import { mutateManifest } from "./mutate-manifest.ts";
import { createRandom, type Random } from "./random.ts";
import { renderJson, renderYaml, type Tree } from "./render-tree.ts";

const ROUNDS = roundsOf("generated manifests");
const PATIENCE = 600_000;

function render(tree: Tree, random: Random, twice: ReadonlySet<string> = new Set()): string {
  return random.chance(0.2) ? renderJson(tree, { random, twice }) : renderYaml(tree, { random, twice });
}

/** The value at a path of a blueprint. `values` stands for the values of an enum. */
function valueAt(blueprint: unknown, path: readonly string[]): unknown {
  let value = blueprint;
  for (const step of path) {
    if (step === "values" && Array.isArray(value)) value = value.map((item: { value: unknown }) => item.value);
    else value = value instanceof Map ? value.get(step) : Reflect.get(Object(value), step);
  }
  return value;
}

test(
  `${ROUNDS} generated manifests are accepted without a word, and read as meant`,
  () => {
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      const random = createRandom(seed);
      const { tree, expectations } = generateManifest(random);
      const text = render(tree, random);
      const { blueprint, issues } = parseManifest(text);
      if (issues.length > 0 || blueprint === undefined) expect(issues, `seed ${seed}\n${text}`).toEqual([]);
      for (const { path, value } of expectations) {
        const read = valueAt(blueprint, path);
        if (!isDeepStrictEqual(read, value)) expect(read, `seed ${seed} ${path.join("/")}\n${text}`).toEqual(value);
      }
    }
  },
  PATIENCE,
);

test(
  `${ROUNDS} manifests with one change are judged right: one issue at the right place, or none`,
  () => {
    const judged = new Map<string, number>();
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      const random = createRandom(-seed);
      const manifest = generateManifest(random);
      const mutation = mutateManifest(manifest, random);
      const text = render(manifest.tree, random, mutation.twice);
      const { blueprint, issues } = parseManifest(text);
      const said = issues.map((issue) => `${issue.code} ${issue.path}`).join(", ");
      const wanted = mutation.code === undefined ? "" : `${mutation.code} ${mutation.path}`;
      if (said !== wanted) expect(said, `seed ${seed} ${mutation.name}\n${text}`).toBe(wanted);
      const isRefused = issues.some((issue) => issue.severity === "error");
      if ((blueprint === undefined) !== isRefused) expect(blueprint === undefined, `seed ${seed}`).toBe(isRefused);
      judged.set(mutation.name, (judged.get(mutation.name) ?? 0) + 1);
    }
    // Every kind of change had its turn.
    expect(Math.min(...judged.values())).toBeGreaterThanOrEqual(ROUNDS / 500);
    expect(judged.size).toBeGreaterThan(70);
  },
  PATIENCE,
);
