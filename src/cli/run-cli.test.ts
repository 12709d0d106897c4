import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runBusbar, withFolder } from "../../test/support/run-busbar.ts";
import { EXIT } from "./exit-code.ts";

const VERBS = "serve config site device run command execution events blueprint token audit health version".split(" ");

test("help lists every command and what exit codes mean", async () => {
  for (const command of ["", "--help", "help"]) {
    const { code, out, err } = await runBusbar(command);
    expect([code, err]).toEqual([0, ""]);
    for (const verb of VERBS) expect(out).toMatch(new RegExp(`^ {2}${verb} `, "m"));
    expect(out).toContain("Exit codes: 0 done");
  }
});

test.each(VERBS)("%s explains itself", async (verb) => {
  const asked = await runBusbar(`${verb} --help`);
  expect(asked).toMatchObject({ code: 0, err: "" });
  expect(asked.out).toContain(`busbar ${verb}`);
  expect(await runBusbar(`help ${verb}`)).toEqual(asked);
});

/** Every command without subcommands, by the words that run it. */
async function leaves(path: string): Promise<readonly string[]> {
  const { out } = await runBusbar(`${path} --help`);
  const [, listed = ""] = out.split("\nCommands:\n");
  const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name).filter((name) => name !== "help");
  const below = await Promise.all(names.map((name) => leaves(`${path} ${name}`.trim())));
  return names.length === 0 ? [path] : below.flat();
}

test("docs/cli.md names every command and every exit code", async () => {
  const page = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");
  const commands = await leaves("");
  expect(commands.length).toBeGreaterThan(20);
  expect(commands.filter((command) => !page.includes(`| \`busbar ${command}`))).toEqual([]);
  for (const code of Object.values(EXIT)) expect(page).toMatch(new RegExp(`^\\| ${code} \\|`, "m"));
});

test.each<[string, string]>([
  ["sit list", "(Did you mean site?)"],
  ["site lst", "(Did you mean list?)"],
  ["site list --limt 3", "(Did you mean --limit?)"],
  ["site list --limit many", "It must be a whole number."],
  ["site list -o xml", "Allowed choices are table, wide, json, jsonl, csv, yaml."],
  ["site list extra", "too many arguments"],
  ["site", "Usage: busbar site"],
  ["site get", "busbar: which site? give its id"],
  ["site get a --site-id b", 'busbar: two different sites are given: "a" and "b"'],
  ["site get ..", 'busbar: ".." is not the id of a site'],
  ["site update a", "busbar: nothing to change: give --name, --timezone, --location or --no-location"],
  ["site create a --location ,1,2", "has no name"],
  ["site list --url nowhere", 'busbar: "nowhere" is not the address of a server'],
  ["site list --url ftp://host", 'busbar: "ftp://host" is not the address of a server'],
  ["site list --timeout soon", "--timeout must be a duration such as 30s"],
  ["site list --token-file /no/such/file", "busbar: --token-file: cannot read /no/such/file (ENOENT)"],
  ["device create lua x", "busbar: which blueprint? give --blueprint-id or --blueprint-path"],
  ["device create child x", "busbar: which parent device? give its id"],
  ["device create child x --parent-id p", "busbar: what is it to its parent? give --child-type"],
  ["device create standalone x -b b --blueprint-path p", "give --blueprint-id or --blueprint-path, not both"],
  ["device generate-config d --protocol HTTP", "Allowed choices are MQTT, MQTTS."],
  ["run", "busbar: which device? give its id"],
  ["run d", "busbar: which command? busbar command list d shows them"],
  ["run d c --timeout soon", "--timeout must be a duration such as 30s"],
  ["command get d", "busbar: which command?"],
  ["execution list", "busbar: which device? give its id or slug, or a site with --site"],
  ["execution list d --site s", "busbar: give a device or --site, not both"],
  ["execution list d --profile p", "choose among the devices of a --site"],
  ["execution list d --state SUCESS", "did you mean SUCCESS?"],
  ["execution list d --since tomorrow", "--since must be now, -24h"],
  ["device logs d --severity loud", '"loud" is not a severity'],
  ["events --kind weather", '"weather" is not a kind of event'],
  ["token create x", "required option '--level <level>' not specified"],
  ["token create x --level system", "Allowed choices are readonly, user, owner, installer, vendor."],
  ["token revoke t", "Nobody is there to ask: add --yes"],
  ["blueprint upload", "busbar: which blueprint? give its folder, zip or manifest"],
  ["serve --prot 9", "flag --prot: unknown, did you mean --port?"],
  ["config 9", "argument 9: not expected here"],
])("%s is wrong usage: %s", async (command, expected) => {
  const { code, out, err } = await runBusbar(command);
  expect(err).toContain(expected);
  expect([code, out]).toEqual([2, ""]);
});

