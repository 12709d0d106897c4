// A cloud and a gateway in this process, joined over a line that can be cut.
import { afterAll, beforeAll, expect, vi } from "vitest";
import type { Clocks } from "#role/clocks.ts";
import { type CommandSite, makeCommandSite } from "./command-site.ts";
import { type Line, openLine } from "./cut-line.ts";
import { type TestServer, useServer } from "./server.ts";

export interface LinkedPair {
  readonly cloud: TestServer;
  readonly gateway: TestServer;
  /** A site of the gateway, with a blueprint that has commands. */
  readonly site: CommandSite;
  readonly line: Line;
}

/** After a long cut a gateway waits for up to a minute before it tries the line again. */
const LONGEST_MS = 90_000;

/** Waits for what the other side will know in a moment. */
export const eventually = <Result>(look: () => Promise<Result>): Promise<Result> =>
  vi.waitFor(look, { timeout: LONGEST_MS, interval: 50 });

/** `more`: settings of both, as flags. The site and the line exist once the tests run. */
export function useLinkedPair(
  more: readonly string[] = [],
  beforeJoining: (gateway: TestServer, siteId: string) => Promise<void> = async () => {},
  clocks?: Clocks,
): LinkedPair {
  vi.setConfig({ testTimeout: 2 * LONGEST_MS });
  const cloud = useServer(["--role", "cloud", "--mqtt-port", "off", ...more], clocks && { clocks });
  const gateway = useServer(["--mqtt-port", "0", ...more], clocks && { clocks });
  const ends: (() => void)[] = [];
  let site: CommandSite | undefined;
  let line: Line | undefined;
  beforeAll(async () => {
    site = await makeCommandSite(gateway, "linked");
    await beforeJoining(gateway, site.siteId);
    line = await openLine(cloud.url, (end) => ends.push(end));
    const { body } = await cloud.admin.post<{ code: string }>("/v3/gateways/join_codes", { name: "North" });
    const joined = await gateway.admin.post("/v3/uplink", { url: line.url, code: body.code });
    expect(joined.status, joined.text).toBe(200);
    await isLinked(gateway, true);
  });
  afterAll(() => {
    for (const end of ends) end();
  });
  const made = <Thing>(thing: Thing | undefined): Thing => {
    if (thing === undefined) throw new Error("it is made before the first test");
    return thing;
  };
  return {
    cloud,
    gateway,
    get site() {
      return made(site);
    },
    get line() {
      return made(line);
    },
  };
}

/** Waits until the gateway says so. */
export async function isLinked(gateway: TestServer, expected: boolean): Promise<void> {
  await eventually(async () => {
    const { body } = await gateway.admin.get<{ connected: boolean }>("/v3/uplink");
    expect(body.connected).toBe(expected);
  });
}
