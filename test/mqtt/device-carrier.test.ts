import { afterAll, beforeAll, describe } from "vitest";
import type { DeviceConfiguration } from "#service/ports/carrier.ts";
import { logins, startTestBroker } from "../support/embedded-broker.ts";
import { startTestExternalBroker } from "../support/external-broker.ts";
import { hasMosquitto, type Mosquitto, startMosquitto } from "../support/mosquitto.ts";
import { deviceCarrierContract } from "./device-carrier-contract.ts";
import { externalBrokerSuite } from "./external-broker-suite.ts";

describe("the embedded broker", () => {
  deviceCarrierContract(async () => {
    const configurations = new Map<string, DeviceConfiguration>();
    const configurationOf = async (deviceId: string) => configurations.get(deviceId);
    const broker = await startTestBroker({ messageRate: 100_000 }, { configurationOf });
    return { ...broker, configurations };
  });
});

if (hasMosquitto) {
  describe.each([5, 4] as const)("Mosquitto, spoken to in protocol version %i", (protocolVersion) => {
    let mosquitto: Mosquitto;
    beforeAll(async () => {
      mosquitto = await startMosquitto(logins(3));
    });
    afterAll(() => mosquitto.stop());
    deviceCarrierContract(() => startTestExternalBroker({ protocolVersion }, mosquitto));
  });
  describe("an external broker", externalBrokerSuite);
} else console.log("no /usr/sbin/mosquitto here: the suite against a real external broker does not run");
