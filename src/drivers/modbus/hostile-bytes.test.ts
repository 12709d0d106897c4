// Whatever a peer sends: an answer that is right, or an error in time. Never an exception, a hang or a wrong number.
import { type AddressInfo, createServer } from "node:net";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { ConnectionError } from "#drivers/connection-error.ts";
import { answerPdu, createRegisterBank } from "#drivers/modbus/answer-pdu.ts";
import { createReach } from "#drivers/net/create-reach.ts";
import { findAnswer } from "#drivers/port/rtu.ts";
import { realTimers } from "#drivers/timers.ts";
import { reachRules } from "../../../test/support/drivers.ts";
import { crc16 } from "./crc16.ts";
import { createModbusTcp } from "./modbus-tcp.ts";
import { readAnswer, readRequest } from "./pdu.ts";

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });

test("a read answer of any bytes is numbers or a ConnectionError", () => {
  fc.assert(
    fc.property(
      bytes(260),
      fc.constantFrom("coils", "holdings"),
      fc.integer({ min: 1, max: 125 }),
      (pdu, table, count) => {
        try {
          const numbers = readAnswer(table, count, pdu);
          expect(numbers).toHaveLength(count);
          expect(numbers.every((value) => value >= 0 && value <= (table === "coils" ? 1 : 65_535))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(ConnectionError);
        }
      },
    ),
  );
});

test("any request to registers has an answer to its function, and changes nothing that is not there", () => {
  fc.assert(
    fc.property(bytes(260), (pdu) => {
      const bank = createRegisterBank();
      bank.holdings.set(0, 1);
      const answer = answerPdu(bank, pdu);
      expect((answer[0] ?? 0) & 0x7f).toBe((pdu[0] ?? 0) & 0x7f);
      expect([...bank.holdings.keys(), ...bank.coils.keys()]).toEqual([0]);
    }),
  );
});

test("what is found on a serial line has a right checksum", () => {
  fc.assert(
    fc.property(bytes(300), fc.integer({ min: 1, max: 3 }), fc.constantFrom(1, 3, 6, 16), (received, unit, code) => {
      const found = findAnswer(received, unit, code);
      if (found === undefined) return;
      const frame = Uint8Array.of(unit, ...found);
      const crc = crc16(frame);
      expect(Buffer.from(received).includes(Buffer.from([...frame, crc & 0xff, crc >> 8]))).toBe(true);
    }),
  );
});

test("a server that answers with any bytes is survived, and heard again when it speaks Modbus", async () => {
  let answer = (_: Buffer): Uint8Array => new Uint8Array();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (request) => socket.write(answer(request)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const wire = createModbusTcp(
    { reach: createReach({ rules: () => reachRules("127.0.0.1") }), timers: realTimers },
    "127.0.0.1",
    port,
  );
  onTestFinished(() => wire.close());
  const read = async (timeoutMs: number) =>
    readAnswer("holdings", 1, await wire.request(1, readRequest("holdings", 0, 1), timeoutMs));
  await fc.assert(
    fc.asyncProperty(bytes(600), fc.boolean(), async (garbage, isAddressed) => {
      answer = (request) => (isAddressed ? Uint8Array.of(...request.subarray(0, 4), ...garbage) : garbage);
      const outcome = await read(10).catch((error: unknown) => error);
      if (!Array.isArray(outcome)) expect(outcome).toBeInstanceOf(ConnectionError);
    }),
    { numRuns: 60 },
  );
  answer = (request) => Uint8Array.of(...request.subarray(0, 4), 0, 5, 1, 3, 2, 0, 42);
  await expect.poll(async () => await read(1000).catch(() => undefined)).toEqual([42]);
});