test("serve starts the service with the configuration of flags, environment and file", async () => {
  await withFolder(async (cwd) => {
    writeFileSync(join(cwd, "busbar.yaml"), "mqtt:\n  port: off\n");
    const serve = vi.fn(() => Promise.resolve());
    const { code } = await runBusbar("serve --demo --port 0", { cwd, env: { BUSBAR_LOG_LEVEL: "warn" }, serve });
    expect(code).toBe(0);
    expect(serve).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ demo: true, port: 0, mqtt: expect.objectContaining({ port: "off" }) }),
      expect.objectContaining({ level: "warn" }),
    );
  });
});

test("serve starts nothing when the configuration is wrong, and says everything that is", async () => {
  const serve = vi.fn(() => Promise.resolve());
  const ran = await runBusbar("serve --port x", { env: { BUSBAR_HOTS: "y" }, serve });
  expect(ran).toEqual({
    code: 2,
    out: "",
    err: [
      "busbar: the configuration has 2 problems:",
      "  environment BUSBAR_HOTS: unknown, did you mean BUSBAR_HOST?",
      '  flag --port: port must be a whole number from 0 to 65535, not "x"',
      "",
    ].join("\n"),
  });
  expect(serve).not.toHaveBeenCalled();
});

test("a fault of the service is reported as a bug, with its stack and without secrets", async () => {
  const serve = () => Promise.reject(new TypeError("no room for bb_0123456789abcdefghij"));
  const { code, err } = await runBusbar("serve", { serve });
  expect(code).toBe(1);
  expect(err).toContain("this is a bug in Busbar");
  expect(err).toContain("TypeError: no room for bb_***\n    at ");
});

test("what the service says to whoever runs it is printed as it is", async () => {
  const serve = () => Promise.reject(new Error("another Busbar already uses this data folder"));
  expect(await runBusbar("serve", { serve })).toEqual({
    code: 1,
    out: "",
    err: "busbar: another Busbar already uses this data folder\n",
  });
});

test("a port that is taken is no bug, and the way out is shown", async () => {
  const taken = Object.assign(new Error("listen EADDRINUSE: address already in use"), {
    code: "EADDRINUSE",
    syscall: "listen",
  });
  const { code, err } = await runBusbar("serve", { serve: () => Promise.reject(taken) });
  expect(code).toBe(1);
  expect(err).toMatch(/^busbar: listen EADDRINUSE: address already in use\n {2}something listens there already/);
});

test("config prints each value and where it came from, without secrets", async () => {
  const env = { BUSBAR_ADMIN_TOKEN: "canary-canary-canary-canary-canary", BUSBAR_PORT: "9000" };
  const { code, out } = await runBusbar("config --log-level=debug --http-header-prefixes X-A,X-B", { env });
  expect(code).toBe(0);
  expect(out).toMatch(/^SETTING +VALUE +FROM$/m);
  expect(out).toMatch(/^port +9000 +environment BUSBAR_PORT$/m);
  expect(out).toMatch(/^log\.level +debug +flag --log-level$/m);
  expect(out).toMatch(/^http\.header_prefixes +X-A,X-B +flag --http-header-prefixes$/m);
  expect(out).toMatch(/^admin\.token +\*\*\* +environment BUSBAR_ADMIN_TOKEN$/m);
  expect(out).toMatch(/^host +127\.0\.0\.1 +default$/m);
  expect(out).not.toContain("canary");
});

test("config -o json is for programs", async () => {
  const { out } = await runBusbar("config -o json --port 1");
  const { settings } = JSON.parse(out);
  expect(settings).toContainEqual({ name: "port", value: 1, origin: "flag --port" });
  expect(settings).toContainEqual({ name: "admin.token", value: null, origin: "not set" });
});

test("version is that of the package, in three spellings", async () => {
  const { out } = await runBusbar("version -o json");
  const { busbar } = JSON.parse(out);
  expect((await runBusbar("--version")).out).toBe(`${busbar}\n`);
  expect((await runBusbar("version")).out).toMatch(`busbar ${busbar} (Node `);
});
