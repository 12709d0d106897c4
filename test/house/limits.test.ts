// The tables of byte budgets and fair shares, compared with what a running Busbar shows.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { useServer } from "../support/server.ts";

// With a broker, so that its buffers are there too.
const busbar = useServer(["--mqtt-port", "0"]);

const UNITS = { B: 1, KiB: 1_024, MiB: 1_048_576, GiB: 1_073_741_824 };

function bytesOf(text: string): number {
  const [, digits = "", unit = ""] = /^([\d,.]+) (\w+)$/.exec(text) ?? [];
  return Number(digits.replaceAll(",", "")) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN);
}

test("docs/limits.md lists every byte budget with its limit, and no other", async () => {
  const page = readFileSync(new URL("../../docs/limits.md", import.meta.url), "utf8");
  const [, table = ""] = page.split("## Byte budgets");
  const documented = [...table.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)].map(([, name, limit = ""]) => [
    name,
    bytesOf(limit.trim()),
  ]);
  const { text } = await busbar.anonymous.get("/metrics");
  const shown = [...text.matchAll(/^busbar_buffer_limit_bytes\{buffer="(\w+)"\} (\S+)$/gm)].map(([, name, limit]) => [
    name,
    Number(limit),
  ]);
  expect(documented.sort()).toEqual(shown.sort());
});

test("docs/limits.md lists every fair share, and no other", async () => {
  const page = readFileSync(new URL("../../docs/limits.md", import.meta.url), "utf8");
  const table = page.split("## Fair shares")[1]?.split("## Byte budgets")[0] ?? "";
  const documented = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  const { text } = await busbar.anonymous.get("/metrics");
  const shown = [...text.matchAll(/^busbar_share_waiting\{share="(\w+)"\} \d+$/gm)].map(([, name]) => name);
  expect(documented.sort()).toEqual(shown.sort());
});
