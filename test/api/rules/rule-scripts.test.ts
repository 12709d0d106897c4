// What scripts of rules see and do, with real devices.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type CommandSite, connected, makeCommandSite, upload } from "../../support/command-site.ts";
import { connectFakeDevice, type FakeDevice } from "../../support/fake-device.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

const CHARGER = `blueprint_spec: device/3.0
display_name: Charger
runtime: {type: embedded}
properties:
  vendor: {type: string, display_name: Vendor}
  serial: {type: string, display_name: Serial, access_level: vendor}
telemetry:
  power: {type: float, unit: kW, display_name: Power}
  hidden: {type: float, display_name: Hidden, access_level: vendor}
command_groups: {main: {display_name: Main}}
commands:
  set_power:
    group: main
    display_name: Set power
    arguments:
      power: {type: float, unit: kW, min: 0, max: 11, required: true, display_name: Power}
  service: {group: main, display_name: Service, access_level: vendor}
.busbar:
  controls:
    power: {command: set_power, argument: power, unit: W, reads: power, fallback: {value: min}}
`;

let site: CommandSite;
let engine = "";
let chargerId = "";
let charger: FakeDevice;
const commanded: number[] = [];

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Rules");
  engine = `/v3/sites/${site.siteId}/rule_engine`;
  const blueprint_id = await upload(busbar, CHARGER);
  chargerId = await site.device("Charger", { blueprint_id, slug: "charger" });
  charger = await connectFakeDevice(await site.configOf(chargerId));
  charger.onCommand(async (command) => {
    const power = Number(command.arguments["power"]);
    commanded.push(power);
    await command.completed({ set: power });
    await charger.sendTelemetry({ power });
  });
  await charger.sendProperties({ vendor: "ACME", serial: "secret" });
  await charger.sendTelemetry({ power: 2.5, hidden: 7 });
});

afterAll(() => charger.drop());

async function create(slug: string, text: string, more: object = {}) {
  const script = { code: Buffer.from(text).toString("base64"), runtime_version: "V3", ...more };
  const answer = await busbar.admin.post<{ rule: { id: string } }>(`${engine}/rules`, { slug, script });
  expect(answer.errors).toEqual([]);
  return answer.body.rule.id;
}

const remove = (slug: string) => busbar.admin.delete(`${engine}/rules/${slug}`);

async function logOf(slug: string): Promise<readonly string[]> {
  const path = `${engine}/rules/${slug}/logs?limit=1000`;
  const { body } = await busbar.admin.get<{ logs: readonly { message: string }[] }>(path);
  return body.logs.map(({ message }) => message).reverse();
}

/** What the script logs until it says `done`. */
async function said(slug: string, text: string): Promise<readonly string[]> {
  await create(slug, `${text}\nenapter.log('done')`);
  await vi.waitFor(async () => expect(await logOf(slug)).toContain("done"), 30_000);
  const lines = await logOf(slug);
  await remove(slug);
  return lines.slice(0, lines.indexOf("done"));
}

interface Control {
  readonly value: number | null;
  readonly winner: {
    readonly class: string;
    readonly source: string;
    readonly source_name: string;
    readonly reason: string;
  } | null;
}
const controlOf = async () =>
  (await busbar.admin.get<{ control: Control }>(`/v3/devices/${chargerId}/controls/power`)).body.control;

test("devices are found by id and slug, on the site of the rule alone", async () => {
  const elsewhere = await makeCommandSite(busbar, "Elsewhere");
  const foreign = await elsewhere.device("Foreign", { slug: "foreign" });
  const lines = await said(
    "finds",
    `local d = enapter.device('charger')
enapter.log(d.id .. ' ' .. d.slug .. ' ' .. tostring(d.online()) .. ' ' .. d.property('vendor'))
enapter.log(tostring(enapter.device(d.id).id == d.id) .. ' ' .. #enapter.devices())
enapter.log(tostring(d.implements()['energy.battery']) .. ' ' .. tostring(#d:implements()))
for _, name in ipairs({'nobody', '${foreign}', 'foreign'}) do
  local none, why = enapter.device(name)
  enapter.log(tostring(none) .. ': ' .. why)
end
local _, why = d.property('serial')
enapter.log(why)
enapter.log(tostring(select(2, enapter.device({}))))`,
  );
  expect(lines).toEqual([
    `${chargerId} charger true ACME`,
    // The charger and the gateway itself.
    "true 2",
    "nil 0",
    "nil: there is no device nobody",
    `nil: there is no device ${foreign}`,
    "nil: there is no device foreign",
    "device charger has no property serial",
    "a device must be a text of 1 to 200 characters",
  ]);
});

