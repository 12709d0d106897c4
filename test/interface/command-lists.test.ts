// Lists of executions in detail.
import { expect } from "vitest";
import type { ExecutionPage } from "../support/command-site.ts";
import { check } from "./check.ts";
import { useSite } from "./use-site.ts";
import { manifestWith } from "./validate.ts";

const site = useSite();
const { busbar } = site;

const manifest = (more = "") =>
  manifestWith(`${more}
command_groups: {g: {display_name: G}}
commands:
  start: {group: g, display_name: Start, aliases: [go]}
  stop: {group: g, display_name: Stop}`);
const DEVICE = manifest();

/** A device with so many executions, oldest first. */
async function withExecutions(count: number) {
  const device = await site.device(DEVICE);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await device.started({ name: "start" }));
  return { device, ids };
}

check("commands.list-default-limit", async () => {
  const device = await site.device(DEVICE);
  await Promise.all(Array.from({ length: 101 }, () => device.started({ name: "start" })));
  const { executions, total_count } = (await device.list()).body;
  expect([executions.length, total_count]).toEqual([100, 101]);
});

check("commands.list-clamped", async () => {
  const siteId = await site.newSite();
  for (let n = 0; n < 5; n++) {
    const device = await site.device(DEVICE, { site_id: siteId });
    await Promise.all(Array.from({ length: 202 }, () => device.started({ name: "start" })));
  }
  const list = (query: string) =>
    busbar.admin.get<ExecutionPage>(`/v3/sites/${siteId}/commands/executions?retention=ALL&${query}`);
  for (const limit of ["1000", "1001", "99999999999999999999"]) {
    const { status, body } = await list(`limit=${limit}`);
    expect([status, body.executions.length, body.total_count], limit).toEqual([200, 1000, 1010]);
  }
  expect((await list("offset=99999999999999999999")).body).toEqual({ executions: [], total_count: 1010 });
});

check("commands.list-zero", async () => {
  const { device } = await withExecutions(2);
  expect((await device.list("?limit=0")).body).toEqual({ executions: [], total_count: 2 });
});

check("commands.list-bad-numbers", async () => {
  const { device } = await withExecutions(0);
  for (const query of ["limit=-1", "limit=1.5", "limit=ten", "offset=-1", "offset=0.5", "offset=x"]) {
    const refused = await device.list(`?${query}`);
    expect([refused.status, refused.errors[0]?.code], query).toEqual([400, "invalid_query"]);
  }
});

check("commands.list-precision", async () => {
  const { device, ids } = await withExecutions(1);
  const created = (await device.get(ids[0] ?? "")).body.execution.created_at;
  const with_ = (digits: string) => `${created.slice(0, -1)}${digits}Z`;
  expect(await device.ids(`?created_at.gte=${with_("000")}`)).toEqual(ids);
  expect(await device.ids(`?created_at.gte=${with_("001")}`)).toEqual([]);
  expect(await device.ids(`?created_at.lt=${with_("000001")}`)).toEqual(ids);
  expect(await device.ids(`?created_at.lt=${with_("000")}`)).toEqual([]);
});

check("commands.list-total-count", async () => {
  const { device } = await withExecutions(3);
  await device.started({ name: "stop" });
  const count = async (query: string) => (await device.list(query)).body.total_count;
  expect([await count(""), await count("?name.in=stop"), await count("?name.in=start&limit=1&offset=1")]).toEqual([
    4, 1, 3,
  ]);
});

check("commands.list-gte-lt", async () => {
  const { device, ids } = await withExecutions(1);
  const created = (await device.get(ids[0] ?? "")).body.execution.created_at;
  expect(await device.ids(`?created_at.gte=${created}`)).toEqual(ids);
  expect(await device.ids(`?created_at.lt=${created}`)).toEqual([]);
});

check("commands.list-name-in", async () => {
  const device = await site.device(DEVICE);
  const [start, go] = [await device.started({ name: "start" }), await device.started({ name: "go" })];
  expect(await device.ids("?name.in=go")).toEqual([go]);
  expect((await device.ids("?name.in=start")).toSorted()).toEqual([start, go].toSorted());
  expect(await device.ids("?name.in=START,st")).toEqual([]);
});

check("commands.list-case", async () => {
  const { device, ids } = await withExecutions(2);
  expect(await device.ids("?state.in=new&order=created_at_desc&retention=all")).toEqual(ids.toReversed());
  expect(await device.ids("?state.in=New&order=Created_At_Asc&retention=Persistent")).toEqual(ids);
});

check("commands.list-ties", async () => {
  const device = await site.device(DEVICE);
  await site.standStill(() => Promise.all(Array.from({ length: 60 }, () => device.started({ name: "start" }))));
  const { executions } = (await device.list()).body;
  const times = executions.map(({ created_at }) => created_at);
  expect(new Set(times).size).toBe(1);
  const sorted = executions.toSorted((a, b) => (a.created_at + a.id < b.created_at + b.id ? -1 : 1));
  expect(executions.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
  expect(await device.ids("?order=CREATED_AT_DESC")).toEqual(sorted.map(({ id }) => id).toReversed());
});

check("commands.list-profiles-recursive", async () => {
  const { body } = await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Profiles" });
  const device = await site.device(manifest("implements: energy.inverter"), { site_id: body.site.id });
  const id = await device.started({ name: "start" });
  const has = async (profiles: string) => {
    const path = `/v3/sites/${body.site.id}/commands/executions?device.profiles.has_all=${profiles}`;
    return (await busbar.admin.get(path)).text.includes(id);
  };
  expect([await has("energy.inverter"), await has("energy.ac.power"), await has("sensor.rain")]).toEqual([
    true,
    true,
    false,
  ]);
});

check("commands.ephemeral-gone-exactly", async () => {
  const device = await site.device(DEVICE);
  const id = await device.started({ name: "start", ephemeral: true });
  const created = Date.parse((await device.get(id)).body.execution.created_at);
  const reads = async () => [
    (await device.get(id)).status === 200,
    (await device.ids("?retention=ALL")).includes(id),
    (await device.list("?retention=EPHEMERAL&limit=0")).body.total_count === 1,
    (
      await busbar.admin.get(`/v3/sites/${site.siteId}/commands/executions?retention=ALL&device_id.in=${device.id}`)
    ).text.includes(id),
  ];
  site.advance(created + 24 * 3_600_000 - site.now() - 60_000);
  expect(await reads()).toEqual([true, true, true, true]);
  site.advance(Math.max(0, created + 24 * 3_600_000 - site.now()));
  expect(await reads()).toEqual([false, false, false, false]);
});
