// The broker's routing and memory, both empty on purpose. A message from a device goes to the inbox and nowhere else. A
// message to a device is written to its connection or dropped. So no device can reach another, whatever it publishes or
// subscribes to; nothing is retained, and nothing waits in a queue until it is stale.
import { Readable } from "node:stream";

type Done = (error?: Error | null) => void;

/** Replaces aedes' message emitter. */
export const noRouting = {
  on: (_topic: string, _listener: unknown, done?: Done) => void (done && setImmediate(done)),
  removeListener: (_topic: string, _listener: unknown, done?: Done) => void (done && setImmediate(done)),
  emit: (_packet: unknown, done?: Done) => void (done && setImmediate(done)),
  close: (done?: Done) => void (done && setImmediate(done)),
};

const nothing = async (): Promise<void> => {};
const none = async (): Promise<readonly never[]> => [];
const emptyStream = (): Readable => Readable.from([]);

/** Replaces aedes' persistence. */
export const noMemory = {
  // aedes requires an async function here.
  setup: async (): Promise<void> => {},
  destroy: nothing,
  storeRetained: nothing,
  createRetainedStream: emptyStream,
  createRetainedStreamCombi: emptyStream,
  addSubscriptions: nothing,
  removeSubscriptions: nothing,
  cleanSubscriptions: nothing,
  subscriptionsByClient: none,
  subscriptionsByTopic: none,
  countOffline: async () => ({ subsCount: 0, clientsCount: 0 }),
  outgoingEnqueue: nothing,
  outgoingEnqueueCombi: nothing,
  outgoingUpdate: nothing,
  outgoingClearMessageId: nothing,
  outgoingStream: emptyStream,
  // A QoS 2 message is handed to the inbox before it is acknowledged, so there is nothing to look up later.
  incomingStorePacket: nothing,
  incomingGetPacket: async (): Promise<never> => {
    throw new Error("nothing is kept");
  },
  incomingDelPacket: nothing,
  cleanIncoming: nothing,
  putWill: nothing,
  delWill: nothing,
  getWill: nothing,
  streamWill: emptyStream,
  getClientList: emptyStream,
};
