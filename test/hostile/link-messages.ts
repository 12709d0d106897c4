// Messages of links that no honest side sends, and honest ones that are as expensive as the limits allow.
import { randomUUID } from "node:crypto";
import { LINK_PROTOCOL } from "#core/link/messages.ts";
import { createPointsPacker } from "#core/link/pack-points.ts";
import { instant } from "#core/time/instant.ts";
import { packedJson } from "./raw-link.ts";

const MIB = 1024 * 1024;
const AT = 1_760_000_000_000;
const many = (count: number, piece: string) => Array(count).fill(piece).join(",");

/** Each of them ends the connection. */
export const BOMBS: readonly Uint8Array[] = [
  packedJson(`{"type":"zz","x":[${many(10 * MIB, "{}")}]}`),
  packedJson(`{"type":"zz","x":[${many(MIB, "{}")}]}`),
  packedJson(`{"type":"zz","x":[${many(MIB, "1")}]}`),
  packedJson(" ".repeat(64 * MIB)),
];

export const NESTED: readonly Uint8Array[] = [
  packedJson("[".repeat(2 * MIB)),
  packedJson("[".repeat(2 * MIB) + "]".repeat(2 * MIB - 8)),
  packedJson('{"a":'.repeat(700_000)),
];

/** Just below the limit of values, and of no known type. */
export const FULL = packedJson(`{"type":"zz","x":[${many(49_000, "{}")}]}`);

export const HELLO = packedJson(
  JSON.stringify({ type: "hello", protocol: LINK_PROTOCOL, version: "1", epoch: randomUUID() }),
);
export const WELCOME = packedJson(
  JSON.stringify({
    type: "welcome",
    protocol: LINK_PROTOCOL,
    version: "1",
    epoch: "e",
    taken: 0,
    unpacks: true,
    refused: [],
  }),
);

const TIMES = { createdAt: AT, updatedAt: AT };
export const siteRecord = (id: string, more: object = {}) => ({
  kind: "site",
  key: id,
  value: { id, name: "Site", timezone: "UTC", ...TIMES, ...more },
});
export const deviceRecord = (id: string, siteId: string, more: object = {}) => ({
  kind: "device",
  key: id,
  value: { id, siteId, name: "Device", slug: `d-${id.slice(0, 13)}`, type: "STANDALONE", ...TIMES, ...more },
});

export function records(to: number, items: readonly object[], isWhole = false): Uint8Array {
  return packedJson(JSON.stringify({ type: "records", to, isWhole, isLast: true, items }));
}

/** What cannot be made over HTTP. */
export function badRecords(siteId: string): readonly object[] {
  return [
    siteRecord(randomUUID(), { name: "n".repeat(MIB) }),
    siteRecord(randomUUID(), { timezone: "Mars/Phobos" }),
    siteRecord("../../x?y#"),
    siteRecord(""),
    siteRecord("i".repeat(100_000)),
    deviceRecord(randomUUID(), siteId, { name: "n".repeat(MIB) }),
    deviceRecord(randomUUID(), siteId, { slug: "a/b c" }),
    deviceRecord("constructor", siteId),
    deviceRecord(randomUUID(), siteId, { type: 7 }),
    { kind: "nothing", key: "k", value: null },
    { kind: "device", key: randomUUID(), value: [] },
    ...Array.from({ length: 50 }, () => deviceRecord(randomUUID(), siteId)),
  ];
}

/** Points of the device; the attributes are new ones in each message. */
export function endlessPoints(deviceId: string): () => Uint8Array {
  const packer = createPointsPacker();
  let number = 0;
  return () => {
    number++;
    const messages = Array.from({ length: 20 }, (_, at) => ({
      deviceId,
      at: instant(Date.now() + at),
      values: new Map(Array.from({ length: 50 }, (__, n) => [`${number % 500} ${n}`, Math.random()])),
    }));
    return Buffer.concat([Buffer.of(3), varint(number), packer.pack(messages)]);
  };
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