test("values have an age: an old one is stale unless the script says otherwise", async () => {
  const old = await site.device("Old", { blueprint_id: await upload(busbar, CHARGER), slug: "old" });
  const device = await connected(await site.configOf(old));
  await device.sendTelemetry({ power: 1.5, timestamp: Math.floor(Date.now() / 1000) - 100 });
  await vi.waitFor(async () => {
    const { body } = await busbar.admin.get<{ telemetry: object }>(`/v3/devices/${old}/telemetry`);
    expect(body.telemetry).toHaveProperty("power");
  });
  const lines = await said(
    "ages",
    `local t = enapter.device('old').telemetry
enapter.log(tostring(t.avg('power', '10m', {relevance_interval = '5m'})) .. ' ' .. select(2, t.avg('power', '10m', {relevance_interval = '30s'})))
local value, why = t.now('power')
enapter.log(tostring(value) .. ' ' .. tostring(why))
enapter.log(t.now('power', {relevance_interval = '5m'}) .. ' ' .. t:now('power', {max_age = 300}) .. ' ' .. t.now('power', '5m'))
local last, at = t.last('power')
enapter.log(last .. ' ' .. tostring(os.time() - at >= 99) .. ' ' .. tostring(t.age('power') >= 99))
enapter.log(t.avg('power', '10m') .. ' ' .. t.min('power', '10m') .. ' ' .. t.max('power', '10m') .. ' ' .. #t.series('power', '10m', '1m'))
for _, name in ipairs({'powr', 'hidden'}) do enapter.log(select(2, t.now(name))) end
enapter.log(select(2, t.avg('power', '10s')))
enapter.log(select(2, t.avg('power', 'soon')))
enapter.log(select(2, t.now()))`,
  );
  expect(lines).toEqual([
    "1.5 stale",
    "nil stale",
    "1.5 1.5 1.5",
    "1.5 true true",
    "1.5 1.5 1.5 1",
    'the device has no telemetry attribute "powr"; did you mean power?',
    "reading hidden takes access level vendor",
    "no values",
    'the window must be a duration such as "5m", at most 31d',
    "the name of an attribute must be a text of 1 to 200 characters",
  ]);
});

test("a command answers its final state and payload, and is executed as the rule", async () => {
  const lines = await said(
    "commands",
    `local c = enapter.device('charger').commands
local state, payload = c.execute('set_power', {power = 3})
enapter.log(state .. ' ' .. tostring(payload.set))
enapter.log(select(2, c:execute('set_power', {power = 99})))
enapter.log(select(2, c.execute('service')))
enapter.log(select(2, c.execute('nothing')))`,
  );
  expect(lines[0]).toBe("SUCCESS 3");
  expect(lines.slice(1).join("\n")).toMatch(/power.*\n.*level vendor.*\n.*nothing/);
  // A command on a controlled argument is a claim of its caller's class, which ends with the rule.
  await vi.waitFor(async () => expect((await controlOf()).winner).toBeNull(), 30_000);
  const { body } = await busbar.admin.get<{ records: readonly { reason: string; class: string; source: string }[] }>(
    `/v3/devices/${chargerId}/control_history`,
  );
  expect(body.records).toContainEqual(expect.objectContaining({ reason: "executed set_power", class: "rule" }));
});

test("a rule claims, re-asserts with few writes, and releases; a person is stronger", async () => {
  const id = await create(
    "claims",
    `local d = enapter.device('charger')
scheduler.add(100, function()
  if variables.get('off') then
    enapter.log('released ' .. d.release('power'))
    variables.set('off', false)
  elseif not variables.get('quiet') then
    local ok, why = d.claim('power', 5000, {lease = '20s', reason = 'sun'})
    explain(tostring(ok) .. tostring(why))
  end
end)`,
  );
  const path = `/v3/sites/${site.siteId}/variables`;
  await vi.waitFor(async () => expect((await controlOf()).value).toBe(5000), 30_000);
  expect((await controlOf()).winner).toMatchObject({
    class: "rule",
    source: `rule:${id}`,
    source_name: "claims",
    reason: "sun",
  });
  await vi.waitFor(() => expect(commanded.at(-1)).toBe(5), 30_000);
  const audit = await busbar.admin.get<{ entries: readonly { action: string; actor: { name: string } }[] }>(
    "/v3/audit?limit=200",
  );
  const own = audit.body.entries.filter(({ actor, action }) => actor?.name === "rule claims" && action === "claim");
  expect(own.length).toBeLessThanOrEqual(1);
  await busbar.admin.post(`/v3/devices/${chargerId}/controls/power/claims`, { value: 1000, reason: "guest" });
  expect((await controlOf()).winner).toMatchObject({ class: "person", reason: "guest" });
  await busbar.admin.put(`${path}/quiet`, { value: true });
  await busbar.admin.put(`${path}/off`, { value: true });
  await vi.waitFor(async () => expect(await logOf("claims")).toContain("released 1"), 30_000);
  await remove("claims");
});

