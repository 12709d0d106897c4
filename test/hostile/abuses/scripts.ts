// Lua scripts of the abuser's devices. They run inside the server, so stopping means deleting the devices.
import type { Abuse, World } from "../abuse.ts";
import { luaPackage } from "../manifest.ts";

/** Devices that all run this script. */
function running(count: number, script: (world: World) => string): Abuse["start"] {
  return async (world) => {
    const blueprintId = await world.upload(luaPackage(script(world)));
    const body = { name: "Script", site_id: world.siteId, blueprint_id: blueprintId };
    const ids = await Promise.all(
      Array.from({ length: count }, () =>
        world
          .ask<{ device_id: string }>("owner", "POST", "/v3/provisioning/lua_device", body)
          .then(({ device_id: id }) => id),
      ),
    );
    world.count("scripts");
    return async () => {
      await Promise.all(ids.map((id) => world.call("owner", "DELETE", `/v3/devices/${id}`)));
    };
  };
}

export const SCRIPT_ABUSES: readonly Abuse[] = [
  { name: "a script that never pauses", who: "script", start: running(4, () => "while true do end") },
  {
    name: "scripts that compute in every turn",
    who: "script",
    start: running(8, () => "scheduler.add(1, function() for i = 1, 1e6 do end end)"),
  },
  {
    name: "scripts that take all memory they can get",
    who: "script",
    start: running(16, () => 'local t = {} scheduler.add(1, function() t[#t + 1] = string.rep("m", 200000 + #t) end)'),
  },
  {
    name: "scripts that hold much memory and do nothing",
    who: "script",
    start: running(40, () => "held = {} for i = 1, 120 do held[i] = string.rep(tostring(i % 10), 100000) end"),
  },
  {
    name: "scripts that log without end",
    who: "script",
    start: running(
      4,
      () => 'local t = string.rep("l", 60000) scheduler.add(1, function() enapter.log(t, "info", true) end)',
    ),
  },
  {
    name: "scripts that send telemetry without end",
    who: "script",
    start: running(
      8,
      () =>
        "local n = 0 scheduler.add(1, function() n = n + 1 enapter.send_telemetry({ counter = n, power = n / 3 }) end)",
    ),
  },
  {
    name: "scripts with more jobs than they may have",
    who: "script",
    start: running(4, () => "for i = 1, 100000 do scheduler.add(1, function() end) end"),
  },
  {
    name: "scripts that write their storage without end",
    who: "script",
    start: running(
      8,
      () =>
        'local n = 0 scheduler.add(1, function() n = n + 1 storage.write("k" .. n % 900, string.rep("s", 1000)) end)',
    ),
  },
  {
    name: "scripts that call a server that never answers",
    who: "script",
    start: running(
      16,
      ({ silentUrl }) => `scheduler.add(1, function() http.client({ timeout = 5 }):get("${silentUrl}/") end)`,
    ),
  },
  {
    name: "scripts that read large documents without a pause",
    who: "script",
    start: running(
      8,
      () => `local s = "[" .. string.rep('{"a":1,"b":"x"},', 65000) .. "0]"
        scheduler.add(1, function() while true do pcall(json.decode, s) end end)`,
    ),
  },
  {
    name: "scripts that search texts without a pause",
    who: "script",
    start: running(
      8,
      () => `local s = string.rep("some words ", 95000)
        scheduler.add(1, function() while true do pcall(string.find, s, "[%d%u]x") s:gsub("%w+", string.upper) end end)`,
    ),
  },
  {
    name: "scripts whose patterns never end",
    who: "script",
    start: running(8, () => 'scheduler.add(1, function() string.rep("a", 30000):find(".-.-.-b") end)'),
  },
  {
    name: "scripts that open wrong register maps without end",
    who: "script",
    start: running(
      8,
      () => `local rows, n = { "telemetry:" }, 0
        for i = 2, 1800 do rows[i] = string.format("  r%d: { adress: %d, type: int }", i, i) end
        local map = table.concat(rows, "\\n")
        scheduler.add(1, function() n = n + 1 modbus.map(map .. "\\n# " .. n) end)`,
    ),
  },
  {
    name: "scripts that keep as many register maps as they may",
    who: "script",
    start: running(
      24,
      () => `local rows = { "connection: tcp://127.0.0.1:1", "telemetry:" }
        for i = 1, 1000 do rows[i + 2] = string.format("  r%d: { address: %d, scale: 0.1 }", i, i) end
        local map, maps = table.concat(rows, "\\n"), {}
        for i = 1, 16 do maps[i] = assert(modbus.map(map .. "\\n# " .. i)) end`,
    ),
  },
  {
    name: "scripts that fail again and again",
    who: "script",
    start: running(16, () => 'scheduler.add(1, function() error(string.rep("x", 10000)) end)'),
  },
];
