import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { CanFrame } from "./can-bus.ts";
import { openCanBus, parseCandump, renderFrame } from "./open-can-bus.ts";

const frame = (id: number, ...data: number[]): CanFrame => ({ id, data: Uint8Array.from(data) });

test.each([
  ["(1436509052.249713) can0 213#11A2", frame(0x213, 0x11, 0xa2)],
  ["(1436509052.249713) vcan0 00000213#", frame(0x213)],
  ["(1436509052.249713) can0 1FFFFFFF#0102030405060708", frame(0x1fffffff, 1, 2, 3, 4, 5, 6, 7, 8)],
  ["(1436509052.249713) can0 213#11 R", frame(0x213, 0x11)],
  ["(1436509052.249713) can0 213#R", undefined],
  ["(1436509052.249713) can0 213##112", undefined],
  ["(1436509052.249713) can0 213#1", undefined],
  ["interface = can0", undefined],
  ["", undefined],
])("%s is read as %j", (line, expected) => {
  expect(parseCandump(line)).toEqual(expected);
});

test.each([
  [frame(0x1), "001#"],
  [frame(0x7ff, 0xde, 0xad), "7FF#DEAD"],
  [frame(0x800, 1), "00000800#01"],
])("%j is written as %s", (given, expected) => {
  expect(renderFrame(given)).toBe(expected);
});

/** Programs that stand for those of can-utils: the bus is a file. */
function programs() {
  const folder = mkdtempSync(join(tmpdir(), "busbar-can-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "net", "can0"), { recursive: true });
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const bus = join(folder, "bus");
  writeFileSync(bus, "");
  return {
    candump: write("candump", `[ "$1" = -L ] || exit 2\nexec tail -n +1 -f "${bus}"`),
    cansend: write(
      "cansend",
      `[ "$2" = 7FF#DEAD ] && { echo "write: No buffer space" >&2; exit 1; }\necho "(1.0) $1 $2" >> "${bus}"`,
    ),
    interfaces: join(folder, "net"),
  };
}

test("frames go out and come in through the programs of can-utils", async () => {
  const received: CanFrame[] = [];
  const bus = await openCanBus("can0", programs())({ received: (one) => received.push(one), lost: () => {} });
  onTestFinished(() => bus.close());
  await bus.send(frame(0x213, 1, 2));
  await bus.send(frame(0x18ff50e5, 3));
  await expect.poll(() => received).toEqual([frame(0x213, 1, 2), frame(0x18ff50e5, 3)]);
  await expect(bus.send(frame(0x7ff, 0xde, 0xad))).rejects.toThrow("the frame was not sent: write: No buffer space");
});

test("what is missing is named", async () => {
  const all = programs();
  const listener = { received() {}, lost() {} };
  await expect(openCanBus("can9", all)(listener)).rejects.toThrow("CAN interface can9 is not there");
  await expect(openCanBus("can0", { ...all, candump: "/nowhere/candump" })(listener)).rejects.toThrow(
    "programs of can-utils",
  );
});

test("when candump ends, the bus is lost", async () => {
  const all = programs();
  writeFileSync(all.candump, '#!/bin/sh\necho "read: Network is down" >&2\n');
  const lost = await new Promise<string>((resolve, reject) => {
    openCanBus("can0", all)({ received() {}, lost: resolve }).catch(reject);
  });
  expect(lost).toBe("candump ended: read: Network is down");
});
