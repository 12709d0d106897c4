// The demo site over HTTP: six devices that run against a plant, and what a restart keeps.
import { describe, expect, test } from "vitest";
import { demoDevices } from "#demo/demo-devices.ts";
import { IS_LONG } from "../support/rounds.ts";
import { useServer } from "../support/server.ts";

/** Each day of history takes two seconds of processor time. Only the last week has all values, which the long run sees end. */
const DAYS = IS_LONG ? 8 : 2;
const SLUGS = demoDevices({ seed: 0, latitude: 0, longitude: 0 }).map(({ slug }) => slug);

interface Listed {
  readonly devices: readonly {
    readonly id: string;
    readonly slug: string;
    readonly type: string;
    readonly connectivity?: { readonly status: string };
  }[];
}

type Server = ReturnType<typeof useServer>;

/** All but the gateway itself. */
async function list(busbar: Server): Promise<Listed["devices"]> {
  return (await busbar.admin.get<Listed>("/v3/devices?type.in=LUA,STANDALONE&expand=connectivity")).body.devices;
}

/** What is still made of the history, in percent; undefined when it is complete. */
async function historyLeft(busbar: Server): Promise<number | undefined> {
  interface Ready {
    readonly under_way?: readonly { readonly name: string; readonly percent: number }[];
  }
  const { body } = await busbar.anonymous.get<Ready>("/readyz");
  return body.under_way?.find(({ name }) => name === "demo history")?.percent;
}

async function now(busbar: Server, device: string, attribute: string): Promise<unknown> {
  interface Now {
    readonly devices: Readonly<Record<string, Readonly<Record<string, { readonly value: unknown }>>>>;
  }
  const path = `/telemetry/v1/now?devices%5B${device}%5D=${attribute}`;
  return (await busbar.admin.get<Now>(path)).body.devices[device]?.[attribute]?.value;
}

async function execute(busbar: Server, device: string, name: string, given: object = {}) {
  interface Ran {
    readonly execution: {
      readonly state: string;
      readonly response?: { readonly payload: Readonly<Record<string, unknown>> };
    };
  }
  const path = `/v3/devices/${device}/commands/execute`;
  return (await busbar.admin.post<Ran>(path, { name, arguments: given })).body.execution;
}

/** Rows of a day back, one an hour. */
async function hours(busbar: Server, device: string, attribute: string): Promise<number> {
  const to = Math.floor(Date.now() / 1_000);
  const { text } = await busbar.admin.post("/telemetry/v1/timeseries", {
    from: to - 7 * 86_400,
    to,
    granularity: "1h",
    aggregation: "last",
    telemetry: [{ device, attribute }],
  });
  return text.trim().split("\n").length - 1;
}

interface Rules {
  readonly rules: readonly {
    readonly slug: string;
    readonly state: string;
    readonly controller: { readonly id: string; readonly is_changed: boolean } | null;
  }[];
}

