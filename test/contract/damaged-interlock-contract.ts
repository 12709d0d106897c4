// An interlock whose row is damaged in the database itself limits, and can be set anew or removed.
import { expect, test } from "vitest";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { parseInterlock } from "#core/interlock/parse-interlock.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { createInterlocks, type Interlocks } from "#service/interlock/interlocks.ts";
import type { SubjectStores } from "#service/ports/record-store.ts";
import { makeBlueprint, makeDevice, makeEntry, NOON } from "../support/records.ts";
import type { OpenStores } from "./stores.ts";
import { withSite } from "./with-site.ts";

const MANIFEST = `blueprint_spec: device/3.0
display_name: Charger
runtime: {type: embedded}
telemetry:
  power: {type: float, unit: W, display_name: Power}
command_groups: {main: {display_name: Main}}
commands:
  set_power:
    group: main
    display_name: Set power
    arguments:
      power: {type: float, unit: W, min: -5000, max: 11000, required: true, display_name: Power}
.busbar:
  controls:
    power: {command: set_power, argument: power, reads: power, fallback: {value: max}}
`;

const DOCUMENT = {
  kind: "condition",
  when: { device: "one", attribute: "power", above: 40, hysteresis: 5 },
  limits: [{ device: "one", control: "power", max: 0 }],
};

function blueprintOf(manifest: string): Blueprint {
  const { blueprint } = parseManifest(manifest);
  if (blueprint === undefined) throw new Error("the manifest is not valid");
  return blueprint;
}

/** What Busbar knows of the interlocks after a start. */
async function started(stores: SubjectStores) {
  const blueprint = blueprintOf(MANIFEST);
  const catalog: Pick<BlueprintCatalog, "get"> = { get: async () => ({ blueprint, manifest: {} }) };
  const reports: string[] = [];
  const interlocks = createInterlocks({
    devices: stores.devices,
    interlocks: stores.interlocks,
    catalog: catalog as BlueprintCatalog,
    profiles: { ...starterLibrary(), revision: () => 1 } as never,
    now: () => NOON,
    alertTracker: {
      report: async ({ name }: { name: string }, { lists }: { lists: ReadonlyMap<unknown, readonly string[]> }) => {
        reports.push(`${name}: ${[...lists.values()].flat().join(" ")}`);
      },
    } as never,
    nodes: { isShared: true },
  });
  const limits = async (id: string) => {
    await evaluate(interlocks);
    return interlocks.limitsOf(id, "power").map(({ claim }) => `${claim.source} ${claim.kind} ${claim.value}`);
  };
  return { interlocks, limits, reports };
}

const evaluate = (interlocks: Interlocks, power = 20) =>
  interlocks.evaluate(
    {
      reading: () => ({ value: power, at: NOON }),
      loading: () => ({ current: undefined, wanted: undefined }),
      gridClaims: () => [],
    },
    0,
  );

async function withInterlock(open: OpenStores) {
  const { stores, siteId } = await withSite(open);
  const blueprint = makeBlueprint();
  await stores.blueprints.insert(blueprint, new Uint8Array(), makeEntry());
  const add = (slug: string) =>
    stores.devices.insert(makeDevice(siteId, { name: slug, slug, blueprintId: blueprint.id }), makeEntry());
  const [one, two] = [await add("one"), await add("two")];
  const before = await started(stores);
  const { interlock } = parseInterlock(DOCUMENT);
  if (interlock === undefined) throw new Error("the document is not valid");
  const named = { siteId, name: "hot", expected: undefined };
  const apply = ({ interlocks }: { interlocks: Interlocks }) =>
    interlocks.put({ ...named, document: DOCUMENT, interlock }, makeEntry());
  await apply(before);
  return { stores, one: one.id, two: two.id, before, apply, named };
}

const SAFE = ["interlock:hot min 0", "interlock:hot max 0"];

