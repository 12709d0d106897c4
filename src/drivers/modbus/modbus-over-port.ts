import type { ModbusConnection } from "#drivers/modbus/modbus-connection.ts";
import type { PortSession } from "#drivers/port/port-request.ts";

/** Modbus RTU over a hardware port, with the same interface as Modbus TCP. */
export function modbusOverPort(ports: PortSession, port: string): ModbusConnection {
  return {
    async request(unit, pdu, timeoutMs) {
      const answer = await ports.call(port, { op: "modbus", unit, pdu, timeoutMs });
      if (answer instanceof Uint8Array) return answer;
      throw new TypeError("a port answered a Modbus request with something else");
    },
    close() {},
  };
}
