// Rules that speak HTTP, in real threads with real sockets.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { NO_MODULES } from "#core/rule/rule-modules.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import { instant } from "#core/time/instant.ts";
import { createLiveRules } from "#drivers/live-rules.ts";
import type { LuaTriggers } from "#service/rule/triggers/lua-triggers.ts";
import { reachRules } from "../../../../test/support/drivers.ts";
import { PATIENT } from "../../../../test/support/patient.ts";
import { createLuaRuleRunner } from "./lua-rule-runner.ts";

async function serve(answer: (response: ServerResponse, path: string) => void) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? "");
    answer(response, request.url ?? "");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { place, url: `http://${place}`, seen };
}

const NO_TRIGGERS = {
  begun: async () => {},
  stopped: () => {},
  ask: async () => undefined,
  ended: () => {},
  close: () => {},
  step: async () => [],
  records: () => [],
  stored: () => {},
  causesOf: () => [],
  isCalledAgain: () => false,
} satisfies LuaTriggers;

/** Starts rules by id, and gathers what each says. */
function startRunner(...allow: readonly string[]) {
  const lines: string[] = [];
  const allowed = createLiveRules(reachRules(...allow));
  const onBug = (error: unknown) => void lines.push(`bug: ${String(error)}`);
  const runner = createLuaRuleRunner(
    {
      rules: {
        storage: async () => new Map(),
        traces: async () => [],
        remember: async () => {},
      } as unknown as Parameters<typeof createLuaRuleRunner>[0]["rules"],
      now: () => instant(Date.now()),
      randomBytes: () => new Uint8Array(4),
      after: () => () => {},
      host: {
        trace: () => {},
        log: (ruleId, _, message) => void lines.push(`${ruleId} ${message}`),
        ask: async () => [null, "no such function"],
      },
      triggers: NO_TRIGGERS,
      knownSite: async () => undefined,
      modulesOf: async () => NO_MODULES,
      log: { error: (_, text) => void lines.push(text) },
    },
    { threads: 1, drivers: { hub: undefined, allow: allowed, onBug } },
  );
  onTestFinished(() => runner.close());
  const start = (id: string, text: string, siteId = "s1") => {
    const rule: SiteRule = {
      ...{ id, siteId, slug: `slug-of-${id}`, disabled: false, revision: 1 },
      script: { code: Buffer.from(text).toString("base64"), runtimeVersion: "V3", execInterval: undefined },
      createdAt: instant(0),
      updatedAt: instant(0),
    };
    return runner.start({ rule, timezone: "UTC" });
  };
  const until = (line: string) =>
    vi.waitFor(() => expect(lines).toContainEqual(expect.stringContaining(line)), PATIENT);
  return { start, lines, until, allowed };
}

/** Logs what a request answers. */
const get = (url: string, timeout = 30) => `
local response, err = http.client({ timeout = ${timeout} }):get('${url}')
enapter.log(response and response.code .. ' ' .. #response.body .. ' ' .. response.body:sub(1, 20) or tostring(err))`;

test("a rule asks a server that the installer has allowed, and posts to it", async () => {
  const { url, place, seen } = await serve((response, path) => response.end(`answer of ${path}`));
  const { start, until } = startRunner(place);
  await start(
    "r1",
    `${get(`${url}/price`)}\nlocal sent = http.post('${url}/sent', 'text/plain', 'x')\nenapter.log('sent ' .. sent.code)`,
  );
  await until("r1 200 16 answer of /price");
  await until("r1 sent 200");
  expect(seen).toEqual(["/price", "/sent"]);
});

test("a line of lua.allow for one script is for a rule by its id, never by the slug that its author chose", async () => {
  const { url, place, seen } = await serve((response) => response.end("ok"));
  const { start, until, allowed } = startRunner(`slug-of-r1=${place}`, `r2=${place}`);
  await start("r1", get(url));
  await start("r2", get(`${url}/two`));
  await until(`r1 ${place} is not allowed for this rule; the setting lua.allow says what is`);
  await until("r2 200 2 ok");
  allowed.set([]);
  await start("r2", get(`${url}/three`));
  await until(`r2 ${place} is not allowed for this rule`);
  expect(seen).toEqual(["/two"]);
});

