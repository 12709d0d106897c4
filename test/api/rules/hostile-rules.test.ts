// Rules that misbehave, beside one that does not.
import { beforeAll, expect, test, vi } from "vitest";
import { PATIENT } from "../../support/patient.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer();
let engine = "";

beforeAll(async () => {
  const { body } = await busbar.admin.get<{ site: { id: string } }>("/v3/site");
  engine = `/v3/sites/${body.site.id}/rule_engine`;
});

async function create(slug: string, text: string): Promise<void> {
  const script = { code: Buffer.from(text).toString("base64"), runtime_version: "V3" };
  expect((await busbar.admin.post(`${engine}/rules`, { slug, script })).errors).toEqual([]);
}

interface Rule {
  readonly state: string;
  readonly last_error: { readonly message: string } | null;
  readonly restart_at: string | null;
}
const read = async (slug: string) => (await busbar.admin.get<{ rule: Rule }>(`${engine}/rules/${slug}`)).body.rule;
const logOf = async (slug: string) => {
  const path = `${engine}/rules/${slug}/logs?limit=1000`;
  const { body } = await busbar.admin.get<{ logs: readonly { message: string }[]; total_count: number }>(path);
  return body.logs.map(({ message }) => message);
};

const NEIGHBOUR = `local n = 0
scheduler.add(200, function()
  n = n + 1
  enapter.log('tick ' .. n .. ' ' .. tostring(#enapter.devices()))
end)`;

test.each([
  ["endless-in-pcall", "while true do pcall(function() while true do end end) end", "computed for more than"],
  ["memory", "local all = {}\nwhile true do all[#all + 1] = string.rep('x', 100000) .. #all end", "memory"],
])("a rule that does this is stopped and starts later: %s", async (slug, text, words) => {
  await create(slug, text);
  await vi.waitFor(async () => expect((await read(slug)).last_error?.message).toContain(words), PATIENT);
  expect(await read(slug)).toMatchObject({ state: "STOPPED", restart_at: expect.any(String) });
  await busbar.admin.delete(`${engine}/rules/${slug}`);
});

test("neighbours of rules that flood and compute go on, without a new start", async () => {
  await create("neighbour", NEIGHBOUR);
  await vi.waitFor(async () => expect(await logOf("neighbour")).toContain("tick 1 1"), PATIENT);
  await create("spins", "while true do end");
  await create("floods", "while true do enapter.log(string.rep('x', 5000)) system.delay(0) end");
  await create("asks", "local n = 0 while true do enapter.device('nobody') n = n + 1 variables.set('asks', n) end");
  await create("stores", "while true do storage.write('key', tostring(math.random())) end");
  const before = (await logOf("neighbour")).length;
  await vi.waitFor(async () => expect((await logOf("neighbour")).length).toBeGreaterThan(before + 20), PATIENT);
  const ticks = (await logOf("neighbour")).map((line) => Number(line.split(" ")[1])).reverse();
  expect(ticks).toEqual(ticks.map((_, n) => n + 1));
  const flooded = await logOf("floods");
  expect(flooded.length).toBeLessThanOrEqual(1000);
  expect(flooded.some((line) => line.includes("left out"))).toBe(true);
  const names = ["neighbour", "spins", "floods", "asks", "stores"];
  await busbar.admin.post(`${engine}/rules/batch_disable`, { rule_ids: names });
});
