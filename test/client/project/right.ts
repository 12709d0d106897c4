import { createClient, outcome } from "@busbar/client";
import type { Device as Converter } from "./converter.ts";

declare const process: { readonly env: Readonly<Record<string, string>>; readonly exit: (code: number) => never };
const { BUSBAR_URL: url = "", BUSBAR_TOKEN: token = "", NOBODY = "" } = process.env;
const client = createClient<{ pcs: Converter }>({ url, token });
const pcs = client.device("pcs");

// Events from now on: the command below is one of them.
const leaving = new AbortController();
const events = client.events({ "kind.in": ["execution"] }, { signal: leaving.signal });
await events.next(); // open

const states: string[] = [];
for await (const { execution } of pcs.commands.set_power({ power: 5000, ramp: "fast" })) states.push(execution.state);
const { value: event } = await events.next();
leaving.abort();

const tooMuch = await outcome(pcs.commands.set_power({ power: 50_000 }).end());
const refused = tooMuch.ok || !("code" in tooMuch.error) ? undefined : tooMuch.error;

// The types of an answer follow from the blueprint, too.
const answer = await pcs.commands.read_mode(undefined, { ephemeral: true }).end();
if (answer.state === "SUCCESS") answer.response.payload?.mode satisfies "idle" | "remote" | undefined;

let values = await pcs.telemetry.now("power", "mode");
while (values.power === undefined) values = await pcs.telemetry.now("power", "mode");
values.power.value satisfies number;
values.mode?.value satisfies "idle" | "remote" | undefined;

const now = Date.now() / 1000;
const { times, columns } = await client.telemetry.columns({
  from: now - 600,
  to: now + 60,
  granularity: "1s",
  aggregation: "auto",
  telemetry: [{ device: "pcs", attribute: ["power", "mode"] }],
});

const devices: string[] = [];
for await (const device of client.devices.list.all()) devices.push(device.slug);
const executions = await Array.fromAsync(client.commands.list.all("pcs", { "name.in": ["set_power"] }));

const nobody = await outcome(createClient({ url: NOBODY }).health());

console.log(
  JSON.stringify({
    states,
    refused: { code: refused?.code, pointer: refused?.details?.pointer },
    devices,
    executions: executions.length,
    columns: columns.map((one) => ({
      attribute: one.attribute,
      type: one.type,
      isTyped: one.values instanceof Float64Array,
    })),
    alignedRows: times.length > 0 && columns.every((one) => one.values.length === times.length),
    event: event?.kind,
    unreachable: nobody.ok || !("reason" in nobody.error) ? undefined : nobody.error.reason,
  }),
);
process.exit(0);
