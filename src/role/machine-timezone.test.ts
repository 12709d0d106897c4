import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isTimezone } from "#core/site/timezone.ts";
import { firstKnown } from "./machine-timezone.ts";

test.each([
  ["Europe/Berlin", undefined, "Europe/Berlin"],
  [undefined, ":/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"],
  [undefined, "/usr/share/zoneinfo/posix/America/Argentina/Ushuaia", "America/Argentina/Ushuaia"],
  ["Etc/Unknown", ":Asia/Tokyo", "Asia/Tokyo"],
])("what Node calls %j with TZ=%s is %s", (named, setting, expected) => {
  expect(firstKnown(named, setting)).toBe(expected);
});

/** Node reads TZ when it starts. */
function ofProcess(zone: string): string {
  const module = JSON.stringify(fileURLToPath(new URL("machine-timezone.ts", import.meta.url)));
  const program = `import { machineTimezone } from ${module}; console.log(machineTimezone() ?? "none");`;
  const env = { ...process.env, TZ: zone };
  return execFileSync(process.execPath, ["--input-type=module", "-e", program], { env, encoding: "utf8" }).trim();
}

test("whatever TZ holds, the result is a time zone that Busbar knows, or none", () => {
  expect(ofProcess("Australia/Adelaide")).toBe("Australia/Adelaide");
  for (const zone of ["Mars/Phobos", "", ":/etc/localtime", "/nowhere", "CET-1CEST"]) {
    const found = ofProcess(zone);
    expect(found === "none" || isTimezone(found), `${zone} gives ${found}`).toBe(true);
  }
});
