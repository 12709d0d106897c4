// The register of the host (src/core/lua/host) against what a real script finds around it: nothing is missing in it, and
// nothing is in it that a script does not find.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { HostTable } from "#core/lua/host/create-host-api.ts";
import { ALL_DRIVERS } from "#drivers/all-drivers.ts";
import { findModule } from "#drivers/find-module.ts";
import { hostApi } from "#drivers/host-api.ts";
import { startDrivers } from "../support/drivers.ts";
import { startModbusServer } from "../support/modbus-server.ts";
import { playSunSpec } from "../support/sunspec-server.ts";
import { virtualScript } from "../support/virtual-script.ts";

/** `name: key:type key:type` lines, of each table and of each kind of object. */
const DUMP = `
local function show(name, t)
  local keys = {}
  for key, value in pairs(t) do
    if type(key) == 'string' and key:sub(1, 2) ~= '__' then keys[#keys + 1] = key .. '=' .. type(value) end
  end
  table.sort(keys)
  enapter.log(name .. ': ' .. table.concat(keys, ' '))
end
local function show_object(name, object, err)
  assert(object, err)
  local all = {}
  for key, value in pairs(getmetatable(object).__index) do all[key] = value end
  for key, value in pairs(object) do all[key] = value end
  show(name, all)
end
local host = {}
for name, value in pairs(_G) do host[name] = value end
show('globals', host)
for name, value in pairs(host) do
  if type(value) == 'table' and name ~= '_G' then show(name, value) end
end
`;

const OBJECTS = `
${ALL_DRIVERS.map(({ name }) => readFileSync(new URL(`../../src/drivers/${name}/objects.lua`, import.meta.url), "utf8")).join("\n")}
local child = assert(enapter.register_child('one'))
show('enapter.Child', child)
show('enapter.ChildConfiguration', child.configuration)
show('os.Date', os.date('*t'))
enapter.register_command_handler('look', function(ctx) show('enapter.CommandContext', ctx) enapter.log('the end') end)
enapter.log('ready')
`;

const V1_OBJECTS = `
show('modbustcp.Client', modbustcp.new('127.0.0.1:1'))
show('ucm.Peer', ucm.new('x'))
enapter.log('the end')
`;

async function dump(script: string, prelude = ""): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "Set-Cookie": "a=b; Expires=Wed, 09 Jun 2100 10:18:14 GMT" });
    response.end("x");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { drivers } = startDrivers("127.0.0.1");
  const modbus = await startModbusServer();
  playSunSpec(modbus.unit(1), 0, [{ id: 1, values: {} }]);
  const peer = `local MODBUS = 'tcp://127.0.0.1:${modbus.port}'\n`;
  const url = `local URL = 'http://127.0.0.1:${(server.address() as AddressInfo).port}/'\n`;
  let woken = Promise.withResolvers<void>();
  const host = { drivers, wake: () => woken.resolve(), registerChild: async () => undefined };
  const { script: running, output } = virtualScript(`${prelude}${DUMP}${url}${peer}${script}`, { host });
  let isAsked = false;
  while (!output.some((line) => line.endsWith("the end"))) {
    const outcome = running.run(50);
    expect(output.filter((line) => line.includes("fault:"))).toEqual([]);
    if (!isAsked && output.some((line) => line.endsWith("ready"))) {
      isAsked = true;
      running.command({ id: "c1", name: "look", arguments: {} });
    } else if (outcome === "waiting") {
      await woken.promise;
      woken = Promise.withResolvers<void>();
    }
  }
  running.close();
  const tables = output.flatMap((line) => [...line.matchAll(/info: ([\w.]+): (.*)$/g)]);
  return new Map(
    tables.map(([, name = "", keys = ""]) => [
      name,
      new Map(keys.split(" ").map((one) => one.split("=") as [string, string])),
    ]),
  );
}

/** `name=type` of all that a script must find, and `name?` of what may be there or not. */
function registered({ members }: Pick<HostTable, "members">): readonly string[] {
  return [...members]
    .filter(([, member]) => member.kind === "function" || !member.type.endsWith("?"))
    .map(([name, member]) => (member.kind === "function" ? `${name}=function` : name));
}

function compare(found: ReadonlyMap<string, ReadonlyMap<string, string>>, version: "v3" | "v1"): void {
  const api = hostApi(version);
  for (const [name, keys] of found) {
    const global = api.globals.get(name);
    const type = global?.kind === "value" ? global.type : name;
    const members = name === "globals" ? api.globals : api.tables.get(type)?.members;
    expect(members, `the register lacks ${name}`).toBeDefined();
    if (members === undefined) continue;
    const missing = [...keys.keys()].filter((key) => !members.has(key));
    expect(missing, `the register lacks fields of ${name}`).toEqual([]);
    const extra = registered({ members }).filter((one) => {
      const [key = "", type] = one.split("=");
      return !keys.has(key) || (type !== undefined && keys.get(key) !== type);
    });
    expect(extra, `the register has more than ${name}`).toEqual([]);
  }
}

test("the host of device/3.0 is as the register says, objects included", async () => {
  const found = await dump(OBJECTS);
  compare(found, "v3");
  const { tables, globals } = hostApi("v3");
  // Everything with functions was looked at.
  const withFunctions = [...tables.values()].filter(({ members }) =>
    [...members.values()].some(({ kind }) => kind === "function"),
  );
  expect(withFunctions.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
  expect([...globals.keys()].filter((name) => tables.has(name) && !found.has(name))).toEqual([]);
});

test("the host of device/1.0 is as the register says", async () => {
  const found = await dump(V1_OBJECTS, "require('busbar.v1')\n");
  compare(found, "v1");
  const { tables, globals } = hostApi("v1");
  expect([...globals.keys()].filter((name) => tables.has(name) && !found.has(name))).toEqual([]);
});

test("a table of the host can be required by its name, and nothing else is found that way", () => {
  const { globals, tables } = hostApi("v3");
  const program = { entry: "main.lua", modules: new Set<string>() };
  const names = [...globals].filter(([, member]) => member.kind === "value" && tables.has(member.type));
  for (const [name] of names) {
    if (name === "package") continue;
    expect(findModule(program, name, "")).toEqual({ library: name });
  }
});

test("each sentence of the register is one", () => {
  for (const version of ["v3", "v1"] as const) {
    for (const { name, about, members } of hostApi(version).tables.values()) {
      expect(about, name).toMatch(/^[A-Z].*\.$/s);
      for (const [key, member] of members) {
        if (member.about !== "") expect(member.about, `${name}.${key}`).toMatch(/^[A-Z0-9`].*[.]$/);
      }
    }
  }
});
