// Every event that a listener gets is what the OpenAPI document says about events of its kind.

import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { createClient } from "#client/create-client.ts";
import { rawZip } from "../support/raw-zip.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();
const MANIFEST = `${readFileSync(new URL("../client/project/manifest.yml", import.meta.url), "utf8")}
alerts:
  hot: { severity: warning, display_name: Too hot }
`;
const LUA = "scheduler.add(1000, function() enapter.log('a line') end)";

const KINDS = [
  "execution",
  "alert",
  "connectivity",
  "device",
  "configuration",
  "control",
  "runtime",
  "log",
  "telemetry",
];

test("the data of each kind of event fits its schema", async () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(busbar.document, "doc");
  const validators = new Map(
    KINDS.map((kind) => {
      const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Event`;
      return [kind, ajv.compile({ $ref: `doc#/components/schemas/${name}` })] as const;
    }),
  );
  const client = createClient({ url: busbar.url, token: busbar.adminToken });
  const leaving = new AbortController();
  const events = client.events({}, { signal: leaving.signal });
  expect((await events.next()).value).toEqual({ kind: "open" });

  const { blueprint } = await client.blueprints.upload(Buffer.from(MANIFEST));
  const lua = MANIFEST.replace("{ type: embedded }", "{ type: lua, options: { file: main.lua } }");
  const zip = rawZip([
    { name: "manifest.yml", content: lua },
    { name: "main.lua", content: LUA },
  ]);
  const script = await client.blueprints.upload(zip);
  let round = 0;
  const act = async (): Promise<void> => {
    const [pcs, slug] = [`pcs-${++round}`, `script-${round}`];
    await client.provisioning.simulatedDevice({ name: "Converter", slug: pcs, blueprint_id: blueprint.id });
    await client.provisioning.luaDevice({ name: "Script", slug, blueprint_id: script.blueprint.id });
    await client.devices.configuration.putBucket(pcs, "grid", { limit: 5 });
    await client.devices.adjustSimulation(pcs, { alerts: { hot: true } });
    await client.commands.run(pcs, { name: "set_power", arguments: { power: 5 } }).end();
  };
  await act();
  // A listener that was cut off for a moment gets what is not stored, such as the state of a script, with the next devices.
  const again = setInterval(() => void act().catch(() => {}), 5_000);

  const missing = new Set(KINDS);
  const late = setTimeout(() => leaving.abort(), 50_000);
  const wrong: string[] = [];
  try {
    for await (const { kind, ...data } of events) {
      const validate = validators.get(kind);
      if (validate === undefined) continue;
      missing.delete(kind);
      if (!validate(data)) wrong.push(`${kind}: ${ajv.errorsText(validate.errors)} ${JSON.stringify(data)}`);
      if (missing.size === 0) break;
    }
  } catch (error) {
    // It was too late: what is missing is reported below.
    if (!leaving.signal.aborted) throw error;
  }
  clearTimeout(late);
  clearInterval(again);
  leaving.abort();
  expect([...missing]).toEqual([]);
  expect(wrong).toEqual([]);
});
