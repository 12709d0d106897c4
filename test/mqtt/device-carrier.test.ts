import { describe } from "vitest";
import type { DeviceConfiguration } from "#service/ports.ts";
import { startTestBroker } from "../support/embedded-broker.ts";
import { hasMosquitto } from "../support/mosquitto.ts";
import { startTestOutsideBroker } from "../support/outside-broker.ts";
import { deviceCarrierContract } from "./device-carrier-contract.ts";

describe("the embedded broker", () => {
  deviceCarrierContract(async () => {
    const configurations = new Map<string, DeviceConfiguration>();
    const configurationOf = async (deviceId: string) => configurations.get(deviceId);
    const broker = await startTestBroker({ messageRate: 100_000 }, { configurationOf });
    return { ...broker, configurations };
  });
});

if (hasMosquitto) {
  describe("Mosquitto, spoken to in MQTT 5", () => {
    deviceCarrierContract(() => startTestOutsideBroker({ protocolVersion: 5 }));
  });
  describe("Mosquitto, spoken to in MQTT 3.1.1", () => {
    deviceCarrierContract(() => startTestOutsideBroker({ protocolVersion: 4 }));
  });
} else console.log("no /usr/sbin/mosquitto here: the suite against a real outside broker does not run");
