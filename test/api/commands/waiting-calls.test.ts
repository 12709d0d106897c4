// Calls of execute wait for a device for up to a minute. What they hold meanwhile is bounded by token.
import { request } from "node:http";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { type CommandSite, makeCommandSite } from "../../support/command-site.ts";
import { IS_LONG } from "../../support/rounds.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

let site: CommandSite;
beforeAll(async () => {
  site = await makeCommandSite(busbar, "Waiting");
});

async function newToken(name: string): Promise<string> {
  const { body } = await busbar.admin.post<{ token: string }>("/v3/tokens", { name, level: "owner" });
  expect(body.token).toEqual(expect.any(String));
  return body.token;
}

/** Calls of execute that nobody answers; they end with the test. */
function executing() {
  const end = new AbortController();
  // An answer that nobody holds is garbage, and fetch then closes its connection: the call would be over.
  const answers: Promise<Response>[] = [];
  onTestFinished(() => {
    end.abort();
    answers.length = 0;
  });
  return (device: string, token: string, body: object) => {
    const answer = fetch(`${busbar.url}/v3/devices/${device}/commands/execute`, {
      method: "POST",
      headers: { "X-Service-Auth-Token": token, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: end.signal,
    });
    answers.push(answer);
    return answer;
  };
}

async function metric(line: string): Promise<number> {
  const { text } = await busbar.anonymous.get("/metrics");
  return Number(
    text
      .split("\n")
      .find((one) => one.startsWith(`${line} `))
      ?.split(" ")[1],
  );
}

async function until(line: string, wanted: number): Promise<void> {
  await expect.poll(() => metric(line), { interval: 10 }).toBe(wanted);
}

test("a token has 512 calls of execute under way; one more is refused and runs nothing, and others get in", async () => {
  const greedy = await newToken("greedy");
  const devices = [await site.device("Silent"), await site.device("Silent too")];
  const execute = executing();
  for (let n = 0; n < 512; n++) execute(devices[n % 2] ?? "", greedy, { name: "stop" }).catch(() => {});
  await until('busbar_share_inside{share="executes"}', 512);
  const refused = await execute(devices[0] ?? "", greedy, { name: "stop" });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(await refused.json()).toMatchObject({ errors: [{ code: "too_many_calls" }] });
  // A call has its place before its execution is stored.
  const path = `/v3/devices/${devices[0]}/commands/executions?limit=1`;
  const stored = async () => (await busbar.admin.get<{ total_count: number }>(path)).body.total_count;
  await expect.poll(stored).toBe(256);
  const honest = await newToken("honest");
  execute(devices[1] ?? "", honest, { name: "stop" }).catch(() => {});
  await until('busbar_share_inside{share="executes"}', 513);
  // None of them holds a place among the changes: what they change is on disk.
  await until('busbar_share_inside{share="changes"}', 0);
});

test("a call that waits for its device holds its body no longer once the execution is stored", async () => {
  const token = await newToken("large");
  const devices = [await site.device("Large"), await site.device("Large too")];
  const execute = executing();
  // Calls of the test before leave when their connections have ended.
  await until('busbar_share_inside{share="executes"}', 0);
  const command = { name: "check", arguments: { flag: true, text: "x".repeat(1_000_000) } };
  const refused: number[] = [];
  for (let n = 0; n < 20; n++) {
    execute(devices[n % 2] ?? "", token, command).then(
      // A call that waits gets its headers after two seconds.
      ({ status }) => status !== 200 && refused.push(status),
      () => {},
    );
    await until('busbar_share_inside{share="executes"}', n + 1 - refused.length);
    await until('busbar_buffer_bytes{buffer="request_bodies"}', 0);
  }
  expect(refused).toEqual([]);
});

if (IS_LONG) {
  test("in real time: a client with a read timeout of 5 s sees the end of a command of 20 s", async () => {
    const deviceId = await site.device("Slower");
    const device = await site.connect(deviceId);
    device.onCommand((command) => void setTimeout(() => void command.completed({ done: true }), 20_000));
    const text = await new Promise<string>((resolve, reject) => {
      const path = `${busbar.url}/v3/devices/${deviceId}/execute_command`;
      const headers = { "X-Enapter-Auth-Token": busbar.adminToken };
      const call = request(path, { method: "POST", headers, timeout: 5_000 }, (response) => {
        let seen = "";
        response.on("data", (piece) => (seen += String(piece))).on("end", () => resolve(seen));
      });
      call.on("timeout", () => call.destroy(new Error("nothing came for 5 s"))).on("error", reject);
      call.end(JSON.stringify({ name: "stop" }));
    });
    expect(JSON.parse(text)).toMatchObject({ execution: { state: "SUCCESS" } });
  });
}
