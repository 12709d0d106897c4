import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { createShares } from "#core/share/shares.ts";
import { instant } from "#core/time/instant.ts";
import { createEmbeddedBroker, EMBEDDED_DEFAULTS, type EmbeddedBroker } from "#mqtt/embedded/create-embedded-broker.ts";
import { type DeviceCertificate, openSiteAuthority, type SiteAuthority } from "#mqtt/pki/open-site-authority.ts";
import { SILENT, startTestBroker, type TestBroker } from "../support/embedded-broker.ts";
import { connectFakeDevice } from "../support/fake-device.ts";
import { createFakeInbox } from "../support/fake-inbox.ts";
import { type ConnectOptions, connectPacket, connectRaw, publishPacket, signInRaw } from "../support/raw-mqtt.ts";

describe("over plain TCP", () => {
  let broker: TestBroker;
  beforeEach(async () => {
    broker = await startTestBroker();
  });
  afterEach(() => broker.stop());

  test.each<[string, ConnectOptions, string]>([
    ["the right secret", { username: "HW1", password: "secret1" }, "connack 0"],
    [
      "the right secret and MQTT 3.1.1 with a kept session",
      { username: "HW1", password: "secret1", clean: false, clientId: "x" },
      "connack 0",
    ],
    ["a client id of 200 letters", { username: "HW1", password: "secret1", clientId: "x".repeat(200) }, "connack 0"],
    ["another device's secret", { username: "HW1", password: "secret2" }, "connack 4"],
    ["an unknown hardware id", { username: "HW9", password: "secret1" }, "connack 4"],
    ["the device id in the place of the hardware id", { username: "d1", password: "secret1" }, "connack 4"],
    ["a name that every object has", { username: "__proto__", password: "constructor" }, "connack 4"],
    ["no password", { username: "HW1" }, "connack 4"],
    ["an empty password", { username: "HW1", password: "" }, "connack 4"],
    ["no name", {}, "connack 4"],
    ["MQTT 5", { username: "HW1", password: "secret1", level: 5 }, "connack 1"],
  ])("%s is answered as it should", async (_what, options, answer) => {
    const raw = await connectRaw(broker.port, connectPacket(options));
    expect(await raw.seen("connack")).toBe(answer);
    if (answer !== "connack 0") await raw.closed;
    else await raw.end();
    expect(broker.inbox.calls.filter((call) => call !== "unreachable d1")).toEqual([]);
  });

  test("what is sent right behind CONNECT waits for the sign-in, however much it is", async () => {
    const many = Array.from({ length: 500 }, (_, index) =>
      publishPacket("v1/from/HW1/main/v1/telemetry", `{"index":${index}}`, { qos: 1, id: index + 1 }),
    );
    const login = connectPacket({ username: "HW1", password: "secret1" });
    const raw = await connectRaw(broker.port, Buffer.concat([login, ...many]));
    await raw.seen("puback 500");
    expect(broker.inbox.calls).toHaveLength(500);
    await raw.end();
  });

  test("what is sent right behind a refused CONNECT is never looked at", async () => {
    const message = publishPacket("v1/from/HW1/main/v1/telemetry", '{"a":1}', { qos: 1 });
    const login = connectPacket({ username: "HW1", password: "wrong" });
    const raw = await connectRaw(broker.port, Buffer.concat([login, message]));
    await raw.closed;
    expect(raw.received).toEqual(["connack 4"]);
    expect(broker.inbox.calls).toEqual([]);
  });

  test("the same client id on another device does not end a connection, on the same device it does", async () => {
    const one = await signInRaw(broker.port, 1, { clientId: "same" });
    const two = await signInRaw(broker.port, 2, { clientId: "same" });
    const again = await signInRaw(broker.port, 2, { clientId: "same" });
    await two.closed;
    expect([one.socket.destroyed, again.socket.destroyed]).toEqual([false, false]);
    await one.end();
    await again.end();
  });

  test("a second CONNECT on a connection ends it", async () => {
    const raw = await signInRaw(broker.port, 1);
    raw.send(connectPacket({ username: "HW2", password: "secret2" }));
    await raw.closed;
    expect(raw.received).toEqual(["connack 0"]);
  });

  test("disconnecting a device ends all its connections and no others", async () => {
    const [one, two, other] = [
      await signInRaw(broker.port, 1),
      await signInRaw(broker.port, 1),
      await signInRaw(broker.port, 2),
    ];
    broker.disconnect("d1");
    await Promise.all([one.closed, two.closed]);
    await broker.inbox.seen("unreachable d1");
    expect(other.socket.destroyed).toBe(false);
    await other.end();
  });
});

test("while sign-ins cannot be checked the answer is that the service is not available", async () => {
  const inbox = createFakeInbox([]);
  const failing = { ...inbox, signIn: () => Promise.reject(new Error("disk")) };
  const broker = await startTestBroker({}, { inbox: failing });
  const raw = await connectRaw(broker.port, connectPacket({ username: "HW1", password: "secret1" }));
  expect(await raw.seen("connack")).toBe("connack 3");
  await raw.closed;
  await broker.stop();
});