describe("a fresh demo", () => {
  const busbar = useServer(["--demo", "--demo-history", `${DAYS}d`, "--commands-response-timeout", "4s"]);

  test("two ready controllers run it from the first minute, and can be opened and turned off", async () => {
    const { rules } = (await busbar.admin.get<Rules>("/v3/site/rule_engine/rules")).body;
    expect(rules.map(({ slug, state, controller }) => [slug, state, controller?.id, controller?.is_changed])).toEqual([
      ["peak-limit", "STARTED", "peak_limit", false],
      ["surplus-charging", "STARTED", "surplus_charging", false],
    ]);
    interface Controls {
      readonly controls: readonly { readonly winner: { readonly class: string } | null }[];
    }
    const kinds = async () => {
      const { controls } = (await busbar.admin.get<Controls>("/v3/devices/wallbox/controls")).body;
      return controls.map(({ winner }) => winner?.class);
    };
    await expect.poll(kinds, { timeout: 60_000 }).toContain("rule");
    await busbar.admin.post("/v3/site/rule_engine/rules/batch_disable", { rule_ids: rules.map(({ slug }) => slug) });
    await expect.poll(kinds, { timeout: 60_000 }).not.toContain("rule");
  });

  test("has six devices of type LUA, and all of them come online", async () => {
    const devices = await list(busbar);
    expect(devices.map(({ slug, type }) => [slug, type])).toEqual(SLUGS.map((slug) => [slug, "LUA"]));
    const statuses = async () => (await list(busbar)).map(({ connectivity }) => connectivity?.status);
    await expect.poll(statuses).toEqual(SLUGS.map(() => "ONLINE"));
  });

  test("has a warning in its grace period", async () => {
    interface Alerts {
      readonly alerts: readonly object[];
    }
    const alerts = async () => (await busbar.admin.get<Alerts>("/v3/devices/battery-rack-a/alerts")).body.alerts;
    await expect.poll(alerts).toMatchObject([{ id: "cell_imbalance", severity: "warning", state: "SOFT" }]);
  });

  test("has a command that fails, and helps with it", async () => {
    const failed = await execute(busbar, "battery-rack-a", "set_battery_power", { power: -3_000 });
    expect(failed).toMatchObject({
      state: "ERROR",
      response: { payload: { message: "the mode is self_consumption; run set_mode with mode=remote first" } },
    });
    expect(await execute(busbar, "battery-rack-a", "set_mode", { mode: "remote" })).toMatchObject({ state: "SUCCESS" });
    // Whatever the hour, one direction is possible.
    const isHalfFull = Number(await now(busbar, "battery-rack-a", "battery_soc")) > 50;
    const power = { power: isHalfFull ? 3_000 : -3_000 };
    expect(await execute(busbar, "battery-rack-a", "set_battery_power", power)).toMatchObject({ state: "SUCCESS" });
    await expect.poll(() => now(busbar, "battery-rack-a", "mode")).toBe("remote");
    await expect.poll(() => now(busbar, "battery-rack-a", "battery_power")).toBe(power.power);
    // Positive is delivered to the site.
    const status = isHalfFull ? "discharging" : "charging";
    await expect.poll(() => now(busbar, "battery-rack-a", "status")).toBe(status);
  });

  test("has a command that times out", async () => {
    expect(await execute(busbar, "wallbox", "unlock")).toMatchObject({ state: "TIMEOUT" });
  });

  test("has a form that is filled from the device", async () => {
    expect(await execute(busbar, "grid-meter", "read_transformer_ratio")).toMatchObject({
      state: "SUCCESS",
      response: { payload: { primary: 200, secondary: 5 } },
    });
  });

  test("has days of history, without a seam to the present", async () => {
    await expect.poll(() => historyLeft(busbar), { interval: 250 }).toBeUndefined();
    for (const [device, attribute] of [
      ["roof-inverter", "ac_power"],
      ["battery-rack-a", "battery_soc"],
      ["wallbox", "status"],
      ["weather-station", "air_temperature"],
    ] as const) {
      expect(await hours(busbar, device, attribute), `${device} ${attribute}`).toBeGreaterThanOrEqual(
        24 * Math.min(DAYS, 7),
      );
    }
  });

  test("goes on after a restart: the same devices, the same mode, no second history", async () => {
    const before = await list(busbar);
    await busbar.restart();
    expect((await list(busbar)).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(await historyLeft(busbar)).toBeUndefined();
    const statuses = async () => (await list(busbar)).map(({ connectivity }) => connectivity?.status);
    await expect.poll(statuses).toEqual(SLUGS.map(() => "ONLINE"));
    expect(await execute(busbar, "battery-rack-a", "read_mode")).toMatchObject({
      response: { payload: { mode: "remote" } },
    });
  });

  test("does not bring back what somebody deleted", async () => {
    expect((await busbar.admin.delete("/v3/devices/wallbox")).status).toBe(200);
    await busbar.restart();
    expect((await list(busbar)).map(({ slug }) => slug)).toEqual(SLUGS.filter((slug) => slug !== "wallbox"));
  });
});

describe("a site with the name of the demo", () => {
  const busbar = useServer(["--mqtt-port", "0"]);

  test("is taken over, and a device of somebody's own keeps its name", async () => {
    const { body } = await busbar.admin.get<{ readonly sites: readonly { readonly id: string }[] }>("/v3/sites");
    const siteId = body.sites[0]?.id ?? "";
    await busbar.admin.patch(`/v3/sites/${siteId}`, { name: "Demo site" });
    for (const name of ["Wallbox", "Cellar pump"]) {
      await busbar.admin.post("/v3/provisioning/standalone", { name, site_id: siteId });
    }
    await busbar.restart(["--demo", "--demo-history", "1d"]);
    const types = (await list(busbar)).map(({ slug, type }) => `${slug} ${type}`);
    const expected = SLUGS.map((slug) => (slug === "wallbox" ? "wallbox-2 LUA" : `${slug} LUA`));
    expect(types.toSorted()).toEqual([...expected, "wallbox STANDALONE", "cellar-pump STANDALONE"].toSorted());
    expect((await busbar.admin.get<{ readonly sites: readonly object[] }>("/v3/sites")).body.sites).toHaveLength(1);
  });
});

describe("a data folder of somebody's own", () => {
  const busbar = useServer([]);

  test("gets the demo as a site of its own", async () => {
    await busbar.restart(["--demo", "--demo-history", "1d"]);
    const { body } = await busbar.admin.get<{ readonly sites: readonly { readonly name: string }[] }>("/v3/sites");
    expect(body.sites.map(({ name }) => name)).toEqual(["My site", "Demo site"]);
    expect((await list(busbar)).map(({ slug }) => slug)).toEqual(SLUGS);
  });
});
