// What travels over a link, by version of its protocol. test/link/frames has a record of each version of the
// present major one: a change of what travels needs another number, because the other side may run another version.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LINK_PROTOCOL } from "#core/link/messages.ts";
import { parseDownMessage, parseUpMessage } from "#core/link/parse-message.ts";
import { requireProtocol } from "#core/link/protocol.ts";
import { createLinkChannel } from "#service/link/link-channel.ts";
import { PLAIN_INTAKE } from "../support/plain-intake.ts";
import { DOWN, UP } from "./frames/samples.ts";

const fileOf = (protocol: string) => new URL(`./frames/${protocol}.txt`, import.meta.url);
const TEXT = 0;

/** A line for each sample: where it goes, its type, and the bytes after the number, as text if they are JSON. */
async function lines(
  direction: "up" | "down",
  samples: Readonly<Record<string, readonly object[]>>,
): Promise<string[]> {
  const found: string[] = [];
  for (const [type, messages] of Object.entries(samples)) {
    for (const message of messages) {
      const frames: Uint8Array[] = [];
      const socket = { frames: nothing(), close: () => {}, send: async (frame: Uint8Array) => void frames.push(frame) };
      await createLinkChannel(socket, { parse: () => undefined, nonce: 1, intake: PLAIN_INTAKE }).send(message);
      const bytes = Buffer.concat(frames).subarray(5);
      found.push(`${direction} ${type} ${bytes[0] === TEXT ? bytes.subarray(1).toString() : bytes.toString("hex")}`);
    }
  }
  return found;
}

async function* nothing(): AsyncIterable<Uint8Array> {}

/** Sends a recorded line, and gives what the other side reads. */
async function read(line: string): Promise<object> {
  const [direction, , ...rest] = line.split(" ");
  const body = rest.join(" ");
  const bytes = body.startsWith("{") ? Buffer.concat([Buffer.of(TEXT), Buffer.from(body)]) : Buffer.from(body, "hex");
  const frame = Buffer.concat([Buffer.alloc(5), bytes]);
  const socket = { frames: [frame] as never as AsyncIterable<Uint8Array>, close: () => {}, send: async () => {} };
  const parse = direction === "up" ? parseUpMessage : parseDownMessage;
  for await (const message of createLinkChannel<object, object>(socket, { parse, nonce: 1, intake: PLAIN_INTAKE })
    .messages)
    return message;
  throw new Error("nothing came");
}

test("what travels is as it was recorded for this version of the protocol", async () => {
  const file = fileOf(LINK_PROTOCOL);
  const now = [...(await lines("up", UP)), ...(await lines("down", DOWN))];
  // A record is made once. Whoever changes it afterwards breaks the link to programs that are out there.
  if (process.env["RECORD_FRAMES"] === "1" && !existsSync(file)) writeFileSync(file, `${now.join("\n")}\n`);
  const recorded = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(
    now,
    "What travels has changed. Raise LINK_PROTOCOL, record it with RECORD_FRAMES=1, and see that the recorded versions are understood.",
  ).toEqual(recorded);
});

const RECORDED = readdirSync(new URL("./frames/", import.meta.url)).filter((name) => name.endsWith(".txt"));

test.each(RECORDED)("messages of %s are understood, with all their fields", async (name) => {
  const recorded = readFileSync(new URL(`./frames/${name}`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  expect(recorded.length).toBeGreaterThan(20);
  for (const line of recorded) {
    const message = await read(line);
    if (line.includes("{")) expect(message).toMatchObject(JSON.parse(line.slice(line.indexOf("{"))));
  }
});

test("fields that a later version adds are passed over", async () => {
  expect(await read('up want {"type":"want","digest":"d","added":1}')).toEqual({ type: "want", digest: "d" });
});

const [major = 0, minor = 0] = LINK_PROTOCOL.split(".").map(Number);

test.each([0, 1, 7])("a side whose second number is higher by %i is understood", (more) => {
  requireProtocol({ protocol: `${major}.${minor + more}`, version: "9" });
});

test.each([
  [`${major + 1}.${minor}`, "update this side"],
  [`${major - 1}.${minor}`, "update the other side"],
  ["hello", "update the other side"],
])("a side that speaks %s is refused, and learns who has to be updated", (protocol, advice) => {
  expect(() => requireProtocol({ protocol, version: "9.9.9" })).toThrow(advice);
  expect(() => requireProtocol({ protocol, version: "9.9.9" })).toThrow(`Busbar 9.9.9 and speaks version ${protocol}`);
});
