// Runs a script in this process with real drivers, until it says that it is done.
import type { startDrivers } from "./drivers.ts";
import { virtualScript } from "./virtual-script.ts";

const DONE = "the end of the script";

/** What the script has logged; each returned value of `body` is logged too, as text. */
export async function runDriven(
  { drivers }: Pick<ReturnType<typeof startDrivers>, "drivers">,
  body: string,
): Promise<readonly string[]> {
  let woken = Promise.withResolvers<void>();
  const code = `local function show(v)
  if type(v) == 'table' then
    local parts = {}
    for k, item in pairs(v) do table.insert(parts, (type(k) == 'number' and '' or k .. '=') .. show(item)) end
    table.sort(parts)
    return '{' .. table.concat(parts, ', ') .. '}'
  end
  return tostring(v)
end
local results = table.pack(pcall(function()
${body}
end))
for at = results[1] and 2 or 1, results.n do enapter.log(show(results[at])) end
enapter.log('${DONE}')`;
  const { script, output } = virtualScript(code, { host: { drivers, wake: () => woken.resolve() } });
  while (!output.some((line) => line.endsWith(DONE))) {
    const outcome = script.run(50);
    if (outcome === "dead") return output;
    if (outcome !== "waiting") continue;
    await woken.promise;
    woken = Promise.withResolvers<void>();
  }
  return output.map((line) => line.replace(/^0 info: /, "")).filter((line) => line !== DONE);
}