export function damagedInterlockContract(open: OpenStores, run: (sql: string) => unknown): void {
  test("a damaged document: the devices that it named have their safe values until it is set again", async () => {
    const { stores, one, two, before, apply } = await withInterlock(open);
    expect(await before.limits(one)).toEqual([]);
    await run("UPDATE site_interlock SET document = substr(document, 1, 40)");
    const after = await started(stores);
    expect(await after.limits(one)).toEqual(SAFE);
    expect(await after.limits(two)).toEqual([]);
    await after.interlocks.report();
    expect(after.reports).toEqual(["one: interlock_damaged"]);
    await apply(after);
    expect(await after.limits(one)).toEqual([]);
    await after.interlocks.report();
    expect(after.reports).toEqual(["one: interlock_damaged", "one: "]);
  });

  test("a number that has changed in the database is damage, too", async () => {
    const { stores, one, apply } = await withInterlock(open);
    await run("UPDATE site_interlock SET document = replace(document, '40', '90')");
    const after = await started(stores);
    expect(await after.limits(one)).toEqual(SAFE);
    await apply(after);
    expect(await after.limits(one)).toEqual([]);
    // Without a checksum it was written by an earlier version.
    await run("UPDATE site_interlock SET checksums = NULL, document = replace(document, '40', '10')");
    expect(await (await started(stores)).limits(one)).toEqual(["interlock:hot max 0"]);
  });

  test("what an interlock remembers is not believed if it has changed in the database", async () => {
    const { stores, one, before } = await withInterlock(open);
    await evaluate(before.interlocks, 50);
    await before.interlocks.remember();
    await run(`UPDATE site_interlock SET memory = replace(memory, '"isTrue":true', '"isTrue":false')`);
    const after = await started(stores);
    expect((await stores.interlocks.all())[0]).toMatchObject({ memory: undefined, isMemoryDamaged: true });
    await evaluate(after.interlocks, 38);
    expect(after.interlocks.limitsOf(one, "power")).toHaveLength(1);
  });

  test("a claim that has changed in the database ends, and the others go on", async () => {
    const { stores, one } = await withInterlock(open);
    const claim = { deviceId: one, control: "power", kind: "target", class: "person", reason: "" } as const;
    const times = { leaseUntil: NOON + 1_000, createdAt: NOON, cause: undefined };
    for (const [id, value] of [
      ["a", 17_000],
      ["b", 5],
    ] as const) {
      const made = { ...claim, ...times, id, value, source: `token:${id}` };
      await stores.controls.claim({ claim: made, takesOver: false, trail: undefined });
    }
    await run("UPDATE control_claim SET value = '97000' WHERE value = '17000'");
    expect((await stores.controls.load(one)).claims.map(({ id }) => id)).toEqual(["b"]);
    await run("UPDATE control_claim SET checksum = NULL, class = 'king'");
    expect((await stores.controls.load(one)).claims).toEqual([]);
  });

  test.each([
    ["devices = 'x'"],
    ["devices = '{}', document = '[]'"],
    [`devices = '{"one":"gone"}', document = '{}'`],
    ["devices = '[1]', document = '', updated_at = 1152921504606846976"],
  ])("where nobody knows which devices it named, all of the site are safe: %s", async (damage) => {
    const { stores, one, two, named } = await withInterlock(open);
    await run(`UPDATE site_interlock SET ${damage}`);
    const after = await started(stores);
    expect([await after.limits(one), await after.limits(two)]).toEqual([SAFE, SAFE]);
    expect(await after.interlocks.remove(named, makeEntry())).toBe(true);
    expect([await after.limits(one), await after.limits(two)]).toEqual([[], []]);
  });

  test("a start goes on between the thresholds; where the memory is damaged, it holds", async () => {
    const { stores, one, named, before, apply } = await withInterlock(open);
    const between = async (watched: Awaited<ReturnType<typeof started>>) => {
      await evaluate(watched.interlocks, 38);
      return watched.interlocks.limitsOf(one, "power").length;
    };
    await evaluate(before.interlocks, 20);
    await before.interlocks.remember();
    expect(await between(await started(stores))).toBe(0);
    await run("UPDATE site_interlock SET memory = '{}'");
    expect(await between(await started(stores))).toBe(1);
    await apply(before);
    await evaluate(before.interlocks, 20);
    await before.interlocks.remember();
    await run("UPDATE site_interlock SET memory_at = memory_at - 601000");
    expect(await between(await started(stores))).toBe(1);
    expect(await before.interlocks.remove(named, makeEntry())).toBe(true);
  });

  test("a node that takes over goes on with what the one before has remembered", async () => {
    const { stores, one, before } = await withInterlock(open);
    const other = await started(stores);
    await evaluate(other.interlocks, 20);
    await evaluate(before.interlocks, 50);
    await before.interlocks.remember();
    // Between the thresholds each goes on with what it has seen.
    await evaluate(other.interlocks, 38);
    expect(other.interlocks.limitsOf(one, "power")).toEqual([]);
    await other.interlocks.takeOver();
    await evaluate(other.interlocks, 38);
    expect(other.interlocks.limitsOf(one, "power")).toHaveLength(1);
  });

  test("what is damaged while it is watched goes on as it was, and is reported", async () => {
    const { before, one, named } = await withInterlock(open);
    await before.limits(one);
    await run("UPDATE site_interlock SET document = 'x', devices = 'x'");
    await before.interlocks.remove({ ...named, name: "none" }, makeEntry());
    expect(await before.limits(one)).toEqual([]);
    const [watched] = await before.interlocks.ofSite(named.siteId);
    expect(watched).toMatchObject({ stored: { document: DOCUMENT }, problems: [{ code: "damaged" }] });
    await before.interlocks.report();
    expect(before.reports.at(-1)).toBe("one: interlock_damaged");
  });
}