test("a rule reaches no private address and no special one that is not allowed, also not by a redirect", async () => {
  const inner = await serve((response) => response.end("secret"));
  const outer = await serve((response) => response.writeHead(302, { Location: inner.url }).end());
  const { start, until } = startRunner(outer.place, "public", "0.0.0.0/0");
  await start("redirected", get(outer.url));
  await start("metadata", get("http://169.254.169.254/latest"));
  await start("disguised", get(`http://2130706433:${inner.place.split(":")[1]}/`));
  await start("file", get("file:///etc/passwd"));
  await until(`redirected ${inner.place} is not allowed for this rule`);
  await until("metadata 169.254.169.254:80 is not allowed for this rule");
  await until(`disguised ${inner.place} is not allowed for this rule`);
  await until("file a URL starts with http:// or https://, not file:");
  expect(outer.seen).toHaveLength(1);
  expect(inner.seen).toEqual([]);
});

test("answers that are too long or do not come are given up, and other rules go on meanwhile", async () => {
  const { url, place } = await serve((response, path) => {
    if (path === "/huge") response.end(Buffer.alloc(1024 * 1024 + 1));
    else if (path === "/drip") response.writeHead(200).write("a");
  });
  const { start, until, lines } = startRunner(place);
  await start("stuck", get(`${url}/never`, 60));
  await start("ticking", "local n = 0\nscheduler.add(5, function() n = n + 1 enapter.log('tick ' .. n) end)");
  await start("huge", get(`${url}/huge`));
  await start("drip", get(`${url}/drip`, 0.05));
  await until(`huge the answer of ${place} is longer than 1048576 bytes`);
  await until("drip no answer within 50 ms");
  await until("ticking tick 3");
  expect(lines.filter((line) => line.startsWith("stuck"))).toEqual([]);
});

test("the rules of a site have eight requests at once, and those of another site do not wait for them", async () => {
  const held: ServerResponse[] = [];
  let [open, most, isFree] = [0, 0, false];
  const { url, place, seen } = await serve((response, path) => {
    if (path !== "/held") return void response.end("ok");
    open += 1;
    most = Math.max(most, open);
    response.on("close", () => (open -= 1));
    if (isFree) response.end("late");
    else held.push(response);
  });
  const { start, until, lines } = startRunner(place);
  for (let n = 1; n <= 12; n += 1) await start(`r${n}`, get(`${url}/held`, 60));
  await vi.waitFor(() => expect(held).toHaveLength(8), PATIENT);
  await start("other", get(`${url}/other`), "s2");
  await until("other 200 2 ok");
  expect(seen.filter((path) => path === "/held")).toHaveLength(8);
  isFree = true;
  for (const response of held) response.end("late");
  // On a slow machine the last ones may have given up.
  const ends = /^r\d+ (200 4 late|too many requests of the site's rules wait for answers)$/;
  await vi.waitFor(() => expect(lines.filter((line) => ends.test(line))).toHaveLength(12), PATIENT);
  expect(most).toBe(8);
});

test("there are no other drivers, also not those of older scripts", async () => {
  const { start, until } = startRunner("127.0.0.1");
  await start(
    "r1",
    `enapter.log('modbus ' .. type(modbus) .. ', ' .. tostring(pcall(require, 'modbus')) .. ', serial ' .. type(serial))
    local isRead = pcall(function()
      require('busbar.v1')
      return assert(modbustcp.new('127.0.0.1:1')):read_holdings(1, 0, 1, 100)
    end)
    enapter.log('read ' .. tostring(isRead))`,
  );
  await until("r1 modbus nil, false, serial nil");
  await until("r1 read false");
});
