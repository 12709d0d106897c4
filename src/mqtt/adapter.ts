// One message from a device, from bytes to the inbox. The same for every broker.
//
// Messages reach the inbox in the order of their arrival. Messages of one execution wait for each other, because the
// next state depends on the one before. All others may share a commit.
import type { ResponseMessage } from "#core/device/device-message.ts";
import { createLanes } from "#core/lanes.ts";
import type { DeviceInbox, SignedIn } from "#service/ports/device-inbox.ts";
import { freeBytes } from "#tuning/free-bytes.ts";
import { type Parsed, parseLog, parseResponse, parseValues } from "./messages.ts";
import { kindOfTopic, ownPart, responseTopic, telemetryTopic } from "./topics.ts";
import { createValuesReader } from "./values-reader.ts";

/** Longest payload that is read. A longer one is reported as malformed. */
export const MAX_PAYLOAD = 256 * 1024;
const TOO_LARGE = `is larger than ${MAX_PAYLOAD / 1024} KiB`;

interface DeviceMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** The carrier says that this message may have been delivered before. */
  readonly repeated: boolean;
}

export interface Adapter {
  /**
   * Resolves when the content of the message is durable, also when nothing in it was usable. The payload is empty as soon
   * as it is read: that of large messages would otherwise lie around until V8 collects it.
   */
  receive(device: SignedIn, message: DeviceMessage): Promise<void>;
  /** The same for the device's own telemetry. Messages that become durable together may get the same promise. */
  telemetry(device: SignedIn, payload: Buffer): Promise<void>;
  /** The same for an answer of the device itself. */
  response(device: SignedIn, payload: Buffer, repeated: boolean): Promise<void>;
}

export function createAdapter(inbox: DeviceInbox): Adapter {
  const inLane = createLanes();
  const readValues = createValuesReader();

  const answered = (deviceId: string, message: ResponseMessage): Promise<void> =>
    inLane(`${deviceId} ${message.executionId}`, () => inbox.response(deviceId, message));

  return {
    response(device, payload, repeated) {
      try {
        const isLarge = payload.length > MAX_PAYLOAD;
        const parsed = isLarge ? { problems: [TOO_LARGE] } : parseResponse(payload, repeated);
        if ("message" in parsed) return answered(device.deviceId, parsed.message);
        return inbox.malformed(device.deviceId, complaint(responseTopic(device), parsed.problems));
      } catch (error) {
        return failed(error);
      }
    },
    telemetry(device, payload) {
      try {
        const parsed = readValues(device, payload);
        if ("message" in parsed) return inbox.telemetry(device.deviceId, parsed.message);
        return inbox.malformed(device.deviceId, complaint(telemetryTopic(device), parsed.problems));
      } catch (error) {
        return failed(error);
      }
    },

    async receive(device, { topic, payload, repeated }) {
      const refuse = (...problems: readonly string[]) => inbox.malformed(device.deviceId, complaint(topic, problems));
      const own = ownPart(device, topic);
      if (own === undefined) return refuse("is not a topic of this device");
      const kind = kindOfTopic(own.rest);
      if (kind === undefined) return refuse("is not a topic that is known");
      if (payload.length > MAX_PAYLOAD) return refuse(TOO_LARGE);
      const handle = <Message>(parsed: Parsed<Message>, take: (message: Message) => Promise<void>): Promise<void> => {
        freeBytes(payload);
        return "message" in parsed ? take(parsed.message) : refuse(...parsed.problems);
      };

      let { deviceId } = device;
      if (own.channelId !== device.channelId) {
        if (kind === "register") {
          return handle(parseValues(payload), (message) => inbox.registerChild(deviceId, own.channelId, message));
        }
        const child = await inbox.child(deviceId, own.channelId);
        if (child === undefined) return refuse("is not a topic of this device or one of its children");
        deviceId = child.deviceId;
        inbox.alive(deviceId);
      }
      switch (kind) {
        case "telemetry":
          return handle(parseValues(payload), (message) => inbox.telemetry(deviceId, message));
        case "register":
        case "properties":
          return handle(parseValues(payload), (message) => inbox.properties(deviceId, message));
        case "log":
          return handle(parseLog(payload), (message) => inbox.log(deviceId, message));
        case "response":
          return handle(parseResponse(payload, repeated), (message) => answered(deviceId, message));
      }
    },
  };
}

async function failed(error: unknown): Promise<never> {
  throw error;
}

function complaint(topic: string, problems: readonly string[]): string {
  return `message on ${JSON.stringify(topic.slice(0, 200))}: ${problems.join("; ")}`;
}