test("a wrong claim says what is wrong", async () => {
  const lines = await said(
    "wrong",
    `local d = enapter.device('charger')
enapter.log(select(2, d.claim('power', 99000)))
enapter.log(select(2, d.claim('nothing', 1)))
enapter.log(select(2, d.claim('power', 1, {lease = 'long'})))
enapter.log(select(2, d.claim('power', 1, {kind = 'odd'})))
enapter.log(select(2, d.claim('power', 1, {lease = '3d'})))
enapter.log(tostring(d.release()))`,
  );
  expect(lines[0]).toBe("power goes from 0 to 11000 W");
  expect(lines[1]).toContain('no control "nothing"');
  expect(lines[2]).toContain("lease must be a duration");
  expect(lines[3]).toContain("kind");
  expect(lines[4]).toBe("a lease lasts from 1s to 1d");
  expect(lines[5]).toBe("0");
});

test("functions are called when what they wait for comes: values, variables, times; and what they do is traced", async () => {
  await busbar.admin.put(`/v3/sites/${site.siteId}/variables/mode`, { value: "off" });
  await charger.sendTelemetry({ power: 1 });
  await create(
    "waits",
    `enapter.log(#enapter.device('charger').alerts() .. ' alerts')
local id = on({device = 'charger', attribute = 'power', above = 5}, function(event)
  enapter.log('on ' .. tostring(event.is_on) .. ' ' .. event.values['charger.power'])
  variables.set('mode', 'high')
end, function() enapter.log('off') end)
enapter.log(type(id))
on({variable = 'mode', equals = 'high'}, function() notify('it is high', {title = 'Mode', severity = 'warning'}) end)
local ticks = 0
local every
every = schedule('1s', function() ticks = ticks + 1 if ticks == 2 then enapter.log('twice') off(every) end end)
enapter.log(select(2, on({device = 'charger', attribute = 'power'}, print)))
enapter.log(select(2, schedule('whenever', print)))
enapter.log(tostring(pcall(on, {})))
enapter.log('ready')`,
  );
  await vi.waitFor(async () => expect(await logOf("waits")).toContain("ready"), 30_000);
  const first = await logOf("waits");
  expect(first.slice(0, 2)).toEqual(["0 alerts", "string"]);
  expect(first.at(2)).toContain("/when");
  expect(first.at(3)).toContain("cron");
  expect(first.at(4)).toBe("false");
  await vi.waitFor(async () => expect(await logOf("waits")).toContain("twice"), 30_000);
  await charger.sendTelemetry({ power: 7.5 });
  await vi.waitFor(async () => expect(await logOf("waits")).toContain("Mode: it is high"), 30_000);
  await charger.sendTelemetry({ power: 0 });
  await vi.waitFor(async () => expect(await logOf("waits")).toContain("off"), 30_000);
  expect((await logOf("waits")).filter((line) => /^(?:on|off|Mode)/.test(line))).toEqual([
    "on true 7.5",
    "Mode: it is high",
    "off",
  ]);
  await remove("waits");
});

test("what does not exist is nil and why: prices without a tariff, forecasts without values", async () => {
  const lines = await said(
    "energy",
    `enapter.log(select(2, tariff.at()))
enapter.log(select(2, tariff.at('now')))
enapter.log(select(2, forecast.pv('1h')))
enapter.log(select(2, forecast.load('25h')))
enapter.log(select(2, notify('')))
enapter.log(select(2, notify('x', {severity = 'loud'})))`,
  );
  expect(lines).toEqual([
    "the site has no tariff",
    "a time is a number of seconds since 1970, as os.time() gives it",
    "fewer than 3 of the last days have values",
    "a forecast is for at most 24h",
    "a message is a text of 1 to 1000 characters",
    "severity must be one of info, warning, error",
  ]);
  const at = Math.floor(Date.now() / 900_000) * 900_000;
  await busbar.admin.put(`/v3/sites/${site.siteId}/tariff`, {
    currency: "EUR",
    versions: [{ import: { type: "fixed", price: 0.3 } }],
  });
  const priced = await said(
    "priced",
    `local now = tariff.at(${at / 1000})
enapter.log(now.import .. ' ' .. now.currency)
local best = tariff.cheapest('2h', {from = ${at / 1000}})
enapter.log(best.from .. ' ' .. (best.to - best.from) .. ' ' .. best.price)
enapter.log(select(2, tariff.cheapest('2h', {from = ${at / 1000}, to = ${at / 1000 + 3600}})))`,
  );
  expect(priced).toEqual(["0.3 EUR", `${at / 1000} 7200 0.3`, "the duration is longer than the window"]);
});