test("a device that signs in without end, and an address that is refused without end, are answered at a pace", async () => {
  const broker = await startTestBroker({ signInRate: 0.5 });
  const attempt = async (username: string, password: string) => {
    const raw = await connectRaw(broker.port, connectPacket({ username, password }));
    return { raw, answer: raw.seen("connack") };
  };
  // Two seconds' worth is answered at once, what five more seconds would answer waits, and the rest is turned away.
  for (const [name, password, first] of [
    ["HW1", "secret1", "connack 0"],
    ["HW1", "wrong", "connack 4"],
  ] as const) {
    expect(await (await attempt(name, password)).answer).toBe(first);
    const more = await Promise.all(Array.from({ length: 20 }, () => attempt(name, password)));
    const turnedAway = more.map(({ answer }) => answer.then((code) => expect(code).toBe("connack 3")));
    await Promise.any(turnedAway);
    for (const { raw } of more) raw.socket.destroy();
  }
  // Others are not behind them.
  const other = await attempt("HW2", "secret2");
  expect(await other.answer).toBe("connack 0");
  await other.raw.end();
  await broker.stop();
});

test("a hardware id that would reach other topics does not sign in", async () => {
  const hostile = { deviceId: "d1", hardwareId: "+", channelId: "main", secret: "s" };
  const broker = await startTestBroker({}, { inbox: createFakeInbox([hostile]) });
  const raw = await connectRaw(broker.port, connectPacket({ username: "+", password: "s" }));
  expect(await raw.seen("connack")).toBe("connack 4");
  await broker.stop();
});

describe("over TLS", () => {
  let folder: string;
  let authority: SiteAuthority;
  let known: DeviceCertificate;
  let broker: EmbeddedBroker;
  let port: number;
  const now = () => instant(Date.now());

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "busbar-tls-"));
    authority = openSiteAuthority(join(folder, "pki"), now);
    known = authority.issueDeviceCertificate("HW1");
    const login = {
      deviceId: "d1",
      hardwareId: "HW1",
      channelId: "main",
      secret: "secret1",
      fingerprint: known.fingerprint,
    };
    broker = await createEmbeddedBroker(
      {
        inbox: createFakeInbox([login]),
        log: SILENT,
        shares: createShares(),
        budgets: createByteBudgets(),
        now,
        configurationOf: async () => undefined,
      },
      {
        ...EMBEDDED_DEFAULTS,
        host: "127.0.0.1",
        port: "off",
        tls: { port: 0, names: ["127.0.0.1", "localhost"], authority },
      },
    );
    const listening = await broker.listen();
    port = listening.tlsPort ?? 0;
    expect(listening.port).toBeUndefined();
  });
  afterEach(async () => {
    await broker.stop();
    rmSync(folder, { recursive: true });
  });

  const attempt = (credentials: Record<string, string>, ca = authority.certificate) =>
    connectAsync(`mqtts://127.0.0.1:${port}`, { ca, reconnectPeriod: 0, ...credentials });

  test("a device signs in by its certificate and gets a command", async () => {
    const device = await connectFakeDevice({
      mqtt_host: "127.0.0.1",
      mqtt_port: port,
      mqtt_protocol: "MQTTS",
      mqtt_credentials: { private_key: known.privateKey, certificate: known.certificate, ca_chain: known.caChain },
      hardware_id: "HW1",
      channel_id: "main",
    });
    await broker.channel.send("d1", { id: "e1", name: "start", arguments: {} });
    expect((await device.nextCommand()).id).toBe("e1");
    await device.close();
  });

  test("a device without a certificate signs in by name and secret", async () => {
    const client = await attempt({ username: "HW1", password: "secret1" });
    await client.endAsync();
  });

  test("a certificate that was replaced does not sign in", async () => {
    const later = authority.issueDeviceCertificate("HW1");
    await expect(attempt({ key: later.privateKey, cert: later.certificate })).rejects.toMatchObject({ code: 4 });
  });

  test("a certificate of another authority does not sign in, even with the right secret", async () => {
    const foreign = openSiteAuthority(join(folder, "other"), now).issueDeviceCertificate("HW1");
    const login = { key: foreign.privateKey, cert: foreign.certificate, username: "HW1", password: "secret1" };
    await expect(attempt(login)).rejects.toMatchObject({ code: 4 });
  });

  test("the server's own certificate does not sign in", async () => {
    const server = authority.serverIdentity(["127.0.0.1", "localhost"]);
    await expect(attempt({ key: server.privateKey, cert: server.certificate })).rejects.toMatchObject({ code: 4 });
  });

  test("a device that trusts another authority does not connect to us", async () => {
    const other = openSiteAuthority(join(folder, "other"), now).certificate;
    await expect(attempt({ username: "HW1", password: "secret1" }, other)).rejects.toThrow(/certificate/);
  });
});
