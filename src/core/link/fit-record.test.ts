import { expect, test } from "vitest";
import type { Micros } from "#core/command/execution.ts";
import type { ExecutionChange } from "#core/command/remote-execution.ts";
import { jsonExcess } from "#core/text/json-excess.ts";
import { instant } from "#core/time/instant.ts";
import { fitOutcome, fitRecord } from "./fit-record.ts";
import { MAX_JSON_BYTES, MESSAGE_JSON } from "./link-limits.ts";
import type { LinkedItem } from "./messages.ts";

const MIB = 1024 * 1024;
const AT = instant(1_760_000_000_000);

function execution(payload: Readonly<Record<string, unknown>>): LinkedItem {
  const response = { state: "SUCCEEDED", payload, receivedAt: 1 as Micros } as const;
  const value = { execution: { id: "e", request: { arguments: {} }, response }, responses: [response], since: 0 };
  return { kind: "execution", key: "e", value: value as unknown as ExecutionChange };
}

const properties = (values: readonly unknown[]): LinkedItem => ({
  kind: "properties",
  key: "d",
  value: values.map((value, n) => ({ name: `p${n}`, value, receivedAt: AT })),
});

const LARGE: Readonly<Record<string, readonly [item: LinkedItem, leftOut: string | undefined]>> = {
  "a small execution": [execution({ power: 5 }), undefined],
  "an execution with a response of a megabyte, which its log has too": [
    execution({ text: "a".repeat(MIB) }),
    undefined,
  ],
  "an execution with very many values": [execution({ list: Array(30_000).fill([1]) }), "the payloads of its responses"],
  "an execution with texts of control characters": [
    execution({ text: "\u0001".repeat(0.5 * MIB) }),
    "the payloads of its responses",
  ],
  "an execution with texts of many bytes": [execution({ text: "€".repeat(MIB) }), "the payloads of its responses"],
  "properties of many megabytes": [properties(Array(20).fill("a".repeat(256 * 1024))), "7 properties"],
  "properties of many values": [properties(Array(5).fill(Array(20_000).fill(1))), "4 properties"],
  "a package of a megabyte": [
    { kind: "blueprint", key: "b", value: { digest: "d", content: "a".repeat(1.4 * MIB) } },
    undefined,
  ],
  "an audit entry of many megabytes": [
    { kind: "audit", key: "a", value: { details: { text: "a".repeat(5 * MIB) } } } as unknown as LinkedItem,
    "all of it",
  ],
};

test.each(Object.entries(LARGE))("%s is sent within the limits of a message", (_, [item, leftOut]) => {
  const fitted = fitRecord(item);
  expect(fitted.leftOut).toBe(leftOut);
  const json = JSON.stringify({ type: "records", items: fitted.item === undefined ? [] : [fitted.item] });
  expect(Buffer.byteLength(json)).toBeLessThan(MAX_JSON_BYTES);
  expect(jsonExcess(json, MESSAGE_JSON)).toBeUndefined();
});

test("an outcome loses its answer only when it does not fit with it", () => {
  const small = { state: "DONE", answer: { text: "a" } } as const;
  expect(fitOutcome(small)).toEqual(small);
  expect(fitOutcome({ state: "DONE", answer: { text: "a".repeat(8 * MIB) } })).toEqual({
    state: "DONE",
    answer: undefined,
  });
  const overruled = { state: "OVERRULED", fields: ["name"] } as const;
  expect(fitOutcome(overruled)).toEqual(overruled);
});
