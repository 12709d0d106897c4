// Many gateways in one process that speak the real protocol: each has joined, has sent its site and two devices, and then
// says nothing more.
import { UNSET_FIELDS } from "#core/device/device.ts";
import { LINK_PROTOCOL, type LinkedItem, type UpMessage } from "#core/link/messages.ts";
import { parseDownMessage } from "#core/link/parse-message.ts";
import { createDial } from "#outbound/link/dial.ts";
import { createLinkChannel } from "#service/link/link-channel.ts";
import { PLAIN_INTAKE } from "../../test/support/plain-intake.ts";
import type { Gateway } from "../commands/gateway.ts";

const AT_ONCE = 25;
const AT = 1_760_000_000_000;

/** Resolves when the cloud has confirmed what each of them has sent. */
export async function connectGateways(cloud: Gateway, first: number, count: number): Promise<{ close(): void }> {
  const sockets: { close(reason: string): void }[] = [];
  for (let at = 0; at < count; at += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, n) => first + at + n);
    sockets.push(...(await Promise.all(numbers.map((number) => connectOne(cloud, number)))));
  }
  return {
    close() {
      for (const socket of sockets) socket.close("the benchmark ends");
    },
  };
}

async function connectOne(cloud: Gateway, number: number): Promise<{ close(reason: string): void }> {
  const { code } = JSON.parse(await cloud.call("/v3/gateways/join_codes", { name: `Gateway ${number}` })) as {
    code: string;
  };
  const joined = await cloud.call("/v3/gateways/join", { code, name: "gateway", version: "1.0.0" });
  const { credential } = JSON.parse(joined) as { credential: string };
  const socket = await createDial(() => true).openLinkSocket(cloud.url, credential, new AbortController().signal);
  const channel = createLinkChannel<UpMessage, ReturnType<typeof parseDownMessage>>(socket, {
    parse: parseDownMessage,
    nonce: number,
    intake: PLAIN_INTAKE,
  });
  const confirmed = Promise.withResolvers<void>();
  const listen = async () => {
    for await (const message of channel.messages) {
      if (message.type === "welcome") {
        await channel.send({ type: "records", to: 1, isWhole: true, isLast: true, items: itemsOf(number) });
      } else if (message.type === "ack") confirmed.resolve();
    }
    confirmed.reject(new Error(`the cloud has ended the connection of gateway ${number}`));
  };
  listen().catch(confirmed.reject);
  await channel.send({ type: "hello", protocol: LINK_PROTOCOL, version: "1.0.0", epoch: `epoch ${number}` });
  await confirmed.promise;
  return socket;
}

function itemsOf(number: number): readonly LinkedItem[] {
  const id = (kind: number) => `00000000-0000-7${kind}00-8000-${number.toString(16).padStart(12, "0")}`;
  const times = { createdAt: AT, updatedAt: AT } as never as { createdAt: never; updatedAt: never };
  const device = (kind: number, type: "GATEWAY" | "STANDALONE"): LinkedItem => ({
    kind: "device",
    key: id(kind),
    value: {
      ...UNSET_FIELDS,
      id: id(kind),
      siteId: id(1),
      name: `${type} ${number}`,
      slug: `${type.toLowerCase()}-${number}`,
      type,
      blueprintDigest: undefined,
      ...times,
    },
  });
  const site = { id: id(1), name: `Site ${number}`, timezone: "Europe/Berlin", ...times };
  return [{ kind: "site", key: id(1), value: site }, device(2, "GATEWAY"), device(3, "STANDALONE")];
}
