import { randomFrom } from "../../support/random.ts";
import { type LinkBug, LinkWorld } from "./link-world.ts";
import { PATIENCE_MS } from "./surroundings.ts";

/** Plays one random schedule to its end. The world reports what it broke. */
export async function playLinkSchedule(seed: number, bug?: LinkBug): Promise<LinkWorld> {
  const random = randomFrom(seed);
  const world = await LinkWorld.open(random, bug);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  // Not every schedule has every kind of trouble: what one kind breaks, another may mend.
  const has = { crashes: random() < 0.7, restores: random() < 0.45, jumps: random() < 0.3, frames: random() < 0.5 };
  world.ahead.gateway = random() < 0.3 ? Math.floor((random() - 0.5) * 20_000) : 0;
  // Then only the cloud is restored: a gateway that is older than its credential cannot sign in.
  const rotates = randomFrom(-seed)() < 0.3;
  if (rotates && random() < 0.3) world.letCredentialAge();
  await world.during(world.startNode(0));
  await world.during(world.startNode(1));
  await world.during(world.startGateway());
  for (const device of world.devices) if (random() < 0.8) world.connect(device);
  if (random() < 0.8) await world.pass(300 + random() * 1_000);
  // Most schedules are short: a bug needs few steps, and many beginnings find more than long middles.
  const steps = 2 + random() ** 3 * 14;
  for (let step = 0; step < steps && world.violations.length === 0; step++) {
    const device = pick(world.devices);
    const dice = random();
    if (world.gateway === undefined && random() < 0.7) await world.during(world.startGateway());
    for (const place of [0, 1]) {
      if (world.nodes[place] === undefined && random() < 0.7) await world.during(world.startNode(place));
    }
    if (dice < 0.3) for (let n = 0; n < 1 + random() * 1.3; n++) world.create("cloud", device.id);
    else if (dice < 0.4) world.create("gateway", device.id);
    else if (dice < 0.47) world.change(device.id);
    else if (dice < 0.5) for (let n = 0; n < 1 + random() * 4; n++) world.rearrange();
    else if (dice < 0.56) world.measure(device.id);
    else if (dice < 0.62) {
      device.disconnect();
      world.later(random() * 2_000, () => world.connect(device));
    } else if (dice < 0.74) {
      // Perhaps while something is on its way.
      if (random() < 0.5) world.create("cloud", device.id);
      world.later(random() * 60, () => {
        world.line.isCut = true;
        world.line.cut(random() < 0.3);
      });
      world.later(60 + random() * PATIENCE_MS * 1.5, () => {
        world.line.isCut = false;
      });
    } else if (dice < 0.8 && has.frames) {
      world.line.trouble = {
        repeats: random() * 0.3,
        replays: random() * 0.3,
        breaks: random() * 0.3,
        delayMs: random() * 500,
      };
      if (random() < 0.5) world.measure(device.id);
    } else if (dice > 0.8 && has.restores) {
      const side = random() < 0.6 && !rotates ? ("gateway" as const) : ("cloud" as const);
      if (random() < 0.7) world.create("cloud", device.id);
      if (random() < 0.7) await world.pass(random() * 150);
      world.backUp(side);
      if (rotates) {
        world.letCredentialAge();
        world.later(random() * 60, () => world.line.cut(false));
      }
      if (random() < 0.5) world.create("cloud", device.id);
      if (random() < 0.5) world.measure(device.id);
      world.later(random() * PATIENCE_MS, () => world.restore(side));
    } else if (dice < 0.9 && has.crashes) {
      if (random() < 0.5) world.create("cloud", device.id);
      const side = random() < 0.5 ? ("gateway" as const) : ("cloud" as const);
      const place = random() < 0.5 ? 0 : 1;
      const losesClaims = side === "cloud" && random() < 0.3;
      world.later(random() * 60, () => (losesClaims ? world.loseClaims(place) : world.crash(side, place)));
    } else if (has.jumps) world.ahead[random() < 0.5 ? "cloud" : "gateway"] += Math.floor((random() - 0.5) * 60_000);
    else world.change(device.id);
    await world.pass(random() < 0.5 ? random() * 60 : random() * PATIENCE_MS);
  }
  await world.heal();
  await world.checkEnd();
  return world;
}
