// What is behind the name of a hardware port: a part of the machine, or a simulation. Only the hub opens it.

import type { HardwarePort } from "#core/hardware/hardware-port.ts";
import { NO_LINE_SETTINGS } from "#core/hardware/line-settings.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import { answerPdu } from "#drivers/modbus/answer-pdu.ts";
import type { SimulatedPort } from "#drivers/simulated-ports.ts";
import type { Timers } from "#drivers/timers.ts";
import { type LevelPort, openLevelFile } from "./level-port.ts";
import { openCanBus } from "./open-can-bus.ts";
import { openSerialLine } from "./open-serial-line.ts";
import { SharedCan } from "./shared-can.ts";
import { SharedLine } from "./shared-line.ts";

export interface HubPort {
  readonly what: string;
  /** Ids or slugs of the devices that may use it; empty: every device. */
  readonly devices: readonly string[];
  readonly modbus?: (unit: number, pdu: Uint8Array, timeoutMs: number) => Promise<Uint8Array>;
  readonly line?: SharedLine;
  readonly can?: SharedCan;
  readonly level?: LevelPort;
}

export function openHardwarePort(port: Exclude<HardwarePort, { kind: "simulated" }>, timers: Timers): HubPort {
  const { devices } = port;
  switch (port.kind) {
    case "serial": {
      const line = new SharedLine(openSerialLine(port.path), port.line, timers);
      return { what: "a serial line", devices, line, modbus: line.modbus.bind(line) };
    }
    case "can":
      return { what: "a CAN bus", devices, can: new SharedCan(openCanBus(port.interfaceName), timers) };
    case "file":
      return { what: "a level", devices, level: openLevelFile(port) };
  }
}

/** Serves every use. */
export function openSimulatedPort(port: SimulatedPort, devices: readonly string[], timers: Timers): HubPort {
  const line = new SharedLine(
    async (_settings, listener) => {
      const stop = port.serial.onEmitted(listener.received);
      return { characterMs: 0, write: async (data) => port.serial.send(data), flush: async () => {}, close: stop };
    },
    NO_LINE_SETTINGS,
    timers,
  );
  const can = new SharedCan(async (listener) => {
    const stop = port.can.onEmitted(listener.received);
    return { repeatsOwn: false, send: async (frame) => port.can.send(frame), close: stop };
  }, timers);
  const level: LevelPort = {
    read: async (quantity) => port.levels.get(quantity),
    write: async (quantity, value) => port.levels.write(quantity, value),
  };
  return { what: "a simulated port", devices, line, can, level, modbus: simulatedUnits(port, timers) };
}

/** Unit 0 is a broadcast and nobody answers; a missing unit does not answer either. */
function simulatedUnits(port: SimulatedPort, timers: Timers): NonNullable<HubPort["modbus"]> {
  return (unit, pdu, timeoutMs) =>
    new Promise((resolve, reject) => {
      const bank = port.units.get(unit);
      if (unit === 0) {
        for (const each of port.units.values()) answerPdu(each, pdu);
        resolve(pdu.slice(0, 5));
      } else if (bank !== undefined) resolve(answerPdu(bank, pdu));
      else
        timers.after(timeoutMs, () =>
          reject(new ConnectionError("timeout", `no answer from unit ${unit} within ${timeoutMs} ms`)),
        );
    });
}
