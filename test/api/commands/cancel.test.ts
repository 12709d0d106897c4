// Cancelling: what waits ends at once and never reaches its device; what has begun is asked, if its blueprint says how.
import { beforeAll, expect, test, vi } from "vitest";
import {
  type CommandSite,
  commandsOf,
  connected,
  makeCommandSite,
  type OneExecution,
  upload,
} from "../../support/command-site.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

const MANIFEST = `blueprint_spec: device/3.0
display_name: Tester
runtime: {type: embedded}
command_groups: {main: {display_name: Main}}
commands:
  test: {group: main, display_name: Test, access_level: owner, read_access_level: readonly, .busbar: {cancel: stop}}
  plain: {group: main, display_name: Plain}
  stop:
    group: main
    display_name: Stop
    access_level: owner
    arguments: {execution_id: {type: string, display_name: Execution, required: true}}
`;

type Cancelled = OneExecution & { readonly cancelling?: OneExecution["execution"] };

let site: CommandSite;
let blueprintId = "";

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Cancel");
  blueprintId = await upload(busbar, MANIFEST);
});

async function make(name: string) {
  const id = await site.device(name, { blueprint_id: blueprintId });
  const path = `/v3/devices/${id}/commands/executions`;
  const start = async (command: string) =>
    (await commandsOf(busbar.admin, id).create({ name: command })).body.execution_id;
  const cancel = (execution: string, as = busbar.admin) => as.post<Cancelled>(`${path}/${execution}/cancel`, undefined);
  const read = async (execution: string) =>
    (await busbar.admin.get<OneExecution>(`${path}/${execution}`)).body.execution;
  return { id, start, cancel, read };
}

test("one that waits ends at once, twice cancelled is once cancelled, and the device never gets it", async () => {
  const { id, start, cancel, read } = await make("away");
  const execution = await start("test");
  const cancelled = await cancel(execution);
  expect(cancelled.body.execution).toMatchObject({ state: "ERROR", response: { payload: { code: "cancelled" } } });
  expect((await cancel(execution)).body).toEqual(cancelled.body);
  const kept = await start("plain");
  const device = await connected(await site.configOf(id));
  device.onCommand((command) => command.completed());
  await vi.waitFor(async () => expect((await read(kept)).state).toBe("SUCCESS"), { timeout: 20_000 });
  expect(device.commands.map(({ name }) => name)).toEqual(["plain"]);
  const entries = await busbar.admin.get<{ entries: { details: object }[] }>(
    "/v3/audit?action.in=cancelCommandExecution",
  );
  expect(JSON.stringify(entries.body)).toContain(execution);
});

test("a caller that waits for the end of a cancelled execution is answered", async () => {
  const { id, cancel } = await make("awaited");
  const waiting = commandsOf(busbar.admin, id).execute({ name: "test" });
  const listed = async () =>
    (await busbar.admin.get<{ executions: OneExecution["execution"][] }>(`/v3/devices/${id}/commands/executions`)).body
      .executions;
  await vi.waitFor(async () => expect(await listed()).toHaveLength(1), { timeout: 20_000 });
  const [one] = await listed();
  await cancel(one?.id ?? "");
  expect((await waiting).body.execution).toMatchObject({ id: one?.id, state: "ERROR" });
});

test("a device is asked to end what it has begun, once for each caller, and again if it did not", async () => {
  const { id, start, cancel, read } = await make("busy");
  const device = await connected(await site.configOf(id));
  let isWilling = false;
  device.onCommand(async (command) => {
    if (command.name === "test") return await command.log({ percent: 1 });
    if (command.name !== "stop") return await command.completed();
    if (!isWilling) return await command.error({ message: "not now" });
    await command.completed();
  });
  const execution = await start("test");
  await vi.waitFor(async () => expect((await read(execution)).state).toBe("IN_PROGRESS"), { timeout: 20_000 });
  const first = await cancel(execution);
  expect(first.body.execution.state).toBe("IN_PROGRESS");
  expect(first.body.cancelling?.request).toMatchObject({ name: "stop", arguments: { execution_id: execution } });
  const asked = first.body.cancelling?.id ?? "";
  await vi.waitFor(async () => expect((await read(asked)).state).toBe("ERROR"), { timeout: 20_000 });
  isWilling = true;
  const second = (await cancel(execution)).body.cancelling?.id ?? "";
  expect(second).not.toBe(asked);
  await vi.waitFor(async () => expect((await read(second)).state).toBe("SUCCESS"), { timeout: 20_000 });
  expect((await cancel(execution)).body.cancelling?.id).toBe(second);
});

test("what has ended, or has begun without a way to cancel it, is refused in clear words", async () => {
  const { id, start, cancel, read } = await make("plain");
  const device = await connected(await site.configOf(id));
  device.onCommand(async (command) => (command.name === "plain" ? await command.log({}) : await command.completed()));
  const plain = await start("plain");
  await vi.waitFor(async () => expect((await read(plain)).state).toBe("IN_PROGRESS"), { timeout: 20_000 });
  const refused = await cancel(plain);
  expect([refused.status, refused.errors[0]]).toMatchObject([
    409,
    { code: "not_cancellable", message: "plain has begun, and its blueprint names no command that cancels it" },
  ]);
  const test = await start("test");
  await vi.waitFor(async () => expect((await read(test)).state).toBe("SUCCESS"), { timeout: 20_000 });
  expect((await cancel(test)).errors[0]).toMatchObject({ code: "not_cancellable" });
  expect(device.commands.map(({ name }) => name)).toEqual(["plain", "test"]);
});

test("a level that may read but not run may not cancel, and another site sees nothing", async () => {
  const { id, start, cancel, read } = await make("guarded");
  const execution = await start("test");
  const low = await cancel(execution, busbar.as(await busbar.token({ level: "user" })));
  expect([low.status, low.errors[0]?.code]).toEqual([403, "forbidden"]);
  const other = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Elsewhere" })).body.site.id;
  const far = await cancel(execution, busbar.as(await busbar.token({ level: "owner", site_ids: [other] })));
  expect([far.status, far.errors[0]?.code]).toEqual([404, "not_found"]);
  expect((await cancel("no such execution")).status).toBe(404);
  expect((await read(execution)).state).toBe("NEW");
  expect(id).not.toBe("");
});

test("cancelling while the device comes back: it ends cancelled and unsent, or the device got it", async () => {
  for (let round = 0; round < 8; round++) {
    const { id, start, cancel, read } = await make(`race-${round}`);
    const execution = await start("plain");
    const config = await site.configOf(id);
    const [device, cancelled] = await Promise.all([connected(config), cancel(execution)]);
    device.onCommand((command) => command.completed());
    const isCancelled = cancelled.status === 200;
    await vi.waitFor(async () => expect((await read(execution)).state).toBe(isCancelled ? "ERROR" : "SUCCESS"), {
      timeout: 20_000,
    });
    await device.log("still there");
    expect(device.commands).toHaveLength(isCancelled ? 0 : 1);
  }
});
