// The two sides of a rotation, cut off at every step: the cloud always accepts what the gateway has.
import { expect, test } from "vitest";
import { formatToken } from "#core/access/token.ts";
import type { Gateway, Uplink } from "#core/link/gateway.ts";
import type { UpMessage } from "#core/link/messages.ts";
import { instant } from "#core/time/instant.ts";
import { hashSecret } from "#service/access/hash-secret.ts";
import { signInGateway } from "./join-gateway.ts";
import { createRotation, type RotationNeeds } from "./rotate-credential.ts";

const ID = "00000000-0000-7000-8000-000000000042";
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

class Cut extends Error {}

/** A gateway and a cloud with stores in memory. Every write and every message is a step. */
function pair() {
  const first = formatToken(ID, new Uint8Array(32));
  let uplink = { gatewayId: ID, credential: Buffer.from(first), joinedAt: instant(0) } as unknown as Uplink;
  let gateway = { id: ID, credentialHash: hashSecret(first), revokedAt: undefined } as unknown as Gateway;
  let made = 0;
  let stepsLeft = Number.POSITIVE_INFINITY;
  /** The cloud's row before each step, as a backup has it. */
  const backups: Gateway[] = [];
  const step = () => {
    backups.push(gateway);
    if (stepsLeft-- <= 0) throw new Cut("cut off");
  };
  const gateways = {
    find: async () => gateway,
    acceptCredential: async (_id: string, hash: Uint8Array) => {
      step();
      gateway = { ...gateway, nextCredentialHash: hash };
    },
    settleCredential: async (_id: string, hash: Uint8Array) => {
      step();
      gateway = { ...gateway, credentialHash: hash, nextCredentialHash: undefined };
    },
  };
  const needs = {
    now: () => instant(0),
    pause: async () => {},
    credentialLifetimeMs: 1,
    randomBytes: () => new Uint8Array(32).fill(++made),
    seal: { seal: (plain: string) => Buffer.from(plain), open: (sealed: Uint8Array) => text(sealed) },
    uplinks: {
      get: async () => uplink,
      putNextCredential: async (next: Uint8Array) => {
        step();
        uplink = { ...uplink, nextCredential: next };
      },
      useNextCredential: async ({ credential }: { credential: Uint8Array }) => {
        step();
        uplink = { ...uplink, formerCredential: uplink.credential, credential, nextCredential: undefined };
      },
    },
  } as unknown as RotationNeeds;
  async function rotate(isFormer = false): Promise<void> {
    const send = async (message: UpMessage) => {
      if (message.type !== "credential") return;
      step();
      const hash = Buffer.from(message.hash, "hex");
      if (message.isUsed) return await gateways.settleCredential(ID, hash);
      await gateways.acceptCredential(ID, hash);
      step();
      await rotation.accepted(message.hash);
    };
    const rotation = createRotation(needs, { send, isFormer });
    await rotation.begin();
  }
  return {
    rotate,
    cutAfter(steps: number) {
      stepsLeft = steps;
    },
    credential: () => text(uplink.credential),
    former: () => text(uplink.formerCredential ?? new Uint8Array()),
    backups,
    restore(row: Gateway) {
      gateway = row;
    },
    cloud: () => gateway,
    signIn: (credential: string) => signInGateway({ gateways } as never, credential),
    first,
  };
}

test("cut off at any step, the gateway signs in with what it has, and the rotation goes on", async () => {
  let steps = 0;
  for (let isOver = false; !isOver; steps++) {
    const { rotate, cutAfter, credential, signIn, first } = pair();
    cutAfter(steps);
    isOver = await rotate().then(
      () => true,
      (error: unknown) => {
        expect(error).toBeInstanceOf(Cut);
        return false;
      },
    );
    cutAfter(Number.POSITIVE_INFINITY);
    await expect(signIn(credential()), `after ${steps} steps`).resolves.toMatchObject({ id: ID });
    // A connection that follows goes on with it; what is begun anew when it was done leaves one credential, too.
    await rotate();
    await expect(signIn(credential())).resolves.toMatchObject({ id: ID });
    expect(credential()).not.toBe(first);
    await expect(signIn(first)).rejects.toMatchObject({ code: "unauthorized" });
  }
  expect(steps).toBeGreaterThan(6);
});

test("a cloud that is restored as of any step of a rotation knows the present or the former one, and learns the present one", async () => {
  const { rotate, cutAfter, credential, former, signIn, restore, backups, cloud } = pair();
  await rotate();
  const rows = [...backups];
  const [present, before] = [credential(), former()];
  let withFormer = 0;
  for (const row of rows) {
    for (let steps = 0, isOver = false; !isOver; steps++) {
      restore(row);
      cutAfter(Number.POSITIVE_INFINITY);
      const isKnown = await signIn(present).then(
        () => true,
        () => false,
      );
      if (!isKnown) {
        await expect(signIn(before)).resolves.toMatchObject({ id: ID });
        withFormer++;
        cutAfter(steps);
        isOver = await rotate(true).then(
          () => true,
          () => false,
        );
        cutAfter(Number.POSITIVE_INFINITY);
      } else isOver = true;
      // The gateway itself changes nothing, so that nothing is lost wherever it is cut off.
      expect([credential(), former()]).toEqual([present, before]);
      await Promise.any([signIn(present), signIn(before)]);
    }
    expect(cloud().nextCredentialHash).toBeUndefined();
    await expect(signIn(present)).resolves.toMatchObject({ id: ID });
    await expect(signIn(before)).rejects.toMatchObject({ code: "unauthorized" });
  }
  expect(withFormer).toBeGreaterThan(4);
});
